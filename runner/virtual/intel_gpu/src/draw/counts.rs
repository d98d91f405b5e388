//! Counters of a draw, for queries, and registers of stream output.

use std::cell::Cell;

use crate::context::Registers;

/// Counters by the register that they add to.
#[derive(Debug, Default)]
pub(super) struct Counts {
    fetched: Cell<u64>,
    assembled: Cell<u64>,
    vertices: Cell<u64>,
    patches: Cell<u64>,
    points: Cell<u64>,
    geometry: Cell<u64>,
    emitted: Cell<u64>,
    to_clip: Cell<u64>,
    clipped: Cell<u64>,
    shaded: Cell<u64>,
    passed: Cell<u64>,
}

/// Adds to a counter.
fn add(counter: &Cell<u64>, count: usize) {
    counter.set(counter.get() + u64::try_from(count).unwrap_or(0));
}

impl Counts {
    /// A vertex was fetched.
    pub(super) fn add_fetched(&self) {
        add(&self.fetched, 1);
    }

    /// Primitives were assembled.
    pub(super) fn add_assembled(&self, count: u32) {
        add(&self.assembled, count as usize);
    }

    /// Vertices were shaded.
    pub(super) fn add_vertices(&self, count: usize) {
        add(&self.vertices, count);
    }

    /// A patch became points.
    pub(super) fn add_patch(&self, points: usize) {
        add(&self.patches, 1);
        add(&self.points, points);
    }

    /// The geometry shader ran and emitted primitives.
    pub(super) fn add_geometry(&self, runs: usize, primitives: usize) {
        add(&self.geometry, runs);
        add(&self.emitted, primitives);
    }

    /// Primitives reached the clipper.
    pub(super) fn add_to_clip(&self, count: usize) {
        add(&self.to_clip, count);
    }

    /// A primitive left the clipper.
    pub(super) fn add_clipped(&self) {
        add(&self.clipped, 1);
    }

    /// Pixels were shaded.
    pub(super) fn add_shaded(&self, count: usize) {
        add(&self.shaded, count);
    }

    /// Samples passed all tests.
    pub(super) fn add_passed(&self, count: u32) {
        add(&self.passed, count as usize);
    }

    /// Adds the counters to the registers: those of the geometry and those of the pixels as
    /// enabled.
    pub(super) fn store(&self, registers: &mut Registers, geometry: bool, pixels: bool) {
        let of_geometry = [
            (0x2310, &self.fetched),
            (0x2318, &self.assembled),
            (0x2320, &self.vertices),
            (0x2300, &self.patches),
            (0x2308, &self.points),
            (0x2328, &self.geometry),
            (0x2330, &self.emitted),
            (0x2338, &self.to_clip),
            (0x2340, &self.clipped),
        ];
        let of_pixels = [(0x2348, &self.shaded), (0x2350, &self.passed)];
        let all = of_geometry.iter().filter(|_| geometry);
        for (offset, counter) in all.chain(of_pixels.iter().filter(|_| pixels)) {
            registers.set_u64(*offset, registers.get_u64(*offset) + counter.get());
        }
    }
}

/// Buffers and streams of stream output.
pub(super) const STREAMS: usize = 4;
/// First registers: primitives written, primitives that needed room, write offsets.
const WRITTEN: u32 = 0x5200;
const NEEDED: u32 = 0x5240;
const OFFSETS: u32 = 0x5280;

/// Registers of stream output during a draw.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamRegisters {
    pub(super) written: [u64; STREAMS],
    pub(super) needed: [u64; STREAMS],
    pub(super) offsets: [u32; STREAMS],
}

impl StreamRegisters {
    /// Reads the registers.
    pub(super) fn load(registers: &Registers) -> StreamRegisters {
        let wide = |base: u32| std::array::from_fn(|i| registers.get_u64(base + 8 * i as u32));
        StreamRegisters {
            written: wide(WRITTEN),
            needed: wide(NEEDED),
            offsets: std::array::from_fn(|i| registers.get(OFFSETS + 4 * i as u32)),
        }
    }

    /// Writes the registers.
    pub(super) fn store(&self, registers: &mut Registers) {
        for i in 0..STREAMS {
            let place = i as u32;
            registers.set_u64(WRITTEN + 8 * place, self.written[i]);
            registers.set_u64(NEEDED + 8 * place, self.needed[i]);
            registers.set(OFFSETS + 4 * place, self.offsets[i]);
        }
    }
}
