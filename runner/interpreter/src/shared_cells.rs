//! Storage that invocations share: which values the order of invocations leaves undefined.
//!
//! Between two synchronization points (the beginning, barriers, the end) invocations run in any
//! order. A cell that several of them write has the value of any of them afterwards. A cell that
//! one invocation reads and another writes has any value for the reader, even if the write comes
//! later in the text (GLSL 4.60 section 4.3.6; 8.16 for shared variables).
//!
//! A mark that comes too late, by a write after the read, is a [`Hazard`]. The group runs again
//! with all hazards known.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::lanes::Mask;

/// Set of lanes, as far as it matters who is in it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Lanes {
    #[default]
    None,
    One(u32),
    Many,
}

impl Lanes {
    fn add(&mut self, lane: usize) {
        *self = match *self {
            Lanes::None => Lanes::One(lane as u32),
            same if same == Lanes::One(lane as u32) => same,
            _ => Lanes::Many,
        };
    }

    /// True if any lane but this one is in the set.
    fn has_other(self, lane: usize) -> bool {
        self != Lanes::None && self != Lanes::One(lane as u32)
    }
}

/// A cell between two synchronization points, where some lane read what another one writes later.
type Hazard = (usize, u32);

/// Hazards, and the lanes that change the cell of each.
#[derive(Debug, Default)]
pub(crate) struct Hazards(FxHashMap<Hazard, Changes>);

#[derive(Clone, Copy, Debug, Default)]
struct Changes {
    writers: Lanes,
    modifiers: Lanes,
}

impl Hazards {
    /// True without any.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if a lane reads what another one changes later.
    fn is_read_open(&self, hazard: Hazard, lane: usize) -> bool {
        let changes = self.0.get(&hazard).copied().unwrap_or_default();
        changes.writers.has_other(lane) || changes.modifiers.has_other(lane)
    }

    /// True if a lane modifies atomically what another one writes later.
    fn is_change_open(&self, hazard: Hazard, lane: usize) -> bool {
        self.0.get(&hazard).is_some_and(|changes| changes.writers.has_other(lane))
    }
}

/// Effect of an atomic operation on a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// The new value is that of an operand, which may be undefined.
    Replace { undefined: bool },
    /// The new value depends on the old one and on operands, which may be undefined.
    Combine { undefined: bool },
}

impl Change {
    /// Changes a mark; returns the old one.
    fn apply(self, mark: &mut bool) -> bool {
        let before = *mark;
        *mark = match self {
            Change::Replace { undefined } => undefined,
            Change::Combine { undefined } => before || undefined,
        };
        before
    }
}

/// Last write of a lane.
#[derive(Clone, Debug)]
struct Write {
    lane: u32,
    undefined: bool,
    bits: u64,
}

/// A component of an output, or some bytes of memory.
#[derive(Clone, Debug)]
struct Cell {
    /// Undefined at the last synchronization point.
    undefined: bool,
    /// Number of synchronization points before the accesses below.
    phase: u32,
    readers: Lanes,
    /// Lanes that modified the cell atomically.
    modifiers: Lanes,
    /// Last writes, by lane.
    writes: SmallVec<[Write; 1]>,
}

impl Cell {
    /// Forgets the accesses of earlier phases.
    fn enter(&mut self, phase: u32) {
        if self.phase == phase {
            return;
        }
        self.undefined = self.is_open();
        self.phase = phase;
        self.readers = Lanes::None;
        self.modifiers = Lanes::None;
        self.writes.clear();
    }

    /// True if the value is undefined at the next synchronization point.
    fn is_open(&self) -> bool {
        let Some((first, others)) = self.writes.split_first() else { return self.undefined };
        let differs = |write: &Write| write.undefined || write.bits != first.bits;
        first.undefined
            || others.iter().any(differs)
            || !others.is_empty() && self.modifiers != Lanes::None
            || self.modifiers.has_other(first.lane as usize)
    }

    /// Lanes that changed the cell in this phase.
    fn changes(&self) -> Changes {
        let writers = match &self.writes[..] {
            [] => Lanes::None,
            [only] => Lanes::One(only.lane),
            _ => Lanes::Many,
        };
        Changes { writers, modifiers: self.modifiers }
    }

    fn write(&mut self, lane: usize, bits: u64, undefined: bool) {
        let write = Write { lane: lane as u32, undefined, bits };
        // Lanes come in ascending order, most of the time.
        match self.writes.binary_search_by_key(&write.lane, |known| known.lane) {
            Ok(place) => self.writes[place] = write,
            Err(place) => self.writes.insert(place, write),
        }
    }
}

/// Cells that the invocations of a group, or of each of its patches, share.
#[derive(Debug)]
pub(crate) struct SharedCells {
    cells: Vec<Cell>,
    /// New cells are undefined.
    undefined: bool,
    /// Lanes that share cells: so many in a row.
    sharers: usize,
    /// Synchronization points of each row of sharers.
    phases: Vec<u32>,
    /// Hazards of an earlier run of the same group.
    known: Hazards,
    found: Hazards,
}

impl SharedCells {
    /// Creates cells of `lanes` lanes, of which each `sharers` have cells of their own. `undefined`
    /// is true if they have no value at the beginning; `known` holds the hazards of an earlier run.
    pub(crate) fn new(
        lanes: usize,
        sharers: usize,
        undefined: bool,
        known: Hazards,
    ) -> SharedCells {
        SharedCells {
            cells: Vec::new(),
            undefined,
            sharers,
            phases: vec![0; lanes.div_ceil(sharers)],
            known,
            found: Hazards::default(),
        }
    }

    /// Number of rows of sharers.
    pub(crate) fn rows(&self) -> usize {
        self.phases.len()
    }

    /// The row of sharers of a lane.
    pub(crate) fn row(&self, lane: usize) -> usize {
        lane / self.sharers
    }

    /// The hazards of this run that were not known before.
    pub(crate) fn into_hazards(self) -> Hazards {
        if self.known.is_empty() { self.found } else { Hazards::default() }
    }

    /// Executes a barrier for the sharers of some lanes.
    pub(crate) fn synchronize(&mut self, lanes: &Mask) {
        for (row, phase) in self.phases.iter_mut().enumerate() {
            let mut sharers = row * self.sharers..(row + 1) * self.sharers;
            *phase += u32::from(sharers.any(|lane| lanes.contains(lane)));
        }
    }

    fn enter(&mut self, index: usize, lane: usize) -> (&mut Cell, Hazard) {
        let row = if self.phases.len() > 1 { self.row(lane) } else { 0 };
        let phase = self.phases.get(row).copied().unwrap_or(0);
        if index >= self.cells.len() {
            let cell = Cell {
                undefined: self.undefined,
                phase: 0,
                readers: Lanes::None,
                modifiers: Lanes::None,
                writes: SmallVec::new(),
            };
            self.cells.resize(index + 1, cell);
        }
        let cell = &mut self.cells[index];
        cell.enter(phase);
        (cell, (index, phase))
    }

    /// Records that a lane reads a cell; returns true if the value is undefined.
    pub(crate) fn read(&mut self, index: usize, lane: usize) -> bool {
        let (cell, hazard) = self.enter(index, lane);
        cell.readers.add(lane);
        let value = match &cell.writes[..] {
            [] => cell.undefined,
            [own] if own.lane as usize == lane => own.undefined,
            writes => !writes.iter().any(|write| write.lane as usize == lane) || cell.is_open(),
        };
        value || cell.modifiers.has_other(lane) || self.known.is_read_open(hazard, lane)
    }

    /// Records that some lanes read a cell; marks those for which the value is undefined.
    pub(crate) fn read_together(
        &mut self,
        index: usize,
        lanes: &Mask,
        mut mark: impl FnMut(usize),
    ) {
        let mut all = lanes.iter();
        let Some(first) = all.next() else { return };
        let is_quiet = self.known.is_empty();
        let (cell, _) = self.enter(index, first);
        let is_unchanged = cell.writes.is_empty() && cell.modifiers == Lanes::None;
        if is_quiet && is_unchanged && !cell.undefined {
            cell.readers.add(first);
            all.next().into_iter().for_each(|second| cell.readers.add(second));
            return;
        }
        lanes.iter().filter(|&lane| self.read(index, lane)).for_each(&mut mark);
    }

    /// Records that a lane writes a cell.
    pub(crate) fn write(&mut self, index: usize, lane: usize, bits: u64, undefined: bool) {
        let (cell, hazard) = self.enter(index, lane);
        cell.write(lane, bits, undefined);
        if cell.readers.has_other(lane) || cell.modifiers.has_other(lane) {
            let changes = cell.changes();
            self.found.0.insert(hazard, changes);
        }
    }

    /// Records that a lane reads and writes a cell atomically; returns true if the value that it
    /// reads is undefined. The order among atomic operations is for the program to make harmless.
    pub(crate) fn modify(&mut self, index: usize, lane: usize, change: Change) -> bool {
        let (cell, hazard) = self.enter(index, lane);
        cell.modifiers.add(lane);
        let before = match &mut cell.writes[..] {
            [own] if own.lane as usize == lane => change.apply(&mut own.undefined),
            [] => change.apply(&mut cell.undefined),
            _ => true,
        };
        if cell.readers.has_other(lane) {
            let changes = cell.changes();
            self.found.0.insert(hazard, changes);
        }
        before || self.known.is_change_open(hazard, lane)
    }

    /// True if the value of a cell is undefined at the end.
    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.cells.get(index).map_or(self.undefined, Cell::is_open)
    }
}
