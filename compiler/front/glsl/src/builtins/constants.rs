//! The `gl_Max*` constants, from the limits of the context.

use crate::checker::Checker;
use crate::language::Availability;
use glsl_syntax::source::Span;
use program::{ExprId, ExprKind, Literal, Scalar};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Lines `@ availability`, then `name limit default`. Limits are GL enums without `GL_`; `/4`
/// divides (vectors from components).
const CONSTANTS: &str = "
@ 110 0 compat
gl_MaxLights MAX_LIGHTS 8
gl_MaxClipPlanes MAX_CLIP_PLANES 8
gl_MaxTextureUnits MAX_TEXTURE_UNITS 8
gl_MaxTextureCoords MAX_TEXTURE_COORDS 8
@ 110 0
gl_MaxVertexUniformComponents MAX_VERTEX_UNIFORM_COMPONENTS 4096
gl_MaxFragmentUniformComponents MAX_FRAGMENT_UNIFORM_COMPONENTS 4096
@ 110 0 <420
gl_MaxVaryingFloats MAX_VARYING_FLOATS 64
@ 110 100
gl_MaxVertexAttribs MAX_VERTEX_ATTRIBS 16
gl_MaxVertexTextureImageUnits MAX_VERTEX_TEXTURE_IMAGE_UNITS 16
gl_MaxCombinedTextureImageUnits MAX_COMBINED_TEXTURE_IMAGE_UNITS 96
gl_MaxTextureImageUnits MAX_TEXTURE_IMAGE_UNITS 16
gl_MaxDrawBuffers MAX_DRAW_BUFFERS 8
@ 410 100 ARB_ES2_compatibility
gl_MaxVertexUniformVectors MAX_VERTEX_UNIFORM_COMPONENTS/4 4096
gl_MaxFragmentUniformVectors MAX_FRAGMENT_UNIFORM_COMPONENTS/4 4096
@ 410 100 <es:300 ARB_ES2_compatibility
gl_MaxVaryingVectors MAX_VARYING_COMPONENTS/4 64
@ 130 0 EXT_clip_cull_distance
gl_MaxClipDistances MAX_CLIP_DISTANCES 8
@ 450 0 ARB_cull_distance EXT_clip_cull_distance
gl_MaxCullDistances MAX_CULL_DISTANCES 8
gl_MaxCombinedClipAndCullDistances MAX_COMBINED_CLIP_AND_CULL_DISTANCES 8
@ 130 0
gl_MaxVaryingComponents MAX_VARYING_COMPONENTS 64
@ 130 300
gl_MinProgramTexelOffset MIN_PROGRAM_TEXEL_OFFSET -8
gl_MaxProgramTexelOffset MAX_PROGRAM_TEXEL_OFFSET 7
@ 0 300
gl_MaxVertexOutputVectors MAX_VERTEX_OUTPUT_COMPONENTS/4 64
gl_MaxFragmentInputVectors MAX_FRAGMENT_INPUT_COMPONENTS/4 64
@ 150 0
gl_MaxVertexOutputComponents MAX_VERTEX_OUTPUT_COMPONENTS 64
gl_MaxFragmentInputComponents MAX_FRAGMENT_INPUT_COMPONENTS 128
@ 150 320 EXT_geometry_shader OES_geometry_shader
gl_MaxGeometryInputComponents MAX_GEOMETRY_INPUT_COMPONENTS 64
gl_MaxGeometryOutputComponents MAX_GEOMETRY_OUTPUT_COMPONENTS 128
gl_MaxGeometryTextureImageUnits MAX_GEOMETRY_TEXTURE_IMAGE_UNITS 16
gl_MaxGeometryOutputVertices MAX_GEOMETRY_OUTPUT_VERTICES 256
gl_MaxGeometryTotalOutputComponents MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS 1024
gl_MaxGeometryUniformComponents MAX_GEOMETRY_UNIFORM_COMPONENTS 4096
@ 150 0 ARB_geometry_shader4
gl_MaxGeometryVaryingComponents MAX_GEOMETRY_OUTPUT_COMPONENTS 64
@ 0 0 ARB_geometry_shader4
gl_MaxGeometryOutputVertices MAX_GEOMETRY_OUTPUT_VERTICES 256
gl_MaxVertexVaryingComponents MAX_VERTEX_OUTPUT_COMPONENTS 64
@ 400 320 ARB_tessellation_shader EXT_tessellation_shader OES_tessellation_shader
gl_MaxTessControlInputComponents MAX_TESS_CONTROL_INPUT_COMPONENTS 128
gl_MaxTessControlOutputComponents MAX_TESS_CONTROL_OUTPUT_COMPONENTS 128
gl_MaxTessControlTextureImageUnits MAX_TESS_CONTROL_TEXTURE_IMAGE_UNITS 16
gl_MaxTessControlUniformComponents MAX_TESS_CONTROL_UNIFORM_COMPONENTS 4096
gl_MaxTessControlTotalOutputComponents MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS 4096
gl_MaxTessEvaluationInputComponents MAX_TESS_EVALUATION_INPUT_COMPONENTS 128
gl_MaxTessEvaluationOutputComponents MAX_TESS_EVALUATION_OUTPUT_COMPONENTS 128
gl_MaxTessEvaluationTextureImageUnits MAX_TESS_EVALUATION_TEXTURE_IMAGE_UNITS 16
gl_MaxTessEvaluationUniformComponents MAX_TESS_EVALUATION_UNIFORM_COMPONENTS 4096
gl_MaxTessPatchComponents MAX_TESS_PATCH_COMPONENTS 120
gl_MaxPatchVertices MAX_PATCH_VERTICES 32
gl_MaxTessGenLevel MAX_TESS_GEN_LEVEL 64
@ 410 0 ARB_viewport_array OES_viewport_array
gl_MaxViewports MAX_VIEWPORTS 16
@ 450 320 OES_sample_variables ARB_ES3_1_compatibility
gl_MaxSamples MAX_SAMPLES 8
@ 420 310 ARB_shader_image_load_store
gl_MaxImageUnits MAX_IMAGE_UNITS 8
gl_MaxVertexImageUniforms MAX_VERTEX_IMAGE_UNIFORMS 8
gl_MaxFragmentImageUniforms MAX_FRAGMENT_IMAGE_UNIFORMS 8
gl_MaxCombinedImageUniforms MAX_COMBINED_IMAGE_UNIFORMS 48
@ 420 0 ARB_shader_image_load_store
gl_MaxCombinedImageUnitsAndFragmentOutputs MAX_COMBINED_SHADER_OUTPUT_RESOURCES 16
gl_MaxImageSamples MAX_IMAGE_SAMPLES 0
@ 420 320 ARB_shader_image_load_store EXT_tessellation_shader OES_tessellation_shader
gl_MaxTessControlImageUniforms MAX_TESS_CONTROL_IMAGE_UNIFORMS 8
gl_MaxTessEvaluationImageUniforms MAX_TESS_EVALUATION_IMAGE_UNIFORMS 8
@ 420 320 ARB_shader_image_load_store EXT_geometry_shader OES_geometry_shader
gl_MaxGeometryImageUniforms MAX_GEOMETRY_IMAGE_UNIFORMS 8
@ 430 310 ARB_shader_storage_buffer_object
gl_MaxCombinedShaderOutputResources MAX_COMBINED_SHADER_OUTPUT_RESOURCES 16
@ 420 310 ARB_shader_atomic_counters
gl_MaxVertexAtomicCounters MAX_VERTEX_ATOMIC_COUNTERS 8
gl_MaxFragmentAtomicCounters MAX_FRAGMENT_ATOMIC_COUNTERS 8
gl_MaxCombinedAtomicCounters MAX_COMBINED_ATOMIC_COUNTERS 8
gl_MaxAtomicCounterBindings MAX_ATOMIC_COUNTER_BUFFER_BINDINGS 16
@ 420 320 ARB_shader_atomic_counters EXT_tessellation_shader OES_tessellation_shader
gl_MaxTessControlAtomicCounters MAX_TESS_CONTROL_ATOMIC_COUNTERS 8
gl_MaxTessEvaluationAtomicCounters MAX_TESS_EVALUATION_ATOMIC_COUNTERS 8
@ 420 320 ARB_shader_atomic_counters EXT_geometry_shader OES_geometry_shader
gl_MaxGeometryAtomicCounters MAX_GEOMETRY_ATOMIC_COUNTERS 8
@ 420 310
gl_MaxVertexAtomicCounterBuffers MAX_VERTEX_ATOMIC_COUNTER_BUFFERS 8
gl_MaxFragmentAtomicCounterBuffers MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS 8
gl_MaxCombinedAtomicCounterBuffers MAX_COMBINED_ATOMIC_COUNTER_BUFFERS 16
gl_MaxAtomicCounterBufferSize MAX_ATOMIC_COUNTER_BUFFER_SIZE 16384
@ 420 320 EXT_tessellation_shader OES_tessellation_shader
gl_MaxTessControlAtomicCounterBuffers MAX_TESS_CONTROL_ATOMIC_COUNTER_BUFFERS 8
gl_MaxTessEvaluationAtomicCounterBuffers MAX_TESS_EVALUATION_ATOMIC_COUNTER_BUFFERS 8
@ 420 320 EXT_geometry_shader OES_geometry_shader
gl_MaxGeometryAtomicCounterBuffers MAX_GEOMETRY_ATOMIC_COUNTER_BUFFERS 8
@ 430 310 ARB_compute_shader
gl_MaxComputeUniformComponents MAX_COMPUTE_UNIFORM_COMPONENTS 1024
gl_MaxComputeTextureImageUnits MAX_COMPUTE_TEXTURE_IMAGE_UNITS 16
gl_MaxComputeImageUniforms MAX_COMPUTE_IMAGE_UNIFORMS 8
gl_MaxComputeAtomicCounters MAX_COMPUTE_ATOMIC_COUNTERS 8
gl_MaxComputeAtomicCounterBuffers MAX_COMPUTE_ATOMIC_COUNTER_BUFFERS 8
@ 440 0 ARB_enhanced_layouts
gl_MaxTransformFeedbackBuffers MAX_TRANSFORM_FEEDBACK_BUFFERS 4
gl_MaxTransformFeedbackInterleavedComponents MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS 64
@ 0 0 EXT_blend_func_extended
gl_MaxDualSourceDrawBuffersEXT MAX_DUAL_SOURCE_DRAW_BUFFERS 1
";

struct Row {
    availability: usize,
    limit: &'static str,
    divisor: i64,
    default: i64,
}

struct Table {
    availabilities: Vec<Availability>,
    rows: FxHashMap<&'static str, Vec<Row>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { availabilities: Vec::new(), rows: FxHashMap::default() };
    for line in CONSTANTS.lines().filter(|l| !l.is_empty()) {
        if let Some(text) = line.strip_prefix("@ ") {
            table.availabilities.push(Availability::parse(text));
            continue;
        }
        let mut words = line.split(' ');
        if let (Some(name), Some(limit), Some(default)) = (words.next(), words.next(), words.next())
        {
            let (limit, divisor) = limit.split_once('/').unwrap_or((limit, "1"));
            let availability = table.availabilities.len().saturating_sub(1);
            let (divisor, default) = (divisor.parse().unwrap_or(1), default.parse().unwrap_or(0));
            table.rows.entry(name).or_default().push(Row { availability, limit, divisor, default });
        }
    }
    table
});

impl Checker<'_> {
    /// A limit by GL enum, with the default of the constant that exposes it.
    pub(crate) fn limit(&self, name: &str) -> u32 {
        let short = name.trim_start_matches("GL_");
        let default = TABLE.rows.values().flatten().find(|r| r.limit == short && r.divisor == 1);
        self.language.limit(name, default.map_or(1, |r| r.default.max(0) as u32))
    }

    /// The value of a built-in constant, if the name is one that is available.
    pub(crate) fn builtin_constant(&mut self, name: &str, span: Span) -> Option<ExprId> {
        if matches!(name, "gl_MaxComputeWorkGroupCount" | "gl_MaxComputeWorkGroupSize") {
            return self.work_group_constant(name, span);
        }
        let rows = TABLE.rows.get(name)?;
        let row =
            rows.iter().find(|r| self.language.allows(&TABLE.availabilities[r.availability]))?;
        let value = if row.default < 0 {
            row.default
        } else {
            i64::from(self.language.limit(&format!("GL_{}", row.limit), row.default as u32))
                / row.divisor
        };
        Some(self.literal(Literal::Int(value), Scalar::Int, span))
    }

    fn work_group_constant(&mut self, name: &str, span: Span) -> Option<ExprId> {
        if !self.language.at_least(430, 310) && !self.language.extension("ARB_compute_shader") {
            return None;
        }
        let (limit, defaults) = match name {
            "gl_MaxComputeWorkGroupCount" => {
                ("GL_MAX_COMPUTE_WORK_GROUP_COUNT", [65535, 65535, 65535])
            }
            _ => ("GL_MAX_COMPUTE_WORK_GROUP_SIZE", [1024, 1024, 64]),
        };
        let parts = (0..3)
            .map(|i| {
                let value = self.language.limit(&format!("{limit}[{i}]"), defaults[i]);
                self.literal(Literal::Int(i64::from(value)), Scalar::Int, span)
            })
            .collect();
        let ty = self.types.vector(Scalar::Int, 3);
        Some(self.push(ExprKind::Compose(parts), ty, span))
    }
}
