//! Trace of a test's threads as text: the payload at the start, and every instruction with the
//! registers it changes.

use std::fmt::Write;

use eu_simulator::Thread;
use eu_simulator::regs::{GRF_COUNT, Registers};
use eu_simulator::trace::{Step, Trace};
use intel_isa::DevInfo;
use program::Stage;
use shader_device::TraceFilter;
use vocabulary::Width;

/// Maximum length of the text in bytes; longer traces are cut.
const LONGEST: usize = 16 << 20;

/// A trace under construction.
pub struct TraceLog {
    devinfo: &'static DevInfo,
    /// Contents of unwritten registers.
    blank: Registers,
    filter: TraceFilter,
    /// Stage and width in execution.
    running: Option<(Stage, Width)>,
    /// Lane of the thread in execution that shades the pixel of interest.
    lane: Option<usize>,
    threads: u32,
    text: String,
    cut: bool,
}

impl TraceLog {
    /// Returns an empty trace of threads whose unwritten registers are filled from `seed`.
    pub fn new(devinfo: &'static DevInfo, seed: u64, filter: TraceFilter) -> TraceLog {
        TraceLog {
            devinfo,
            blank: Thread::new(devinfo, seed).regs,
            filter,
            running: None,
            lane: None,
            threads: 0,
            text: String::new(),
            cut: false,
        }
    }

    /// Starts the threads of a stage and width.
    pub fn begin(&mut self, stage: Stage, width: Width) {
        self.running = Some((stage, width)).filter(|_| self.filter.takes(stage, width));
        self.lane = None;
    }

    /// Notes the pixels that the lanes of the next thread of fragments shade, by their lower left
    /// corners. Returns true if the thread is traced.
    pub(crate) fn place(&mut self, positions: &[(f64, f64)], live: u32) -> bool {
        self.lane = self.filter.lane_of_pixel(positions.iter().copied(), live.into());
        self.running.is_some() && (self.filter.pixel.is_none() || self.lane.is_some())
    }

    /// Returns the text so far.
    pub fn take(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        if self.cut {
            text.push_str("; more is not shown\n");
        }
        text
    }

    fn start(&mut self, stage: Stage, width: Width, payload: &Registers) {
        self.threads += 1;
        // Writing to a string cannot fail.
        let note = self.filter.note(self.lane);
        let _ = writeln!(self.text, "// {stage} {}, thread {}{note}", width.name(), self.threads);
        for nr in 0..GRF_COUNT {
            let register = payload.register(nr);
            if register != self.blank.register(nr) {
                let _ = writeln!(self.text, "g{nr:<3} {}", dwords(&register));
            }
        }
    }
}

impl Trace for TraceLog {
    fn step(&mut self, step: &Step) {
        let Some((stage, width)) = self.running else { return };
        if self.text.len() > LONGEST {
            self.cut = true;
            return;
        }
        if step.executed == 0 {
            self.start(stage, width, step.before);
        }
        if self.filter.payloads_only {
            return;
        }
        let inst = intel_isa::print_inst(self.devinfo, step.inst);
        let _ = writeln!(
            self.text,
            "{:5} {:#06x} [{:08x}] {inst}",
            step.executed, step.offset, step.enabled
        );
        for (nr, _, after) in step.changed() {
            let _ = writeln!(self.text, "      g{nr:<3} {}", dwords(&after));
        }
    }
}

fn dwords(register: &[u32; 8]) -> String {
    register.iter().map(|dword| format!("{dword:08x}")).collect::<Vec<_>>().join(" ")
}
