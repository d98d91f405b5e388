//! Stipples: patterns of the pixels of polygons and lines that are drawn.

use crate::draw::command::Draw;
use crate::draw::fragment::quad::Quad;

/// Stipple of lines: one bit of the pattern for each of `repeat` pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineStipple {
    pattern: u32,
    repeat: u32,
}

impl LineStipple {
    /// True if the pixel at a distance from the start of the stipple is drawn.
    fn draws(self, distance: u32) -> bool {
        self.pattern >> (distance / self.repeat % 16) & 1 != 0
    }
}

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
    /// Distance behind the last pixel.
    pub(crate) fn end(&self) -> u32 {
        self.distance.wrapping_add(self.from.abs_diff(self.to))
    }
}

impl Draw<'_> {
    /// Takes away the pixels of a polygon that its stipple leaves out.
    pub(crate) fn stipple_polygon(&self, quads: &mut Vec<Quad>) {
        if !self.fields.wm.stipples.flag(self.context.packet("3DSTATE_WM")) {
            return;
        }
        let pattern = self.context.packet("3DSTATE_POLY_STIPPLE_PATTERN");
        let offset = self.context.packet("3DSTATE_POLY_STIPPLE_OFFSET");
        let fields = self.fields.stipple_offset;
        let (right, down) = (fields.x.get_u32(offset), fields.y.get_u32(offset));
        retain(quads, |x, y| {
            let row = pattern.get(1 + ((y + down) % 32) as usize).copied().unwrap_or(0);
            // The highest bit is the leftmost pixel.
            row >> (31 - (x + right) % 32) & 1 != 0
        });
    }

    /// Stipple of lines, if it is on.
    pub(crate) fn line_stipple(&self) -> Option<LineStipple> {
        let is_used = self.fields.wm.line_stipples.flag(self.context.packet("3DSTATE_WM"))
            || self.fields.sf.line_stipples.flag(self.context.packet("3DSTATE_SF"));
        let words = self.context.packet("3DSTATE_LINE_STIPPLE");
        let fields = self.fields.line_stipple;
        is_used.then(|| LineStipple {
            pattern: fields.pattern.get_u32(words),
            repeat: fields.repeat.get_u32(words).max(1),
        })
    }
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
    fn lines_repeat_each_bit_and_go_on_behind_corners() {
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
        // Backwards, three pixels behind the start of the pattern.
        assert_eq!(drawn(Along { is_flat: true, from: 7, to: 0, distance: 3 }), [5, 6]);
    }
}
