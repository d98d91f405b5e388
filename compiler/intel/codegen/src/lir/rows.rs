//! Owords that Align16 reads of 64-bit vectors.
//!
//! Align16 processes a dvec4 as two rows of two components. Each row comes from one oword of the
//! source: the first from the operand's start, the second one oword on, or with vertical stride 0
//! the same one again. The encoded swizzle selects dwords, the same ones in both rows
//! (`align16-df-swizzle`): components 0 and 2, and 1 and 3, must select the same half of their
//! oword.

use super::{Inst, Operand, Swizzle};

/// True if the hardware takes this writemask of doubles to mean dwords (`align16-df-writemask`).
#[must_use]
pub fn acts_on_dwords(mask: u8) -> bool {
    matches!(mask, 0b0011 | 0b1100)
}

/// Owords that the rows of a source read, and the double of an oword that each column reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Oword of each row; `None` where the row has no component that counts.
    owords: [Option<u8>; 2],
    /// Double of the oword (0, 1) that each column reads.
    pub columns: [u8; 2],
}

/// From row to row of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowStep {
    /// The first row reads the first oword, the second row the second.
    Next,
    /// Both rows read this oword of each vector: vertical stride 0.
    Same(u8),
}

impl Rows {
    /// The rows of a logical swizzle when only the components of `mask` count; `None` where
    /// components of a row lie in different owords, or rows disagree about a column.
    #[must_use]
    pub fn of(swizzle: Swizzle, mask: u8) -> Option<Rows> {
        let mut owords = [None; 2];
        let mut columns = [None; 2];
        for c in (0..4u8).filter(|c| mask >> c & 1 != 0) {
            let component = swizzle.get(c);
            let (row, column) = (usize::from(c / 2), usize::from(c % 2));
            if *owords[row].get_or_insert(component / 2) != component / 2
                || *columns[column].get_or_insert(component % 2) != component % 2
            {
                return None;
            }
        }
        let any = columns[0].or(columns[1]).unwrap_or(0);
        Some(Rows { owords, columns: columns.map(|c| c.unwrap_or(any)) })
    }

    /// How the second row follows the first; `None` where it would have to go back. Where both
    /// steps would do, vectors `shared` by both vertices take the one that reads a single oword.
    #[must_use]
    pub fn step(self, shared: bool) -> Option<RowStep> {
        match self.owords {
            [Some(1), Some(0)] => None,
            [Some(0) | None, Some(1) | None] if !shared => Some(RowStep::Next),
            [Some(0), Some(1)] => Some(RowStep::Next),
            [first, second] => Some(RowStep::Same(first.or(second).unwrap_or(0))),
        }
    }
}

impl Inst {
    /// The row step of a 64-bit source of this Align16 instruction; `None` where no encoding reads
    /// it. Instructions with three sources always step to the next oword.
    #[must_use]
    pub fn row_step(&self, src: &Operand) -> Option<RowStep> {
        let rows = Rows::of(src.swizzle, self.dst.writemask)?;
        let three = self.op.info().three_source;
        rows.step(src.is_scalar() && !three).filter(|step| !three || *step == RowStep::Next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps() {
        let step = |components: [u8; 4], mask: u8, shared: bool| {
            Rows::of(Swizzle::new(components), mask).and_then(|rows| rows.step(shared))
        };
        assert_eq!(step([1, 0, 3, 2], 15, false), Some(RowStep::Next));
        assert_eq!(step([1, 1, 1, 1], 15, false), Some(RowStep::Same(0)));
        assert_eq!(step([2, 3, 2, 3], 15, false), Some(RowStep::Same(1)));
        assert_eq!(step([2, 3, 0, 1], 15, false), None);
        assert_eq!(step([0, 1, 3, 2], 15, false), None);
        // X and W are in different rows and columns.
        assert_eq!(step([1, 3, 3, 2], 0b1001, false), Some(RowStep::Next));
        assert_eq!(step([1, 3, 3, 1], 0b1001, false), Some(RowStep::Same(0)));
        assert_eq!(step([0, 0, 0, 0], 0b0001, false), Some(RowStep::Next));
        assert_eq!(step([0, 0, 0, 0], 0b0001, true), Some(RowStep::Same(0)));
        assert_eq!(step([0, 0, 0, 0], 0b0100, false), Some(RowStep::Same(0)));
    }
}
