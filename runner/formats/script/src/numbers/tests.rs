//! Known values: IEEE 754 bit patterns of published hard cases, and the C standard's rules for
//! prefixes.

use super::*;

fn rest<'a, T>(parsed: Parsed<'a, T>) -> (T, &'a str) {
    let (rest, value) = parsed.expect("a number");
    (value, std::str::from_utf8(rest).expect("text"))
}

#[test]
fn decimal_doubles_are_correctly_rounded() {
    let cases: &[(&str, u64)] = &[
        ("0", 0),
        ("-0.0", 0x8000_0000_0000_0000),
        ("1", 0x3ff0_0000_0000_0000),
        ("0.1", 0x3fb9_9999_9999_999a),
        ("1.", 0x3ff0_0000_0000_0000),
        (".5", 0x3fe0_0000_0000_0000),
        ("+1.e1", 0x4024_0000_0000_0000),
        ("3.0251999999999994", 0x4008_339c_0ebe_dfa3),
        // Halfway between two doubles, and just beside.
        ("9007199254740993", 0x4340_0000_0000_0000),
        ("9007199254740993.00000000000000000000000000001", 0x4340_0000_0000_0001),
        ("9007199254740991", 0x433f_ffff_ffff_ffff),
        // 10²² is the last exact power, 10²³ rounds down.
        ("1e22", 0x4480_f0cf_064d_d592),
        ("1e23", 0x44b5_2d02_c7e1_4af6),
        ("1.7976931348623157e308", 0x7fef_ffff_ffff_ffff),
        ("2.2250738585072014e-308", 0x0010_0000_0000_0000),
        // The number that once hung several converters.
        ("2.2250738585072011e-308", 0x000f_ffff_ffff_ffff),
        ("4.9406564584124654e-324", 1),
        ("2e-324", 0),
        ("1e-400", 0),
        ("1.8e308", 0x7ff0_0000_0000_0000),
        ("-1e99999999999999999999", 0xfff0_0000_0000_0000),
        ("1e-99999999999999999999", 0),
        ("0e99999999999999999999", 0),
    ];
    for (text, bits) in cases {
        let (real, rest) = rest(strtod(text.as_bytes()));
        assert_eq!((real.value.to_bits(), rest), (*bits, ""), "{text}");
    }
}

#[test]
fn hexadecimal_doubles_are_correctly_rounded() {
    let cases: &[(&str, u64, bool)] = &[
        ("0x1.8p3", 12f64.to_bits(), false),
        ("0X.8", 0.5f64.to_bits(), false),
        ("-0x10", (-16f64).to_bits(), false),
        ("0x3f800000", 1_065_353_216f64.to_bits(), false),
        // Ties go to even, in both directions; anything more goes up.
        ("0x1.00000000000008p0", 0x3ff0_0000_0000_0000, false),
        ("0x1.00000000000018p0", 0x3ff0_0000_0000_0002, false),
        ("0x1.000000000000080000000000001p0", 0x3ff0_0000_0000_0001, false),
        ("0x1.fffffffffffff8p0", 0x4000_0000_0000_0000, false),
        ("0x1p-1074", 1, false),
        ("0x1.8p-1074", 2, true),
        ("0x1p-1075", 0, true),
        ("0x1.000001p-1075", 1, true),
        ("0x0.8p-1021", 0x0010_0000_0000_0000, false),
        ("0x0.fffffffffffffcp-1022", 0x0010_0000_0000_0000, true),
        // Three quarters of a unit; some C libraries round these down.
        ("0x35bd6afb8561b3p-1076", 0x000d_6f5a_bee1_586d, true),
        ("0x4d9967f2c0a196p-1077", 0x0009_b32c_fe58_1433, true),
        ("0x1p1024", 0x7ff0_0000_0000_0000, true),
        ("0x1.fffffffffffff8p1023", 0x7ff0_0000_0000_0000, true),
        ("0x1p99999999999999999999", 0x7ff0_0000_0000_0000, true),
        ("0x1p-99999999999999999999", 0, true),
        ("0x0p99999999999999999999", 0, false),
        ("0x100000000000000000000000000000000p-128", 0x3ff0_0000_0000_0000, false),
    ];
    for (text, bits, out_of_range) in cases {
        let (real, rest) = rest(strtod(text.as_bytes()));
        assert_eq!(
            (real.value.to_bits(), real.out_of_range, rest),
            (*bits, *out_of_range, ""),
            "{text}"
        );
    }
}

#[test]
fn special_doubles() {
    for (text, bits, unread) in [
        ("inf", 0x7ff0_0000_0000_0000u64, ""),
        ("-INF", 0xfff0_0000_0000_0000, ""),
        ("Infinity", 0x7ff0_0000_0000_0000, ""),
        ("infinit", 0x7ff0_0000_0000_0000, "init"),
        ("NaN", 0x7ff8_0000_0000_0000, ""),
        ("-nan", 0xfff8_0000_0000_0000, ""),
        ("nan(abc_1)", 0x7ff8_0000_0000_0000, ""),
        ("nan(abc", 0x7ff8_0000_0000_0000, "(abc"),
        ("nan(a b)", 0x7ff8_0000_0000_0000, "(a b)"),
    ] {
        let (real, rest) = rest(strtod(text.as_bytes()));
        assert_eq!((real.value.to_bits(), rest), (bits, unread), "{text}");
    }
}

#[test]
fn longest_prefix_is_read() {
    for (text, value, unread) in [
        ("1.5.3", 1.5, ".3"),
        ("1e", 1.0, "e"),
        ("1e+", 1.0, "e+"),
        ("1e5e", 1e5, "e"),
        (" \t2,3", 2.0, ",3"),
        ("0x", 0.0, "x"),
        ("0x.p1", 0.0, "x.p1"),
        ("0x1p", 1.0, "p"),
        ("7# comment", 7.0, "# comment"),
    ] {
        let (real, rest) = rest(strtod(text.as_bytes()));
        assert_eq!((real.value, rest), (value, unread), "{text}");
    }
    for text in ["", " ", "-", "+.", ".", "e5", "x", "i", "in", "na", "--1"] {
        assert!(strtod(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn range_errors_of_doubles() {
    for (text, out_of_range) in [
        ("0.0", false),
        ("1e-400", true),
        ("1e-310", true),
        ("1e309", true),
        ("2.2250738585072014e-308", false),
        ("inf", false),
        ("0e999", false),
    ] {
        assert_eq!(rest(float64(text.as_bytes())).0.out_of_range, out_of_range, "{text}");
    }
    // Bit patterns are never out of range, not even those of subnormals.
    assert!(!rest(float64(b"0x0000000000000001")).0.out_of_range);
}

#[test]
fn singles_round_once_or_twice() {
    // 1 + 2⁻²⁴ + 2⁻⁶⁰ is above the tie between two singles, but the nearest double is the tie
    // itself.
    let text = b"+0x1.000001000000001p0";
    assert_eq!(rest(strtof(text)).0.to_bits(), 0x3f80_0001);
    assert_eq!(rest(float32(text)).0.value.to_bits(), 0x3f80_0000);
    for (text, bits) in [
        ("0.1", 0x3dcc_cccdu32),
        ("16777217", 0x4b80_0000),
        ("16777219", 0x4b80_0002),
        ("3.4028235e38", 0x7f7f_ffff),
        ("3.4028236e38", 0x7f80_0000),
        ("1e-45", 1),
        ("0x1p-149", 1),
        ("0x1p-150", 0),
        ("1e11", 0x51ba_43b7),
        ("NAN", 0x7fc0_0000),
    ] {
        assert_eq!(rest(strtof(text.as_bytes())).0.to_bits(), bits, "{text}");
    }
}

#[test]
fn bit_patterns() {
    assert_eq!(rest(float32(b"0x3f800000")).0.value, 1.0);
    assert_eq!(rest(float32(b"0x123456783f800000")).0.value, 1.0);
    assert_eq!(rest(float32(b"0x7f800001 1")).0.value.to_bits(), 0x7f80_0001);
    assert_eq!(rest(float32(b"0X3f800000")).0.value, 1_065_353_216.0);
    assert_eq!(rest(float32(b"-0x3f800000")).0.value, -1_065_353_216.0);
    assert_eq!(rest(float64(b"0xc7efffffefffffff")).0.value.to_bits(), 0xc7ef_ffff_efff_ffff);
    assert_eq!(rest(hex_pattern(b"  0xABCdef")), (0x00ab_cdef, ""));
    assert_eq!(rest(hex_pattern(b"0x12345678g")), (0x1234_5678, "g"));
    assert_eq!(rest(hex_pattern(b"0x1234567 9")), (0x0123_4567, " 9"));
    assert_eq!(rest(hex_pattern(b"0x00000000000000000000ff")), (0xff, ""));
    assert_eq!(rest(hex_pattern(b"0x10000000000000000")), (u64::MAX, ""));
    assert_eq!(rest(hex_pattern(b"0x1000000000000000000000000")), (u64::MAX, ""));
    assert_eq!(rest(hex_pattern(b"0x")), (0, "x"));
    assert!(
        hex_pattern(b"0X1").is_err() && hex_pattern(b"-0x1").is_err() && hex_pattern(b"1").is_err()
    );
}

#[test]
fn every_byte_is_a_hex_digit_or_not_in_every_lane() {
    for lane in 0..8 {
        for byte in 0..=255u8 {
            let mut text = *b"0x01234567";
            text[2 + lane] = byte;
            let expected = (byte as char).to_digit(16).map(|_| {
                let text = std::str::from_utf8(&text[2..]).expect("hex digits are text");
                u64::from_str_radix(text, 16).expect("eight hex digits")
            });
            match expected {
                Some(value) => assert_eq!(hex_pattern(&text), Ok((&b""[..], value))),
                None => assert_eq!(
                    hex_pattern(&text).expect("0x at least").0,
                    &text[if lane == 0 { 1 } else { 2 + lane }..]
                ),
            }
        }
    }
}

#[test]
fn integers_base_zero() {
    for (text, value, unread) in [
        ("42", 42, ""),
        ("-7 x", -7, " x"),
        ("+7", 7, ""),
        ("0x1F", 31, ""),
        ("0XfF", 255, ""),
        ("-0x45c1613a", -0x45c1_613a, ""),
        ("017", 15, ""),
        ("08", 0, "8"),
        ("0xg", 0, "xg"),
        ("65535u", 65535, "u"),
        ("4294967295", -1, ""),
        ("0xffffffff", -1, ""),
        ("2147483648", i32::MIN, ""),
        ("9223372036854775807", -1, ""),
        // Clamped to the largest 64-bit number, whose low half is all ones.
        ("99999999999999999999", -1, ""),
        ("-99999999999999999999", 0, ""),
    ] {
        assert_eq!(rest(signed32(text.as_bytes())), (value, unread), "{text}");
    }
    for text in ["", "x", "-", "- 1", ".5"] {
        assert!(signed32(text.as_bytes()).is_err(), "{text}");
    }
    assert_eq!(rest(unsigned32(b"-1")).0, u32::MAX);
    assert_eq!(rest(unsigned32(b"0x1ffffffff")).0, u32::MAX);
    assert_eq!(rest(unsigned32(b"0x123456789abcdef012345")).0, u32::MAX);
    assert_eq!(rest(unsigned32(b"4294967296")).0, 0);
}

#[test]
fn integers_of_64_bits() {
    assert_eq!(rest(signed64(b"0xffffffffffffffff")).0, (-1, false));
    assert_eq!(rest(signed64(b"-9223372036854775808")).0, (i64::MIN, false));
    assert_eq!(rest(signed64(b"-9223372036854775809")).0, (i64::MIN, true));
    assert_eq!(rest(signed64(b"9223372036854775808")).0, (i64::MAX, true));
    assert_eq!(rest(unsigned64(b"18446744073709551615")).0, (u64::MAX, false));
    assert_eq!(rest(unsigned64(b"18446744073709551616")).0, (u64::MAX, true));
    assert_eq!(rest(unsigned64(b"-1")).0, (u64::MAX, false));
}

#[test]
fn scanf_integers_are_decimal() {
    assert_eq!(rest(scan_signed(b" 0x10")), (0, "x10"));
    assert_eq!(rest(scan_signed(b"-012.5")), (-12, ".5"));
    assert_eq!(rest(scan_unsigned(b"-1")), (u64::MAX, ""));
    assert_eq!(rest(scan_hex(b"ff)")), (255, ")"));
    assert_eq!(rest(scan_hex(b"0xff")), (255, ""));
    assert!(scan_signed(b"x").is_err() && scan_signed(b"").is_err() && scan_hex(b"g").is_err());
}

#[test]
fn halves_are_cut() {
    for (value, bits) in [
        (0.0, 0u16),
        (-0.0, 0x8000),
        (1.0, 0x3c00),
        (-2.0, 0xc000),
        (65504.0, 0x7bff),
        (65535.0, 0x7bff),
        (65536.0, 0x7c00),
        (f64::INFINITY, 0x7c00),
        (f64::NEG_INFINITY, 0xfc00),
        // 1 + 1.99 units of the last place.
        (1.0 + 1.99 / 1024.0, 0x3c01),
        (2f64.powi(-14), 0x0400),
        (2f64.powi(-15), 0x0200),
        (2f64.powi(-24), 0x0001),
        (1.99 * 2f64.powi(-24), 0x0001),
        (1.5 * 2f64.powi(-25), 0x0000),
    ] {
        assert_eq!(half_bits(value), bits, "{value}");
    }
    assert_eq!(half_bits(f64::NAN) & 0x7fff, 0x7c01);
}

#[test]
fn fill_stops_at_the_first_word_that_is_no_number() {
    let mut values = [9; 4];
    let (rest, count) = fill(b"1 2, 3 4", &mut values, signed32);
    assert_eq!((rest, count, values), (&b", 3 4"[..], 2, [1, 2, 9, 9]));
}
