//! A memory of what was set up last: scripts draw the same few primitives again and again.

use std::collections::VecDeque;

use super::{RasterState, SetupInput, Shape, Viewport};
use crate::device::PrimitiveKind;
use crate::raster::coverage::remember;

/// The shapes of the last primitives.
#[derive(Clone, Debug, Default)]
pub struct ShapeMemo(VecDeque<(Key, Vec<Shape>)>);

/// All that shapes depend on; floats by their bits.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    positions: [[u64; 4]; 3],
    point_size: [u64; 3],
    kind: PrimitiveKind,
    edges: u8,
    viewport: Viewport,
    state: RasterState,
}

impl Key {
    /// `None` where there are clip distances.
    fn of(input: &SetupInput<'_>, state: &RasterState) -> Option<Key> {
        input.clip_distances.is_empty().then(|| Key {
            positions: input.positions.map(|position| position.map(f64::to_bits)),
            point_size: input.point_size.map(f64::to_bits),
            kind: input.kind,
            edges: input.edges,
            viewport: *input.viewport,
            state: *state,
        })
    }
}

impl ShapeMemo {
    /// The shapes of a primitive: those that are known or what `make` gives.
    pub(super) fn get(
        &mut self,
        input: &SetupInput<'_>,
        state: &RasterState,
        make: impl FnOnce() -> Vec<Shape>,
    ) -> Vec<Shape> {
        let Some(key) = Key::of(input, state) else { return make() };
        if let Some((_, shapes)) = self.0.iter().find(|(known, _)| *known == key) {
            return shapes.clone();
        }
        let shapes = make();
        remember(&mut self.0, (key, shapes.clone()));
        shapes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::raster::Rect;
    use crate::raster::coverage::REMEMBERED;
    use crate::setup::{PolygonMode, rasterise};

    const VIEWPORT: Viewport = Viewport { x: 0.0, y: 0.0, width: 8.0, height: 8.0, near: 0.0, far: 1.0 };
    const STATE: RasterState = RasterState {
        bounds: Rect { x0: 0, y0: 0, x1: 8, y1: 8 },
        depth_clamp: false,
        polygon_mode: [PolygonMode::Fill; 2],
        front_clockwise: false,
        cull_back: false,
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

    /// The same primitive has the very same coverage; another position, viewport, state or kind has its own shapes.
    #[test]
    fn the_same_primitive_is_set_up_once_and_another_is_not_mistaken_for_it() {
        let mut memo = ShapeMemo::default();
        let first = rasterise(&triangle(0.0), &STATE, &mut memo);
        let again = rasterise(&triangle(0.0), &STATE, &mut memo);
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
            let shapes = rasterise(input, state, &mut memo);
            let alone = rasterise(input, state, &mut ShapeMemo::default());
            assert_eq!(format!("{shapes:?}"), format!("{alone:?}"));
            assert_ne!(format!("{shapes:?}"), format!("{first:?}"));
        }
    }

    #[test]
    fn many_primitives_are_forgotten() {
        let mut memo = ShapeMemo::default();
        (0..20).for_each(|i| drop(rasterise(&triangle(f64::from(i) / 32.0), &STATE, &mut memo)));
        assert_eq!(memo.0.len(), REMEMBERED);
    }
}
