//! Storage of flat code and its rows.

use std::sync::Arc;

use cranelift_entity::SecondaryMap;
use program::ExprId;

use super::code::{Row, Tape, TapeBlock};
use super::rows::{Cells, LANES};
use crate::lanes::Value;

/// Rows of the tapes in execution, one tape's after the other.
#[derive(Debug, Default)]
pub(crate) struct RowStack {
    /// Components.
    pub(crate) cells: Vec<Cells>,
    /// Lanes of each row that are undefined.
    pub(crate) marks: Vec<u64>,
    /// Rows in use.
    pub(crate) top: usize,
}

impl RowStack {
    /// Makes room for a tape; returns its first row.
    pub(crate) fn push(&mut self, rows: usize) -> usize {
        let base = self.top;
        self.top += rows;
        if self.cells.len() < self.top {
            self.cells.resize(self.top, [0; LANES]);
            self.marks.resize(self.top, 0);
        }
        base
    }

    /// Copies the components of a value to consecutive rows.
    pub(crate) fn put(&mut self, first: usize, count: usize, value: &Value) {
        let rows = self.cells.iter_mut().zip(&mut self.marks).skip(first).take(count);
        for (component, (cells, marks)) in rows.enumerate() {
            *marks = value.read_row(component, cells);
        }
    }

    /// Copies rows to a value of as many components.
    pub(crate) fn assign(&self, base: usize, rows: &[Row], to: &mut Value) {
        for (component, &row) in rows.iter().enumerate() {
            let row = base + usize::from(row);
            to.write_row(component, u64::MAX, &self.cells[row], self.marks[row], false);
        }
    }

    /// The value of rows, in a number of lanes.
    pub(crate) fn value(&self, base: usize, rows: &[Row], signed: bool, lanes: usize) -> Value {
        let row = |&row: &Row| {
            let row = base + usize::from(row);
            (&self.cells[row], self.marks[row])
        };
        Value::of_rows(rows.iter().map(row), lanes, signed)
    }
}

/// Flat code of the expressions that were evaluated.
#[derive(Debug, Default)]
pub(crate) struct Tapes {
    /// Flat code, of those that have it.
    pub(crate) compiled: SecondaryMap<ExprId, Option<Arc<Tape>>>,
    /// Expressions that were tried.
    pub(crate) tried: SecondaryMap<ExprId, bool>,
    /// Flat code of statements, by the expression of the first; `None` in it if there is none.
    pub(crate) blocks: SecondaryMap<ExprId, Option<Option<Arc<TapeBlock>>>>,
}

/// Flat code of a stage, and memory for its rows.
#[derive(Debug, Default)]
pub(crate) struct FlatCode {
    /// Code.
    pub(crate) tapes: Tapes,
    /// Memory.
    pub(crate) rows: RowStack,
}
