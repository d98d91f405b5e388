//! Text of batches of skl in a page of memory, which is state, buffers and kernels, too.

use super::{PrintKernel, Printer};
use crate::layout::Kind;
use crate::memory::Memory;
use crate::recording::Recording;
use crate::table::Table;
use vocabulary::Generation;

const BASE: u64 = 0x20_0000;
const END: u32 = 0x0500_0000;
/// Halves of the base, as a command has addresses.
const LOW: u32 = 0x20_0000;

/// Notes the places of kernels.
#[derive(Default)]
struct Places(Vec<u64>);

impl PrintKernel for Places {
    fn print(&mut self, _: &dyn Memory, address: u64, _: &mut String) {
        self.0.push(address - BASE);
    }
}

/// Text of a command, and the kernels it names. `data` begins at byte 256 of the page; `size` is
/// the known size of all state.
fn printed(command: &[u32], data: &[u32], size: Option<u32>) -> (String, Vec<u64>) {
    printed_on(Generation::Skl, command, data, size)
}

fn printed_on(
    generation: Generation,
    command: &[u32],
    data: &[u32],
    size: Option<u32>,
) -> (String, Vec<u64>) {
    let mut words = [command, &[END]].concat();
    words.resize(64, 0);
    words.extend(data);
    let memory = Recording::of_words(BASE, &words);
    let sizes = |_| size;
    let mut kernels = Places::default();
    let mut printer = Printer::new(Table::of(generation), &memory, &sizes, &mut kernels);
    let bases = &mut printer.bases;
    (bases.surface, bases.dynamic, bases.instruction) = (BASE, BASE, BASE);
    let text = printer.batch(BASE).expect("a batch");
    (text, kernels.0)
}

#[track_caller]
fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in\n{text}");
}

#[test]
fn state_at_pointers() {
    let depths = [0.25_f32, 0.75].map(f32::to_bits);
    // 3DSTATE_VIEWPORT_STATE_POINTERS_CC
    let (text, _) = printed(&[0x7823_0000, 256], &depths, Some(8));
    let state = "CC_VIEWPORT 0\n0x00200100:  0x3e800000 : Dword 0\n    Minimum Depth: 0.250000\n\
                 0x00200104:  0x3f400000 : Dword 1\n    Maximum Depth: 0.750000\n";
    assert_has(&text, state);
    assert!(!text.contains("CC_VIEWPORT 1"));
    for unknown in [None, Some(0)] {
        let (text, _) = printed(&[0x7823_0000, 256], &depths, unknown);
        assert_has(&text, "CC_VIEWPORT 3\n");
    }
    let (text, _) = printed(&[0x7823_0000, 4096], &depths, None);
    assert_has(&text, "  dynamic CC_VIEWPORT state unavailable\n");
}

#[test]
fn constants_are_printed_as_floats_or_digits() {
    let data = [1.1_f32.to_bits(), 0x1234_5678, 0, 2.5_f32.to_bits()];
    // 3DSTATE_CONSTANT_VS with 32 bytes of the first buffer.
    let command = [0x7815_0009, 1, 0, LOW + 256, 0, 0, 0, 0, 0, 0, 0];
    let (text, _) = printed(&command, &data, None);
    let row = "        1.10   0x12345678       0.00       2.50       0.00       0.00       0.00       \
               0.00\n";
    assert_has(&text, &format!("constant buffer 0, size 32\n\n{row}"));
    // All members of a group are printed.
    assert_has(&text, "    Read Length[3]: 0\n");
    let elsewhere = [0x7815_0009, 1, 0, 0x10_0000, 0, 0, 0, 0, 0, 0, 0];
    assert_has(&printed(&elsewhere, &data, None).0, "constant buffer 0 unavailable\n");
}

#[test]
fn vertices_are_printed_by_their_pitch() {
    // Buffer 2 with a pitch of 8 bytes and 16 bytes, and buffer 3, which is empty.
    let command = [0x7808_0007, 2 << 26 | 8, LOW + 256, 0, 16, 3 << 26 | 12, LOW + 512, 0, 0];
    let (text, _) = printed(&command, &[0x1234_5678; 4], None);
    let rows = "    0x12345678   0x12345678\n".repeat(2);
    assert_has(&text, &format!("vertex buffer 2, size 16\n{rows}vertex buffer 3, size 0\n"));
    // The states repeat to the end of the command.
    assert_has(&text, "0x00200004:  0x08000008 : Dword 0\n    Buffer Pitch: 8\n");
    assert_has(&text, "0x00200014:  0x0c00000c : Dword 0\n    Buffer Pitch: 12\n");
    assert_eq!(text.matches("    Buffer Pitch: ").count(), 2);
}

/// Older generations have the address of the last byte.
#[test]
fn vertices_end_at_an_address() {
    let text = |end: u32| {
        let command = [0x7808_0003, 1 << 26 | 8, LOW + 256, end, 0];
        printed_on(Generation::Ivb, &command, &[], None).0
    };
    assert_has(&text(LOW + 256 + 15), "vertex buffer 1, size 16\n");
    assert_has(&text(LOW + 100), "vertex buffer 1, size 0\n");
}

#[test]
fn samplers_at_pointers() {
    // 3DSTATE_SAMPLER_STATE_POINTERS_VS
    let text = |offset| printed(&[0x782b_0000, offset], &[], None).0;
    assert_has(&text(256), "sampler state 0\n0x00200100:");
    assert_has(&text(4096), "  samplers unavailable\n");
    assert_has(&text(264), "  invalid sampler state pointer\n");
}

#[test]
fn kernels_of_compute_shaders() {
    // MEDIA_INTERFACE_DESCRIPTOR_LOAD of two descriptors of 32 bytes.
    let (text, places) =
        printed(&[0x7002_0002, 0, 64, 256], &[0x40, 0, 0, 0, 0, 0, 0, 0, 0x80], None);
    assert_eq!(places, [0x40, 0x80]);
    assert_has(&text, "descriptor 0: 00000100\n");
    assert_has(&text, "descriptor 1: 00000100\n");
}

#[test]
fn surfaces_of_binding_tables() {
    // 3DSTATE_BINDING_TABLE_POINTERS_PS. The second entry is no multiple of 32, the third would end
    // with the object.
    let (text, _) = printed(&[0x782a_0000, 256], &[0x200, 0x201, 0xfc0, 0], Some(16));
    assert_has(&text, "pointer 0: 0x00000200\n");
    assert_has(&text, "pointer 1: 0x00000201 <not valid>\n");
    assert_has(&text, "pointer 2: 0x00000fc0 <not valid>\n");
    assert!(!text.contains("pointer 3"));
    let (text, _) = printed(&[0x782a_0000, 264], &[0], Some(12));
    assert_has(&text, "  invalid binding table pointer\n");
}

#[test]
fn kernels_of_fragment_shaders() {
    let kernels = |enabled: u32| {
        let mut command = [0; 12];
        command[0] = 0x7820_000a;
        (command[1], command[6], command[8], command[10]) = (0x40, enabled, 0x80, 0xc0);
        printed(&command, &[], None)
    };
    let (text, places) = kernels(0b111);
    // The order of the pointers is 8, 32, 16.
    assert_eq!(places, [0x40, 0xc0, 0x80]);
    assert_has(&text, "\nReferenced SIMD16 fragment shader:\n");
    // A kernel that is alone is the first one.
    let (text, places) = kernels(0b010);
    assert_eq!(places, [0x40]);
    assert_has(&text, "\nReferenced SIMD16 fragment shader:\n\n");
    let (text, places) = kernels(0);
    assert!(places.is_empty() && !text.contains("\n\n"), "{text}");
}

#[test]
fn values_of_each_kind() {
    let memory = Recording::of_words(BASE, &[]);
    let mut kernels = Places::default();
    let sizes = |_| None;
    let printer = Printer::new(Table::of(Generation::Skl), &memory, &sizes, &mut kernels);
    let of = |name, kind, value| printer.value(name, kind, value, &vec![(2, "TWO")]);
    assert_eq!(of("", Kind::Bool, 1), "true");
    assert_eq!(of("", Kind::Uint, 3), "3");
    assert_eq!(of("", Kind::Uint, 2), "2 (TWO)");
    assert_eq!(of("", Kind::Address, 0x1000), "0x00001000");
    assert_eq!(of("", Kind::Float, 0x3f40_0000), "0.750000");
    assert_eq!(of("", Kind::Float, 0xffc0_0000), "-nan");
    assert_eq!(of("", Kind::UnsignedFixed(4), 0x18), "1.500000");
    // Eight bits with sign: -8 sixteenths.
    assert_eq!(of("", Kind::SignedFixed(3, 4), 0xf8), "-0.500000");
    assert_eq!(of("", Kind::SignedFixed(3, 4), 0x40), "4.000000");
    assert_eq!(of("", Kind::Named("SAMPLER_STATE"), 0), "<struct SAMPLER_STATE>");
    assert_eq!(of("Surface Format", Kind::Uint, 199), "199 (ISL_FORMAT_R8G8B8A8_UNORM)");
    assert_eq!(of("Other Format", Kind::Uint, 199), "199");
}

/// 3DSTATE_INDEX_BUFFER of 100 bytes, of which the object has four.
#[test]
fn indices_end_with_the_object() {
    let (text, _) = printed(&[0x780a_0003, 1 << 8, LOW + 4092, 0, 100], &[], None);
    assert_has(&text, "\n  0   0 \n");
    let (text, _) = printed(&[0x780a_0003, 1 << 8, LOW + 256, 0, 100], &[2 << 16 | 1], None);
    assert_has(&text, "\n  1   2   0   0   0   0   0   0   0   0 ...\n");
}
