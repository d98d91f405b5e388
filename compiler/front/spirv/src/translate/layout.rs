//! Explicit layouts of blocks: `Offset`, `ArrayStride`, `MatrixStride`.

use program::layout::{ExplicitLayout, LayoutId};
use program::{ArrayLength, Type, TypeId};
use rspirv::spirv::{Decoration, Op};

use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

/// Layout of the matrices in a member.
#[derive(Clone, Copy, Default)]
struct Matrices {
    stride: u32,
    row_major: bool,
}

impl ShaderBuilder<'_> {
    /// The layout that a module gives a type.
    pub(crate) fn layout(&mut self, user: &Instruction, ty: u32) -> Result<LayoutId, Error> {
        self.layout_of(user, ty, Matrices::default())
    }

    fn layout_of(
        &mut self,
        user: &Instruction,
        id: u32,
        matrices: Matrices,
    ) -> Result<LayoutId, Error> {
        let definition = self.definition(user, id)?;
        let ty = self.type_id(user, id)?;
        let layout = match definition.op {
            Op::TypeMatrix => self.matrix_layout(ty, matrices),
            Op::TypeArray | Op::TypeRuntimeArray => {
                let element = self.id(definition, 0)?;
                let element = self.layout_of(definition, element, matrices)?;
                let stride = self.module.literal(id, Decoration::ArrayStride);
                let size = self.types.layout(element).size;
                let stride = stride.unwrap_or(size);
                let array = self.types.array_of(ty);
                if let Some((element, _)) = array {
                    self.check_alignment(definition, "ArrayStride", stride, element)?;
                }
                let length = match array {
                    Some((_, ArrayLength::Fixed(n))) => n,
                    _ => 0,
                };
                {
                    let before = stride.saturating_mul(length.saturating_sub(1));
                    let size = if length == 0 { 0 } else { before.saturating_add(size) };
                    ExplicitLayout { stride, size, parts: vec![(0, element)] }
                }
            }
            Op::TypeStruct => self.structure_layout(definition, matrices)?,
            _ => {
                let (scalar, size) = self.shape(ty);
                let size = scalar.bytes() * u32::from(size);
                ExplicitLayout { size, ..ExplicitLayout::default() }
            }
        };
        Ok(self.types.intern_layout(layout))
    }

    fn matrix_layout(&self, ty: TypeId, matrices: Matrices) -> ExplicitLayout {
        let &Type::Matrix { scalar, columns, rows } = self.types.get(ty) else {
            return ExplicitLayout::default();
        };
        let vectors = if matrices.row_major { rows } else { columns };
        let tight = scalar.bytes() * u32::from(if matrices.row_major { columns } else { rows });
        let stride = if matrices.stride == 0 { tight } else { matrices.stride };
        let size = stride.saturating_mul(u32::from(vectors) - 1).saturating_add(tight);
        ExplicitLayout { stride, size, parts: Vec::new() }
    }

    fn structure_layout(
        &mut self,
        definition: &Instruction,
        outer: Matrices,
    ) -> Result<ExplicitLayout, Error> {
        let (mut parts, mut end) = (Vec::new(), 0u32);
        for (index, ty) in (0..).zip(definition.ids_from(0)) {
            let literal = |d| self.module.member_literal(definition.id, index, d);
            let offset = literal(Decoration::Offset).unwrap_or(end);
            let matrices = match literal(Decoration::MatrixStride) {
                None => outer,
                Some(stride) => {
                    let row_major =
                        self.module.member_has(definition.id, index, Decoration::RowMajor);
                    Matrices { stride, row_major }
                }
            };
            let part = self.layout_of(definition, ty, matrices)?;
            let own = self.type_id(definition, ty)?;
            self.check_alignment(definition, "Offset", offset, own)?;
            self.check_alignment(definition, "MatrixStride", matrices.stride, own)?;
            end = end.max(offset.saturating_add(self.types.layout(part).size));
            parts.push((offset, part));
        }
        Ok(ExplicitLayout { stride: 0, size: end, parts })
    }

    /// Refuses places inside of a component: no memory instruction reads there.
    fn check_alignment(
        &self,
        user: &Instruction,
        decoration: &str,
        place: u32,
        ty: TypeId,
    ) -> Result<(), Error> {
        match self.widest(ty) {
            bytes if place.is_multiple_of(bytes) => Ok(()),
            bytes => {
                let what = format!("{decoration} {place}, which is no multiple of {bytes}, is");
                Err(self.unsupported(user, what))
            }
        }
    }

    /// Bytes of the widest scalar in a type.
    fn widest(&self, ty: TypeId) -> u32 {
        match self.types.get(ty) {
            Type::Struct(contents) => {
                contents.members.iter().map(|member| self.widest(member.ty)).max().unwrap_or(1)
            }
            Type::Array { element, .. } => self.widest(*element),
            _ => self.shape(ty).0.bytes(),
        }
    }
}
