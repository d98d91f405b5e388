//! Conversions of the vector ALU.

use amd_isa::Opcode;

use super::float::FloatMode;
use super::half;

/// Result of a conversion; `None` for other operations.
#[inline(always)]
pub(crate) fn compute(opcode: Opcode, s: [u64; 3], mode: FloatMode) -> Option<u64> {
    use Opcode::*;
    let x = s[0] as u32;
    let (single, double) = (mode.single(s[0]), mode.double(s[0]));
    let other = mode.single(s[1]);
    let dword = |value: u32| Some(u64::from(value));
    match opcode {
        // Rust's conversions saturate and take a number that is none to 0, as the hardware does.
        VCvtI32F32 => dword(single as i32 as u32),
        VCvtU32F32 => dword(single as u32),
        VCvtI32F64 => dword(double as i32 as u32),
        VCvtU32F64 => dword(double as u32),
        VCvtRpiI32F32 => dword(libm::floor(f64::from(single) + 0.5) as i32 as u32),
        VCvtFlrI32F32 => dword(single.floor() as i32 as u32),
        VCvtF32I32 => Some(mode.of_single(x as i32 as f32)),
        VCvtF32U32 => Some(mode.of_single(x as f32)),
        VCvtF64I32 => Some(mode.of_double(f64::from(x as i32))),
        VCvtF64U32 => Some(mode.of_double(f64::from(x))),
        VCvtF32F64 => Some(mode.of_single(double as f32)),
        VCvtF64F32 => Some(mode.of_double(f64::from(single))),
        VCvtF16F32 => dword(u32::from(half::of_single(single, false))),
        VCvtF32F16 => Some(mode.of_single(half::to_single(x as u16))),
        VCvtPkrtzF16F32 => {
            let low = u32::from(half::of_single(single, true));
            dword(low | u32::from(half::of_single(other, true)) << 16)
        }
        VCvtF32Ubyte0 => Some(mode.of_single((x & 0xff) as f32)),
        VCvtF32Ubyte1 => Some(mode.of_single((x >> 8 & 0xff) as f32)),
        VCvtF32Ubyte2 => Some(mode.of_single((x >> 16 & 0xff) as f32)),
        VCvtF32Ubyte3 => Some(mode.of_single((x >> 24) as f32)),
        VCvtOffF32I4 => {
            let value = (x << 28) as i32 >> 28;
            Some(mode.of_single(value as f32 / 16.0))
        }
        VCvtPkU8F32 => {
            let shift = 8 * (s[1] as u32 & 3);
            let byte = u32::from(single as u8);
            dword(s[2] as u32 & !(0xff << shift) | byte << shift)
        }
        VCvtPknormI16F32 => dword(norm_i16(single) | norm_i16(other) << 16),
        VCvtPknormU16F32 => dword(norm_u16(single) | norm_u16(other) << 16),
        _ => None,
    }
}

fn norm_i16(value: f32) -> u32 {
    let value = if value.is_nan() { 0.0 } else { f64::from(value).clamp(-1.0, 1.0) };
    libm::rint(value * 32767.0) as i32 as u32 & 0xffff
}

fn norm_u16(value: f32) -> u32 {
    let value = if value.is_nan() { 0.0 } else { f64::from(value).clamp(0.0, 1.0) };
    libm::rint(value * 65535.0) as u32
}
