//! Types as rules see them.

use rspirv::spirv::{Op, StorageClass};

use crate::error::Error;
use crate::grammar::name_of;
use crate::module::{Instruction, Module};

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Void,
    Bool,
    Int {
        bits: u32,
        signed: bool,
    },
    Float {
        bits: u32,
    },
    Vector {
        component: u32,
        count: u32,
    },
    Matrix {
        column: u32,
        count: u32,
    },
    Array {
        element: u32,
        length: u32,
    },
    RuntimeArray {
        element: u32,
    },
    Struct,
    Pointer {
        class: StorageClass,
        pointee: u32,
    },
    Function,
    Image,
    SampledImage {
        image: u32,
    },
    Sampler,
    /// No type, or one that no rule here knows.
    Other,
}

/// Component kind and count of a scalar or vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NumericShape {
    pub(crate) scalar: Kind,
    pub(crate) count: u32,
}

impl NumericShape {
    pub(crate) fn is_int(self) -> bool {
        matches!(self.scalar, Kind::Int { .. })
    }

    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self.scalar, Kind::Int { signed: false, .. })
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self.scalar, Kind::Float { .. })
    }

    pub(crate) fn is_bool(self) -> bool {
        self.scalar == Kind::Bool
    }

    pub(crate) fn bits(self) -> u32 {
        match self.scalar {
            Kind::Int { bits, .. } | Kind::Float { bits } => bits,
            _ => 0,
        }
    }
}

impl Module {
    /// The type that an id defines.
    pub(crate) fn kind(&self, id: u32) -> Kind {
        self.get(id).map_or(Kind::Other, kind_of)
    }

    /// The shape of a scalar or vector type.
    pub(crate) fn shape(&self, ty: u32) -> Option<NumericShape> {
        match self.kind(ty) {
            scalar @ (Kind::Bool | Kind::Int { .. } | Kind::Float { .. }) => {
                Some(NumericShape { scalar, count: 1 })
            }
            Kind::Vector { component, count } => {
                Some(NumericShape { scalar: self.kind(component), count })
            }
            _ => None,
        }
    }

    /// The type of the value that an operand is.
    pub(crate) fn operand_type(&self, i: &Instruction, index: usize) -> Result<u32, Error> {
        let id =
            i.id_at(index).ok_or_else(|| self.error(i, format!("operand {index} is missing")))?;
        match self.get(id).map_or(0, |definition| definition.ty) {
            0 => Err(self.error(i, format!("{} is no value", self.name(id)))),
            ty => Ok(ty),
        }
    }

    /// The shape of the value that an operand is.
    pub(crate) fn operand_shape(
        &self,
        i: &Instruction,
        index: usize,
    ) -> Result<NumericShape, Error> {
        let ty = self.operand_type(i, index)?;
        let wrong = || self.error(i, format!("operand {index} is no scalar or vector"));
        self.shape(ty).ok_or_else(wrong)
    }

    /// Storage class and pointee of the pointer that an operand is.
    pub(crate) fn operand_pointer(
        &self,
        i: &Instruction,
        index: usize,
    ) -> Result<(StorageClass, u32), Error> {
        match self.kind(self.operand_type(i, index)?) {
            Kind::Pointer { class, pointee } => Ok((class, pointee)),
            _ => Err(self.error(i, format!("operand {index} is no pointer"))),
        }
    }

    /// An error unless a condition holds.
    pub(crate) fn demand(&self, i: &Instruction, holds: bool, message: &str) -> Result<(), Error> {
        if holds { Ok(()) } else { Err(self.error(i, message)) }
    }

    /// True if an id is a constant, a specialization constant among them.
    pub(crate) fn is_constant_id(&self, id: u32) -> bool {
        self.get(id).is_some_and(|i| is_constant(i.op))
    }

    /// The value of a scalar constant that no specialization changes.
    pub(crate) fn fixed_integer(&self, id: u32) -> Option<u64> {
        let definition = self.get(id)?;
        let is_int = matches!(self.kind(definition.ty), Kind::Int { .. });
        match definition.op {
            Op::Constant if is_int => definition.bits_at(0),
            Op::ConstantNull if is_int => Some(0),
            _ => None,
        }
    }
}

/// True if a work group of some sizes has invocations, and no more than an index of 32 bits counts.
/// Sizes that a specialization sets are not known.
pub(crate) fn has_invocations(sizes: &mut dyn Iterator<Item = Option<u64>>) -> bool {
    let count = sizes.flatten().try_fold(1_u64, |count, size| count.checked_mul(size));
    count.is_some_and(|count| (1..=u64::from(u32::MAX)).contains(&count))
}

/// True if an instruction defines a constant.
pub(crate) fn is_constant(op: Op) -> bool {
    matches!(
        op,
        Op::Constant
            | Op::ConstantTrue
            | Op::ConstantFalse
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::ConstantSampler
            | Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
    )
}

/// True if an instruction defines a type.
pub(crate) fn is_type(op: Op) -> bool {
    name_of(op).starts_with("Type") && op != Op::TypeForwardPointer
}

/// True for derivatives by neighbors.
pub(crate) fn is_derivative(op: Op) -> bool {
    matches!(
        op,
        Op::DPdx
            | Op::DPdy
            | Op::Fwidth
            | Op::DPdxFine
            | Op::DPdyFine
            | Op::FwidthFine
            | Op::DPdxCoarse
            | Op::DPdyCoarse
            | Op::FwidthCoarse
    )
}

/// True if an instruction decorates others.
pub(crate) fn is_decoration(op: Op) -> bool {
    matches!(
        op,
        Op::Decorate
            | Op::MemberDecorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorateString
            | Op::GroupDecorate
            | Op::GroupMemberDecorate
    )
}

fn kind_of(i: &Instruction) -> Kind {
    let word = |index| i.literal_at(index).unwrap_or(0);
    let id = |index| i.id_at(index).unwrap_or(0);
    match i.op {
        Op::TypeVoid => Kind::Void,
        Op::TypeBool => Kind::Bool,
        Op::TypeInt => Kind::Int { bits: word(0), signed: word(1) == 1 },
        Op::TypeFloat => Kind::Float { bits: word(0) },
        Op::TypeVector => Kind::Vector { component: id(0), count: word(1) },
        Op::TypeMatrix => Kind::Matrix { column: id(0), count: word(1) },
        Op::TypeArray => Kind::Array { element: id(0), length: id(1) },
        Op::TypeRuntimeArray => Kind::RuntimeArray { element: id(0) },
        Op::TypeStruct => Kind::Struct,
        Op::TypePointer => match StorageClass::from_u32(word(0)) {
            Some(class) => Kind::Pointer { class, pointee: id(1) },
            None => Kind::Other,
        },
        Op::TypeFunction => Kind::Function,
        Op::TypeImage => Kind::Image,
        Op::TypeSampledImage => Kind::SampledImage { image: id(0) },
        Op::TypeSampler => Kind::Sampler,
        _ => Kind::Other,
    }
}
