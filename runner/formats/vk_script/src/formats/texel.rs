//! Vulkan's formats: channels read from the name.
//!
//! A name lists channels with their bits, then the encoding, for one or two groups
//! (`D24_UNORM_S8_UINT`). In formats that end in `_PACK` and a number the first channel is in the
//! highest bits of one word; in all others the first channel is in the first byte.

use nom::Parser;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{one_of, u32 as decimal};
use nom::combinator::{all_consuming, opt};
use nom::multi::many1;
use nom::sequence::preceded;

use super::names::NAMES;
use crate::model::{Channel, ChannelName, Format, MemoryLayout, Numeric, Part, VkFormat};

type Parsed<'a, T> = nom::IResult<&'a str, T, nom::error::Error<&'a str>>;

/// Returns the format with a name, without `VK_FORMAT_`.
pub(crate) fn format_by_name(name: &str) -> Option<Format> {
    let number = NAMES.iter().position(|known| *known == name)? + 1;
    build(u32::try_from(number).ok()?, name)
}

/// Returns the format with a value of `VkFormat`.
pub(crate) fn format_by_number(format: VkFormat) -> Option<Format> {
    let name = NAMES.get((format.0 as usize).checked_sub(1)?)?;
    build(format.0, name)
}

fn build(number: u32, name: &str) -> Option<Format> {
    let (_, (groups, pack)) = all_consuming((many1(group), opt(pack))).parse(name).ok()?;
    let mut channels: Vec<Channel> = groups.into_iter().flatten().collect();
    if pack.is_some() {
        channels.reverse();
    }
    let mut offset = 0;
    for channel in &mut channels {
        channel.offset = offset;
        offset += channel.bits;
    }
    let size = texel_size(name, offset);
    let parts = match pack {
        Some(bits) => vec![Part { offset: 0, bits, numeric: Numeric::Uint }],
        None => channels.iter().filter(|c| c.name != ChannelName::X).map(part).collect(),
    };
    let (vk, layout) = (Some(VkFormat(number)), MemoryLayout::Std430);
    Some(Format { vk, name: name.to_owned(), layout, parts, channels, size })
}

/// Bytes of a texel in a buffer. Combined depth and stencil formats are as `Script` documents them:
/// the stencil byte follows the depth value.
fn texel_size(name: &str, bits: u32) -> u32 {
    match name {
        "D32_SFLOAT_S8_UINT" => 5,
        _ => bits.div_ceil(8),
    }
}

/// A channel that fills whole bytes, as a value. 24 bits of depth have no value of their own.
fn part(channel: &Channel) -> Part {
    Part { offset: channel.offset / 8, bits: channel.bits, numeric: channel.numeric }
}

fn group(input: &str) -> Parsed<'_, Vec<Channel>> {
    let (rest, list) = many1((one_of("RGBADSXE"), decimal)).parse(input)?;
    let (rest, _) = opt(tag("_")).parse(rest)?;
    let (rest, numeric) = match encoding(rest) {
        Ok((after, word)) => (opt(tag::<_, _, nom::error::Error<&str>>("_")).parse(after)?.0, word),
        // `X8_D24_UNORM`: the encoding comes with the next group.
        Err(_) => (rest, Numeric::Uint),
    };
    let channel = |(letter, bits)| Channel { name: channel_name(letter), offset: 0, bits, numeric };
    Ok((rest, list.into_iter().map(channel).collect()))
}

fn channel_name(letter: char) -> ChannelName {
    match letter {
        'R' => ChannelName::R,
        'G' => ChannelName::G,
        'B' => ChannelName::B,
        'A' => ChannelName::A,
        'D' => ChannelName::D,
        'S' => ChannelName::S,
        _ => ChannelName::X,
    }
}

fn encoding(input: &str) -> Parsed<'_, Numeric> {
    let (rest, word) = take_while1(|c: char| c.is_ascii_uppercase()).parse(input)?;
    let numeric = match word {
        "UINT" => Numeric::Uint,
        "SINT" => Numeric::Sint,
        "UNORM" => Numeric::Unorm,
        "SNORM" => Numeric::Snorm,
        "USCALED" => Numeric::Uscaled,
        "SSCALED" => Numeric::Sscaled,
        "SFLOAT" => Numeric::Float,
        "UFLOAT" => Numeric::Ufloat,
        "SRGB" => Numeric::Srgb,
        _ => {
            return Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Alt)));
        }
    };
    Ok((rest, numeric))
}

fn pack(input: &str) -> Parsed<'_, u32> {
    preceded(tag("PACK"), decimal).parse(input)
}
