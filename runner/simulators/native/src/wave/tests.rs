//! Translated regions of waves: treatments of hosts that agree, and effects worked out by hand.

use super::region::CONDITIONS;
use super::*;
use crate::control;
use crate::region::BranchTarget;
use crate::tests::Random;

const REGISTERS: usize = 8;
const EXEC: usize = region::EXEC as usize;

/// Registers of a wave.
#[derive(Clone, Debug, PartialEq)]
struct Registers {
    vectors: Vec<[u32; LANES]>,
    scalars: [u32; SCALARS],
    state: WaveState,
}

impl Registers {
    fn new(random: &mut Random, left: u64) -> Registers {
        let vectors = (0..REGISTERS).map(|_| std::array::from_fn(|_| random.dword())).collect();
        let mut scalars = std::array::from_fn(|_| random.dword());
        scalars[EXEC..].fill(u32::MAX);
        Registers { vectors, scalars, state: WaveState::new(false, false, left, None) }
    }

    fn run(&mut self, code: &WaveCode, block: u32) -> Option<u32> {
        code.run(block, &mut self.vectors, &mut self.scalars, &mut self.state)
    }
}

fn register(number: u8) -> LaneSource {
    LaneSource { place: LanePlace::Register(number), ..LaneSource::NONE }
}

fn vector(operation: LaneOperation, sources: [LaneSource; 3], destination: u8) -> VectorStep {
    VectorStep {
        operation,
        sources,
        destination: Some(destination),
        mask: None,
        sets_exec: false,
        factor: None,
        clamp: false,
    }
}

fn scalar(
    operation: ScalarOperation,
    wide: bool,
    destination: Option<u8>,
    sources: [ScalarSource; 2],
) -> WaveStep {
    WaveStep::Scalar(ScalarStep { operation, wide, destination, sources })
}

fn block(place: u32, steps: Vec<WaveStep>, end: WaveEnd) -> WaveBlock {
    WaveBlock { place, steps, registers: RegisterSet::default(), end }
}

fn region(blocks: Vec<WaveBlock>) -> WaveRegion {
    WaveRegion { blocks, tracks_conditions: true }
}

impl Random {
    fn lane_source(&mut self) -> LaneSource {
        let place = match self.below(6) {
            0 => LanePlace::Constant(self.dword().into()),
            1 => LanePlace::Scalar(self.below(10) as u8),
            _ => LanePlace::Register(self.below(REGISTERS) as u8),
        };
        let keep = if self.below(5) == 0 { 0x7fff_ffff } else { u64::MAX };
        LaneSource { place, wide: false, keep, flip: u64::from(self.next() & 1) << 31 }
    }

    fn single_step(&mut self) -> WaveStep {
        use LaneOperation::*;
        const OPERATIONS: &[LaneOperation] = &[
            Add,
            Subtract,
            Multiply,
            MultiplyLegacy,
            MultiplyAdd,
            MultiplyAddLegacy,
            Minimum,
            Maximum,
            MinimumLegacy,
            MaximumLegacy,
            Minimum3,
            Maximum3,
            Median,
            Fraction,
            Truncate,
            RoundUp,
            RoundDown,
            RoundEven,
            Inverse,
            SquareRoot,
            InverseRoot,
            ToSigned,
            FromSigned,
            Move,
            And,
        ];
        let operation = OPERATIONS[self.below(OPERATIONS.len())];
        let sources = [self.lane_source(), self.lane_source(), self.lane_source()];
        let mut step = vector(operation, sources, self.below(REGISTERS) as u8);
        if self.below(6) == 0 && !matches!(operation, ToSigned | Move | And) {
            step.factor = [None, Some(0.5_f32), Some(2.0)][self.below(3)].map(f32::to_bits);
            step.clamp = self.below(2) == 0;
        }
        if self.below(5) == 0 {
            let of = |bits: u32, bit: u32| bits >> bit & 1 != 0;
            let bits = self.next();
            let orders = LaneOrders {
                less: of(bits, 4),
                equal: of(bits, 5),
                greater: of(bits, 6),
                unordered: of(bits, 7),
            };
            step.operation = Compare(LaneType::Single, orders);
            (step.destination, step.factor, step.clamp) = (None, None, false);
            step.mask = Some(10 + 2 * self.below(3) as u8);
        }
        WaveStep::Vector(step)
    }
}

/// Hosts that take subnormal singles for zero and choose among NaNs as waves do, and those that do
/// not.
#[test]
fn treatments_agree() {
    if !control::TAKES_FOR_ZERO {
        return;
    }
    let mut random = Random(29);
    for round in 0..1500 {
        let steps: Vec<WaveStep> = (0..5).map(|_| random.single_step()).collect();
        let all = block(0, steps.clone(), WaveEnd::Go(BranchTarget::Leave(9)));
        let region = region(vec![all]);
        let mut before = Registers::new(&mut random, 5);
        let full = round % 2 == 0;
        if !full {
            before.scalars[EXEC] = random.next();
        }
        let run = |subnormals, hosts_nans| {
            let treatment = Treatment { subnormals, hosts_nans };
            let code = WaveCode::translate_with(&region, treatment, full).unwrap();
            let mut registers = before.clone();
            assert_eq!(registers.run(&code, 0), Some(9));
            registers
        };
        let host = run(Subnormals::FlushResults, true);
        for explicit in [run(Subnormals::Flush, false), run(Subnormals::FlushResults, false)] {
            assert!(host == explicit, "round {round}: {steps:#x?}");
        }
    }
}

/// A loop that adds a register to another one five times.
fn counting() -> WaveRegion {
    let own = ScalarSource::Register(4);
    let steps = vec![
        WaveStep::Vector(vector(
            LaneOperation::AddCarry,
            [register(0), register(1), LaneSource::NONE],
            0,
        )),
        scalar(ScalarOperation::AddUnsigned, false, Some(4), [own, ScalarSource::Constant(1)]),
        scalar(
            ScalarOperation::Compare(
                LaneType::Unsigned,
                LaneOrders { less: true, equal: false, greater: false, unordered: false },
            ),
            false,
            None,
            [own, ScalarSource::Constant(5)],
        ),
    ];
    let again = BranchTarget::RegionBlock(0);
    let end = WaveEnd::Branch(WaveTest::Scc(true), again, BranchTarget::Leave(7));
    region(vec![block(3, steps, end)])
}

#[test]
fn loops_end_within_their_budget() {
    let mut random = Random(3);
    let mut before = Registers::new(&mut random, 0);
    before.scalars[4] = 0;
    let code = WaveCode::translate(&counting(), true).expect("this host is known");
    for (left, turns, place) in [(100, 5, 7), (20, 5, 7), (19, 4, 3), (4, 1, 3), (3, 0, 3)] {
        let mut registers = before.clone();
        registers.state = WaveState::new(false, true, left, None);
        assert_eq!(registers.run(&code, 0), Some(place));
        assert_eq!(registers.state.left, left - 4 * turns);
        assert_eq!(registers.scalars[4], turns as u32);
        assert_eq!(registers.state.trail().count(), turns as usize);
        for lane in 0..LANES {
            let sum = before.vectors[1][lane].wrapping_mul(turns as u32);
            assert_eq!(registers.vectors[0][lane], before.vectors[0][lane].wrapping_add(sum));
        }
    }
}

/// Code for all lanes executes nothing with fewer; other code keeps the lanes that are not active.
#[test]
fn lanes_that_are_not_active_stay() {
    let mut random = Random(4);
    let mut before = Registers::new(&mut random, 100);
    before.scalars[4] = 4;
    before.scalars[EXEC..].copy_from_slice(&[0x8000_0011, 0]);
    let full = WaveCode::translate(&counting(), true).expect("this host is known");
    let mut registers = before.clone();
    assert_eq!(registers.run(&full, 0), Some(3));
    assert_eq!(registers.state.left, 100);
    let partial = WaveCode::translate(&counting(), false).expect("this host is known");
    assert_eq!(registers.run(&partial, 0), Some(7));
    for lane in 0..LANES {
        let is_active = [0, 4, 31].contains(&lane);
        let sum = if is_active { before.vectors[1][lane] } else { 0 };
        assert_eq!(registers.vectors[0][lane], before.vectors[0][lane].wrapping_add(sum));
    }
}

/// A mask that an instruction of a run writes decides in the run, and is in its registers after it,
/// without lanes that are not active.
#[test]
fn masks_are_known_within_a_run() {
    let less = LaneOrders { less: true, equal: false, greater: false, unordered: false };
    let compare = VectorStep {
        destination: None,
        mask: Some(CONDITIONS),
        ..vector(
            LaneOperation::Compare(LaneType::Unsigned, less),
            [register(0), register(1), LaneSource::NONE],
            0,
        )
    };
    let mask = LaneSource { place: LanePlace::Mask(CONDITIONS), ..LaneSource::NONE };
    let pick = vector(LaneOperation::Pick, [register(0), register(1), mask], 2);
    let conditions = LaneSource { place: LanePlace::Scalar(CONDITIONS), ..LaneSource::NONE };
    let copy = vector(LaneOperation::Move, [conditions, LaneSource::NONE, LaneSource::NONE], 3);
    let steps = [compare, pick, copy].map(WaveStep::Vector).to_vec();
    let end = WaveEnd::Branch(
        WaveTest::ConditionsZero(true),
        BranchTarget::Leave(8),
        BranchTarget::Leave(9),
    );
    let region = region(vec![block(0, steps, end)]);
    let code = WaveCode::translate(&region, false).expect("this host is known");
    for exec in [u64::MAX, 0x0123_4567_89ab_cdef, 0] {
        let mut registers = Registers::new(&mut Random(5), 4);
        registers.scalars[EXEC] = exec as u32;
        registers.scalars[EXEC + 1] = (exec >> 32) as u32;
        let before = registers.clone();
        let truths = |lane: usize| before.vectors[0][lane] < before.vectors[1][lane];
        let mask = (0..LANES).filter(|lane| truths(*lane)).fold(0, |mask, lane| mask | 1 << lane);
        let mask: u64 = mask & exec;
        assert_eq!(registers.run(&code, 0), Some(if mask == 0 { 8 } else { 9 }));
        let at = usize::from(CONDITIONS);
        assert_eq!(registers.scalars[at..at + 2], [mask as u32, (mask >> 32) as u32]);
        assert_eq!(registers.state.conditions_zero, mask == 0);
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let [first, second] = [0, 1].map(|number: usize| before.vectors[number][lane]);
            assert_eq!(registers.vectors[2][lane], if truths(lane) { second } else { first });
            assert_eq!(registers.vectors[3][lane], mask as u32);
        }
    }
}

/// A block with an awaited register is not executed, others are; a wait demands that there is none.
#[test]
fn awaited_registers_end_the_code() {
    let mut awaited = RegisterSet::default();
    awaited.add_vector(130);
    awaited.add_scalar(70);
    let with = |operation, registers| {
        let step = scalar(operation, false, None, [ScalarSource::Constant(0); 2]);
        let all = block(4, vec![step], WaveEnd::Go(BranchTarget::Leave(5)));
        let region = region(vec![WaveBlock { registers, ..all }]);
        WaveCode::translate(&region, true).expect("this host is known")
    };
    let run = |code: &WaveCode, awaited| {
        let mut registers = Registers::new(&mut Random(7), 4);
        registers.state.awaited = awaited;
        registers.run(code, 0)
    };
    let wait = with(ScalarOperation::Wait, RegisterSet::default());
    assert_eq!((run(&wait, None), run(&wait, Some(awaited))), (Some(5), Some(4)));
    for (vector, code, place) in [(130, 3, 4), (3, 70, 4), (131, 71, 5), (66, 6, 5)] {
        let mut registers = RegisterSet::default();
        registers.add_vector(vector);
        registers.add_scalar(code);
        let code = with(ScalarOperation::Nothing, registers);
        assert_eq!((run(&code, None), run(&code, Some(awaited))), (Some(5), Some(place)));
    }
}

/// Registers that a wave does not have are not touched.
#[test]
fn a_wave_has_the_registers_of_the_code() {
    let step = vector(LaneOperation::Move, [register(7), LaneSource::NONE, LaneSource::NONE], 200);
    let all = block(0, vec![WaveStep::Vector(step)], WaveEnd::Go(BranchTarget::Leave(1)));
    let code = WaveCode::translate(&region(vec![all]), true).expect("this host is known");
    let mut registers = Registers::new(&mut Random(6), 4);
    assert_eq!(registers.run(&code, 0), None);
    registers.vectors.resize(201, [0; LANES]);
    assert_eq!(registers.run(&code, 0), Some(1));
    assert_eq!(registers.vectors[200], registers.vectors[7]);
    // A block that does not exist.
    assert_eq!(registers.run(&code, 1), Some(u32::MAX));
}
