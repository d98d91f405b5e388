//! Where a program's instructions start.

/// Byte offsets of instructions, ascending. As long as all are native, 16 bytes each, nothing needs
/// to be listed.
#[derive(Clone, Debug, Default)]
pub struct InstructionOffsets {
    first: usize,
    count: usize,
    /// All of them, once one is elsewhere than native instructions alone would put it.
    listed: Vec<usize>,
}

impl InstructionOffsets {
    /// None yet, of a program whose first instruction starts at byte `first`.
    pub fn new(first: usize) -> InstructionOffsets {
        InstructionOffsets { first, count: 0, listed: Vec::new() }
    }

    /// The next instruction starts at byte `offset`.
    pub fn push(&mut self, offset: usize) {
        let native = |index: usize| self.first + 16 * index;
        if self.listed.is_empty() && offset != native(self.count) {
            self.listed = (0..self.count).map(native).collect();
        }
        if offset != native(self.count) || !self.listed.is_empty() {
            self.listed.push(offset);
        }
        self.count += 1;
    }

    /// Where instruction `index` starts.
    pub fn at(&self, index: usize) -> Option<usize> {
        if !self.listed.is_empty() {
            return self.listed.get(index).copied();
        }
        (index < self.count).then(|| self.first + 16 * index)
    }

    /// The instruction that starts at byte `offset`.
    pub fn index_of(&self, offset: i64) -> Option<usize> {
        let offset = usize::try_from(offset).ok()?;
        if !self.listed.is_empty() {
            return self.listed.binary_search(&offset).ok();
        }
        let distance = offset.checked_sub(self.first)?;
        (distance % 16 == 0 && distance / 16 < self.count).then_some(distance / 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(first: usize, offsets: &[usize]) -> InstructionOffsets {
        let mut starts = InstructionOffsets::new(first);
        offsets.iter().for_each(|&offset| starts.push(offset));
        starts
    }

    #[test]
    fn listed_or_not() {
        for (first, offsets) in [
            (0, &[0, 16, 32][..]),
            (8, &[8, 24, 32, 48]),
            (0, &[0, 8, 16]),
            (16, &[16, 24]),
            (0, &[]),
        ] {
            let starts = starts(first, offsets);
            for index in 0..offsets.len() + 1 {
                assert_eq!(starts.at(index), offsets.get(index).copied());
            }
            for offset in -1..80 {
                let expected = offsets.iter().position(|&start| start as i64 == offset);
                assert_eq!(starts.index_of(offset), expected, "{offset} of {offsets:?}");
            }
        }
    }
}
