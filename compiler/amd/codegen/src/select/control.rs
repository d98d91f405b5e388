//! Structured control flow. Branches that all active lanes take together are jumps; others change
//! EXEC, and jump only over code that no lane executes.

use super::{Selection, Step};
use crate::machine::{Arg, EXEC, Label, Part};
use crate::uniformity::LoopFacts;
use amd_isa::Opcode;
use ir::{Block, CompileError, InstKind, Intrinsic, Jump, Node, NodeData, Step as Walk, Value};
use vocabulary::SourceLine;

/// The intrinsics that only one stage has.
pub(crate) trait StageSelection {
    /// Selects an intrinsic of the stage; false if the stage does not have it.
    fn intrinsic(
        &mut self,
        s: &mut Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool>;
}

/// A construct around the current place.
enum Frame {
    /// An if that all active lanes take together.
    Uniform {
        other: Label,
        end: Label,
    },
    /// An if that changes EXEC.
    Divergent(Divergent),
    Loop(Loop),
}

struct Divergent {
    cond: Arg,
    /// EXEC before the if.
    saved: Part,
    other: Label,
    end: Label,
    /// The else arm has begun.
    in_else: bool,
    /// Lanes left the innermost loop inside.
    loses_lanes: bool,
    /// Invocations ended inside.
    kills: bool,
}

impl Divergent {
    /// Target of the jump that skips the rest of an arm without lanes.
    fn next(&self) -> Label {
        if self.in_else { self.end } else { self.other }
    }
}

struct Loop {
    facts: LoopFacts,
    header: Label,
    latch: Label,
    exit: Label,
    /// Masks of lanes, if those leave the loop at different times.
    masks: Option<LoopMasks>,
}

/// Masks of lanes of a loop.
#[derive(Clone, Copy)]
struct LoopMasks {
    /// EXEC before the loop.
    entry: Part,
    /// Lanes that are in the loop.
    inside: Part,
    /// Lanes that are in this iteration; the same as `inside` unless lanes continue early.
    current: Part,
}

impl Selection<'_> {
    /// Selects the code of the shader, up to the jump to the epilogue.
    pub(crate) fn body(&mut self, stage: &mut dyn StageSelection) -> Step {
        self.make_phis();
        let prologue = self.e.label;
        let mut frames: Vec<Frame> = Vec::new();
        let mut ifs: Vec<SourceLine> = Vec::new();
        for step in self.shader.walk() {
            self.note_line(step, &mut ifs);
            match step {
                Walk::Block(block) => self.block(block, &mut frames, stage)?,
                Walk::If(node) => self.start_if(node, &mut frames)?,
                Walk::Else(_) => self.start_else(&mut frames)?,
                Walk::EndIf(_) => self.end_if(&mut frames)?,
                Walk::Loop(node) => self.start_loop(node, &mut frames),
                Walk::EndLoop(_) => self.end_loop(&mut frames)?,
            }
        }
        self.e.line = SourceLine::NONE;
        self.connect(prologue);
        Ok(())
    }

    /// Goes to the source line of a step of control flow; `ifs` are the lines of the ifs around.
    fn note_line(&mut self, step: Walk, ifs: &mut Vec<SourceLine>) {
        let line = match step {
            Walk::If(node) => {
                let condition = self.shader.condition(node);
                let line = condition.map_or(self.e.line, |value| self.shader.line_of(value));
                ifs.push(line);
                Some(line)
            }
            Walk::Else(_) => ifs.last().copied(),
            Walk::EndIf(_) => ifs.pop(),
            Walk::Block(_) | Walk::Loop(_) | Walk::EndLoop(_) => None,
        };
        self.e.line = line.unwrap_or(self.e.line);
    }

    /// Adds the logical edges.
    fn connect(&mut self, prologue: Label) {
        let first = self.cfg.order.first().and_then(|&block| self.places[block]);
        if let Some((start, _)) = first {
            self.e.program.blocks[prologue].logical.push(start);
        }
        for block in self.shader.block_order() {
            let Some((_, end)) = self.places[block] else { continue };
            let mut targets: Vec<Label> = Vec::new();
            for &succ in &self.cfg.succs[block] {
                targets.extend(self.places[succ].map(|(start, _)| start));
            }
            let halts = self.shader.blocks[block].jump == Some(Jump::Halt);
            if halts || (targets.is_empty() && self.shader.blocks[block].jump.is_none()) {
                targets.push(self.epilogue);
            }
            self.e.program.blocks[end].logical.extend(targets);
        }
    }

    fn block(
        &mut self,
        block: Block,
        frames: &mut [Frame],
        stage: &mut dyn StageSelection,
    ) -> Step {
        // Every IR block begins a machine block, so that logical edges have an end.
        let start = self.e.new_label();
        self.e.place(start);
        self.plan_uniform_loads(block)?;
        for &inst in &self.shader.blocks[block].insts {
            let data = &self.shader.insts[inst];
            self.e.line = data.line;
            match (&data.kind, data.result) {
                (InstKind::Phi(_) | InstKind::Const(_), _) => {}
                (InstKind::Undef, Some(result)) => self.undefined(result),
                (InstKind::Alu(alu), Some(result)) => self.alu(alu, result)?,
                (InstKind::Intrinsic(intrinsic), result) => {
                    self.any_intrinsic(intrinsic, result, stage)?;
                    if self.is_kill(intrinsic) {
                        note_kill(frames);
                        self.skip_without_lanes(frames);
                        self.e.split();
                    }
                }
                (InstKind::Tex(tex), Some(result)) => self.texture(tex, result)?,
                _ => return Err(CompileError::internal("an instruction without result")),
            }
        }
        self.copy_to_phis(block)?;
        self.places[block] = Some((start, self.e.label));
        match self.shader.blocks[block].jump {
            Some(Jump::Halt) => {
                self.halt();
                note_kill(frames);
                match next_of(frames) {
                    Some((next, true)) => self.e.jump(Opcode::SBranch, next),
                    Some(_) => {}
                    None => self.e.jump(Opcode::SBranch, self.epilogue),
                }
            }
            Some(jump) => self.leave(jump, frames)?,
            None => {}
        }
        Ok(())
    }

    fn is_kill(&self, intrinsic: &Intrinsic) -> bool {
        use ir::IntrinsicOp::{Discard, DiscardIf};
        matches!(intrinsic.op, Discard | DiscardIf)
    }

    fn any_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
        stage: &mut dyn StageSelection,
    ) -> Step {
        let done = self.memory(intrinsic, result)?
            || self.local_access(intrinsic, result)?
            || self.kill(intrinsic)?
            || self.subgroup(intrinsic, result)?
            || self.image(intrinsic, result)?
            || self.user_intrinsic(intrinsic, result)?
            || stage.intrinsic(self, intrinsic, result)?;
        if done { Ok(()) } else { self.unsupported(intrinsic.op.name()) }
    }

    /// Any value: what is in new registers.
    fn undefined(&mut self, result: Value) {
        use crate::machine::ZERO;
        let components = self.shader.components(result);
        if self.shader.bits(result) == 64 {
            let part = self.result(result);
            for dword in 0..2 * components {
                self.e.copy(part.at(dword), ZERO);
            }
        } else {
            self.set(result, (0..components).map(|_| ZERO).collect());
        }
    }

    fn start_if(&mut self, node: Node, frames: &mut Vec<Frame>) -> Step {
        let NodeData::If { cond, .. } = self.shader.nodes[node] else {
            return Err(CompileError::internal(format!("{node} is not an if")));
        };
        let (other, end) = (self.e.new_label(), self.e.new_label());
        let mask = self.mask_of(cond, 0)?;
        if !self.uniformity.is_divergent_branch(node) {
            self.condition_code(mask);
            self.e.jump(Opcode::SCbranchScc0, other);
            frames.push(Frame::Uniform { other, end });
            return Ok(());
        }
        let saved = self.e.mask();
        self.e.sop1(Opcode::SAndSaveexecB64, saved, mask);
        self.e.jump(Opcode::SCbranchExecz, other);
        frames.push(Frame::Divergent(Divergent {
            cond: mask,
            saved,
            other,
            end,
            in_else: false,
            loses_lanes: false,
            kills: false,
        }));
        Ok(())
    }

    fn start_else(&mut self, frames: &mut [Frame]) -> Step {
        match frames.last_mut() {
            Some(Frame::Uniform { other, end }) => {
                self.e.jump(Opcode::SBranch, *end);
                self.e.place(*other);
            }
            Some(Frame::Divergent(frame)) => {
                frame.in_else = true;
                let (cond, saved, other, end) = (frame.cond, frame.saved, frame.other, frame.end);
                self.e.place(other);
                self.e.sop2(Opcode::SAndn2B64, EXEC, saved, cond);
                self.e.jump(Opcode::SCbranchExecz, end);
            }
            _ => return Err(CompileError::internal("an else outside of an if")),
        }
        Ok(())
    }

    fn end_if(&mut self, frames: &mut Vec<Frame>) -> Step {
        match frames.pop() {
            Some(Frame::Uniform { end, .. }) => self.e.place(end),
            Some(Frame::Divergent(frame)) => {
                self.e.place(frame.end);
                let innermost = frames.iter().rev().find_map(|frame| match frame {
                    Frame::Loop(inner) => Some(inner.masks),
                    _ => None,
                });
                match innermost.flatten().filter(|_| frame.loses_lanes) {
                    Some(masks) => self.e.sop2(Opcode::SAndB64, EXEC, frame.saved, masks.current),
                    None => self.e.sop1(Opcode::SMovB64, EXEC, frame.saved),
                }
                if let Some(running) = self.running_lanes().filter(|_| frame.kills) {
                    self.e.sop2(Opcode::SAndB64, EXEC, EXEC, running);
                }
                if frame.loses_lanes || frame.kills {
                    self.skip_without_lanes(frames);
                }
            }
            _ => return Err(CompileError::internal("the end of an if outside of an if")),
        }
        Ok(())
    }

    fn start_loop(&mut self, node: Node, frames: &mut Vec<Frame>) {
        let facts = self.uniformity.loop_facts(node);
        let masked = facts.divergent_exit || facts.divergent_continue || facts.kills;
        let [header, latch, exit] = [(); 3].map(|()| self.e.new_label());
        let mut copy = || {
            let mask = self.e.mask();
            self.e.sop1(Opcode::SMovB64, mask, EXEC);
            mask
        };
        let masks = masked.then(|| {
            let (entry, inside) = (copy(), copy());
            let current = if facts.divergent_continue { copy() } else { inside };
            LoopMasks { entry, inside, current }
        });
        self.e.place(header);
        frames.push(Frame::Loop(Loop { facts, header, latch, exit, masks }));
    }

    fn end_loop(&mut self, frames: &mut Vec<Frame>) -> Step {
        let Some(Frame::Loop(frame)) = frames.pop() else {
            return Err(CompileError::internal("the end of a loop outside of a loop"));
        };
        self.e.place(frame.latch);
        let running = self.running_lanes().filter(|_| frame.facts.kills);
        if let Some(LoopMasks { entry, inside, current }) = frame.masks {
            self.restore(inside, running);
            if current != inside {
                self.e.sop1(Opcode::SMovB64, current, EXEC);
            }
            self.e.jump(Opcode::SCbranchExecnz, frame.header);
            self.e.place(frame.exit);
            self.restore(entry, running);
        } else {
            self.e.jump(Opcode::SBranch, frame.header);
            self.e.place(frame.exit);
        }
        if frame.facts.kills {
            note_kill(frames);
            self.skip_without_lanes(frames);
        }
        Ok(())
    }

    /// Activates the lanes of a mask, without those that ended if `running` is given.
    fn restore(&mut self, mask: Part, running: Option<Part>) {
        match running {
            Some(running) => self.e.sop2(Opcode::SAndB64, EXEC, mask, running),
            None => self.e.sop1(Opcode::SMovB64, EXEC, mask),
        }
    }

    /// Jumps over the code that no lane executes: a loop in it would not end.
    fn skip_without_lanes(&mut self, frames: &[Frame]) {
        let next = next_of(frames).map_or(self.epilogue, |(next, _)| next);
        self.e.jump(Opcode::SCbranchExecz, next);
    }

    /// `break` or `continue`.
    fn leave(&mut self, jump: Jump, frames: &mut [Frame]) -> Step {
        let next = next_of(frames);
        let mut divergent = false;
        for frame in frames.iter_mut().rev() {
            let frame = match frame {
                Frame::Uniform { .. } => continue,
                Frame::Divergent(frame) => {
                    divergent = true;
                    frame.loses_lanes = true;
                    continue;
                }
                Frame::Loop(frame) => frame,
            };
            let all_leave = jump == Jump::Continue || !frame.facts.divergent_continue;
            if !divergent && all_leave {
                let to = if jump == Jump::Break { frame.exit } else { frame.latch };
                self.e.jump(Opcode::SBranch, to);
                return Ok(());
            }
            let Some(LoopMasks { inside, current, .. }) = frame.masks else {
                return Err(CompileError::internal("a loop without masks"));
            };
            if jump == Jump::Break {
                self.e.sop2(Opcode::SAndn2B64, inside, inside, EXEC);
            }
            if current != inside {
                self.e.sop2(Opcode::SAndn2B64, current, current, EXEC);
            }
            if let Some((next, true)) = next {
                self.e.jump(Opcode::SBranch, next);
            }
            return Ok(());
        }
        Err(CompileError::internal("a jump outside of loops"))
    }
}

/// Returns the target of a jump that skips code without lanes: the end of the arm of the innermost
/// divergent if, or the end of the innermost loop. True if other code is between.
fn next_of(frames: &[Frame]) -> Option<(Label, bool)> {
    let mut between = false;
    for frame in frames.iter().rev() {
        match frame {
            Frame::Uniform { .. } => between = true,
            Frame::Divergent(frame) => return Some((frame.next(), between)),
            Frame::Loop(frame) => return Some((frame.latch, true)),
        }
    }
    None
}

/// Notes in the ifs around that lanes can end inside.
fn note_kill(frames: &mut [Frame]) {
    for frame in frames {
        if let Frame::Divergent(frame) = frame {
            frame.kills = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amd_isa::Chip;
    use ir::{Shader, Stage};

    #[test]
    fn broken_nesting_is_an_internal_error() {
        let shader = Shader::new(Stage::Vertex);
        let mut s = Selection::new(&shader, &[], Chip::Si);
        for (result, message) in [
            (s.start_else(&mut []), "an else outside of an if"),
            (s.end_if(&mut Vec::new()), "the end of an if outside of an if"),
            (s.end_loop(&mut Vec::new()), "the end of a loop outside of a loop"),
            (s.leave(Jump::Break, &mut []), "a jump outside of loops"),
        ] {
            let internal = result.unwrap_err().internal.expect("an internal error");
            assert_eq!(internal.message, message);
            assert!(internal.location.file().ends_with("control.rs"), "{internal}");
        }
    }
}
