//! Programs whose results are the same for all pixels of a primitive: one wave shades all.
//!
//! Weights of interpolation do not matter to an attribute that is the same at all corners.

use amd_isa::{Format, Instruction, Opcode, Operand, Register, Scalar, accesses};
use gcn_simulator::Program;

/// Registers that are written on all ways to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written {
    /// A bit for each of the first registers.
    registers: u128,
    /// EXEC may have changed: later writes may leave lanes out.
    is_masked: bool,
}

/// A channel of an attribute: their numbers.
pub(super) type Channel = (u8, u8);

/// Vector registers of the inputs, a bit for each of the first registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputRegisters {
    pub(super) all: u128,
    /// Those that are weights of the corners of a primitive.
    pub(super) weights: u128,
}

/// An instruction as the analysis sees it.
struct Node {
    reads: u128,
    writes: u128,
    /// Register that is a weight of a channel.
    weight: Option<(u128, Channel)>,
    changes_exec: bool,
    /// Numbers of the instructions that may follow.
    next: [Option<usize>; 2],
}

/// Channels that must be the same at all corners for the results of a program to be the same for
/// all pixels; `None` if the results depend on other inputs or on the number of a lane, or if the
/// program writes memory.
///
/// A register counts as read unless all ways write it before, for all lanes.
pub(super) fn needed_channels(program: &Program, inputs: InputRegisters) -> Option<Vec<Channel>> {
    let nodes = nodes(program)?;
    let mut channels = Vec::new();
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
        let read = node.reads & inputs.all & !joined.registers;
        if read != 0 {
            let weight = node.weight.filter(|(register, _)| read == *register & inputs.weights);
            let (_, channel) = weight?;
            if !channels.contains(&channel) {
                channels.push(channel);
            }
        }
        let is_masked = joined.is_masked || node.changes_exec;
        let writes = if joined.is_masked { 0 } else { node.writes };
        let after = Written { registers: joined.registers | writes, is_masked };
        open.extend(node.next.into_iter().flatten().map(|next| (next, after)));
    }
    Some(channels)
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
        let weight = weight(instruction);
        let mut node = Node { reads: 0, writes: 0, weight, changes_exec: false, next: [None; 2] };
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

/// The register that an instruction takes as a weight of a channel.
fn weight(instruction: &Instruction) -> Option<(u128, Channel)> {
    let Operand::Vector(result) = instruction.operands[0] else { return None };
    let Operand::Vector(weight) = instruction.operands[1] else { return None };
    let Operand::Attribute { attribute, channel } = instruction.operands[2] else { return None };
    let adds = match instruction.opcode {
        Opcode::VInterpP1F32 => false,
        Opcode::VInterpP2F32 => true,
        _ => return None,
    };
    // A register that is also the sum is not only a weight.
    let is_weight = !(adds && result == weight);
    is_weight.then(|| (1_u128.checked_shl(weight.into()).unwrap_or(0), (attribute, channel)))
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

    fn channels(text: &str) -> Option<Vec<Channel>> {
        let words = assemble(Chip::Vi, text).expect("a program");
        let program = Program::new(Chip::Vi, &words).expect("a program");
        needed_channels(&program, InputRegisters { all: 0xf, weights: 3 })
    }

    fn uniform(text: &str) -> bool {
        channels(text).is_some_and(|channels| channels.is_empty())
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

    #[test]
    fn weights_matter_to_their_channels() {
        let first = "v_interp_p1_f32 v4, v0, attr1.y\n";
        let both = format!("{first}v_interp_p2_f32 v4, v1, attr1.y\ns_endpgm");
        assert_eq!(channels(&both), Some(vec![(1, 1)]));
        // Another input as a weight, a weight as a value.
        assert_eq!(channels("v_interp_p1_f32 v4, v2, attr1.y\ns_endpgm"), None);
        assert_eq!(channels(&format!("{first}v_add_f32 v5, v0, v4\ns_endpgm")), None);
        assert_eq!(channels("v_interp_p2_f32 v1, v1, attr0.x\ns_endpgm"), None);
    }
}
