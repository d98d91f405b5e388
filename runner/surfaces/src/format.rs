//! Storage of texels by format.

use std::sync::OnceLock;

use packets::format_name;
use softgl::format::Channel;

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

/// How the texels of an uncompressed format are stored.
///
/// It follows from the name: channels from the lowest bit up, then the type of the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceFormat {
    /// Name, such as `B8G8R8A8_UNORM`.
    pub name: &'static str,
    /// Bytes of a texel.
    pub bytes: u64,
    /// Color channels are stored with the sRGB transfer function.
    pub is_srgb: bool,
    channels: Vec<Placed>,
}

impl SurfaceFormat {
    /// Returns the storage of a format by its number; `None` if it is compressed or packed in
    /// another way.
    #[must_use]
    pub fn of(number: u64) -> Option<&'static SurfaceFormat> {
        static KNOWN: [OnceLock<Option<SurfaceFormat>>; FORMATS] =
            [const { OnceLock::new() }; FORMATS];
        let slot = KNOWN.get(usize::try_from(number).ok()?)?;
        slot.get_or_init(|| SurfaceFormat::parse(format_name(number)?)).as_ref()
    }

    /// Reads the name of a format.
    fn parse(name: &'static str) -> Option<SurfaceFormat> {
        let (layout, kind) = name.split_once('_')?;
        let (kind, is_srgb) = match kind {
            "UNORM_SRGB" => ("UNORM", true),
            kind => (kind, false),
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
                "SINT" => Channel::Int(bits),
                "UINT" => Channel::Uint(bits),
                _ => return None,
            };
            channels.push(Placed { component, shift, channel });
            shift += u32::from(bits);
        }
        // Luminance and intensity fill several components: not render targets, not known here.
        let is_plain = !layout.contains(['L', 'I']) && shift.is_multiple_of(8) && shift <= 128;
        is_plain.then(|| SurfaceFormat { name, bytes: u64::from(shift / 8), is_srgb, channels })
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

    /// Returns the values of a texel as shaders and the vertex fetch read them: bits of floats, or
    /// integers. Missing components are 0, a missing alpha is 1.
    #[must_use]
    pub fn decode(&self, bytes: &[u8; 16]) -> [u32; 4] {
        let texel = u128::from_le_bytes(*bytes);
        let is_integer = self
            .channels
            .iter()
            .any(|placed| matches!(placed.channel, Channel::Int(_) | Channel::Uint(_)));
        let mut values = [0, 0, 0, if is_integer { 1 } else { 1.0_f32.to_bits() }];
        for placed in self.channels.iter().filter(|placed| placed.component < 4) {
            let bits = placed.channel.bits();
            let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
            #[allow(clippy::cast_possible_truncation, reason = "the mask keeps at most 32 bits")]
            let stored = placed.channel.decode((texel >> placed.shift) as u32 & mask);
            values[placed.component] =
                if is_integer { stored } else { placed.channel.to_f32(stored, 0.0).to_bits() };
        }
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

/// The sRGB transfer function.
fn to_srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 {
        return linear.max(0.0) * 12.92;
    }
    (1.055 * f64::from(linear.min(1.0)).powf(1.0 / 2.4) - 0.055) as f32
}

#[cfg(test)]
mod tests {
    use super::SurfaceFormat;

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
    fn compressed_formats_have_no_channels() {
        let number = (0..1024).find(|n| packets::format_name(*n) == Some("BC1_UNORM"));
        assert_eq!(number.and_then(SurfaceFormat::of), None);
    }

    #[test]
    fn masks() {
        let format = SurfaceFormat::of(199).expect("a format");
        assert_eq!(format.component_mask([true, false, false, true]), [255, 0, 0, 255]);
    }
}
