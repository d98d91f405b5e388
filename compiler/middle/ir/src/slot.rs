//! Input and output slots: where a stage reads and writes its interface, four 32-bit components
//! each.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A location of four 32-bit components in a stage's inputs or outputs. 64-bit interface variables
/// take two dwords per component (so a `dvec4` takes two slots); the lowering splits and joins
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// Vertex-shader input, dense location.
    Attribute(u8),
    /// `gl_Position`.
    Position,
    /// `gl_PointSize`, component 0.
    PointSize,
    /// `gl_ClipVertex`.
    ClipVertex,
    /// `gl_ClipDistance[4n .. 4n + 4]`.
    ClipDistance(u8),
    /// `gl_CullDistance[4n .. 4n + 4]`.
    CullDistance(u8),
    /// `gl_Layer`, component 0.
    Layer,
    /// `gl_ViewportIndex`, component 0.
    Viewport,
    /// `gl_PrimitiveID` as written by a geometry shader or read by a fragment shader, component 0.
    PrimitiveId,
    /// Edge flag of compatibility contexts, component 0.
    EdgeFlag,
    /// Front color 0 (primary) or 1 (secondary); as a fragment input the selected color.
    Color(u8),
    /// Back color 0 or 1.
    BackColor(u8),
    /// `gl_TexCoord[n]`.
    TexCoord(u8),
    /// `gl_FogFragCoord`, component 0.
    FogCoord,
    /// `gl_PointCoord` as a fragment input, components 0 and 1.
    PointCoord,
    /// Generic varying.
    Var(u8),
    /// Generic per-patch varying.
    Patch(u8),
    /// `gl_TessLevelOuter[0..4]`.
    TessLevelOuter,
    /// `gl_TessLevelInner[0..2]`.
    TessLevelInner,
    /// Fragment color output; `index` 1 is the second source of dual-source blending.
    FragColor {
        /// Draw-buffer location.
        location: u8,
        /// Blend source, 0 or 1.
        index: u8,
    },
    /// `gl_FragDepth`, component 0.
    FragDepth,
    /// Stencil reference export, component 0.
    FragStencil,
    /// `gl_SampleMask[0]`, component 0.
    FragSampleMask,
}

/// Names of the slots without and with a number.
const PLAIN: &[(&str, Slot)] = &[
    ("position", Slot::Position),
    ("point_size", Slot::PointSize),
    ("clip_vertex", Slot::ClipVertex),
    ("layer", Slot::Layer),
    ("viewport", Slot::Viewport),
    ("primitive_id", Slot::PrimitiveId),
    ("edge_flag", Slot::EdgeFlag),
    ("fog_coord", Slot::FogCoord),
    ("point_coord", Slot::PointCoord),
    ("tess_level_outer", Slot::TessLevelOuter),
    ("tess_level_inner", Slot::TessLevelInner),
    ("frag_depth", Slot::FragDepth),
    ("frag_stencil", Slot::FragStencil),
    ("frag_sample_mask", Slot::FragSampleMask),
];

type MakeSlot = fn(u8) -> Slot;

/// Slot families: name before the number, constructor.
const NUMBERED: &[(&str, MakeSlot)] = &[
    ("attribute", Slot::Attribute),
    ("clip_distance", Slot::ClipDistance),
    ("cull_distance", Slot::CullDistance),
    ("color", Slot::Color),
    ("back_color", Slot::BackColor),
    ("tex_coord", Slot::TexCoord),
    ("var", Slot::Var),
    ("patch", Slot::Patch),
    ("frag_color", |location| Slot::FragColor { location, index: 0 }),
    ("frag_color_src1_", |location| Slot::FragColor { location, index: 1 }),
];

impl Slot {
    /// The slot with this text name (`position`, `var3`, `frag_color0`, …).
    pub fn from_name(name: &str) -> Option<Slot> {
        if let Some(&(_, slot)) = PLAIN.iter().find(|(n, _)| *n == name) {
            return Some(slot);
        }
        let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (family, number) = name.split_at(digits);
        let number: u8 = number.parse().ok()?;
        NUMBERED.iter().find(|(n, _)| *n == family).map(|(_, make)| make(number))
    }

    /// The slot `n` locations further on, for arrays and for the second half of 64-bit vectors;
    /// `None` where the family has no numbers or the number leaves its range.
    pub fn advance(self, n: u8) -> Option<Slot> {
        let add = |base: u8| base.checked_add(n);
        Some(match self {
            _ if n == 0 => self,
            Slot::Attribute(i) => Slot::Attribute(add(i)?),
            Slot::ClipDistance(i) => Slot::ClipDistance(add(i)?),
            Slot::CullDistance(i) => Slot::CullDistance(add(i)?),
            Slot::Color(i) => Slot::Color(add(i)?),
            Slot::BackColor(i) => Slot::BackColor(add(i)?),
            Slot::TexCoord(i) => Slot::TexCoord(add(i)?),
            Slot::Var(i) => Slot::Var(add(i)?),
            Slot::Patch(i) => Slot::Patch(add(i)?),
            Slot::FragColor { location, index } => {
                Slot::FragColor { location: add(location)?, index }
            }
            _ => return None,
        })
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = PLAIN.iter().find(|(_, slot)| slot == self) {
            return f.write_str(name);
        }
        let (family, number) = match *self {
            Slot::Attribute(n) => ("attribute", n),
            Slot::ClipDistance(n) => ("clip_distance", n),
            Slot::CullDistance(n) => ("cull_distance", n),
            Slot::Color(n) => ("color", n),
            Slot::BackColor(n) => ("back_color", n),
            Slot::TexCoord(n) => ("tex_coord", n),
            Slot::Var(n) => ("var", n),
            Slot::Patch(n) => ("patch", n),
            Slot::FragColor { location, index: 0 } => ("frag_color", location),
            Slot::FragColor { location, .. } => ("frag_color_src1_", location),
            _ => ("slot", 0),
        };
        write!(f, "{family}{number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let mut all: Vec<Slot> = PLAIN.iter().map(|p| p.1).collect();
        for n in [0, 7, 31] {
            all.extend(NUMBERED.iter().map(|(_, make)| make(n)));
        }
        for slot in all {
            assert_eq!(Slot::from_name(&slot.to_string()), Some(slot), "{slot}");
        }
        assert_eq!(Slot::from_name("var"), None);
        assert_eq!(Slot::from_name("var256"), None);
        assert_eq!(Slot::from_name(""), None);
    }
}
