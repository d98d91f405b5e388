//! Multisample framebuffers and missing attachments, on every generation and both executors.

use crate::support::Sandbox;

/// Draws over a framebuffer of 16×16 pixels and some samples, then resolves it and probes all
/// pixels.
fn multisampled(
    requirements: &str,
    vertex: &str,
    fragment: &str,
    samples: u32,
    commands: &str,
    probe: &str,
) -> String {
    format!(
        "[require]\n{requirements}\n[vertex shader{vertex}\n[fragment shader]\n{fragment}\n[test]\n\
         fb ms GL_RGBA32F 16 16 {samples}\nclear color 0 0 0 0\nclear\n{commands}\ndraw rect -1 -1 2 2\n\
         texture rgbw 0 (16, 16) GL_RGBA32F\nfb draw tex 2d 0\nblit color nearest\nfb read tex 2d 0\n\
         probe all rgba {probe}\n"
    )
}

const GLSL_130: &str = "GL >= 3.0\nGLSL >= 1.30\nGL_ARB_sample_shading";
const PASS_THROUGH: &str = " passthrough]";

fn expect_all(tests: &[(&str, String)]) {
    let sandbox = Sandbox::new();
    for (name, text) in tests {
        sandbox.file(&format!("suite/{name}.shader_test"), text);
    }
    let rows = tests.len() * 5;
    let summary = format!("[{rows}/{rows}] pass: {rows}");
    sandbox.run(&["suite", "--gen", "intel", "--out", "out"]).expect(0, &[&summary]);
}

#[test]
fn shaders_that_tell_samples_apart_run_for_each() {
    let numbers = "#extension GL_ARB_sample_shading : require\nout vec4 c;\nvoid main() {\n\
        c = vec4(gl_SampleID == gl_NumSamples - 1, float(gl_SampleID) / float(gl_NumSamples), gl_SamplePosition); }";
    // The last of n samples, the mean of their numbers, and of their positions: the pixel's center.
    let test = |samples, probe| multisampled(GLSL_130, PASS_THROUGH, numbers, samples, "", probe);
    let mask = "#extension GL_ARB_sample_shading : require\nout vec4 c;\nvoid main() {\n\
        c = vec4(1.0); gl_SampleMask[0] = 0x15; }";
    expect_all(&[
        ("two", test(2, "0.5 0.25 0.5 0.5")),
        ("four", test(4, "0.25 0.375 0.5 0.5")),
        ("eight", test(8, "0.125 0.4375 0.5 0.5")),
        ("mask4", multisampled(GLSL_130, PASS_THROUGH, mask, 4, "", "0.5 0.5 0.5 0.5")),
        ("mask8", multisampled(GLSL_130, PASS_THROUGH, mask, 8, "", "0.375 0.375 0.375 0.375")),
    ]);
}

#[test]
fn inputs_are_interpolated_where_their_qualifiers_say() {
    let requirements = "GL >= 3.2\nGLSL >= 1.50\nGL_ARB_gpu_shader5\nGL_ARB_sample_shading";
    let vertex = "]\n#extension GL_ARB_gpu_shader5 : require\nin vec4 piglit_vertex;\nsample out vec2 at;\n\
        out vec2 window;\nvoid main() { gl_Position = piglit_vertex; at = window = (piglit_vertex.xy + 1.0) * 125.0; }";
    // Samples 0 and 3 of the standard pattern of four.
    let fragment = "#extension GL_ARB_gpu_shader5 : require\n#extension GL_ARB_sample_shading : require\n\
        sample in vec2 at;\nin vec2 window;\nout vec4 c;\nvoid main() {\n\
        vec2 corner = floor(gl_FragCoord.xy);\nvec4 far = vec4(\n\
        distance(at, corner + gl_SamplePosition),\n\
        distance(interpolateAtOffset(window, vec2(0.0)), corner + 0.5),\n\
        distance(interpolateAtSample(window, 0), corner + vec2(6.0, 2.0) / 16.0),\n\
        distance(interpolateAtSample(window, 3), corner + vec2(10.0, 14.0) / 16.0));\n\
        c = vec4(lessThan(far, vec4(0.01))) * float(gl_SampleMaskIn[0] == 1 << gl_SampleID); }";
    let center = "GL >= 3.0\nGLSL >= 1.30";
    let plain_vertex = "]\nin vec4 piglit_vertex;\nout vec2 window;\n\
        void main() { gl_Position = piglit_vertex; window = (piglit_vertex.xy + 1.0) * 125.0; }";
    let plain = "in vec2 window;\nout vec4 c;\nvoid main() { c = vec4(window - gl_FragCoord.xy, 0.0, 1.0); }";
    // Each row names another sample.
    let variable = "#extension GL_ARB_gpu_shader5 : require\nsample in vec2 at;\nin vec2 window;\n\
        out vec4 c;\nvoid main() {\n\
        vec2 places[4] = vec2[](vec2(6, 2), vec2(14, 6), vec2(2, 10), vec2(10, 14));\n\
        vec2 corner = floor(gl_FragCoord.xy);\nint own = int(corner.y) & 3;\n\
        vec2 far = vec2(distance(interpolateAtSample(window, own), corner + places[own] / 16.0),\n\
        distance(interpolateAtSample(at, 3 - own), corner + places[3 - own] / 16.0));\n\
        c = vec4(lessThan(far, vec2(0.01)), 1, 1); }";
    expect_all(&[
        ("samples", multisampled(requirements, vertex, fragment, 4, "", "1 1 1 1")),
        ("variable", multisampled(requirements, vertex, variable, 4, "", "1 1 1 1")),
        ("centers", multisampled(center, plain_vertex, plain, 8, "", "0 0 0 1")),
    ]);
}

#[test]
fn alpha_covers_samples() {
    let fragment = "out vec4 c;\nvoid main() { c = vec4(0.0, 1.0, 0.0, 0.5); }";
    let test = |commands, probe| multisampled(GLSL_130, PASS_THROUGH, fragment, 4, commands, probe);
    let coverage = "enable GL_SAMPLE_ALPHA_TO_COVERAGE";
    let both = "enable GL_SAMPLE_ALPHA_TO_COVERAGE\nenable GL_SAMPLE_ALPHA_TO_ONE";
    expect_all(&[
        ("coverage", test(coverage, "0 0.5 0 0.25")),
        ("one", test("enable GL_SAMPLE_ALPHA_TO_ONE", "0 1 0 1")),
        ("both", test(both, "0 0.5 0 0.5")),
        ("neither", test("", "0 1 0 0.5")),
    ]);
}

#[test]
fn outputs_without_attachment_go_nowhere() {
    let test = "[require]\nGL >= 3.0\nGLSL >= 1.30\n[vertex shader passthrough]\n[fragment shader]\n\
        void main() { gl_FragData[0] = vec4(1, 0, 0, 1); gl_FragData[1] = vec4(0, 1, 0, 1);\n\
        gl_FragData[2] = vec4(0, 0, 1, 1); }\n[test]\ntexture rgbw 0 (16, 16) GL_RGBA8\n\
        texture rgbw 1 (16, 16) GL_RGBA8\nfb tex 2d 0 -1 1\ndraw rect -1 -1 2 2\nprobe all rgba 1 0 0 1\n\
        fb read tex 2d 1\nprobe all rgba 0 0 1 1\n";
    expect_all(&[("missing", test.to_owned())]);
}
