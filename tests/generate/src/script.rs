//! Scripts of test files: vertex data, uniforms, draws and probes.

use std::fmt::Write;

use crate::case::Case;
use crate::expected::{LANES, expected, limits};
use crate::operation::{Interface, Signature};
use crate::stage::TestStage;
use crate::value::{Scalar, Type};

/// Side of the window in pixels.
const WINDOW: usize = 250;
/// Row of pixels, and distance between the points of two cases, of tests that feed attributes.
const POINT_ROW: usize = 100;
const POINT_DISTANCE: usize = 8;

/// The commands.
pub fn test_section(stage: TestStage, signature: &Signature, cases: &[Case]) -> String {
    let mut text = String::from("[test]\nclear color 0.0 0.0 0.0 0.0\n");
    match signature.interface {
        Interface::Attributes => {
            let draws = cases
                .iter()
                .enumerate()
                .map(|(i, case)| attribute_draw(signature, case, i, cases.len()));
            text.extend(draws);
        }
        Interface::Storage => {
            text.extend(cases.iter().map(|case| storing_draw(stage, signature, case)))
        }
        Interface::Feedback => text.extend(cases.iter().map(|case| captured_draw(signature, case))),
        _ => text.extend(
            cases.chunks(signature.cases_per_draw()).map(|cases| draw(stage, signature, cases)),
        ),
    }
    text
}

/// Vertex data with a row per case, each a point of its own. Every case is drawn with all rows, so
/// that neighbors in one thread differ.
pub fn attributes(signature: &Signature, cases: &[Case]) -> String {
    let mut text = String::from("[vertex data]\npiglit_vertex/float/vec2");
    for argument in &signature.arguments {
        let (ty, name) = (argument.ty.script(), &argument.name);
        let base = match ty.scalar {
            Scalar::Double => "double",
            Scalar::Float => "float",
            Scalar::Int => "int",
            _ => "uint",
        };
        for column in 0..ty.columns {
            let _ = write!(text, " {name}/{base}/{}", ty.glsl());
            if ty.is_matrix() {
                let _ = write!(text, "/{column}");
            }
        }
    }
    text.push('\n');
    for (i, case) in cases.iter().enumerate() {
        let [x, y] =
            [point(i), POINT_ROW].map(|pixel| (2 * pixel + 1) as f64 / WINDOW as f64 - 1.0);
        let values: Vec<String> = case.arguments.iter().flatten().map(|x| x.text()).collect();
        let _ = writeln!(text, "{x} {y} {}", values.join(" "));
    }
    text.push('\n');
    text
}

/// Column of pixels of a case's point.
fn point(case: usize) -> usize {
    POINT_DISTANCE * (case + 1)
}

/// Draws all rows of attributes and probes one case's point.
fn attribute_draw(signature: &Signature, case: &Case, i: usize, count: usize) -> String {
    let mut text = String::from("\n");
    set_expected(&mut text, signature, case, None);
    let _ = write!(
        text,
        "clear\ndraw arrays GL_POINTS 0 {count}\nprobe rgba {} {POINT_ROW} 0.0 1.0 0.0 1.0\n",
        point(i)
    );
    text
}

/// Draws one pixel and probes the storage buffer.
fn storing_draw(stage: TestStage, signature: &Signature, case: &Case) -> String {
    let mut text = String::from("\n");
    set_operands(&mut text, signature, case, None);
    text += match stage {
        TestStage::Geometry => {
            "clear\ndraw arrays GL_POINTS 0 1\nrelative probe rgba (0.25, 0.25) (0.0, 1.0, 0.0, 1.0)\n"
        }
        _ => "clear\ndraw rect -1 -1 0.008 0.008\nprobe rgba 0 0 0.0 1.0 0.0 1.0\n",
    };
    text + &signature.memory.as_ref().map(|memory| memory.probes(case)).unwrap_or_default()
}

/// Captures two vertices and probes both. The first double of each is another value.
fn captured_draw(signature: &Signature, case: &Case) -> String {
    let mut text = String::from("\n");
    set_operands(&mut text, signature, case, None);
    let stride = 1 + case.accept.len();
    let _ = write!(text, "xfb buffer object 0 {}\nxfb draw arrays GL_POINTS 0 2\n", 2 * 8 * stride);
    for vertex in 0..2 {
        for (i, accept) in case.accept.iter().enumerate() {
            let index = vertex * stride + 1 + i;
            let _ = writeln!(text, "probe xfb buffer double 0 {index} {:e}", accept.low.double());
        }
    }
    text
}

/// Sets the uniforms of one case, or of as many as there are lanes; draws and probes.
fn draw(stage: TestStage, signature: &Signature, cases: &[Case]) -> String {
    let mut text = String::from("\n");
    if signature.interface == Interface::PerLane {
        for (lane, case) in cases.iter().cycle().take(4).enumerate() {
            set_case(&mut text, signature, case, Some(lane));
        }
    } else {
        cases.iter().for_each(|case| set_case(&mut text, signature, case, None));
    }
    text += match (signature.differs_by_lane(), stage) {
        (false, TestStage::Geometry) => {
            "clear\ndraw arrays GL_POINTS 0 1\nrelative probe rgba (0.25, 0.25) (0.0, 1.0, 0.0, 1.0)\n"
        }
        (false, _) => {
            "clear\ndraw rect -1 -1 2 2\nrelative probe rgba (0.5, 0.5) (0.0, 1.0, 0.0, 1.0)\n"
        }
        (true, TestStage::Vertex) => {
            "clear\ndraw rect -1 -1 2 2\n\
             relative probe rgba (0.0, 0.0) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (1.0, 0.0) (0.0, 1.0, 0.0, 1.0)\n\
             relative probe rgba (0.0, 1.0) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (1.0, 1.0) (0.0, 1.0, 0.0, 1.0)\n"
        }
        (true, TestStage::Geometry) => {
            "clear\ndraw arrays GL_POINTS 0 4\n\
             relative probe rgba (0.25, 0.25) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (0.75, 0.25) (0.0, 1.0, 0.0, 1.0)\n\
             relative probe rgba (0.25, 0.75) (0.0, 1.0, 0.0, 1.0)\nrelative probe rgba (0.75, 0.75) (0.0, 1.0, 0.0, 1.0)\n"
        }
        (true, TestStage::Fragment) => {
            "clear\ndraw rect -1 -1 2 2\n\
             probe rgba 124 124 0.0 1.0 0.0 1.0\nprobe rgba 125 124 0.0 1.0 0.0 1.0\n\
             probe rgba 124 125 0.0 1.0 0.0 1.0\nprobe rgba 125 125 0.0 1.0 0.0 1.0\n"
        }
    };
    text
}

fn set_case(text: &mut String, signature: &Signature, case: &Case, lane: Option<usize>) {
    set_operands(text, signature, case, lane);
    set_expected(text, signature, case, lane);
}

fn set_operands(text: &mut String, signature: &Signature, case: &Case, lane: Option<usize>) {
    let in_memory = signature.memory.as_ref().map_or(0, |memory| memory.operands.len());
    *text += &signature.memory.as_ref().map(|memory| memory.fill(case)).unwrap_or_default();
    for (argument, values) in signature.arguments.iter().zip(&case.arguments).skip(in_memory) {
        let name = match lane {
            Some(lane) => format!("{}{LANES}[{lane}]", argument.name),
            None => argument.name.clone(),
        };
        set_uniform(text, argument.ty.script(), &name, values.iter().map(|x| x.text()));
    }
}

fn set_expected(text: &mut String, signature: &Signature, case: &Case, lane: Option<usize>) {
    let (ty, columns) = expected(signature.result);
    for &limit in limits(signature.result) {
        let values =
            case.accept.iter().map(|a| if limit == "low" { a.low } else { a.high }.expected_text());
        let values: Vec<String> = values.collect();
        for (column, values) in values.chunks(ty.components()).enumerate() {
            let name = match lane {
                Some(lane) => format!("{limit}{LANES}[{}]", columns * lane + column),
                None if columns > 1 => format!("{limit}[{column}]"),
                None => limit.to_string(),
            };
            set_uniform(text, ty, &name, values.iter().cloned());
        }
    }
}

fn set_uniform(text: &mut String, ty: Type, name: &str, values: impl Iterator<Item = String>) {
    let _ = writeln!(text, "uniform {} {name} {}", ty.glsl(), values.collect::<Vec<_>>().join(" "));
}
