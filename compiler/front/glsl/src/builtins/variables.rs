//! The `gl_*` variables: a table with their availability, and their globals, created on first use.

use crate::checker::{Check, Checker};
use crate::language::Availability;
use crate::qualifiers::qualifier::Qualifiers;
use crate::type_names;
use glsl_syntax::intern::Symbol;
use glsl_syntax::source::Span;
use program::types::{Member, StructType};
use program::{
    ArrayLength, BuiltinVariable, ExprId, ExprKind, Global, GlobalId, Scalar, Storage, Type, TypeId,
};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Structures of the built-in uniforms: `name: type member, …`.
const STRUCTURES: &str = "
gl_DepthRangeParameters: float near, float far, float diff
gl_PointParameters: float size, float sizeMin, float sizeMax, float fadeThresholdSize, float distanceConstantAttenuation, float distanceLinearAttenuation, float distanceQuadraticAttenuation
gl_MaterialParameters: vec4 emission, vec4 ambient, vec4 diffuse, vec4 specular, float shininess
gl_LightSourceParameters: vec4 ambient, vec4 diffuse, vec4 specular, vec4 position, vec4 halfVector, vec3 spotDirection, float spotExponent, float spotCutoff, float spotCosCutoff, float constantAttenuation, float linearAttenuation, float quadraticAttenuation
gl_LightModelParameters: vec4 ambient
gl_LightModelProducts: vec4 sceneColor
gl_LightProducts: vec4 ambient, vec4 diffuse, vec4 specular
gl_FogParameters: vec4 color, float density, float start, float end, float scale
";

/// Lines `@ availability` (see [`Availability::parse`]) followed by lines `storage type name`. `[]`
/// is an unsized array, `[LIMIT]` one of the size of that limit of the context.
const VARIABLES: &str = "
@ 110 100 vs
out vec4 gl_Position
out float gl_PointSize
@ 130 0 vs EXT_clip_cull_distance ARB_cull_distance
out float[] gl_ClipDistance
@ 450 0 vs ARB_cull_distance EXT_clip_cull_distance
out float[] gl_CullDistance
@ 110 0 vs gs tes compat
out vec4 gl_ClipVertex
out vec4 gl_FrontColor
out vec4 gl_BackColor
out vec4 gl_FrontSecondaryColor
out vec4 gl_BackSecondaryColor
out vec4[] gl_TexCoord
out float gl_FogFragCoord
@ 110 0 vs compat
in vec4 gl_Vertex
in vec3 gl_Normal
in vec4 gl_Color
in vec4 gl_SecondaryColor
in float gl_FogCoord
in vec4 gl_MultiTexCoord0
in vec4 gl_MultiTexCoord1
in vec4 gl_MultiTexCoord2
in vec4 gl_MultiTexCoord3
in vec4 gl_MultiTexCoord4
in vec4 gl_MultiTexCoord5
in vec4 gl_MultiTexCoord6
in vec4 gl_MultiTexCoord7
@ 130 300 vs EXT_gpu_shader4
in int gl_VertexID
@ 140 300 vs EXT_gpu_shader4 ARB_draw_instanced
in int gl_InstanceID
@ 0 0 vs EXT_draw_instanced
in int gl_InstanceIDEXT=gl_InstanceID
@ 0 0 vs ARB_draw_instanced
in int gl_InstanceIDARB=gl_InstanceID
@ 460 0 vs
in int gl_BaseVertex
in int gl_BaseInstance
in int gl_DrawID
@ 0 0 vs ARB_shader_draw_parameters
in int gl_BaseVertexARB=gl_BaseVertex
in int gl_BaseInstanceARB=gl_BaseInstance
in int gl_DrawIDARB=gl_DrawID
@ 0 0 vs tes AMD_vertex_shader_layer ARB_shader_viewport_layer_array NV_viewport_array2
out int gl_Layer
@ 0 0 vs tes AMD_vertex_shader_viewport_index ARB_shader_viewport_layer_array NV_viewport_array2
out int gl_ViewportIndex
@ 0 0 vs tes gs NV_viewport_array2
out int[1] gl_ViewportMask

@ 150 320 tcs tes gs ARB_tessellation_shader EXT_tessellation_shader OES_tessellation_shader EXT_geometry_shader OES_geometry_shader
in gl_PerVertex[] gl_in
@ 150 320 gs EXT_geometry_shader OES_geometry_shader ARB_geometry_shader4
in int gl_PrimitiveIDIn
out vec4 gl_Position
out int gl_PrimitiveID
@ 150 320 gs EXT_geometry_shader OES_geometry_shader
out int gl_Layer
@ 150 0 gs EXT_geometry_point_size OES_geometry_point_size ARB_geometry_shader4
out float gl_PointSize
@ 150 0 gs EXT_clip_cull_distance
out float[] gl_ClipDistance
@ 450 0 gs ARB_cull_distance EXT_clip_cull_distance
out float[] gl_CullDistance
@ 400 320 gs ARB_gpu_shader5 EXT_geometry_shader OES_geometry_shader
in int gl_InvocationID
@ 410 0 gs ARB_viewport_array OES_viewport_array
out int gl_ViewportIndex
@ 0 0 gs ARB_geometry_shader4
out vec4 gl_FrontColor
out vec4 gl_BackColor
out vec4 gl_FrontSecondaryColor
out vec4 gl_BackSecondaryColor
out vec4[] gl_TexCoord
out float gl_FogFragCoord
out vec4 gl_ClipVertex
out int gl_Layer
in vec4[] gl_PositionIn
in float[] gl_PointSizeIn
in vec4[] gl_ClipVertexIn
in vec4[] gl_FrontColorIn
in vec4[] gl_BackColorIn
in vec4[] gl_FrontSecondaryColorIn
in vec4[] gl_BackSecondaryColorIn
in vec4[][] gl_TexCoordIn
in float[] gl_FogFragCoordIn

@ 400 320 tcs ARB_tessellation_shader EXT_tessellation_shader OES_tessellation_shader
out gl_PerVertex[] gl_out
in int gl_PatchVerticesIn
in int gl_PrimitiveID
in int gl_InvocationID
patchout float[4] gl_TessLevelOuter
patchout float[2] gl_TessLevelInner
@ 0 320 tcs EXT_primitive_bounding_box OES_primitive_bounding_box ARB_ES3_2_compatibility
patchout vec4[2] gl_BoundingBox
@ 0 0 tcs EXT_primitive_bounding_box
patchout vec4[2] gl_BoundingBoxEXT=gl_BoundingBox
@ 0 0 tcs OES_primitive_bounding_box
patchout vec4[2] gl_BoundingBoxOES=gl_BoundingBox
@ 400 320 tes ARB_tessellation_shader EXT_tessellation_shader OES_tessellation_shader
in int gl_PatchVerticesIn
in int gl_PrimitiveID
in vec3 gl_TessCoord
patchin float[4] gl_TessLevelOuter
patchin float[2] gl_TessLevelInner
out vec4 gl_Position
@ 400 0 tes ARB_tessellation_shader EXT_tessellation_point_size OES_tessellation_point_size
out float gl_PointSize
@ 400 0 tes ARB_tessellation_shader EXT_clip_cull_distance
out float[] gl_ClipDistance
@ 450 0 tes ARB_cull_distance EXT_clip_cull_distance
out float[] gl_CullDistance

@ 110 100 fs
in vec4 gl_FragCoord
in bool gl_FrontFacing
@ 120 100 fs
in vec2 gl_PointCoord
@ 110 300 fs
out float gl_FragDepth
@ 0 0 fs EXT_frag_depth
out float gl_FragDepthEXT=gl_FragDepth
@ 110 100 fs <420 <es:300
out vec4 gl_FragColor
out vec4[GL_MAX_DRAW_BUFFERS] gl_FragData
@ 0 0 fs <es:300 EXT_blend_func_extended
out vec4 gl_SecondaryFragColorEXT
out vec4[GL_MAX_DUAL_SOURCE_DRAW_BUFFERS] gl_SecondaryFragDataEXT
@ 0 0 fs <130 <es:300 EXT_shader_framebuffer_fetch EXT_shader_framebuffer_fetch_non_coherent
in vec4[GL_MAX_DRAW_BUFFERS] gl_LastFragData
@ 110 0 fs compat
in vec4 gl_Color
in vec4 gl_SecondaryColor
in vec4[] gl_TexCoord
in float gl_FogFragCoord
@ 130 0 fs EXT_clip_cull_distance
in float[] gl_ClipDistance
@ 450 0 fs ARB_cull_distance EXT_clip_cull_distance
in float[] gl_CullDistance
@ 150 320 fs EXT_geometry_shader OES_geometry_shader EXT_gpu_shader4 ARB_geometry_shader4 EXT_tessellation_shader OES_tessellation_shader
flatin int gl_PrimitiveID
@ 400 320 fs ARB_sample_shading OES_sample_variables
flatin int gl_SampleID
in vec2 gl_SamplePosition
@ 400 320 fs ARB_sample_shading OES_sample_variables ARB_gpu_shader5
out int[1] gl_SampleMask
@ 400 320 fs ARB_gpu_shader5 OES_sample_variables
flatin int[1] gl_SampleMaskIn
@ 430 320 fs ARB_fragment_layer_viewport EXT_geometry_shader OES_geometry_shader
flatin int gl_Layer
@ 430 0 fs ARB_fragment_layer_viewport OES_viewport_array
flatin int gl_ViewportIndex
@ 450 310 fs ARB_ES3_1_compatibility
in bool gl_HelperInvocation
@ 0 0 fs ARB_shader_stencil_export
out int gl_FragStencilRefARB
@ 0 0 fs AMD_shader_stencil_export
out int gl_FragStencilRefAMD=gl_FragStencilRefARB
@ 400 320 fs ARB_sample_shading OES_sample_variables
uniform int gl_NumSamples

@ 430 310 cs ARB_compute_shader
in uvec3 gl_NumWorkGroups
in uvec3 gl_WorkGroupSize
in uvec3 gl_WorkGroupID
in uvec3 gl_LocalInvocationID
in uvec3 gl_GlobalInvocationID
in uint gl_LocalInvocationIndex
@ 0 0 cs ARB_compute_variable_group_size
in uvec3 gl_LocalGroupSizeARB

@ 0 0 ARB_shader_ballot
in uint gl_SubGroupSizeARB
in uint gl_SubGroupInvocationARB
in uint64_t gl_SubGroupEqMaskARB
in uint64_t gl_SubGroupGeMaskARB
in uint64_t gl_SubGroupGtMaskARB
in uint64_t gl_SubGroupLeMaskARB
in uint64_t gl_SubGroupLtMaskARB

@ 110 100
uniform gl_DepthRangeParameters gl_DepthRange
@ 110 0 compat
uniform mat4 gl_ModelViewMatrix
uniform mat4 gl_ProjectionMatrix
uniform mat4 gl_ModelViewProjectionMatrix
uniform mat4[GL_MAX_TEXTURE_COORDS] gl_TextureMatrix
uniform mat3 gl_NormalMatrix
uniform mat4 gl_ModelViewMatrixInverse
uniform mat4 gl_ProjectionMatrixInverse
uniform mat4 gl_ModelViewProjectionMatrixInverse
uniform mat4[GL_MAX_TEXTURE_COORDS] gl_TextureMatrixInverse
uniform mat4 gl_ModelViewMatrixTranspose
uniform mat4 gl_ProjectionMatrixTranspose
uniform mat4 gl_ModelViewProjectionMatrixTranspose
uniform mat4[GL_MAX_TEXTURE_COORDS] gl_TextureMatrixTranspose
uniform mat4 gl_ModelViewMatrixInverseTranspose
uniform mat4 gl_ProjectionMatrixInverseTranspose
uniform mat4 gl_ModelViewProjectionMatrixInverseTranspose
uniform mat4[GL_MAX_TEXTURE_COORDS] gl_TextureMatrixInverseTranspose
uniform float gl_NormalScale
uniform vec4[GL_MAX_CLIP_PLANES] gl_ClipPlane
uniform gl_PointParameters gl_Point
uniform gl_MaterialParameters gl_FrontMaterial
uniform gl_MaterialParameters gl_BackMaterial
uniform gl_LightSourceParameters[GL_MAX_LIGHTS] gl_LightSource
uniform gl_LightModelParameters gl_LightModel
uniform gl_LightModelProducts gl_FrontLightModelProduct
uniform gl_LightModelProducts gl_BackLightModelProduct
uniform gl_LightProducts[GL_MAX_LIGHTS] gl_FrontLightProduct
uniform gl_LightProducts[GL_MAX_LIGHTS] gl_BackLightProduct
uniform vec4[GL_MAX_TEXTURE_UNITS] gl_TextureEnvColor
uniform vec4[GL_MAX_TEXTURE_COORDS] gl_EyePlaneS
uniform vec4[GL_MAX_TEXTURE_COORDS] gl_EyePlaneT
uniform vec4[GL_MAX_TEXTURE_COORDS] gl_EyePlaneR
uniform vec4[GL_MAX_TEXTURE_COORDS] gl_EyePlaneQ
uniform vec4[GL_MAX_TEXTURE_COORDS] gl_ObjectPlaneS
uniform vec4[GL_MAX_TEXTURE_COORDS] gl_ObjectPlaneT
uniform vec4[GL_MAX_TEXTURE_COORDS] gl_ObjectPlaneR
uniform vec4[GL_MAX_TEXTURE_COORDS] gl_ObjectPlaneQ
uniform gl_FogParameters gl_Fog
";

/// One line of the table.
#[derive(Debug)]
struct Row {
    availability: usize,
    storage: Storage,
    patch: bool,
    flat: bool,
    /// Type name without dimensions.
    base: &'static str,
    /// Dimensions, outermost first: empty (unsized), a number or the name of a limit.
    dims: Vec<&'static str>,
    builtin: BuiltinVariable,
}

struct Table {
    availabilities: Vec<Availability>,
    rows: FxHashMap<&'static str, Vec<Row>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { availabilities: Vec::new(), rows: FxHashMap::default() };
    for line in VARIABLES.lines().filter(|l| !l.is_empty()) {
        if let Some(text) = line.strip_prefix("@ ") {
            table.availabilities.push(Availability::parse(text));
            continue;
        }
        if let Some((name, row)) = parse_row(line, table.availabilities.len().saturating_sub(1)) {
            table.rows.entry(name).or_default().push(row);
        }
    }
    table
});

fn parse_row(line: &'static str, availability: usize) -> Option<(&'static str, Row)> {
    let mut words = line.split(' ');
    let (storage, ty, name) = (words.next()?, words.next()?, words.next()?);
    let (base, dims) = ty.split_at(ty.find('[').unwrap_or(ty.len()));
    let dims = dims.split('[').skip(1).map(|d| d.trim_end_matches(']')).collect();
    let (name, canonical) = name.split_once('=').unwrap_or((name, name));
    let (patch, flat) = (storage.starts_with("patch"), storage.starts_with("flat"));
    let storage = match storage {
        "uniform" => Storage::Uniform,
        "out" | "patchout" => Storage::Output,
        _ => Storage::Input,
    };
    let builtin = BuiltinVariable::from_name(canonical)?;
    Some((name, Row { availability, storage, patch, flat, base, dims, builtin }))
}

/// Members of `gl_PerVertex` in layout order, with their availability.
const PER_VERTEX: &[(BuiltinVariable, &str)] = &[
    (BuiltinVariable::Position, "110 100"),
    (
        BuiltinVariable::PointSize,
        "110 0 EXT_geometry_point_size OES_geometry_point_size EXT_tessellation_point_size OES_tessellation_point_size",
    ),
    (BuiltinVariable::ClipDistance, "110 0 EXT_clip_cull_distance"),
    (BuiltinVariable::CullDistance, "450 0 ARB_cull_distance EXT_clip_cull_distance"),
    (BuiltinVariable::ClipVertex, "110 0 compat"),
    (BuiltinVariable::FrontColor, "110 0 compat"),
    (BuiltinVariable::BackColor, "110 0 compat"),
    (BuiltinVariable::FrontSecondaryColor, "110 0 compat"),
    (BuiltinVariable::BackSecondaryColor, "110 0 compat"),
    (BuiltinVariable::TexCoord, "110 0 compat"),
    (BuiltinVariable::FogFragCoord, "110 0 compat"),
];

impl Checker<'_> {
    /// The value of a `gl_*` name: a constant or a variable. `None` if the name does not exist.
    pub(crate) fn builtin_name(&mut self, name: Symbol, span: Span) -> Check<Option<ExprId>> {
        let text = self.text(name);
        if !text.starts_with("gl_") {
            return Ok(None);
        }
        if let Some(value) = self.builtin_constant(text, span) {
            return Ok(Some(value));
        }
        if text == "gl_VerticesIn" && self.language.extension("ARB_geometry_shader4") {
            return self.vertices_in(span).map(Some);
        }
        let Some(id) = self.builtin_variable(text, span)? else { return Ok(None) };
        if self.shader.globals[id].builtin == Some(BuiltinVariable::LastFragData)
            && !self.redeclared.contains(&id)
        {
            self.check_coherence(&Qualifiers::default(), span)?;
        }
        let global = &self.shader.globals[id];
        if let (Some(builtin), storage) = (global.builtin, global.storage) {
            if let Some(value) = self.work_group_size(builtin, span)? {
                return Ok(Some(value));
            }
            let dropped = builtin.is_per_vertex()
                && storage == Storage::Output
                && self
                    .shader
                    .redeclarations
                    .per_vertex_out
                    .as_ref()
                    .is_some_and(|kept| !kept.contains(&builtin));
            if dropped {
                return self.error(span, format!("`{text}` is not in the redeclared gl_PerVertex"));
            }
        }
        let ty = self.shader.globals[id].ty;
        Ok(Some(self.push(ExprKind::Global(id), ty, span)))
    }

    /// `gl_VerticesIn`: the number of elements of per-vertex inputs, which linking decides.
    fn vertices_in(&mut self, span: Span) -> Check<ExprId> {
        let Some(id) = self.builtin_variable("gl_PositionIn", span)? else {
            return self.error(span, "`gl_VerticesIn` is not available in this stage");
        };
        let input = self.push(ExprKind::Global(id), self.shader.globals[id].ty, span);
        let int = self.types.scalar(Scalar::Int);
        Ok(self.push(ExprKind::RuntimeLength(input), int, span))
    }

    /// `gl_WorkGroupSize` is a constant when the local size is declared.
    fn work_group_size(&mut self, builtin: BuiltinVariable, span: Span) -> Check<Option<ExprId>> {
        if builtin != BuiltinVariable::WorkGroupSize {
            return Ok(None);
        }
        let Some(size) = self.shader.layout.local_size else {
            return self.error(span, "gl_WorkGroupSize is used before the local size is declared");
        };
        let parts = size
            .iter()
            .map(|&n| self.literal(program::Literal::Uint(u64::from(n)), Scalar::Uint, span))
            .collect();
        let ty = self.types.vector(Scalar::Uint, 3);
        Ok(Some(self.push(ExprKind::Compose(parts), ty, span)))
    }

    /// The global of a built-in variable that this stage and version has.
    pub(crate) fn builtin_variable(&mut self, text: &str, span: Span) -> Check<Option<GlobalId>> {
        let table = &*TABLE;
        let rows = table.rows.get(text).map_or(&[][..], |r| r);
        let row = rows.iter().find(|r| self.language.allows(&table.availabilities[r.availability]));
        let Some(row) = row else {
            if rows.is_empty() {
                return Ok(None);
            }
            return self.error(span, format!("`{text}` is not available in this stage or version"));
        };
        let known =
            self.builtins.known.iter().find(|(b, s, _)| (*b, *s) == (row.builtin, row.storage));
        if let Some(&(_, _, id)) = known {
            return Ok(Some(id));
        }
        let ty = self.row_type(row);
        let mut interpolation = program::Interpolation { patch: row.patch, ..Default::default() };
        if row.flat {
            interpolation.mode = program::variable::InterpolationMode::Flat;
        }
        let id = self.shader.globals.push(Global {
            builtin: Some(row.builtin),
            interpolation,
            invariant: self.builtins.invariant.contains(&row.builtin),
            span: self.span(span),
            ..Global::new(row.builtin.name(), ty, row.storage)
        });
        self.builtins.known.push((row.builtin, row.storage, id));
        self.size_per_vertex(id, span)?;
        Ok(Some(id))
    }

    fn row_type(&mut self, row: &Row) -> TypeId {
        let mut ty = match row.base {
            "gl_PerVertex" => self.per_vertex_type(),
            base => self.base_type(base),
        };
        for dim in row.dims.iter().rev() {
            let length = match dim.parse() {
                Ok(n) => ArrayLength::Fixed(n),
                Err(_) if dim.is_empty() => ArrayLength::Unsized,
                Err(_) => ArrayLength::Fixed(self.limit(dim).max(1)),
            };
            ty = self.types.array(ty, length);
        }
        ty
    }

    fn base_type(&mut self, name: &str) -> TypeId {
        if let Some((ty, _)) = type_names::find(name) {
            return self.types.intern(ty);
        }
        let line = STRUCTURES.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(": "));
        let members = line
            .unwrap_or_default()
            .split(", ")
            .filter_map(|m| m.split_once(' '))
            .map(|(ty, member)| Member::new(member, self.base_type(ty)))
            .collect();
        self.types.intern(Type::Struct(StructType { name: name.into(), members, scope: 0 }))
    }

    /// A structure of the built-in uniforms by name.
    pub(crate) fn builtin_structure(&mut self, name: &str) -> Option<TypeId> {
        let known = STRUCTURES
            .lines()
            .any(|l| l.strip_prefix(name).is_some_and(|rest| rest.starts_with(": ")));
        let available = self.language.compatibility || name == "gl_DepthRangeParameters";
        (known && available).then(|| self.base_type(name))
    }

    /// Type of a member of `gl_PerVertex`.
    pub(crate) fn per_vertex_member_type(&mut self, builtin: BuiltinVariable) -> TypeId {
        let float = self.types.scalar(Scalar::Float);
        let vec4 = self.types.vector(Scalar::Float, 4);
        match builtin {
            BuiltinVariable::PointSize | BuiltinVariable::FogFragCoord => float,
            BuiltinVariable::ClipDistance | BuiltinVariable::CullDistance => {
                self.types.array(float, ArrayLength::Unsized)
            }
            BuiltinVariable::TexCoord => self.types.array(vec4, ArrayLength::Unsized),
            _ => vec4,
        }
    }

    /// The type of `gl_PerVertex` in this version and profile.
    fn per_vertex_type(&mut self) -> TypeId {
        let mut members = Vec::new();
        for &(builtin, availability) in PER_VERTEX {
            if !self.language.allows(&Availability::parse(availability)) {
                continue;
            }
            let ty = self.per_vertex_member_type(builtin);
            let mut member = Member::new(builtin.name(), ty);
            member.builtin = Some(builtin);
            members.push(member);
        }
        self.types.intern(Type::Struct(StructType {
            name: "gl_PerVertex".into(),
            members,
            scope: 0,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood() {
        let lines = VARIABLES.lines().filter(|l| !l.is_empty() && !l.starts_with('@')).count();
        let rows: usize = TABLE.rows.values().map(Vec::len).sum();
        assert_eq!(rows, lines);
    }
}
