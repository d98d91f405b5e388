//! URB entries as threads write them.

use simulator::host::{HostError, Reply, UrbWrite};

/// Writes the masked dwords of a message into its entry; entries are found by handle.
pub(super) fn write_entry(entries: &mut [Vec<u32>], write: &UrbWrite<'_>) -> Reply<()> {
    let known = entries.len();
    let entry = entries.get_mut(usize::from(write.handle)).ok_or_else(|| {
        HostError(format!("URB write to handle {}, but there are {known} outputs", write.handle))
    })?;
    let dwords = entry.len();
    for (i, &value) in write.data.iter().enumerate().filter(|(i, _)| write.mask >> i & 1 != 0) {
        let at = write.offset as usize * 4 + i;
        match entry.get_mut(at) {
            Some(place) => *place = value,
            // Entries are allocated in units of 64 bytes: writes into the padding are harmless.
            None if at < dwords.next_multiple_of(16) => {}
            None => return Err(HostError(format!("URB write to dword {at} of an entry of {dwords}"))),
        }
    }
    Ok(())
}
