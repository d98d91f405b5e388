//! From selected instructions to bytes: passes, allocation, encoding, statistics. Shared by both back ends.

use crate::allocate::{self, Allocation};
use crate::encode::{self, Encoded};
use crate::error::CompileError;
use crate::isel::SelectedProgram;
use crate::lir::{MessageKind, Op, Program};
use crate::model::Model;
use crate::options::Options;
use crate::output::{Compiled, Interface, Kernel, PushRange, Statistics, Width};
use crate::passes::{PassList, PassManager};
use crate::schedule;
use crate::surfaces::BindingTable;
use ir::Shader;

/// A finished kernel without its place in the metadata.
#[derive(Clone, Debug)]
pub struct GeneratedCode {
    /// Machine code.
    pub code: Vec<u8>,
    /// What allocation did.
    pub allocation: Allocation,
    /// Counts.
    pub statistics: Statistics,
    /// One remark per instruction, if asked for.
    pub annotations: Vec<String>,
}

impl GeneratedCode {
    /// The kernel of this code.
    #[must_use]
    pub fn kernel(self, width: Width, dispatch_grf_start: u32) -> Kernel {
        Kernel {
            width,
            code: self.code,
            dispatch_grf_start,
            scratch_bytes: self.allocation.scratch_bytes,
            statistics: self.statistics,
            annotations: self.annotations,
        }
    }
}

/// Code generation of one shader: what its kernels share.
#[derive(Clone, Copy)]
pub struct CodeGenerator<'a> {
    /// Facts of the generation.
    pub model: &'a Model,
    /// The caller's choices.
    pub options: &'a Options,
    /// The passes of the back end.
    pub passes: &'a PassList,
}

impl CodeGenerator<'_> {
    /// Generates the kernel of a selected program.
    ///
    /// # Errors
    /// Allocation or encoding failed; with `allow_spill` unset also a program that would spill.
    pub fn generate_kernel(
        &self,
        selected: SelectedProgram,
        allow_spill: bool,
    ) -> Result<Kernel, CompileError> {
        let SelectedProgram { program, width, push_start, scratch_bytes } = selected;
        let program = (program, width);
        let (model, options) = (self.model, self.options);
        generate_code(program, model, options, allow_spill, self.passes, scratch_bytes)
            .map(|code| code.kernel(width, push_start))
    }
}

/// A stage from its kernels; surfaces and samplers are those of the shader's resources.
#[must_use]
pub fn compiled(
    shader: &Shader,
    kernels: Vec<Kernel>,
    push: Vec<PushRange>,
    interface: Interface,
) -> Compiled {
    Compiled {
        stage: interface.stage(),
        kernels,
        push,
        bindings: BindingTable::surfaces(shader),
        samplers: (0..shader.info.samplers).collect(),
        interface,
    }
}

/// Optimises, legalises, allocates and encodes a program with a pass list; scratch memory below `scratch_base` bytes is in use already.
///
/// # Errors
/// Allocation or encoding failed; with `allow_spill` unset also a program that would spill.
pub fn generate_code(
    (mut program, width): (Program, Width),
    model: &Model,
    options: &Options,
    allow_spill: bool,
    list: &PassList,
    scratch_base: u32,
) -> Result<GeneratedCode, CompileError> {
    let mut passes = PassManager::new(options, width);
    passes.run(&mut program, model, list);
    let settings = allocate::Settings {
        allow_spill: allow_spill || options.spill_all,
        spill_all: options.spill_all,
        check: options.check_allocation,
        granularity: options.liveness,
        payload: options.payload_interference,
    };
    let allocation = allocate::allocate(&mut program, model, settings, scratch_base)?;
    if list.schedule {
        passes.optional("schedule", || schedule::schedule(&mut program, model));
    }
    let Encoded { code, origin } = encode::encode(&program, model)?;
    let statistics = statistics(&program, model, &allocation, origin.len());
    let annotations = if options.annotate {
        origin.iter().map(|&i| program.insts[i].remark.to_owned()).collect()
    } else {
        Vec::new()
    };
    Ok(GeneratedCode { code, allocation, statistics, annotations })
}

fn statistics(program: &Program, model: &Model, allocation: &Allocation, instructions: usize) -> Statistics {
    let count = |f: fn(&crate::lir::Inst) -> bool| program.insts.iter().filter(|i| f(i)).count() as u32;
    Statistics {
        instructions: instructions as u32,
        loops: count(|i| i.op == Op::While),
        cycles: schedule::estimate(program, model),
        spills: allocation.spills,
        fills: allocation.fills,
        sends: count(|i| i.op.is_send()),
        registers: allocate::graph::registers_used(program).min(128),
        max_live: allocation.max_live,
    }
}

/// Messages whose order with each other matters.
#[must_use]
pub fn is_ordered(kind: MessageKind) -> bool {
    !matches!(kind, MessageKind::ConstantLoad | MessageKind::Sample | MessageKind::UrbRead)
}
