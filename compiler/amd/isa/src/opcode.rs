//! The opcodes of both chips: names and operands. Numbers are in the chips' tables.

/// Nature of an operand: register type and size, or a special syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 32 bits without a floating-point type.
    B32,
    /// 64 bits without a floating-point type.
    B64,
    /// 96 bits.
    B96,
    /// 128 bits.
    B128,
    /// 256 bits.
    B256,
    /// 512 bits.
    B512,
    /// Half in the low bits of a register.
    F16,
    /// Single.
    F32,
    /// Double.
    F64,
    /// One bit per lane: a pair of scalar registers, VCC where the format has no field.
    Mask,
    /// Constant of 16 bits.
    Imm,
    /// Bit field of a hardware register.
    HwReg,
    /// Target of a jump.
    Label,
    /// Counters to wait for.
    Wait,
    /// Message to send.
    Message,
    /// Operands that M0 indexes (vi).
    GprIndex,
    /// A literal that is always there.
    Literal,
    /// Address of scalar memory: two scalar registers.
    Base,
    /// Descriptor of a buffer: four scalar registers.
    Resource,
    /// Offset in scalar memory: constant or scalar register.
    ScalarOffset,
    /// Constant of `s_atc_probe`.
    Probe,
    /// Scalar register.
    Sgpr,
    /// Vector register.
    Vgpr,
    /// Number of a lane: scalar register or constant.
    Lane,
    /// Value for a lane: scalar register or constant.
    LaneValue,
    /// Vertex parameter.
    Param,
    /// Attribute and channel.
    Attribute,
    /// Address in vector registers.
    Address,
    /// Data of an image: as many registers as DMASK has channels.
    Image,
    /// Descriptor of an image.
    ImageResource,
    /// Descriptor of a sampler: four scalar registers.
    Sampler,
    /// Target of an export.
    Target,
}

impl Kind {
    /// Number of registers, where it does not depend on modifiers.
    pub fn dwords(self) -> u8 {
        match self {
            Kind::B64 | Kind::F64 | Kind::Mask | Kind::Base => 2,
            Kind::B96 => 3,
            Kind::B128 | Kind::Resource | Kind::Sampler => 4,
            Kind::B256 | Kind::ImageResource => 8,
            Kind::B512 => 16,
            _ => 1,
        }
    }

    /// True if the operand is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::F32 | Kind::F64)
    }
}

/// Names and operands of an opcode.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Name in assembly text, without the suffix of a format.
    pub mnemonic: &'static str,
    /// Destinations.
    pub destinations: &'static [Kind],
    /// Sources in the order of the text.
    pub sources: &'static [Kind],
}

/// Expands the list into the enum, its rows and the list of all variants.
macro_rules! opcodes {
    ($($variant:ident $mnemonic:literal $($destination:ident)* : $($source:ident)*;)*) => {
        /// An operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the variants are the mnemonics")]
        pub enum Opcode {
            $($variant,)*
        }

        impl Opcode {
            /// Every opcode, in the order of the list.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant,)*];
        }

        /// Rows in the order of [`Opcode::ALL`].
        static ROWS: &[OpcodeInfo] = &[$(OpcodeInfo {
            mnemonic: $mnemonic,
            destinations: &[$(Kind::$destination,)*],
            sources: &[$(Kind::$source,)*],
        },)*];
    };
}

impl Opcode {
    /// The opcode's row.
    pub fn info(self) -> &'static OpcodeInfo {
        &ROWS[self as usize]
    }

    /// Name in assembly text, without the suffix of a format.
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }
}

// Name, mnemonic, destinations : sources.
opcodes! {
    // Scalar arithmetic with two sources (SOP2).
    SAddU32 "s_add_u32" B32 : B32 B32; SSubU32 "s_sub_u32" B32 : B32 B32;
    SAddI32 "s_add_i32" B32 : B32 B32; SSubI32 "s_sub_i32" B32 : B32 B32;
    SAddcU32 "s_addc_u32" B32 : B32 B32; SSubbU32 "s_subb_u32" B32 : B32 B32;
    SMinI32 "s_min_i32" B32 : B32 B32; SMinU32 "s_min_u32" B32 : B32 B32;
    SMaxI32 "s_max_i32" B32 : B32 B32; SMaxU32 "s_max_u32" B32 : B32 B32;
    SCselectB32 "s_cselect_b32" B32 : B32 B32; SCselectB64 "s_cselect_b64" B64 : B64 B64;
    SAndB32 "s_and_b32" B32 : B32 B32; SAndB64 "s_and_b64" B64 : B64 B64;
    SOrB32 "s_or_b32" B32 : B32 B32; SOrB64 "s_or_b64" B64 : B64 B64;
    SXorB32 "s_xor_b32" B32 : B32 B32; SXorB64 "s_xor_b64" B64 : B64 B64;
    SAndn2B32 "s_andn2_b32" B32 : B32 B32; SAndn2B64 "s_andn2_b64" B64 : B64 B64;
    SOrn2B32 "s_orn2_b32" B32 : B32 B32; SOrn2B64 "s_orn2_b64" B64 : B64 B64;
    SNandB32 "s_nand_b32" B32 : B32 B32; SNandB64 "s_nand_b64" B64 : B64 B64;
    SNorB32 "s_nor_b32" B32 : B32 B32; SNorB64 "s_nor_b64" B64 : B64 B64;
    SXnorB32 "s_xnor_b32" B32 : B32 B32; SXnorB64 "s_xnor_b64" B64 : B64 B64;
    SLshlB32 "s_lshl_b32" B32 : B32 B32; SLshlB64 "s_lshl_b64" B64 : B64 B32;
    SLshrB32 "s_lshr_b32" B32 : B32 B32; SLshrB64 "s_lshr_b64" B64 : B64 B32;
    SAshrI32 "s_ashr_i32" B32 : B32 B32; SAshrI64 "s_ashr_i64" B64 : B64 B32;
    SBfmB32 "s_bfm_b32" B32 : B32 B32; SBfmB64 "s_bfm_b64" B64 : B32 B32;
    SMulI32 "s_mul_i32" B32 : B32 B32; SBfeU32 "s_bfe_u32" B32 : B32 B32;
    SBfeI32 "s_bfe_i32" B32 : B32 B32; SBfeU64 "s_bfe_u64" B64 : B64 B32;
    SBfeI64 "s_bfe_i64" B64 : B64 B32; SCbranchGFork "s_cbranch_g_fork" : B64 B64;
    SAbsdiffI32 "s_absdiff_i32" B32 : B32 B32;
    // Scalar with a 16-bit constant (SOPK).
    SMovkI32 "s_movk_i32" B32 : Imm; SCmovkI32 "s_cmovk_i32" B32 : Imm;
    SCmpkEqI32 "s_cmpk_eq_i32" : B32 Imm; SCmpkLgI32 "s_cmpk_lg_i32" : B32 Imm;
    SCmpkGtI32 "s_cmpk_gt_i32" : B32 Imm; SCmpkGeI32 "s_cmpk_ge_i32" : B32 Imm;
    SCmpkLtI32 "s_cmpk_lt_i32" : B32 Imm; SCmpkLeI32 "s_cmpk_le_i32" : B32 Imm;
    SCmpkEqU32 "s_cmpk_eq_u32" : B32 Imm; SCmpkLgU32 "s_cmpk_lg_u32" : B32 Imm;
    SCmpkGtU32 "s_cmpk_gt_u32" : B32 Imm; SCmpkGeU32 "s_cmpk_ge_u32" : B32 Imm;
    SCmpkLtU32 "s_cmpk_lt_u32" : B32 Imm; SCmpkLeU32 "s_cmpk_le_u32" : B32 Imm;
    SAddkI32 "s_addk_i32" B32 : Imm; SMulkI32 "s_mulk_i32" B32 : Imm;
    SCbranchIFork "s_cbranch_i_fork" : B64 Label; SGetregB32 "s_getreg_b32" B32 : HwReg;
    SSetregB32 "s_setreg_b32" : HwReg B32; SSetregImm32B32 "s_setreg_imm32_b32" : HwReg Literal;
    // Scalar with one source (SOP1).
    SMovB32 "s_mov_b32" B32 : B32; SMovB64 "s_mov_b64" B64 : B64; SCmovB32 "s_cmov_b32" B32 : B32;
    SCmovB64 "s_cmov_b64" B64 : B64; SNotB32 "s_not_b32" B32 : B32; SNotB64 "s_not_b64" B64 : B64;
    SWqmB32 "s_wqm_b32" B32 : B32; SWqmB64 "s_wqm_b64" B64 : B64; SBrevB32 "s_brev_b32" B32 : B32;
    SBrevB64 "s_brev_b64" B64 : B64; SBcnt0I32B32 "s_bcnt0_i32_b32" B32 : B32;
    SBcnt0I32B64 "s_bcnt0_i32_b64" B32 : B64; SBcnt1I32B32 "s_bcnt1_i32_b32" B32 : B32;
    SBcnt1I32B64 "s_bcnt1_i32_b64" B32 : B64; SFf0I32B32 "s_ff0_i32_b32" B32 : B32;
    SFf0I32B64 "s_ff0_i32_b64" B32 : B64; SFf1I32B32 "s_ff1_i32_b32" B32 : B32;
    SFf1I32B64 "s_ff1_i32_b64" B32 : B64; SFlbitI32B32 "s_flbit_i32_b32" B32 : B32;
    SFlbitI32B64 "s_flbit_i32_b64" B32 : B64; SFlbitI32 "s_flbit_i32" B32 : B32;
    SFlbitI32I64 "s_flbit_i32_i64" B32 : B64; SSextI32I8 "s_sext_i32_i8" B32 : B32;
    SSextI32I16 "s_sext_i32_i16" B32 : B32; SBitset0B32 "s_bitset0_b32" B32 : B32;
    SBitset0B64 "s_bitset0_b64" B64 : B32; SBitset1B32 "s_bitset1_b32" B32 : B32;
    SBitset1B64 "s_bitset1_b64" B64 : B32; SGetpcB64 "s_getpc_b64" B64 :;
    SSetpcB64 "s_setpc_b64" : B64; SSwappcB64 "s_swappc_b64" B64 : B64; SRfeB64 "s_rfe_b64" : B64;
    SAndSaveexecB64 "s_and_saveexec_b64" B64 : B64; SOrSaveexecB64 "s_or_saveexec_b64" B64 : B64;
    SXorSaveexecB64 "s_xor_saveexec_b64" B64 : B64;
    SAndn2SaveexecB64 "s_andn2_saveexec_b64" B64 : B64;
    SOrn2SaveexecB64 "s_orn2_saveexec_b64" B64 : B64;
    SNandSaveexecB64 "s_nand_saveexec_b64" B64 : B64;
    SNorSaveexecB64 "s_nor_saveexec_b64" B64 : B64;
    SXnorSaveexecB64 "s_xnor_saveexec_b64" B64 : B64; SQuadmaskB32 "s_quadmask_b32" B32 : B32;
    SQuadmaskB64 "s_quadmask_b64" B64 : B64; SMovrelsB32 "s_movrels_b32" B32 : B32;
    SMovrelsB64 "s_movrels_b64" B64 : B64; SMovreldB32 "s_movreld_b32" B32 : B32;
    SMovreldB64 "s_movreld_b64" B64 : B64; SCbranchJoin "s_cbranch_join" : B32;
    SAbsI32 "s_abs_i32" B32 : B32; SSetGprIdxIdx "s_set_gpr_idx_idx" : B32;
    // Scalar comparisons (SOPC).
    SCmpEqI32 "s_cmp_eq_i32" : B32 B32; SCmpLgI32 "s_cmp_lg_i32" : B32 B32;
    SCmpGtI32 "s_cmp_gt_i32" : B32 B32; SCmpGeI32 "s_cmp_ge_i32" : B32 B32;
    SCmpLtI32 "s_cmp_lt_i32" : B32 B32; SCmpLeI32 "s_cmp_le_i32" : B32 B32;
    SCmpEqU32 "s_cmp_eq_u32" : B32 B32; SCmpLgU32 "s_cmp_lg_u32" : B32 B32;
    SCmpGtU32 "s_cmp_gt_u32" : B32 B32; SCmpGeU32 "s_cmp_ge_u32" : B32 B32;
    SCmpLtU32 "s_cmp_lt_u32" : B32 B32; SCmpLeU32 "s_cmp_le_u32" : B32 B32;
    SBitcmp0B32 "s_bitcmp0_b32" : B32 B32; SBitcmp1B32 "s_bitcmp1_b32" : B32 B32;
    SBitcmp0B64 "s_bitcmp0_b64" : B64 B32; SBitcmp1B64 "s_bitcmp1_b64" : B64 B32;
    SSetvskip "s_setvskip" : B32 B32; SSetGprIdxOn "s_set_gpr_idx_on" : B32 GprIndex;
    SCmpEqU64 "s_cmp_eq_u64" : B64 B64; SCmpLgU64 "s_cmp_lg_u64" : B64 B64;
    // Program control (SOPP).
    SNop "s_nop" : Imm; SEndpgm "s_endpgm" :; SBranch "s_branch" : Label;
    SCbranchScc0 "s_cbranch_scc0" : Label; SCbranchScc1 "s_cbranch_scc1" : Label;
    SCbranchVccz "s_cbranch_vccz" : Label; SCbranchVccnz "s_cbranch_vccnz" : Label;
    SCbranchExecz "s_cbranch_execz" : Label; SCbranchExecnz "s_cbranch_execnz" : Label;
    SBarrier "s_barrier" :; SWaitcnt "s_waitcnt" : Wait; SSethalt "s_sethalt" : Imm;
    SSleep "s_sleep" : Imm; SSetprio "s_setprio" : Imm; SSendmsg "s_sendmsg" : Message;
    SSendmsghalt "s_sendmsghalt" : Message; STrap "s_trap" : Imm; SIcacheInv "s_icache_inv" :;
    SIncperflevel "s_incperflevel" : Imm; SDecperflevel "s_decperflevel" : Imm;
    STtracedata "s_ttracedata" :; SWakeup "s_wakeup" :; SSetkill "s_setkill" : Imm;
    SCbranchCdbgsys "s_cbranch_cdbgsys" : Label; SCbranchCdbguser "s_cbranch_cdbguser" : Label;
    SCbranchCdbgsysOrUser "s_cbranch_cdbgsys_or_user" : Label;
    SCbranchCdbgsysAndUser "s_cbranch_cdbgsys_and_user" : Label; SEndpgmSaved "s_endpgm_saved" :;
    SSetGprIdxOff "s_set_gpr_idx_off" :; SSetGprIdxMode "s_set_gpr_idx_mode" : GprIndex;
    // Scalar memory (SMRD, SMEM).
    SLoadDword "s_load_dword" B32 : Base ScalarOffset;
    SLoadDwordx2 "s_load_dwordx2" B64 : Base ScalarOffset;
    SLoadDwordx4 "s_load_dwordx4" B128 : Base ScalarOffset;
    SLoadDwordx8 "s_load_dwordx8" B256 : Base ScalarOffset;
    SLoadDwordx16 "s_load_dwordx16" B512 : Base ScalarOffset;
    SBufferLoadDword "s_buffer_load_dword" B32 : Resource ScalarOffset;
    SBufferLoadDwordx2 "s_buffer_load_dwordx2" B64 : Resource ScalarOffset;
    SBufferLoadDwordx4 "s_buffer_load_dwordx4" B128 : Resource ScalarOffset;
    SBufferLoadDwordx8 "s_buffer_load_dwordx8" B256 : Resource ScalarOffset;
    SBufferLoadDwordx16 "s_buffer_load_dwordx16" B512 : Resource ScalarOffset;
    SMemtime "s_memtime" B64 :; SDcacheInv "s_dcache_inv" :;
    SStoreDword "s_store_dword" : B32 Base ScalarOffset;
    SStoreDwordx2 "s_store_dwordx2" : B64 Base ScalarOffset;
    SStoreDwordx4 "s_store_dwordx4" : B128 Base ScalarOffset;
    SBufferStoreDword "s_buffer_store_dword" : B32 Resource ScalarOffset;
    SBufferStoreDwordx2 "s_buffer_store_dwordx2" : B64 Resource ScalarOffset;
    SBufferStoreDwordx4 "s_buffer_store_dwordx4" : B128 Resource ScalarOffset;
    SDcacheWb "s_dcache_wb" :; SDcacheInvVol "s_dcache_inv_vol" :; SDcacheWbVol "s_dcache_wb_vol" :;
    SMemrealtime "s_memrealtime" B64 :; SAtcProbe "s_atc_probe" : Probe Base ScalarOffset;
    // Vector with one source (VOP1).
    VNop "v_nop" :; VMovB32 "v_mov_b32" B32 : B32;
    VReadfirstlaneB32 "v_readfirstlane_b32" Sgpr : Vgpr; VCvtI32F64 "v_cvt_i32_f64" B32 : F64;
    VCvtF64I32 "v_cvt_f64_i32" F64 : B32; VCvtF32I32 "v_cvt_f32_i32" F32 : B32;
    VCvtF32U32 "v_cvt_f32_u32" F32 : B32; VCvtU32F32 "v_cvt_u32_f32" B32 : F32;
    VCvtI32F32 "v_cvt_i32_f32" B32 : F32; VCvtF16F32 "v_cvt_f16_f32" F16 : F32;
    VCvtF32F16 "v_cvt_f32_f16" F32 : F16; VCvtRpiI32F32 "v_cvt_rpi_i32_f32" B32 : F32;
    VCvtFlrI32F32 "v_cvt_flr_i32_f32" B32 : F32; VCvtOffF32I4 "v_cvt_off_f32_i4" F32 : B32;
    VCvtF32F64 "v_cvt_f32_f64" F32 : F64; VCvtF64F32 "v_cvt_f64_f32" F64 : F32;
    VCvtF32Ubyte0 "v_cvt_f32_ubyte0" F32 : B32; VCvtF32Ubyte1 "v_cvt_f32_ubyte1" F32 : B32;
    VCvtF32Ubyte2 "v_cvt_f32_ubyte2" F32 : B32; VCvtF32Ubyte3 "v_cvt_f32_ubyte3" F32 : B32;
    VCvtU32F64 "v_cvt_u32_f64" B32 : F64; VCvtF64U32 "v_cvt_f64_u32" F64 : B32;
    VFractF32 "v_fract_f32" F32 : F32; VTruncF32 "v_trunc_f32" F32 : F32;
    VCeilF32 "v_ceil_f32" F32 : F32; VRndneF32 "v_rndne_f32" F32 : F32;
    VFloorF32 "v_floor_f32" F32 : F32; VExpF32 "v_exp_f32" F32 : F32;
    VLogClampF32 "v_log_clamp_f32" F32 : F32; VLogF32 "v_log_f32" F32 : F32;
    VRcpClampF32 "v_rcp_clamp_f32" F32 : F32; VRcpLegacyF32 "v_rcp_legacy_f32" F32 : F32;
    VRcpF32 "v_rcp_f32" F32 : F32; VRcpIflagF32 "v_rcp_iflag_f32" F32 : F32;
    VRsqClampF32 "v_rsq_clamp_f32" F32 : F32; VRsqLegacyF32 "v_rsq_legacy_f32" F32 : F32;
    VRsqF32 "v_rsq_f32" F32 : F32; VRcpF64 "v_rcp_f64" F64 : F64;
    VRcpClampF64 "v_rcp_clamp_f64" F64 : F64; VRsqF64 "v_rsq_f64" F64 : F64;
    VRsqClampF64 "v_rsq_clamp_f64" F64 : F64; VSqrtF32 "v_sqrt_f32" F32 : F32;
    VSqrtF64 "v_sqrt_f64" F64 : F64; VSinF32 "v_sin_f32" F32 : F32; VCosF32 "v_cos_f32" F32 : F32;
    VNotB32 "v_not_b32" B32 : B32; VBfrevB32 "v_bfrev_b32" B32 : B32;
    VFfbhU32 "v_ffbh_u32" B32 : B32; VFfblB32 "v_ffbl_b32" B32 : B32;
    VFfbhI32 "v_ffbh_i32" B32 : B32; VFrexpExpI32F64 "v_frexp_exp_i32_f64" B32 : F64;
    VFrexpMantF64 "v_frexp_mant_f64" F64 : F64; VFractF64 "v_fract_f64" F64 : F64;
    VFrexpExpI32F32 "v_frexp_exp_i32_f32" B32 : F32; VFrexpMantF32 "v_frexp_mant_f32" F32 : F32;
    VClrexcp "v_clrexcp" :; VMovreldB32 "v_movreld_b32" B32 : B32;
    VMovrelsB32 "v_movrels_b32" B32 : B32; VMovrelsdB32 "v_movrelsd_b32" B32 : B32;
    VTruncF64 "v_trunc_f64" F64 : F64; VCeilF64 "v_ceil_f64" F64 : F64;
    VRndneF64 "v_rndne_f64" F64 : F64; VFloorF64 "v_floor_f64" F64 : F64;
    VCvtF16U16 "v_cvt_f16_u16" F16 : B32; VCvtF16I16 "v_cvt_f16_i16" F16 : B32;
    VCvtU16F16 "v_cvt_u16_f16" B32 : F16; VCvtI16F16 "v_cvt_i16_f16" B32 : F16;
    VRcpF16 "v_rcp_f16" F16 : F16; VSqrtF16 "v_sqrt_f16" F16 : F16; VRsqF16 "v_rsq_f16" F16 : F16;
    VLogF16 "v_log_f16" F16 : F16; VExpF16 "v_exp_f16" F16 : F16;
    VFrexpMantF16 "v_frexp_mant_f16" F16 : F16; VFrexpExpI16F16 "v_frexp_exp_i16_f16" B32 : F16;
    VFloorF16 "v_floor_f16" F16 : F16; VCeilF16 "v_ceil_f16" F16 : F16;
    VTruncF16 "v_trunc_f16" F16 : F16; VRndneF16 "v_rndne_f16" F16 : F16;
    VFractF16 "v_fract_f16" F16 : F16; VSinF16 "v_sin_f16" F16 : F16; VCosF16 "v_cos_f16" F16 : F16;
    VExpLegacyF32 "v_exp_legacy_f32" F32 : F32; VLogLegacyF32 "v_log_legacy_f32" F32 : F32;
    // Vector with two sources (VOP2).
    VCndmaskB32 "v_cndmask_b32" B32 : B32 B32 Mask; VReadlaneB32 "v_readlane_b32" Sgpr : Vgpr Lane;
    VWritelaneB32 "v_writelane_b32" B32 : LaneValue Lane; VAddF32 "v_add_f32" F32 : F32 F32;
    VSubF32 "v_sub_f32" F32 : F32 F32; VSubrevF32 "v_subrev_f32" F32 : F32 F32;
    VMacLegacyF32 "v_mac_legacy_f32" F32 : F32 F32; VMulLegacyF32 "v_mul_legacy_f32" F32 : F32 F32;
    VMulF32 "v_mul_f32" F32 : F32 F32; VMulI32I24 "v_mul_i32_i24" B32 : B32 B32;
    VMulHiI32I24 "v_mul_hi_i32_i24" B32 : B32 B32; VMulU32U24 "v_mul_u32_u24" B32 : B32 B32;
    VMulHiU32U24 "v_mul_hi_u32_u24" B32 : B32 B32; VMinLegacyF32 "v_min_legacy_f32" F32 : F32 F32;
    VMaxLegacyF32 "v_max_legacy_f32" F32 : F32 F32; VMinF32 "v_min_f32" F32 : F32 F32;
    VMaxF32 "v_max_f32" F32 : F32 F32; VMinI32 "v_min_i32" B32 : B32 B32;
    VMaxI32 "v_max_i32" B32 : B32 B32; VMinU32 "v_min_u32" B32 : B32 B32;
    VMaxU32 "v_max_u32" B32 : B32 B32; VLshrB32 "v_lshr_b32" B32 : B32 B32;
    VLshrrevB32 "v_lshrrev_b32" B32 : B32 B32; VAshrI32 "v_ashr_i32" B32 : B32 B32;
    VAshrrevI32 "v_ashrrev_i32" B32 : B32 B32; VLshlB32 "v_lshl_b32" B32 : B32 B32;
    VLshlrevB32 "v_lshlrev_b32" B32 : B32 B32; VAndB32 "v_and_b32" B32 : B32 B32;
    VOrB32 "v_or_b32" B32 : B32 B32; VXorB32 "v_xor_b32" B32 : B32 B32;
    VBfmB32 "v_bfm_b32" B32 : B32 B32; VMacF32 "v_mac_f32" F32 : F32 F32;
    VMadmkF32 "v_madmk_f32" F32 : F32 Literal F32; VMadakF32 "v_madak_f32" F32 : F32 F32 Literal;
    VBcntU32B32 "v_bcnt_u32_b32" B32 : B32 B32; VMbcntLoU32B32 "v_mbcnt_lo_u32_b32" B32 : B32 B32;
    VMbcntHiU32B32 "v_mbcnt_hi_u32_b32" B32 : B32 B32; VAddI32 "v_add_i32" B32 Mask : B32 B32;
    VSubI32 "v_sub_i32" B32 Mask : B32 B32; VSubrevI32 "v_subrev_i32" B32 Mask : B32 B32;
    VAddcU32 "v_addc_u32" B32 Mask : B32 B32 Mask; VSubbU32 "v_subb_u32" B32 Mask : B32 B32 Mask;
    VSubbrevU32 "v_subbrev_u32" B32 Mask : B32 B32 Mask; VLdexpF32 "v_ldexp_f32" F32 : F32 B32;
    VCvtPkaccumU8F32 "v_cvt_pkaccum_u8_f32" B32 : F32 B32;
    VCvtPknormI16F32 "v_cvt_pknorm_i16_f32" B32 : F32 F32;
    VCvtPknormU16F32 "v_cvt_pknorm_u16_f32" B32 : F32 F32;
    VCvtPkrtzF16F32 "v_cvt_pkrtz_f16_f32" B32 : F32 F32;
    VCvtPkU16U32 "v_cvt_pk_u16_u32" B32 : B32 B32; VCvtPkI16I32 "v_cvt_pk_i16_i32" B32 : B32 B32;
    VAddU32 "v_add_u32" B32 Mask : B32 B32; VSubU32 "v_sub_u32" B32 Mask : B32 B32;
    VSubrevU32 "v_subrev_u32" B32 Mask : B32 B32; VAddF16 "v_add_f16" F16 : F16 F16;
    VSubF16 "v_sub_f16" F16 : F16 F16; VSubrevF16 "v_subrev_f16" F16 : F16 F16;
    VMulF16 "v_mul_f16" F16 : F16 F16; VMacF16 "v_mac_f16" F16 : F16 F16;
    VAddU16 "v_add_u16" B32 : B32 B32; VSubU16 "v_sub_u16" B32 : B32 B32;
    VSubrevU16 "v_subrev_u16" B32 : B32 B32; VMulLoU16 "v_mul_lo_u16" B32 : B32 B32;
    VLshlrevB16 "v_lshlrev_b16" B32 : B32 B32; VLshrrevB16 "v_lshrrev_b16" B32 : B32 B32;
    VAshrrevI16 "v_ashrrev_i16" B32 : B32 B32; VMaxF16 "v_max_f16" F16 : F16 F16;
    VMinF16 "v_min_f16" F16 : F16 F16; VMaxU16 "v_max_u16" B32 : B32 B32;
    VMaxI16 "v_max_i16" B32 : B32 B32; VMinU16 "v_min_u16" B32 : B32 B32;
    VMinI16 "v_min_i16" B32 : B32 B32; VLdexpF16 "v_ldexp_f16" F16 : F16 B32;
    // Vector with a 64-bit encoding only (VOP3).
    VMadLegacyF32 "v_mad_legacy_f32" F32 : F32 F32 F32; VMadF32 "v_mad_f32" F32 : F32 F32 F32;
    VMadI32I24 "v_mad_i32_i24" B32 : B32 B32 B32; VMadU32U24 "v_mad_u32_u24" B32 : B32 B32 B32;
    VCubeidF32 "v_cubeid_f32" F32 : F32 F32 F32; VCubescF32 "v_cubesc_f32" F32 : F32 F32 F32;
    VCubetcF32 "v_cubetc_f32" F32 : F32 F32 F32; VCubemaF32 "v_cubema_f32" F32 : F32 F32 F32;
    VBfeU32 "v_bfe_u32" B32 : B32 B32 B32; VBfeI32 "v_bfe_i32" B32 : B32 B32 B32;
    VBfiB32 "v_bfi_b32" B32 : B32 B32 B32; VFmaF32 "v_fma_f32" F32 : F32 F32 F32;
    VFmaF64 "v_fma_f64" F64 : F64 F64 F64; VLerpU8 "v_lerp_u8" B32 : B32 B32 B32;
    VAlignbitB32 "v_alignbit_b32" B32 : B32 B32 B32;
    VAlignbyteB32 "v_alignbyte_b32" B32 : B32 B32 B32; VMullitF32 "v_mullit_f32" F32 : F32 F32 F32;
    VMin3F32 "v_min3_f32" F32 : F32 F32 F32; VMin3I32 "v_min3_i32" B32 : B32 B32 B32;
    VMin3U32 "v_min3_u32" B32 : B32 B32 B32; VMax3F32 "v_max3_f32" F32 : F32 F32 F32;
    VMax3I32 "v_max3_i32" B32 : B32 B32 B32; VMax3U32 "v_max3_u32" B32 : B32 B32 B32;
    VMed3F32 "v_med3_f32" F32 : F32 F32 F32; VMed3I32 "v_med3_i32" B32 : B32 B32 B32;
    VMed3U32 "v_med3_u32" B32 : B32 B32 B32; VSadU8 "v_sad_u8" B32 : B32 B32 B32;
    VSadHiU8 "v_sad_hi_u8" B32 : B32 B32 B32; VSadU16 "v_sad_u16" B32 : B32 B32 B32;
    VSadU32 "v_sad_u32" B32 : B32 B32 B32; VCvtPkU8F32 "v_cvt_pk_u8_f32" B32 : F32 B32 B32;
    VDivFixupF32 "v_div_fixup_f32" F32 : F32 F32 F32;
    VDivFixupF64 "v_div_fixup_f64" F64 : F64 F64 F64; VLshlB64 "v_lshl_b64" B64 : B64 B32;
    VLshrB64 "v_lshr_b64" B64 : B64 B32; VAshrI64 "v_ashr_i64" B64 : B64 B32;
    VAddF64 "v_add_f64" F64 : F64 F64; VMulF64 "v_mul_f64" F64 : F64 F64;
    VMinF64 "v_min_f64" F64 : F64 F64; VMaxF64 "v_max_f64" F64 : F64 F64;
    VLdexpF64 "v_ldexp_f64" F64 : F64 B32; VMulLoU32 "v_mul_lo_u32" B32 : B32 B32;
    VMulHiU32 "v_mul_hi_u32" B32 : B32 B32; VMulLoI32 "v_mul_lo_i32" B32 : B32 B32;
    VMulHiI32 "v_mul_hi_i32" B32 : B32 B32; VDivFmasF32 "v_div_fmas_f32" F32 : F32 F32 F32;
    VDivFmasF64 "v_div_fmas_f64" F64 : F64 F64 F64; VMsadU8 "v_msad_u8" B32 : B32 B32 B32;
    VTrigPreopF64 "v_trig_preop_f64" F64 : F64 B32;
    VQsadPkU16U8 "v_qsad_pk_u16_u8" B64 : B64 B32 B64;
    VMqsadPkU16U8 "v_mqsad_pk_u16_u8" B64 : B64 B32 B64; VMadF16 "v_mad_f16" F16 : F16 F16 F16;
    VMadU16 "v_mad_u16" B32 : B32 B32 B32; VMadI16 "v_mad_i16" B32 : B32 B32 B32;
    VPermB32 "v_perm_b32" B32 : B32 B32 B32; VFmaF16 "v_fma_f16" F16 : F16 F16 F16;
    VDivFixupF16 "v_div_fixup_f16" F16 : F16 F16 F16;
    VInterpP1F32 "v_interp_p1_f32" B32 : Vgpr Attribute;
    VInterpP2F32 "v_interp_p2_f32" B32 : Vgpr Attribute;
    VInterpMovF32 "v_interp_mov_f32" B32 : Param Attribute;
    VInterpP1llF16 "v_interp_p1ll_f16" B32 : Vgpr Attribute;
    VInterpP1lvF16 "v_interp_p1lv_f16" B32 : Vgpr Attribute Vgpr;
    VInterpP2F16 "v_interp_p2_f16" B32 : Vgpr Attribute Vgpr;
    VLshlrevB64 "v_lshlrev_b64" B64 : B32 B64; VLshrrevB64 "v_lshrrev_b64" B64 : B32 B64;
    VAshrrevI64 "v_ashrrev_i64" B64 : B32 B64;
    VDivScaleF32 "v_div_scale_f32" F32 Mask : F32 F32 F32;
    VDivScaleF64 "v_div_scale_f64" F64 Mask : F64 F64 F64;
    VMadU64U32 "v_mad_u64_u32" B64 Mask : B32 B32 B64;
    VMadI64I32 "v_mad_i64_i32" B64 Mask : B32 B32 B64;
    // Vector comparisons (VOPC).
    VCmpFF32 "v_cmp_f_f32" Mask : F32 F32; VCmpLtF32 "v_cmp_lt_f32" Mask : F32 F32;
    VCmpEqF32 "v_cmp_eq_f32" Mask : F32 F32; VCmpLeF32 "v_cmp_le_f32" Mask : F32 F32;
    VCmpGtF32 "v_cmp_gt_f32" Mask : F32 F32; VCmpLgF32 "v_cmp_lg_f32" Mask : F32 F32;
    VCmpGeF32 "v_cmp_ge_f32" Mask : F32 F32; VCmpOF32 "v_cmp_o_f32" Mask : F32 F32;
    VCmpUF32 "v_cmp_u_f32" Mask : F32 F32; VCmpNgeF32 "v_cmp_nge_f32" Mask : F32 F32;
    VCmpNlgF32 "v_cmp_nlg_f32" Mask : F32 F32; VCmpNgtF32 "v_cmp_ngt_f32" Mask : F32 F32;
    VCmpNleF32 "v_cmp_nle_f32" Mask : F32 F32; VCmpNeqF32 "v_cmp_neq_f32" Mask : F32 F32;
    VCmpNltF32 "v_cmp_nlt_f32" Mask : F32 F32; VCmpTruF32 "v_cmp_tru_f32" Mask : F32 F32;
    VCmpxFF32 "v_cmpx_f_f32" Mask : F32 F32; VCmpxLtF32 "v_cmpx_lt_f32" Mask : F32 F32;
    VCmpxEqF32 "v_cmpx_eq_f32" Mask : F32 F32; VCmpxLeF32 "v_cmpx_le_f32" Mask : F32 F32;
    VCmpxGtF32 "v_cmpx_gt_f32" Mask : F32 F32; VCmpxLgF32 "v_cmpx_lg_f32" Mask : F32 F32;
    VCmpxGeF32 "v_cmpx_ge_f32" Mask : F32 F32; VCmpxOF32 "v_cmpx_o_f32" Mask : F32 F32;
    VCmpxUF32 "v_cmpx_u_f32" Mask : F32 F32; VCmpxNgeF32 "v_cmpx_nge_f32" Mask : F32 F32;
    VCmpxNlgF32 "v_cmpx_nlg_f32" Mask : F32 F32; VCmpxNgtF32 "v_cmpx_ngt_f32" Mask : F32 F32;
    VCmpxNleF32 "v_cmpx_nle_f32" Mask : F32 F32; VCmpxNeqF32 "v_cmpx_neq_f32" Mask : F32 F32;
    VCmpxNltF32 "v_cmpx_nlt_f32" Mask : F32 F32; VCmpxTruF32 "v_cmpx_tru_f32" Mask : F32 F32;
    VCmpFF64 "v_cmp_f_f64" Mask : F64 F64; VCmpLtF64 "v_cmp_lt_f64" Mask : F64 F64;
    VCmpEqF64 "v_cmp_eq_f64" Mask : F64 F64; VCmpLeF64 "v_cmp_le_f64" Mask : F64 F64;
    VCmpGtF64 "v_cmp_gt_f64" Mask : F64 F64; VCmpLgF64 "v_cmp_lg_f64" Mask : F64 F64;
    VCmpGeF64 "v_cmp_ge_f64" Mask : F64 F64; VCmpOF64 "v_cmp_o_f64" Mask : F64 F64;
    VCmpUF64 "v_cmp_u_f64" Mask : F64 F64; VCmpNgeF64 "v_cmp_nge_f64" Mask : F64 F64;
    VCmpNlgF64 "v_cmp_nlg_f64" Mask : F64 F64; VCmpNgtF64 "v_cmp_ngt_f64" Mask : F64 F64;
    VCmpNleF64 "v_cmp_nle_f64" Mask : F64 F64; VCmpNeqF64 "v_cmp_neq_f64" Mask : F64 F64;
    VCmpNltF64 "v_cmp_nlt_f64" Mask : F64 F64; VCmpTruF64 "v_cmp_tru_f64" Mask : F64 F64;
    VCmpxFF64 "v_cmpx_f_f64" Mask : F64 F64; VCmpxLtF64 "v_cmpx_lt_f64" Mask : F64 F64;
    VCmpxEqF64 "v_cmpx_eq_f64" Mask : F64 F64; VCmpxLeF64 "v_cmpx_le_f64" Mask : F64 F64;
    VCmpxGtF64 "v_cmpx_gt_f64" Mask : F64 F64; VCmpxLgF64 "v_cmpx_lg_f64" Mask : F64 F64;
    VCmpxGeF64 "v_cmpx_ge_f64" Mask : F64 F64; VCmpxOF64 "v_cmpx_o_f64" Mask : F64 F64;
    VCmpxUF64 "v_cmpx_u_f64" Mask : F64 F64; VCmpxNgeF64 "v_cmpx_nge_f64" Mask : F64 F64;
    VCmpxNlgF64 "v_cmpx_nlg_f64" Mask : F64 F64; VCmpxNgtF64 "v_cmpx_ngt_f64" Mask : F64 F64;
    VCmpxNleF64 "v_cmpx_nle_f64" Mask : F64 F64; VCmpxNeqF64 "v_cmpx_neq_f64" Mask : F64 F64;
    VCmpxNltF64 "v_cmpx_nlt_f64" Mask : F64 F64; VCmpxTruF64 "v_cmpx_tru_f64" Mask : F64 F64;
    VCmpsFF32 "v_cmps_f_f32" Mask : F32 F32; VCmpsLtF32 "v_cmps_lt_f32" Mask : F32 F32;
    VCmpsEqF32 "v_cmps_eq_f32" Mask : F32 F32; VCmpsLeF32 "v_cmps_le_f32" Mask : F32 F32;
    VCmpsGtF32 "v_cmps_gt_f32" Mask : F32 F32; VCmpsLgF32 "v_cmps_lg_f32" Mask : F32 F32;
    VCmpsGeF32 "v_cmps_ge_f32" Mask : F32 F32; VCmpsOF32 "v_cmps_o_f32" Mask : F32 F32;
    VCmpsUF32 "v_cmps_u_f32" Mask : F32 F32; VCmpsNgeF32 "v_cmps_nge_f32" Mask : F32 F32;
    VCmpsNlgF32 "v_cmps_nlg_f32" Mask : F32 F32; VCmpsNgtF32 "v_cmps_ngt_f32" Mask : F32 F32;
    VCmpsNleF32 "v_cmps_nle_f32" Mask : F32 F32; VCmpsNeqF32 "v_cmps_neq_f32" Mask : F32 F32;
    VCmpsNltF32 "v_cmps_nlt_f32" Mask : F32 F32; VCmpsTruF32 "v_cmps_tru_f32" Mask : F32 F32;
    VCmpsxFF32 "v_cmpsx_f_f32" Mask : F32 F32; VCmpsxLtF32 "v_cmpsx_lt_f32" Mask : F32 F32;
    VCmpsxEqF32 "v_cmpsx_eq_f32" Mask : F32 F32; VCmpsxLeF32 "v_cmpsx_le_f32" Mask : F32 F32;
    VCmpsxGtF32 "v_cmpsx_gt_f32" Mask : F32 F32; VCmpsxLgF32 "v_cmpsx_lg_f32" Mask : F32 F32;
    VCmpsxGeF32 "v_cmpsx_ge_f32" Mask : F32 F32; VCmpsxOF32 "v_cmpsx_o_f32" Mask : F32 F32;
    VCmpsxUF32 "v_cmpsx_u_f32" Mask : F32 F32; VCmpsxNgeF32 "v_cmpsx_nge_f32" Mask : F32 F32;
    VCmpsxNlgF32 "v_cmpsx_nlg_f32" Mask : F32 F32; VCmpsxNgtF32 "v_cmpsx_ngt_f32" Mask : F32 F32;
    VCmpsxNleF32 "v_cmpsx_nle_f32" Mask : F32 F32; VCmpsxNeqF32 "v_cmpsx_neq_f32" Mask : F32 F32;
    VCmpsxNltF32 "v_cmpsx_nlt_f32" Mask : F32 F32; VCmpsxTruF32 "v_cmpsx_tru_f32" Mask : F32 F32;
    VCmpsFF64 "v_cmps_f_f64" Mask : F64 F64; VCmpsLtF64 "v_cmps_lt_f64" Mask : F64 F64;
    VCmpsEqF64 "v_cmps_eq_f64" Mask : F64 F64; VCmpsLeF64 "v_cmps_le_f64" Mask : F64 F64;
    VCmpsGtF64 "v_cmps_gt_f64" Mask : F64 F64; VCmpsLgF64 "v_cmps_lg_f64" Mask : F64 F64;
    VCmpsGeF64 "v_cmps_ge_f64" Mask : F64 F64; VCmpsOF64 "v_cmps_o_f64" Mask : F64 F64;
    VCmpsUF64 "v_cmps_u_f64" Mask : F64 F64; VCmpsNgeF64 "v_cmps_nge_f64" Mask : F64 F64;
    VCmpsNlgF64 "v_cmps_nlg_f64" Mask : F64 F64; VCmpsNgtF64 "v_cmps_ngt_f64" Mask : F64 F64;
    VCmpsNleF64 "v_cmps_nle_f64" Mask : F64 F64; VCmpsNeqF64 "v_cmps_neq_f64" Mask : F64 F64;
    VCmpsNltF64 "v_cmps_nlt_f64" Mask : F64 F64; VCmpsTruF64 "v_cmps_tru_f64" Mask : F64 F64;
    VCmpsxFF64 "v_cmpsx_f_f64" Mask : F64 F64; VCmpsxLtF64 "v_cmpsx_lt_f64" Mask : F64 F64;
    VCmpsxEqF64 "v_cmpsx_eq_f64" Mask : F64 F64; VCmpsxLeF64 "v_cmpsx_le_f64" Mask : F64 F64;
    VCmpsxGtF64 "v_cmpsx_gt_f64" Mask : F64 F64; VCmpsxLgF64 "v_cmpsx_lg_f64" Mask : F64 F64;
    VCmpsxGeF64 "v_cmpsx_ge_f64" Mask : F64 F64; VCmpsxOF64 "v_cmpsx_o_f64" Mask : F64 F64;
    VCmpsxUF64 "v_cmpsx_u_f64" Mask : F64 F64; VCmpsxNgeF64 "v_cmpsx_nge_f64" Mask : F64 F64;
    VCmpsxNlgF64 "v_cmpsx_nlg_f64" Mask : F64 F64; VCmpsxNgtF64 "v_cmpsx_ngt_f64" Mask : F64 F64;
    VCmpsxNleF64 "v_cmpsx_nle_f64" Mask : F64 F64; VCmpsxNeqF64 "v_cmpsx_neq_f64" Mask : F64 F64;
    VCmpsxNltF64 "v_cmpsx_nlt_f64" Mask : F64 F64; VCmpsxTruF64 "v_cmpsx_tru_f64" Mask : F64 F64;
    VCmpFI32 "v_cmp_f_i32" Mask : B32 B32; VCmpLtI32 "v_cmp_lt_i32" Mask : B32 B32;
    VCmpEqI32 "v_cmp_eq_i32" Mask : B32 B32; VCmpLeI32 "v_cmp_le_i32" Mask : B32 B32;
    VCmpGtI32 "v_cmp_gt_i32" Mask : B32 B32; VCmpNeI32 "v_cmp_ne_i32" Mask : B32 B32;
    VCmpGeI32 "v_cmp_ge_i32" Mask : B32 B32; VCmpTI32 "v_cmp_t_i32" Mask : B32 B32;
    VCmpClassF32 "v_cmp_class_f32" Mask : F32 B32; VCmpxFI32 "v_cmpx_f_i32" Mask : B32 B32;
    VCmpxLtI32 "v_cmpx_lt_i32" Mask : B32 B32; VCmpxEqI32 "v_cmpx_eq_i32" Mask : B32 B32;
    VCmpxLeI32 "v_cmpx_le_i32" Mask : B32 B32; VCmpxGtI32 "v_cmpx_gt_i32" Mask : B32 B32;
    VCmpxNeI32 "v_cmpx_ne_i32" Mask : B32 B32; VCmpxGeI32 "v_cmpx_ge_i32" Mask : B32 B32;
    VCmpxTI32 "v_cmpx_t_i32" Mask : B32 B32; VCmpxClassF32 "v_cmpx_class_f32" Mask : F32 B32;
    VCmpFI64 "v_cmp_f_i64" Mask : B64 B64; VCmpLtI64 "v_cmp_lt_i64" Mask : B64 B64;
    VCmpEqI64 "v_cmp_eq_i64" Mask : B64 B64; VCmpLeI64 "v_cmp_le_i64" Mask : B64 B64;
    VCmpGtI64 "v_cmp_gt_i64" Mask : B64 B64; VCmpNeI64 "v_cmp_ne_i64" Mask : B64 B64;
    VCmpGeI64 "v_cmp_ge_i64" Mask : B64 B64; VCmpTI64 "v_cmp_t_i64" Mask : B64 B64;
    VCmpClassF64 "v_cmp_class_f64" Mask : F64 B32; VCmpxFI64 "v_cmpx_f_i64" Mask : B64 B64;
    VCmpxLtI64 "v_cmpx_lt_i64" Mask : B64 B64; VCmpxEqI64 "v_cmpx_eq_i64" Mask : B64 B64;
    VCmpxLeI64 "v_cmpx_le_i64" Mask : B64 B64; VCmpxGtI64 "v_cmpx_gt_i64" Mask : B64 B64;
    VCmpxNeI64 "v_cmpx_ne_i64" Mask : B64 B64; VCmpxGeI64 "v_cmpx_ge_i64" Mask : B64 B64;
    VCmpxTI64 "v_cmpx_t_i64" Mask : B64 B64; VCmpxClassF64 "v_cmpx_class_f64" Mask : F64 B32;
    VCmpFU32 "v_cmp_f_u32" Mask : B32 B32; VCmpLtU32 "v_cmp_lt_u32" Mask : B32 B32;
    VCmpEqU32 "v_cmp_eq_u32" Mask : B32 B32; VCmpLeU32 "v_cmp_le_u32" Mask : B32 B32;
    VCmpGtU32 "v_cmp_gt_u32" Mask : B32 B32; VCmpNeU32 "v_cmp_ne_u32" Mask : B32 B32;
    VCmpGeU32 "v_cmp_ge_u32" Mask : B32 B32; VCmpTU32 "v_cmp_t_u32" Mask : B32 B32;
    VCmpxFU32 "v_cmpx_f_u32" Mask : B32 B32; VCmpxLtU32 "v_cmpx_lt_u32" Mask : B32 B32;
    VCmpxEqU32 "v_cmpx_eq_u32" Mask : B32 B32; VCmpxLeU32 "v_cmpx_le_u32" Mask : B32 B32;
    VCmpxGtU32 "v_cmpx_gt_u32" Mask : B32 B32; VCmpxNeU32 "v_cmpx_ne_u32" Mask : B32 B32;
    VCmpxGeU32 "v_cmpx_ge_u32" Mask : B32 B32; VCmpxTU32 "v_cmpx_t_u32" Mask : B32 B32;
    VCmpFU64 "v_cmp_f_u64" Mask : B64 B64; VCmpLtU64 "v_cmp_lt_u64" Mask : B64 B64;
    VCmpEqU64 "v_cmp_eq_u64" Mask : B64 B64; VCmpLeU64 "v_cmp_le_u64" Mask : B64 B64;
    VCmpGtU64 "v_cmp_gt_u64" Mask : B64 B64; VCmpNeU64 "v_cmp_ne_u64" Mask : B64 B64;
    VCmpGeU64 "v_cmp_ge_u64" Mask : B64 B64; VCmpTU64 "v_cmp_t_u64" Mask : B64 B64;
    VCmpxFU64 "v_cmpx_f_u64" Mask : B64 B64; VCmpxLtU64 "v_cmpx_lt_u64" Mask : B64 B64;
    VCmpxEqU64 "v_cmpx_eq_u64" Mask : B64 B64; VCmpxLeU64 "v_cmpx_le_u64" Mask : B64 B64;
    VCmpxGtU64 "v_cmpx_gt_u64" Mask : B64 B64; VCmpxNeU64 "v_cmpx_ne_u64" Mask : B64 B64;
    VCmpxGeU64 "v_cmpx_ge_u64" Mask : B64 B64; VCmpxTU64 "v_cmpx_t_u64" Mask : B64 B64;
    VCmpClassF16 "v_cmp_class_f16" Mask : F16 B32; VCmpxClassF16 "v_cmpx_class_f16" Mask : F16 B32;
    VCmpFF16 "v_cmp_f_f16" Mask : F16 F16; VCmpLtF16 "v_cmp_lt_f16" Mask : F16 F16;
    VCmpEqF16 "v_cmp_eq_f16" Mask : F16 F16; VCmpLeF16 "v_cmp_le_f16" Mask : F16 F16;
    VCmpGtF16 "v_cmp_gt_f16" Mask : F16 F16; VCmpLgF16 "v_cmp_lg_f16" Mask : F16 F16;
    VCmpGeF16 "v_cmp_ge_f16" Mask : F16 F16; VCmpOF16 "v_cmp_o_f16" Mask : F16 F16;
    VCmpUF16 "v_cmp_u_f16" Mask : F16 F16; VCmpNgeF16 "v_cmp_nge_f16" Mask : F16 F16;
    VCmpNlgF16 "v_cmp_nlg_f16" Mask : F16 F16; VCmpNgtF16 "v_cmp_ngt_f16" Mask : F16 F16;
    VCmpNleF16 "v_cmp_nle_f16" Mask : F16 F16; VCmpNeqF16 "v_cmp_neq_f16" Mask : F16 F16;
    VCmpNltF16 "v_cmp_nlt_f16" Mask : F16 F16; VCmpTruF16 "v_cmp_tru_f16" Mask : F16 F16;
    VCmpxFF16 "v_cmpx_f_f16" Mask : F16 F16; VCmpxLtF16 "v_cmpx_lt_f16" Mask : F16 F16;
    VCmpxEqF16 "v_cmpx_eq_f16" Mask : F16 F16; VCmpxLeF16 "v_cmpx_le_f16" Mask : F16 F16;
    VCmpxGtF16 "v_cmpx_gt_f16" Mask : F16 F16; VCmpxLgF16 "v_cmpx_lg_f16" Mask : F16 F16;
    VCmpxGeF16 "v_cmpx_ge_f16" Mask : F16 F16; VCmpxOF16 "v_cmpx_o_f16" Mask : F16 F16;
    VCmpxUF16 "v_cmpx_u_f16" Mask : F16 F16; VCmpxNgeF16 "v_cmpx_nge_f16" Mask : F16 F16;
    VCmpxNlgF16 "v_cmpx_nlg_f16" Mask : F16 F16; VCmpxNgtF16 "v_cmpx_ngt_f16" Mask : F16 F16;
    VCmpxNleF16 "v_cmpx_nle_f16" Mask : F16 F16; VCmpxNeqF16 "v_cmpx_neq_f16" Mask : F16 F16;
    VCmpxNltF16 "v_cmpx_nlt_f16" Mask : F16 F16; VCmpxTruF16 "v_cmpx_tru_f16" Mask : F16 F16;
    VCmpFI16 "v_cmp_f_i16" Mask : B32 B32; VCmpLtI16 "v_cmp_lt_i16" Mask : B32 B32;
    VCmpEqI16 "v_cmp_eq_i16" Mask : B32 B32; VCmpLeI16 "v_cmp_le_i16" Mask : B32 B32;
    VCmpGtI16 "v_cmp_gt_i16" Mask : B32 B32; VCmpNeI16 "v_cmp_ne_i16" Mask : B32 B32;
    VCmpGeI16 "v_cmp_ge_i16" Mask : B32 B32; VCmpTI16 "v_cmp_t_i16" Mask : B32 B32;
    VCmpFU16 "v_cmp_f_u16" Mask : B32 B32; VCmpLtU16 "v_cmp_lt_u16" Mask : B32 B32;
    VCmpEqU16 "v_cmp_eq_u16" Mask : B32 B32; VCmpLeU16 "v_cmp_le_u16" Mask : B32 B32;
    VCmpGtU16 "v_cmp_gt_u16" Mask : B32 B32; VCmpNeU16 "v_cmp_ne_u16" Mask : B32 B32;
    VCmpGeU16 "v_cmp_ge_u16" Mask : B32 B32; VCmpTU16 "v_cmp_t_u16" Mask : B32 B32;
    VCmpxFI16 "v_cmpx_f_i16" Mask : B32 B32; VCmpxLtI16 "v_cmpx_lt_i16" Mask : B32 B32;
    VCmpxEqI16 "v_cmpx_eq_i16" Mask : B32 B32; VCmpxLeI16 "v_cmpx_le_i16" Mask : B32 B32;
    VCmpxGtI16 "v_cmpx_gt_i16" Mask : B32 B32; VCmpxNeI16 "v_cmpx_ne_i16" Mask : B32 B32;
    VCmpxGeI16 "v_cmpx_ge_i16" Mask : B32 B32; VCmpxTI16 "v_cmpx_t_i16" Mask : B32 B32;
    VCmpxFU16 "v_cmpx_f_u16" Mask : B32 B32; VCmpxLtU16 "v_cmpx_lt_u16" Mask : B32 B32;
    VCmpxEqU16 "v_cmpx_eq_u16" Mask : B32 B32; VCmpxLeU16 "v_cmpx_le_u16" Mask : B32 B32;
    VCmpxGtU16 "v_cmpx_gt_u16" Mask : B32 B32; VCmpxNeU16 "v_cmpx_ne_u16" Mask : B32 B32;
    VCmpxGeU16 "v_cmpx_ge_u16" Mask : B32 B32; VCmpxTU16 "v_cmpx_t_u16" Mask : B32 B32;
    // Local and global data share (DS).
    DsAddU32 "ds_add_u32" : Address B32; DsSubU32 "ds_sub_u32" : Address B32;
    DsRsubU32 "ds_rsub_u32" : Address B32; DsIncU32 "ds_inc_u32" : Address B32;
    DsDecU32 "ds_dec_u32" : Address B32; DsMinI32 "ds_min_i32" : Address B32;
    DsMaxI32 "ds_max_i32" : Address B32; DsMinU32 "ds_min_u32" : Address B32;
    DsMaxU32 "ds_max_u32" : Address B32; DsAndB32 "ds_and_b32" : Address B32;
    DsOrB32 "ds_or_b32" : Address B32; DsXorB32 "ds_xor_b32" : Address B32;
    DsMskorB32 "ds_mskor_b32" : Address B32 B32; DsWriteB32 "ds_write_b32" : Address B32;
    DsWrite2B32 "ds_write2_b32" : Address B32 B32;
    DsWrite2st64B32 "ds_write2st64_b32" : Address B32 B32;
    DsCmpstB32 "ds_cmpst_b32" : Address B32 B32; DsCmpstF32 "ds_cmpst_f32" : Address B32 B32;
    DsMinF32 "ds_min_f32" : Address B32; DsMaxF32 "ds_max_f32" : Address B32;
    DsGwsInit "ds_gws_init" : Address; DsGwsSemaV "ds_gws_sema_v" :;
    DsGwsSemaBr "ds_gws_sema_br" : Address; DsGwsSemaP "ds_gws_sema_p" :;
    DsGwsBarrier "ds_gws_barrier" : Address; DsWriteB8 "ds_write_b8" : Address B32;
    DsWriteB16 "ds_write_b16" : Address B32; DsAddRtnU32 "ds_add_rtn_u32" B32 : Address B32;
    DsSubRtnU32 "ds_sub_rtn_u32" B32 : Address B32;
    DsRsubRtnU32 "ds_rsub_rtn_u32" B32 : Address B32;
    DsIncRtnU32 "ds_inc_rtn_u32" B32 : Address B32; DsDecRtnU32 "ds_dec_rtn_u32" B32 : Address B32;
    DsMinRtnI32 "ds_min_rtn_i32" B32 : Address B32; DsMaxRtnI32 "ds_max_rtn_i32" B32 : Address B32;
    DsMinRtnU32 "ds_min_rtn_u32" B32 : Address B32; DsMaxRtnU32 "ds_max_rtn_u32" B32 : Address B32;
    DsAndRtnB32 "ds_and_rtn_b32" B32 : Address B32; DsOrRtnB32 "ds_or_rtn_b32" B32 : Address B32;
    DsXorRtnB32 "ds_xor_rtn_b32" B32 : Address B32;
    DsMskorRtnB32 "ds_mskor_rtn_b32" B32 : Address B32 B32;
    DsWrxchgRtnB32 "ds_wrxchg_rtn_b32" B32 : Address B32;
    DsWrxchg2RtnB32 "ds_wrxchg2_rtn_b32" B64 : Address B32 B32;
    DsWrxchg2st64RtnB32 "ds_wrxchg2st64_rtn_b32" B64 : Address B32 B32;
    DsCmpstRtnB32 "ds_cmpst_rtn_b32" B32 : Address B32 B32;
    DsCmpstRtnF32 "ds_cmpst_rtn_f32" B32 : Address B32 B32;
    DsMinRtnF32 "ds_min_rtn_f32" B32 : Address B32; DsMaxRtnF32 "ds_max_rtn_f32" B32 : Address B32;
    DsSwizzleB32 "ds_swizzle_b32" B32 : Address; DsReadB32 "ds_read_b32" B32 : Address;
    DsRead2B32 "ds_read2_b32" B64 : Address; DsRead2st64B32 "ds_read2st64_b32" B64 : Address;
    DsReadI8 "ds_read_i8" B32 : Address; DsReadU8 "ds_read_u8" B32 : Address;
    DsReadI16 "ds_read_i16" B32 : Address; DsReadU16 "ds_read_u16" B32 : Address;
    DsConsume "ds_consume" B32 :; DsAppend "ds_append" B32 :;
    DsOrderedCount "ds_ordered_count" B32 : Address; DsAddU64 "ds_add_u64" : Address B64;
    DsSubU64 "ds_sub_u64" : Address B64; DsRsubU64 "ds_rsub_u64" : Address B64;
    DsIncU64 "ds_inc_u64" : Address B64; DsDecU64 "ds_dec_u64" : Address B64;
    DsMinI64 "ds_min_i64" : Address B64; DsMaxI64 "ds_max_i64" : Address B64;
    DsMinU64 "ds_min_u64" : Address B64; DsMaxU64 "ds_max_u64" : Address B64;
    DsAndB64 "ds_and_b64" : Address B64; DsOrB64 "ds_or_b64" : Address B64;
    DsXorB64 "ds_xor_b64" : Address B64; DsMskorB64 "ds_mskor_b64" : Address B64 B64;
    DsWriteB64 "ds_write_b64" : Address B64; DsWrite2B64 "ds_write2_b64" : Address B64 B64;
    DsWrite2st64B64 "ds_write2st64_b64" : Address B64 B64;
    DsCmpstB64 "ds_cmpst_b64" : Address B64 B64; DsCmpstF64 "ds_cmpst_f64" : Address B64 B64;
    DsMinF64 "ds_min_f64" : Address B64; DsMaxF64 "ds_max_f64" : Address B64;
    DsAddRtnU64 "ds_add_rtn_u64" B64 : Address B64; DsSubRtnU64 "ds_sub_rtn_u64" B64 : Address B64;
    DsRsubRtnU64 "ds_rsub_rtn_u64" B64 : Address B64;
    DsIncRtnU64 "ds_inc_rtn_u64" B64 : Address B64; DsDecRtnU64 "ds_dec_rtn_u64" B64 : Address B64;
    DsMinRtnI64 "ds_min_rtn_i64" B64 : Address B64; DsMaxRtnI64 "ds_max_rtn_i64" B64 : Address B64;
    DsMinRtnU64 "ds_min_rtn_u64" B64 : Address B64; DsMaxRtnU64 "ds_max_rtn_u64" B64 : Address B64;
    DsAndRtnB64 "ds_and_rtn_b64" B64 : Address B64; DsOrRtnB64 "ds_or_rtn_b64" B64 : Address B64;
    DsXorRtnB64 "ds_xor_rtn_b64" B64 : Address B64;
    DsMskorRtnB64 "ds_mskor_rtn_b64" B64 : Address B64 B64;
    DsWrxchgRtnB64 "ds_wrxchg_rtn_b64" B64 : Address B64;
    DsWrxchg2RtnB64 "ds_wrxchg2_rtn_b64" B128 : Address B64 B64;
    DsWrxchg2st64RtnB64 "ds_wrxchg2st64_rtn_b64" B128 : Address B64 B64;
    DsCmpstRtnB64 "ds_cmpst_rtn_b64" B64 : Address B64 B64;
    DsCmpstRtnF64 "ds_cmpst_rtn_f64" B64 : Address B64 B64;
    DsMinRtnF64 "ds_min_rtn_f64" B64 : Address B64; DsMaxRtnF64 "ds_max_rtn_f64" B64 : Address B64;
    DsReadB64 "ds_read_b64" B64 : Address; DsRead2B64 "ds_read2_b64" B128 : Address;
    DsRead2st64B64 "ds_read2st64_b64" B128 : Address; DsAddSrc2U32 "ds_add_src2_u32" : Address;
    DsSubSrc2U32 "ds_sub_src2_u32" : Address; DsRsubSrc2U32 "ds_rsub_src2_u32" : Address;
    DsIncSrc2U32 "ds_inc_src2_u32" : Address; DsDecSrc2U32 "ds_dec_src2_u32" : Address;
    DsMinSrc2I32 "ds_min_src2_i32" : Address; DsMaxSrc2I32 "ds_max_src2_i32" : Address;
    DsMinSrc2U32 "ds_min_src2_u32" : Address; DsMaxSrc2U32 "ds_max_src2_u32" : Address;
    DsAndSrc2B32 "ds_and_src2_b32" : Address; DsOrSrc2B32 "ds_or_src2_b32" : Address;
    DsXorSrc2B32 "ds_xor_src2_b32" : Address; DsWriteSrc2B32 "ds_write_src2_b32" : Address;
    DsMinSrc2F32 "ds_min_src2_f32" : Address; DsMaxSrc2F32 "ds_max_src2_f32" : Address;
    DsAddSrc2U64 "ds_add_src2_u64" : Address; DsSubSrc2U64 "ds_sub_src2_u64" : Address;
    DsRsubSrc2U64 "ds_rsub_src2_u64" : Address; DsIncSrc2U64 "ds_inc_src2_u64" : Address;
    DsDecSrc2U64 "ds_dec_src2_u64" : Address; DsMinSrc2I64 "ds_min_src2_i64" : Address;
    DsMaxSrc2I64 "ds_max_src2_i64" : Address; DsMinSrc2U64 "ds_min_src2_u64" : Address;
    DsMaxSrc2U64 "ds_max_src2_u64" : Address; DsAndSrc2B64 "ds_and_src2_b64" : Address;
    DsOrSrc2B64 "ds_or_src2_b64" : Address; DsXorSrc2B64 "ds_xor_src2_b64" : Address;
    DsWriteSrc2B64 "ds_write_src2_b64" : Address; DsMinSrc2F64 "ds_min_src2_f64" : Address;
    DsMaxSrc2F64 "ds_max_src2_f64" : Address; DsNop "ds_nop" :; DsAddF32 "ds_add_f32" : Address B32;
    DsWrapRtnB32 "ds_wrap_rtn_b32" B32 : Address B32 B32;
    DsAddRtnF32 "ds_add_rtn_f32" B32 : Address B32; DsPermuteB32 "ds_permute_b32" B32 : Address B32;
    DsBpermuteB32 "ds_bpermute_b32" B32 : Address B32;
    DsCondxchg32RtnB64 "ds_condxchg32_rtn_b64" B64 : Address B64;
    DsAddSrc2F32 "ds_add_src2_f32" : Address; DsGwsSemaReleaseAll "ds_gws_sema_release_all" :;
    DsWriteB96 "ds_write_b96" : Address B96; DsWriteB128 "ds_write_b128" : Address B128;
    DsReadB96 "ds_read_b96" B96 : Address; DsReadB128 "ds_read_b128" B128 : Address;
    // Buffers (MUBUF).
    BufferLoadFormatX "buffer_load_format_x" B32 :;
    BufferLoadFormatXy "buffer_load_format_xy" B64 :;
    BufferLoadFormatXyz "buffer_load_format_xyz" B96 :;
    BufferLoadFormatXyzw "buffer_load_format_xyzw" B128 :;
    BufferStoreFormatX "buffer_store_format_x" : B32;
    BufferStoreFormatXy "buffer_store_format_xy" : B64;
    BufferStoreFormatXyz "buffer_store_format_xyz" : B96;
    BufferStoreFormatXyzw "buffer_store_format_xyzw" : B128;
    BufferLoadUbyte "buffer_load_ubyte" B32 :; BufferLoadSbyte "buffer_load_sbyte" B32 :;
    BufferLoadUshort "buffer_load_ushort" B32 :; BufferLoadSshort "buffer_load_sshort" B32 :;
    BufferLoadDword "buffer_load_dword" B32 :; BufferLoadDwordx2 "buffer_load_dwordx2" B64 :;
    BufferLoadDwordx4 "buffer_load_dwordx4" B128 :; BufferStoreByte "buffer_store_byte" : B32;
    BufferStoreShort "buffer_store_short" : B32; BufferStoreDword "buffer_store_dword" : B32;
    BufferStoreDwordx2 "buffer_store_dwordx2" : B64;
    BufferStoreDwordx4 "buffer_store_dwordx4" : B128;
    BufferAtomicSwap "buffer_atomic_swap" B32 : B32;
    BufferAtomicCmpswap "buffer_atomic_cmpswap" B64 : B64;
    BufferAtomicAdd "buffer_atomic_add" B32 : B32; BufferAtomicSub "buffer_atomic_sub" B32 : B32;
    BufferAtomicSmin "buffer_atomic_smin" B32 : B32;
    BufferAtomicUmin "buffer_atomic_umin" B32 : B32;
    BufferAtomicSmax "buffer_atomic_smax" B32 : B32;
    BufferAtomicUmax "buffer_atomic_umax" B32 : B32; BufferAtomicAnd "buffer_atomic_and" B32 : B32;
    BufferAtomicOr "buffer_atomic_or" B32 : B32; BufferAtomicXor "buffer_atomic_xor" B32 : B32;
    BufferAtomicInc "buffer_atomic_inc" B32 : B32; BufferAtomicDec "buffer_atomic_dec" B32 : B32;
    BufferAtomicFcmpswap "buffer_atomic_fcmpswap" B64 : B64;
    BufferAtomicFmin "buffer_atomic_fmin" B32 : B32;
    BufferAtomicFmax "buffer_atomic_fmax" B32 : B32;
    BufferAtomicSwapX2 "buffer_atomic_swap_x2" B64 : B64;
    BufferAtomicCmpswapX2 "buffer_atomic_cmpswap_x2" B128 : B128;
    BufferAtomicAddX2 "buffer_atomic_add_x2" B64 : B64;
    BufferAtomicSubX2 "buffer_atomic_sub_x2" B64 : B64;
    BufferAtomicSminX2 "buffer_atomic_smin_x2" B64 : B64;
    BufferAtomicUminX2 "buffer_atomic_umin_x2" B64 : B64;
    BufferAtomicSmaxX2 "buffer_atomic_smax_x2" B64 : B64;
    BufferAtomicUmaxX2 "buffer_atomic_umax_x2" B64 : B64;
    BufferAtomicAndX2 "buffer_atomic_and_x2" B64 : B64;
    BufferAtomicOrX2 "buffer_atomic_or_x2" B64 : B64;
    BufferAtomicXorX2 "buffer_atomic_xor_x2" B64 : B64;
    BufferAtomicIncX2 "buffer_atomic_inc_x2" B64 : B64;
    BufferAtomicDecX2 "buffer_atomic_dec_x2" B64 : B64;
    BufferAtomicFcmpswapX2 "buffer_atomic_fcmpswap_x2" B128 : B128;
    BufferAtomicFminX2 "buffer_atomic_fmin_x2" B64 : B64;
    BufferAtomicFmaxX2 "buffer_atomic_fmax_x2" B64 : B64; BufferWbinvl1Sc "buffer_wbinvl1_sc" :;
    BufferWbinvl1 "buffer_wbinvl1" :; BufferLoadFormatD16X "buffer_load_format_d16_x" B32 :;
    BufferLoadFormatD16Xy "buffer_load_format_d16_xy" B64 :;
    BufferLoadFormatD16Xyz "buffer_load_format_d16_xyz" B96 :;
    BufferLoadFormatD16Xyzw "buffer_load_format_d16_xyzw" B128 :;
    BufferStoreFormatD16X "buffer_store_format_d16_x" : B32;
    BufferStoreFormatD16Xy "buffer_store_format_d16_xy" : B64;
    BufferStoreFormatD16Xyz "buffer_store_format_d16_xyz" : B96;
    BufferStoreFormatD16Xyzw "buffer_store_format_d16_xyzw" : B128;
    BufferLoadDwordx3 "buffer_load_dwordx3" B96 :; BufferStoreDwordx3 "buffer_store_dwordx3" : B96;
    BufferStoreLdsDword "buffer_store_lds_dword" :; BufferWbinvl1Vol "buffer_wbinvl1_vol" :;
    // Typed buffers (MTBUF).
    TbufferLoadFormatX "tbuffer_load_format_x" B32 :;
    TbufferLoadFormatXy "tbuffer_load_format_xy" B64 :;
    TbufferLoadFormatXyz "tbuffer_load_format_xyz" B96 :;
    TbufferLoadFormatXyzw "tbuffer_load_format_xyzw" B128 :;
    TbufferStoreFormatX "tbuffer_store_format_x" : B32;
    TbufferStoreFormatXy "tbuffer_store_format_xy" : B64;
    TbufferStoreFormatXyz "tbuffer_store_format_xyz" : B96;
    TbufferStoreFormatXyzw "tbuffer_store_format_xyzw" : B128;
    TbufferLoadFormatD16X "tbuffer_load_format_d16_x" B32 :;
    TbufferLoadFormatD16Xy "tbuffer_load_format_d16_xy" B64 :;
    TbufferLoadFormatD16Xyz "tbuffer_load_format_d16_xyz" B96 :;
    TbufferLoadFormatD16Xyzw "tbuffer_load_format_d16_xyzw" B128 :;
    TbufferStoreFormatD16X "tbuffer_store_format_d16_x" : B32;
    TbufferStoreFormatD16Xy "tbuffer_store_format_d16_xy" : B64;
    TbufferStoreFormatD16Xyz "tbuffer_store_format_d16_xyz" : B96;
    TbufferStoreFormatD16Xyzw "tbuffer_store_format_d16_xyzw" : B128;
    // Images (MIMG).
    ImageLoad "image_load" Image :; ImageLoadMip "image_load_mip" Image :;
    ImageLoadPck "image_load_pck" Image :; ImageLoadPckSgn "image_load_pck_sgn" Image :;
    ImageLoadMipPck "image_load_mip_pck" Image :;
    ImageLoadMipPckSgn "image_load_mip_pck_sgn" Image :; ImageStore "image_store" : Image;
    ImageStoreMip "image_store_mip" : Image; ImageStorePck "image_store_pck" : Image;
    ImageStoreMipPck "image_store_mip_pck" : Image; ImageGetResinfo "image_get_resinfo" Image :;
    ImageAtomicSwap "image_atomic_swap" Image : Image;
    ImageAtomicCmpswap "image_atomic_cmpswap" Image : Image;
    ImageAtomicAdd "image_atomic_add" Image : Image;
    ImageAtomicSub "image_atomic_sub" Image : Image;
    ImageAtomicRsub "image_atomic_rsub" Image : Image;
    ImageAtomicSmin "image_atomic_smin" Image : Image;
    ImageAtomicUmin "image_atomic_umin" Image : Image;
    ImageAtomicSmax "image_atomic_smax" Image : Image;
    ImageAtomicUmax "image_atomic_umax" Image : Image;
    ImageAtomicAnd "image_atomic_and" Image : Image; ImageAtomicOr "image_atomic_or" Image : Image;
    ImageAtomicXor "image_atomic_xor" Image : Image;
    ImageAtomicInc "image_atomic_inc" Image : Image;
    ImageAtomicDec "image_atomic_dec" Image : Image;
    ImageAtomicFcmpswap "image_atomic_fcmpswap" Image : Image;
    ImageAtomicFmin "image_atomic_fmin" Image : Image;
    ImageAtomicFmax "image_atomic_fmax" Image : Image; ImageSample "image_sample" Image : Sampler;
    ImageSampleCl "image_sample_cl" Image : Sampler; ImageSampleD "image_sample_d" Image : Sampler;
    ImageSampleDCl "image_sample_d_cl" Image : Sampler;
    ImageSampleL "image_sample_l" Image : Sampler; ImageSampleB "image_sample_b" Image : Sampler;
    ImageSampleBCl "image_sample_b_cl" Image : Sampler;
    ImageSampleLz "image_sample_lz" Image : Sampler; ImageSampleC "image_sample_c" Image : Sampler;
    ImageSampleCCl "image_sample_c_cl" Image : Sampler;
    ImageSampleCD "image_sample_c_d" Image : Sampler;
    ImageSampleCDCl "image_sample_c_d_cl" Image : Sampler;
    ImageSampleCL "image_sample_c_l" Image : Sampler;
    ImageSampleCB "image_sample_c_b" Image : Sampler;
    ImageSampleCBCl "image_sample_c_b_cl" Image : Sampler;
    ImageSampleCLz "image_sample_c_lz" Image : Sampler;
    ImageSampleO "image_sample_o" Image : Sampler;
    ImageSampleClO "image_sample_cl_o" Image : Sampler;
    ImageSampleDO "image_sample_d_o" Image : Sampler;
    ImageSampleDClO "image_sample_d_cl_o" Image : Sampler;
    ImageSampleLO "image_sample_l_o" Image : Sampler;
    ImageSampleBO "image_sample_b_o" Image : Sampler;
    ImageSampleBClO "image_sample_b_cl_o" Image : Sampler;
    ImageSampleLzO "image_sample_lz_o" Image : Sampler;
    ImageSampleCO "image_sample_c_o" Image : Sampler;
    ImageSampleCClO "image_sample_c_cl_o" Image : Sampler;
    ImageSampleCDO "image_sample_c_d_o" Image : Sampler;
    ImageSampleCDClO "image_sample_c_d_cl_o" Image : Sampler;
    ImageSampleCLO "image_sample_c_l_o" Image : Sampler;
    ImageSampleCBO "image_sample_c_b_o" Image : Sampler;
    ImageSampleCBClO "image_sample_c_b_cl_o" Image : Sampler;
    ImageSampleCLzO "image_sample_c_lz_o" Image : Sampler;
    ImageGather4 "image_gather4" Image : Sampler; ImageGather4Cl "image_gather4_cl" Image : Sampler;
    ImageGather4L "image_gather4_l" Image : Sampler;
    ImageGather4B "image_gather4_b" Image : Sampler;
    ImageGather4BCl "image_gather4_b_cl" Image : Sampler;
    ImageGather4Lz "image_gather4_lz" Image : Sampler;
    ImageGather4C "image_gather4_c" Image : Sampler;
    ImageGather4CCl "image_gather4_c_cl" Image : Sampler;
    ImageGather4CL "image_gather4_c_l" Image : Sampler;
    ImageGather4CB "image_gather4_c_b" Image : Sampler;
    ImageGather4CBCl "image_gather4_c_b_cl" Image : Sampler;
    ImageGather4CLz "image_gather4_c_lz" Image : Sampler;
    ImageGather4O "image_gather4_o" Image : Sampler;
    ImageGather4ClO "image_gather4_cl_o" Image : Sampler;
    ImageGather4LO "image_gather4_l_o" Image : Sampler;
    ImageGather4BO "image_gather4_b_o" Image : Sampler;
    ImageGather4BClO "image_gather4_b_cl_o" Image : Sampler;
    ImageGather4LzO "image_gather4_lz_o" Image : Sampler;
    ImageGather4CO "image_gather4_c_o" Image : Sampler;
    ImageGather4CClO "image_gather4_c_cl_o" Image : Sampler;
    ImageGather4CLO "image_gather4_c_l_o" Image : Sampler;
    ImageGather4CBO "image_gather4_c_b_o" Image : Sampler;
    ImageGather4CBClO "image_gather4_c_b_cl_o" Image : Sampler;
    ImageGather4CLzO "image_gather4_c_lz_o" Image : Sampler;
    ImageGetLod "image_get_lod" Image : Sampler; ImageSampleCd "image_sample_cd" Image : Sampler;
    ImageSampleCdCl "image_sample_cd_cl" Image : Sampler;
    ImageSampleCCd "image_sample_c_cd" Image : Sampler;
    ImageSampleCCdCl "image_sample_c_cd_cl" Image : Sampler;
    ImageSampleCdO "image_sample_cd_o" Image : Sampler;
    ImageSampleCdClO "image_sample_cd_cl_o" Image : Sampler;
    ImageSampleCCdO "image_sample_c_cd_o" Image : Sampler;
    ImageSampleCCdClO "image_sample_c_cd_cl_o" Image : Sampler;
    // Flat memory (FLAT).
    FlatLoadUbyte "flat_load_ubyte" B32 : Address; FlatLoadSbyte "flat_load_sbyte" B32 : Address;
    FlatLoadUshort "flat_load_ushort" B32 : Address;
    FlatLoadSshort "flat_load_sshort" B32 : Address; FlatLoadDword "flat_load_dword" B32 : Address;
    FlatLoadDwordx2 "flat_load_dwordx2" B64 : Address;
    FlatLoadDwordx3 "flat_load_dwordx3" B96 : Address;
    FlatLoadDwordx4 "flat_load_dwordx4" B128 : Address;
    FlatStoreByte "flat_store_byte" : Address B32; FlatStoreShort "flat_store_short" : Address B32;
    FlatStoreDword "flat_store_dword" : Address B32;
    FlatStoreDwordx2 "flat_store_dwordx2" : Address B64;
    FlatStoreDwordx3 "flat_store_dwordx3" : Address B96;
    FlatStoreDwordx4 "flat_store_dwordx4" : Address B128;
    FlatAtomicSwap "flat_atomic_swap" B32 : Address B32;
    FlatAtomicCmpswap "flat_atomic_cmpswap" B32 : Address B64;
    FlatAtomicAdd "flat_atomic_add" B32 : Address B32;
    FlatAtomicSub "flat_atomic_sub" B32 : Address B32;
    FlatAtomicSmin "flat_atomic_smin" B32 : Address B32;
    FlatAtomicUmin "flat_atomic_umin" B32 : Address B32;
    FlatAtomicSmax "flat_atomic_smax" B32 : Address B32;
    FlatAtomicUmax "flat_atomic_umax" B32 : Address B32;
    FlatAtomicAnd "flat_atomic_and" B32 : Address B32;
    FlatAtomicOr "flat_atomic_or" B32 : Address B32;
    FlatAtomicXor "flat_atomic_xor" B32 : Address B32;
    FlatAtomicInc "flat_atomic_inc" B32 : Address B32;
    FlatAtomicDec "flat_atomic_dec" B32 : Address B32;
    FlatAtomicSwapX2 "flat_atomic_swap_x2" B64 : Address B64;
    FlatAtomicCmpswapX2 "flat_atomic_cmpswap_x2" B64 : Address B128;
    FlatAtomicAddX2 "flat_atomic_add_x2" B64 : Address B64;
    FlatAtomicSubX2 "flat_atomic_sub_x2" B64 : Address B64;
    FlatAtomicSminX2 "flat_atomic_smin_x2" B64 : Address B64;
    FlatAtomicUminX2 "flat_atomic_umin_x2" B64 : Address B64;
    FlatAtomicSmaxX2 "flat_atomic_smax_x2" B64 : Address B64;
    FlatAtomicUmaxX2 "flat_atomic_umax_x2" B64 : Address B64;
    FlatAtomicAndX2 "flat_atomic_and_x2" B64 : Address B64;
    FlatAtomicOrX2 "flat_atomic_or_x2" B64 : Address B64;
    FlatAtomicXorX2 "flat_atomic_xor_x2" B64 : Address B64;
    FlatAtomicIncX2 "flat_atomic_inc_x2" B64 : Address B64;
    FlatAtomicDecX2 "flat_atomic_dec_x2" B64 : Address B64;
    // Exports (EXP).
    Exp "exp" : Target B32 B32 B32 B32;
}
