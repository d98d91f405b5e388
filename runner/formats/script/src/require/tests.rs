//! Requirement forms, context choice and errors.

use super::*;

/// The requirements of a file that consists of one `[require]` section.
fn read(lines: &str) -> Result<Require<'_>, (ErrorKind, String)> {
    let mut builder = Builder::default();
    let body = lines.as_bytes();
    let failed = |fault: Fault<'_>| (fault.kind, String::from_utf8_lossy(fault.at).into_owned());
    builder.section(body, body, 2).map_err(failed)?;
    builder.finish(&[]).map_err(failed)
}

fn context(lines: &str) -> ContextRequest {
    match read(lines) {
        Ok(require) => require.context,
        Err(error) => panic!("{lines}: {error:?}"),
    }
}

fn only(line: &str) -> Requirement<'_> {
    match read(line) {
        Ok(require) if require.requirements.len() == 1 => require.requirements[0].requirement,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn contexts() {
    use ContextRequest as C;
    for (lines, expected) in [
        ("GLSL >= 1.10\n", C::AnyCompatibility),
        ("GLSL >= 1.30\n", C::AnyCompatibility),
        ("GL >= 3.0\nGLSL >= 1.30\n", C::AnyCompatibility),
        ("GLSL >= 1.40\n", C::CoreThenCompatibility(31)),
        ("GLSL >= 1.50\n", C::CoreThenCompatibility(32)),
        ("GL >= 4.3\nGLSL >= 1.50\n", C::CoreThenCompatibility(43)),
        ("GL >= 2.0\nGLSL >= 4.20\n", C::CoreThenCompatibility(42)),
        // 4.0 is 400, but 4.5 is 405, which belongs to no GL version.
        ("GLSL >= 4.0\n", C::CoreThenCompatibility(40)),
        ("GLSL >= 4.5\n", C::AnyCompatibility),
        ("GL COMPAT >= 3.2\nGLSL >= 1.50\n", C::Compatibility(32)),
        ("GL CORE >= 3.1\nGLSL >= 1.40\n", C::Core(31)),
        ("GL CORE >= 2.1\nGLSL >= 1.10\n", C::AnyCompatibility),
        ("GL ES >= 3.0\nGLSL ES >= 3.00\n", C::Es(30)),
        ("GLES>=2.0\nGLSL ES >= 1.00\n", C::Es(20)),
        ("GL < 4.5\nGLSL >= 1.10\n", C::AnyCompatibility),
        ("GL == 3.3\n", C::CoreThenCompatibility(33)),
        ("GL >= 4.5\nGL >= 3.2\n", C::CoreThenCompatibility(32)),
        ("GL >= 3.10\n", C::CoreThenCompatibility(40)),
        ("", C::AnyCompatibility),
    ] {
        assert_eq!(context(lines), expected, "{lines}");
    }
}

#[test]
fn requirement_forms() {
    use Comparison as C;
    assert_eq!(
        only("  GL_ARB_gpu_shader_fp64 trailing\n"),
        Requirement::Extension("GL_ARB_gpu_shader_fp64")
    );
    assert_eq!(
        only("!GL_EXT_separate_shader_objects\n"),
        Requirement::NoExtension("GL_EXT_separate_shader_objects")
    );
    assert_eq!(
        only("GL_MAX_VERTEX_ATTRIBS>=0x20\n"),
        Requirement::Limit { limit: Limit::VertexAttribs, comparison: C::GreaterEqual, value: 0 }
    );
    assert_eq!(
        only("GL_MAX_VARYING_COMPONENTS != 32"),
        Requirement::Limit { limit: Limit::VaryingComponents, comparison: C::NotEqual, value: 32 }
    );
    // Limits without a separate form are extensions that no context exports.
    assert_eq!(only("GL_MAX_SAMPLES >= 8\n"), Requirement::Extension("GL_MAX_SAMPLES"));
    let Requirement::Integer { state, comparison: C::Less, value: 16 } =
        only("INT GL_MAX_SAMPLES < 0x10\n")
    else {
        panic!("INT")
    };
    assert_eq!(state.to_string(), "GL_MAX_SAMPLES");
    let glsl = read("GL ES >= 3.1\nGLSL ES >= 3.1 \t\r\n").expect("requirements").requirements[1]
        .requirement;
    assert_eq!(
        glsl,
        Requirement::Glsl(Version { number: 301, core: false, compat: false, es: true })
    );
    assert_eq!(
        only("GL COMPAT > 3.1\n"),
        Requirement::Gl {
            comparison: C::Greater,
            version: Version { number: 31, core: false, compat: true, es: false }
        }
    );
    assert_eq!(only("rlimit 268435456\n"), Requirement::AddressSpace(268_435_456));
    assert_eq!(only("SSO ENABLED\n"), Requirement::SeparateShaderObjects);
    assert_eq!(only("SEPARABLE PROGRAM ENABLED\n"), Requirement::SeparableProgram);
    assert_eq!(only("SPIRV ONLY\n"), Requirement::Spirv(SpirvMode::Only));
    assert_eq!(only("SPIRV NO\n"), Requirement::Spirv(SpirvMode::No));
    assert_eq!(only("ignore_missing_uniforms\n"), Requirement::IgnoreMissingUniforms);
    assert_eq!(
        only("GL_SUBGROUP_SIZE_KHR >= 8\n"),
        Requirement::Limit {
            limit: Limit::SubgroupSize,
            comparison: Comparison::GreaterEqual,
            value: 8
        }
    );
}

#[test]
fn window_and_depth() {
    let require = read("SIZE 10 20\ndepthbuffer\nSIZE 16 0x10\n").expect("a requirement");
    assert_eq!((require.window, require.depth_buffer), (Some((16, 16)), true));
    assert!(require.requirements.is_empty());
}

#[test]
fn unknown_lines_mean_nothing() {
    let require = read("# GLSL >= 9\n\n/* text */\nARB_vertex_program\nrequire GL_ARB_foo\n")
        .expect("accepted");
    assert!(require.requirements.is_empty());
}

#[test]
fn errors() {
    use ErrorKind as E;
    for (lines, kind) in [
        ("GLSL >= 1.10 # comment\n", E::Require),
        // The last line of the file has no newline.
        ("GLSL >= 1.10", E::Require),
        ("GLSL > 1.10\n", E::Require),
        ("GLSL 1.10\n", E::Require),
        ("GLSL >= 110\n", E::Require),
        ("GLSL >= 1,10\n", E::Require),
        ("GL >= 300.0\n", E::Range),
        ("GL >= 99999999999999999999.0\n", E::Range),
        ("GLSL ES >= 3.00\n", E::Require),
        ("GL CORE COMPAT >= 3.2\n", E::Require),
        ("SSO ENABLED\nSEPARABLE PROGRAM ENABLED\n", E::Require),
        ("SPIRV MAYBE\n", E::Require),
        ("INT GL_MAX_SAMPLES\n", E::Require),
        ("INT GL_MAX_SAMPLES >= x\n", E::Require),
        ("INT GL_MAX_SIMPLES >= 1\n", E::UnknownEnum),
        ("GL_MAX_VERTEX_ATTRIBS 3\n", E::Require),
        ("SIZE 10\n", E::Require),
        ("SIZE 0 10\n", E::Require),
        ("SIZE 100000 10\n", E::Require),
        ("rlimit all\n", E::Require),
    ] {
        match read(lines) {
            Err((found, _)) => assert_eq!(found, kind, "{lines}"),
            Ok(require) => panic!("{lines}: {require:?}"),
        }
    }
}
