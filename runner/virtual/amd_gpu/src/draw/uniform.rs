//! Programs whose results are the same for all pixels of a primitive: one wave shades all.

use amd_isa::{Format, Opcode, Operand, Register, Scalar, accesses};
use gcn_simulator::Program;

/// Registers that are written on all ways to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written {
    /// A bit for each of the first registers.
    registers: u128,
    /// EXEC may have changed: later writes may leave lanes out.
    is_masked: bool,
}

/// An instruction as the analysis sees it.
struct Node {
    reads: u128,
    writes: u128,
    changes_exec: bool,
    /// Numbers of the instructions that may follow.
    next: [Option<usize>; 2],
}

/// True if the results of a program do not depend on its first vector registers, nor on the number
/// of a lane, and if it writes no memory.
///
/// A register counts as read unless all ways write it before, for all lanes.
pub(super) fn is_uniform(program: &Program, inputs: usize) -> bool {
    let Some(nodes) = nodes(program) else { return false };
    let inputs = if inputs >= 128 { u128::MAX } else { (1 << inputs) - 1 };
    let mut before: Vec<Option<Written>> = vec![None; nodes.len()];
    let mut open = vec![(0, Written { registers: 0, is_masked: false })];
    while let Some((number, arrived)) = open.pop() {
        let known = before[number];
        let joined = known.map_or(arrived, |known| Written {
            registers: known.registers & arrived.registers,
            is_masked: known.is_masked || arrived.is_masked,
        });
        if known == Some(joined) {
            continue;
        }
        before[number] = Some(joined);
        let node = &nodes[number];
        if node.reads & inputs & !joined.registers != 0 {
            return false;
        }
        let is_masked = joined.is_masked || node.changes_exec;
        let writes = if joined.is_masked { 0 } else { node.writes };
        let after = Written { registers: joined.registers | writes, is_masked };
        open.extend(node.next.into_iter().flatten().map(|next| (next, after)));
    }
    true
}

/// The instructions of a program; `None` if one writes memory, depends on its lane, or jumps to
/// the address in a register.
fn nodes(program: &Program) -> Option<Vec<Node>> {
    let all = program.instructions();
    let at = |offset: usize| all.binary_search_by_key(&offset, |located| located.offset).ok();
    let node = |(number, located): (usize, &amd_isa::Located)| {
        let instruction = &located.instruction;
        let row = program.chip().row(instruction.format, instruction.opcode)?;
        let opcode = instruction.opcode;
        if writes_memory(instruction.format, opcode) || is_of_lane(opcode) {
            return None;
        }
        let mut node = Node { reads: 0, writes: 0, changes_exec: false, next: [None; 2] };
        for access in accesses(row, instruction) {
            match access.register {
                Register::Vector(register) => {
                    let bit = 1_u128.checked_shl(register.into()).unwrap_or(0);
                    node.reads |= if access.reads { bit } else { 0 };
                    node.writes |= if access.writes { bit } else { 0 };
                }
                Register::Scalar(code) if code & !1 == Scalar::EXEC.0 && access.writes => {
                    node.changes_exec |= opcode != Opcode::SWqmB64;
                }
                Register::Scalar(_) => {}
            }
        }
        if opcode.mnemonic().contains("setpc") || opcode.mnemonic().contains("swappc") {
            return None;
        }
        if !matches!(opcode, Opcode::SEndpgm | Opcode::SBranch) {
            node.next[0] = Some(number + 1).filter(|next| *next < all.len());
        }
        if let Operand::Jump(distance) = instruction.operands[0] {
            let end = located.offset + located.dwords;
            node.next[1] = Some(at(end.checked_add_signed(distance as isize)?)?);
        }
        Some(node)
    };
    all.iter().enumerate().map(node).collect()
}

fn writes_memory(format: Format, opcode: Opcode) -> bool {
    let is_memory = matches!(format, Format::Mubuf | Format::Mtbuf | Format::Mimg | Format::Smem);
    is_memory && (opcode.mnemonic().contains("_store") || opcode.is_atomic())
        || format == Format::Flat
}

/// True if results depend on the lane, or on the time.
fn is_of_lane(opcode: Opcode) -> bool {
    let name = opcode.mnemonic();
    name.starts_with("v_mbcnt") || name.contains("memtime") || name.contains("memrealtime")
}

#[cfg(test)]
mod tests {
    use super::*;
    use amd_isa::{Chip, assemble};

    fn uniform(text: &str) -> bool {
        let words = assemble(Chip::Vi, text).expect("a program");
        is_uniform(&Program::new(Chip::Vi, &words).expect("a program"), 4)
    }

    #[test]
    fn inputs_make_results_differ() {
        assert!(uniform("v_mov_b32 v0, s2\nv_add_f32 v1, v0, v0\ns_endpgm"));
        assert!(uniform("v_add_f32 v5, v4, v4\ns_endpgm"));
        assert!(!uniform("v_add_f32 v5, v3, v4\ns_endpgm"));
        // One way does not write the register.
        let text = "s_cbranch_scc0 L0\nv_mov_b32 v0, s2\nL0:\nv_add_f32 v1, v0, v0\ns_endpgm";
        assert!(!uniform(text));
        assert!(!uniform("v_mbcnt_lo_u32_b32 v0, -1, 0\ns_endpgm"));
        assert!(!uniform("v_mov_b32 v0, 0\nbuffer_store_dword v0, off, s[0:3], 0\ns_endpgm"));
    }
}
