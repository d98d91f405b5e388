//! The `gl_*` variables.

macro_rules! builtin_variables {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// A built-in variable (GLSL 4.60 chapter 7, and the compatibility profile's).
        #[allow(missing_docs, reason = "the variants are the names of the specification")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum BuiltinVariable { $($name),* }

        impl BuiltinVariable {
            /// Every built-in variable, in declaration order.
            pub const ALL: &[BuiltinVariable] = &[$(BuiltinVariable::$name),*];

            /// The GLSL identifier.
            pub const fn name(self) -> &'static str {
                match self { $(BuiltinVariable::$name => $text),* }
            }

            /// The variable of an identifier.
            pub fn from_name(name: &str) -> Option<BuiltinVariable> {
                match name { $($text => Some(BuiltinVariable::$name),)* _ => None }
            }
        }
    };
}

builtin_variables! {
    // Per-vertex interface.
    Position = "gl_Position", PointSize = "gl_PointSize", ClipDistance = "gl_ClipDistance",
    CullDistance = "gl_CullDistance", ClipVertex = "gl_ClipVertex", FrontColor = "gl_FrontColor",
    BackColor = "gl_BackColor", FrontSecondaryColor = "gl_FrontSecondaryColor",
    BackSecondaryColor = "gl_BackSecondaryColor", TexCoord = "gl_TexCoord", FogFragCoord = "gl_FogFragCoord",
    Color = "gl_Color", SecondaryColor = "gl_SecondaryColor", PerVertexIn = "gl_in", PerVertexOut = "gl_out",
    PositionIn = "gl_PositionIn", PointSizeIn = "gl_PointSizeIn", ClipVertexIn = "gl_ClipVertexIn",
    FrontColorIn = "gl_FrontColorIn", BackColorIn = "gl_BackColorIn",
    FrontSecondaryColorIn = "gl_FrontSecondaryColorIn", BackSecondaryColorIn = "gl_BackSecondaryColorIn",
    TexCoordIn = "gl_TexCoordIn", FogFragCoordIn = "gl_FogFragCoordIn", VerticesIn = "gl_VerticesIn",
    // Vertex.
    VertexId = "gl_VertexID", InstanceId = "gl_InstanceID", BaseVertex = "gl_BaseVertex",
    BaseInstance = "gl_BaseInstance", DrawId = "gl_DrawID", Vertex = "gl_Vertex", Normal = "gl_Normal",
    FogCoord = "gl_FogCoord", MultiTexCoord0 = "gl_MultiTexCoord0", MultiTexCoord1 = "gl_MultiTexCoord1",
    MultiTexCoord2 = "gl_MultiTexCoord2", MultiTexCoord3 = "gl_MultiTexCoord3",
    MultiTexCoord4 = "gl_MultiTexCoord4", MultiTexCoord5 = "gl_MultiTexCoord5",
    MultiTexCoord6 = "gl_MultiTexCoord6", MultiTexCoord7 = "gl_MultiTexCoord7",
    // Tessellation and geometry.
    PatchVerticesIn = "gl_PatchVerticesIn", PrimitiveId = "gl_PrimitiveID", PrimitiveIdIn = "gl_PrimitiveIDIn",
    InvocationId = "gl_InvocationID", TessLevelOuter = "gl_TessLevelOuter", TessLevelInner = "gl_TessLevelInner",
    TessCoord = "gl_TessCoord", Layer = "gl_Layer", ViewportIndex = "gl_ViewportIndex",
    ViewportMask = "gl_ViewportMask", BoundingBox = "gl_BoundingBox",
    // Fragment.
    FragCoord = "gl_FragCoord", FrontFacing = "gl_FrontFacing", PointCoord = "gl_PointCoord",
    SampleId = "gl_SampleID", SamplePosition = "gl_SamplePosition", SampleMaskIn = "gl_SampleMaskIn",
    SampleMask = "gl_SampleMask", NumSamples = "gl_NumSamples", HelperInvocation = "gl_HelperInvocation",
    FragColor = "gl_FragColor", FragData = "gl_FragData", FragDepth = "gl_FragDepth",
    FragStencilRef = "gl_FragStencilRefARB", SecondaryFragColor = "gl_SecondaryFragColorEXT",
    SecondaryFragData = "gl_SecondaryFragDataEXT", LastFragData = "gl_LastFragData",
    // Compute.
    NumWorkGroups = "gl_NumWorkGroups", WorkGroupSize = "gl_WorkGroupSize", WorkGroupId = "gl_WorkGroupID",
    LocalInvocationId = "gl_LocalInvocationID", GlobalInvocationId = "gl_GlobalInvocationID",
    LocalInvocationIndex = "gl_LocalInvocationIndex", LocalGroupSize = "gl_LocalGroupSizeARB",
    // Subgroups (ARB_shader_ballot).
    SubGroupSize = "gl_SubGroupSizeARB", SubGroupInvocation = "gl_SubGroupInvocationARB",
    SubGroupEqMask = "gl_SubGroupEqMaskARB", SubGroupGeMask = "gl_SubGroupGeMaskARB",
    SubGroupGtMask = "gl_SubGroupGtMaskARB", SubGroupLeMask = "gl_SubGroupLeMaskARB",
    SubGroupLtMask = "gl_SubGroupLtMaskARB",
    // Built-in uniforms.
    DepthRange = "gl_DepthRange", ModelViewMatrix = "gl_ModelViewMatrix", ProjectionMatrix = "gl_ProjectionMatrix",
    ModelViewProjectionMatrix = "gl_ModelViewProjectionMatrix", TextureMatrix = "gl_TextureMatrix",
    NormalMatrix = "gl_NormalMatrix", ModelViewMatrixInverse = "gl_ModelViewMatrixInverse",
    ProjectionMatrixInverse = "gl_ProjectionMatrixInverse",
    ModelViewProjectionMatrixInverse = "gl_ModelViewProjectionMatrixInverse",
    TextureMatrixInverse = "gl_TextureMatrixInverse", ModelViewMatrixTranspose = "gl_ModelViewMatrixTranspose",
    ProjectionMatrixTranspose = "gl_ProjectionMatrixTranspose",
    ModelViewProjectionMatrixTranspose = "gl_ModelViewProjectionMatrixTranspose",
    TextureMatrixTranspose = "gl_TextureMatrixTranspose",
    ModelViewMatrixInverseTranspose = "gl_ModelViewMatrixInverseTranspose",
    ProjectionMatrixInverseTranspose = "gl_ProjectionMatrixInverseTranspose",
    ModelViewProjectionMatrixInverseTranspose = "gl_ModelViewProjectionMatrixInverseTranspose",
    TextureMatrixInverseTranspose = "gl_TextureMatrixInverseTranspose", NormalScale = "gl_NormalScale",
    ClipPlane = "gl_ClipPlane", Point = "gl_Point", FrontMaterial = "gl_FrontMaterial",
    BackMaterial = "gl_BackMaterial", LightSource = "gl_LightSource", LightModel = "gl_LightModel",
    FrontLightModelProduct = "gl_FrontLightModelProduct", BackLightModelProduct = "gl_BackLightModelProduct",
    FrontLightProduct = "gl_FrontLightProduct", BackLightProduct = "gl_BackLightProduct",
    TextureEnvColor = "gl_TextureEnvColor", EyePlaneS = "gl_EyePlaneS", EyePlaneT = "gl_EyePlaneT",
    EyePlaneR = "gl_EyePlaneR", EyePlaneQ = "gl_EyePlaneQ", ObjectPlaneS = "gl_ObjectPlaneS",
    ObjectPlaneT = "gl_ObjectPlaneT", ObjectPlaneR = "gl_ObjectPlaneR", ObjectPlaneQ = "gl_ObjectPlaneQ", Fog = "gl_Fog",
    // ARB assembly programs' parameters; not reachable from GLSL.
    ProgramEnv = "program.env", ProgramLocal = "program.local",
}

impl BuiltinVariable {
    /// Returns true if the variable is an array with one element per vertex of a primitive or patch
    /// (`gl_in`, `gl_PositionIn`, …).
    pub const fn is_per_vertex_array(self) -> bool {
        use BuiltinVariable as V;
        matches!(
            self,
            V::PerVertexIn
                | V::PerVertexOut
                | V::PositionIn
                | V::PointSizeIn
                | V::ClipVertexIn
                | V::FrontColorIn
                | V::BackColorIn
                | V::FrontSecondaryColorIn
                | V::BackSecondaryColorIn
                | V::TexCoordIn
                | V::FogFragCoordIn
        )
    }

    /// Returns true if the variable is a member of `gl_PerVertex`.
    pub const fn is_per_vertex(self) -> bool {
        use BuiltinVariable as V;
        matches!(
            self,
            V::Position
                | V::PointSize
                | V::ClipDistance
                | V::CullDistance
                | V::ClipVertex
                | V::FrontColor
                | V::BackColor
                | V::FrontSecondaryColor
                | V::BackSecondaryColor
                | V::TexCoord
                | V::FogFragCoord
        )
    }
}
