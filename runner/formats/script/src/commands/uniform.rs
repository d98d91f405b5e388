//! `uniform TYPE NAME VALUES…`: most lines of most files.

use super::arguments::Arguments;
use crate::error::{ErrorKind, Fault};
use crate::numbers::{float32, float64, signed32, signed64, strtol, unsigned32, unsigned64};

/// One `uniform` command. The values are in the script; see [`crate::Script::uniform_words`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform<'a> {
    /// Type of the value.
    pub ty: UniformType,
    /// The uniform or attribute.
    pub target: UniformTarget<'a>,
    /// Position of the first value word in the script's value store.
    pub(crate) first_word: u32,
}

/// A uniform or attribute, by name or by location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UniformTarget<'a> {
    /// The word starts with a digit: it is the location.
    Location(i32),
    /// The name as written: `a`, `a[3]`, `s[1].m[2].n`.
    Name(&'a str),
}

/// Type of a uniform value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UniformType {
    /// Type of the components.
    pub scalar: Scalar,
    /// Matrix columns; 1 for scalars and vectors.
    pub columns: u8,
    /// Components of a column; 1 for scalars.
    pub rows: u8,
}

/// Component types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// 32-bit float.
    Float,
    /// 64-bit float.
    Double,
    /// 32-bit signed integer; also booleans, samplers and images.
    Int,
    /// 32-bit unsigned integer.
    Uint,
    /// 64-bit signed integer.
    Int64,
    /// 64-bit unsigned integer.
    Uint64,
    /// A resident handle, given by its slot (one 32-bit word, below 32).
    Handle,
}

impl Scalar {
    /// 32-bit words per component in [`crate::Script::uniform_words`].
    pub fn words(self) -> usize {
        match self {
            Scalar::Double | Scalar::Int64 | Scalar::Uint64 => 2,
            Scalar::Float | Scalar::Int | Scalar::Uint | Scalar::Handle => 1,
        }
    }
}

impl UniformType {
    /// Number of components.
    pub fn components(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    /// Number of 32-bit words of a value.
    pub fn words(self) -> usize {
        self.components() * self.scalar.words()
    }

    /// A type word. As in piglit the word only has to *start* with the type's name, and types are
    /// tried in a fixed order (`int64_t` before `int`).
    fn from_word(word: &str) -> Option<UniformType> {
        let scalar = |scalar| Some(UniformType { scalar, columns: 1, rows: 1 });
        for (name, kind) in SCALARS {
            if word.starts_with(name) {
                return scalar(*kind);
            }
        }
        for (name, kind) in VECTORS {
            if let Some(size) = word.strip_prefix(name) {
                return Some(UniformType {
                    scalar: *kind,
                    columns: 1,
                    rows: dimension(size.as_bytes().first())?,
                });
            }
        }
        let (kind, size) = match word.strip_prefix("mat").or_else(|| word.strip_prefix("f16mat")) {
            Some(size) => (Scalar::Float, size),
            None => match word.strip_prefix("dmat") {
                Some(size) => (Scalar::Double, size),
                None => {
                    return if word.starts_with("handle") { scalar(Scalar::Handle) } else { None };
                }
            },
        };
        let size = size.as_bytes();
        let columns = dimension(size.first())?;
        let rows = if size.get(1) == Some(&b'x') { dimension(size.get(2))? } else { columns };
        Some(UniformType { scalar: kind, columns, rows })
    }
}

/// Scalar type names in the order in which they are tried. The 16-bit ones start with the name of
/// the 32-bit type that sets them.
const SCALARS: &[(&str, Scalar)] = &[
    ("float", Scalar::Float),
    ("int64_t", Scalar::Int64),
    ("uint64_t", Scalar::Uint64),
    ("int", Scalar::Int),
    ("uint", Scalar::Uint),
    ("double", Scalar::Double),
];

/// Vector type names. GL has no commands with 16-bit values: those for 32-bit ones set 16-bit
/// uniforms too, and convert.
const VECTORS: &[(&str, Scalar)] = &[
    ("vec", Scalar::Float),
    ("ivec", Scalar::Int),
    ("uvec", Scalar::Uint),
    ("dvec", Scalar::Double),
    ("i64vec", Scalar::Int64),
    ("u64vec", Scalar::Uint64),
    ("f16vec", Scalar::Float),
    ("i16vec", Scalar::Int),
    ("u16vec", Scalar::Uint),
];

fn dimension(digit: Option<&u8>) -> Option<u8> {
    digit.and_then(|d| d.checked_sub(b'0')).filter(|n| (2..=4).contains(n))
}

/// A name or, if it starts with a digit, a location.
pub(super) fn target(word: &str) -> UniformTarget<'_> {
    match strtol(word.as_bytes()) {
        Ok((_, integer)) if word.starts_with(|c: char| c.is_ascii_digit()) => {
            UniformTarget::Location(integer.clamped().0 as i32)
        }
        _ => UniformTarget::Name(word),
    }
}

/// Reads a line after `uniform ` and appends its values to `words`.
pub(super) fn uniform<'a>(
    arguments: &mut Arguments<'a, '_>,
    words: &mut Vec<u32>,
) -> Result<Uniform<'a>, Fault<'a>> {
    let type_word = arguments.word("a uniform type")?;
    let ty = UniformType::from_word(type_word)
        .ok_or_else(|| arguments.at(type_word, ErrorKind::Arguments, "unknown uniform type"))?;
    let target = target(arguments.word("a uniform name")?);
    let first_word = u32::try_from(words.len())
        .map_err(|_| arguments.out_of_range("too many uniform values"))?;
    values(ty, arguments, words)?;
    // Components missing from the line are 0.
    words.resize(first_word as usize + ty.words(), 0);
    if ty.scalar == Scalar::Handle {
        let slot = words.get(first_word as usize).copied().unwrap_or(0);
        arguments.bounded(slot, 32, "handle slot")?;
    }
    Ok(Uniform { ty, target, first_word })
}

fn values<'a>(
    ty: UniformType,
    arguments: &mut Arguments<'a, '_>,
    words: &mut Vec<u32>,
) -> Result<(), Fault<'a>> {
    let mut input = arguments.rest;
    let push64 = |words: &mut Vec<u32>, bits: u64| words.extend([bits as u32, (bits >> 32) as u32]);
    for _ in 0..ty.components() {
        let rest = match ty.scalar {
            Scalar::Float => float32(input).map(|(rest, real)| {
                words.push(real.value.to_bits());
                rest
            }),
            Scalar::Double => float64(input).map(|(rest, real)| {
                push64(words, real.value.to_bits());
                rest
            }),
            Scalar::Int => signed32(input).map(|(rest, value)| {
                words.push(value as u32);
                rest
            }),
            Scalar::Uint | Scalar::Handle => unsigned32(input).map(|(rest, value)| {
                words.push(value);
                rest
            }),
            Scalar::Int64 => match signed64(input) {
                Ok((_, (_, true))) => {
                    return Err(arguments.out_of_range("integer does not fit 64 bits"));
                }
                parsed => parsed.map(|(rest, (value, _))| {
                    push64(words, value as u64);
                    rest
                }),
            },
            Scalar::Uint64 => match unsigned64(input) {
                Ok((_, (_, true))) => {
                    return Err(arguments.out_of_range("integer does not fit 64 bits"));
                }
                parsed => parsed.map(|(rest, (value, _))| {
                    push64(words, value);
                    rest
                }),
            },
        };
        match rest {
            Ok(rest) => input = rest,
            Err(_) => break,
        }
    }
    arguments.rest = input;
    Ok(())
}
