//! Counts of kernels as JSON.

use std::collections::BTreeMap;

use compiler::amd_codegen;
use compiler::output::Kernel;
use serde::Serialize;

use super::gcn::bytes;
use crate::cli::output::print_json;
use vocabulary::{Stage, Width};

/// The counts of a kernel.
#[derive(Serialize)]
pub(super) struct KernelCounts {
    stage: &'static str,
    width: Width,
    #[serde(flatten)]
    counts: BTreeMap<&'static str, u32>,
    /// BLAKE3 of the code, in hexadecimal.
    sha: String,
}

impl KernelCounts {
    pub(super) fn intel(stage: Stage, kernel: &Kernel) -> KernelCounts {
        let s = kernel.statistics;
        let counts = [
            ("instructions", s.instructions),
            ("loops", s.loops),
            ("cycles", s.cycles),
            ("spills", s.spills),
            ("fills", s.fills),
            ("sends", s.sends),
            ("registers", s.registers),
        ];
        let sha = blake3::hash(&kernel.code).to_hex().to_string();
        KernelCounts { stage: stage.name(), width: kernel.width, counts: counts.into(), sha }
    }

    pub(super) fn amd(stage: Stage, output: &amd_codegen::Output) -> KernelCounts {
        let s = &output.statistics;
        let counts = [
            ("instructions", s.instructions),
            ("vector", s.vector),
            ("scalar", s.scalar),
            ("memory", s.memory),
            ("waits", s.waits),
            ("spills", s.spills),
            ("fills", s.fills),
            ("scalar_registers", s.scalars),
            ("registers", s.vectors),
            ("scratch_bytes", output.scratch_bytes),
        ];
        let sha = blake3::hash(&bytes(output)).to_hex().to_string();
        KernelCounts { stage: stage.name(), width: Width::Wave64, counts: counts.into(), sha }
    }
}

/// Prints the counts of kernels.
pub(super) fn print(kernels: &[KernelCounts]) -> anyhow::Result<()> {
    print_json("stats", &BTreeMap::from([("kernels", kernels)]))
}
