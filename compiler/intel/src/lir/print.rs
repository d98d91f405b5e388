//! Text of back-end programs, for dumps.

use super::{Arf, CondMod, File, Inst, Op, Operand, PredMode, Program, Region, Swizzle, WRITEMASK_XYZW};
use std::fmt;

impl fmt::Display for CondMod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CondMod::Z => "z",
            CondMod::Nz => "nz",
            CondMod::G => "g",
            CondMod::Ge => "ge",
            CondMod::L => "l",
            CondMod::Le => "le",
            CondMod::O => "o",
            CondMod::U => "u",
        })
    }
}

fn predicate_suffix(mode: PredMode) -> &'static str {
    match mode {
        PredMode::Normal => "",
        PredMode::AnyV => ".anyv",
        PredMode::AllV => ".allv",
        PredMode::Any2h => ".any2h",
        PredMode::All2h => ".all2h",
        PredMode::Any4h => ".any4h",
        PredMode::All4h => ".all4h",
        PredMode::Any8h => ".any8h",
        PredMode::All8h => ".all8h",
        PredMode::Any16h => ".any16h",
        PredMode::All16h => ".all16h",
        PredMode::ReplicateX => ".x",
        PredMode::ReplicateY => ".y",
        PredMode::ReplicateZ => ".z",
        PredMode::ReplicateW => ".w",
        PredMode::Any4 => ".any4h",
        PredMode::All4 => ".all4h",
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negate {
            f.write_str("-")?;
        }
        if self.abs {
            f.write_str("(abs)")?;
        }
        match self.file {
            File::None => return f.write_str("_"),
            File::Null => f.write_str("null")?,
            File::Vgrf(v) => write!(f, "{v}")?,
            File::Grf(nr) => write!(f, "g{nr}")?,
            File::Arf(Arf::Acc(n)) => write!(f, "acc{n}")?,
            File::Arf(Arf::Flag(n)) => write!(f, "f{n}")?,
            File::Arf(Arf::Addr) => f.write_str("a0")?,
            File::Arf(Arf::Control) => f.write_str("cr0")?,
            File::Arf(Arf::State) => f.write_str("sr0")?,
            File::Arf(Arf::ChannelEnable) => f.write_str("mask0")?,
            File::Arf(Arf::Notification) => f.write_str("n0")?,
            File::Arf(Arf::Timestamp) => f.write_str("tm0")?,
            File::Imm(bits) => return write!(f, "{bits:#x}:{}", self.ty.name()),
        }
        if self.offset != 0 {
            write!(f, "+{}", self.offset)?;
        }
        match self.region {
            Region::Stride(s) => write!(f, "<{s}>")?,
            Region::Exact { vstride, width, hstride } => write!(f, "<{vstride};{width},{hstride}>")?,
        }
        if self.swizzle != Swizzle::XYZW {
            f.write_str(".")?;
            for i in 0..4 {
                f.write_str(["x", "y", "z", "w"][usize::from(self.swizzle.get(i))])?;
            }
        }
        if self.writemask != WRITEMASK_XYZW {
            f.write_str(".")?;
            for (i, name) in ["x", "y", "z", "w"].iter().enumerate() {
                if self.writemask >> i & 1 != 0 {
                    f.write_str(name)?;
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
            write!(f, "({sign}{flag}{}) ", predicate_suffix(p.mode))?;
        }
        f.write_str(self.op.info().name)?;
        if self.saturate {
            f.write_str(".sat")?;
        }
        if let Some(c) = self.cond {
            write!(f, ".{c}.{flag}")?;
        }
        write!(f, "({})", self.exec_size)?;
        if !self.dst.is_none() {
            write!(f, " {}", self.dst)?;
        }
        for (i, src) in self.src.iter().enumerate() {
            let comma = if i == 0 && self.dst.is_none() { "" } else { "," };
            write!(f, "{comma} {src}")?;
        }
        if let Some(m) = &self.message {
            write!(f, " sfid {} control {:#x} mlen {} rlen {}", m.sfid, m.control, m.mlen, m.rlen)?;
            if m.header {
                f.write_str(" header")?;
            }
            if m.eot {
                f.write_str(" eot")?;
            }
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
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut depth = 0usize;
        for (i, inst) in self.insts.iter().enumerate() {
            if matches!(inst.op, Op::Else | Op::Endif | Op::While) {
                depth = depth.saturating_sub(1);
            }
            writeln!(f, "{i:5}  {:indent$}{inst}", "", indent = depth.min(40) * 2)?;
            if matches!(inst.op, Op::If | Op::Else | Op::Do) {
                depth += 1;
            }
        }
        Ok(())
    }
}
