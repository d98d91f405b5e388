//! Execution of flat code.

use std::sync::Arc;

use cranelift_entity::SecondaryMap;
use program::{ExprId, GlobalId, Scalar, Statement};

use crate::call::CallFrame;
use crate::environment::Error;
use crate::flat::blocks::{block_expr, compile_block};
use crate::flat::code::{Indexed, Row, Rows, Step, Tape, TapeBlock, Variable};
use crate::flat::compile::compile;
use crate::flat::rows::{self, Cells, LANES};
use crate::invocation_group::InvocationGroup;
use crate::lanes::{Mask, Value, extend};

impl InvocationGroup<'_> {
    /// The flat code of an expression, if it has any.
    fn tape(&mut self, id: ExprId) -> Option<Arc<Tape>> {
        if self.lanes > LANES {
            return None;
        }
        if !self.flat.tapes.tried[id] {
            self.flat.tapes.tried[id] = true;
            self.flat.tapes.compiled[id] =
                compile(self.types, self.shader, self.layout, id).map(Arc::new);
        }
        self.flat.tapes.compiled[id].clone()
    }

    /// Evaluates an expression by its flat code; `None` without.
    pub(crate) fn flat_value(&mut self, id: ExprId) -> Result<Option<Value>, Error> {
        let Some(tape) = self.tape(id) else { return Ok(None) };
        let lanes = self.lanes;
        let finish = |this: &mut Self, base| {
            Ok(this.flat.rows.value(base, &tape.result, tape.scalar == Scalar::Int, lanes))
        };
        self.run_tape(&tape, finish).map(Some)
    }

    /// Executes an expression for its effects by its flat code; returns false without.
    pub(crate) fn flat_effects(&mut self, id: ExprId) -> Result<bool, Error> {
        let Some(tape) = self.tape(id) else { return Ok(false) };
        self.run_tape(&tape, |_, _| Ok(true))
    }

    /// Executes the first statements by their flat code; returns their number, or `None` without.
    pub(crate) fn flat_block(&mut self, statements: &[Statement]) -> Result<Option<usize>, Error> {
        let Some(block) = self.block(statements) else { return Ok(None) };
        for _ in &block.exprs {
            self.budget.step()?;
        }
        self.nested(|this| this.run_tape(&block.tape, |_, _| Ok(())))?;
        Ok(Some(block.exprs.len()))
    }

    /// The flat code of the first statements, if they have any.
    fn block(&mut self, statements: &[Statement]) -> Option<Arc<TapeBlock>> {
        let first = block_expr(statements.first()?)?;
        if self.lanes > LANES {
            return None;
        }
        if self.flat.tapes.blocks[first].is_none() {
            let block = compile_block(self.types, self.shader, self.layout, statements);
            self.flat.tapes.blocks[first] = Some(block.map(Arc::new));
        }
        let block = self.flat.tapes.blocks[first].clone()??;
        let exprs = statements.iter().map(block_expr).take(block.exprs.len());
        exprs.eq(block.exprs.iter().copied().map(Some)).then_some(block)
    }

    /// Evaluates a condition by its flat code: the active lanes where it holds, and those where it
    /// is undefined; `None` without.
    pub(crate) fn flat_condition(&mut self, id: ExprId) -> Result<Option<(Mask, Mask)>, Error> {
        let Some(tape) = self.tape(id) else { return Ok(None) };
        let finish = |this: &mut Self, base: usize| {
            let row = tape.result.first().ok_or(Error::Malformed("condition without a value"))?;
            let row = base + usize::from(*row);
            let truth = rows::truths(&this.flat.rows.cells[row]);
            let active = |lanes: u64| this.active.and(&Mask::of_word(lanes));
            Ok((active(truth), active(this.flat.rows.marks[row])))
        };
        self.run_tape(&tape, finish).map(Some)
    }

    /// Runs a tape; `finish` takes its results from the rows, which begin at the number given.
    fn run_tape<T>(
        &mut self,
        tape: &Tape,
        finish: impl FnOnce(&mut Self, usize) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let base = self.flat.rows.push(tape.rows);
        let outcome = self.run_steps(&tape.steps, base).and_then(|()| finish(self, base));
        self.flat.rows.top = base;
        outcome
    }

    fn run_steps(&mut self, steps: &[Step], base: usize) -> Result<(), Error> {
        let mut rest = steps;
        while let Some(step) = rest.first() {
            let active = self.active.first_word();
            let stack = &mut self.flat.rows;
            let done = rows::run(rest, &mut stack.cells[base..], &mut stack.marks[base..], active);
            if done > 0 {
                rest = rest.get(done..).unwrap_or(&[]);
                continue;
            }
            self.run_step(step, base)?;
            rest = rest.get(1..).unwrap_or(&[]);
        }
        Ok(())
    }

    fn run_step(&mut self, step: &Step, base: usize) -> Result<(), Error> {
        match step {
            Step::Row { .. } | Step::Dot { .. } => {
                return Err(Error::Malformed("row operation outside its loop"));
            }
            Step::Load { to, variable, component, count } => {
                let value = match *variable {
                    Variable::Local(local) => self.call.frame.local(local),
                    Variable::Global(global) => &self.globals[global],
                };
                let first = base + usize::from(*to);
                let rows =
                    self.flat.rows.cells.iter_mut().zip(&mut self.flat.rows.marks).skip(first);
                let components = *component as usize..;
                for (component, (cells, marks)) in components.zip(rows.take((*count).into())) {
                    *marks = value.read_row(component, cells);
                }
            }
            Step::Store { variable, components, signed, uniform } => {
                let active = self.active.first_word();
                let value = written(&mut self.call.frame, &mut self.globals, *variable);
                if *uniform {
                    value.make_narrow(*signed);
                }
                for &(component, from) in components {
                    let row = base + usize::from(from);
                    let (cells, marks) = (&self.flat.rows.cells[row], self.flat.rows.marks[row]);
                    value.write_row(component as usize, active, cells, marks, *signed);
                }
            }
            Step::Gather { to, from } => self.gather(base, usize::from(*to), from),
            Step::Scatter { to, rows, signed, uniform } => {
                return self.scatter(base, to, rows, (*signed, *uniform));
            }
            Step::Define { local, rows, signed } => {
                let value = self.call.frame.local_mut(*local);
                if value.is_narrow(rows.len(), *signed) {
                    self.flat.rows.assign(base, rows, value);
                } else {
                    *value = self.flat.rows.value(base, rows, *signed, self.lanes);
                }
            }
            Step::Evaluate { to, count, expr } => {
                let value = self.eval(*expr)?;
                self.flat.rows.put(base + usize::from(*to), usize::from(*count), &value);
            }
            Step::Call { to, function, arguments, ty, precise } => {
                let value = |(_, scalar, rows): &(_, Scalar, Rows)| {
                    self.flat.rows.value(base, rows, *scalar == Scalar::Int, self.lanes)
                };
                let values = arguments.iter().map(value).collect();
                let types: Vec<_> = arguments.iter().map(|argument| argument.0).collect();
                let value = self.builtin_of_values(*function, &types, values, *ty)?;
                let value = self.open_result(*function, *ty, *precise, value);
                let count = self.layout.component_count(*ty);
                self.flat.rows.put(base + usize::from(*to), count, &value);
            }
        }
        Ok(())
    }

    /// Reads an element of a variable.
    fn gather(&mut self, base: usize, to: usize, from: &Indexed) {
        let value = match from.variable {
            Variable::Local(local) => self.call.frame.local(local),
            Variable::Global(global) => &self.globals[global],
        };
        let index = base + usize::from(from.index);
        let (indices, undefined) = (self.flat.rows.cells[index], self.flat.rows.marks[index]);
        let count = usize::from(from.count);
        let rows = self
            .flat
            .rows
            .cells
            .iter_mut()
            .zip(&mut self.flat.rows.marks)
            .skip(base + to)
            .take(count);
        let active = self.active.first_word();
        if let Some(element) = same_element(from, &indices, active) {
            for (c, (cells, marks)) in rows.enumerate() {
                *marks = value.read_row(element + c, cells) | undefined;
            }
            return;
        }
        for (c, (cells, marks)) in rows.enumerate() {
            *marks = undefined;
            for lane in 0..self.lanes {
                let inside = element(from, indices[lane]);
                let component = inside.unwrap_or(from.first as usize) + c;
                cells[lane] = value.get(component, lane) as u32;
                let marked = inside.is_none() || value.is_undefined(component, lane);
                *marks |= u64::from(marked) << lane;
            }
        }
    }

    /// Writes an element of a variable.
    fn scatter(
        &mut self,
        base: usize,
        to: &Indexed,
        rows: &[Row],
        (signed, uniform): (bool, bool),
    ) -> Result<(), Error> {
        let value = written(&mut self.call.frame, &mut self.globals, to.variable);
        if uniform {
            value.make_narrow(signed);
        }
        let index = base + usize::from(to.index);
        let (indices, unknown) = (self.flat.rows.cells[index], self.flat.rows.marks[index]);
        let active = self.active.first_word();
        let same = same_element(to, &indices, active).filter(|_| unknown & active == 0);
        // A write to an element that is unknown, or none, may be one to any element.
        for lane in self.active.iter().filter(|_| same.is_none()) {
            if unknown >> lane & 1 != 0 || element(to, indices[lane]).is_none() {
                (0..value.components()).for_each(|c| value.mark_undefined(c, lane));
            }
        }
        for (c, &row) in rows.iter().enumerate() {
            let row = base + usize::from(row);
            let (cells, marks) = (&self.flat.rows.cells[row], self.flat.rows.marks[row]);
            if let Some(element) = same {
                value.write_row(element + c, active, cells, marks, signed);
                continue;
            }
            for lane in self.active.iter() {
                let inside = element(to, indices[lane]).filter(|_| unknown >> lane & 1 == 0);
                if let Some(element) = inside {
                    value.set(element + c, lane, extend(cells[lane], signed));
                    if marks >> lane & 1 != 0 {
                        value.mark_undefined(element + c, lane);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The first component of the element that an index chooses; `None` outside of the bounds.
fn element(of: &Indexed, index: u32) -> Option<usize> {
    let inside = index < of.length && !(of.signed && (index as i32) < 0);
    inside.then(|| of.first as usize + index as usize * usize::from(of.count))
}

/// As [`element`], if all active lanes choose the same.
fn same_element(of: &Indexed, indices: &Cells, active: u64) -> Option<usize> {
    let first = *indices.get(active.trailing_zeros() as usize)?;
    let same = |(lane, &index): (usize, &u32)| active >> lane & 1 == 0 || index == first;
    indices.iter().enumerate().all(same).then(|| element(of, first))?
}

/// A variable, for writing.
fn written<'v>(
    frame: &'v mut CallFrame,
    globals: &'v mut SecondaryMap<GlobalId, Value>,
    variable: Variable,
) -> &'v mut Value {
    match variable {
        Variable::Local(local) => frame.local_mut(local),
        Variable::Global(global) => &mut globals[global],
    }
}
