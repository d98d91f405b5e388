//! Tessellation control stage on gen7: two output vertices per thread, all threads of one patch.
//!
//! Payload: g0 (dword 0 the patch handle, dword 1 the primitive id, dword 2 the thread's number), g1–g4 the handles
//! of up to 32 input vertices, push constants. With an odd number of vertices the last thread has one too many.
//! Before the last thread may end, the input entries are released. Facts: Mesa's `brw_vec4_tcs.cpp`.

use super::patch_access::{Handles, SlotOffset, dword};
use super::select::{Selector, first};
use crate::barrier::patch_barrier;
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::model::model_for;
use crate::options::{Options, StageKey};
use crate::output::{Compiled, Interface, TessControlInterface, TessDomain};
use crate::patch::{self, Level, Place};
use crate::scalar::uniforms::choose_push_ranges;
use crate::{codegen, vue};
use eu::DevInfo;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the input handles.
const HANDLES: u32 = 1;
/// First register of the push constants.
const PUSH_START: u32 = 5;
/// Registers that push constants may take.
const PUSH_BUDGET: u32 = 75;
/// Invocations of a thread.
const PER_THREAD: u32 = 2;

/// State of the tessellation control stage.
#[derive(Clone, Debug, Default)]
pub(super) struct TessControlState {
    interface: TessControlInterface,
    /// `gl_InvocationID`, component x of each half.
    invocation: Option<Operand>,
}

/// Compiles a tessellation control shader.
///
/// # Errors
/// The layer that gave up and why.
pub fn compile_tess_control(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    if model.scalar_geometry_stages() {
        return Err(CompileError::lower(format!("no vec4 tessellation shaders on {}", devinfo.name)));
    }
    let interface = patch::control_interface(shader, key, PER_THREAD)?;
    let vertices_out = interface.vertices_out;
    let push = choose_push_ranges(shader, PUSH_BUDGET.min(u32::from(devinfo.max_push_registers)));
    let pushed: u32 = push.iter().map(|r| r.length).sum();
    let mut s = Selector::new(shader, &model, &push);
    s.push_start = PUSH_START;
    s.program.payload_regs = (PUSH_START + pushed) as u8;
    s.tess_control.interface = interface;
    s.emit_prologue();
    let invocation = s.emit_invocation_id();
    let surplus = !vertices_out.is_multiple_of(PER_THREAD);
    if surplus {
        s.begin_if(invocation, Operand::ud(vertices_out), CondMod::L);
    }
    s.select_body()?;
    if surplus {
        s.control_flow(Op::Endif);
    }
    s.end_control_thread(invocation)?;
    let interface = s.tess_control.interface.clone();
    let kernel = s.finish(options)?;
    Ok(codegen::compiled(shader, vec![kernel], push, Interface::TessControl(interface)))
}

impl Selector<'_> {
    /// `gl_InvocationID`: two per thread of the patch, in component x of each half.
    fn emit_invocation_id(&mut self) -> Operand {
        let low = u32::from(self.model.devinfo().tcs_thread_number_bit);
        let id = self.temp(Type::UD);
        let number = [Operand::grf_scalar(8, Type::UD), Operand::ud(0x7f << low)];
        self.emit_align1(Op::And, (8, 0), id, &number).no_mask = true;
        // Twice the thread's number; one more in the second half.
        let src = [id.with_region(8, 8, 1), Operand::ud(low - 1)];
        self.emit_align1(Op::Shr, (8, 0), id, &src).no_mask = true;
        let second = id.byte_offset(16);
        self.emit_align1(Op::Add, (4, 4), second, &[second.with_region(4, 4, 1), Operand::ud(1)]).no_mask =
            true;
        let id = id.swizzled(Swizzle::XXXX);
        self.tess_control.invocation = Some(id);
        id
    }

    /// Releases the inputs once nobody reads them any more; ends the thread.
    fn end_control_thread(&mut self, invocation: Operand) -> Result<(), CompileError> {
        if self.tess_control.interface.threads > 1 {
            patch_barrier(&mut self.program, self.model, self.tess_control.interface.threads)?;
        }
        self.begin_if(invocation, Operand::ud(0), CondMod::Z);
        let count = self.tess_control.interface.vertices_in;
        for vertex in (0..count).step_by(2) {
            let handles = Operand::grf_scalar(HANDLES * REG_SIZE + 4 * vertex, Type::UD);
            self.emit_release(handles, vertex + 1 < count)?;
        }
        self.control_flow(Op::Endif);
        let (payload, data) = self.patch_payload();
        self.emit_align1(Op::Mov, (8, 0), data, &[Operand::ud(0)]).no_mask = true;
        self.emit_patch_write(payload, Operand::grf_scalar(0, Type::UD), SlotOffset::default(), 0, true)
    }

    /// Emits an intrinsic of a tessellation control shader.
    pub(super) fn emit_tess_control_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (LoadPerVertexInput, Some(result)) => self.emit_control_input(intrinsic, result),
            (StoreOutput | StorePerVertexOutput, _) => self.emit_control_store(intrinsic),
            (LoadOutput | LoadPerVertexOutput, Some(result)) => self.emit_control_read(intrinsic, result),
            (InvocationId, Some(result)) => {
                let id = self.tess_control.invocation.unwrap_or_else(|| Operand::ud(0));
                self.set(result, id);
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                self.set(result, dword(0, 1));
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                let dst = self.define(result);
                self.mov(dst, Operand::ud(self.tess_control.interface.vertices_in));
                Ok(())
            }
            (Barrier, _) if self.tess_control.interface.threads == 1 => Ok(()),
            (Barrier, _) => patch_barrier(&mut self.program, self.model, self.tess_control.interface.threads),
            _ => Err(self.unsupported(intrinsic.op)),
        }
    }

    fn emit_control_input(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        let [vertex, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::lower("load_per_vertex_input needs two sources"));
        };
        let (varying, start) = vue::place(intrinsic.fields.slot)?
            .ok_or_else(|| CompileError::lower("this input does not reach control shaders"))?;
        let slot = self.tess_control.interface.inputs.slot(varying);
        let slot = slot.ok_or_else(|| CompileError::lower("input is missing from the vertices"))? as u32;
        let handles = self.vertex_handles(HANDLES, self.tess_control.interface.vertices_in, vertex);
        let mut place = self.slot_offset(offset);
        place.constant = place.constant.saturating_add(slot);
        let data = self.emit_patch_read(handles, place)?;
        self.define_from_slot(result, data, start + intrinsic.fields.component);
        Ok(())
    }

    /// Where an output access lies in the patch, and the component of its slot that the first one is.
    fn control_place(
        &mut self,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        offset: Value,
    ) -> Result<(SlotOffset, u8), CompileError> {
        let mut place = self.slot_offset(offset);
        let component = intrinsic.fields.component;
        match (patch::place(&self.tess_control.interface.outputs, intrinsic.fields.slot)?, vertex) {
            (Place::Patch { slot, dword }, _) => {
                place.constant = place.constant.saturating_add(slot);
                Ok((place, dword as u8 + component))
            }
            (Place::Vertex { slot, dword }, Some(vertex)) => {
                place.constant = place.constant.saturating_add(slot);
                let slots = self.tess_control.interface.outputs.per_vertex.len() as u32;
                Ok((self.add_vertex(place, vertex, slots), dword as u8 + component))
            }
            (Place::Vertex { .. }, None) => Err(CompileError::lower("output of no vertex")),
        }
    }

    fn emit_control_store(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let (value, vertex, offset) = match intrinsic.srcs[..] {
            [value, offset] => (value, None, offset),
            [value, vertex, offset] => (value, Some(vertex), offset),
            _ => return Err(CompileError::lower("output store without a value")),
        };
        let count = self.shader.components(value);
        let written = intrinsic.fields.write_mask & first(count);
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            return self.emit_level_store(level, intrinsic, value, written);
        }
        let (place, start) = self.control_place(intrinsic, vertex, offset)?;
        let mask = (written << start) & 0xf;
        let pick = [0, 1, 2, 3].map(|c: u8| c.saturating_sub(start).min(count - 1));
        let (payload, data) = self.patch_payload();
        let from = self.get(value, &pick, Type::UD);
        self.mov(data, from);
        self.emit_patch_write(payload, Operand::grf_scalar(0, Type::UD), place, mask, false)
    }

    fn emit_level_store(
        &mut self,
        level: Level,
        intrinsic: &Intrinsic,
        value: Value,
        written: u8,
    ) -> Result<(), CompileError> {
        for slot in 0..2 {
            let (mut mask, mut pick) = (0, [0; 4]);
            for c in (0..4).filter(|c| written >> c & 1 != 0) {
                let n = u32::from(intrinsic.fields.component + c);
                if let Some((_, dword)) =
                    level.place(self.tess_control.interface.domain, n).filter(|place| place.0 == slot)
                {
                    mask |= 1 << dword;
                    pick[dword as usize] = c;
                }
            }
            if mask == 0 {
                continue;
            }
            let (payload, data) = self.patch_payload();
            let from = self.get(value, &pick, Type::UD);
            self.mov(data, from);
            let place = SlotOffset { constant: slot, per_half: None };
            self.emit_patch_write(payload, Operand::grf_scalar(0, Type::UD), place, mask, false)?;
        }
        Ok(())
    }

    /// Reads an output back.
    fn emit_control_read(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        let (vertex, offset) = match intrinsic.srcs[..] {
            [offset] => (None, offset),
            [vertex, offset] => (Some(vertex), offset),
            _ => return Err(CompileError::lower("output read without an offset")),
        };
        let patch = Handles::Shared(Operand::grf_scalar(0, Type::UD));
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            let domain = self.tess_control.interface.domain;
            let header = [0, 1].map(|constant| SlotOffset { constant, per_half: None });
            let slots = [self.emit_patch_read(patch, header[0])?, self.emit_patch_read(patch, header[1])?];
            self.define_levels(level, domain, slots, intrinsic.fields.component, result);
            return Ok(());
        }
        let (place, start) = self.control_place(intrinsic, vertex, offset)?;
        let data = self.emit_patch_read(patch, place)?;
        self.define_from_slot(result, data, start);
        Ok(())
    }

    /// Defines `result` as levels from number `start` on, given both slots of the patch header.
    pub(super) fn define_levels(
        &mut self,
        level: Level,
        domain: TessDomain,
        header: [Operand; 2],
        start: u8,
        result: Value,
    ) {
        let dst = self.define(result);
        for c in 0..self.shader.components(result) {
            let from = match level.place(domain, u32::from(start + c)) {
                Some((slot, dword)) => header[slot as usize].swizzled(Swizzle::new([dword as u8; 4])),
                // The domain has no such level.
                None => Operand::ud(0),
            };
            self.mov(dst.masked(1 << c), from);
        }
    }
}
