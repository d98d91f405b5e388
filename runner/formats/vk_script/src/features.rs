//! Names of features and properties: those of `VkPhysicalDeviceFeatures`, Amber's with the
//! structure before a dot, and VkRunner's without it, which imply an extension.

/// A member of a structure of features or properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) structure: &'static str,
    pub(crate) member: &'static str,
}

/// Members of `VkPhysicalDeviceFeatures` in its order (Vulkan 1.3, section 41.1).
pub const CORE_FEATURES: &[&str] = &[
    "robustBufferAccess",
    "fullDrawIndexUint32",
    "imageCubeArray",
    "independentBlend",
    "geometryShader",
    "tessellationShader",
    "sampleRateShading",
    "dualSrcBlend",
    "logicOp",
    "multiDrawIndirect",
    "drawIndirectFirstInstance",
    "depthClamp",
    "depthBiasClamp",
    "fillModeNonSolid",
    "depthBounds",
    "wideLines",
    "largePoints",
    "alphaToOne",
    "multiViewport",
    "samplerAnisotropy",
    "textureCompressionETC2",
    "textureCompressionASTC_LDR",
    "textureCompressionBC",
    "occlusionQueryPrecise",
    "pipelineStatisticsQuery",
    "vertexPipelineStoresAndAtomics",
    "fragmentStoresAndAtomics",
    "shaderTessellationAndGeometryPointSize",
    "shaderImageGatherExtended",
    "shaderStorageImageExtendedFormats",
    "shaderStorageImageMultisample",
    "shaderStorageImageReadWithoutFormat",
    "shaderStorageImageWriteWithoutFormat",
    "shaderUniformBufferArrayDynamicIndexing",
    "shaderSampledImageArrayDynamicIndexing",
    "shaderStorageBufferArrayDynamicIndexing",
    "shaderStorageImageArrayDynamicIndexing",
    "shaderClipDistance",
    "shaderCullDistance",
    "shaderFloat64",
    "shaderInt64",
    "shaderInt16",
    "shaderResourceResidency",
    "shaderResourceMinLod",
    "sparseBinding",
    "sparseResidencyBuffer",
    "sparseResidencyImage2D",
    "sparseResidencyImage3D",
    "sparseResidency2Samples",
    "sparseResidency4Samples",
    "sparseResidency8Samples",
    "sparseResidency16Samples",
    "sparseResidencyAliased",
    "variableMultisampleRate",
    "inheritedQueries",
];

/// A structure of an extension: its name, the extension (empty where a script must name it), its
/// members.
type Structure = (&'static str, &'static str, &'static [&'static str]);

/// Structures of features.
const STRUCTURES: &[Structure] = &[
    (
        "VariablePointerFeatures",
        "VK_KHR_variable_pointers",
        &["variablePointers", "variablePointersStorageBuffer"],
    ),
    ("Float16Int8Features", "VK_KHR_shader_float16_int8", &["shaderFloat16", "shaderInt8"]),
    (
        "VulkanMemoryModelFeatures",
        "VK_KHR_vulkan_memory_model",
        &["vulkanMemoryModel", "vulkanMemoryModelDeviceScope"],
    ),
    (
        "ZeroInitializeWorkgroupMemoryFeatures",
        "VK_KHR_zero_initialize_workgroup_memory",
        &["shaderZeroInitializeWorkgroupMemory"],
    ),
    (
        "Storage8BitFeatures",
        "VK_KHR_8bit_storage",
        &["storageBuffer8BitAccess", "uniformAndStorageBuffer8BitAccess", "storagePushConstant8"],
    ),
    (
        "Storage16BitFeatures",
        "VK_KHR_16bit_storage",
        &[
            "storageBuffer16BitAccess",
            "uniformAndStorageBuffer16BitAccess",
            "storagePushConstant16",
            "storageInputOutput16",
        ],
    ),
    (
        "SubgroupSizeControl",
        "VK_EXT_subgroup_size_control",
        &["subgroupSizeControl", "computeFullSubgroups"],
    ),
    ("DepthClampZeroOneFeatures", "VK_EXT_depth_clamp_zero_one", &["depthClampZeroOne"]),
    ("IndexTypeUint8Features", "VK_EXT_index_type_uint8", &["indexTypeUint8"]),
    (
        "ShaderSubgroupExtendedTypesFeatures",
        "VK_KHR_shader_subgroup_extended_types",
        &["shaderSubgroupExtendedTypes"],
    ),
    (
        "BufferDeviceAddressFeatures",
        "VK_KHR_buffer_device_address",
        &[
            "bufferDeviceAddress",
            "bufferDeviceAddressCaptureReplay",
            "bufferDeviceAddressMultiDevice",
        ],
    ),
    ("CooperativeMatrixFeaturesKHR", "VK_KHR_cooperative_matrix", &["cooperativeMatrix"]),
    ("RayTracingPipelineFeaturesKHR", "VK_KHR_ray_tracing_pipeline", &["rayTracingPipeline"]),
    (
        "AccelerationStructureFeaturesKHR",
        "VK_KHR_acceleration_structure",
        &["accelerationStructure"],
    ),
    ("ShaderLongVectorFeaturesEXT", "VK_EXT_shader_long_vector", &["longVector"]),
    (
        "SubgroupSupportedOperations",
        "",
        &[
            "basic",
            "vote",
            "arithmetic",
            "ballot",
            "shuffle",
            "shuffleRelative",
            "clustered",
            "quad",
        ],
    ),
    (
        "SubgroupSupportedStages",
        "",
        &[
            "vertex",
            "tessellationControl",
            "tessellationEvaluation",
            "geometry",
            "fragment",
            "compute",
        ],
    ),
    // Structures that only VkRunner knows.
    ("ASTCDecodeFeatures", "VK_EXT_astc_decode_mode", &["decodeModeSharedExponent"]),
    (
        "BlendOperationAdvancedFeatures",
        "VK_EXT_blend_operation_advanced",
        &["advancedBlendCoherentOperations"],
    ),
    (
        "ConditionalRenderingFeatures",
        "VK_EXT_conditional_rendering",
        &["conditionalRendering", "inheritedConditionalRendering"],
    ),
    (
        "ComputeShaderDerivativesFeatures",
        "VK_NV_compute_shader_derivatives",
        &["computeDerivativeGroupQuads", "computeDerivativeGroupLinear"],
    ),
    (
        "DescriptorIndexingFeatures",
        "VK_EXT_descriptor_indexing",
        &[
            "shaderInputAttachmentArrayDynamicIndexing",
            "shaderUniformTexelBufferArrayDynamicIndexing",
            "shaderStorageTexelBufferArrayDynamicIndexing",
            "shaderUniformBufferArrayNonUniformIndexing",
            "shaderSampledImageArrayNonUniformIndexing",
            "shaderStorageBufferArrayNonUniformIndexing",
            "shaderStorageImageArrayNonUniformIndexing",
            "shaderInputAttachmentArrayNonUniformIndexing",
            "shaderUniformTexelBufferArrayNonUniformIndexing",
            "shaderStorageTexelBufferArrayNonUniformIndexing",
            "descriptorBindingUniformBufferUpdateAfterBind",
            "descriptorBindingSampledImageUpdateAfterBind",
            "descriptorBindingStorageImageUpdateAfterBind",
            "descriptorBindingStorageBufferUpdateAfterBind",
            "descriptorBindingUniformTexelBufferUpdateAfterBind",
            "descriptorBindingStorageTexelBufferUpdateAfterBind",
            "descriptorBindingUpdateUnusedWhilePending",
            "descriptorBindingPartiallyBound",
            "descriptorBindingVariableDescriptorCount",
            "runtimeDescriptorArray",
        ],
    ),
    (
        "FragmentDensityMapFeatures",
        "VK_EXT_fragment_density_map",
        &[
            "fragmentDensityMap",
            "fragmentDensityMapDynamic",
            "fragmentDensityMapNonSubsampledImages",
        ],
    ),
    (
        "InlineUniformBlockFeatures",
        "VK_EXT_inline_uniform_block",
        &["inlineUniformBlock", "descriptorBindingInlineUniformBlockUpdateAfterBind"],
    ),
    ("MemoryPriorityFeatures", "VK_EXT_memory_priority", &["memoryPriority"]),
    (
        "MultiviewFeatures",
        "VK_KHR_multiview",
        &["multiview", "multiviewGeometryShader", "multiviewTessellationShader"],
    ),
    (
        "SamplerYcbcrConversionFeatures",
        "VK_KHR_sampler_ycbcr_conversion",
        &["samplerYcbcrConversion"],
    ),
    ("ScalarBlockLayoutFeatures", "VK_EXT_scalar_block_layout", &["scalarBlockLayout"]),
    (
        "ShaderAtomicInt64Features",
        "VK_KHR_shader_atomic_int64",
        &["shaderBufferInt64Atomics", "shaderSharedInt64Atomics"],
    ),
    (
        "TransformFeedbackFeatures",
        "VK_EXT_transform_feedback",
        &["transformFeedback", "geometryStreams"],
    ),
    (
        "VertexAttributeDivisorFeatures",
        "VK_EXT_vertex_attribute_divisor",
        &["vertexAttributeInstanceRateDivisor", "vertexAttributeInstanceRateZeroDivisor"],
    ),
];

/// Structures of properties.
const PROPERTIES: &[Structure] = &[(
    "FloatControlsProperties",
    "VK_KHR_shader_float_controls",
    &[
        "shaderSignedZeroInfNanPreserveFloat16",
        "shaderSignedZeroInfNanPreserveFloat32",
        "shaderSignedZeroInfNanPreserveFloat64",
        "shaderDenormPreserveFloat16",
        "shaderDenormPreserveFloat32",
        "shaderDenormPreserveFloat64",
        "shaderDenormFlushToZeroFloat16",
        "shaderDenormFlushToZeroFloat32",
        "shaderDenormFlushToZeroFloat64",
        "shaderRoundingModeRTEFloat16",
        "shaderRoundingModeRTEFloat32",
        "shaderRoundingModeRTEFloat64",
        "shaderRoundingModeRTZFloat16",
        "shaderRoundingModeRTZFloat32",
        "shaderRoundingModeRTZFloat64",
    ],
)];

/// Returns the feature with Amber's name: a member of the core structure, or `Structure.member`.
pub(crate) fn feature(name: &str) -> Option<Member> {
    core(name).or_else(|| dotted(STRUCTURES, name))
}

/// Returns the property with Amber's name.
pub(crate) fn property(name: &str) -> Option<Member> {
    dotted(PROPERTIES, name)
}

/// Returns the feature with a bare name and the extension that it implies (empty for features of
/// the core).
pub(crate) fn bare_feature(name: &str) -> Option<(Member, &'static str)> {
    if let Some(member) = core(name) {
        return Some((member, ""));
    }
    STRUCTURES.iter().filter(|(_, extension, _)| !extension.is_empty()).find_map(
        |(structure, extension, members)| {
            let member = members.iter().find(|member| **member == name)?;
            Some((Member { structure, member }, *extension))
        },
    )
}

fn core(name: &str) -> Option<Member> {
    CORE_FEATURES
        .iter()
        .find(|member| **member == name)
        .map(|member| Member { structure: "", member })
}

fn dotted(structures: &[Structure], name: &str) -> Option<Member> {
    let (structure, member) = name.split_once('.')?;
    let (structure, _, members) = structures.iter().find(|(known, _, _)| *known == structure)?;
    members.iter().find(|known| **known == member).map(|member| Member { structure, member })
}
