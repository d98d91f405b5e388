//! Moves variables of procedures to memory where too many are live in the dispatcher.
//!
//! A variable that two states access is live around the loop, whichever state is executed: as many
//! registers as all procedures have parameters, results and values that wait for a call. Beyond a
//! budget they go to scratch memory. A state then reads what it needs at its start and writes what
//! it changed at its end, and works on variables of its own between.

use cranelift_entity::SecondaryMap;
use ir::{Block, Builder, InstKind, IntrinsicOp, Jump, Local, Node, NodeData, Shader};
use rustc_hash::FxHashMap;

use super::states::{Machine, nodes};

/// Maximum number of dwords of variables that are live around the loop in registers: a quarter of
/// those of a thread in SIMD8.
const BUDGET: u32 = 32;

/// Marks variables for memory, and makes variables that live in one state of them.
pub(super) fn relieve(shader: &mut Shader, machine: &Machine) {
    let mut regions: Vec<&[Node]> = vec![&machine.before];
    regions.extend(machine.order.iter().map(|&label| &machine.states[label].body[..]));
    regions.push(&machine.after);
    let in_memory = choose(shader, &regions);
    if in_memory.is_empty() {
        return;
    }
    let places = place(shader, &in_memory);
    let last = regions.len() - 1;
    for (i, list) in regions.into_iter().enumerate() {
        let region =
            Region { shader, places: &places, copies: FxHashMap::default(), order: Vec::new() };
        region.rewrite(list, i > 0, i < last);
    }
}

/// Declares arrays in memory: the variables of one shape share one. Returns the array and the index
/// of each variable; variables that are arrays themselves stay, and have none.
fn place(shader: &mut Shader, variables: &[Local]) -> SecondaryMap<Local, Option<(Local, u32)>> {
    let mut places = SecondaryMap::new();
    let mut arrays: FxHashMap<(u8, u8), Local> = FxHashMap::default();
    for &local in variables {
        let data = &shader.locals[local];
        if data.length > 1 {
            shader.locals[local].in_memory = true;
            continue;
        }
        let shape = (data.bits, data.components);
        let array = *arrays.entry(shape).or_insert_with(|| {
            let array = shader.create_local(shape.0, shape.1, 0, "procedures");
            shader.locals[array].in_memory = true;
            array
        });
        places[local] = Some((array, shader.locals[array].length));
        shader.locals[array].length += 1;
    }
    places
}

/// Accesses to a variable.
#[derive(Clone, Copy, Default)]
struct Usage {
    /// The last region that accesses it.
    region: Option<usize>,
    /// Several regions access it, and one of them is a state.
    crosses: bool,
    count: u32,
}

/// The variables to move: all that cross states but the most accessed ones.
fn choose(shader: &Shader, regions: &[&[Node]]) -> Vec<Local> {
    let mut usages: SecondaryMap<Local, Usage> = SecondaryMap::new();
    for (i, region) in regions.iter().enumerate() {
        for block in blocks(shader, region) {
            for &inst in &shader.blocks[block].insts {
                let Some((local, _)) = access(&shader.insts[inst].kind) else { continue };
                let usage = &mut usages[local];
                usage.count += 1;
                if usage
                    .region
                    .is_some_and(|other| other != i && (other > 0 || i + 1 < regions.len()))
                {
                    usage.crosses = true;
                }
                usage.region = Some(i);
            }
        }
    }
    let mut crossing: Vec<Local> =
        shader.locals.keys().filter(|&local| usages[local].crosses).collect();
    crossing.sort_by_key(|&local| std::cmp::Reverse(usages[local].count));
    let mut used = 0;
    let fits = |&local: &Local| {
        let data = &shader.locals[local];
        let dwords = u32::from(data.components) * u32::from(data.bits.div_ceil(32));
        used = u32::saturating_add(used, dwords.saturating_mul(data.length));
        used > BUDGET
    };
    crossing.into_iter().filter(fits).collect()
}

fn blocks(shader: &Shader, list: &[Node]) -> Vec<Block> {
    let block = |node| match shader.nodes[node] {
        NodeData::Block(block) => Some(block),
        _ => None,
    };
    nodes(shader, list).into_iter().filter_map(block).collect()
}

/// The variable that an instruction accesses, and whether it writes it.
fn access(kind: &InstKind) -> Option<(Local, bool)> {
    match kind {
        InstKind::Intrinsic(i)
            if matches!(i.op, IntrinsicOp::LoadLocal | IntrinsicOp::StoreLocal) =>
        {
            i.fields.local.map(|local| (local, i.op == IntrinsicOp::StoreLocal))
        }
        _ => None,
    }
}

/// A region's own variable instead of one in memory.
struct Copy {
    local: Local,
    array: Local,
    index: u32,
    written: bool,
}

struct Region<'a> {
    shader: &'a mut Shader,
    places: &'a SecondaryMap<Local, Option<(Local, u32)>>,
    copies: FxHashMap<Local, Copy>,
    /// The variables in memory, in the order of their first access.
    order: Vec<Local>,
}

impl Region<'_> {
    /// Makes a region work on copies, which are read at its start and written back at its ends.
    fn rewrite(mut self, list: &[Node], reads: bool, writes: bool) {
        let blocks = blocks(self.shader, list);
        for &block in &blocks {
            for i in 0..self.shader.blocks[block].insts.len() {
                let inst = self.shader.blocks[block].insts[i];
                let Some((local, is_write)) = access(&self.shader.insts[inst].kind) else {
                    continue;
                };
                let Some(place) = self.places[local] else { continue };
                let copy = self.copy(local, place, is_write);
                if let InstKind::Intrinsic(intrinsic) = &mut self.shader.insts[inst].kind {
                    intrinsic.fields.local = Some(copy);
                }
            }
        }
        if writes {
            self.write_back(list, &blocks);
        }
        if let (true, Some(&first)) = (reads, blocks.first()) {
            let mut b = Builder::at(self.shader, first, 0);
            for &local in &self.order {
                let copy = &self.copies[&local];
                let index = b.imm(copy.index);
                let value = b.load_element(copy.array, index);
                b.store_var(copy.local, value);
            }
        }
    }

    fn copy(&mut self, local: Local, place: (Local, u32), is_write: bool) -> Local {
        let Region { shader, copies, order, .. } = self;
        let copy = copies.entry(local).or_insert_with(|| {
            order.push(local);
            let (bits, components) = (shader.locals[local].bits, shader.locals[local].components);
            let local = shader.create_local(bits, components, 1, "copy");
            Copy { local, array: place.0, index: place.1, written: false }
        });
        copy.written |= is_write;
        copy.local
    }

    /// Writes changed copies back where the region ends: in its last block, and in blocks that jump
    /// to another state.
    fn write_back(&mut self, list: &[Node], blocks: &[Block]) {
        let mut ends = jumps(self.shader, list);
        if let Some(&last) = blocks.last()
            && self.shader.blocks[last].jump.is_none()
        {
            ends.push(last);
        }
        for end in ends {
            let mut b = Builder::at_end(self.shader, end);
            for &local in self.order.iter().filter(|&local| self.copies[local].written) {
                let copy = &self.copies[&local];
                let value = b.load_var(copy.local);
                let index = b.imm(copy.index);
                b.store_element(copy.array, index, value, 0xf);
            }
        }
    }
}

/// The blocks of a list that jump out of it: not those of loops in it.
fn jumps(shader: &Shader, list: &[Node]) -> Vec<Block> {
    let mut found = Vec::new();
    let mut stack: Vec<Node> = list.to_vec();
    while let Some(node) = stack.pop() {
        match &shader.nodes[node] {
            NodeData::Block(block) => {
                if matches!(shader.blocks[*block].jump, Some(Jump::Break | Jump::Continue)) {
                    found.push(*block);
                }
            }
            NodeData::If { then_body, else_body, .. } => {
                stack.extend(then_body);
                stack.extend(else_body);
            }
            NodeData::Loop { .. } => {}
        }
    }
    found
}
