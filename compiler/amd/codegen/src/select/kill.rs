//! Invocations that end early, and helper invocations.
//!
//! `live` has the lanes whose exports and stores count. `running` has the lanes that may execute;
//! EXEC never has others. Where derivatives need whole quads, lanes without a pixel run as helpers,
//! and discarded ones go on as such while their quad has a live lane.

use super::lane_masks::LaneFacts;
use super::{Selection, Step};
use crate::machine::{Arg, EXEC, Label, Part};
use amd_isa::Opcode;
use ir::{Intrinsic, IntrinsicOp, Stage};

impl Selection<'_> {
    /// Prepares the masks at the start of the program.
    pub(crate) fn start_lanes(&mut self) {
        let fragment = self.shader.info.stage == Stage::Fragment;
        let facts = LaneFacts::of(self.shader);
        self.lanes.whole_quads = fragment && facts.quads;
        if self.lanes.whole_quads || facts.kills || facts.halts {
            let live = self.e.mask();
            self.e.sop1(Opcode::SMovB64, live, EXEC);
            self.lanes.live = Some(live);
        }
        if facts.kills || facts.halts {
            let running = self.e.mask();
            if self.lanes.whole_quads {
                self.e.sop1(Opcode::SWqmB64, running, EXEC);
            } else {
                self.e.sop1(Opcode::SMovB64, running, EXEC);
            }
            self.lanes.running = Some(running);
        }
        if self.lanes.whole_quads {
            self.e.sop1(Opcode::SWqmB64, EXEC, EXEC);
        }
        if facts.kills {
            self.lanes.none_left = Some(self.e.new_label());
        }
    }

    /// The lanes whose exports and stores count, if they can differ from EXEC.
    pub(crate) fn live_lanes(&self) -> Option<Part> {
        self.lanes.live
    }

    /// The lanes that may execute, if some can end before the others.
    pub(crate) fn running_lanes(&self) -> Option<Part> {
        self.lanes.running
    }

    /// The block for waves without live lanes, if there can be any.
    pub(crate) fn none_left(&self) -> Option<Label> {
        self.lanes.none_left
    }

    /// A discard or demotion; false if the intrinsic is none.
    pub(crate) fn kill(&mut self, intrinsic: &Intrinsic) -> Step<bool> {
        use IntrinsicOp::*;
        let ends = match intrinsic.op {
            Discard | DiscardIf => true,
            Demote | DemoteIf => false,
            _ => return Ok(false),
        };
        let (Some(live), Some(running)) = (self.lanes.live, self.lanes.running) else {
            return Ok(false);
        };
        let lanes: Arg = match intrinsic.srcs.first() {
            Some(&cond) => {
                let mask = self.mask_of(cond, 0)?;
                let lanes = self.e.mask();
                self.e.sop2(Opcode::SAndB64, lanes, mask, EXEC);
                lanes.into()
            }
            None => EXEC,
        };
        self.e.sop2(Opcode::SAndn2B64, live, live, lanes);
        if let Some(none_left) = self.lanes.none_left {
            self.e.jump(Opcode::SCbranchScc0, none_left);
            self.e.split();
        }
        if ends {
            if self.lanes.whole_quads {
                let quads = self.e.mask();
                self.e.sop1(Opcode::SWqmB64, quads, live);
                self.e.sop2(Opcode::SAndB64, running, running, quads);
            } else {
                self.e.sop2(Opcode::SAndn2B64, running, running, lanes);
            }
            self.e.sop2(Opcode::SAndB64, EXEC, EXEC, running);
        }
        Ok(true)
    }

    /// Ends all active invocations; their outputs count.
    pub(crate) fn halt(&mut self) {
        if let Some(running) = self.lanes.running {
            self.e.sop2(Opcode::SAndn2B64, running, running, EXEC);
        }
    }
}
