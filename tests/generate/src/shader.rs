//! Writes one test file: shaders that compute and check, and a script that feeds them.

use std::fmt::Write;

use crate::operation::{Case, Signature};
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

/// Names of arguments in expressions.
pub const ARGUMENTS: [&str; 3] = ["a", "b", "c"];

/// The whole file.
pub fn test_file(stage: Stage, signature: &Signature, cases: &[Case]) -> String {
    let mut text = String::from("[require]\nGLSL >= 4.00\n\n");
    match stage {
        Stage::Vertex => {
            text += "[vertex shader]\n#version 400\n";
            text += &declarations(signature);
            text += "in vec4 piglit_vertex;\nout vec4 color;\n\n";
            text += &check_function(signature.result);
            text += "void main()\n{\n\tgl_Position = piglit_vertex;\n";
            text += &body(signature, "color");
            text += "}\n\n[fragment shader]\n#version 400\nin vec4 color;\nout vec4 pixel;\n\n";
            text += "void main()\n{\n\tpixel = color;\n}\n\n";
        }
        Stage::Fragment => {
            text += "[vertex shader passthrough]\n\n[fragment shader]\n#version 400\n";
            text += &declarations(signature);
            text += "out vec4 pixel;\n\n";
            text += &check_function(signature.result);
            text += "void main()\n{\n";
            text += &body(signature, "pixel");
            text += "}\n\n";
        }
    }
    text += "[test]\nclear color 0.0 0.0 0.0 0.0\n";
    for case in cases {
        text += &script(signature, case);
    }
    text
}

fn declarations(signature: &Signature) -> String {
    let mut text = String::new();
    for (ty, name) in signature.arguments.iter().zip(ARGUMENTS) {
        let _ = writeln!(text, "uniform {} {name};", ty.carrier().glsl());
    }
    let carrier = signature.result.carrier().glsl();
    let _ = writeln!(text, "uniform {carrier} low;");
    if is_float(signature.result) {
        let _ = writeln!(text, "uniform {carrier} high;");
    }
    text
}

fn is_float(ty: Type) -> bool {
    matches!(ty.scalar, Scalar::Double | Scalar::Float)
}

/// Accepts a component: any NaN for NaN, the same bits for a single value, otherwise the interval.
fn check_function(result: Type) -> String {
    let (ty, bits) = match result.scalar {
        Scalar::Double => ("double", "unpackDouble2x32"),
        Scalar::Float => ("float", "floatBitsToUint"),
        _ => return String::new(),
    };
    format!(
        "bool accepted({ty} x, {ty} low, {ty} high)\n{{\n\tif (isnan(low))\n\t\treturn isnan(x);\n\
         \tif ({bits}(low) == {bits}(high))\n\t\treturn {bits}(x) == {bits}(low);\n\
         \treturn x >= low && x <= high;\n}}\n\n"
    )
}

fn body(signature: &Signature, output: &str) -> String {
    let result = signature.result;
    let mut text = String::new();
    if !signature.statements.is_empty() {
        let _ = writeln!(text, "\t{}", signature.statements);
    }
    let _ = writeln!(text, "\t{} x = {};", result.glsl(), signature.expression);
    let _ = writeln!(text, "\tbool ok = true;");
    for i in 0..result.components() {
        let (x, low, high) = (result.component("x", i), result.component("low", i), result.component("high", i));
        let _ = match result.scalar {
            Scalar::Double | Scalar::Float => writeln!(text, "\tok = ok && accepted({x}, {low}, {high});"),
            Scalar::Bool => writeln!(text, "\tok = ok && {x} == ({low} != 0);"),
            _ => writeln!(text, "\tok = ok && {x} == {low};"),
        };
    }
    let _ = writeln!(text, "\t{output} = ok ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);");
    text
}

fn uniform(text: &mut String, ty: Type, name: &str, values: impl Iterator<Item = Component>) {
    let values: Vec<String> = values.map(Component::text).collect();
    let _ = writeln!(text, "uniform {} {name} {}", ty.carrier().glsl(), values.join(" "));
}

fn script(signature: &Signature, case: &Case) -> String {
    let mut text = String::from("\n");
    for ((ty, name), values) in signature.arguments.iter().zip(ARGUMENTS).zip(&case.arguments) {
        uniform(&mut text, *ty, name, values.iter().copied());
    }
    uniform(&mut text, signature.result, "low", case.accept.iter().map(|a| a.low));
    if is_float(signature.result) {
        uniform(&mut text, signature.result, "high", case.accept.iter().map(|a| a.high));
    }
    text += "clear\ndraw rect -1 -1 2 2\nrelative probe rgba (0.5, 0.5) (0.0, 1.0, 0.0, 1.0)\n";
    text
}
