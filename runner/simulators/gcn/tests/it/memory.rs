//! Scalar memory, buffers and the data share.

use amd_isa::Chip;
use gcn_simulator::{Host, Memory, Outcome, Recorder, Resource, Wave};

use crate::{program, run};

const BASE: u64 = 0x10_0000;

/// A wave with lane numbers in v0, and a descriptor in s[0:3].
fn wave(stride: u32, records: u32, word3: u32) -> Wave {
    let mut wave = Wave::new();
    wave.scalar[..6].copy_from_slice(&[BASE as u32, stride << 16, records, word3, BASE as u32, 0]);
    for lane in 0..64 {
        wave.vector[0][lane] = lane as u32;
        wave.vector[1][lane] = 4 * lane as u32;
    }
    wave.local = vec![0; 1024];
    wave.scalar[124] = u32::MAX;
    wave
}

fn execute(chip: Chip, text: &str, wave: &mut Wave, host: &mut Recorder) {
    assert_eq!(run(chip, text, wave, host), Ok(Outcome::Done), "{chip}: {text}");
}

fn numbers() -> Recorder {
    Recorder::with_memory(BASE, &(0..256).map(|index| index * 3).collect::<Vec<u32>>())
}

#[test]
fn descriptors() {
    let resource = Resource::decode([0x1234_5678, 0x8010_00ab, 99, 0x00f7_7fac]);
    assert_eq!(resource.base, 0xab_1234_5678);
    assert_eq!((resource.stride, resource.swizzle, resource.records), (16, true, 99));
    assert_eq!(resource.select, [4, 5, 6, 7]);
    assert_eq!((resource.number_format, resource.data_format), (7, 14));
    assert_eq!((resource.element_bytes, resource.index_stride, resource.add_lane), (8, 64, true));
}

#[test]
fn scalar_loads() {
    for (chip, offset) in [(Chip::Si, "0x2"), (Chip::Vi, "0x8")] {
        let mut wave = wave(0, 16, 0x27fac);
        let text = format!(
            "s_load_dwordx2 s[8:9], s[4:5], {offset}
s_buffer_load_dwordx4 s[12:15], s[0:3], {offset}
s_waitcnt lgkmcnt(0)"
        );
        execute(chip, &text, &mut wave, &mut numbers());
        assert_eq!(wave.scalar[8..10], [6, 9]);
        // The buffer has 16 bytes: the rest is 0.
        assert_eq!(wave.scalar[12..16], [6, 9, 0, 0]);
    }
}

#[test]
fn buffer_loads_are_checked_per_dword() {
    for chip in Chip::ALL {
        let mut wave = wave(0, 4 * 40, 0x27fac);
        let text = "buffer_load_dwordx2 v[2:3], v1, s[0:3], 0 offen offset:8\ns_waitcnt vmcnt(0)";
        execute(chip, text, &mut wave, &mut numbers());
        for lane in 0..64 {
            let expected = |index: u32| if index < 40 { index * 3 } else { 0 };
            assert_eq!(wave.vector[2][lane], expected(lane as u32 + 2));
            assert_eq!(wave.vector[3][lane], expected(lane as u32 + 3));
        }
    }
}

#[test]
fn indexed_formats() {
    // Stride 4, 8_8_8_8 UNORM, selected as x, y, z, w.
    let word3 = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 10 << 15;
    for chip in Chip::ALL {
        let mut wave = wave(4, if chip == Chip::Vi { 32 } else { 8 }, word3);
        let mut host = Recorder::with_memory(BASE, &[0xff80_3300; 16]);
        let text = "buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen\ns_waitcnt vmcnt(0)";
        execute(chip, text, &mut wave, &mut host);
        let channels: Vec<f32> =
            (4..8).map(|register| f32::from_bits(wave.vector[register][3])).collect();
        assert_eq!(channels, [0.0, 0.2, 128.0 / 255.0, 1.0]);
        assert_eq!(wave.vector[7][8], 0, "past the records");
    }
}

#[test]
fn stores_and_atomics() {
    for chip in Chip::ALL {
        let mut wave = wave(0, 256, 0x27fac);
        let mut host = Recorder::with_memory(BASE, &[0; 128]);
        let text = "buffer_store_dword v0, v1, s[0:3], 0 offen
v_mov_b32 v2, 1
buffer_atomic_add v2, off, s[0:3], 0 offset:252 glc
s_waitcnt vmcnt(0)";
        let text = text.replace("v_mov_b32", "s_waitcnt expcnt(0)\nv_mov_b32");
        execute(chip, &text, &mut wave, &mut host);
        assert_eq!(host.dword(BASE + 4 * 20), Some(20));
        assert_eq!(host.dword(BASE + 252), Some(63 + 64));
        assert_eq!(wave.vector[2][10], 63 + 10, "the old value, lane after lane");
    }
}

/// A host part of whose memory is plain.
struct Plain {
    all: Recorder,
    /// Accesses that are not plain.
    others: usize,
}

/// Plain bytes.
const PLAIN: usize = 600;

impl Memory for Plain {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.others += 1;
        self.all.read(address, bytes)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.others += 1;
        self.all.write(address, bytes)
    }

    fn plain(&mut self, address: u64) -> Option<(u64, &mut [u8])> {
        let bytes = &mut self.all.memory[0].1[..PLAIN];
        (address < BASE + PLAIN as u64).then_some((BASE, bytes))
    }
}

impl Host for Plain {
    fn memory(&mut self) -> &mut dyn Memory {
        self
    }
}

#[test]
fn plain_memory_is_memory() {
    // Addresses of lanes in v1 reach from plain memory to other memory, and past the records.
    let swizzled = (1 << 31 | 16, 0x27fac | 1 << 23 | 1 << 19 | 3 << 21);
    let texts = [
        ("buffer_load_dwordx2 v[2:3], v1, s[0:3], 0 offen offset:8", (0, 0x27fac)),
        ("buffer_load_sbyte v2, v1, s[0:3], 0 offen offset:3", (0, 0x27fac)),
        ("buffer_load_ushort v2, v1, s[0:3], 0 offen offset:5", (0, 0x27fac)),
        ("buffer_store_dwordx2 v[4:5], v1, s[0:3], 0 offen offset:400", (0, 0x27fac)),
        ("buffer_store_short v4, v1, s[0:3], 0 offen offset:2", (0, 0x27fac)),
        ("buffer_store_byte v4, v1, s[0:3], 0 offen offset:1", (0, 0x27fac)),
        ("buffer_load_dword v2, v6, s[0:3], 0 offen", swizzled),
        ("buffer_store_dword v4, v6, s[0:3], 0 offen", swizzled),
    ];
    for (chip, (text, (word1, word3))) in
        Chip::ALL.into_iter().flat_map(|chip| texts.map(|text| (chip, text)))
    {
        let start = || {
            let mut wave =
                wave(word1, 800, word3 & if chip == Chip::Vi { 0xfff8_7fff } else { !0 });
            wave.scalar[1] = word1 << 16 | word1 & 1 << 31;
            wave.scalar[126..128].copy_from_slice(&[0xffff_fff0, 0x7fff_0fff]);
            for lane in 0..64 {
                wave.vector[1][lane] = 11 * lane as u32;
                wave.vector[4][lane] = 0x8171_6151 + lane as u32;
                wave.vector[5][lane] = 0x0102_0304 * lane as u32;
                wave.vector[6][lane] = 4 * (lane as u32 % 3);
            }
            wave
        };
        let memory =
            || Recorder::with_memory(BASE, &(0..512).map(|x| x * 0x91).collect::<Vec<_>>());
        let text = format!("{text}\ns_waitcnt vmcnt(0)");
        let (mut usual, mut host) = (start(), memory());
        execute(chip, &text, &mut usual, &mut host);
        let (mut wave, mut plain) = (start(), Plain { all: memory(), others: 0 });
        let outcome = wave.run(&program(chip, &text), &mut plain, 100);
        assert_eq!(outcome, Ok(Outcome::Done), "{chip}: {text}");
        assert!(wave.vector == usual.vector, "{chip}: {text}");
        assert!(plain.all.memory == host.memory, "{chip}: {text}");
        assert!(plain.others < 55, "{chip}: {text}: {}", plain.others);
    }
}

#[test]
fn flat_memory() {
    let start = || {
        let mut wave = wave(0, 0, 0);
        for lane in 0..64 {
            wave.vector[2][lane] = BASE as u32 + 8 * lane as u32;
            wave.vector[3][lane] = 0;
        }
        wave
    };
    let text = "flat_load_dwordx2 v[4:5], v[2:3]
s_waitcnt vmcnt(0) lgkmcnt(0)
v_add_u32 v4, vcc, v4, v5
flat_store_dword v[2:3], v4
flat_atomic_umax v6, v[2:3], v0 glc
s_waitcnt vmcnt(0) lgkmcnt(0)
v_mov_b32 v7, v6";
    let (mut wave, mut host) = (start(), numbers());
    execute(Chip::Vi, text, &mut wave, &mut host);
    assert_eq!(host.dword(BASE + 80), Some(3 * (20 + 21)));
    assert_eq!(host.dword(BASE), Some(3), "the sum, larger than the number of the lane");
    assert_eq!(wave.vector[7][9], 3 * (18 + 19));
    for (counter, is_enough) in [("vmcnt(0)", true), ("lgkmcnt(0)", false)] {
        let text = format!("flat_load_dword v4, v[2:3]\ns_waitcnt {counter}\nv_mov_b32 v7, v4");
        let outcome = run(Chip::Vi, &text, &mut start(), &mut numbers());
        assert_eq!(outcome.is_ok(), is_enough, "{counter}");
    }
    // A load of the data share that is still under way is not covered by a count above 0.
    let text = "ds_read_b32 v5, v1\nflat_load_dword v4, v[2:3]
s_waitcnt lgkmcnt(1)\nv_mov_b32 v7, v5";
    assert!(run(Chip::Vi, text, &mut start(), &mut numbers()).is_err());
}

#[test]
fn data_share() {
    for chip in Chip::ALL {
        let mut wave = wave(0, 0, 0);
        let text = "ds_write_b32 v1, v0 offset:16
s_waitcnt lgkmcnt(0)
ds_read2_b32 v[4:5], v1 offset0:4 offset1:5
ds_read_u8 v6, v1 offset:17
ds_add_rtn_u32 v7, v2, v0 offset:512
s_waitcnt lgkmcnt(0)";
        execute(chip, text, &mut wave, &mut Recorder::default());
        for lane in 0..64 {
            assert_eq!(wave.vector[4][lane], lane as u32);
            assert_eq!(wave.vector[5][lane], if lane == 63 { 0 } else { lane as u32 + 1 });
            assert_eq!(wave.vector[6][lane], 0);
            assert_eq!(wave.vector[7][lane], (0..lane as u32).sum::<u32>());
        }
    }
}

/// Instruction set manual, DS_APPEND and DS_CONSUME: the number of active lanes is added or
/// subtracted, and all get the value before.
#[test]
fn active_lanes_are_counted() {
    for chip in Chip::ALL {
        let mut wave = wave(0, 0, 0);
        let text = "v_mov_b32 v5, 16
v_mov_b32 v6, 40
ds_write_b32 v5, v6
ds_append v2 offset:16
s_mov_b64 exec, 15
ds_consume v3 offset:16
ds_append v4 offset:16
s_waitcnt lgkmcnt(0)";
        execute(chip, text, &mut wave, &mut Recorder::default());
        let lanes = |register: usize| [0, 3].map(|lane| wave.vector[register][lane]);
        assert_eq!([lanes(2), lanes(3), lanes(4)], [[40; 2], [104; 2], [100; 2]], "{chip:?}");
        assert_ne!(wave.vector[3][4], 104, "an inactive lane");
    }
}

#[test]
fn quads_are_permuted() {
    for chip in Chip::ALL {
        let mut wave = wave(0, 0, 0);
        let text = "ds_swizzle_b32 v2, v0 offset:swizzle(QUAD_PERM,1,1,3,3)\ns_waitcnt lgkmcnt(0)";
        execute(chip, text, &mut wave, &mut Recorder::default());
        for lane in 0..64 {
            assert_eq!(wave.vector[2][lane], lane as u32 | 1);
        }
    }
}

#[test]
fn exports_are_recorded() {
    for chip in Chip::ALL {
        let mut wave = wave(0, 0, 0);
        let mut host = Recorder::default();
        execute(chip, "exp pos0 v0, off, v1, off done", &mut wave, &mut host);
        let export = &host.exports[0];
        assert_eq!((export.target, export.done, export.valid_mask), (12, true, false));
        assert_eq!(export.channels[0], Some(wave.vector[0]));
        assert_eq!(export.channels[1], None);
        assert_eq!(export.channels[2], Some(wave.vector[1]));
    }
}

#[test]
fn interpolation() {
    for chip in Chip::ALL {
        let mut wave = wave(0, 0, 0);
        let bits = |value: f32| value.to_bits();
        wave.vector[2] = [bits(0.5); 64];
        wave.vector[3] = [bits(0.25); 64];
        let mut host = Recorder::default();
        host.parameters.push([[[bits(1.0), bits(2.0), bits(4.0)]; 64]; 4]);
        let text = "v_interp_p1_f32 v4, v2, attr0.y\nv_interp_p2_f32 v4, v3, attr0.y
v_interp_mov_f32 v5, p0, attr0.x";
        execute(chip, text, &mut wave, &mut host);
        assert_eq!(f32::from_bits(wave.vector[4][9]), 3.0);
        assert_eq!(f32::from_bits(wave.vector[5][9]), 1.0);
    }
}
