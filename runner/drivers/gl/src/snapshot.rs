//! State of a context, for the comparison with that before the first script.

use crate::api::Api;
use crate::bindings::gl;
use crate::capabilities::{Capabilities, Profile, clear_errors};
use crate::enums::number;

/// State of every context, by its enum name.
const STATE: &[&str] = &[
    "ACTIVE_TEXTURE",
    "ARRAY_BUFFER_BINDING",
    "BLEND",
    "COLOR_CLEAR_VALUE",
    "COLOR_WRITEMASK",
    "CULL_FACE",
    "CURRENT_PROGRAM",
    "DEPTH_CLEAR_VALUE",
    "DEPTH_FUNC",
    "DEPTH_RANGE",
    "DEPTH_TEST",
    "DEPTH_WRITEMASK",
    "DRAW_FRAMEBUFFER_BINDING",
    "ELEMENT_ARRAY_BUFFER_BINDING",
    "FRAGMENT_SHADER_DERIVATIVE_HINT",
    "FRONT_FACE",
    "LINE_WIDTH",
    "PACK_ALIGNMENT",
    "READ_FRAMEBUFFER_BINDING",
    "RENDERBUFFER_BINDING",
    "SAMPLE_ALPHA_TO_COVERAGE",
    "SCISSOR_TEST",
    "STENCIL_CLEAR_VALUE",
    "STENCIL_TEST",
    "TEXTURE_BINDING_2D",
    "UNPACK_ALIGNMENT",
];

/// State of newer versions, of desktop versions, and of extensions; a context without it reports an
/// error, which is compared, too.
const OPTIONAL: &[&str] = &[
    "ATOMIC_COUNTER_BUFFER_BINDING",
    "CLIP_DISTANCE0",
    "CLIP_DISTANCE1",
    "CLIP_DISTANCE2",
    "CLIP_DISTANCE3",
    "CLIP_DISTANCE4",
    "CLIP_DISTANCE5",
    "CLIP_DISTANCE6",
    "CLIP_DISTANCE7",
    "DEPTH_CLAMP",
    "LINE_SMOOTH_HINT",
    "PATCH_DEFAULT_INNER_LEVEL",
    "PATCH_DEFAULT_OUTER_LEVEL",
    "PATCH_VERTICES",
    "POLYGON_MODE",
    "POLYGON_SMOOTH_HINT",
    "PROGRAM_PIPELINE_BINDING",
    "PROGRAM_POINT_SIZE",
    "PROVOKING_VERTEX",
    "RASTERIZER_DISCARD",
    "SAMPLE_ALPHA_TO_ONE",
    "SHADER_STORAGE_BUFFER_BINDING",
    "TEXTURE_BINDING_1D",
    "TEXTURE_BINDING_1D_ARRAY",
    "TEXTURE_BINDING_2D_ARRAY",
    "TEXTURE_BINDING_3D",
    "TEXTURE_BINDING_CUBE_MAP",
    "TEXTURE_BINDING_RECTANGLE",
    "TEXTURE_COMPRESSION_HINT",
    "TRANSFORM_FEEDBACK_BUFFER_BINDING",
    "UNIFORM_BUFFER_BINDING",
    "VERTEX_ARRAY_BINDING",
];

/// State of the compatibility profile.
const FIXED: &[&str] = &[
    "CURRENT_COLOR",
    "CURRENT_NORMAL",
    "CURRENT_SECONDARY_COLOR",
    "FRAGMENT_PROGRAM_ARB",
    "LIGHTING",
    "LIST_INDEX",
    "MATRIX_MODE",
    "MODELVIEW_MATRIX",
    "NORMAL_ARRAY",
    "PROJECTION_MATRIX",
    "SHADE_MODEL",
    "TEXTURE_COORD_ARRAY",
    "VERTEX_ARRAY",
    "VERTEX_PROGRAM_ARB",
    "VERTEX_PROGRAM_TWO_SIDE",
];

/// Indexed binding points, with the number that is compared.
const INDEXED: &[(&str, u32)] = &[
    ("ATOMIC_COUNTER_BUFFER_BINDING", 8),
    ("IMAGE_BINDING_NAME", 8),
    ("SHADER_STORAGE_BUFFER_BINDING", 8),
    ("TRANSFORM_FEEDBACK_BUFFER_BINDING", 4),
    ("UNIFORM_BUFFER_BINDING", 14),
];

/// Texture units that are compared.
const UNITS: u32 = 8;

/// Values of state by name.
pub(crate) struct Snapshot(Vec<(String, Vec<f64>)>);

impl Snapshot {
    /// Queries the current context.
    pub(crate) fn take(api: &Api, capabilities: &Capabilities) -> Snapshot {
        let mut snapshot = Snapshot(Vec::new());
        let fixed = capabilities.profile == Profile::Compatibility;
        let names = STATE.iter().chain(OPTIONAL).chain(FIXED.iter().filter(|_| fixed));
        names.for_each(|name| snapshot.state(api, name));
        for &(name, count) in INDEXED {
            (0..count).for_each(|index| snapshot.indexed(api, name, index));
        }
        for index in 0..capabilities.limit("GL_MAX_VERTEX_ATTRIBS") {
            snapshot.attribute(api, index, fixed);
        }
        for unit in 0..UNITS {
            api.active_texture(gl::TEXTURE0 + unit);
            let units: &[&str] = if fixed {
                &["TEXTURE_BINDING_2D", "TEXTURE_2D", "CURRENT_TEXTURE_COORDS"]
            } else {
                &["TEXTURE_BINDING_2D"]
            };
            units.iter().for_each(|name| snapshot.state(api, name));
        }
        api.active_texture(gl::TEXTURE0);
        if fixed {
            snapshot.lights(api);
            for plane in 0..capabilities.limit("GL_MAX_CLIP_PLANES").min(8) {
                let equation = api.get_clip_plane(gl::CLIP_PLANE0 + plane);
                snapshot.put(format!("clip plane {plane}"), equation.to_vec());
            }
        }
        clear_errors(api);
        snapshot
    }

    /// Describes the first difference from a later snapshot.
    pub(crate) fn difference(&self, later: &Snapshot) -> Option<String> {
        let mut pairs = self.0.iter().zip(&later.0);
        let ((name, before), (_, after)) =
            pairs.find(|((_, before), (_, after))| before != after)?;
        Some(format!("{name} was {before:?} and is {after:?}"))
    }

    fn put(&mut self, name: String, values: Vec<f64>) {
        self.0.push((name, values));
    }

    fn state(&mut self, api: &Api, name: &str) {
        let Some(number) = number(name) else { return };
        let values = api.get_floats(number).map(f64::from);
        let values = if clear_errors(api) { Vec::new() } else { values.to_vec() };
        self.put(name.to_owned(), values);
    }

    fn indexed(&mut self, api: &Api, name: &str, index: u32) {
        let Some(number) = number(name) else { return };
        let value = f64::from(api.get_indexed_integer(number, index));
        let values = if clear_errors(api) { Vec::new() } else { vec![value] };
        self.put(format!("{name} {index}"), values);
    }

    fn attribute(&mut self, api: &Api, index: u32, fixed: bool) {
        let enabled = api.get_attribute_integer(index, gl::VERTEX_ATTRIB_ARRAY_ENABLED);
        self.put(format!("array of attribute {index}"), vec![f64::from(enabled)]);
        // Attribute 0 of the compatibility profile is the vertex itself.
        if index > 0 || !fixed {
            let value = api.get_attribute(index).map(f64::from);
            self.put(format!("attribute {index}"), value.to_vec());
        }
    }

    fn lights(&mut self, api: &Api) {
        for light in 0..8 {
            for parameter in [gl::AMBIENT, gl::DIFFUSE, gl::SPECULAR, gl::POSITION, gl::SPOT_CUTOFF]
            {
                let values = api.get_light(gl::LIGHT0 + light, parameter).map(f64::from);
                self.put(format!("light {light} {parameter:#06x}"), values.to_vec());
            }
        }
    }
}
