//! Bits to numbers: parts of elements and channels of texels.

use crate::model::{Channel, ChannelName, Format, Numeric, Part, VkFormat};

/// The only format whose channels share an exponent: `E5B9G9R9_UFLOAT_PACK32`.
const SHARED_EXPONENT: VkFormat = VkFormat(123);

/// The number that bits of a part are: integers as they are, floats by their precision.
pub(super) fn part(bits: u64, part: &Part) -> f64 {
    match part.numeric {
        Numeric::Float | Numeric::Ufloat => float(bits, part.bits),
        Numeric::Sint | Numeric::Snorm | Numeric::Sscaled => sign_extend(bits, part.bits) as f64,
        Numeric::Uint | Numeric::Unorm | Numeric::Uscaled | Numeric::Srgb => bits as f64,
    }
}

/// Bits in two's complement as an integer of 64 bits.
pub(super) fn sign_extend(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift) as i64 >> shift
}

/// The low bits of a word.
pub(super) fn low(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

fn float(bits: u64, width: u32) -> f64 {
    match width {
        64 => f64::from_bits(bits),
        32 => f64::from(f32::from_bits(bits as u32)),
        16 => vocabulary::half::to_f64(bits as u16),
        // 11 and 10 bits: a half float without sign and without the last bits of the fraction.
        11 => vocabulary::half::to_f64((bits << 4) as u16),
        _ => vocabulary::half::to_f64((bits << 5) as u16),
    }
}

/// Red, green, blue and alpha of a texel; `None` for channels that the format does not have.
/// Normalized values are from -1 to 1; sRGB is made linear on request.
pub(super) fn texel(format: &Format, bytes: &[u8], linear: bool) -> [Option<f64>; 4] {
    let mut color = [None; 4];
    if format.vk == Some(SHARED_EXPONENT) {
        return shared_exponent(bytes);
    }
    for channel in &format.channels {
        let index = match channel.name {
            ChannelName::R => 0,
            ChannelName::G => 1,
            ChannelName::B => 2,
            ChannelName::A => 3,
            ChannelName::D | ChannelName::S | ChannelName::X => continue,
        };
        color[index] =
            Some(channel_value(channel, field(bytes, channel.offset, channel.bits), linear));
    }
    color
}

/// Bits at a bit offset; missing bytes are zero.
fn field(bytes: &[u8], offset: u32, width: u32) -> u64 {
    let first = (offset / 8) as usize;
    let mut word: u128 = 0;
    for (index, byte) in bytes.iter().skip(first).take(9).enumerate() {
        word |= u128::from(*byte) << (8 * index);
    }
    low((word >> (offset % 8)) as u64, width)
}

fn channel_value(channel: &Channel, bits: u64, linear: bool) -> f64 {
    let width = channel.bits;
    match channel.numeric {
        Numeric::Unorm => bits as f64 / largest(width),
        Numeric::Snorm => (sign_extend(bits, width) as f64 / largest(width - 1)).max(-1.0),
        Numeric::Srgb => {
            let value = bits as f64 / largest(width);
            if linear && channel.name != ChannelName::A { srgb_to_linear(value) } else { value }
        }
        Numeric::Sint | Numeric::Sscaled => sign_extend(bits, width) as f64,
        Numeric::Uint | Numeric::Uscaled => bits as f64,
        Numeric::Float | Numeric::Ufloat => float(bits, width),
    }
}

/// 2^width - 1.
fn largest(width: u32) -> f64 {
    low(u64::MAX, width) as f64
}

/// The curve of sRGB (IEC 61966-2-1).
fn srgb_to_linear(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Three fractions of 9 bits from bit 0, an exponent of 5 bits with bias 15.
fn shared_exponent(bytes: &[u8]) -> [Option<f64>; 4] {
    let exponent = field(bytes, 27, 5) as i32 - 15 - 9;
    let channel = |offset| Some(field(bytes, offset, 9) as f64 * f64::from(exponent).exp2());
    [channel(0), channel(9), channel(18), None]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::format_by_name;

    fn color(name: &str, bytes: &[u8]) -> [Option<f64>; 4] {
        texel(&format_by_name(name).expect("a known format"), bytes, true)
    }

    #[test]
    fn channels_have_the_order_of_the_name() {
        let one = Some(1.0);
        assert_eq!(color("R8G8B8A8_UNORM", &[255, 0, 0, 255]), [one, Some(0.0), Some(0.0), one]);
        assert_eq!(
            color("B8G8R8A8_UNORM", &[255, 0, 0, 0]),
            [Some(0.0), Some(0.0), one, Some(0.0)]
        );
        // Packed: alpha is in the highest bits.
        assert_eq!(color("A8B8G8R8_UNORM_PACK32", &[255, 0, 0, 0])[0], one);
        assert_eq!(color("R5G6B5_UNORM_PACK16", &0xf800_u16.to_le_bytes())[0], one);
        assert_eq!(color("A1R5G5B5_UNORM_PACK16", &0x8000_u16.to_le_bytes())[3], one);
        assert_eq!(color("R4G4_UNORM_PACK8", &[0xf0]), [one, Some(0.0), None, None]);
        assert_eq!(color("A2B10G10R10_UINT_PACK32", &0x3ff_u32.to_le_bytes())[0], Some(1023.0));
    }

    #[test]
    fn signed_and_float_channels() {
        assert_eq!(color("R8_SNORM", &[0x80])[0], Some(-1.0));
        assert_eq!(color("R8_SNORM", &[0x81])[0], Some(-1.0));
        assert_eq!(color("R8_SINT", &[0x80])[0], Some(-128.0));
        assert_eq!(color("R16_SFLOAT", &0x3c00_u16.to_le_bytes())[0], Some(1.0));
        assert_eq!(color("R64_SFLOAT", &2.5_f64.to_le_bytes())[0], Some(2.5));
        assert_eq!(color("D32_SFLOAT", &1.0_f32.to_le_bytes()), [None; 4]);
    }

    #[test]
    fn small_floats() {
        // 1.0 has exponent 15: bits 6 to 10 of an 11-bit float, 5 to 9 of a 10-bit one.
        let word = 15_u32 << 6 | (15 << 6) << 11 | (15 << 5) << 22;
        let one = Some(1.0);
        assert_eq!(color("B10G11R11_UFLOAT_PACK32", &word.to_le_bytes()), [one, one, one, None]);
        // 256 × 2^(16 - 15 - 9) = 1.
        let word = 256_u32 | 16 << 27;
        assert_eq!(color("E5B9G9R9_UFLOAT_PACK32", &word.to_le_bytes())[0], one);
    }

    #[test]
    fn srgb_is_made_linear_but_for_alpha() {
        let [red, _, _, alpha] = color("R8G8B8A8_SRGB", &[188, 0, 0, 188]);
        // 188 is the sRGB value of about one half.
        assert!((red.unwrap_or(0.0) - 0.5029).abs() < 0.0001);
        assert_eq!(alpha, Some(188.0 / 255.0));
        let format = format_by_name("R8_SRGB").expect("a known format");
        assert_eq!(texel(&format, &[188], false)[0], Some(188.0 / 255.0));
    }
}
