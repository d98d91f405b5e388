//! Resolved instructions that kernels share.

use std::array;
use std::sync::{Arc, OnceLock};

use eu::{Inst, Store};

use crate::op::Op;
use crate::quirks::Quirks;

/// Most instructions of one arena: three quarters of a megabyte.
pub(crate) const CAPACITY: usize = CHUNKS * CHUNK;
const CHUNKS: usize = 64;
const CHUNK: usize = 32;

/// An instruction and what executing it takes; all that does not depend on where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub inst: Inst,
    pub op: Op,
}

impl Resolved {
    pub fn new(quirks: &Quirks, inst: Inst) -> Resolved {
        Resolved { inst, op: Op::resolve(quirks, &inst) }
    }
}

type Chunk = Box<[OnceLock<Resolved>; CHUNK]>;

/// Instructions that never change or move once they are here, so that kernels may look at them while others are added. A
/// kernel holds the arena as a whole: to count the kernels of each instruction takes longer than to decode it.
#[derive(Debug)]
pub(crate) struct Arena {
    chunks: [OnceLock<Chunk>; CHUNKS],
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { chunks: array::from_fn(|_| OnceLock::new()) }
    }
}

impl Arena {
    /// The instruction at a place.
    #[inline]
    pub fn at(&self, place: usize) -> Option<&Resolved> {
        self.chunks.get(place / CHUNK)?.get()?.get(place % CHUNK)?.get()
    }

    /// Puts an instruction into a place where none is; there are [`CAPACITY`] places.
    fn put(&self, place: usize, make: impl FnOnce() -> Resolved) {
        let chunk = self.chunks[place / CHUNK].get_or_init(|| Box::new(array::from_fn(|_| OnceLock::new())));
        chunk[place % CHUNK].get_or_init(make);
    }
}

/// An arena being filled.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    arena: Arc<Arena>,
    len: usize,
}

impl Shelf {
    /// The arena.
    pub fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    /// The instruction at a place.
    pub fn at(&self, place: u32) -> Option<&Resolved> {
        self.arena.at(place as usize)
    }

    /// Adds an instruction, made where it stays; to a new arena if this one is full.
    pub fn push(&mut self, make: impl FnOnce() -> Resolved) {
        if self.len == CAPACITY {
            self.clear();
        }
        self.arena.put(self.len, make);
        self.len += 1;
    }
}

impl Store for Shelf {
    fn len(&self) -> usize {
        self.len
    }

    fn take(&mut self, other: &Shelf, place: u32) {
        if let Some(resolved) = other.at(place) {
            self.push(|| resolved.clone());
        }
    }

    /// Kernels keep the old arena as long as they need it.
    fn clear(&mut self) {
        *self = Shelf::default();
    }
}
