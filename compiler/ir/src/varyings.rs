//! Facts about the interface of two stages: constants among its outputs, components that the next
//! stage reads.

use crate::ids::Value;
use crate::inst::InstKind;
use crate::intrinsics::{Intrinsic, IntrinsicOp};
use crate::ops::AluOp;
use crate::shader::Shader;
use crate::slot::Slot;
use std::collections::{BTreeMap, BTreeSet};

/// Longest chain of moves that is followed to a constant.
const MAX_MOVES: usize = 8;

/// The number of a generic varying. Only those are the shaders' own business: fixed functions read
/// or replace the others.
pub(crate) fn generic(slot: Slot) -> Option<u8> {
    match slot {
        Slot::Var(n) => Some(n),
        _ => None,
    }
}

/// The slot that an access at a constant offset means.
pub(crate) fn slot_at(shader: &Shader, intrinsic: &Intrinsic, offset: Value) -> Option<Slot> {
    let offset = u8::try_from(shader.as_const_u64(offset)?).ok()?;
    intrinsic.fields.slot.advance(offset)
}

/// The offset source of an access to the previous stage's outputs.
pub(crate) fn input_offset(intrinsic: &Intrinsic) -> Option<Value> {
    match intrinsic.op {
        IntrinsicOp::LoadInput => intrinsic.srcs.first().copied(),
        IntrinsicOp::LoadInterpolatedInput | IntrinsicOp::LoadPerVertexInput => {
            intrinsic.srcs.get(1).copied()
        }
        _ => None,
    }
}

fn intrinsics(shader: &Shader) -> impl Iterator<Item = (&Intrinsic, Option<Value>)> {
    shader.block_order().into_iter().flat_map(|block| &shader.blocks[block].insts).filter_map(
        |&inst| {
            let data = &shader.insts[inst];
            match &data.kind {
                InstKind::Intrinsic(intrinsic) => Some((intrinsic, data.result)),
                _ => None,
            }
        },
    )
}

/// Knowledge about one component of a value.
enum Known {
    Constant(u32),
    Undefined,
    Nothing,
}

fn channel(shader: &Shader, mut value: Value, mut component: usize) -> Known {
    for _ in 0..MAX_MOVES {
        match &shader.def(value).kind {
            InstKind::Const(components) => {
                return components
                    .get(component)
                    .map_or(Known::Nothing, |&c| Known::Constant(c as u32));
            }
            InstKind::Undef => return Known::Undefined,
            InstKind::Alu(alu) if alu.op == AluOp::Mov || alu.op.is_vec() => {
                let (src, index) = if alu.op == AluOp::Mov {
                    (alu.srcs.first(), component)
                } else {
                    (alu.srcs.get(component), 0)
                };
                let Some(src) = src else { return Known::Nothing };
                component = usize::from(src.swizzle[index]);
                value = src.value;
            }
            _ => return Known::Nothing,
        }
    }
    Known::Nothing
}

/// Components of generic outputs that have the same constant wherever they are written at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputConstants(BTreeMap<(u8, u8), u32>);

impl OutputConstants {
    /// Returns those of a shader. An output that is not written on some path is undefined there, so
    /// the constant will do.
    pub fn of(shader: &Shader) -> OutputConstants {
        let mut known: BTreeMap<(u8, u8), Option<u32>> = BTreeMap::new();
        for (intrinsic, _) in intrinsics(shader) {
            let (IntrinsicOp::StoreOutput, [value, offset]) = (intrinsic.op, &intrinsic.srcs[..])
            else {
                continue;
            };
            if generic(intrinsic.fields.slot).is_none() {
                continue;
            }
            let Some(slot) = slot_at(shader, intrinsic, *offset).and_then(generic) else {
                // Any of the outputs.
                return OutputConstants::default();
            };
            for c in
                (0..shader.components(*value)).filter(|c| intrinsic.fields.write_mask >> c & 1 != 0)
            {
                let place = (slot, intrinsic.fields.component + c);
                match channel(shader, *value, usize::from(c)) {
                    Known::Constant(bits) => {
                        let entry = known.entry(place).or_insert(Some(bits));
                        *entry = entry.filter(|&other| other == bits);
                    }
                    Known::Undefined => {}
                    Known::Nothing => {
                        known.insert(place, None);
                    }
                }
            }
        }
        OutputConstants(
            known.into_iter().filter_map(|(place, bits)| Some((place, bits?))).collect(),
        )
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The constant in a component (0 to 3) of a generic varying.
    pub fn get(&self, varying: u8, component: u8) -> Option<u32> {
        self.0.get(&(varying, component)).copied()
    }
}

/// Components of generic inputs that a stage reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputReads {
    places: BTreeSet<(u8, u8)>,
    /// An index is only known at run time.
    all: bool,
}

impl InputReads {
    /// Those of a shader.
    pub fn of(shader: &Shader) -> InputReads {
        let mut reads = InputReads::default();
        for (intrinsic, result) in intrinsics(shader) {
            let (Some(offset), Some(result)) = (input_offset(intrinsic), result) else { continue };
            if generic(intrinsic.fields.slot).is_none() {
                continue;
            }
            match slot_at(shader, intrinsic, offset).and_then(generic) {
                Some(slot) => reads.places.extend(
                    (0..shader.components(result)).map(|c| (slot, intrinsic.fields.component + c)),
                ),
                None => reads.all = true,
            }
        }
        reads
    }

    /// Returns true if a component (0 to 3) of a generic varying may be read.
    pub fn contains(&self, varying: u8, component: u8) -> bool {
        self.all || self.places.contains(&(varying, component))
    }
}

/// Returns true if the shader writes a generic output.
pub fn writes_generic_outputs(shader: &Shader) -> bool {
    intrinsics(shader)
        .any(|(i, _)| i.op == IntrinsicOp::StoreOutput && generic(i.fields.slot).is_some())
}

/// Returns true if the shader reads a generic input.
pub fn reads_generic_inputs(shader: &Shader) -> bool {
    intrinsics(shader).any(|(i, _)| input_offset(i).is_some() && generic(i.fields.slot).is_some())
}
