//! Generates the OpenGL bindings and the table of enum values from the Khronos registry.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use gl_generator::{Api, Fallbacks, Profile, Registry, StructGenerator};

/// Extensions whose commands or enums scripts may use beyond OpenGL 4.6 with its compatibility
/// profile.
const EXTENSIONS: &[&str] = &[
    "GL_ARB_bindless_texture",
    "GL_ARB_compute_variable_group_size",
    "GL_ARB_fragment_program",
    "GL_ARB_geometry_shader4",
    "GL_ARB_gpu_shader_int64",
    "GL_ARB_shading_language_include",
    "GL_ARB_vertex_program",
    "GL_EXT_shader_framebuffer_fetch",
    "GL_EXT_shader_framebuffer_fetch_non_coherent",
    "GL_EXT_texture_compression_s3tc",
    "GL_KHR_blend_equation_advanced",
    "GL_NV_fill_rectangle",
    "GL_NV_viewport_swizzle",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let folder = env::var("OUT_DIR")?;
    let folder = Path::new(&folder);
    let registry =
        Registry::new(Api::Gl, (4, 6), Profile::Compatibility, Fallbacks::All, EXTENSIONS);
    let mut bindings = BufWriter::new(File::create(folder.join("bindings.rs"))?);
    registry.write_bindings(StructGenerator, &mut bindings)?;
    bindings.flush()?;

    let numbers: BTreeMap<&str, &str> = registry
        .enums
        .iter()
        .filter(|e| e.ty == "GLenum" || e.ty == "GLuint")
        .map(|e| (&*e.ident, &*e.value))
        .collect();
    let mut table = BufWriter::new(File::create(folder.join("enums.rs"))?);
    writeln!(table, "[")?;
    for (name, value) in numbers {
        writeln!(table, "    (\"{name}\", {value}),")?;
    }
    writeln!(table, "]")?;
    table.flush()?;
    Ok(())
}
