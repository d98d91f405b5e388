//! Execution of flat code.

use std::rc::Rc;

use program::{ExprId, LocalId, Scalar};

use super::code::{Step, Tape, Variable};
use super::compile::compile;
use super::rows::{self, LANES};
use crate::environment::Error;
use crate::invocation_group::InvocationGroup;
use crate::lanes::{Mask, Value};

impl InvocationGroup<'_> {
    /// The flat code of an expression, if it has any.
    fn tape(&mut self, id: ExprId) -> Option<Rc<Tape>> {
        if self.lanes > LANES {
            return None;
        }
        if !self.tapes.tried[id] {
            self.tapes.tried[id] = true;
            self.tapes.compiled[id] =
                compile(self.types, self.shader, self.layout, id).map(Rc::new);
        }
        self.tapes.compiled[id].clone()
    }

    /// Evaluates an expression by its flat code; `None` without.
    pub(crate) fn flat_value(&mut self, id: ExprId) -> Result<Option<Value>, Error> {
        let Some(tape) = self.tape(id) else { return Ok(None) };
        let lanes = self.lanes;
        let finish =
            |this: &mut Self, base| Ok(this.rows.value(base, &tape.result, tape.scalar, lanes));
        self.run_tape(&tape, finish).map(Some)
    }

    /// Executes an expression for its effects by its flat code; returns false without.
    pub(crate) fn flat_effects(&mut self, id: ExprId) -> Result<bool, Error> {
        let Some(tape) = self.tape(id) else { return Ok(false) };
        self.run_tape(&tape, |_, _| Ok(true))
    }

    /// Evaluates a new local's value by its flat code; returns false without.
    pub(crate) fn flat_definition(&mut self, local: LocalId, id: ExprId) -> Result<bool, Error> {
        let Some(tape) = self.tape(id) else { return Ok(false) };
        let lanes = self.lanes;
        let finish = |this: &mut Self, base: usize| {
            let value = this.rows.value(base, &tape.result, tape.scalar, lanes);
            this.frame_mut().define(local, value);
            Ok(true)
        };
        self.run_tape(&tape, finish)
    }

    /// Evaluates a condition by its flat code: the active lanes where it holds, and those where it
    /// is undefined; `None` without.
    pub(crate) fn flat_condition(&mut self, id: ExprId) -> Result<Option<(Mask, Mask)>, Error> {
        let Some(tape) = self.tape(id) else { return Ok(None) };
        let finish = |this: &mut Self, base: usize| {
            let row = tape.result.first().ok_or(Error::Malformed("condition without a value"))?;
            let row = base + usize::from(*row);
            let cells = this.rows.cells[row].iter().enumerate();
            let truth = cells.fold(0, |mask, (lane, &x)| mask | u64::from(x != 0) << lane);
            let active = |lanes: u64| this.active.and(&Mask::of_word(lanes));
            Ok((active(truth), active(this.rows.marks[row])))
        };
        self.run_tape(&tape, finish).map(Some)
    }

    /// Runs a tape; `finish` takes its results from the rows, which begin at the number given.
    fn run_tape<T>(
        &mut self,
        tape: &Tape,
        finish: impl FnOnce(&mut Self, usize) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let base = self.rows.push(tape.rows);
        let outcome = self.run_steps(&tape.steps, base).and_then(|()| finish(self, base));
        self.rows.top = base;
        outcome
    }

    fn run_steps(&mut self, steps: &[Step], base: usize) -> Result<(), Error> {
        let mut rest = steps;
        while let Some(step) = rest.first() {
            let active = self.active.first_word();
            let stack = &mut self.rows;
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
            Step::Load { to, variable, component } => {
                let value = match *variable {
                    Variable::Local(local) => self.frames.last().map(|f| f.local(local)),
                    Variable::Global(global) => Some(&self.globals[global]),
                };
                let row = base + usize::from(*to);
                let read = |value: &Value, cells| value.read_row(*component as usize, cells);
                self.rows.marks[row] = value.map_or(0, |v| read(v, &mut self.rows.cells[row]));
            }
            Step::Store { variable, component, from, signed } => {
                let active = self.active.first_word();
                let value = match *variable {
                    Variable::Local(local) => match self.frames.last_mut() {
                        Some(frame) => frame.local_mut(local),
                        None => return Err(Error::Malformed("local outside a function")),
                    },
                    Variable::Global(global) => &mut self.globals[global],
                };
                let row = base + usize::from(*from);
                let (cells, marks) = (&self.rows.cells[row], self.rows.marks[row]);
                value.write_row(*component as usize, active, cells, marks, *signed);
            }
            Step::Evaluate { to, count, expr } => {
                let value = self.eval(*expr)?;
                self.rows.put(base + usize::from(*to), usize::from(*count), &value);
            }
            Step::Call { to, function, arguments, ty } => {
                let value = |(_, scalar, rows): &(_, Scalar, super::code::Rows)| {
                    self.rows.value(base, rows, *scalar, self.lanes)
                };
                let values = arguments.iter().map(value).collect();
                let types: Vec<_> = arguments.iter().map(|argument| argument.0).collect();
                let value = self.builtin_of_values(*function, &types, values, *ty)?;
                let count = self.layout.component_count(*ty);
                self.rows.put(base + usize::from(*to), count, &value);
            }
        }
        Ok(())
    }
}
