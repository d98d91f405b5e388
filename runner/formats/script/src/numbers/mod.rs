//! Number readers with the semantics of the C library, which defines the format's numbers.
//!
//! Every reader skips leading blanks and consumes the longest prefix that is a number. Without a
//! number it fails and consumes nothing. They work on one line at a time: a newline ends every
//! number.
//!
//! | reader | C equivalent | used for |
//! |---|---|---|
//! | [`float32`] | `0x…` is a bit pattern, else `strtod` narrowed to single | uniforms, colors, rectangles |
//! | [`float64`] | same with a 64-bit pattern | doubles |
//! | [`signed32`], [`unsigned32`] | `strtoll` / `strtoul` base 0, low 32 bits | integers |
//! | [`signed64`], [`unsigned64`] | `0x…` is a 64-bit pattern, else `strtoll` / `strtoull` base 0 | 64-bit integers |
//! | [`scan_signed`], [`scan_unsigned`] | `scanf` `%d`, `%u` | scan patterns |
//! | [`strtod`], [`strtof`] | the same, "C" locale | scan patterns |

mod float;
mod integer;
#[cfg(test)]
mod tests;

pub(crate) use float::{float32, float64, half_bits, strtod, strtof};
pub(crate) use integer::{
    hex_pattern, scan_hex, scan_signed, scan_unsigned, signed32, signed64, strtol, unsigned32,
    unsigned64,
};

use crate::text::Parsed;

/// Fills `values` from the front and stops silently at the first that cannot be read; the others
/// keep their value. Returns the unread rest and how many were read.
pub(crate) fn fill<'a, T>(
    mut input: &'a [u8],
    values: &mut [T],
    read: impl Fn(&'a [u8]) -> Parsed<'a, T>,
) -> (&'a [u8], usize) {
    for (count, value) in values.iter_mut().enumerate() {
        match read(input) {
            Ok((rest, number)) => {
                *value = number;
                input = rest;
            }
            Err(_) => return (input, count),
        }
    }
    (input, values.len())
}
