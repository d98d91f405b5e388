//! Compiles and links the shaders of an installed piglit corpus (Debian's package `piglit`).
//! Without it the test prints a message and passes. `PIGLIT_SAMPLE=1` takes every file,
//! `PIGLIT_FILTER` those whose path contains a text.

use crate::support::piglit::{PIGLIT, piglit_files};
use program::link::GeometryParameters;
use program::shader::LayoutPrimitive;
use program::{Api, Capabilities, CapabilityTable, LinkOptions, Shader, Stage, TypeTable};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

struct Test {
    sections: Vec<(Stage, String)>,
    version: u16,
    es: bool,
    compatibility: bool,
    expects_link_error: bool,
    spirv: bool,
    separable: bool,
    pipeline: bool,
    geometry: GeometryParameters,
}

fn read(text: &str) -> Test {
    let mut test = Test {
        sections: Vec::new(),
        version: 110,
        es: false,
        compatibility: true,
        expects_link_error: false,
        spirv: false,
        separable: false,
        pipeline: false,
        geometry: GeometryParameters::default(),
    };
    let mut section = "";
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.trim_end().strip_suffix(']')) {
            section = name;
            let stage = match name {
                "vertex shader" => Some(Stage::Vertex),
                "tessellation control shader" => Some(Stage::TessControl),
                "tessellation evaluation shader" => Some(Stage::TessEval),
                "geometry shader" => Some(Stage::Geometry),
                "fragment shader" => Some(Stage::Fragment),
                "compute shader" => Some(Stage::Compute),
                _ => None,
            };
            if name == "vertex shader passthrough" {
                let text = if test.es {
                    "#version 300 es\nin vec4 piglit_vertex; void main() { gl_Position = piglit_vertex; }\n"
                } else {
                    "#version 110\nattribute vec4 piglit_vertex; void main() { gl_Position = piglit_vertex; }\n"
                };
                test.sections.push((Stage::Vertex, text.to_owned()));
            }
            test.spirv |= name.contains("spirv");
            if let Some(stage) = stage {
                test.sections.push((stage, String::new()));
            }
            continue;
        }
        match section {
            "geometry layout" => read_geometry(line, &mut test.geometry),
            "require" => read_requirement(line, &mut test),
            "test" => test.expects_link_error |= line.trim_start().starts_with("link error"),
            name if name.ends_with(" shader") => {
                if let Some((_, text)) = test.sections.last_mut() {
                    text.push_str(line);
                }
            }
            _ => {}
        }
    }
    test
}

/// `4.0` as 400.
fn version(text: &str) -> u16 {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    let minor = format!("{minor:0<2}");
    major.parse().unwrap_or(1) * 100 + minor.parse().unwrap_or(10)
}

fn primitive(name: &str) -> Option<LayoutPrimitive> {
    Some(match name {
        "GL_POINTS" => LayoutPrimitive::Points,
        "GL_LINES" => LayoutPrimitive::Lines,
        "GL_LINES_ADJACENCY" => LayoutPrimitive::LinesAdjacency,
        "GL_TRIANGLES" => LayoutPrimitive::Triangles,
        "GL_TRIANGLES_ADJACENCY" => LayoutPrimitive::TrianglesAdjacency,
        "GL_LINE_STRIP" => LayoutPrimitive::LineStrip,
        "GL_TRIANGLE_STRIP" => LayoutPrimitive::TriangleStrip,
        _ => return None,
    })
}

fn read_geometry(line: &str, geometry: &mut GeometryParameters) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match *words {
        ["input", "type", name] => geometry.input = primitive(name),
        ["output", "type", name] => geometry.output = primitive(name),
        ["vertices", "out", n] => geometry.max_vertices = n.parse().ok(),
        _ => {}
    }
}

fn read_requirement(line: &str, test: &mut Test) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match *words {
        ["GLSL", "ES", _, number, ..] => (test.es, test.version) = (true, version(number)),
        ["GLSL", _, number, ..] => test.version = version(number),
        ["SSO", "ENABLED"] => (test.separable, test.pipeline) = (true, true),
        ["SPIRV", ..] => test.spirv |= line.contains("ONLY"),
        ["SEPARABLE", "PROGRAM", "ENABLED"] => test.separable = true,
        ["GL", "CORE", ..] => test.compatibility = false,
        _ => {}
    }
}

fn capabilities(test: &Test) -> Capabilities {
    let mut extensions = glsl::known_extensions();
    if !test.es {
        extensions.push("GL_ARB_ES3_2_compatibility".into());
    }
    Capabilities::from(CapabilityTable {
        generation: "reference".into(),
        api: match (test.es, test.compatibility) {
            (true, _) => Api::Es,
            (_, true) => Api::Compatibility,
            _ => Api::Core,
        },
        gl_version: 46,
        glsl_version: if test.es { 320 } else { 460 },
        extensions: extensions.into_iter().collect(),
        limits: BTreeMap::from([
            ("GL_MAX_VERTEX_ATTRIBS".to_owned(), 32.0),
            ("GL_MAX_TEXTURE_COORDS".to_owned(), 8.0),
        ]),
    })
}

fn run(path: &Path) -> Result<(), String> {
    let Ok(text) = std::fs::read(path) else { return Ok(()) };
    let test = read(&String::from_utf8_lossy(&text));
    if test.spirv {
        return Ok(());
    }
    let capabilities = capabilities(&test);
    let mut types = TypeTable::default();
    let mut shaders: Vec<Shader> = Vec::new();
    for (stage, text) in &test.sections {
        let mut options = glsl::CompileOptions::new(&capabilities);
        options.default_version.number = test.version;
        options.default_version.es = test.es;
        let shader = glsl::compile(&[text], *stage, options, &mut types);
        shaders.push(shader.map_err(|e| {
            format!("{}: {}", stage.abbreviation(), e.to_string().lines().next().unwrap_or(""))
        })?);
    }
    let mut options = LinkOptions::new(&capabilities);
    (options.separable, options.geometry) = (test.separable, test.geometry);
    if test.pipeline {
        let alone =
            shaders.iter().filter(|s| shaders.iter().filter(|t| t.stage == s.stage).count() == 1);
        let failed = alone
            .into_iter()
            .find_map(|s| program::link(vec![s.clone()], types.clone(), &options).err());
        return match failed {
            Some(e) if !test.expects_link_error => Err(format!("link: {e}")),
            _ => Ok(()),
        };
    }
    match (program::link(shaders, types, &options), test.expects_link_error) {
        (Ok(_), false) | (Err(_), true) => Ok(()),
        (Ok(_), true) => Err("links, but a link error is expected".into()),
        (Err(e), false) => Err(format!("link: {e}")),
    }
}

#[test]
fn installed_shaders_compile_and_link() {
    let mut paths = piglit_files(&["shader_test"]);
    // Their named strings are sections that only a script parser reads.
    paths.retain(|p| !p.to_string_lossy().contains("arb_shading_language_include"));
    if paths.is_empty() {
        println!("piglit is not installed: nothing compiled");
        return;
    }
    let step: usize =
        std::env::var("PIGLIT_SAMPLE").ok().and_then(|s| s.parse().ok()).unwrap_or(97);
    let filter = std::env::var("PIGLIT_FILTER").unwrap_or_default();
    let chosen: Vec<&PathBuf> = paths
        .iter()
        .filter(|p| p.to_string_lossy().contains(&filter))
        .step_by(step.max(1))
        .collect();
    let mut failures = Vec::new();
    for path in &chosen {
        if let Err(message) = run(path) {
            failures.push(format!(
                "{}: {message}",
                path.strip_prefix(PIGLIT).unwrap_or(path).display()
            ));
        }
    }
    println!(
        "{} of {} files compile and link as they should",
        chosen.len() - failures.len(),
        chosen.len()
    );
    for failure in &failures {
        println!("{failure}");
    }
    assert!(failures.len() * 100 <= chosen.len(), "{} failures", failures.len());
}
