//! Storage of texels by format.

use std::sync::OnceLock;

use packets::format_name;
use raster::format::Channel;

use crate::blocks::Blocks;

/// Number of formats that have names, with room to spare.
const FORMATS: usize = 1024;

/// A channel in a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Placed {
    /// Component: 0 to 3 for red to alpha; 4 for unused bits.
    component: usize,
    /// First bit.
    shift: u32,
    channel: Channel,
}

/// Storage of the texels of a format.
///
/// It follows from the name: of uncompressed formats, channels from the lowest bit up, then the
/// type of the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceFormat {
    /// Name, such as `B8G8R8A8_UNORM`; empty without one.
    pub name: &'static str,
    /// Bytes of a texel, or of a block of a compressed format.
    pub bytes: u64,
    /// Color channels are stored with the sRGB transfer function.
    pub is_srgb: bool,
    /// Components are integers.
    pub is_integer: bool,
    /// Components that read as red, too: none, those of luminance, or those of intensity.
    copies: &'static [usize],
    /// The three colors share an exponent.
    is_shared: bool,
    /// Blocks of a compressed format, which has no channels.
    pub blocks: Option<Blocks>,
    channels: Vec<Placed>,
}

impl SurfaceFormat {
    /// Returns the storage of a format by its number; `None` if it is packed in another way.
    #[must_use]
    pub fn of(number: u64) -> Option<&'static SurfaceFormat> {
        static KNOWN: [OnceLock<Option<SurfaceFormat>>; FORMATS] =
            [const { OnceLock::new() }; FORMATS];
        let slot = KNOWN.get(usize::try_from(number).ok()?)?;
        slot.get_or_init(|| SurfaceFormat::parse(format_name(number)?)).as_ref()
    }

    /// A format of these channels from the lowest bit up, each with its component; `None` for
    /// unused bits.
    #[must_use]
    pub fn of_channels(channels: &[(Option<usize>, Channel)], is_srgb: bool) -> SurfaceFormat {
        let mut shift = 0;
        let placed = channels.iter().map(|&(component, channel)| {
            let placed = Placed { component: component.unwrap_or(4), shift, channel };
            shift += u32::from(channel.bits());
            placed
        });
        let channels: Vec<Placed> = placed.collect();
        let is_integer = |placed: &Placed| {
            placed.component < 4 && matches!(placed.channel, Channel::Int(_) | Channel::Uint(_))
        };
        SurfaceFormat {
            name: "",
            bytes: u64::from(shift / 8),
            is_srgb,
            is_integer: channels.iter().any(is_integer),
            copies: &[],
            is_shared: false,
            blocks: None,
            channels,
        }
    }

    /// Reads the name of a format.
    fn parse(name: &'static str) -> Option<SurfaceFormat> {
        let without_channels = |bytes, blocks: Option<Blocks>| SurfaceFormat {
            name,
            bytes,
            is_srgb: name.contains("SRGB"),
            is_integer: false,
            copies: &[],
            is_shared: blocks.is_none(),
            blocks,
            channels: Vec::new(),
        };
        if name == "R9G9B9E5_SHAREDEXP" {
            return Some(without_channels(4, None));
        }
        if let Some((blocks, bytes)) = Blocks::of(name) {
            return Some(without_channels(bytes, Some(blocks)));
        }
        let (layout, kind) = name.split_once('_')?;
        let (kind, is_srgb, unused) = match kind {
            "UNORM_SRGB" => ("UNORM", true, 0),
            "UNORM_X8_TYPELESS" => ("UNORM", false, 8),
            "FLOAT_X8X24_TYPELESS" => ("FLOAT", false, 32),
            kind => (kind, false, 0),
        };
        let mut channels = Vec::new();
        let mut shift = 0;
        let mut rest = layout;
        while let Some(letter) = rest.chars().next() {
            let component = match letter {
                'R' | 'L' | 'I' => 0,
                'G' => 1,
                'B' => 2,
                'A' => 3,
                'X' => 4,
                _ => return None,
            };
            rest = &rest[1..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let bits: u8 = rest[..digits].parse().ok()?;
            rest = &rest[digits..];
            let channel = match kind {
                _ if component == 4 => Channel::None,
                "UNORM" => Channel::Unorm(bits),
                "SNORM" => Channel::Snorm(bits),
                "FLOAT" if matches!(bits, 10 | 11 | 16 | 32) => Channel::Float(bits),
                "SINT" | "SSCALED" => Channel::Int(bits),
                "UINT" | "USCALED" => Channel::Uint(bits),
                _ => return None,
            };
            channels.push(Placed { component, shift, channel });
            shift += u32::from(bits);
        }
        shift += unused;
        let copies: &[usize] = match layout.as_bytes()[0] {
            b'L' => &[1, 2],
            b'I' => &[1, 2, 3],
            _ => &[],
        };
        let is_plain = shift.is_multiple_of(8) && shift <= 128;
        is_plain.then(|| SurfaceFormat {
            name,
            bytes: u64::from(shift / 8),
            is_srgb,
            is_integer: matches!(kind, "SINT" | "UINT"),
            copies,
            is_shared: false,
            blocks: None,
            channels,
        })
    }

    /// True if all stored channels are fixed-point numbers from 0, or from -1.
    #[must_use]
    pub fn normalized(&self) -> Option<[f32; 2]> {
        if let Some(blocks) = self.blocks {
            return blocks.normalized();
        }
        let all = |matches: fn(Channel) -> bool| {
            self.channels.iter().all(|p| p.component >= 4 || matches(p.channel))
        };
        if all(|channel| matches!(channel, Channel::Unorm(_))) {
            return Some([0.0, 1.0]);
        }
        all(|channel| matches!(channel, Channel::Snorm(_))).then_some([-1.0, 1.0])
    }

    /// Replaces components that the format does not store by 0, alpha by 1.
    #[must_use]
    pub fn present(&self, values: [u32; 4]) -> [u32; 4] {
        let one = if self.is_integer { 1 } else { 1.0_f32.to_bits() };
        std::array::from_fn(|i| {
            let stored = self.is_shared && i < 3
                || self.copies.contains(&i)
                || self.blocks.is_some_and(|blocks| blocks.has_component(i))
                || self.channels.iter().any(|placed| placed.component == i);
            match (stored, i) {
                (true, _) => values[if self.copies.contains(&i) { 0 } else { i }],
                (false, 3) => one,
                (false, _) => 0,
            }
        })
    }

    /// True if channels are floating-point numbers.
    #[must_use]
    pub fn is_float(&self) -> bool {
        self.channels.iter().any(|placed| matches!(placed.channel, Channel::Float(_)))
    }

    /// True if reads of images convert texels: floats of 16 and 32 bits, and integers of whole
    /// bytes. Others are read as integers of their size, which shaders convert.
    #[must_use]
    pub fn converts_typed_reads(&self) -> bool {
        let converts = |channel| match channel {
            Channel::Float(bits) => matches!(bits, 16 | 32),
            Channel::Uint(bits) | Channel::Int(bits) => matches!(bits, 8 | 16 | 32),
            _ => false,
        };
        self.channels.iter().all(|placed| converts(placed.channel))
    }

    /// Number of channels that hold components.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.channels.iter().filter(|placed| placed.component < 4).count()
    }

    /// A format by its name, such as `BC1_UNORM`; `None` if its texels are packed in another way.
    #[must_use]
    pub fn named(name: &'static str) -> Option<SurfaceFormat> {
        SurfaceFormat::parse(name)
    }

    /// True if the format stores alpha.
    #[must_use]
    pub fn has_alpha(&self) -> bool {
        self.channels.iter().any(|placed| placed.component == 3)
    }

    /// Returns the bytes of a texel, as many as [`SurfaceFormat::bytes`].
    ///
    /// Values are what a shader writes: bits of floats, or integers for integer formats.
    #[must_use]
    pub fn encode(&self, values: [u32; 4]) -> Vec<u8> {
        let mut texel = 0_u128;
        for placed in self.channels.iter().filter(|placed| placed.component < 4) {
            let mut value = values[placed.component];
            if self.is_srgb && placed.component < 3 {
                value = to_srgb(f32::from_bits(value)).to_bits();
            }
            let stored = placed.channel.encode(placed.channel.quantize(value));
            let bits = placed.channel.bits();
            let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
            texel |= u128::from(stored & mask) << placed.shift;
        }
        self.first_bytes(texel)
    }

    /// Texels of a row and rows of a block; 1 and 1 of uncompressed formats.
    #[must_use]
    pub fn block_size(&self) -> (u32, u32) {
        self.blocks.map_or((1, 1), |blocks| (blocks.width, blocks.height))
    }

    /// Returns the values of the texel at column `x` and row `y` of a block, as
    /// [`SurfaceFormat::decode`] does.
    #[must_use]
    pub fn decode_in_block(&self, bytes: &[u8; 16], x: u32, y: u32) -> [u32; 4] {
        let Some(blocks) = self.blocks else { return self.decode(bytes) };
        let mut texel = blocks.decode(bytes, x, y);
        if self.is_srgb {
            texel[..3].iter_mut().for_each(|color| *color = from_srgb(*color));
        }
        texel.map(f32::to_bits)
    }

    /// Returns the values of a texel as shaders and the vertex fetch read them: bits of floats, or
    /// integers. Missing components are 0, a missing alpha is 1.
    #[must_use]
    pub fn decode(&self, bytes: &[u8; 16]) -> [u32; 4] {
        let texel = u128::from_le_bytes(*bytes);
        if self.is_shared {
            return shared_exponent(texel as u32);
        }
        let is_integer = self.is_integer;
        let mut values = [0, 0, 0, if is_integer { 1 } else { 1.0_f32.to_bits() }];
        for placed in self.channels.iter().filter(|placed| placed.component < 4) {
            let bits = placed.channel.bits();
            let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
            #[allow(clippy::cast_possible_truncation, reason = "the mask keeps at most 32 bits")]
            let stored = placed.channel.decode((texel >> placed.shift) as u32 & mask);
            values[placed.component] = if is_integer {
                stored
            } else if self.is_srgb && placed.component < 3 {
                from_srgb(placed.channel.to_f32(stored, 0.0)).to_bits()
            } else {
                placed.channel.to_f32(stored, 0.0).to_bits()
            };
        }
        self.copies.iter().for_each(|&copy| values[copy] = values[0]);
        values
    }

    /// Bytes of a texel whose bits are set where the components of `mask` are stored.
    #[must_use]
    pub fn component_mask(&self, mask: [bool; 4]) -> Vec<u8> {
        let mut bits = 0_u128;
        for placed in &self.channels {
            // Unused bits are written with any component.
            if mask.get(placed.component).copied().unwrap_or(true) {
                bits |= ((1_u128 << placed.channel.bits()) - 1) << placed.shift;
            }
        }
        self.first_bytes(bits)
    }

    fn first_bytes(&self, texel: u128) -> Vec<u8> {
        let bytes = texel.to_le_bytes();
        bytes.into_iter().take(usize::try_from(self.bytes).unwrap_or(16)).collect()
    }
}

/// Colors of nine bits with a common exponent.
fn shared_exponent(texel: u32) -> [u32; 4] {
    let exponent = (texel >> 27).cast_signed() - 15 - 9;
    let color = |shift: u32| (((texel >> shift & 0x1ff) as f32) * 2.0_f32.powi(exponent)).to_bits();
    [color(0), color(9), color(18), 1.0_f32.to_bits()]
}

/// The inverse of the sRGB transfer function.
fn from_srgb(stored: f32) -> f32 {
    if stored <= 0.04045 {
        return stored / 12.92;
    }
    ((f64::from(stored) + 0.055) / 1.055).powf(2.4) as f32
}

/// The sRGB transfer function.
fn to_srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 {
        return linear.max(0.0) * 12.92;
    }
    (1.055 * f64::from(linear.min(1.0)).powf(1.0 / 2.4) - 0.055) as f32
}

#[cfg(test)]
mod tests {
    use super::{Channel, SurfaceFormat};

    fn encode(number: u64, values: [f32; 4]) -> Vec<u8> {
        SurfaceFormat::of(number).expect("a format").encode(values.map(f32::to_bits))
    }

    #[test]
    fn bytes_in_memory() {
        // R8G8B8A8_UNORM, B8G8R8A8_UNORM
        assert_eq!(encode(199, [0.0, 1.0, 0.2, 1.0]), [0, 255, 51, 255]);
        assert_eq!(encode(192, [0.0, 1.0, 0.2, 1.0]), [51, 255, 0, 255]);
        // B5G6R5_UNORM: red in the upper bits
        assert_eq!(encode(256, [1.0, 0.0, 0.0, 1.0]), [0x00, 0xf8]);
        // R16G16B16A16_FLOAT
        assert_eq!(encode(132, [1.0, 0.5, 0.0, -2.0]), [0, 0x3c, 0, 0x38, 0, 0, 0, 0xc0]);
        // R8G8B8A8_UNORM_SRGB: the color channels only
        assert_eq!(encode(200, [0.5, 0.0, 1.0, 0.5]), [188, 0, 255, 128]);
    }

    #[test]
    fn typed_reads() {
        let converts = |number| SurfaceFormat::of(number).expect("a format").converts_typed_reads();
        // R32G32B32A32_FLOAT, R16G16B16A16_FLOAT, R8G8B8A8_SINT, R32_UINT
        assert!([0, 132, 202, 215].into_iter().all(converts));
        // R8G8B8A8_UNORM, R11G11B10_FLOAT, R10G10B10A2_UINT
        assert!(![199, 211, 196].into_iter().any(converts));
    }

    #[test]
    fn values_of_bytes() {
        let decode = |number, bytes: &[u8]| {
            let mut all = [0; 16];
            all[..bytes.len()].copy_from_slice(bytes);
            SurfaceFormat::of(number).expect("a format").decode(&all)
        };
        // R8G8B8A8_UNORM, R8G8B8A8_SINT, R32G32_FLOAT
        assert_eq!(decode(199, &[0, 255, 0, 255]), [0.0, 1.0, 0.0, 1.0_f32].map(f32::to_bits));
        assert_eq!(decode(202, &[1, 255, 0, 128]), [1, u32::MAX, 0, -128_i32 as u32]);
        let floats = [2.5_f32.to_le_bytes(), 1.5_f32.to_le_bytes()].concat();
        assert_eq!(decode(133, &floats), [2.5, 1.5, 0.0, 1.0_f32].map(f32::to_bits));
    }

    #[test]
    fn compressed_formats_have_blocks() {
        let named = |name| (0..1024).find(|n| packets::format_name(*n) == Some(name));
        let format = named("BC1_UNORM_SRGB").and_then(SurfaceFormat::of).expect("a format");
        assert_eq!((format.block_size(), format.bytes, format.is_srgb), ((4, 4), 8, true));
        // Half of red, and red alone is stored with the transfer function.
        let block = 0x7800_u128.to_le_bytes();
        let [red, ..] = format.decode_in_block(&block, 3, 3).map(f32::from_bits);
        assert!((red - 0.1994).abs() < 1e-3, "{red}");
    }

    #[test]
    fn masks() {
        let format = SurfaceFormat::of(199).expect("a format");
        assert_eq!(format.component_mask([true, false, false, true]), [255, 0, 0, 255]);
    }

    fn named(name: &'static str) -> SurfaceFormat {
        SurfaceFormat::named(name).expect("a format")
    }

    #[test]
    fn components_that_are_not_stored() {
        let of = |name| named(name).present([5, 6, 7, 8]);
        let one = 1.0_f32.to_bits();
        assert_eq!(of("R8G8B8A8_UNORM"), [5, 6, 7, 8]);
        assert_eq!(of("R8_UNORM"), [5, 0, 0, one]);
        assert_eq!(of("R8_UINT"), [5, 0, 0, 1]);
        assert_eq!(of("A8_UNORM"), [0, 0, 0, 8]);
        assert_eq!(of("L8_UNORM"), [5, 5, 5, one]);
        assert_eq!(of("L8A8_UNORM"), [5, 5, 5, 8]);
        assert_eq!(of("I8_UNORM"), [5, 5, 5, 5]);
        assert_eq!(of("B8G8R8X8_UNORM"), [5, 6, 7, one]);
        assert_eq!(of("R9G9B9E5_SHAREDEXP"), [5, 6, 7, one]);
        assert_eq!(of("BC4_UNORM"), [5, 0, 0, one]);
    }

    #[test]
    fn kinds_of_formats() {
        let range = |name| named(name).normalized();
        assert_eq!(range("B8G8R8X8_UNORM"), Some([0.0, 1.0]));
        assert_eq!(range("R8G8_SNORM"), Some([-1.0, 1.0]));
        assert_eq!(range("R16_FLOAT"), None);
        assert!(named("R11G11B10_FLOAT").is_float() && !named("R8_UNORM").is_float());
        assert!(named("R8G8B8A8_UNORM").has_alpha() && !named("R8G8B8_UNORM").has_alpha());
        assert_eq!(named("B8G8R8X8_UNORM").channel_count(), 3);
        assert!(named("R16_SINT").is_integer && !named("R16_SSCALED").is_integer);
        assert!(SurfaceFormat::named("R8_STRANGE").is_none());
        assert!(SurfaceFormat::named("R4G4B4_UNORM").is_none());
        // Bits beside depth belong to the texel.
        assert_eq!(named("R24_UNORM_X8_TYPELESS").bytes, 4);
        assert_eq!(named("R32_FLOAT_X8X24_TYPELESS").bytes, 8);
    }

    #[test]
    fn luminance_is_read_as_three_colors() {
        let values = |name, byte| named(name).decode(&u128::to_le_bytes(byte)).map(f32::from_bits);
        assert_eq!(values("L8A8_UNORM", 0x33ff), [1.0, 1.0, 1.0, 0.2]);
        assert_eq!(values("I8_UNORM", 0x33), [0.2; 4]);
    }

    #[test]
    fn shared_exponents() {
        // Colors of nine bits are fractions of 512; the exponent has an offset of 15.
        let texel = 16 << 27 | 511 << 18 | 128 << 9 | 256_u128;
        let values = named("R9G9B9E5_SHAREDEXP").decode(&texel.to_le_bytes()).map(f32::from_bits);
        assert_eq!(values, [1.0, 0.5, 511.0 / 256.0, 1.0]);
    }

    #[test]
    fn dark_colors_are_linear_in_srgb() {
        let format = named("R8G8B8A8_UNORM_SRGB");
        // 0.002 × 12.92 × 255 = 6.6
        let linear = [0.002, -1.0, 2.0, 0.002].map(f32::to_bits);
        assert_eq!(format.encode(linear), [7, 0, 255, 1]);
        let [red, ..] = format.decode(&10_u128.to_le_bytes()).map(f32::from_bits);
        assert!((red - 10.0 / 255.0 / 12.92).abs() < 1e-6, "{red}");
        // (0.5 + 0.055) / 1.055, to the power of 2.4; alpha has no transfer function.
        let [_, green, _, alpha] =
            format.decode(&0x8000_8000_u128.to_le_bytes()).map(f32::from_bits);
        assert!((green - 0.2158).abs() < 1e-3 && (alpha - 0.502).abs() < 1e-3, "{green} {alpha}");
    }

    #[test]
    fn channels_in_any_order() {
        let channels =
            [(None, Channel::Uint(8)), (Some(2), Channel::Uint(16)), (Some(0), Channel::Uint(8))];
        let format = SurfaceFormat::of_channels(&channels, false);
        assert_eq!((format.bytes, format.is_integer, format.is_srgb), (4, true, false));
        assert_eq!(format.encode([0x7, 0, 0x1234, 9]), [0, 0x34, 0x12, 0x07]);
        // Unused bits are written with any component.
        assert_eq!(format.component_mask([true, false, false, false]), [255, 0, 0, 255]);
        let unused = [(Some(1), Channel::Unorm(8)), (None, Channel::Uint(8))];
        let fixed = SurfaceFormat::of_channels(&unused, true);
        assert_eq!((fixed.is_integer, fixed.is_srgb, fixed.bytes), (false, true, 2));
    }

    #[test]
    fn masks_of_packed_channels() {
        let mask = |name, mask| named(name).component_mask(mask);
        assert_eq!(mask("B5G6R5_UNORM", [true, false, false, false]), [0x00, 0xf8]);
        assert_eq!(mask("B5G6R5_UNORM", [false, true, false, false]), [0xe0, 0x07]);
        assert_eq!(
            mask("R32G32_UINT", [false, true, true, true]),
            [0, 0, 0, 0, 255, 255, 255, 255]
        );
    }
}
