//! Writes one test file: shaders that compute and check, and a script that feeds them.
//!
//! The computing stage compares its result with uniforms that hold what is accepted and passes green or red on, so no precision is
//! lost in the framebuffer and every operand stays unknown to the compiler.

use std::fmt::Write;

use crate::operation::{Argument, Case, Interface, Signature};
use crate::value::{Component, Scalar, Type};

/// Stage that computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Geometry shader, from points to points.
    Geometry,
    /// Fragment shader.
    Fragment,
}

impl Stage {
    /// All of them.
    pub const ALL: [Stage; 3] = [Stage::Vertex, Stage::Geometry, Stage::Fragment];

    /// Prefix of file names.
    pub fn prefix(self) -> &'static str {
        match self {
            Stage::Vertex => "vs",
            Stage::Geometry => "gs",
            Stage::Fragment => "fs",
        }
    }

    /// As section headers spell it.
    fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Geometry => "geometry",
            Stage::Fragment => "fragment",
        }
    }
}

const VERSION: &str = "#version 400\n";
const PASS_COLOR: &str = "[fragment shader]\n#version 400\n\nin vec4 color;\nout vec4 pixel;\n\nvoid main()\n{\n\tpixel = color;\n}\n\n";
const PASS_POSITION: &str = "[vertex shader]\n#version 400\n\nin vec4 piglit_vertex;\n\nvoid main()\n{\n\tgl_Position = piglit_vertex;\n}\n\n";
/// A point in the middle of a pixel of each quarter of the window, in the order of lanes.
const POINTS: &str = "[vertex data]\npiglit_vertex/float/vec2\n-0.5 -0.5\n0.5 -0.5\n-0.5 0.5\n0.5 0.5\n\n";

/// The whole file.
pub fn test_file(stage: Stage, signature: &Signature, cases: &[Case]) -> String {
    let mut text = String::from("[require]\nGLSL >= 4.00\n\n");
    text += &match (stage, operands_travel(stage, signature)) {
        (Stage::Vertex, _) => String::new(),
        (_, true) => sending_vertex_shader(stage, signature),
        (Stage::Geometry, false) => PASS_POSITION.to_string(),
        (Stage::Fragment, false) => String::from("[vertex shader passthrough]\n\n"),
    };
    text += &computing_shader(stage, signature);
    if result_travels(stage, signature) {
        text += &checking_fragment_shader(signature.result);
    } else if stage != Stage::Fragment {
        text += PASS_COLOR;
    }
    if stage == Stage::Geometry {
        text += POINTS;
    }
    text += "[test]\nclear color 0.0 0.0 0.0 0.0\n";
    for case in cases {
        text += &draw(stage, signature, case);
    }
    text
}

/// Whether the vertex shader hands the operands to the stage that computes.
fn operands_travel(stage: Stage, signature: &Signature) -> bool {
    signature.interface == Interface::Varyings && stage != Stage::Vertex
}

/// Whether the fragment shader checks what another stage computed.
fn result_travels(stage: Stage, signature: &Signature) -> bool {
    signature.interface == Interface::Varyings && stage != Stage::Fragment
}

/// Hands all operands on to a stage; only a fragment shader needs them `flat`.
fn sending_vertex_shader(stage: Stage, signature: &Signature) -> String {
    let mut text = format!("[vertex shader]\n{VERSION}\nin vec4 piglit_vertex;\n");
    text += &varyings(signature, if stage == Stage::Geometry { "out" } else { "flat out" }, "");
    text += &operand_uniforms(signature);
    text += "\nvoid main()\n{\n\tgl_Position = piglit_vertex;\n";
    for Argument { name, .. } in &signature.arguments {
        let _ = writeln!(text, "\t{name}_varying = {name};");
    }
    text += "}\n\n";
    text
}

/// A declaration per operand; `array` follows the name.
fn varyings(signature: &Signature, qualifiers: &str, array: &str) -> String {
    let line = |a: &Argument| format!("{qualifiers} {} {}_varying{array};\n", a.ty.glsl(), a.name);
    signature.arguments.iter().map(line).collect()
}

fn computing_shader(stage: Stage, signature: &Signature) -> String {
    let (received, sent) = (operands_travel(stage, signature), result_travels(stage, signature));
    let mut text = format!("[{} shader]\n{VERSION}\n", stage.name());
    text += match stage {
        Stage::Vertex => "in vec4 piglit_vertex;\n",
        Stage::Geometry => "layout(points) in;\nlayout(points, max_vertices = 1) out;\n\n",
        Stage::Fragment => "",
    };
    if received {
        text += &match stage {
            Stage::Geometry => varyings(signature, "in", "[]"),
            _ => varyings(signature, "flat in", ""),
        };
    }
    text += &match (sent, stage) {
        (true, _) => format!("flat out {} computed;\n", signature.result.glsl()),
        (false, Stage::Fragment) => String::from("out vec4 pixel;\n"),
        (false, _) => String::from("out vec4 color;\n"),
    };
    if !received {
        text += &operand_uniforms(signature);
    }
    if !sent {
        text += &expected_uniforms(signature.result);
    }
    text.push('\n');
    text += &signature.globals;
    if !sent {
        text += &check_function(signature.result);
    }
    text += "void main()\n{\n";
    text += match stage {
        Stage::Vertex => "\tgl_Position = piglit_vertex;\n",
        Stage::Geometry => "\tgl_Position = gl_in[0].gl_Position;\n",
        Stage::Fragment => "",
    };
    if signature.lanes {
        text += lane(stage);
    }
    if received {
        let vertex = if stage == Stage::Geometry { "[0]" } else { "" };
        for Argument { name, ty, .. } in &signature.arguments {
            let _ = writeln!(text, "\t{} {name} = {name}_varying{vertex};", ty.glsl());
        }
    }
    text += &computation(signature);
    text += &match (sent, stage) {
        (true, _) => String::from("\tcomputed = x;\n"),
        (false, Stage::Fragment) => check(signature.result, "pixel"),
        (false, _) => check(signature.result, "color"),
    };
    if stage == Stage::Geometry {
        text += "\tEmitVertex();\n";
    }
    text += "}\n\n";
    text
}

/// The number of the vertex or of the pixel in its quad, 0 to 3.
fn lane(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "\tint lane = (piglit_vertex.x > 0.0 ? 1 : 0) + (piglit_vertex.y > 0.0 ? 2 : 0);\n",
        Stage::Geometry => {
            "\tvec4 place = gl_in[0].gl_Position;\n\tint lane = (place.x > 0.0 ? 1 : 0) + (place.y > 0.0 ? 2 : 0);\n"
        }
        Stage::Fragment => "\tint lane = (int(gl_FragCoord.x) & 1) + 2 * (int(gl_FragCoord.y) & 1);\n",
    }
}

/// Receives what another stage computed.
fn checking_fragment_shader(result: Type) -> String {
    let ty = result.glsl();
    let mut text = format!("[fragment shader]\n{VERSION}\nflat in {ty} computed;\nout vec4 pixel;\n");
    text += &expected_uniforms(result);
    text.push('\n');
    text += &check_function(result);
    let _ = write!(text, "void main()\n{{\n\t{ty} x = computed;\n{}}}\n\n", check(result, "pixel"));
    text
}

fn operand_uniforms(signature: &Signature) -> String {
    let declared = signature.arguments.iter().filter(|a| a.declared);
    declared.map(|a| format!("uniform {} {};\n", a.ty.glsl(), a.name)).collect()
}

fn expected_uniforms(result: Type) -> String {
    let ty = result.expected().glsl();
    if result.is_floating() {
        format!("uniform {ty} low;\nuniform {ty} high;\n")
    } else {
        format!("uniform {ty} low;\n")
    }
}

/// Accepts a component: any NaN for NaN, the same bits for a single value, otherwise the interval.
fn check_function(result: Type) -> String {
    let text = match result.scalar {
        Scalar::Double => {
            "bool accepted(double x, double low, double high)\n{\n\tif (isnan(low))\n\t\treturn isnan(x);\n\
             \tif (unpackDouble2x32(low) == unpackDouble2x32(high))\n\
             \t\treturn unpackDouble2x32(x) == unpackDouble2x32(low);\n\
             \treturn x >= low && x <= high;\n}\n\n"
        }
        Scalar::Float => {
            "bool accepted(float x, uint low, uint high)\n{\n\tif (isnan(uintBitsToFloat(low)))\n\t\treturn isnan(x);\n\
             \tif (low == high)\n\t\treturn floatBitsToUint(x) == low;\n\
             \treturn x >= uintBitsToFloat(low) && x <= uintBitsToFloat(high);\n}\n\n"
        }
        _ => "",
    };
    text.to_string()
}

fn computation(signature: &Signature) -> String {
    let mut text = String::new();
    for line in signature.statements.lines() {
        let _ = writeln!(text, "\t{line}");
    }
    let precise = if signature.precise { "precise " } else { "" };
    let _ = writeln!(text, "\t{precise}{} x = {};", signature.result.glsl(), signature.expression);
    text
}

fn check(result: Type, output: &str) -> String {
    let mut text = String::from("\tbool ok = true;\n");
    for i in 0..result.components() {
        let [x, low, high] = ["x", "low", "high"].map(|name| result.component(name, i));
        let _ = match result.scalar {
            Scalar::Double | Scalar::Float => writeln!(text, "\tok = ok && accepted({x}, {low}, {high});"),
            Scalar::Bool => writeln!(text, "\tok = ok && {x} == ({low} != 0);"),
            _ => writeln!(text, "\tok = ok && {x} == {low};"),
        };
    }
    let _ = writeln!(text, "\t{output} = ok ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);");
    text
}

fn draw(stage: Stage, signature: &Signature, case: &Case) -> String {
    let mut text = String::from("\n");
    for (argument, values) in signature.arguments.iter().zip(&case.arguments) {
        set_uniform(&mut text, argument.ty.script(), &argument.name, values.iter().copied());
    }
    let expected = signature.result.expected();
    set_uniform(&mut text, expected, "low", case.accept.iter().map(|a| a.low));
    if signature.result.is_floating() {
        set_uniform(&mut text, expected, "high", case.accept.iter().map(|a| a.high));
    }
    text += match (signature.lanes, stage) {
        (false, Stage::Geometry) => {
            "clear\ndraw arrays GL_POINTS 0 1\nrelative probe rgba (0.25, 0.25) (0.0, 1.0, 0.0, 1.0)\n"
        }
        (false, _) => "clear\ndraw rect -1 -1 2 2\nrelative probe rgba (0.5, 0.5) (0.0, 1.0, 0.0, 1.0)\n",
        (true, Stage::Vertex) => {
            "clear\ndraw rect -1 -1 2 2\n\
             relative probe rgba (0.0, 0.0) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (1.0, 0.0) (0.0, 1.0, 0.0, 1.0)\n\
             relative probe rgba (0.0, 1.0) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (1.0, 1.0) (0.0, 1.0, 0.0, 1.0)\n"
        }
        (true, Stage::Geometry) => {
            "clear\ndraw arrays GL_POINTS 0 4\n\
             relative probe rgba (0.25, 0.25) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (0.75, 0.25) (0.0, 1.0, 0.0, 1.0)\n\
             relative probe rgba (0.25, 0.75) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (0.75, 0.75) (0.0, 1.0, 0.0, 1.0)\n"
        }
        (true, Stage::Fragment) => {
            "clear\ndraw rect -1 -1 2 2\n\
             probe rgba 124 124 0.0 1.0 0.0 1.0\nprobe rgba 125 124 0.0 1.0 0.0 1.0\n\
             probe rgba 124 125 0.0 1.0 0.0 1.0\nprobe rgba 125 125 0.0 1.0 0.0 1.0\n"
        }
    };
    text
}

fn set_uniform(text: &mut String, ty: Type, name: &str, values: impl Iterator<Item = Component>) {
    let values: Vec<String> = values.map(Component::text).collect();
    let _ = writeln!(text, "uniform {} {name} {}", ty.glsl(), values.join(" "));
}
