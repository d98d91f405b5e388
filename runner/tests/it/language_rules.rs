//! Rules of GLSL and GL, from the text of a test to its verdict.

use crate::support::Sandbox;

/// Runs a fragment shader on the reference; returns the verdict's line.
fn fragment(requirements: &str, shader: &str, code: i32, message: &str) {
    let sandbox = Sandbox::new();
    let text = format!(
        "[require]\n{requirements}\n[vertex shader passthrough]\n[fragment shader]\n{shader}\n[test]\n\
         draw rect -1 -1 2 2\n"
    );
    sandbox.file("rule.shader_test", text);
    sandbox.run(&["rule.shader_test", "--gen", "skl"]).expect(code, &[message]);
}

#[test]
fn a_shader_has_a_declaration() {
    fragment("GLSL >= 1.10", "#version 110\n// nothing", 1, "expected a declaration");
}

#[test]
fn skipped_conditionals_have_one_else() {
    let shader = "#version 110\n#if 0\n#ifdef X\n#else\n#elif 1\n#endif\n#endif\nvoid main() { gl_FragColor = vec4(1.0); }";
    fragment("GLSL >= 1.10", shader, 1, "already has its #else");
    fragment("GLSL >= 1.10", &shader.replace("#elif 1\n", ""), 0, "pass: 1");
}

#[test]
fn constants_index_arrays_of_storage_blocks_in_glsl_es() {
    let shader = |index: &str| {
        format!(
            "#version 320 es\nprecision mediump float;\nlayout(binding = 0) buffer B {{ float f; }} b[2];\n\
             uniform int i;\nout vec4 c;\nvoid main() {{ c = vec4(b[{index}].f, i, 0, 1); }}"
        )
    };
    let requirements = "GL ES >= 3.1\nGLSL ES >= 3.20";
    fragment(requirements, &shader("i"), 1, "can only be indexed by constants");
    fragment(requirements, &shader("1"), 0, "pass: 1");
}

/// OpenGL 4.6 section 11.1.3.11: such a draw is an error and changes nothing.
#[test]
fn samplers_of_different_types_do_not_share_a_unit() {
    let sandbox = Sandbox::new();
    let text = |unit: u32, result: &str| {
        format!(
            "[require]\nGLSL >= 1.10\nSIZE 8 8\n[vertex shader passthrough]\n[fragment shader]\n#version 110\n\
             uniform sampler1D s;\nuniform sampler2D t;\n\
             void main() {{ gl_FragColor = vec4(0, 1, 0, 1) + 0.0 * (texture1D(s, 0.5) + texture2D(t, vec2(0.5))); }}\n\
             [test]\nuniform int s 1\nuniform int t {unit}\ntexture rgbw 1 (8, 8)\nclear color 0.5 0.5 0.5 0.5\nclear\n\
             draw rect -1 -1 2 2\nprobe all rgba {result}\n"
        )
    };
    sandbox.file("t/same.shader_test", text(1, "0.5 0.5 0.5 0.5"));
    sandbox.file("t/others.shader_test", text(2, "0 1 0 1"));
    sandbox.run(&["t", "--gen", "ivb,skl"]).expect(0, &["pass: 4"]);
}

/// `dvec4` of the first components twice: on ivb, both dwords of a channel read one element.
#[test]
fn pairs_of_floats_widen_to_doubles() {
    let sandbox = Sandbox::new();
    let text = "[require]\nGLSL >= 4.00\nSIZE 8 8\n[vertex shader]\n#version 400\nin vec4 piglit_vertex;\n\
        in vec4 a;\nflat out vec4 v;\nvoid main() { dvec4 d = dvec4(a.yzyz) * 2.0LF; v = vec4(d.wzyx - 1.0LF); \
        gl_Position = piglit_vertex; }\n[fragment shader]\n#version 400\nflat in vec4 v;\nout vec4 c;\n\
        void main() { c = v; }\n[vertex data]\npiglit_vertex/float/vec2 a/float/vec4\n\
        -1 -1 9 0.5 0.75 9\n1 -1 9 0.5 0.75 9\n-1 1 9 0.5 0.75 9\n1 1 9 0.5 0.75 9\n\
        [test]\ndraw arrays GL_TRIANGLE_STRIP 0 4\nprobe all rgba 0.5 0 0.5 0\n";
    sandbox.file("pairs.shader_test", text);
    sandbox.run(&["pairs.shader_test", "--gen", "intel"]).expect(0, &["pass: 5"]);
}

/// GLSL 1.30 to 4.10, section 4.3.4: such an input has an undefined value, and shaders whose
/// results do not depend on it are right. From GLSL 4.20 on they do not link.
#[test]
fn inputs_without_outputs_are_undefined_up_to_glsl_410() {
    let text = |version: &str, result: &str, color: &str| {
        let number = version.replace('.', "");
        format!(
            "[require]\nGLSL >= {version}\nSIZE 8 8\n[vertex shader]\n#version {number}\nin vec4 piglit_vertex;\n\
             out vec4 other;\nvoid main() {{ gl_Position = piglit_vertex; other = vec4(0.5); }}\n\
             [fragment shader]\n#version {number}\nin vec4 other;\nin vec4 missing;\nuniform float zero;\n\
             out vec4 c;\nvoid main() {{ c = {color}; }}\n[test]\n{result}"
        )
    };
    let probe = "uniform float zero 0\ndraw rect -1 -1 2 2\nprobe all rgba 0.5 0.5 0.5 0.5\n";
    let draw = "uniform float zero 0\ndraw rect -1 -1 2 2\n";
    let chosen = "zero > 0.0 ? missing : other";
    let sandbox = Sandbox::new();
    sandbox.file("t/unread-130.shader_test", text("1.30", probe, chosen));
    sandbox.file("t/unread-410.shader_test", text("4.10", probe, chosen));
    // The drawn color is undefined: executors may differ.
    sandbox.file("t/read-130.shader_test", text("1.30", draw, "missing + other * zero"));
    sandbox.file("t/link-420.shader_test", text("4.20", "link error\n", chosen));
    sandbox.run(&["t", "--gen", "ivb,skl,si"]).expect(0, &["pass: 12"]);
}
