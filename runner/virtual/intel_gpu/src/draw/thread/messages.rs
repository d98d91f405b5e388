//! Messages that the threads of all stages send: memory, samplers.

use eu_simulator::host::{HostError, Reply};
use gpu_service::{CommandError, Outcome};

/// The first error of a thread's messages, which the kernel's own error only quotes.
#[derive(Debug, Default)]
pub(crate) struct Failure(pub(crate) Option<CommandError>);

impl Failure {
    /// Keeps the error of a message and answers it.
    pub(crate) fn answer<T>(&mut self, result: Outcome<T>) -> Reply<T> {
        result.map_err(|error| {
            let text = error.to_string();
            self.0.get_or_insert(error);
            HostError(text)
        })
    }
}

/// The address of graphics memory that a message of 64 bits means. Addresses have 48 bits, and the
/// upper 16 must repeat bit 47 (PRM of Skylake, volume 5, "Memory Views", canonical form). Another
/// one stays as it is: no object has it.
pub(crate) fn graphics_address(address: u64) -> u64 {
    const BITS: u32 = 48;
    let low = address & ((1 << BITS) - 1);
    let canonical = (low << (64 - BITS)).cast_signed() >> (64 - BITS);
    if canonical.cast_unsigned() == address { low } else { address }
}

/// The methods of a host that serve memory and samplers, for a type with the method `resources` and
/// the fields `scratch` and `failure`.
macro_rules! memory_messages {
    () => {
        fn read(&mut self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
            let (Surface::Bti(entry) | Surface::Constant(entry)) = surface else {
                return self.scratch.read(surface, offset, data);
            };
            let result = self.resources().read(entry, offset, data);
            self.failure.answer(result)
        }

        fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
            let (Surface::Bti(entry) | Surface::Constant(entry)) = surface else {
                return self.scratch.write(surface, offset, data);
            };
            let result = self.resources().write(entry, offset, data);
            self.failure.answer(result)
        }

        fn atomic(
            &mut self,
            surface: Surface,
            offset: u32,
            op: AtomicOp,
            operands: [u32; 2],
        ) -> Reply<u32> {
            let (Surface::Bti(entry) | Surface::Constant(entry)) = surface else {
                return self.scratch.atomic(surface, offset, op, operands);
            };
            let result = self.resources().atomic(entry, offset, op, operands);
            self.failure.answer(result)
        }

        fn time(&mut self) -> u64 {
            self.resources().draw.tick()
        }

        fn global_read(&mut self, address: u64, data: &mut [u8]) -> Reply<()> {
            let address = $crate::draw::thread::messages::graphics_address(address);
            let result = self.resources().draw.memory.read(address, data);
            self.failure.answer(result.map_err(Into::into))
        }

        fn global_write(&mut self, address: u64, data: &[u8]) -> Reply<()> {
            let address = $crate::draw::thread::messages::graphics_address(address);
            let result = self.resources().draw.memory.write(address, data);
            self.failure.answer(result.map_err(Into::into))
        }

        fn typed_read(&mut self, surface: u8, coordinates: [u32; 4]) -> Reply<[u32; 4]> {
            let result = self.resources().typed_read(surface, coordinates);
            self.failure.answer(result)
        }

        fn typed_write(
            &mut self,
            surface: u8,
            coordinates: [u32; 4],
            texel: [u32; 4],
        ) -> Reply<()> {
            let result = self.resources().typed_write(surface, coordinates, texel);
            self.failure.answer(result)
        }

        fn typed_atomic(
            &mut self,
            surface: u8,
            coordinates: [u32; 4],
            op: AtomicOp,
            operands: [u32; 2],
        ) -> Reply<u32> {
            let result = self.resources().typed_atomic(surface, coordinates, op, operands);
            self.failure.answer(result)
        }

        fn sample(&mut self, request: &SamplerRequest) -> Reply<Texels> {
            let result = $crate::draw::thread::sampler::execute(self.resources(), request);
            self.failure.answer(result)
        }
    };
}

pub(crate) use memory_messages;

#[cfg(test)]
mod tests {
    use super::graphics_address;

    #[test]
    fn canonical_addresses() {
        assert_eq!(graphics_address(0xffff_fffe_ffc0_0000), 0xfffe_ffc0_0000);
        assert_eq!(graphics_address(0x7fff_ffff_f000), 0x7fff_ffff_f000);
        // Bit 47 is not repeated, so that this is no address.
        assert_eq!(graphics_address(0x8000_0000_0000), 0x8000_0000_0000);
        assert_eq!(graphics_address(0x1_0000_0000_0000), 0x1_0000_0000_0000);
    }
}
