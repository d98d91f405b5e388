//! Verdict, code, probes and framebuffers of a test.

use std::path::Path;

use serde::Serialize;

use crate::code::{KernelListing, executed};
use crate::picture::{Picture, packed};
use execute::{BufferRecord, DeviceKind, Explanation, TestCase};
use results::bundle::ProbeRecord;
use results::place::place;
use results::verdict::{Phase, StageStatistics, Status, Verdict};

/// All that an execution on one target shows.
#[derive(Debug, Serialize)]
pub(crate) struct TestLook {
    verdict: VerdictLook,
    /// Numbers of the executed code.
    stages: Vec<StageStatistics>,
    /// The executed code.
    kernels: Vec<KernelListing>,
    probes: Vec<ProbeRecord>,
    /// Framebuffers at the first failed probe, or at the end.
    pictures: Vec<Picture>,
    /// Buffers at the end.
    buffers: Vec<BufferLook>,
}

/// A buffer of one executor.
#[derive(Debug, Serialize)]
struct BufferLook {
    executor: &'static str,
    name: String,
    /// Size of the whole in bytes.
    size: usize,
    /// Its first bytes: zlib in base64.
    data: String,
}

impl BufferLook {
    fn of(record: BufferRecord) -> BufferLook {
        let BufferRecord { executor, name, size, bytes } = record;
        BufferLook { executor: executor_name(executor), name, size, data: packed(&bytes) }
    }
}

/// A verdict with the place that its reason names.
#[derive(Debug, Serialize)]
struct VerdictLook {
    status: Status,
    phase: Option<Phase>,
    reason: Option<String>,
    /// Line of the test file, from 1.
    line: Option<u32>,
    /// Column in characters, from 1; `None` means the whole line.
    column: Option<u32>,
}

impl VerdictLook {
    fn of(verdict: Verdict) -> VerdictLook {
        let (phase, reason) = verdict.cause.unzip();
        let place = reason.as_deref().and_then(place);
        VerdictLook {
            status: verdict.status,
            phase,
            line: place.map(|place| place.line),
            column: place.and_then(|place| place.column),
            reason,
        }
    }
}

/// Executes a text and describes all that came of it.
pub(crate) fn result(path: &Path, text: &[u8], case: &TestCase<'_>) -> TestLook {
    let mut explanation = Explanation { keeps_buffers: true, ..Explanation::default() };
    let mut verdict = execute::run_replaced_explained(path, text, case, &mut explanation).cut();
    explanation.name_probes(text);
    let pictures = explanation.snapshots.iter();
    TestLook {
        stages: std::mem::take(&mut verdict.stages),
        verdict: VerdictLook::of(verdict),
        kernels: executed(&explanation.kernels, case.target),
        probes: explanation.probes,
        pictures: pictures
            .filter_map(|(kind, values)| Picture::of(executor_name(*kind), values))
            .collect(),
        buffers: explanation.buffers.into_iter().map(BufferLook::of).collect(),
    }
}

fn executor_name(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Simulator => "simulator",
        DeviceKind::Interpreter => "reference",
    }
}
