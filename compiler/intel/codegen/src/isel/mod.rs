//! Instruction selection: the skeleton that both back ends share.
//!
//! [`Selection`] is the selection of one kernel in progress. A back end is a [`Target`]: the
//! operations in which back ends differ. A shader stage is a [`StageSelection`]: payload,
//! intrinsics, and the messages that end a thread. Callers pass the stage to [`select`]; this
//! module imports no stage and no back end.
//!
//! * `control_flow`: blocks, branches, loops and jumps;
//! * `phis`: registers of phis, copies at the ends of their predecessors;
//! * `fusion`: multiplications that become part of additions;
//! * `component_reads`: components of values that are read;
//! * [`values`]: types, constants, negated conditions;
//! * [`memory_effects`], [`push_constants`], [`widths`]: facts and choices of stages that do not
//!   depend on the back end.

mod component_reads;
mod control_flow;
mod fusion;
pub mod memory_effects;
mod phis;
pub mod push_constants;
pub mod values;
pub mod widths;

use crate::error::CompileError;
use crate::lir::{Inst, Op, Operand, PredMode, Program, Type};
use crate::model::Model;
use crate::output::{PushRange, Width};
use crate::surfaces::BindingTable;
use cranelift_entity::SecondaryMap;
use fusion::{Fusions, Product};
use ir::{Alu, Block, Intrinsic, Shader, Tex, Value};
use std::collections::BTreeMap;
use vocabulary::SourceLine;

/// A back end: the operations of instruction selection in which the back ends differ. The
/// implementing type holds the back end's own state of a selection.
pub trait Target: Default {
    /// The registers of one value; the default is a value without any.
    type Location: Clone + Default;

    /// Marks values that need no instruction of their own. Runs once, before fusion.
    fn choose_skipped(_isel: &mut Selection<'_, Self>) {}

    /// Returns whether `alu`, which defines `result`, may take part in a fusion.
    fn can_fuse(shader: &Shader, alu: &Alu, result: Value) -> bool;

    /// Returns whether the fusion of `product` into `sums` saves an instruction.
    fn is_fusion_useful(_shader: &Shader, _product: Value, _sums: &[Value]) -> bool {
        true
    }

    /// Emits the modes of the float unit, first in the program.
    fn emit_float_modes(isel: &mut Selection<'_, Self>);

    /// Emits what the body's memory accesses share, before registers of phis are allocated.
    fn emit_body_prologue(_isel: &mut Selection<'_, Self>) {}

    /// Allocates local variables, after the registers of phis.
    ///
    /// # Errors
    /// They do not fit.
    fn allocate_locals(_isel: &mut Selection<'_, Self>) -> Result<(), CompileError> {
        Ok(())
    }

    /// Forgets the constants that registers hold.
    fn invalidate_constants(_isel: &mut Selection<'_, Self>) {}

    /// Emits an ALU operation.
    ///
    /// # Errors
    /// The back end lacks the operation.
    fn emit_alu(
        isel: &mut Selection<'_, Self>,
        alu: &Alu,
        result: Value,
    ) -> Result<(), CompileError>;

    /// Emits a texture instruction.
    ///
    /// # Errors
    /// The back end lacks the instruction.
    fn emit_texture(
        isel: &mut Selection<'_, Self>,
        tex: &Tex,
        result: Value,
    ) -> Result<(), CompileError>;

    /// Defines a value with any contents.
    fn define_undefined(isel: &mut Selection<'_, Self>, result: Value);

    /// Allocates the registers of a phi.
    fn define_phi(isel: &mut Selection<'_, Self>, phi: Value);

    /// Ends the lifetime of a phi's registers where its source is undefined.
    fn undefine_phi(_isel: &mut Selection<'_, Self>, _phi: Value) {}

    /// Appends the copies (destination, source) that give a phi the value `source`.
    fn push_phi_copies(
        isel: &mut Selection<'_, Self>,
        phi: Value,
        source: Value,
        copies: &mut Vec<(Operand, Operand)>,
    );

    /// Sets the flag where the boolean `cond` holds. Returns the predicate that tests it: mode and
    /// inversion.
    ///
    /// # Errors
    /// The back end lacks the comparison that defines the condition.
    fn emit_condition(
        isel: &mut Selection<'_, Self>,
        cond: Value,
    ) -> Result<(PredMode, bool), CompileError>;

    /// Appends a control-flow marker.
    fn emit_control<'s>(isel: &'s mut Selection<'_, Self>, op: Op) -> &'s mut Inst;

    /// Appends `dst = src`.
    fn emit_mov(isel: &mut Selection<'_, Self>, dst: Operand, src: Operand);

    /// Returns a new register for one value of type `ty` per channel.
    fn new_register(isel: &mut Selection<'_, Self>, ty: Type) -> Operand;

    /// Returns the bytes of scratch memory per thread that the shader's own variables take.
    fn scratch_bytes(isel: &Selection<'_, Self>) -> u32;
}

/// Lowering of one stage for one back end: payload, intrinsics, end of the thread. The
/// implementing type holds the stage's state of a selection.
pub trait StageSelection<T: Target> {
    /// Assigns the registers of the payload.
    ///
    /// # Errors
    /// The payload does not fit the register file.
    fn lay_out_payload(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError>;

    /// Emits the stage's instructions before the body.
    ///
    /// # Errors
    /// The generation lacks a message.
    fn emit_prologue(&mut self, _isel: &mut Selection<'_, T>) -> Result<(), CompileError> {
        Ok(())
    }

    /// Emits an intrinsic: one of the stage, or one that all stages of the back end share.
    ///
    /// # Errors
    /// Neither has the intrinsic.
    fn emit_intrinsic(
        &mut self,
        isel: &mut Selection<'_, T>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError>;

    /// Emits the stage's instructions after the body, which end the thread.
    ///
    /// # Errors
    /// The generation lacks a message.
    fn emit_epilogue(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError>;
}

/// Instruction selection of one kernel in progress.
pub struct Selection<'a, T: Target> {
    /// The shader.
    pub shader: &'a Shader,
    /// Facts of the generation.
    pub model: &'a Model,
    /// The program under construction.
    pub program: Program,
    /// Layout of the kernel's invocations.
    pub width: Width,
    /// Uniform data in the payload.
    pub push: &'a [PushRange],
    /// First register of the push constants.
    pub push_start: u32,
    /// Binding table indices.
    pub bindings: BindingTable,
    /// Registers of each value; the default for values not yet defined or without an instruction.
    pub values: SecondaryMap<Value, T::Location>,
    /// Use counts of the values.
    pub uses: SecondaryMap<Value, u32>,
    /// Components of each value that are read, one bit each.
    pub component_reads: SecondaryMap<Value, u8>,
    /// Multiplications that additions take in.
    fusions: Fusions,
    /// Values without an instruction: their users take the operation in.
    pub skipped: SecondaryMap<Value, bool>,
    /// Uniform data pulled in the current IR block: (uniform block, 64-byte unit) → registers.
    pub pulled: BTreeMap<(u32, u32), Operand>,
    /// Phis that have the block as a predecessor.
    phis_after: SecondaryMap<Block, Vec<ir::Inst>>,
    /// The instruction that is being selected.
    current: Option<ir::Inst>,
    /// The program has a HALT.
    pub halts: bool,
    /// The back end's own state.
    pub target: T,
}

impl<'a, T: Target> Selection<'a, T> {
    /// Starts a selection.
    #[must_use]
    pub fn new(
        shader: &'a Shader,
        model: &'a Model,
        width: Width,
        push: &'a [PushRange],
    ) -> Selection<'a, T> {
        let mut values = SecondaryMap::new();
        values.resize(shader.values.len());
        let uses = ir::cfg::use_counts(shader);
        let (fusions, fused) = Fusions::choose(shader, &uses, T::can_fuse, T::is_fusion_useful);
        let mut selection = Selection {
            shader,
            model,
            program: Program::new(width.channels()),
            width,
            push,
            push_start: 0,
            bindings: BindingTable::after(0, shader),
            values,
            uses,
            component_reads: component_reads::component_reads(shader),
            fusions,
            skipped: SecondaryMap::new(),
            pulled: BTreeMap::new(),
            phis_after: SecondaryMap::new(),
            current: None,
            halts: false,
            target: T::default(),
        };
        T::choose_skipped(&mut selection);
        for value in fused {
            selection.skipped[value] = true;
        }
        selection
    }

    /// Registers of the payload that push constants take.
    #[must_use]
    pub fn pushed_registers(&self) -> u32 {
        self.push.iter().map(|range| range.length).sum()
    }

    /// Returns the multiplication that the addition `sum` takes in.
    #[must_use]
    pub fn fused_product(&self, sum: Value) -> Option<Product<'a>> {
        self.fusions.product(self.shader, sum)
    }

    /// Forgets the constants and uniforms that registers hold: these registers may be written for
    /// some channels only.
    pub fn invalidate(&mut self) {
        self.pulled.clear();
        T::invalidate_constants(self);
    }
}

/// A selected program, ready for the passes of its back end.
#[derive(Clone, Debug)]
pub struct SelectedProgram {
    /// The instructions.
    pub program: Program,
    /// Layout of the kernel's invocations.
    pub width: Width,
    /// First register of the push constants.
    pub push_start: u32,
    /// Bytes of scratch memory per thread that the program uses already.
    pub scratch_bytes: u32,
}

/// Selects the instructions of one kernel.
///
/// # Errors
/// The shader uses something that the back end or the generation lacks.
pub fn select<T: Target>(
    mut selection: Selection<'_, T>,
    stage: &mut dyn StageSelection<T>,
) -> Result<SelectedProgram, CompileError> {
    stage.lay_out_payload(&mut selection)?;
    T::emit_float_modes(&mut selection);
    stage.emit_prologue(&mut selection)?;
    selection.emit_body(stage)?;
    selection.program.spread_lines();
    let epilogue = selection.program.insts.len();
    stage.emit_epilogue(&mut selection)?;
    selection.program.set_lines(epilogue, SourceLine::NONE);
    let scratch_bytes = T::scratch_bytes(&selection);
    let Selection { program, width, push_start, .. } = selection;
    Ok(SelectedProgram { program, width, push_start, scratch_bytes })
}
