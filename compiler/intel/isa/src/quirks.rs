//! Named quirks of the hardware and the devices that have them.
//!
//! Compiler, validator and simulator read here *where* a quirk is and keep only their *behavior*.

use vocabulary::Generation;

/// One row of the table. Sets of devices have bit [`Generation`] `as u8`.
pub(crate) struct Row {
    /// Name on the command line and in tables.
    name: &'static str,
    /// Devices whose hardware has the quirk.
    pub(crate) hardware: u8,
    /// Devices on which valid programs meet it.
    pub(crate) met: u8,
}

/// The bit of a device's column.
macro_rules! bit {
    (ivb) => {
        1 << Generation::Ivb as u8
    };
    (hsw) => {
        1 << Generation::Hsw as u8
    };
    (bdw) => {
        1 << Generation::Bdw as u8
    };
    (chv) => {
        1 << Generation::Chv as u8
    };
    (skl) => {
        1 << Generation::Skl as u8
    };
}

/// The devices on which valid programs meet a quirk: those listed, else all that have it.
const fn met(hardware: u8, listed: u8) -> u8 {
    if listed == 0 { hardware } else { listed }
}

/// Expands the table: variant, name, devices of the hardware, devices on which valid programs meet
/// it.
macro_rules! quirks {
    ($($(#[$doc:meta])* $variant:ident = $name:literal on $($device:ident)* $(, met on $($met:ident)*)?;)*) => {
        /// A named trap of the hardware that the compiler works around.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Quirk {
            $($(#[$doc])* $variant,)*
        }

        /// Rows in the order of [`Quirk::ALL`].
        static ROWS: &[Row] = &[$(Row {
            name: $name,
            hardware: 0 $(| bit!($device))*,
            met: met(0 $(| bit!($device))*, 0 $($(| bit!($met))*)?),
        },)*];

        impl Quirk {
            /// Every quirk.
            pub const ALL: &'static [Quirk] = &[$(Quirk::$variant,)*];
        }
    };
}

quirks! {
    /// DF instructions encode twice their number of channels.
    IvbDfExecSize = "ivb-df-exec-size" on ivb;
    /// Align1 regions of DF operands count 32-bit units.
    IvbDfRegions = "ivb-df-regions" on ivb;
    /// Align16 DF instructions process at most 4 components.
    IvbAlign16DfWidth = "ivb-align16-df-width" on ivb;
    /// Channel enables of DF instructions go one bit per component.
    DfExecMask = "df-exec-mask" on ivb hsw bdw chv skl;
    /// Align16 DF swizzles select dwords.
    Align16DfSwizzle = "align16-df-swizzle" on ivb hsw bdw chv skl;
    /// Align16 DF writemasks XY and ZW act on dwords.
    Align16DfWritemask = "align16-df-writemask" on ivb hsw bdw chv skl;
    /// The second half of a compressed instruction takes the next quarter's (nibble's) enables.
    Gen7SecondHalfControls = "gen7-second-half-controls" on ivb hsw;
    /// Both halves of a compressed DF instruction get the same enables.
    IvbDfSecondHalf = "ivb-df-second-half" on ivb;
    /// A two-register destination needs two-register sources.
    Gen7TwoGrfSource = "gen7-two-grf-source" on ivb hsw;
    /// A compressed Align16 DF instruction advances vertical-stride-0 sources. Valid ivb code has
    /// no such instruction.
    Gen7Align16Vstride0 = "gen7-align16-vstride0" on ivb hsw, met on hsw;
    /// 8-wide Align16 DF SEL is broken. Valid ivb code has none.
    Gen7Align16DfSel = "gen7-align16-df-sel" on ivb hsw, met on hsw;
    /// Align16 with a 64-bit destination and narrower source: execution size 2 at most.
    Align16QwordDst = "align16-qword-dst" on bdw chv skl;
    /// MATH on HF is SIMD8 at most; see [`DevInfo::has_hf_math`](crate::DevInfo::has_hf_math).
    HfMath = "hf-math" on bdw chv skl;
    /// HF MAD misreads sources at non-zero offsets.
    BdwHfMadOffset = "bdw-hf-mad-offset" on bdw chv;
    /// Align16 selects and enables act on HF pairs.
    BdwAlign16Hf = "bdw-align16-hf" on bdw;
    /// No replicated scalar for 64-bit three-source operands.
    ThreeSourceNoDfRep = "3src-no-df-rep" on ivb hsw bdw chv skl;
    /// Three-source instructions are SIMD8.
    Ivb3srcSimd8 = "ivb-3src-simd8" on ivb;
    /// BFI1 and BFI2 are SIMD8.
    HswBfiSimd8 = "hsw-bfi-simd8" on hsw;
    /// 64-bit operands need equal strides and offsets.
    Chv64bitRegions = "chv-64bit-regions" on chv;
    /// MUL D×D reads the low word of src1 only; on chv a dword result does not exist at all.
    Gen7DwordMul = "gen7-dword-mul" on ivb hsw chv;
    /// Implicit accumulator accesses in the second quarter use acc1.
    IvbAcc1 = "ivb-acc1" on ivb;
    /// CMP to null needs a thread switch.
    Gen7CmpSwitch = "gen7-cmp-switch" on ivb hsw;
    /// CMP to a register is SIMD8; to null its destination is typed D in SIMD16.
    IvbCmp16 = "ivb-cmp16" on ivb;
    /// Negate on logic instructions means NOT.
    Gen8LogicNot = "gen8-logic-not" on bdw chv skl;
    /// Responses must avoid r127 when they overlap the payload.
    Gen8R127 = "gen8-r127" on bdw chv;
}

impl Quirk {
    pub(crate) const fn row(self) -> &'static Row {
        // The enum and the rows come from the same list.
        &ROWS[self as usize]
    }

    /// Name on the command line and in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The quirk with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Quirk> {
        Quirk::ALL.iter().copied().find(|quirk| quirk.name() == name)
    }
}

impl From<Quirk> for u32 {
    fn from(quirk: Quirk) -> u32 {
        quirk as u32
    }
}

#[cfg(test)]
mod tests {
    use crate::{DevInfo, Quirk};

    #[test]
    fn names_lead_back() {
        for &quirk in Quirk::ALL {
            assert_eq!(Quirk::from_name(quirk.name()), Some(quirk));
        }
        assert_eq!(Quirk::from_name("ivb"), None);
    }

    /// Names that begin with a device or version agree with the devices that have the quirk.
    #[test]
    fn names_agree_with_devices() {
        for &quirk in Quirk::ALL {
            let has = |quirk| DevInfo::all().iter().filter(move |device| device.has_quirk(quirk));
            let names: Vec<&str> = has(quirk).map(|device| device.name).collect();
            assert!(!names.is_empty(), "{quirk:?}");
            match quirk.name().split_once('-') {
                Some(("ivb", _)) => assert_eq!(names, ["ivb"]),
                Some(("hsw", _)) => assert_eq!(names, ["hsw"]),
                Some(("chv", _)) => assert_eq!(names, ["chv"]),
                Some(("gen7", _)) => assert!(names.contains(&"hsw") && !names.contains(&"skl")),
                Some(("gen8", _)) => assert!(names.contains(&"bdw") && !names.contains(&"hsw")),
                _ => {}
            }
            for device in DevInfo::all() {
                assert!(device.hardware_has_quirk(quirk) || !device.has_quirk(quirk), "{quirk:?}");
            }
        }
    }
}
