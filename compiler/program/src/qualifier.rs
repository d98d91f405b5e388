//! Qualifiers of interface variables.

use crate::ids::LayoutId;

/// ES precision of a uniform.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Precision {
    /// Not an ES shader, or a type without precision.
    #[default]
    None,
    /// `lowp`.
    Low,
    /// `mediump`.
    Medium,
    /// `highp`.
    High,
}

/// How an input of the fragment stage is interpolated (on outputs: as declared there).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum InterpolationMode {
    /// No qualifier: smooth, or by `glShadeModel` for colors.
    #[default]
    Default,
    /// Perspective-correct.
    Smooth,
    /// From the provoking vertex.
    Flat,
    /// Linear in window space.
    NoPerspective,
}

/// Where in the pixel an input is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum SampleLocation {
    /// Pixel center.
    #[default]
    Center,
    /// `centroid`.
    Centroid,
    /// `sample`.
    Sample,
}

/// Interpolation qualifiers of an interface variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Interpolation {
    /// Mode.
    pub mode: InterpolationMode,
    /// Location in the pixel.
    pub location: SampleLocation,
    /// `patch`.
    pub patch: bool,
}

/// `coherent`, `volatile`, `restrict`, `readonly`, `writeonly`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct MemoryQualifiers {
    /// `coherent`.
    pub coherent: bool,
    /// `volatile`.
    pub volatile: bool,
    /// `restrict`.
    pub restrict: bool,
    /// `readonly`.
    pub read_only: bool,
    /// `writeonly`.
    pub write_only: bool,
}

/// Memory layout of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Packing {
    /// `shared`, the default; laid out as `std140`.
    #[default]
    Shared,
    /// `packed`; laid out as `std140`.
    Packed,
    /// `std140`.
    Std140,
    /// `std430`.
    Std430,
    /// As given, offset by offset (SPIR-V).
    Explicit(LayoutId),
}
