//! Primitives of which all pixels have the same results: one wave shades all.

use fixed_function::{QuadSlot, SampleSpans};
use gcn_simulator::{Export, LANES, Wave};
use gpu_service::Outcome;
use raster::rasterize::Spans;

use super::color::{ColorTarget, Colors};
use super::fragment::{Extra, Fragments, valid};
use super::shaded::Primitive;
use crate::statistics::Count;
use crate::tiling::ADDRESS_MASK;

/// Bytes that are stored at once.
const PATTERN: usize = 1024;

impl Fragments<'_> {
    /// Shades a primitive of which all pixels have the same results: those of the first lane of a
    /// wave.
    pub(super) fn flood(&self, primitive: &Primitive<'_>, slots: &[QuadSlot]) -> Outcome<()> {
        let mut wave = self.shader.wave(u64::MAX, &self.system);
        let exports = self.run(primitive, &mut wave)?;
        let is_valid = valid(&exports, u64::MAX) & 1 != 0;
        self.repeat(&wave, 4 * slots.len());
        for lane in 0..4 * slots.len() {
            let mut passed = self.covered(&slots[lane / 4], lane % 4);
            if self.tests_early {
                passed = self.test(primitive, slots, lane, passed, Extra::default())?;
            }
            self.draw.count(Count::Fragments, usize::from(passed != 0));
            if is_valid && passed != 0 {
                self.output(primitive, slots, lane, passed, (&exports, 0))?;
            }
        }
        Ok(())
    }

    /// Counts the waves of these pixels that are not executed, since they would be like one.
    fn repeat(&self, wave: &Wave, pixels: usize) {
        let others = pixels.div_ceil(LANES).saturating_sub(1) as u64;
        self.shader.repeat(self.draw.hardware, wave, others);
    }

    /// Fills the pixels of a primitive that are stored without tests and blending. Returns false,
    /// with nothing stored, if there are others.
    pub(super) fn fill(&self, primitive: &Primitive<'_>, parts: &SampleSpans) -> Outcome<bool> {
        let [(1, spans)] = parts.as_slice() else { return Ok(false) };
        let [spans] = spans.as_slice() else { return Ok(false) };
        if self.samples.count() > 1 || self.depth.is_some() || !self.colors.are_plain() {
            return Ok(false);
        }
        if spans.is_empty() {
            return Ok(true);
        }
        let count = spans.rows.iter().map(|(from, to)| (to - from).max(0) as usize).sum();
        let mut wave = self.shader.wave(u64::MAX, &self.system);
        let exports = self.run(primitive, &mut wave)?;
        let is_valid = valid(&exports, u64::MAX) & 1 != 0;
        self.repeat(&wave, count);
        let writes = self.extra(&exports, 0)?.mask.is_none_or(|mask| mask & 1 != 0);
        self.draw.count(Count::Fragments, count);
        if is_valid && writes {
            self.draw.passed.set(self.draw.passed.get() + count as u64);
            self.colors.fill(&exports, spans, primitive.layer)?;
        }
        Ok(true)
    }
}

impl Colors<'_> {
    /// Stores the colors of the first lane in runs of pixels.
    fn fill(&self, exports: &[Export], spans: &Spans, layer: u32) -> Outcome<()> {
        for target in &self.targets {
            if let Some(color) = target.exported(exports, target.export, 0) {
                let texel = target.encoder.encode(color);
                let texel = &texel[..(target.format.bytes as usize).min(16)];
                self.fill_target(target, spans, target.slice(layer), texel)?;
            }
        }
        Ok(())
    }

    fn fill_target(
        &self,
        target: &ColorTarget,
        spans: &Spans,
        slice: u32,
        texel: &[u8],
    ) -> Outcome<()> {
        let pattern: Vec<u8> = texel.iter().copied().cycle().take(PATTERN).collect();
        if target.level.is_linear() {
            return self.fill_rows(target, spans, slice, &pattern);
        }
        let bounds = spans.bounds();
        for top in (bounds.y0 & !7..bounds.y1).step_by(8) {
            self.draw.hardware.guard.check()?;
            let rows: [(i32, i32); 8] = std::array::from_fn(|i| spans.row(top + i as i32));
            let occupied = rows.iter().filter(|(from, to)| from < to);
            let first = occupied.clone().map(|(from, _)| *from).min().unwrap_or(0);
            let last = occupied.map(|(_, to)| *to).max().unwrap_or(0);
            for left in (first & !7..last).step_by(8) {
                let rows = rows.map(|(from, to)| (from.max(left), to.min(left + 8)));
                self.fill_tile(target, (left, top), rows, slice, &pattern)?;
            }
        }
        Ok(())
    }

    /// Stores runs of pixels of the rows of a tile.
    fn fill_tile(
        &self,
        target: &ColorTarget,
        (left, top): (i32, i32),
        rows: [(i32, i32); 8],
        slice: u32,
        pattern: &[u8],
    ) -> Outcome<()> {
        let (level, memory) = (&target.level, self.draw.memory);
        let corner = (left.cast_unsigned(), top.cast_unsigned());
        let Some(tile) = level.tile(corner.0, corner.1, slice, 0) else { return Ok(()) };
        if rows.iter().all(|(from, to)| from >= to) {
            return Ok(());
        }
        if let Some(metadata) = &target.metadata {
            metadata.expand(memory, level, corner, slice)?;
            for piece in tile.pieces().0 {
                metadata.expand_block(memory, level, *piece)?;
            }
        }
        if rows.iter().all(|row| *row == (left, left + 8)) {
            let (pieces, bytes) = tile.pieces();
            for piece in pieces {
                memory.write(piece & ADDRESS_MASK, &pattern[..bytes])?;
            }
            return Ok(());
        }
        let texel = &pattern[..level.bytes as usize];
        for (y, (from, to)) in (corner.1..).zip(rows) {
            for x in from..to {
                memory.write(tile.address(x.cast_unsigned(), y) & ADDRESS_MASK, texel)?;
            }
        }
        Ok(())
    }

    /// Stores runs of pixels of a target without tiles.
    fn fill_rows(
        &self,
        target: &ColorTarget,
        spans: &Spans,
        slice: u32,
        pattern: &[u8],
    ) -> Outcome<()> {
        let bytes = target.level.bytes as usize;
        let most = pattern.len() / bytes;
        for (y, (from, to)) in (spans.y0.cast_unsigned()..).zip(&spans.rows) {
            for x in (*from..*to).step_by(most) {
                let count = ((to - x) as usize).min(most);
                let address = target.level.address(x.cast_unsigned(), y, slice, 0) & ADDRESS_MASK;
                self.draw.memory.write(address, &pattern[..count * bytes])?;
            }
        }
        Ok(())
    }
}
