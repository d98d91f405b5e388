//! Memory messages: binding-table surfaces, scratch, pulled constants, textures.

use compiler::Binary;
use compiler::output::Surface as Bound;
use eu_simulator::host::{
    AtomicOp, HostError, Param, Reply, SamplerOp, SamplerRequest, Surface, Texels,
};
use program::resource::OpaqueSlot;
use program::types::Dim;
use program::{Program, Type, TypeId};
use raster::shader_io::{AtomicOp as IoAtomicOp, BufferRef, ImageOp, ImageRef, ShaderIo};

use crate::sampler::{self, TextureSurface};

/// The shared functions that every stage has.
pub(crate) struct Memory<'a> {
    /// Binary with the binding table.
    pub binary: &'a Binary,
    /// Program, for the types of its samplers.
    pub program: &'a Program,
    /// Shader I/O of the machine.
    pub io: &'a mut dyn ShaderIo,
    /// Scratch of the running thread.
    pub scratch: Vec<u8>,
    /// Shared memory of the work group.
    pub shared: Vec<u8>,
    /// Number of work groups.
    pub groups: [u32; 3],
}

/// Methods of a [`eu_simulator::host::Host`] with a field `memory` that forward everything to it.
macro_rules! memory_requests {
    () => {
        fn sample(
            &mut self,
            request: &eu_simulator::host::SamplerRequest,
        ) -> Reply<eu_simulator::host::Texels> {
            self.memory.sample(request)
        }

        fn time(&mut self) -> u64 {
            self.memory.io.clock()
        }

        fn read(
            &mut self,
            surface: eu_simulator::host::Surface,
            offset: u32,
            data: &mut [u8],
        ) -> Reply<()> {
            self.memory.read(surface, offset, data)
        }

        fn write(
            &mut self,
            surface: eu_simulator::host::Surface,
            offset: u32,
            data: &[u8],
        ) -> Reply<()> {
            self.memory.write(surface, offset, data)
        }

        fn scratch(&mut self) -> Option<&mut [u8]> {
            Some(&mut self.memory.scratch)
        }

        fn atomic(
            &mut self,
            surface: eu_simulator::host::Surface,
            offset: u32,
            op: eu_simulator::host::AtomicOp,
            operands: [u32; 2],
        ) -> Reply<u32> {
            self.memory.atomic(surface, offset, op, operands)
        }

        fn typed_read(&mut self, surface: u8, coordinates: [u32; 4]) -> Reply<[u32; 4]> {
            self.memory.image(surface, coordinates, &raster::shader_io::ImageOp::Load)
        }

        fn typed_write(
            &mut self,
            surface: u8,
            coordinates: [u32; 4],
            texel: [u32; 4],
        ) -> Reply<()> {
            self.memory
                .image(surface, coordinates, &raster::shader_io::ImageOp::Store(texel))
                .map(drop)
        }

        fn typed_atomic(
            &mut self,
            surface: u8,
            coordinates: [u32; 4],
            op: eu_simulator::host::AtomicOp,
            operands: [u32; 2],
        ) -> Reply<u32> {
            self.memory.image_atomic(surface, coordinates, op, operands)
        }
    };
}
pub(crate) use memory_requests;

fn io_atomic_op(op: AtomicOp) -> IoAtomicOp {
    match op {
        AtomicOp::And => IoAtomicOp::And,
        AtomicOp::Or => IoAtomicOp::Or,
        AtomicOp::Xor => IoAtomicOp::Xor,
        AtomicOp::Mov => IoAtomicOp::Exchange,
        AtomicOp::Inc => IoAtomicOp::Increment,
        AtomicOp::Dec | AtomicOp::PreDec => IoAtomicOp::Decrement,
        AtomicOp::Add => IoAtomicOp::Add,
        AtomicOp::Sub => IoAtomicOp::Sub,
        AtomicOp::IMax => IoAtomicOp::MaxSigned,
        AtomicOp::IMin => IoAtomicOp::MinSigned,
        AtomicOp::UMax => IoAtomicOp::MaxUnsigned,
        AtomicOp::UMin => IoAtomicOp::MinUnsigned,
        AtomicOp::CmpWr => IoAtomicOp::CompareExchange,
    }
}

/// Returns the buffer behind a uniform block number of the metadata: 0 is the default block.
pub(crate) fn uniform_buffer(block: u32) -> BufferRef {
    match block {
        0 => BufferRef::Default,
        n => BufferRef::Uniform(n - 1),
    }
}

#[cold]
fn refuse<T>(what: impl Into<String>) -> Reply<T> {
    Err(HostError(what.into()))
}

impl<'a> Memory<'a> {
    /// Returns the memory of a thread with `scratch` bytes of scratch space.
    pub(crate) fn new(
        binary: &'a Binary,
        program: &'a Program,
        io: &'a mut dyn ShaderIo,
        scratch: u32,
    ) -> Memory<'a> {
        Memory {
            binary,
            program,
            io,
            scratch: vec![0; scratch as usize],
            shared: Vec::new(),
            groups: [0; 3],
        }
    }

    /// Returns the binding table entry of an index.
    pub(crate) fn bound(&self, index: u8) -> Option<Bound> {
        self.binary.compiled.bindings.get(usize::from(index)).copied()
    }

    fn buffer(&self, index: u8) -> Reply<BufferRef> {
        match self.bound(index) {
            Some(Bound::UniformBlock(n)) => Ok(uniform_buffer(n)),
            Some(Bound::StorageBlock(n)) => Ok(BufferRef::Storage(n)),
            Some(Bound::AtomicBuffer(n)) => Ok(BufferRef::AtomicCounter(n)),
            other => refuse(format!("binding table entry {index} ({other:?}) is no buffer")),
        }
    }

    /// Reads bytes; outside a buffer they are zero.
    pub(crate) fn read(&mut self, from: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        let groups = self.groups.map(u32::to_le_bytes);
        let source = match from {
            Surface::Scratch => &self.scratch[..],
            Surface::Slm => &self.shared[..],
            Surface::Bti(index) | Surface::Constant(index) => match self.bound(index) {
                Some(Bound::WorkGroupCount) => groups.as_flattened(),
                _ => self.io.buffer(self.buffer(index)?),
            },
        };
        let start = offset as usize;
        if let Some(found) = source.get(start..start + data.len()) {
            data.copy_from_slice(found);
            return Ok(());
        }
        for (i, byte) in data.iter_mut().enumerate() {
            *byte = source.get(start + i).copied().unwrap_or(0);
        }
        Ok(())
    }

    /// Writes bytes; those outside are dropped.
    pub(crate) fn write(&mut self, to: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        match to {
            Surface::Scratch => {
                let end = offset as usize + data.len();
                match self.scratch.get_mut(offset as usize..end) {
                    Some(place) => place.copy_from_slice(data),
                    None => {
                        return refuse(format!(
                            "scratch write of bytes {offset} to {end} past its end"
                        ));
                    }
                }
            }
            Surface::Bti(index) | Surface::Constant(index) => {
                let buffer = self.buffer(index)?;
                self.io.store(buffer, offset, data);
            }
            Surface::Slm => {
                let start = (offset as usize).min(self.shared.len());
                for (place, &byte) in self.shared[start..].iter_mut().zip(data) {
                    *place = byte;
                }
            }
        }
        Ok(())
    }

    /// Executes an atomic operation on a dword and returns the old value (PREDEC: the new one).
    pub(crate) fn atomic(
        &mut self,
        on: Surface,
        offset: u32,
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Reply<u32> {
        let io_op = io_atomic_op(op);
        let old = match on {
            Surface::Bti(index) => self.io.atomic32(self.buffer(index)?, offset, io_op, operands),
            Surface::Slm => {
                let mut bytes = [0; 4];
                self.read(on, offset, &mut bytes)?;
                let old = u32::from_le_bytes(bytes);
                self.write(on, offset, &io_op.apply32(old, operands).to_le_bytes())?;
                old
            }
            _ => return refuse("atomics need a binding table entry"),
        };
        Ok(if op == AtomicOp::PreDec { old.wrapping_sub(1) } else { old })
    }

    /// Executes an image operation at the coordinates of a typed message.
    pub(crate) fn image(
        &mut self,
        index: u8,
        coordinates: [u32; 4],
        op: &ImageOp,
    ) -> Reply<[u32; 4]> {
        let Some(Bound::Image(slot)) = self.bound(index) else {
            return refuse(format!("binding table entry {index} is no image"));
        };
        let [x, y, z, _] = coordinates.map(|c| c as i32);
        let result = self.io.image(ImageRef::Slot(slot), [x, y, z], 0, op);
        result.map_err(|error| HostError(error.to_string()))
    }

    /// Executes an atomic operation on a texel.
    pub(crate) fn image_atomic(
        &mut self,
        index: u8,
        coordinates: [u32; 4],
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Reply<u32> {
        let [old, ..] =
            self.image(index, coordinates, &ImageOp::Atomic(io_atomic_op(op), operands))?;
        Ok(if op == AtomicOp::PreDec { old.wrapping_sub(1) } else { old })
    }

    /// Executes sampler messages: constants pulled through the sampler, and textures.
    pub(crate) fn sample(&mut self, request: &SamplerRequest) -> Reply<Texels> {
        if request.has_half_return {
            return Err(HostError("results of 16 bits are not modeled".into()));
        }
        let mut texels: Texels = [[0; 16]; 4];
        match self.bound(request.surface) {
            Some(Bound::UniformBlock(n))
                if matches!(request.op, SamplerOp::Load | SamplerOp::LoadLz) =>
            {
                let offsets =
                    request.param(Param::U).ok_or(HostError("load without a coordinate".into()))?;
                let buffer = uniform_buffer(n);
                for channel in
                    (0..usize::from(request.count)).filter(|c| request.mask >> c & 1 != 0)
                {
                    for (component, row) in texels.iter_mut().enumerate() {
                        // The surface has a pitch of one byte: coordinates are byte offsets.
                        let offset = offsets[channel].wrapping_add(4 * component as u32);
                        row[channel] = self.io.load32(buffer, offset);
                    }
                }
                Ok(texels)
            }
            Some(Bound::Texture(slot)) => {
                let surface = TextureSurface { slot, cube_array: self.is_cube_array(slot) };
                sampler::sample(self.io, surface, request)
            }
            Some(Bound::StorageBlock(n)) if request.op == SamplerOp::ResInfo => {
                texels[0] = [self.io.buffer(BufferRef::Storage(n)).len() as u32; 16];
                Ok(texels)
            }
            Some(Bound::Image(slot)) if request.op == SamplerOp::ResInfo => {
                let mut size = self.image(request.surface, [0; 4], &ImageOp::Size)?;
                if self.is_cube_array_image(slot) {
                    size[2] = size[2].wrapping_mul(6);
                }
                Ok(size.map(|component| [component; 16]))
            }
            other => refuse(format!(
                "binding table entry {} ({other:?}) cannot be sampled",
                request.surface
            )),
        }
    }

    fn is_cube_array_image(&self, slot: u32) -> bool {
        let types = &self.program.types;
        match self.opaque_type(&self.program.images, slot).map(|ty| types.get(ty)) {
            Some(Type::Image(image)) => image.array && image.dim == Dim::Cube,
            _ => false,
        }
    }

    /// Returns the type of the global in a slot of samplers or images.
    fn opaque_type(&self, slots: &[OpaqueSlot], slot: u32) -> Option<TypeId> {
        let uniform = self.program.uniforms.get(slots.get(slot as usize)?.uniform as usize)?;
        Some(self.program.types.without_arrays(uniform.ty))
    }

    fn is_cube_array(&self, slot: u32) -> bool {
        let types = &self.program.types;
        match self.opaque_type(&self.program.samplers, slot).map(|ty| types.get(ty)) {
            Some(Type::Sampler(sampler)) => sampler.array && sampler.dim == Dim::Cube,
            _ => false,
        }
    }
}
