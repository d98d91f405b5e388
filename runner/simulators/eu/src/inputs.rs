//! Parts of a thread's payload that a kernel can depend on, found without executing it.
//!
//! Threads with equal inputs have equal results, so that a host may execute one of them for all.

use intel_isa::desc::{self, DataOp, Lengths};
use intel_isa::{Arf, Desc, Opcode, Sfid};

use crate::decoded::DecodedInstruction;
use crate::kernel::Kernel;
use crate::op::{Op, Place, Unit};
use crate::region::OUTSIDE;
use crate::regs::{GRF_COUNT, REG_SIZE};

/// A plane equation evaluated on payload registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneInput {
    /// Register of the coefficients.
    pub register: usize,
    /// First of the four double words of the coefficients.
    pub dword: usize,
    /// First register of the coordinates.
    pub coordinates: usize,
    /// Registers of the coordinates.
    pub count: usize,
}

/// Payload that a kernel may read before it has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Double words of each register, one bit each, apart from the coordinates of `planes`.
    dwords: Box<[u8; GRF_COUNT]>,
    planes: Vec<PlaneInput>,
}

impl Inputs {
    /// Double words of a register that are read in another way than as coordinates of a plane
    /// equation, one bit each.
    #[must_use]
    pub fn dwords(&self, register: usize) -> u8 {
        self.dwords.get(register).copied().unwrap_or(0)
    }

    /// Plane equations on payload registers.
    #[must_use]
    pub fn planes(&self) -> &[PlaneInput] {
        &self.planes
    }
}

impl Kernel {
    /// Payload on which the result of a thread with `channels` channels, all enabled, can depend.
    /// `None` if it may depend on something else, or if the kernel changes memory.
    #[must_use]
    pub fn inputs(&self, channels: u8) -> Option<Inputs> {
        let mut search = Search::new(channels);
        let loops = self.loops()?;
        let instructions = (0..).map_while(|index| self.instruction(index));
        for (index, instruction) in (0_u32..).zip(instructions) {
            if instruction.op().reads_time {
                return None;
            }
            search.in_loop = loops.iter().any(|(first, last)| (*first..=*last).contains(&index));
            search.step(self, instruction.decoded)?;
        }
        Some(Inputs { dwords: Box::new(search.read), planes: search.planes })
    }

    /// First and last instruction of each loop; `None` with jumps that are not structured.
    fn loops(&self) -> Option<Vec<(u32, u32)>> {
        let mut loops = Vec::new();
        let instructions = (0..).map_while(|index| self.instruction(index));
        for (index, instruction) in (0..).zip(instructions) {
            match instruction.op().opcode {
                Opcode::While => loops.push((instruction.jump.jip, index)),
                Opcode::Jmpi | Opcode::Brd | Opcode::Brc | Opcode::Call | Opcode::Ret => {
                    return None;
                }
                _ => {}
            }
        }
        Some(loops)
    }
}

/// State of a walk over the instructions in order.
struct Search {
    channels: u8,
    /// Bytes of each register that the kernel has written on every path.
    written: [u32; GRF_COUNT],
    read: [u8; GRF_COUNT],
    planes: Vec<PlaneInput>,
    /// Branches around the instruction.
    depth: u32,
    in_loop: bool,
    /// Some channels may have left.
    halted: bool,
}

impl Search {
    fn new(channels: u8) -> Search {
        Search {
            channels,
            written: [0; GRF_COUNT],
            read: [0; GRF_COUNT],
            planes: Vec::new(),
            depth: 0,
            in_loop: false,
            halted: false,
        }
    }

    fn step(&mut self, kernel: &Kernel, instruction: &DecodedInstruction) -> Option<()> {
        let op = &instruction.op;
        match op.unit {
            Unit::Alu => self.arithmetic(op),
            Unit::Nop => Some(()),
            Unit::Control => {
                match op.opcode {
                    Opcode::If => self.depth += 1,
                    Opcode::Endif => self.depth = self.depth.saturating_sub(1),
                    Opcode::Halt => self.halted = true,
                    _ => {}
                }
                Some(())
            }
            Unit::Send => self.send(kernel, instruction),
            Unit::Wait | Unit::Illegal | Unit::NotModeled => None,
        }
    }

    /// True if all channels of the thread execute the instruction.
    fn is_certain(&self, op: &Op) -> bool {
        let is_predicated = op.pred.is_some() && op.opcode != Opcode::Sel;
        self.depth == 0 && !self.in_loop && !self.halted && !is_predicated
    }

    fn arithmetic(&mut self, op: &Op) -> Option<()> {
        let count = usize::from(op.sources).min(op.src.len());
        match op.opcode {
            Opcode::Pln => self.plane(op)?,
            Opcode::Line => {
                let Place::Grf(plane) = &op.src[0].place else { return None };
                self.read_bytes(plane.low(0).into(), 16);
                self.source(op, 1)?;
            }
            _ => (0..count).try_for_each(|index| self.source(op, index))?,
        }
        match &op.dst.place {
            Place::Indirect(_) => return None,
            Place::Grf(lanes) if self.is_certain(op) => {
                for channel in 0..usize::from(op.shape.channels) {
                    let place = usize::from(op.group) + channel;
                    let is_on = op.no_mask || place < usize::from(self.channels);
                    if is_on && op.dst.enables >> channel & 1 != 0 {
                        let size = op.dst.ty.size() as usize;
                        self.write(lanes.low(channel).into(), size.min(4));
                        if size == 8 {
                            self.write(lanes.high(channel), 4);
                        }
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    /// A plane equation: the coordinates of eight channels take two registers.
    fn plane(&mut self, op: &Op) -> Option<()> {
        let (Place::Grf(plane), Place::Grf(values)) = (&op.src[0].place, &op.src[1].place) else {
            return None;
        };
        let (base, start) = (usize::from(plane.low(0)), usize::from(values.low(0)));
        let bytes = usize::from(op.shape.channels).div_ceil(8) * 2 * REG_SIZE;
        let is_aligned = base.is_multiple_of(16) && start.is_multiple_of(REG_SIZE);
        let is_payload = self.is_payload(base, 16) && self.is_payload(start, bytes);
        self.read_bytes(base, 16);
        if is_aligned && is_payload {
            self.planes.push(PlaneInput {
                register: base / REG_SIZE,
                dword: base % REG_SIZE / 4,
                coordinates: start / REG_SIZE,
                count: bytes / REG_SIZE,
            });
        } else {
            self.read_bytes(start, bytes);
        }
        Some(())
    }

    /// True if the kernel has written none of these bytes on every path.
    fn is_payload(&self, start: usize, count: usize) -> bool {
        (start..start + count).all(|at| {
            let written = self.written.get(at / REG_SIZE);
            written.is_some_and(|written| written >> (at % REG_SIZE) & 1 == 0)
        })
    }

    fn source(&mut self, op: &Op, index: usize) -> Option<()> {
        let src = &op.src[index];
        match &src.place {
            Place::Indirect(_) => return None,
            // The values of the others are the same in all threads.
            Place::Arf(Arf::Flag(_) | Arf::Address(_) | Arf::Control(_), _) => {}
            Place::Arf(..) => return None,
            Place::Grf(lanes) => {
                let size = src.ty.size() as usize;
                for channel in 0..usize::from(op.shape.channels) {
                    self.read_bytes(lanes.low(channel).into(), size.min(4));
                    if size == 8 {
                        self.read_bytes(lanes.high(channel), 4);
                    }
                }
            }
            Place::Null | Place::Accumulator(_) | Place::Imm(_) | Place::ImmVector(_) => {}
        }
        Some(())
    }

    /// A message: the registers that it sends and, if it only reads, those of its response.
    fn send(&mut self, kernel: &Kernel, instruction: &DecodedInstruction) -> Option<()> {
        let (op, inst) = (&instruction.op, &instruction.inst);
        let send = inst.send?;
        let (Desc::Imm(bits), Desc::Imm(extended)) = (send.desc, send.ex_desc) else { return None };
        let lengths = Lengths::of(kernel.devinfo, bits);
        let is_split = matches!(inst.opcode, Opcode::Sends | Opcode::Sendsc);
        let second = if is_split { desc::ex_mlen(extended) } else { 0 };
        for (source, length) in [(0, lengths.mlen), (1, second)] {
            let operand = &inst.src[source];
            if length > 0 && operand.is_indirect() {
                return None;
            }
            self.read_bytes(usize::from(operand.nr) * REG_SIZE, usize::from(length) * REG_SIZE);
        }
        let (message, _) = desc::decode(kernel.devinfo, send.sfid, bits).ok()?;
        let is_whole = match &message {
            desc::Message::Sampler(_) => send.sfid == Sfid::Sampler && !send.eot,
            desc::Message::DataPort(data) => match data.op {
                DataOp::OwordBlockRead { .. } => true,
                DataOp::DwordScatteredRead { .. } | DataOp::UntypedRead { .. } => false,
                _ => return None,
            },
            desc::Message::RenderTarget(target) if !target.read => false,
            desc::Message::Spawner(spawner) if !spawner.spawn => false,
            _ => return None,
        };
        let is_grf = matches!(op.dst.place, Place::Grf(_));
        if is_whole && is_grf && self.is_certain(op) && op.shape.channels >= self.channels.min(8) {
            let bytes = usize::from(lengths.rlen) * REG_SIZE;
            self.write(usize::from(inst.dst.nr) * REG_SIZE, bytes);
        }
        Some(())
    }

    /// Marks bytes as read, unless the kernel has written them.
    fn read_bytes(&mut self, start: usize, count: usize) {
        if start == usize::from(OUTSIDE) {
            return;
        }
        for at in start..start + count {
            let Some(written) = self.written.get(at / REG_SIZE) else { return };
            if written >> (at % REG_SIZE) & 1 == 0 {
                self.read[at / REG_SIZE] |= 1 << (at % REG_SIZE / 4);
            }
        }
    }

    fn write(&mut self, start: usize, count: usize) {
        if start == usize::from(OUTSIDE) {
            return;
        }
        for at in start..start + count {
            let Some(written) = self.written.get_mut(at / REG_SIZE) else { return };
            *written |= 1 << (at % REG_SIZE);
        }
    }
}
