//! Instructions on composites, and copies.

use rspirv::spirv::Op;

use super::view::Kind;
use crate::error::Error;
use crate::module::{Instruction, Module, Operand};

pub(crate) fn check(module: &Module, i: &Instruction) -> Result<(), Error> {
    match i.op {
        Op::CompositeConstruct => construct(module, i),
        Op::CompositeExtract => {
            let part = part(module, i, module.operand_type(i, 0)?, &i.operands[1..])?;
            module.demand(i, part == i.ty, "the part has another type")
        }
        Op::CompositeInsert => {
            let (object, base) = (module.operand_type(i, 0)?, module.operand_type(i, 1)?);
            module.demand(i, base == i.ty, "the result has not the composite's type")?;
            let part = part(module, i, base, &i.operands[2..])?;
            module.demand(i, part == object, "the object has not the part's type")
        }
        Op::CopyLogical => {
            let from = module.operand_type(i, 0)?;
            let fits = from != i.ty && match_logically(module, from, i.ty);
            module.demand(i, fits, "the types do not match, or are the same")
        }
        Op::VectorExtractDynamic | Op::VectorInsertDynamic => dynamic(module, i),
        Op::VectorShuffle => shuffle(module, i),
        Op::CopyObject => module.demand(i, module.operand_type(i, 0)? == i.ty, "the types differ"),
        _ => Ok(()),
    }
}

/// True for types that differ in layout alone (SPIR-V 1.6 section 2.2.1, logically match).
fn match_logically(module: &Module, a: u32, b: u32) -> bool {
    let parts = |ty| module.get(ty).map_or(Vec::new(), |ty| ty.ids_from(0).collect());
    match (module.kind(a), module.kind(b)) {
        _ if a == b => true,
        (Kind::Array { element, length }, Kind::Array { element: other, length: also }) => {
            let lengths = [length, also].map(|length| module.fixed_integer(length));
            let is_length = length == also || lengths[0].is_some() && lengths[0] == lengths[1];
            is_length && match_logically(module, element, other)
        }
        (Kind::Struct, Kind::Struct) => {
            let (a, b): (Vec<u32>, Vec<u32>) = (parts(a), parts(b));
            a.len() == b.len() && a.iter().zip(&b).all(|(&a, &b)| match_logically(module, a, b))
        }
        _ => false,
    }
}

/// The type of a part by literal indices.
fn part(module: &Module, i: &Instruction, mut ty: u32, indices: &[Operand]) -> Result<u32, Error> {
    module.demand(i, !indices.is_empty(), "there is no index")?;
    for index in indices {
        let &Operand::Literal(index) = index else { continue };
        let inside = match module.kind(ty) {
            Kind::Vector { component, count } => (index < count).then_some(component),
            Kind::Matrix { column, count } => (index < count).then_some(column),
            Kind::Array { element, length } => {
                let length = module.fixed_integer(length);
                length.is_none_or(|length| u64::from(index) < length).then_some(element)
            }
            Kind::Struct => module.get(ty).and_then(|ty| ty.id_at(index as usize)),
            _ => None,
        };
        ty = inside.ok_or_else(|| module.error(i, format!("there is no part {index}")))?;
    }
    Ok(ty)
}

fn construct(module: &Module, i: &Instruction) -> Result<(), Error> {
    let mut types = Vec::new();
    for index in 0..i.operands.len() {
        types.push(module.operand_type(i, index)?);
    }
    let fits = match module.kind(i.ty) {
        Kind::Vector { component, count } => {
            let scalar = module.kind(component);
            let shapes: Option<Vec<_>> = types.iter().map(|&ty| module.shape(ty)).collect();
            let shapes = shapes.unwrap_or_default();
            let total: u32 = shapes.iter().map(|shape| shape.count).sum();
            types.len() > 1 && total == count && shapes.iter().all(|shape| shape.scalar == scalar)
        }
        Kind::Matrix { column, count } => {
            types.len() == count as usize && types.iter().all(|&ty| ty == column)
        }
        Kind::Array { element, length } => {
            let length = module.fixed_integer(length);
            length.is_none_or(|length| length == types.len() as u64)
                && types.iter().all(|&ty| ty == element)
        }
        Kind::Struct => module.get(i.ty).is_some_and(|ty| ty.ids_from(0).eq(types.iter().copied())),
        _ => false,
    };
    module.demand(i, fits, "the parts are not those of the type")
}

fn dynamic(module: &Module, i: &Instruction) -> Result<(), Error> {
    let vector = module.operand_type(i, 0)?;
    let Kind::Vector { component, .. } = module.kind(vector) else {
        return Err(module.error(i, "operand 0 is no vector"));
    };
    let is_insert = i.op == Op::VectorInsertDynamic;
    let index = module.operand_shape(i, if is_insert { 2 } else { 1 })?;
    module.demand(i, index.is_int() && index.count == 1, "the index is no integer")?;
    let fits = match is_insert {
        true => vector == i.ty && module.operand_type(i, 1)? == component,
        false => component == i.ty,
    };
    module.demand(i, fits, "the types do not fit")
}

fn shuffle(module: &Module, i: &Instruction) -> Result<(), Error> {
    let (a, b) = (module.operand_shape(i, 0)?, module.operand_shape(i, 1)?);
    let result = module.shape(i.ty);
    let is_vector = a.count > 1 && b.count > 1 && result.is_some_and(|r| r.count > 1);
    let is_kind = a.scalar == b.scalar && result.is_some_and(|r| r.scalar == a.scalar);
    module.demand(i, is_vector && is_kind, "the types do not fit")?;
    let components = i.operands.len() - 2;
    let is_count = result.is_some_and(|r| r.count as usize == components);
    module.demand(i, is_count, "the number of components is not that of the result")?;
    for operand in &i.operands[2..] {
        let &Operand::Literal(index) = operand else { continue };
        module.demand(
            i,
            index < a.count + b.count || index == u32::MAX,
            "there is no such component",
        )?;
    }
    Ok(())
}
