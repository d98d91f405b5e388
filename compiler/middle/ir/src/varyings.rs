//! Facts about the interface of two stages: constants and copies among its outputs, components that
//! the next stage reads.

use crate::ids::{Block, Value};
use crate::info::Stage;
use crate::inst::InstKind;
use crate::intrinsics::{Intrinsic, IntrinsicOp};
use crate::ops::AluOp;
use crate::shader::Shader;
use crate::slot::Slot;
use cranelift_entity::SecondaryMap;
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

/// A value that is the same throughout a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawConstant {
    /// A constant.
    Constant(u32),
    /// The dword at this byte of the default uniform block, which the stages share.
    Uniform(u32),
}

/// Knowledge about one component of a value.
enum Known {
    Constant(DrawConstant),
    Undefined,
    /// Component of a value that no move defines.
    Computed(Value, u8),
}

fn channel(shader: &Shader, mut value: Value, component: u8) -> Known {
    let mut component = usize::from(component);
    for _ in 0..MAX_MOVES {
        match &shader.def(value).kind {
            InstKind::Const(components) if component < components.len() => {
                return Known::Constant(DrawConstant::Constant(components[component] as u32));
            }
            InstKind::Undef => return Known::Undefined,
            InstKind::Alu(alu) if alu.op == AluOp::Mov || alu.op.is_vec() => {
                let (src, index) = if alu.op == AluOp::Mov {
                    (alu.srcs.first(), component)
                } else {
                    (alu.srcs.get(component), 0)
                };
                let Some(src) = src else { break };
                component = usize::from(src.swizzle[index]);
                value = src.value;
            }
            InstKind::Intrinsic(intrinsic) => {
                if let Some(byte) = uniform_byte(shader, intrinsic, value) {
                    let byte = byte + 4 * component as u32;
                    return Known::Constant(DrawConstant::Uniform(byte));
                }
                break;
            }
            _ => break,
        }
    }
    Known::Computed(value, component as u8)
}

/// The byte of the default uniform block at which a load begins that gives dwords.
fn uniform_byte(shader: &Shader, intrinsic: &Intrinsic, result: Value) -> Option<u32> {
    let (IntrinsicOp::LoadUbo, [block, offset]) = (intrinsic.op, &intrinsic.srcs[..]) else {
        return None;
    };
    let is_default = shader.as_const_u64(*block) == Some(0) && shader.bits(result) == 32;
    let offset = shader.as_const_u64(*offset).filter(|_| is_default)?;
    u32::try_from(offset).ok()?.checked_add(intrinsic.fields.base)
}

/// A component (0 to 3) of a generic varying.
pub(crate) type VaryingComponent = (u8, u8);

/// Facts about the generic outputs of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputFacts {
    /// Components that are constant.
    pub constants: OutputConstants,
    /// Components that are the same as another one.
    pub copies: OutputCopies,
}

impl OutputFacts {
    /// Returns those of a shader.
    pub fn of(shader: &Shader) -> OutputFacts {
        OutputFacts { constants: OutputConstants::of(shader), copies: OutputCopies::of(shader) }
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty() && self.copies.0.is_empty()
    }
}

/// Stores to generic outputs by component: place, block and what is stored. `None` if an index is
/// only known at run time, so that any of the outputs may be written.
fn stores(shader: &Shader) -> Option<Vec<(VaryingComponent, Block, Known)>> {
    let mut found = Vec::new();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
            let (IntrinsicOp::StoreOutput, [value, offset]) = (intrinsic.op, &intrinsic.srcs[..])
            else {
                continue;
            };
            let fields = &intrinsic.fields;
            if generic(fields.slot).is_none() {
                continue;
            }
            let slot = slot_at(shader, intrinsic, *offset).and_then(generic)?;
            let written =
                (0..shader.components(*value)).filter(|c| fields.write_mask >> c & 1 != 0);
            found.extend(
                written.map(|c| ((slot, fields.component + c), block, channel(shader, *value, c))),
            );
        }
    }
    Some(found)
}

/// Components of generic outputs that have the same constant of the draw wherever they are written
/// at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputConstants(BTreeMap<VaryingComponent, DrawConstant>);

impl OutputConstants {
    /// Returns those of a shader. An output that is not written on some path is undefined there, so
    /// the constant will do.
    pub fn of(shader: &Shader) -> OutputConstants {
        let mut known: BTreeMap<VaryingComponent, Option<DrawConstant>> = BTreeMap::new();
        for (place, _, stored) in stores(shader).unwrap_or_default() {
            match stored {
                Known::Constant(constant) => {
                    let entry = known.entry(place).or_insert(Some(constant));
                    *entry = entry.filter(|&other| other == constant);
                }
                Known::Undefined => {}
                Known::Computed(..) => {
                    known.insert(place, None);
                }
            }
        }
        OutputConstants(
            known.into_iter().filter_map(|(place, constant)| Some((place, constant?))).collect(),
        )
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The constant in a component (0 to 3) of a generic varying.
    pub fn get(&self, varying: u8, component: u8) -> Option<DrawConstant> {
        self.0.get(&(varying, component)).copied()
    }
}

/// Components of generic outputs that always have the value of another one, which comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputCopies(BTreeMap<VaryingComponent, VaryingComponent>);

impl OutputCopies {
    /// Returns those of a shader: both are written once, in one block. A geometry shader has none,
    /// because each vertex that it emits has values of its own.
    pub fn of(shader: &Shader) -> OutputCopies {
        if !matches!(shader.info.stage, Stage::Vertex | Stage::TessEval) {
            return OutputCopies::default();
        }
        let stores = stores(shader).unwrap_or_default();
        let mut counts: BTreeMap<VaryingComponent, u32> = BTreeMap::new();
        stores.iter().for_each(|(place, ..)| *counts.entry(*place).or_default() += 1);
        let mut first: BTreeMap<(Block, Value, u8), VaryingComponent> = BTreeMap::new();
        let mut single: Vec<(VaryingComponent, (Block, Value, u8))> = stores
            .into_iter()
            .filter(|(place, ..)| counts[place] == 1)
            .filter_map(|(place, block, stored)| match stored {
                Known::Computed(value, component) => Some((place, (block, value, component))),
                _ => None,
            })
            .collect();
        single.sort_unstable();
        let mut copies = BTreeMap::new();
        for (place, stored) in single {
            let original = *first.entry(stored).or_insert(place);
            if original != place {
                copies.insert(place, original);
            }
        }
        OutputCopies(copies)
    }

    /// The place with the value of a component (0 to 3) of a generic varying, if that is a copy.
    pub fn get(&self, varying: u8, component: u8) -> Option<(u8, u8)> {
        self.0.get(&(varying, component)).copied()
    }
}

/// Components of generic inputs that a stage reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputReads {
    places: BTreeSet<VaryingComponent>,
    /// An index is only known at run time.
    all: bool,
}

impl InputReads {
    /// Those of a shader.
    pub fn of(shader: &Shader) -> InputReads {
        let mut reads = InputReads::default();
        let used = used_components(shader);
        for (intrinsic, result) in intrinsics(shader) {
            let (Some(offset), Some(result)) = (input_offset(intrinsic), result) else { continue };
            if generic(intrinsic.fields.slot).is_none() {
                continue;
            }
            match slot_at(shader, intrinsic, offset).and_then(generic) {
                Some(slot) => reads.places.extend(
                    (0..shader.components(result))
                        .filter(|c| used[result] >> c & 1 != 0)
                        .map(|c| (slot, intrinsic.fields.component + c)),
                ),
                None => reads.all = true,
            }
        }
        reads
    }

    /// Returns the components, if all indices are known.
    pub(crate) fn places(&self) -> Option<impl Iterator<Item = VaryingComponent>> {
        (!self.all).then(|| self.places.iter().copied())
    }

    /// Returns true if a component (0 to 3) of a generic varying may be read.
    pub fn contains(&self, varying: u8, component: u8) -> bool {
        self.all || self.places.contains(&(varying, component))
    }
}

/// The components of each value that instructions read, as bits. Only operations tell which.
fn used_components(shader: &Shader) -> SecondaryMap<Value, u8> {
    let mut used: SecondaryMap<Value, u8> = SecondaryMap::new();
    let insts = shader.block_order().into_iter().flat_map(|block| &shader.blocks[block].insts);
    for &inst in insts {
        let data = &shader.insts[inst];
        let (InstKind::Alu(alu), Some(result)) = (&data.kind, data.result) else {
            data.kind.for_each_src(|value| used[value] = u8::MAX);
            continue;
        };
        for (index, src) in alu.srcs.iter().enumerate() {
            let count = alu.op.info().source_components(index, shader.components(result));
            let read = src.swizzle.iter().take(usize::from(count));
            used[src.value] |= read.fold(0, |bits, component| bits | 1 << (component & 3));
        }
    }
    used
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
