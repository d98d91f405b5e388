//! Surroundings of the evaluator: interface, memory, textures. [`TestServices`] keeps
//! all of it in plain tables.

use super::error::EvalError;
use crate::inst::{Tex, TexSrcKind};
use crate::intrinsics::{Fields, Intrinsic, IntrinsicOp};
use crate::slot::Slot;
use std::collections::BTreeMap;

/// One 32-bit component of an input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Io {
    /// Base slot.
    pub slot: Slot,
    /// Slots beyond the base slot.
    pub offset: u32,
    /// Component 0 to 3.
    pub component: u8,
    /// Vertex of per-vertex accesses.
    pub vertex: Option<u32>,
}

/// A memory space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Uniform block.
    Ubo(u32),
    /// Storage block.
    Ssbo(u32),
    /// Shared memory of the work group.
    Shared,
    /// Atomic-counter buffer.
    Counter(u32),
}

/// A texture instruction for all lanes.
#[derive(Debug)]
pub struct TexRequest<'a> {
    /// The instruction.
    pub tex: &'a Tex,
    /// Its sources, one value per lane.
    pub sources: Vec<(TexSrcKind, Vec<[u64; 4]>)>,
    /// Lanes that want a result; lanes 4n to 4n + 3 are a quad.
    pub active: Vec<bool>,
}

/// The evaluator's surroundings. Every method defaults to "unsupported".
pub trait Services {
    /// A system value, barycentrics at the pixel, centroid or sample included.
    ///
    /// # Errors
    /// If there is no such value.
    fn system_value(
        &mut self,
        lane: usize,
        op: IntrinsicOp,
        fields: &Fields,
    ) -> Result<[u64; 4], EvalError> {
        let _ = (lane, fields);
        Err(EvalError::Unsupported(op.name()))
    }

    /// A component of an input that is not interpolated.
    ///
    /// # Errors
    /// If there is no such input.
    fn load_input(&mut self, lane: usize, io: &Io) -> Result<u32, EvalError> {
        let _ = (lane, io);
        Err(EvalError::Unsupported("load_input"))
    }

    /// Barycentrics at a sample or an offset.
    ///
    /// # Errors
    /// If barycentrics do not exist.
    fn barycentric(
        &mut self,
        lane: usize,
        op: IntrinsicOp,
        source: [u64; 4],
        linear: bool,
    ) -> Result<[u64; 4], EvalError> {
        let _ = (lane, source, linear);
        Err(EvalError::Unsupported(op.name()))
    }

    /// A component of an input at barycentrics.
    ///
    /// # Errors
    /// If there is no such input.
    fn interpolate(
        &mut self,
        lane: usize,
        barycentrics: [u32; 2],
        io: &Io,
    ) -> Result<u32, EvalError> {
        let _ = (lane, barycentrics, io);
        Err(EvalError::Unsupported("load_interpolated_input"))
    }

    /// Writes a component of an output.
    ///
    /// # Errors
    /// If there is no such output.
    fn store_output(&mut self, lane: usize, io: &Io, value: u32) -> Result<(), EvalError> {
        let _ = (lane, io, value);
        Err(EvalError::Unsupported("store_output"))
    }

    /// Reads an output back.
    ///
    /// # Errors
    /// If there is no such output.
    fn load_output(&mut self, lane: usize, io: &Io) -> Result<u32, EvalError> {
        let _ = (lane, io);
        Err(EvalError::Unsupported("load_output"))
    }

    /// Reads `bytes` (1, 2, 4 or 8) little-endian bytes of memory.
    ///
    /// # Errors
    /// If there is no such memory.
    fn load(&mut self, space: Space, offset: u64, bytes: u8) -> Result<u64, EvalError> {
        let _ = (space, offset, bytes);
        Err(EvalError::Unsupported("memory load"))
    }

    /// Writes memory.
    ///
    /// # Errors
    /// If there is no such memory.
    fn store(&mut self, space: Space, offset: u64, bytes: u8, value: u64) -> Result<(), EvalError> {
        let _ = (space, offset, bytes, value);
        Err(EvalError::Unsupported("memory store"))
    }

    /// Size of a storage block.
    ///
    /// # Errors
    /// If there is no such block.
    fn buffer_size(&mut self, block: u32) -> Result<u32, EvalError> {
        let _ = block;
        Err(EvalError::Unsupported("ssbo_size"))
    }

    /// A texture instruction; one result per lane.
    ///
    /// # Errors
    /// If there is no such texture.
    fn tex(&mut self, request: &TexRequest<'_>) -> Result<Vec<[u64; 4]>, EvalError> {
        Err(EvalError::Unsupported(request.tex.op.name()))
    }

    /// An image intrinsic for one lane.
    ///
    /// # Errors
    /// If there is no such image.
    fn image(
        &mut self,
        lane: usize,
        intrinsic: &Intrinsic,
        sources: &[[u64; 4]],
    ) -> Result<[u64; 4], EvalError> {
        let _ = (lane, sources);
        Err(EvalError::Unsupported(intrinsic.op.name()))
    }

    /// `emit_vertex`.
    ///
    /// # Errors
    /// If vertices cannot be emitted.
    fn emit_vertex(&mut self, lane: usize, stream: u8) -> Result<(), EvalError> {
        let _ = (lane, stream);
        Err(EvalError::Unsupported("emit_vertex"))
    }

    /// `end_primitive`.
    ///
    /// # Errors
    /// If vertices cannot be emitted.
    fn end_primitive(&mut self, lane: usize, stream: u8) -> Result<(), EvalError> {
        let _ = (lane, stream);
        Err(EvalError::Unsupported("end_primitive"))
    }
}

/// Surroundings in plain tables, for tests: inputs by lane, flat memory, outputs collected.
/// Interpolation gives the input itself.
#[derive(Clone, Debug, Default)]
pub struct TestServices {
    /// Inputs; a missing component reads as 0.
    pub inputs: BTreeMap<(usize, Io), u32>,
    /// Outputs written.
    pub outputs: BTreeMap<(usize, Io), u32>,
    /// System values of all lanes.
    pub system: BTreeMap<IntrinsicOp, [u64; 4]>,
    /// Memory by space.
    pub memory: BTreeMap<Space, Vec<u8>>,
    /// Outputs at each emitted vertex: (lane, stream, outputs of the lane).
    pub vertices: Vec<(usize, u8, BTreeMap<Io, u32>)>,
}

impl TestServices {
    /// Sets consecutive components of an input slot.
    pub fn set_input(&mut self, lane: usize, slot: Slot, values: &[u32]) {
        for (i, &value) in values.iter().enumerate() {
            let io = Io { slot, offset: i as u32 / 4, component: i as u8 % 4, vertex: None };
            self.inputs.insert((lane, io), value);
        }
    }

    /// One component of an output, if written.
    pub fn output(&self, lane: usize, slot: Slot, component: u8) -> Option<u32> {
        self.outputs.get(&(lane, Io { slot, offset: 0, component, vertex: None })).copied()
    }
}

impl Services for TestServices {
    fn system_value(
        &mut self,
        _: usize,
        op: IntrinsicOp,
        _: &Fields,
    ) -> Result<[u64; 4], EvalError> {
        match op {
            IntrinsicOp::LoadBarycentric => Ok([0; 4]),
            _ => self.system.get(&op).copied().ok_or(EvalError::Unsupported(op.name())),
        }
    }

    fn load_input(&mut self, lane: usize, io: &Io) -> Result<u32, EvalError> {
        Ok(self.inputs.get(&(lane, *io)).copied().unwrap_or(0))
    }

    fn barycentric(
        &mut self,
        _: usize,
        _: IntrinsicOp,
        _: [u64; 4],
        _: bool,
    ) -> Result<[u64; 4], EvalError> {
        Ok([0; 4])
    }

    fn interpolate(&mut self, lane: usize, _: [u32; 2], io: &Io) -> Result<u32, EvalError> {
        self.load_input(lane, io)
    }

    fn store_output(&mut self, lane: usize, io: &Io, value: u32) -> Result<(), EvalError> {
        self.outputs.insert((lane, *io), value);
        Ok(())
    }

    fn load_output(&mut self, lane: usize, io: &Io) -> Result<u32, EvalError> {
        Ok(self.outputs.get(&(lane, *io)).copied().unwrap_or(0))
    }

    fn load(&mut self, space: Space, offset: u64, bytes: u8) -> Result<u64, EvalError> {
        let memory = self.memory.get(&space).ok_or(EvalError::Unsupported("memory load"))?;
        // Out of bounds reads 0, as robust buffer access allows.
        let byte = |i: u64| {
            usize::try_from(offset + i).ok().and_then(|i| memory.get(i)).copied().unwrap_or(0)
        };
        Ok((0..u64::from(bytes)).fold(0, |value, i| value | u64::from(byte(i)) << (8 * i)))
    }

    fn store(&mut self, space: Space, offset: u64, bytes: u8, value: u64) -> Result<(), EvalError> {
        let memory = self.memory.get_mut(&space).ok_or(EvalError::Unsupported("memory store"))?;
        for i in 0..u64::from(bytes) {
            if let Some(byte) = usize::try_from(offset + i).ok().and_then(|i| memory.get_mut(i)) {
                *byte = (value >> (8 * i)) as u8;
            }
        }
        Ok(())
    }

    fn buffer_size(&mut self, block: u32) -> Result<u32, EvalError> {
        let memory =
            self.memory.get(&Space::Ssbo(block)).ok_or(EvalError::Unsupported("ssbo_size"))?;
        Ok(memory.len() as u32)
    }

    fn emit_vertex(&mut self, lane: usize, stream: u8) -> Result<(), EvalError> {
        let outputs = self.outputs.iter().filter(|((l, _), _)| *l == lane);
        let outputs = outputs.map(|((_, io), &value)| (*io, value)).collect();
        self.vertices.push((lane, stream, outputs));
        Ok(())
    }

    fn end_primitive(&mut self, _: usize, _: u8) -> Result<(), EvalError> {
        Ok(())
    }
}
