//! Variables that are tables: arrays to which a function stores one constant, and which it reads
//! behind that in the same block. glslang makes one wherever an index chooses from a constant.

use program::{Global, GlobalId, Storage};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::module::{self, Instruction, Module, Operand};
use crate::translate::place::{Place, Root};
use crate::translate::state::{ShaderBuilder, Value};

/// A variable that may be a table.
#[derive(Default)]
struct Candidate {
    /// The constant that is stored.
    constant: Option<u32>,
    /// The block with the latest store.
    stored_in: Option<u32>,
    is_other: bool,
}

impl ShaderBuilder<'_> {
    /// Makes the tables of a function constants of the shader.
    pub(crate) fn tables(&mut self, function: &module::Function) -> Result<(), Error> {
        for (variable, constant) in find(self.module, function) {
            let global = self.constant_global(constant)?;
            self.body.tables.insert(variable);
            let place = Place::new(Root::Global(global));
            self.values.insert(variable, Value::Pointer(place));
        }
        Ok(())
    }

    /// The variable that holds a constant.
    fn constant_global(&mut self, constant: u32) -> Result<GlobalId, Error> {
        if let Some(&known) = self.constant_globals.get(&constant) {
            return Ok(known);
        }
        let value = self.constant(constant)?;
        let name = self.module.name(constant);
        let name = name.trim_start_matches('%');
        let mut global = Global::new(name, self.ty(value), Storage::Const);
        global.initializer = Some(value);
        let global = self.shader.globals.push(global);
        self.constant_globals.insert(constant, global);
        Ok(global)
    }
}

impl Candidate {
    fn store(&mut self, module: &Module, store: &Instruction, block: u32) {
        let value = store.id_at(1);
        let is_composite = value
            .and_then(|value| module.get(value))
            .is_some_and(|value| value.op == Op::ConstantComposite);
        self.is_other |= !is_composite || self.constant.is_some_and(|own| Some(own) != value);
        self.constant = value;
        self.stored_in = Some(block);
    }
}

/// The tables of a function, with their constants, in order.
fn find(module: &Module, function: &module::Function) -> Vec<(u32, u32)> {
    let mut candidates: FxHashMap<u32, Candidate> = FxHashMap::default();
    // Pointers to parts of candidates.
    let mut chains: FxHashMap<u32, u32> = FxHashMap::default();
    let mut order = Vec::new();
    for block in &function.blocks {
        for i in &module.instructions[block.body.clone()] {
            if is_array(module, i) {
                candidates.insert(i.id, Candidate::default());
                order.push(i.id);
                continue;
            }
            for (at, operand) in i.operands.iter().enumerate() {
                let Operand::Id(id) = *operand else { continue };
                let (part_of, is_pointer) = (chains.get(&id).copied(), at == 0);
                let Some(candidate) = candidates.get_mut(&part_of.unwrap_or(id)) else { continue };
                let is_known = candidate.stored_in == Some(block.label);
                match i.op {
                    Op::Load if part_of.is_some() => {}
                    Op::Load if is_known => {}
                    Op::Store if is_pointer && part_of.is_none() => {
                        candidate.store(module, i, block.label);
                    }
                    Op::AccessChain | Op::InBoundsAccessChain
                        if is_pointer && is_known && part_of.is_none() =>
                    {
                        chains.insert(i.id, id);
                    }
                    _ => candidate.is_other = true,
                }
            }
        }
    }
    let table = |id: u32| {
        let candidate = candidates.get(&id).filter(|candidate| !candidate.is_other)?;
        Some((id, candidate.constant?))
    };
    order.into_iter().filter_map(table).collect()
}

/// True for local variables that are arrays without an initial value.
fn is_array(module: &Module, i: &Instruction) -> bool {
    let pointee = || module.get(module.get(i.ty)?.id_at(1)?);
    i.op == Op::Variable
        && i.operands.len() == 1
        && pointee().is_some_and(|ty| ty.op == Op::TypeArray)
}
