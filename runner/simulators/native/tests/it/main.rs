//! Translated regions, with results worked out by hand.

use native::{
    BranchTarget, Code, Effect, End, FILE, Operation, Place, Region, RegionBlock, State, Step,
    StepSource,
};

/// A row of the file.
fn row(offset: u16) -> StepSource {
    StepSource { place: Place::Row(offset), ..StepSource::NONE }
}

/// Results of an operation on eight lanes of each of two sources; subnormal singles are flushed.
fn results(operation: Operation, sources: [[u32; 8]; 2]) -> [u32; 8] {
    let step = Step {
        operation,
        sources: [row(64), row(96), StepSource::NONE],
        destination: Some(128),
        lanes: 8,
        enables: 0xff,
        group: Some(0),
        predicate: None,
        condition: None,
        saturate: false,
    };
    let end = End::Go(BranchTarget::Leave(4));
    let block =
        RegionBlock { place: 3, join: None, steps: vec![step], effect: Effect::default(), end };
    let region = Region { blocks: vec![block], flushes: true };
    let code = Code::translate(&region, true).expect("this host is known");
    let mut file = [0; FILE];
    let dwords = file[64..].as_chunks_mut::<4>().0;
    for (to, from) in dwords.iter_mut().zip(sources.as_flattened()) {
        *to = from.to_le_bytes();
    }
    let mut state = State { active: 0xff, left: 5, ..State::default() };
    assert_eq!(code.run(0, &mut file, &mut state), 4);
    assert_eq!(state.left, 4);
    let results = file[128..].as_chunks::<4>().0;
    std::array::from_fn(|lane| u32::from_le_bytes(results[lane]))
}

const ZERO: u32 = 0;
const MINUS_ZERO: u32 = 0x8000_0000;
const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
const SUBNORMAL: u32 = 0x0000_0007;
const LEAST: u32 = 0x0080_0000;
const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;
const OTHER_NAN: u32 = 0xffc0_1234;

/// Pairs of singles.
const PAIRS: [[u32; 8]; 2] = [
    [ONE, ZERO, MINUS_ZERO, SUBNORMAL, OTHER_NAN, ONE, OTHER_NAN, INFINITY],
    [TWO, MINUS_ZERO, ZERO, MINUS_ZERO, ONE, OTHER_NAN, NAN, ONE],
];

#[test]
fn sums_have_one_nan_and_no_subnormals() {
    let expected = [0x4040_0000, ZERO, ZERO, ZERO, NAN, NAN, NAN, INFINITY];
    assert_eq!(results(Operation::Add, PAIRS), expected);
    let half = [LEAST, LEAST, SUBNORMAL, ONE, INFINITY, ZERO, MINUS_ZERO, ONE];
    let other = [0x3f00_0000, ONE, TWO, SUBNORMAL, ZERO, INFINITY, ONE, ONE];
    let expected = [ZERO, LEAST, ZERO, ZERO, NAN, NAN, MINUS_ZERO, ONE];
    assert_eq!(results(Operation::Multiply, [half, other]), expected);
    // Just below half a unit of the least normal number: rounding reaches it.
    let below = [0x00ff_ffff; 8];
    assert_eq!(results(Operation::Multiply, [below, [0x3f00_0000; 8]]), [LEAST; 8]);
}

#[test]
fn selection_prefers_numbers_and_the_first_of_equals() {
    // Equal operands: `ge` takes the first, `l` the second.
    let larger = [TWO, ZERO, MINUS_ZERO, ZERO, ONE, ONE, NAN, INFINITY];
    let smaller = [ONE, MINUS_ZERO, ZERO, MINUS_ZERO, ONE, ONE, NAN, ONE];
    assert_eq!(results(Operation::Larger, PAIRS), larger);
    assert_eq!(results(Operation::Smaller, PAIRS), smaller);
}

#[test]
fn divisions_have_results_for_all_dwords() {
    let minus = |value: u32| value.wrapping_neg();
    let least = 0x8000_0000;
    let sources = [
        [7, minus(7), 7, minus(7), 7, minus(7), least, least],
        [2, 2, minus(2), minus(2), 0, 0, minus(1), 3],
    ];
    let quotients = [3, minus(3), minus(3), 3, 0x7fff_ffff, least, least, minus(715_827_882)];
    let remainders = [1, minus(1), 1, minus(1), minus(1), minus(1), 0, minus(2)];
    assert_eq!(results(Operation::DivideSigned, sources), quotients);
    assert_eq!(results(Operation::RemainderSigned, sources), remainders);
    let quotients = [3, 0x7fff_fffc, 0, 0, u32::MAX, u32::MAX, 0, 715_827_882];
    let remainders = [1, 1, 7, minus(7), u32::MAX, u32::MAX, least, 2];
    assert_eq!(results(Operation::DivideUnsigned, sources), quotients);
    assert_eq!(results(Operation::RemainderUnsigned, sources), remainders);
}
