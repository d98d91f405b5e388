//! `draw rect …`, `draw instanced rect …`, `draw arrays …`, `multidraw arrays`, `draw elements`,
//! `xfb draw arrays`.

use super::arguments::Arguments;
use crate::error::{ErrorKind, Fault};
use crate::patterns::Pattern;

/// A rectangle: vertices (x, y), (x+w, y), (x, y+h), (x+w, y+h) with z = 0 and w = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawRect {
    /// x, y, width, height.
    pub rect: [f32; 4],
    /// Texture coordinates x, y, width, height for `draw rect tex`.
    pub texture: Option<[f32; 4]>,
    /// Coordinates are window pixels, to be mapped to −1..1 by the window's size.
    pub ortho: bool,
    /// One patch of four vertices instead of a triangle strip.
    pub patch: bool,
    /// Number of instances for the `instanced` forms.
    pub instances: Option<i32>,
}

/// `draw arrays` in its forms, or one draw of `multidraw arrays`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawArrays {
    /// Kind of primitive.
    pub primitive: Primitive,
    /// First vertex.
    pub first: u32,
    /// Number of vertices, at least 1; with `[vertex data]`, `first + count` is at most its number
    /// of rows.
    pub count: u32,
    /// Number of instances for `draw arrays instanced`.
    pub instances: Option<i32>,
    /// Base instance for `draw arrays instanced base`.
    pub base_instance: Option<u32>,
    /// `xfb draw arrays`: capture to the feedback buffers with the rasterizer off.
    pub capture: bool,
}

/// `draw elements`: indices from the start of `[elements]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawElements {
    /// Kind of primitive.
    pub primitive: Primitive,
    /// Number of indices, from 1 to as many as `[elements]` has.
    pub count: u32,
    /// Number added to every index.
    pub base_vertex: u32,
}

/// Limits of draws from the sections before `[test]`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    /// Rows of `[vertex data]`, if there is one.
    pub rows: Option<u32>,
    /// Indices of `[elements]`.
    pub elements: usize,
}

/// Primitive kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// `GL_POINTS`.
    Points,
    /// `GL_LINES`.
    Lines,
    /// `GL_LINE_LOOP`.
    LineLoop,
    /// `GL_LINE_STRIP`.
    LineStrip,
    /// `GL_TRIANGLES`.
    Triangles,
    /// `GL_TRIANGLE_STRIP`.
    TriangleStrip,
    /// `GL_TRIANGLE_FAN`.
    TriangleFan,
    /// `GL_QUADS`.
    Quads,
    /// `GL_QUAD_STRIP`.
    QuadStrip,
    /// `GL_POLYGON`.
    Polygon,
    /// `GL_LINES_ADJACENCY`.
    LinesAdjacency,
    /// `GL_LINE_STRIP_ADJACENCY`.
    LineStripAdjacency,
    /// `GL_TRIANGLES_ADJACENCY`.
    TrianglesAdjacency,
    /// `GL_TRIANGLE_STRIP_ADJACENCY`.
    TriangleStripAdjacency,
    /// `GL_PATCHES`.
    Patches,
}

impl Primitive {
    /// The primitive of an enum name.
    pub fn from_enum(name: &str) -> Option<Primitive> {
        Some(match name {
            "GL_POINTS" => Primitive::Points,
            "GL_LINES" => Primitive::Lines,
            "GL_LINE_LOOP" => Primitive::LineLoop,
            "GL_LINE_STRIP" => Primitive::LineStrip,
            "GL_TRIANGLES" => Primitive::Triangles,
            "GL_TRIANGLE_STRIP" => Primitive::TriangleStrip,
            "GL_TRIANGLE_FAN" => Primitive::TriangleFan,
            "GL_QUADS" => Primitive::Quads,
            "GL_QUAD_STRIP" => Primitive::QuadStrip,
            "GL_POLYGON" => Primitive::Polygon,
            "GL_LINES_ADJACENCY" => Primitive::LinesAdjacency,
            "GL_LINE_STRIP_ADJACENCY" => Primitive::LineStripAdjacency,
            "GL_TRIANGLES_ADJACENCY" => Primitive::TrianglesAdjacency,
            "GL_TRIANGLE_STRIP_ADJACENCY" => Primitive::TriangleStripAdjacency,
            "GL_PATCHES" => Primitive::Patches,
            _ => return None,
        })
    }

    /// Returns whether the runner's transform feedback can capture the primitive: points, lines and
    /// triangles, without quads, polygons and patches.
    fn captures(self) -> bool {
        !matches!(
            self,
            Primitive::Quads | Primitive::QuadStrip | Primitive::Polygon | Primitive::Patches
        )
    }
}

pub(super) fn rect(pattern: Pattern, arguments: &mut Arguments<'_, '_>) -> DrawRect {
    use Pattern as P;
    let instanced = matches!(
        pattern,
        P::DrawInstancedRect | P::DrawInstancedRectOrtho | P::DrawInstancedRectOrthoPatch
    );
    let instances = instanced.then(|| arguments.optional_signed().unwrap_or(0));
    DrawRect {
        rect: arguments.floats(),
        texture: (pattern == P::DrawRectTex).then(|| arguments.floats()),
        ortho: matches!(
            pattern,
            P::DrawRectOrtho
                | P::DrawRectOrthoPatch
                | P::DrawInstancedRectOrtho
                | P::DrawInstancedRectOrthoPatch
        ),
        patch: matches!(
            pattern,
            P::DrawRectPatch | P::DrawRectOrthoPatch | P::DrawInstancedRectOrthoPatch
        ),
        instances,
    }
}

pub(super) fn arrays<'a>(
    pattern: Pattern,
    arguments: &Arguments<'a, '_>,
    bounds: Bounds,
) -> Result<DrawArrays, Fault<'a>> {
    let captures = arguments.captures;
    let name = captures.word(0);
    let primitive = primitive(arguments, name)?;
    let capture = pattern == Pattern::XfbDrawArrays;
    if capture && !primitive.captures() {
        return Err(arguments.at(
            name,
            ErrorKind::Arguments,
            "transform feedback cannot capture this primitive",
        ));
    }
    let (first, count) = range(arguments, captures.signed(1), captures.signed(2), bounds)?;
    let based = pattern == Pattern::DrawArraysInstancedBase;
    let instances = (based || pattern == Pattern::DrawArraysInstanced).then(|| captures.signed(3));
    let base_instance = based.then(|| captures.signed(4) as u32);
    Ok(DrawArrays { primitive, first, count, instances, base_instance, capture })
}

/// The draws of `multidraw arrays`: their number, all first vertices, all counts.
pub(super) fn multiple<'a>(
    arguments: &mut Arguments<'a, '_>,
    bounds: Bounds,
) -> Result<Vec<DrawArrays>, Fault<'a>> {
    let name = arguments.word("a primitive kind")?;
    let primitive = primitive(arguments, name)?;
    let draws = arguments.signed("a number of draws")?;
    if draws <= 0 {
        return Err(arguments.out_of_range("number of draws must be at least 1"));
    }
    let firsts: Vec<i32> = (0..draws)
        .map(|_| arguments.signed("a first vertex for each draw"))
        .collect::<Result<_, _>>()?;
    firsts
        .into_iter()
        .map(|first| {
            let count = arguments.signed("a vertex count for each draw")?;
            let (first, count) = range(arguments, first, count, bounds)?;
            Ok(DrawArrays {
                primitive,
                first,
                count,
                instances: None,
                base_instance: None,
                capture: false,
            })
        })
        .collect()
}

pub(super) fn elements<'a>(
    arguments: &Arguments<'a, '_>,
    bounds: Bounds,
) -> Result<DrawElements, Fault<'a>> {
    let captures = arguments.captures;
    let primitive = primitive(arguments, captures.word(0))?;
    let count = match u32::try_from(captures.signed(1)) {
        Ok(count) if count > 0 && count as usize <= bounds.elements => count,
        Ok(count) if count > 0 => {
            return Err(
                arguments.out_of_range(format!("[elements] has only {} indices", bounds.elements))
            );
        }
        _ => return Err(arguments.out_of_range("index count must be at least 1")),
    };
    let base_vertex = u32::try_from(captures.signed(2))
        .map_err(|_| arguments.out_of_range("base vertex must not be negative"))?;
    Ok(DrawElements { primitive, count, base_vertex })
}

fn primitive<'a>(arguments: &Arguments<'a, '_>, name: &'a str) -> Result<Primitive, Fault<'a>> {
    arguments.chosen(name, "a primitive kind", Primitive::from_enum)
}

/// First vertex and count, which `[vertex data]` must have.
fn range<'a>(
    arguments: &Arguments<'a, '_>,
    first: i32,
    count: i32,
    bounds: Bounds,
) -> Result<(u32, u32), Fault<'a>> {
    let (Ok(first), Ok(count)) = (u32::try_from(first), u32::try_from(count)) else {
        return Err(arguments.out_of_range("first vertex and count must not be negative"));
    };
    if count == 0 {
        return Err(arguments.out_of_range("vertex count must be at least 1"));
    }
    if let Some(rows) = bounds.rows
        && (first >= rows || u64::from(first) + u64::from(count) > u64::from(rows))
    {
        return Err(arguments.out_of_range(format!("[vertex data] has only {rows} rows")));
    }
    Ok((first, count))
}
