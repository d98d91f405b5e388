//! Effects of a shader on memory that other invocations see.

use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// The effect of one intrinsic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    Write,
    Atomic,
}

fn effect(op: IntrinsicOp) -> Effect {
    use IntrinsicOp::*;
    match op {
        StoreSsbo | StoreShared | ImageStore => Effect::Write,
        SsboAtomic | SsboAtomicSwap | SharedAtomic | SharedAtomicSwap | CounterAtomic
        | CounterAtomicSwap | ImageAtomic | ImageAtomicSwap => Effect::Atomic,
        _ => Effect::None,
    }
}

/// Returns whether the shader writes memory that outlives the invocation.
#[must_use]
pub fn writes_memory(shader: &Shader) -> bool {
    intrinsics(shader).any(|(intrinsic, _)| effect(intrinsic.op) != Effect::None)
}

/// Returns whether results depend on the order or grouping of invocations: the shader uses the old
/// value of an atomic operation, or reads the subgroup.
#[must_use]
pub fn is_order_dependent(shader: &Shader) -> bool {
    let uses = ir::cfg::use_counts(shader);
    intrinsics(shader).any(|(intrinsic, result)| {
        depends_on_thread(intrinsic.op)
            || (effect(intrinsic.op) == Effect::Atomic && result.is_some_and(|r| uses[r] > 0))
    })
}

/// Returns whether the result depends on the thread's other channels, or on time.
#[must_use]
pub fn depends_on_thread(op: IntrinsicOp) -> bool {
    use IntrinsicOp::*;
    matches!(
        op,
        Clock
            | Ballot
            | VoteAny
            | VoteAll
            | VoteEq
            | ReadInvocation
            | ReadFirstInvocation
            | QuadBroadcast
            | SubgroupSize
            | SubgroupInvocation
    )
}

/// All intrinsics with their results.
fn intrinsics(shader: &Shader) -> impl Iterator<Item = (&Intrinsic, Option<Value>)> {
    let insts = shader.block_order().into_iter().flat_map(|block| &shader.blocks[block].insts);
    insts.filter_map(|&inst| match &shader.insts[inst].kind {
        ir::InstKind::Intrinsic(intrinsic) => Some((intrinsic, shader.insts[inst].result)),
        _ => None,
    })
}
