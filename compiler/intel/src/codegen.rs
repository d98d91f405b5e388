//! Code generation: passes, allocation, encoding and statistics of selected programs.

use crate::allocate::{self, Allocation};
use crate::encode::{self, Encoded};
use crate::error::CompileError;
use crate::isel::SelectedProgram;
use crate::lir::{Op, Program};
use crate::model::Model;
use crate::options::Options;
use crate::output::{Compiled, Interface, Kernel, PushRange, Statistics, Width};
use crate::passes::{LirFunction, PassList};
use crate::surfaces::BindingTable;
use crate::timing;
use ir::{Pass, PassManager, PassOptions, Shader};

/// A kernel without its place in the metadata.
struct GeneratedCode {
    /// Machine code.
    code: Vec<u8>,
    /// Result of the allocation.
    allocation: Allocation,
    /// Counts.
    statistics: Statistics,
    /// One remark per instruction, if asked for.
    annotations: Vec<String>,
}

impl GeneratedCode {
    /// Returns the kernel of this code.
    fn kernel(self, width: Width, dispatch_grf_start: u32) -> Kernel {
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

/// Code generation of one shader: the part that its kernels share.
#[derive(Clone, Copy)]
pub struct CodeGenerator<'a> {
    /// The device and the quirks to handle.
    pub model: &'a Model,
    /// The caller's choices.
    pub options: &'a Options,
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
        let options = self.options;
        let mut manager = PassManager::new(PassOptions {
            limit: options.kernel_limit(selected.width),
            disabled: options.disabled_passes.clone(),
            log: options.log.is_some(),
            validate: options.check_allocation,
        });
        let (width, push_start) = (selected.width, selected.push_start);
        let code = generate_code(selected, self.model, options, allow_spill, &mut manager);
        if let Some(sink) = &options.log {
            sink.push(width, manager.log().clone());
        }
        code.map(|code| code.kernel(width, push_start))
    }
}

/// Returns a stage from its kernels; surfaces and samplers are those of the shader's resources.
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

/// Most rounds of a repeated list; each round of a useful pass shrinks the program, so real
/// programs need fewer.
const MAX_ROUNDS: usize = 16;

/// Takes a selected program to machine code: the whole back end after instruction selection.
///
/// # Errors
/// The pass, allocation or encoding that failed; with `allow_spill` unset also a program that would
/// spill.
fn generate_code(
    SelectedProgram { mut program, width, scratch_bytes, .. }: SelectedProgram,
    model: &Model,
    options: &Options,
    allow_spill: bool,
    manager: &mut PassManager<'_, Program>,
) -> Result<GeneratedCode, CompileError> {
    let list = PassList::of(width);
    let apply = |pass: LirFunction, program: &mut Program| pass(program, model);
    manager.run_to_fixpoint(&mut program, list.optimize, MAX_ROUNDS, apply)?;
    program.compact_registers();
    for &Pass { name, run } in list.legalize {
        manager.run_required(&mut program, Pass { name, run: |p: &mut Program| run(p, model) })?;
    }
    manager.run_to_fixpoint(&mut program, list.clean_up, MAX_ROUNDS, apply)?;
    program.compact_registers();
    let settings = allocate::Settings {
        allow_spill: allow_spill || options.spill_all,
        spill_all: options.spill_all,
        check: options.check_allocation,
        granularity: options.liveness,
        payload: options.payload_interference,
    };
    let allocation = allocate::allocate(&mut program, model, settings, scratch_bytes)?;
    manager.run_to_fixpoint(&mut program, list.allocated, 1, apply)?;
    let Encoded { code, origin } = encode::encode(&program, model)?;
    let statistics = statistics(&program, model, &allocation, origin.len());
    let annotations = if options.annotate {
        origin.iter().map(|&i| program.insts[i].remark.to_owned()).collect()
    } else {
        Vec::new()
    };
    Ok(GeneratedCode { code, allocation, statistics, annotations })
}

fn statistics(
    program: &Program,
    model: &Model,
    allocation: &Allocation,
    instructions: usize,
) -> Statistics {
    let count =
        |f: fn(&crate::lir::Inst) -> bool| program.insts.iter().filter(|i| f(i)).count() as u32;
    Statistics {
        instructions: instructions as u32,
        loops: count(|i| i.op == Op::While),
        cycles: timing::estimate(program, model),
        spills: allocation.spills,
        fills: allocation.fills,
        sends: count(|i| i.op.is_send()),
        registers: allocate::graph::registers_used(program).min(128),
        max_live: allocation.max_live,
    }
}
