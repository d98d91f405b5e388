//! Texels: conversion between the bytes of a script's buffer and the texels of surfaces.
//!
//! Where `raster` has a format with the same channels, in any order, its texels are those of the
//! buffer. Any other format becomes four numbers of 32 bits, and is
//! rounded where a surface becomes bytes.

use raster::format::{Channel, Format, Texel};
use vk_script::{ChannelName, Numeric};
use vocabulary::half;

/// Conversion of the texels of a format.
#[derive(Clone, Debug)]
pub(crate) struct Codec {
    /// Format of the surfaces.
    pub(crate) format: Format,
    /// Bytes of a texel.
    size: usize,
    channels: Vec<Place>,
    /// Texels of the buffer are those of the surface.
    is_exact: bool,
    /// Depth, and behind all depths the stencils.
    stencils: bool,
}

/// A channel in memory.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Component of the texel.
    component: usize,
    offset: u32,
    bits: u32,
    numeric: Numeric,
}

impl Codec {
    /// Returns the conversion of a script's format; `None` if that is no format of texels.
    pub(crate) fn of(format: &vk_script::Format) -> Option<Codec> {
        let place = |channel: &vk_script::Channel| {
            let component = match channel.name {
                ChannelName::R | ChannelName::D => 0,
                ChannelName::G | ChannelName::S => 1,
                ChannelName::B => 2,
                ChannelName::A => 3,
                ChannelName::X => return None,
            };
            let vk_script::Channel { offset, bits, numeric, .. } = *channel;
            Some(Place { component, offset, bits, numeric })
        };
        format.vk?;
        let channels: Vec<Place> = format.channels.iter().filter_map(place).collect();
        let has = |name| format.channels.iter().any(|channel| channel.name == name);
        let is_depth = has(ChannelName::D) || has(ChannelName::S);
        let mut wanted = [Channel::None; 4];
        for channel in &channels {
            wanted[channel.component] = channel.kind()?;
        }
        let same = |known: &&Format| known.channels() == wanted && known.is_depth() == is_depth;
        let exact = Format::ALL.iter().find(same).copied();
        let is_exact = exact.is_some() && channels.iter().all(|c| c.numeric != Numeric::Srgb);
        let largest = match channels.first()?.numeric {
            Numeric::Uint => Format::Rgba32ui,
            Numeric::Sint => Format::Rgba32i,
            _ => Format::Rgba32f,
        };
        if (!is_exact && is_depth) || channels.iter().any(|channel| channel.bits > 32) {
            return None;
        }
        Some(Codec {
            format: exact.filter(|_| is_exact).unwrap_or(largest),
            size: format.size as usize,
            is_exact,
            stencils: has(ChannelName::D) && has(ChannelName::S),
            channels,
        })
    }

    /// True if the bytes have no stencils.
    pub(crate) fn has_planes(&self) -> bool {
        self.stencils
    }

    /// Returns texel `index` of some bytes; zero if they are too few.
    pub(crate) fn decode(&self, bytes: &[u8], index: usize) -> Texel {
        if self.stencils {
            return self.decode_depth(bytes, index);
        }
        let rest = bytes.get(index * self.size..).unwrap_or_default();
        self.decode_texel(&rest[..self.size.min(rest.len())])
    }

    /// Returns a texel of a plane of depths and, where there is room, a plane of stencils.
    fn decode_depth(&self, bytes: &[u8], index: usize) -> Texel {
        let depth = bytes.get(index * 4..index * 4 + 4).unwrap_or(&[0; 4]);
        let code = u32::from_le_bytes([depth[0], depth[1], depth[2], depth[3]]);
        let code = if self.depth_bits() == 24 { code & 0xff_ffff } else { code };
        [code, 0, 0, 0]
    }

    fn depth_bits(&self) -> u32 {
        self.channels.iter().find(|channel| channel.component == 0).map_or(0, |c| c.bits)
    }

    fn decode_texel(&self, bytes: &[u8]) -> Texel {
        let missing = if self.is_exact { [0; 4] } else { self.absent() };
        let mut texel = missing;
        for place in &self.channels {
            let code = bits(bytes, place.offset, place.bits);
            texel[place.component] = match self.is_exact {
                true => self.format.channels()[place.component].decode(code as u32),
                false => place.number(code),
            };
        }
        texel
    }

    /// Returns the components that a texel lacks, as a shader reads them.
    fn absent(&self) -> Texel {
        let one = if self.format.is_integer() { 1 } else { 1.0f32.to_bits() };
        [0, 0, 0, one]
    }

    /// Writes texel `index` of some bytes; dropped if they are too few.
    pub(crate) fn encode(&self, texel: Texel, bytes: &mut [u8], index: usize) {
        if self.stencils {
            if let Some(target) = bytes.get_mut(index * 4..index * 4 + 4) {
                target.copy_from_slice(&texel[0].to_le_bytes());
            }
            return;
        }
        let Some(target) = bytes.get_mut(index * self.size..(index + 1) * self.size) else {
            return;
        };
        for place in &self.channels {
            let value = texel[place.component];
            let code = match self.is_exact {
                true => self.format.channels()[place.component].encode(value),
                false => place.code(value),
            };
            put(target, place.offset, place.bits, code);
        }
    }
}

impl Place {
    /// The channel of a surface that has the same values.
    fn kind(&self) -> Option<Channel> {
        let bits = u8::try_from(self.bits).ok()?;
        Some(match self.numeric {
            Numeric::Uint => Channel::Uint(bits),
            Numeric::Sint => Channel::Int(bits),
            Numeric::Float | Numeric::Ufloat => Channel::Float(bits),
            Numeric::Unorm | Numeric::Srgb => Channel::Unorm(bits),
            Numeric::Snorm => Channel::Snorm(bits),
            Numeric::Uscaled | Numeric::Sscaled => Channel::Float(32),
        })
    }

    /// The number of a code, as a float's bits, or the integer itself.
    fn number(&self, code: u64) -> u32 {
        let (numeric, bits) = (self.numeric, self.bits);
        match (numeric, self.component) {
            (Numeric::Uint, _) => code as u32,
            (Numeric::Sint, _) => signed(code, bits) as u32,
            (Numeric::Srgb, 0..3) => to_linear(code as f64 / largest(bits)).to_bits(),
            _ => number(numeric, bits, code).to_bits(),
        }
    }

    /// The code of a number.
    fn code(&self, value: u32) -> u32 {
        let real = f64::from(f32::from_bits(value));
        match (self.numeric, self.component) {
            (Numeric::Uint | Numeric::Sint, _) => self.quantized(value),
            (Numeric::Srgb, 0..3) => self.quantized((to_srgb(real) as f32).to_bits()),
            (Numeric::Uscaled, _) => real as u32,
            (Numeric::Sscaled, _) => real as i32 as u32,
            _ => self.quantized(value),
        }
    }

    fn quantized(&self, value: u32) -> u32 {
        let channel = self.kind().unwrap_or(Channel::None);
        channel.encode(channel.quantize(value))
    }
}

/// Returns the number of a code of up to 32 bits.
pub(crate) fn number(numeric: Numeric, bits: u32, code: u64) -> f32 {
    let channel = |channel: Channel| channel.to_f32(channel.decode(code as u32), 0.0);
    match numeric {
        Numeric::Uint | Numeric::Uscaled => code as f32,
        Numeric::Sint | Numeric::Sscaled => signed(code, bits) as f32,
        Numeric::Float if bits == 16 => half::to_f32(code as u16),
        Numeric::Float | Numeric::Ufloat => channel(Channel::Float(bits as u8)),
        Numeric::Unorm | Numeric::Srgb => channel(Channel::Unorm(bits as u8)),
        Numeric::Snorm => channel(Channel::Snorm(bits as u8)),
    }
}

/// Returns a code as a signed integer.
pub(crate) fn signed(code: u64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (code << unused) as i64 >> unused
}

fn largest(bits: u32) -> f64 {
    ((1u64 << bits.min(63)) - 1) as f64
}

/// The linear value of an sRGB one (Vulkan 1.3, Khronos Data Format 13.3.1).
fn to_linear(value: f64) -> f32 {
    let linear = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
    linear as f32
}

fn to_srgb(value: f64) -> f64 {
    let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

/// Returns some bits of little-endian bytes; missing ones are zero.
pub(crate) fn bits(bytes: &[u8], offset: u32, count: u32) -> u64 {
    let first = (offset / 8) as usize;
    let mut word = 0u128;
    for (index, &byte) in bytes.get(first..).unwrap_or_default().iter().take(9).enumerate() {
        word |= u128::from(byte) << (8 * index);
    }
    let mask = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
    (word >> (offset % 8)) as u64 & mask
}

/// Writes some bits of little-endian bytes.
fn put(bytes: &mut [u8], offset: u32, count: u32, code: u32) {
    if offset.is_multiple_of(8) && count.is_multiple_of(8) {
        let first = (offset / 8) as usize;
        let code = code.to_le_bytes();
        let length = (count / 8) as usize;
        if let Some(target) = bytes.get_mut(first..first + length) {
            target.copy_from_slice(&code[..length]);
        }
        return;
    }
    for bit in 0..count {
        let at = offset + bit;
        if let Some(byte) = bytes.get_mut((at / 8) as usize) {
            let mask = 1 << (at % 8);
            *byte = if code >> bit & 1 == 1 { *byte | mask } else { *byte & !mask };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codec(name: &str) -> Codec {
        let text = format!("#!amber\nBUFFER a DATA_TYPE {name} SIZE 4 FILL 0\n");
        let no_files = |_: &str| Err("no files".to_owned());
        let script = vk_script::parse(text.as_bytes(), vk_script::Rules::Amber, &no_files);
        Codec::of(&script.expect("a script").buffers[0].format).expect("texels")
    }

    #[test]
    fn order_of_channels() {
        let bgra = codec("B8G8R8A8_UNORM");
        assert_eq!(bgra.format, Format::Rgba8);
        assert_eq!(bgra.decode(&[0, 0, 0, 0, 1, 2, 3, 4], 1), [3, 2, 1, 4]);
        let mut bytes = [0; 4];
        bgra.encode([3, 2, 1, 4], &mut bytes, 0);
        assert_eq!(bytes, [1, 2, 3, 4]);
    }

    #[test]
    fn formats_without_surfaces() {
        let srgb = codec("R8G8B8A8_SRGB");
        assert_eq!(srgb.format, Format::Rgba32f);
        for code in 0..=255u8 {
            let texel = srgb.decode(&[code, 0, 255, code], 0);
            let mut bytes = [7; 4];
            srgb.encode(texel, &mut bytes, 0);
            assert_eq!(bytes, [code, 0, 255, code]);
        }
        let packed = codec("R5G6B5_UNORM_PACK16");
        // Blue is in the lowest bits.
        let texel = packed.decode(&0xf81fu16.to_le_bytes(), 0);
        assert_eq!(texel.map(f32::from_bits), [1.0, 0.0, 1.0, 1.0]);
        let mut bytes = [0; 2];
        packed.encode(texel, &mut bytes, 0);
        assert_eq!(u16::from_le_bytes(bytes), 0xf81f);
    }

    #[test]
    fn three_channels_are_padded() {
        let rgb = codec("R8G8B8_UINT");
        assert_eq!(rgb.decode(&[1, 2, 3, 9, 4, 5, 6, 9], 1), [4, 5, 6, 1]);
    }
}
