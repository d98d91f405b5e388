//! State of rasterization: of `3DSTATE_RASTER` where a generation has it there, else of
//! `3DSTATE_SF`.

use fixed_function::LineStipple;
use packets::Field;
use raster::assemble::{PrimitiveMode, ProvokingVertex};

use super::fields::Fields;
use crate::context::HardwareContext;
use crate::facts::Facts;

/// Width of the thinnest point in pixels.
const THINNEST_POINT: f64 = 0.125;

/// Decoded state of rasterization.
#[derive(Clone, Debug)]
pub(crate) struct RasterState {
    pub(crate) front_is_counterclockwise: bool,
    pub(crate) cull: Cull,
    /// Fill mode of triangles that show their front, and of those that show their back.
    front_fill: Fill,
    back_fill: Fill,
    pub(crate) depth_offset: DepthOffset,
    /// Lines are rectangles whose coverage scales alpha.
    pub(crate) antialiases_lines: bool,
    /// Width of lines in pixels.
    pub(crate) line_width: f64,
    /// Points are disks.
    pub(crate) has_smooth_points: bool,
    point_width: PointWidth,
    pub(crate) has_scissors: bool,
    /// Samples of a pixel have positions of their own.
    pub(crate) has_sample_positions: bool,
    pub(crate) line_stipple: Option<LineStipple>,
    pub(crate) polygon_stipple: Option<PolygonStipple>,
    /// Conventions of lines, of lists and strips of triangles, and of fans.
    provoking: [ProvokingVertex; 3],
}

/// Triangles that are not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cull {
    Both,
    None,
    Front,
    Back,
}

/// Drawn part of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    Solid,
    Lines,
    Points,
    /// A number without a meaning.
    Reserved(u64),
}

/// Kind of a primitive with its own switch of the depth offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Point,
    Line,
    Solid,
}

/// Widths of points in pixels.
#[derive(Clone, Copy, Debug)]
enum PointWidth {
    /// All have this one.
    State(f64),
    /// Each vertex has its own, between limits.
    Vertex([f64; 2]),
}

/// Depth that is added to primitives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthOffset {
    /// Kinds of primitives that are moved: points, lines, triangles.
    applies_to: [bool; 3],
    constant: f64,
    scale: f64,
    clamp: f64,
    unit: DepthUnit,
}

/// Unit of the constant depth offset: the smallest positive depth of buffers of integers, and the
/// unit in the last place of a primitive's largest depth in those of floats.
#[derive(Clone, Copy, Debug)]
enum DepthUnit {
    Float,
    Unorm16,
    Unorm24,
}

/// Stipple of polygons: rows of pixels, the leftmost one in the highest bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolygonStipple {
    pub(crate) rows: [u32; 32],
    /// Place of the window's upper left pixel in the pattern.
    pub(crate) offset: [u32; 2],
}

impl RasterState {
    /// Decodes the state of a context.
    pub(crate) fn decode(fields: &Fields, facts: Facts, context: &HardwareContext) -> RasterState {
        let (sf, raster, wm, clip) = (fields.sf, fields.raster, fields.wm, fields.clip);
        let sf_words = context.packet("3DSTATE_SF");
        let raster_words = context.packet("3DSTATE_RASTER");
        let wm_words = context.packet("3DSTATE_WM");
        let clip_words = context.packet("3DSTATE_CLIP");
        let get = |old: Field, new: Field| match new.exists() {
            true => new.get(raster_words),
            false => old.get(sf_words),
        };
        let number = |old: Field, new: Field| match new.exists() {
            true => f64::from(new.number(raster_words)),
            false => f64::from(old.number(sf_words)),
        };
        let either = |old: Field, new: Field| old.flag(sf_words) || new.flag(raster_words);
        let line_width = if facts.has_wide_line_field { sf.line_width_chv } else { sf.line_width };
        let point_width = match sf.point_width_is_state.flag(sf_words) {
            true => PointWidth::State(f64::from(sf.point_width.number(sf_words))),
            false => PointWidth::Vertex(
                [clip.min_point, clip.max_point].map(|limit| f64::from(limit.number(clip_words))),
            ),
        };
        let has_line_stipple = wm.line_stipples.flag(wm_words) || sf.line_stipples.flag(sf_words);
        let last_if = |is_last| match is_last {
            true => ProvokingVertex::Last,
            false => ProvokingVertex::First,
        };
        RasterState {
            front_is_counterclockwise: get(sf.winding, raster.winding) != 0,
            cull: match get(sf.cull, raster.cull) {
                0 => Cull::Both,
                1 => Cull::None,
                2 => Cull::Front,
                _ => Cull::Back,
            },
            front_fill: Fill::of(get(sf.front_fill, raster.front_fill)),
            back_fill: Fill::of(get(sf.back_fill, raster.back_fill)),
            depth_offset: DepthOffset {
                applies_to: [
                    get(sf.offset_point, raster.offset_point) != 0,
                    get(sf.offset_line, raster.offset_line) != 0,
                    get(sf.offset_solid, raster.offset_solid) != 0,
                ],
                constant: number(sf.offset_constant, raster.offset_constant),
                scale: number(sf.offset_scale, raster.offset_scale),
                clamp: number(sf.offset_clamp, raster.offset_clamp),
                unit: DepthUnit::decode(fields, context),
            },
            antialiases_lines: either(sf.antialiases, raster.antialiases),
            line_width: match line_width.number(sf_words) {
                // The thinnest line.
                0.0 => 1.0,
                width => f64::from(width),
            },
            has_smooth_points: either(sf.is_smooth_point, raster.is_smooth_point),
            point_width,
            has_scissors: either(sf.scissor, raster.scissor),
            has_sample_positions: match raster.multisamples.exists() {
                true => raster.multisamples.flag(raster_words),
                // Modes 2 and 3 are on.
                false => wm.rasterization.get(wm_words) >= 2,
            },
            line_stipple: has_line_stipple.then(|| line_stipple(fields, context)),
            polygon_stipple: (wm.stipples.flag(wm_words))
                .then(|| PolygonStipple::decode(fields, context)),
            provoking: [
                last_if(sf.provoking_line.flag(sf_words)),
                last_if(sf.provoking_list.get(sf_words) == 2),
                last_if(sf.provoking_fan.get(sf_words) == 2),
            ],
        }
    }

    /// True if triangles of this facing are not drawn.
    pub(crate) fn is_culled(&self, is_front: bool) -> bool {
        match self.cull {
            Cull::Both => true,
            Cull::None => false,
            Cull::Front => is_front,
            Cull::Back => !is_front,
        }
    }

    /// Fill mode of triangles of this facing.
    pub(crate) fn fill(&self, is_front: bool) -> Fill {
        if is_front { self.front_fill } else { self.back_fill }
    }

    /// Width of a point in pixels; `own` is that of its vertex.
    pub(crate) fn point_size(&self, own: f64) -> f64 {
        let size = match self.point_width {
            PointWidth::State(width) => width,
            // A size that is not a number is the smallest.
            PointWidth::Vertex([low, high]) => own.max(low).min(high.max(low)),
        };
        size.max(THINNEST_POINT)
    }

    /// Convention that selects the provoking vertex.
    pub(crate) fn convention(&self, mode: PrimitiveMode) -> ProvokingVertex {
        let [line, list, fan] = self.provoking;
        match mode {
            PrimitiveMode::Quads | PrimitiveMode::QuadStrip => ProvokingVertex::Last,
            PrimitiveMode::TriangleFan => fan,
            PrimitiveMode::Lines
            | PrimitiveMode::LineLoop
            | PrimitiveMode::LineStrip
            | PrimitiveMode::LinesAdjacency
            | PrimitiveMode::LineStripAdjacency => line,
            _ => list,
        }
    }
}

impl Fill {
    fn of(number: u64) -> Fill {
        match number {
            0 => Fill::Solid,
            1 => Fill::Lines,
            2 => Fill::Points,
            _ => Fill::Reserved(number),
        }
    }
}

impl DepthOffset {
    /// Depth that is added to a primitive with the largest change of depth per pixel and the
    /// largest depth.
    pub(crate) fn of(&self, kind: Kind, slope: f64, largest: f64) -> Option<f64> {
        if !self.applies_to[kind as usize] {
            return None;
        }
        let offset = self.scale * slope + self.constant * self.unit.of(largest);
        Some(match self.clamp {
            clamp if clamp > 0.0 => offset.min(clamp),
            clamp if clamp < 0.0 => offset.max(clamp),
            _ => offset,
        })
    }
}

impl DepthUnit {
    fn decode(fields: &Fields, context: &HardwareContext) -> DepthUnit {
        match fields.depth_buffer.format.get(context.packet("3DSTATE_DEPTH_BUFFER")) {
            1 => DepthUnit::Float,
            5 => DepthUnit::Unorm16,
            _ => DepthUnit::Unorm24,
        }
    }

    fn of(self, largest: f64) -> f64 {
        match self {
            DepthUnit::Float if largest > 0.0 => 2.0_f64.powf(largest.log2().floor() - 23.0),
            DepthUnit::Float => 0.0,
            DepthUnit::Unorm16 => 2.0_f64.powi(-16),
            DepthUnit::Unorm24 => 2.0_f64.powi(-24),
        }
    }
}

/// The stipple of lines.
fn line_stipple(fields: &Fields, context: &HardwareContext) -> LineStipple {
    let words = context.packet("3DSTATE_LINE_STIPPLE");
    LineStipple {
        pattern: fields.line_stipple.pattern.get_u32(words),
        repeat: fields.line_stipple.repeat.get_u32(words).max(1),
    }
}

impl PolygonStipple {
    fn decode(fields: &Fields, context: &HardwareContext) -> PolygonStipple {
        let pattern = context.packet("3DSTATE_POLY_STIPPLE_PATTERN");
        let offset = context.packet("3DSTATE_POLY_STIPPLE_OFFSET");
        let fields = fields.stipple_offset;
        PolygonStipple {
            rows: std::array::from_fn(|row| pattern.get(1 + row).copied().unwrap_or(0)),
            offset: [fields.x.get_u32(offset), fields.y.get_u32(offset)],
        }
    }

    /// True if a pixel is drawn.
    pub(crate) fn draws(&self, x: u32, y: u32) -> bool {
        let row = self.rows[((y + self.offset[1]) % 32) as usize];
        row >> (31 - (x + self.offset[0]) % 32) & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use packets::Table;
    use vocabulary::Generation;

    /// The state of a generation with one bit field set in a packet.
    fn state(generation: Generation, packet: &'static str, field: &str, value: u32) -> RasterState {
        let table = Table::of(generation);
        let field = table.named(packet).expect("a packet").field(field);
        assert!(field.exists(), "{generation}: {packet}");
        let mut words = vec![0; 16];
        words[(field.start / 32) as usize] = value << (field.start % 32);
        let mut context = HardwareContext::default();
        context.store(packet, words);
        RasterState::decode(&Fields::resolve(table), Facts::of(generation), &context)
    }

    #[test]
    fn later_generations_have_a_packet_of_their_own() {
        let of = |generation, packet| {
            let cull = state(generation, packet, "Cull Mode", 2);
            let winding = state(generation, packet, "Front Winding", 1);
            (cull.cull, winding.front_is_counterclockwise)
        };
        assert_eq!(of(Generation::Hsw, "3DSTATE_SF"), (Cull::Front, true));
        assert_eq!(of(Generation::Skl, "3DSTATE_RASTER"), (Cull::Front, true));
    }

    #[test]
    fn facings() {
        let state = state(Generation::Ivb, "3DSTATE_SF", "BackFace Fill Mode", 2);
        assert_eq!((state.fill(true), state.fill(false)), (Fill::Solid, Fill::Points));
        assert!(state.is_culled(true) && state.is_culled(false), "mode 0 culls both");
        assert!(!RasterState { cull: Cull::Back, ..state.clone() }.is_culled(true));
        assert!(RasterState { cull: Cull::Back, ..state }.is_culled(false));
    }

    #[test]
    fn widths_of_points() {
        let state = state(Generation::Ivb, "3DSTATE_SF", "Point Width Source", 0);
        let limited = RasterState { point_width: PointWidth::Vertex([2.0, 8.0]), ..state.clone() };
        let sizes = [1.0, 4.0, 9.0, f64::NAN].map(|own| limited.point_size(own));
        assert_eq!(sizes, [2.0, 4.0, 8.0, 2.0]);
        let fixed = RasterState { point_width: PointWidth::State(0.0), ..state };
        assert_eq!(fixed.point_size(5.0), THINNEST_POINT);
    }

    #[test]
    fn depth_offsets() {
        let offset = DepthOffset {
            applies_to: [false, false, true],
            constant: 4.0,
            scale: 2.0,
            clamp: 0.5,
            unit: DepthUnit::Unorm16,
        };
        assert_eq!(offset.of(Kind::Line, 0.1, 1.0), None);
        assert_eq!(offset.of(Kind::Solid, 0.125, 1.0), Some(0.25 + 4.0 / 65536.0));
        assert_eq!(offset.of(Kind::Solid, 1.0, 1.0), Some(0.5));
        let unclamped = DepthOffset { clamp: 0.0, unit: DepthUnit::Float, ..offset };
        assert_eq!(unclamped.of(Kind::Solid, 1.0, 0.75), Some(2.0 + 4.0 * 2.0_f64.powi(-24)));
    }

    #[test]
    fn polygon_stipples_repeat() {
        let mut rows = [0; 32];
        rows[3] = 1 << 31;
        let stipple = PolygonStipple { rows, offset: [1, 2] };
        assert!(stipple.draws(31, 1) && stipple.draws(63, 33));
        assert!(!stipple.draws(0, 1) && !stipple.draws(31, 2));
    }
}
