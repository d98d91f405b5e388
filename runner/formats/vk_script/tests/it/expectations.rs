//! Comparison of bytes with what scripts expect.

use vk_script::{CommandKind, Rules, Script};

use crate::common::{amber, parse};

/// The message of the last command, an expectation, for the bytes of its buffers.
fn outcome(script: &Script, bytes: &[u8], other: Option<&[u8]>) -> Result<(), String> {
    let command = &script.commands.last().expect("a command").kind;
    let CommandKind::Expect(expectation) = command else {
        panic!("no expectation");
    };
    expectation.check(script, bytes, other).map_err(|mismatch| mismatch.message)
}

fn values(ty: &str, expectation: &str, bytes: &[u8]) -> Result<(), String> {
    let script =
        amber(&format!("BUFFER b DATA_TYPE {ty} SIZE 4 FILL 0\nEXPECT b IDX {expectation}\n"));
    outcome(&script, bytes, None)
}

fn singles(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn integers() {
    let bytes = [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(values("int32", "0 EQ 1 -1", &bytes), Ok(()));
    assert_eq!(values("uint32", "4 EQ 4294967295", &bytes), Ok(()));
    assert_eq!(values("int32", "4 LT 0", &bytes), Ok(()));
    assert_eq!(values("uint32", "4 GT 0", &bytes), Ok(()));
    assert_eq!(
        values("uint32", "4 LT 0", &bytes),
        Err("value 0 at byte 4 is 4294967295, expected < 0".to_owned())
    );
    assert_eq!(
        values("int32", "0 EQ 2 -2", &bytes),
        Err("value 0 at byte 0 is 1, expected == 2; 2 of 2 values differ".to_owned())
    );
    assert_eq!(values("uint16", "0 EQ 1 0 65535", &bytes), Ok(()));
    assert_eq!(values("int64", "0 EQ -4294967295", &bytes), Ok(()));
    assert!(values("int8", "4 NE 255", &bytes).is_err());
    assert_eq!(values("int32", "0 LE 1", &bytes), Ok(()));
    assert!(values("int32", "0 GE 2", &bytes).is_err());
    assert_eq!(values("int32", "0 TOLERANCE 1 EQ 2 0", &bytes), Ok(()));
}

#[test]
fn values_outside_of_the_buffer_fail() {
    let message = "value 1 ends at byte 8 of a buffer of 4 bytes";
    assert_eq!(values("int32", "0 EQ 0 0", &[0; 4]), Err(message.to_owned()));
    assert!(values("int32", "4294967292 EQ 0", &[0; 4]).is_err());
}

#[test]
fn floats() {
    let bytes = singles(&[1.0, 0.1, f32::NAN, -0.0]);
    assert_eq!(values("float", "0 EQ 1 0.1 nan 0", &bytes), Ok(()));
    assert!(values("float", "0 EQ nan", &bytes).is_err());
    assert_eq!(values("float", "8 NE 1", &bytes), Ok(()));
    // A relative error of 10^-8 is less than a step of single precision.
    let next = singles(&[f32::from_bits(1.0_f32.to_bits() + 1)]);
    assert!(values("float", "0 EQ 1", &next).is_err());
    assert_eq!(values("float", "0 TOLERANCE 0.001% EQ 1", &next), Ok(()));
    assert_eq!(values("float", "0 TOLERANCE 0.5 EQ 0.5", &bytes), Ok(()));
    assert!(values("float", "0 TOLERANCE 0.4 EQ 0.5", &bytes).is_err());
    assert_eq!(values("float", "0 TOLERANCE 100% EQ 0.5", &bytes), Ok(()));
    assert_eq!(
        values("float", "0 TOLERANCE 0.25 EQ 0.5", &bytes),
        Err("value 0 at byte 0 is 1.0 (0x3f800000), expected ≈ 0.5 ± 0.25".to_owned())
    );
    assert_eq!(values("float16", "0 EQ 1 -2", &[0x00, 0x3c, 0x00, 0xc0]), Ok(()));
    assert_eq!(values("double", "0 LT 1", &0.5_f64.to_le_bytes()), Ok(()));
    // Values without an order are only unequal.
    assert!(
        values("float", "8 LT 1", &bytes).is_err() && values("float", "8 GE 1", &bytes).is_err()
    );
}

#[test]
fn padding_is_not_compared() {
    let mut bytes = singles(&[1.0, 2.0, 3.0, 9.0, 4.0, 5.0, 6.0, 9.0]);
    bytes.extend([0; 32]);
    assert_eq!(values("vec3<float>", "0 EQ 1 2 3 4 5 6", &bytes), Ok(()));
    assert_eq!(values("mat2x3<float>", "0 EQ 1 2 3 4 5 6", &bytes), Ok(()));
}

fn texels(format: &str, size: [u32; 2], expectation: &str, bytes: &[u8]) -> Result<(), String> {
    let [width, height] = size;
    let script = amber(&format!(
        "IMAGE i FORMAT {format} DIM_2D WIDTH {width} HEIGHT {height} FILL 0\nEXPECT i IDX {expectation}\n"
    ));
    outcome(&script, bytes, None)
}

#[test]
fn colors_of_texels() {
    let mut bytes = vec![0; 4 * 6];
    // Texel (2, 1) of three columns and two rows.
    bytes[20..24].copy_from_slice(&[255, 128, 0, 64]);
    assert_eq!(
        texels("R8G8B8A8_UNORM", [3, 2], "2 1 SIZE 1 1 EQ_RGBA 255 128 0 64", &bytes),
        Ok(())
    );
    assert_eq!(texels("B8G8R8A8_UNORM", [3, 2], "2 1 SIZE 1 1 EQ_RGB 0 128 255", &bytes), Ok(()));
    assert_eq!(texels("R8G8B8A8_UNORM", [3, 2], "0 0 SIZE 3 1 EQ_RGB 0 0 0", &bytes), Ok(()));
    assert_eq!(
        texels("R8G8B8A8_UNORM", [3, 2], "1 0 SIZE 2 2 EQ_RGB 0 0 0", &bytes),
        Err("texel (2, 1) is 1 0.501961 0, expected 0 0 0; 1 of 4 texels differ".to_owned())
    );
    assert_eq!(
        texels("R8G8B8A8_UNORM", [3, 2], "2 1 SIZE 2 1 EQ_RGB 0 0 0", &bytes),
        Err("texels up to (4, 2) are outside of an image of 3 × 2".to_owned())
    );
    assert!(
        texels("R8G8B8A8_UNORM", [3, 2], "0 0 SIZE 4294967295 4294967295 EQ_RGB 0 0 0", &bytes)
            .is_err()
    );
}

#[test]
fn tolerances_of_texels() {
    // One step of 8 bits is 0.0039: more than the default of 0.002.
    assert!(
        texels("R8G8B8A8_UNORM", [1, 1], "0 0 SIZE 1 1 EQ_RGB 10 0 0", &[11, 0, 0, 0]).is_err()
    );
    let tolerance = "0 0 SIZE 1 1 EQ_RGB 10 0 0 TOLERANCE 0.004";
    assert_eq!(texels("R8G8B8A8_UNORM", [1, 1], tolerance, &[11, 0, 0, 0]), Ok(()));
    let each = "0 0 SIZE 1 1 EQ_RGBA 100 100 0 0 TOLERANCE 10% 1% 0 0";
    assert_eq!(texels("R8G8B8A8_UNORM", [1, 1], each, &[110, 101, 0, 0]), Ok(()));
    assert!(texels("R8G8B8A8_UNORM", [1, 1], each, &[110, 102, 0, 0]).is_err());
    // 16 bits: a difference of 0.001.
    let half = 0x8041_u16.to_le_bytes();
    assert_eq!(texels("R16_UNORM", [1, 1], "0 0 SIZE 1 1 EQ_RGB 128 0 0", &half), Ok(()));
}

#[test]
fn channels_that_a_format_lacks() {
    // Amber does not compare them, VkRunner takes 0, 0, 0, 1.
    assert_eq!(texels("R8_UNORM", [1, 1], "0 0 SIZE 1 1 EQ_RGBA 255 9 9 9", &[255]), Ok(()));
    let text = "[require]\nframebuffer R8_UNORM\nfbsize 1 1\n[test]\n";
    let probe = |color: &str| {
        let script = parse(&format!("{text}probe all rgba {color}\n"), Rules::VkRunner);
        outcome(&script.unwrap_or_else(|error| panic!("{error}")), &[255], None)
    };
    assert_eq!(probe("1 0 0 1"), Ok(()));
    assert_eq!(
        probe("1 0.5 0 1"),
        Err("texel (0, 0) is 1 – –, expected 1 0.5 0 1; 1 of 1 texels differ"
            .replace("– –", "– – –"))
    );
}

#[test]
fn srgb_is_linear_for_amber_only() {
    let linear = "0 0 SIZE 1 1 EQ_RGB 128 128 128 TOLERANCE 0.003";
    assert_eq!(texels("R8G8B8A8_SRGB", [1, 1], linear, &[188, 188, 188, 255]), Ok(()));
    let text = "[require]\nframebuffer R8_SRGB\nfbsize 1 1\n[test]\nprobe all rgb 0.737 0 0\n";
    let script = parse(text, Rules::VkRunner).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(outcome(&script, &[188], None), Ok(()));
}

fn two(format: &str, expectation: &str, left: &[u8], right: &[u8]) -> Result<(), String> {
    let elements = 4;
    let script = amber(&format!(
        "BUFFER a DATA_TYPE {format} SIZE {elements} FILL 0\nBUFFER b DATA_TYPE {format} SIZE {elements} FILL 0\n\
         EXPECT a {expectation}\n"
    ));
    outcome(&script, left, Some(right))
}

#[test]
fn equal_buffers() {
    assert_eq!(two("uint8", "EQ_BUFFER b", &[1, 2, 3, 4], &[1, 2, 3, 4]), Ok(()));
    assert_eq!(
        two("uint8", "EQ_BUFFER b", &[1, 2, 3, 4], &[1, 0, 3, 0]),
        Err("byte 1 is 2, expected 0; 2 of 4 bytes differ".to_owned())
    );
    assert_eq!(
        two("uint8", "EQ_BUFFER b", &[1], &[1, 2]),
        Err("buffers of 1 and 2 bytes".to_owned())
    );
}

#[test]
fn root_mean_square_error() {
    // Differences 1, -1, 1, -1: the error is 1.
    assert_eq!(two("uint8", "RMSE_BUFFER b TOLERANCE 1", &[1, 2, 3, 4], &[0, 3, 2, 5]), Ok(()));
    assert_eq!(
        two("uint8", "RMSE_BUFFER b TOLERANCE 0.9", &[1, 2, 3, 4], &[0, 3, 2, 5]),
        Err("root mean square error is 1.000000, more than 0.9".to_owned())
    );
    // Differences 3 and 4 of four values: sqrt(25 / 4).
    let (left, right) = (singles(&[3.0, 0.0, 0.0, -4.0]), singles(&[0.0; 4]));
    assert_eq!(two("float", "RMSE_BUFFER b TOLERANCE 2.5", &left, &right), Ok(()));
    assert!(two("float", "RMSE_BUFFER b TOLERANCE 2.4", &left, &right).is_err());
    let unordered = singles(&[f32::NAN, 0.0, 0.0, 0.0]);
    assert!(two("float", "RMSE_BUFFER b TOLERANCE 9", &unordered, &right).is_err());
}

#[test]
fn distance_of_histograms() {
    let all = |value: u8| vec![value; 16];
    // Every value moves by 64 of 256 bins.
    let expectation = |tolerance: &str| format!("EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE {tolerance}");
    let format = "R8G8B8A8_UNORM";
    assert_eq!(two(format, &expectation("0.25"), &all(10), &all(74)), Ok(()));
    assert_eq!(
        two(format, &expectation("0.2"), &all(10), &all(74)),
        Err("distance of the histograms is 0.250000, more than 0.2".to_owned())
    );
    // The order of the texels does not count.
    let forward: Vec<u8> = (0..16).collect();
    let backward: Vec<u8> = forward.chunks(4).rev().flatten().copied().collect();
    assert_eq!(two(format, &expectation("0"), &forward, &backward), Ok(()));
    let message = "histograms need a format of four channels of 8 bits";
    assert_eq!(two("float", &expectation("1"), &all(0), &all(0)), Err(message.to_owned()));
}

#[test]
fn vkrunner_compares_floats_exactly() {
    let text = "[compute shader]\nvoid main() {}\n[test]\nssbo 0 16\nprobe ssbo";
    let probe = |rules: Rules, line: &str, bytes: &[u8]| {
        let script = parse(&format!("{text} {line}\n"), rules);
        outcome(&script.unwrap_or_else(|error| panic!("{error}")), bytes, None)
    };
    let nan = singles(&[f32::NAN]);
    assert!(probe(Rules::VkRunner, "float 0 0 == nan", &nan).is_err());
    assert_eq!(probe(Rules::Amber, "float 0 0 == nan", &nan), Ok(()));
    // The default of `~=` is 0.01 for VkRunner, a relative 10^-8 for Amber.
    let near = singles(&[1.005]);
    assert_eq!(probe(Rules::VkRunner, "float 0 0 ~= 1", &near), Ok(()));
    assert!(probe(Rules::Amber, "float 0 0 ~= 1", &near).is_err());
    // VkRunner rounds the expected number to a half float.
    let tenth = [0x66, 0x2e];
    assert_eq!(probe(Rules::VkRunner, "float16_t 0 0 == 0.1", &tenth), Ok(()));
}
