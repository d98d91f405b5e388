//! Sizes of what stream output wrote, in memory.

use vocabulary::Generation;

use crate::results::{RESULTS, results};

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
