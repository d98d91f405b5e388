//! Reassociation: products share their common parts, sums begin with an operand that is not a
//! product.
//!
//! ```text
//! before:
//!   v3 = fmul v0, v2
//!   v4 = fmul v3, v5
//!   v6 = fmul v1, v2
//!   v7 = fmul v6, v5
//! after:
//!   v8 = fmul v2, v5
//!   v4 = fmul v0, v8
//!   v9 = fmul v2, v5 ; merges with v8
//!   v7 = fmul v1, v9
//! ```

use super::rewrite::rewrite_alu;
use crate::builder::Builder;
use crate::cfg::use_counts;
use crate::ids::{Block, Node, Value};
use crate::inst::{Alu, InstKind, Src};
use crate::ops::AluOp;
use crate::shader::{Shader, Step};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Maximum number of factors of a product; longer ones stay.
const MAX_FACTORS: usize = 12;
/// Maximum number of terms of a sum; longer ones stay.
const MAX_TERMS: usize = 32;

/// Rebuilds chains of multiplications and additions of 32-bit scalars that are not exact. Rounding
/// may differ, so a stage in which it makes progress is not exact. The inner results of a chain
/// have no other use. Products are within one block. The terms of a sum may be in several blocks,
/// but all in the same loop, or in none.
pub fn opt_reassociate(shader: &mut Shader) -> bool {
    let products = plan_products(shader, &Chains::find(shader, AluOp::Fmul));
    let changes_products = !products.is_empty() && rebuild(shader, AluOp::Fmul, &products);
    let sums = plan_sums(shader, &Chains::find(shader, AluOp::Fadd));
    let changes_sums = !sums.is_empty() && rebuild(shader, AluOp::Fadd, &sums);
    changes_products || changes_sums
}

/// An operand of a chain: a component of a value.
type Leaf = (Value, u8);

/// The new orders of chains, by their results: operands are combined from the left, those of the
/// first group first.
type Plans = FxHashMap<Value, Vec<Vec<Leaf>>>;

/// A maximal tree of one operation.
struct Chain {
    root: Value,
    block: Block,
    leaves: Vec<Leaf>,
    /// The tree's operations, root included.
    nodes: Vec<Value>,
    /// The only use is an addition, which can take a product in.
    is_fused: bool,
}

/// The chains of one operation, in program order.
struct Chains {
    chains: Vec<Chain>,
    uses: SecondaryMap<Value, u32>,
}

/// The operation, if it is one on 32-bit scalars that may be reassociated.
fn operation(shader: &Shader, value: Value, op: AluOp) -> Option<&Alu> {
    let alu = shader.as_alu(value)?;
    let fits = alu.op == op && !alu.exact;
    (fits && shader.bits(value) == 32 && shader.components(value) == 1).then_some(alu)
}

impl Chains {
    fn find(shader: &Shader, op: AluOp) -> Chains {
        let uses = use_counts(shader);
        let regions = Regions::new(shader, op);
        let mut blocks: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
        // Of values with one use, the operation that uses them.
        let mut user: SecondaryMap<Value, Option<(AluOp, bool, Block)>> = SecondaryMap::new();
        let mut found = Vec::new();
        for block in shader.block_order() {
            for &inst in &shader.blocks[block].insts {
                let data = &shader.insts[inst];
                let (InstKind::Alu(alu), Some(result)) = (&data.kind, data.result) else {
                    continue;
                };
                let takes = !alu.exact && shader.components(result) == 1;
                for src in &alu.srcs {
                    user[src.value] = Some((alu.op, takes, block));
                }
                if operation(shader, result, op).is_some() {
                    blocks[result] = Some(block);
                    found.push((result, block));
                }
            }
        }
        // Its only use is an operation of the same chain.
        let is_inner = |value: Value| match (blocks[value], user[value]) {
            (Some(block), Some((user, true, at))) => {
                uses[value] == 1 && user == op && regions.same(block, at)
            }
            _ => false,
        };
        let mut chains = Vec::new();
        for &(root, block) in &found {
            if is_inner(root) {
                continue;
            }
            let (mut leaves, mut nodes, mut open) = (Vec::new(), Vec::new(), vec![root]);
            while let Some(node) = open.pop() {
                nodes.push(node);
                let Some(alu) = operation(shader, node, op) else { continue };
                for src in alu.srcs.iter().rev() {
                    if is_inner(src.value) {
                        open.push(src.value);
                    } else {
                        leaves.push((src.value, src.swizzle[0]));
                    }
                }
            }
            let is_fused = uses[root] == 1 && user[root].is_some_and(|(op, ..)| op == AluOp::Fadd);
            let most = if op == AluOp::Fadd { MAX_TERMS } else { MAX_FACTORS };
            if leaves.len() <= most {
                leaves.reverse();
                chains.push(Chain { root, block, leaves, nodes, is_fused });
            }
        }
        Chains { chains, uses }
    }
}

/// Region of the operations of a chain: in one block for products, in one loop for sums.
struct Regions {
    /// The innermost loop around each block.
    loops: Option<SecondaryMap<Block, Option<Node>>>,
}

impl Regions {
    fn new(shader: &Shader, op: AluOp) -> Regions {
        Regions { loops: (op == AluOp::Fadd).then(|| innermost_loops(shader)) }
    }

    fn same(&self, a: Block, b: Block) -> bool {
        a == b || self.loops.as_ref().is_some_and(|loops| loops[a] == loops[b])
    }
}

/// Returns the innermost loop around each block.
fn innermost_loops(shader: &Shader) -> SecondaryMap<Block, Option<Node>> {
    let mut loops = SecondaryMap::new();
    let mut open = Vec::new();
    for step in shader.walk() {
        match step {
            Step::Block(block) => loops[block] = open.last().copied(),
            Step::Loop(node) => open.push(node),
            Step::EndLoop(_) => {
                open.pop();
            }
            _ => {}
        }
    }
    loops
}

/// Pairs of factors that several products of a block have become factors of their own. Constants of
/// a product come first, where they fold.
fn plan_products(shader: &Shader, products: &Chains) -> Plans {
    let mut counts: FxHashMap<(Block, Leaf, Leaf), u32> = FxHashMap::default();
    let pairs = |chain: &Chain| {
        let mut leaves = chain.leaves.clone();
        leaves.sort_unstable();
        let block = chain.block;
        let mut pairs: Vec<(Block, Leaf, Leaf)> = (0..leaves.len())
            .flat_map(|i| (i + 1..leaves.len()).map(move |j| (i, j)))
            .map(|(i, j)| (block, leaves[i], leaves[j]))
            .collect();
        pairs.dedup();
        pairs
    };
    for chain in &products.chains {
        // A product of two that an addition takes in costs nothing, unless it gets other uses.
        if chain.leaves.len() > 2 || !chain.is_fused {
            pairs(chain).into_iter().for_each(|pair| *counts.entry(pair).or_default() += 1);
        }
    }
    let mut plans = Plans::default();
    for chain in &products.chains {
        if let Some(groups) = constants_apart(shader, chain) {
            plans.insert(chain.root, groups);
            continue;
        }
        if chain.leaves.len() <= 2 {
            continue;
        }
        let best = pairs(chain)
            .into_iter()
            .filter(|pair| counts[pair] > 1)
            .max_by_key(|&pair| (counts[&pair], Reverse(pair)));
        let Some((_, a, b)) = best else { continue };
        let mut rest = chain.leaves.clone();
        for leaf in [a, b] {
            if let Some(at) = rest.iter().position(|&l| l == leaf) {
                rest.remove(at);
            }
        }
        plans.insert(chain.root, vec![vec![a, b], rest]);
    }
    plans
}

/// The factors of a product with several constants, those of its factors included: constants and
/// others.
fn constants_apart(shader: &Shader, chain: &Chain) -> Option<Vec<Vec<Leaf>>> {
    let is_constant = |leaf: &Leaf| shader.as_const(leaf.0).is_some();
    let (mut constants, rest): (Vec<Leaf>, Vec<Leaf>) =
        chain.leaves.iter().copied().partition(is_constant);
    if constants.is_empty() || rest.is_empty() {
        return None;
    }
    let mut others = Vec::new();
    for leaf in rest {
        let factors = operation(shader, leaf.0, AluOp::Fmul)
            .map(|product| [0, 1].map(|i| (product.srcs[i].value, product.srcs[i].swizzle[0])));
        match factors {
            Some([a, b]) if is_constant(&a) != is_constant(&b) => {
                let (constant, other) = if is_constant(&a) { (a, b) } else { (b, a) };
                constants.push(constant);
                others.push(other);
            }
            _ => others.push(leaf),
        }
    }
    if constants.len() < 2 {
        return None;
    }
    // One after the other: an addition that takes the last product in needs no constant then.
    Some([constants].into_iter().chain(others.into_iter().map(|other| vec![other])).collect())
}

/// Sums whose every product an addition can take in, once they begin with another operand.
fn plan_sums(shader: &Shader, sums: &Chains) -> Plans {
    let is_product = |&(value, _): &Leaf| {
        let through = match operation(shader, value, AluOp::Fneg) {
            Some(neg) if sums.uses[value] == 1 => neg.srcs[0].value,
            _ => value,
        };
        sums.uses[through] == 1 && operation(shader, through, AluOp::Fmul).is_some()
    };
    let mut plans = Plans::default();
    for chain in sums.chains.iter().filter(|chain| chain.leaves.len() > 2) {
        let (products, others): (Vec<Leaf>, Vec<Leaf>) =
            chain.leaves.iter().copied().partition(is_product);
        let taking = chain.nodes.iter().filter(|&&node| {
            let alu = operation(shader, node, AluOp::Fadd);
            alu.is_some_and(|alu| alu.srcs.iter().any(|s| is_product(&(s.value, s.swizzle[0]))))
        });
        if others.is_empty() || taking.count() >= products.len() {
            continue;
        }
        // An operand that is not a constant: a constant may not fit beside a product's.
        let (constants, mut first): (Vec<Leaf>, Vec<Leaf>) =
            others.into_iter().partition(|leaf| shader.as_const(leaf.0).is_some());
        let rest = if first.is_empty() { Vec::new() } else { first.split_off(1) };
        let order = [first, products, rest, constants].concat();
        plans.insert(chain.root, vec![Vec::new(), order]);
    }
    plans
}

/// Builds the planned chains in place of the old ones, whose inner operations stay without uses.
fn rebuild(shader: &mut Shader, op: AluOp, plans: &Plans) -> bool {
    rewrite_alu(shader, |b, _, result| {
        let groups = plans.get(&result)?;
        let combine = |b: &mut Builder<'_>, acc: Option<Value>, next: Value| {
            Some(match acc {
                Some(acc) => b.alu_src(op, &[Src::new(acc), Src::new(next)], 1),
                None => next,
            })
        };
        let mut all = None;
        for group in groups {
            let mut part = None;
            for &(value, component) in group {
                let leaf = b.channel(value, component);
                part = combine(b, part, leaf);
            }
            if let Some(part) = part {
                all = combine(b, all, part);
            }
        }
        all
    })
}
