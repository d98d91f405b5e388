//! Shorthand for writing instructions in programs: register constructors and instruction builders.
//!
//! ```
//! use intel_isa::build::{grf, imm_f, inst};
//! use intel_isa::Opcode;
//! let add = inst(Opcode::Add).exec(8).dst(grf(10).f()).srcs(&[grf(2).f(), imm_f(1.0)]);
//! assert_eq!(add.src[1].imm_bits(), 1.0f32.to_bits());
//! ```

use crate::desc::{self, DescError, Lengths, Message};
use crate::devinfo::DevInfo;
use crate::inst::{
    AccessMode, CondMod, Desc, FlagReg, Inst, MathFn, PredMode, Predicate, Send, Sfid,
    ThreadControl,
};
use crate::opcode::Opcode;
use crate::operand::{Addressing, Arf, Operand, RegFile, Region, Swizzle, WriteMask};
use crate::types::Type;

/// General register `nr`, type UD, region `<8;8,1>` as a source and stride 1 as a destination.
pub const fn grf(nr: u8) -> Operand {
    Operand { file: RegFile::Grf, nr, region: Region::PACKED8, ..Operand::NULL }
}

/// Architecture register `arf`, type UD, region `<8;8,1>`.
pub const fn arf(arf: Arf) -> Operand {
    Operand { file: RegFile::Arf, nr: arf.number(), region: Region::PACKED8, ..Operand::NULL }
}

/// The null register.
pub const fn null() -> Operand {
    arf(Arf::Null)
}

/// Accumulator `index`.
pub const fn acc(index: u8) -> Operand {
    arf(Arf::Accumulator(index))
}

/// Word `subreg` of the address register, type UW, scalar.
pub fn addr(subreg: u8) -> Operand {
    arf(Arf::Address(0)).uw().subreg(subreg).scalar()
}

/// Flag subregister `f<nr>.<sub>`, type UW, scalar.
pub fn flag(nr: u8, sub: u8) -> Operand {
    arf(Arf::Flag(nr)).uw().subreg(sub).scalar()
}

/// Control register cr0, dword `sub`, type UD, scalar.
pub fn cr0(sub: u8) -> Operand {
    arf(Arf::Control(0)).subreg(sub).scalar()
}

/// An operand at `g[a0.subreg + offset]`, type UD, region `<8;8,1>`.
pub const fn indirect(subreg: u8, offset: i16) -> Operand {
    Operand {
        file: RegFile::Grf,
        addressing: Addressing::Indirect { subreg, offset },
        region: Region::PACKED8,
        ..Operand::NULL
    }
}

/// An immediate with the raw field bits `bits`.
pub const fn imm(ty: Type, bits: u64) -> Operand {
    Operand { file: RegFile::Imm, ty, imm: bits, ..Operand::NULL }
}

/// F immediate.
pub fn imm_f(value: f32) -> Operand {
    imm(Type::F, u64::from(value.to_bits()))
}

/// DF immediate (gen8+).
pub fn imm_df(value: f64) -> Operand {
    imm(Type::DF, value.to_bits())
}

/// The 64-bit immediate of DIM (hsw), which is typed F.
pub fn imm_dim(value: f64) -> Operand {
    imm(Type::F, value.to_bits())
}

/// HF immediate from its bits.
pub fn imm_hf(bits: u16) -> Operand {
    imm(Type::HF, both_halves(bits))
}

/// D immediate.
pub fn imm_d(value: i32) -> Operand {
    imm(Type::D, u64::from(value as u32))
}

/// UD immediate.
pub fn imm_ud(value: u32) -> Operand {
    imm(Type::UD, u64::from(value))
}

/// W immediate.
pub fn imm_w(value: i16) -> Operand {
    imm(Type::W, both_halves(value as u16))
}

/// UW immediate.
pub fn imm_uw(value: u16) -> Operand {
    imm(Type::UW, both_halves(value))
}

/// Q immediate (gen8+).
pub fn imm_q(value: i64) -> Operand {
    imm(Type::Q, value as u64)
}

/// UQ immediate (gen8+).
pub fn imm_uq(value: u64) -> Operand {
    imm(Type::UQ, value)
}

/// VF immediate from its bits: four restricted floats, the first in the low byte.
pub fn imm_vf(bits: u32) -> Operand {
    imm(Type::VF, u64::from(bits))
}

/// V immediate from its bits: eight signed nibbles, the first in the low one.
pub fn imm_v(bits: u32) -> Operand {
    imm(Type::V, u64::from(bits))
}

/// UV immediate from its bits: eight unsigned nibbles, the first in the low one.
pub fn imm_uv(bits: u32) -> Operand {
    imm(Type::UV, u64::from(bits))
}

/// A 16-bit immediate occupies both halves of the field.
fn both_halves(bits: u16) -> u64 {
    u64::from(bits) << 16 | u64::from(bits)
}

/// One method per type.
macro_rules! type_methods {
    ($($name:ident $ty:ident)*) => {
        $(
            #[doc = concat!("This operand with type ", stringify!($ty), ".")]
            #[must_use]
            pub const fn $name(self) -> Operand {
                self.typed(Type::$ty)
            }
        )*
    };
}

impl Operand {
    type_methods! { ub UB b B uw UW w W ud UD d D uq UQ q Q hf HF f F df DF }

    /// This operand with type `ty`.
    #[must_use]
    pub const fn typed(self, ty: Type) -> Operand {
        Operand { ty, ..self }
    }

    /// This operand at subregister `index`, counted in elements of its (already set) type.
    #[must_use]
    pub fn subreg(self, index: u8) -> Operand {
        Operand { subnr: index.wrapping_mul(self.ty.size() as u8), ..self }
    }

    /// This operand at byte `bytes` of its register.
    #[must_use]
    pub const fn at_byte(self, bytes: u8) -> Operand {
        Operand { subnr: bytes, ..self }
    }

    /// This operand moved by `bytes`, into later registers if needed. Saturates at the last
    /// register.
    #[must_use]
    pub fn plus_bytes(self, bytes: u32) -> Operand {
        let offset = self.byte_offset() + bytes;
        Operand {
            nr: u8::try_from(offset / 32).unwrap_or(u8::MAX),
            subnr: (offset % 32) as u8,
            ..self
        }
    }

    /// This source with region `<vstride;width,hstride>`.
    #[must_use]
    pub const fn region(self, vstride: u8, width: u8, hstride: u8) -> Operand {
        Operand { region: Region::new(vstride, width, hstride), ..self }
    }

    /// This source with region `<0;1,0>`.
    #[must_use]
    pub const fn scalar(self) -> Operand {
        Operand { region: Region::SCALAR, ..self }
    }

    /// This destination with stride `hstride`.
    #[must_use]
    pub const fn stride(self, hstride: u8) -> Operand {
        Operand { region: Region::dst(hstride), ..self }
    }

    /// This Align16 source with vertical stride `vstride`.
    #[must_use]
    pub const fn vstride(self, vstride: u8) -> Operand {
        Operand { region: Region::new(vstride, 4, 1), ..self }
    }

    /// This Align16 source reading components `swizzle`.
    #[must_use]
    pub const fn swizzled(self, swizzle: Swizzle) -> Operand {
        Operand { swizzle, ..self }
    }

    /// This Align16 destination writing components `mask` (bit 0 is x).
    #[must_use]
    pub const fn masked(self, mask: u8) -> Operand {
        Operand { writemask: WriteMask(mask & 0xf), ..self }
    }

    /// This three-source operand replicated to all channels.
    #[must_use]
    pub const fn replicated(self) -> Operand {
        Operand { rep_ctrl: true, region: Region::SCALAR, ..self }
    }

    /// This source negated (again).
    #[must_use]
    pub const fn neg(self) -> Operand {
        Operand { negate: !self.negate, ..self }
    }

    /// The absolute value of this source (a negation is dropped).
    #[must_use]
    pub const fn absolute(self) -> Operand {
        Operand { abs: true, negate: false, ..self }
    }
}

/// An instruction, to be completed by the methods below.
pub const fn inst(opcode: Opcode) -> Inst {
    Inst::new(opcode)
}

/// MATH with function `function`.
pub const fn math(function: MathFn) -> Inst {
    let mut inst = Inst::new(Opcode::Math);
    inst.math = Some(function);
    inst
}

/// SEND to `sfid` with an immediate descriptor; `dst` and `payload` are the first registers of
/// response and message.
pub fn send(sfid: Sfid, dst: Operand, payload: Operand, desc: u32) -> Inst {
    let send = Send { sfid, desc: Desc::Imm(desc), ex_desc: Desc::Imm(0), eot: false };
    Inst { send: Some(send), ..Inst::new(Opcode::Send) }.dst(dst).srcs(&[payload])
}

/// SEND of `message`: receiver and descriptor follow from it.
///
/// # Errors
/// If the generation lacks the message or a value does not fit.
pub fn send_message(
    devinfo: &DevInfo,
    dst: Operand,
    payload: Operand,
    message: &Message,
    lengths: Lengths,
) -> Result<Inst, DescError> {
    Ok(send(desc::sfid(message), dst, payload, desc::encode(devinfo, message, lengths)?))
}

/// SENDS (skl) to `sfid`; `payload` and `payload2` are the first registers of the message's two
/// parts.
pub fn sends(
    sfid: Sfid,
    dst: Operand,
    payload: Operand,
    payload2: Operand,
    desc: u32,
    ex_desc: u32,
) -> Inst {
    let send = Send { sfid, desc: Desc::Imm(desc), ex_desc: Desc::Imm(ex_desc), eot: false };
    Inst { send: Some(send), ..Inst::new(Opcode::Sends) }.dst(dst).srcs(&[payload, payload2])
}

impl Inst {
    /// With `channels` channels (encoded number).
    #[must_use]
    pub const fn exec(self, channels: u8) -> Inst {
        Inst { exec_size: channels, ..self }
    }

    /// In Align16 mode.
    #[must_use]
    pub const fn align16(self) -> Inst {
        Inst { access_mode: AccessMode::Align16, ..self }
    }

    /// Ignoring the channel enables.
    #[must_use]
    pub const fn no_mask(self) -> Inst {
        Inst { no_mask: true, ..self }
    }

    /// With destination `dst`; its region is reduced to a destination's (the horizontal stride, 1
    /// if it was 0).
    #[must_use]
    pub fn dst(self, dst: Operand) -> Inst {
        let hstride = dst.region.hstride.max(1);
        Inst { dst: Operand { region: Region::dst(hstride), ..dst }, ..self }
    }

    /// With sources `srcs`; those after the third are ignored.
    #[must_use]
    pub fn srcs(mut self, srcs: &[Operand]) -> Inst {
        for (slot, &src) in self.src.iter_mut().zip(srcs) {
            *slot = src;
        }
        self
    }

    /// With conditional modifier `cond_mod`, writing flag `f<nr>.<sub>` (where the opcode writes
    /// flags).
    #[must_use]
    pub const fn cond(self, cond_mod: CondMod, nr: u8, sub: u8) -> Inst {
        Inst { cond_mod: Some(cond_mod), flag: FlagReg { nr, sub }, ..self }
    }

    /// Predicated on `f<nr>.<sub>`, each channel by its own bit.
    #[must_use]
    pub const fn pred(self, nr: u8, sub: u8, inverse: bool) -> Inst {
        let predicate = Predicate { mode: PredMode::Normal, inverse };
        Inst { predicate: Some(predicate), flag: FlagReg { nr, sub }, ..self }
    }

    /// With predicate mode `mode` (inverted if the predicate so far is).
    #[must_use]
    pub fn pred_mode(self, mode: PredMode) -> Inst {
        let inverse = self.predicate.is_some_and(|predicate| predicate.inverse);
        Inst { predicate: Some(Predicate { mode, inverse }), ..self }
    }

    /// Saturating.
    #[must_use]
    pub const fn sat(self) -> Inst {
        Inst { saturate: true, ..self }
    }

    /// For the channels from `first` on (a multiple of 4 below 32): sets quarter and nibble
    /// control.
    #[must_use]
    pub const fn group(self, first: u8) -> Inst {
        Inst { qtr_control: (first / 8) & 3, nib_control: (first / 4) & 1 != 0, ..self }
    }

    /// Also writing the accumulator.
    #[must_use]
    pub const fn acc_wr(self) -> Inst {
        Inst { acc_wr_en: true, ..self }
    }

    /// With dependency control.
    #[must_use]
    pub const fn dep_control(self, no_dd_clear: bool, no_dd_check: bool) -> Inst {
        Inst { no_dd_clear, no_dd_check, ..self }
    }

    /// With a thread switch after it.
    #[must_use]
    pub const fn switch(self) -> Inst {
        Inst { thread_control: ThreadControl::Switch, ..self }
    }

    /// With jump distances, in the generation's jump units.
    #[must_use]
    pub const fn jumps(self, jip: i32, uip: i32) -> Inst {
        Inst { jip, uip, ..self }
    }

    /// A send that ends the thread.
    #[must_use]
    pub fn eot(mut self) -> Inst {
        if let Some(send) = &mut self.send {
            send.eot = true;
        }
        self
    }
}
