//! Inserts with constant masks: what `opt_bitfield` makes of every mask and shift, against
//! arithmetic on `u32`.

use super::{opt_algebraic, opt_bitfield, opt_constant_folding, opt_copy_propagation, opt_dce};
use crate::eval::{EvalOptions, TestServices, run};
use crate::testing::numbers::Rng;
use crate::*;

const LANES: usize = 4;
const BASE: Slot = Slot::Var(30);
const INSERT: Slot = Slot::Var(31);

/// How the insert gets to its place.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// `(x << count) & mask`
    ShiftThenMask,
    /// `(x >> count) & mask`, logical.
    DownThenMask,
    /// `(x & mask >> count) << count`
    MaskThenShift,
    /// `x << count`, the mask not spelled.
    Shift,
}

/// `(base & kept) | inserted`, the insert with a shift and a mask.
#[derive(Clone, Copy, Debug)]
struct Case {
    form: Form,
    count: u32,
    mask: u32,
    kept: u32,
    /// The insert is the left operand, and masks are left operands.
    swapped: bool,
}

impl Case {
    fn value(self, base: u32, x: u32) -> u32 {
        let inserted = match self.form {
            Form::ShiftThenMask => x << self.count & self.mask,
            Form::DownThenMask => x >> self.count & self.mask,
            Form::MaskThenShift => (x & self.mask >> self.count) << self.count,
            Form::Shift => x << self.count,
        };
        base & self.kept | inserted
    }

    fn build(self, b: &mut Builder<'_>, base: Value, x: Value) -> Value {
        let either = |l, r| if self.swapped { [r, l] } else { [l, r] };
        let (count, mask, kept) = (b.imm(self.count), b.imm(self.mask), b.imm(self.kept));
        let inserted = match self.form {
            Form::ShiftThenMask | Form::DownThenMask => {
                let down = matches!(self.form, Form::DownThenMask);
                let moved = b.alu(if down { AluOp::Ushr } else { AluOp::Ishl }, &[x, count]);
                b.alu(AluOp::Iand, &either(moved, mask))
            }
            Form::MaskThenShift => {
                let low = b.imm(self.mask >> self.count);
                let masked = b.alu(AluOp::Iand, &either(x, low));
                b.alu(AluOp::Ishl, &[masked, count])
            }
            Form::Shift => b.alu(AluOp::Ishl, &[x, count]),
        };
        let base = b.alu(AluOp::Iand, &either(base, kept));
        b.alu(AluOp::Ior, &either(base, inserted))
    }
}

/// How many `bfi` the passes leave of the cases (at most 32), whose values must be those of
/// [`Case::value`].
fn inserts(cases: &[Case], rng: &mut Rng) -> usize {
    let mut shader = Shader::new(Stage::Fragment);
    let mut b = Builder::new(&mut shader);
    let (base, x) = (b.load_input(BASE, 0, 1), b.load_input(INSERT, 0, 1));
    let place = |i: usize| (Slot::Var(i as u8 / 4), i as u8 % 4);
    for (i, case) in cases.iter().enumerate() {
        let value = case.build(&mut b, base, x);
        let (slot, component) = place(i);
        b.store_output(slot, component, value);
    }
    b.finish();
    opt_algebraic(&mut shader);
    while opt_bitfield(&mut shader) | opt_copy_propagation(&mut shader) {}
    while opt_constant_folding(&mut shader)
        | opt_copy_propagation(&mut shader)
        | opt_dce(&mut shader)
    {}
    validate(&shader).unwrap();

    let mut services = TestServices::default();
    let mut inputs = Vec::new();
    for lane in 0..LANES {
        let (base, x) = (rng.next() as u32, rng.next() as u32);
        services.set_input(lane, BASE, &[base]);
        services.set_input(lane, INSERT, &[x]);
        inputs.push((base, x));
    }
    run(&shader, LANES, &mut services, EvalOptions::default()).unwrap();
    for (i, case) in cases.iter().enumerate() {
        for (lane, &(base, x)) in inputs.iter().enumerate() {
            let (slot, component) = place(i);
            let got = services.output(lane, slot, component);
            assert_eq!(got, Some(case.value(base, x)), "{case:x?} of {base:#x}, {x:#x}\n{shader}");
        }
    }
    let text = shader.to_string();
    text.lines().filter(|line| line.contains("= bfi ")).count()
}

/// All runs of ones except the one that is all.
fn fields() -> impl Iterator<Item = u32> {
    (1..32).flat_map(|ones| (0..=32 - ones).map(move |lowest| ((1u32 << ones) - 1) << lowest))
}

/// The cases of a mask whose insert is a hardware one.
fn cases(mask: u32, swapped: bool) -> [Vec<Case>; 4] {
    let case = |form, count| Case { form, count, mask, kept: !mask, swapped };
    let lowest = mask.trailing_zeros();
    [
        (0..32).filter(|&c| c > 0 || lowest == 0).map(|c| case(Form::ShiftThenMask, c)).collect(),
        (1..32).filter(|c| lowest + c < 32).map(|c| case(Form::DownThenMask, c)).collect(),
        vec![case(Form::MaskThenShift, lowest)],
        if mask.leading_zeros() == 0 { vec![case(Form::Shift, lowest)] } else { Vec::new() },
    ]
}

#[test]
fn every_field_is_inserted_by_the_hardware() {
    let mut rng = Rng::new(21);
    let mut tried = 0;
    for mask in fields() {
        for swapped in [false, true] {
            for cases in cases(mask, swapped) {
                tried += cases.len();
                assert_eq!(
                    inserts(&cases, &mut rng),
                    cases.len(),
                    "{mask:#x}, {swapped}: {cases:x?}"
                );
            }
        }
    }
    assert!(tried > 30_000, "{tried}");
}

/// One bit more or less in either mask, or a mask in two parts: nothing to insert for the hardware.
#[test]
fn other_masks_stay() {
    let mut rng = Rng::new(22);
    let is_field =
        |mask: u32| mask != 0 && (mask >> mask.trailing_zeros()).wrapping_add(1).is_power_of_two();
    let mut tried = 0;
    while tried < 4_000 {
        let all: Vec<u32> = fields().collect();
        let field = rng.pick(&all);
        let form = rng.pick(&[Form::ShiftThenMask, Form::DownThenMask]);
        let (mask, kept) = match rng.below(3) {
            0 => (field, !field ^ 1 << rng.below(32)),
            1 => (field ^ 1 << rng.below(32), !field),
            _ => {
                let mask = rng.next() as u32;
                (mask, !mask)
            }
        };
        if mask == !kept && is_field(mask) {
            continue;
        }
        let case =
            Case { form, count: 1 + rng.below(31) as u32, mask, kept, swapped: rng.below(2) == 0 };
        assert_eq!(inserts(&[case], &mut rng), 0, "{case:x?}");
        tried += 1;
    }
}

/// Nothing changes a value, whether or not masks and shifts fit together.
#[test]
fn values_hold_whatever_the_masks() {
    let mut rng = Rng::new(23);
    for _ in 0..400 {
        let cases: Vec<Case> = (0..32)
            .map(|_| Case {
                form: rng.pick(&[
                    Form::ShiftThenMask,
                    Form::DownThenMask,
                    Form::MaskThenShift,
                    Form::Shift,
                ]),
                count: rng.below(32) as u32,
                mask: rng.int(32) as u32,
                kept: rng.int(32) as u32,
                swapped: rng.below(2) == 0,
            })
            .collect();
        inserts(&cases, &mut rng);
    }
}
