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
    /// Fragment shader.
    Fragment,
}

impl Stage {
    /// Both.
    pub const ALL: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

    /// Prefix of file names.
    pub fn prefix(self) -> &'static str {
        match self {
            Stage::Vertex => "vs",
            Stage::Fragment => "fs",
        }
    }
}

const VERSION: &str = "#version 400\n";
const PASS_COLOR: &str = "[fragment shader]\n#version 400\n\nin vec4 color;\nout vec4 pixel;\n\nvoid main()\n{\n\tpixel = color;\n}\n\n";

/// The whole file.
pub fn test_file(stage: Stage, signature: &Signature, cases: &[Case]) -> String {
    let mut text = String::from("[require]\nGLSL >= 4.00\n\n");
    text += &match (signature.interface, stage) {
        (Interface::Uniforms, Stage::Vertex) => computing_vertex_shader(signature) + PASS_COLOR,
        (Interface::Uniforms, Stage::Fragment) => {
            String::from("[vertex shader passthrough]\n\n") + &computing_fragment_shader(signature)
        }
        (Interface::Varyings, Stage::Vertex) => result_through_varying(signature),
        (Interface::Varyings, Stage::Fragment) => operands_through_varyings(signature),
    };
    text += "[test]\nclear color 0.0 0.0 0.0 0.0\n";
    for case in cases {
        text += &draw(stage, signature, case);
    }
    text
}

fn computing_vertex_shader(signature: &Signature) -> String {
    let mut text = format!("[vertex shader]\n{VERSION}\nin vec4 piglit_vertex;\nout vec4 color;\n");
    text += &operand_uniforms(signature);
    text += &expected_uniforms(signature.result);
    text.push('\n');
    text += &signature.globals;
    text += &check_function(signature.result);
    text += "void main()\n{\n\tgl_Position = piglit_vertex;\n";
    if signature.lanes {
        text += "\tint lane = (piglit_vertex.x > 0.0 ? 1 : 0) + (piglit_vertex.y > 0.0 ? 2 : 0);\n";
    }
    text += &computation(signature);
    text += &check(signature.result, "color");
    text += "}\n\n";
    text
}

fn computing_fragment_shader(signature: &Signature) -> String {
    let mut text = format!("[fragment shader]\n{VERSION}\nout vec4 pixel;\n");
    text += &operand_uniforms(signature);
    text += &expected_uniforms(signature.result);
    text.push('\n');
    text += &signature.globals;
    text += &check_function(signature.result);
    text += "void main()\n{\n";
    if signature.lanes {
        text += "\tint lane = (int(gl_FragCoord.x) & 1) + 2 * (int(gl_FragCoord.y) & 1);\n";
    }
    text += &computation(signature);
    text += &check(signature.result, "pixel");
    text += "}\n\n";
    text
}

fn result_through_varying(signature: &Signature) -> String {
    let ty = signature.result.glsl();
    let mut text = format!("[vertex shader]\n{VERSION}\nin vec4 piglit_vertex;\nflat out {ty} computed;\n");
    text += &operand_uniforms(signature);
    text.push('\n');
    text += &signature.globals;
    text += "void main()\n{\n\tgl_Position = piglit_vertex;\n";
    text += &computation(signature);
    text += "\tcomputed = x;\n}\n\n";
    let _ = write!(text, "[fragment shader]\n{VERSION}\nflat in {ty} computed;\nout vec4 pixel;\n");
    text += &expected_uniforms(signature.result);
    text.push('\n');
    text += &check_function(signature.result);
    let _ = write!(text, "void main()\n{{\n\t{ty} x = computed;\n{}}}\n\n", check(signature.result, "pixel"));
    text
}

fn operands_through_varyings(signature: &Signature) -> String {
    let mut text = format!("[vertex shader]\n{VERSION}\nin vec4 piglit_vertex;\n");
    let varyings = |direction: &str| -> String {
        let line = |a: &Argument| format!("flat {direction} {} {}_varying;\n", a.ty.glsl(), a.name);
        signature.arguments.iter().map(line).collect()
    };
    text += &varyings("out");
    text += &operand_uniforms(signature);
    text += "\nvoid main()\n{\n\tgl_Position = piglit_vertex;\n";
    for Argument { name, .. } in &signature.arguments {
        let _ = writeln!(text, "\t{name}_varying = {name};");
    }
    let _ = write!(text, "}}\n\n[fragment shader]\n{VERSION}\n{}out vec4 pixel;\n", varyings("in"));
    text += &expected_uniforms(signature.result);
    text.push('\n');
    text += &signature.globals;
    text += &check_function(signature.result);
    text += "void main()\n{\n";
    for Argument { name, ty, .. } in &signature.arguments {
        let _ = writeln!(text, "\t{} {name} = {name}_varying;", ty.glsl());
    }
    text += &computation(signature);
    text += &check(signature.result, "pixel");
    text += "}\n\n";
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
    text += "clear\ndraw rect -1 -1 2 2\n";
    text += match (signature.lanes, stage) {
        (false, _) => "relative probe rgba (0.5, 0.5) (0.0, 1.0, 0.0, 1.0)\n",
        (true, Stage::Vertex) => {
            "relative probe rgba (0.0, 0.0) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (1.0, 0.0) (0.0, 1.0, 0.0, 1.0)\n\
             relative probe rgba (0.0, 1.0) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (1.0, 1.0) (0.0, 1.0, 0.0, 1.0)\n"
        }
        (true, Stage::Fragment) => {
            "probe rgba 124 124 0.0 1.0 0.0 1.0\nprobe rgba 125 124 0.0 1.0 0.0 1.0\n\
             probe rgba 124 125 0.0 1.0 0.0 1.0\nprobe rgba 125 125 0.0 1.0 0.0 1.0\n"
        }
    };
    text
}

fn set_uniform(text: &mut String, ty: Type, name: &str, values: impl Iterator<Item = Component>) {
    let values: Vec<String> = values.map(Component::text).collect();
    let _ = writeln!(text, "uniform {} {name} {}", ty.glsl(), values.join(" "));
}
