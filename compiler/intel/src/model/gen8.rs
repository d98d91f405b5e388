//! Broadwell and Cherryview.

use super::{DfImmediates, DwordMul, Model, Quirk, QuirkSet};
use eu::DevInfo;

/// Model of bdw and chv.
#[derive(Clone, Copy, Debug)]
pub struct Gen8 {
    /// Facts of the device.
    pub devinfo: &'static DevInfo,
    /// Quirks whose handling is switched off.
    pub disabled: QuirkSet,
}

impl Model for Gen8 {
    fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    fn disabled(&self) -> QuirkSet {
        self.disabled
    }

    fn has_quirk(&self, quirk: Quirk) -> bool {
        use Quirk::*;
        match quirk {
            DfExecMask | Align16DfSwizzle | Align16DfWritemask | Align16QwordDst | HfMath
            | BdwHfMadOffset | ThreeSourceNoDfRep | Gen8LogicNot | Gen8R127 => true,
            BdwAlign16Hf => !self.devinfo.restricted_64bit_regions,
            Chv64bitRegions => self.devinfo.restricted_64bit_regions,
            Gen7DwordMul => !self.devinfo.has_dword_mul,
            _ => false,
        }
    }

    fn df_immediates(&self) -> DfImmediates {
        DfImmediates::Mov
    }

    fn dword_mul(&self) -> DwordMul {
        if self.handles(Quirk::Gen7DwordMul) { DwordMul::Words } else { DwordMul::Native }
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
