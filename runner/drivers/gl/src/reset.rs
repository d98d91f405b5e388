//! Reset of the state that a script can change. Its objects are deleted already, and the next
//! script sets the viewport of its window.

use crate::api::Api;
use crate::bindings::gl;
use crate::capabilities::{Capabilities, Profile};

/// Lights of fixed-function lighting that scripts can change.
const LIGHTS: u32 = 8;

/// Returns the context to its initial state.
pub(crate) fn reset(api: &Api, capabilities: &Capabilities) {
    bindings(api, capabilities);
    common(api, capabilities);
    if capabilities.is_es() {
        api.clear_depthf(1.0);
    } else {
        desktop(api, capabilities);
    }
    attributes(api, capabilities);
    if capabilities.profile == Profile::Compatibility {
        fixed_function(api, capabilities);
    }
}

fn bindings(api: &Api, capabilities: &Capabilities) {
    if capabilities.gl_version >= 20 {
        api.use_program(0);
    }
    if capabilities.has_version(41, 31, &["GL_ARB_separate_shader_objects"]) {
        api.bind_program_pipeline(0);
    }
    if capabilities.has_version(30, 30, &["GL_ARB_vertex_array_object"]) {
        api.bind_vertex_array(0);
    }
    api.bind_framebuffer(gl::FRAMEBUFFER, 0);
    api.bind_buffer(gl::ARRAY_BUFFER, 0);
    api.active_texture(gl::TEXTURE0);
}

/// Resets state that every context has.
fn common(api: &Api, capabilities: &Capabilities) {
    api.clear_color(0.0, 0.0, 0.0, 0.0);
    api.depth_func(gl::LESS);
    api.front_face(gl::CCW);
    for capability in [gl::CULL_FACE, gl::DEPTH_TEST, gl::SAMPLE_ALPHA_TO_COVERAGE] {
        api.disable(capability);
    }
    let planes = capabilities.limit("GL_MAX_CLIP_DISTANCES");
    for plane in 0..planes.max(capabilities.limit("GL_MAX_CLIP_PLANES")).min(8) {
        api.disable(gl::CLIP_DISTANCE0 + plane);
    }
    if capabilities.has_version(40, 32, &["GL_ARB_tessellation_shader"]) {
        api.patch_parameteri(gl::PATCH_VERTICES, 3);
    }
    if capabilities.has_version(20, 30, &[]) {
        api.hint(gl::FRAGMENT_SHADER_DERIVATIVE_HINT, gl::DONT_CARE);
    }
    if capabilities.has("GL_NV_viewport_swizzle") {
        for viewport in 0..capabilities.limit("GL_MAX_VIEWPORTS").min(16) {
            let positive = gl::VIEWPORT_SWIZZLE_POSITIVE_X_NV;
            api.viewport_swizzle(viewport, positive, positive + 2, positive + 4, positive + 6);
        }
    }
}

/// Resets state that OpenGL ES does not have.
fn desktop(api: &Api, capabilities: &Capabilities) {
    api.clear_depth(1.0);
    for capability in
        [gl::PROGRAM_POINT_SIZE, gl::DEPTH_CLAMP, gl::SAMPLE_ALPHA_TO_ONE, gl::RASTERIZER_DISCARD]
    {
        api.disable(capability);
    }
    api.polygon_mode(gl::FRONT_AND_BACK, gl::FILL);
    for hint in [gl::LINE_SMOOTH_HINT, gl::POLYGON_SMOOTH_HINT, gl::TEXTURE_COMPRESSION_HINT] {
        api.hint(hint, gl::DONT_CARE);
    }
    if capabilities.offers(32, &["GL_ARB_provoking_vertex", "GL_EXT_provoking_vertex"]) {
        api.provoking_vertex(gl::LAST_VERTEX_CONVENTION);
    }
    if capabilities.offers(40, &["GL_ARB_tessellation_shader"]) {
        api.patch_parameterfv(gl::PATCH_DEFAULT_OUTER_LEVEL, [1.0; 4]);
        api.patch_parameterfv(gl::PATCH_DEFAULT_INNER_LEVEL, [1.0; 4]);
    }
}

/// Resets generic attributes: those that arrays supplied have undefined values after draws.
fn attributes(api: &Api, capabilities: &Capabilities) {
    if capabilities.gl_version < 20 {
        return;
    }
    for index in 0..capabilities.limit("GL_MAX_VERTEX_ATTRIBS") {
        api.disable_vertex_attrib_array(index);
        api.vertex_attrib4f(index, 0.0, 0.0, 0.0, 1.0);
    }
}

/// Resets state of the compatibility profile alone.
fn fixed_function(api: &Api, capabilities: &Capabilities) {
    for mode in [gl::PROJECTION, gl::MODELVIEW] {
        api.matrix_mode(mode);
        api.load_identity();
    }
    api.shade_model(gl::SMOOTH);
    for plane in 0..capabilities.limit("GL_MAX_CLIP_PLANES").min(8) {
        api.clip_plane(gl::CLIP_PLANE0 + plane, [0.0; 4]);
    }
    for array in [gl::VERTEX_ARRAY, gl::TEXTURE_COORD_ARRAY] {
        api.disable_client_state(array);
    }
    current_values(api, capabilities);
    for unit in 0..capabilities.limit("GL_MAX_TEXTURE_UNITS").max(1) {
        api.active_texture(gl::TEXTURE0 + unit);
        api.disable(gl::TEXTURE_2D);
    }
    api.active_texture(gl::TEXTURE0);
    lights(api);
    programs(api, capabilities);
    if capabilities.gl_version >= 20 {
        api.disable(gl::VERTEX_PROGRAM_TWO_SIDE);
    }
}

fn current_values(api: &Api, capabilities: &Capabilities) {
    api.color4f(1.0, 1.0, 1.0, 1.0);
    api.secondary_color3f(0.0, 0.0, 0.0);
    api.normal3f(0.0, 0.0, 1.0);
    for unit in 0..capabilities.limit("GL_MAX_TEXTURE_COORDS").max(1) {
        api.multi_tex_coord4f(gl::TEXTURE0 + unit, 0.0, 0.0, 0.0, 1.0);
    }
}

fn lights(api: &Api) {
    for number in 0..LIGHTS {
        let light = gl::LIGHT0 + number;
        let color = if number == 0 { 1.0 } else { 0.0 };
        let vector = |parameter, [x, y, z, w]: [f32; 4]| {
            let mut values = [0.0; 16];
            values[..4].copy_from_slice(&[x, y, z, w]);
            api.lightfv(light, parameter, values);
        };
        vector(gl::AMBIENT, [0.0, 0.0, 0.0, 1.0]);
        vector(gl::DIFFUSE, [color, color, color, 1.0]);
        vector(gl::SPECULAR, [color, color, color, 1.0]);
        vector(gl::POSITION, [0.0, 0.0, 1.0, 0.0]);
        vector(gl::SPOT_DIRECTION, [0.0, 0.0, -1.0, 0.0]);
        api.lightf(light, gl::SPOT_EXPONENT, 0.0);
        api.lightf(light, gl::SPOT_CUTOFF, 180.0);
        api.lightf(light, gl::CONSTANT_ATTENUATION, 1.0);
        api.lightf(light, gl::LINEAR_ATTENUATION, 0.0);
        api.lightf(light, gl::QUADRATIC_ATTENUATION, 0.0);
    }
}

/// Makes the default ARB programs current. The script itself resets parameters that it sets.
fn programs(api: &Api, capabilities: &Capabilities) {
    for (target, extension) in [
        (gl::VERTEX_PROGRAM_ARB, "GL_ARB_vertex_program"),
        (gl::FRAGMENT_PROGRAM_ARB, "GL_ARB_fragment_program"),
    ] {
        if capabilities.has(extension) {
            api.disable(target);
            api.bind_program_arb(target, 0);
        }
    }
}
