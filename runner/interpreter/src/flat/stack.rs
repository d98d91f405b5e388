//! Storage of flat code and its rows.

use std::rc::Rc;

use cranelift_entity::SecondaryMap;
use program::{ExprId, Scalar};

use super::code::{Row, Tape};
use super::rows::{Cells, LANES};
use crate::lanes::Value;

/// Rows of the tapes in execution, one tape's after the other.
#[derive(Debug, Default)]
pub(crate) struct RowStack {
    /// Components.
    pub(super) cells: Vec<Cells>,
    /// Lanes of each row that are undefined.
    pub(super) marks: Vec<u64>,
    /// Rows in use.
    pub(super) top: usize,
}

impl RowStack {
    /// Makes room for a tape; returns its first row.
    pub(super) fn push(&mut self, rows: usize) -> usize {
        let base = self.top;
        self.top += rows;
        if self.cells.len() < self.top {
            self.cells.resize(self.top, [0; LANES]);
            self.marks.resize(self.top, 0);
        }
        base
    }

    /// Copies the components of a value to consecutive rows.
    pub(super) fn put(&mut self, first: usize, count: usize, value: &Value) {
        let rows = self.cells.iter_mut().zip(&mut self.marks).skip(first).take(count);
        for (component, (cells, marks)) in rows.enumerate() {
            *marks = value.read_row(component, cells);
        }
    }

    /// The value of rows, in a number of lanes.
    pub(super) fn value(&self, base: usize, rows: &[Row], scalar: Scalar, lanes: usize) -> Value {
        let mut value = Value::zero(rows.len(), lanes);
        let signed = scalar == Scalar::Int;
        for (component, &row) in rows.iter().enumerate() {
            let row = base + usize::from(row);
            value.write_row(component, u64::MAX, &self.cells[row], self.marks[row], signed);
        }
        value
    }
}

/// Flat code of the expressions that were evaluated.
#[derive(Debug, Default)]
pub(crate) struct Tapes {
    /// Flat code, of those that have it.
    pub(super) compiled: SecondaryMap<ExprId, Option<Rc<Tape>>>,
    /// Expressions that were tried.
    pub(super) tried: SecondaryMap<ExprId, bool>,
}
