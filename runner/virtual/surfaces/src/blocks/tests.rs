//! Blocks whose texels follow from the specifications by hand.

use super::Blocks;

fn texel(name: &str, block: u128, x: u32, y: u32) -> [f32; 4] {
    let (blocks, _) = Blocks::of(name).expect("a compressed format");
    blocks.decode(&block.to_le_bytes(), x, y)
}

/// Red, then blue, in 5-6-5 bits; the indices of the first row are 0, 1, 2, 3.
const RED_BLUE: u128 = 0xe4_001f_f800;

#[test]
fn bc1() {
    let row = [0, 1, 2, 3].map(|x| texel("BC1_UNORM", RED_BLUE, x, 0));
    let third = 1.0 / 3.0_f32;
    assert_eq!(row[0], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(row[1], [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(row[2], [2.0 / 3.0, 0.0, third, 1.0]);
    assert_eq!(row[3], [third, 0.0, 2.0 / 3.0, 1.0]);
    // The smaller end point first: three colors and black.
    let swapped = 0xe4_f800_001f;
    assert_eq!(texel("BC1_UNORM", swapped, 2, 0), [0.5, 0.0, 0.5, 1.0]);
    assert_eq!(texel("BC1_UNORM", swapped, 3, 0), [0.0; 4]);
    assert_eq!(texel("DXT1_RGB", swapped, 3, 0), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn bc2_and_bc3_have_alpha() {
    assert_eq!(texel("BC2_UNORM", RED_BLUE << 64 | 0x3, 0, 0), [1.0, 0.0, 0.0, 0.2]);
    // Alpha 255, 0; index 2 is six sevenths of the first.
    let alpha = 0x2 << 16 | 0x00ff;
    let [.., alpha] = texel("BC3_UNORM", RED_BLUE << 64 | alpha, 0, 0);
    assert!((alpha - 6.0 / 7.0).abs() < 1e-6);
}

#[test]
fn bc4_and_bc5() {
    // The ends 0 and 255: indices 6 and 7 are the constants.
    let block = 0o7_6_2 << 16 | 0xff00;
    let value = |x| texel("BC4_UNORM", block, x, 0)[0];
    assert_eq!([value(0), value(1), value(2)], [0.2, 0.0, 1.0]);
    // The ends -128 and 127, signed.
    let signed = 0o6_1_0 << 16 | 0x7f80;
    let value = |x| texel("BC5_SNORM", signed << 64, x, 0)[1];
    assert_eq!([value(0), value(1), value(2)], [-1.0, 1.0, -1.0]);
}

#[test]
fn bc7_mode_6() {
    // Mode 6: red 127 with low bit 1 and 0 with low bit 0; index 15 in the second texel.
    let ends = 127 << 7 | (127 << 21) | (127 << 35);
    let block = 1 << 6 | ends | (127 << 49) | (127 << 56) | 1 << 63;
    let block: u128 = block | (15 << 68);
    assert_eq!(texel("BC7_UNORM", block, 0, 0), [1.0; 4]);
    let [r, g, b, a] = texel("BC7_UNORM", block, 1, 0);
    assert_eq!([r, g, b], [0.0; 3]);
    // 7 bits of ones and a low bit of 0.
    assert_eq!(a, 254.0 / 255.0);
}

#[test]
fn bc7_mode_4() {
    // Two sets of indices, of 2 bits from bit 50 and of 3 bits from bit 81 on; those of the first
    // texel are a bit shorter. The second end point has red and alpha.
    let ends = 1 << 4 | 31 << 13 | 63 << 44;
    let block: u128 = ends | 3 << 51 | 7 << 86;
    assert_eq!(texel("BC7_UNORM", block, 0, 0), [0.0; 4]);
    assert_eq!(texel("BC7_UNORM", block, 1, 0), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(texel("BC7_UNORM", block, 2, 0), [0.0, 0.0, 0.0, 1.0]);
    // The sets are exchanged.
    let exchanged = block | 1 << 7;
    assert_eq!(texel("BC7_UNORM", exchanged, 1, 0), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(texel("BC7_UNORM", exchanged, 2, 0), [1.0, 0.0, 0.0, 0.0]);
    // Alpha changes places with red.
    assert_eq!(texel("BC7_UNORM", block | 1 << 5, 1, 0), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn bc6_plain_mode() {
    // Mode 00011: 10 bits of each end point, not signed; 0x3ff is the largest half.
    let block = 0x03 | 0x3ff << 5 | 0x1ff << 15;
    let [r, g, b, a] = texel("BC6H_UF16", block, 0, 0);
    assert_eq!((r, b, a), (65504.0, 0.0, 1.0));
    // (0x1ff * 2^15 + 2^14) / 2^9 is 0x7fe0; times 31 / 64 is 0x3df0, the half 1.484375.
    assert_eq!(g, 1.484_375);
}

#[test]
fn bc6_has_all_bits_in_each_mode() {
    for mode in ["00", "01", "00010", "00110", "01010", "01110", "10010", "10110", "11010", "11110"]
        .into_iter()
        .chain(["00011", "00111", "01011", "01111"])
    {
        let number = u128::from_str_radix(mode, 2).expect("binary digits");
        // All ones: every component of end point 0 is the largest, differences are -1.
        let block = u128::MAX << mode.len() | number;
        let [r, g, b, _] = texel("BC6H_UF16", block, 0, 0);
        assert!(r == g && g == b && r > 0.0, "{mode}: {r} {g} {b}");
    }
}

/// Bytes in the order of ETC: the first is the highest.
fn etc(block: u64) -> u128 {
    u128::from(block.swap_bytes())
}

#[test]
fn etc1() {
    // Individual mode: red 15 and 0, tables 0 and 1; the index of the first texel is 0, of the
    // texel to its right 3.
    let block = 0xf0_00_00_04 << 32 | 1 << 20 | 1 << 4;
    assert_eq!(texel("ETC1_RGB8", etc(block), 0, 0), [1.0, 2.0 / 255.0, 2.0 / 255.0, 1.0]);
    assert_eq!(texel("ETC1_RGB8", etc(block), 1, 0), [247.0 / 255.0, 0.0, 0.0, 1.0]);
    // The right half begins with red 0 and adds 5.
    assert_eq!(texel("ETC1_RGB8", etc(block), 2, 0), [5.0 / 255.0, 5.0 / 255.0, 5.0 / 255.0, 1.0]);
}

#[test]
fn etc2_punch_through() {
    // Without the flag of opacity, index 2 is transparent, and index 0 the base color.
    let block = 0x80_80_80_00 << 32 | 1 << 16;
    assert_eq!(texel("ETC2_RGB8_PTA", etc(block), 0, 0), [0.0; 4]);
    let gray = 132.0 / 255.0;
    assert_eq!(texel("ETC2_RGB8_PTA", etc(block), 0, 1), [gray, gray, gray, 1.0]);
}

#[test]
fn etc2_planar() {
    // Blue overflows: planes. Red of the origin is 63 of 63, the other corners are 0.
    let block = 0x7e_00_04_02 << 32;
    let red = |x, y| texel("ETC2_RGB8", etc(block), x, y)[0];
    assert_eq!([red(0, 0), red(2, 0), red(2, 1)], [1.0, 128.0 / 255.0, 64.0 / 255.0]);
}

#[test]
fn eac() {
    // Base 128, multiplier 1, table 0; index 4 adds 2, eight times for 11 bits.
    let block = 0x80_10 << 48 | 0o4 << 45;
    assert_eq!(texel("EAC_R11", etc(block), 0, 0)[0], (1024.0 + 4.0 + 16.0) / 2047.0);
    let alpha = texel("ETC2_EAC_RGBA8", etc(block), 0, 0)[3];
    assert_eq!(alpha, 130.0 / 255.0);
}

#[test]
fn fxt1() {
    // Four colors: the second is red; the second texel of the right half has index 1.
    let block = 0b010_u128 << 125 | 0x1f << (64 + 15 + 10) | 1 << (32 + 2);
    assert_eq!(texel("FXT1", block, 5, 0), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(texel("FXT1", block, 4, 0), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn fxt1_with_alpha() {
    // Red, and the alpha of each color; texel 1 has index 3, which is transparent.
    let alone = 0b011_u128 << 125 | 0x1f << (64 + 10) | 0x1f << 109 | 3 << 2;
    assert_eq!(texel("FXT1", alone, 0, 0), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(texel("FXT1", alone, 1, 0), [0.0; 4]);
    // Both halves are lines to the second color, here black without alpha; the right one begins
    // with the third color.
    let line = 1 << 124 | 0b011_u128 << 125 | 0x1f << (64 + 10) | 0x1f << 109;
    let line = line | 0x1f << (94 + 5) | 0x1f << 119 | 1 << 2;
    assert_eq!(texel("FXT1", line, 0, 0), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(texel("FXT1", line, 1, 0), [170.0 / 255.0, 0.0, 0.0, 170.0 / 255.0]);
    assert_eq!(texel("FXT1", line, 4, 0), [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn fxt1_mixed() {
    // The lowest of six bits of green is its own; the first color's is changed by a bit of the
    // first index.
    let mixed = 1_u128 << 127 | 1 << 125 | 3 << 4;
    let green = 4.0 / 255.0;
    assert_eq!(texel("FXT1", mixed, 2, 0), [0.0, green, 0.0, 1.0]);
    assert_eq!(texel("FXT1", mixed, 1, 0), [0.0, green, 0.0, 1.0]);
    assert_eq!(texel("FXT1", mixed | 1 << 1, 1, 0), [0.0, 0.0, 0.0, 1.0]);
    let transparent = mixed | 1 << 124 | 0x1f << (64 + 10) | 1 << 2;
    assert_eq!(texel("FXT1", transparent, 2, 0), [0.0; 4]);
    assert_eq!(texel("FXT1", transparent, 1, 0), [127.0 / 255.0, 2.0 / 255.0, 0.0, 1.0]);
    assert_eq!(texel("FXT1", transparent, 0, 0), [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn astc_of_one_color() {
    // Red 1, green 0, blue 0.5, alpha 1, of 16 bits.
    let block = 0xffff_8000_0000_ffff_u128 << 64 | 0xffff_ffff_ffff_fdfc;
    let [r, g, b, a] = texel("ASTC_LDR_2D_6X5_FLT16", block, 5, 4);
    assert_eq!((r, g, a), (1.0, 0.0, 1.0));
    assert!((b - 0.5).abs() < 1e-4);
}

#[test]
fn astc_of_one_partition() {
    // A grid of 4 by 4 weights of 2 bits, luminance from 0 to 255 of 8 bits each; the weights are
    // stored from the highest bit down: 3, then 0, 0, 0.
    // The mode: bits 6 and 5 are 2, for four rows; bits 1 and 0 are 2, for four values.
    let block: u128 = 0x42 | 255 << (17 + 8) | 3 << 126;
    assert_eq!(texel("ASTC_LDR_2D_4X4_FLT16", block, 0, 0), [1.0; 4]);
    assert_eq!(texel("ASTC_LDR_2D_4X4_FLT16", block, 1, 0), [0.0, 0.0, 0.0, 1.0]);
    // A reserved mode.
    assert_eq!(texel("ASTC_LDR_2D_4X4_FLT16", 0, 0, 0), [1.0, 0.0, 1.0, 1.0]);
}
