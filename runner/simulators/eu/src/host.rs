//! Interface to the rest of the machine: messages to shared functions as decoded, typed requests.
//!
//! The simulator decodes descriptors, headers and payload layouts and applies channel enables; a
//! [`Host`] implements memory, textures and render targets without knowing any of that. Every
//! method has a default that refuses, so that a host names only what its kernels use.

use thiserror::Error;

/// A request the host cannot serve, in words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct HostError(pub String);

/// The result of a request.
pub type Reply<T> = Result<T, HostError>;

/// Memory that data-port messages address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Surface {
    /// Binding-table entry.
    Bti(u8),
    /// Binding-table entry read through the constant cache.
    Constant(u8),
    /// Shared local memory (entry 254).
    Slm,
    /// The thread's scratch space: scratch messages, and stateless block messages. Offsets are
    /// relative to it.
    Scratch,
}

/// Contiguous dwords of an URB entry to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrbWrite<'a> {
    /// Handle of the entry.
    pub handle: u16,
    /// Offset of the first dword from the start of the entry, in owords.
    pub offset: u32,
    /// The dwords.
    pub data: &'a [u32],
    /// Bit `i`: write `data[i]`.
    pub mask: u64,
}

/// Organization of a render-target write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderKind {
    /// Eight pixels (slots 0–7).
    Simd8,
    /// Sixteen pixels.
    Simd16,
    /// Sixteen pixels of one color.
    Simd16Replicated,
    /// Two colors for slots 0–7.
    DualLow,
    /// Two colors for slots 8–15.
    DualHigh,
}

/// A write of pixels to a render target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderWrite {
    /// Binding-table entry of the target.
    pub target: u8,
    /// Organization.
    pub kind: RenderKind,
    /// The last write of these pixels.
    pub last: bool,
    /// Also ends the thread.
    pub end_of_thread: bool,
    /// First pixel slot of the thread that element 0 of the arrays belongs to: 0, 8, 16 or 24.
    pub first_slot: u8,
    /// Number of valid elements of the arrays: 8 or 16.
    pub count: u8,
    /// Elements whose pixels are written.
    pub mask: u16,
    /// Red, green, blue, alpha as raw bits.
    pub color: [[u32; 16]; 4],
    /// Second color of dual-source blending.
    pub color1: Option<[[u32; 16]; 4]>,
    /// Alpha of color 0, for alpha to coverage with several targets.
    pub source0_alpha: Option<[u32; 16]>,
    /// Output coverage.
    pub omask: Option<[u16; 16]>,
    /// Computed depth as raw bits.
    pub depth: Option<[u32; 16]>,
    /// Computed stencil.
    pub stencil: Option<[u8; 16]>,
}

/// A read of pixels from a render target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderRead {
    /// Binding-table entry of the target.
    pub target: u8,
    /// First pixel slot of the thread.
    pub first_slot: u8,
    /// Number of pixels: 8 or 16.
    pub count: u8,
    /// Pixels that want a result.
    pub mask: u16,
    /// Of the sample that the thread shades.
    pub per_sample: bool,
}

/// Contents of a pixel shader's writes, from pipeline state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenderState {
    /// Output coverage is present.
    pub omask: bool,
    /// Computed depth is present.
    pub depth: bool,
    /// Computed stencil is present (gen9+).
    pub stencil: bool,
}

/// Operations of the sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the messages")]
pub enum SamplerOp {
    Sample,
    SampleBias,
    SampleLod,
    SampleCompare,
    SampleGradient,
    SampleBiasCompare,
    SampleLodCompare,
    Load,
    Lod,
    ResInfo,
    SampleInfo,
    Gather4,
    Gather4Compare,
    Gather4Offset,
    Gather4OffsetCompare,
    SampleGradientCompare,
    SampleLz,
    SampleCompareLz,
    LoadLz,
    LoadMcs,
    Load2dms,
    Load2dmsWide,
    Load2dss,
}

/// The meaning of a parameter of a sampler message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the messages")]
pub enum Param {
    U,
    V,
    R,
    /// Array index.
    Ai,
    Bias,
    Lod,
    Ref,
    DuDx,
    DuDy,
    DvDx,
    DvDy,
    DrDx,
    DrDy,
    OffsetU,
    OffsetV,
    /// Sample index.
    Si,
    /// Multisample control data, low.
    McsLow,
    /// Multisample control data, high.
    McsHigh,
    /// A parameter with no meaning for this operation.
    Unused,
}

/// A sampler message.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerRequest {
    /// Operation.
    pub op: SamplerOp,
    /// Binding-table entry of the surface.
    pub surface: u8,
    /// Sampler state (with the header's sampler state pointer when one was given).
    pub sampler: u8,
    /// Header, if one was sent: dword 2 holds texel offsets, gather channel and write mask, dword 3
    /// the sampler states.
    pub header: Option<[u32; 8]>,
    /// SIMD4x2: each "channel" is one of two vertices.
    pub simd4x2: bool,
    /// Number of channels: 2, 8 or 16.
    pub count: u8,
    /// Channels that want a result.
    pub mask: u16,
    /// Components have 16 bits: floats are half floats, integers have their low bits.
    pub has_half_return: bool,
    /// Parameters in message order, with their meaning and raw bits per channel.
    pub params: Vec<(Param, [u32; 16])>,
}

impl SamplerRequest {
    /// The values of the parameter with meaning `param`.
    pub fn param(&self, param: Param) -> Option<&[u32; 16]> {
        self.params.iter().find(|(meaning, _)| *meaning == param).map(|(_, values)| values)
    }
}

/// Response of a sampler message: four components per channel, raw bits.
pub type Texels = [[u32; 16]; 4];

/// Atomic operations of the data port, on dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operations")]
pub enum AtomicOp {
    And,
    Or,
    Xor,
    /// Exchange.
    Mov,
    Inc,
    Dec,
    Add,
    Sub,
    IMax,
    IMin,
    UMax,
    UMin,
    /// Compare with the first operand, write the second.
    CmpWr,
    PreDec,
}

/// How the pixel interpolator positions its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterpolateAt {
    /// One offset for all pixels: x and y in sixteenths, signed nibbles.
    Shared {
        /// X offset.
        x: i8,
        /// Y offset.
        y: i8,
    },
    /// A sample.
    Sample(u8),
    /// The centroid.
    Centroid,
    /// Per pixel, in the arrays.
    PerSlot([[u32; 16]; 2]),
}

/// A pixel interpolator message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterpolateRequest {
    /// Where.
    pub at: InterpolateAt,
    /// Without perspective.
    pub linear: bool,
    /// First pixel slot.
    pub first_slot: u8,
    /// Number of pixels: 8 or 16.
    pub count: u8,
    /// Pixels that want a result.
    pub mask: u16,
}

#[cold]
fn refuse<T>(what: &str) -> Reply<T> {
    Err(HostError(format!("the host does not serve {what}")))
}

/// The rest of the machine, as one thread sees it.
pub trait Host {
    /// Writes dwords of an URB entry.
    fn urb_write(&mut self, write: &UrbWrite) -> Reply<()> {
        let _ = write;
        refuse("URB writes")
    }

    /// The header of the URB write that ends a thread: on gen7 a geometry thread's vertex counts
    /// are in its dword 2.
    fn urb_end(&mut self, header: &[u32; 8]) {
        let _ = header;
    }

    /// A URB write marked its entry complete: the owner passes it on or releases it.
    fn urb_complete(&mut self, handle: u16) {
        let _ = handle;
    }

    /// Reads dwords of an URB entry from oword `offset` on.
    fn urb_read(&mut self, handle: u16, offset: u32, data: &mut [u32]) -> Reply<()> {
        let _ = (handle, offset, data);
        refuse("URB reads")
    }

    /// Pipeline state that determines the payload of render-target writes.
    fn render_state(&self) -> RenderState {
        RenderState::default()
    }

    /// Writes pixels.
    fn render_write(&mut self, write: &RenderWrite) -> Reply<()> {
        let _ = write;
        refuse("render-target writes")
    }

    /// Reads pixels.
    fn render_read(&mut self, read: &RenderRead) -> Reply<Texels> {
        let _ = read;
        refuse("render-target reads")
    }

    /// Samples, loads or queries a texture or buffer.
    fn sample(&mut self, request: &SamplerRequest) -> Reply<Texels> {
        let _ = request;
        refuse("sampler messages")
    }

    /// Reads bytes of a surface. Bytes outside read as the surface defines.
    fn read(&mut self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        let _ = (offset, data);
        refuse(&format!("reads of {surface:?}"))
    }

    /// Writes bytes of a surface. Bytes outside are dropped.
    fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        let _ = (offset, data);
        refuse(&format!("writes of {surface:?}"))
    }

    /// The thread's scratch space, if accesses inside of it copy bytes and do nothing else.
    fn scratch(&mut self) -> Option<&mut [u8]> {
        None
    }

    /// Performs an atomic operation on a dword and returns what was there before (PREDEC: the new
    /// value).
    fn atomic(
        &mut self,
        surface: Surface,
        offset: u32,
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Reply<u32> {
        let _ = (offset, op, operands);
        refuse(&format!("atomics on {surface:?}"))
    }

    /// Reads bytes at a 64-bit address.
    fn global_read(&mut self, address: u64, data: &mut [u8]) -> Reply<()> {
        let _ = (address, data);
        refuse("reads at 64-bit addresses")
    }

    /// Writes bytes at a 64-bit address.
    fn global_write(&mut self, address: u64, data: &[u8]) -> Reply<()> {
        let _ = (address, data);
        refuse("writes at 64-bit addresses")
    }

    /// Reads a texel of a typed surface; the result is in the format's 32-bit form.
    fn typed_read(&mut self, surface: u8, coordinates: [u32; 4]) -> Reply<[u32; 4]> {
        let _ = coordinates;
        refuse(&format!("typed reads of surface {surface}"))
    }

    /// Writes a texel of a typed surface.
    fn typed_write(&mut self, surface: u8, coordinates: [u32; 4], texel: [u32; 4]) -> Reply<()> {
        let _ = (coordinates, texel);
        refuse(&format!("typed writes of surface {surface}"))
    }

    /// Performs an atomic operation on a texel of a typed surface.
    fn typed_atomic(
        &mut self,
        surface: u8,
        coordinates: [u32; 4],
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Reply<u32> {
        let _ = (coordinates, op, operands);
        refuse(&format!("typed atomics on surface {surface}"))
    }

    /// Barycentric coordinates (x, y) at a position within each pixel, as raw F bits.
    fn interpolate(&mut self, request: &InterpolateRequest) -> Reply<[[u32; 16]; 2]> {
        let _ = request;
        refuse("the pixel interpolator")
    }

    /// Announces arrival at a barrier; the thread will then wait ([`crate::Outcome::Barrier`]).
    fn barrier(&mut self, header: &[u32; 8]) -> Reply<()> {
        let _ = header;
        Ok(())
    }

    /// Orders memory accesses.
    fn fence(&mut self) -> Reply<()> {
        Ok(())
    }

    /// The time stamp counter.
    fn time(&mut self) -> u64 {
        0
    }
}

/// A host that serves nothing: enough for kernels without messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {}
