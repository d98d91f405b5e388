//! The scalar ALU.

use amd_isa::{Format, Opcode, Operand, Scalar};

use crate::arithmetic::bits;
use crate::arithmetic::comparison::{Comparison, Condition, Type};
use crate::error::Reason;
use crate::run::{Next, Step};

/// Effect of an operation on SCC.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SccEffect {
    /// SCC stays.
    Keep,
    /// SCC tells if the result is not zero.
    NonZero,
    /// SCC gets the value.
    Set(bool),
}

impl Step<'_> {
    /// Address of the next instruction.
    fn address_after(&self) -> u64 {
        self.wave.program_address + self.end as u64 * 4
    }

    /// A jump to an address.
    fn jump_to(&self, address: u64) -> Next {
        Next::Jump((address.wrapping_sub(self.wave.program_address) / 4) as i64)
    }

    /// Executes an operation that writes a result.
    pub(crate) fn scalar_alu(&mut self) -> Result<(), Reason> {
        let writes = usize::from(!self.opcode().info().destinations.is_empty());
        let source = |index: usize| {
            let at = index + writes;
            if at < self.row.slots.len() { self.scalar_value(at) } else { 0 }
        };
        let old = self.scalar_value(0);
        let (result, effect) =
            self.scalar_result(source(0), source(1), old).ok_or_else(|| self.not_modeled())?;
        self.write_scalar(0, result);
        match effect {
            SccEffect::Keep => {}
            SccEffect::NonZero => {
                let wide = self.slot(0).kind.dwords() == 2;
                self.wave.scc = if wide { result != 0 } else { result as u32 != 0 };
            }
            SccEffect::Set(value) => self.wave.scc = value,
        }
        Ok(())
    }

    /// Executes an operation that saves EXEC and changes it.
    pub(crate) fn save_exec(&mut self) -> Result<(), Reason> {
        use Opcode::*;
        let (source, exec) = (self.scalar_value(1), self.wave.exec());
        let result = match self.opcode() {
            SAndSaveexecB64 => source & exec,
            SOrSaveexecB64 => source | exec,
            SXorSaveexecB64 => source ^ exec,
            SAndn2SaveexecB64 => source & !exec,
            SOrn2SaveexecB64 => source | !exec,
            SNandSaveexecB64 => !(source & exec),
            SNorSaveexecB64 => !(source | exec),
            SXnorSaveexecB64 => !(source ^ exec),
            _ => return Err(self.not_modeled()),
        };
        self.write_scalar(0, exec);
        self.wave.set_pair(Scalar::EXEC, result);
        self.wave.scc = result != 0;
        Ok(())
    }

    /// Executes operations that do more than write a result.
    pub(crate) fn special_scalar(&mut self) -> Result<Next, Reason> {
        use Opcode::*;
        match self.opcode() {
            SGetpcB64 => self.write_scalar(0, self.address_after()),
            SSetpcB64 => return Ok(self.jump_to(self.scalar_value(0))),
            SSwappcB64 => {
                let target = self.scalar_value(1);
                self.write_scalar(0, self.address_after());
                return Ok(self.jump_to(target));
            }
            SMovrelsB32 | SMovrelsB64 => {
                let Operand::Scalar(Scalar(base)) = self.operand(1) else {
                    return Err(self.not_modeled());
                };
                let limit = i64::from(self.chip.scalar_registers());
                let from = self.wave.relative(base, limit)?;
                let value = self.wave.pair(Scalar(from));
                self.write_scalar(0, value);
            }
            SMovreldB32 | SMovreldB64 => {
                let Operand::Scalar(Scalar(base)) = self.operand(0) else {
                    return Err(self.not_modeled());
                };
                let limit = i64::from(self.chip.scalar_registers());
                let to = self.wave.relative(base, limit)?;
                let value = self.scalar_value(1);
                self.wave.write_scalar(to, value as u32);
                if self.opcode() == SMovreldB64 {
                    self.wave.write_scalar(to + 1, (value >> 32) as u32);
                }
            }
            SGetregB32 => {
                let (offset, mask) = self.mode_field(1)?;
                self.write_scalar(0, u64::from(self.wave.mode >> offset & mask));
            }
            SSetregB32 | SSetregImm32B32 => {
                let (offset, mask) = self.mode_field(0)?;
                let value = self.scalar_value(1) as u32 & mask;
                self.wave.mode = self.wave.mode & !(mask << offset) | value << offset;
                if self.wave.mode & 15 != 0 {
                    return Err(Reason::NotModeled("rounding other than to nearest".to_string()));
                }
            }
            _ => return Err(self.not_modeled()),
        }
        Ok(Next::Following)
    }

    /// Offset and mask of a field of MODE, the only modeled hardware register.
    fn mode_field(&self, index: usize) -> Result<(u32, u32), Reason> {
        let bits = self.scalar_value(index) as u32;
        if bits & 63 != 1 {
            return Err(Reason::NotModeled(format!("hardware register {}", bits & 63)));
        }
        let size = (bits >> 11 & 31) + 1;
        let mask = if size == 32 { u32::MAX } else { (1 << size) - 1 };
        Ok((bits >> 6 & 31, mask))
    }

    /// Executes a comparison of two values.
    pub(crate) fn scalar_compare(&mut self, comparison: Comparison) -> Result<(), Reason> {
        let Condition::Order(orders) = comparison.condition else {
            return Err(self.not_modeled());
        };
        let (a, b) = (self.scalar_value(0), self.scalar_value(1));
        let order = match comparison.ty {
            Type::I32 if self.row.format == Format::Sopk => (a as i32).cmp(&i32::from(b as i16)),
            Type::I32 => (a as i32).cmp(&(b as i32)),
            Type::U32 => (a as u32).cmp(&(b as u32)),
            Type::U64 => a.cmp(&b),
            _ => return Err(self.not_modeled()),
        };
        self.wave.scc = orders.of(Some(order));
        Ok(())
    }

    /// Executes a comparison of a bit.
    pub(crate) fn bit_compare(&mut self) -> Result<(), Reason> {
        use Opcode::*;
        let (a, b) = (self.scalar_value(0), self.scalar_value(1));
        self.wave.scc = match self.opcode() {
            SBitcmp0B32 => a >> (b & 31) & 1 == 0,
            SBitcmp1B32 => a >> (b & 31) & 1 == 1,
            SBitcmp0B64 => a >> (b & 63) & 1 == 0,
            SBitcmp1B64 => a >> (b & 63) & 1 == 1,
            _ => return Err(self.not_modeled()),
        };
        Ok(())
    }

    /// Result and effect on SCC of an operation on two sources; `old` is the destination.
    fn scalar_result(&self, a: u64, b: u64, old: u64) -> Option<(u64, SccEffect)> {
        use Opcode::*;
        use SccEffect::{Keep, NonZero, Set};
        let (x, y) = (a as u32, b as u32);
        let constant = x as u16 as i16 as i32;
        let wide = |value: u32| u64::from(value);
        let signed_sum = |a: i32, b: i32| {
            let (sum, overflow) = a.overflowing_add(b);
            (wide(sum as u32), Set(overflow))
        };
        Some(match self.opcode() {
            SAddU32 => (wide(x.wrapping_add(y)), Set(x.checked_add(y).is_none())),
            SSubU32 => (wide(x.wrapping_sub(y)), Set(x < y)),
            SAddI32 => signed_sum(x as i32, y as i32),
            SSubI32 => {
                let (difference, overflow) = (x as i32).overflowing_sub(y as i32);
                (wide(difference as u32), Set(overflow))
            }
            SAddcU32 => {
                let sum = wide(x) + wide(y) + u64::from(self.wave.scc);
                (sum & 0xffff_ffff, Set(sum >> 32 != 0))
            }
            SSubbU32 => {
                let carry = u64::from(self.wave.scc);
                let difference = wide(x).wrapping_sub(wide(y)).wrapping_sub(carry);
                (difference & 0xffff_ffff, Set(wide(x) < wide(y) + carry))
            }
            SMinI32 => (wide((x as i32).min(y as i32) as u32), Set((x as i32) < y as i32)),
            SMinU32 => (wide(x.min(y)), Set(x < y)),
            SMaxI32 => (wide((x as i32).max(y as i32) as u32), Set(x as i32 > y as i32)),
            SMaxU32 => (wide(x.max(y)), Set(x > y)),
            SCselectB32 | SCselectB64 => (if self.wave.scc { a } else { b }, Keep),
            SAndB32 | SAndB64 => (a & b, NonZero),
            SOrB32 | SOrB64 => (a | b, NonZero),
            SXorB32 | SXorB64 => (a ^ b, NonZero),
            SAndn2B32 | SAndn2B64 => (a & !b, NonZero),
            SOrn2B32 | SOrn2B64 => (a | !b, NonZero),
            SNandB32 | SNandB64 => (!(a & b), NonZero),
            SNorB32 | SNorB64 => (!(a | b), NonZero),
            SXnorB32 | SXnorB64 => (!(a ^ b), NonZero),
            SLshlB32 => (wide(x << (y & 31)), NonZero),
            SLshlB64 => (a << (y & 63), NonZero),
            SLshrB32 => (wide(x >> (y & 31)), NonZero),
            SLshrB64 => (a >> (y & 63), NonZero),
            SAshrI32 => (wide((x as i32 >> (y & 31)) as u32), NonZero),
            SAshrI64 => ((a as i64 >> (y & 63)) as u64, NonZero),
            SBfmB32 => (wide(bits::bfm(x, y)), Keep),
            SBfmB64 => (bits::bfm64(a, b), Keep),
            SMulI32 => (wide(x.wrapping_mul(y)), Keep),
            SBfeU32 => (bits::scalar_bfe(a, y, 32, false), NonZero),
            SBfeI32 => (bits::scalar_bfe(a, y, 32, true), NonZero),
            SBfeU64 => (bits::scalar_bfe(a, y, 64, false), NonZero),
            SBfeI64 => (bits::scalar_bfe(a, y, 64, true), NonZero),
            SAbsdiffI32 => (wide((x as i32).wrapping_sub(y as i32).unsigned_abs()), NonZero),
            SMovB32 | SMovB64 => (a, Keep),
            SCmovB32 | SCmovB64 => (if self.wave.scc { a } else { old }, Keep),
            SNotB32 | SNotB64 => (!a, NonZero),
            SWqmB32 => (bits::wqm(wide(x)) & 0xffff_ffff, NonZero),
            SWqmB64 => (bits::wqm(a), NonZero),
            SBrevB32 => (wide(x.reverse_bits()), Keep),
            SBrevB64 => (a.reverse_bits(), Keep),
            SBcnt0I32B32 => (wide(x.count_zeros()), NonZero),
            SBcnt0I32B64 => (wide(a.count_zeros()), NonZero),
            SBcnt1I32B32 => (wide(x.count_ones()), NonZero),
            SBcnt1I32B64 => (wide(a.count_ones()), NonZero),
            SFf0I32B32 => (wide(bits::ffbl(!x)), Keep),
            SFf0I32B64 => (wide(bits::ffbl64(!a)), Keep),
            SFf1I32B32 => (wide(bits::ffbl(x)), Keep),
            SFf1I32B64 => (wide(bits::ffbl64(a)), Keep),
            SFlbitI32B32 => (wide(bits::ffbh_u32(x)), Keep),
            SFlbitI32B64 => (wide(bits::ffbh_u64(a)), Keep),
            SFlbitI32 => (wide(bits::ffbh_i32(x)), Keep),
            SFlbitI32I64 => (wide(bits::ffbh_i64(a)), Keep),
            SSextI32I8 => (wide(i32::from(x as i8) as u32), Keep),
            SSextI32I16 => (wide(i32::from(x as i16) as u32), Keep),
            SBitset0B32 => (old & !(1 << (x & 31)), Keep),
            SBitset0B64 => (old & !(1 << (x & 63)), Keep),
            SBitset1B32 => (old | 1 << (x & 31), Keep),
            SBitset1B64 => (old | 1 << (x & 63), Keep),
            SQuadmaskB32 => (bits::quad_mask(wide(x)), NonZero),
            SQuadmaskB64 => (bits::quad_mask(a), NonZero),
            SAbsI32 => (wide((x as i32).unsigned_abs()), NonZero),
            SMovkI32 => (wide(constant as u32), Keep),
            SCmovkI32 => (if self.wave.scc { wide(constant as u32) } else { old }, Keep),
            SAddkI32 => signed_sum(old as u32 as i32, constant),
            SMulkI32 => (wide((old as u32).wrapping_mul(constant as u32)), Keep),
            _ => return None,
        })
    }
}
