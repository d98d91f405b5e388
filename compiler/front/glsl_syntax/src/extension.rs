//! Extensions that enable others.

/// Extensions that `GL_ANDROID_extension_pack_es31a` enables, from its specification.
const ANDROID_PACK: &[&str] = &[
    "GL_KHR_blend_equation_advanced",
    "GL_OES_sample_variables",
    "GL_OES_shader_image_atomic",
    "GL_OES_shader_multisample_interpolation",
    "GL_OES_texture_storage_multisample_2d_array",
    "GL_EXT_geometry_shader",
    "GL_EXT_gpu_shader5",
    "GL_EXT_primitive_bounding_box",
    "GL_EXT_shader_io_blocks",
    "GL_EXT_tessellation_shader",
    "GL_EXT_texture_buffer",
    "GL_EXT_texture_cube_map_array",
];

/// The extensions, with their prefix, that an `#extension` directive with this name affects.
pub fn enabled_by(name: &str) -> impl Iterator<Item = &str> {
    let pack = name.trim_start_matches("GL_") == "ANDROID_extension_pack_es31a";
    let (implied, alone): (&[&str], _) =
        if pack { (ANDROID_PACK, None) } else { (&[], Some(name)) };
    implied.iter().copied().chain(alone)
}
