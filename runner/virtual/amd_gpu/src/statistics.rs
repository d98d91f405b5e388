//! Counts of the stages, which queries read.

/// Kind of a count, in the order of the counts in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Pixels that a shader runs for.
    Fragments,
    /// Primitives after clipping.
    ClippedPrimitives,
    /// Primitives before it.
    ClipperInvocations,
    Vertices,
    GeometryInvocations,
    /// Primitives that geometry shaders emit.
    GeometryPrimitives,
    /// Primitives and vertices that are assembled from the input.
    InputPrimitives,
    InputVertices,
    /// Patches of the control shader.
    Patches,
    /// Vertices of the evaluation shader.
    Evaluations,
    /// Threads of dispatches.
    Threads,
}

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics([u64; 11]);

impl Statistics {
    /// Adds to a count.
    pub(crate) fn add(&mut self, count: Count, number: usize) {
        let sum = &mut self.0[count as usize];
        *sum = sum.wrapping_add(number as u64);
    }

    /// The counts as they are in memory.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|count| count.to_le_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_places() {
        let mut statistics = Statistics::default();
        statistics.add(Count::Vertices, 3);
        statistics.add(Count::Threads, 64);
        let bytes = statistics.bytes();
        assert_eq!((bytes.len(), bytes[24], bytes[80]), (88, 3, 64));
    }
}
