//! Recording of an explanation: every probe, the framebuffers at the first failed one, the executed
//! code. An ordinary run records nothing.

use gl_machine::probe::Readback;
use raster::rasterize::Rect;
use script::{Command, Expected, Script};

use super::explanation::{BufferRecord, ProbedArea, ProbedValues};
use super::probe::{Reading, show_at};
use super::replicas::Replica;
use super::session::Session;
use crate::device::DeviceKind;
use results::bundle::ProbeRecord;
use results::verdict::Phase;

/// Maximum number of recorded areas.
const AREAS: usize = 4096;
/// Maximum number of recorded bytes of a buffer.
const BUFFER_BYTES: usize = 64 << 10;

impl Session<'_> {
    /// Records a probe of the current line: the expected value and each executor's value.
    pub(super) fn record_probe(
        &mut self,
        phase: Option<Phase>,
        expected: impl FnOnce() -> String,
        observed: impl FnOnce() -> Vec<String>,
    ) {
        let Some(explanation) = self.explanation.as_deref_mut() else { return };
        let mut record = ProbeRecord {
            line: self.replicas.line,
            expected: expected(),
            phase,
            ..ProbeRecord::default()
        };
        for (executor, text) in self.replicas.all.iter().zip(observed()) {
            match executor.kind {
                DeviceKind::Simulator => record.simulator = Some(text),
                DeviceKind::Interpreter => record.reference = Some(text),
            }
        }
        explanation.probes.push(record);
        if phase.is_some() {
            self.record_images();
        }
    }

    /// Records a probe of pixels: the failed pixel, or the first one.
    pub(super) fn record_pixels(&mut self, expected: &Expected, reading: &Reading) {
        self.record_area(expected, reading);
        if let Some(result) = reading.results.first() {
            self.record_values(|| ProbedValues::Texels(result.readback.texels().collect()));
        }
        let bad = reading.bad.as_ref();
        let shown = |readback: &Readback| {
            let (x, y) = bad.map_or((readback.rect.x0, readback.rect.y0), |bad| bad.place);
            format!("({x},{y}): {}", show_at(readback, x, y))
        };
        let observed = || reading.results.iter().map(|result| shown(&result.readback)).collect();
        self.record_probe(bad.map(|bad| bad.phase), || numbers(expected), observed);
    }

    /// Records what a probe read on the first executor.
    pub(super) fn record_values(&mut self, values: impl FnOnce() -> ProbedValues) {
        if let Some(explanation) = self.explanation.as_deref_mut()
            && explanation.keeps_values
        {
            explanation.values.push(values());
        }
    }

    /// Records the area of a probe of colors.
    fn record_area(&mut self, expected: &Expected, reading: &Reading) {
        let Some(explanation) = self.explanation.as_deref_mut() else { return };
        if let (Some(color), Some(result)) = (color(expected), reading.results.first())
            && !explanation.changed
            && explanation.areas.len() < AREAS
        {
            explanation.areas.push(ProbedArea { rect: result.readback.rect, color });
        }
    }

    /// Records that a command changes a framebuffer. Compute shaders do so only through images.
    pub(super) fn record_drawing(&mut self, command: &Command<'_>) {
        if let (true, Some(explanation)) =
            (changes_pixels(command), self.explanation.as_deref_mut())
        {
            explanation.drawn = true;
            match explanation.snapshots.is_empty() {
                true => explanation.areas.clear(),
                false => explanation.changed = true,
            }
        }
    }

    /// Records the framebuffers unless they are already recorded.
    fn record_images(&mut self) {
        let Some(explanation) = self.explanation.as_deref_mut() else { return };
        if explanation.drawn && explanation.snapshots.is_empty() {
            let shown = |executor: &mut Replica| {
                let (width, height) = executor.machine.read_size();
                let rect = Rect::of_size(width, height);
                // A framebuffer without color, or beyond the step limit, has no image.
                Some((executor.kind, executor.machine.read_back(rect, &mut *executor.device).ok()?))
            };
            explanation.snapshots = self.replicas.all.iter_mut().filter_map(shown).collect();
        }
    }

    /// Records the buffers, if they are wanted.
    fn record_buffers(&mut self) {
        let Some(explanation) = self.explanation.as_deref_mut() else { return };
        if !explanation.keeps_buffers {
            return;
        }
        for Replica { kind, machine, .. } in &self.replicas.all {
            let storage = machine.storage_buffers().map(|(n, id)| (format!("ssbo {n}"), id));
            let atomic = machine.atomic_buffers();
            let atomic = atomic.map(|(n, id)| (format!("atomic counter buffer {n}"), id));
            let record = |(name, id)| {
                let whole = machine.buffer(id);
                let bytes = whole[..whole.len().min(BUFFER_BYTES)].to_vec();
                BufferRecord { executor: *kind, name, size: whole.len(), bytes }
            };
            explanation.buffers.extend(storage.chain(atomic).map(record));
        }
    }

    /// Records the framebuffers, buffers and kernels at the end of the test.
    pub(crate) fn record_end(&mut self) {
        self.record_images();
        self.record_buffers();
        if let Some(explanation) = self.explanation.as_deref_mut() {
            explanation.kernels = self.replicas.primary().device.kernels();
        }
    }
}

/// Returns true if a script clears or draws.
pub(crate) fn draws(script: &Script<'_>) -> bool {
    script.test.iter().flatten().any(|line| changes_pixels(&line.command))
}

fn changes_pixels(command: &Command<'_>) -> bool {
    matches!(
        command,
        Command::Clear
            | Command::DrawRect(_)
            | Command::DrawArrays(_)
            | Command::MultiDrawArrays(_)
            | Command::DrawElements(_)
            | Command::Framebuffer(_)
    )
}

/// Returns the color of an image where a probe expects it; `None` for depth.
fn color(expected: &Expected) -> Option<[u8; 4]> {
    let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let [r, g, b] = match *expected {
        Expected::Rgb(color) => color.map(byte),
        Expected::Rgba([r, g, b, _]) => [r, g, b].map(byte),
        Expected::RgbaInt([r, g, b, _]) => [r, g, b].map(|value| value as u8),
        Expected::Depth(_) => return None,
    };
    Some([r, g, b, 255])
}

fn numbers(expected: &Expected) -> String {
    let join =
        |values: &[f32]| values.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(" ");
    match expected {
        Expected::Rgb(values) => join(values),
        Expected::Rgba(values) => join(values),
        Expected::RgbaInt(values) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
        Expected::Depth(depth) => join(&[*depth]),
    }
}
