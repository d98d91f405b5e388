//! Pixels whose value a fragment shader left undefined.

use crate::rasterize::Rect;

/// The mark of a pixel beyond the components of color attachment 0, which are bits 0 to 3.
pub const OTHER_VALUES: u8 = 1 << 4;
/// The mark of a pixel without defined values.
pub(super) const ALL_VALUES: u8 = OTHER_VALUES | 0xf;

/// Pixels of a render target with their marks.
#[derive(Clone, Debug, Default)]
pub(super) struct UndefinedPixels {
    rect: Rect,
    /// The mark of each pixel, row by row; empty as long as no pixel has one.
    marks: Vec<u8>,
}

impl UndefinedPixels {
    /// Creates the marks of a target: none.
    pub(super) fn new(rect: Rect) -> UndefinedPixels {
        UndefinedPixels { rect, marks: Vec::new() }
    }

    /// True if some pixel may have a mark.
    pub(super) fn may_have_any(&self) -> bool {
        !self.marks.is_empty()
    }

    /// True if some pixel of a rectangle has a mark.
    pub(super) fn has_any(&self, rect: &Rect) -> bool {
        !self.within(rect).is_empty()
    }

    /// Replaces the mark of a pixel.
    pub(super) fn set(&mut self, x: i32, y: i32, mark: u8) {
        if let Some(old) = self.mark(x, y, mark) {
            *old = mark;
        }
    }

    /// Adds to the mark of a pixel.
    pub(super) fn add(&mut self, x: i32, y: i32, mark: u8) {
        if let Some(old) = self.mark(x, y, mark) {
            *old |= mark;
        }
    }

    /// The mark of a pixel, if there are any or shall be.
    fn mark(&mut self, x: i32, y: i32, new: u8) -> Option<&mut u8> {
        if self.marks.is_empty() && new != 0 {
            self.marks = vec![0; (self.rect.x1 * self.rect.y1) as usize];
        }
        let index = self.index(x, y)?;
        self.marks.get_mut(index)
    }

    /// Marks all values of every pixel.
    pub(super) fn fill(&mut self) {
        self.marks = vec![ALL_VALUES; (self.rect.x1 * self.rect.y1) as usize];
    }

    /// Removes all marks.
    pub(super) fn clear(&mut self) {
        self.marks.clear();
    }

    /// Returns the pixels of a rectangle that have marks: their indices in it, row by row,
    /// ascending.
    pub(super) fn within(&self, rect: &Rect) -> Vec<(u32, u8)> {
        if self.marks.is_empty() {
            return Vec::new();
        }
        let pixels = (rect.y0..rect.y1).flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y)));
        let marks = pixels.map(|(x, y)| self.index(x, y).map_or(0, |index| self.marks[index]));
        (0..).zip(marks).filter(|&(_, mark)| mark != 0).collect()
    }

    fn index(&self, x: i32, y: i32) -> Option<usize> {
        let inside = (0..self.rect.x1).contains(&x) && (0..self.rect.y1).contains(&y);
        inside.then(|| (y * self.rect.x1 + x) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_a_rectangle() {
        let mut pixels = UndefinedPixels::new(Rect::of_size(4, 3));
        let part = Rect { x0: 1, y0: 1, x1: 9, y1: 9 };
        assert!(!pixels.may_have_any() && pixels.within(&part).is_empty());
        for (x, y) in [(0, 0), (2, 1), (3, 2), (4, 0), (0, -1), (1, 2)] {
            pixels.set(x, y, 1);
        }
        pixels.set(3, 2, 0);
        pixels.add(2, 1, 8);
        assert_eq!(pixels.within(&part), [(1, 9), (8, 1)]);
        assert_eq!(pixels.within(&Rect::of_size(1, 1)), [(0, 1)]);
        assert!(pixels.has_any(&part) && !pixels.has_any(&Rect { x0: 3, y0: 0, x1: 4, y1: 3 }));
        pixels.clear();
        assert!(!pixels.may_have_any());
    }
}
