//! Coverage of primitives, and a cache of unions. Scripts draw the same few primitives repeatedly.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Rect, Spans};

/// Covered pixels with their bounds, for fast queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    spans: Spans,
    bounds: Rect,
    solid: bool,
}

impl Coverage {
    /// Creates coverage by spans. Returns `None` when they cover no pixel.
    pub fn new(spans: Spans) -> Option<Coverage> {
        let bounds = spans.bounds();
        let solid = spans.fills(&bounds);
        (!bounds.is_empty()).then_some(Coverage { spans, bounds, solid })
    }

    /// Returns the runs.
    pub fn spans(&self) -> &Spans {
        &self.spans
    }

    /// Returns the smallest rectangle around the covered pixels.
    pub fn bounds(&self) -> Rect {
        self.bounds
    }

    /// True if a pixel is covered.
    pub fn contains(&self, x: i32, y: i32) -> bool {
        self.spans.contains(x, y)
    }

    /// True if any pixel of a rectangle is covered.
    pub fn overlaps(&self, rect: &Rect) -> bool {
        !self.bounds.intersect(rect).is_empty() && (self.solid || self.spans.overlaps(rect))
    }

    /// True if every pixel of a non-empty rectangle is covered.
    pub fn covers(&self, rect: &Rect) -> bool {
        self.bounds.contains(rect) && (self.solid || self.spans.covers(rect))
    }

    /// True if the covered pixels of a rectangle are the same.
    pub fn is_same_in(&self, other: &Coverage, rect: &Rect) -> bool {
        let run = |spans: &Spans, y| {
            let (x0, x1) = spans.row(y);
            let (x0, x1) = (x0.max(rect.x0), x1.min(rect.x1));
            if x0 < x1 { (x0, x1) } else { (0, 0) }
        };
        std::ptr::eq(self, other)
            || (rect.y0..rect.y1).all(|y| run(&self.spans, y) == run(&other.spans, y))
    }
}

/// Coverage of a polygon: several parts where one run per row does not suffice.
pub type CoverageParts = Vec<Arc<Coverage>>;

/// Entries of a cache. A draw of more primitives finds no entry again.
pub(crate) const CACHE_CAPACITY: usize = 8;

/// Two coverages and the result of [`Spans::union_disjoint`].
type CachedUnion = ([Arc<Coverage>; 2], Option<Arc<Coverage>>);

/// Inserts the newest entry in front and evicts the oldest.
pub(crate) fn push_recent<T>(list: &mut VecDeque<T>, newest: T) {
    list.truncate(CACHE_CAPACITY - 1);
    list.push_front(newest);
}

/// Cache of the unions of recent draws.
#[derive(Clone, Debug, Default)]
pub struct UnionCache(VecDeque<CachedUnion>);

impl UnionCache {
    /// Returns the union of [`Spans::union_disjoint`], from the cache if possible.
    pub fn join(&mut self, a: &Arc<Coverage>, b: &Arc<Coverage>) -> Option<Arc<Coverage>> {
        let cached = self.0.iter().find(|([x, y], _)| Arc::ptr_eq(x, a) && Arc::ptr_eq(y, b));
        if let Some((_, union)) = cached {
            return union.clone();
        }
        let union = a.spans.union_disjoint(&b.spans).and_then(Coverage::new).map(Arc::new);
        push_recent(&mut self.0, ([a.clone(), b.clone()], union.clone()));
        union
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(x0: i32, x1: i32) -> Spans {
        Spans::of_rect(&Rect { x0, y0: 0, x1, y1: 4 })
    }

    #[test]
    fn parts_of_coverage_are_compared() {
        let new = |x0, x1| Coverage::new(rectangle(x0, x1)).unwrap();
        let (a, b) = (new(0, 5), new(2, 7));
        let part = |x0, x1| a.is_same_in(&b, &Rect { x0, y0: -1, x1, y1: 3 });
        assert!(part(2, 5) && part(7, 9) && !part(1, 5) && !part(2, 6));
        assert!(a.is_same_in(&a, &Rect { x0: 0, y0: 0, x1: 9, y1: 9 }));
    }

    #[test]
    fn unions_are_remembered_by_identity() {
        let mut cache = UnionCache::default();
        let new = |x0, x1| Arc::new(Coverage::new(rectangle(x0, x1)).unwrap());
        let (left, right, far) = (new(0, 2), new(2, 5), new(6, 8));
        let union = cache.join(&left, &right).unwrap();
        assert_eq!(*union.spans(), rectangle(0, 5));
        assert!(union.covers(&Rect { x0: 0, y0: 0, x1: 5, y1: 4 }));
        assert!(Arc::ptr_eq(&union, &cache.join(&left, &right).unwrap()));
        for _ in 0..2 {
            assert_eq!(cache.join(&left, &far), None);
        }
        (0..20).for_each(|_| drop(cache.join(&new(0, 1), &right)));
        assert_eq!(cache.0.len(), CACHE_CAPACITY);
    }
}
