//! Notes for explaining a verdict: every probe, the framebuffers at the first that failed, the code executed. Nothing
//! is noted in an ordinary run.

use script::Expected;
use softgl::probe::Readback;
use softgl::raster::Rect;

use super::device::DeviceKind;
use super::probe::{Reading, show_at};
use super::session::Session;
use super::side::Side;
use results::bundle::ProbeRecord;
use results::verdict::Phase;

impl Session<'_> {
    /// Notes a probe of the current line: what was expected, and what each executor showed.
    pub(super) fn note(
        &mut self,
        layer: Option<Phase>,
        expected: impl FnOnce() -> String,
        observed: impl FnOnce() -> Vec<String>,
    ) {
        let Some(explanation) = self.explanation.as_deref_mut() else { return };
        let mut record =
            ProbeRecord { line: self.line, expected: expected(), layer, ..ProbeRecord::default() };
        for (side, text) in self.sides.all.iter().zip(observed()) {
            match side.kind {
                DeviceKind::Simulator => record.simulator = Some(text),
                DeviceKind::Interpreter => record.reference = Some(text),
            }
        }
        explanation.probes.push(record);
        if layer.is_some() {
            self.note_images();
        }
    }

    /// Notes a probe of pixels: the pixel that failed, or the first one.
    pub(super) fn note_pixels(&mut self, expected: &Expected, reading: &Reading) {
        let bad = reading.bad.as_ref();
        let shown = |readback: &Readback| {
            let (x, y) = bad.map_or((readback.rect.x0, readback.rect.y0), |bad| bad.place);
            format!("({x},{y}): {}", show_at(readback, x, y))
        };
        let observed = || reading.results.iter().map(|result| shown(&result.readback)).collect();
        self.note(bad.map(|bad| bad.layer), || numbers(expected), observed);
    }

    /// Notes the framebuffers, if none are noted yet.
    fn note_images(&mut self) {
        let Some(explanation) = self.explanation.as_deref_mut() else { return };
        if explanation.snapshots.is_empty() {
            let shown = |side: &mut Side| {
                let (width, height) = side.machine.read_size();
                let rect = Rect::of_size(width, height);
                // A framebuffer without colour, or beyond the step limit, has no image.
                Some((side.kind, side.machine.read_back(rect, &mut *side.device).ok()?))
            };
            explanation.snapshots = self.sides.all.iter_mut().filter_map(shown).collect();
        }
    }

    /// Notes what there is when the test is over.
    pub(super) fn note_end(&mut self) {
        self.note_images();
        if let Some(explanation) = self.explanation.as_deref_mut() {
            explanation.kernels = self.sides.primary().device.kernels();
        }
    }
}

fn numbers(expected: &Expected) -> String {
    let join = |values: &[f32]| values.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(" ");
    match expected {
        Expected::Rgb(values) => join(values),
        Expected::Rgba(values) => join(values),
        Expected::RgbaInt(values) => values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Expected::Depth(depth) => join(&[*depth]),
    }
}
