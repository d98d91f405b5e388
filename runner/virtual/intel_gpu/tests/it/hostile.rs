//! Batches of a driver with mistakes: random words of recorded batches and of their state are
//! changed. Each batch ends, with an error or not; none panics.

use std::cell::Cell;
use std::time::{Duration, Instant};

use intel_gpu::{Gpu, clock};
use packets::{Memory, Recording};
use vocabulary::Generation;

use crate::replay::{commands, recording};

/// Changed batches for each recording.
const CASES: usize = 150;

/// A generator of random numbers: xorshift64*.
struct Random(Cell<u64>);

impl Random {
    fn next(&self) -> u64 {
        let mut state = self.0.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.0.set(state);
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}

/// Addresses of all words of commands after the headers.
fn words(memory: &Recording, generation: Generation) -> Vec<u64> {
    let words = commands(memory, generation).into_iter().flat_map(|command| {
        (1..command.words.len() as u64).map(move |word| command.address + 4 * word)
    });
    words.collect()
}

/// A word of a command, or one of an object that is not zero.
fn place(memory: &Recording, words: &[u64], random: &Random) -> u64 {
    if random.below(2) == 0 {
        return words[random.below(words.len() as u64) as usize];
    }
    let object = memory.objects[random.below(memory.objects.len() as u64) as usize];
    let mut address = object.address;
    for _ in 0..200 {
        address = object.address + 4 * random.below(object.size / 4);
        if memory.read_u32(address).is_ok_and(|word| word != 0) {
            break;
        }
    }
    address
}

/// Another value of a word.
fn changed(old: u32, random: &Random) -> u32 {
    let bit = 1_u32 << random.below(32);
    match random.below(5) {
        0 => old ^ bit,
        1 => old.wrapping_add(bit),
        2 => random.next() as u32,
        3 => (old & 0xffff_0000) | random.next() as u32 & 0xffff,
        _ => [0, 1, u32::MAX, i32::MAX as u32, 1 << 31][random.below(5) as usize],
    }
}

#[test]
fn changed_batches_end_without_panic() {
    let recordings = Generation::INTEL.map(|generation| (generation, generation.name()));
    let fast = [(Generation::Ivb, "ivb-fast"), (Generation::Skl, "skl-fast")];
    for (generation, name) in recordings.into_iter().chain(fast) {
        let random = Random(Cell::new(0x9e37_79b9_7f4a_7c15));
        let words = words(&recording(name), generation);
        let mut failures = 0;
        for _ in 0..CASES {
            let memory = recording(name);
            for _ in 0..=random.below(3) {
                let address = place(&memory, &words, &random);
                let old = memory.read_u32(address).unwrap_or(0);
                // Objects may end within a word.
                let _ = memory.write(address, &changed(old, &random).to_le_bytes());
            }
            let mut gpu = Gpu::new(generation, clock(generation));
            let start = Instant::now();
            gpu.stop_if(move || start.elapsed() > Duration::from_millis(100));
            failures += usize::from(gpu.execute(&memory, 1, memory.address).is_err());
        }
        assert!((1..CASES).contains(&failures), "{name}: {failures} of {CASES} batches fail");
    }
}
