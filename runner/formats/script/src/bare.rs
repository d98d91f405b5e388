//! Files that hold the GLSL of one stage: `.vert`, `.tesc`, `.tese`, `.geom`, `.frag`, `.comp`.
//!
//! Files of one folder with one stem are the stages of one program. [`compose`] writes a program
//! as the text of a `.shader_test` file without `[test]`, so that every tool can read it, and
//! [`compose_spirv`] a module of SPIR-V.

use std::path::Path;

use vocabulary::Stage;

/// File name extensions of the stages, in pipeline order, as in [`Stage::ALL`].
pub const EXTENSIONS: [&str; 6] = ["vert", "tesc", "tese", "geom", "frag", "comp"];

/// The GLSL version of a program: that of its shaders' `#version` lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    es: bool,
    /// As in `#version`: 330.
    number: u32,
    compatibility: bool,
}

/// Returns the stage of a file by its extension; `None` for other files.
pub fn stage_of(path: &Path) -> Option<Stage> {
    let extension = path.extension()?;
    Stage::ALL.into_iter().find(|&stage| extension == extension_of(stage))
}

/// Returns the extension of files that hold a stage.
pub fn extension_of(stage: Stage) -> &'static str {
    EXTENSIONS[stage as usize]
}

/// Writes shaders as the text of a `.shader_test` file. `[require]` names the version and the
/// extensions that the shaders demand. A single stage is linked as a separable program, so that its
/// interface stays.
pub fn compose(shaders: &[(Stage, Vec<u8>)]) -> Vec<u8> {
    let directives: Vec<&str> = shaders.iter().flat_map(|(_, text)| directives(text)).collect();
    let version = directives.iter().filter_map(|line| version(line)).max().unwrap_or_default();
    let mut text = format!("[require]\n{}", requirement(version));
    for extension in directives.iter().filter_map(|line| required_extension(line)) {
        text += &format!("{extension}\n");
    }
    let graphics = shaders.iter().all(|(stage, _)| *stage != Stage::Compute);
    if graphics && shaders.len() == 1 {
        text += "SEPARABLE PROGRAM ENABLED\n";
    }
    let mut bytes = text.into_bytes();
    for (stage, shader) in shaders {
        add_section(&mut bytes, &format!("{} shader", stage.name()), shader);
    }
    bytes
}

/// Writes a module of SPIR-V as the text of a `.shader_test` file: a section with the whole
/// assembly text for each stage that the module has an entry point of.
pub fn compose_spirv(stages: &[Stage], module: &[u8]) -> Vec<u8> {
    let mut text = "[require]\nGLSL >= 3.30\nGL_ARB_gl_spirv\nSPIRV ONLY\n".to_owned();
    if stages.len() == 1 && stages != [Stage::Compute] {
        text += "SEPARABLE PROGRAM ENABLED\n";
    }
    let mut bytes = text.into_bytes();
    for stage in stages {
        add_section(&mut bytes, &format!("{} shader spirv", stage.name()), module);
    }
    bytes
}

fn add_section(bytes: &mut Vec<u8>, header: &str, text: &[u8]) {
    bytes.extend(format!("\n[{header}]\n").bytes());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        // A line that begins with a bracket would be the header of a section.
        if line.starts_with(b"[") {
            bytes.push(b' ');
        }
        bytes.extend(line);
    }
    if !text.ends_with(b"\n") {
        bytes.push(b'\n');
    }
}

/// Returns the preprocessor directives of a shader, without `#`.
fn directives(text: &[u8]) -> impl Iterator<Item = &str> {
    let lines = text.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    lines.filter_map(|line| line.trim().strip_prefix('#').map(str::trim_start))
}

fn version(directive: &str) -> Option<Version> {
    let mut words = directive.strip_prefix("version")?.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let profile = words.next().unwrap_or_default();
    Some(Version {
        es: number == 100 || profile == "es",
        number,
        compatibility: profile == "compatibility",
    })
}

/// Returns the lines that request a context for a version.
fn requirement(version: Version) -> String {
    let Version { es, number, compatibility } = version;
    if number == 0 {
        return "GLSL >= 1.10\n".to_owned();
    }
    let glsl = format!("{}.{:02}", number / 100, number % 100);
    match (es, compatibility) {
        (true, _) if number == 100 => "GL ES >= 2.0\nGLSL ES >= 1.00\n".to_owned(),
        (true, _) => {
            let gl = format!("{}.{}", number / 100, number % 100 / 10);
            format!("GL ES >= {gl}\nGLSL ES >= {glsl}\n")
        }
        // Profiles came with GL 3.2.
        (false, true) => {
            let gl = if number == 150 { 32 } else { number / 10 };
            format!("GL COMPAT >= {}.{}\nGLSL >= {glsl}\n", gl / 10, gl % 10)
        }
        (false, false) => format!("GLSL >= {glsl}\n"),
    }
}

/// Returns the extension of `#extension NAME : require`.
fn required_extension(directive: &str) -> Option<&str> {
    let (name, behavior) = directive.strip_prefix("extension")?.split_once(':')?;
    let required = behavior.split_whitespace().next() == Some("require");
    (required && name.trim().starts_with("GL_")).then_some(name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContextRequest;

    fn composed(shaders: &[(Stage, &str)]) -> String {
        let shaders: Vec<(Stage, Vec<u8>)> =
            shaders.iter().map(|(stage, text)| (*stage, text.as_bytes().to_vec())).collect();
        String::from_utf8(compose(&shaders)).unwrap()
    }

    #[test]
    fn stages_of_files() {
        assert_eq!(stage_of(Path::new("a/b.frag")), Some(Stage::Fragment));
        assert_eq!(stage_of(Path::new("a/b.shader_test")), None);
        assert_eq!(stage_of(Path::new("frag")), None);
        for (extension, stage) in EXTENSIONS.into_iter().zip(Stage::ALL) {
            assert_eq!(extension_of(stage), extension);
        }
    }

    #[test]
    fn modules_have_a_section_for_each_stage() {
        let bytes = compose_spirv(&[Stage::Vertex, Stage::Fragment], b"OpNop\n[");
        let script = crate::parse(&bytes).unwrap();
        let spirv = |s: &crate::Section<'_>| match s.content {
            crate::Content::Spirv { stage, text } => Some((stage, text.trim_ascii().to_vec())),
            _ => None,
        };
        let sections: Vec<_> = script.sections.iter().filter_map(spirv).collect();
        let text = b"OpNop\n [".to_vec();
        assert_eq!(sections, [(Stage::Vertex, text.clone()), (Stage::Fragment, text)]);
        assert!(!script.require.separable_program);
    }

    #[test]
    fn contexts_of_versions() {
        let request = |version: &str| {
            let text = composed(&[(Stage::Fragment, &format!("{version}\nvoid main() {{}}\n"))]);
            crate::parse(text.as_bytes()).unwrap().require.context
        };
        assert_eq!(request(""), ContextRequest::AnyCompatibility);
        assert_eq!(request("#version 120"), ContextRequest::AnyCompatibility);
        assert_eq!(request("#version 100"), ContextRequest::Es(20));
        assert_eq!(request(" # version 310 es"), ContextRequest::Es(31));
        assert_eq!(request("#version 450 compatibility"), ContextRequest::Compatibility(45));
        assert_eq!(request("#version 150 compatibility"), ContextRequest::Compatibility(32));
        assert_eq!(request("#version 150"), request("#version 150 core"));
    }

    #[test]
    fn programs() {
        let vertex = "#version 130\n#extension GL_ARB_foo : require\nvoid main() {}";
        let fragment =
            "#version 130\n#extension GL_ARB_bar : enable\nint a\n[2];\nvoid main() {}\n";
        let text = composed(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)]);
        let expected = "[require]\nGLSL >= 1.30\nGL_ARB_foo\n\n[vertex shader]\n#version 130\n\
            #extension GL_ARB_foo : require\nvoid main() {}\n\n[fragment shader]\n#version 130\n\
            #extension GL_ARB_bar : enable\nint a\n [2];\nvoid main() {}\n";
        assert_eq!(text, expected);
        let script = crate::parse(text.as_bytes()).unwrap();
        assert_eq!(script.shaders().count(), 2);
        assert!(!script.require.separable_program);
        let alone = composed(&[(Stage::Vertex, "void main() {}")]);
        assert!(crate::parse(alone.as_bytes()).unwrap().require.separable_program);
    }
}
