//! Setup of a draw's primitives: viewport, clip distances, attribute values.

use program::Slot;

use super::primitives::{FinalPrimitive, ShadedVertices};
use crate::interface::{FragmentInput, VertexInterface, component};
use crate::primitive::{PrimitiveKind, PrimitiveSetup};
use crate::setup::{RasterState, RasterizedPrimitive, SetupInput, Viewport};
use crate::setup_cache::SetupCache;

/// Number of viewports.
pub const VIEWPORTS: usize = 16;

/// Source of one clip coordinate after NV_viewport_swizzle: component and sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewportSwizzle {
    /// 0 to 3: x, y, z, w.
    pub component: u8,
    /// Negated.
    pub negative: bool,
}

/// Setup of the primitives of one draw.
pub struct PrimitiveAssembler<'a> {
    /// The viewports.
    pub viewports: &'a [Viewport; VIEWPORTS],
    /// Sources of clip coordinates, for each viewport.
    pub viewport_swizzles: &'a [[ViewportSwizzle; 4]; VIEWPORTS],
    /// Enabled clip distances, a bit for each.
    pub clip_enabled: u8,
    /// Offset of all window coordinates, in pixels.
    pub shift: [f32; 2],
    /// State of the rasterizer.
    pub raster: RasterState,
    /// Outputs of the last vertex stage.
    pub interface: &'a VertexInterface,
    /// Inputs of the fragment stage.
    pub inputs: &'a [FragmentInput],
    /// Planes for clip distances when the shader writes none.
    pub clip_planes: Option<[[f64; 4]; 8]>,
    /// The point size is the shader's if it writes one, else 1.
    pub point_size_from_shader: bool,
    /// `GL_CLAMP_VERTEX_COLOR`, on in compatibility contexts: built-in colors are clamped to 0..1.
    pub clamp_colors: bool,
}

impl PrimitiveAssembler<'_> {
    /// Sets up a primitive, which may have several parts or none, and appends them.
    pub fn add(
        &self,
        primitive: &FinalPrimitive,
        vertices: &ShadedVertices,
        cache: &mut SetupCache,
        rasterized: &mut Vec<RasterizedPrimitive>,
    ) {
        let data = primitive.vertices.map(|v| vertices.get(v));
        let count = match primitive.kind {
            PrimitiveKind::Point => 1,
            PrimitiveKind::Line => 2,
            PrimitiveKind::Triangle => 3,
        };
        if self.is_culled(&data[..count]) {
            return;
        }
        let provoking = data[primitive.provoking.min(2)];
        let index = component(provoking, self.interface.viewport_index, 0) as usize;
        let viewport_index = if index < VIEWPORTS { index } else { 0 };
        let distances = self.clip_distances(&data);
        let viewport = self.viewports[viewport_index];
        let [dx, dy] = self.shift;
        let input = SetupInput {
            kind: primitive.kind,
            positions: data.map(|v| self.position(v, viewport_index)),
            clip_distances: &distances,
            point_size: data.map(|v| self.point_size(v)),
            edges: primitive.edges,
            viewport: &Viewport { x: viewport.x + dx, y: viewport.y + dy, ..viewport },
        };
        let mut primitives = cache.rasterize(&input, &self.raster);
        if [dx, dy] != [0.0; 2] {
            let centered = SetupInput { viewport: &viewport, ..input.clone() };
            let centered = cache.rasterize(&centered, &self.raster);
            move_inputs_back(&mut primitives, &centered, [dx, dy]);
        }
        for RasterizedPrimitive { coverage, setup } in primitives {
            let setup = self.complete(setup, primitive, &data, viewport_index as u32);
            rasterized.push(RasterizedPrimitive { coverage, setup });
        }
    }

    /// Fills in the values that do not depend on geometry.
    fn complete(
        &self,
        mut setup: PrimitiveSetup,
        primitive: &FinalPrimitive,
        data: &[&[u32]; 3],
        viewport_index: u32,
    ) -> PrimitiveSetup {
        let provoking = data[primitive.provoking.min(2)];
        setup.provoking = primitive.provoking.min(2);
        setup.primitive_id = match self.interface.primitive_id {
            Some(slot) => component(provoking, Some(slot), 0),
            None => primitive.id,
        };
        setup.layer = component(provoking, self.interface.layer, 0);
        setup.viewport_index = viewport_index;
        setup.values = Vec::with_capacity(self.inputs.len() * 4);
        for input in self.inputs {
            let source =
                if setup.front_facing { input.source } else { input.back_source.or(input.source) };
            let built_in = match input.slot {
                Slot::PrimitiveId => Some(setup.primitive_id),
                Slot::Layer => Some(setup.layer),
                Slot::ViewportIndex => Some(viewport_index),
                _ => None,
            };
            if input.slot == Slot::PointCoord {
                let one = 1.0f32.to_bits();
                let point = setup.kind == PrimitiveKind::Point;
                let corners = if point { [[0, one, 0], [0, 0, one]] } else { [[0; 3]; 2] };
                setup.values.extend([corners[0], corners[1], [0; 3], [0; 3]]);
                continue;
            }
            for c in 0..4 {
                let clamps =
                    self.clamp_colors && matches!(input.slot, Slot::Color(_) | Slot::BackColor(_));
                setup.values.push(match (source, built_in) {
                    (None, Some(value)) if c == 0 => [value; 3],
                    _ => data.map(|vertex| clamp_color(component(vertex, source, c), clamps)),
                });
            }
        }
        setup
    }

    /// Returns the clip coordinates after the viewport's swizzle.
    fn position(&self, vertex: &[u32], viewport: usize) -> [f64; 4] {
        let clip: [f64; 4] = std::array::from_fn(|c| {
            f64::from(f32::from_bits(component(vertex, self.interface.position, c)))
        });
        self.viewport_swizzles[viewport].map(|s| {
            let value = clip[usize::from(s.component)];
            if s.negative { -value } else { value }
        })
    }

    fn point_size(&self, vertex: &[u32]) -> f64 {
        if !self.point_size_from_shader || self.interface.point_size.is_none() {
            return 1.0;
        }
        let size = f32::from_bits(component(vertex, self.interface.point_size, 0));
        // Range of the hardware; NaN becomes the minimum.
        f64::from(size.max(0.125)).min(255.875)
    }

    /// Returns the values of the enabled clip distances at the three vertices.
    fn clip_distances(&self, data: &[&[u32]; 3]) -> Vec<[f64; 3]> {
        let enabled = (0..8usize).filter(|i| self.clip_enabled >> i & 1 == 1);
        enabled
            .filter_map(|i| match &self.clip_planes {
                Some(planes) => Some(data.map(|v| self.plane_distance(&planes[i], v))),
                None if i < usize::from(self.interface.clip_distances) => {
                    Some(data.map(|v| self.interface.distance(v, i)))
                }
                None => None,
            })
            .collect()
    }

    fn plane_distance(&self, plane: &[f64; 4], vertex: &[u32]) -> f64 {
        let slot = self.interface.clip_vertex.or(self.interface.position);
        (0..4).map(|c| plane[c] * f64::from(f32::from_bits(component(vertex, slot, c)))).sum()
    }

    /// True if a primitive is culled: a cull distance is negative at all its vertices.
    fn is_culled(&self, data: &[&[u32]]) -> bool {
        let first = usize::from(self.interface.clip_distances);
        (first..first + usize::from(self.interface.cull_distances))
            .any(|i| data.iter().all(|v| self.interface.distance(v, i) < 0.0))
    }
}

/// Copies the inputs of the primitive at its place to the parts of a shifted primitive: bit for bit
/// where both have the same parts, so that the samples of a pixel have equal inputs.
fn move_inputs_back(
    shifted: &mut [RasterizedPrimitive],
    centered: &[RasterizedPrimitive],
    [dx, dy]: [f32; 2],
) {
    let kind = |p: &RasterizedPrimitive| (p.setup.kind, p.setup.front_facing);
    let same_parts = shifted.iter().map(kind).eq(centered.iter().map(kind));
    for (i, RasterizedPrimitive { setup, .. }) in shifted.iter_mut().enumerate() {
        if same_parts {
            *setup = PrimitiveSetup { depth: setup.depth, ..centered[i].setup.clone() };
        } else {
            setup.shift_inputs(-f64::from(dx), -f64::from(dy));
        }
    }
}

fn clamp_color(bits: u32, clamps: bool) -> u32 {
    if clamps { f32::from_bits(bits).clamp(0.0, 1.0).to_bits() } else { bits }
}
