//! Immediates where the encoding has room for them, or in registers.
//!
//! ```text
//! before:
//!   add(8) v0<1>:F, 0x3f800000:F, v1<1>:F
//!   mad(8) v2<1>:F, v1<1>:F, 0x40000000:F, v1<1>:F
//! after:
//!   add(8) v0<1>:F, v1<1>:F, 0x3f800000:F
//!   mov(1) v3<1>:UD, 0x40000000:UD nomask
//!   mad(8) v2<1>:F, v1<1>:F, v3<0>:F, v1<1>:F
//! ```

use crate::lir::cfg::Cfg;
use crate::lir::{Inst, Op, Operand, Program, REG_SIZE, Type};
use crate::model::Model;
use crate::restricted_float::{packed_floats, restricted_float};
use intel_isa::DfImmediates;
use std::collections::{BTreeMap, BTreeSet};
use vocabulary::{InternalError, Phase, SourceLine};

/// Moves immediates to the last source by exchanging operands, and those that still cannot be
/// encoded to registers read as scalars: before their first use if one block outside of loops has
/// all uses, else packed at the program's start. Afterwards each immediate is the last source of an
/// instruction that takes one of its type.
pub(crate) fn legalize_constants(program: &mut Program, model: &Model) -> bool {
    let mut changed = false;
    for inst in &mut program.insts {
        for src in &mut inst.src {
            let folded = src.fold_modifiers();
            changed |= folded != *src;
            *src = folded;
        }
        changed |= inst.exchange_immediate(is_symmetric_product);
    }
    changed |= choose_select_constants(program, model);
    let wanted = collect(program, model);
    if wanted.is_empty() {
        return changed;
    }
    let mut loads = place_packed(program, &wanted);
    place(program, &wanted, &mut loads);
    if model.devinfo().has_q {
        loads = pair(program, loads);
    }
    use_registers(program, &wanted, &loads);
    insert(program, model, &wanted, loads);
    true
}

/// Maximum number of instructions between the first uses of two constants that one move loads.
const MAX_PAIR_DISTANCE: usize = 64;

/// Remark of the instructions that load constants.
pub(super) const REMARK: &str = "constant";

/// Size and bits of a constant. The sign of floats is left to the source modifier where there is
/// one.
type Key = (u32, u64);

/// Where a constant is used: instruction and source index.
type Uses = BTreeMap<Key, Vec<(usize, usize)>>;

/// True if the factors of a product may change places: products of unlike types, and first halves
/// of long products, read the low word of the second factor.
fn is_symmetric_product(inst: &Inst) -> bool {
    inst.src[0].ty.size() == inst.src[1].ty.size() && !inst.touches_accumulator()
}

/// A select of two immediates needs one in a register: of the two the one that is there anyway, if
/// any.
fn choose_select_constants(program: &mut Program, model: &Model) -> bool {
    let both = |inst: &Inst| {
        inst.op == Op::Sel && inst.src.len() == 2 && inst.src.iter().all(|s| s.is_imm())
    };
    let mut known: BTreeSet<Key> = collect(program, model)
        .into_iter()
        .filter(|(_, sites)| sites.iter().any(|&(i, _)| !both(&program.insts[i])))
        .map(|(key, _)| key)
        .collect();
    let mut changed = false;
    for inst in program.insts.iter_mut().filter(|i| both(i)) {
        let keys = [0, 1].map(|i| key_of(inst, &inst.src[i]).map(|k| k.0));
        if let ([Some(first), Some(second)], Some(p)) = (keys, &mut inst.predicate) {
            if !known.contains(&first) && known.contains(&second) {
                p.inverse = !p.inverse;
                inst.src.swap(0, 1);
                changed = true;
            } else {
                known.insert(first);
            }
        }
    }
    changed
}

fn key_of(inst: &Inst, src: &Operand) -> Option<(Key, bool)> {
    let bits = src.imm_bits()?;
    let size = src.ty.size();
    let sign = 1u64 << (size * 8 - 1);
    let float = matches!(src.ty, Type::F | Type::DF | Type::HF);
    if float && inst.op.info().can_modify_sources && bits & sign != 0 {
        return Some(((size, bits & !sign), true));
    }
    Some(((size, bits), false))
}

fn collect(program: &Program, model: &Model) -> Uses {
    let mut uses = Uses::new();
    for (i, inst) in program.insts.iter().enumerate() {
        if inst.op.info().control_flow || inst.align16 && !inst.op.info().three_source {
            continue;
        }
        let last = inst.src.len().saturating_sub(1);
        for (index, src) in inst.src.iter().enumerate() {
            if !src.is_imm() || (index == last && model.accepts_immediate(inst, src.ty)) {
                continue;
            }
            if let Some((key, _)) = key_of(inst, src) {
                uses.entry(key).or_default().push((i, index));
            }
        }
    }
    uses
}

/// A load of one constant, of several floats by one move, or of two dwords as a qword: the first
/// dwords of the register.
struct Load {
    /// Index of the instruction that the load precedes.
    position: usize,
    keys: Vec<Key>,
    register: Operand,
    /// Other loads have a place in the register, too.
    is_shared: bool,
}

impl Load {
    /// Each constant and its register.
    fn places(&self) -> impl Iterator<Item = (Key, Operand)> {
        self.keys.iter().zip(0..).map(|(&key, n)| (key, self.register.byte_offset(4 * n)))
    }
}

/// Places the floats that a move can load four at a time, if there are several.
fn place_packed(program: &mut Program, uses: &Uses) -> Vec<Load> {
    let cfg = Cfg::new(program);
    let sites = |key: &Key| uses[key].iter().map(|site| site.0);
    let suits = |key: &&Key| key.0 == 4 && restricted_float(key.1 as u32).is_some();
    let mut keys: Vec<Key> = uses.keys().filter(suits).copied().collect();
    keys.sort_by_key(|key| sites(key).min());
    let groups = keys.chunks(4).filter(|group| group.len() > 1);
    groups
        .map(|group| {
            let mut users = group.iter().flat_map(sites);
            let first = group.iter().flat_map(sites).min().unwrap_or(0);
            let block = cfg.block_of[first];
            let local =
                cfg.blocks[block].loop_depth == 0 && users.all(|at| cfg.block_of[at] == block);
            let position = if local { first } else { 0 };
            let register = Operand::vgrf(program.vreg(1), Type::UD);
            Load { position, keys: group.to_vec(), register, is_shared: false }
        })
        .collect()
}

/// Places the constants that have no place yet.
fn place(program: &mut Program, uses: &Uses, loads: &mut Vec<Load>) {
    let packed: BTreeSet<Key> = loads.iter().flat_map(|load| load.keys.iter().copied()).collect();
    let cfg = Cfg::new(program);
    // Room left in the current shared register.
    let mut shared: Option<(Operand, u32)> = None;
    // Wide constants first, so that alignment wastes nothing.
    for (&(size, bits), sites) in uses.iter().rev() {
        let key = (size, bits);
        if packed.contains(&key) {
            continue;
        }
        let first = sites.iter().map(|s| s.0).min();
        let first = first.unwrap_or_else(|| raise(format!("constant {bits:#x} without uses")));
        let block = cfg.block_of[first];
        let local =
            sites.iter().all(|s| cfg.block_of[s.0] == block) && cfg.blocks[block].loop_depth == 0;
        if local {
            let register = Operand::vgrf(program.vreg(1), Type::UD);
            loads.push(Load { position: first, keys: vec![key], register, is_shared: false });
            continue;
        }
        let bytes = size.max(4);
        let (base, at) = match shared {
            Some((base, at)) if at + bytes <= REG_SIZE => (base, at),
            _ => (Operand::vgrf(program.vreg(1), Type::UD), 0),
        };
        shared = Some((base, at + bytes));
        let register = base.byte_offset(at);
        loads.push(Load { position: 0, keys: vec![key], register, is_shared: true });
    }
}

/// Joins loads of dwords in one block, and those in one register, in pairs: one move loads both.
fn pair(program: &mut Program, loads: Vec<Load>) -> Vec<Load> {
    let cfg = Cfg::new(program);
    let is_dword = |load: &Load| load.keys.len() == 1 && load.keys[0].0 == 4;
    let (mut dwords, mut joined): (Vec<Load>, Vec<Load>) = loads.into_iter().partition(is_dword);
    let place = |load: &Load| (load.register.vreg(), load.register.offset);
    dwords.sort_by_key(|load| (load.is_shared, load.position, place(load)));
    let mut dwords = dwords.into_iter().peekable();
    while let Some(mut load) = dwords.next() {
        let (register, offset) = place(&load);
        let follows = |next: &Load| {
            if load.is_shared {
                return offset.is_multiple_of(8) && place(next) == (register, offset + 4);
            }
            !next.is_shared
                && next.position - load.position <= MAX_PAIR_DISTANCE
                && cfg.block_of[next.position] == cfg.block_of[load.position]
        };
        if let Some(next) = dwords.next_if(follows) {
            load.keys.extend(next.keys);
        }
        joined.push(load);
    }
    joined
}

/// Makes every use read the register of its constant.
fn use_registers(program: &mut Program, uses: &Uses, loads: &[Load]) {
    let places: BTreeMap<Key, Operand> = loads.iter().flat_map(Load::places).collect();
    for (key, sites) in uses {
        let place = places.get(key);
        let operand =
            place.unwrap_or_else(|| raise(format!("constant {:#x} without a register", key.1)));
        for &(i, index) in sites {
            let inst = &mut program.insts[i];
            let Some((_, negate)) = key_of(inst, &inst.src[index]) else {
                let error = InternalError::new(Phase::Lower, "the source is not a constant");
                error.at(&*inst).raise()
            };
            let ty = inst.src[index].ty;
            inst.src[index] = Operand { negate, ..operand.retype(ty).scalar() };
        }
    }
}

/// Puts the loads into the program; at one position packed floats are first. A load has the source
/// line of the first use.
fn insert(program: &mut Program, model: &Model, uses: &Uses, mut loads: Vec<Load>) {
    let single = |load: &Load| <[Key; 1]>::try_from(load.keys.as_slice()).ok();
    loads.sort_by_key(|load| (load.position, single(load)));
    let mut loads = loads.into_iter().peekable();
    let old = program.take_insts();
    let lines: Vec<SourceLine> = old.iter().map(|inst| inst.line).collect();
    let line = |load: &Load| {
        let sites = load.keys.iter().flat_map(|key| &uses[key]);
        sites.map(|site| site.0).min().map_or(SourceLine::UNKNOWN, |first| lines[first])
    };
    for (i, inst) in old.into_iter().enumerate() {
        while let Some(load) = loads.next_if(|load| load.position == i) {
            let first = program.insts.len();
            match single(&load) {
                Some([key]) => load_one(program, model, key, load.register),
                None => load_several(program, &load),
            }
            program.set_lines(first, line(&load));
        }
        program.insts.push(inst);
    }
}

/// Loads several floats, or two dwords.
fn load_several(program: &mut Program, group: &Load) {
    let mut values = [0; 4];
    for (value, key) in values.iter_mut().zip(&group.keys) {
        *value = key.1;
    }
    let mut inst = match (packed_floats(&values, 0xf), &group.keys[..]) {
        (Some(packed), _) => {
            let source = Operand::imm(u64::from(packed), Type::VF);
            Inst::new(Op::Mov, 4, group.register.retype(Type::F), &[source])
        }
        (None, &[low, high]) => {
            let source = Operand::imm(low.1 | high.1 << 32, Type::UQ);
            Inst::new(Op::Mov, 1, group.register.retype(Type::UQ), &[source])
        }
        _ => raise("no packed floats".into()),
    };
    inst.no_mask = true;
    inst.remark = REMARK;
    program.insts.push(inst);
}

/// Loads a constant into a register for all channels, enabled or not.
fn load_one(program: &mut Program, model: &Model, (size, bits): Key, dst: Operand) {
    let mut push = |op: Op, dst: Operand, src: Operand| {
        let mut inst = Inst::new(op, 1, dst, &[src]);
        inst.no_mask = true;
        inst.remark = REMARK;
        program.insts.push(inst);
    };
    match (size, model.devinfo().df_immediates) {
        (8, DfImmediates::TwoMoves) => {
            push(Op::Mov, dst.retype(Type::UD), Operand::ud(bits as u32));
            push(Op::Mov, dst.retype(Type::UD).byte_offset(4), Operand::ud((bits >> 32) as u32));
        }
        (8, DfImmediates::Dim) => push(Op::Dim, dst.retype(Type::DF), Operand::imm(bits, Type::DF)),
        (8, DfImmediates::Mov) => push(Op::Mov, dst.retype(Type::DF), Operand::imm(bits, Type::DF)),
        (2, _) => push(Op::Mov, dst.retype(Type::UW), Operand::uw(bits as u16)),
        (4, _) => push(Op::Mov, dst.retype(Type::UD), Operand::ud(bits as u32)),
        _ => raise(format!("constant {bits:#x} of {size} bytes")),
    }
}

/// Raises an internal error of this pass.
#[cold]
#[track_caller]
fn raise(message: String) -> ! {
    InternalError::new(Phase::Lower, message).raise()
}
