//! Stipples: patterns of the pixels that are drawn.

use raster::rasterize::SnappedPosition;

use crate::quads::Quad;

/// Stipple of lines: one bit of the pattern for each of `repeat` pixels.
#[derive(Clone, Copy, Debug)]
pub struct LineStipple {
    /// Sixteen bits, that of the first pixels in the lowest one.
    pub pattern: u32,
    /// Pixels of a bit, at least 1.
    pub repeat: u32,
}

/// Pixels along the axis of more change, from the start of a line.
#[derive(Clone, Copy, Debug)]
struct Along {
    /// The axis is x.
    is_flat: bool,
    /// First pixel.
    from: i32,
    /// The pixel after the last.
    to: i32,
    /// The line goes to larger coordinates.
    is_forward: bool,
}

impl LineStipple {
    /// Takes away the pixels of a line that the stipple leaves out. `distance` is that of the first
    /// pixel from the start of the stipple. Returns that of the pixel after the last.
    #[must_use]
    pub fn apply(self, quads: &mut Vec<Quad>, ends: [SnappedPosition; 2], distance: u32) -> u32 {
        let along = Along::of(ends);
        retain_pixels(quads, |x, y| {
            let at = (if along.is_flat { x } else { y }).cast_signed();
            let forward = if along.is_forward { at - along.from } else { along.from - at };
            self.draws(distance.wrapping_add(forward.max(0).cast_unsigned()))
        });
        distance.wrapping_add(along.from.abs_diff(along.to))
    }

    /// True if the pixel at a distance from the start of the stipple is drawn.
    fn draws(self, distance: u32) -> bool {
        self.pattern >> (distance / self.repeat % 16) & 1 != 0
    }
}

impl Along {
    fn of([from, to]: [SnappedPosition; 2]) -> Along {
        let is_flat = (to[0] - from[0]).abs() >= (to[1] - from[1]).abs();
        let axis = usize::from(!is_flat);
        let is_forward = from[axis] <= to[axis];
        let [from, to] = [from, to].map(|at| first_pixel(at[axis], is_forward));
        Along { is_flat, from, to, is_forward }
    }
}

/// The first pixel of a line from a snapped coordinate on: that of the first center on its way.
#[allow(clippy::cast_possible_truncation, reason = "within the guard band")]
fn first_pixel(snapped: i64, is_forward: bool) -> i32 {
    let to_center = snapped - 128;
    let below = to_center.div_euclid(256) as i32;
    if is_forward && to_center.rem_euclid(256) > 0 { below + 1 } else { below }
}

/// Keeps the pixels for which `draws` holds.
pub fn retain_pixels(quads: &mut Vec<Quad>, draws: impl Fn(u32, u32) -> bool) {
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
        let drawn = |from: i64, to: i64, distance: u32| {
            let mut quads =
                (0..6).map(|i| Quad { x: 2 * i, y: 4, samples: [1, 1, 0, 0] }).collect::<Vec<_>>();
            let ends = [from, to].map(|x| [256 * x + 128, 4 * 256 + 128]);
            let end = stipple.apply(&mut quads, ends, distance);
            let pixels = |quad: &Quad| {
                let Quad { x, samples, .. } = *quad;
                [0, 1].into_iter().filter(move |i| samples[*i as usize] != 0).map(move |i| x + i)
            };
            (quads.iter().flat_map(pixels).collect::<Vec<u32>>(), end)
        };
        assert_eq!(drawn(0, 7, 0), (vec![0, 1, 4, 5], 7));
        // Backwards, three pixels after the start of the pattern.
        assert_eq!(drawn(7, 0, 3).0, [5, 6]);
        // From the right edge of pixel 7 to the left one of pixel 0: all eight.
        let mut quads = vec![Quad { x: 6, y: 4, samples: [1, 1, 0, 0] }];
        let ends = [8 * 256, 0].map(|x| [x, 4 * 256 + 128]);
        let single = LineStipple { pattern: 1, repeat: 1 };
        assert_eq!(single.apply(&mut quads, ends, 0), 8);
        assert_eq!(quads[0].samples, [0, 1, 0, 0]);
    }
}
