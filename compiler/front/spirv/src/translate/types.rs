//! Types.

use program::types::{Dim, ImageType, MatrixOrder, Member, SamplerType, StructType};
use program::variable::MemoryQualifiers;
use program::{ArrayLength, Scalar, Type, TypeId};
use rspirv::spirv::{self, Decoration, Op};

use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

/// Most components of a variable outside of blocks.
const MAX_COMPONENTS: u64 = 1 << 18;
/// Most elements of an array.
const MAX_LENGTH: u64 = 1 << 24;

impl ShaderBuilder<'_> {
    /// The type of an id.
    pub(crate) fn type_id(&mut self, user: &Instruction, id: u32) -> Result<TypeId, Error> {
        if let Some(&known) = self.type_ids.get(&id) {
            return Ok(known);
        }
        let definition = self.definition(user, id)?;
        let ty = self.new_type(definition)?;
        self.type_ids.insert(id, ty);
        Ok(ty)
    }

    /// The type of an instruction's result.
    pub(crate) fn result_type(&mut self, instruction: &Instruction) -> Result<TypeId, Error> {
        self.type_id(instruction, instruction.ty)
    }

    fn new_type(&mut self, definition: &Instruction) -> Result<TypeId, Error> {
        match definition.op {
            Op::TypeVoid => Ok(self.types.intern(Type::Void)),
            Op::TypeBool | Op::TypeInt | Op::TypeFloat => {
                let scalar = self.scalar_type(definition)?;
                Ok(self.types.scalar(scalar))
            }
            Op::TypeVector => {
                let component = self.component(definition)?;
                match self.literal(definition, 1)? {
                    size @ 2..=4 => Ok(self.types.vector(component, size as u8)),
                    size => Err(self.unsupported(definition, format!("vectors of {size} are"))),
                }
            }
            Op::TypeMatrix => {
                let column = self.id(definition, 0)?;
                let column = self.type_id(definition, column)?;
                let (scalar, rows) = self.shape(column);
                let columns = self.literal(definition, 1)?;
                Ok(self.types.matrix(scalar, columns.clamp(2, 4) as u8, rows))
            }
            Op::TypeArray => {
                let (element, length) = (self.id(definition, 0)?, self.id(definition, 1)?);
                let element = self.type_id(definition, element)?;
                let length = self.integer_constant(definition, length)?;
                if length == 0 || length > MAX_LENGTH {
                    let message = format!("an array of {length} elements");
                    return Err(self.module.error(definition, message));
                }
                Ok(self.types.array(element, ArrayLength::Fixed(length as u32)))
            }
            Op::TypeRuntimeArray => {
                let element = self.id(definition, 0)?;
                let element = self.type_id(definition, element)?;
                Ok(self.types.array(element, ArrayLength::Runtime))
            }
            Op::TypeStruct => self.structure(definition),
            Op::TypePointer if self.is_variable_pointer(definition.id) => Ok(self.pointer_type()),
            Op::TypeImage => {
                let image = self.image_type(definition)?;
                Ok(self.types.intern(image))
            }
            Op::TypeSampledImage => {
                let image = self.id(definition, 0)?;
                self.type_id(definition, image)
            }
            _ => Err(self.unsupported(definition, "the type is")),
        }
    }

    /// Checks that a variable of a type is not too large to be kept as a whole.
    pub(crate) fn check_size(&self, user: &Instruction, ty: TypeId) -> Result<(), Error> {
        match self.components_in(ty) {
            0..=MAX_COMPONENTS => Ok(()),
            count => Err(self.unsupported(user, format!("a variable of {count} components is"))),
        }
    }

    fn components_in(&self, ty: TypeId) -> u64 {
        match self.types.get(ty) {
            Type::Struct(contents) => contents
                .members
                .iter()
                .fold(0, |sum: u64, member| sum.saturating_add(self.components_in(member.ty))),
            Type::Array { element, length: ArrayLength::Fixed(n) } => {
                u64::from(*n).saturating_mul(self.components_in(*element))
            }
            _ => self.types.components(ty).into(),
        }
    }

    fn component(&self, definition: &Instruction) -> Result<Scalar, Error> {
        let component = self.id(definition, 0)?;
        self.scalar_type(self.definition(definition, component)?)
    }

    /// The scalar type that an instruction defines.
    pub(crate) fn scalar_type(&self, definition: &Instruction) -> Result<Scalar, Error> {
        let bits = definition.literal_at(0).unwrap_or(0);
        let signed = definition.literal_at(1) == Some(1);
        Ok(match (definition.op, bits, signed) {
            (Op::TypeBool, ..) => Scalar::Bool,
            (Op::TypeInt, 8, true) => Scalar::Int8,
            (Op::TypeInt, 8, false) => Scalar::Uint8,
            (Op::TypeInt, 16, true) => Scalar::Int16,
            (Op::TypeInt, 16, false) => Scalar::Uint16,
            (Op::TypeInt, 32, true) => Scalar::Int,
            (Op::TypeInt, 32, false) => Scalar::Uint,
            (Op::TypeInt, 64, true) => Scalar::Int64,
            (Op::TypeInt, 64, false) => Scalar::Uint64,
            (Op::TypeFloat, 16, _) => Scalar::Float16,
            (Op::TypeFloat, 32, _) => Scalar::Float,
            (Op::TypeFloat, 64, _) => Scalar::Double,
            (op, bits, _) => {
                let kind = if op == Op::TypeInt { "integers" } else { "components" };
                return Err(self.unsupported(definition, format!("{kind} of {bits} bits are")));
            }
        })
    }

    fn structure(&mut self, definition: &Instruction) -> Result<TypeId, Error> {
        let name = self.structure_name(definition.id).into();
        let mut members = Vec::new();
        for (index, ty) in (0..).zip(definition.ids_from(0)) {
            let ty = self.type_id(definition, ty)?;
            let has = |decoration| self.module.member_has(definition.id, index, decoration);
            let name = self.structure_member_name(definition.id, index);
            let row_major = has(Decoration::RowMajor);
            members.push(Member {
                order: if row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor },
                builtin: self.builtin_of_member(definition, index)?,
                memory: MemoryQualifiers {
                    coherent: has(Decoration::Coherent),
                    volatile: has(Decoration::Volatile),
                    restrict: has(Decoration::Restrict),
                    read_only: has(Decoration::NonWritable),
                    write_only: has(Decoration::NonReadable),
                },
                ..Member::new(&name, ty)
            });
        }
        let contents = StructType { name, members, scope: 0 };
        Ok(self.types.intern(Type::Struct(contents)))
    }

    /// The sampler or image type of an `OpTypeImage`.
    fn image_type(&self, definition: &Instruction) -> Result<Type, Error> {
        let result = self.component(definition)?;
        let word = |index| self.literal(definition, index);
        let (multisampled, sampled) = (word(4)? == 1, word(5)?);
        let dim = match (spirv::Dim::from_u32(word(1)?), multisampled) {
            (Some(spirv::Dim::Dim1D), _) => Dim::D1,
            (Some(spirv::Dim::Dim2D), false) => Dim::D2,
            (Some(spirv::Dim::Dim2D), true) => Dim::D2Ms,
            (Some(spirv::Dim::Dim3D), _) => Dim::D3,
            (Some(spirv::Dim::DimCube), _) => Dim::Cube,
            (Some(spirv::Dim::DimRect), _) => Dim::Rect,
            (Some(spirv::Dim::DimBuffer), _) => Dim::Buffer,
            _ => return Err(self.unsupported(definition, "the dimension is")),
        };
        let array = word(3)? == 1;
        match sampled {
            2 => Ok(Type::Image(ImageType { result, dim, array })),
            _ => Ok(Type::Sampler(SamplerType { result, dim, array, shadow: word(2)? == 1 })),
        }
    }
}
