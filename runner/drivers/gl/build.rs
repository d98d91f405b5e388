//! Generates the OpenGL bindings and the table of enum values from the Khronos registry.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
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
    println!("cargo:rerun-if-changed=src");
    let folder = env::var("OUT_DIR")?;
    let folder = Path::new(&folder);
    let mut registry =
        Registry::new(Api::Gl, (4, 6), Profile::Compatibility, Fallbacks::All, EXTENSIONS);
    // Bindings of all commands would take most of the crate's build.
    let words = words(Path::new("src"))?;
    registry.cmds.retain(|command| words.contains(&command.proto.ident));
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

/// Returns the words of the sources below a folder, the names of the commands in use among them.
fn words(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(words(&entry.path())?);
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        found.extend(text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
    }
    Ok(found)
}
