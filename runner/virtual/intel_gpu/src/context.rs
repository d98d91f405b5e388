//! State of a hardware context, which persists from batch to batch.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// State of a context.
#[derive(Clone, Debug, Default)]
pub(crate) struct HardwareContext {
    /// Last packet of each state command, by name.
    packets: FxHashMap<&'static str, Vec<u32>>,
    /// Last state of each vertex buffer.
    pub(crate) vertex_buffers: BTreeMap<u64, Vec<u32>>,
    /// Last state of the instancing of each vertex element, which later generations have.
    pub(crate) instancing: BTreeMap<u64, Vec<u32>>,
    /// Last state of each buffer of stream output.
    pub(crate) output_buffers: [Vec<u32>; 4],
    /// MMIO registers of 32 bits, by offset in bytes.
    pub(crate) registers: Registers,
    /// Base of surface states and binding tables.
    pub(crate) surface_base: u64,
    /// Base of dynamic state.
    pub(crate) dynamic_base: u64,
    /// Base of kernels.
    pub(crate) instruction_base: u64,
}

impl HardwareContext {
    /// Stores the packet of a state command.
    pub(crate) fn store(&mut self, name: &'static str, words: Vec<u32>) {
        self.packets.insert(name, words);
    }

    /// Returns the last packet of a state command; before the first it is empty and reads as 0.
    pub(crate) fn packet(&self, name: &str) -> &[u32] {
        self.packets.get(name).map_or(&[], Vec::as_slice)
    }
}

/// MMIO registers. All that were not written are 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers(FxHashMap<u32, u32>);

impl Registers {
    /// Reads 32 bits.
    pub(crate) fn get(&self, offset: u32) -> u32 {
        self.0.get(&offset).copied().unwrap_or(0)
    }

    /// Writes 32 bits.
    pub(crate) fn set(&mut self, offset: u32, value: u32) {
        self.0.insert(offset, value);
    }

    /// Reads 64 bits, the low half first.
    pub(crate) fn get_u64(&self, offset: u32) -> u64 {
        u64::from(self.get(offset)) | u64::from(self.get(offset + 4)) << 32
    }

    /// Writes 64 bits.
    #[allow(clippy::cast_possible_truncation, reason = "the halves of the value")]
    pub(crate) fn set_u64(&mut self, offset: u32, value: u64) {
        self.set(offset, value as u32);
        self.set(offset + 4, (value >> 32) as u32);
    }
}
