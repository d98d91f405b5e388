//! Geometry stage: vertices from the ring of inputs, emitted vertices to the ring of outputs.

use super::emitted_vertices::EmittedVertices;
use crate::interfaces::offset_of;
use crate::machine::{Arg, EXEC, File, Part, ZERO, bits, int};
use crate::output::{GeometryInterface, Output, Resource};
use crate::select::control::StageSelection;
use crate::select::{BufferAddress, Selection, Step};
use amd_isa::{Opcode, Operand};
use ir::info::Primitive;
use ir::{InstKind, Intrinsic, IntrinsicOp, Shader, Slot, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Distance in the ring of inputs of a vertex's dwords: a dword of 64 lanes.
const RING_ROW: u32 = 256;
/// Messages: kind 2 with an operation, the stream from bit 8 on; kind 3 ends the wave.
const EMIT: u32 = 0x22;
const CUT: u32 = 0x12;
const DONE: u32 = 0x03;

/// Slots and components of the vertices of each stream.
pub(crate) type StreamOutputs = [Vec<(Slot, u8)>; 4];

/// State of the geometry stage.
pub(crate) struct Geometry {
    /// Offsets in bytes of the input vertices.
    vertices: Vec<Part>,
    primitive: Part,
    invocation: Part,
    ring_offset: Part,
    inputs: Vec<Slot>,
    outputs: StreamOutputs,
    /// Number of vertices emitted to each stream.
    counts: BTreeMap<u8, Part>,
    /// Numbers that are known without counting, and emissions so far.
    emitted: EmittedVertices,
    emissions: usize,
    register: u8,
}

/// Resources of the stage.
pub(crate) fn resources(outputs: &StreamOutputs) -> Vec<Resource> {
    let streams = (0..4).filter(|&stream| !outputs[usize::from(stream)].is_empty());
    let rings = streams.map(Resource::OutputRing);
    std::iter::once(Resource::InputRing).chain(rings).collect()
}

/// Returns the dwords that the shader writes for the vertices of each stream: those stored before
/// a vertex is emitted.
pub(crate) fn stream_outputs(shader: &Shader) -> StreamOutputs {
    let mut streams: [BTreeSet<(Slot, u8)>; 4] = Default::default();
    let mut stored: BTreeSet<(Slot, u8)> = BTreeSet::new();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
            let fields = &intrinsic.fields;
            match intrinsic.op {
                IntrinsicOp::StoreOutput => {
                    let offset = shader.as_const_u64(intrinsic.srcs[1]).unwrap_or(0);
                    let Some(slot) = fields.slot.advance(offset as u8) else { continue };
                    let components = 0..shader.components(intrinsic.srcs[0]);
                    let written = components.filter(|c| fields.write_mask >> c & 1 != 0);
                    stored.extend(written.map(|c| (slot, fields.component + c)));
                }
                IntrinsicOp::EmitVertex => {
                    let stream = &mut streams[usize::from(fields.stream & 3)];
                    stream.append(&mut stored);
                }
                _ => {}
            }
        }
    }
    streams.map(|stream| stream.into_iter().collect())
}

/// Vertices of an input primitive.
fn vertices_in(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Points => 1,
        Primitive::Lines | Primitive::Isolines => 2,
        Primitive::Triangles => 3,
        Primitive::LinesAdjacency | Primitive::Quads => 4,
        Primitive::TrianglesAdjacency => 6,
    }
}

impl Geometry {
    /// Lays out the initial registers; `next` is the first scalar register after the driver's.
    pub(crate) fn new(s: &mut Selection<'_>, outputs: StreamOutputs, next: u8) -> Step<Geometry> {
        let count = vertices_in(s.shader.info.geometry.input) as usize;
        let offsets: Vec<Part> = GeometryInterface::VERTICES[..count]
            .iter()
            .map(|&register| s.e.fixed(File::Vector, register, 1))
            .collect();
        let primitive = s.e.fixed(File::Vector, GeometryInterface::PRIMITIVE, 1);
        let invocation = s.e.fixed(File::Vector, GeometryInterface::INVOCATION, 1);
        let ring_offset = s.e.fixed(File::Scalar, next, 1);
        let wave = s.e.fixed(File::Scalar, next + 1, 1);
        s.e.set_m0(wave);
        let mut vertices = Vec::new();
        for offset in offsets {
            let sources = [int(2).into(), offset.into()];
            vertices.push(s.e.valu1(Opcode::VLshlrevB32, &sources));
        }
        for resource in resources(&outputs) {
            s.resident_descriptor(resource)?;
        }
        let mut counts = BTreeMap::new();
        for stream in (0..4).filter(|&stream| emits(s.shader, stream)) {
            counts.insert(stream, s.e.in_vector(ZERO));
        }
        for &(slot, component) in outputs.iter().flatten() {
            let register = s.e.vector();
            s.outputs.insert((slot, component), register);
        }
        let inputs = s.shader.info.inputs.iter().map(|input| input.slot).collect();
        Ok(Geometry {
            vertices,
            primitive,
            invocation,
            ring_offset,
            inputs,
            outputs,
            counts,
            emitted: EmittedVertices::new(s.shader),
            emissions: 0,
            register: next,
        })
    }

    /// Adds the code after the shader's. `copy` is the program that exports the vertices.
    pub(crate) fn finish(self, s: &mut Selection<'_>, copy: Output) -> GeometryInterface {
        s.start_epilogue();
        // vmcnt(0)
        s.e.sopp(Opcode::SWaitcnt, &[Arg::Fixed(Operand::Immediate(0x0f70))]);
        self.send(s, DONE);
        s.e.sopp(Opcode::SEndpgm, &[]);
        let info = &s.shader.info.geometry;
        GeometryInterface {
            inputs: self.inputs,
            vertices_in: vertices_in(info.input),
            max_vertices: info.max_vertices,
            outputs: self.outputs,
            ring_offset: self.register,
            copy: Box::new(copy),
        }
    }

    /// Sends a message. M0 has the number of the wave throughout the program.
    fn send(&self, s: &mut Selection<'_>, message: u32) {
        s.e.sopp(Opcode::SSendmsg, &[Arg::Fixed(Operand::Immediate(message))]);
    }

    /// Stores the outputs as a vertex of a stream, in the lanes that may emit more.
    fn emit(&mut self, s: &mut Selection<'_>, stream: u8) -> Step {
        let max_vertices = s.shader.info.geometry.max_vertices;
        let known = self.emitted.before(self.emissions, stream);
        self.emissions += 1;
        if let Some(number) = known {
            if number < max_vertices {
                self.store_vertex(s, stream, None, 4 * number)?;
                self.send(s, EMIT | u32::from(stream) << 8);
            }
            return Ok(());
        }
        let Some(&count) = self.counts.get(&stream) else { return Ok(()) };
        let most = bits(s.chip(), max_vertices);
        let more = s.e.compare(Opcode::VCmpGtU32, most, count);
        let saved = s.e.mask();
        s.e.sop1(Opcode::SAndSaveexecB64, saved, more);
        if !self.outputs[usize::from(stream & 3)].is_empty() {
            let sources = [int(2).into(), count.into()];
            let lane = s.e.valu1(Opcode::VLshlrevB32, &sources);
            self.store_vertex(s, stream, Some(lane), 0)?;
        }
        s.add(count, int(1), count.into());
        self.send(s, EMIT | u32::from(stream) << 8);
        s.e.sop1(Opcode::SMovB64, EXEC, saved);
        Ok(())
    }

    /// Stores the outputs at the place of a vertex in the ring of its stream.
    fn store_vertex(
        &self,
        s: &mut Selection<'_>,
        stream: u8,
        lane: Option<Part>,
        constant: u32,
    ) -> Step {
        let layout = &self.outputs[usize::from(stream & 3)];
        if layout.is_empty() {
            return Ok(());
        }
        let row = 4 * s.shader.info.geometry.max_vertices;
        let descriptor = s.descriptor(Resource::OutputRing(stream))?;
        let wave = self.ring_offset.into();
        let address = BufferAddress { descriptor, lane, wave, constant };
        for (index, place) in layout.iter().enumerate() {
            let Some(part) = s.output_here(*place) else { continue };
            s.store_dwords(&address, part, index as u32 * row, 1);
        }
        Ok(())
    }

    /// Offset in bytes of a vertex in the ring of inputs.
    fn vertex(&self, s: &mut Selection<'_>, vertex: Value) -> Step<Part> {
        if let Some(number) = s.constant(vertex) {
            let last = self.vertices.len() - 1;
            return Ok(self.vertices[(number as usize).min(last)]);
        }
        let number = s.dword(vertex, 0)?;
        let number = s.e.in_vector(number);
        let mut chosen = self.vertices[0];
        for (index, &offset) in self.vertices.iter().enumerate().skip(1) {
            let is_it = s.e.compare(Opcode::VCmpEqU32, int(index as i32), number);
            let next = s.e.vector();
            s.e.select(next, is_it.into(), offset, chosen);
            chosen = next;
        }
        Ok(chosen)
    }

    fn input(&self, s: &mut Selection<'_>, intrinsic: &Intrinsic, result: Value) -> Step {
        let first = self.vertex(s, intrinsic.srcs[0])?;
        let fields = &intrinsic.fields;
        let (slot, address) = match s.constant(intrinsic.srcs[1]) {
            Some(offset) => (fields.slot.advance(offset as u8), first),
            None => {
                let offset = s.dword(intrinsic.srcs[1], 0)?;
                let offset = s.e.in_vector(offset);
                let row = int(4 * RING_ROW as i32).into();
                let scaled = s.e.valu1(Opcode::VMulU32U24, &[row, offset.into()]);
                let sum = s.e.vector();
                s.add(sum, scaled.into(), first.into());
                (Some(fields.slot), sum)
            }
        };
        let Some(at) = slot.and_then(|slot| offset_of(&self.inputs, slot)) else {
            // Nothing writes it: any value.
            let to = s.result(result);
            (0..s.shader.components(result)).for_each(|c| s.e.copy(to.at(c), ZERO));
            return Ok(());
        };
        let descriptor = s.descriptor(Resource::InputRing)?;
        let address = BufferAddress { descriptor, lane: Some(address), wave: ZERO, constant: 0 };
        let to = s.result(result);
        for c in 0..s.shader.components(result) {
            let row = at / 4 + u32::from(fields.component + c);
            s.load_dwords(&address, to.at(c), RING_ROW * row, 1, true);
        }
        Ok(())
    }
}

/// True if the shader emits vertices to a stream.
fn emits(shader: &Shader, stream: u8) -> bool {
    let mut insts = shader.block_order().into_iter().flat_map(|block| &shader.blocks[block].insts);
    insts.any(|&inst| {
        matches!(&shader.insts[inst].kind, InstKind::Intrinsic(intrinsic)
            if intrinsic.op == IntrinsicOp::EmitVertex && intrinsic.fields.stream == stream)
    })
}

impl StageSelection for Geometry {
    fn intrinsic(
        &mut self,
        s: &mut Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (StoreOutput, _) => s.store_output(intrinsic)?,
            (EmitVertex, _) => self.emit(s, intrinsic.fields.stream)?,
            (EndPrimitive, _) => self.send(s, CUT | u32::from(intrinsic.fields.stream) << 8),
            (LoadPerVertexInput, Some(result)) => self.input(s, intrinsic, result)?,
            (PrimitiveId, Some(result)) => s.set_parts(result, self.primitive),
            (InvocationId, Some(result)) => s.set_parts(result, self.invocation),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
