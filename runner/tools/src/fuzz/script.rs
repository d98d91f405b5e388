//! The parts of a generated test other than shaders: requirements, framebuffers, probes.

use std::fmt::Write;

use super::stage::StageShader;

/// Width and height of the window and of the render targets.
pub(super) const SIDE: usize = 16;
/// Number of color outputs, with two hashes each.
const TARGETS: usize = 2;
/// The first texture unit of the render targets.
const UNIT: usize = 10;

/// Displacement of points from the corners of pixels in normalized device coordinates, as a GLSL
/// expression: 5/16 and 3/8 of a pixel. Implementations choose the pixel that a point at a corner
/// covers.
pub(super) const OFF_THE_EDGES: &str = "vec4(0.0390625, 0.046875, 0, 0)";

/// Positions of vertices; the first four are a strip over the whole window, whose diagonal meets no
/// center of a pixel. The others are [`OFF_THE_EDGES`].
pub(super) const POSITIONS: [(&str, &str); 10] = [
    ("-1", "-1"),
    ("1", "-1"),
    ("-1.125", "1"),
    ("1", "1"),
    ("-0.4609375", "0.546875"),
    ("0.5390625", "0.546875"),
    ("0.2890625", "-0.703125"),
    ("-0.7109375", "0.171875"),
    ("0.0390625", "0.046875"),
    ("0.3515625", "0.359375"),
];

/// Returns the requirements of every test, with `more` extensions. A driver may find out that a
/// uniform has no effect, and then it has no location (OpenGL 4.6, section 7.6).
pub(super) fn require(more: &[&str]) -> String {
    let mut text = format!(
        "[require]\nGL >= 4.2\nGLSL >= 4.20\nSIZE {SIDE} {SIDE}\nignore_missing_uniforms\nGL_ARB_arrays_of_arrays\nGL_ARB_shader_storage_buffer_object\n"
    );
    more.iter().for_each(|extension| text += &format!("{extension}\n"));
    text + "\n"
}

/// Begins `[test]`. No probe expects a value: the executors must agree.
pub(crate) fn begin_test() -> String {
    "[test]\n# No value is expected here: each probe compares what the executors show.\n\
     tolerance 3e38 3e38 3e38 3e38\n"
        .to_owned()
}

/// Returns the declarations of the color outputs and of the function that writes them.
pub(super) fn color_outputs() -> String {
    let mut text = String::new();
    for k in 0..TARGETS {
        let _ = writeln!(text, "layout(location = {k}) out vec4 color{k};");
    }
    text + "vec4 encode(int a, int b) { return vec4(a & 0xffff, a >> 16 & 0xffff, b & 0xffff, b >> 16 & 0xffff); }\n"
}

/// Returns lines that write all hashes to the color outputs.
pub(super) fn write_colors() -> Vec<String> {
    (0..TARGETS)
        .map(|k| format!("color{k} = encode(hash[{}], hash[{}]);", 2 * k, 2 * k + 1))
        .collect()
}

/// Returns commands that create the framebuffer.
pub(super) fn framebuffer() -> String {
    let mut text = String::new();
    for k in 0..TARGETS {
        let _ = writeln!(text, "texture rgbw {} ({SIDE}, {SIDE}) GL_RGBA32F", UNIT + k);
    }
    let units: Vec<String> = (0..TARGETS).map(|k| (UNIT + k).to_string()).collect();
    let _ = writeln!(text, "fb tex 2d {}\nclear color 9 9 9 9\nclear", units.join(" "));
    text
}

/// Returns commands that compare the framebuffer.
pub(super) fn probe_framebuffer() -> String {
    let mut text = String::new();
    for k in 0..TARGETS {
        let _ = writeln!(text, "fb read tex 2d {}\nprobe all rgba 0 0 0 0", UNIT + k);
    }
    text
}

/// Returns commands that fill a texture and bind it to the image unit of its number.
pub(super) fn image(unit: usize, fill: &str, format: &str, name: &str) -> String {
    format!("texture {fill}\nimage texture {unit} {format}\nuniform int {name} {unit}\n")
}

/// Counts hashes in atomic counters. Returns the commands before and after the draw or dispatch.
pub(super) fn counters(stage: &mut StageShader) -> (String, String) {
    stage.declare("layout(binding = 0) uniform atomic_uint counters[3];\n");
    stage.end("if ((hash[0] & 1) != 0) atomicCounterIncrement(counters[0]);");
    stage.end("if ((hash[1] & 6) == 2) atomicCounterDecrement(counters[2]);");
    let probed = (0..3).map(|k| format!("probe atomic counter {k} >= 0\n")).collect();
    ("atomic counters 3\n".to_owned(), probed)
}

/// Returns commands that compare words of a storage buffer.
pub(super) fn probe_words(binding: u32, offsets: impl Iterator<Item = usize>) -> String {
    let mut text = String::new();
    for offset in offsets {
        let _ = writeln!(text, "probe ssbo uint {binding} {offset} >= 0");
    }
    text
}
