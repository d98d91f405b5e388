//! Stipples: patterns of the pixels of polygons and lines that are drawn.

use fixed_function::Quad;

use crate::draw::state::raster::{LineStipple, PolygonStipple};

/// Pixels along the axis of more change, from the start of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Along {
    /// The axis is x.
    pub(crate) is_flat: bool,
    /// First pixel.
    pub(crate) from: i32,
    /// Last pixel.
    pub(crate) to: i32,
    /// Distance of the first pixel from the start of the stipple.
    pub(crate) distance: u32,
}

impl Along {
    /// Distance of the pixel after the last.
    pub(crate) fn end(&self) -> u32 {
        self.distance.wrapping_add(self.from.abs_diff(self.to))
    }
}

/// Takes away the pixels of a polygon that its stipple leaves out.
pub(crate) fn stipple_polygon(quads: &mut Vec<Quad>, stipple: &PolygonStipple) {
    retain(quads, |x, y| stipple.draws(x, y));
}

/// Takes away the pixels of a line that its stipple leaves out.
pub(crate) fn stipple_line(quads: &mut Vec<Quad>, stipple: LineStipple, along: Along) {
    retain(quads, |x, y| {
        let at = (if along.is_flat { x } else { y }).cast_signed();
        let forward = if along.from <= along.to { at - along.from } else { along.from - at };
        stipple.draws(along.distance.wrapping_add(forward.max(0).cast_unsigned()))
    });
}

/// Keeps the pixels for which `draws` holds.
fn retain(quads: &mut Vec<Quad>, draws: impl Fn(u32, u32) -> bool) {
    for quad in &mut *quads {
        for (i, samples) in (0..).zip(&mut quad.samples) {
            if !draws(quad.x + (i & 1), quad.y + (i >> 1)) {
                *samples = 0;
            }
        }
    }
    quads.retain(|quad| quad.samples != [0; 4]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_repeat_each_bit_and_go_on_after_corners() {
        let stipple = LineStipple { pattern: 0b0101, repeat: 2 };
        let drawn = |along: Along| {
            let mut quads =
                (0..6).map(|i| Quad { x: 2 * i, y: 4, samples: [1, 1, 0, 0] }).collect::<Vec<_>>();
            stipple_line(&mut quads, stipple, along);
            let pixels = |quad: &Quad| {
                let Quad { x, samples, .. } = *quad;
                [0, 1].into_iter().filter(move |i| samples[*i as usize] != 0).map(move |i| x + i)
            };
            quads.iter().flat_map(pixels).collect::<Vec<u32>>()
        };
        let first = Along { is_flat: true, from: 0, to: 7, distance: 0 };
        assert_eq!(drawn(first), [0, 1, 4, 5]);
        assert_eq!(first.end(), 7);
        // Backwards, three pixels after the start of the pattern.
        assert_eq!(drawn(Along { is_flat: true, from: 7, to: 0, distance: 3 }), [5, 6]);
    }
}
