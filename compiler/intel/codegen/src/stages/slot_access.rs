//! Access to slots of the payload and of URB entries: where the back ends differ for the stages of
//! the geometry pipeline.
//!
//! A lane runs one vertex, point or invocation: a channel of scalar code, a half of a vec4 thread.

use crate::error::CompileError;
use crate::isel::{Selection, Target};
use crate::lir::{CondMod, Operand};
use crate::output::{VueMap, Width};
use ir::{Intrinsic, Value};

/// The entries of an access (UD).
#[derive(Clone, Copy, Debug)]
pub enum Handles {
    /// The same entry for all lanes: a scalar.
    Shared(Operand),
    /// The first component of each lane.
    PerLane(Operand),
}

/// An offset in an entry: a constant number of slots, and a number per lane (the first component).
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotOffset {
    /// The same for all lanes.
    pub constant: u32,
    /// Further slots of each lane (UD).
    pub per_lane: Option<Operand>,
}

impl SlotOffset {
    /// The offset that is `slots` further.
    #[must_use]
    pub fn advance(self, slots: u32) -> SlotOffset {
        SlotOffset { constant: self.constant.saturating_add(slots), ..self }
    }
}

/// Output vertices of a stage: their layout, and the registers that hold the current one.
pub trait Outputs<T: Target> {
    /// Allocates registers that the stage needs from its beginning on.
    fn allocate(&mut self, _isel: &mut Selection<'_, T>) {}

    /// Emits a `store_output`.
    ///
    /// # Errors
    /// The slot does not exist.
    fn store(
        &mut self,
        isel: &mut Selection<'_, T>,
        intrinsic: &Intrinsic,
    ) -> Result<(), CompileError>;

    /// Writes the vertex and ends the thread.
    ///
    /// # Errors
    /// The generation lacks the message.
    fn end_thread(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError>;

    /// Returns the layout of a vertex.
    fn into_map(self) -> VueMap;
}

/// A back end's registers, payloads and messages, for the stages of the geometry pipeline.
pub trait SlotAccess: Target {
    /// Layout of a kernel's lanes.
    const WIDTH: Width;
    /// Lanes of a thread.
    const LANES: u32;
    /// Registers that push constants and inputs may take together; the rest is for the program.
    const PAYLOAD_BUDGET: u32;

    /// Output vertices.
    type Outputs: Outputs<Self>;
    /// Registers of a slot.
    type Slot;

    /// Dword `n` from register `register` of the payload on, the same for all lanes.
    fn payload_dword(register: u32, n: u32) -> Operand;

    /// The slot at byte `byte` of the payload, the same for all lanes.
    fn payload_slot(byte: u32) -> Self::Slot;

    /// Dword `n` of a slot.
    fn slot_dword(slot: &Self::Slot, n: u32) -> Operand;

    /// Lets the scalar `result` be `operand`.
    fn set_operand(isel: &mut Selection<'_, Self>, result: Value, operand: Operand);

    /// Lets `result` be the components of a payload's slot from `first` on.
    fn set_slot(isel: &mut Selection<'_, Self>, result: Value, slot: Self::Slot, first: u8);

    /// Defines the scalar `result` as a constant.
    fn define_constant(isel: &mut Selection<'_, Self>, result: Value, constant: u32);

    /// Defines the components of `result`.
    fn define_components(isel: &mut Selection<'_, Self>, result: Value, components: Vec<Operand>);

    /// Returns the first component of `value` (UD).
    fn scalar(isel: &mut Selection<'_, Self>, value: Value) -> Operand;

    /// Returns a slot offset as a constant or as a number per lane.
    fn slot_offset(isel: &mut Selection<'_, Self>, offset: Value) -> SlotOffset {
        match isel.constant(offset) {
            Some(constant) => SlotOffset { constant, per_lane: None },
            None => SlotOffset { constant: 0, per_lane: Some(Self::scalar(isel, offset)) },
        }
    }

    /// Returns `offset` plus `vertex`, which is not a constant, times `slots`.
    fn add_vertex(
        isel: &mut Selection<'_, Self>,
        offset: SlotOffset,
        vertex: Value,
        slots: u32,
    ) -> SlotOffset;

    /// Reads a slot of each lane; defines `result` as its components from `first` on.
    ///
    /// # Errors
    /// The generation lacks the message.
    fn read_slot(
        isel: &mut Selection<'_, Self>,
        handles: Handles,
        offset: SlotOffset,
        first: u8,
        result: Value,
    ) -> Result<(), CompileError>;

    /// Reads both slots of the header of the patch with the handle `patch`.
    ///
    /// # Errors
    /// The generation lacks the message.
    fn read_header(
        isel: &mut Selection<'_, Self>,
        patch: Operand,
    ) -> Result<[Self::Slot; 2], CompileError>;

    /// Writes the dwords of `mask` of a slot of the patch with the handle `patch`: dword n is
    /// component `pick[n]` of `value`.
    ///
    /// # Errors
    /// The generation lacks the message.
    fn write_slot(
        isel: &mut Selection<'_, Self>,
        patch: Operand,
        offset: SlotOffset,
        value: Value,
        pick: [u8; 4],
        mask: u8,
    ) -> Result<(), CompileError>;

    /// Opens a branch for the lanes in which `a` relates to `b`.
    fn begin_if(isel: &mut Selection<'_, Self>, a: Operand, b: Operand, cond: CondMod);

    /// Emits an intrinsic that every stage may have.
    ///
    /// # Errors
    /// The back end lacks the intrinsic.
    fn emit_memory(
        isel: &mut Selection<'_, Self>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError>;
}
