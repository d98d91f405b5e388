//! Writes one test file: shaders that compute and check, and a script that feeds them.
//!
//! The computing stage compares its result with uniforms that hold the accepted values and outputs
//! green or red: no precision is lost in the framebuffer, and the compiler knows no operand.

use std::fmt::Write;

use crate::case::Case;
use crate::expected::{LANES, expected, limits};
use crate::operation::{Argument, Interface, Signature};
use crate::script;
use crate::stage::TestStage;
use crate::value::{Scalar, Type};

/// Version and extensions: the beginning of every shader that computes or checks.
fn preamble(signature: &Signature) -> String {
    let extensions =
        signature.extensions().into_iter().map(|name| format!("#extension {name} : enable\n"));
    extensions.fold(String::from("#version 400\n"), |text, line| text + &line)
}

const PASS_COLOR: &str = "[fragment shader]\n#version 400\n\nin vec4 color;\nout vec4 pixel;\n\nvoid main()\n{\n\tpixel = color;\n}\n\n";
const PASS_POSITION: &str = "[vertex shader]\n#version 400\n\nin vec4 piglit_vertex;\n\nvoid main()\n{\n\tgl_Position = piglit_vertex;\n}\n\n";
/// A point in the middle of a pixel of each quarter of the window, in the order of lanes.
const POINTS: &str =
    "[vertex data]\npiglit_vertex/float/vec2\n-0.5 -0.5\n0.5 -0.5\n-0.5 0.5\n0.5 0.5\n\n";

/// The whole file.
pub fn test_file(stage: TestStage, signature: &Signature, cases: &[Case]) -> String {
    let mut text = String::from("[require]\nGLSL >= 4.00\n");
    for extension in signature.extensions() {
        let _ = writeln!(text, "{extension}");
    }
    text.push('\n');
    text += &match (stage, operands_travel(stage, signature)) {
        (TestStage::Vertex, _) => String::new(),
        (_, true) => sending_vertex_shader(stage, signature),
        (TestStage::Geometry, false) => PASS_POSITION.to_string(),
        (TestStage::Fragment, false) => String::from("[vertex shader passthrough]\n\n"),
    };
    text += &computing_shader(stage, signature);
    text += &match signature.interface {
        Interface::Feedback => String::new(),
        _ if result_travels(stage, signature) => checking_fragment_shader(signature),
        _ if stage == TestStage::Fragment => String::new(),
        _ => PASS_COLOR.to_string(),
    };
    text += &match (signature.interface, stage) {
        (Interface::Attributes, _) => script::attributes(signature, cases),
        (Interface::Feedback, _) | (_, TestStage::Geometry) => POINTS.to_string(),
        _ => String::new(),
    };
    text + &script::test_section(stage, signature, cases)
}

/// True if the vertex shader passes the operands to the stage that computes.
fn operands_travel(stage: TestStage, signature: &Signature) -> bool {
    signature.interface.sends_operands() && stage != TestStage::Vertex
}

/// True if the result leaves the computing stage unchecked.
fn result_travels(stage: TestStage, signature: &Signature) -> bool {
    signature.interface.sends_result() && stage != TestStage::Fragment
}

/// Passes all operands on to a stage; only a fragment shader needs them `flat`.
fn sending_vertex_shader(stage: TestStage, signature: &Signature) -> String {
    let mut text = format!("[vertex shader]\n{}\nin vec4 piglit_vertex;\n", preamble(signature));
    let interpolation = signature.interface.interpolation();
    text += &varyings(
        signature,
        &if stage == TestStage::Geometry {
            String::from("out")
        } else {
            format!("{interpolation} out")
        },
        "",
    );
    text += &operand_declarations(signature);
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

fn computing_shader(stage: TestStage, signature: &Signature) -> String {
    let (received, sent) = (operands_travel(stage, signature), result_travels(stage, signature));
    let mut text = format!("[{} shader]\n{}\n", stage.name(), preamble(signature));
    let interpolation = signature.interface.interpolation();
    text += match stage {
        TestStage::Vertex => "in vec4 piglit_vertex;\n",
        TestStage::Geometry => "layout(points) in;\nlayout(points, max_vertices = 1) out;\n\n",
        TestStage::Fragment => "",
    };
    if received {
        text += &match stage {
            TestStage::Geometry => varyings(signature, "in", "[]"),
            _ => varyings(signature, &format!("{interpolation} in"), ""),
        };
    }
    text += &match (sent, stage) {
        (true, _) => computed_output(signature),
        (false, TestStage::Fragment) => String::from("out vec4 pixel;\n"),
        (false, _) => String::from("out vec4 color;\n"),
    };
    if !received {
        text += &operand_declarations(signature);
    }
    let checked = !sent && signature.interface != Interface::Storage;
    if checked {
        text += &expected_uniforms(signature);
    }
    text.push('\n');
    text += &signature.globals;
    if checked {
        text += &check_function(signature.result);
    }
    text += "void main()\n{\n";
    text += match stage {
        TestStage::Vertex => "\tgl_Position = piglit_vertex;\n",
        TestStage::Geometry => "\tgl_Position = gl_in[0].gl_Position;\n",
        TestStage::Fragment => "",
    };
    if signature.differs_by_lane() {
        text += lane(stage);
    }
    if signature.interface == Interface::PerLane {
        text += &own_values(signature);
    }
    if received {
        let vertex = if stage == TestStage::Geometry { "[0]" } else { "" };
        for Argument { name, ty, .. } in &signature.arguments {
            let _ = writeln!(text, "\t{} {name} = {name}_varying{vertex};", ty.glsl());
        }
    }
    text += &computation(signature);
    text += &match (sent, stage) {
        (true, _) if signature.interface == Interface::Feedback => {
            String::from("\tbefore = 0.5;\n\tcomputed = x;\n")
        }
        (true, _) => String::from("\tcomputed = x;\n"),
        (false, _) if signature.interface == Interface::Storage => stored(stage, signature),
        (false, TestStage::Fragment) => check(signature.result, "pixel"),
        (false, _) => check(signature.result, "color"),
    };
    if stage == TestStage::Geometry {
        text += "\tEmitVertex();\n";
    }
    text += "}\n\n";
    text
}

/// Stores the result and shows that the shader ran.
fn stored(stage: TestStage, signature: &Signature) -> String {
    let target = signature
        .memory
        .as_ref()
        .and_then(|memory| memory.store.as_ref())
        .map(|store| &store.target);
    let output = if stage == TestStage::Fragment { "pixel" } else { "color" };
    format!(
        "\t{} = x;\n\t{output} = vec4(0.0, 1.0, 0.0, 1.0);\n",
        target.map_or("", String::as_str)
    )
}

/// The output that carries the result. A captured one follows a float, which alone would leave it
/// misaligned.
fn computed_output(signature: &Signature) -> String {
    let ty = signature.result.glsl();
    match signature.interface {
        Interface::Feedback => format!(
            "layout(xfb_buffer = 0, xfb_offset = 0) out float before;\n\
             layout(xfb_buffer = 0, xfb_offset = 8) out {ty} computed;\n"
        ),
        interface => format!("{} out {ty} computed;\n", interface.interpolation()),
    }
}

/// The number of the vertex or of the pixel in its quad, 0 to 3.
fn lane(stage: TestStage) -> &'static str {
    match stage {
        TestStage::Vertex => {
            "\tint lane = (piglit_vertex.x > 0.0 ? 1 : 0) + (piglit_vertex.y > 0.0 ? 2 : 0);\n"
        }
        TestStage::Geometry => {
            "\tvec4 place = gl_in[0].gl_Position;\n\tint lane = (place.x > 0.0 ? 1 : 0) + (place.y > 0.0 ? 2 : 0);\n"
        }
        TestStage::Fragment => {
            "\tint lane = (int(gl_FragCoord.x) & 1) + 2 * (int(gl_FragCoord.y) & 1);\n"
        }
    }
}

/// Receives and checks the result of another stage.
fn checking_fragment_shader(signature: &Signature) -> String {
    let result = signature.result;
    let ty = result.glsl();
    let (preamble, interpolation) = (preamble(signature), signature.interface.interpolation());
    let mut text = format!(
        "[fragment shader]\n{preamble}\n{interpolation} in {ty} computed;\nout vec4 pixel;\n"
    );
    text += &expected_uniforms(signature);
    text.push('\n');
    text += &check_function(result);
    let _ = write!(text, "void main()\n{{\n\t{ty} x = computed;\n{}}}\n\n", check(result, "pixel"));
    text
}

/// Declarations of the operands.
fn operand_declarations(signature: &Signature) -> String {
    let declaration = |a: &Argument| match signature.interface {
        Interface::PerLane => format!("uniform {} {}{LANES}[4];\n", a.ty.script().glsl(), a.name),
        Interface::Attributes => format!("in {} {};\n", a.ty.glsl(), a.name),
        _ => format!("uniform {} {};\n", a.ty.glsl(), a.name),
    };
    signature.arguments.iter().filter(|a| a.declared).map(declaration).collect()
}

fn expected_uniforms(signature: &Signature) -> String {
    let (ty, columns) = expected(signature.result);
    let (lanes, count) = match signature.interface {
        Interface::PerLane => (LANES, 4 * columns),
        _ => ("", columns),
    };
    let array = if count > 1 { format!("[{count}]") } else { String::new() };
    limits(signature.result)
        .iter()
        .map(|limit| format!("uniform {} {limit}{lanes}{array};\n", ty.glsl()))
        .collect()
}

/// This lane's operands and accepted values, as variables.
fn own_values(signature: &Signature) -> String {
    let mut text = String::new();
    for Argument { name, ty, .. } in &signature.arguments {
        let ty = ty.glsl();
        let _ = writeln!(text, "\t{ty} {name} = {ty}({name}{LANES}[lane]);");
    }
    let (ty, columns) = expected(signature.result);
    for limit in limits(signature.result) {
        let ty = ty.glsl();
        let _ = match columns {
            1 => writeln!(text, "\t{ty} {limit} = {limit}{LANES}[lane];"),
            _ => {
                let elements: Vec<String> = (0..columns)
                    .map(|c| format!("{limit}{LANES}[{columns} * lane + {c}]"))
                    .collect();
                writeln!(text, "\t{ty} {limit}[{columns}] = {ty}[]({});", elements.join(", "))
            }
        };
    }
    text
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
        // In integers: a half's order is that of its magnitude's bits under its sign.
        Scalar::Half => {
            "int order(uint bits)\n{\n\tint magnitude = int(bits & 0x7fffu);\n\
             \treturn (bits & 0x8000u) != 0u ? -magnitude : magnitude;\n}\n\n\
             bool accepted(float16_t x, uint low, uint high)\n{\n\
             \tuint bits = packFloat2x16(f16vec2(x, x)) & 0xffffu;\n\
             \tbool is_nan = (bits & 0x7fffu) > 0x7c00u;\n\
             \tif ((low & 0x7fffu) > 0x7c00u)\n\t\treturn is_nan;\n\
             \tif (low == high)\n\t\treturn bits == low;\n\
             \treturn !is_nan && order(bits) >= order(low) && order(bits) <= order(high);\n}\n\n"
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
            Scalar::Double | Scalar::Float | Scalar::Half => {
                writeln!(text, "\tok = ok && accepted({x}, {low}, {high});")
            }
            Scalar::Int16 => writeln!(text, "\tok = ok && int({x}) == {low};"),
            Scalar::Uint16 => writeln!(text, "\tok = ok && uint({x}) == {low};"),
            Scalar::Bool => writeln!(text, "\tok = ok && {x} == ({low} != 0);"),
            _ => writeln!(text, "\tok = ok && {x} == {low};"),
        };
    }
    let _ =
        writeln!(text, "\t{output} = ok ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);");
    text
}
