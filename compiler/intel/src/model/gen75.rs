//! Haswell.

use super::{DfImmediates, DwordMul, Model, Quirk, QuirkSet};
use eu::DevInfo;

/// Model of hsw.
#[derive(Clone, Copy, Debug)]
pub struct Gen75 {
    /// Facts of the device.
    pub devinfo: &'static DevInfo,
    /// Quirks whose handling is switched off.
    pub disabled: QuirkSet,
}

impl Model for Gen75 {
    fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    fn disabled(&self) -> QuirkSet {
        self.disabled
    }

    fn has_quirk(&self, quirk: Quirk) -> bool {
        use Quirk::*;
        match quirk {
            DfExecMask
            | Align16DfSwizzle
            | Align16DfWritemask
            | Gen7SecondHalfControls
            | Gen7TwoGrfSource
            | Gen7Align16Vstride0
            | Gen7Align16DfSel
            | ThreeSourceNoDfRep
            | HswBfiSimd8
            | Gen7DwordMul
            | Gen7CmpSwitch => true,
            IvbDfExecSize | IvbDfRegions | IvbAlign16DfWidth | IvbDfSecondHalf | Ivb3srcSimd8 | IvbAcc1
            | IvbCmp16 | Align16QwordDst | HfMath | BdwHfMadOffset | BdwAlign16Hf | Chv64bitRegions
            | Gen8LogicNot | Gen8R127 => false,
        }
    }

    fn df_immediates(&self) -> DfImmediates {
        DfImmediates::Dim
    }

    fn dword_mul(&self) -> DwordMul {
        if self.handles(Quirk::Gen7DwordMul) { DwordMul::Words } else { DwordMul::Native }
    }

    fn align16_derivatives(&self) -> bool {
        true
    }

    fn discard_by_header(&self) -> bool {
        false
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
