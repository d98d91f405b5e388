//! Positions of the fields of a message descriptor, per generation with inheritance.
//!
//! Positions are those of the descriptor functions in Mesa's `brw_eu.h` and of the message fields
//! in `brw_inst.h`.

use thiserror::Error;

use crate::bits::{bits, mask};
use crate::devinfo::{DevInfo, GfxVersion};
use crate::inst::Sfid;

/// Why a descriptor cannot be made or understood.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DescError {
    /// The generation's descriptors lack a field.
    #[error("this generation's descriptors have no field {field:?}")]
    NoSuchField {
        /// The field.
        field: DescField,
    },
    /// A value is too large.
    #[error("{value} does not fit descriptor field {field:?}")]
    DoesNotFit {
        /// The field.
        field: DescField,
        /// The value.
        value: u32,
    },
    /// A code that means nothing.
    #[error("reserved code {code} in descriptor field {field:?}")]
    Reserved {
        /// The field.
        field: DescField,
        /// Its value.
        code: u32,
    },
    /// The generation or the port has no such message.
    #[error("this generation has no such message: {what}")]
    NoSuchMessage {
        /// The message.
        what: &'static str,
    },
    /// No message of the receiver is known with these bits.
    #[error("descriptor {desc:#010x} is not a known message to {}", sfid.text())]
    Unknown {
        /// The receiver.
        sfid: Sfid,
        /// The bits.
        desc: u32,
    },
}

/// A run of bits and perhaps one more significant bit elsewhere.
#[derive(Clone, Copy)]
struct Span {
    run: (u8, u8),
    top: Option<u8>,
}

macro_rules! desc_fields {
    ($($field:ident = $hi:literal : $lo:literal;)* ; absent $($later:ident)*) => {
        /// A field of a message descriptor; which ones apply depends on receiver and message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the variants are the names of the tables")]
        pub enum DescField {
            $($field,)*
            $($later,)*
        }

        const COUNT: usize = [$(DescField::$field,)* $(DescField::$later,)*].len();

        type Table = [Option<Span>; COUNT];

        static GEN7: Table = [
            $(Some(Span { run: ($hi, $lo), top: None }),)*
            $({ let _ = DescField::$later; None },)*
        ];
    };
}

macro_rules! inherit {
    ($base:ident { $($field:ident = $hi:literal : $lo:literal $(+ $top:literal)?;)* }) => {{
        let mut table = $base;
        $(table[DescField::$field as usize] =
            Some(Span { run: ($hi, $lo), top: inherit!(@top $($top)?) });)*
        table
    }};
    (@top) => { None };
    (@top $top:literal) => { Some($top) };
}

desc_fields! {
    // Every message.
    MessageLength = 28:25;
    ResponseLength = 24:20;
    Header = 19:19;
    BindingTable = 7:0;

    SamplerIndex = 11:8;
    SamplerType = 16:12;
    SamplerSimd = 18:17;

    UrbOpcode = 2:0;
    UrbOffset = 13:3;
    UrbSwizzle = 14:14;
    UrbComplete = 15:15;
    UrbPerSlotOffset = 16:16;

    DataPortType = 17:14;
    // Set for scratch messages of the data cache.
    DataPortCategory = 18:18;
    BlockSize = 10:8;
    A64Unaligned = 12:11;
    DualBlockSize = 9:8;
    DwordScatteredSimd16 = 8:8;
    DwordScatteredLegacy = 9:9;
    ByteScatteredSimd16 = 8:8;
    ByteScatteredSize = 11:10;
    SurfaceMask = 11:8;
    UntypedSimd = 13:12;
    AtomicOp = 11:8;
    AtomicSimd8 = 12:12;
    TypedHighSlots = 12:12;
    AtomicReturns = 13:13;
    FenceCommit = 13:13;
    A64Element = 9:8;
    A64Count = 11:10;
    A64Simd16 = 12:12;
    A64Qword = 12:12;
    TypedSlotGroup = 13:13;

    ScratchWrite = 17:17;
    ScratchDword = 16:16;
    ScratchInvalidate = 15:15;
    ScratchBlockSize = 13:12;
    ScratchOffset = 11:0;

    RenderTargetSubtype = 10:8;
    RenderTargetHighSlots = 11:11;
    RenderTargetLast = 12:12;
    RenderTargetPerSample = 13:13;

    GatewayFunction = 2:0;
    GatewayNotify = 16:15;

    SpawnerOpcode = 0:0;
    SpawnerRequest = 1:1;
    SpawnerNoUrb = 4:4;

    MediaTables = 12:8;
    MediaKind = 14:13;
    MediaStreams = 16:15;
    MediaBlockLines = 10:8;

    InterpolatorSimd16 = 16:16;
    InterpolatorLinear = 14:14;
    InterpolatorMode = 13:12;
    InterpolatorHighSlots = 11:11;
    InterpolatorData = 7:0;
    ;
    absent
    SamplerHalfReturn UrbChannelMask
}

static GEN75: Table = inherit!(GEN7 {
    TypedSlotGroup = 13:12;
});

static GEN8: Table = inherit!(GEN75 {
    SamplerSimd = 18:17 + 29;
    SamplerHalfReturn = 30:30;
    UrbOpcode = 3:0;
    UrbOffset = 14:4;
    UrbSwizzle = 15:15;
    UrbChannelMask = 15:15;
    UrbPerSlotOffset = 17:17;
    DataPortType = 18:14;
});

fn span(version: GfxVersion, field: DescField) -> Option<Span> {
    let table = match version {
        GfxVersion::Gfx7 => &GEN7,
        GfxVersion::Gfx75 => &GEN75,
        GfxVersion::Gfx8 | GfxVersion::Gfx9 => &GEN8,
    };
    table[field as usize]
}

/// The value of `field` in descriptor `desc`; 0 if the generation lacks it.
pub(super) fn get(version: GfxVersion, desc: u32, field: DescField) -> u32 {
    let Some(Span { run, top }) = span(version, field) else { return 0 };
    let desc = u128::from(desc);
    let low = bits(desc, run) as u32;
    match top {
        None => low,
        Some(top) => low | (bits(desc, (top, top)) as u32) << (run.0 - run.1 + 1),
    }
}

/// Sets `field` of descriptor `desc`, which must still be zero there.
fn set(version: GfxVersion, desc: &mut u32, field: DescField, value: u32) -> Result<(), DescError> {
    let Span { run, top } = span(version, field).ok_or(DescError::NoSuchField { field })?;
    let width = run.0 - run.1 + 1;
    let all = width + u8::from(top.is_some());
    if u64::from(value) > mask(all) {
        return Err(DescError::DoesNotFit { field, value });
    }
    *desc |= ((u64::from(value) & mask(width)) as u32) << run.1;
    if let Some(top) = top {
        *desc |= value >> width << top;
    }
    Ok(())
}

/// A descriptor under construction.
pub(super) struct Builder<'a> {
    pub devinfo: &'a DevInfo,
    pub desc: u32,
}

impl Builder<'_> {
    pub(super) fn set(&mut self, field: DescField, value: u32) -> Result<(), DescError> {
        set(self.devinfo.version, &mut self.desc, field, value)
    }

    /// Sets a flag; a clear one may be missing on the generation.
    pub(super) fn flag(&mut self, field: DescField, value: bool) -> Result<(), DescError> {
        if value { self.set(field, 1) } else { Ok(()) }
    }
}

/// A descriptor being read.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub devinfo: &'a DevInfo,
    pub desc: u32,
}

impl View<'_> {
    pub(super) fn get(&self, field: DescField) -> u32 {
        get(self.devinfo.version, self.desc, field)
    }

    pub(super) fn flag(&self, field: DescField) -> bool {
        self.get(field) != 0
    }

    pub(super) fn code<T>(
        &self,
        field: DescField,
        meaning: impl FnOnce(u64) -> Option<T>,
    ) -> Result<T, DescError> {
        let code = self.get(field);
        meaning(u64::from(code)).ok_or(DescError::Reserved { field, code })
    }
}
