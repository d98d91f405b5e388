//! Division of a block into operations on chunks, and the order in which they are translated.

use crate::CHUNK;
use crate::region::{Place, Step};

/// Chunks of the file, and the two flag registers, as nodes of a graph.
const CHUNKS: usize = crate::FILE / CHUNK;
const NODES: usize = CHUNKS + 2;

/// Number of a value: a chunk's at some time.
pub(crate) type ValueId = usize;

/// A source of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A chunk.
    Chunk(ValueId),
    /// Four dwords of two chunks, from a byte of the first on.
    Across(ValueId, ValueId, u8),
    /// A dword of a chunk that the block writes, in all lanes.
    Lane(ValueId, u8),
    /// The dword at an offset of the file, which the block does not write, in all lanes.
    Memory(u16),
    /// A constant in all lanes.
    Constant(u32),
}

/// Four lanes of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Index of the instruction in its block.
    pub(crate) step: usize,
    /// Number among the instruction's pieces.
    pub(crate) number: usize,
    pub(crate) sources: [Operand; 3],
    /// Value before, and after.
    pub(crate) destination: Option<(ValueId, ValueId)>,
    /// True if it is the last piece of the instruction.
    pub(crate) is_last: bool,
}

/// Pieces that share chunks, in order, and the chunks that are stored after them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) stores: Vec<(usize, ValueId)>,
}

/// A block in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) groups: Vec<Group>,
    /// Chunk of each value that the block finds there: the others are results.
    pub(crate) initial: Vec<Option<usize>>,
    /// True for flag registers whose value decides on instructions after one that writes it.
    pub(crate) sequential: [bool; 2],
}

/// Sets of nodes.
struct Sets([u16; NODES]);

impl Sets {
    fn new() -> Sets {
        Sets(std::array::from_fn(|node| node as u16))
    }

    fn find(&mut self, node: usize) -> usize {
        let mut root = node;
        while usize::from(self.0[root]) != root {
            root = self.0[root].into();
        }
        self.0[node] = root as u16;
        root
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b) as u16;
    }
}

/// Values of chunks at a place of the block.
struct Values {
    now: [Option<ValueId>; CHUNKS],
    initial: Vec<Option<usize>>,
}

impl Values {
    fn read(&mut self, chunk: usize) -> ValueId {
        let initial = &mut self.initial;
        *self.now[chunk].get_or_insert_with(|| {
            initial.push(Some(chunk));
            initial.len() - 1
        })
    }

    fn write(&mut self, chunk: usize) -> (ValueId, ValueId) {
        let before = self.read(chunk);
        self.initial.push(None);
        let after = self.initial.len() - 1;
        self.now[chunk] = Some(after);
        (before, after)
    }
}

/// Number of an instruction's pieces.
fn pieces(step: &Step) -> usize {
    usize::from(step.lanes) * 4 / CHUNK
}

/// Chunks that an instruction writes.
fn written(step: &Step) -> impl Iterator<Item = usize> {
    let first = step.destination.map(|offset| usize::from(offset) / CHUNK);
    let count = pieces(step);
    first.into_iter().flat_map(move |first| first..first + count)
}

/// Flag registers whose value decides on instructions after one that writes it.
fn sequential(steps: &[Step]) -> [bool; 2] {
    let (mut written, mut sequential) = ([false; 2], [false; 2]);
    for step in steps {
        if let Some(predicate) = step.predicate {
            let flag = usize::from(predicate.flag & 1);
            sequential[flag] |= written[flag];
        }
        if let Some(flag) = step.condition.and_then(|condition| condition.flag) {
            written[usize::from(flag & 1)] = true;
        }
    }
    sequential
}

/// The operand of a piece.
fn operand(
    values: &mut Values,
    is_written: &[bool; CHUNKS],
    place: Place,
    number: usize,
) -> Operand {
    match place {
        Place::Constant(dword) => Operand::Constant(dword),
        Place::Element(offset) => {
            let chunk = usize::from(offset) / CHUNK;
            if is_written[chunk] {
                Operand::Lane(values.read(chunk), (usize::from(offset) % CHUNK / 4) as u8)
            } else {
                Operand::Memory(offset)
            }
        }
        Place::Row(offset) => {
            let start = usize::from(offset) + number * CHUNK;
            let (chunk, byte) = (start / CHUNK, start % CHUNK);
            if byte == 0 {
                Operand::Chunk(values.read(chunk))
            } else {
                Operand::Across(values.read(chunk), values.read(chunk + 1), byte as u8)
            }
        }
    }
}

impl Plan {
    /// Divides the instructions of a block.
    pub(crate) fn of(steps: &[Step]) -> Plan {
        let mut is_written = [false; CHUNKS];
        steps.iter().flat_map(written).for_each(|chunk| is_written[chunk] = true);
        let sequential = sequential(steps);
        let mut values = Values { now: [None; CHUNKS], initial: Vec::new() };
        let mut all: Vec<Piece> = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let first = all.len();
            let used = &step.sources[..step.operation.sources()];
            for number in 0..pieces(step) {
                let mut sources = [Operand::Constant(0); 3];
                for (to, source) in sources.iter_mut().zip(used) {
                    *to = operand(&mut values, &is_written, source.place, number);
                }
                let is_last = number + 1 == pieces(step);
                all.push(Piece { step: index, number, sources, destination: None, is_last });
            }
            // All sources are read before a result is written.
            for (piece, chunk) in all[first..].iter_mut().zip(written(step)) {
                piece.destination = Some(values.write(chunk));
            }
        }
        let mut chunk_of: Vec<usize> =
            values.initial.iter().map(|chunk| chunk.unwrap_or(0)).collect();
        for (before, after) in all.iter().filter_map(|piece| piece.destination) {
            chunk_of[after] = chunk_of[before];
        }
        let mut plan = Plan { groups: Vec::new(), initial: values.initial, sequential };
        plan.order(steps, all, &chunk_of);
        plan.add_stores(&values.now, &chunk_of);
        plan
    }

    /// Nodes that a piece has to do with.
    fn nodes(&self, step: &Step, piece: &Piece, chunk_of: &[usize]) -> Vec<usize> {
        let mut nodes = Vec::new();
        for source in piece.sources {
            match source {
                Operand::Chunk(value) | Operand::Lane(value, _) => nodes.push(chunk_of[value]),
                Operand::Across(first, second, _) => {
                    nodes.extend([chunk_of[first], chunk_of[second]]);
                }
                Operand::Memory(_) | Operand::Constant(_) => {}
            }
        }
        nodes.extend(piece.destination.map(|(_, after)| chunk_of[after]));
        let read = step.predicate.map(|predicate| predicate.flag);
        let written = step.condition.and_then(|condition| condition.flag);
        for flag in [read, written].into_iter().flatten().map(|flag| usize::from(flag & 1)) {
            if self.sequential[flag] {
                nodes.push(CHUNKS + flag);
            }
        }
        nodes
    }

    /// Groups the pieces that have to do with the same chunks.
    fn order(&mut self, steps: &[Step], all: Vec<Piece>, chunk_of: &[usize]) {
        let mut sets = Sets::new();
        let nodes: Vec<Vec<usize>> =
            all.iter().map(|piece| self.nodes(&steps[piece.step], piece, chunk_of)).collect();
        for nodes in &nodes {
            nodes.windows(2).for_each(|pair| sets.join(pair[0], pair[1]));
        }
        let mut group_of: [Option<usize>; NODES] = [None; NODES];
        for (piece, nodes) in all.into_iter().zip(&nodes) {
            let group = match nodes.first() {
                Some(&node) => *group_of[sets.find(node)].get_or_insert_with(|| {
                    self.groups.push(Group::default());
                    self.groups.len() - 1
                }),
                None => {
                    self.groups.push(Group::default());
                    self.groups.len() - 1
                }
            };
            self.groups[group].pieces.push(piece);
        }
    }

    /// Adds the final values of the chunks to the groups that make them.
    fn add_stores(&mut self, now: &[Option<ValueId>; CHUNKS], chunk_of: &[usize]) {
        for group in &mut self.groups {
            for (_, after) in group.pieces.iter().filter_map(|piece| piece.destination) {
                let chunk = chunk_of[after];
                if now[chunk] == Some(after) {
                    group.stores.push((chunk, after));
                }
            }
        }
    }
}
