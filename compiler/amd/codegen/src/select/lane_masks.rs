//! Masks of lanes, and what a shader does to them.

use crate::machine::{Label, Part};
use ir::{InstKind, IntrinsicOp, Jump, Shader};

/// State of the lanes.
#[derive(Debug, Default)]
pub(super) struct LaneMasks {
    pub live: Option<Part>,
    pub running: Option<Part>,
    pub whole_quads: bool,
    /// Target of the jump of a wave without live lanes.
    pub none_left: Option<Label>,
}

/// Effects of a shader on its lanes.
pub(super) struct LaneFacts {
    /// It discards or demotes.
    pub kills: bool,
    /// Invocations end early with their outputs.
    pub halts: bool,
    /// It needs whole quads.
    pub quads: bool,
}

impl LaneFacts {
    pub(super) fn of(shader: &Shader) -> LaneFacts {
        let mut facts = LaneFacts { kills: false, halts: false, quads: false };
        for block in shader.block_order() {
            facts.halts |= shader.blocks[block].jump == Some(Jump::Halt);
            for &inst in &shader.blocks[block].insts {
                let kind = &shader.insts[inst].kind;
                facts.quads |=
                    matches!(kind, InstKind::Alu(_) | InstKind::Tex(_)) && kind.is_convergent();
                if let InstKind::Intrinsic(intrinsic) = kind {
                    use IntrinsicOp::*;
                    // Coordinates elsewhere in the pixel come from those of its neighbors.
                    let reads_quad = matches!(
                        intrinsic.op,
                        QuadBroadcast | LoadBarycentricAtSample | LoadBarycentricAtOffset
                    );
                    facts.quads |= reads_quad;
                    facts.kills |= matches!(intrinsic.op, Discard | DiscardIf | Demote | DemoteIf);
                }
            }
        }
        facts
    }
}
