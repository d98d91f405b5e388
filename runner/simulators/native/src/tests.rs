//! Both treatments of subnormal singles, on random instructions.

use crate::code::Code;
use crate::lanes::Subnormals;
use crate::region::{
    BranchTarget, Condition, Effect, End, Operation, Order, Place, Region, RegionBlock, Step,
    StepSource,
};
use crate::state::State;
use crate::{CHUNK, FILE, control};

/// A small generator of numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as u32 ^ (self.0 >> 20) as u32
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }

    /// A dword that is often subnormal, zero, infinite or no number.
    pub(crate) fn dword(&mut self) -> u32 {
        let raw = self.next();
        match self.below(6) {
            0 => raw & 0x807f_ffff,
            1 => raw & 0x80ff_ffff,
            2 => {
                [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001][self.below(6)]
            }
            3 => raw & 0x8fff_ffff | 0x3000_0000,
            _ => raw,
        }
    }

    fn source(&mut self) -> StepSource {
        let place = match self.below(6) {
            0 => Place::Constant(self.dword()),
            1 => Place::Element(self.below(60) as u16 * 4),
            2 => Place::Row(self.below(40) as u16 * 4),
            _ => Place::Row((self.below(12) * CHUNK) as u16),
        };
        let keep = if self.below(5) == 0 { 0x7fff_ffff } else { u32::MAX };
        StepSource { place, keep, flip: (self.next() & 1) << 31, add: 0 }
    }

    fn step(&mut self) -> Step {
        const OPERATIONS: &[Operation] = &[
            Operation::Add,
            Operation::Multiply,
            Operation::MultiplyAdd,
            Operation::Interpolate,
            Operation::Fraction,
            Operation::RoundDown,
            Operation::RoundEven,
            Operation::Inverse,
            Operation::SquareRoot,
            Operation::InverseRoot,
            Operation::Copy,
            Operation::Smaller,
            Operation::Larger,
            Operation::ToSigned,
            Operation::FromSigned,
            Operation::Move,
            Operation::CompareSingles,
        ];
        let operation = OPERATIONS[self.below(OPERATIONS.len())];
        let orders = [Order::Equal, Order::NotEqual, Order::Less, Order::GreaterEqual];
        let order = orders[self.below(4)];
        Step {
            operation,
            sources: [self.source(), self.source(), self.source()],
            destination: Some((self.below(12) * CHUNK) as u16),
            lanes: if self.below(2) == 0 { 8 } else { 16 },
            enables: 0xffff,
            group: Some(0),
            predicate: None,
            condition: operation.compares().then_some(Condition { order, flag: Some(1), base: 3 }),
            saturate: false,
        }
    }
}

#[test]
fn treatments_of_subnormal_singles_agree() {
    if !control::TAKES_FOR_ZERO {
        return;
    }
    let mut random = Random(17);
    for round in 0..1500 {
        let steps: Vec<Step> = (0..4).map(|_| random.step()).collect();
        let end = End::Go(BranchTarget::Leave(9));
        let effect = Effect::default();
        let block = RegionBlock { place: 0, join: None, steps: steps.clone(), effect, end };
        let region = Region { blocks: vec![block], flushes: true };
        let mut file = [0; FILE];
        for bytes in file[..512].as_chunks_mut::<4>().0 {
            *bytes = random.dword().to_le_bytes();
        }
        let run = |subnormals| {
            let code = Code::translate_with(&region, subnormals, true).unwrap();
            let mut state = State { active: 0xffff, left: 4, ..State::default() };
            let mut file = file;
            assert_eq!(code.run(0, &mut file, &mut state), 9);
            (file, state)
        };
        let (host, explicit) = (run(Subnormals::FlushResults), run(Subnormals::Flush));
        assert!(host == explicit, "round {round}: {steps:#x?}");
    }
}
