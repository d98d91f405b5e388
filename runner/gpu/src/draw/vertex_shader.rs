//! Vertex threads: payload, execution, vertex data.

use simulator::Thread;
use simulator::host::{Host, HostError, Reply, Surface, UrbWrite};

use super::Draw;
use super::fragment::{BUDGET, kernel_error};
use super::scratch::Scratch;
use super::vertices::Slots;
use crate::error::Outcome;

/// Slots of an entry, more than any vertex has.
const ENTRY_SLOTS: usize = 64;

impl Draw<'_> {
    /// Executes the vertex shader on vertices, or passes them on if there is none.
    pub(super) fn shade_vertices(&self, vertices: Vec<Slots>) -> Outcome<Vec<Slots>> {
        let vs = self.fields.vs;
        let words = self.context.packet("3DSTATE_VS");
        if !vs.is_enabled.flag(words) {
            return Ok(vertices);
        }
        let address = self.context.instruction_base + vs.kernel.get(words);
        let kernel = self.kernel(address)?;
        // Threads of 8 vertices have a register for each component, others one for two vertices.
        let is_wide = vs.is_wide.flag(words);
        let per_thread = if is_wide { 8 } else { 2 };
        let start = vs.inputs.get_u32(words) as usize;
        let skipped = 2 * vs.read_offset.get_u32(words) as usize;
        let count = 2 * vs.read_length.get_u32(words) as usize;
        let constants = self.constants("3DSTATE_CONSTANT_VS")?;
        let mut thread = Thread::new(self.devinfo, 0);
        let mut shaded = Vec::with_capacity(vertices.len());
        for group in vertices.chunks(per_thread) {
            thread.reset(0);
            thread.set_register(0, &[0, 1, 0, 0, 0, 0, 0, 0]);
            if is_wide {
                thread.set_register(0, &[0; 8]);
                thread.set_register(1, &[0, 1, 2, 3, 4, 5, 6, 7]);
            }
            // Constants come first, the data of the vertices follow them.
            for (i, constant) in constants.iter().enumerate() {
                thread.set_register(start + i, constant);
            }
            let inputs = start + constants.len();
            for (lane, vertex) in group.iter().enumerate() {
                for (i, slot) in vertex.iter().skip(skipped).take(count).enumerate() {
                    for (component, &value) in slot.iter().enumerate() {
                        if is_wide {
                            thread.set_dword(inputs + 4 * i + component, lane, value);
                        } else {
                            thread.set_dword(inputs + i, 4 * lane + component, value);
                        }
                    }
                }
            }
            let channels = if is_wide { group.len() } else { 4 * group.len() };
            thread.set_dispatch_mask((1 << channels) - 1);
            let mut host = UrbHost {
                entries: vec![vec![0; 4 * ENTRY_SLOTS]; per_thread],
                scratch: Scratch::default(),
            };
            let result = kernel.run(&mut thread, &mut host, BUDGET);
            result.map_err(|error| kernel_error(address, &error))?;
            for entry in host.entries.iter().take(group.len()) {
                let slot = |dwords: &[u32]| [dwords[0], dwords[1], dwords[2], dwords[3]];
                shaded.push(entry.chunks_exact(4).map(slot).collect());
            }
        }
        Ok(shaded)
    }

    /// Reads the push constants of a stage as registers: all slots one after the other.
    pub(super) fn constants(&self, command: &'static str) -> Outcome<Vec<[u32; 8]>> {
        const ABSOLUTE: [(u32, u32); 2] = [(0x20c0, 1 << 6), (0x20d8, 1 << 4)];
        let body = self.context.packet(command).get(1..).unwrap_or(&[]);
        let fields = self.fields.constants;
        let slots = [
            (fields.length_0, fields.buffer_0),
            (fields.length_1, fields.buffer_1),
            (fields.length_2, fields.buffer_2),
            (fields.length_3, fields.buffer_3),
        ];
        // The first slot is relative to the dynamic base, unless a register says otherwise.
        let registers = &self.context.registers;
        let is_absolute = ABSOLUTE.iter().any(|(offset, bit)| registers.get(*offset) & bit != 0);
        let mut constants = Vec::new();
        for (i, (length, buffer)) in slots.into_iter().enumerate() {
            let mut address = buffer.get(body) & 0xffff_ffff_ffff;
            if i == 0 && !is_absolute {
                address += self.context.dynamic_base;
            }
            for register in 0..length.get(body) {
                let words = self.memory.read_words(address + 32 * register, 8)?;
                constants.push(std::array::from_fn(|i| words[i]));
            }
        }
        Ok(constants)
    }
}

/// Serves the messages of a vertex thread.
struct UrbHost {
    /// Entries by handle.
    entries: Vec<Vec<u32>>,
    scratch: Scratch,
}

impl Host for UrbHost {
    fn read(&mut self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        self.scratch.read(surface, offset, data)
    }

    fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        self.scratch.write(surface, offset, data)
    }

    fn urb_write(&mut self, write: &UrbWrite<'_>) -> Reply<()> {
        let Some(entry) = self.entries.get_mut(usize::from(write.handle)) else {
            return Err(HostError(format!("no URB entry {}", write.handle)));
        };
        for (i, value) in write.data.iter().enumerate().filter(|(i, _)| write.mask >> i & 1 != 0) {
            let at = 4 * write.offset as usize + i;
            let Some(place) = entry.get_mut(at) else {
                return Err(HostError(format!("URB write to double word {at} of an entry")));
            };
            *place = *value;
        }
        Ok(())
    }
}
