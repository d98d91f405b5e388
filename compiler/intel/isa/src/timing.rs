//! Estimate of the cycles that a kernel takes, from its instructions alone, so that kernels of any
//! compiler can be compared.
//!
//! The model is coarse: an instruction issues in two cycles (four when sixteen wide), and an
//! instruction that reads its result waits for the latency of its unit. Loops count ten times.

use crate::desc::{self, Message};
use crate::devinfo::DevInfo;
use crate::inst::{AccessMode, Desc, Inst, Send};
use crate::opcode::Opcode;
use crate::operand::{Arf, Operand, RegFile, Region};
use crate::program_end::jump_targets;
use crate::quirks::Quirk;

/// Things that instructions depend on each other through: 128 registers, accumulators, two flag
/// registers, other architecture state, memory.
const RESOURCES: usize = 133;
const ACCUMULATOR: usize = 128;
const FLAGS: usize = 129;
const STATE: usize = 131;
const MEMORY: usize = 132;
/// Bytes of a register.
const REGISTER: u32 = 32;
/// Deepest loops that count.
const DEEPEST: u32 = 6;

/// Returns the estimated cycles of one pass over a kernel.
#[must_use]
pub fn estimate(devinfo: &DevInfo, insts: &[Inst]) -> u64 {
    let blocks = Blocks::of(devinfo, insts);
    let mut ready = [0_u64; RESOURCES];
    let (mut total, mut now) = (0, 0);
    for (index, inst) in insts.iter().enumerate() {
        if blocks.starts[index] && index > 0 {
            total += now * blocks.weight(index - 1);
            now = 0;
            ready.fill(0);
        }
        if inst.opcode == Opcode::Nop {
            continue;
        }
        let access = Access::of(devinfo, inst);
        let wait = access.reads.iter().map(|&resource| ready[resource]).max();
        now = now.max(wait.unwrap_or(0));
        for &resource in &access.writes {
            ready[resource] = now + access.latency;
        }
        now += if channels(devinfo, inst) > 8 { 4 } else { 2 };
    }
    total + now * insts.len().checked_sub(1).map_or(0, |last| blocks.weight(last))
}

/// Starts of basic blocks, and the number of loops around each instruction.
struct Blocks {
    starts: Vec<bool>,
    depths: Vec<u32>,
}

impl Blocks {
    fn of(devinfo: &DevInfo, insts: &[Inst]) -> Blocks {
        let mut offsets = Vec::with_capacity(insts.len());
        let mut end = 0;
        for inst in insts {
            offsets.push(end);
            end += inst.len_bytes();
        }
        let mut starts = vec![false; insts.len()];
        let mut depths = vec![0; insts.len()];
        for (index, inst) in insts.iter().enumerate() {
            let targets = jump_targets(devinfo, inst, offsets[index]);
            for (_, target) in targets.into_iter().flatten() {
                let Ok(target) = usize::try_from(target) else { continue };
                let Ok(target) = offsets.binary_search(&target) else { continue };
                starts[target] = true;
                if matches!(inst.opcode, Opcode::While | Opcode::Jmpi) && target <= index {
                    depths[target..=index].iter_mut().for_each(|depth| *depth += 1);
                }
            }
            if targets != [None; 2] && index + 1 < insts.len() {
                starts[index + 1] = true;
            }
        }
        Blocks { starts, depths }
    }

    /// Number of times that a block runs in a pass, by its last instruction.
    fn weight(&self, last: usize) -> u64 {
        10_u64.pow(self.depths[last].min(DEEPEST))
    }
}

/// Resources that an instruction reads and writes, and the cycles until its results are there.
struct Access {
    reads: Vec<usize>,
    writes: Vec<usize>,
    latency: u64,
}

impl Access {
    fn of(devinfo: &DevInfo, inst: &Inst) -> Access {
        let mut access = Access { reads: vec![STATE], writes: Vec::new(), latency: 14 };
        match inst.send {
            Some(send) => access.message(devinfo, inst, send),
            None => access.arithmetic(devinfo, inst),
        }
        if inst.predicate.is_some() {
            access.reads.push(FLAGS + usize::from(inst.flag.nr & 1));
            // Channels that the predicate leaves out keep their value.
            if inst.opcode != Opcode::Sel {
                access.reads.extend(&access.writes);
            }
        }
        if inst.cond_mod.is_some() && !matches!(inst.opcode, Opcode::Sel | Opcode::Csel) {
            access.writes.push(FLAGS + usize::from(inst.flag.nr & 1));
        }
        access
    }

    fn arithmetic(&mut self, devinfo: &DevInfo, inst: &Inst) {
        if inst.math.is_some() {
            self.latency = 22;
        }
        let accumulates = [Opcode::Mac, Opcode::Mach, Opcode::Addc, Opcode::Subb];
        if inst.acc_wr_en || accumulates.contains(&inst.opcode) {
            self.reads.push(ACCUMULATOR);
            self.writes.push(ACCUMULATOR);
        }
        for (index, source) in inst.used_sources().iter().enumerate() {
            let bytes = source_bytes(devinfo, inst, index, source);
            add(&mut self.reads, source, bytes);
        }
        if inst.opcode.info().has_dst {
            let stride = u32::from(inst.dst.region.hstride.max(1));
            let channels = u32::from(inst.exec_size);
            let size = element_size(devinfo, &inst.dst);
            add(&mut self.writes, &inst.dst, ((channels - 1) * stride + 1) * size);
        }
    }

    fn message(&mut self, devinfo: &DevInfo, inst: &Inst, send: Send) {
        self.latency = 50;
        let (mut sent, mut received) = (1, 0);
        let mut writes = true;
        if let Desc::Imm(bits) = send.desc {
            let lengths = desc::Lengths::of(devinfo, bits);
            (sent, received) = (u32::from(lengths.mlen), u32::from(lengths.rlen));
            match desc::decode(devinfo, send.sfid, bits) {
                Ok((Message::Sampler(_), _)) => (self.latency, writes) = (200, false),
                Ok((Message::DataPort(_), _)) => (self.latency, writes) = (100, received == 0),
                Ok((Message::Scratch(_) | Message::Urb(_), _)) => writes = received == 0,
                _ => {}
            }
        }
        add(&mut self.reads, &inst.src[0], REGISTER * sent);
        if let Desc::Imm(bits) = send.ex_desc {
            add(&mut self.reads, &inst.src[1], REGISTER * (bits >> 6 & 0xf));
        }
        add(&mut self.writes, &inst.dst, REGISTER * received);
        self.reads.push(MEMORY);
        if writes {
            self.writes.push(MEMORY);
        }
    }
}

/// Channels of an instruction. Devices double the encoded number for DF.
fn channels(devinfo: &DevInfo, inst: &Inst) -> u8 {
    let is_double = |operand: &Operand| operand.ty.size() == 8 && !operand.is_null();
    let doubles = devinfo.has_quirk(Quirk::IvbDfExecSize)
        && (is_double(&inst.dst) || inst.used_sources().iter().any(is_double));
    if doubles { inst.exec_size / 2 } else { inst.exec_size }
}

/// Bytes between elements of a region. Regions of DF count double words on some devices.
fn element_size(devinfo: &DevInfo, operand: &Operand) -> u32 {
    match operand.ty.size() {
        8 if devinfo.has_quirk(Quirk::IvbDfRegions) => 4,
        size => size,
    }
}

/// Bytes from the first to the last element of a source.
fn source_bytes(devinfo: &DevInfo, inst: &Inst, index: usize, source: &Operand) -> u32 {
    let size = element_size(devinfo, source);
    let channels = u32::from(inst.exec_size).max(1);
    let Region { vstride, width, hstride } = source.region;
    // Plane equations read four double words, and both coordinates of each channel.
    match (inst.opcode, index) {
        (Opcode::Pln | Opcode::Line, 0) => return 4 * size,
        (Opcode::Pln, 1) => return 2 * channels * size,
        _ => {}
    }
    if source.rep_ctrl || source.region.is_scalar() {
        return size;
    }
    if inst.access_mode == AccessMode::Align16 {
        return if vstride == 0 { 4 * size } else { channels * size };
    }
    if vstride == Region::VXH {
        return size;
    }
    let width = u32::from(width).clamp(1, channels);
    let rows = channels.div_ceil(width);
    ((rows - 1) * u32::from(vstride) + (width - 1) * u32::from(hstride) + 1) * size
}

/// Adds the resources that `bytes` of an operand cover.
fn add(list: &mut Vec<usize>, operand: &Operand, bytes: u32) {
    if operand.is_null() || operand.is_imm() || bytes == 0 {
        return;
    }
    match operand.file {
        RegFile::Grf if !operand.is_indirect() => {
            let last = (u32::from(operand.subnr) + bytes - 1) / REGISTER;
            let first = usize::from(operand.nr);
            list.extend((first..=first + last as usize).filter(|&register| register < ACCUMULATOR));
        }
        RegFile::Arf => list.push(match Arf::from_number(operand.nr) {
            Some(Arf::Accumulator(_)) => ACCUMULATOR,
            Some(Arf::Flag(number)) => FLAGS + usize::from(number & 1),
            _ => STATE,
        }),
        RegFile::Grf | RegFile::Imm => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles of a kernel in assembly for ivb.
    fn cycles(text: &str) -> u64 {
        let devinfo = DevInfo::get("ivb").expect("a device");
        let insts = crate::assemble_insts(devinfo, text).expect("a kernel");
        estimate(devinfo, &insts)
    }

    const MOVE: &str = "mov(8) g10<1>F g2<8,8,1>F { align1 1Q };\n";

    #[test]
    fn readers_wait_for_results() {
        assert_eq!(cycles(MOVE), 2);
        let independent = "mov(16) g12<1>F g4<8,8,1>F { align1 1H };\n";
        assert_eq!(cycles(&format!("{MOVE}{independent}")), 2 + 4);
        let reader = "add(8) g12<1>F g10<8,8,1>F g3<8,8,1>F { align1 1Q };\n";
        assert_eq!(cycles(&format!("{MOVE}{reader}")), 14 + 2);
        let flag = "cmp.l.f0.0(8) null<1>F g2<8,8,1>F 0x0F { align1 1Q };\n";
        let predicated = "(+f0.0) mov(8) g3<1>F g2<8,8,1>F { align1 1Q };\n";
        assert_eq!(cycles(&format!("{flag}{predicated}")), 14 + 2);
    }

    #[test]
    fn loops_count_ten_times() {
        let looped = format!("{MOVE}L:\n{MOVE}{MOVE}while(8) JIP: L {{ align1 1Q }};\n{MOVE}");
        // Two moves and the jump in the loop, a move before and one after it.
        assert_eq!(cycles(&looped), 2 + 10 * 6 + 2);
    }
}
