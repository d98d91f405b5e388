//! Instruction selection: IR to machine programs.
//!
//! [`Selection`] holds the registers of IR values; the modules below add instructions, one for each
//! kind of operation. [`control`] walks through the shader.

mod alu;
pub(crate) mod control;
mod descriptor_table;
mod image;
mod kill;
mod lane_masks;
mod locals;
mod memory;
mod phi;
mod resources;
pub(crate) mod share;
mod shared;
mod subgroup;
mod texture;
mod uniform_groups;
mod uniform_loads;

use crate::homes::{Home, homes};
use crate::machine::{Arg, Emitter, File, Label, Part};
use crate::output::{Resource, UserData, UserValue};
use crate::uniformity::Uniformity;
use amd_isa::{Chip, Operand};
use cranelift_entity::SecondaryMap;
use descriptor_table::DescriptorTable;
use ir::{Alu, Block, Cfg, CompileError, Local, Shader, Slot, Value};
use lane_masks::LaneMasks;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use uniform_groups::UniformLoads;
use vocabulary::SourceLine;

pub(crate) use crate::machine::SignedArg;
pub(crate) use descriptor_table::{accesses_scratch, used_operations};
pub(crate) use memory::{BufferAddress, runs};

/// Result of a step of selection.
pub(crate) type Step<T = ()> = Result<T, CompileError>;

/// Registers of an IR value: for each component its (first) dword, or its mask.
pub(crate) type Held = SmallVec<[Arg; 4]>;

/// State of the selection of a shader.
pub(crate) struct Selection<'a> {
    pub shader: &'a Shader,
    pub uniformity: Uniformity,
    pub homes: SecondaryMap<Value, Home>,
    pub cfg: Cfg,
    pub uses: SecondaryMap<Value, u32>,
    pub e: Emitter,
    values: SecondaryMap<Value, Option<Held>>,
    /// Machine blocks where an IR block begins and ends.
    places: SecondaryMap<Block, Option<(Label, Label)>>,
    resources: DescriptorTable,
    uniform_loads: UniformLoads,
    /// Masks of booleans that all lanes share: zero if they are false.
    pub zero_if_false: FxHashSet<Part>,
    /// Registers of local variables, element by element.
    locals: BTreeMap<Local, Vec<Part>>,
    lanes: LaneMasks,
    /// Registers that the driver sets.
    pub user_data: Vec<UserData>,
    user_parts: BTreeMap<u8, Part>,
    /// Outputs written so far.
    pub outputs: BTreeMap<(Slot, u8), Part>,
    /// Values of outputs that the block wrote.
    pub written: (Option<Label>, BTreeMap<(Slot, u8), Arg>),
    /// Block after the shader's code, where outputs are exported.
    pub epilogue: Label,
    /// The descriptor of scratch memory has to stay in registers: those.
    pub spills: bool,
    /// Uniform loads are merged.
    pub wide_loads: bool,
    /// Scratch memory is interleaved by dwords.
    pub interleaved: bool,
    pub scratch: Option<Part>,
}

impl<'a> Selection<'a> {
    pub(crate) fn new(shader: &'a Shader, of_stage: &[Resource], chip: Chip) -> Selection<'a> {
        let uniformity = Uniformity::new(shader);
        let homes = homes(shader, &uniformity);
        let mut e = Emitter::new(chip);
        e.line = SourceLine::NONE;
        let epilogue = e.new_label();
        Selection {
            shader,
            homes,
            uniformity,
            cfg: Cfg::new(shader),
            uses: ir::cfg::use_counts(shader),
            e,
            values: SecondaryMap::new(),
            places: SecondaryMap::new(),
            resources: DescriptorTable::new(shader, of_stage),
            uniform_loads: UniformLoads::default(),
            zero_if_false: FxHashSet::default(),
            locals: BTreeMap::new(),
            lanes: LaneMasks::default(),
            user_data: Vec::new(),
            user_parts: BTreeMap::new(),
            outputs: BTreeMap::new(),
            written: (None, BTreeMap::new()),
            epilogue,
            spills: false,
            wide_loads: true,
            interleaved: false,
            scratch: None,
        }
    }

    pub(crate) fn chip(&self) -> Chip {
        self.e.chip()
    }

    /// Returns the first scalar register after those of the driver's values, which it lays out.
    pub(crate) fn lay_out_user_data(&mut self, values: impl IntoIterator<Item = UserValue>) -> u8 {
        let mut next: u8 = 0;
        for value in values {
            if let UserValue::Descriptor(resource) = value {
                next = next.next_multiple_of(4);
                let part = self.e.fixed(File::Scalar, next, value.dwords());
                self.resources.resident.insert(resource, part);
            }
            self.user_data.push(UserData { register: next, value });
            let part = match value {
                UserValue::Descriptor(resource) => self.resources.resident[&resource],
                _ => self.e.fixed(File::Scalar, next, value.dwords()),
            };
            self.user_parts.insert(next, part);
            next += value.dwords();
        }
        next
    }

    /// Returns the registers of a value of the driver.
    pub(crate) fn user_value(&self, value: UserValue) -> Step<Part> {
        let entry = self.user_data.iter().find(|data| data.value == value);
        let part = entry.and_then(|data| self.user_parts.get(&data.register));
        part.copied().ok_or_else(|| CompileError::internal(format!("{value:?} has no register")))
    }

    /// Notes the registers of a value.
    pub(crate) fn set(&mut self, value: Value, held: Held) {
        self.values[value] = Some(held);
    }

    /// Notes consecutive registers as the components of a value.
    pub(crate) fn set_parts(&mut self, value: Value, first: Part) {
        let step = self.dwords_of(value);
        let components = self.shader.components(value);
        let held = (0..components).map(|c| first.at(c * step).into()).collect();
        self.set(value, held);
    }

    /// Number of dwords of a component.
    pub(crate) fn dwords_of(&self, value: Value) -> u8 {
        if self.shader.bits(value) == 64 { 2 } else { 1 }
    }

    /// The first component of a constant with 32 bits or less.
    pub(crate) fn constant(&self, value: Value) -> Option<u32> {
        self.shader.as_const_u64(value).map(|bits| bits as u32)
    }

    /// The operation that makes a value, if its sources may be read instead of it: not where lanes
    /// take the value out of a loop.
    pub(crate) fn maker(&self, value: Value) -> Option<&'a Alu> {
        let shader: &'a Shader = self.shader;
        shader.as_alu(value).filter(|_| !self.uniformity.escapes(value))
    }

    /// The component that a source of a scalar operation reads.
    pub(crate) fn component(alu: &Alu, index: usize) -> (Value, u8) {
        let src = alu.srcs[index];
        (src.value, src.swizzle[0])
    }

    fn held(&self, value: Value, component: u8) -> Step<Arg> {
        let held = self.values[value].as_ref().and_then(|held| held.get(usize::from(component)));
        held.copied().ok_or_else(|| CompileError::internal(format!("{value} has no register")))
    }

    /// A component of 32 bits: register or constant.
    pub(crate) fn dword(&self, value: Value, component: u8) -> Step<Arg> {
        if let Some(data) = self.shader.as_const(value) {
            let bits = data[usize::from(component & 3)] as u32;
            return Ok(crate::machine::bits(self.chip(), bits));
        }
        self.held(value, component)
    }

    /// The halves of a component of 64 bits: registers or constants.
    pub(crate) fn halves(&self, value: Value, component: u8) -> Step<(Arg, Arg)> {
        if let Some(data) = self.shader.as_const(value) {
            let bits = data[usize::from(component & 3)];
            let of = |bits: u64| crate::machine::bits(self.chip(), bits as u32);
            return Ok((of(bits), of(bits >> 32)));
        }
        match self.held(value, component)? {
            Arg::Part(part) => Ok((part.into(), part.at(1).into())),
            other => Ok((other, other)),
        }
    }

    /// A component of 64 bits as one operand of an operation on doubles.
    pub(crate) fn wide(&mut self, value: Value, component: u8) -> Step<Arg> {
        let Some(data) = self.shader.as_const(value) else { return self.held(value, component) };
        let bits = data[usize::from(component & 3)];
        if let Some(arg) = crate::machine::inline_double(self.chip(), bits) {
            return Ok(arg);
        }
        Ok(self.e.wide_literal(bits).into())
    }

    /// A source of an operation with 32 bits.
    pub(crate) fn source(&self, alu: &Alu, index: usize) -> Step<Arg> {
        let (value, component) = Selection::component(alu, index);
        self.dword(value, component)
    }

    /// A source of an operation with 64 bits.
    pub(crate) fn wide_source(&mut self, alu: &Alu, index: usize) -> Step<Arg> {
        let (value, component) = Selection::component(alu, index);
        self.wide(value, component)
    }

    /// The components of a value in consecutive new vector registers, `mask` of them.
    pub(crate) fn gather(&mut self, value: Value, first: u8, count: u8) -> Step<Part> {
        let step = self.dwords_of(value);
        let group = self.e.reg(File::Vector, count * step);
        for c in 0..count {
            if step == 2 {
                let (low, high) = self.halves(value, first + c)?;
                self.e.copy(group.at(2 * c), low);
                self.e.copy(group.at(2 * c + 1), high);
            } else {
                let dword = self.dword(value, first + c)?;
                self.e.copy(group.at(c), dword);
            }
        }
        Ok(group)
    }

    /// Sets the result of an operation to a new register of its home.
    pub(crate) fn result(&mut self, value: Value) -> Part {
        let file = match self.homes[value] {
            Home::Scalar => File::Scalar,
            _ => File::Vector,
        };
        let dwords = self.dwords_of(value) * self.shader.components(value);
        let part = self.e.reg(file, dwords);
        self.set_parts(value, part);
        part
    }

    /// Sets the result of an operation to a new register of a file.
    pub(crate) fn result_in(&mut self, value: Value, file: File) -> Part {
        let dwords = self.dwords_of(value) * self.shader.components(value);
        let part = self.e.reg(file, dwords);
        self.set_parts(value, part);
        part
    }

    /// Reports an operation that the back end lacks.
    pub(crate) fn unsupported<T>(&self, what: &str) -> Step<T> {
        Err(CompileError::lower(format!("{what} is not supported on {}", self.chip())))
    }
}

/// Returns true for a constant operand.
pub(crate) fn is_constant(arg: Arg) -> bool {
    use Operand::{Float, Integer, Literal};
    matches!(arg, Arg::Fixed(Integer(_) | Float(_) | Literal(_)))
}
