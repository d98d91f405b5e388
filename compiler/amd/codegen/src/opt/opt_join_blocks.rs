//! Joins a block with the one that follows it, if the machine and every lane go from the first to
//! the second only: other phases look at one block at a time.
//!
//! ```text
//! before:
//!   l1: -> [l2]
//!     v_mov_b32 r1, 1.0
//!   l2: -> []
//!     exp mrt0 r1, …
//! after:
//!   l1: -> []
//!     v_mov_b32 r1, 1.0
//!     exp mrt0 r1, …
//! ```

use crate::machine::{Label, Program};

/// Joins the blocks of a program.
pub(crate) fn opt_join_blocks(program: &mut Program) -> bool {
    let (linear, logical) = (program.linear_successors(), program.logical_successors());
    let mut before = vec![0_u32; program.order.len()];
    let mut lanes_before = vec![0_u32; program.order.len()];
    linear.iter().flatten().for_each(|&succ| before[succ] += 1);
    logical.iter().flatten().for_each(|&succ| lanes_before[succ] += 1);
    let joins = |index: usize| {
        let next = index + 1;
        linear[index][..] == [next]
            && logical[index][..] == [next]
            && (before[next], lanes_before[next]) == (1, 1)
            && !program.blocks[program.order[index]].jumps()
    };
    let joined: Vec<bool> =
        (0..program.order.len()).map(|index| index > 0 && joins(index - 1)).collect();
    let changed = joined.contains(&true);
    let mut order: Vec<Label> = Vec::with_capacity(program.order.len());
    for (label, joined) in std::mem::take(&mut program.order).into_iter().zip(joined) {
        match order.last() {
            Some(&first) if joined => {
                let mut second = std::mem::take(&mut program.blocks[label]);
                let first = &mut program.blocks[first];
                first.insts.append(&mut second.insts);
                first.logical = second.logical;
            }
            _ => order.push(label),
        }
    }
    program.order = order;
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Emitter, ZERO};
    use amd_isa::{Chip, Opcode};

    #[test]
    fn only_a_single_way_is_joined() {
        let mut e = Emitter::new(Chip::Si);
        let first = e.label;
        let [arm, end] = [(); 2].map(|()| e.new_label());
        e.set_m0(ZERO);
        e.split();
        e.jump(Opcode::SCbranchScc0, end);
        e.program.blocks[e.label].logical.extend([arm, end]);
        for label in [arm, end] {
            e.place(label);
            e.program.blocks[label].logical.extend((label == arm).then_some(end));
        }
        assert!(opt_join_blocks(&mut e.program));
        assert!(!opt_join_blocks(&mut e.program));
        assert_eq!(e.program.order, [first, arm, end]);
        assert_eq!(e.program.blocks[first].insts.len(), 2);
        assert_eq!(e.program.blocks[first].logical[..], [arm, end]);
    }
}
