//! Numbers of assembly text as the bits of a type.

/// A numeric type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numeric {
    /// 8, 16, 32 or 64.
    pub(crate) bits: u32,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// Returns the bits of a number, narrow signed integers sign-extended to 32 bits (SPIR-V 1.6
/// section 2.2.1); `None` if it is none of the type.
pub(crate) fn parse(text: &str, ty: Numeric) -> Option<u64> {
    match ty.kind {
        Kind::Float => parse_float(text, ty.bits),
        kind => parse_integer(text, ty.bits, kind == Kind::Signed),
    }
}

fn parse_integer(text: &str, bits: u32, signed: bool) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((digits, 10), |hex| (hex, 16));
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    let magnitude = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let value = if negative { -magnitude } else { magnitude };
    // Hexadecimal numbers may give the bits of a negative one.
    let most = if signed && radix == 10 { (1 << (bits - 1)) - 1 } else { (1i128 << bits) - 1 };
    let least = if signed { -(1i128 << (bits - 1)) } else { 0 };
    if value < least || value > most {
        return None;
    }
    let is_negative = signed && value >> (bits - 1) & 1 != 0;
    let extended = if is_negative { value | (-1i128 << bits) } else { value };
    Some(if bits == 64 { extended as u64 } else { u64::from(extended as u32) })
}

/// Widths of an IEEE format: bits of the fraction, and the largest exponent.
fn format(bits: u32) -> (u32, i32) {
    match bits {
        16 => (10, 15),
        32 => (23, 127),
        _ => (52, 1023),
    }
}

fn parse_float(text: &str, bits: u32) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => parse_hex_float(hex, bits)?,
        // Rust's names of infinity and NaN are none of SPIR-V's.
        None if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => return None,
        None => match bits {
            16 => u64::from(half(digits.parse().ok()?)),
            32 => u64::from(digits.parse::<f32>().ok()?.to_bits()),
            _ => digits.parse::<f64>().ok()?.to_bits(),
        },
    };
    Some(magnitude | u64::from(negative) << (bits - 1))
}

/// `1.8p+3`; an exponent beyond the format's gives the bits of infinity or a NaN.
fn parse_hex_float(text: &str, bits: u32) -> Option<u64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let exponent: i32 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.len() > 15 {
        return None;
    }
    let value = u64::from_str_radix(&digits, 16).ok()?;
    if value == 0 {
        return Some(0);
    }
    let scale = i64::from(exponent) - 4 * fraction.len() as i64;
    let high = 63 - value.leading_zeros();
    let power = scale + i64::from(high);
    let (width, largest) = format(bits);
    if power > i64::from(largest) {
        let fraction = (value << (63 - high) << 1) >> (64 - width);
        return Some((2 * largest as u64 + 1) << width | fraction);
    }
    let exact = value as f64 * 2f64.powi(i32::try_from(scale).ok()?.max(-1074));
    Some(match bits {
        16 => u64::from(half(exact)),
        32 => u64::from((exact as f32).to_bits()),
        _ => exact.to_bits(),
    })
}

/// Rounds a positive number to the nearest half, ties to even.
fn half(value: f64) -> u16 {
    if value >= 65520.0 {
        return 0x7c00;
    }
    let exponent = ((value.to_bits() >> 52) as i32 - 1023).max(-14);
    let units = value * 2f64.powi(10 - exponent);
    let rounded = units.round_ties_even() as u32;
    // A carry of the fraction goes to the exponent, and subnormal numbers have none.
    ((exponent + 14) as u32 * 1024 + rounded) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_bits_of_their_type() {
        let int = |bits, kind, text| parse(text, Numeric { bits, kind });
        assert_eq!(int(32, Kind::Signed, "-1"), Some(0xffff_ffff));
        assert_eq!(int(32, Kind::Signed, "2147483648"), None);
        assert_eq!(int(32, Kind::Signed, "0xffffffff"), Some(0xffff_ffff));
        assert_eq!(int(16, Kind::Signed, "-2"), Some(0xffff_fffe));
        assert_eq!(int(16, Kind::Unsigned, "65535"), Some(65535));
        assert_eq!(int(64, Kind::Signed, "-2"), Some(u64::MAX - 1));
        assert_eq!(int(32, Kind::Unsigned, "-1"), None);
        assert_eq!(int(32, Kind::Unsigned, "1x"), None);
    }

    #[test]
    fn floats_are_rounded_to_their_type() {
        let float = |bits, text| parse(text, Numeric { bits, kind: Kind::Float });
        assert_eq!(float(32, "0.5"), Some(0x3f00_0000));
        assert_eq!(float(32, "-0x1.8p+1"), Some(0xc040_0000));
        assert_eq!(float(32, "0x1p+128"), Some(0x7f80_0000));
        assert_eq!(float(32, "0x1.8p+128"), Some(0x7fc0_0000));
        assert_eq!(float(16, "1"), Some(0x3c00));
        assert_eq!(float(16, "65504"), Some(0x7bff));
        assert_eq!(float(16, "0.00006103515625"), Some(0x0400));
        assert_eq!(float(16, "0.000000059604644775390625"), Some(1));
        assert_eq!(float(64, "2"), Some(0x4000_0000_0000_0000));
        assert_eq!(float(32, "inf"), None);
    }
}
