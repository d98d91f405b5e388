//! Compiles and links the shaders of an installed piglit corpus (Debian's package `piglit`). Without it the test says
//! so and passes. `PIGLIT_SAMPLE=1` takes every file, `PIGLIT_FILTER` those whose path contains a text.

use program::{Api, Capabilities, LinkOptions, Shader, Stage, TypeTable};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ROOT: &str = "/usr/lib/x86_64-linux-gnu/piglit";

fn files(dir: &Path, result: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut entries: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, result);
        } else if path.extension().is_some_and(|e| e == "shader_test") {
            result.push(path);
        }
    }
}

struct Test {
    sections: Vec<(Stage, String)>,
    version: u16,
    es: bool,
    compatibility: bool,
    expects_link_error: bool,
    spirv: bool,
    separable: bool,
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
    };
    let mut section = "";
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.trim_end().strip_suffix(']')) {
            section = name;
            let stage = match name {
                "vertex shader" => Some(Stage::Vertex),
                "tessellation control shader" => Some(Stage::TessControl),
                "tessellation evaluation shader" => Some(Stage::TessEvaluation),
                "geometry shader" => Some(Stage::Geometry),
                "fragment shader" => Some(Stage::Fragment),
                "compute shader" => Some(Stage::Compute),
                _ => None,
            };
            if name == "vertex shader passthrough" {
                let text = "#version 110\nattribute vec4 piglit_vertex; void main() { gl_Position = piglit_vertex; }\n";
                test.sections.push((Stage::Vertex, text.to_owned()));
            }
            test.spirv |= name.contains("spirv");
            if let Some(stage) = stage {
                test.sections.push((stage, String::new()));
            }
            continue;
        }
        match section {
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

fn read_requirement(line: &str, test: &mut Test) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match *words {
        ["GLSL", _, version, ..] => {
            test.version = version.replace('.', "").parse().unwrap_or(110);
        }
        ["GLSL", "ES", _, version, ..] => {
            test.es = true;
            test.version = version.replace('.', "").parse().unwrap_or(100);
        }
        ["SPIRV", ..] => test.spirv |= line.contains("ONLY"),
        ["SSO", "ENABLED"] | ["SEPARABLE", "PROGRAM", "ENABLED"] => test.separable = true,
        ["GL", "CORE", ..] => test.compatibility = false,
        _ => {}
    }
    if words.starts_with(&["GLSL", "ES"]) {
        test.version = words.last().and_then(|v| v.replace('.', "").parse().ok()).unwrap_or(100);
        test.es = true;
    }
}

fn capabilities(test: &Test) -> Capabilities {
    Capabilities {
        generation: "reference".into(),
        api: match (test.es, test.compatibility) {
            (true, _) => Api::Es,
            (_, true) => Api::Compatibility,
            _ => Api::Core,
        },
        gl_version: 46,
        glsl_version: if test.es { 320 } else { 460 },
        extensions: glsl::check::known_extensions().into_iter().collect(),
        limits: BTreeMap::from([
            ("GL_MAX_VERTEX_ATTRIBS".to_owned(), 32.0),
            ("GL_MAX_TEXTURE_COORDS".to_owned(), 8.0),
        ]),
    }
}

fn run(path: &Path) -> Result<(), String> {
    let Ok(text) = std::fs::read(path) else { return Ok(()) };
    let test = read(&String::from_utf8_lossy(&text));
    if test.spirv {
        return Ok(());
    }
    let mut capabilities = capabilities(&test);
    if !test.es {
        capabilities.extensions.insert("GL_ARB_ES3_2_compatibility".into());
    }
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
    options.separable = test.separable;
    match (program::link(shaders, types, &options), test.expects_link_error) {
        (Ok(_), false) | (Err(_), true) => Ok(()),
        (Ok(_), true) => Err("links, but a link error is expected".into()),
        (Err(e), false) => Err(format!("link: {e}")),
    }
}

#[test]
fn installed_shaders_compile_and_link() {
    let mut paths = Vec::new();
    files(Path::new(ROOT), &mut paths);
    if paths.is_empty() {
        println!("piglit is not installed: nothing compiled");
        return;
    }
    let step: usize = std::env::var("PIGLIT_SAMPLE").ok().and_then(|s| s.parse().ok()).unwrap_or(97);
    let filter = std::env::var("PIGLIT_FILTER").unwrap_or_default();
    let chosen: Vec<&PathBuf> =
        paths.iter().filter(|p| p.to_string_lossy().contains(&filter)).step_by(step.max(1)).collect();
    let mut failures = Vec::new();
    for path in &chosen {
        if let Err(message) = run(path) {
            failures.push(format!("{}: {message}", path.strip_prefix(ROOT).unwrap_or(path).display()));
        }
    }
    println!("{} of {} files compile and link as they should", chosen.len() - failures.len(), chosen.len());
    for failure in &failures {
        println!("{failure}");
    }
    assert!(failures.len() * 20 <= chosen.len(), "{} failures", failures.len());
}
