//! Integer operations of the vector ALU, and atomics.

use amd_isa::Opcode;

use super::bits;

/// New value of an atomic operation. Compare and swap of buffers has the new value first, that of
/// the data share (`cmpst`) second.
pub fn atomic(operation: &str, wide: bool, old: u64, a: u64, b: u64) -> Option<u64> {
    let mask = if wide { u64::MAX } else { 0xffff_ffff };
    let signed = |value: u64| if wide { value as i64 } else { i64::from(value as i32) };
    let new = match operation {
        "swap" => a,
        "cmpswap" => {
            if old == b {
                a
            } else {
                old
            }
        }
        "cmpst" => {
            if old == a {
                b
            } else {
                old
            }
        }
        "add" => old.wrapping_add(a),
        "sub" => old.wrapping_sub(a),
        "rsub" => a.wrapping_sub(old),
        "smin" => {
            if signed(a) < signed(old) {
                a
            } else {
                old
            }
        }
        "umin" => old.min(a),
        "smax" => {
            if signed(a) > signed(old) {
                a
            } else {
                old
            }
        }
        "umax" => old.max(a),
        "and" => old & a,
        "or" => old | a,
        "xor" => old ^ a,
        "inc" => {
            if old >= a {
                0
            } else {
                old + 1
            }
        }
        "dec" => {
            if old == 0 || old > a {
                a
            } else {
                old - 1
            }
        }
        "mskor" => old & !a | b,
        _ => return None,
    };
    Some(new & mask)
}

/// Result of an integer operation; `None` for others.
#[inline(always)]
pub(crate) fn compute(opcode: Opcode, s: [u64; 3]) -> Option<u64> {
    use Opcode::*;
    let [x, y, z] = s.map(|value| value as u32);
    let [i, j, k] = s.map(|value| value as u32 as i32);
    let (mul24, umul24) = (
        i64::from(bits::sext24(x)) * i64::from(bits::sext24(y)),
        u64::from(x & 0xff_ffff) * u64::from(y & 0xff_ffff),
    );
    let wide = match opcode {
        VLshlB64 => Some(s[0] << (s[1] & 63)),
        VLshrB64 => Some(s[0] >> (s[1] & 63)),
        VAshrI64 => Some((s[0] as i64 >> (s[1] & 63)) as u64),
        VLshlrevB64 => Some(s[1] << (s[0] & 63)),
        VLshrrevB64 => Some(s[1] >> (s[0] & 63)),
        VAshrrevI64 => Some((s[1] as i64 >> (s[0] & 63)) as u64),
        _ => None,
    };
    if wide.is_some() {
        return wide;
    }
    let result = match opcode {
        VMovB32 => x,
        VCndmaskB32 => {
            if s[2] != 0 {
                y
            } else {
                x
            }
        }
        VNotB32 => !x,
        VAndB32 => x & y,
        VOrB32 => x | y,
        VXorB32 => x ^ y,
        VLshlB32 => x << (y & 31),
        VLshrB32 => x >> (y & 31),
        VAshrI32 => (i >> (y & 31)) as u32,
        VLshlrevB32 => y << (x & 31),
        VLshrrevB32 => y >> (x & 31),
        VAshrrevI32 => (j >> (x & 31)) as u32,
        VMinI32 => i.min(j) as u32,
        VMaxI32 => i.max(j) as u32,
        VMinU32 => x.min(y),
        VMaxU32 => x.max(y),
        VMin3I32 => i.min(j).min(k) as u32,
        VMax3I32 => i.max(j).max(k) as u32,
        VMed3I32 => i.min(j).max(i.max(j).min(k)) as u32,
        VMin3U32 => x.min(y).min(z),
        VMax3U32 => x.max(y).max(z),
        VMed3U32 => x.min(y).max(x.max(y).min(z)),
        VMulLoU32 | VMulLoI32 => x.wrapping_mul(y),
        VMulHiU32 => ((u64::from(x) * u64::from(y)) >> 32) as u32,
        VMulHiI32 => ((i64::from(i) * i64::from(j)) >> 32) as u32,
        VMulI32I24 => mul24 as u32,
        VMulHiI32I24 => (mul24 >> 32) as u32,
        VMulU32U24 => umul24 as u32,
        VMulHiU32U24 => (umul24 >> 32) as u32,
        VMadI32I24 => (mul24 as u32).wrapping_add(z),
        VMadU32U24 => (umul24 as u32).wrapping_add(z),
        VBfmB32 => bits::bfm(x, y),
        VBfiB32 => bits::bfi(x, y, z),
        VBfeU32 => bits::bfe_u32(x, y, z),
        VBfeI32 => bits::bfe_i32(x, y, z),
        VBfrevB32 => x.reverse_bits(),
        VBcntU32B32 => x.count_ones().wrapping_add(y),
        VFfbhU32 => bits::ffbh_u32(x),
        VFfbhI32 => bits::ffbh_i32(x),
        VFfblB32 => bits::ffbl(x),
        VAlignbitB32 => bits::align_bit(x, y, z),
        VAlignbyteB32 => bits::align_byte(x, y, z),
        VPermB32 => bits::perm(x, y, z),
        VSadU8 => bits::sad_u8(x, y, z, false),
        VMsadU8 => bits::sad_u8(x, y, z, true),
        VSadHiU8 => (bits::sad_u8(x, y, 0, false) << 16).wrapping_add(z),
        VSadU16 => bits::sad_u16(x, y, z),
        VSadU32 => x.abs_diff(y).wrapping_add(z),
        VLerpU8 => bits::lerp_u8(x, y, z),
        VCvtPkU16U32 => x.min(0xffff) | y.min(0xffff) << 16,
        VCvtPkI16I32 => {
            let clamp = |value: i32| value.clamp(-0x8000, 0x7fff) as u32 & 0xffff;
            clamp(i) | clamp(j) << 16
        }
        _ => return None,
    };
    Some(u64::from(result))
}

/// A product of 64 bits plus a third value, and whether the sum overflows.
pub(crate) fn wide_product(opcode: Opcode, x: u32, y: u32, addend: u64) -> (u64, bool) {
    if opcode == Opcode::VMadI64I32 {
        let product = i64::from(x as i32) * i64::from(y as i32);
        let (sum, overflow) = product.overflowing_add(addend as i64);
        return (sum as u64, overflow);
    }
    (u64::from(x) * u64::from(y)).overflowing_add(addend)
}

/// Result of an operation on integers that is limited to the range of its type (`clamp` on vi);
/// `None` for operations that have no such form.
pub(crate) fn saturated(opcode: Opcode, sources: [u64; 3]) -> Option<u64> {
    use Opcode::*;
    let [x, y, z] = sources.map(|value| i64::from(value as u16));
    let [i, j, k] = sources.map(|value| i64::from(value as u16 as i16));
    let short = |value: i64| value.clamp(0, i64::from(u16::MAX)).cast_unsigned();
    let wide = sources.map(|value| value as u32);
    let factor = |bits: u32| i64::from(bits & 0xff_ffff);
    let signed = |bits: u32| i64::from((bits << 8).cast_signed() >> 8);
    Some(match opcode {
        VAddU16 => short(x + y),
        VSubU16 => short(x - y),
        VSubrevU16 => short(y - x),
        VMadU16 => short(x * y + z),
        VMadI16 => (i * j + k).clamp(i16::MIN.into(), i16::MAX.into()).cast_unsigned() & 0xffff,
        VMadU32U24 => {
            let sum = factor(wide[0]) * factor(wide[1]) + i64::from(wide[2]);
            sum.min(u32::MAX.into()).cast_unsigned()
        }
        VMadI32I24 => {
            let sum = signed(wide[0]) * signed(wide[1]) + i64::from(wide[2].cast_signed());
            u64::from(sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32)
        }
        _ => return None,
    })
}

/// The limit that a sum or difference with a carry out has instead with `clamp`.
pub(crate) fn limit(opcode: Opcode) -> u32 {
    match opcode {
        Opcode::VAddI32 | Opcode::VAddU32 | Opcode::VAddcU32 => u32::MAX,
        _ => 0,
    }
}

/// Sum or difference with carry: the result and the carry out.
#[inline(always)]
pub(crate) fn carry(opcode: Opcode, x: u32, y: u32, carry: bool) -> Option<(u32, bool)> {
    use Opcode::*;
    let (a, b) = match opcode {
        VSubrevI32 | VSubrevU32 | VSubbrevU32 => (y, x),
        _ => (x, y),
    };
    let with = u64::from(carry);
    let (wide_a, wide_b) = (u64::from(a), u64::from(b));
    Some(match opcode {
        VAddI32 | VAddU32 => (a.wrapping_add(b), a.checked_add(b).is_none()),
        VSubI32 | VSubU32 | VSubrevI32 | VSubrevU32 => (a.wrapping_sub(b), a < b),
        VAddcU32 => ((wide_a + wide_b + with) as u32, wide_a + wide_b + with > 0xffff_ffff),
        VSubbU32 | VSubbrevU32 => {
            (wide_a.wrapping_sub(wide_b).wrapping_sub(with) as u32, wide_a < wide_b + with)
        }
        _ => return None,
    })
}
