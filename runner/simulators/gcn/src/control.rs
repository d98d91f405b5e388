//! Program control, exports and messages.

use amd_isa::{Opcode, Operand, Register, Scalar};

use crate::error::Reason;
use crate::host::{Export, Message};
use crate::pending::Kind;
use crate::run::{Next, Step};

impl Step<'_> {
    /// Executes an operation of SOPP.
    pub(crate) fn control(&mut self) -> Result<Next, Reason> {
        use Opcode::*;
        let jump = match self.operand(0) {
            Operand::Jump(distance) => Next::Jump(self.end as i64 + i64::from(distance)),
            _ => Next::Following,
        };
        let bits = self.scalar_value(0) as u32;
        let vcc = Scalar::VCC;
        let taken = match self.opcode() {
            SEndpgm | SEndpgmSaved => return Ok(Next::End),
            SBarrier => return Ok(Next::Barrier),
            SWaitcnt => {
                let quirks = self.quirks;
                self.wave.wait(bits & 15, bits >> 4 & 7, bits >> 8 & 15, &quirks);
                false
            }
            SBranch => true,
            SCbranchScc0 => !self.wave.scc,
            SCbranchScc1 => self.wave.scc,
            SCbranchVccz | SCbranchVccnz => {
                // VCC itself has to be complete, too.
                let zero = if self.quirks.vccz_after_smrd {
                    self.wave.vccz
                } else {
                    self.wave.pair(vcc) == 0
                };
                zero == (self.opcode() == SCbranchVccz)
            }
            SCbranchExecz => self.wave.exec() == 0,
            SCbranchExecnz => self.wave.exec() != 0,
            SSendmsg | SSendmsghalt => {
                let message = Message { bits, m0: self.wave.m0(), exec: self.wave.exec() };
                self.host.message(message);
                self.pend(Kind::Message, Vec::new(), Vec::new());
                false
            }
            SNop | SSleep | SSetprio | SIcacheInv | SWakeup | SIncperflevel | SDecperflevel
            | STtracedata | SSethalt => false,
            _ => return Err(self.not_modeled()),
        };
        Ok(if taken { jump } else { Next::Following })
    }

    /// Executes an export.
    pub(crate) fn export(&mut self) -> Result<(), Reason> {
        let Operand::Target(target) = self.operand(0) else { return Err(self.not_modeled()) };
        let modifiers = self.instruction.modifiers;
        let mut channels = [None; 4];
        let mut holds = Vec::new();
        for (channel, operand) in self.instruction.operands[1..5].iter().enumerate() {
            let Operand::Vector(number) = *operand else { continue };
            let index = if modifiers.compr { channel / 2 } else { channel };
            channels[index] = Some(self.wave.vector[usize::from(number)]);
            holds.push(Register::Vector(number));
        }
        let exec = self.wave.exec();
        self.host.export(Export {
            target,
            channels,
            exec,
            done: modifiers.done,
            valid_mask: modifiers.vm,
            compressed: modifiers.compr,
        });
        let kind = match target {
            0..=8 => 0,
            12..=15 => 1,
            _ => 2,
        };
        self.pend(Kind::Export(kind), Vec::new(), holds);
        Ok(())
    }
}
