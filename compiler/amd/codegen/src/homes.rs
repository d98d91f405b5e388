//! Homes of values: the register file of each, and the form of booleans.

use crate::uniformity::Uniformity;
use cranelift_entity::SecondaryMap;
use ir::{AluOp, Inst, InstKind, IntrinsicOp, NodeData, Shader, Value};

/// Registers that hold a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Home {
    /// Scalar registers: the same value in all lanes.
    Scalar,
    /// Vector registers.
    #[default]
    Vector,
    /// A boolean, as a mask: a bit per lane that was active at the definition.
    Mask,
    /// A boolean, as 0 or 1 in a vector register: for values that lanes get in different places or
    /// iterations.
    VectorBool,
}

/// Returns the homes of all values.
pub fn homes(shader: &Shader, uniformity: &Uniformity) -> SecondaryMap<Value, Home> {
    let mut homes = SecondaryMap::new();
    for (value, data) in shader.values.iter() {
        let divergent = uniformity.is_divergent(value);
        let phi = matches!(shader.insts[data.def].kind, InstKind::Phi(_));
        homes[value] = match (data.bits, divergent) {
            (1, true) if phi || uniformity.escapes(value) => Home::VectorBool,
            (1, _) => Home::Mask,
            (_, true) => Home::Vector,
            (_, false) => Home::Scalar,
        };
    }
    // Scalar is assumed and taken back where the scalar unit cannot compute the value.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (value, data) in shader.values.iter() {
            if homes[value] != Home::Scalar {
                continue;
            }
            let kind = &shader.insts[data.def].kind;
            let is_small = matches!(data.bits, 8 | 16);
            if !is_scalar(shader, &homes, kind, is_small) {
                homes[value] = Home::Vector;
                changed = true;
            }
        }
    }
    leave_selections_to_vectors(shader, &mut homes);
    homes
}

/// Moves selections that only the vector unit reads there: it selects with the mask, and the result
/// needs no copy.
fn leave_selections_to_vectors(shader: &Shader, homes: &mut SecondaryMap<Value, Home>) {
    let wanted = wanted_in_scalars(shader, homes);
    for (value, data) in shader.values.iter() {
        if homes[value] == Home::Scalar
            && !wanted[value]
            && matches!(&shader.insts[data.def].kind, InstKind::Alu(alu) if alu.op == AluOp::Bcsel)
        {
            homes[value] = Home::Vector;
        }
    }
    // Vectors of components are where those are.
    let passes =
        |value: Value| matches!(&shader.def(value).kind, InstKind::Alu(alu) if is_alias(alu.op));
    for value in shader.values.keys().filter(|&value| passes(value)) {
        if homes[value] == Home::Scalar && !wanted[value] {
            homes[value] = Home::Vector;
        }
    }
}

fn is_alias(op: AluOp) -> bool {
    matches!(op, AluOp::Mov | AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4)
}

/// Values that something needs in scalar registers.
fn wanted_in_scalars(
    shader: &Shader,
    homes: &SecondaryMap<Value, Home>,
) -> SecondaryMap<Value, bool> {
    let mut wanted: SecondaryMap<Value, bool> = SecondaryMap::new();
    for node in shader.nodes.values() {
        if let NodeData::If { cond, .. } = node {
            wanted[*cond] = true;
        }
    }
    let blocks = shader.block_order();
    let insts: Vec<Inst> =
        blocks.into_iter().flat_map(|block| shader.blocks[block].insts.clone()).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &inst in insts.iter().rev() {
            let data = &shader.insts[inst];
            let in_scalar = data.result.is_some_and(|result| match &data.kind {
                InstKind::Alu(alu) if is_alias(alu.op) => wanted[result],
                _ => homes[result] != Home::Vector,
            });
            let mut want = |value: Value| {
                changed |= !std::mem::replace(&mut wanted[value], true);
            };
            match &data.kind {
                InstKind::Intrinsic(intrinsic) => {
                    use IntrinsicOp::{StoreOutput, StoreSsbo};
                    let stored = usize::from(matches!(intrinsic.op, StoreOutput | StoreSsbo));
                    intrinsic.srcs.iter().skip(stored).for_each(|&value| want(value));
                }
                InstKind::Alu(_) | InstKind::Phi(_) if in_scalar => {
                    data.kind.for_each_src(want);
                }
                _ => {}
            }
        }
    }
    wanted
}

/// True if the scalar unit computes the value; `is_small` if it has 8 or 16 bits, which scalar
/// loads do not have.
fn is_scalar(
    shader: &Shader,
    homes: &SecondaryMap<Value, Home>,
    kind: &InstKind,
    is_small: bool,
) -> bool {
    let in_scalar = |value: Value| {
        let constant = shader.as_const(value).is_some();
        constant || matches!(homes[value], Home::Scalar | Home::Mask)
    };
    match kind {
        InstKind::Const(_) | InstKind::Undef => true,
        InstKind::Phi(srcs) => srcs.iter().all(|src| in_scalar(src.value)),
        InstKind::Alu(alu) => {
            let wide = alu.srcs.iter().any(|src| shader.bits(src.value) == 64);
            is_scalar_op(alu.op, wide) && alu.srcs.iter().all(|src| in_scalar(src.value))
        }
        InstKind::Intrinsic(intrinsic) => match intrinsic.op {
            IntrinsicOp::LoadUbo if is_small => false,
            IntrinsicOp::LoadUbo => intrinsic.srcs.iter().all(|&value| in_scalar(value)),
            op => is_scalar_intrinsic(op),
        },
        InstKind::Tex(_) => false,
    }
}

fn is_scalar_intrinsic(op: IntrinsicOp) -> bool {
    use IntrinsicOp::*;
    matches!(
        op,
        BaseVertex
            | BaseInstance
            | DrawId
            | NumSamples
            | WorkgroupId
            | NumWorkgroups
            | WorkgroupSize
            | SubgroupSize
            | PatchVerticesIn
            | SsboSize
            | Ballot
            | ReadFirstInvocation
    )
}

/// Operations that the scalar unit has; `wide` if a source has 64 bits.
fn is_scalar_op(op: AluOp, wide: bool) -> bool {
    use AluOp::*;
    match op {
        Mov | Vec2 | Vec3 | Vec4 | Bcsel | Pack64 | Unpack64X | Unpack64Y => true,
        Iadd | Isub | Imul | Ineg | Iabs | Imin | Imax | Umin | Umax | Ishl | Ishr | Ushr
        | Iand | Ior | Ixor | Inot | Bfm | Bfi | Ubfe | Ibfe | BitfieldReverse | BitCount
        | FindLsb | UfindMsb | IfindMsb | B2i32 | UaddCarry | UsubBorrow => !wide,
        _ => false,
    }
}
