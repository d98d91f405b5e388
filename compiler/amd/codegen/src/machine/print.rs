//! Text of machine programs, for diagnostics.

use super::{Arg, Inst, Program};
use std::fmt;

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.opcode.mnemonic())?;
        for (index, arg) in self.args.iter().enumerate() {
            f.write_str(if index == 0 { " " } else { ", " })?;
            match arg {
                Arg::Part(part) => write!(f, "{}.{}", part.reg, part.dword)?,
                Arg::Fixed(operand) => write!(f, "{operand:?}")?,
                Arg::Label(label) => write!(f, "{label}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &label in &self.order {
            writeln!(f, "{label}: -> {:?}", self.blocks[label].logical)?;
            for inst in &self.blocks[label].insts {
                writeln!(f, "  {inst}")?;
            }
        }
        Ok(())
    }
}
