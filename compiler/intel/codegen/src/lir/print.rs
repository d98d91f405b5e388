//! Text of LIR programs: lossless, [`parse`](super::parse) reads it back.
//!
//! ```text
//! program width=8 payload=4
//! vgrf v0-v2 v3[2]
//!   cmp.l.f0.0(8) null<1>:F, g2<1>:F, g3<1>:F
//!   (+f0.0) if(8)
//!     mov(8) v0<1>:UD, 0x1:UD ; remark
//!   endif(8)
//! ```
//!
//! * An operand is `[-][(abs)]register[+byte]<region>[.swizzle][.writemask]:type`. Four letters are
//!   a swizzle, fewer a writemask. An immediate is a bit pattern without a region, `_` is no
//!   operand.
//! * `(+f0.1.any4h)` is a predicate, `-` inverts it. `.sat` saturates, `.l.f0.0` is a conditional
//!   modifier.
//! * Attributes follow the operands: those of a message, `align16`, `nomask`, `group8`, `accwr`,
//!   and `flag=f0.1` where neither predicate nor conditional modifier names the flag.

use super::{
    File, Inst, MessageKind, Op, Operand, Program, Region, Swizzle, VRegData, WRITEMASK_XYZW,
};
use std::fmt;

/// Longest line of register declarations.
const MAX_LINE: usize = 100;

/// Letters of components in swizzles and writemasks.
pub(super) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Names of message kinds.
pub(super) const MESSAGE_KINDS: [(MessageKind, &str); 12] = [
    (MessageKind::ConstantLoad, "constant_load"),
    (MessageKind::Sample, "sample"),
    (MessageKind::RenderTargetWrite, "render_target_write"),
    (MessageKind::UrbWrite, "urb_write"),
    (MessageKind::UrbRead, "urb_read"),
    (MessageKind::ScratchRead, "scratch_read"),
    (MessageKind::ScratchWrite, "scratch_write"),
    (MessageKind::ByteScatteredWrite { element: 1 }, "byte_scattered_write1"),
    (MessageKind::ByteScatteredWrite { element: 2 }, "byte_scattered_write2"),
    (MessageKind::ByteScatteredWrite { element: 4 }, "byte_scattered_write4"),
    (MessageKind::Memory, "memory"),
    (MessageKind::Gateway, "gateway"),
];

impl fmt::Display for MessageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MESSAGE_KINDS.iter().find(|(kind, _)| kind == self) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "{self:?}"),
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Region::Stride(stride) => write!(f, "<{stride}>"),
            Region::Exact { vstride, width, hstride } => write!(f, "<{vstride};{width},{hstride}>"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("_");
        }
        if self.negate {
            f.write_str("-")?;
        }
        if self.abs {
            f.write_str("(abs)")?;
        }
        match self.file {
            File::None => {}
            File::Null => f.write_str("null")?,
            File::Vgrf(v) => write!(f, "{v}")?,
            File::Grf(nr) => write!(f, "g{nr}")?,
            File::Arf(arf) => write!(f, "{}{}", arf.prefix(), arf.number() & 0xf)?,
            File::Imm(bits) => write!(f, "{bits:#x}")?,
        }
        if self.offset != 0 {
            write!(f, "+{}", self.offset)?;
        }
        if !(self.is_imm() && self.region == Region::Stride(0)) {
            write!(f, "{}", self.region)?;
        }
        if self.swizzle != Swizzle::XYZW {
            f.write_str(".")?;
            for i in 0..4 {
                write!(f, "{}", COMPONENTS[usize::from(self.swizzle.get(i))])?;
            }
        }
        if self.writemask != WRITEMASK_XYZW {
            f.write_str(".")?;
            for (i, name) in COMPONENTS.iter().enumerate() {
                if self.writemask >> i & 1 != 0 {
                    write!(f, "{name}")?;
                }
            }
        }
        write!(f, ":{}", self.ty.name())
    }
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = format!("f{}.{}", self.flag / 2, self.flag % 2);
        if let Some(p) = self.predicate {
            let sign = if p.inverse { '-' } else { '+' };
            let dot = if p.mode.text().is_empty() { "" } else { "." };
            write!(f, "({sign}{flag}{dot}{}) ", p.mode.text())?;
        }
        f.write_str(self.op.info().name)?;
        if self.saturate {
            f.write_str(".sat")?;
        }
        if let Some(c) = self.cond {
            write!(f, ".{}.{flag}", c.text())?;
        }
        write!(f, "({})", self.exec_size)?;
        if !self.dst.is_none() || !self.src.is_empty() {
            write!(f, " {}", self.dst)?;
        }
        for src in &self.src {
            write!(f, ", {src}")?;
        }
        if let Some(m) = &self.message {
            let sfid = m.sfid.text().replace(' ', "_");
            write!(f, " sfid={sfid} control={:#x} mlen={} rlen={}", m.control, m.mlen, m.rlen)?;
            if m.ex_mlen != 0 {
                write!(f, " ex_mlen={}", m.ex_mlen)?;
            }
            if m.header {
                f.write_str(" header")?;
            }
            if m.eot {
                f.write_str(" eot")?;
            }
            write!(f, " {}", m.kind)?;
        }
        if self.align16 {
            f.write_str(" align16")?;
        }
        if self.no_mask {
            f.write_str(" nomask")?;
        }
        if self.group != 0 {
            write!(f, " group{}", self.group)?;
        }
        if self.acc_write {
            f.write_str(" accwr")?;
        }
        if self.flag != 0 && self.predicate.is_none() && self.cond.is_none() {
            write!(f, " flag={flag}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program width={} payload={}", self.width, self.payload_regs)?;
        let registers: Vec<VRegData> = self.vregs.values().copied().collect();
        print_registers(f, &registers)?;
        let mut depth = 1usize;
        for inst in &self.insts {
            if matches!(inst.op, Op::Else | Op::Endif | Op::While) {
                depth = depth.saturating_sub(1).max(1);
            }
            write!(f, "{:indent$}{inst}", "", indent = depth.min(20) * 2)?;
            if !inst.remark.is_empty() {
                write!(f, " ; {}", inst.remark)?;
            }
            writeln!(f)?;
            if matches!(inst.op, Op::If | Op::Else | Op::Do) {
                depth += 1;
            }
        }
        Ok(())
    }
}

/// Declarations of virtual registers; consecutive ones of equal size are a range.
fn print_registers(f: &mut fmt::Formatter<'_>, registers: &[VRegData]) -> fmt::Result {
    let mut line = String::new();
    let mut first = 0;
    for run in registers.chunk_by(|a, b| a == b) {
        let last = first + run.len() - 1;
        let mut entry = format!(" v{first}");
        if last > first {
            entry += &format!("-v{last}");
        }
        if run[0].regs != 1 {
            entry += &format!("[{}]", run[0].regs);
        }
        if line.len() + entry.len() > MAX_LINE {
            writeln!(f, "{line}")?;
            line.clear();
        }
        if line.is_empty() {
            line += "vgrf";
        }
        line += &entry;
        first = last + 1;
    }
    if line.is_empty() { Ok(()) } else { writeln!(f, "{line}") }
}
