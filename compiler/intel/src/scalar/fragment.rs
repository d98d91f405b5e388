//! Fragment stage: payload, inputs, discard, render-target writes, and the driver of its compilation.

use super::memory::{is_order_dependent, writes_memory};
use super::translate::{Components, Translator};
use super::uniforms::choose_push_ranges;
use crate::error::CompileError;
use crate::lir::build::Builder;
use crate::lir::{Arf, CondMod, Inst, Op, Operand, PredMode, REG_SIZE, Type};
use crate::model::{Model, model_for};
use crate::options::{Options, StageKey};
use crate::output::{
    Barycentric, Compiled, FragmentInput, FragmentInterface, Interface, Kernel, Stage, Surface, Varying,
    Width,
};
use crate::sends::{self, RenderTargetLayout};
use crate::surfaces::BindingTable;
use eu::DevInfo;
use ir::{InstKind, Interpolation, Intrinsic, IntrinsicOp, Location, Shader, Slot, Value};
use std::collections::BTreeMap;

/// Control register bit: keep DF denormals.
const CR0_FP64_DENORM_PRESERVE: u32 = 1 << 6;
/// Control register bit: keep HF denormals.
const CR0_FP16_DENORM_PRESERVE: u32 = 1 << 10;
/// Registers that payload, uniforms and setup data may fill.
const MAX_PAYLOAD: u32 = 112;
/// Flag subregister of the live pixels, where a shader discards or writes memory: f0.1.
pub(super) const LIVE_FLAG: u8 = 1;

/// Fragment part of instruction selection's state.
#[derive(Clone, Debug, Default)]
pub(super) struct FragmentState {
    /// What the payload holds and in which order.
    pub interface: FragmentInterface,
    /// First register of each enabled barycentric mode.
    barycentric: BTreeMap<Barycentric, u8>,
    depth: Option<u8>,
    w: Option<u8>,
    /// Register of the positions of samples.
    pub sample_offsets: Option<u8>,
    /// First register of the covered samples.
    pub coverage: Option<u8>,
    /// First register of the setup data.
    pub setup: u32,
    /// Registers of the outputs written so far: (slot, component).
    outputs: BTreeMap<(Slot, u8), Operand>,
}

/// Compiles a fragment shader for every width wanted and possible: SIMD8 always, SIMD16 unless it would spill or
/// a message of the shader exists for eight channels only.
///
/// # Errors
/// Something in the shader that this back end does not support, or a failure of allocation or encoding.
pub fn compile_fragment(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    let interface = fragment_interface(shader, key);
    // Inputs cannot be pulled, uniforms can.
    let room = (MAX_PAYLOAD - 16).saturating_sub(2 * interface.inputs.len() as u32);
    let push = choose_push_ranges(shader, room.min(u32::from(devinfo.max_push_registers)));
    let bindings = binding_table(shader, &interface);
    let wanted = |w: Width| options.widths.is_empty() || options.widths.contains(&w);
    let mut kernels = Vec::new();
    let simd8_needed = wanted(Width::Simd8) || !wanted(Width::Simd16);
    if simd8_needed {
        kernels.push(compile_width(shader, key, &model, options, &push, &interface, Width::Simd8)?);
    }
    if wanted(Width::Simd16) && !interface.dual_source {
        match compile_width(shader, key, &model, options, &push, &interface, Width::Simd16) {
            Ok(kernel) => kernels.push(kernel),
            // The narrow kernel does the work; wide ones are an optimisation.
            Err(_) if !kernels.is_empty() => {}
            Err(_) => {
                kernels.push(compile_width(shader, key, &model, options, &push, &interface, Width::Simd8)?)
            }
        }
    }
    Ok(Compiled {
        stage: Stage::Fragment,
        kernels,
        push,
        bindings,
        samplers: (0..shader.info.samplers).collect(),
        interface: Interface::Fragment(interface),
    })
}

/// Binding table: render targets (or the null surface), then what every stage has.
fn binding_table(shader: &Shader, interface: &FragmentInterface) -> Vec<Surface> {
    let mut table: Vec<Surface> = (0..interface.render_targets).map(Surface::RenderTarget).collect();
    if table.is_empty() {
        table.push(Surface::Null);
    }
    table.extend(BindingTable::surfaces(shader));
    table
}

/// The stage's interface, from the declarations and the intrinsics in use.
fn fragment_interface(shader: &Shader, key: &StageKey) -> FragmentInterface {
    let mut interface = FragmentInterface {
        early_tests: shader.info.fragment.early_tests,
        per_sample: shader.info.fragment.sample_shading,
        order_dependent: is_order_dependent(shader),
        ..FragmentInterface::default()
    };
    let mut highest_target = None;
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
            match intrinsic.op {
                IntrinsicOp::LoadBarycentric => {
                    let mode = barycentric_mode(intrinsic, &interface, key);
                    if !interface.barycentrics.contains(&mode) {
                        interface.barycentrics.push(mode);
                    }
                }
                IntrinsicOp::LoadBarycentricAtSample | IntrinsicOp::LoadBarycentricAtOffset => {
                    let mode = if intrinsic.fields.linear {
                        Barycentric::LinearPixel
                    } else {
                        Barycentric::PerspectivePixel
                    };
                    if !interface.barycentrics.contains(&mode) {
                        interface.barycentrics.push(mode);
                    }
                }
                IntrinsicOp::FragCoord => {
                    interface.source_depth = true;
                    interface.source_w = true;
                }
                IntrinsicOp::SampleMaskIn => interface.input_coverage = true,
                IntrinsicOp::SamplePos => interface.sample_offsets = key.samples > 1,
                IntrinsicOp::Discard
                | IntrinsicOp::DiscardIf
                | IntrinsicOp::Demote
                | IntrinsicOp::DemoteIf => {
                    interface.uses_kill = true;
                }
                IntrinsicOp::StoreOutput => match intrinsic.fields.slot {
                    Slot::FragDepth => interface.writes_depth = true,
                    Slot::FragSampleMask => interface.writes_sample_mask = true,
                    Slot::FragColor { location, index } => {
                        interface.dual_source |= index == 1;
                        highest_target = highest_target.max(Some(u32::from(location)));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
    interface.barycentrics.sort();
    interface.render_targets = match highest_target {
        Some(_) if key.replicate_color => key.render_targets,
        Some(top) => (top + 1).min(key.render_targets),
        None => 0,
    };
    for varying in &shader.info.inputs {
        let Some(name) = input_name(varying.slot) else { continue };
        let flat = varying.interpolation == Interpolation::Flat
            || matches!(varying.slot, Slot::PrimitiveId | Slot::Layer | Slot::Viewport);
        interface.inputs.push(FragmentInput { varying: name, flat });
    }
    interface
}

fn input_name(slot: Slot) -> Option<Varying> {
    Some(match slot {
        Slot::ClipDistance(0) => Varying::ClipDistance0,
        Slot::ClipDistance(_) => Varying::ClipDistance1,
        Slot::Color(0) => Varying::Color0,
        Slot::Color(_) => Varying::Color1,
        Slot::BackColor(0) => Varying::BackColor0,
        Slot::BackColor(_) => Varying::BackColor1,
        Slot::TexCoord(n) => Varying::TexCoord(u32::from(n)),
        Slot::FogCoord => Varying::FogCoord,
        Slot::PointCoord => Varying::PointCoord,
        Slot::Var(n) => Varying::Generic(u32::from(n)),
        Slot::PrimitiveId => Varying::PrimitiveId,
        Slot::Layer => Varying::Layer,
        Slot::Viewport => Varying::ViewportIndex,
        _ => return None,
    })
}

/// The barycentrics an interpolation uses. With one sample per pixel there is only the pixel's centre.
fn barycentric_mode(intrinsic: &Intrinsic, interface: &FragmentInterface, key: &StageKey) -> Barycentric {
    let location = match (key.samples > 1, interface.per_sample) {
        (false, _) => Location::Pixel,
        (true, true) => Location::Sample,
        (true, false) => intrinsic.fields.location,
    };
    match (intrinsic.fields.linear, location) {
        (false, Location::Pixel) => Barycentric::PerspectivePixel,
        (false, Location::Centroid) => Barycentric::PerspectiveCentroid,
        (false, Location::Sample) => Barycentric::PerspectiveSample,
        (true, Location::Pixel) => Barycentric::LinearPixel,
        (true, Location::Centroid) => Barycentric::LinearCentroid,
        (true, Location::Sample) => Barycentric::LinearSample,
    }
}

fn compile_width(
    shader: &Shader,
    key: &StageKey,
    model: &Model,
    options: &Options,
    push: &[crate::output::PushRange],
    interface: &FragmentInterface,
    width: Width,
) -> Result<Kernel, CompileError> {
    let mut t = Translator::new(shader, model, key, width.channels(), push);
    t.fragment.interface = interface.clone();
    t.lay_out_payload()?;
    t.emit_prologue();
    t.translate_body()?;
    t.emit_render_target_writes()?;
    let dispatch_grf_start = t.push_start;
    let code = t.finish(options, width == Width::Simd8)?;
    Ok(code.kernel(width, dispatch_grf_start))
}

/// The operation's halves lie in dwords of the IR, but move as HF.
fn packs_halves(op: ir::AluOp) -> bool {
    use ir::AluOp::*;
    matches!(op, PackHalf | PackHalf2x16 | UnpackHalfX | UnpackHalfY | UnpackHalf2x16)
}

/// Control register bits for the widths in which the shader computes. Mere copies need none.
fn denormal_bits(shader: &Shader, model: &Model) -> u32 {
    let mut bits = 0;
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let data = &shader.insts[inst];
            let (InstKind::Alu(alu), Some(result)) = (&data.kind, data.result) else { continue };
            if packs_halves(alu.op) && !model.half_conversion_opcodes() {
                bits |= CR0_FP16_DENORM_PRESERVE;
            }
            let info = alu.op.info();
            let inputs = info.inputs.iter().zip(&alu.srcs).map(|(o, s)| (o.class, shader.bits(s.value)));
            for (class, width) in inputs.chain([(info.output.class, shader.bits(result))]) {
                let computes = class == ir::Class::Float || alu.op == ir::AluOp::Bcsel;
                match width {
                    64 if computes => bits |= CR0_FP64_DENORM_PRESERVE,
                    16 if computes => bits |= CR0_FP16_DENORM_PRESERVE,
                    _ => {}
                }
            }
        }
    }
    bits
}

impl Translator<'_> {
    /// Assigns registers to the payload, push constants and setup data.
    fn lay_out_payload(&mut self) -> Result<(), CompileError> {
        let per = self.program.width / 8;
        let interface = self.fragment.interface.clone();
        let mut next = 2;
        for &mode in &interface.barycentrics {
            self.fragment.barycentric.insert(mode, next);
            next += 2 * per;
        }
        let mut take = |wanted: bool, regs: u8| {
            wanted.then(|| {
                let first = next;
                next += regs;
                first
            })
        };
        self.fragment.depth = take(interface.source_depth, per);
        self.fragment.w = take(interface.source_w, per);
        self.fragment.sample_offsets = take(interface.sample_offsets, 1);
        self.fragment.coverage = take(interface.input_coverage, per);
        self.push_start = u32::from(next);
        let push: u32 = self.push.iter().map(|r| r.length).sum();
        self.fragment.setup = self.push_start + push;
        let total = self.fragment.setup + 2 * interface.inputs.len() as u32;
        // A message that ends the thread needs its place at the top.
        if total > MAX_PAYLOAD {
            return Err(CompileError::lower(format!("{total} registers of inputs and uniforms do not fit")));
        }
        self.program.payload_regs = total as u8;
        self.bindings = BindingTable::after(interface.render_targets.max(1), self.shader);
        Ok(())
    }

    /// Modes of the float unit, live pixels.
    pub(super) fn emit_prologue(&mut self) {
        let bits = denormal_bits(self.shader, self.model);
        let live_pixels = self.shader.info.stage == ir::Stage::Fragment
            && (self.fragment.interface.uses_kill || writes_memory(self.shader));
        let mut b = self.builder();
        let mut scalar = b.all_channels(1);
        if bits != 0 {
            let control = Operand::arf(Arf::Control(0), Type::UD);
            scalar.emit(Op::Or, control, &[control.scalar(), Operand::ud(bits)]);
        }
        if live_pixels {
            let mut live = Operand::arf(Arf::Flag(0), Type::UW);
            live.offset = 2;
            scalar.mov(live, Operand::grf_scalar(REG_SIZE + 28, Type::UW));
        }
    }

    /// Emits an intrinsic.
    pub(super) fn emit_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match self.shader.info.stage {
            ir::Stage::Vertex => return self.emit_vertex_intrinsic(intrinsic, result),
            ir::Stage::Geometry => return self.emit_geometry_intrinsic(intrinsic, result),
            ir::Stage::Compute => return self.emit_compute_intrinsic(intrinsic, result),
            ir::Stage::TessControl => return self.emit_tess_control_intrinsic(intrinsic, result),
            ir::Stage::TessEval => return self.emit_tess_eval_intrinsic(intrinsic, result),
            _ => {}
        }
        if intrinsic.op == StoreOutput {
            return self.emit_store_output(intrinsic);
        }
        match (intrinsic.op, result) {
            (LoadBarycentric, Some(result)) => {
                let mode = barycentric_mode(intrinsic, &self.fragment.interface, self.key);
                self.set_barycentric(result, mode)
            }
            (LoadInput, Some(result)) => self.emit_input(intrinsic, None, result),
            (LoadInterpolatedInput, Some(result)) => {
                let bary = intrinsic.srcs.first().copied();
                let pair = bary.map(|bary| self.get(bary, 0, Type::F));
                self.emit_input(intrinsic, pair, result)
            }
            (FragCoord, Some(result)) => self.emit_frag_coord(result),
            (FrontFace, Some(result)) => {
                let dst = self.define(result, Type::D)[0];
                let mut b = self.builder();
                let back = b.temp(Type::D);
                b.emit(Op::Asr, back, &[Operand::grf_scalar(0, Type::W), Operand::d(15)]);
                b.emit(Op::Not, dst, &[back]);
                Ok(())
            }
            (SampleMaskIn, Some(result)) => self.emit_sample_mask_in(result),
            (NumSamples, Some(result)) => self.define_constant(result, self.key.samples.max(1).into()),
            (SampleId, Some(result)) if self.key.samples <= 1 => self.define_constant(result, 0),
            (SampleId, Some(result)) => {
                let id = self.emit_sample_id();
                self.set(result, [id].into_iter().collect());
                Ok(())
            }
            (SamplePos, Some(result)) if self.key.samples <= 1 => {
                self.define_constant(result, u64::from(0.5f32.to_bits()))
            }
            (SamplePos, Some(result)) => self.emit_sample_position(result),
            (LoadBarycentricAtSample | LoadBarycentricAtOffset, Some(result))
                if intrinsic.op == LoadBarycentricAtSample && self.key.samples <= 1 =>
            {
                let mode = if intrinsic.fields.linear {
                    Barycentric::LinearPixel
                } else {
                    Barycentric::PerspectivePixel
                };
                self.set_barycentric(result, mode)
            }
            (LoadBarycentricAtSample | LoadBarycentricAtOffset, Some(result)) => {
                self.emit_pixel_interpolator(intrinsic, result)
            }
            (HelperInvocation, Some(result)) => self.emit_helper_invocation(result),
            (Discard | Demote, _) => self.emit_discard(None, intrinsic.op == Discard),
            (DiscardIf | DemoteIf, _) => {
                self.emit_discard(intrinsic.srcs.first().copied(), intrinsic.op == DiscardIf)
            }
            _ => self.emit_memory(intrinsic, result),
        }
    }

    fn define_constant(&mut self, result: Value, bits: u64) -> Result<(), CompileError> {
        let components = (0..self.shader.components(result)).map(|_| Operand::imm(bits, Type::UD)).collect();
        self.set(result, components);
        Ok(())
    }

    fn set_barycentric(&mut self, result: Value, mode: Barycentric) -> Result<(), CompileError> {
        let first = self.fragment.barycentric.get(&mode).copied();
        let first = first.ok_or_else(|| CompileError::lower("barycentric mode without payload"))?;
        // Component 0 names the pair; PLN reads both.
        let pair = Operand::grf(first, Type::F);
        self.set(result, [pair, pair].into_iter().collect());
        Ok(())
    }

    /// Byte address of component `component` of the setup data of an input slot.
    fn setup_byte(&self, slot: Slot, component: u32) -> Result<u32, CompileError> {
        let inputs = self.shader.info.inputs.iter().filter(|v| input_name(v.slot).is_some());
        let index = inputs.map(|v| v.slot).position(|s| s == slot);
        let index = index.ok_or_else(|| CompileError::lower(format!("input {slot} is not declared")))?;
        Ok((self.fragment.setup + 2 * index as u32) * REG_SIZE + component * 16)
    }

    /// Input, flat or interpolated by the given barycentrics; a variable offset chooses among the declared slots.
    fn emit_input(
        &mut self,
        intrinsic: &Intrinsic,
        pair: Option<Operand>,
        result: Value,
    ) -> Result<(), CompileError> {
        let offset = *intrinsic.srcs.last().ok_or_else(|| CompileError::lower("input without an offset"))?;
        let (base, component) = (intrinsic.fields.slot, intrinsic.fields.component);
        let slot_at = |n: u32| u8::try_from(n).ok().and_then(|n| base.advance(n));
        let declared = |t: &Self, n: u32| slot_at(n).is_some_and(|s| t.setup_byte(s, 0).is_ok());
        let Some(n) = self.constant(offset) else {
            let count = (0..).take_while(|&n| declared(self, n)).count() as u32;
            return self.emit_ladder(offset, count, result, |t, n| {
                let slot = slot_at(n).unwrap_or(base);
                t.input_components(slot, component, pair, result)
            });
        };
        let slot =
            slot_at(n).ok_or_else(|| CompileError::lower(format!("input {base} + {n} does not exist")))?;
        let components = self.input_components(slot, component, pair, result)?;
        self.set(result, components);
        Ok(())
    }

    fn input_components(
        &mut self,
        slot: Slot,
        first: u8,
        pair: Option<Operand>,
        result: Value,
    ) -> Result<Components, CompileError> {
        let mut components = Components::new();
        for c in 0..self.shader.components(result) {
            let byte = self.setup_byte(slot, u32::from(first + c))?;
            match pair {
                None => components.push(Operand::grf_scalar(byte + 12, Type::UD)),
                Some(pair) => {
                    let mut b = self.builder();
                    let value = b.temp(Type::F);
                    b.emit(Op::Pln, value, &[Operand::grf_scalar(byte, Type::F), pair]);
                    components.push(value);
                }
            }
        }
        Ok(components)
    }

    /// `gl_FragCoord`: pixel position from the subspans' corners, depth and 1/w from the payload.
    fn emit_frag_coord(&mut self, result: Value) -> Result<(), CompileError> {
        let dst = self.define(result, Type::F);
        let centre = if self.shader.info.fragment.pixel_center_integer { 0.0 } else { 0.5 };
        let (depth, w) = (self.fragment.depth.unwrap_or(0), self.fragment.w.unwrap_or(0));
        let mut b = self.builder();
        // Words 4, 6, … are x, words 5, 7, … y of the upper left corners; the vectors add the place in the quad.
        for (axis, vector) in [(0u32, 0x1010_1010u64), (1, 0x1100_1100)] {
            let mut corner = Operand::grf(1, Type::UW).with_region(2, 4, 0);
            corner.offset = 8 + 2 * axis;
            let pixel = b.temp(Type::UW);
            b.emit(Op::Add, pixel, &[corner, Operand::imm(vector, Type::V)]);
            let position = b.temp(Type::F);
            b.mov(position, pixel);
            b.emit(Op::Add, dst[axis as usize], &[position, Operand::f(centre)]);
        }
        b.mov(dst[2], Operand::grf(depth, Type::F));
        b.emit(Op::MathInv, dst[3], &[Operand::grf(w, Type::F)]);
        Ok(())
    }

    /// Not among the dispatched pixels, or discarded.
    fn emit_helper_invocation(&mut self, result: Value) -> Result<(), CompileError> {
        let dst = self.define(result, Type::D)[0];
        let kill = self.fragment.interface.uses_kill;
        let mut b = self.builder();
        // Bit c of the mask to channel c: shift by 0 … 15, keep bit 0, negate its complement.
        let mask = if kill {
            let mut live = Operand::arf(Arf::Flag(0), Type::UW).scalar();
            live.offset = 2;
            let copy = b.temp(Type::UW);
            b.all_channels(1).mov(copy, live);
            copy.scalar()
        } else {
            Operand::grf_scalar(REG_SIZE + 28, Type::UW)
        };
        let wide = self.emit_channel_numbers();
        let mut b = self.builder();
        let spread = b.temp(Type::UD);
        b.mov(spread, mask);
        let bit = b.temp(Type::D);
        b.emit(Op::Shr, bit.retype(Type::UD), &[spread, wide]);
        b.emit(Op::And, bit, &[bit, Operand::d(1)]);
        b.emit(Op::Add, dst, &[bit, Operand::d(-1)]);
        Ok(())
    }

    /// Removes channels (all, or where `cond` holds) from the live pixels. A discard also stops quads without
    /// live pixels; a demotion keeps them for derivatives.
    fn emit_discard(&mut self, cond: Option<Value>, stop: bool) -> Result<(), CompileError> {
        let live = match cond {
            None => {
                let g0 = Operand::grf_scalar(0, Type::UW);
                // Never true: clears the flag of every enabled channel.
                Inst::new(Op::Cmp, self.program.width, Operand::null(Type::UW), &[g0, g0])
            }
            Some(cond) => {
                let operand = self.get(cond, 0, Type::D);
                Inst::new(Op::Cmp, self.program.width, Operand::null(Type::D), &[operand, Operand::d(0)])
            }
        };
        let mut inst = live;
        inst.cond = Some(if cond.is_some() { CondMod::Z } else { CondMod::Nz });
        inst.flag = LIVE_FLAG;
        inst.predicate(false);
        self.builder().push(inst);
        if stop {
            self.halts = true;
            let mut b = self.builder();
            let halt = b.control(Op::Halt);
            halt.flag = LIVE_FLAG;
            halt.predicate_mode(PredMode::Any4h, true);
        }
        Ok(())
    }

    fn emit_store_output(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let fields = &intrinsic.fields;
        let offset = intrinsic.srcs.get(1).and_then(|&o| self.constant(o));
        let slot = offset
            .and_then(|o| fields.slot.advance(o as u8))
            .ok_or_else(|| CompileError::lower("fragment outputs with a variable index must be lowered"))?;
        let value = *intrinsic.srcs.first().ok_or_else(|| CompileError::lower("store without a value"))?;
        for c in 0..self.shader.components(value) {
            if fields.write_mask >> c & 1 == 0 {
                continue;
            }
            let key = (slot, fields.component + c);
            let from = self.get(value, c, Type::UD);
            let width = u32::from(self.program.width);
            let place = match self.fragment.outputs.get(&key) {
                Some(&place) => place,
                None => {
                    let place = self.program.vreg_for(Type::UD, width);
                    self.fragment.outputs.insert(key, place);
                    place
                }
            };
            self.builder().mov(place, from);
        }
        Ok(())
    }

    /// The messages that end the thread.
    fn emit_render_target_writes(&mut self) -> Result<(), CompileError> {
        if self.halts {
            self.builder().control(Op::HaltTarget);
        }
        let interface = self.fragment.interface.clone();
        let targets = interface.render_targets.max(1);
        for target in 0..targets {
            let last = target + 1 == targets;
            let location = if self.key.replicate_color { 0 } else { target as u8 };
            let written = self
                .fragment
                .outputs
                .keys()
                .any(|(slot, _)| matches!(slot, Slot::FragColor { location: l, .. } if *l == location));
            if !written && !last {
                continue;
            }
            self.emit_render_target_write(&interface, target, last)?;
        }
        Ok(())
    }

    fn emit_render_target_write(
        &mut self,
        interface: &FragmentInterface,
        target: u32,
        last: bool,
    ) -> Result<(), CompileError> {
        let per = u32::from(self.program.width / 8);
        let location = if self.key.replicate_color { 0 } else { target as u8 };
        let by_header = interface.uses_kill && self.model.discard_by_header();
        let header = by_header || target > 0 || interface.render_targets > 1 || interface.dual_source;
        let sources = if interface.dual_source { 2 } else { 1 };
        let header_regs = if header { 2 } else { 0 };
        // Sixteen words, whatever the width.
        let mask_regs = u32::from(interface.writes_sample_mask);
        let depth_regs = u32::from(interface.writes_depth) * per;
        let mlen = header_regs + mask_regs + sources * 4 * per + depth_regs;
        if mlen > 15 {
            return Err(CompileError::lower("render-target write is too long for one message"));
        }
        let payload = Operand::vgrf(self.program.vreg(mlen), Type::UD);
        let clamp = self.key.clamp_color;
        let outputs = self.fragment.outputs.clone();
        let mut b = Builder::new(&mut self.program);
        b.remark = "render target";
        if header {
            let mut all = b.all_channels(8);
            all.mov(payload, Operand::grf(0, Type::UD));
            all.mov(payload.byte_offset(REG_SIZE), Operand::grf(1, Type::UD));
            let mut one = b.all_channels(1);
            if target > 0 {
                one.mov(payload.byte_offset(8), Operand::ud(target));
            }
            if by_header {
                let mut live = Operand::arf(Arf::Flag(0), Type::UW).scalar();
                live.offset = 2;
                one.mov(payload.retype(Type::UW).byte_offset(REG_SIZE + 28), live);
            }
        }
        let mut at = header_regs * REG_SIZE;
        if interface.writes_sample_mask {
            if let Some(mask) = outputs.get(&(Slot::FragSampleMask, 0)) {
                b.mov(payload.byte_offset(at).retype(Type::UW), mask.retype(Type::UW).strided(2));
            }
            at += mask_regs * REG_SIZE;
        }
        for index in 0..sources as u8 {
            for c in 0..4 {
                if let Some(&value) = outputs.get(&(Slot::FragColor { location, index }, c)) {
                    let ty = if clamp { Type::F } else { Type::UD };
                    let dst = payload.byte_offset(at).retype(ty);
                    b.mov(dst, value.retype(ty)).saturate = clamp;
                }
                at += per * REG_SIZE;
            }
        }
        if interface.writes_depth
            && let Some(&depth) = outputs.get(&(Slot::FragDepth, 0))
        {
            b.mov(payload.byte_offset(at), depth);
        }
        let layout = match (interface.dual_source, per) {
            (true, _) => RenderTargetLayout::Simd8DualLow,
            (false, 1) => RenderTargetLayout::Simd8,
            (false, _) => RenderTargetLayout::Simd16,
        };
        let message = sends::render_target_write(target, layout, last, header, mlen, last);
        let send = b.emit(Op::Sendc, Operand::null(Type::UW), &[payload]);
        send.message = Some(message);
        if interface.uses_kill && !by_header {
            send.flag = LIVE_FLAG;
            send.predicate(false);
        }
        Ok(())
    }
}
