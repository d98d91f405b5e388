//! Trace of a test's waves as text: the registers at the start, and every instruction with the
//! registers it changes.

use std::fmt::Write;

use gcn_simulator::{LANES, Program, Wave};
use program::Stage;
use shader_device::TraceFilter;
use vocabulary::Width;

/// Maximum length of the text in bytes; longer traces are cut.
const LONGEST: usize = 16 << 20;
/// Lanes of vector registers that are shown.
const SHOWN: usize = 8;
/// Number of scalar registers, special ones included.
const SCALARS: usize = 128;

/// A trace under construction.
#[derive(Debug, Default)]
pub struct WaveLog {
    filter: TraceFilter,
    /// Lane of the next wave that shades the pixel of interest.
    lane: Option<usize>,
    waves: u32,
    text: String,
    cut: bool,
}

impl WaveLog {
    /// Returns an empty trace.
    pub fn new(filter: TraceFilter) -> WaveLog {
        WaveLog { filter, ..WaveLog::default() }
    }

    /// Notes the pixels that the lanes of the next wave of fragments shade, by their lower left
    /// corners.
    pub(crate) fn place(&mut self, positions: impl Iterator<Item = (f64, f64)>, live: u64) {
        self.lane = self.filter.lane_of_pixel(positions, live);
    }

    /// Returns the text so far.
    pub fn take(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        if self.cut {
            text.push_str("; more is not shown\n");
        }
        text
    }

    /// True if instructions of the stage are traced.
    pub(crate) fn follows(&self, stage: Stage) -> bool {
        !self.filter.payloads_only && !self.cut && self.is_wanted(stage)
    }

    fn is_wanted(&self, stage: Stage) -> bool {
        self.filter.takes(stage, Width::Wave64)
            && (self.filter.pixel.is_none() || self.lane.is_some())
    }

    /// Notes the start of a wave, with the first `scalars` and `vectors` registers.
    pub(crate) fn start(&mut self, stage: Stage, wave: &Wave, scalars: usize, vectors: usize) {
        if !self.is_wanted(stage) || self.is_full() {
            return;
        }
        self.waves += 1;
        // Writing to a string cannot fail.
        let note = self.filter.note(self.lane);
        let _ = writeln!(self.text, "// {stage} wave64, wave {}{note}", self.waves);
        let _ = writeln!(self.text, "exec {:016x}", wave.exec());
        for (number, value) in wave.scalar.iter().enumerate().take(scalars) {
            let _ = writeln!(self.text, "s{number:<3} {value:08x}");
        }
        for (number, values) in wave.vector.iter().enumerate().take(vectors) {
            let _ = writeln!(self.text, "v{number:<3} {}", self.shown(values));
        }
    }

    /// Notes an executed instruction and the registers it changed.
    pub(crate) fn step(&mut self, program: &Program, index: usize, before: &Wave, after: &Wave) {
        if self.is_full() {
            return;
        }
        let offset = program.instructions()[index].offset * 4;
        let (exec, text) = (before.exec(), program.text(index));
        let _ = writeln!(self.text, "{:5} {offset:#06x} [{exec:016x}] {text}", before.steps);
        if before.scc != after.scc {
            let _ = writeln!(self.text, "      scc  {}", u8::from(after.scc));
        }
        for code in (0..SCALARS).filter(|&code| before.scalar[code] != after.scalar[code]) {
            let name = amd_isa::Register::Scalar(code as u8).to_string();
            let _ = writeln!(self.text, "      {name:<4} {:08x}", after.scalar[code]);
        }
        for (number, values) in after.vector.iter().enumerate() {
            if *values != before.vector[number] {
                let _ = writeln!(self.text, "      v{number:<3} {}", self.shown(values));
            }
        }
    }

    /// The value of the pixel's lane, or the first lanes of a register.
    fn shown(&self, values: &[u32; LANES]) -> String {
        match self.lane.and_then(|lane| values.get(lane)) {
            Some(value) => format!("{value:08x}"),
            None => lanes(values),
        }
    }

    fn is_full(&mut self) -> bool {
        self.cut |= self.text.len() > LONGEST;
        self.cut
    }
}

/// The first lanes of a register.
fn lanes(values: &[u32; LANES]) -> String {
    values[..SHOWN].iter().map(|dword| format!("{dword:08x}")).collect::<Vec<_>>().join(" ")
}
