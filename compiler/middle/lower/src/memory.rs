//! Buffer and shared-memory accesses.

use ir::{AtomicOp, Fields, IntrinsicOp, Value};
use program::{Scalar, Type, TypeId};
use smallvec::SmallVec;

use crate::error::LowerError;
use crate::lowerer::Lowerer;
use crate::place::{Base, Index, MemoryPlace, Place, Space};
use crate::value::Val;

impl Lowerer<'_, '_> {
    fn fields(memory: &MemoryPlace, base: u32, align: u32) -> Fields {
        Fields { base, align, access: memory.access, ..Fields::default() }
    }

    fn shape(&self, ty: TypeId) -> Result<(Scalar, u8), LowerError> {
        match *self.types.get(ty) {
            Type::Scalar(scalar) => Ok((scalar, 1)),
            Type::Vector { scalar, size } => Ok((scalar, size)),
            Type::AtomicCounter | Type::Subroutine(_) => Ok((Scalar::Uint, 1)),
            _ => Err(LowerError::Malformed("memory access of an opaque type")),
        }
    }

    /// Reads a scalar or vector.
    pub(crate) fn load_memory(
        &mut self,
        memory: &MemoryPlace,
        offset: Index,
        ty: TypeId,
    ) -> Result<Val, LowerError> {
        let (scalar, count) = self.shape(ty)?;
        let value = match memory.component_stride {
            Some(stride) if count > 1 => {
                let component = |l: &mut Self, c: u32| {
                    let offset = Index { constant: offset.constant + c * stride, ..offset };
                    l.load_components(memory, offset, scalar, 1)
                };
                let components: SmallVec<[Value; 4]> =
                    (0..u32::from(count)).map(|c| component(self, c)).collect();
                self.builder.vec(&components)
            }
            _ => self.load_components(memory, offset, scalar, count),
        };
        Ok(self.boolean_of(scalar, value).into())
    }

    fn load_components(
        &mut self,
        memory: &MemoryPlace,
        offset: Index,
        scalar: Scalar,
        count: u8,
    ) -> Value {
        let bits = scalar.bits() as u8;
        let fields = Self::fields(memory, offset.constant, 0);
        let dynamic = self.dynamic_offset(offset);
        match memory.space {
            Space::Uniform(block) => {
                let block = self.index_value(block);
                self.builder.load(IntrinsicOp::LoadUbo, &[block, dynamic], fields, bits, count)
            }
            Space::Storage(block) => {
                let block = self.index_value(block);
                self.builder.load(IntrinsicOp::LoadSsbo, &[block, dynamic], fields, bits, count)
            }
            Space::Shared => {
                self.builder.load(IntrinsicOp::LoadShared, &[dynamic], fields, bits, count)
            }
            Space::Counter(binding) => {
                let offset = self.index_value(offset);
                let fields = Fields { base: binding, ..Fields::default() };
                self.builder.load(IntrinsicOp::CounterRead, &[offset], fields, 32, 1)
            }
        }
    }

    fn dynamic_offset(&mut self, offset: Index) -> Value {
        match offset.dynamic {
            Some(value) => value,
            None => self.builder.imm(0),
        }
    }

    /// Returns which component of its vector a place is; 0 for one that is not a component.
    fn component_index(&mut self, place: &Place) -> Index {
        match (&place.swizzle, place.component) {
            (None, component) => Index { constant: 0, dynamic: component },
            (Some(swizzle), None) => Index { constant: swizzle[0].into(), dynamic: None },
            (Some(swizzle), Some(component)) => {
                let chosen: SmallVec<[Value; 4]> =
                    swizzle.iter().map(|&c| self.builder.imm(c.into())).collect();
                let chosen = self.builder.vec(&chosen);
                let dynamic = self.builder.extract_dynamic(chosen, component);
                Index { constant: 0, dynamic: Some(dynamic) }
            }
        }
    }

    /// Writes the masked components of a scalar or vector.
    pub(crate) fn store_memory(
        &mut self,
        memory: &MemoryPlace,
        offset: Index,
        ty: TypeId,
        value: Value,
        mask: u8,
    ) -> Result<(), LowerError> {
        let (scalar, count) = self.shape(ty)?;
        let value = if scalar == Scalar::Bool { self.builder.b2i32(value) } else { value };
        match memory.component_stride {
            Some(stride) if count > 1 => {
                for c in (0..count).filter(|c| mask & 1 << c != 0) {
                    let component = self.builder.channel(value, c);
                    let offset =
                        Index { constant: offset.constant + u32::from(c) * stride, ..offset };
                    self.store_components(memory, offset, component, 1)?;
                }
                Ok(())
            }
            _ => self.store_components(memory, offset, value, mask),
        }
    }

    fn store_components(
        &mut self,
        memory: &MemoryPlace,
        offset: Index,
        value: Value,
        mask: u8,
    ) -> Result<(), LowerError> {
        let fields = Fields { write_mask: mask, ..Self::fields(memory, offset.constant, 0) };
        let dynamic = self.dynamic_offset(offset);
        match memory.space {
            Space::Storage(block) => {
                let block = self.index_value(block);
                self.builder.intrinsic(
                    IntrinsicOp::StoreSsbo,
                    &[value, block, dynamic],
                    fields,
                    None,
                );
            }
            Space::Shared => {
                self.builder.intrinsic(IntrinsicOp::StoreShared, &[value, dynamic], fields, None);
            }
            Space::Uniform(_) | Space::Counter(_) => {
                return Err(LowerError::Malformed("write to read-only memory"));
            }
        }
        Ok(())
    }

    /// Read-modify-write of a scalar in memory; gives the old value.
    pub(crate) fn atomic(
        &mut self,
        op: program::AtomicOp,
        place: &Place,
        operands: &[Value],
        scalar: Scalar,
    ) -> Result<Value, LowerError> {
        let Base::Memory(memory) = &place.base else {
            return Err(LowerError::Malformed("atomic on a plain variable"));
        };
        let component = self.component_index(place);
        let bytes = self.scale(component, memory.component_stride.unwrap_or(scalar.bytes()));
        let offset = self.add_index(place.index, bytes);
        let op =
            ir_atomic(op, scalar).ok_or(LowerError::Unsupported("wrapping atomic increment"))?;
        let swap = matches!(op, AtomicOp::CompareExchange | AtomicOp::FcompareExchange);
        let bits = scalar.bits() as u8;
        let fields = Fields { base: offset.constant, atomic: op, ..Fields::default() };
        let dynamic = self.dynamic_offset(offset);
        let (intrinsic, mut srcs, fields): (_, SmallVec<[Value; 4]>, _) = match memory.space {
            Space::Storage(block) => {
                let block = self.index_value(block);
                let which =
                    if swap { IntrinsicOp::SsboAtomicSwap } else { IntrinsicOp::SsboAtomic };
                (which, SmallVec::from_slice(&[block, dynamic]), fields)
            }
            Space::Shared => {
                let which =
                    if swap { IntrinsicOp::SharedAtomicSwap } else { IntrinsicOp::SharedAtomic };
                (which, SmallVec::from_slice(&[dynamic]), fields)
            }
            Space::Counter(binding) => {
                let which =
                    if swap { IntrinsicOp::CounterAtomicSwap } else { IntrinsicOp::CounterAtomic };
                let offset = self.index_value(offset);
                (which, SmallVec::from_slice(&[offset]), Fields { base: binding, ..fields })
            }
            Space::Uniform(_) => return Err(LowerError::Malformed("atomic on a uniform")),
        };
        srcs.extend_from_slice(operands);
        Ok(self.builder.load(intrinsic, &srcs, fields, bits, 1))
    }
}

/// The IR's operation for an atomic on a component type.
pub(crate) fn ir_atomic(op: program::AtomicOp, scalar: Scalar) -> Option<AtomicOp> {
    use program::AtomicOp as P;
    let signed = scalar.is_signed_integer();
    let float = scalar == Scalar::Float;
    Some(match op {
        P::Min if float => AtomicOp::Fmin,
        P::Max if float => AtomicOp::Fmax,
        P::CompareSwap if float => AtomicOp::FcompareExchange,
        P::Add => AtomicOp::Add,
        P::Min if signed => AtomicOp::Imin,
        P::Min => AtomicOp::Umin,
        P::Max if signed => AtomicOp::Imax,
        P::Max => AtomicOp::Umax,
        P::And => AtomicOp::And,
        P::Or => AtomicOp::Or,
        P::Xor => AtomicOp::Xor,
        P::Exchange => AtomicOp::Exchange,
        P::CompareSwap => AtomicOp::CompareExchange,
        P::IncrementWrap | P::DecrementWrap => return None,
    })
}
