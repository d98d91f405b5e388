//! Buffers of packets that write results into memory.

use amd_gpu::{Gpu, clock};
use packets::{Memory, Recording};
use vocabulary::Generation;

/// Start of the only object, of one page, and of its part for results.
pub(crate) const BASE: u64 = 0x20_0000;
pub(crate) const RESULTS: u64 = BASE + 2048;

/// Executes a buffer of packets and returns the first words of the results.
pub(crate) fn results<const N: usize>(generation: Generation, words: &[u32]) -> [u32; N] {
    let mut page: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    page.resize(4096, 0);
    let pages = [&BASE.to_le_bytes()[..], &page].concat();
    let map = format!("{BASE:x} 1000");
    let memory = Recording::of_parts(BASE, 0, &map, &pages).expect("memory");
    let mut gpu = Gpu::new(generation, clock(generation));
    gpu.execute(&memory, 1, BASE, 4 * words.len() as u64).expect("an executed buffer");
    std::array::from_fn(|i| memory.read_u32(RESULTS + 4 * i as u64).expect("memory"))
}
