//! Lines of shader text that instructions came from.

/// The line of shader text that an instruction came from, in four bytes.
///
/// A line belongs to a *unit*, one of the shader objects that are linked to a stage. Lines count
/// from 1 in the unit's own text; its `#line` directives do not matter.
///
/// ```
/// use vocabulary::SourceLine;
///
/// let line = SourceLine::new(1, 12);
/// assert_eq!((line.unit(), line.line()), (1, Some(12)));
/// assert_eq!(SourceLine::UNKNOWN.line(), None);
/// assert_eq!(SourceLine::default(), SourceLine::UNKNOWN);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceLine(u32);

/// Bits of the line; the unit is above them.
const LINE_BITS: u32 = 24;

impl SourceLine {
    /// Not known, or not known yet: an instruction that a pass adds without a line takes that of
    /// the instructions around it.
    pub const UNKNOWN: SourceLine = SourceLine(0);
    /// Code of the compiler that no line asks for: payloads, prologues and epilogues.
    pub const NONE: SourceLine = SourceLine(u32::MAX);

    /// Returns the line `line`, from 1, of the unit `unit`, from 0. Units and lines too large for
    /// four bytes give [`SourceLine::NONE`].
    pub fn new(unit: usize, line: u32) -> SourceLine {
        let fits = unit < 0xff && (1..1 << LINE_BITS).contains(&line);
        if fits { SourceLine((unit as u32) << LINE_BITS | line) } else { SourceLine::NONE }
    }

    /// Returns the line, from 1, if there is one.
    pub fn line(self) -> Option<u32> {
        let is_line = self != SourceLine::UNKNOWN && self != SourceLine::NONE;
        is_line.then_some(self.0 & ((1 << LINE_BITS) - 1))
    }

    /// Returns the number of the shader object in its stage, from 0; 0 without a line.
    pub fn unit(self) -> u32 {
        if self == SourceLine::NONE { 0 } else { self.0 >> LINE_BITS }
    }

    /// True if the line is not known yet.
    pub fn is_unknown(self) -> bool {
        self == SourceLine::UNKNOWN
    }

    /// Copies lines to instructions without one: that of the next instruction with a line, or else
    /// that of the last. `line` gives access to an instruction's line.
    ///
    /// ```
    /// use vocabulary::SourceLine;
    ///
    /// let [two, nine] = [2, 9].map(|line| SourceLine::new(0, line));
    /// let mut lines = [SourceLine::UNKNOWN, two, SourceLine::UNKNOWN, nine, SourceLine::UNKNOWN];
    /// SourceLine::spread(&mut lines, |line| line);
    /// assert_eq!(lines, [two, two, nine, nine, nine]);
    /// ```
    pub fn spread<T>(insts: &mut [T], mut line: impl FnMut(&mut T) -> &mut SourceLine) {
        let mut next = SourceLine::UNKNOWN;
        let mut last = SourceLine::UNKNOWN;
        for inst in insts.iter_mut().rev() {
            let line = line(inst);
            if line.is_unknown() {
                *line = next;
            } else {
                last = if last.is_unknown() { *line } else { last };
                next = *line;
            }
        }
        let trailing = insts.iter_mut().rev().map(line).take_while(|line| line.is_unknown());
        trailing.for_each(|line| *line = last);
    }
}

/// The source lines of machine code. They are an annotation: all tables are equal, so that programs
/// compare by their code.
///
/// ```
/// use vocabulary::{LineTable, SourceLine};
///
/// let mut table = LineTable::default();
/// table.push(0, SourceLine::new(0, 3));
/// table.push(16, SourceLine::new(0, 3));
/// table.push(32, SourceLine::new(0, 7));
/// assert_eq!(table.at(24).line(), Some(3));
/// assert_eq!(table.at(32).line(), Some(7));
/// ```
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    /// Runs of instructions with the same line, by the byte offset where they begin.
    runs: Vec<(u32, SourceLine)>,
}

impl PartialEq for LineTable {
    fn eq(&self, _: &LineTable) -> bool {
        true
    }
}

impl Eq for LineTable {}

impl LineTable {
    /// Adds the instruction at the byte offset `offset`; offsets ascend.
    pub fn push(&mut self, offset: u32, line: SourceLine) {
        if self.runs.last().is_none_or(|&(_, last)| last != line) {
            self.runs.push((offset, line));
        }
    }

    /// Returns the line of the instruction at a byte offset.
    pub fn at(&self, offset: u32) -> SourceLine {
        let after = self.runs.partition_point(|&(start, _)| start <= offset);
        after.checked_sub(1).map_or(SourceLine::UNKNOWN, |index| self.runs[index].1)
    }

    /// True if no instruction was added.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}
