//! Ivy Bridge.

use super::{DfImmediates, DwordMul, Model, Quirk, QuirkSet};
use eu::DevInfo;

/// Model of ivb.
#[derive(Clone, Copy, Debug)]
pub struct Gen7 {
    /// Facts of the device.
    pub devinfo: &'static DevInfo,
    /// Quirks whose handling is switched off.
    pub disabled: QuirkSet,
}

impl Model for Gen7 {
    fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    fn disabled(&self) -> QuirkSet {
        self.disabled
    }

    fn has_quirk(&self, quirk: Quirk) -> bool {
        use Quirk::*;
        match quirk {
            IvbDfExecSize
            | IvbDfRegions
            | IvbAlign16DfWidth
            | DfExecMask
            | Align16DfSwizzle
            | Align16DfWritemask
            | Gen7SecondHalfControls
            | IvbDfSecondHalf
            | Gen7TwoGrfSource
            | ThreeSourceNoDfRep
            | Ivb3srcSimd8
            | Gen7DwordMul
            | IvbAcc1
            | Gen7CmpSwitch
            | IvbCmp16 => true,
            // Align16 DF instructions over both vertices do not exist here.
            Gen7Align16Vstride0 | Gen7Align16DfSel => false,
            HswBfiSimd8 | Align16QwordDst | HfMath | BdwHfMadOffset | BdwAlign16Hf | Chv64bitRegions
            | Gen8LogicNot | Gen8R127 => false,
        }
    }

    fn df_immediates(&self) -> DfImmediates {
        DfImmediates::TwoMoves
    }

    fn dword_mul(&self) -> DwordMul {
        if self.handles(Quirk::Gen7DwordMul) { DwordMul::Words } else { DwordMul::Native }
    }

    fn align16_derivatives(&self) -> bool {
        true
    }

    fn discard_by_header(&self) -> bool {
        true
    }

    fn scalar_geometry_stages(&self) -> bool {
        false
    }

    fn half_conversion_opcodes(&self) -> bool {
        true
    }

    fn scratch_block_size_log2(&self) -> bool {
        false
    }
}
