//! Geometry stage on gen7: one or two objects per thread in SIMD4x2.
//!
//! Payload: g0 (output handles in dwords 0 and 1, instances in their bits 31:27), primitive ids if
//! used, push constants, inputs. With one invocation and few inputs a thread takes two primitives,
//! a register per input slot (dual object); else it takes one primitive, two slots per register,
//! for one or two of its instances. Inputs that would fill the register file are read from the URB
//! instead (`geometry_inputs`).
//!
//! Output entry: control data header, vertices. The vertex counts go with the message that ends the
//! thread. Facts: Mesa's `brw_vec4_gs_visitor.cpp`, `brw_vec4_generator.cpp`.

use super::target::{PAYLOAD_BUDGET, Vec4, Vec4Selection};
use super::urb::{ALL_CHANNELS, SLOTS_PER_WRITE, VertexOutputs};
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::StageSelection;
use crate::isel::push_constants::choose_push_ranges;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::output::{GeometryDispatch, GeometryInterface, Interface, Output, Varying, Width};
use crate::stage_key::StageKey;
use crate::stages::geometry_layout::{Control, GeometryLayout};
use crate::stages::slot_access::Outputs;
use crate::stages::vue;
use intel_isa::desc::{UrbMessage, UrbOp};
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First bit of the instance number in the handles of a thread.
const INSTANCE_SHIFT: u32 = 27;
/// Maximum number of registers that the inputs of two objects may take.
const DUAL_OBJECT_BUDGET: u32 = 48;

/// State of the geometry stage.
pub(super) struct GeometryStage {
    pub layout: GeometryLayout,
    pub dispatch: GeometryDispatch,
    /// Register of input handles, if inputs are pulled.
    pub handles: Option<u32>,
    /// First register of the pushed inputs.
    pub input_start: u32,
    /// Registers of the pushed inputs.
    input_registers: u32,
    outputs: VertexOutputs,
    /// Vertices of each object so far.
    count: Operand,
    /// Control data of each object.
    bits: Option<Operand>,
}

/// Compiles a geometry shader for one or two objects per thread.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Output, CompileError> {
    let outputs = VertexOutputs::new(vue::output_map(shader, key)?);
    let layout = GeometryLayout::new(shader, &outputs.map)?;
    let slots = layout.inputs.slots.len() as u32 * layout.vertices_in;
    let (dispatch, registers) = if layout.is_instanced() {
        (GeometryDispatch::DualInstance, slots.div_ceil(2))
    } else if slots <= DUAL_OBJECT_BUDGET {
        (GeometryDispatch::DualObject, slots)
    } else {
        (GeometryDispatch::Single, slots.div_ceil(2))
    };
    let pulled = registers > PAYLOAD_BUDGET;
    let input_registers = if pulled { 0 } else { registers };
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let push = choose_push_ranges(shader, (PAYLOAD_BUDGET - input_registers).min(max_push));
    let stage = GeometryStage {
        dispatch,
        handles: pulled.then_some(1 + u32::from(layout.primitive_id)),
        layout,
        input_start: 0,
        input_registers,
        outputs,
        count: Operand::none(),
        bits: None,
    };
    codegen.compile_single(shader, Width::Vec4, push, stage, |stage| {
        Interface::Geometry(GeometryInterface {
            input_handles: pulled,
            ..stage.layout.interface(stage.outputs.map, dispatch)
        })
    })
}

impl StageSelection<Vec4> for GeometryStage {
    fn lay_out_payload(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        isel.push_start =
            1 + u32::from(self.layout.primitive_id) + u32::from(self.handles.is_some());
        self.input_start = isel.push_start + isel.pushed_registers();
        isel.program.payload_regs = (self.input_start + self.input_registers) as u8;
        self.outputs.allocate(isel);
        Ok(())
    }

    /// Clears dword 2 of g0, as scratch messages want, the counters, and the header fields that the
    /// shader may not write.
    fn emit_prologue(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        isel.set_dword(Operand::grf(0, Type::UD).byte_offset(8), 0);
        let count = isel.temp(Type::UD);
        isel.mov(count, Operand::ud(0)).no_mask = true;
        self.count = count;
        if self.layout.control != Control::None {
            let bits = isel.temp(Type::UD);
            isel.mov(bits, Operand::ud(0)).no_mask = true;
            self.bits = Some(bits);
        }
        if let Some(header) = self.outputs.register(Varying::Header) {
            isel.mov(header, Operand::ud(0)).no_mask = true;
        }
        Ok(())
    }

    fn emit_intrinsic(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        let replicated = |o: Operand| o.swizzled(Swizzle::XXXX);
        match (intrinsic.op, result) {
            (IntrinsicOp::StoreOutput, _) => self.outputs.store(isel, intrinsic),
            (IntrinsicOp::LoadPerVertexInput, Some(result)) => {
                self.emit_per_vertex_input(isel, intrinsic, result)
            }
            (IntrinsicOp::EmitVertex, _) => {
                self.emit_vertex(isel, u32::from(intrinsic.fields.stream))
            }
            (IntrinsicOp::EndPrimitive, _) => {
                self.emit_end_primitive(isel);
                Ok(())
            }
            (IntrinsicOp::PrimitiveId, Some(result)) => {
                isel.set(result, replicated(Operand::grf(1, Type::UD)));
                Ok(())
            }
            (IntrinsicOp::InvocationId, Some(result)) => {
                // Dwords 0 and 1 of g0 to dwords 0 and 4.
                let id = isel.temp(Type::UD);
                let src = [Operand::grf(0, Type::UD), Operand::ud(INSTANCE_SHIFT)];
                isel.emit_align1(Op::Shr, (2, 0), id.strided(4), &src).no_mask = true;
                isel.set(result, replicated(id));
                Ok(())
            }
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    /// Emits the last control data; then the counts, as words 4 and 5 of the header that ends the
    /// thread.
    fn emit_epilogue(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        let count = self.count;
        if let Some(bits) = self.bits {
            self.emit_control_dword(isel, count, bits)?;
        }
        let header = Operand::vgrf(isel.program.vreg(1), Type::UD);
        self.emit_urb_header(isel, header);
        let words = count.retype(Type::UW).with_region(8, 1, 0);
        isel.emit_align1(Op::Mov, (2, 0), header.byte_offset(8).retype(Type::UW), &[words])
            .no_mask = true;
        let urb = UrbMessage {
            op: UrbOp::WriteHword,
            offset: 0,
            interleave: true,
            per_slot_offset: false,
            complete: false,
            channel_mask: false,
        };
        isel.emit_urb(header, urb, 1, true)
    }
}

impl GeometryStage {
    /// Emits a message's header: g0 with the channel masks of all components.
    fn emit_urb_header(&mut self, isel: &mut Vec4Selection<'_>, header: Operand) {
        let g0 = Operand::grf(0, Type::UD);
        isel.emit_align1(Op::Mov, (8, 0), header, &[g0]).no_mask = true;
        let src = [g0.byte_offset(20).scalar(), Operand::ud(ALL_CHANNELS)];
        isel.emit_align1(Op::Or, (1, 0), header.byte_offset(20), &src).no_mask = true;
    }

    /// Sets both slot offsets of a header to `value` (dwords 0 and 4) times `unit`.
    fn emit_slot_offsets(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        header: Operand,
        value: Operand,
        unit: u32,
    ) {
        let src = [value.with_region(8, 2, 4), Operand::uw(unit as u16)];
        isel.emit_align1(Op::Mul, (2, 0), header.byte_offset(12), &src).no_mask = true;
    }

    fn emit_vertex(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        stream: u32,
    ) -> Result<(), CompileError> {
        let count = self.count;
        let max = self.layout.max_vertices;
        isel.cmp(Operand::null(Type::UD), count, Operand::ud(max), CondMod::L);
        isel.control_flow(Op::If);
        if self.layout.header_bits() > 32 {
            self.emit_full_control_dword(isel, count)?;
        }
        let start = self.layout.header_hwords();
        let size = self.layout.vertex_hwords;
        let total = self.outputs.map.slots.len();
        for (index, payload) in self.outputs.payloads.clone().into_iter().enumerate() {
            self.emit_urb_header(isel, payload);
            self.emit_slot_offsets(isel, payload, count, size);
            let slots = (total - index * SLOTS_PER_WRITE).min(SLOTS_PER_WRITE).next_multiple_of(2);
            let urb = UrbMessage {
                op: UrbOp::WriteHword,
                offset: (start as usize + index * SLOTS_PER_WRITE / 2) as u16,
                interleave: true,
                per_slot_offset: true,
                complete: false,
                channel_mask: false,
            };
            isel.emit_urb(payload, urb, 1 + slots as u8, false)?;
        }
        if let Some(bits) =
            self.bits.filter(|_| self.layout.control == Control::Stream && stream != 0)
        {
            // Shift counts are taken modulo 32.
            let (shift, value) = (isel.temp(Type::UD), isel.temp(Type::UD));
            isel.emit(Op::Shl, shift, &[count, Operand::ud(1)]);
            isel.mov(value, Operand::ud(stream & 3));
            isel.emit(Op::Shl, value, &[value, shift]);
            isel.emit(Op::Or, bits, &[bits, value]);
        }
        isel.emit(Op::Add, count, &[count, Operand::ud(1)]);
        isel.control_flow(Op::Endif);
        Ok(())
    }

    /// Writes the control dword before the first vertex of the next one.
    fn emit_full_control_dword(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        count: Operand,
    ) -> Result<(), CompileError> {
        let Some(bits) = self.bits else { return Ok(()) };
        let per_dword = 1 << self.layout.control.per_dword_log2();
        let rest = isel.temp(Type::UD);
        isel.emit(Op::And, rest, &[count, Operand::ud(per_dword - 1)]);
        isel.cmp(Operand::null(Type::UD), rest, Operand::ud(0), CondMod::Z);
        isel.control_flow(Op::If);
        self.emit_control_dword(isel, count, bits)?;
        isel.mov(bits, Operand::ud(0));
        isel.control_flow(Op::Endif);
        Ok(())
    }

    /// Writes the control dword of the last vertex before `count`, if there is one.
    fn emit_control_dword(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        count: Operand,
        bits: Operand,
    ) -> Result<(), CompileError> {
        let size = self.layout.header_bits();
        let per_dword = self.layout.control.per_dword_log2();
        isel.cmp(Operand::null(Type::UD), count, Operand::ud(0), CondMod::Nz);
        isel.control_flow(Op::If);
        let payload = Operand::vgrf(isel.program.vreg(2), Type::UD);
        self.emit_urb_header(isel, payload);
        if size > 32 {
            let index = isel.temp(Type::UD);
            isel.emit(Op::Add, index.retype(Type::D), &[count.retype(Type::D), Operand::d(-1)]);
            isel.emit(Op::Shr, index, &[index, Operand::ud(per_dword)]);
            if size > 128 {
                let oword = isel.temp(Type::UD);
                isel.emit(Op::Shr, oword, &[index, Operand::ud(2)]);
                self.emit_slot_offsets(isel, payload, oword, 1);
            }
            self.emit_dword_masks(isel, payload, index);
        }
        isel.mov(payload.byte_offset(REG_SIZE), bits);
        let urb = UrbMessage {
            op: UrbOp::WriteOword,
            offset: 0,
            interleave: true,
            per_slot_offset: size > 128,
            complete: false,
            channel_mask: false,
        };
        isel.emit_urb(payload, urb, 2, false)?;
        isel.control_flow(Op::Endif);
        Ok(())
    }

    /// Emits header masks that enable only dword `index` mod 4 of each object.
    fn emit_dword_masks(&mut self, isel: &mut Vec4Selection<'_>, header: Operand, index: Operand) {
        let mask = isel.temp(Type::UD);
        let one = isel.temp(Type::UD);
        isel.emit(Op::And, mask, &[index, Operand::ud(3)]).no_mask = true;
        isel.mov(one, Operand::ud(1)).no_mask = true;
        isel.emit(Op::Shl, mask, &[one, mask]).no_mask = true;
        // Object 0's four bits at 11:8, object 1's at 15:12.
        let (low, high) = (mask.scalar(), mask.byte_offset(16).scalar());
        let (a, b) = (isel.temp(Type::UD), isel.temp(Type::UD));
        isel.emit_align1(Op::Shl, (1, 0), a, &[low, Operand::ud(8)]).no_mask = true;
        isel.emit_align1(Op::Shl, (1, 0), b, &[high, Operand::ud(12)]).no_mask = true;
        isel.emit_align1(Op::Or, (1, 0), a, &[a.scalar(), b.scalar()]).no_mask = true;
        let field = header.byte_offset(20);
        let rest = [field.scalar(), Operand::ud(!ALL_CHANNELS)];
        isel.emit_align1(Op::And, (1, 0), field, &rest).no_mask = true;
        isel.emit_align1(Op::Or, (1, 0), field, &[field.scalar(), a.scalar()]).no_mask = true;
    }

    fn emit_end_primitive(&mut self, isel: &mut Vec4Selection<'_>) {
        let (count, Some(bits)) = (self.count, self.bits) else { return };
        if self.layout.control != Control::Cut {
            return;
        }
        let (last, bit) = (isel.temp(Type::UD), isel.temp(Type::UD));
        isel.emit(Op::Add, last.retype(Type::D), &[count.retype(Type::D), Operand::d(-1)]);
        isel.mov(bit, Operand::ud(1));
        isel.emit(Op::Shl, bit, &[bit, last]);
        isel.cmp(Operand::null(Type::UD), count, Operand::ud(0), CondMod::Nz);
        isel.emit(Op::Or, bits, &[bits, bit]).predicate(false);
    }
}
