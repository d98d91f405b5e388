//! Lowering of shadow lookups with explicit gradients to lookups at a level, for samplers without
//! such a message.
//!
//! ```text
//! before:
//!   v3 = tex.txd 2d shadow=1 ddx=v0 ddy=v1
//! after:
//!   v2 = … (level from the longer gradient)
//!   v3 = tex.txl 2d shadow=1 lod=v2
//! ```

use super::rewrite::{Action, rewrite};
use crate::builder::Builder;
use crate::ids::Value;
use crate::info::Dim;
use crate::inst::{InstKind, Tex, TexOp, TexSrcKind};

/// Lowers `txd` with a comparison to `txl`.
///
/// The level is that of the OpenGL specification, section 8.14.1: λ = log2(max(ρx, ρy)) =
/// ½·log2(max(ρx², ρy²)), where ρ is the length of a gradient in texels of the base level.
/// Rectangles have one level only.
pub fn lower_shadow_gradients(shader: &mut crate::Shader) -> bool {
    rewrite(shader, |b, inst| {
        let data = &b.shader.insts[inst];
        let (InstKind::Tex(tex), Some(result)) = (&data.kind, data.result) else {
            return Action::Keep;
        };
        let (Some(ddx), Some(ddy)) = (tex.src(TexSrcKind::Ddx), tex.src(TexSrcKind::Ddy)) else {
            return Action::Keep;
        };
        if tex.op != TexOp::Txd || !tex.shadow {
            return Action::Keep;
        }
        let mut lookup = Tex::clone(tex);
        let level = match (tex.dim, tex.src(TexSrcKind::Coord)) {
            (Dim::Rect, _) | (_, None) => b.fconst(32, 0.0),
            (dim, Some(coord)) => {
                let size = base_size(b, &lookup);
                let gradients = [ddx, ddy];
                let squared = match dim {
                    Dim::Cube => squares_on_face(b, coord, gradients, size),
                    _ => squares(b, gradients, size, dim.coord_components()),
                };
                let largest = b.fmax(squared[0], squared[1]);
                let twice = b.flog2(largest);
                let half = b.fconst(32, 0.5);
                b.fmul(twice, half)
            }
        };
        lookup.op = TexOp::Txl;
        lookup.srcs.retain(|(kind, _)| !matches!(kind, TexSrcKind::Ddx | TexSrcKind::Ddy));
        lookup.srcs.push((TexSrcKind::Lod, level));
        let (bits, components) = (b.shader.bits(result), b.shader.components(result));
        Action::Replace(b.tex(lookup, bits, components))
    })
}

/// Texels of the base level along each axis, as floats.
fn base_size(b: &mut Builder<'_>, lookup: &Tex) -> Value {
    let mut query = Tex { op: TexOp::Txs, shadow: false, ..lookup.clone() };
    query
        .srcs
        .retain(|(kind, _)| matches!(kind, TexSrcKind::TextureOffset | TexSrcKind::SamplerOffset));
    let level = b.imm(0);
    query.srcs.push((TexSrcKind::Lod, level));
    let components = if query.dim == Dim::Cube { 2 } else { query.dim.coord_components() };
    let size = b.tex(query, 32, components + u8::from(lookup.array));
    b.i2f32(size)
}

/// Squared lengths of both gradients in texels.
fn squares(b: &mut Builder<'_>, gradients: [Value; 2], size: Value, axes: u8) -> [Value; 2] {
    gradients.map(|gradient| {
        let mut sum = None;
        for axis in 0..axes {
            let (part, texels) = (b.channel(gradient, axis), b.channel(size, axis));
            let scaled = b.fmul(part, texels);
            let square = b.fmul(scaled, scaled);
            sum = Some(sum.map_or(square, |sum| b.fadd(sum, square)));
        }
        sum.unwrap_or_else(|| b.fconst(32, 0.0))
    })
}

/// Squared lengths of both gradients, projected onto the face that `coord` hits, in texels.
///
/// A face's coordinate is s = (p/m + 1)/2 with m the major axis, so ds = (dp − (p/m)·dm) / (2·m).
fn squares_on_face(
    b: &mut Builder<'_>,
    coord: Value,
    gradients: [Value; 2],
    size: Value,
) -> [Value; 2] {
    let axes = [0, 1, 2].map(|axis| b.channel(coord, axis));
    let lengths = axes.map(|axis| b.fabs(axis));
    let along = |b: &mut Builder<'_>, axis: usize| {
        let other = b.fmax(lengths[(axis + 1) % 3], lengths[(axis + 2) % 3]);
        b.fge(lengths[axis], other)
    };
    let (z_major, y_major) = (along(b, 2), along(b, 1));
    // Both minor axes, then the major one.
    let turned = |b: &mut Builder<'_>, v: [Value; 3]| {
        [[v[0], v[0], v[1]], [v[1], v[2], v[2]], [v[2], v[1], v[0]]].map(|[z, y, x]| {
            let rest = b.bcsel(y_major, y, x);
            b.bcsel(z_major, z, rest)
        })
    };
    let [p, q, major] = turned(b, axes);
    let inverse = b.frcp(major);
    let half = b.fconst(32, 0.5);
    let texels = b.channel(size, 0);
    let scale = b.fmul(inverse, half);
    let scale = b.fmul(scale, texels);
    let quotients = [b.fmul(p, inverse), b.fmul(q, inverse)];
    gradients.map(|gradient| {
        let parts = [0, 1, 2].map(|axis| b.channel(gradient, axis));
        let [dp, dq, dm] = turned(b, parts);
        let [s, t] = [(dp, quotients[0]), (dq, quotients[1])].map(|(d, quotient)| {
            let along_major = b.fmul(quotient, dm);
            let across = b.fsub(d, along_major);
            let scaled = b.fmul(across, scale);
            b.fmul(scaled, scaled)
        });
        b.fadd(s, t)
    })
}
