//! Text of an index buffer at an address with a sign.

use packets::{NoKernels, Printer, Recording, Table};
use vocabulary::Generation;

/// Start of the only buffer object, without the sign.
const OBJECT: u64 = 0xfffe_ffc8_0000;

/// Drivers of gen8 and later extend bit 47 of addresses; memory has 48 bits.
#[test]
fn addresses_with_a_sign() {
    let mut page = [0_u8; 4096];
    let signed = OBJECT | 0xffff << 48;
    let low = |address: u64| (address & 0xffff_ffff) as u32;
    // 3DSTATE_INDEX_BUFFER of three words at byte 192, then MI_BATCH_BUFFER_END.
    let batch = [0x780a_0003, 1 << 8, low(signed) + 0xc0, low(signed >> 32), 6, 0x0500_0000_u32];
    for (place, word) in page.chunks_exact_mut(4).zip(batch) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    page[0xc0..0xc6].copy_from_slice(&[0, 0, 1, 0, 2, 0]);
    let mut file = format!("batch {OBJECT:x} len 24 ring 1 ver 90 n 1\nPAGE").into_bytes();
    file.extend(OBJECT.to_le_bytes());
    file.extend(page);
    file.extend(b"OBJ.");
    [OBJECT, 4096, 1].iter().for_each(|number| file.extend(number.to_le_bytes()));
    let recording = Recording::parse(&file).expect("a recording");
    let mut kernels = NoKernels;
    let size = |_| None;
    let table = Table::of(Generation::Skl);
    let mut printer = Printer::new(table, &recording, &size, &mut kernels);
    let text = printer.batch(OBJECT).expect("a batch");
    assert!(text.contains("\n  0   1   2 \n"), "{text}");
}
