//! Numbers of the generated code, and their selection.

use crate::Code;
use vocabulary::Stage;

/// A number of a shader. Less is better for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the statistics")]
pub enum Metric {
    Instructions,
    Loops,
    Cycles,
    Executed,
    Spills,
    Fills,
    Sends,
    Registers,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Metric; 8] = [
        Metric::Instructions,
        Metric::Loops,
        Metric::Cycles,
        Metric::Executed,
        Metric::Spills,
        Metric::Fills,
        Metric::Sends,
        Metric::Registers,
    ];
    /// Metrics of comparisons without a selection. Registers are left out: most changes of code
    /// change them, and only spills cost.
    pub const COMPARED: [Metric; 7] = [
        Metric::Instructions,
        Metric::Loops,
        Metric::Cycles,
        Metric::Executed,
        Metric::Spills,
        Metric::Fills,
        Metric::Sends,
    ];

    /// Returns the name, as in results files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Instructions => "instructions",
            Metric::Loops => "loops",
            Metric::Cycles => "cycles",
            Metric::Executed => "executed",
            Metric::Spills => "spills",
            Metric::Fills => "fills",
            Metric::Sends => "sends",
            Metric::Registers => "registers",
        }
    }

    /// Returns the metric with this name.
    pub fn from_name(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Returns the number of a shader.
    pub fn of(self, code: &Code<'_>) -> u64 {
        match self {
            Metric::Instructions => code.instructions.into(),
            Metric::Loops => code.loops.into(),
            Metric::Cycles => code.cycles,
            Metric::Executed => code.executed,
            Metric::Spills => code.spills.into(),
            Metric::Fills => code.fills.into(),
            Metric::Sends => code.sends.into(),
            Metric::Registers => code.registers.into(),
        }
    }
}

impl Metric {
    /// Returns the numbers of a shader in several runs; zeros if one of them is not known, so that
    /// sums can be compared.
    pub(super) fn of_all(self, codes: &[&Code<'_>]) -> Vec<u64> {
        let numbers: Vec<u64> = codes.iter().map(|code| self.of(code)).collect();
        let may_be_unknown = matches!(self, Metric::Cycles | Metric::Executed);
        if may_be_unknown && numbers.contains(&0) { vec![0; numbers.len()] } else { numbers }
    }
}

/// A selection of numbers and stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSelection {
    /// The metrics.
    pub metrics: Vec<Metric>,
    /// The stages; empty means all.
    pub stages: Vec<Stage>,
}

impl Default for CodeSelection {
    fn default() -> CodeSelection {
        CodeSelection { metrics: Metric::COMPARED.to_vec(), stages: Vec::new() }
    }
}

impl CodeSelection {
    /// Returns true if code of this stage is selected.
    pub(super) fn has(&self, code: &Code<'_>) -> bool {
        self.stages.is_empty() || self.stages.contains(&code.stage)
    }
}
