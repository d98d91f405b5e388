//! Sizes of what stream output wrote, in memory.

use amd_gpu::{Gpu, clock};
use packets::{Memory, Recording};
use vocabulary::Generation;

/// Start of the only object, of one page, and of its part for results.
const BASE: u64 = 0x20_0000;
const RESULTS: u64 = BASE + 2048;

/// Executes a buffer of packets and returns the first words of the results.
fn results<const N: usize>(generation: Generation, words: &[u32]) -> [u32; N] {
    let mut page: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    page.resize(4096, 0);
    let pages = [&BASE.to_le_bytes()[..], &page].concat();
    let map = format!("{BASE:x} 1000");
    let memory = Recording::of_parts(BASE, 0, &map, &pages).expect("memory");
    let mut gpu = Gpu::new(generation, clock(generation));
    gpu.execute(&memory, 1, BASE, 4 * words.len() as u64).expect("an executed buffer");
    std::array::from_fn(|i| memory.read_u32(RESULTS + 4 * i as u64).expect("memory"))
}

/// Stream output counts double words; bit 7 of the packet makes the numbers of the packet bytes.
#[test]
fn filled_sizes_are_bytes_or_double_words() {
    /// `STRMOUT_BUFFER_UPDATE`.
    const UPDATE: u32 = 0xc004_3400;
    /// Store the filled size, and keep it.
    const STORE: u32 = 1 | 3 << 1;
    const BYTES: u32 = 1 << 7;
    let to = |i: u32| RESULTS as u32 + 4 * i;
    let words = [
        [UPDATE, BYTES, 0, 0, 48, 0],
        [UPDATE, STORE, to(0), 0, 0, 0],
        [UPDATE, STORE | BYTES, to(1), 0, 0, 0],
        [UPDATE, 0, 0, 0, 5, 0],
        [UPDATE, STORE | BYTES, to(2), 0, 0, 0],
        // From memory: 48 bytes.
        [UPDATE, BYTES | 2 << 1, 0, 0, to(1), 0],
        [UPDATE, STORE, to(3), 0, 0, 0],
    ];
    for generation in Generation::AMD {
        assert_eq!(results(generation, words.as_flattened()), [12, 48, 20, 12]);
    }
}
