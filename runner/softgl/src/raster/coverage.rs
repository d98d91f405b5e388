//! Coverage as draws keep it, and a memory of what was rasterised last: scripts draw the same few shapes again and again.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Fixed, Rect, Spans};

/// Covered pixels with what is asked of them often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    spans: Spans,
    bounds: Rect,
    solid: bool,
}

impl Coverage {
    /// Coverage by spans; `None` when they cover nothing.
    pub fn new(spans: Spans) -> Option<Coverage> {
        let bounds = spans.bounds();
        let solid = spans.fills(&bounds);
        (!bounds.is_empty()).then_some(Coverage { spans, bounds, solid })
    }

    /// The runs.
    pub fn spans(&self) -> &Spans {
        &self.spans
    }

    /// The smallest rectangle around the covered pixels.
    pub fn bounds(&self) -> Rect {
        self.bounds
    }

    /// Whether a pixel is covered.
    pub fn contains(&self, x: i32, y: i32) -> bool {
        self.spans.contains(x, y)
    }

    /// Whether any pixel of a rectangle is covered.
    pub fn touches(&self, rect: &Rect) -> bool {
        !self.bounds.intersect(rect).is_empty() && (self.solid || self.spans.touches(rect))
    }

    /// Whether every pixel of a non-empty rectangle is covered.
    pub fn covers(&self, rect: &Rect) -> bool {
        self.bounds.contains(rect) && (self.solid || self.spans.covers(rect))
    }
}

/// The coverage of a polygon: several where one run per row does not suffice.
pub type Polygon = Vec<Arc<Coverage>>;

/// How many polygons and unions are remembered: a draw of more primitives finds none of them again.
const REMEMBERED: usize = 8;

/// Two shapes and what [`Spans::union_disjoint`] made of them.
type Union = ([Arc<Coverage>; 2], Option<Arc<Coverage>>);

/// The polygons and unions of the last draws.
#[derive(Clone, Debug, Default)]
pub struct CoverageCache {
    polygons: VecDeque<(Vec<Fixed>, Rect, Polygon)>,
    unions: VecDeque<Union>,
}

impl CoverageCache {
    /// The coverage of a polygon inside `bounds`, as `rasterise` computes it from the two.
    pub fn polygon(
        &mut self,
        vertices: &[Fixed],
        bounds: &Rect,
        rasterise: impl FnOnce(&[Fixed], &Rect) -> Vec<Spans>,
    ) -> Polygon {
        let known = self.polygons.iter().find(|(v, b, _)| v == vertices && b == bounds);
        if let Some((.., polygon)) = known {
            return polygon.clone();
        }
        let spans = rasterise(vertices, bounds).into_iter();
        let polygon: Polygon = spans.filter_map(|s| Coverage::new(s).map(Arc::new)).collect();
        remember(&mut self.polygons, (vertices.to_vec(), *bounds, polygon.clone()));
        polygon
    }

    /// See [`Spans::union_disjoint`].
    pub fn union_disjoint(&mut self, a: &Arc<Coverage>, b: &Arc<Coverage>) -> Option<Arc<Coverage>> {
        let known = self.unions.iter().find(|([x, y], _)| Arc::ptr_eq(x, a) && Arc::ptr_eq(y, b));
        if let Some((_, union)) = known {
            return union.clone();
        }
        let union = a.spans.union_disjoint(&b.spans).and_then(Coverage::new).map(Arc::new);
        remember(&mut self.unions, ([a.clone(), b.clone()], union.clone()));
        union
    }
}

fn remember<T>(list: &mut VecDeque<T>, entry: T) {
    list.truncate(REMEMBERED - 1);
    list.push_front(entry);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(x0: i32, x1: i32) -> Spans {
        Spans::of_rect(&Rect { x0, y0: 0, x1, y1: 4 })
    }

    #[test]
    fn the_same_polygon_is_rasterised_once_and_another_is_not_mistaken_for_it() {
        let mut cache = CoverageCache::default();
        let bounds = Rect::of_size(8, 8);
        let (a, b) = ([[0, 0], [1, 0], [0, 1]], [[0, 0], [2, 0], [0, 1]]);
        let first = cache.polygon(&a, &bounds, |_, _| vec![rectangle(0, 2), Spans::default()]);
        assert_eq!(first.len(), 1, "what covers nothing is left out");
        let again = cache.polygon(&a, &bounds, |_, _| panic!("it is known"));
        assert!(Arc::ptr_eq(&first[0], &again[0]));
        assert_eq!(
            cache.polygon(&b, &bounds, |_, _| vec![rectangle(2, 3)])[0].bounds(),
            Rect { x0: 2, y0: 0, x1: 3, y1: 4 }
        );
        let smaller = Rect::of_size(8, 2);
        assert!(cache.polygon(&a, &smaller, |_, _| Vec::new()).is_empty());
    }

    #[test]
    fn unions_are_remembered_by_identity() {
        let mut cache = CoverageCache::default();
        let new = |x0, x1| Arc::new(Coverage::new(rectangle(x0, x1)).unwrap());
        let (left, right, far) = (new(0, 2), new(2, 5), new(6, 8));
        let union = cache.union_disjoint(&left, &right).unwrap();
        assert_eq!(*union.spans(), rectangle(0, 5));
        assert!(union.covers(&Rect { x0: 0, y0: 0, x1: 5, y1: 4 }));
        assert!(Arc::ptr_eq(&union, &cache.union_disjoint(&left, &right).unwrap()));
        for _ in 0..2 {
            assert_eq!(cache.union_disjoint(&left, &far), None);
        }
        (0..20).for_each(|_| drop(cache.union_disjoint(&new(0, 1), &right)));
        assert_eq!(cache.unions.len(), REMEMBERED);
    }
}
