//! Return points: which call of a procedure is being executed.
//!
//! All procedures are live in the whole dispatcher, so return points are kept small: a number of a
//! few bits in a word that procedures share. A procedure that is called once needs none, one with
//! many calls stores the state to return to.

use cranelift_entity::SecondaryMap;
use ir::{Builder, Local, Value};

use super::procedure::Procedure;
use super::states::{Label, Machine};

/// Maximum number of calls of a procedure that are numbered.
const MAX_NUMBERED: usize = 16;
const WORD_BITS: u32 = 32;

#[derive(Clone, Copy, Default)]
enum ReturnPoint {
    /// One call.
    #[default]
    Known,
    /// The number of the call, in a part of a word.
    Number { word: Local, shift: u32, bits: u32 },
    /// The state after the call.
    State(Local),
}

/// The return points of all procedures.
pub(super) struct ReturnPoints {
    points: SecondaryMap<Procedure, ReturnPoint>,
}

impl ReturnPoints {
    /// Places the return points; code at the builder's cursor, before all calls, clears them.
    pub(super) fn new(b: &mut Builder<'_>, machine: &Machine) -> ReturnPoints {
        let mut points = SecondaryMap::new();
        let mut open: Option<(Local, u32)> = None;
        for procedure in machine.entries.keys() {
            let calls = machine.sites[procedure].len();
            points[procedure] = match calls {
                0 | 1 => ReturnPoint::Known,
                2..=MAX_NUMBERED => {
                    let bits = usize::BITS - (calls - 1).leading_zeros();
                    let (word, shift) = match open {
                        Some((word, used)) if used + bits <= WORD_BITS => (word, used),
                        _ => (new_word(b), 0),
                    };
                    open = Some((word, shift + bits));
                    ReturnPoint::Number { word, shift, bits }
                }
                _ => ReturnPoint::State(new_word(b)),
            };
        }
        ReturnPoints { points }
    }

    /// Stores the return point of a call.
    pub(super) fn store(
        &self,
        b: &mut Builder<'_>,
        procedure: Procedure,
        site: u32,
        state_after: u32,
    ) {
        match self.points[procedure] {
            ReturnPoint::Known => {}
            ReturnPoint::Number { word, shift, bits } => {
                let mask = ((1u32 << bits) - 1) << shift;
                let old = b.load_var(word);
                let others = b.imm(!mask);
                let others = b.iand(old, others);
                let number = b.imm(site << shift);
                let new = b.ior(others, number);
                b.store_var(word, new);
            }
            ReturnPoint::State(word) => {
                let state = b.imm(state_after);
                b.store_var(word, state);
            }
        }
    }

    /// The state after the call that is being executed.
    pub(super) fn load(
        &self,
        b: &mut Builder<'_>,
        procedure: Procedure,
        sites: &[Label],
        number_of: impl Fn(Label) -> u32,
    ) -> Value {
        let (word, shift, bits) = match self.points[procedure] {
            ReturnPoint::Known => {
                return b.imm(sites.first().map_or(0, |&site| number_of(site)));
            }
            ReturnPoint::State(word) => return b.load_var(word),
            ReturnPoint::Number { word, shift, bits } => (word, shift, bits),
        };
        let word = b.load_var(word);
        let mask = b.imm(((1u32 << bits) - 1) << shift);
        let point = b.iand(word, mask);
        let mut state = b.imm(sites.first().map_or(0, |&site| number_of(site)));
        for (i, &site) in sites.iter().enumerate().skip(1) {
            let here = b.imm((i as u32) << shift);
            let hit = b.ieq(point, here);
            let number = b.imm(number_of(site));
            state = b.bcsel(hit, number, state);
        }
        state
    }
}

fn new_word(b: &mut Builder<'_>) -> Local {
    let word = b.shader.create_local(32, 1, 1, "return");
    let zero = b.imm(0);
    b.store_var(word, zero);
    word
}
