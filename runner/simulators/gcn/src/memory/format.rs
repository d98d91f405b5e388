//! Conversion between memory and registers by the formats of buffers.

use crate::arithmetic::half;

/// Sizes in bits of the channels of a data format, from the lowest; empty for no format.
pub(crate) fn channel_bits(data_format: u8) -> &'static [u32] {
    match data_format {
        1 => &[8],
        2 => &[16],
        3 => &[8, 8],
        4 => &[32],
        5 => &[16, 16],
        6 => &[11, 11, 10],
        7 => &[10, 11, 11],
        8 => &[2, 10, 10, 10],
        9 => &[10, 10, 10, 2],
        10 => &[8, 8, 8, 8],
        11 => &[32, 32],
        12 => &[16, 16, 16, 16],
        13 => &[32, 32, 32],
        14 => &[32, 32, 32, 32],
        _ => &[],
    }
}

/// Bits of a register for bits of a channel; `None` for formats that do not exist.
pub(crate) fn load(bits: u32, width: u32, number_format: u8) -> Option<u32> {
    let signed = (bits << (32 - width)) as i32 >> (32 - width);
    let most = f64::from((1_u64 << (width - 1)) as f32) - 1.0;
    let float = |value: f64| (value as f32).to_bits();
    Some(match number_format {
        0 => float(f64::from(bits) / (((1_u64 << width) - 1) as f64)),
        1 => float((f64::from(signed) / most).max(-1.0)),
        2 => float(f64::from(bits)),
        3 => float(f64::from(signed)),
        4 => bits,
        5 => signed as u32,
        7 if width == 32 => bits,
        7 if width == 16 => half::to_single(bits as u16).to_bits(),
        // Without a sign, with fewer places than halves.
        7 if matches!(width, 10 | 11) => half::to_single((bits << (15 - width)) as u16).to_bits(),
        _ => return None,
    })
}

/// Bits of a channel for bits of a register; `None` for formats that do not exist.
pub(crate) fn store(value: u32, width: u32, number_format: u8) -> Option<u32> {
    let mask = if width == 32 { u32::MAX } else { (1 << width) - 1 };
    let single = f64::from(f32::from_bits(value));
    let single = if single.is_nan() { 0.0 } else { single };
    let most = f64::from((1_u64 << (width - 1)) as f32) - 1.0;
    Some(match number_format {
        0 => libm::rint(single.clamp(0.0, 1.0) * ((1_u64 << width) - 1) as f64) as u32,
        1 => libm::rint(single.clamp(-1.0, 1.0) * most) as i32 as u32 & mask,
        2 => single.clamp(0.0, ((1_u64 << width) - 1) as f64) as u32,
        3 => single.clamp(-most - 1.0, most) as i32 as u32 & mask,
        4 => value.min(mask),
        5 => {
            let most = (1_i64 << (width - 1)) - 1;
            i64::from(value as i32).clamp(-most - 1, most) as u32 & mask
        }
        7 if width == 32 => value,
        7 if width == 16 => u32::from(half::of_single(f32::from_bits(value), false)),
        _ => return None,
    })
}
