//! Tests around shaders of applications: a fragment shader becomes a test that draws it over a
//! window.
//!
//! The fragment shader stays as it is. A vertex shader is written that supplies its inputs, and
//! commands that give every uniform a value and every sampler a texture. The test expects no value:
//! its probe compares what the executors show.

mod commands;
mod error;
mod values;
mod varyings;

use std::str;
use std::sync::Arc;

use execute::{Linked, build, context_for};
use program::{Program, Stage};
use results::verdict::Verdict;
use script::{Content, Script, Shader};
use vocabulary::Target;

pub use error::WrapError;
pub use values::UniformValues;

/// Returns a test that draws the fragment shader of a `.shader_test` file over a window. `origin`
/// names the file in the first line; `generation` decides what the shader may use; uniforms have
/// the values of `values`, or others.
///
/// # Errors
/// Fails if there is no fragment shader, if it does not compile, or if it reads what no command can
/// supply.
pub fn wrap(
    text: &[u8],
    origin: &str,
    generation: Target,
    values: &UniformValues,
) -> Result<Vec<u8>, WrapError> {
    let script = script::parse(text).map_err(|error| WrapError::Script(error.to_string()))?;
    let shader = fragment_shader(&script).ok_or(WrapError::NoFragmentShader)?;
    let own = own_version(shader);
    let written = || script.version_line(shader).map(|line| line.to_string());
    let version = own.map(str::to_owned).or_else(written).unwrap_or_default();
    let added = if own.is_some() { "" } else { version.trim_end() };
    let alone = alone(text, &script, shader, added);
    let program = link(&alone, generation)?;
    let version = version.trim_end();
    let inputs = varyings::vertex_shader(&program, version)?;
    let commands = commands::commands(&program, values)?;
    let mut test = format!("# {origin}\n").into_bytes();
    test.extend(&alone);
    test.extend(format!("\n[vertex shader]\n{version}\n{inputs}\n{commands}").bytes());
    Ok(test)
}

/// Returns the only fragment shader.
fn fragment_shader<'a, 'b>(script: &'b Script<'a>) -> Option<&'b Shader<'a>> {
    let mut shaders = script.sections.iter().filter_map(|section| match &section.content {
        Content::Shader(shader) if shader.stage == Stage::Fragment => Some(shader),
        _ => None,
    });
    shaders.next().filter(|_| shaders.next().is_none())
}

/// Returns the `#version` line of a shader, if it has one. piglit writes one before others.
fn own_version<'a>(shader: &Shader<'a>) -> Option<&'a str> {
    shader.source.split(|&byte| byte == b'\n').find_map(|line| {
        let line = str::from_utf8(line).ok()?.trim();
        line.strip_prefix('#')?.trim_start().starts_with("version").then_some(line)
    })
}

/// Returns the requirements and the fragment shader behind `version`, without other stages. A
/// driver may remove a uniform without influence, which the test sets nevertheless.
fn alone(text: &[u8], script: &Script<'_>, shader: &Shader<'_>, version: &str) -> Vec<u8> {
    let mut alone = b"[require]\n".to_vec();
    if !script.require.ignore_missing_uniforms {
        alone.extend(b"ignore_missing_uniforms\n");
    }
    let requirements = script.sections.iter().filter(|s| matches!(s.content, Content::Require));
    for section in requirements {
        let body = text.get(section.body.range()).unwrap_or_default();
        for line in body.split_inclusive(|&byte| byte == b'\n') {
            if !line.starts_with(b"SEPARABLE") {
                alone.extend(line);
            }
        }
    }
    alone.extend(b"\n[fragment shader]\n");
    if !version.is_empty() {
        alone.extend(version.bytes());
        alone.push(b'\n');
    }
    alone.extend(shader.source);
    if !alone.ends_with(b"\n") {
        alone.push(b'\n');
    }
    alone
}

/// Links the fragment shader alone.
fn link(text: &[u8], generation: Target) -> Result<Arc<Program>, WrapError> {
    let failure = |verdict: Verdict| {
        let reason = verdict.cause.map(|(_, reason)| reason).unwrap_or_default();
        WrapError::Compile(reason.lines().next().unwrap_or_default().to_owned())
    };
    let mut script = script::parse(text).map_err(|error| WrapError::Script(error.to_string()))?;
    // A program of one stage keeps its interface only if it is separable; in ES there is no other.
    script.require.separable_program = true;
    let capabilities = context_for(&script, generation).map_err(failure)?;
    match build(&script, capabilities).map_err(failure)? {
        Linked::Program(program) | Linked::Pipeline(program, _) => Ok(program),
        Linked::Failed(log) => Err(WrapError::Compile(log)),
        Linked::Nothing => Err(WrapError::NoFragmentShader),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use execute::{Devices, RunOptions, TestCase, run_text};
    use results::verdict::Status;

    fn wrapped(shader: &str) -> Result<String, WrapError> {
        let text = format!("[require]\nGLSL >= 3.30\n[fragment shader]\n{shader}");
        wrap(text.as_bytes(), "a.frag", Target::SKL, &UniformValues::default())
            .map(|test| String::from_utf8(test).unwrap())
    }

    fn runs(test: &str) {
        let (options, devices) = (RunOptions::default(), Devices::default());
        let verdict =
            run_text(test.as_bytes(), &TestCase::new("wrapped", Target::SKL, &options, &devices));
        assert_eq!(verdict.status, Status::Pass, "{verdict:?}\n{test}");
    }

    #[test]
    fn inputs_are_supplied() {
        let test = wrapped(
            "in vec2 a[2];\nflat in ivec3 b;\nnoperspective in mat3 c;\n\
             in Block { vec4 d; float e[3]; } block;\nout vec4 color;\n\
             void main() { color = a[1].xyxy + vec4(b, 1) + c[1].xyzx + block.d * block.e[2]; }\n",
        )
        .unwrap();
        for line in [
            "out vec2 a[2];",
            "flat out ivec3 b;",
            "noperspective out mat3 c;",
            "out Block { vec4 d; float e[3]; } block;",
            "a[0] = place.xy;",
            "a[1] = place.yx;",
            "block.d = place.zxyw;",
            "block.e[2] = place.x;",
        ] {
            assert!(test.contains(line), "{line} in\n{test}");
        }
        runs(&test);
    }

    #[test]
    fn uniforms_and_textures_are_supplied() {
        let test = wrapped(
            "struct S { float f; mat4 m; };\nuniform S s[2];\nuniform bvec2 b;\n\
             uniform Block { vec4 v[2]; ivec2 i; };\nuniform sampler2D t[2];\n\
             uniform sampler3D t3;\nuniform sampler2DShadow shadow;\nuniform samplerCube cube;\n\
             uniform isampler2D integers;\nout vec4 color;\nvoid main() {\n\
             color = s[1].m * v[1] * s[0].f + vec4(b, i) + texture(t[1], vec2(0.3));\n\
             color += texture(t3, vec3(0.4)) + texture(shadow, vec3(0.5)) + texture(cube, vec3(1));\n\
             color += texture(integers, vec2(0.5));\n}\n",
        )
        .unwrap();
        for line in ["uniform mat4 s[1].m 1 0 0 0 0 1", "uniform ivec2 b 1 1", "uniform vec4 v[1] "]
        {
            assert!(test.contains(line), "{line} in\n{test}");
        }
        runs(&test);
    }

    #[test]
    fn values_of_uniforms_are_used() {
        let text = b"[require]\nGLSL >= 3.30\n[fragment shader]\nuniform vec2 size;\n\
                     uniform int n;\nout vec4 color;\nvoid main() { color = vec4(size, n, 1); }\n";
        let values = UniformValues::parse(br#"{"size": {"args": [256.0, 0.5]}}"#).unwrap();
        let test = wrap(text, "a.frag", Target::SKL, &values).unwrap();
        let test = String::from_utf8(test).unwrap();
        for line in ["uniform vec2 size 256.0 0.5\n", "uniform int n ", "ignore_missing_uniforms\n"]
        {
            assert!(test.contains(line), "{line} in\n{test}");
        }
        runs(&test);
    }

    #[test]
    fn old_shaders_have_varyings_and_coordinates() {
        let text = "[require]\nGLSL >= 1.10\n[vertex shader]\nvoid main() {}\n[fragment shader]\n\
                    varying vec3 normal;\nuniform sampler2D tex;\nvoid main() {\n\
                    gl_FragColor = texture2D(tex, gl_TexCoord[1].st) * gl_Color\n\
                    + normal.xyzx * gl_FogFragCoord;\n}\n";
        let test = wrap(text.as_bytes(), "old", Target::IVB, &UniformValues::default()).unwrap();
        let test = String::from_utf8(test).unwrap();
        for line in ["varying vec3 normal;", "gl_TexCoord[1] = place;", "gl_FrontColor = place;"] {
            assert!(test.contains(line), "{line} in\n{test}");
        }
        assert!(!test.contains("void main() {}"), "{test}");
        runs(&test);
    }

    #[test]
    fn shaders_of_es_have_vertex_shaders_of_es() {
        for (version, input, output) in [
            ("100", "varying vec2 at;", "varying vec2 at;"),
            ("300 es", "in vec2 at;", "out vec2 at;"),
        ] {
            let color = if version == "100" { "gl_FragColor" } else { "color" };
            let declared = if version == "100" { "" } else { "out vec4 color;" };
            let number = version.trim_end_matches(" es").chars().next().unwrap();
            let text = format!(
                "[require]\nGL ES >= 3.1\nGLSL ES >= {number}.00\n[fragment shader]\n\
                 #version {version}\nprecision highp float;\n{input}\n{declared}\n\
                 void main() {{ {color} = vec4(at, 0.0, 1.0); }}\n"
            );
            let test = wrap(text.as_bytes(), "es", Target::SKL, &UniformValues::default()).unwrap();
            let test = String::from_utf8(test).unwrap();
            assert!(test.contains(output) && test.matches("#version").count() == 2, "{test}");
            runs(&test);
        }
    }

    #[test]
    fn shaders_that_cannot_be_wrapped() {
        let error =
            |text: &[u8]| wrap(text, "x", Target::SKL, &UniformValues::default()).unwrap_err();
        let none = error(b"[require]\nGLSL >= 1.10\n[vertex shader]\nvoid main() {}\n");
        assert_eq!(none, WrapError::NoFragmentShader);
        let wrong = wrapped("void main() { x; }\n").unwrap_err();
        assert!(matches!(wrong, WrapError::Compile(_)), "{wrong}");
        let text = b"[require]\nGLSL >= 4.20\n[fragment shader]\nlayout(binding = 0) uniform atomic_uint n;\n\
                     out vec4 c;\nvoid main() { c = vec4(atomicCounter(n)); }\n";
        assert_eq!(error(text), WrapError::NotSupplied("the atomic counter `n`".to_owned()));
    }
}
