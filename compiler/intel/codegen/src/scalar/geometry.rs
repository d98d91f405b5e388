//! Geometry stage on eight channels, one input primitive (or one instance of one) per channel.
//!
//! Payload: g0, g1 URB handles (bits 31:27 the instance), primitive ids if used, input handles,
//! push constants. Inputs are pulled with URB reads. Handles are a register per vertex. With
//! several instances all channels have one primitive, so that they are a dword per vertex.
//!
//! The output entry holds, in order: the vertex count, alone in 32 bytes, unless every thread emits
//! the same known number; the control data header; the vertices. Control data is one bit per vertex
//! that ends its strip, or two bits with its stream. Layout: `brw_fs_visitor.cpp`, `brw_fs.cpp` of
//! Mesa.

use super::target::{PAYLOAD_BUDGET, Scalar, ScalarSelection};
use super::urb::{UrbWrite, VertexOutputs};
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::StageSelection;
use crate::isel::push_constants::choose_push_ranges;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::output::{GeometryDispatch, GeometryInterface, Interface, Output, Width};
use crate::stage_key::StageKey;
use crate::stages::geometry_layout::{Control, GeometryLayout};
use crate::stages::slot_access::{Handles, Outputs, SlotAccess, SlotOffset};
use crate::stages::vue::{self, PerVertexInput};
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// Register of the output handles.
const OUTPUT_HANDLES: u8 = 1;
/// First bit of the instance number in the handles of a thread.
const INSTANCE_SHIFT: u32 = 27;
/// Owords that the vertex count takes.
const COUNT_OWORDS: u32 = 2;

/// Count of the vertices emitted so far.
#[derive(Clone, Copy, Debug)]
enum Count {
    /// Known: no emission is in control flow.
    Static(u32),
    /// In a register.
    Dynamic(Operand),
}

/// State of the geometry stage.
struct GeometryStage {
    /// Register of the primitive ids.
    primitive_id: Option<u8>,
    /// First register of the input handles.
    handles: u8,
    layout: GeometryLayout,
    outputs: VertexOutputs,
    count: Count,
    /// Control data of all vertices, if they are counted at compile time.
    known_bits: Vec<u32>,
    /// Register with the current dword of control data, if they are counted at run time.
    bits: Option<Operand>,
    /// Number of vertices, once the body is selected and if it is known.
    static_vertex_count: Option<u32>,
}

/// Compiles a geometry shader for eight primitives per thread.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Output, CompileError> {
    let outputs = VertexOutputs::new(vue::output_map(shader, key)?, OUTPUT_HANDLES);
    let layout = GeometryLayout::new(shader, &outputs.map)?;
    let handles = 2 + u8::from(layout.primitive_id);
    let fixed = u32::from(handles) + handle_registers(&layout);
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let push = choose_push_ranges(shader, PAYLOAD_BUDGET.saturating_sub(fixed).min(max_push));
    let stage = GeometryStage {
        primitive_id: layout.primitive_id.then_some(2),
        handles,
        layout,
        outputs,
        count: Count::Static(0),
        known_bits: Vec::new(),
        bits: None,
        static_vertex_count: None,
    };
    codegen.compile_single(shader, Width::Simd8, push, stage, |stage| {
        Interface::Geometry(GeometryInterface {
            static_vertex_count: stage.static_vertex_count,
            ..stage.layout.interface(stage.outputs.map, GeometryDispatch::Simd8)
        })
    })
}

/// Returns the number of registers of input handles.
fn handle_registers(layout: &GeometryLayout) -> u32 {
    let vertices = layout.vertices_in;
    if layout.is_instanced() { (4 * vertices).div_ceil(REG_SIZE) } else { vertices }
}

impl StageSelection<Scalar> for GeometryStage {
    fn lay_out_payload(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        isel.push_start = u32::from(self.handles) + handle_registers(&self.layout);
        isel.program.payload_regs = (isel.push_start + isel.pushed_registers()) as u8;
        Ok(())
    }

    fn emit_prologue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        if self.layout.emits_in_control_flow {
            self.start_counting(isel);
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
        match (intrinsic.op, result) {
            (StoreOutput, _) => self.outputs.store(isel, intrinsic),
            (LoadPerVertexInput, Some(result)) => {
                self.emit_per_vertex_input(isel, intrinsic, result)
            }
            (EmitVertex, _) => self.emit_vertex(isel, u32::from(intrinsic.fields.stream)),
            (EndPrimitive, _) => {
                self.emit_end_primitive(isel);
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                let register = self
                    .primitive_id
                    .ok_or_else(|| CompileError::internal("the payload has no primitive ids"))?;
                isel.set_scalar(result, Operand::grf(register, Type::UD));
                Ok(())
            }
            (InvocationId, Some(result)) => {
                let dst = isel.define(result, Type::UD)[0];
                let handles = Operand::grf(OUTPUT_HANDLES, Type::UD);
                isel.builder().emit(Op::Shr, dst, &[handles, Operand::ud(INSTANCE_SHIFT)]);
                Ok(())
            }
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    /// Emits control data and vertex count; the last message ends the thread.
    fn emit_epilogue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        match self.count {
            Count::Static(n) => {
                self.static_vertex_count = Some(n);
                self.end_with_known_count(isel, n)
            }
            Count::Dynamic(count) => {
                if let Some(bits) = self.bits {
                    self.emit_control_dword(isel, count, bits)?;
                }
                self.write(isel, 0, &[Some(count)], true)
            }
        }
    }
}

impl GeometryStage {
    /// First oword of the control data header.
    fn header_start(&self) -> u32 {
        if matches!(self.count, Count::Dynamic(_)) { COUNT_OWORDS } else { 0 }
    }

    /// First oword of the vertices.
    fn vertex_start(&self) -> u32 {
        self.header_start() + 2 * self.layout.header_hwords()
    }

    /// Writes registers from oword `offset` of the entry on.
    fn write(
        &self,
        isel: &mut ScalarSelection<'_>,
        offset: u32,
        data: &[Option<Operand>],
        eot: bool,
    ) -> Result<(), CompileError> {
        let handles = Operand::grf(OUTPUT_HANDLES, Type::UD);
        let offset = SlotOffset { constant: offset, per_lane: None };
        isel.emit_urb_write(UrbWrite { handles, offset, masks: None, data, eot })
    }

    /// Reads an input of one vertex of the primitive.
    fn emit_per_vertex_input(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let PerVertexInput { vertex, offset, slot, first } =
            PerVertexInput::of(intrinsic, &self.layout.inputs)?;
        let (start, instanced) = (u32::from(self.handles), self.layout.is_instanced());
        let handle = |v: u32| {
            if instanced {
                return Scalar::payload_dword(start, v);
            }
            Operand::grf((start + v) as u8, Type::UD)
        };
        let handles = isel.vertex_handles(self.layout.vertices_in, vertex, handle);
        let offset = Scalar::slot_offset(isel, offset).advance(slot);
        Scalar::read_slot(isel, Handles::PerLane(handles), offset, first, result)
    }

    /// Starts to count vertices at run time.
    fn start_counting(&mut self, isel: &mut ScalarSelection<'_>) {
        let control = self.layout.control;
        let mut b = isel.builder();
        let count = b.temp(Type::UD);
        b.mov(count, Operand::ud(0));
        if control != Control::None {
            let bits = b.temp(Type::UD);
            b.mov(bits, Operand::ud(0));
            self.bits = Some(bits);
        }
        self.count = Count::Dynamic(count);
    }

    fn emit_vertex(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        stream: u32,
    ) -> Result<(), CompileError> {
        match self.count {
            Count::Static(n) => {
                if n >= self.layout.max_vertices {
                    return Ok(());
                }
                if self.layout.control == Control::Stream {
                    self.set_known_bits(n * 2, stream & 3);
                }
                let at = self.vertex_start() + 2 * n * self.layout.vertex_hwords;
                self.count = Count::Static(n + 1);
                self.outputs.write(isel, SlotOffset { constant: at, per_lane: None }, false)
            }
            Count::Dynamic(count) => self.emit_counted_vertex(isel, count, stream),
        }
    }

    /// Emits a vertex that is counted at run time. Vertices past the declared maximum are dropped.
    fn emit_counted_vertex(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        count: Operand,
        stream: u32,
    ) -> Result<(), CompileError> {
        let (max, start) = (self.layout.max_vertices, self.vertex_start());
        let size = 2 * self.layout.vertex_hwords as u16;
        let control = self.layout.control;
        let long_header = self.layout.header_bits() > 32;
        isel.builder().cmp(Operand::null(Type::UD), count, Operand::ud(max), CondMod::L);
        isel.builder().control(Op::If).predicate(false);
        if long_header {
            self.emit_full_control_dword(isel, count)?;
        }
        let mut b = isel.builder();
        let at = b.temp(Type::UD);
        b.emit(Op::Mul, at, &[count, Operand::uw(size)]);
        self.outputs.write(isel, SlotOffset { constant: start, per_lane: Some(at) }, false)?;
        let bits = self.bits;
        let mut b = isel.builder();
        if let Some(bits) = bits.filter(|_| control == Control::Stream && stream != 0) {
            // Shift counts are taken modulo 32.
            let (shift, value) = (b.temp(Type::UD), b.temp(Type::UD));
            b.emit(Op::Shl, shift, &[count, Operand::ud(1)]);
            b.emit(Op::Shl, value, &[Operand::ud(stream & 3), shift]);
            b.emit(Op::Or, bits, &[bits, value]);
        }
        b.emit(Op::Add, count, &[count, Operand::ud(1)]);
        b.control(Op::Endif);
        Ok(())
    }

    /// Writes the control dword before the first vertex of the next one.
    fn emit_full_control_dword(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        count: Operand,
    ) -> Result<(), CompileError> {
        let Some(bits) = self.bits else { return Ok(()) };
        let per_dword = 1 << self.layout.control.per_dword_log2();
        let mut b = isel.builder();
        let rest = b.temp(Type::UD);
        b.emit(Op::And, rest, &[count, Operand::ud(per_dword - 1)]);
        b.cmp(Operand::null(Type::UD), rest, Operand::ud(0), CondMod::Z);
        b.control(Op::If).predicate(false);
        self.emit_control_dword(isel, count, bits)?;
        let mut b = isel.builder();
        b.mov(bits, Operand::ud(0));
        b.control(Op::Endif);
        Ok(())
    }

    /// Writes the control dword of the last vertex before `count`, if there is one.
    fn emit_control_dword(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        count: Operand,
        bits: Operand,
    ) -> Result<(), CompileError> {
        let start = self.header_start();
        let size = self.layout.header_bits();
        let per_dword = self.layout.control.per_dword_log2();
        if size <= 32 {
            return self.write(isel, start, &[Some(bits)], false);
        }
        let mut b = isel.builder();
        b.cmp(Operand::null(Type::UD), count, Operand::ud(0), CondMod::Nz);
        b.control(Op::If).predicate(false);
        let index = b.temp(Type::UD);
        b.emit(Op::Add, index.retype(Type::D), &[count.retype(Type::D), Operand::d(-1)]);
        b.emit(Op::Shr, index, &[index, Operand::ud(per_dword)]);
        // The mask selects the dword in the oword, the offset the oword.
        let masks = b.temp(Type::UD);
        b.emit(Op::And, masks, &[index, Operand::ud(3)]);
        b.emit(Op::Shl, masks, &[Operand::ud(1 << 16), masks]);
        let per_lane = (size > 128).then(|| {
            let oword = b.temp(Type::UD);
            b.emit(Op::Shr, oword, &[index, Operand::ud(2)]);
            oword
        });
        let data = [Some(bits); 4];
        isel.emit_urb_write(UrbWrite {
            handles: Operand::grf(OUTPUT_HANDLES, Type::UD),
            offset: SlotOffset { constant: start, per_lane },
            masks: Some(masks),
            data: &data,
            eot: false,
        })?;
        isel.builder().control(Op::Endif);
        Ok(())
    }

    fn emit_end_primitive(&mut self, isel: &mut ScalarSelection<'_>) {
        if self.layout.control != Control::Cut {
            return;
        }
        match (self.count, self.bits) {
            (Count::Static(n), _) => {
                if let Some(last) = n.checked_sub(1) {
                    self.set_known_bits(last, 1);
                }
            }
            (Count::Dynamic(count), Some(bits)) => {
                let mut b = isel.builder();
                let (last, bit) = (b.temp(Type::D), b.temp(Type::UD));
                b.emit(Op::Add, last, &[count.retype(Type::D), Operand::d(-1)]);
                b.emit(Op::Shl, bit, &[Operand::ud(1), last.retype(Type::UD)]);
                b.cmp(Operand::null(Type::UD), count, Operand::ud(0), CondMod::Nz);
                b.emit(Op::Or, bits, &[bits, bit]).predicate(false);
            }
            (Count::Dynamic(_), None) => {}
        }
    }

    /// Sets control data known at compile time, `value` at bit `at`.
    fn set_known_bits(&mut self, at: u32, value: u32) {
        let (dword, shift) = ((at / 32) as usize, at % 32);
        let bits = &mut self.known_bits;
        if bits.len() <= dword {
            bits.resize(dword + 1, 0);
        }
        bits[dword] |= value << shift;
    }

    /// Ends the thread with the last message of the control data, or else of the last vertex.
    fn end_with_known_count(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        count: u32,
    ) -> Result<(), CompileError> {
        let dwords = (self.layout.control.bits() * count).div_ceil(32) as usize;
        let mut bits = std::mem::take(&mut self.known_bits);
        bits.resize(dwords, 0);
        if dwords == 0 && isel.end_with_last_write() {
            return Ok(());
        }
        let start = self.header_start();
        let messages = dwords.div_ceil(8).max(1);
        for index in 0..messages {
            let part = bits.chunks(8).nth(index).unwrap_or(&[]);
            let data: Vec<Option<Operand>> = part.iter().map(|&b| Some(Operand::ud(b))).collect();
            self.write(isel, start + 2 * index as u32, &data, index + 1 == messages)?;
        }
        Ok(())
    }
}
