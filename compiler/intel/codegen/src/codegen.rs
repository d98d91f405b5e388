//! Code generation: passes, allocation, encoding and statistics of selected programs.

use crate::allocate::{self, Allocation};
use crate::encode::{self, Encoded};
use crate::error::CompileError;
use crate::isel::{self, SelectedProgram, Selection, StageSelection, Target};
use crate::legalize::split_long_branches;
use crate::lir::{Op, Program};
use crate::model::Model;
use crate::output::{Interface, Kernel, Output, PushRange, Statistics, Width};
use crate::passes::{LirFunction, PassList, PassRecord};
use crate::surfaces::BindingTable;
use crate::timing;
use ir::{Pass, PassManager, PassOptions, Shader};
use vocabulary::{CodegenOptions, LineTable, Phase, Stage};

/// A kernel without its place in the metadata.
struct GeneratedCode {
    /// Machine code.
    code: Vec<u8>,
    /// Its source lines.
    lines: LineTable,
    /// Result of the allocation.
    allocation: Allocation,
    /// Counts.
    statistics: Statistics,
}

impl GeneratedCode {
    /// Returns the kernel of this code.
    fn kernel(self, width: Width, dispatch_grf_start: u32) -> Kernel {
        Kernel {
            width,
            code: self.code,
            lines: self.lines,
            dispatch_grf_start,
            scratch_bytes: self.allocation.scratch_bytes,
            statistics: self.statistics,
        }
    }
}

/// Code generation of one shader: the part that its kernels share.
#[derive(Clone, Copy)]
pub struct CodeGenerator<'a> {
    /// The device and the quirks to handle.
    pub model: &'a Model,
    /// The caller's choices.
    pub options: &'a CodegenOptions,
    /// The shader's stage.
    pub stage: Stage,
    /// Optional passes of this compilation.
    pub record: &'a PassRecord,
}

impl CodeGenerator<'_> {
    /// Compiles a stage that has one kernel. `interface` takes the stage's state after instruction
    /// selection to the metadata.
    ///
    /// # Errors
    /// Instruction selection, allocation or encoding failed.
    pub fn compile_single<T: Target, S: StageSelection<T>>(
        &self,
        shader: &Shader,
        width: Width,
        push: Vec<PushRange>,
        mut stage: S,
        interface: impl FnOnce(S) -> Interface,
    ) -> Result<Output, CompileError> {
        let selection = Selection::new(shader, self.model, width, &push);
        let selected = isel::select(selection, &mut stage)?;
        let kernel = self.generate_kernel(selected, true)?;
        Ok(output(shader, vec![kernel], push, interface(stage)))
    }

    /// Generates the kernel of a selected program.
    ///
    /// # Errors
    /// Allocation or encoding failed; with `allow_spill` unset also a program that would spill.
    pub fn generate_kernel(
        &self,
        selected: SelectedProgram,
        allow_spill: bool,
    ) -> Result<Kernel, CompileError> {
        let CodeGenerator { model, options, stage, record } = *self;
        let (width, push_start) = (selected.width, selected.push_start);
        let mut manager = PassManager::new(PassOptions {
            limit: options.kernel_limit(stage, width).map(|limit| record.left(limit)),
            disabled: options.disabled_passes.clone(),
            log: record.is_recording(),
            validate: is_checked(options),
        });
        let code = generate_code(selected, model, options, allow_spill, &mut manager);
        record.push(width, manager.log());
        code.map(|code| code.kernel(width, push_start))
    }
}

/// True if LIR is validated after each pass, and allocations are re-proved.
fn is_checked(options: &CodegenOptions) -> bool {
    options.paranoid || cfg!(debug_assertions)
}

/// Returns a stage from its kernels; surfaces and samplers are those of the shader's resources.
#[must_use]
pub fn output(
    shader: &Shader,
    kernels: Vec<Kernel>,
    push: Vec<PushRange>,
    interface: Interface,
) -> Output {
    Output {
        stage: interface.stage(),
        kernels,
        push,
        bindings: BindingTable::surfaces(shader),
        samplers: (0..shader.info.samplers).collect(),
        interface,
    }
}

/// Maximum number of rounds of a repeated list; each round of a useful pass shrinks the program, so
/// real programs need fewer.
const MAX_ROUNDS: usize = 16;

/// Maximum number of instructions that allocation makes of one, for the choice of programs that
/// branches may not reach across.
const MAX_GROWTH: usize = 16;

/// Takes a selected program to machine code: the whole back end after instruction selection.
///
/// # Errors
/// The pass, allocation or encoding that failed; with `allow_spill` unset also a program that would
/// spill.
fn generate_code(
    SelectedProgram { mut program, width, scratch_bytes, .. }: SelectedProgram,
    model: &Model,
    options: &CodegenOptions,
    allow_spill: bool,
    manager: &mut PassManager<'_, Program>,
) -> Result<GeneratedCode, CompileError> {
    let list = PassList::of(width);
    let apply = |pass: LirFunction, program: &mut Program| pass(program, model);
    manager.run_to_fixpoint(&mut program, list.simplify, MAX_ROUNDS, apply)?;
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
        check: is_checked(options),
        granularity: options.liveness,
        payload: options.payload_interference,
    };
    let finish = |program: &mut Program, manager: &mut PassManager<'_, Program>| {
        let allocation = allocate::allocate(program, model, settings, scratch_bytes)?;
        program.spread_lines();
        manager.run_to_fixpoint(program, list.allocated, 1, apply)?;
        Ok((allocation, encode::encode(program, model)?))
    };
    let reach = model.devinfo().branch_reach();
    // Parts of split branches have a flag of their own.
    let whole = (program.insts.len() > reach / MAX_GROWTH).then(|| program.clone());
    manager.run_to_fixpoint(&mut program, list.late, 1, apply)?;
    let mut finished = finish(&mut program, manager);
    // Spills make parts longer than they were: try shorter ones.
    for limit in (1..=6).map(|shift| reach >> shift) {
        let unreachable = program.insts.len() > reach
            && finished.as_ref().is_err_and(|error: &CompileError| error.phase == Phase::Encode);
        let Some(whole) = whole.as_ref().filter(|_| unreachable) else { break };
        let mut split = whole.clone();
        let run = |p: &mut Program| split_long_branches(p, limit);
        if manager.run_required(&mut split, Pass { name: "split_long_branches", run })? {
            program = split;
            finished = finish(&mut program, manager);
        }
    }
    let (allocation, Encoded { code, origin }) = finished?;
    let statistics = statistics(&program, model, &allocation, origin.len());
    let mut lines = LineTable::default();
    for (offset, &index) in (0..).step_by(16).zip(&origin) {
        lines.push(offset, program.insts[index].line);
    }
    Ok(GeneratedCode { code, lines, allocation, statistics })
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
