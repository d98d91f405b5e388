//! Facts about programs, and broken rules.

use serde::{Deserialize, Serialize};

/// Stage of the hardware that executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HardwareStage {
    /// Vertex shader before tessellation.
    Ls,
    /// Tessellation control shader.
    Hs,
    /// Vertex or tessellation evaluation shader before a geometry shader.
    Es,
    /// Geometry shader.
    Gs,
    /// The stage that exports positions.
    Vs,
    /// Fragment shader.
    Ps,
    /// Compute shader.
    Cs,
}

impl HardwareStage {
    /// The stage of a name.
    pub fn get(name: &str) -> Option<HardwareStage> {
        Some(match name {
            "ls" => HardwareStage::Ls,
            "hs" => HardwareStage::Hs,
            "es" => HardwareStage::Es,
            "gs" => HardwareStage::Gs,
            "vs" => HardwareStage::Vs,
            "ps" => HardwareStage::Ps,
            "cs" => HardwareStage::Cs,
            _ => return None,
        })
    }
}

/// Facts about a program that its instructions do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramFacts {
    /// The stage; none for fragments of programs.
    pub stage: Option<HardwareStage>,
    /// Number of scalar registers in its allocation, without VCC.
    pub scalars: u8,
    /// Number of vector registers in its allocation.
    pub vectors: u16,
}

impl ProgramFacts {
    /// As many registers as a program of the chip can have.
    pub fn largest(stage: Option<HardwareStage>) -> ProgramFacts {
        ProgramFacts { stage, scalars: 102, vectors: 256 }
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Offset of the instruction in bytes.
    pub offset: usize,
    /// Name of the rule.
    pub rule: &'static str,
    /// Description of the problem.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#06x}: {}: {}", self.offset, self.rule, self.message)
    }
}
