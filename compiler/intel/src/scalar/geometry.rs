//! Geometry stage on eight channels, one input primitive (or one instance of one) per channel.
//!
//! Payload: g0, g1 URB handles (bits 31:27 the instance), primitive ids if used, a register of input handles per
//! vertex, push constants. Inputs are pulled with URB reads.
//!
//! The output entry holds, in order: the vertex count, alone in 32 bytes, unless every thread emits the same
//! known number; the control data header; the vertices. Control data is one bit per vertex that ends its
//! strip, or two bits with its stream. Layout: `brw_fs_visitor.cpp`, `brw_fs.cpp` of Mesa.

use super::geometry_layout::{Control, MAX_VERTICES, Uses, topology, vertices_in};
use super::translate::Translator;
use super::uniforms::choose_push_ranges;
use super::urb::{UrbWrite, VueState};
use super::vertex::PAYLOAD_BUDGET;
use crate::codegen;
use crate::error::CompileError;
use crate::lir::{CondMod, MessageKind, Op, Operand, REG_SIZE, Type};
use crate::model::model_for;
use crate::options::{Options, StageKey};
use crate::output::{Compiled, GeometryDispatch, GeometryInterface, Interface, VueMap, Width};
use crate::vue::{self, PerVertexInput};
use eu::DevInfo;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// Where the handles of a thread carry the instance number.
const INSTANCE_SHIFT: u32 = 27;
/// Owords that the vertex count takes.
const COUNT_OWORDS: u32 = 2;

/// How vertices are counted.
#[derive(Clone, Copy, Debug)]
enum Count {
    /// Every emission is outside of control flow: vertices so far.
    Static(u32),
    /// In a register.
    Dynamic(Operand),
}

impl Default for Count {
    fn default() -> Self {
        Count::Static(0)
    }
}

/// Geometry part of instruction selection's state.
#[derive(Clone, Debug, Default)]
pub(super) struct GeometryState {
    /// Register of the primitive ids.
    primitive_id: Option<u8>,
    /// First register of the input handles.
    handles: u8,
    /// Layout of the input vertices.
    inputs: VueMap,
    vertices_in: u32,
    max_vertices: u32,
    control: Control,
    /// Size of a vertex in owords.
    vertex_owords: u32,
    count: Count,
    /// Control data: of all vertices (static), or register with the current dword (dynamic).
    known_bits: Vec<u32>,
    bits: Option<Operand>,
}

impl GeometryState {
    fn header_bits(&self) -> u32 {
        self.control.bits() * self.max_vertices
    }

    fn header_hwords(&self) -> u32 {
        self.header_bits().div_ceil(REG_SIZE * 8)
    }

    /// First oword of the control data header.
    fn header_start(&self) -> u32 {
        if matches!(self.count, Count::Dynamic(_)) { COUNT_OWORDS } else { 0 }
    }

    /// First oword of the vertices.
    fn vertex_start(&self) -> u32 {
        self.header_start() + 2 * self.header_hwords()
    }
}

/// Compiles a geometry shader for eight primitives per thread.
///
/// # Errors
/// Something in the shader that this back end does not support, or a failure of allocation or encoding.
pub fn compile_geometry(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    let info = &shader.info.geometry;
    let vertices_in = vertices_in(info.input)?;
    if info.max_vertices > MAX_VERTICES {
        return Err(CompileError::lower(format!("{} output vertices are too many", info.max_vertices)));
    }
    let uses = Uses::of(shader);
    let fixed = 2 + u32::from(uses.primitive_id) + vertices_in;
    let push = choose_push_ranges(
        shader,
        PAYLOAD_BUDGET.saturating_sub(fixed).min(u32::from(devinfo.max_push_registers)),
    );
    let pushed: u32 = push.iter().map(|r| r.length).sum();
    let mut t = Translator::new(shader, &model, key, 8, &push);
    t.push_start = fixed;
    t.program.payload_regs = (fixed + pushed) as u8;
    t.vue = VueState::new(vue::output_map(shader, key)?);
    let vertex_hwords = t.vue.map.slots.len().div_ceil(2) as u32;
    t.geometry = GeometryState {
        primitive_id: uses.primitive_id.then_some(2),
        handles: 2 + u8::from(uses.primitive_id),
        inputs: vue::input_map(shader)?,
        vertices_in,
        max_vertices: info.max_vertices,
        control: uses.control(info.output),
        vertex_owords: 2 * vertex_hwords,
        ..GeometryState::default()
    };
    t.emit_prologue();
    if uses.emits_in_control_flow {
        t.start_counting();
    }
    t.translate_body()?;
    let static_vertex_count = t.end_geometry_thread()?;
    let state = &t.geometry;
    let interface = GeometryInterface {
        inputs: state.inputs.clone(),
        vertices_in,
        primitive_id: uses.primitive_id,
        input_handles: false,
        outputs: t.vue.map.clone(),
        output_vertex_size: vertex_hwords,
        max_vertices: info.max_vertices,
        output_topology: topology(info.output),
        control_header_size: state.header_hwords(),
        control_stream_ids: state.control == Control::Stream,
        static_vertex_count,
        invocations: info.invocations.max(1),
        dispatch: GeometryDispatch::Simd8,
    };
    let code = t.finish(options, true)?;
    Ok(codegen::compiled(
        shader,
        vec![code.kernel(Width::Simd8, fixed)],
        push,
        Interface::Geometry(interface),
    ))
}

impl Translator<'_> {
    /// Emits an intrinsic of a geometry shader.
    pub(super) fn emit_geometry_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (StoreOutput, _) => self.emit_store_vue(intrinsic),
            (LoadPerVertexInput, Some(result)) => self.emit_per_vertex_input(intrinsic, result),
            (EmitVertex, _) => self.emit_vertex(u32::from(intrinsic.fields.stream)),
            (EndPrimitive, _) => {
                self.emit_end_primitive();
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                let register = self.geometry.primitive_id.unwrap_or(0);
                self.set(result, [Operand::grf(register, Type::UD)].into_iter().collect());
                Ok(())
            }
            (InvocationId, Some(result)) => {
                let dst = self.define(result, Type::UD)[0];
                self.builder().emit(Op::Shr, dst, &[Operand::grf(1, Type::UD), Operand::ud(INSTANCE_SHIFT)]);
                Ok(())
            }
            _ => self.emit_memory(intrinsic, result),
        }
    }

    /// Reads an input of one vertex of the primitive.
    fn emit_per_vertex_input(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        let PerVertexInput { vertex, offset, slot, first } =
            PerVertexInput::of(intrinsic, &self.geometry.inputs)?;
        let first = u32::from(first);
        let constant = self.constant(offset);
        let per_slot = match constant {
            Some(_) => None,
            None => Some(self.get(offset, 0, Type::UD)),
        };
        let handles = self.input_handle(vertex)?;
        let count = first + u32::from(self.shader.components(result));
        let offset = slot.saturating_add(constant.unwrap_or(0));
        let mut data = self.emit_urb_read(handles, offset, per_slot, count)?;
        data.drain(..first as usize);
        self.set(result, data);
        Ok(())
    }

    /// Handles of vertex `vertex` of each channel's primitive.
    fn input_handle(&mut self, vertex: Value) -> Result<Operand, CompileError> {
        let first = self.geometry.handles;
        let count = self.geometry.vertices_in;
        let handle = |v: u32| Operand::grf(first + v as u8, Type::UD);
        if let Some(vertex) = self.constant(vertex) {
            return Ok(handle(vertex.min(count - 1)));
        }
        let vertex = self.get(vertex, 0, Type::UD);
        let mut b = self.builder();
        let chosen = b.temp(Type::UD);
        b.mov(chosen, handle(0));
        for v in 1..count {
            b.cmp(Operand::null(Type::UD), vertex, Operand::ud(v), CondMod::Z);
            b.mov(chosen, handle(v)).predicate(false);
        }
        Ok(chosen)
    }

    /// Counts vertices at run time.
    fn start_counting(&mut self) {
        let control = self.geometry.control;
        let mut b = self.builder();
        let count = b.temp(Type::UD);
        b.mov(count, Operand::ud(0));
        if control != Control::None {
            let bits = b.temp(Type::UD);
            b.mov(bits, Operand::ud(0));
            self.geometry.bits = Some(bits);
        }
        self.geometry.count = Count::Dynamic(count);
    }

    fn emit_vertex(&mut self, stream: u32) -> Result<(), CompileError> {
        match self.geometry.count {
            Count::Static(n) => {
                if n >= self.geometry.max_vertices {
                    return Ok(());
                }
                if self.geometry.control == Control::Stream {
                    self.set_known_bits(n * 2, stream & 3);
                }
                let at = self.geometry.vertex_start() + n * self.geometry.vertex_owords;
                self.geometry.count = Count::Static(n + 1);
                self.emit_vertex_writes(at, None, false)
            }
            Count::Dynamic(count) => self.emit_counted_vertex(count, stream),
        }
    }

    /// Vertices past the declared maximum vanish.
    fn emit_counted_vertex(&mut self, count: Operand, stream: u32) -> Result<(), CompileError> {
        let state = &self.geometry;
        let (max, start) = (state.max_vertices, state.vertex_start());
        let size = state.vertex_owords as u16;
        let control = state.control;
        let long_header = state.header_bits() > 32;
        self.builder().cmp(Operand::null(Type::UD), count, Operand::ud(max), CondMod::L);
        self.builder().control(Op::If).predicate(false);
        if long_header {
            self.emit_full_control_dword(count)?;
        }
        let mut b = self.builder();
        let at = b.temp(Type::UD);
        b.emit(Op::Mul, at, &[count, Operand::uw(size)]);
        self.emit_vertex_writes(start, Some(at), false)?;
        let bits = self.geometry.bits;
        let mut b = self.builder();
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

    /// Before the first vertex of a new control dword the old one is written.
    fn emit_full_control_dword(&mut self, count: Operand) -> Result<(), CompileError> {
        let Some(bits) = self.geometry.bits else { return Ok(()) };
        let per_dword = 1 << self.geometry.control.per_dword_log2();
        let mut b = self.builder();
        let rest = b.temp(Type::UD);
        b.emit(Op::And, rest, &[count, Operand::ud(per_dword - 1)]);
        b.cmp(Operand::null(Type::UD), rest, Operand::ud(0), CondMod::Z);
        b.control(Op::If).predicate(false);
        self.emit_control_dword(count, bits)?;
        let mut b = self.builder();
        b.mov(bits, Operand::ud(0));
        b.control(Op::Endif);
        Ok(())
    }

    /// Writes the control dword of the last vertex before `count`, if there is one.
    fn emit_control_dword(&mut self, count: Operand, bits: Operand) -> Result<(), CompileError> {
        let state = &self.geometry;
        let start = state.header_start();
        let size = state.header_bits();
        let per_dword = state.control.per_dword_log2();
        if size <= 32 {
            let data = [Some(bits)];
            let write = UrbWrite { offset: start, per_slot: None, masks: None, data: &data, eot: false };
            return self.emit_urb_write(write);
        }
        let mut b = self.builder();
        b.cmp(Operand::null(Type::UD), count, Operand::ud(0), CondMod::Nz);
        b.control(Op::If).predicate(false);
        let index = b.temp(Type::UD);
        b.emit(Op::Add, index.retype(Type::D), &[count.retype(Type::D), Operand::d(-1)]);
        b.emit(Op::Shr, index, &[index, Operand::ud(per_dword)]);
        // A dword of the oword by its mask, the oword by an offset.
        let masks = b.temp(Type::UD);
        b.emit(Op::And, masks, &[index, Operand::ud(3)]);
        b.emit(Op::Shl, masks, &[Operand::ud(1 << 16), masks]);
        let per_slot = (size > 128).then(|| {
            let oword = b.temp(Type::UD);
            b.emit(Op::Shr, oword, &[index, Operand::ud(2)]);
            oword
        });
        let data = [Some(bits); 4];
        self.emit_urb_write(UrbWrite {
            offset: start,
            per_slot,
            masks: Some(masks),
            data: &data,
            eot: false,
        })?;
        self.builder().control(Op::Endif);
        Ok(())
    }

    fn emit_end_primitive(&mut self) {
        if self.geometry.control != Control::Cut {
            return;
        }
        match (self.geometry.count, self.geometry.bits) {
            (Count::Static(n), _) => {
                if let Some(last) = n.checked_sub(1) {
                    self.set_known_bits(last, 1);
                }
            }
            (Count::Dynamic(count), Some(bits)) => {
                let mut b = self.builder();
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
        let bits = &mut self.geometry.known_bits;
        if bits.len() <= dword {
            bits.resize(dword + 1, 0);
        }
        bits[dword] |= value << shift;
    }

    /// Control data, vertex count, end of the thread; gives the vertex count if it is known.
    fn end_geometry_thread(&mut self) -> Result<Option<u32>, CompileError> {
        match self.geometry.count {
            Count::Static(n) => {
                self.end_with_known_count(n)?;
                Ok(Some(n))
            }
            Count::Dynamic(count) => {
                if let Some(bits) = self.geometry.bits {
                    self.emit_control_dword(count, bits)?;
                }
                let data = [Some(count)];
                self.emit_urb_write(UrbWrite {
                    offset: 0,
                    per_slot: None,
                    masks: None,
                    data: &data,
                    eot: true,
                })?;
                Ok(None)
            }
        }
    }

    /// The last message ends the thread: the control data's last one, or else the last vertex's.
    fn end_with_known_count(&mut self, count: u32) -> Result<(), CompileError> {
        let dwords = (self.geometry.control.bits() * count).div_ceil(32) as usize;
        let mut bits = std::mem::take(&mut self.geometry.known_bits);
        bits.resize(dwords, 0);
        if dwords == 0 && self.end_with_last_write() {
            return Ok(());
        }
        let start = self.geometry.header_start();
        let messages = dwords.div_ceil(8).max(1);
        for index in 0..messages {
            let part = bits.chunks(8).nth(index).unwrap_or(&[]);
            let data: Vec<Option<Operand>> = part.iter().map(|&b| Some(Operand::ud(b))).collect();
            self.emit_urb_write(UrbWrite {
                offset: start + 2 * index as u32,
                per_slot: None,
                masks: None,
                data: &data,
                eot: index + 1 == messages,
            })?;
        }
        Ok(())
    }

    /// Lets the last URB write end the thread if nothing with an effect follows it.
    pub(super) fn end_with_last_write(&mut self) -> bool {
        let insts = &mut self.program.insts;
        let Some(last) = insts.iter().rposition(|i| i.has_side_effects()) else { return false };
        let Some(message) = insts[last].message.as_mut().filter(|m| m.kind == MessageKind::UrbWrite) else {
            return false;
        };
        message.eot = true;
        insts.truncate(last + 1);
        true
    }
}
