//! Packets that are executed or not because of the results of queries.

use vocabulary::Generation;

use crate::results::{RESULTS, results};

/// Operations of `SET_PREDICATION`.
const SAMPLES: u32 = 1 << 16;
const PRIMITIVES: u32 = 2 << 16;
const VALUE: u32 = 3 << 16;
/// Draw if the result is not zero; for primitives: if all had room.
const VISIBLE: u32 = 1 << 8;
/// The result joins those of the packets before.
const CONTINUE: u32 = 1 << 31;

/// Place of data behind the results.
fn data(i: u32) -> u32 {
    RESULTS as u32 + 0x200 + i
}

/// `WRITE_DATA` to memory.
fn write(to: u32, words: [u32; 8]) -> Vec<u32> {
    [&[0xc00a_3700, 5 << 8, to, 0][..], &words].concat()
}

/// True for each list of predications if a packet after it is executed.
fn executed<const N: usize>(cases: [&[(u32, u32)]; N]) -> [bool; N] {
    let valid = 1 << 31;
    let mut words = [
        // Two zeros, then a value that is not zero.
        write(data(0), [0, 0, 0, 0, 9, 0, 0, 0]),
        // No sample of the first back end passed, and five.
        write(data(0x80), [7, valid, 7, valid, 0, 0, 0, 0]),
        write(data(0x100), [7, valid, 12, valid, 0, 0, 0, 0]),
        // Written and needed before and after: four of four had room, three of four.
        write(data(0x20), [1, 0, 1, 0, 5, 0, 5, 0]),
        write(data(0x40), [1, 0, 1, 0, 4, 0, 5, 0]),
    ]
    .concat();
    for (i, case) in (0..).zip(cases) {
        words.extend(case.iter().flat_map(|&(operation, at)| [0xc001_2000, at, operation]));
        words.extend([0xc003_3701, 5 << 8, RESULTS as u32 + 4 * i, 0, 1]);
        words.extend([0xc001_2000, 0, 0]);
    }
    let [si, vi] = Generation::AMD.map(|generation| results(generation, &words));
    assert_eq!(si, vi);
    si.map(|word: u32| word != 0)
}

#[test]
fn values_and_samples_are_visible_or_not() {
    let (zero, nine, none, five) = (data(0), data(0x10), data(0x80), data(0x100));
    let cases = [
        &[(VALUE, zero)][..],
        &[(VALUE, nine)],
        &[(VALUE | VISIBLE, zero)],
        &[(VALUE | VISIBLE, nine)],
        &[(SAMPLES, none)],
        &[(SAMPLES, five)],
        &[(SAMPLES | VISIBLE, none)],
        &[(SAMPLES | VISIBLE, five)],
    ];
    assert_eq!(executed(cases), [true, false, false, true, true, false, false, true]);
}

/// The bit that means "visible" for samples means "no overflow" for primitives.
#[test]
fn primitives_without_room_are_an_overflow() {
    let (room, overflow) = (data(0x20), data(0x40));
    let cases = [
        &[(PRIMITIVES, room)][..],
        &[(PRIMITIVES, overflow)],
        &[(PRIMITIVES | VISIBLE, room)],
        &[(PRIMITIVES | VISIBLE, overflow)],
    ];
    assert_eq!(executed(cases), [false, true, true, false]);
}

/// Results are joined before the condition is applied: nothing is visible if no part is, and
/// nothing overflowed if no stream did.
#[test]
fn continued_results_are_joined() {
    let (zero, nine, room, overflow) = (data(0), data(0x10), data(0x20), data(0x40));
    let visible = VALUE | VISIBLE;
    let all_room = PRIMITIVES | VISIBLE;
    let cases = [
        &[(VALUE, nine), (VALUE | CONTINUE, zero)][..],
        &[(VALUE, zero), (VALUE | CONTINUE, zero)],
        &[(visible, nine), (visible | CONTINUE, zero)],
        &[(visible, nine), (visible, zero)],
        &[(PRIMITIVES, overflow), (PRIMITIVES | CONTINUE, room)],
        &[(all_room, room), (all_room | CONTINUE, overflow), (all_room | CONTINUE, room)],
        &[(all_room, room), (all_room | CONTINUE, room)],
    ];
    assert_eq!(executed(cases), [false, true, true, false, true, false, true]);
}
