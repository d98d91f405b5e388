//! Geometry stage on gen7: one or two objects per thread in SIMD4x2.
//!
//! Payload: g0 (output handles in dwords 0 and 1, instances in their bits 31:27), primitive ids if used, push
//! constants, inputs. With one invocation and few inputs a thread takes two primitives, a register per input slot
//! (dual object); else it takes one primitive, two slots per register, for one or two of its instances. Inputs that
//! would fill the register file are read from the URB instead (`geometry_inputs`).
//!
//! Output entry: control data header, vertices. The vertex counts go with the message that ends the thread. Facts:
//! Mesa's `brw_vec4_gs_visitor.cpp`, `brw_vec4_generator.cpp`.

use super::PAYLOAD_BUDGET;
use super::select::Selector;
use super::vertex::SLOTS_PER_WRITE;
use crate::codegen;
use crate::error::CompileError;
use crate::lir::{CondMod, MessageKind, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::model::model_for;
use crate::options::{Options, StageKey};
use crate::output::{Compiled, GeometryDispatch, GeometryInterface, Interface, Varying, VueMap};
use crate::scalar::geometry_layout::{Control, MAX_VERTICES, Uses, topology, vertices_in};
use crate::scalar::uniforms::choose_push_ranges;
use crate::{sends, vue};
use eu::DevInfo;
use eu::desc::{self, Lengths, UrbMessage, UrbOp};
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// Where the handles of a thread carry the instance number.
const INSTANCE_SHIFT: u32 = 27;
/// Most registers that the inputs of two objects may take.
const DUAL_OBJECT_BUDGET: u32 = 48;
/// Channel masks of a URB write's header: all components of both objects.
const ALL_CHANNELS: u32 = 0xff00;

/// State of the geometry stage.
#[derive(Clone, Debug, Default)]
pub(super) struct GeometryState {
    pub inputs: VueMap,
    pub vertices_in: u32,
    pub dispatch: GeometryDispatch,
    /// Register of input handles, if inputs are pulled.
    pub handles: Option<u32>,
    max_vertices: u32,
    control: Control,
    /// Size of a vertex in 32-byte units.
    vertex_hwords: u32,
    count: Option<Operand>,
    bits: Option<Operand>,
}

impl GeometryState {
    fn header_bits(&self) -> u32 {
        self.control.bits() * self.max_vertices
    }

    fn header_hwords(&self) -> u32 {
        self.header_bits().div_ceil(REG_SIZE * 8)
    }
}

/// Compiles a geometry shader.
///
/// # Errors
/// The layer that gave up and why.
pub fn compile_geometry(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    if model.scalar_geometry_stages() {
        return Err(CompileError::lower(format!("no vec4 geometry shaders on {}", devinfo.name)));
    }
    let info = &shader.info.geometry;
    if info.max_vertices > MAX_VERTICES {
        return Err(CompileError::lower(format!("{} output vertices are too many", info.max_vertices)));
    }
    let uses = Uses::of(shader);
    let vertices_in = vertices_in(info.input)?;
    let inputs = vue::input_map(shader)?;
    let slots = inputs.slots.len() as u32 * vertices_in;
    let (dispatch, registers) = match info.invocations {
        0 | 1 if slots <= DUAL_OBJECT_BUDGET => (GeometryDispatch::DualObject, slots),
        0 | 1 => (GeometryDispatch::Single, slots.div_ceil(2)),
        _ => (GeometryDispatch::DualInstance, slots.div_ceil(2)),
    };
    let pulled = registers > PAYLOAD_BUDGET;
    let registers = if pulled { 0 } else { registers };
    let left = PAYLOAD_BUDGET - registers;
    let push = choose_push_ranges(shader, left.min(u32::from(devinfo.max_push_registers)));
    let mut s = Selector::new(shader, &model, &push);
    let outputs = vue::output_map(shader, key)?;
    let vertex_hwords = outputs.slots.len().div_ceil(2) as u32;
    s.geometry = GeometryState {
        inputs,
        vertices_in,
        dispatch,
        handles: pulled.then_some(1 + u32::from(uses.primitive_id)),
        max_vertices: info.max_vertices,
        control: uses.control(info.output),
        vertex_hwords,
        count: None,
        bits: None,
    };
    s.push_start = 1 + u32::from(uses.primitive_id) + u32::from(pulled);
    let pushed: u32 = push.iter().map(|r| r.length).sum();
    s.vertex.input_start = s.push_start + pushed;
    s.program.payload_regs = (s.vertex.input_start + registers) as u8;
    s.lay_out_outputs(outputs);
    s.emit_prologue();
    s.emit_geometry_prologue();
    s.select_body()?;
    s.emit_geometry_end()?;
    let interface = GeometryInterface {
        inputs: s.geometry.inputs.clone(),
        vertices_in,
        primitive_id: uses.primitive_id,
        input_handles: pulled,
        outputs: s.vertex.outputs.clone(),
        output_vertex_size: vertex_hwords,
        max_vertices: info.max_vertices,
        output_topology: topology(info.output),
        control_header_size: s.geometry.header_hwords(),
        control_stream_ids: s.geometry.control == Control::Stream,
        static_vertex_count: None,
        invocations: info.invocations.max(1),
        dispatch,
    };
    let kernel = s.finish(options)?;
    Ok(codegen::compiled(shader, vec![kernel], push, Interface::Geometry(interface)))
}

impl Selector<'_> {
    /// Emits an intrinsic that only geometry shaders have.
    pub(super) fn emit_geometry_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        let replicated = |o: Operand| o.swizzled(Swizzle::XXXX);
        match (intrinsic.op, result) {
            (IntrinsicOp::LoadPerVertexInput, Some(result)) => self.emit_per_vertex_input(intrinsic, result),
            (IntrinsicOp::EmitVertex, _) => self.emit_vertex(u32::from(intrinsic.fields.stream)),
            (IntrinsicOp::EndPrimitive, _) => {
                self.emit_end_primitive();
                Ok(())
            }
            (IntrinsicOp::PrimitiveId, Some(result)) => {
                self.set(result, replicated(Operand::grf(1, Type::UD)));
                Ok(())
            }
            (IntrinsicOp::InvocationId, Some(result)) => {
                // Dwords 0 and 1 of g0 to dwords 0 and 4.
                let id = self.temp(Type::UD);
                let src = [Operand::grf(0, Type::UD), Operand::ud(INSTANCE_SHIFT)];
                self.emit_align1(Op::Shr, (2, 0), id.strided(4), &src).no_mask = true;
                self.set(result, replicated(id));
                Ok(())
            }
            _ => Err(self.unsupported(intrinsic.op)),
        }
    }

    /// Scratch messages want dword 2 of g0 clear; nothing is emitted yet; unwritten header fields are zero.
    fn emit_geometry_prologue(&mut self) {
        self.set_dword(Operand::grf(0, Type::UD).byte_offset(8), 0);
        let count = self.temp(Type::UD);
        self.mov(count, Operand::ud(0)).no_mask = true;
        self.geometry.count = Some(count);
        if self.geometry.control != Control::None {
            let bits = self.temp(Type::UD);
            self.mov(bits, Operand::ud(0)).no_mask = true;
            self.geometry.bits = Some(bits);
        }
        if let Some(header) = self.output(Varying::Header) {
            self.mov(header, Operand::ud(0)).no_mask = true;
        }
    }

    pub(super) fn control_flow(&mut self, op: Op) {
        let inst = self.emit(op, Operand::none(), &[]);
        if op == Op::If {
            inst.predicate(false);
        }
    }

    /// Starts a message's header: g0 with the channel masks of all components.
    fn emit_urb_header(&mut self, header: Operand) {
        let g0 = Operand::grf(0, Type::UD);
        self.emit_align1(Op::Mov, (8, 0), header, &[g0]).no_mask = true;
        let src = [g0.byte_offset(20).scalar(), Operand::ud(ALL_CHANNELS)];
        self.emit_align1(Op::Or, (1, 0), header.byte_offset(20), &src).no_mask = true;
    }

    /// Sets both slot offsets of a header to `value` (dwords 0 and 4) times `unit`.
    fn emit_slot_offsets(&mut self, header: Operand, value: Operand, unit: u32) {
        let src = [value.with_region(8, 2, 4), Operand::uw(unit as u16)];
        self.emit_align1(Op::Mul, (2, 0), header.byte_offset(12), &src).no_mask = true;
    }

    fn emit_vertex(&mut self, stream: u32) -> Result<(), CompileError> {
        let Some(count) = self.geometry.count else { return Ok(()) };
        let max = self.geometry.max_vertices;
        self.cmp(Operand::null(Type::UD), count, Operand::ud(max), CondMod::L);
        self.control_flow(Op::If);
        if self.geometry.header_bits() > 32 {
            self.emit_full_control_dword(count)?;
        }
        let start = self.geometry.header_hwords();
        let size = self.geometry.vertex_hwords;
        let total = self.vertex.outputs.slots.len();
        for (index, payload) in self.vertex.payloads.clone().into_iter().enumerate() {
            self.emit_urb_header(payload);
            self.emit_slot_offsets(payload, count, size);
            let slots = (total - index * SLOTS_PER_WRITE).min(SLOTS_PER_WRITE).next_multiple_of(2);
            let urb = UrbMessage {
                op: UrbOp::WriteHword,
                offset: (start as usize + index * SLOTS_PER_WRITE / 2) as u16,
                interleave: true,
                per_slot_offset: true,
                complete: false,
                channel_mask: false,
            };
            self.emit_urb(payload, urb, 1 + slots as u8, false)?;
        }
        if let Some(bits) =
            self.geometry.bits.filter(|_| self.geometry.control == Control::Stream && stream != 0)
        {
            // Shift counts are taken modulo 32.
            let (shift, value) = (self.temp(Type::UD), self.temp(Type::UD));
            self.emit(Op::Shl, shift, &[count, Operand::ud(1)]);
            self.mov(value, Operand::ud(stream & 3));
            self.emit(Op::Shl, value, &[value, shift]);
            self.emit(Op::Or, bits, &[bits, value]);
        }
        self.emit(Op::Add, count, &[count, Operand::ud(1)]);
        self.control_flow(Op::Endif);
        Ok(())
    }

    pub(super) fn emit_urb(
        &mut self,
        payload: Operand,
        urb: UrbMessage,
        mlen: u8,
        eot: bool,
    ) -> Result<(), CompileError> {
        let lengths = Lengths::new(mlen, 0).with_header();
        let mut message = sends::typed(self.model, &desc::Message::Urb(urb), lengths, MessageKind::UrbWrite)?;
        message.eot = eot;
        let send = self.emit_align1(Op::Send, (8, 0), Operand::null(Type::UD), &[payload]);
        send.message = Some(message);
        send.no_mask = eot;
        Ok(())
    }

    /// Before the first vertex of a new control dword the old one is written.
    fn emit_full_control_dword(&mut self, count: Operand) -> Result<(), CompileError> {
        let Some(bits) = self.geometry.bits else { return Ok(()) };
        let per_dword = 1 << self.geometry.control.per_dword_log2();
        let rest = self.temp(Type::UD);
        self.emit(Op::And, rest, &[count, Operand::ud(per_dword - 1)]);
        self.cmp(Operand::null(Type::UD), rest, Operand::ud(0), CondMod::Z);
        self.control_flow(Op::If);
        self.emit_control_dword(count, bits)?;
        self.mov(bits, Operand::ud(0));
        self.control_flow(Op::Endif);
        Ok(())
    }

    /// Writes the control dword of the last vertex before `count`, if there is one.
    fn emit_control_dword(&mut self, count: Operand, bits: Operand) -> Result<(), CompileError> {
        let size = self.geometry.header_bits();
        let per_dword = self.geometry.control.per_dword_log2();
        self.cmp(Operand::null(Type::UD), count, Operand::ud(0), CondMod::Nz);
        self.control_flow(Op::If);
        let payload = Operand::vgrf(self.program.vreg(2), Type::UD);
        self.emit_urb_header(payload);
        if size > 32 {
            let index = self.temp(Type::UD);
            self.emit(Op::Add, index.retype(Type::D), &[count.retype(Type::D), Operand::d(-1)]);
            self.emit(Op::Shr, index, &[index, Operand::ud(per_dword)]);
            if size > 128 {
                let oword = self.temp(Type::UD);
                self.emit(Op::Shr, oword, &[index, Operand::ud(2)]);
                self.emit_slot_offsets(payload, oword, 1);
            }
            self.emit_dword_masks(payload, index);
        }
        self.mov(payload.byte_offset(REG_SIZE), bits);
        let urb = UrbMessage {
            op: UrbOp::WriteOword,
            offset: 0,
            interleave: true,
            per_slot_offset: size > 128,
            complete: false,
            channel_mask: false,
        };
        self.emit_urb(payload, urb, 2, false)?;
        self.control_flow(Op::Endif);
        Ok(())
    }

    /// Header masks that leave only dword `index` mod 4 of each object.
    fn emit_dword_masks(&mut self, header: Operand, index: Operand) {
        let mask = self.temp(Type::UD);
        let one = self.temp(Type::UD);
        self.emit(Op::And, mask, &[index, Operand::ud(3)]).no_mask = true;
        self.mov(one, Operand::ud(1)).no_mask = true;
        self.emit(Op::Shl, mask, &[one, mask]).no_mask = true;
        // Object 0's four bits at 11:8, object 1's at 15:12.
        let (low, high) = (mask.scalar(), mask.byte_offset(16).scalar());
        let (a, b) = (self.temp(Type::UD), self.temp(Type::UD));
        self.emit_align1(Op::Shl, (1, 0), a, &[low, Operand::ud(8)]).no_mask = true;
        self.emit_align1(Op::Shl, (1, 0), b, &[high, Operand::ud(12)]).no_mask = true;
        self.emit_align1(Op::Or, (1, 0), a, &[a.scalar(), b.scalar()]).no_mask = true;
        let field = header.byte_offset(20);
        let rest = [field.scalar(), Operand::ud(!ALL_CHANNELS)];
        self.emit_align1(Op::And, (1, 0), field, &rest).no_mask = true;
        self.emit_align1(Op::Or, (1, 0), field, &[field.scalar(), a.scalar()]).no_mask = true;
    }

    fn emit_end_primitive(&mut self) {
        let (Some(count), Some(bits)) = (self.geometry.count, self.geometry.bits) else { return };
        if self.geometry.control != Control::Cut {
            return;
        }
        let (last, bit) = (self.temp(Type::UD), self.temp(Type::UD));
        self.emit(Op::Add, last.retype(Type::D), &[count.retype(Type::D), Operand::d(-1)]);
        self.mov(bit, Operand::ud(1));
        self.emit(Op::Shl, bit, &[bit, last]);
        self.cmp(Operand::null(Type::UD), count, Operand::ud(0), CondMod::Nz);
        self.emit(Op::Or, bits, &[bits, bit]).predicate(false);
    }

    /// Last control data; the counts, as words 4 and 5 of the header that ends the thread.
    fn emit_geometry_end(&mut self) -> Result<(), CompileError> {
        let Some(count) = self.geometry.count else { return Ok(()) };
        if let Some(bits) = self.geometry.bits {
            self.emit_control_dword(count, bits)?;
        }
        let header = Operand::vgrf(self.program.vreg(1), Type::UD);
        self.emit_urb_header(header);
        let words = count.retype(Type::UW).with_region(8, 1, 0);
        self.emit_align1(Op::Mov, (2, 0), header.byte_offset(8).retype(Type::UW), &[words]).no_mask = true;
        let urb = UrbMessage {
            op: UrbOp::WriteHword,
            offset: 0,
            interleave: true,
            per_slot_offset: false,
            complete: false,
            channel_mask: false,
        };
        self.emit_urb(header, urb, 1, true)
    }
}
