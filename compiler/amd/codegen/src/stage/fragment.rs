//! Fragment stage: interpolation, window coordinates, exports of colors and depth.

use super::{barycentric, dwords};
use crate::machine::{Arg, File, M0, Part, ZERO, int};
use crate::output::{ColorExport, FragmentInput, FragmentInterface, PixelValue};
use crate::select::control::StageSelection;
use crate::select::{Held, Selection, Step};
use crate::stage_key::StageKey;
use amd_isa::{Format, Modifiers, Opcode, Operand};
use ir::{
    CompileError, InstKind, Interpolation, Intrinsic, IntrinsicOp, Location, Shader, Slot, Value,
};
use std::collections::BTreeMap;

/// Targets of the exports.
const DEPTH: u8 = 8;
const NULL: u8 = 9;
/// Parameter of `v_interp_mov_f32` that is the provoking vertex's.
const P0: u8 = 2;

/// State of the fragment stage.
pub(crate) struct Fragment {
    interface: FragmentInterface,
    registers: BTreeMap<PixelValue, Part>,
    /// Samples of the framebuffer.
    samples: u32,
}

impl Fragment {
    /// Lays out the initial registers; `next` is the first scalar register after the driver's.
    pub(crate) fn new(s: &mut Selection<'_>, key: &StageKey, next: u8) -> Step<Fragment> {
        let values = pixel_values(s.shader, key);
        let mut registers = BTreeMap::new();
        let mut first = 0;
        for &value in &values {
            registers.insert(value, s.e.fixed(File::Vector, first, value.registers()));
            first += value.registers();
        }
        let info = &s.shader.info;
        let interface = FragmentInterface {
            values,
            primitive_mask: next,
            inputs: inputs(s.shader),
            uses_kill: s.shader.info.fragment.uses_discard,
            per_sample: per_sample(s.shader, key),
            early_tests: info.fragment.early_tests,
            order_dependent: is_order_dependent(s.shader),
            ..FragmentInterface::default()
        };
        let mask = s.e.fixed(File::Scalar, next, 1);
        if !interface.inputs.is_empty() {
            s.e.sop1(Opcode::SMovB32, M0, mask);
        }
        Ok(Fragment { interface, registers, samples: key.samples })
    }

    fn register(&self, value: PixelValue) -> Step<Part> {
        let missing = || CompileError::internal(format!("{value:?} has no register"));
        self.registers.get(&value).copied().ok_or_else(missing)
    }

    /// Numbers of the attributes that an access may read, with the offsets that select them.
    fn attributes(
        &self,
        s: &Selection<'_>,
        intrinsic: &Intrinsic,
        offset: Value,
    ) -> Step<Vec<(u8, u8)>> {
        let number = |offset: u8| {
            let slot = intrinsic.fields.slot.advance(offset)?;
            self.interface.inputs.iter().position(|input| input.slot == slot)
        };
        let found: Vec<(u8, u8)> = match s.constant(offset) {
            Some(offset) => {
                number(offset as u8).map(|at| (offset as u8, at as u8)).into_iter().collect()
            }
            None => {
                (0..=u8::MAX).map_while(|offset| Some((offset, number(offset)? as u8))).collect()
            }
        };
        if found.is_empty() {
            return Err(CompileError::internal("an input without an attribute"));
        }
        Ok(found)
    }

    fn flat_input(&self, s: &mut Selection<'_>, intrinsic: &Intrinsic, result: Value) -> Step {
        let load = |s: &mut Selection<'_>, attribute: Arg| {
            let to = s.e.vector();
            let args = [to.into(), Arg::Fixed(Operand::Param(P0)), attribute];
            s.e.push(Format::Vintrp, Opcode::VInterpMovF32, &args, Modifiers::default());
            to
        };
        self.load(s, intrinsic, intrinsic.srcs[0], result, &load)
    }

    fn interpolated(&self, s: &mut Selection<'_>, intrinsic: &Intrinsic, result: Value) -> Step {
        let bary = intrinsic.srcs[0];
        let (i, j) = (s.dword(bary, 0)?, s.dword(bary, 1)?);
        let (i, j) = (s.e.in_vector(i), s.e.in_vector(j));
        let load = |s: &mut Selection<'_>, attribute: Arg| {
            let to = s.e.vector();
            for (opcode, coordinate) in [(Opcode::VInterpP1F32, i), (Opcode::VInterpP2F32, j)] {
                let args = [to.into(), coordinate.into(), attribute];
                s.e.push(Format::Vintrp, opcode, &args, Modifiers::default());
            }
            to
        };
        self.load(s, intrinsic, intrinsic.srcs[1], result, &load)
    }

    /// Loads the components of an input; of several that a variable index selects, all of them.
    fn load(
        &self,
        s: &mut Selection<'_>,
        intrinsic: &Intrinsic,
        offset: Value,
        result: Value,
        load: &dyn Fn(&mut Selection<'_>, Arg) -> Part,
    ) -> Step {
        let attributes = self.attributes(s, intrinsic, offset)?;
        let mut held = Held::new();
        for c in 0..s.shader.components(result) {
            let channel = intrinsic.fields.component + c;
            let operand = |attribute: u8| Arg::Fixed(Operand::Attribute { attribute, channel });
            let mut chosen = load(s, operand(attributes[0].1));
            for &(number, attribute) in &attributes[1..] {
                let other = load(s, operand(attribute));
                let index = s.dword(offset, 0)?;
                let is_it = s.e.compare(Opcode::VCmpEqU32, int(number.into()), index);
                let next = s.e.vector();
                s.e.select(next, is_it.into(), other, chosen);
                chosen = next;
            }
            held.push(chosen.into());
        }
        s.set(result, held);
        Ok(())
    }

    fn system_value(&self, s: &mut Selection<'_>, op: IntrinsicOp, result: Value) -> Step<bool> {
        match op {
            IntrinsicOp::FragCoord => {
                let mut held = Held::new();
                let integer = s.shader.info.fragment.pixel_center_integer;
                for value in [PixelValue::PositionX, PixelValue::PositionY] {
                    let center = self.register(value)?;
                    held.push(match integer {
                        true => s.e.valu1(Opcode::VFloorF32, &[center.into()]).into(),
                        false => center.into(),
                    });
                }
                held.push(self.register(PixelValue::PositionZ)?.into());
                let w = self.register(PixelValue::PositionW)?;
                held.push(s.e.valu1(Opcode::VRcpF32, &[w.into()]).into());
                s.set(result, held);
            }
            IntrinsicOp::FrontFace => {
                let face = self.register(PixelValue::FrontFace)?;
                let mask = s.nonzero(face.into());
                s.set_masks(result, Held::from_slice(&[mask.into()]))?;
            }
            IntrinsicOp::SampleId => {
                let ancillary = self.register(PixelValue::Ancillary)?;
                let to = s.result(result);
                let sources = [ancillary.into(), int(8).into(), int(4).into()];
                s.e.valu(Opcode::VBfeU32, &[to.into()], &sources);
            }
            IntrinsicOp::SamplePos => {
                let is_multisampled = self.samples > 1;
                let sample = is_multisampled.then(|| self.register(PixelValue::Ancillary));
                barycentric::own_position(s, sample.transpose()?, result)?;
            }
            IntrinsicOp::SampleMaskIn => {
                let coverage = self.register(PixelValue::Coverage)?;
                s.set_parts(result, coverage);
            }
            IntrinsicOp::HelperInvocation => {
                let live = s.live_lanes();
                let mask = match live {
                    Some(live) => {
                        let mask = s.e.mask();
                        s.e.sop1(Opcode::SNotB64, mask, live);
                        mask.into()
                    }
                    None => ZERO,
                };
                s.set_masks(result, Held::from_slice(&[mask]))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Exports the outputs.
    pub(crate) fn finish(mut self, s: &mut Selection<'_>) -> Step<FragmentInterface> {
        s.start_epilogue();
        let mut exports: Vec<(u8, [Arg; 4])> = Vec::new();
        let mut slots: Vec<Slot> = s.outputs.keys().map(|(slot, _)| *slot).collect();
        slots.dedup();
        let depth = [Slot::FragDepth, Slot::FragStencil, Slot::FragSampleMask];
        let [z, stencil, mask] = depth.map(|slot| s.output_channels(slot)[0]);
        let is_off = |arg: Arg| arg == Arg::Fixed(Operand::Off);
        self.interface.writes_depth = !is_off(z);
        self.interface.writes_stencil = !is_off(stencil);
        self.interface.writes_sample_mask = !is_off(mask);
        if ![z, stencil, mask].into_iter().all(is_off) {
            // The unit for depth looks at the enable bit of x only.
            let x = if is_off(z) { s.e.in_vector(ZERO).into() } else { z };
            exports.push((DEPTH, [x, stencil, mask, Arg::Fixed(Operand::Off)]));
        }
        for slot in slots {
            let Slot::FragColor { location, index } = slot else { continue };
            let channels = s.output_channels(slot);
            let target = location + index;
            let mask = (0..4).filter(|&c| !is_off(channels[c])).fold(0, |mask, c| mask | 1 << c);
            self.interface.colors.push(ColorExport { location, index, target, mask });
            exports.push((target, channels));
        }
        if exports.is_empty() {
            exports.push((NULL, [Arg::Fixed(Operand::Off); 4]));
        }
        let last = exports.len() - 1;
        for (index, (target, channels)) in exports.into_iter().enumerate() {
            let done = index == last;
            s.export(target, channels, Modifiers { done, vm: done, ..Modifiers::default() });
        }
        s.e.sopp(Opcode::SEndpgm, &[]);
        if let Some(none_left) = s.none_left() {
            s.e.place(none_left);
            let modifiers = Modifiers { done: true, vm: true, ..Modifiers::default() };
            // EXEC has lanes yet, which must not count.
            s.e.sop1(Opcode::SMovB64, crate::machine::EXEC, ZERO);
            s.export(NULL, [Arg::Fixed(Operand::Off); 4], modifiers);
            s.e.sopp(Opcode::SEndpgm, &[]);
        }
        Ok(self.interface)
    }
}

impl StageSelection for Fragment {
    fn intrinsic(
        &mut self,
        s: &mut Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        if intrinsic.op == IntrinsicOp::StoreOutput {
            return s.store_output(intrinsic).map(|()| true);
        }
        let Some(result) = result else { return Ok(false) };
        match intrinsic.op {
            IntrinsicOp::LoadInput => self.flat_input(s, intrinsic, result)?,
            IntrinsicOp::LoadInterpolatedInput => self.interpolated(s, intrinsic, result)?,
            IntrinsicOp::LoadBarycentric => {
                let value = barycentric_at(intrinsic, self.interface.per_sample);
                let part = self.register(value)?;
                let held = dwords(part, 2).collect();
                s.set(result, held);
            }
            IntrinsicOp::LoadBarycentricAtSample | IntrinsicOp::LoadBarycentricAtOffset => {
                let value = barycentric_elsewhere(intrinsic, self.samples);
                let center = self.register(value)?;
                if is_at_center(intrinsic, self.samples) {
                    s.set(result, dwords(center, 2).collect());
                } else {
                    barycentric::elsewhere(s, intrinsic, value, center, result)?;
                }
            }
            op => return self.system_value(s, op, result),
        }
        Ok(true)
    }
}

/// The coordinates that an intrinsic wants. A shader that runs per sample evaluates there.
fn barycentric_at(intrinsic: &Intrinsic, per_sample: bool) -> PixelValue {
    let location = if per_sample { Location::Sample } else { intrinsic.fields.location };
    match (intrinsic.fields.linear, location) {
        (false, Location::Pixel) => PixelValue::PerspectiveCenter,
        (false, Location::Centroid) => PixelValue::PerspectiveCentroid,
        (false, Location::Sample) => PixelValue::PerspectiveSample,
        (true, Location::Pixel) => PixelValue::LinearCenter,
        (true, Location::Centroid) => PixelValue::LinearCentroid,
        (true, Location::Sample) => PixelValue::LinearSample,
    }
}

/// True for coordinates at a sample of a framebuffer without multisampling.
fn is_at_center(intrinsic: &Intrinsic, samples: u32) -> bool {
    intrinsic.op == IntrinsicOp::LoadBarycentricAtSample && samples <= 1
}

/// The coordinates from which those at a sample or an offset follow.
fn barycentric_elsewhere(intrinsic: &Intrinsic, samples: u32) -> PixelValue {
    match intrinsic.fields.linear {
        true => PixelValue::LinearCenter,
        false if is_at_center(intrinsic, samples) => PixelValue::PerspectiveCenter,
        false => PixelValue::PullModel,
    }
}

fn per_sample(shader: &Shader, key: &StageKey) -> bool {
    shader.info.fragment.sample_shading && key.samples > 1
}

/// The values that the shader wants in registers, in the order of the hardware.
fn pixel_values(shader: &Shader, key: &StageKey) -> Vec<PixelValue> {
    let mut wanted = Vec::new();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
            match intrinsic.op {
                IntrinsicOp::LoadBarycentric => {
                    wanted.push(barycentric_at(intrinsic, per_sample(shader, key)));
                }
                IntrinsicOp::LoadBarycentricAtSample | IntrinsicOp::LoadBarycentricAtOffset => {
                    wanted.push(barycentric_elsewhere(intrinsic, key.samples));
                }
                IntrinsicOp::FragCoord => wanted.extend([
                    PixelValue::PositionX,
                    PixelValue::PositionY,
                    PixelValue::PositionZ,
                    PixelValue::PositionW,
                ]),
                IntrinsicOp::FrontFace => wanted.push(PixelValue::FrontFace),
                IntrinsicOp::SampleId => wanted.push(PixelValue::Ancillary),
                IntrinsicOp::SamplePos if key.samples > 1 => wanted.push(PixelValue::Ancillary),
                IntrinsicOp::SampleMaskIn => wanted.push(PixelValue::Coverage),
                _ => {}
            }
        }
    }
    PixelValue::ALL.into_iter().filter(|value| wanted.contains(value)).collect()
}

fn inputs(shader: &Shader) -> Vec<FragmentInput> {
    let flat = |interpolation| interpolation == Interpolation::Flat;
    let input = |varying: &ir::Varying| FragmentInput {
        slot: varying.slot,
        flat: flat(varying.interpolation),
    };
    shader.info.inputs.iter().map(input).collect()
}

/// True if invocations can see each other's effects.
fn is_order_dependent(shader: &Shader) -> bool {
    use IntrinsicOp::*;
    let used = crate::select::used_operations(shader);
    used.iter().any(|op| {
        matches!(
            op,
            SsboAtomic
                | SsboAtomicSwap
                | StoreSsbo
                | CounterAtomic
                | CounterAtomicSwap
                | ImageStore
                | ImageAtomic
                | ImageAtomicSwap
        )
    })
}
