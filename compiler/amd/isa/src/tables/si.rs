//! Opcode numbers of Southern Islands (gfx600). Every row is one that LLVM's assembler confirms.
//!
//! Opcodes of VOP1, VOP2 and VOPC exist in VOP3 too, unless `unpromoted` has them.

use super::numbers::{Numbers, numbers};

pub(super) static NUMBERS: Numbers = numbers! {
    Sop2 {
        0 SAddU32, 1 SSubU32, 2 SAddI32, 3 SSubI32, 4 SAddcU32, 5 SSubbU32, 6 SMinI32, 7 SMinU32,
        8 SMaxI32, 9 SMaxU32, 10 SCselectB32, 11 SCselectB64, 14 SAndB32, 15 SAndB64, 16 SOrB32,
        17 SOrB64, 18 SXorB32, 19 SXorB64, 20 SAndn2B32, 21 SAndn2B64, 22 SOrn2B32, 23 SOrn2B64,
        24 SNandB32, 25 SNandB64, 26 SNorB32, 27 SNorB64, 28 SXnorB32, 29 SXnorB64, 30 SLshlB32,
        31 SLshlB64, 32 SLshrB32, 33 SLshrB64, 34 SAshrI32, 35 SAshrI64, 36 SBfmB32, 37 SBfmB64,
        38 SMulI32, 39 SBfeU32, 40 SBfeI32, 41 SBfeU64, 42 SBfeI64, 43 SCbranchGFork,
        44 SAbsdiffI32,
    }
    Sopk {
        0 SMovkI32, 2 SCmovkI32, 3 SCmpkEqI32, 4 SCmpkLgI32, 5 SCmpkGtI32, 6 SCmpkGeI32,
        7 SCmpkLtI32, 8 SCmpkLeI32, 9 SCmpkEqU32, 10 SCmpkLgU32, 11 SCmpkGtU32, 12 SCmpkGeU32,
        13 SCmpkLtU32, 14 SCmpkLeU32, 15 SAddkI32, 16 SMulkI32, 17 SCbranchIFork, 18 SGetregB32,
        19 SSetregB32, 21 SSetregImm32B32,
    }
    Sop1 {
        3 SMovB32, 4 SMovB64, 5 SCmovB32, 6 SCmovB64, 7 SNotB32, 8 SNotB64, 9 SWqmB32, 10 SWqmB64,
        11 SBrevB32, 12 SBrevB64, 13 SBcnt0I32B32, 14 SBcnt0I32B64, 15 SBcnt1I32B32,
        16 SBcnt1I32B64, 17 SFf0I32B32, 18 SFf0I32B64, 19 SFf1I32B32, 20 SFf1I32B64,
        21 SFlbitI32B32, 22 SFlbitI32B64, 23 SFlbitI32, 24 SFlbitI32I64, 25 SSextI32I8,
        26 SSextI32I16, 27 SBitset0B32, 28 SBitset0B64, 29 SBitset1B32, 30 SBitset1B64,
        31 SGetpcB64, 32 SSetpcB64, 33 SSwappcB64, 34 SRfeB64, 36 SAndSaveexecB64,
        37 SOrSaveexecB64, 38 SXorSaveexecB64, 39 SAndn2SaveexecB64, 40 SOrn2SaveexecB64,
        41 SNandSaveexecB64, 42 SNorSaveexecB64, 43 SXnorSaveexecB64, 44 SQuadmaskB32,
        45 SQuadmaskB64, 46 SMovrelsB32, 47 SMovrelsB64, 48 SMovreldB32, 49 SMovreldB64,
        50 SCbranchJoin, 52 SAbsI32,
    }
    Sopc {
        0 SCmpEqI32, 1 SCmpLgI32, 2 SCmpGtI32, 3 SCmpGeI32, 4 SCmpLtI32, 5 SCmpLeI32, 6 SCmpEqU32,
        7 SCmpLgU32, 8 SCmpGtU32, 9 SCmpGeU32, 10 SCmpLtU32, 11 SCmpLeU32, 12 SBitcmp0B32,
        13 SBitcmp1B32, 14 SBitcmp0B64, 15 SBitcmp1B64, 16 SSetvskip,
    }
    Sopp {
        0 SNop, 1 SEndpgm, 2 SBranch, 4 SCbranchScc0, 5 SCbranchScc1, 6 SCbranchVccz,
        7 SCbranchVccnz, 8 SCbranchExecz, 9 SCbranchExecnz, 10 SBarrier, 12 SWaitcnt, 13 SSethalt,
        14 SSleep, 15 SSetprio, 16 SSendmsg, 17 SSendmsghalt, 18 STrap, 19 SIcacheInv,
        20 SIncperflevel, 21 SDecperflevel, 22 STtracedata,
    }
    Smem {
        0 SLoadDword, 1 SLoadDwordx2, 2 SLoadDwordx4, 3 SLoadDwordx8, 4 SLoadDwordx16,
        8 SBufferLoadDword, 9 SBufferLoadDwordx2, 10 SBufferLoadDwordx4, 11 SBufferLoadDwordx8,
        12 SBufferLoadDwordx16, 30 SMemtime, 31 SDcacheInv,
    }
    Vop1 {
        0 VNop, 1 VMovB32, 2 VReadfirstlaneB32, 3 VCvtI32F64, 4 VCvtF64I32, 5 VCvtF32I32,
        6 VCvtF32U32, 7 VCvtU32F32, 8 VCvtI32F32, 10 VCvtF16F32, 11 VCvtF32F16, 12 VCvtRpiI32F32,
        13 VCvtFlrI32F32, 14 VCvtOffF32I4, 15 VCvtF32F64, 16 VCvtF64F32, 17 VCvtF32Ubyte0,
        18 VCvtF32Ubyte1, 19 VCvtF32Ubyte2, 20 VCvtF32Ubyte3, 21 VCvtU32F64, 22 VCvtF64U32,
        32 VFractF32, 33 VTruncF32, 34 VCeilF32, 35 VRndneF32, 36 VFloorF32, 37 VExpF32,
        38 VLogClampF32, 39 VLogF32, 40 VRcpClampF32, 41 VRcpLegacyF32, 42 VRcpF32, 43 VRcpIflagF32,
        44 VRsqClampF32, 45 VRsqLegacyF32, 46 VRsqF32, 47 VRcpF64, 48 VRcpClampF64, 49 VRsqF64,
        50 VRsqClampF64, 51 VSqrtF32, 52 VSqrtF64, 53 VSinF32, 54 VCosF32, 55 VNotB32, 56 VBfrevB32,
        57 VFfbhU32, 58 VFfblB32, 59 VFfbhI32, 60 VFrexpExpI32F64, 61 VFrexpMantF64, 62 VFractF64,
        63 VFrexpExpI32F32, 64 VFrexpMantF32, 65 VClrexcp, 66 VMovreldB32, 67 VMovrelsB32,
        68 VMovrelsdB32,
    }
    Vop2 {
        0 VCndmaskB32, 1 VReadlaneB32, 2 VWritelaneB32, 3 VAddF32, 4 VSubF32, 5 VSubrevF32,
        6 VMacLegacyF32, 7 VMulLegacyF32, 8 VMulF32, 9 VMulI32I24, 10 VMulHiI32I24, 11 VMulU32U24,
        12 VMulHiU32U24, 13 VMinLegacyF32, 14 VMaxLegacyF32, 15 VMinF32, 16 VMaxF32, 17 VMinI32,
        18 VMaxI32, 19 VMinU32, 20 VMaxU32, 21 VLshrB32, 22 VLshrrevB32, 23 VAshrI32,
        24 VAshrrevI32, 25 VLshlB32, 26 VLshlrevB32, 27 VAndB32, 28 VOrB32, 29 VXorB32, 30 VBfmB32,
        31 VMacF32, 32 VMadmkF32, 33 VMadakF32, 34 VBcntU32B32, 35 VMbcntLoU32B32,
        36 VMbcntHiU32B32, 37 VAddI32, 38 VSubI32, 39 VSubrevI32, 40 VAddcU32, 41 VSubbU32,
        42 VSubbrevU32, 43 VLdexpF32, 44 VCvtPkaccumU8F32, 45 VCvtPknormI16F32, 46 VCvtPknormU16F32,
        47 VCvtPkrtzF16F32, 48 VCvtPkU16U32, 49 VCvtPkI16I32,
    }
    Vintrp {
        0 VInterpP1F32, 1 VInterpP2F32, 2 VInterpMovF32,
    }
    Vopc {
        0 VCmpFF32, 1 VCmpLtF32, 2 VCmpEqF32, 3 VCmpLeF32, 4 VCmpGtF32, 5 VCmpLgF32, 6 VCmpGeF32,
        7 VCmpOF32, 8 VCmpUF32, 9 VCmpNgeF32, 10 VCmpNlgF32, 11 VCmpNgtF32, 12 VCmpNleF32,
        13 VCmpNeqF32, 14 VCmpNltF32, 15 VCmpTruF32, 16 VCmpxFF32, 17 VCmpxLtF32, 18 VCmpxEqF32,
        19 VCmpxLeF32, 20 VCmpxGtF32, 21 VCmpxLgF32, 22 VCmpxGeF32, 23 VCmpxOF32, 24 VCmpxUF32,
        25 VCmpxNgeF32, 26 VCmpxNlgF32, 27 VCmpxNgtF32, 28 VCmpxNleF32, 29 VCmpxNeqF32,
        30 VCmpxNltF32, 31 VCmpxTruF32, 32 VCmpFF64, 33 VCmpLtF64, 34 VCmpEqF64, 35 VCmpLeF64,
        36 VCmpGtF64, 37 VCmpLgF64, 38 VCmpGeF64, 39 VCmpOF64, 40 VCmpUF64, 41 VCmpNgeF64,
        42 VCmpNlgF64, 43 VCmpNgtF64, 44 VCmpNleF64, 45 VCmpNeqF64, 46 VCmpNltF64, 47 VCmpTruF64,
        48 VCmpxFF64, 49 VCmpxLtF64, 50 VCmpxEqF64, 51 VCmpxLeF64, 52 VCmpxGtF64, 53 VCmpxLgF64,
        54 VCmpxGeF64, 55 VCmpxOF64, 56 VCmpxUF64, 57 VCmpxNgeF64, 58 VCmpxNlgF64, 59 VCmpxNgtF64,
        60 VCmpxNleF64, 61 VCmpxNeqF64, 62 VCmpxNltF64, 63 VCmpxTruF64, 64 VCmpsFF32, 65 VCmpsLtF32,
        66 VCmpsEqF32, 67 VCmpsLeF32, 68 VCmpsGtF32, 69 VCmpsLgF32, 70 VCmpsGeF32, 71 VCmpsOF32,
        72 VCmpsUF32, 73 VCmpsNgeF32, 74 VCmpsNlgF32, 75 VCmpsNgtF32, 76 VCmpsNleF32,
        77 VCmpsNeqF32, 78 VCmpsNltF32, 79 VCmpsTruF32, 80 VCmpsxFF32, 81 VCmpsxLtF32,
        82 VCmpsxEqF32, 83 VCmpsxLeF32, 84 VCmpsxGtF32, 85 VCmpsxLgF32, 86 VCmpsxGeF32,
        87 VCmpsxOF32, 88 VCmpsxUF32, 89 VCmpsxNgeF32, 90 VCmpsxNlgF32, 91 VCmpsxNgtF32,
        92 VCmpsxNleF32, 93 VCmpsxNeqF32, 94 VCmpsxNltF32, 95 VCmpsxTruF32, 96 VCmpsFF64,
        97 VCmpsLtF64, 98 VCmpsEqF64, 99 VCmpsLeF64, 100 VCmpsGtF64, 101 VCmpsLgF64, 102 VCmpsGeF64,
        103 VCmpsOF64, 104 VCmpsUF64, 105 VCmpsNgeF64, 106 VCmpsNlgF64, 107 VCmpsNgtF64,
        108 VCmpsNleF64, 109 VCmpsNeqF64, 110 VCmpsNltF64, 111 VCmpsTruF64, 112 VCmpsxFF64,
        113 VCmpsxLtF64, 114 VCmpsxEqF64, 115 VCmpsxLeF64, 116 VCmpsxGtF64, 117 VCmpsxLgF64,
        118 VCmpsxGeF64, 119 VCmpsxOF64, 120 VCmpsxUF64, 121 VCmpsxNgeF64, 122 VCmpsxNlgF64,
        123 VCmpsxNgtF64, 124 VCmpsxNleF64, 125 VCmpsxNeqF64, 126 VCmpsxNltF64, 127 VCmpsxTruF64,
        128 VCmpFI32, 129 VCmpLtI32, 130 VCmpEqI32, 131 VCmpLeI32, 132 VCmpGtI32, 133 VCmpNeI32,
        134 VCmpGeI32, 135 VCmpTI32, 136 VCmpClassF32, 144 VCmpxFI32, 145 VCmpxLtI32,
        146 VCmpxEqI32, 147 VCmpxLeI32, 148 VCmpxGtI32, 149 VCmpxNeI32, 150 VCmpxGeI32,
        151 VCmpxTI32, 152 VCmpxClassF32, 160 VCmpFI64, 161 VCmpLtI64, 162 VCmpEqI64, 163 VCmpLeI64,
        164 VCmpGtI64, 165 VCmpNeI64, 166 VCmpGeI64, 167 VCmpTI64, 168 VCmpClassF64, 176 VCmpxFI64,
        177 VCmpxLtI64, 178 VCmpxEqI64, 179 VCmpxLeI64, 180 VCmpxGtI64, 181 VCmpxNeI64,
        182 VCmpxGeI64, 183 VCmpxTI64, 184 VCmpxClassF64, 192 VCmpFU32, 193 VCmpLtU32,
        194 VCmpEqU32, 195 VCmpLeU32, 196 VCmpGtU32, 197 VCmpNeU32, 198 VCmpGeU32, 199 VCmpTU32,
        208 VCmpxFU32, 209 VCmpxLtU32, 210 VCmpxEqU32, 211 VCmpxLeU32, 212 VCmpxGtU32,
        213 VCmpxNeU32, 214 VCmpxGeU32, 215 VCmpxTU32, 224 VCmpFU64, 225 VCmpLtU64, 226 VCmpEqU64,
        227 VCmpLeU64, 228 VCmpGtU64, 229 VCmpNeU64, 230 VCmpGeU64, 231 VCmpTU64, 240 VCmpxFU64,
        241 VCmpxLtU64, 242 VCmpxEqU64, 243 VCmpxLeU64, 244 VCmpxGtU64, 245 VCmpxNeU64,
        246 VCmpxGeU64, 247 VCmpxTU64,
    }
    Ds {
        0 DsAddU32, 1 DsSubU32, 2 DsRsubU32, 3 DsIncU32, 4 DsDecU32, 5 DsMinI32, 6 DsMaxI32,
        7 DsMinU32, 8 DsMaxU32, 9 DsAndB32, 10 DsOrB32, 11 DsXorB32, 12 DsMskorB32, 13 DsWriteB32,
        14 DsWrite2B32, 15 DsWrite2st64B32, 16 DsCmpstB32, 17 DsCmpstF32, 18 DsMinF32, 19 DsMaxF32,
        25 DsGwsInit, 26 DsGwsSemaV, 27 DsGwsSemaBr, 28 DsGwsSemaP, 29 DsGwsBarrier, 30 DsWriteB8,
        31 DsWriteB16, 32 DsAddRtnU32, 33 DsSubRtnU32, 34 DsRsubRtnU32, 35 DsIncRtnU32,
        36 DsDecRtnU32, 37 DsMinRtnI32, 38 DsMaxRtnI32, 39 DsMinRtnU32, 40 DsMaxRtnU32,
        41 DsAndRtnB32, 42 DsOrRtnB32, 43 DsXorRtnB32, 44 DsMskorRtnB32, 45 DsWrxchgRtnB32,
        46 DsWrxchg2RtnB32, 47 DsWrxchg2st64RtnB32, 48 DsCmpstRtnB32, 49 DsCmpstRtnF32,
        50 DsMinRtnF32, 51 DsMaxRtnF32, 53 DsSwizzleB32, 54 DsReadB32, 55 DsRead2B32,
        56 DsRead2st64B32, 57 DsReadI8, 58 DsReadU8, 59 DsReadI16, 60 DsReadU16, 61 DsConsume,
        62 DsAppend, 63 DsOrderedCount, 64 DsAddU64, 65 DsSubU64, 66 DsRsubU64, 67 DsIncU64,
        68 DsDecU64, 69 DsMinI64, 70 DsMaxI64, 71 DsMinU64, 72 DsMaxU64, 73 DsAndB64, 74 DsOrB64,
        75 DsXorB64, 76 DsMskorB64, 77 DsWriteB64, 78 DsWrite2B64, 79 DsWrite2st64B64,
        80 DsCmpstB64, 81 DsCmpstF64, 82 DsMinF64, 83 DsMaxF64, 96 DsAddRtnU64, 97 DsSubRtnU64,
        98 DsRsubRtnU64, 99 DsIncRtnU64, 100 DsDecRtnU64, 101 DsMinRtnI64, 102 DsMaxRtnI64,
        103 DsMinRtnU64, 104 DsMaxRtnU64, 105 DsAndRtnB64, 106 DsOrRtnB64, 107 DsXorRtnB64,
        108 DsMskorRtnB64, 109 DsWrxchgRtnB64, 110 DsWrxchg2RtnB64, 111 DsWrxchg2st64RtnB64,
        112 DsCmpstRtnB64, 113 DsCmpstRtnF64, 114 DsMinRtnF64, 115 DsMaxRtnF64, 118 DsReadB64,
        119 DsRead2B64, 120 DsRead2st64B64, 128 DsAddSrc2U32, 129 DsSubSrc2U32, 130 DsRsubSrc2U32,
        131 DsIncSrc2U32, 132 DsDecSrc2U32, 133 DsMinSrc2I32, 134 DsMaxSrc2I32, 135 DsMinSrc2U32,
        136 DsMaxSrc2U32, 137 DsAndSrc2B32, 138 DsOrSrc2B32, 139 DsXorSrc2B32, 141 DsWriteSrc2B32,
        146 DsMinSrc2F32, 147 DsMaxSrc2F32, 192 DsAddSrc2U64, 193 DsSubSrc2U64, 194 DsRsubSrc2U64,
        195 DsIncSrc2U64, 196 DsDecSrc2U64, 197 DsMinSrc2I64, 198 DsMaxSrc2I64, 199 DsMinSrc2U64,
        200 DsMaxSrc2U64, 201 DsAndSrc2B64, 202 DsOrSrc2B64, 203 DsXorSrc2B64, 205 DsWriteSrc2B64,
        210 DsMinSrc2F64, 211 DsMaxSrc2F64,
    }
    Mubuf {
        0 BufferLoadFormatX, 1 BufferLoadFormatXy, 2 BufferLoadFormatXyz, 3 BufferLoadFormatXyzw,
        4 BufferStoreFormatX, 5 BufferStoreFormatXy, 6 BufferStoreFormatXyz,
        7 BufferStoreFormatXyzw, 8 BufferLoadUbyte, 9 BufferLoadSbyte, 10 BufferLoadUshort,
        11 BufferLoadSshort, 12 BufferLoadDword, 13 BufferLoadDwordx2, 14 BufferLoadDwordx4,
        24 BufferStoreByte, 26 BufferStoreShort, 28 BufferStoreDword, 29 BufferStoreDwordx2,
        30 BufferStoreDwordx4, 48 BufferAtomicSwap, 49 BufferAtomicCmpswap, 50 BufferAtomicAdd,
        51 BufferAtomicSub, 53 BufferAtomicSmin, 54 BufferAtomicUmin, 55 BufferAtomicSmax,
        56 BufferAtomicUmax, 57 BufferAtomicAnd, 58 BufferAtomicOr, 59 BufferAtomicXor,
        60 BufferAtomicInc, 61 BufferAtomicDec, 62 BufferAtomicFcmpswap, 63 BufferAtomicFmin,
        64 BufferAtomicFmax, 80 BufferAtomicSwapX2, 81 BufferAtomicCmpswapX2, 82 BufferAtomicAddX2,
        83 BufferAtomicSubX2, 85 BufferAtomicSminX2, 86 BufferAtomicUminX2, 87 BufferAtomicSmaxX2,
        88 BufferAtomicUmaxX2, 89 BufferAtomicAndX2, 90 BufferAtomicOrX2, 91 BufferAtomicXorX2,
        92 BufferAtomicIncX2, 93 BufferAtomicDecX2, 94 BufferAtomicFcmpswapX2,
        95 BufferAtomicFminX2, 96 BufferAtomicFmaxX2, 112 BufferWbinvl1Sc, 113 BufferWbinvl1,
    }
    Mtbuf {
        0 TbufferLoadFormatX, 1 TbufferLoadFormatXy, 2 TbufferLoadFormatXyz,
        3 TbufferLoadFormatXyzw, 4 TbufferStoreFormatX, 5 TbufferStoreFormatXy,
        6 TbufferStoreFormatXyz, 7 TbufferStoreFormatXyzw,
    }
    Mimg {
        0 ImageLoad, 1 ImageLoadMip, 2 ImageLoadPck, 3 ImageLoadPckSgn, 4 ImageLoadMipPck,
        5 ImageLoadMipPckSgn, 8 ImageStore, 9 ImageStoreMip, 10 ImageStorePck, 11 ImageStoreMipPck,
        14 ImageGetResinfo, 15 ImageAtomicSwap, 16 ImageAtomicCmpswap, 17 ImageAtomicAdd,
        18 ImageAtomicSub, 19 ImageAtomicRsub, 20 ImageAtomicSmin, 21 ImageAtomicUmin,
        22 ImageAtomicSmax, 23 ImageAtomicUmax, 24 ImageAtomicAnd, 25 ImageAtomicOr,
        26 ImageAtomicXor, 27 ImageAtomicInc, 28 ImageAtomicDec, 29 ImageAtomicFcmpswap,
        30 ImageAtomicFmin, 31 ImageAtomicFmax, 32 ImageSample, 33 ImageSampleCl, 34 ImageSampleD,
        35 ImageSampleDCl, 36 ImageSampleL, 37 ImageSampleB, 38 ImageSampleBCl, 39 ImageSampleLz,
        40 ImageSampleC, 41 ImageSampleCCl, 42 ImageSampleCD, 43 ImageSampleCDCl, 44 ImageSampleCL,
        45 ImageSampleCB, 46 ImageSampleCBCl, 47 ImageSampleCLz, 48 ImageSampleO, 49 ImageSampleClO,
        50 ImageSampleDO, 51 ImageSampleDClO, 52 ImageSampleLO, 53 ImageSampleBO,
        54 ImageSampleBClO, 55 ImageSampleLzO, 56 ImageSampleCO, 57 ImageSampleCClO,
        58 ImageSampleCDO, 59 ImageSampleCDClO, 60 ImageSampleCLO, 61 ImageSampleCBO,
        62 ImageSampleCBClO, 63 ImageSampleCLzO, 64 ImageGather4, 65 ImageGather4Cl,
        68 ImageGather4L, 69 ImageGather4B, 70 ImageGather4BCl, 71 ImageGather4Lz, 72 ImageGather4C,
        73 ImageGather4CCl, 76 ImageGather4CL, 77 ImageGather4CB, 78 ImageGather4CBCl,
        79 ImageGather4CLz, 80 ImageGather4O, 81 ImageGather4ClO, 84 ImageGather4LO,
        85 ImageGather4BO, 86 ImageGather4BClO, 87 ImageGather4LzO, 88 ImageGather4CO,
        89 ImageGather4CClO, 92 ImageGather4CLO, 93 ImageGather4CBO, 94 ImageGather4CBClO,
        95 ImageGather4CLzO, 96 ImageGetLod, 104 ImageSampleCd, 105 ImageSampleCdCl,
        106 ImageSampleCCd, 107 ImageSampleCCdCl, 108 ImageSampleCdO, 109 ImageSampleCdClO,
        110 ImageSampleCCdO, 111 ImageSampleCCdClO,
    }
    Exp {
        0 Exp,
    }
    Vop3 {
        320 VMadLegacyF32, 321 VMadF32, 322 VMadI32I24, 323 VMadU32U24, 324 VCubeidF32,
        325 VCubescF32, 326 VCubetcF32, 327 VCubemaF32, 328 VBfeU32, 329 VBfeI32, 330 VBfiB32,
        331 VFmaF32, 332 VFmaF64, 333 VLerpU8, 334 VAlignbitB32, 335 VAlignbyteB32, 336 VMullitF32,
        337 VMin3F32, 338 VMin3I32, 339 VMin3U32, 340 VMax3F32, 341 VMax3I32, 342 VMax3U32,
        343 VMed3F32, 344 VMed3I32, 345 VMed3U32, 346 VSadU8, 347 VSadHiU8, 348 VSadU16,
        349 VSadU32, 350 VCvtPkU8F32, 351 VDivFixupF32, 352 VDivFixupF64, 353 VLshlB64,
        354 VLshrB64, 355 VAshrI64, 356 VAddF64, 357 VMulF64, 358 VMinF64, 359 VMaxF64,
        360 VLdexpF64, 361 VMulLoU32, 362 VMulHiU32, 363 VMulLoI32, 364 VMulHiI32, 365 VDivScaleF32,
        366 VDivScaleF64, 367 VDivFmasF32, 368 VDivFmasF64, 369 VMsadU8, 372 VTrigPreopF64,
    }
    ; unpromoted {
        VReadlaneB32, VWritelaneB32, VReadfirstlaneB32, VMadmkF32, VMadakF32,
    }
};
