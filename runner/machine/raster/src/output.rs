//! Output of fragments: tests of depth bounds and stencil, blending, logic operations, write masks.

use crate::blend::{Colors, Equation, StencilOperation, blend, logic};
use crate::format::{Channel, Format, FormatClass, Texel};
use crate::texture::CompareFunction;

/// State of the output of a draw's fragments. By default colors replace those of the attachments.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputState {
    /// Equations of color and alpha, if blending is enabled.
    pub blend: Option<[Equation; 2]>,
    /// The constant of blend factors.
    pub constant: [f32; 4],
    /// Truth table of the logic operation (see [`logic`]), if enabled.
    pub logic: Option<u64>,
    /// Channels that are written: bit 0 red, 1 green, 2 blue, 3 alpha.
    pub write_mask: u8,
    /// Depth is written where the depth test passes.
    pub depth_write: bool,
    /// Smallest and largest stored depth that pass, if the test of bounds is enabled.
    pub depth_bounds: Option<[f32; 2]>,
    /// Limits of depths.
    pub depth_range: [f64; 2],
    /// Stencil state of front and back faces, if the test is enabled.
    pub stencil: Option<[StencilFace; 2]>,
}

impl Default for OutputState {
    fn default() -> OutputState {
        OutputState {
            blend: None,
            constant: [0.0; 4],
            logic: None,
            write_mask: 0xf,
            depth_write: true,
            depth_bounds: None,
            depth_range: [0.0, 1.0],
            stencil: None,
        }
    }
}

/// Stencil state of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilFace {
    /// Operation where the stencil test fails.
    pub fail: StencilOperation,
    /// Operation where the depth test fails.
    pub depth_fail: StencilOperation,
    /// Operation where both tests pass.
    pub pass: StencilOperation,
    /// The comparison.
    pub compare: CompareFunction,
    /// Bits that are compared.
    pub compare_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// The reference.
    pub reference: u8,
}

impl StencilFace {
    fn passes(&self, stored: u8) -> bool {
        self.compare.passes(self.reference & self.compare_mask, stored & self.compare_mask)
    }

    fn change(&self, operation: StencilOperation, stored: u8) -> u8 {
        let new = operation.apply(stored, self.reference);
        stored & !self.write_mask | new & self.write_mask
    }
}

impl OutputState {
    /// True if colors replace those of the attachments.
    pub(crate) fn replaces(&self) -> bool {
        self.blend.is_none() && self.logic.is_none() && self.write_mask & 0xf == 0xf
    }

    /// True if fragments are tested against what is stored, beside the depth test.
    pub(crate) fn tests(&self) -> bool {
        self.stencil.is_some() || self.depth_bounds.is_some()
    }

    /// True if colors of attachments of a format are blended.
    pub(crate) fn blends(&self, format: Format) -> bool {
        self.blend.is_some() && self.logic.is_none() && !format.is_integer()
    }

    /// Returns the texel to store for a fragment's color, raw if it is blended, else quantized.
    pub(crate) fn merge(&self, format: Format, color: Texel, old: Texel) -> Texel {
        let mut new = color;
        if let Some([of_color, of_alpha]) = self.blend.filter(|_| self.blends(format)) {
            let is_limited = format.class() == FormatClass::Normalized;
            let is_signed = matches!(format.channels()[0], Channel::Snorm(_));
            let low = if is_signed { -1.0 } else { 0.0 };
            let limit = |value: f32| if is_limited { value.clamp(low, 1.0) } else { value };
            let colors = Colors {
                source: color.map(f32::from_bits).map(limit),
                second: [0.0; 4],
                destination: format.to_f32(old),
                constant: self.constant.map(limit),
            };
            let blended = blend(of_color, of_alpha, &colors).unwrap_or(colors.source);
            new = format.quantize(blended.map(f32::to_bits));
        } else if let Some(table) = self.logic.filter(|_| format.class() != FormatClass::Float) {
            let (source, stored) =
                (format.pack(color).to_le_bytes(), format.pack(old).to_le_bytes());
            let bytes = std::array::from_fn(|i| logic(table, source[i], stored[i]));
            new = format.unpack(u128::from_le_bytes(bytes));
        }
        std::array::from_fn(|c| if self.write_mask >> c & 1 == 1 { new[c] } else { old[c] })
    }

    /// Tests a fragment of depth `z` against the texel of a depth attachment. Returns the texel to
    /// store, and whether the fragment passes.
    pub(crate) fn test(
        &self,
        depth_test: Option<CompareFunction>,
        format: Format,
        old: Texel,
        z: f64,
        is_front: bool,
    ) -> (Texel, bool) {
        if let Some([low, high]) = self.depth_bounds {
            let stored = format.to_f32(old)[0];
            if !(low <= stored && stored <= high) {
                return (old, false);
            }
        }
        let has_stencil = format.channels()[1] != Channel::None;
        let faces = self.stencil.as_ref().filter(|_| has_stencil);
        let face = faces.map(|faces| &faces[usize::from(!is_front)]);
        let stencil = old[1] as u8;
        if let Some(face) = face.filter(|face| !face.passes(stencil)) {
            return ([old[0], face.change(face.fail, stencil).into(), 0, 0], false);
        }
        let [low, high] = self.depth_range;
        let z = z.clamp(low.min(high), high.max(low));
        let new = format.quantize_numbers([z, 0.0, 0.0, 0.0])[0];
        let depth_test = depth_test.filter(|_| format.channels()[0] != Channel::None);
        let passes = depth_test.is_none_or(|function| match format.channels()[0] {
            Channel::Float(_) => function.passes(f32::from_bits(new), f32::from_bits(old[0])),
            _ => function.passes(new, old[0]),
        });
        let depth = if passes && depth_test.is_some() && self.depth_write { new } else { old[0] };
        let operation = face.map(|face| (face, if passes { face.pass } else { face.depth_fail }));
        let stencil = operation.map_or(old[1], |(face, op)| face.change(op, stencil).into());
        ([depth, stencil, 0, 0], passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blend::{Factor, Function, Term};

    fn equation(source: Factor, destination: Factor) -> Equation {
        let (source, destination) = (Some(source), Some(destination));
        Equation { source, destination, function: Some(Function::Add) }
    }

    #[test]
    fn colors_are_blended_masked_or_combined() {
        let over = equation(Factor::Plain(Term::SourceAlpha), Factor::Inverse(Term::SourceAlpha));
        let state =
            OutputState { blend: Some([over; 2]), write_mask: 0b1011, ..Default::default() };
        let source = [1.0f32, 1.0, 1.0, 0.4].map(f32::to_bits);
        // 255 × 0.4 + 100 × 0.6 = 162; alpha: 102 × 0.4 + 50 × 0.6 = 70.8. Blue is not written.
        assert_eq!(state.merge(Format::Rgba8, source, [100, 100, 7, 50]), [162, 162, 7, 71]);
        // Integers are written as they are.
        assert!(!state.blends(Format::Rgba8ui));
        assert_eq!(state.merge(Format::Rgba8ui, [1, 2, 3, 4], [9; 4]), [1, 2, 9, 4]);
        // Exclusive or.
        let xor = OutputState { logic: Some(0b0110), ..OutputState::default() };
        assert_eq!(xor.merge(Format::Rgba8, [3, 255, 0, 1], [1, 15, 7, 1]), [2, 240, 7, 0]);
    }

    #[test]
    fn stencil_and_depth() {
        let face = StencilFace {
            fail: StencilOperation::Zero,
            depth_fail: StencilOperation::IncrementAndWrap,
            pass: StencilOperation::Replace,
            compare: CompareFunction::Equal,
            compare_mask: 0x0f,
            write_mask: 0xf3,
            reference: 0x25,
        };
        let state = OutputState { stencil: Some([face; 2]), ..OutputState::default() };
        let format = Format::Depth32fStencil8;
        let half = 0.5f32.to_bits();
        let test = |stencil, z| {
            state.test(Some(CompareFunction::Less), format, [half, stencil, 0, 0], z, true)
        };
        assert_eq!(test(0x37, 0.25), ([half, 0x04, 0, 0], false));
        assert_eq!(test(0x35, 0.75), ([half, 0x36, 0, 0], false));
        assert_eq!(test(0x35, 0.25), ([0.25f32.to_bits(), 0x25, 0, 0], true));
        let bounded = OutputState { depth_bounds: Some([0.6, 0.7]), ..state };
        let old = [half, 5, 0, 0];
        assert_eq!(bounded.test(None, format, old, 0.0, true), (old, false));
    }

    #[test]
    fn depth_is_kept_without_writes() {
        let state = OutputState { depth_write: false, ..OutputState::default() };
        let test =
            state.test(Some(CompareFunction::Less), Format::Depth16, [9, 0, 0, 0], 0.0, true);
        assert_eq!(test, ([9, 0, 0, 0], true));
    }
}
