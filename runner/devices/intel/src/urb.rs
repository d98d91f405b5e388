//! The URB of threads in the geometry pipeline.

use eu_simulator::host::{Host, HostError, Reply, UrbWrite};

use crate::memory::{Memory, memory_requests};

/// Shared functions of a thread that reads and writes URB entries.
pub(crate) struct UrbHost<'a> {
    pub memory: Memory<'a>,
    /// Entries by handle: first the writable ones, then the others.
    pub entries: Vec<Vec<u32>>,
    /// Number of writable entries.
    pub outputs: usize,
    /// Handles of completed entries, in order.
    pub completed: Vec<u16>,
    /// Vertex counts in the message that ended a vec4 geometry thread.
    pub counts: [u32; 2],
}

impl<'a> UrbHost<'a> {
    /// Returns the host of a thread with these output entries, whose handles start at 0, followed
    /// by the input entries.
    pub(crate) fn new(
        memory: Memory<'a>,
        outputs: Vec<Vec<u32>>,
        inputs: Vec<Vec<u32>>,
    ) -> UrbHost<'a> {
        let writable = outputs.len();
        let mut entries = outputs;
        entries.extend(inputs);
        UrbHost { memory, entries, outputs: writable, completed: Vec::new(), counts: [0; 2] }
    }

    /// Returns the output entries.
    pub(crate) fn outputs(&self) -> &[Vec<u32>] {
        &self.entries[..self.outputs]
    }
}

impl Host for UrbHost<'_> {
    /// Writes the masked dwords of a message into its entry.
    fn urb_write(&mut self, write: &UrbWrite<'_>) -> Reply<()> {
        let known = self.outputs;
        let entry = self.entries[..known].get_mut(usize::from(write.handle)).ok_or_else(|| {
            HostError(format!(
                "URB write to handle {}, but there are {known} outputs",
                write.handle
            ))
        })?;
        let dwords = entry.len();
        for (i, &value) in write.data.iter().enumerate().filter(|(i, _)| write.mask >> i & 1 != 0) {
            let at = write.offset as usize * 4 + i;
            match entry.get_mut(at) {
                Some(place) => *place = value,
                // Entries are allocated in units of 64 bytes: writes into the padding are harmless.
                None if at < dwords.next_multiple_of(16) => {}
                None => {
                    return Err(HostError(format!(
                        "URB write to dword {at} of an entry of {dwords}"
                    )));
                }
            }
        }
        Ok(())
    }

    fn urb_complete(&mut self, handle: u16) {
        self.completed.push(handle);
    }

    fn urb_end(&mut self, header: &[u32; 8]) {
        self.counts = [header[2] & 0xffff, header[2] >> 16];
    }

    fn urb_read(&mut self, handle: u16, offset: u32, data: &mut [u32]) -> Reply<()> {
        let entry = self.entries.get(usize::from(handle));
        let entry = entry
            .ok_or_else(|| HostError(format!("URB read of handle {handle}, which is no entry")))?;
        for (i, place) in data.iter_mut().enumerate() {
            *place = entry.get(offset as usize * 4 + i).copied().unwrap_or(0);
        }
        Ok(())
    }

    memory_requests!();
}
