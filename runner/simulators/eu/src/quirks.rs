//! Behavior of the named quirks of the hardware.
//!
//! Every quirk and fact that changes what an instruction computes has one field here. The tables of
//! `eu` say which device has it; [`Quirks::of`] reads them. Rules that merely forbid an encoding
//! are the validator's; where breaking one has an undefined result the simulator returns garbage,
//! so that a compiler's mistake shows.

use intel_isa::{DevInfo, Quirk};

/// Quirks of a device. Field names are the quirks' names with underscores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// `ivb-df-exec-size`: an instruction with a 64-bit execution or destination type encodes twice
    /// its channels.
    pub ivb_df_exec_size: bool,
    /// `ivb-df-regions`: Align1 regions of DF instructions count 32-bit units; a 32-bit operand of
    /// such an instruction uses every second element, the odd destination elements becoming
    /// garbage.
    pub ivb_df_regions: bool,
    /// `ivb-align16-df-width`: an Align16 DF instruction processes four components; the rest is
    /// garbage.
    pub ivb_align16_df_width: bool,
    /// `gen7-second-half-controls`: the second half of a compressed instruction takes its enables
    /// eight channels on (32-bit execution type) or four (64-bit), however many channels the first
    /// half had.
    pub gen7_second_half_controls: bool,
    /// `ivb-df-second-half`: both halves of a compressed DF instruction get the same enables.
    pub ivb_df_second_half: bool,
    /// `gen7-two-grf-source`: the second half of a compressed instruction reads every non-scalar
    /// source one register after the first half's, except packed words widened to packed dwords.
    pub gen7_two_grf_source: bool,
    /// `gen7-align16-vstride0`: that increment happens in Align16 too when the vertical stride is
    /// 0.
    pub gen7_align16_vstride0: bool,
    /// `gen7-align16-df-sel`: an eight-wide Align16 DF SEL is broken.
    pub gen7_align16_df_sel: bool,
    /// `gen7-dword-mul`: MUL reads the low 16 bits of a dword src1.
    pub gen7_dword_mul: bool,
    /// MUL of two dwords to a dword does not exist (chv); to a qword it does.
    pub no_dword_mul: bool,
    /// `ivb-acc1`: an implicit integer access to the accumulator in 2Q goes to acc1, which does not
    /// exist.
    pub ivb_acc1: bool,
    /// `ivb-cmp16`: a 16-wide CMP of 32-bit types to a general register is broken.
    pub ivb_cmp16: bool,
    /// `ivb-3src-simd8`: three-source instructions are SIMD8 (DF: four wide).
    pub ivb_3src_simd8: bool,
    /// `hsw-bfi-simd8`: BFI1 and BFI2 are SIMD8.
    pub hsw_bfi_simd8: bool,
    /// `3src-no-df-rep`: RepCtrl on a 64-bit operand is broken.
    pub three_src_no_df_rep: bool,
    /// `align16-qword-dst`: Align16 with a 64-bit destination and a narrower source has at most two
    /// channels.
    pub align16_qword_dst: bool,
    /// `hf-math`: MATH on HF does not exist.
    pub no_hf_math: bool,
    /// `gen8-logic-not`: a negate on a source of AND, OR, XOR, NOT is a bitwise NOT.
    pub gen8_logic_not: bool,
    /// `bdw-hf-mad-offset`: MAD on HF misreads sources at a non-zero subregister.
    pub bdw_hf_mad_offset: bool,
    /// `bdw-align16-hf`: Align16 swizzles and writemasks act on pairs of HF.
    pub bdw_align16_hf: bool,
    /// `chv-64bit-regions`: a 64-bit operation whose operands differ in stride or offset, or are
    /// indirect, is broken.
    pub chv_64bit_regions: bool,
    /// `gen8-r127`: a response that includes r127 and overlaps the payload is broken.
    pub gen8_r127: bool,
    /// An indirect address drops the carry out of its low five bits.
    pub indirect_carry_lost: bool,
    /// Words of a0.
    pub address_words: u8,
    /// A SIMD32 instruction uses the low 16 enables and flags twice.
    pub simd32_low_mask_twice: bool,
    /// Sampler LD takes its level of detail after u (before gen9), not after v.
    pub ld_lod_second: bool,
    /// A headerless render-target write ignores the predicate (ivb: discard needs a header).
    pub ivb_rt_write_predicate: bool,
}

impl Quirks {
    /// The quirks of `devinfo`.
    pub fn of(devinfo: &DevInfo) -> Quirks {
        let has = |quirk| devinfo.hardware_has_quirk(quirk);
        Quirks {
            ivb_df_exec_size: has(Quirk::IvbDfExecSize),
            ivb_df_regions: has(Quirk::IvbDfRegions),
            ivb_align16_df_width: has(Quirk::IvbAlign16DfWidth),
            gen7_second_half_controls: has(Quirk::Gen7SecondHalfControls),
            ivb_df_second_half: has(Quirk::IvbDfSecondHalf),
            gen7_two_grf_source: has(Quirk::Gen7TwoGrfSource),
            gen7_align16_vstride0: has(Quirk::Gen7Align16Vstride0),
            gen7_align16_df_sel: has(Quirk::Gen7Align16DfSel),
            gen7_dword_mul: devinfo.mul_dword_src1_low_word,
            no_dword_mul: !devinfo.has_dword_mul && !devinfo.mul_dword_src1_low_word,
            ivb_acc1: has(Quirk::IvbAcc1),
            ivb_cmp16: has(Quirk::IvbCmp16),
            ivb_3src_simd8: has(Quirk::Ivb3srcSimd8),
            hsw_bfi_simd8: has(Quirk::HswBfiSimd8),
            three_src_no_df_rep: has(Quirk::ThreeSourceNoDfRep),
            align16_qword_dst: has(Quirk::Align16QwordDst),
            no_hf_math: !devinfo.has_hf_math,
            gen8_logic_not: has(Quirk::Gen8LogicNot),
            bdw_hf_mad_offset: has(Quirk::BdwHfMadOffset),
            bdw_align16_hf: has(Quirk::BdwAlign16Hf),
            chv_64bit_regions: has(Quirk::Chv64bitRegions),
            gen8_r127: has(Quirk::Gen8R127),
            indirect_carry_lost: devinfo.indirect_carry_lost,
            address_words: devinfo.address_subregisters,
            simd32_low_mask_twice: !devinfo.simd32_masks,
            ld_lod_second: devinfo.fetch_level_second,
            ivb_rt_write_predicate: devinfo.discard_by_header,
        }
    }
}

/// Number of channels of an instruction: `ivb-df-exec-size` halves the encoded number for 64-bit
/// types.
pub fn channels(quirks: &Quirks, encoded: u8, is_64bit: bool) -> u8 {
    if quirks.ivb_df_exec_size && is_64bit { (encoded / 2).max(1) } else { encoded }
}

/// Where, relative to the first half's enables, those of the second half start
/// (`gen7-second-half-controls`, `ivb-df-second-half`). `half` is the number of channels of a half,
/// `bits64` whether the execution type has 64 bits, `any64` whether the execution or destination
/// type has.
pub fn second_half_enables(quirks: &Quirks, half: u8, bits64: bool, any64: bool) -> u8 {
    if quirks.simd32_low_mask_twice && half == 16 {
        0
    } else if !quirks.gen7_second_half_controls {
        half
    } else if quirks.ivb_df_second_half && any64 {
        0
    } else if bits64 {
        4
    } else {
        8
    }
}

/// `align16-df-writemask`: which components of a dvec4 a writemask enables. Exactly XY and ZW
/// select 32-bit elements and so land on XZ and YW.
pub fn align16_df_writemask(mask: u8) -> u8 {
    match mask {
        0b0011 => 0b0101,
        0b1100 => 0b1010,
        other => other,
    }
}

/// `bdw-align16-hf`: a component selection or enable of HF acts on the pair that contains it.
pub fn bdw_align16_hf(component: u8) -> u8 {
    component & !1
}

/// The sum of an address register and an immediate, in bytes. Before gen8 the carry out of the
/// subregister is lost.
pub fn indirect_address(quirks: &Quirks, address: u16, immediate: i16) -> u32 {
    let immediate = immediate as u16;
    if quirks.indirect_carry_lost {
        let sub = (address & 31).wrapping_add(immediate & 31) & 31;
        let register = (address >> 5).wrapping_add(((immediate as i16) >> 5) as u16) & 0x7ff;
        return u32::from(register) << 5 | u32::from(sub);
    }
    u32::from(address.wrapping_add(immediate))
}
