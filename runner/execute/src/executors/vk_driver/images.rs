//! Contents of attachments as PNG files.

use vk_script::{Buffer, Channel, ChannelName, Numeric};

use crate::machines::Image;

/// Maximum number of pixels of a kept image.
const MOST_PIXELS: u64 = 1 << 22;

/// Returns the PNG file of a buffer of texels: alpha becomes opaque, integers their low byte,
/// floats are cut to 0 to 1. `None` if the buffer is empty, too large, or has no colors.
pub(in crate::executors) fn png(buffer: &Buffer, bytes: &[u8]) -> Option<Vec<u8>> {
    let (width, height) = (buffer.width, buffer.height);
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MOST_PIXELS || buffer.format.channels.is_empty() {
        return None;
    }
    let size = buffer.format.size as usize;
    let texels = bytes.chunks_exact(size).take(usize::try_from(pixels).ok()?);
    let rgba: Vec<u8> = texels.flat_map(|texel| color(&buffer.format.channels, texel)).collect();
    let image = Image { width, height, rgba };
    (image.rgba.len() as u64 == pixels * 4).then(|| image.png().ok())?
}

fn color(channels: &[Channel], texel: &[u8]) -> [u8; 4] {
    let of = |name: ChannelName| {
        channels.iter().find(|channel| channel.name == name).map_or(0, |c| byte(c, texel))
    };
    [of(ChannelName::R), of(ChannelName::G), of(ChannelName::B), 255]
}

/// Returns a channel as a byte.
fn byte(channel: &Channel, texel: &[u8]) -> u8 {
    let bits = bits(texel, channel.offset, channel.bits);
    let share = |value: f64| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let largest = |bits: u32| ((1u128 << bits) - 1) as f64;
    match channel.numeric {
        Numeric::Unorm | Numeric::Srgb => share(bits as f64 / largest(channel.bits)),
        Numeric::Snorm => {
            let shift = 64 - channel.bits;
            let signed = (bits << shift).cast_signed() >> shift;
            share(signed as f64 / largest(channel.bits - 1))
        }
        Numeric::Float => match channel.bits {
            32 => share(f64::from(f32::from_bits(bits as u32))),
            64 => share(f64::from_bits(bits)),
            _ => share(small_float(bits, channel.bits - 6, 1)),
        },
        Numeric::Ufloat => share(small_float(bits, channel.bits - 5, 0)),
        Numeric::Uint | Numeric::Sint | Numeric::Uscaled | Numeric::Sscaled => bits as u8,
    }
}

/// Returns some bits of a little-endian texel.
fn bits(texel: &[u8], offset: u32, count: u32) -> u64 {
    let bit = |index: u32| {
        let byte = texel.get(index as usize / 8).copied().unwrap_or(0);
        u64::from(byte >> (index % 8) & 1)
    };
    (0..count.min(64)).fold(0, |value, index| value | bit(offset + index) << index)
}

/// Returns the value of a float with an exponent of 5 bits (Vulkan 1.3, section 3.10).
fn small_float(bits: u64, mantissa_bits: u32, signs: u32) -> f64 {
    let mantissa = (bits & ((1 << mantissa_bits) - 1)) as f64 / f64::from(1u32 << mantissa_bits);
    let exponent = (bits >> mantissa_bits & 31) as i32;
    let is_negative = signs == 1 && bits >> (mantissa_bits + 5) & 1 == 1;
    let value = match exponent {
        0 => mantissa * 2f64.powi(-14),
        31 => f64::INFINITY,
        _ => (1.0 + mantissa) * 2f64.powi(exponent - 15),
    };
    if is_negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels() {
        let channel =
            |offset, bits, numeric| Channel { name: ChannelName::R, offset, bits, numeric };
        assert_eq!(byte(&channel(8, 8, Numeric::Unorm), &[0, 128]), 128);
        assert_eq!(byte(&channel(0, 5, Numeric::Unorm), &[31, 0]), 255);
        assert_eq!(byte(&channel(0, 8, Numeric::Snorm), &[0x81]), 0);
        assert_eq!(byte(&channel(0, 16, Numeric::Float), &0x3800u16.to_le_bytes()), 128);
        assert_eq!(byte(&channel(0, 32, Numeric::Float), &2f32.to_le_bytes()), 255);
        assert_eq!(byte(&channel(0, 11, Numeric::Ufloat), &(14u16 << 6).to_le_bytes()), 128);
        assert_eq!(byte(&channel(0, 32, Numeric::Uint), &7u32.to_le_bytes()), 7);
    }
}
