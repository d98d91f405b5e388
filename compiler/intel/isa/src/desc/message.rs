//! Messages: typed views of descriptors.

use crate::inst::{Sfid, coded_enum};

/// The parts of a descriptor that every message has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// General registers of the message (of a split send: of its first part).
    pub mlen: u8,
    /// General registers of the response.
    pub rlen: u8,
    /// The first register of the message is a header.
    pub header: bool,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// To the sampler.
    Sampler(SamplerMessage),
    /// To the unified return buffer.
    Urb(UrbMessage),
    /// A render-target write or read.
    RenderTarget(RenderTargetMessage),
    /// To one of the data ports.
    DataPort(DataPortMessage),
    /// To scratch memory, through the data cache.
    Scratch(ScratchMessage),
    /// To the message gateway.
    Gateway(GatewayMessage),
    /// To the thread spawner.
    Spawner(SpawnerMessage),
    /// To the pixel interpolator.
    PixelInterpolator(PixelInterpolatorMessage),
    /// To video motion estimation, or to the check and refinement engine.
    Media(MediaMessage),
}

coded_enum! {
    /// Sampler operations.
    SamplerOp {
        /// Sample with implicit level of detail.
        Sample = 0 "sample",
        /// With bias.
        SampleB = 1 "sample_b",
        /// With explicit level of detail.
        SampleL = 2 "sample_l",
        /// With depth compare.
        SampleC = 3 "sample_c",
        /// With gradients.
        SampleD = 4 "sample_d",
        /// With bias and compare.
        SampleBC = 5 "sample_b_c",
        /// With level of detail and compare.
        SampleLC = 6 "sample_l_c",
        /// Texel fetch.
        Ld = 7 "ld",
        /// Gather.
        Gather4 = 8 "gather4",
        /// Level-of-detail query.
        Lod = 9 "lod",
        /// Size query.
        Resinfo = 10 "resinfo",
        /// Sample-count query.
        SampleInfo = 11 "sampleinfo",
        /// Gather with compare.
        Gather4C = 16 "gather4_c",
        /// Gather with per-pixel offsets.
        Gather4Po = 17 "gather4_po",
        /// Gather with per-pixel offsets and compare.
        Gather4PoC = 18 "gather4_po_c",
        /// With gradients and compare (hsw+).
        SampleDC = 20 "sample_d_c",
        /// At level 0 (skl).
        SampleLz = 24 "sample_lz",
        /// At level 0 with compare (skl).
        SampleCLz = 25 "sample_c_lz",
        /// Texel fetch at level 0 (skl).
        LdLz = 26 "ld_lz",
        /// Multisample fetch with wide control data (skl).
        Ld2dmsW = 28 "ld2dms_w",
        /// Fetch of multisample control data.
        LdMcs = 29 "ld_mcs",
        /// Multisample fetch through control data.
        Ld2dms = 30 "ld2dms",
        /// Multisample fetch.
        Ld2dss = 31 "ld2dss",
    }
}

coded_enum! {
    /// Number of channels of a sampler message. On skl code 0 is SIMD8D unless the header says
    /// SIMD4x2.
    SamplerSimd {
        /// Two vertices of four components.
        Simd4x2 = 0 "SIMD4x2",
        /// Eight channels.
        Simd8 = 1 "SIMD8",
        /// Sixteen channels.
        Simd16 = 2 "SIMD16",
        /// 32 or 64 channels.
        Simd32 = 3 "SIMD32/64",
    }
}

/// A sampler message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerMessage {
    /// Binding-table index of the surface.
    pub surface: u8,
    /// Sampler-table index (0–15).
    pub sampler: u8,
    /// Operation.
    pub op: SamplerOp,
    /// Width.
    pub simd: SamplerSimd,
    /// The response is half floats (gen8+).
    pub half_return: bool,
}

coded_enum! {
    /// URB operations.
    UrbOp {
        /// Write in units of 32 bytes.
        WriteHword = 0 "write HWord",
        /// Write in units of 16 bytes.
        WriteOword = 1 "write OWord",
        /// Read in units of 32 bytes.
        ReadHword = 2 "read HWord",
        /// Read in units of 16 bytes.
        ReadOword = 3 "read OWord",
        /// Atomic move.
        AtomicMov = 4 "atomic mov",
        /// Atomic increment.
        AtomicInc = 5 "atomic inc",
        /// Atomic add (hsw+).
        AtomicAdd = 6 "atomic add",
        /// SIMD8 write (gen8+).
        Simd8Write = 7 "SIMD8 write",
        /// SIMD8 read (gen8+).
        Simd8Read = 8 "SIMD8 read",
    }
}

impl UrbOp {
    /// The gen8 operations with one handle per channel.
    pub fn is_simd8(self) -> bool {
        matches!(self, UrbOp::Simd8Write | UrbOp::Simd8Read)
    }
}

/// A URB message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrbMessage {
    /// Operation.
    pub op: UrbOp,
    /// Offset into the entry, in the operation's unit (SIMD8: 16 bytes).
    pub offset: u16,
    /// Rows alternate between two entries (not SIMD8).
    pub interleave: bool,
    /// Offsets per handle are added: in the header or, SIMD8, in the message.
    pub per_slot_offset: bool,
    /// The entry is complete (gen7 only).
    pub complete: bool,
    /// SIMD8: the message contains channel masks.
    pub channel_mask: bool,
}

coded_enum! {
    /// Kinds of render-target messages.
    RenderTargetKind {
        /// Sixteen pixels.
        Simd16 = 0 "SIMD16",
        /// Sixteen pixels, one color. Of reads: eight pixels.
        Simd16Replicated = 1 "SIMD16/RepData",
        /// Eight pixels with two sources, low slots.
        Simd8DualLow = 2 "SIMD8/DualSrcLow",
        /// Eight pixels with two sources, high slots.
        Simd8DualHigh = 3 "SIMD8/DualSrcHigh",
        /// Eight pixels.
        Simd8 = 4 "SIMD8",
        /// Eight pixels, image write.
        Simd8Image = 5 "SIMD8/ImageWrite",
    }
}

/// A render-target write, or (skl) read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderTargetMessage {
    /// Binding-table index of the target.
    pub surface: u8,
    /// Width and sources.
    pub kind: RenderTargetKind,
    /// Pixels 16–31 rather than 0–15 (of SIMD32), or 8–15 for SIMD8 kinds.
    pub high_slots: bool,
    /// The last render target the thread writes.
    pub last: bool,
    /// One sample per pixel rather than all of them (reads: of the thread's sample).
    pub per_sample: bool,
    /// A read.
    pub read: bool,
}

coded_enum! {
    /// Integer atomics.
    AtomicOp {
        /// AND.
        And = 1 "and",
        /// OR.
        Or = 2 "or",
        /// Exclusive OR.
        Xor = 3 "xor",
        /// Exchange.
        Mov = 4 "mov",
        /// Increment.
        Inc = 5 "inc",
        /// Decrement.
        Dec = 6 "dec",
        /// Add.
        Add = 7 "add",
        /// Subtract.
        Sub = 8 "sub",
        /// Subtract the memory's value from the operand.
        RevSub = 9 "revsub",
        /// Signed maximum.
        Imax = 10 "imax",
        /// Signed minimum.
        Imin = 11 "imin",
        /// Unsigned maximum.
        Umax = 12 "umax",
        /// Unsigned minimum.
        Umin = 13 "umin",
        /// Compare and exchange.
        CmpWr = 14 "cmpwr",
        /// Decrement, returning the new value.
        PreDec = 15 "predec",
    }
}

coded_enum! {
    /// Float atomics (skl).
    FloatAtomicOp {
        /// Maximum.
        Fmax = 1 "fmax",
        /// Minimum.
        Fmin = 2 "fmin",
        /// Compare and exchange.
        FcmpWr = 3 "fcmpwr",
    }
}

coded_enum! {
    /// Sizes of oword block messages.
    BlockSize {
        /// One oword, in the low half of the register.
        OneLow = 0 "1-low",
        /// One oword, in the high half of the register.
        OneHigh = 1 "1-high",
        /// Two owords.
        Two = 2 "2",
        /// Four owords.
        Four = 3 "4",
        /// Eight owords.
        Eight = 4 "8",
    }
}

impl BlockSize {
    /// Owords of the block.
    pub fn owords(self) -> u8 {
        match self {
            BlockSize::OneLow | BlockSize::OneHigh => 1,
            BlockSize::Two => 2,
            BlockSize::Four => 4,
            BlockSize::Eight => 8,
        }
    }

    /// The block of `owords` (1: in the low half).
    pub fn of_owords(owords: u8) -> Option<BlockSize> {
        match owords {
            1 => Some(BlockSize::OneLow),
            2 => Some(BlockSize::Two),
            4 => Some(BlockSize::Four),
            8 => Some(BlockSize::Eight),
            _ => None,
        }
    }
}

coded_enum! {
    /// Widths of untyped surface messages.
    SurfaceSimd {
        /// Two vertices of four components.
        Simd4x2 = 0 "4x2",
        /// Sixteen channels.
        Simd16 = 1 "16",
        /// Eight channels.
        Simd8 = 2 "8",
    }
}

/// The channels that take part, of a typed message's sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotGroup {
    /// SIMD4x2 (hsw+).
    Simd4x2,
    /// Channels 0–7.
    Low,
    /// Channels 8–15.
    High,
}

/// Operation of a data-port message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataOp {
    /// One block at one address.
    OwordBlockRead {
        /// Size.
        size: BlockSize,
        /// The address is a multiple of 16.
        aligned: bool,
    },
    /// One block at one oword-aligned address.
    OwordBlockWrite {
        /// Size.
        size: BlockSize,
    },
    /// Two blocks, one per vertex.
    OwordDualBlockRead {
        /// Four owords each instead of one.
        four: bool,
    },
    /// Two blocks, one per vertex.
    OwordDualBlockWrite {
        /// Four owords each instead of one.
        four: bool,
    },
    /// One dword per channel.
    DwordScatteredRead {
        /// Sixteen channels.
        simd16: bool,
    },
    /// One dword per channel.
    DwordScatteredWrite {
        /// Sixteen channels.
        simd16: bool,
    },
    /// One element of 1, 2 or 4 bytes per channel, each in a dword of the payload.
    ByteScatteredRead {
        /// Sixteen channels.
        simd16: bool,
        /// Element size in bytes.
        bytes: u8,
    },
    /// One element of 1, 2 or 4 bytes per channel, each in a dword of the payload.
    ByteScatteredWrite {
        /// Sixteen channels.
        simd16: bool,
        /// Element size in bytes.
        bytes: u8,
    },
    /// Up to four dwords per channel.
    UntypedRead {
        /// Width.
        simd: SurfaceSimd,
        /// Channels r, g, b, a (bits 0–3) that are left out.
        mask: u8,
    },
    /// Up to four dwords per channel.
    UntypedWrite {
        /// Width.
        simd: SurfaceSimd,
        /// Channels r, g, b, a (bits 0–3) that are left out.
        mask: u8,
    },
    /// Integer atomic on a buffer.
    UntypedAtomic {
        /// Operation.
        op: AtomicOp,
        /// Width.
        simd: SurfaceSimd,
        /// The old value is returned.
        returns: bool,
    },
    /// Float atomic on a buffer (skl).
    UntypedFloatAtomic {
        /// Operation.
        op: FloatAtomicOp,
        /// Eight channels rather than sixteen.
        simd8: bool,
        /// The old value is returned.
        returns: bool,
    },
    /// Image load.
    TypedRead {
        /// Channels.
        slots: SlotGroup,
        /// Color channels (bits 0–3) that are left out.
        mask: u8,
    },
    /// Image store.
    TypedWrite {
        /// Channels.
        slots: SlotGroup,
        /// Color channels (bits 0–3) that are left out.
        mask: u8,
    },
    /// Integer atomic on an image.
    TypedAtomic {
        /// Operation.
        op: AtomicOp,
        /// Channels.
        slots: SlotGroup,
        /// The old value is returned.
        returns: bool,
    },
    /// A rectangle of a surface.
    MediaBlockRead {
        /// True if and how the surface's line stride and offset are replaced.
        lines: u8,
    },
    /// A rectangle of a surface.
    MediaBlockWrite {
        /// True if and how the surface's line stride and offset are replaced.
        lines: u8,
    },
    /// Atomic on an append counter (hsw+).
    AtomicCounter {
        /// Operation.
        op: AtomicOp,
        /// Width.
        simd: SurfaceSimd,
        /// The old value is returned.
        returns: bool,
    },
    /// Memory fence.
    Fence {
        /// A response says that the fence is complete.
        commit: bool,
    },
    /// Up to four dwords per channel, at 64-bit addresses (gen8+).
    A64Read {
        /// Sixteen channels rather than eight.
        simd16: bool,
        /// Channels r, g, b, a (bits 0–3) that are left out.
        mask: u8,
    },
    /// Up to four dwords per channel, at 64-bit addresses (gen8+).
    A64Write {
        /// Sixteen channels rather than eight.
        simd16: bool,
        /// Channels r, g, b, a (bits 0–3) that are left out.
        mask: u8,
    },
    /// Elements of one size at 64-bit addresses (gen8+).
    A64ScatteredRead(A64Scattered),
    /// Elements of one size at 64-bit addresses (gen8+).
    A64ScatteredWrite(A64Scattered),
    /// Integer atomic of eight channels, at 64-bit addresses (gen8+).
    A64Atomic {
        /// Operation.
        op: AtomicOp,
        /// On qwords rather than dwords.
        qword: bool,
        /// The old value is returned.
        returns: bool,
    },
    /// Float atomic of eight channels, at 64-bit addresses (skl).
    A64FloatAtomic {
        /// Operation.
        op: FloatAtomicOp,
        /// The old value is returned.
        returns: bool,
    },
    /// One block at one 64-bit address (gen8+).
    A64BlockRead {
        /// Size.
        size: BlockSize,
        /// The address is a multiple of 16 bytes, else of 4.
        aligned: bool,
    },
    /// One block at one 64-bit address (gen8+).
    A64BlockWrite {
        /// Size.
        size: BlockSize,
    },
}

coded_enum! {
    /// Elements of scattered messages with 64-bit addresses.
    A64Element {
        /// Bytes, each channel's in a dword of the payload.
        Byte = 0 "byte",
        /// Dwords.
        Dword = 1 "DWORD",
        /// Qwords.
        Qword = 2 "QWORD",
    }
}

/// Data of a scattered message with 64-bit addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct A64Scattered {
    /// Sixteen channels rather than eight.
    pub simd16: bool,
    /// Unit.
    pub element: A64Element,
    /// Neighboring elements per channel: 1, 2, 4 or 8.
    pub count: u8,
}

/// A data-port message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataPortMessage {
    /// The port. [`super::default_port`] gives the usual one for an operation.
    pub port: Sfid,
    /// Binding-table index; 255 is stateless, 254 shared local memory.
    pub surface: u8,
    /// Operation.
    pub op: DataOp,
}

/// A scratch block message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchMessage {
    /// Write rather than read.
    pub write: bool,
    /// Channel-wise dwords rather than owords.
    pub dword: bool,
    /// Cache lines are discarded after the read.
    pub invalidate_after_read: bool,
    /// General registers: 1, 2, 4, or (gen8+) 8.
    pub registers: u8,
    /// Offset in general registers (0–4095).
    pub offset: u16,
}

coded_enum! {
    /// Gateway functions.
    GatewayFn {
        /// Open.
        Open = 0 "open",
        /// Close.
        Close = 1 "close",
        /// Forward a message.
        Forward = 2 "forward msg",
        /// Read the time stamp.
        Timestamp = 3 "get timestamp",
        /// Barrier.
        Barrier = 4 "barrier msg",
        /// Update state.
        Update = 5 "update state",
        /// Memory-mapped register access.
        Mmio = 6 "mmio read/write",
    }
}

/// A gateway message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatewayMessage {
    /// Function.
    pub function: GatewayFn,
    /// Notification control.
    pub notify: u8,
}

/// A thread-spawner message: compute threads end with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpawnerMessage {
    /// Spawn a thread rather than dereference the resource.
    pub spawn: bool,
    /// Root thread rather than child.
    pub root: bool,
    /// The thread has no URB resource to dereference.
    pub no_urb: bool,
}

coded_enum! {
    /// Where the pixel interpolator evaluates.
    InterpolatorMode {
        /// At one offset for all pixels, in the descriptor.
        SharedOffset = 0 "per_message_offset",
        /// At a sample's position.
        Sample = 1 "sample_position",
        /// At the centroid.
        Centroid = 2 "centroid",
        /// At an offset per pixel.
        PerSlotOffset = 3 "per_slot_offset",
    }
}

/// A pixel-interpolator message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelInterpolatorMessage {
    /// Where.
    pub mode: InterpolatorMode,
    /// Linear rather than perspective.
    pub linear: bool,
    /// Sixteen pixels.
    pub simd16: bool,
    /// Pixels of the upper slot group.
    pub high_slots: bool,
    /// The offset (two signed nibbles) or sample index.
    pub data: u8,
}

/// A message to one of the video engines; what their bits mean is not spelled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaMessage {
    /// [`Sfid::Vme`] or [`Sfid::Cre`].
    pub receiver: Sfid,
    /// Binding-table index of the surface state.
    pub surface: u8,
    /// Search path and tables (five bits).
    pub tables: u8,
    /// Message type.
    pub kind: u8,
    /// Streams in and out (two bits).
    pub streams: u8,
}
