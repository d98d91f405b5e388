//! Fragment stage: payload, inputs, discard, render-target writes.

use super::fragment_interface::{
    barycentric_mode, binding_table, fragment_interface, input_varying, pixel_barycentric,
};
use super::target::{Components, LIVE_FLAG, Scalar, ScalarSelection};
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::memory_effects::writes_memory;
use crate::isel::push_constants::choose_push_ranges;
use crate::isel::{self, Selection, StageSelection, widths};
use crate::lir::build::Builder;
use crate::lir::{Arf, CondMod, Inst, Op, Operand, PredMode, REG_SIZE, Type};
use crate::output::{Barycentric, FragmentInterface, Interface, Output, Stage, Width};
use crate::sends::{self, RenderTargetLayout};
use crate::stage_key::StageKey;
use crate::surfaces::BindingTable;
use ir::{Intrinsic, IntrinsicOp, Shader, Slot, Value};
use std::collections::BTreeMap;

/// Registers that payload, uniforms and setup data may fill.
const MAX_PAYLOAD: u32 = 112;

/// State of the fragment stage.
struct FragmentStage<'a> {
    key: &'a StageKey,
    /// The parts of the payload, in order.
    interface: &'a FragmentInterface,
    /// First register of each enabled barycentric mode.
    barycentric: BTreeMap<Barycentric, u8>,
    depth: Option<u8>,
    w: Option<u8>,
    /// Register of the positions of samples.
    sample_offsets: Option<u8>,
    /// First register of the covered samples.
    coverage: Option<u8>,
    /// First register of the setup data.
    setup: u32,
    /// Registers of the outputs written so far: (slot, component).
    outputs: BTreeMap<(Slot, u8), Operand>,
}

/// Compiles a fragment shader for every width wanted and possible: SIMD8 always, SIMD16 unless it
/// would spill or a message of the shader exists for eight channels only.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Output, CompileError> {
    let interface = fragment_interface(shader, key);
    // Inputs cannot be pulled, uniforms can.
    let room = (MAX_PAYLOAD - 16).saturating_sub(2 * interface.inputs.len() as u32);
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let push = choose_push_ranges(shader, room.min(max_push));
    let kernels = widths::kernels(&codegen.options.widths, !interface.dual_source, |width| {
        let selection = Selection::new(shader, codegen.model, width, &push);
        let selected = isel::select(selection, &mut FragmentStage::new(key, &interface))?;
        codegen.generate_kernel(selected, width == Width::Simd8)
    })?;
    Ok(Output {
        stage: Stage::Fragment,
        kernels,
        push,
        bindings: binding_table(shader, &interface),
        samplers: (0..shader.info.samplers).collect(),
        interface: Interface::Fragment(interface),
    })
}

impl StageSelection<Scalar> for FragmentStage<'_> {
    /// Assigns registers to the payload, push constants and setup data.
    fn lay_out_payload(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        let per = isel.program.width / 8;
        let interface = self.interface;
        let mut next = 2;
        for &mode in &interface.barycentrics {
            self.barycentric.insert(mode, next);
            next += 2 * per;
        }
        let mut take = |wanted: bool, regs: u8| {
            wanted.then(|| {
                let first = next;
                next += regs;
                first
            })
        };
        self.depth = take(interface.source_depth, per);
        self.w = take(interface.source_w, per);
        self.sample_offsets = take(interface.sample_offsets, 1);
        self.coverage = take(interface.input_coverage, per);
        isel.push_start = u32::from(next);
        self.setup = isel.push_start + isel.pushed_registers();
        let total = self.setup + 2 * interface.inputs.len() as u32;
        // The message that ends the thread takes registers at the top.
        if total > MAX_PAYLOAD {
            let message = format!("{total} registers of inputs and uniforms do not fit");
            return Err(CompileError::lower(message));
        }
        isel.program.payload_regs = total as u8;
        isel.bindings = BindingTable::after(interface.render_targets.max(1), isel.shader);
        Ok(())
    }

    /// Copies the live pixels to their flag, if the shader discards or writes memory.
    fn emit_prologue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        if self.interface.uses_kill || writes_memory(isel.shader) {
            let mut live = Operand::arf(Arf::Flag(0), Type::UW);
            live.offset = 2;
            let dispatched = Operand::grf_scalar(REG_SIZE + 28, Type::UW);
            isel.builder().all_channels(1).mov(live, dispatched);
        }
        Ok(())
    }

    fn emit_intrinsic(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        if intrinsic.op == StoreOutput {
            return self.emit_store_output(isel, intrinsic);
        }
        match (intrinsic.op, result) {
            (LoadBarycentric, Some(result)) => {
                let mode = barycentric_mode(intrinsic, self.interface, self.key);
                self.set_barycentric(isel, result, mode)
            }
            (LoadInput, Some(result)) => self.emit_input(isel, intrinsic, None, result),
            (LoadInterpolatedInput, Some(result)) => {
                let bary = intrinsic.srcs.first().copied();
                let pair = bary.map(|bary| isel.get(bary, 0, Type::F));
                self.emit_input(isel, intrinsic, pair, result)
            }
            (FragCoord, Some(result)) => self.emit_frag_coord(isel, result),
            (FrontFace, Some(result)) => {
                let dst = isel.define(result, Type::D)[0];
                let mut b = isel.builder();
                let back = b.temp(Type::D);
                b.emit(Op::Asr, back, &[Operand::grf_scalar(0, Type::W), Operand::d(15)]);
                b.emit(Op::Not, dst, &[back]);
                Ok(())
            }
            (SampleMaskIn, Some(result)) => {
                let coverage =
                    Operand::grf(payload_register(self.coverage, "input coverage")?, Type::UD);
                isel.emit_sample_mask_in(coverage, self.runs_per_sample(), result);
                Ok(())
            }
            (NumSamples, Some(result)) => {
                define_constant(isel, result, self.key.samples.max(1).into())
            }
            (SampleId, Some(result)) if self.key.samples <= 1 => define_constant(isel, result, 0),
            (SampleId, Some(result)) => {
                let id = isel.emit_sample_id();
                isel.set_scalar(result, id);
                Ok(())
            }
            (SamplePos, Some(result)) if self.key.samples <= 1 => {
                define_constant(isel, result, u64::from(0.5f32.to_bits()))
            }
            (SamplePos, Some(result)) => {
                let offsets = payload_register(self.sample_offsets, "sample positions")?;
                isel.emit_sample_position(offsets, result);
                Ok(())
            }
            (LoadBarycentricAtSample | LoadBarycentricAtOffset, Some(result))
                if intrinsic.op == LoadBarycentricAtSample && self.key.samples <= 1 =>
            {
                self.set_barycentric(isel, result, pixel_barycentric(intrinsic))
            }
            (LoadBarycentricAtSample | LoadBarycentricAtOffset, Some(result)) => {
                isel.emit_pixel_interpolator(intrinsic, self.key.samples, result)
            }
            (HelperInvocation, Some(result)) => self.emit_helper_invocation(isel, result),
            (Discard | Demote, _) => self.emit_discard(isel, None, intrinsic.op == Discard),
            (DiscardIf | DemoteIf, _) => {
                self.emit_discard(isel, intrinsic.srcs.first().copied(), intrinsic.op == DiscardIf)
            }
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    /// Emits the render-target writes, the last of which ends the thread.
    fn emit_epilogue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        let interface = self.interface;
        let targets = interface.render_targets.max(1);
        for target in 0..targets {
            let last = target + 1 == targets;
            let location = if self.key.replicate_color { 0 } else { target as u8 };
            let written = self.outputs.keys().any(
                |(slot, _)| matches!(slot, Slot::FragColor { location: l, .. } if *l == location),
            );
            if !written && !last {
                continue;
            }
            self.emit_render_target_write(isel, target, last)?;
        }
        Ok(())
    }
}

impl<'a> FragmentStage<'a> {
    fn new(key: &'a StageKey, interface: &'a FragmentInterface) -> FragmentStage<'a> {
        FragmentStage {
            key,
            interface,
            barycentric: BTreeMap::new(),
            depth: None,
            w: None,
            sample_offsets: None,
            coverage: None,
            setup: 0,
            outputs: BTreeMap::new(),
        }
    }

    /// Returns whether each channel runs for one of several samples.
    fn runs_per_sample(&self) -> bool {
        self.key.samples > 1 && self.interface.per_sample
    }

    fn set_barycentric(
        &self,
        isel: &mut ScalarSelection<'_>,
        result: Value,
        mode: Barycentric,
    ) -> Result<(), CompileError> {
        let first = payload_register(self.barycentric.get(&mode).copied(), "barycentrics")?;
        // PLN reads both registers through component 0.
        let pair = Operand::grf(first, Type::F);
        isel.set(result, [pair, pair].into_iter().collect());
        Ok(())
    }

    /// Byte address of component `component` of the setup data of an input slot.
    fn setup_byte(&self, shader: &Shader, slot: Slot, component: u32) -> Result<u32, CompileError> {
        let inputs = shader.info.inputs.iter().filter(|v| input_varying(v.slot).is_some());
        let index = inputs.map(|v| v.slot).position(|s| s == slot);
        let index =
            index.ok_or_else(|| CompileError::internal(format!("input {slot} is not declared")))?;
        Ok((self.setup + 2 * index as u32) * REG_SIZE + component * 16)
    }

    /// Emits an input, flat or interpolated by the given barycentrics. A variable offset chooses
    /// among the declared slots.
    fn emit_input(
        &self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        pair: Option<Operand>,
        result: Value,
    ) -> Result<(), CompileError> {
        let offset = *intrinsic
            .srcs
            .last()
            .ok_or_else(|| CompileError::internal("input without an offset"))?;
        let (base, component) = (intrinsic.fields.slot, intrinsic.fields.component);
        let slot_at = |n: u32| u8::try_from(n).ok().and_then(|n| base.advance(n));
        let shader = isel.shader;
        let declared = |n| slot_at(n).is_some_and(|slot| self.setup_byte(shader, slot, 0).is_ok());
        let Some(n) = isel.constant(offset) else {
            let count = (0..).take_while(|&n| declared(n)).count() as u32;
            return isel.emit_select_chain(offset, count, result, |isel, n| {
                let slot =
                    slot_at(n).ok_or_else(|| CompileError::internal("input past the last slot"))?;
                self.input_components(isel, slot, component, pair, result)
            });
        };
        let slot = slot_at(n)
            .ok_or_else(|| CompileError::lower(format!("input {base} + {n} does not exist")))?;
        let components = self.input_components(isel, slot, component, pair, result)?;
        isel.set(result, components);
        Ok(())
    }

    fn input_components(
        &self,
        isel: &mut ScalarSelection<'_>,
        slot: Slot,
        first: u8,
        pair: Option<Operand>,
        result: Value,
    ) -> Result<Components, CompileError> {
        let mut components = Components::new();
        for c in 0..isel.shader.components(result) {
            let byte = self.setup_byte(isel.shader, slot, u32::from(first + c))?;
            match pair {
                None => components.push(Operand::grf_scalar(byte + 12, Type::UD)),
                Some(pair) => {
                    let mut b = isel.builder();
                    let value = b.temp(Type::F);
                    b.emit(Op::Pln, value, &[Operand::grf_scalar(byte, Type::F), pair]);
                    components.push(value);
                }
            }
        }
        Ok(components)
    }

    /// Emits `gl_FragCoord`: pixel position from the subspans' corners, depth and 1/w from the
    /// payload.
    fn emit_frag_coord(
        &self,
        isel: &mut ScalarSelection<'_>,
        result: Value,
    ) -> Result<(), CompileError> {
        let dst = isel.define(result, Type::F);
        let center = if isel.shader.info.fragment.pixel_center_integer { 0.0 } else { 0.5 };
        let depth = payload_register(self.depth, "depth")?;
        let w = payload_register(self.w, "w")?;
        let mut b = isel.builder();
        // Words 4, 6, … are x, words 5, 7, … y of the upper left corners; the vectors add the
        // position in the quad.
        let corner = |axis: u32, (vertical, width, horizontal): (u8, u8, u8)| {
            let mut corner = Operand::grf(1, Type::UW).with_region(vertical, width, horizontal);
            corner.offset = 8 + 2 * axis;
            corner
        };
        let is_narrow = b.exec_size == 8;
        let both = b.temp(Type::UW);
        if is_narrow {
            // One register has room for both: four of x, four of y, and so on.
            let offsets = Operand::imm(0x1100_1010, Type::V);
            b.all_channels(16).emit(Op::Add, both, &[corner(0, (1, 4, 0)), offsets]);
        }
        for (axis, vector) in [(0u32, 0x1010_1010u64), (1, 0x1100_1100)] {
            let pixel = if is_narrow {
                both.byte_offset(8 * axis).with_region(8, 4, 1)
            } else {
                let pixel = b.temp(Type::UW);
                b.emit(Op::Add, pixel, &[corner(axis, (2, 4, 0)), Operand::imm(vector, Type::V)]);
                pixel
            };
            let position = b.temp(Type::F);
            b.mov(position, pixel);
            b.emit(Op::Add, dst[axis as usize], &[position, Operand::f(center)]);
        }
        b.mov(dst[2], Operand::grf(depth, Type::F));
        b.emit(Op::MathInv, dst[3], &[Operand::grf(w, Type::F)]);
        Ok(())
    }

    /// Emits `gl_HelperInvocation`: the pixel is not dispatched, or is discarded.
    fn emit_helper_invocation(
        &self,
        isel: &mut ScalarSelection<'_>,
        result: Value,
    ) -> Result<(), CompileError> {
        let dst = isel.define(result, Type::D)[0];
        let kill = self.interface.uses_kill;
        let mut b = isel.builder();
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
        let wide = isel.emit_channel_numbers();
        let mut b = isel.builder();
        let spread = b.temp(Type::UD);
        b.mov(spread, mask);
        let bit = b.temp(Type::D);
        b.emit(Op::Shr, bit.retype(Type::UD), &[spread, wide]);
        b.emit(Op::And, bit, &[bit, Operand::d(1)]);
        b.emit(Op::Add, dst, &[bit, Operand::d(-1)]);
        Ok(())
    }

    /// Removes channels (all, or where `cond` holds) from the live pixels. A discard also stops
    /// quads without live pixels; a demotion keeps them for derivatives.
    fn emit_discard(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        cond: Option<Value>,
        stop: bool,
    ) -> Result<(), CompileError> {
        let (live_if, srcs) = match cond {
            None => {
                // Never true: clears the flag of every enabled channel.
                let g0 = Operand::grf_scalar(0, Type::UW);
                (CondMod::Nz, [g0, g0])
            }
            Some(cond) => {
                let mut component = [0];
                let (value, inverse) = isel.strip_not(cond, &mut component);
                let operand = isel.get(value, component[0], Type::D);
                (if inverse { CondMod::Nz } else { CondMod::Z }, [operand, Operand::d(0)])
            }
        };
        let null = Operand::null(srcs[0].ty);
        let mut inst = Inst::new(Op::Cmp, isel.program.width, null, &srcs);
        inst.cond = Some(live_if);
        inst.flag = LIVE_FLAG;
        inst.predicate(false);
        isel.builder().push(inst);
        if stop {
            isel.halts = true;
            let mut b = isel.builder();
            let halt = b.control(Op::Halt);
            halt.flag = LIVE_FLAG;
            halt.predicate_mode(PredMode::Any4h, true);
        }
        Ok(())
    }

    fn emit_store_output(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
    ) -> Result<(), CompileError> {
        let fields = &intrinsic.fields;
        let offset = intrinsic.srcs.get(1).and_then(|&o| isel.constant(o));
        let slot = offset.and_then(|o| fields.slot.advance(o as u8)).ok_or_else(|| {
            CompileError::internal("fragment outputs with a variable index must be lowered")
        })?;
        let value = *intrinsic
            .srcs
            .first()
            .ok_or_else(|| CompileError::internal("store without a value"))?;
        for c in 0..isel.shader.components(value) {
            if fields.write_mask >> c & 1 == 0 {
                continue;
            }
            let key = (slot, fields.component + c);
            let from = isel.get(value, c, Type::UD);
            let width = u32::from(isel.program.width);
            let place = match self.outputs.get(&key) {
                Some(&place) => place,
                None => {
                    let place = isel.program.vreg_for(Type::UD, width);
                    self.outputs.insert(key, place);
                    place
                }
            };
            isel.builder().mov(place, from);
        }
        Ok(())
    }

    fn emit_render_target_write(
        &self,
        isel: &mut ScalarSelection<'_>,
        target: u32,
        last: bool,
    ) -> Result<(), CompileError> {
        let interface = self.interface;
        let per = u32::from(isel.program.width / 8);
        let location = if self.key.replicate_color { 0 } else { target as u8 };
        let by_header = interface.uses_kill && isel.model.devinfo().discard_by_header;
        let header =
            by_header || target > 0 || interface.render_targets > 1 || interface.dual_source;
        let sources = if interface.dual_source { 2 } else { 1 };
        let header_regs = if header { 2 } else { 0 };
        // Sixteen words at each width.
        let mask_regs = u32::from(interface.writes_sample_mask);
        let depth_regs = u32::from(interface.writes_depth) * per;
        let mlen = header_regs + mask_regs + sources * 4 * per + depth_regs;
        if mlen > 15 {
            return Err(CompileError::lower("render-target write is too long for one message"));
        }
        let payload = Operand::vgrf(isel.program.vreg(mlen), Type::UD);
        let clamp = self.key.clamp_color;
        let outputs = &self.outputs;
        let mut b = Builder::new(&mut isel.program);
        b.remark = "render target";
        if header {
            // Both registers at once.
            b.all_channels(16).mov(payload, Operand::grf(0, Type::UD));
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

/// Defines all components of `result` by one constant.
fn define_constant(
    isel: &mut ScalarSelection<'_>,
    result: Value,
    bits: u64,
) -> Result<(), CompileError> {
    let components =
        (0..isel.shader.components(result)).map(|_| Operand::imm(bits, Type::UD)).collect();
    isel.set(result, components);
    Ok(())
}

/// The register of a part of the payload that the shader reads.
fn payload_register(register: Option<u8>, part: &str) -> Result<u8, CompileError> {
    register.ok_or_else(|| CompileError::internal(format!("the payload has no {part}")))
}
