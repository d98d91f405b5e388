//! Cache of primitive setup. Scripts draw the same few primitives repeatedly.

use std::collections::VecDeque;

use crate::primitive::PrimitiveKind;
use crate::rasterize::coverage::push_recent;
use crate::setup::{RasterState, RasterizedPrimitive, SetupInput, Viewport, rasterize};

/// Setup results of recent primitives.
#[derive(Clone, Debug, Default)]
pub struct SetupCache(VecDeque<(SetupKey, Vec<RasterizedPrimitive>)>);

/// All inputs of setup; floats by their bits.
#[derive(Clone, Debug, PartialEq)]
struct SetupKey {
    positions: [[u64; 4]; 3],
    point_size: [u64; 3],
    kind: PrimitiveKind,
    edges: u8,
    viewport: Viewport,
    state: RasterState,
}

impl SetupKey {
    /// Returns `None` with clip distances: such primitives are not cached.
    fn of(input: &SetupInput<'_>, state: &RasterState) -> Option<SetupKey> {
        input.clip_distances.is_empty().then(|| SetupKey {
            positions: input.positions.map(|position| position.map(f64::to_bits)),
            point_size: input.point_size.map(f64::to_bits),
            kind: input.kind,
            edges: input.edges,
            viewport: *input.viewport,
            state: *state,
        })
    }
}

impl SetupCache {
    /// Clips, sets up and rasterizes one primitive, unless the cache has its result.
    pub fn rasterize(
        &mut self,
        input: &SetupInput<'_>,
        state: &RasterState,
    ) -> Vec<RasterizedPrimitive> {
        let Some(key) = SetupKey::of(input, state) else { return rasterize(input, state) };
        if let Some((_, rasterized)) = self.0.iter().find(|(cached, _)| *cached == key) {
            return rasterized.clone();
        }
        let rasterized = rasterize(input, state);
        push_recent(&mut self.0, (key, rasterized.clone()));
        rasterized
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rasterize::Rect;
    use crate::rasterize::coverage::CACHE_CAPACITY;
    use crate::setup::PolygonMode;

    const VIEWPORT: Viewport =
        Viewport { x: 0.0, y: 0.0, width: 8.0, height: 8.0, near: 0.0, far: 1.0 };
    const STATE: RasterState = RasterState {
        bounds: Rect { x0: 0, y0: 0, x1: 8, y1: 8 },
        depth_clamp: false,
        polygon_mode: [PolygonMode::Fill; 2],
        front_clockwise: false,
        cull: [false; 2],
        near_is_zero: false,
        from_upper: false,
        nudge: 0,
        depth_bias: None,
        line_width: 1,
    };

    fn triangle(depth: f64) -> SetupInput<'static> {
        SetupInput {
            kind: PrimitiveKind::Triangle,
            positions: [[-1.0, -1.0, depth, 1.0], [1.0, -1.0, depth, 1.0], [-1.0, 1.0, depth, 1.0]],
            clip_distances: &[],
            point_size: [1.0; 3],
            edges: 0b111,
            viewport: &VIEWPORT,
        }
    }

    /// An equal primitive shares its coverage; another position, viewport, state or kind is set up
    /// anew.
    #[test]
    fn the_same_primitive_is_set_up_once_and_another_is_not_mistaken_for_it() {
        let mut cache = SetupCache::default();
        let first = cache.rasterize(&triangle(0.0), &STATE);
        let again = cache.rasterize(&triangle(0.0), &STATE);
        assert!(Arc::ptr_eq(&first[0].coverage[0], &again[0].coverage[0]));
        let small = Viewport { width: 4.0, ..VIEWPORT };
        let backwards = RasterState { front_clockwise: true, ..STATE };
        let others = [
            (triangle(0.5), STATE),
            (SetupInput { viewport: &small, ..triangle(0.0) }, STATE),
            (SetupInput { kind: PrimitiveKind::Line, ..triangle(0.0) }, STATE),
            (triangle(0.0), backwards),
        ];
        for (input, state) in &others {
            let rasterized = cache.rasterize(input, state);
            let uncached = rasterize(input, state);
            assert_eq!(format!("{rasterized:?}"), format!("{uncached:?}"));
            assert_ne!(format!("{rasterized:?}"), format!("{first:?}"));
        }
    }

    #[test]
    fn many_primitives_are_forgotten() {
        let mut cache = SetupCache::default();
        (0..20).for_each(|i| drop(cache.rasterize(&triangle(f64::from(i) / 32.0), &STATE)));
        assert_eq!(cache.0.len(), CACHE_CAPACITY);
    }
}
