//! Composites: construction, parts, shuffles.

use program::{ExprId, ExprKind, Statement, Type};
use rspirv::spirv::Op;

use super::place::{Place, Root, Step};
use super::state::{ShaderBuilder, Value};
use crate::error::Error;
use crate::module::{Instruction, Operand};

impl ShaderBuilder<'_> {
    /// The result of an instruction on composites.
    pub(crate) fn composite_operation(&mut self, i: &Instruction) -> Result<Option<ExprId>, Error> {
        match i.op {
            Op::CompositeConstruct => {
                let parts: Result<Vec<ExprId>, Error> =
                    (0..i.operands.len()).map(|k| self.operand(i, k)).collect();
                let ty = self.result_type(i)?;
                Ok(Some(self.composite(parts?, ty)))
            }
            Op::CompositeExtract => {
                let mut value = self.operand(i, 0)?;
                for operand in &i.operands[1..] {
                    let Operand::Literal(index) = *operand else { continue };
                    value = self.part(i, value, index)?;
                }
                Ok(Some(value))
            }
            Op::VectorExtractDynamic => {
                let (base, index) = (self.operand(i, 0)?, self.operand(i, 1)?);
                Ok(Some(self.element(i, base, index)?))
            }
            Op::VectorShuffle => self.shuffle(i).map(Some),
            _ => Ok(None),
        }
    }

    /// The part of a value with a constant index.
    pub(super) fn part(
        &mut self,
        i: &Instruction,
        base: ExprId,
        index: u32,
    ) -> Result<ExprId, Error> {
        match self.types.get(self.ty(base)) {
            Type::Struct(_) => self.step(i, base, Step::Member(index)),
            Type::Vector { size, .. } if index < u32::from(*size) => {
                Ok(self.swizzle(base, &[index as u8]))
            }
            Type::Vector { .. } => {
                Err(self.module.error(i, format!("there is no component {index}")))
            }
            _ => {
                let index = self.int(index as i32);
                self.element(i, base, index)
            }
        }
    }

    fn shuffle(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (_, first) = self.shape(self.ty(a));
        let (_, second) = self.shape(self.ty(b));
        let total = u32::from(first) + u32::from(second);
        let mut parts: Vec<(bool, Vec<u8>)> = Vec::new();
        for operand in &i.operands[2..] {
            let Operand::Literal(component) = *operand else { continue };
            // An undefined component may be any.
            let component = if component == u32::MAX { 0 } else { component };
            if component >= total {
                return Err(self.module.error(i, format!("there is no component {component}")));
            }
            let is_second = component >= first.into();
            let component = component as u8 - if is_second { first } else { 0 };
            match parts.last_mut() {
                Some((last, list)) if *last == is_second => list.push(component),
                _ => parts.push((is_second, vec![component])),
            }
        }
        let mut values = Vec::new();
        for (is_second, list) in parts {
            let base = self.copy(if is_second { b } else { a });
            values.push(self.swizzle(base, &list));
        }
        let ty = self.result_type(i)?;
        Ok(match values.as_slice() {
            &[one] => one,
            _ => self.push(ExprKind::Compose(values), ty),
        })
    }

    /// A copy of a composite with one part replaced.
    pub(crate) fn insertion(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let is_dynamic = i.op == Op::VectorInsertDynamic;
        let (object, base) = if is_dynamic { (1, 0) } else { (0, 1) };
        let (object, base) = (self.operand(i, object)?, self.operand(i, base)?);
        let Place { root: Root::Local(local), .. } = self.kept(i, base, out) else { return Ok(()) };
        let mut place = self.local(local);
        if is_dynamic {
            let index = self.operand(i, 2)?;
            place = self.element(i, place, index)?;
        } else {
            for operand in &i.operands[2..] {
                let Operand::Literal(index) = *operand else { continue };
                place = self.part(i, place, index)?;
            }
        }
        let assignment = self.assign(place, object);
        out.push(Statement::Expression(assignment));
        self.values.insert(i.id, Value::Local(local));
        Ok(())
    }
}
