//! Operations that look at other lanes or at registers by index.

use amd_isa::{Kind, Opcode, Operand, Scalar};

use crate::arithmetic::float::FloatMode;
use crate::error::Reason;
use crate::register::LANES;
use crate::run::Step;

impl Step<'_> {
    /// Executes an operation on lanes.
    pub(crate) fn lane_operation(&mut self) -> Result<(), Reason> {
        use Opcode::*;
        let exec = self.wave.exec();
        match self.opcode() {
            VNop | VClrexcp => {}
            VReadfirstlaneB32 => {
                let lane = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
                let value = self.lane_value(1, lane);
                self.write_scalar(0, value);
            }
            VReadlaneB32 => {
                let lane = self.scalar_value(2) as usize & (LANES - 1);
                let value = self.lane_value(1, lane);
                self.write_scalar(0, value);
            }
            VWritelaneB32 => {
                let lane = self.scalar_value(2) as usize & (LANES - 1);
                let value = self.scalar_value(1);
                self.write_lane(0, lane, value);
            }
            VMbcntLoU32B32 | VMbcntHiU32B32 => {
                let high = self.opcode() == VMbcntHiU32B32;
                for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
                    let below = (1_u64 << lane) - 1;
                    let below = if high { (below >> 32) as u32 } else { below as u32 };
                    let count = (self.lane_value(1, lane) as u32 & below).count_ones();
                    let sum = count.wrapping_add(self.lane_value(2, lane) as u32);
                    self.write_lane(0, lane, u64::from(sum));
                }
            }
            VMovrelsB32 | VMovreldB32 | VMovrelsdB32 => self.move_relative(exec)?,
            VInterpP1F32 | VInterpP2F32 | VInterpMovF32 => self.interpolate(exec)?,
            _ => return Err(self.not_modeled()),
        }
        Ok(())
    }

    fn move_relative(&mut self, exec: u64) -> Result<(), Reason> {
        let (mut to, mut from) = (self.operand(0), self.operand(1));
        let relative = |step: &Self, operand| match operand {
            Operand::Vector(base) => {
                let limit = step.wave.vector.len() as i64;
                Ok(Operand::Vector(step.wave.relative(base, limit)?))
            }
            Operand::Scalar(Scalar(base)) => {
                let limit = i64::from(step.chip.scalar_registers());
                Ok(Operand::Scalar(Scalar(step.wave.relative(base, limit)?)))
            }
            other => Ok::<Operand, Reason>(other),
        };
        if self.opcode() != Opcode::VMovreldB32 {
            from = relative(self, from)?;
        }
        if self.opcode() != Opcode::VMovrelsB32 {
            to = relative(self, to)?;
        }
        let Operand::Vector(to) = to else { return Err(self.not_modeled()) };
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let value = match from {
                Operand::Vector(number) => self.wave.vector[usize::from(number)][lane],
                Operand::Scalar(Scalar(code)) => self.wave.scalar[usize::from(code & 127)],
                _ => self.lane_value(1, lane) as u32,
            };
            self.wave.vector[usize::from(to)][lane] = value;
        }
        Ok(())
    }

    /// Interpolates: P10 times I plus P0, then P20 times J plus that, each as product and sum.
    fn interpolate(&mut self, exec: u64) -> Result<(), Reason> {
        let at = self.position(Kind::Attribute).unwrap_or(2);
        let Operand::Attribute { attribute, channel } = self.operand(at) else {
            return Err(self.not_modeled());
        };
        let mode = FloatMode::of(self.wave.mode);
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let parameter = self.host.parameter(attribute, channel, lane);
            let missing = || Reason::Descriptor(format!("attribute {attribute} has no values"));
            let [p0, p10, p20] = parameter.ok_or_else(missing)?;
            let value = match (self.opcode(), self.operand(1)) {
                (_, Operand::Param(param)) => [p10, p20, p0][usize::from(param.min(2))],
                (opcode, _) => {
                    let weight = f32::from_bits(self.lane_value(1, lane) as u32);
                    let (slope, base) = if opcode == Opcode::VInterpP1F32 {
                        (p10, p0)
                    } else {
                        (p20, self.lane_value(0, lane) as u32)
                    };
                    let product = f32::from_bits(slope) * weight;
                    mode.of_single(product + f32::from_bits(base)) as u32
                }
            };
            self.write_lane(0, lane, u64::from(value));
        }
        Ok(())
    }
}
