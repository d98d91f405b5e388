//! Names of interface slots in binaries' metadata.

use intel_codegen::output::Varying;
use program::resource::Slot;

/// The metadata's name of an interface slot; the header holds point size, layer and viewport index.
pub fn varying(slot: Slot) -> Varying {
    match slot {
        Slot::Position => Varying::Position,
        Slot::PointSize | Slot::ViewportMask => Varying::Header,
        Slot::ClipVertex => Varying::ClipVertex,
        Slot::ClipDistance(0) => Varying::ClipDistance0,
        Slot::ClipDistance(_) => Varying::ClipDistance1,
        Slot::Color(0) => Varying::Color0,
        Slot::Color(_) => Varying::Color1,
        Slot::BackColor(0) => Varying::BackColor0,
        Slot::BackColor(_) => Varying::BackColor1,
        Slot::TexCoord(n) => Varying::TexCoord(n.into()),
        Slot::Fog => Varying::FogCoord,
        Slot::Layer => Varying::Layer,
        Slot::ViewportIndex => Varying::ViewportIndex,
        Slot::PrimitiveId => Varying::PrimitiveId,
        Slot::PointCoord => Varying::PointCoord,
        Slot::TessLevelOuter => Varying::TessLevelOuter,
        Slot::TessLevelInner => Varying::TessLevelInner,
        Slot::Var(n) => Varying::Generic(n.into()),
        Slot::Patch(n) => Varying::Patch(n.into()),
    }
}
