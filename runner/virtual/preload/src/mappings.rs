//! The address space of the process, where the driver arranges it: which bytes of which object are
//! at an address.

use std::collections::BTreeMap;

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// Handle of the object.
    pub(crate) handle: u32,
    /// First byte of the object.
    pub(crate) offset: u64,
    /// Bytes.
    pub(crate) size: u64,
}

/// All ranges that hold objects. They do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Mappings {
    by_address: BTreeMap<u64, Mapping>,
}

impl Mappings {
    /// Adds a range; false if another one holds a part of it.
    pub(crate) fn map(&mut self, address: u64, mapping: Mapping) -> bool {
        let Some(end) = address.checked_add(mapping.size) else { return false };
        let is_free = self.overlapping(address, end).next().is_none();
        if is_free {
            self.by_address.insert(address, mapping);
        }
        is_free
    }

    /// Removes the range of an object that begins at an address; false if there is none.
    pub(crate) fn unmap(&mut self, address: u64) -> bool {
        self.by_address.remove(&address).is_some()
    }

    /// Removes all of `address..address + size`. Ranges that it cuts keep their other parts.
    pub(crate) fn clear(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        let cut: Vec<u64> = self.overlapping(address, end).collect();
        for start in cut {
            let Some(old) = self.by_address.remove(&start) else { continue };
            if start < address {
                self.by_address.insert(start, Mapping { size: address - start, ..old });
            }
            if start + old.size > end {
                let gone = end - start;
                let rest = Mapping { offset: old.offset + gone, size: old.size - gone, ..old };
                self.by_address.insert(end, rest);
            }
        }
    }

    /// Removes all ranges of an object.
    pub(crate) fn forget(&mut self, handle: u32) {
        self.by_address.retain(|_, mapping| mapping.handle != handle);
    }

    /// All ranges with their addresses.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, Mapping)> {
        self.by_address.iter().map(|(address, mapping)| (*address, *mapping))
    }

    /// First addresses of the ranges that hold a part of `start..end`.
    fn overlapping(&self, start: u64, end: u64) -> impl Iterator<Item = u64> {
        let before = self.by_address.range(..end).rev();
        before.take_while(move |(at, mapping)| *at + mapping.size > start).map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_do_not_overlap() {
        let mut mappings = Mappings::default();
        let mapping = Mapping { handle: 1, offset: 0, size: 0x3000 };
        assert!(mappings.map(0x10000, mapping));
        assert!(!mappings.map(0x12000, mapping) && !mappings.map(u64::MAX, mapping));
        mappings.clear(0x11000, 0x1000);
        let found: Vec<_> = mappings.iter().map(|(at, m)| (at, m.offset, m.size)).collect();
        assert_eq!(found, [(0x10000, 0, 0x1000), (0x12000, 0x2000, 0x1000)]);
        assert!(mappings.unmap(0x10000) && !mappings.unmap(0x10000));
        mappings.forget(1);
        assert_eq!(mappings.iter().count(), 0);
    }
}
