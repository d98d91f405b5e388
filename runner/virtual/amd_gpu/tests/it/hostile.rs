//! Buffers of packets that no driver writes: each ends with an error or without one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use amd_gpu::{Gpu, clock};
use packets::{Recording, Table};
use vocabulary::Generation;

/// Start of the only object, which has this number of pages.
const BASE: u64 = 0x20_0000;
const PAGES: u64 = 16;

/// A generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }

    /// A word of a packet: an address, a small number, or anything.
    fn word(&mut self) -> u32 {
        match self.below(4) {
            0 => BASE as u32 + (self.next() & 0xfffc),
            1 => self.next() & 0xff,
            2 => 0,
            _ => self.next() << 1 | self.next() & 1,
        }
    }
}

/// A buffer of packets with arguments of any kind, and registers with any value.
fn packets(table: &Table, random: &mut Random) -> Vec<u32> {
    let opcodes: Vec<u32> = table.commands().map(|layout| layout.opcode).collect();
    let registers: Vec<u32> = table.registers().map(|r| r.offset + r.index * r.distance).collect();
    let mut words = Vec::new();
    while words.len() < 400 {
        if random.below(3) > 0 {
            let address = registers[random.below(registers.len())];
            let setters = [(0x79, 0x30000), (0x69, 0x28000), (0x76, 0xb000), (0x68, 0x8000_u32)];
            let setter = setters.into_iter().find(|(_, base)| address >= *base);
            let Some((opcode, base)) = setter else { continue };
            words.extend([0xc001_0000 | opcode << 8, (address - base) / 4, random.word()]);
            continue;
        }
        let opcode = opcodes[random.below(opcodes.len())];
        let count = random.below(10) as u32;
        words.push(opcode | if opcode >> 30 == 3 { count << 16 } else { 0 });
        words.extend((0..=count).map(|_| random.word()));
    }
    words
}

/// Memory that begins with these double words; the others are numbers of any kind.
fn memory(words: &[u32], random: &mut Random) -> Recording {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    // The end of a program in most places: few waves run.
    let filler =
        |random: &mut Random| if random.below(4) == 0 { random.word() } else { 0xbf81_0000 };
    while bytes.len() < (4096 * PAGES) as usize {
        bytes.extend(filler(random).to_le_bytes());
    }
    let pages = bytes.chunks_exact(4096).zip((BASE..).step_by(4096));
    let pages: Vec<u8> =
        pages.flat_map(|(page, at)| [&at.to_le_bytes()[..], page].concat()).collect();
    let map = format!("{BASE:x} {:x}", 4096 * PAGES);
    Recording::of_parts(BASE, 0, &map, &pages).expect("memory")
}

#[test]
fn nothing_panics() {
    let mut failures = Vec::new();
    for generation in Generation::AMD {
        let table = Table::of(generation);
        for seed in 0..1500 {
            let mut random = Random(seed);
            let words = packets(table, &mut random);
            let memory = memory(&words, &mut random);
            let mut gpu = Gpu::new(generation, clock(generation));
            // The rest after an error is executed, too: as the next buffer.
            let mut run = || {
                for start in (0..words.len()).step_by(40) {
                    let rest = 4 * (words.len() - start) as u64;
                    let _ = gpu.execute(&memory, 1, BASE + 4 * start as u64, rest);
                }
            };
            if catch_unwind(AssertUnwindSafe(&mut run)).is_err() {
                failures.push((generation, seed));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:?}");
}
