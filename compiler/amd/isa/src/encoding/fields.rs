//! Positions of the fields of an instruction: one table per chip. Encoder and decoder use nothing
//! else.

use crate::chip::Chip;
use crate::field::Field;
use crate::format::Format;

/// Bits of a field, from the highest to the lowest, in the first 64 bits of the instruction.
type Span = (Field, u8, u8);

/// FormatLayout of a format.
pub(crate) struct FormatLayout {
    pub format: Format,
    /// Number of dwords without literal.
    pub dwords: u8,
    /// The bits of the first dword that tell the format, and their values.
    pub prefix_mask: u32,
    pub prefix_bits: u32,
    /// Highest and lowest bit by field; `ABSENT` where the format lacks it.
    spans: [(u8, u8); Field::COUNT],
}

/// Place of a field that a format lacks.
const ABSENT: (u8, u8) = (0, 1);

impl FormatLayout {
    /// Returns a layout; `prefix` has the bits that tell the format, from bit 31 down.
    const fn new(format: Format, dwords: u8, prefix: &str, fields: &[Span]) -> FormatLayout {
        let mut spans = [ABSENT; Field::COUNT];
        let mut at = 0;
        while at < fields.len() {
            let (field, high, low) = fields[at];
            spans[field as usize] = (high, low);
            at += 1;
        }
        let (prefix, mut bits) = (prefix.as_bytes(), 0);
        at = 0;
        while at < prefix.len() {
            bits |= ((prefix[at] == b'1') as u32) << (31 - at);
            at += 1;
        }
        let prefix_mask = !(((1_u64 << (32 - prefix.len())) - 1) as u32);
        FormatLayout { format, dwords, prefix_mask, prefix_bits: bits, spans }
    }

    /// Highest and lowest bit of a field, if the format has it.
    pub(crate) fn span(&self, field: Field) -> Option<(u8, u8)> {
        Some(self.spans[field as usize]).filter(|span| *span != ABSENT)
    }

    /// The bits of a field; 0 if the format lacks it.
    pub(crate) fn get(&self, bits: u64, field: Field) -> u32 {
        self.span(field)
            .map_or(0, |(high, low)| (bits >> low & ((1_u64 << (high - low + 1)) - 1)) as u32)
    }

    /// Sets the bits of a field. False if the value does not fit or the format lacks the field.
    pub(crate) fn set(&self, bits: &mut u64, field: Field, value: u32) -> bool {
        let Some((high, low)) = self.span(field) else { return value == 0 };
        let width = u32::from(high - low + 1);
        if width < 32 && value >> width != 0 {
            return false;
        }
        *bits |= u64::from(value) << low;
        true
    }

    /// True if a first dword begins with the prefix.
    pub(crate) fn matches(&self, word: u32) -> bool {
        word & self.prefix_mask == self.prefix_bits
    }
}

/// The layouts of a chip, longer prefixes first.
pub(crate) fn layouts(chip: Chip) -> &'static [FormatLayout] {
    match chip {
        Chip::Si => SI,
        Chip::Vi => VI,
    }
}

/// The layout of a format.
pub(crate) fn layout(chip: Chip, format: Format) -> Option<&'static FormatLayout> {
    layouts(chip).iter().find(|layout| layout.format == format)
}

/// Declares layouts: format, dwords, prefix, fields.
macro_rules! layouts {
    ($($format:ident $dwords:literal $prefix:literal $($field:ident $high:literal : $low:literal)*;)*) => {
        &[$(FormatLayout::new(
            Format::$format,
            $dwords,
            $prefix,
            &[$((Field::$field, $high, $low),)*],
        ),)*]
    };
}

static SI: &[FormatLayout] = layouts! {
    Sop1 1 "101111101" Sdst 22:16 Op 15:8 Ssrc0 7:0;
    Sopc 1 "101111110" Op 22:16 Ssrc1 15:8 Ssrc0 7:0;
    Sopp 1 "101111111" Op 22:16 Simm16 15:0;
    Vop1 1 "0111111" Vdst 24:17 Op 16:9 Src0 8:0;
    Vopc 1 "0111110" Op 24:17 Vsrc1 16:9 Src0 8:0;
    Vop3 2 "110100" Op 25:17 Clamp 11:11 Abs 10:8 Sdst 14:8 Vdst 7:0
        Neg 63:61 Omod 60:59 Src2 58:50 Src1 49:41 Src0 40:32;
    Vintrp 1 "110010" Vdst 25:18 Op 17:16 Attr 15:10 Chan 9:8 Vsrc 7:0;
    Ds 2 "110110" Op 25:18 Gds 17:17 Offset1 15:8 Offset0 7:0 Offset 15:0
        Vdst 63:56 Data1 55:48 Data0 47:40 Addr 39:32;
    Mubuf 2 "111000" Op 24:18 Lds 16:16 Addr64 15:15 Glc 14:14 Idxen 13:13 Offen 12:12 Offset 11:0
        Soffset 63:56 Tfe 55:55 Slc 54:54 Srsrc 52:48 Vdata 47:40 Vaddr 39:32;
    Mtbuf 2 "111010" Nfmt 25:23 Dfmt 22:19 Op 18:16 Addr64 15:15 Glc 14:14 Idxen 13:13 Offen 12:12
        Offset 11:0 Soffset 63:56 Tfe 55:55 Slc 54:54 Srsrc 52:48 Vdata 47:40 Vaddr 39:32;
    Mimg 2 "111100" Slc 25:25 Op 24:18 Lwe 17:17 Tfe 16:16 R128 15:15 Da 14:14 Glc 13:13
        Unorm 12:12 Dmask 11:8 Ssamp 57:53 Srsrc 52:48 Vdata 47:40 Vaddr 39:32;
    Exp 2 "111110" Vm 12:12 Done 11:11 Compr 10:10 Target 9:4 En 3:0
        ExportSource3 63:56 ExportSource2 55:48 ExportSource1 47:40 ExportSource0 39:32;
    Smem 1 "11000" Op 26:22 Sdst 21:15 Sbase 14:9 Imm 8:8 Offset 7:0;
    Sopk 1 "1011" Op 27:23 Sdst 22:16 Simm16 15:0;
    Sop2 1 "10" Op 29:23 Sdst 22:16 Ssrc1 15:8 Ssrc0 7:0;
    Vop2 1 "0" Op 30:25 Vdst 24:17 Vsrc1 16:9 Src0 8:0;
};

static VI: &[FormatLayout] = layouts! {
    Sop1 1 "101111101" Sdst 22:16 Op 15:8 Ssrc0 7:0;
    Sopc 1 "101111110" Op 22:16 Ssrc1 15:8 Ssrc0 7:0;
    Sopp 1 "101111111" Op 22:16 Simm16 15:0;
    Vop1 1 "0111111" Vdst 24:17 Op 16:9 Src0 8:0;
    Vopc 1 "0111110" Op 24:17 Vsrc1 16:9 Src0 8:0;
    Vop3 2 "110100" Op 25:16 Clamp 15:15 Abs 10:8 Sdst 14:8 Vdst 7:0
        Neg 63:61 Omod 60:59 Src2 58:50 Src1 49:41 Src0 40:32
        High 40:40 Chan 39:38 Attr 37:32;
    Vintrp 1 "110101" Vdst 25:18 Op 17:16 Attr 15:10 Chan 9:8 Vsrc 7:0;
    Ds 2 "110110" Op 24:17 Gds 16:16 Offset1 15:8 Offset0 7:0 Offset 15:0
        Vdst 63:56 Data1 55:48 Data0 47:40 Addr 39:32;
    Mubuf 2 "111000" Op 24:18 Slc 17:17 Lds 16:16 Glc 14:14 Idxen 13:13 Offen 12:12 Offset 11:0
        Soffset 63:56 Tfe 55:55 Srsrc 52:48 Vdata 47:40 Vaddr 39:32;
    Mtbuf 2 "111010" Nfmt 25:23 Dfmt 22:19 Op 18:15 Glc 14:14 Idxen 13:13 Offen 12:12
        Offset 11:0 Soffset 63:56 Tfe 55:55 Slc 54:54 Srsrc 52:48 Vdata 47:40 Vaddr 39:32;
    Mimg 2 "111100" Slc 25:25 Op 24:18 Lwe 17:17 Tfe 16:16 R128 15:15 Da 14:14 Glc 13:13
        Unorm 12:12 Dmask 11:8 D16 63:63 Ssamp 57:53 Srsrc 52:48 Vdata 47:40 Vaddr 39:32;
    Exp 2 "110001" Vm 12:12 Done 11:11 Compr 10:10 Target 9:4 En 3:0
        ExportSource3 63:56 ExportSource2 55:48 ExportSource1 47:40 ExportSource0 39:32;
    Flat 2 "110111" Op 24:18 Slc 17:17 Glc 16:16 Tfe 55:55 Vdst 63:56 Data0 47:40 Addr 39:32;
    Smem 2 "110000" Op 25:18 Imm 17:17 Glc 16:16 Sdst 12:6 Sbase 5:0 Offset 51:32;
    Sopk 1 "1011" Op 27:23 Sdst 22:16 Simm16 15:0;
    Sop2 1 "10" Op 29:23 Sdst 22:16 Ssrc1 15:8 Ssrc0 7:0;
    Vop2 1 "0" Op 30:25 Vdst 24:17 Vsrc1 16:9 Src0 8:0;
};

/// Second dword of an instruction with data-parallel primitives.
pub(crate) static DPP: &FormatLayout = &FormatLayout::new(
    Format::Vop1,
    1,
    "",
    &[
        (Field::RowMask, 31, 28),
        (Field::BankMask, 27, 24),
        (Field::Abs1, 23, 23),
        (Field::Neg1, 22, 22),
        (Field::Abs0, 21, 21),
        (Field::Neg0, 20, 20),
        (Field::BoundControl, 19, 19),
        (Field::DppControl, 16, 8),
        (Field::LaneSource, 7, 0),
    ],
);

/// Second dword of an instruction with sub-dword addressing.
pub(crate) static SDWA: &FormatLayout = &FormatLayout::new(
    Format::Vop1,
    1,
    "",
    &[
        (Field::Abs1, 29, 29),
        (Field::Neg1, 28, 28),
        (Field::Sext1, 27, 27),
        (Field::Select1, 26, 24),
        (Field::Abs0, 21, 21),
        (Field::Neg0, 20, 20),
        (Field::Sext0, 19, 19),
        (Field::Select0, 18, 16),
        (Field::Clamp, 13, 13),
        (Field::DestinationUnused, 12, 11),
        (Field::DestinationSelect, 10, 8),
        (Field::LaneSource, 7, 0),
    ],
);
