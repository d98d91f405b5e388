//! Ranges of the memory file.

use std::collections::BTreeMap;

/// Bytes of a page; all ranges consist of whole pages.
pub(crate) const PAGE: u64 = 4096;

/// First-fit allocation of ranges.
#[derive(Debug)]
pub(crate) struct Heap {
    /// Length of each free range by its start.
    free: BTreeMap<u64, u64>,
}

impl Heap {
    /// Creates a heap of `size` free bytes.
    pub(crate) fn new(size: u64) -> Heap {
        Heap { free: BTreeMap::from([(0, size)]) }
    }

    /// Allocates `size` bytes, a multiple of [`PAGE`].
    pub(crate) fn allocate(&mut self, size: u64) -> Option<u64> {
        let (start, length) = self.free.iter().find(|(_, l)| **l >= size).map(|(s, l)| (*s, *l))?;
        self.free.remove(&start);
        if length > size {
            self.free.insert(start + size, length - size);
        }
        Some(start)
    }

    /// Frees a range and joins it with its neighbors.
    pub(crate) fn release(&mut self, start: u64, size: u64) {
        let (mut start, mut end) = (start, start + size);
        if let Some((&before, &length)) = self.free.range(..start).next_back()
            && before + length == start
        {
            self.free.remove(&before);
            start = before;
        }
        if let Some(length) = self.free.remove(&end) {
            end += length;
        }
        self.free.insert(start, end - start);
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;

    #[test]
    fn released_ranges_join() {
        let mut heap = Heap::new(100);
        let ranges: Vec<u64> = (0..10).filter_map(|_| heap.allocate(10)).collect();
        assert_eq!(ranges, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
        assert_eq!(heap.allocate(10), None);
        for start in [10, 30, 20] {
            heap.release(start, 10);
        }
        assert_eq!(heap.allocate(31), None);
        assert_eq!(heap.allocate(30), Some(10));
    }
}
