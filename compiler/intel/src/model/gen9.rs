//! Skylake.

use super::{DfImmediates, DwordMul, Model, Quirk, QuirkSet};
use eu::DevInfo;

/// Model of skl.
#[derive(Clone, Copy, Debug)]
pub struct Gen9 {
    /// Facts of the device.
    pub devinfo: &'static DevInfo,
    /// Quirks whose handling is switched off.
    pub disabled: QuirkSet,
}

impl Model for Gen9 {
    fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    fn disabled(&self) -> QuirkSet {
        self.disabled
    }

    fn has_quirk(&self, quirk: Quirk) -> bool {
        use Quirk::*;
        matches!(
            quirk,
            DfExecMask
                | Align16DfSwizzle
                | Align16DfWritemask
                | Align16QwordDst
                | HfMath
                | ThreeSourceNoDfRep
                | Gen8LogicNot
        )
    }

    fn df_immediates(&self) -> DfImmediates {
        DfImmediates::Mov
    }

    fn dword_mul(&self) -> DwordMul {
        DwordMul::Native
    }

    fn align16_derivatives(&self) -> bool {
        false
    }

    fn discard_by_header(&self) -> bool {
        false
    }

    fn scalar_geometry_stages(&self) -> bool {
        true
    }

    fn half_conversion_opcodes(&self) -> bool {
        false
    }

    fn scratch_block_size_log2(&self) -> bool {
        true
    }
}
