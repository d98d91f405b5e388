//! Pixels whose value a fragment shader left undefined.

use crate::rasterize::Rect;

/// Set of pixels of a render target.
#[derive(Clone, Debug, Default)]
pub(super) struct UndefinedPixels {
    rect: Rect,
    /// A flag for each pixel, row by row; empty as long as no pixel is in the set.
    flags: Vec<bool>,
}

impl UndefinedPixels {
    /// Creates an empty set for a target.
    pub(super) fn new(rect: Rect) -> UndefinedPixels {
        UndefinedPixels { rect, flags: Vec::new() }
    }

    /// True if some pixel may be in the set.
    pub(super) fn may_have_any(&self) -> bool {
        !self.flags.is_empty()
    }

    /// True if some pixel of a rectangle is in the set.
    pub(super) fn has_any(&self, rect: &Rect) -> bool {
        !self.within(rect).is_empty()
    }

    /// Adds or removes a pixel.
    pub(super) fn set(&mut self, x: i32, y: i32, undefined: bool) {
        if self.flags.is_empty() {
            if !undefined {
                return;
            }
            self.flags = vec![false; (self.rect.x1 * self.rect.y1) as usize];
        }
        if let Some(index) = self.index(x, y)
            && let Some(flag) = self.flags.get_mut(index)
        {
            *flag = undefined;
        }
    }

    /// Adds every pixel.
    pub(super) fn fill(&mut self) {
        self.flags = vec![true; (self.rect.x1 * self.rect.y1) as usize];
    }

    /// Removes every pixel.
    pub(super) fn clear(&mut self) {
        self.flags.clear();
    }

    /// Returns the pixels of a rectangle that are in the set: their indices in it, row by row,
    /// ascending.
    pub(super) fn within(&self, rect: &Rect) -> Vec<u32> {
        if self.flags.is_empty() {
            return Vec::new();
        }
        let pixels = (rect.y0..rect.y1).flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y)));
        let is_in = |(x, y)| self.index(x, y).is_some_and(|index| self.flags[index]);
        (0..).zip(pixels).filter(|&(_, pixel)| is_in(pixel)).map(|(number, _)| number).collect()
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
            pixels.set(x, y, true);
        }
        pixels.set(3, 2, false);
        assert_eq!(pixels.within(&part), [1, 8]);
        assert_eq!(pixels.within(&Rect::of_size(1, 1)), [0]);
        assert!(pixels.has_any(&part) && !pixels.has_any(&Rect { x0: 3, y0: 0, x1: 4, y1: 3 }));
        pixels.clear();
        assert!(!pixels.may_have_any());
    }
}
