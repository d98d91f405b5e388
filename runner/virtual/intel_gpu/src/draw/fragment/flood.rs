//! Pixels that all get the same color, stored in runs.

use eu_simulator::host::RenderWrite;
use fixed_function::Quad;
use gpu_service::Outcome;
use surfaces::Plane;

use super::output::{Output, RenderTarget};
use super::quad::Primitive;
use crate::draw::thread::bindings::Resources;

/// Maximum number of texels that are stored at once.
const LONGEST: u32 = 256;

/// Pixels in a row: first column, the column after the last, row.
type Run = (u32, u32, u32);

impl Output<'_> {
    /// Stores the writes of a thread of `width` pixels as those of all quads. Returns false, with
    /// nothing stored, if pixels differ or must be tested or blended one by one.
    pub(crate) fn flood(
        &self,
        resources: &Resources<'_>,
        primitive: &Primitive<'_>,
        quads: &[Quad],
        writes: &[RenderWrite],
        (width, is_tested): (usize, bool),
    ) -> Outcome<bool> {
        if primitive.smooth.is_some()
            || self.tests_pixels(is_tested)
            || !writes.iter().all(|write| is_uniform(write, width))
        {
            return Ok(false);
        }
        let mut targets = Vec::new();
        for write in writes {
            match self.target(resources, write.target)? {
                Some(target) if !target.is_plain() => return Ok(false),
                target => targets.push((write, target)),
            }
        }
        let runs = runs(quads);
        if !writes.is_empty() {
            self.count_passed(runs.iter().map(|(left, right, _)| right - left).sum());
        }
        for (write, target) in targets {
            let Some(target) = target else { continue };
            let color = self.stored_color(&target, write.color.map(|plane| plane[0]));
            self.fill(&target, &runs, primitive.layer, color)?;
        }
        Ok(true)
    }

    /// Stores a color in runs of pixels.
    fn fill(
        &self,
        target: &RenderTarget,
        runs: &[Run],
        layer: u32,
        color: [u32; 4],
    ) -> Outcome<()> {
        let surface = &target.bound.surface;
        if layer >= surface.layers {
            return Ok(());
        }
        let plane = surface.plane(layer + surface.first_layer, surface.level);
        self.fill_plane(target, runs, &plane, color)
    }

    /// Stores the clear color of its state in all samples of a layer of the first render target.
    pub(crate) fn clear(&self, resources: &Resources<'_>, layer: u32) -> Outcome<()> {
        let Some(target) = self.target(resources, 0)? else { return Ok(()) };
        let surface = &target.bound.surface;
        let (width, height) = surface.size(surface.level);
        let rows: Vec<Run> = (0..height).map(|y| (0, width, y)).collect();
        let layer = layer + surface.first_layer;
        for sample in 0..surface.samples {
            let plane = surface.plane(layer * surface.samples + sample, surface.level);
            self.fill_plane(&target, &rows, &plane, surface.clear_color())?;
        }
        Ok(())
    }

    /// Stores a color in runs of pixels of a plane.
    fn fill_plane(
        &self,
        target: &RenderTarget,
        runs: &[Run],
        plane: &Plane,
        color: [u32; 4],
    ) -> Outcome<()> {
        let surface = &target.bound.surface;
        let (width, height) = surface.size(surface.level);
        let bytes = target.format.bytes;
        let size = usize::try_from(bytes).unwrap_or(16);
        let pattern = target.encode(color)[..size].repeat(LONGEST as usize);
        for &(left, right, y) in runs.iter().filter(|(_, _, y)| *y < height) {
            let mut x = left;
            while x < right.min(width) {
                let count = plane.contiguous(x, bytes).min(LONGEST).min(right.min(width) - x);
                let length = size * count as usize;
                self.write(plane.address(x, y, bytes), &pattern[..length])?;
                x += count;
            }
        }
        Ok(())
    }
}

/// True if all pixels of a thread get the same color and nothing else.
fn is_uniform(write: &RenderWrite, width: usize) -> bool {
    let count = usize::from(write.count);
    let is_whole = write.first_slot == 0 && count == width;
    let all = (1_u32 << count) - 1;
    let colors = write.color.iter().all(|plane| plane[..count].iter().all(|v| *v == plane[0]));
    let others = write.color1.is_some()
        || write.source0_alpha.is_some()
        || write.omask.is_some()
        || write.depth.is_some()
        || write.stencil.is_some();
    is_whole && u32::from(write.mask) == all && colors && !others
}

/// Covered pixels of quads in rows, of one sample each.
fn runs(quads: &[Quad]) -> Vec<Run> {
    let mut runs = Vec::new();
    // Runs of the upper and lower row that the next quad may continue.
    let mut open: [Option<Run>; 2] = [None; 2];
    for quad in quads {
        for (down, open) in (0..).zip(&mut open) {
            for right in 0..2 {
                let (x, y) = (quad.x + right, quad.y + down);
                if quad.samples[(2 * down + right) as usize] == 0 {
                    continue;
                }
                match open {
                    Some((_, end, row)) if *end == x && *row == y => *end += 1,
                    _ => runs.extend(open.replace((x, x + 1, y))),
                }
            }
        }
    }
    runs.extend(open.into_iter().flatten());
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_share_a_run() {
        let quad = |x, y, samples| Quad { x, y, samples };
        let quads = [quad(0, 0, [0, 1, 1, 1]), quad(2, 0, [1; 4]), quad(6, 0, [1, 0, 0, 0])];
        let mut found = runs(&quads);
        found.sort_unstable();
        assert_eq!(found, [(0, 4, 1), (1, 4, 0), (6, 7, 0)]);
        assert!(runs(&[]).is_empty());
    }
}
