//! Memory as messages see it: binding-table surfaces, scratch, pulled constants, textures.

use compiler::Binary;
use compiler::output::Surface as Bound;
use program::types::Dim;
use program::{Program, Type};
use simulator::host::{AtomicOp, HostError, Param, Reply, SamplerOp, SamplerRequest, Surface, Texels};
use softgl::services::{AtomicOp as ServiceAtomic, BufferRef, Services};

use super::sampler::{self, TextureSurface};
use super::{surface, uniform_buffer};

/// The shared functions that every stage has.
pub struct Memory<'a> {
    /// Binary whose binding table counts.
    pub binary: &'a Binary,
    /// Program, for the shapes of its samplers.
    pub program: &'a Program,
    /// The machine.
    pub services: &'a mut dyn Services,
    /// Scratch of the running thread.
    pub scratch: Vec<u8>,
}

/// The methods of a [`simulator::host::Host`] with a field `memory` that hand everything to it.
macro_rules! memory_requests {
    () => {
        fn sample(&mut self, request: &simulator::host::SamplerRequest) -> Reply<simulator::host::Texels> {
            self.memory.sample(request)
        }

        fn read(&mut self, surface: simulator::host::Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
            self.memory.read(surface, offset, data)
        }

        fn write(&mut self, surface: simulator::host::Surface, offset: u32, data: &[u8]) -> Reply<()> {
            self.memory.write(surface, offset, data)
        }

        fn atomic(
            &mut self,
            surface: simulator::host::Surface,
            offset: u32,
            op: simulator::host::AtomicOp,
            operands: [u32; 2],
        ) -> Reply<u32> {
            self.memory.atomic(surface, offset, op, operands)
        }
    };
}
pub(super) use memory_requests;

fn refuse<T>(what: impl Into<String>) -> Reply<T> {
    Err(HostError(what.into()))
}

impl<'a> Memory<'a> {
    /// Memory of a thread with `scratch` bytes of its own.
    pub fn new(
        binary: &'a Binary,
        program: &'a Program,
        services: &'a mut dyn Services,
        scratch: u32,
    ) -> Memory<'a> {
        Memory { binary, program, services, scratch: vec![0; scratch as usize] }
    }

    fn buffer(&self, index: u8) -> Reply<BufferRef> {
        match surface(self.binary, index) {
            Some(Bound::UniformBlock(n)) => Ok(uniform_buffer(n)),
            Some(Bound::StorageBlock(n)) => Ok(BufferRef::Storage(n)),
            Some(Bound::AtomicBuffer(n)) => Ok(BufferRef::AtomicCounter(n)),
            other => refuse(format!("binding table entry {index} ({other:?}) is no buffer")),
        }
    }

    /// Reads bytes; outside a buffer they are zero.
    pub fn read(&mut self, from: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        let source = match from {
            Surface::Scratch => &self.scratch[..],
            Surface::Bti(index) | Surface::Constant(index) => self.services.buffer(self.buffer(index)?),
            Surface::Slm => return refuse("this stage has no shared memory"),
        };
        for (i, byte) in data.iter_mut().enumerate() {
            *byte = source.get(offset as usize + i).copied().unwrap_or(0);
        }
        Ok(())
    }

    /// Writes bytes; those outside are dropped.
    pub fn write(&mut self, to: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        match to {
            Surface::Scratch => {
                let end = offset as usize + data.len();
                match self.scratch.get_mut(offset as usize..end) {
                    Some(place) => place.copy_from_slice(data),
                    None => return refuse(format!("scratch write of bytes {offset} to {end} past its end")),
                }
            }
            Surface::Bti(index) | Surface::Constant(index) => {
                let buffer = self.buffer(index)?;
                self.services.store(buffer, offset, data);
            }
            Surface::Slm => return refuse("this stage has no shared memory"),
        }
        Ok(())
    }

    /// Atomic operation on a dword; the old value (PREDEC: the new one).
    pub fn atomic(&mut self, on: Surface, offset: u32, op: AtomicOp, operands: [u32; 2]) -> Reply<u32> {
        let Surface::Bti(index) = on else { return refuse("atomics need a binding table entry") };
        let buffer = self.buffer(index)?;
        let service = match op {
            AtomicOp::And => ServiceAtomic::And,
            AtomicOp::Or => ServiceAtomic::Or,
            AtomicOp::Xor => ServiceAtomic::Xor,
            AtomicOp::Mov => ServiceAtomic::Exchange,
            AtomicOp::Inc => ServiceAtomic::Increment,
            AtomicOp::Dec | AtomicOp::PreDec => ServiceAtomic::Decrement,
            AtomicOp::Add => ServiceAtomic::Add,
            AtomicOp::Sub => ServiceAtomic::Sub,
            AtomicOp::RevSub => return refuse("reverse subtraction"),
            AtomicOp::IMax => ServiceAtomic::MaxSigned,
            AtomicOp::IMin => ServiceAtomic::MinSigned,
            AtomicOp::UMax => ServiceAtomic::MaxUnsigned,
            AtomicOp::UMin => ServiceAtomic::MinUnsigned,
            AtomicOp::CmpWr => ServiceAtomic::CompareExchange,
        };
        let old = self.services.atomic32(buffer, offset, service, operands);
        Ok(if op == AtomicOp::PreDec { old.wrapping_sub(1) } else { old })
    }

    /// Sampler messages: constants pulled through the sampler; textures.
    pub fn sample(&mut self, request: &SamplerRequest) -> Reply<Texels> {
        let mut texels: Texels = [[0; 16]; 4];
        match surface(self.binary, request.surface) {
            Some(Bound::UniformBlock(n)) if matches!(request.op, SamplerOp::Load | SamplerOp::LoadLz) => {
                let offsets = request.param(Param::U).ok_or(HostError("load without a coordinate".into()))?;
                let buffer = uniform_buffer(n);
                for channel in (0..usize::from(request.count)).filter(|c| request.mask >> c & 1 != 0) {
                    for (component, row) in texels.iter_mut().enumerate() {
                        // The surface has a pitch of one byte: coordinates are byte offsets.
                        let offset = offsets[channel].wrapping_add(4 * component as u32);
                        row[channel] = self.services.load32(buffer, offset);
                    }
                }
                Ok(texels)
            }
            Some(Bound::Texture(slot)) => {
                let surface = TextureSurface { slot, cube_array: self.is_cube_array(slot) };
                sampler::sample(self.services, surface, request)
            }
            other => refuse(format!("binding table entry {} ({other:?}) cannot be sampled", request.surface)),
        }
    }

    fn is_cube_array(&self, slot: u32) -> bool {
        let uniform = self.program.samplers.get(slot as usize).map(|s| s.uniform as usize);
        let types = &self.program.types;
        let Some(uniform) = uniform.and_then(|u| self.program.uniforms.get(u)) else { return false };
        match types.get(types.without_arrays(uniform.ty)) {
            Type::Sampler(sampler) => sampler.array && sampler.dim == Dim::Cube,
            _ => false,
        }
    }
}
