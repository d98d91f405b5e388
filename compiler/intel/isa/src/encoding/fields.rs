//! Positions of the fields of an instruction: one table per generation, each inheriting from the
//! one before.
//!
//! Positions are those of Mesa's `brw_inst.h`. Encoder and decoder use nothing else.

use crate::bits::mask;
use crate::devinfo::GfxVersion;

/// Adjacent bits of an instruction, all in one of its halves of 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// 0 or 1.
    pub half: u8,
    /// Position of the lowest bit in the half.
    pub shift: u8,
    /// Number of bits.
    pub width: u8,
    /// One bit for each of the run, from bit 0 on.
    pub mask: u64,
}

impl Run {
    const NONE: Run = Run { half: 0, shift: 0, width: 0, mask: 0 };

    /// Bits `hi..=lo` of the instruction.
    const fn new(hi: u8, lo: u8) -> Run {
        assert!(hi >= lo && hi / 64 == lo / 64, "a run is within one half");
        Run { half: lo / 64, shift: lo % 64, width: hi - lo + 1, mask: mask(hi - lo + 1) }
    }

    #[inline]
    fn get(self, halves: [u64; 2]) -> u64 {
        halves[usize::from(self.half & 1)] >> self.shift & self.mask
    }
}

/// Position of a field: a run of bits, and perhaps a second one with the more significant bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub low: Run,
    pub high: Run,
    /// Number of bits; 0 where the generation lacks the field.
    pub width: u8,
    /// Largest value.
    pub max: u64,
}

impl Span {
    const ABSENT: Span = Span::new(Run::NONE, Run::NONE);

    const fn new(low: Run, high: Run) -> Span {
        let width = low.width + high.width;
        Span { low, high, width, max: if width == 0 { 0 } else { mask(width) } }
    }
}

fn halves(word: u128) -> [u64; 2] {
    [word as u64, (word >> 64) as u64]
}

/// Declares the field names and the base table.
macro_rules! fields {
    ($($field:ident = $hi:literal : $lo:literal $(+ $hi2:literal : $lo2:literal)?;)* ; absent $($later:ident)*) => {
        /// A field of an instruction. Some overlap: which ones apply depends on the opcode and on
        /// other fields.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the variants are the names of the tables")]
        pub enum Field {
            $($field,)*
            $($later,)*
        }

        /// Number of fields.
        const COUNT: usize = [$(Field::$field,)* $(Field::$later,)*].len();

        /// Gen7: Ivy Bridge and Haswell.
        static GEN7: FieldLayout = FieldLayout {
            spans: [$(fields!(@span $hi : $lo $(+ $hi2 : $lo2)?),)* $(fields!(@absent $later),)*],
        };
    };
    (@absent $later:ident) => { Span::ABSENT };
    (@span $hi:literal : $lo:literal) => { Span::new(Run::new($hi, $lo), Run::NONE) };
    (@span $hi:literal : $lo:literal + $hi2:literal : $lo2:literal) => {
        Span::new(Run::new($hi, $lo), Run::new($hi2, $lo2))
    };
}

/// Declares a table that differs from another in the listed fields.
macro_rules! inherit {
    ($base:ident { $($field:ident = $hi:literal : $lo:literal $(+ $hi2:literal : $lo2:literal)?;)* }) => {{
        let mut layout = FieldLayout { spans: $base.spans };
        $(layout.spans[Field::$field as usize] = fields!(@span $hi : $lo $(+ $hi2 : $lo2)?);)*
        layout
    }};
}

fields! {
    // Controls.
    Opcode = 6:0;
    AccessMode = 8:8;
    MaskControl = 9:9;
    NoDdClear = 10:10;
    NoDdCheck = 11:11;
    QtrControl = 13:12;
    NibControl = 47:47;
    ThreadControl = 15:14;
    PredControl = 19:16;
    PredInverse = 20:20;
    ExecSize = 23:21;
    CondMod = 27:24;
    AccWrControl = 28:28;
    CmptControl = 29:29;
    DebugControl = 30:30;
    Saturate = 31:31;
    FlagSub = 89:89;
    FlagNr = 90:90;

    // Destination.
    DstFile = 33:32;
    DstType = 36:34;
    DstSubreg = 52:48;
    DstSubreg16 = 52:52;
    DstWritemask = 51:48;
    DstNr = 60:53;
    DstHstride = 62:61;
    DstAddrMode = 63:63;
    DstIaSubreg = 60:58;
    DstIaOffset = 57:48;
    DstIaOffset16 = 57:52;

    // First source.
    Src0File = 38:37;
    Src0Type = 41:39;
    Src0Subreg = 68:64;
    Src0Subreg16 = 68:68;
    Src0Nr = 76:69;
    Src0Abs = 77:77;
    Src0Negate = 78:78;
    Src0AddrMode = 79:79;
    Src0Hstride = 81:80;
    Src0Width = 84:82;
    Src0Vstride = 88:85;
    Src0Swizzle = 67:64 + 83:80;
    Src0IaSubreg = 76:74;
    Src0IaOffset = 73:64;
    Src0IaOffset16 = 73:68;

    // Second source.
    Src1File = 43:42;
    Src1Type = 46:44;
    Src1Subreg = 100:96;
    Src1Subreg16 = 100:100;
    Src1Nr = 108:101;
    Src1Abs = 109:109;
    Src1Negate = 110:110;
    Src1AddrMode = 111:111;
    Src1Hstride = 113:112;
    Src1Width = 116:114;
    Src1Vstride = 120:117;
    Src1Swizzle = 99:96 + 115:112;
    Src1IaSubreg = 108:106;
    Src1IaOffset = 105:96;
    Src1IaOffset16 = 105:100;

    // Immediates, jumps, messages.
    Imm32 = 127:96;
    Imm64 = 127:64;
    Jip = 111:96;
    Uip = 127:112;
    SendDesc = 126:96;
    SendEot = 127:127;

    // Three-source instructions.
    TsFlagSub = 33:33;
    TsFlagNr = 34:34;
    TsSrcType = 43:42;
    TsDstType = 45:44;
    TsDstWritemask = 52:49;
    TsDstSubreg = 55:53;
    TsDstNr = 63:56;
    TsSrc0Abs = 36:36;
    TsSrc0Negate = 37:37;
    TsSrc0Rep = 64:64;
    TsSrc0Swizzle = 72:65;
    TsSrc0Subreg = 75:73;
    TsSrc0Nr = 83:76;
    TsSrc1Abs = 38:38;
    TsSrc1Negate = 39:39;
    TsSrc1Rep = 85:85;
    TsSrc1Swizzle = 93:86;
    TsSrc1Subreg = 96:94;
    TsSrc1Nr = 104:97;
    TsSrc2Abs = 40:40;
    TsSrc2Negate = 41:41;
    TsSrc2Rep = 106:106;
    TsSrc2Swizzle = 114:107;
    TsSrc2Subreg = 117:115;
    TsSrc2Nr = 125:118;

    // Not on gen7: mixed-precision three-source instructions (gen8+) and split sends (gen9).
    ;
    absent
    TsSrc1IsHf TsSrc2IsHf
    SsDstFile SsSrc1File SsSrc1Nr SsIndirectDesc SsIndirectExDesc SsExDescSubreg SsExDescLow SsExDescHigh
}

/// Broadwell and Cherryview.
static GEN8: FieldLayout = inherit!(GEN7 {
    NoDdClear = 9:9;
    NoDdCheck = 10:10;
    NibControl = 11:11;
    FlagSub = 32:32;
    FlagNr = 33:33;
    MaskControl = 34:34;
    DstFile = 36:35;
    DstType = 40:37;
    Src0File = 42:41;
    Src0Type = 46:43;
    Src1File = 90:89;
    Src1Type = 94:91;
    DstIaSubreg = 60:57;
    DstIaOffset = 56:48 + 47:47;
    DstIaOffset16 = 56:52 + 47:47;
    Src0IaSubreg = 76:73;
    Src0IaOffset = 72:64 + 95:95;
    Src0IaOffset16 = 72:68 + 95:95;
    Src1IaSubreg = 108:105;
    Src1IaOffset = 104:96 + 121:121;
    Src1IaOffset16 = 104:100 + 121:121;
    Jip = 127:96;
    Uip = 95:64;
    TsFlagSub = 32:32;
    TsFlagNr = 33:33;
    TsSrc2IsHf = 35:35;
    TsSrc1IsHf = 36:36;
    TsSrc0Abs = 37:37;
    TsSrc0Negate = 38:38;
    TsSrc1Abs = 39:39;
    TsSrc1Negate = 40:40;
    TsSrc2Abs = 41:41;
    TsSrc2Negate = 42:42;
    TsSrcType = 45:43;
    TsDstType = 48:46;
});

/// Skylake.
static GEN9: FieldLayout = inherit!(GEN8 {
    SsDstFile = 35:35;
    SsSrc1File = 36:36;
    SsSrc1Nr = 51:44;
    SsIndirectExDesc = 61:61;
    SsIndirectDesc = 77:77;
    SsExDescSubreg = 82:80;
    SsExDescLow = 67:64;
    SsExDescHigh = 95:80;
});

/// The field table of one generation.
#[derive(Debug)]
pub(crate) struct FieldLayout {
    spans: [Span; COUNT],
}

impl FieldLayout {
    /// The table of `generation`.
    pub(crate) fn of(version: GfxVersion) -> &'static FieldLayout {
        match version {
            GfxVersion::Gfx7 | GfxVersion::Gfx75 => &GEN7,
            GfxVersion::Gfx8 => &GEN8,
            GfxVersion::Gfx9 => &GEN9,
        }
    }

    #[inline]
    pub(super) fn span(&self, field: Field) -> &Span {
        &self.spans[field as usize]
    }

    /// Number of bits of `field`; 0 if the generation lacks it.
    #[inline]
    pub(crate) fn width(&self, field: Field) -> u32 {
        u32::from(self.span(field).width)
    }

    /// The value of `field` in `word`; 0 if the generation lacks it.
    #[inline]
    pub(crate) fn get(&self, word: u128, field: Field) -> u64 {
        let span = self.span(field);
        let halves = halves(word);
        let low = span.low.get(halves);
        if span.high.width == 0 { low } else { low | span.high.get(halves) << span.low.width }
    }
}

/// The fields of a generation, as a type: functions generic over it have every position as a
/// constant.
pub(crate) trait Fields {
    /// Where they stand.
    const LAYOUT: &'static FieldLayout;
}

/// Fields of Ivy Bridge and Haswell.
#[derive(Debug)]
pub(crate) struct Gen7Fields;
/// Fields of Broadwell and Cherryview.
#[derive(Debug)]
pub(crate) struct Gen8Fields;
/// Fields of Skylake.
#[derive(Debug)]
pub(crate) struct Gen9Fields;

impl Fields for Gen7Fields {
    const LAYOUT: &'static FieldLayout = &GEN7;
}

impl Fields for Gen8Fields {
    const LAYOUT: &'static FieldLayout = &GEN8;
}

impl Fields for Gen9Fields {
    const LAYOUT: &'static FieldLayout = &GEN9;
}
