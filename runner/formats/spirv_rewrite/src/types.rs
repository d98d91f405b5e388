//! Types of a module, as far as transformations tell them apart.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Capability, Decoration, Op, StorageClass};

/// Most parts of a composite that transformations take apart.
const MOST_PARTS: u32 = 16;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    /// Bits; true if it is signed.
    Int(u32, bool),
    /// Bits.
    Float(u32),
    /// Type and number of components.
    Vector(u32, u32),
    /// Type and number of columns.
    Matrix(u32, u32),
    /// Type and number of elements, if a literal tells it.
    Array(u32, Option<u32>),
    Struct(Vec<u32>),
    Pointer(StorageClass, u32),
    /// Neither a value nor a pointer.
    Other,
}

/// The types of a module.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    kinds: BTreeMap<u32, Kind>,
    /// Types with a layout, which belong into memory that other programs see.
    laid_out: BTreeSet<u32>,
    has_small_ints: BTreeSet<u32>,
    has_small_floats: bool,
}

impl Types {
    pub(crate) fn new(module: &Module) -> Types {
        let has = |wanted: Capability| {
            let is = |i: &Instruction| i.operands.first() == Some(&Operand::Capability(wanted));
            module.capabilities.iter().any(is)
        };
        let small = [(Capability::Int8, 8), (Capability::Int16, 16)];
        let mut types = Types {
            kinds: BTreeMap::new(),
            laid_out: BTreeSet::new(),
            has_small_ints: small.into_iter().filter(|(c, _)| has(*c)).map(|(_, b)| b).collect(),
            has_small_floats: has(Capability::Float16),
        };
        for annotation in &module.annotations {
            let is_layout = |operand: &Operand| {
                use Decoration as D;
                let Operand::Decoration(decoration) = operand else { return false };
                matches!(decoration, D::ArrayStride | D::Block | D::BufferBlock | D::Offset)
                    || matches!(decoration, D::BuiltIn)
            };
            if annotation.operands.iter().any(is_layout)
                && let Some(target) = annotation.operands[0].id_ref_any()
            {
                types.laid_out.insert(target);
            }
        }
        let mut literals = BTreeMap::new();
        for global in &module.types_global_values {
            if let (Op::Constant, Some(id), Some(Operand::LiteralBit32(value))) =
                (global.class.opcode, global.result_id, global.operands.first())
            {
                literals.insert(id, *value);
            }
            types.add(global, &literals);
        }
        types
    }

    /// Notes a type.
    pub(crate) fn add(&mut self, instruction: &Instruction, literals: &BTreeMap<u32, u32>) {
        let Some(id) = instruction.result_id else { return };
        let id_at = |index: usize| instruction.operands.get(index).and_then(Operand::id_ref_any);
        let number = |index: usize| match instruction.operands.get(index) {
            Some(Operand::LiteralBit32(number)) => *number,
            _ => 0,
        };
        let element = id_at(0).unwrap_or(0);
        let kind = match instruction.class.opcode {
            Op::TypeBool => Kind::Bool,
            Op::TypeInt => Kind::Int(number(0), number(1) != 0),
            // Floats with a second operand have another encoding.
            Op::TypeFloat if instruction.operands.len() == 1 => Kind::Float(number(0)),
            Op::TypeVector => Kind::Vector(element, number(1)),
            Op::TypeMatrix => Kind::Matrix(element, number(1)),
            Op::TypeArray => {
                Kind::Array(element, id_at(1).and_then(|length| literals.get(&length).copied()))
            }
            Op::TypeRuntimeArray => Kind::Array(element, None),
            Op::TypeStruct => {
                Kind::Struct(instruction.operands.iter().filter_map(Operand::id_ref_any).collect())
            }
            Op::TypePointer => match instruction.operands.first() {
                Some(Operand::StorageClass(class)) => Kind::Pointer(*class, id_at(1).unwrap_or(0)),
                _ => Kind::Other,
            },
            op if op.is_type() => Kind::Other,
            _ => return,
        };
        self.kinds.insert(id, kind);
    }

    pub(crate) fn kind(&self, ty: u32) -> &Kind {
        self.kinds.get(&ty).unwrap_or(&Kind::Other)
    }

    /// All types with their kinds.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &Kind)> {
        self.kinds.iter().map(|(id, kind)| (*id, kind))
    }

    /// Types of the parts of a composite that is small enough to be taken apart.
    pub(crate) fn parts(&self, ty: u32) -> Option<Vec<u32>> {
        let parts = match self.kind(ty) {
            Kind::Vector(part, count) | Kind::Matrix(part, count) => vec![*part; *count as usize],
            Kind::Array(part, Some(count)) if *count <= MOST_PARTS => vec![*part; *count as usize],
            Kind::Struct(members) if members.len() <= MOST_PARTS as usize => members.clone(),
            _ => return None,
        };
        (!parts.is_empty()).then_some(parts)
    }

    /// True if any instruction may have values of a type as operands and results.
    pub(crate) fn is_plain(&self, ty: u32) -> bool {
        match self.kind(ty) {
            Kind::Bool => true,
            Kind::Int(bits, _) => *bits >= 32 || self.has_small_ints.contains(bits),
            Kind::Float(bits) => *bits >= 32 || self.has_small_floats,
            _ => match self.parts(ty) {
                Some(parts) => parts.iter().all(|&part| self.is_plain(part)),
                None => false,
            },
        }
    }

    /// True if variables of functions may have a type.
    pub(crate) fn is_storable(&self, ty: u32) -> bool {
        self.is_plain(ty) && !self.has_layout(ty)
    }

    fn has_layout(&self, ty: u32) -> bool {
        self.laid_out.contains(&ty)
            || self.parts(ty).is_some_and(|parts| parts.iter().any(|&part| self.has_layout(part)))
    }

    /// The type of the components of a scalar or vector, and their number.
    pub(crate) fn components(&self, ty: u32) -> (u32, u32) {
        match self.kind(ty) {
            Kind::Vector(part, count) => (*part, *count),
            _ => (ty, 1),
        }
    }

    /// The type that a pointer points to, with its storage class.
    pub(crate) fn pointee(&self, ty: u32) -> Option<(StorageClass, u32)> {
        match self.kind(ty) {
            Kind::Pointer(class, to) => Some((*class, *to)),
            _ => None,
        }
    }
}
