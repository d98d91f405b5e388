//! Pixel probes: comparison of each executor's pixels with the expectation and between the
//! executors.

use std::fmt::Write;

use gl_machine::machine::{Machine, MachineError};
use gl_machine::probe::{Agreement, ProbeResult, Readback};
use probes::{Expectation, PixelRect, ProbeFailure, describe, leaves_framebuffer, pixels_of};
use raster::device::Device;
use raster::format::{Format, FormatClass};
use raster::rasterize::Rect;
use script::{Area, Expected};

use super::driver_check::Closeness;
use super::replicas::Replicas;
use program::{FragmentOutput, Global, LinkedStage, Placement, Stage};
use results::verdict::{Phase, UNDEFINED, Verdict};

/// The failure of a probe.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bad {
    /// [`Phase::Probe`], or [`Phase::Mismatch`] if the executors disagree.
    pub phase: Phase,
    /// Description of the expected and observed values.
    pub text: String,
    /// Position of the pixel.
    pub place: (i32, i32),
}

/// The result of a probe.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The failure, if any.
    pub bad: Option<Bad>,
    /// Result of each executor.
    pub results: Vec<ProbeResult>,
}

/// Probes pixels on every executor.
///
/// # Errors
/// Returns the verdict if an executor's pixels cannot be read.
pub(crate) fn pixels(
    executors: &mut Replicas,
    area: &Area,
    expected: &Expected,
    tolerance: [f32; 4],
) -> Result<Reading, Verdict> {
    let results =
        executors.each(|machine, device| read(machine, device, area, expected, tolerance))?;
    executors.check_agreement()?;
    let undefined = executors.undefined_pixels();
    let agreement = agreement(executors);
    Ok(Reading { bad: judge(&results, agreement, undefined), results })
}

/// Returns the required closeness of the executors.
fn agreement(executors: &Replicas) -> Agreement {
    let stages = executors.machine().program().map_or(&[][..], |p| &p.stages);
    if stages.iter().all(|stage| stage.exact)
        && executors.all.iter().all(|executor| executor.device.exact())
    {
        Agreement::Exact
    } else if stages.iter().any(|stage| stage.half_precision) {
        Agreement::Half
    } else {
        Agreement::Single
    }
}

/// Returns true if the colors of what the program draws are undefined: it has no fragment shader
/// (OpenGL 4.6, core profile, section 15.2), or one that writes none (section 15.2.3).
pub(crate) fn leaves_colors_undefined(executors: &Replicas) -> bool {
    let stages = executors.machine().program().map_or(&[][..], |program| &program.stages);
    draws_no_color(stages)
}

fn draws_no_color(stages: &[LinkedStage]) -> bool {
    let is_color = |output: FragmentOutput| {
        matches!(output, FragmentOutput::Color { .. } | FragmentOutput::AllColors)
    };
    let writes = |global: &Global| match global.placement {
        Placement::FragmentOutput { output, .. } => global.active && is_color(output),
        _ => false,
    };
    let colors = |stage: &LinkedStage| {
        stage.shader.stage == Stage::Fragment && stage.shader.globals.values().any(writes)
    };
    let has_vertices = stages.iter().any(|stage| stage.shader.stage == Stage::Vertex);
    has_vertices && !stages.iter().any(colors)
}

/// Returns true if the colors of what the program draws may depend on the order of invocations.
pub(crate) fn colors_depend_on_order(executors: &Replicas) -> bool {
    let stages = executors.machine().program().map_or(&[][..], |program| &program.stages);
    stages.iter().any(|stage| stage.order_dependent)
}

/// Returns the required closeness of a driver's values. After a GL error they say nothing: the
/// interpreter may refuse a draw for a sampler that the driver does not find active.
pub(crate) fn closeness(executors: &Replicas, undefined: bool) -> Closeness {
    match agreement(executors) {
        _ if undefined || executors.machine().has_error() => Closeness::Undefined,
        Agreement::Exact => Closeness::Exact,
        Agreement::Single | Agreement::Half => Closeness::Inexact,
    }
}

fn read(
    machine: &mut Machine,
    device: &mut dyn Device,
    area: &Area,
    expected: &Expected,
    tolerance: [f32; 4],
) -> Result<ProbeResult, MachineError> {
    let pixels = pixels_of(area, machine.read_size());
    if leaves_framebuffer(pixels, machine.read_size()) {
        return Err(MachineError::NothingToRead("the area leaves the framebuffer"));
    }
    let PixelRect { x, y, width, height } = pixels;
    let rect = Rect { x0: x, y0: y, x1: x.saturating_add(width), y1: y.saturating_add(height) };
    let (channels, values) = match *expected {
        Expected::Rgb([r, g, b]) => (3, [r, g, b, 0.0]),
        Expected::Rgba(values) => (4, values),
        Expected::RgbaInt(values) => return machine.probe_rect_integer(rect, values, device),
        Expected::Depth(depth) => return machine.probe_depth(rect.x0, rect.y0, depth, device),
    };
    let expectation = Expectation { channels, values, tolerance };
    if matches!(area, Area::Pixel { .. } | Area::RelativePixel(_)) {
        machine.probe_pixel(rect.x0, rect.y0, &expectation, device)
    } else {
        machine.probe_rect(rect, &expectation, device)
    }
}

/// Judges one probe by the readings of one or two executors; `undefined` is true if any pixel may
/// be undefined.
fn judge(results: &[ProbeResult], agreement: Agreement, undefined: bool) -> Option<Bad> {
    let [first, rest @ ..] = results else { return None };
    let is_undefined = |failure: &ProbeFailure| {
        undefined
            || results
                .iter()
                .any(|r| r.readback.is_undefined(failure.x, failure.y, failure.channels))
    };
    let probe_failure = |failure: &ProbeFailure| {
        let note = if is_undefined(failure) { format!("\n  {UNDEFINED}") } else { String::new() };
        let text = describe(failure) + &note;
        Bad { phase: Phase::Probe, text, place: (failure.x, failure.y) }
    };
    let Some(second) = rest.first() else {
        return first.failure.as_ref().map(probe_failure);
    };
    match (&first.failure, &second.failure) {
        (Some(failure), Some(_)) => Some(probe_failure(failure)),
        (Some(failure), None) if is_undefined(failure) => Some(probe_failure(failure)),
        (Some(failure), None) => {
            let other = show_at(&second.readback, failure.x, failure.y);
            let text = format!("{}\n  Reference: {other}", describe(failure));
            Some(Bad { phase: Phase::Mismatch, text, place: (failure.x, failure.y) })
        }
        _ if undefined => None,
        (None, Some(failure)) if !is_undefined(failure) => {
            let other = show_at(&first.readback, failure.x, failure.y);
            let text =
                format!("reference interpreter: {}\n  Simulator: {other}", describe(failure));
            Some(Bad { phase: Phase::Mismatch, text, place: (failure.x, failure.y) })
        }
        (None, _) => {
            let (x, y) = first.readback.mismatch(&second.readback, agreement)?;
            let [a, b] = [first, second].map(|result| show_at(&result.readback, x, y));
            let rule =
                if agreement == Agreement::Exact { "bit for bit" } else { "within the rule" };
            let text = format!(
                "simulator and reference interpreter differ at ({x},{y}), which must agree {rule}\n  \
                 Simulator: {a}\n  Reference: {b}"
            );
            Some(Bad { phase: Phase::Mismatch, text, place: (x, y) })
        }
    }
}

/// Formats one pixel of a readback: numbers, and the stored bits of floats.
pub(crate) fn show_at(readback: &Readback, x: i32, y: i32) -> String {
    let rect = readback.rect;
    let width = rect.x1.saturating_sub(rect.x0).max(1) as usize;
    let (dx, dy) =
        (x.saturating_sub(rect.x0).max(0) as usize, y.saturating_sub(rect.y0).max(0) as usize);
    let texel = readback.texel(dy * width + dx);
    let format: Format = readback.format;
    let mut text = String::new();
    for (channel, value) in format.to_f32(texel).iter().enumerate() {
        let separator = if channel == 0 { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = match format.class() {
            FormatClass::Normalized => write!(text, "{separator}{value:.6}"),
            FormatClass::Float => write!(text, "{separator}{value:?} ({:#010x})", texel[channel]),
            FormatClass::Int => write!(text, "{separator}{}", texel[channel] as i32),
            FormatClass::Uint => write!(text, "{separator}{}", texel[channel]),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executors::context_for;
    use crate::front::linked_program;
    use gl_machine::probe::{ProbePath, compare};
    use raster::surface::Pixels;

    fn result(expected: f32, stored: f32) -> ProbeResult {
        let readback = Readback {
            rect: Rect { x0: 3, y0: 4, x1: 5, y1: 5 },
            format: Format::Rgba32f,
            pixels: Pixels::Constant([stored.to_bits(); 4]),
            undefined: Vec::new(),
        };
        let expectation = Expectation { channels: 4, values: [expected; 4], tolerance: [0.01; 4] };
        compare(ProbePath::Float, &expectation, readback)
    }

    fn phase(results: &[ProbeResult], exact: bool, undefined: bool) -> Option<Phase> {
        let agreement = if exact { Agreement::Exact } else { Agreement::Single };
        judge(results, agreement, undefined).map(|bad| bad.phase)
    }

    #[test]
    fn one_executor_alone() {
        assert_eq!(phase(&[result(1.0, 1.0)], true, false), None);
        assert_eq!(phase(&[result(1.0, 0.5)], true, false), Some(Phase::Probe));
    }

    #[test]
    fn two_executors() {
        let (good, bad) = (result(1.0, 1.0), result(1.0, 0.5));
        let near = result(1.0, 1.0f32.next_up());
        let far = result(1.0, 1.001);
        let pair = |a: &ProbeResult, b: &ProbeResult| [a.clone(), b.clone()];
        assert_eq!(phase(&pair(&good, &good), true, false), None);
        assert_eq!(phase(&pair(&bad, &bad), true, false), Some(Phase::Probe));
        assert_eq!(phase(&pair(&bad, &good), true, false), Some(Phase::Mismatch));
        assert_eq!(phase(&pair(&good, &bad), true, false), Some(Phase::Mismatch));
        assert_eq!(phase(&pair(&good, &near), true, false), Some(Phase::Mismatch));
        assert_eq!(phase(&pair(&good, &near), false, false), None);
        assert_eq!(phase(&pair(&good, &far), false, false), Some(Phase::Mismatch));
    }

    #[test]
    fn undefined_values_cannot_disagree_but_can_fail() {
        let (good, bad) = (result(1.0, 1.0), result(1.0, 0.5));
        assert_eq!(phase(&[good.clone(), bad.clone()], true, true), None);
        assert_eq!(phase(&[bad.clone(), good], true, true), Some(Phase::Probe));
        assert_eq!(phase(&[bad.clone(), bad], true, true), Some(Phase::Probe));
    }

    /// Only the undefined pixel is exempt from the comparison.
    #[test]
    fn undefined_pixels_excuse_themselves() {
        let (good, bad) = (result(1.0, 1.0), result(1.0, 0.5));
        let with = |undefined: &[u32]| {
            let undefined = undefined.iter().map(|&index| (index, 0xf)).collect();
            let readback = Readback { undefined, ..bad.readback.clone() };
            ProbeResult { readback, ..bad.clone() }
        };
        let pair = |undefined| phase(&[good.clone(), with(undefined)], true, false);
        assert_eq!(
            [pair(&[0, 1]), pair(&[0]), pair(&[1])],
            [None, Some(Phase::Mismatch), Some(Phase::Mismatch)]
        );
        let reverse = |undefined| phase(&[with(undefined), good.clone()], true, false);
        assert_eq!([reverse(&[0]), reverse(&[1])], [Some(Phase::Probe), Some(Phase::Mismatch)]);
    }

    #[test]
    fn programs_without_colors() {
        let draws_no_color = |fragment: &str| {
            let text = format!("[require]\nGLSL >= 1.30\n[vertex shader passthrough]\n{fragment}");
            let script = script::parse(text.as_bytes()).expect("a script");
            let context = context_for(&script, vocabulary::Target::SKL).expect("a context");
            let program = linked_program(&script, context);
            draws_no_color(&program.expect("it links").expect("a program").stages)
        };
        let main = |code: &str| format!("[fragment shader]\nout vec4 c;\nvoid main() {{ {code} }}");
        assert!(!draws_no_color(&main("c = vec4(1.0);")));
        assert!(!draws_no_color("[fragment shader]\nvoid main() { gl_FragColor = vec4(1.0); }"));
        assert!(draws_no_color(&main("")));
        assert!(draws_no_color(&main("gl_FragDepth = 0.5;")));
    }

    #[test]
    fn texts() {
        let text = judge(&[result(1.0, 0.5)], Agreement::Exact, false).unwrap().text;
        assert_eq!(
            text,
            "Probe color at (3,4)\n  Expected: 1.000000 1.000000 1.000000 1.000000\n  Observed: 0.500000 0.500000 \
             0.500000 0.500000\n  In bits: 0x3f800000/0x3f000000 (8388608 ULP) 0x3f800000/0x3f000000 (8388608 ULP) \
             0x3f800000/0x3f000000 (8388608 ULP) 0x3f800000/0x3f000000 (8388608 ULP)"
        );
        let text =
            judge(&[result(1.0, 0.5), result(1.0, 1.0)], Agreement::Exact, false).unwrap().text;
        assert!(text.ends_with(
            "\n  Reference: 1.0 (0x3f800000) 1.0 (0x3f800000) 1.0 (0x3f800000) 1.0 (0x3f800000)"
        ));
    }
}
