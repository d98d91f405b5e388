//! Accesses to images: addresses and data by the registers of the instruction.

use amd_isa::Chip;
use gcn_simulator::{
    Host, ImageAccess, ImageKind, ImageOperation, Level, Memory, Outcome, Program, Wave,
};

/// Registers of the descriptors.
const IMAGE: usize = 8;
const SAMPLER: usize = 16;

/// Records accesses; texels are their number and 1, 2, 3.
#[derive(Default)]
struct Images(Vec<ImageAccess>);

impl Memory for Images {
    fn read(&mut self, _: u64, _: &mut [u8]) -> bool {
        false
    }

    fn write(&mut self, _: u64, _: &[u8]) -> bool {
        false
    }

    fn image(&mut self, access: &ImageAccess) -> Result<[u32; 4], String> {
        self.0.push(*access);
        Ok([100 + self.0.len() as u32, 1, 2, 3])
    }
}

impl Host for Images {
    fn memory(&mut self) -> &mut dyn Memory {
        self
    }
}

/// Runs one instruction and a wait, in one lane of a quad whose others are not active.
fn run(
    chip: Chip,
    text: &str,
    kind: ImageKind,
    registers: &[u32],
) -> Result<(Vec<ImageAccess>, Vec<u32>), String> {
    let text = format!("{text}\ns_waitcnt vmcnt(0) expcnt(0)\ns_endpgm");
    let words = amd_isa::assemble(chip, &text).map_err(|error| error.to_string())?;
    let program = Program::new(chip, &words).map_err(|error| error.to_string())?;
    let mut wave = Wave::new();
    wave.set_pair(amd_isa::Scalar::EXEC, 1 << 4);
    for (register, value) in registers.iter().enumerate() {
        wave.vector[register].fill(*value);
    }
    // 16×8 texels, 12 layers.
    let image = [1, 10 << 20, 15 | 7 << 14, 0xfac | u32::from(kind.0) << 28, 15 << 13, 11 << 13];
    wave.scalar[IMAGE..IMAGE + 6].copy_from_slice(&image);
    wave.scalar[SAMPLER] = 2 | 2 << 3;
    let mut host = Images::default();
    let outcome = wave.run(&program, &mut host, 10).map_err(|error| error.to_string())?;
    assert_eq!(outcome, Outcome::Done);
    Ok((host.0, (0..8).map(|register| wave.vector[register][4]).collect()))
}

fn operation(text: &str, kind: ImageKind, registers: &[u32]) -> ImageOperation {
    let (accesses, _) = run(Chip::Si, text, kind, registers).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(accesses.len(), 1, "{text}");
    let access = accesses[0];
    assert_eq!(access.resource.base, 256);
    assert_eq!((access.resource.width, access.resource.height), (16, 8));
    access.operation
}

const fn f(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn parts_of_addresses_have_an_order() {
    // Offset, bias, reference, coordinates, layer.
    let text = "image_sample_c_b_o v0, v[0:5], s[8:15], s[16:19] dmask:0x1 da";
    let registers = [0x003f_0201, f(0.5), f(0.25), f(1.5), f(2.5), f(3.0)];
    let zero = [0.0; 3];
    assert_eq!(
        operation(text, ImageKind::D2_ARRAY, &registers),
        ImageOperation::Sample {
            coordinates: [1.5, 2.5, 0.0],
            layer: 3,
            reference: Some(0.25),
            level: Level::Gradients { dx: zero, dy: zero, bias: 0.5 },
            offset: [1, 2, -1],
            min_level: 0.0,
        }
    );
    // Derivatives of two axes, coordinates.
    let text = "image_sample_d v[0:3], v[0:5], s[8:15], s[16:19] dmask:0xf";
    let registers = [f(1.0), f(2.0), f(3.0), f(4.0), f(5.0), f(6.0)];
    let (dx, dy) = ([1.0, 2.0, 0.0], [3.0, 4.0, 0.0]);
    assert_eq!(
        operation(text, ImageKind::D2, &registers),
        ImageOperation::Sample {
            coordinates: [5.0, 6.0, 0.0],
            layer: 0,
            reference: None,
            level: Level::Gradients { dx, dy, bias: 0.0 },
            offset: [0; 3],
            min_level: 0.0,
        }
    );
    // Coordinates of three axes, level.
    let text = "image_sample_l v[0:3], v[0:3], s[8:15], s[16:19] dmask:0xf";
    let operation = operation(text, ImageKind::D3, &registers);
    let ImageOperation::Sample { coordinates, level, .. } = operation else { panic!() };
    assert_eq!((coordinates, level), ([1.0, 2.0, 3.0], Level::Explicit(4.0)));
}

#[test]
fn coordinates_on_faces_begin_at_one() {
    let text = "image_sample_lz v[0:3], v[0:2], s[8:15], s[16:19] dmask:0xf da";
    for (face, layer) in [(0.0, 0), (5.0, 5), (8.0, 6), (13.0, 11), (16.0, 6)] {
        let operation = operation(text, ImageKind::CUBE, &[f(1.25), f(1.75), f(face)]);
        let ImageOperation::Sample { coordinates, layer: found, .. } = operation else { panic!() };
        assert_eq!((coordinates, found), ([0.25, 0.75, 0.0], layer), "{face}");
    }
}

#[test]
fn channels_of_the_mask_are_packed() {
    let text = "image_load v[4:5], v[0:1], s[8:15] dmask:0xa unorm";
    let (accesses, registers) = run(Chip::Vi, text, ImageKind::D2, &[7, 9]).expect("it runs");
    assert_eq!(registers[4..7], [1, 3, 0]);
    let load = ImageOperation::Load { coordinates: [7, 9, 0], layer: 0, level: 0, sample: 0 };
    assert_eq!((accesses[0].operation, accesses[0].unnormalized), (load, true));
    // A gather has four texels of one channel.
    let text = "image_gather4_lz v[4:7], v[0:1], s[8:15], s[16:19] dmask:0x4";
    let (accesses, registers) = run(Chip::Vi, text, ImageKind::D2, &[0, 0]).expect("it runs");
    assert_eq!(registers[4..8], [101, 1, 2, 3]);
    let ImageOperation::Gather { channel, .. } = accesses[0].operation else { panic!() };
    assert_eq!(channel, 2);
}

#[test]
fn stores_and_atomics() {
    let text = "image_store v[4:5], v[0:2], s[8:15] dmask:0x9 unorm da";
    let registers = [1, 2, 3, 0, 44, 55];
    let store = ImageOperation::Store {
        coordinates: [1, 2, 0],
        layer: 3,
        level: 0,
        sample: 0,
        texel: [44, 0, 0, 55],
    };
    assert_eq!(operation(text, ImageKind::D2_ARRAY, &registers), store);
    let text = "image_atomic_cmpswap v[4:5], v0, s[8:15] dmask:0x3 unorm glc";
    let (accesses, after) = run(Chip::Si, text, ImageKind::D1, &registers).expect("it runs");
    let atomic = ImageOperation::Atomic {
        coordinates: [1, 0, 0],
        layer: 0,
        sample: 0,
        operation: "cmpswap",
        data: [44, 55],
    };
    assert_eq!(accesses[0].operation, atomic);
    assert_eq!(after[4..6], [101, 55], "only the first register returns the old value");
}

#[test]
fn levels_come_from_the_neighbors_of_a_quad() {
    let text = "image_sample v[0:3], v[0:1], s[8:15], s[16:19] dmask:0xf\n\
                s_waitcnt vmcnt(0)\ns_endpgm";
    let words = amd_isa::assemble(Chip::Si, text).expect("it assembles");
    let program = Program::new(Chip::Si, &words).expect("a program");
    let mut wave = Wave::new();
    for lane in 0..64 {
        wave.vector[0][lane] = f((lane % 2) as f32 * 0.5);
        wave.vector[1][lane] = f((lane / 2 % 2) as f32 * 0.25 + (lane % 2) as f32);
    }
    // Only the last lane of a quad is active.
    wave.set_pair(amd_isa::Scalar::EXEC, 1 << 7);
    wave.scalar[IMAGE + 3] = u32::from(ImageKind::D2.0) << 28;
    let mut host = Images::default();
    assert_eq!(wave.run(&program, &mut host, 10), Ok(Outcome::Done));
    let ImageOperation::Sample { level, .. } = host.0[0].operation else { panic!() };
    let (dx, dy) = ([0.5, 1.0, 0.0], [0.0, 0.25, 0.0]);
    assert_eq!(level, Level::Gradients { dx, dy, bias: 0.0 });
}

#[test]
fn bad_accesses_are_errors() {
    let sample = "image_sample v[0:3], v[0:1], s[8:15], s[16:19] dmask:0xf";
    let error = run(Chip::Si, sample, ImageKind(0), &[]).expect_err("a buffer");
    assert!(error.contains("type 0 is not an image"), "{error}");
    let error =
        run(Chip::Si, &format!("{sample} tfe").replace("v[0:3]", "v[0:4]"), ImageKind::D2, &[])
            .expect_err("not modeled");
    assert!(error.contains("not modeled"), "{error}");
    // The third register of the address is still to be loaded.
    let text = "buffer_load_dword v2, off, s[0:3], 0\n\
                image_sample v[4:7], v[0:2], s[8:15], s[16:19] dmask:0xf";
    let error = run(Chip::Si, text, ImageKind::D3, &[]).expect_err("it waits for memory");
    assert!(error.contains("v2 is used before vmcnt"), "{error}");
}

/// The ways of a branch use the same registers as addresses in lanes of their own.
#[test]
fn addresses_of_other_lanes_may_be_loaded() {
    let text = "image_load v[0:3], v[0:1], s[8:15] dmask:0xf unorm
s_lshl_b64 exec, exec, 1
v_mov_b32 v0, 3
v_mov_b32 v1, 2
image_load v[0:3], v[0:1], s[8:15] dmask:0xf unorm";
    let (accesses, _) = run(Chip::Vi, text, ImageKind::D2, &[1; 4]).expect("no hazard");
    assert_eq!(accesses.len(), 2);
    // In the same lane the second load would have to wait for its address.
    let same = text.replace("s_lshl_b64 exec, exec, 1", "");
    assert!(run(Chip::Vi, &same, ImageKind::D2, &[1; 4]).is_err());
}
