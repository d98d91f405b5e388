//! Layout qualifiers of one declaration, collected and checked.

use crate::checker::{Check, Checker};
use crate::language::Language;
use glsl_syntax::ast::{self, List};
use glsl_syntax::source::Span;
use program::Stage;
use program::shader::{HandleDefaults, Interlock, LayoutPrimitive, Spacing};
use program::types::MatrixOrder;
use program::variable::{DepthLayout, ImageFormat, LayoutQualifiers, Packing};
use rustc_hash::FxHashSet;

/// Contents of `layout(…)`, before its target is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    /// True if there is any layout qualifier.
    pub present: bool,
    pub variable: LayoutQualifiers,
    pub packing: Option<Packing>,
    pub order: Option<MatrixOrder>,
    pub align: Option<u32>,
    pub primitive: Option<LayoutPrimitive>,
    pub max_vertices: Option<u32>,
    pub invocations: Option<u32>,
    pub vertices: Option<u32>,
    pub spacing: Option<Spacing>,
    pub clockwise: Option<bool>,
    pub point_mode: bool,
    pub early_fragment_tests: bool,
    pub post_depth_coverage: bool,
    pub inner_coverage: bool,
    pub interlock: Option<Interlock>,
    pub blend_support: bool,
    pub local_size: [Option<u32>; 3],
    pub local_size_variable: bool,
    pub derivative_group_quads: Option<bool>,
    /// EXT_shader_framebuffer_fetch_non_coherent
    pub noncoherent: bool,
    pub handles: HandleDefaults,
}

impl Checker<'_> {
    /// Collects the entries of a `layout(…)`.
    pub(crate) fn layout(
        &mut self,
        layout: &mut Layout,
        entries: List<ast::LayoutEntryId>,
    ) -> Check<()> {
        let unit = self.unit;
        layout.present = true;
        let mut seen: FxHashSet<String> = FxHashSet::default();
        for &id in unit.list(entries) {
            let entry = unit.layouts[id];
            let text = self.text(entry.name.symbol);
            // Desktop GLSL compares layout names without case (section 4.4); ES with.
            let name = if self.language.es { text.to_owned() } else { text.to_ascii_lowercase() };
            // Layouts of blocks override each other (GLSL ES 3.20 section 4.4.5).
            let overrides = self.language.has_enhanced_layouts() || is_of_block(&name);
            if !seen.insert(kind_of(&name).to_owned()) && !overrides {
                return self.error(entry.name.span, "a layout qualifier is repeated");
            }
            match entry.value.expand() {
                Some(value) => self.layout_number(layout, &name, value, entry.name.span)?,
                None => self.layout_word(layout, &name, entry.name.span)?,
            }
        }
        Ok(())
    }

    fn layout_number(
        &mut self,
        layout: &mut Layout,
        name: &str,
        value: ast::ExprId,
        span: Span,
    ) -> Check<()> {
        let number = self.integer_constant(value, &format!("layout qualifier `{name}`"))?;
        let value_span = self.unit.exprs[value].span;
        let literal = matches!(self.unit.exprs[value].kind, ast::ExprKind::Int(..));
        if !literal && !self.language.has_enhanced_layouts() {
            return self.error(
                value_span,
                format!("the value of `{name}` must be a literal before GLSL 4.40"),
            );
        }
        let Ok(number) = u32::try_from(number) else {
            return self
                .error(value_span, format!("layout qualifier `{name}` must not be negative"));
        };
        let known = NUMBERS.iter().find(|known| known.name == name);
        if number < known.map_or(0, |known| known.minimum) {
            return self.error(value_span, format!("layout qualifier `{name}` must be positive"));
        }
        let Some(known) = known else {
            return self.error(span, format!("`{name}` is not a layout qualifier with a value"));
        };
        if !known.since.holds(&self.language) {
            return self.error(
                span,
                format!("layout qualifier `{name}` is not available in this version"),
            );
        }
        let Some(place) = (known.place)(layout) else { return Ok(()) };
        *place = Some(number);
        let limit_error = match name {
            "component" if number > 3 => Some("component must be below 4"),
            "index"
                if number > 1
                    && self.language.stage == Stage::Fragment
                    && !self.subroutine_index_allowed() =>
            {
                Some("index must be 0 or 1")
            }
            "align" if !number.is_power_of_two() => Some("align must be a power of two"),
            "xfb_buffer" if number > 3 => Some("xfb_buffer must be below 4"),
            "stream" if number > 3 => Some("stream must be below 4"),
            _ => None,
        };
        match limit_error {
            Some(message) => self.error(value_span, message),
            None => Ok(()),
        }
    }

    /// Returns whether `index` may be a subroutine index here, which has a wider range than a blend
    /// source.
    fn subroutine_index_allowed(&self) -> bool {
        self.language.at_least(400, 0) || self.language.extension("ARB_shader_subroutine")
    }

    fn layout_word(&mut self, layout: &mut Layout, name: &str, span: Span) -> Check<()> {
        if let Some(primitive) = primitive(name) {
            layout.primitive = Some(primitive);
            return Ok(());
        }
        if let Some(extension) = missing_extension(&self.language, name) {
            return self.error(span, format!("layout qualifier `{name}` needs {extension}"));
        }
        match name {
            "shared" => layout.packing = Some(Packing::Shared),
            "packed" => layout.packing = Some(Packing::Packed),
            "std140" => layout.packing = Some(Packing::Std140),
            "std430" => layout.packing = Some(Packing::Std430),
            "row_major" => layout.order = Some(MatrixOrder::RowMajor),
            "column_major" => layout.order = Some(MatrixOrder::ColumnMajor),
            "origin_upper_left" | "pixel_center_integer" if self.language.es => {
                return self.error(span, format!("GLSL ES has no layout qualifier `{name}`"));
            }
            "origin_upper_left" => layout.variable.origin_upper_left = true,
            "pixel_center_integer" => layout.variable.pixel_center_integer = true,
            "early_fragment_tests" => {
                if !self.language.at_least(420, 310)
                    && !self.language.any_extension(&[
                        "ARB_shader_image_load_store",
                        "EXT_shader_image_load_store",
                    ])
                {
                    return self
                        .error(span, "early_fragment_tests is not available in this version");
                }
                layout.early_fragment_tests = true;
            }
            "post_depth_coverage" => layout.post_depth_coverage = true,
            "depth_any" => layout.variable.depth = Some(DepthLayout::Any),
            "depth_greater" => layout.variable.depth = Some(DepthLayout::Greater),
            "depth_less" => layout.variable.depth = Some(DepthLayout::Less),
            "depth_unchanged" => layout.variable.depth = Some(DepthLayout::Unchanged),
            "equal_spacing" => layout.spacing = Some(Spacing::Equal),
            "fractional_even_spacing" => layout.spacing = Some(Spacing::FractionalEven),
            "fractional_odd_spacing" => layout.spacing = Some(Spacing::FractionalOdd),
            "cw" => layout.clockwise = Some(true),
            "ccw" => layout.clockwise = Some(false),
            "point_mode" => layout.point_mode = true,
            "local_size_variable" => layout.local_size_variable = true,
            "derivative_group_quadsnv" | "derivative_group_quadsNV" => {
                layout.derivative_group_quads = Some(true)
            }
            "derivative_group_linearnv" | "derivative_group_linearNV" => {
                layout.derivative_group_quads = Some(false);
            }
            // Hints and switches without an observable effect here.
            "viewport_relative" => {}
            "bindless_sampler" => layout.handles.bindless_sampler = true,
            "bound_sampler" => layout.handles.bound_sampler = true,
            "bindless_image" => layout.handles.bindless_image = true,
            "bound_image" => layout.handles.bound_image = true,
            // EXT_shader_image_load_store names sizes instead of formats.
            "size1x8" | "size1x16" | "size1x32" | "size2x32" | "size4x32" => {}
            "noncoherent" => layout.noncoherent = true,
            "inner_coverage" => layout.inner_coverage = true,
            "pixel_interlock_ordered" => self.interlock(layout, Interlock::PixelOrdered, span)?,
            "pixel_interlock_unordered" => {
                self.interlock(layout, Interlock::PixelUnordered, span)?
            }
            "sample_interlock_ordered" => self.interlock(layout, Interlock::SampleOrdered, span)?,
            "sample_interlock_unordered" => {
                self.interlock(layout, Interlock::SampleUnordered, span)?
            }
            _ if BLEND_SUPPORT.contains(&name) => {
                if !self.language.at_least(0, 320)
                    && !self.language.extension("KHR_blend_equation_advanced")
                {
                    return self
                        .error(span, format!("layout qualifier `{name}` is not available here"));
                }
                layout.blend_support = true;
            }
            _ => match ImageFormat::from_name(name) {
                Some(format) => {
                    let before = layout.variable.image_format.replace(format);
                    if before.is_some_and(|other| other != format) {
                        return self.error(span, "an image has one format");
                    }
                }
                None => return self.error(span, format!("`{name}` is not a layout qualifier")),
            },
        }
        Ok(())
    }

    fn interlock(&mut self, layout: &mut Layout, mode: Interlock, span: Span) -> Check<()> {
        let available = ["ARB_fragment_shader_interlock", "NV_fragment_shader_interlock"];
        if !available.into_iter().any(|e| self.language.extension(e)) {
            return self.error(span, "interlock modes are not available here");
        }
        if layout.interlock.replace(mode).is_some_and(|other| other != mode) {
            return self.error(span, "a shader has one interlock mode");
        }
        Ok(())
    }
}

/// Versions and extensions that have a layout qualifier.
enum Since {
    Always,
    Never,
    /// Desktop and ES version, 0 for none, or an extension.
    Version(u16, u16, &'static [&'static str]),
    /// GLSL 4.20 and its extension, or another extension.
    Pack420(&'static [&'static str]),
    EnhancedLayouts,
}

impl Since {
    fn holds(&self, language: &Language<'_>) -> bool {
        match *self {
            Since::Always => true,
            Since::Never => false,
            Since::Version(desktop, es, extensions) => {
                language.at_least(desktop, es) || language.any_extension(extensions)
            }
            Since::Pack420(extensions) => {
                language.has_420pack() || language.any_extension(extensions)
            }
            Since::EnhancedLayouts => language.has_enhanced_layouts(),
        }
    }
}

/// A layout qualifier with a value.
struct NumberQualifier {
    name: &'static str,
    since: Since,
    /// Smallest value.
    minimum: u32,
    /// Field of the value; `None` if it has no observable effect here.
    place: fn(&mut Layout) -> Option<&mut Option<u32>>,
}

const fn number(
    name: &'static str,
    since: Since,
    minimum: u32,
    place: fn(&mut Layout) -> Option<&mut Option<u32>>,
) -> NumberQualifier {
    NumberQualifier { name, since, minimum, place }
}

const INVOCATIONS: Since =
    Since::Version(400, 320, &["ARB_gpu_shader5", "EXT_geometry_shader", "OES_geometry_shader"]);
const LOCAL_SIZE: Since = Since::Version(430, 310, &["ARB_compute_shader"]);
const INDEX: Since = Since::Version(
    330,
    0,
    &[
        "ARB_explicit_attrib_location",
        "EXT_blend_func_extended",
        "ARB_explicit_uniform_location",
        "ARB_shader_subroutine",
    ],
);
const VERTICES: Since = Since::Version(
    400,
    320,
    &["ARB_tessellation_shader", "EXT_tessellation_shader", "OES_tessellation_shader"],
);
const BINDING: Since =
    Since::Pack420(&["ARB_shader_atomic_counters", "ARB_shader_storage_buffer_object"]);

/// The layout qualifiers with a value.
const NUMBERS: &[NumberQualifier] = &[
    number("location", Since::Always, 0, |l| Some(&mut l.variable.location)),
    number("component", Since::EnhancedLayouts, 0, |l| Some(&mut l.variable.component)),
    number("index", INDEX, 0, |l| Some(&mut l.variable.index)),
    number("binding", BINDING, 0, |l| Some(&mut l.variable.binding)),
    number("offset", Since::Always, 0, |l| Some(&mut l.variable.offset)),
    number("stream", Since::Version(400, 0, &["ARB_gpu_shader5"]), 0, |l| {
        Some(&mut l.variable.stream)
    }),
    number("xfb_buffer", Since::EnhancedLayouts, 0, |l| Some(&mut l.variable.xfb_buffer)),
    number("xfb_offset", Since::EnhancedLayouts, 0, |l| Some(&mut l.variable.xfb_offset)),
    number("xfb_stride", Since::EnhancedLayouts, 0, |l| Some(&mut l.variable.xfb_stride)),
    number("align", Since::EnhancedLayouts, 0, |l| Some(&mut l.align)),
    number("max_vertices", Since::Always, 0, |l| Some(&mut l.max_vertices)),
    number("invocations", INVOCATIONS, 1, |l| Some(&mut l.invocations)),
    number("vertices", VERTICES, 1, |l| Some(&mut l.vertices)),
    number("local_size_x", LOCAL_SIZE, 1, |l| Some(&mut l.local_size[0])),
    number("local_size_y", LOCAL_SIZE, 1, |l| Some(&mut l.local_size[1])),
    number("local_size_z", LOCAL_SIZE, 1, |l| Some(&mut l.local_size[2])),
    number("secondary_view_offset", Since::Always, 0, |_| None),
    number("num_views", Since::Never, 0, |_| None),
];

/// Extensions for a layout qualifier without a value, one of which is needed; `None` if one is
/// enabled.
fn missing_extension(language: &Language<'_>, name: &str) -> Option<String> {
    let (desktop, extensions): (u16, &[&str]) = match name {
        "origin_upper_left" | "pixel_center_integer" => (150, &["ARB_fragment_coord_conventions"]),
        "post_depth_coverage" => {
            (0, &["ARB_post_depth_coverage", "INTEL_conservative_rasterization"])
        }
        "inner_coverage" => (0, &["INTEL_conservative_rasterization"]),
        "local_size_variable" => (0, &["ARB_compute_variable_group_size"]),
        "bindless_sampler" | "bound_sampler" | "bindless_image" | "bound_image" => {
            (0, &["ARB_bindless_texture"])
        }
        "viewport_relative" => (0, &["NV_viewport_array2"]),
        "noncoherent" => (0, &["EXT_shader_framebuffer_fetch_non_coherent"]),
        "size1x8" | "size1x16" | "size1x32" | "size2x32" | "size4x32" => {
            (0, &["EXT_shader_image_load_store"])
        }
        _ if name.starts_with("derivative_group_") => (0, &["NV_compute_shader_derivatives"]),
        _ => return None,
    };
    let there = language.at_least(desktop, 0) || language.any_extension(extensions);
    (!there).then(|| extensions.join(" or "))
}

/// The property that a layout qualifier sets; two qualifiers of one property contradict each other.
fn kind_of(name: &str) -> &str {
    match name {
        _ if primitive(name).is_some() => "primitive",
        "cw" | "ccw" => "order",
        "equal_spacing" | "fractional_even_spacing" | "fractional_odd_spacing" => "spacing",
        _ if name.starts_with("depth_") => "depth",
        name => name,
    }
}

/// True for packings and matrix orders.
fn is_of_block(name: &str) -> bool {
    matches!(name, "std140" | "std430" | "shared" | "packed" | "row_major" | "column_major")
}

/// KHR_blend_equation_advanced: layout qualifiers of blend equations.
const BLEND_SUPPORT: &[&str] = &[
    "blend_support_multiply",
    "blend_support_screen",
    "blend_support_overlay",
    "blend_support_darken",
    "blend_support_lighten",
    "blend_support_colordodge",
    "blend_support_colorburn",
    "blend_support_hardlight",
    "blend_support_softlight",
    "blend_support_difference",
    "blend_support_exclusion",
    "blend_support_hsl_hue",
    "blend_support_hsl_saturation",
    "blend_support_hsl_color",
    "blend_support_hsl_luminosity",
    "blend_support_all_equations",
];

fn primitive(name: &str) -> Option<LayoutPrimitive> {
    Some(match name {
        "points" => LayoutPrimitive::Points,
        "lines" => LayoutPrimitive::Lines,
        "lines_adjacency" => LayoutPrimitive::LinesAdjacency,
        "triangles" => LayoutPrimitive::Triangles,
        "triangles_adjacency" => LayoutPrimitive::TrianglesAdjacency,
        "line_strip" => LayoutPrimitive::LineStrip,
        "triangle_strip" => LayoutPrimitive::TriangleStrip,
        "quads" => LayoutPrimitive::Quads,
        "isolines" => LayoutPrimitive::Isolines,
        _ => return None,
    })
}
