//! Cache of decoded instructions: kernels consist of few different ones.

use cache::{Entry, GenerationTable, Store};
use compiler::ValidationCache;
use eu_simulator::{
    DecodeError, DecodedInstruction, DecodedInstructions, InstructionLayout, Kernel, KernelBuilder,
    Quirks,
};
use intel_isa::DevInfo;

/// Decodes kernels of one device; equal instructions of its kernels share storage.
#[derive(Debug)]
pub(crate) struct KernelCache {
    devinfo: &'static DevInfo,
    quirks: Quirks,
    /// By the halves of the encoding, which hash faster than the whole.
    instructions: GenerationTable<(u64, u64), Instructions, InstructionLayout>,
}

/// Values of the table.
#[derive(Debug, Default)]
struct Instructions(DecodedInstructions);

impl Store for Instructions {
    fn push_from(&mut self, other: &Instructions, index: u32) {
        if let Some(decoded) = other.0.get(index) {
            self.0.push(|| decoded.clone());
        }
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl KernelCache {
    /// Returns an empty cache.
    pub(crate) fn new(devinfo: &'static DevInfo) -> KernelCache {
        let instructions = GenerationTable::new(DecodedInstructions::CAPACITY);
        KernelCache { devinfo, quirks: Quirks::of(devinfo), instructions }
    }

    /// As [`Kernel::decode`]. `insts` decodes the instructions missing here.
    ///
    /// # Errors
    /// As [`Kernel::decode`].
    pub(crate) fn kernel(
        &mut self,
        insts: &mut ValidationCache,
        bytes: &[u8],
    ) -> Result<Kernel, DecodeError> {
        let mut builder = KernelBuilder::new(self.devinfo, bytes, 0)?;
        while let Some(rest) = builder.rest(bytes) {
            let entry = self.decode(insts, rest).map_err(|error| builder.error(&error))?;
            builder.push(&entry.values.0, entry.index, entry.tag);
        }
        builder.finish()
    }

    /// Returns the instruction at the start of `bytes`.
    fn decode(
        &mut self,
        insts: &mut ValidationCache,
        bytes: &[u8],
    ) -> Result<Entry<'_, Instructions, InstructionLayout>, intel_isa::DecodeError> {
        let quirks = &self.quirks;
        let encoding = intel_isa::raw_encoding(self.devinfo, bytes)?;
        self.instructions.get((encoding as u64, (encoding >> 64) as u64), 1, |instructions| {
            let (inst, _) = insts.decode(bytes)?;
            instructions.0.push(|| DecodedInstruction::new(quirks, inst));
            Ok(InstructionLayout::of(&inst))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eu_simulator::{NoHost, Thread};
    use intel_isa::build::{self, grf, imm_ud, inst};
    use intel_isa::{Opcode, Sfid};

    /// The cache drops instructions that were not used recently; kernels keep their own.
    #[test]
    fn kernels_outlive_the_cache() {
        let device = DevInfo::get("skl").unwrap();
        let end = build::send(Sfid::ThreadSpawner, build::null(), grf(0), 1 << 25).eot();
        let mov = |number| inst(Opcode::Mov).dst(grf(10)).srcs(&[imm_ud(number)]);
        let program = |numbers: std::ops::Range<u32>| {
            let insts: Vec<_> = numbers.map(mov).chain([end]).collect();
            intel_isa::encode_program(device, &insts).unwrap()
        };
        let (mut cache, mut insts) = (KernelCache::new(device), ValidationCache::new(device));
        let mut kernels = Vec::new();
        // The second is longer than the cache; the third begins where the cache dropped
        // instructions.
        for numbers in [0..3, 3..20_000, 19_990..20_100, 0..2] {
            let last = numbers.end - 1;
            kernels.push((cache.kernel(&mut insts, &program(numbers)).unwrap(), last));
        }
        drop((cache, insts));
        for (kernel, last) in kernels {
            assert_eq!(kernel.instructions().filter(|inst| inst.opcode == Opcode::Send).count(), 1);
            for kernel in [kernel.clone(), kernel.generic()] {
                let mut thread = Thread::new(device, 0);
                kernel.run(&mut thread, &mut NoHost, 30_000).unwrap();
                assert_eq!(thread.register(10), [last; 8]);
            }
        }
    }
}
