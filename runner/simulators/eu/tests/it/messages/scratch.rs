//! Scratch space that is plain memory.

use super::*;

/// Bytes of plain scratch space.
const PLAIN: u32 = 88;

/// Sends a message with and without plain scratch space: registers and memory are the same. Returns
/// the number of reads and written bytes that are not plain.
fn same(name: &str, inst: Inst, offsets: [u32; 8]) -> usize {
    let setup = |thread: &mut Thread| {
        thread.set_dispatch_mask(0x5f);
        thread.set_register(2, &offsets);
        thread.set_register(3, &COUNT.map(|x| 0x0403_0201 * (x + 7)));
        thread.set_register(4, &COUNT.map(|x| 0x1011_1213 * (x + 3)));
    };
    let mut usual = Recorder::default();
    let scratch = (0..PLAIN as u8).collect();
    let mut plain = Recorder { scratch: Some(scratch), ..Recorder::default() };
    let a = send(name, &mut usual, inst, setup).unwrap();
    let b = send(name, &mut plain, inst, setup).unwrap();
    (10..14).for_each(|nr| assert_eq!(a.register(nr), b.register(nr), "r{nr}"));
    let requests = plain.reads.len() + plain.memory.len();
    for at in 0..2 * PLAIN {
        let key = (Surface::Scratch, at);
        let want = usual.memory.get(&key).copied().unwrap_or(at as u8);
        let own = plain.scratch.as_ref().and_then(|scratch| scratch.get(at as usize));
        let found = plain.memory.get(&key).or(own).copied().unwrap_or(at as u8);
        assert_eq!(found, want, "byte {at}");
    }
    requests
}

#[test]
fn scattered_messages() {
    for (size, offsets, outside) in [
        (2, [0, 4, 8, 40, 12, 16, 20, 24], 0),
        // One element crosses the end, one is past it.
        (2, [0, 86, 8, 120, 12, 16, 20, 24], 2),
        (0, [3, 1, 2, 87, 88, 0, 9, 1], 1),
    ] {
        let control = |op: u32| op << 14 | size << 10 | 255;
        let bytes: usize = if size == 2 { 4 } else { 1 };
        let read = message(Sfid::DataCache, build::grf(10), 2, desc(1, 1, false, control(4)));
        assert_eq!(same("hsw", read, offsets), outside, "reads");
        let write = message(Sfid::DataCache, build::null(), 2, desc(2, 0, false, control(12)));
        assert_eq!(same("hsw", write, offsets), bytes * outside, "writes");
    }
}

#[test]
fn blocks() {
    for register in [0, 2] {
        let control = 1 << 18 | 1 << 12 | register;
        let write = message(Sfid::DataCache, build::null(), 2, desc(3, 0, true, 1 << 17 | control));
        assert_eq!(same("ivb", write, [0; 8]) > 0, register == 2, "the second block is not plain");
        let read = message(Sfid::DataCache, build::grf(10), 2, desc(1, 2, true, control));
        same("ivb", read, [0; 8]);
    }
}
