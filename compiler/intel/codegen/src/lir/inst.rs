//! Instructions of the back-end IR.

use super::op::Op;
use super::operand::{Operand, REG_SIZE};
use intel_isa::{Arf, CondMod, Predicate, Sfid, Type};
use smallvec::SmallVec;
use vocabulary::SourceLine;

/// Kind of a message, as far as it matters to passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageKind {
    /// Reads constant memory (uniforms): pure.
    ConstantLoad,
    /// Samples or fetches from a surface that the shader cannot write: pure.
    Sample,
    /// Writes a render target.
    RenderTargetWrite,
    /// Writes a URB entry.
    UrbWrite,
    /// Reads a URB entry.
    UrbRead,
    /// Reads scratch memory.
    ScratchRead,
    /// Writes scratch memory.
    ScratchWrite,
    /// Byte-scattered write; the element size in bytes says which bytes of the data are read.
    ByteScatteredWrite {
        /// 1, 2 or 4.
        element: u8,
    },
    /// Any other memory access, ordered with others.
    Memory,
    /// Synchronization or thread control.
    Gateway,
}

/// Descriptor of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    /// Shared function.
    pub sfid: Sfid,
    /// Function control: the descriptor's low 19 bits.
    pub control: u32,
    /// Payload registers; of a split send those of the first part.
    pub mlen: u8,
    /// Payload registers of a split send's second part.
    pub ex_mlen: u8,
    /// Response registers.
    pub rlen: u8,
    /// Payload begins with a header.
    pub header: bool,
    /// Ends the thread.
    pub eot: bool,
    /// Kind.
    pub kind: MessageKind,
}

/// An instruction. Fields keep their defaults where an opcode has no use for them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// Opcode.
    pub op: Op,
    /// Destination.
    pub dst: Operand,
    /// Sources.
    pub src: SmallVec<[Operand; 3]>,
    /// Channels processed (logical: never doubled for DF).
    pub exec_size: u8,
    /// First channel, in units of one channel.
    pub group: u8,
    /// Predicate.
    pub predicate: Option<Predicate>,
    /// Conditional modifier.
    pub cond: Option<CondMod>,
    /// Flag subregister of predicate and conditional modifier: 0 f0.0, 1 f0.1, 2 f1.0, 3 f1.1.
    pub flag: u8,
    /// Clamp the result to 0 … 1 (floats) or the type's range (integers).
    pub saturate: bool,
    /// Ignore the execution mask.
    pub no_mask: bool,
    /// Align16 access mode: swizzles and writemasks apply instead of regions.
    pub align16: bool,
    /// Also write the accumulator.
    pub acc_write: bool,
    /// Message of a send.
    pub message: Option<Message>,
    /// Why it is there, for annotated listings.
    pub remark: &'static str,
    /// The source line that it came from.
    pub line: SourceLine,
}

impl Inst {
    /// An instruction of `exec_size` channels from channel 0.
    #[must_use]
    pub fn new(op: Op, exec_size: u8, dst: Operand, src: &[Operand]) -> Inst {
        Inst {
            op,
            dst,
            src: SmallVec::from_slice(src),
            exec_size,
            group: 0,
            predicate: None,
            cond: None,
            flag: 0,
            saturate: false,
            no_mask: false,
            align16: false,
            acc_write: false,
            message: None,
            remark: "",
            line: SourceLine::UNKNOWN,
        }
    }

    /// Brings an immediate first source to the end, where the instruction means the same then;
    /// `symmetric` says it of products. Returns whether it did.
    pub fn exchange_immediate(&mut self, symmetric: impl Fn(&Inst) -> bool) -> bool {
        if self.src.len() != 2 || !self.src[0].is_imm() || self.src[1].is_imm() {
            return false;
        }
        match self.op {
            Op::Cmp => self.cond = self.cond.map(|c| c.swapped()),
            Op::Sel => match (&mut self.predicate, self.cond) {
                (Some(p), _) => p.inverse = !p.inverse,
                (None, Some(_)) => {}
                (None, None) => return false,
            },
            Op::Mul if !symmetric(self) => return false,
            op if op.info().commutative => {}
            _ => return false,
        }
        self.src.swap(0, 1);
        true
    }

    /// Bytes of source `index` that are read, counted from its offset (0 for immediates and absent
    /// operands).
    #[must_use]
    pub fn bytes_read(&self, index: usize) -> u32 {
        let Some(src) = self.src.get(index) else { return 0 };
        if !src.is_reg() {
            return 0;
        }
        if let Some(message) = &self.message {
            let part = if index == 0 { message.mlen } else { message.ex_mlen };
            return u32::from(part) * REG_SIZE;
        }
        if self.op == Op::Pln {
            // src0 is the half register of the plane, src1 b1 and b2 of all channels.
            return if index == 0 { 16 } else { 2 * u32::from(self.exec_size) * src.ty.size() };
        }
        if self.op == Op::Line && index == 0 {
            return 16;
        }
        if self.align16 && !src.is_scalar() {
            return align16_extent(self, src);
        }
        if self.align16 {
            // A scalar of Align16 is one vec4 (vertical stride 0), read by both halves.
            return 4 * src.ty.size();
        }
        src.extent(u32::from(self.exec_size))
    }

    /// Bytes of the destination that may be written, counted from its offset.
    #[must_use]
    pub fn bytes_written(&self) -> u32 {
        if !self.dst.is_reg() {
            return 0;
        }
        if let Some(message) = &self.message {
            return u32::from(message.rlen) * REG_SIZE;
        }
        if self.align16 {
            return align16_extent(self, &self.dst);
        }
        let stride = u32::from(self.dst.stride().unwrap_or(1).max(1));
        let size = self.dst.ty.size();
        (u32::from(self.exec_size.max(1)) - 1) * stride * size + size
    }

    /// Components of the sources that this Align16 instruction reads, before their swizzles.
    #[must_use]
    pub fn components_read(&self) -> u8 {
        match self.op {
            Op::Dp4 | Op::Dph => 0xf,
            Op::Dp3 => 0x7,
            Op::Dp2 => 0x3,
            _ => self.dst.writemask,
        }
    }

    /// Size in bytes of the type that operands are converted to before execution.
    #[must_use]
    pub fn exec_type(&self) -> Type {
        let mut best: Option<Type> = None;
        for src in &self.src {
            if src.is_none() || src.is_null() {
                continue;
            }
            let ty = match src.ty {
                Type::UB | Type::B | Type::V => Type::W,
                Type::UV => Type::UW,
                Type::VF => Type::F,
                other => other,
            };
            best = Some(match best {
                None => ty,
                Some(old)
                    if ty.size() > old.size() || (ty.size() == old.size() && ty.is_float()) =>
                {
                    ty
                }
                Some(old) => old,
            });
        }
        best.unwrap_or(self.dst.ty)
    }

    /// Any operand is 64 bits wide.
    #[must_use]
    pub fn has_64bit(&self) -> bool {
        (!self.dst.is_none() && self.dst.ty.size() == 8)
            || self.src.iter().any(|s| !s.is_none() && s.ty.size() == 8)
    }

    /// Reads a flag register (predicate; SEL by predicate included).
    #[must_use]
    pub fn reads_flag(&self) -> bool {
        self.predicate.is_some()
            || self.src.iter().any(|s| matches!(s.file, super::File::Arf(Arf::Flag(_))))
    }

    /// Writes a flag register: a conditional modifier on anything but SEL, or a flag destination.
    #[must_use]
    pub fn writes_flag(&self) -> bool {
        (self.cond.is_some() && !matches!(self.op, Op::Sel | Op::Csel | Op::If | Op::While))
            || matches!(self.dst.file, super::File::Arf(Arf::Flag(_)))
    }

    /// Reads or writes an accumulator implicitly or explicitly.
    #[must_use]
    pub fn touches_accumulator(&self) -> bool {
        let is_acc = |o: &Operand| matches!(o.file, super::File::Arf(Arf::Accumulator(_)));
        self.acc_write
            || matches!(self.op, Op::Mac | Op::Mach | Op::Addc | Op::Subb)
            || is_acc(&self.dst)
            || self.src.iter().any(is_acc)
    }

    /// Has an effect besides its destination and flags: messages that write, control flow,
    /// architecture state.
    #[must_use]
    pub fn has_side_effects(&self) -> bool {
        if self.op.info().control_flow || self.op == Op::Await {
            return true;
        }
        if let Some(message) = &self.message {
            return message.eot
                || !matches!(
                    message.kind,
                    MessageKind::ConstantLoad
                        | MessageKind::Sample
                        | MessageKind::ScratchRead
                        | MessageKind::UrbRead
                );
        }
        matches!(self.dst.file, super::File::Arf(_))
    }

    /// Writes only part of the channels or bytes that the execution mask enables: a predicate other
    /// than SEL's.
    #[must_use]
    pub fn is_predicated_write(&self) -> bool {
        self.predicate.is_some() && self.op != Op::Sel
    }

    /// True for the end of a loop that all channels repeat or leave together: a JMPI, which any
    /// distance fits, instead of a WHILE. No BREAK or CONTINUE belongs to such a loop.
    #[must_use]
    pub fn is_jump_back(&self) -> bool {
        self.op == Op::While && self.exec_size == 1 && self.no_mask
    }

    /// A plain register-to-register (or immediate) copy without conversion, condition or
    /// saturation.
    #[must_use]
    pub fn is_plain_copy(&self) -> bool {
        self.op == Op::Mov
            && self.predicate.is_none()
            && self.cond.is_none()
            && !self.saturate
            && !self.src[0].is_modified()
            && (self.dst.ty == self.src[0].ty
                || (self.dst.ty.size() == self.src[0].ty.size()
                    && self.dst.ty.is_integer()
                    && self.src[0].ty.is_integer()))
    }
}

/// Bytes that an Align16 operand spans: rows of four components, one row per four channels.
fn align16_extent(inst: &Inst, operand: &Operand) -> u32 {
    let rows = u32::from(inst.exec_size).div_ceil(4);
    rows * 4 * operand.ty.size()
}
