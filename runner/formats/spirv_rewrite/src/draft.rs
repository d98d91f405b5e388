//! A module that is being rewritten.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{self, Op, StorageClass};

use crate::types::{Kind, Types};

/// A module with tables of its results.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) module: Module,
    pub(crate) types: Types,
    /// Types of results that are values or pointers.
    types_of: BTreeMap<u32, u32>,
    /// Positions of global instructions by their results.
    globals: BTreeMap<u32, usize>,
    /// Values of integer constants of 32 bits.
    literals: BTreeMap<u32, u32>,
    /// Variables of ours that keep their initial value.
    pub(crate) kept: BTreeSet<u32>,
    /// Variables that functions get when the step ends, so that places stay where they are.
    locals: Vec<(usize, Instruction)>,
}

/// Returns an instruction with a result.
pub(crate) fn result(op: Op, ty: u32, id: u32, operands: Vec<Operand>) -> Instruction {
    Instruction::new(op, Some(ty), Some(id), operands)
}

/// Returns an instruction without a result.
pub(crate) fn effect(op: Op, operands: Vec<Operand>) -> Instruction {
    Instruction::new(op, None, None, operands)
}

/// Returns the operands that are ids.
pub(crate) fn ids<const N: usize>(ids: [u32; N]) -> Vec<Operand> {
    ids.map(Operand::IdRef).to_vec()
}

/// Returns a branch.
pub(crate) fn branch(label: u32) -> Instruction {
    effect(Op::Branch, ids([label]))
}

/// Returns a merge instruction of a selection.
pub(crate) fn selection_merge(label: u32) -> Instruction {
    let control = Operand::SelectionControl(spirv::SelectionControl::NONE);
    effect(Op::SelectionMerge, vec![Operand::IdRef(label), control])
}

impl Draft {
    pub(crate) fn new(module: Module) -> Draft {
        let mut types_of = BTreeMap::new();
        let mut literals = BTreeMap::new();
        for instruction in module.all_inst_iter() {
            let (Some(ty), Some(id)) = (instruction.result_type, instruction.result_id) else {
                continue;
            };
            // The type of a function is that of its calls.
            if instruction.class.opcode != Op::Function {
                types_of.insert(id, ty);
            }
            if let (Op::Constant, Some(Operand::LiteralBit32(value))) =
                (instruction.class.opcode, instruction.operands.first())
            {
                literals.insert(id, *value);
            }
        }
        let types = Types::new(&module);
        let globals = module.types_global_values.iter().zip(0..);
        let globals = globals.filter_map(|(i, position)| Some((i.result_id?, position))).collect();
        let (kept, locals) = (BTreeSet::new(), Vec::new());
        Draft { module, types, types_of, globals, literals, kept, locals }
    }

    /// Ends a step, and returns the module's words.
    pub(crate) fn finish(&mut self) -> Vec<u32> {
        for (function, variable) in std::mem::take(&mut self.locals) {
            if let Some(block) = self.module.functions[function].blocks.first_mut() {
                block.instructions.insert(0, variable);
            }
        }
        self.module.assemble()
    }

    /// A new id.
    pub(crate) fn fresh(&mut self) -> u32 {
        let header = self.module.header.get_or_insert_with(|| rspirv::dr::ModuleHeader::new(1));
        header.bound += 1;
        header.bound - 1
    }

    /// A new id of a value.
    pub(crate) fn fresh_value(&mut self, ty: u32) -> u32 {
        let id = self.fresh();
        self.types_of.insert(id, ty);
        id
    }

    /// The type of a value or pointer.
    pub(crate) fn type_of(&self, id: u32) -> Option<u32> {
        self.types_of.get(&id).copied()
    }

    /// True if an id is a value that any instruction may use.
    pub(crate) fn is_plain(&self, id: u32) -> bool {
        self.type_of(id).is_some_and(|ty| self.types.is_plain(ty))
    }

    /// The number that an integer constant of 32 bits is.
    pub(crate) fn literal(&self, id: u32) -> Option<u32> {
        self.literals.get(&id).copied()
    }

    /// Appends an instruction, and returns its result.
    pub(crate) fn emit(
        &mut self,
        list: &mut Vec<Instruction>,
        op: Op,
        ty: u32,
        operands: Vec<Operand>,
    ) -> u32 {
        let id = self.fresh_value(ty);
        list.push(result(op, ty, id, operands));
        id
    }

    /// The instruction outside of functions whose result an id is.
    pub(crate) fn global(&self, id: u32) -> Option<&Instruction> {
        self.globals.get(&id).map(|&position| &self.module.types_global_values[position])
    }

    fn push_global(&mut self, id: u32, global: Instruction) {
        self.globals.insert(id, self.module.types_global_values.len());
        self.module.types_global_values.push(global);
    }

    fn add_global(&mut self, op: Op, ty: Option<u32>, operands: Vec<Operand>) -> u32 {
        let id = self.fresh();
        let global = Instruction::new(op, ty, Some(id), operands);
        self.types.add(&global, &self.literals);
        self.types_of.extend(ty.map(|ty| (id, ty)));
        self.push_global(id, global);
        id
    }

    /// The type of a kind; it is made if there is none.
    fn type_like(&mut self, kind: &Kind, op: Op, operands: Vec<Operand>) -> u32 {
        let known = self.types.all().find(|(_, known)| *known == kind).map(|(id, _)| id);
        known.unwrap_or_else(|| self.add_global(op, None, operands))
    }

    pub(crate) fn bool_type(&mut self) -> u32 {
        self.type_like(&Kind::Bool, Op::TypeBool, Vec::new())
    }

    /// Integers of 32 bits.
    pub(crate) fn int_type(&mut self, signed: bool) -> u32 {
        let operands = [32, u32::from(signed)].map(Operand::LiteralBit32).to_vec();
        self.type_like(&Kind::Int(32, signed), Op::TypeInt, operands)
    }

    pub(crate) fn vector_type(&mut self, of: u32, count: u32) -> u32 {
        let operands = vec![Operand::IdRef(of), Operand::LiteralBit32(count)];
        self.type_like(&Kind::Vector(of, count), Op::TypeVector, operands)
    }

    pub(crate) fn pointer_type(&mut self, class: StorageClass, to: u32) -> u32 {
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(to)];
        self.type_like(&Kind::Pointer(class, to), Op::TypePointer, operands)
    }

    pub(crate) fn struct_type(&mut self, members: &[u32]) -> u32 {
        let operands = members.iter().copied().map(Operand::IdRef).collect();
        self.add_global(Op::TypeStruct, None, operands)
    }

    pub(crate) fn void_type(&mut self) -> u32 {
        self.same_global(Op::TypeVoid, None, Vec::new())
    }

    pub(crate) fn function_type(&mut self, of: u32, parameters: &[u32]) -> u32 {
        let operands = [&[of], parameters].concat().into_iter().map(Operand::IdRef).collect();
        self.same_global(Op::TypeFunction, None, operands)
    }

    /// The global instruction with some operands; it is made if there is none.
    fn same_global(&mut self, op: Op, ty: Option<u32>, operands: Vec<Operand>) -> u32 {
        let is_it = |i: &&Instruction| {
            i.class.opcode == op && i.result_type == ty && i.operands == operands
        };
        let known = self.module.types_global_values.iter().find(is_it).and_then(|i| i.result_id);
        known.unwrap_or_else(|| self.add_global(op, ty, operands))
    }

    /// A constant of a type of 32 bits.
    pub(crate) fn constant(&mut self, ty: u32, bits: u32) -> u32 {
        let id = self.same_global(Op::Constant, Some(ty), vec![Operand::LiteralBit32(bits)]);
        self.literals.insert(id, bits);
        id
    }

    /// The zero of a type.
    pub(crate) fn null(&mut self, ty: u32) -> u32 {
        self.same_global(Op::ConstantNull, Some(ty), Vec::new())
    }

    /// Adds a variable to a function.
    pub(crate) fn local(&mut self, function: usize, ty: u32, initial: Option<u32>) -> u32 {
        let pointer = self.pointer_type(StorageClass::Function, ty);
        let id = self.fresh_value(pointer);
        let variable = variable(pointer, id, StorageClass::Function, initial);
        self.locals.push((function, variable));
        id
    }

    /// Adds a private variable with an initial value.
    pub(crate) fn private(&mut self, ty: u32, initial: u32) -> u32 {
        let pointer = self.pointer_type(StorageClass::Private, ty);
        let id = self.fresh_value(pointer);
        self.push_global(id, variable(pointer, id, StorageClass::Private, Some(initial)));
        // Since 1.4 interfaces name all variables.
        let names_all = self.module.header.as_ref().is_some_and(|h| h.version >= 0x1_0400);
        if names_all {
            let entries = self.module.entry_points.iter_mut();
            entries.for_each(|entry| entry.operands.push(Operand::IdRef(id)));
        }
        id
    }

    /// Copies the decorations of a result that apply to arithmetic to another one.
    pub(crate) fn decorate_like(&mut self, id: u32, other: u32) {
        use spirv::Decoration as D;
        let arithmetic = |i: &&Instruction| {
            i.class.opcode == Op::Decorate
                && i.operands.first() == Some(&Operand::IdRef(other))
                && matches!(
                    i.operands.get(1),
                    Some(Operand::Decoration(
                        D::NoContraction | D::NonUniform | D::RelaxedPrecision
                    ))
                )
        };
        let mut more: Vec<Instruction> =
            self.module.annotations.iter().filter(arithmetic).cloned().collect();
        more.iter_mut().for_each(|annotation| annotation.operands[0] = Operand::IdRef(id));
        self.module.annotations.extend(more);
    }

    /// The instructions of a block.
    pub(crate) fn body(&self, function: usize, block: usize) -> &[Instruction] {
        &self.module.functions[function].blocks[block].instructions
    }
}

fn variable(pointer: u32, id: u32, class: StorageClass, initial: Option<u32>) -> Instruction {
    let class = Operand::StorageClass(class);
    let operands = [class].into_iter().chain(initial.map(Operand::IdRef)).collect();
    result(Op::Variable, pointer, id, operands)
}
