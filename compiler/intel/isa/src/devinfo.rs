//! Facts about the supported devices.
//!
//! Everything that depends on the device reads a [`DevInfo`]. Outside of this table, the table of
//! [`Quirk`]s and the encoders' field tables no code compares devices or versions. Facts are those
//! of the PRMs and of Mesa's `brw_eu_emit.c`, `brw_eu_validate.c`, `brw_fs.cpp` and
//! `intel_device_info.c`.

use vocabulary::Generation;

use crate::quirks::Quirk;

/// Version of the instruction set: selects instruction layouts and opcode numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GfxVersion {
    /// Gen7: Ivy Bridge.
    Gfx7,
    /// Gen7.5: Haswell.
    Gfx75,
    /// Gen8: Broadwell and Cherryview.
    Gfx8,
    /// Gen9: Skylake.
    Gfx9,
}

impl GfxVersion {
    /// Returns whether the version is one of `first` to `last`.
    pub const fn is_within(self, first: GfxVersion, last: GfxVersion) -> bool {
        first as u8 <= self as u8 && self as u8 <= last as u8
    }

    /// Ten times the version's number: 70, 75, 80 or 90.
    pub const fn times_ten(self) -> u16 {
        match self {
            GfxVersion::Gfx7 => 70,
            GfxVersion::Gfx75 => 75,
            GfxVersion::Gfx8 => 80,
            GfxVersion::Gfx9 => 90,
        }
    }
}

/// Instructions that load a DF constant into a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DfImmediates {
    /// Two UD moves to the halves of a scalar.
    TwoMoves,
    /// The DIM instruction.
    Dim,
    /// MOV with a DF immediate.
    Mov,
}

/// Expands the table: a fact per row, its value on each device.
macro_rules! facts {
    ($($(#[$doc:meta])* $fact:ident: $ty:ty = $ivb:expr, $hsw:expr, $bdw:expr, $chv:expr, $skl:expr;)*) => {
        /// Facts of one device: what it can do and how its instruction set differs from the others.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct DevInfo {
            /// Name on the command line: `ivb`, `hsw`, `bdw`, `chv` or `skl`.
            pub name: &'static str,
            /// The device's generation.
            pub generation: Generation,
            /// Version of the instruction set.
            pub version: GfxVersion,
            $($(#[$doc])* pub $fact: $ty,)*
        }

        /// All devices, oldest first.
        static ALL: [DevInfo; 5] = [
            DevInfo { $($fact: $ivb,)* ..device(Generation::Ivb, GfxVersion::Gfx7) },
            DevInfo { $($fact: $hsw,)* ..device(Generation::Hsw, GfxVersion::Gfx75) },
            DevInfo { $($fact: $bdw,)* ..device(Generation::Bdw, GfxVersion::Gfx8) },
            DevInfo { $($fact: $chv,)* ..device(Generation::Chv, GfxVersion::Gfx8) },
            DevInfo { $($fact: $skl,)* ..device(Generation::Skl, GfxVersion::Gfx9) },
        ];

        /// A device by name, with the facts of ivb.
        const fn device(generation: Generation, version: GfxVersion) -> DevInfo {
            DevInfo { name: generation.name(), generation, version, $($fact: $ivb,)* }
        }
    };
}

// Columns: ivb, hsw, bdw, chv, skl.
facts! {

    // Registers and threads.
    /// Number of 32-byte general registers per thread.
    grf_count: u16 =                        128,    128,    128,    128,    128;
    /// Push constants a thread can receive, in general registers.
    max_push_registers: u8 =                 64,     64,     64,     64,     64;
    /// Word-sized subregisters of the address register a0.
    address_subregisters: u8 =                8,      8,     16,     16,     16;
    /// Accumulators acc0, acc1, …: those from the third on serve MADM and MATH's macro functions.
    accumulators: u8 =                        2,      2,     10,     10,     10;
    /// An indirect address drops the carry out of its low five bits.
    indirect_carry_lost: bool =            true,   true,  false,  false,  false;

    // Jumps.
    /// Bytes in one unit of a branch's JIP and UIP: 8 before gen8, else 1.
    jump_unit_bytes: u8 =                     8,      8,      1,      1,      1;
    /// Bits of a branch's JIP and UIP; JMPI and CALL have 32 everywhere.
    branch_distance_bits: u8 =               16,     16,     32,     32,     32;
    /// Bytes in one unit of the distances of JMPI and CALL: 8 on ivb, else 1 (the media kernels of
    /// Intel's VA driver, `gram.y` of intel-gpu-tools' assembler).
    call_unit_bytes: u8 =                     8,      1,      1,      1,      1;

    // Types.
    /// 64-bit floats exist.
    has_df: bool =                         true,   true,   true,   true,   true;
    /// Instructions that load a DF constant; with [`DfImmediates::Mov`] also a Q or UQ constant.
    df_immediates: DfImmediates =
        DfImmediates::TwoMoves, DfImmediates::Dim, DfImmediates::Mov, DfImmediates::Mov, DfImmediates::Mov;
    /// 64-bit integers exist.
    has_q: bool =                         false,  false,   true,   true,   true;
    /// Half floats exist as an arithmetic type (not just in f32to16 and f16to32).
    has_hf: bool =                        false,  false,   true,   true,   true;
    /// MATH accepts half floats.
    has_hf_math: bool =                   false,  false,  false,  false,   true;
    /// Mixed float mode may use packed half-float destinations and strides below the execution
    /// size.
    has_packed_mixed_float: bool =        false,  false,  false,   true,   true;
    /// ADD may convert integers to HF.
    add_integers_to_half: bool =          false,  false,  false,  false,   true;
    /// Half conversions are F32TO16 and F16TO32 (else MOV with HF).
    half_conversion_opcodes: bool =        true,   true,  false,  false,  false;

    // Regions.
    /// Under `gen7-two-grf-source`, packed words of src1 stay where they are when the first half's
    /// channels are disabled.
    packed_word_src1_hazard: bool =       false,   true,  false,  false,  false;
    /// A destination over two registers is split evenly between them, for every instruction.
    even_split_destination: bool =         true,   true,   true,   true,  false;
    /// Align16 instructions can be wider than SIMD8 (32-bit types).
    align16_simd16: bool =                false,   true,   true,   true,   true;
    /// Align16 sources may have vertical stride 2.
    align16_vstride2: bool =              false,   true,   true,   true,   true;
    /// Derivatives in y per column use Align16 swizzles.
    align16_derivatives: bool =            true,   true,  false,  false,  false;
    /// A SIMD32 instruction reads 32 execution-mask bits (older parts use the low 16 twice).
    simd32_masks: bool =                  false,  false,   true,   true,   true;

    // Arithmetic.
    /// MUL reads only the low 16 bits of a dword src1: `gen7-dword-mul` except on chv.
    mul_dword_src1_low_word: bool =        true,   true,  false,  false,  false;
    /// MUL D×D has a D (or Q) result.
    has_dword_mul: bool =                 false,  false,   true,  false,   true;
    /// The MUL before a MACH takes the low words of its second factor as UW (else as dwords).
    mach_after_word_mul: bool =           false,  false,   true,   true,   true;
    /// MATH accepts an immediate as src1.
    math_immediates: bool =               false,  false,   true,   true,   true;
    /// MATH sources must be packed (stride 1) or scalar.
    math_packed_sources: bool =            true,   true,  false,  false,  false;
    /// Compacted three-source instructions exist.
    has_three_source_compaction: bool =   false,  false,   true,   true,   true;

    // Messages.
    /// SENDS and SENDSC exist.
    has_split_send: bool =                false,  false,  false,  false,   true;
    /// The second data-cache data port (surface messages) exists.
    has_data_port_1: bool =               false,   true,   true,   true,   true;
    /// The check and refinement engine exists.
    has_cre: bool =                       false,   true,   true,   true,   true;
    /// A sampler message can end a fragment thread: its texels go to the render target.
    sampler_ends_threads: bool =          false,  false,  false,   true,   true;
    /// The first binding-table index beyond surfaces that means stateless memory (255 does
    /// everywhere).
    first_stateless_index: u8 =             255,    251,    253,    253,    252;
    /// Typed surface messages have a SIMD4x2 form.
    typed_simd4x2: bool =                 false,   true,   true,   true,   true;
    /// Scratch block messages encode the block size as its logarithm (else as registers − 1).
    scratch_block_size_log2: bool =       false,  false,   true,   true,   true;
    /// SIMD8 URB messages exist: vertex, geometry and tessellation stages run as SIMD8 (else
    /// Align16 SIMD4x2).
    has_simd8_urb: bool =                 false,  false,   true,   true,   true;
    /// The URB has an atomic addition.
    has_urb_atomic_add: bool =            false,   true,   true,   true,   true;
    /// The last URB write of a thread carries a flag that says so.
    urb_write_complete: bool =             true,   true,  false,  false,  false;
    /// Render-target reads exist.
    has_render_target_read: bool =        false,  false,  false,  false,   true;
    /// A render-target write ignores the predicate: discarded pixels are removed by the pixel mask
    /// of the message's header.
    discard_by_header: bool =              true,  false,  false,  false,  false;

    // Sampler.
    /// The sampler compares lookups with explicit gradients.
    has_shadow_gradients: bool =          false,   true,   true,   true,   true;
    /// The sampler's LD takes the level after u (else after v).
    fetch_level_second: bool =             true,   true,   true,   true,  false;
    /// The response of a sampler message may leave out components after the last one that is
    /// read, without a header (Mesa's `brw_fs_nir.cpp`).
    short_sampler_response: bool =        false,  false,  false,  false,   true;
    /// Sampler messages of level zero and LD2DMS_W exist.
    has_level_zero_sampling: bool =       false,  false,  false,  false,   true;
    /// Bits of a sampler header's dword 2 that select SIMD4x2: gen9 gave that mode's code to
    /// another one (Mesa's `GFX9_SAMPLER_SIMD_MODE_EXTENSION_SIMD4X2`).
    simd4x2_header: Option<u32> =       None, None, None, None, Some(1 << 22);

    // Thread payloads.
    /// Fragment threads get a sample number for each quad, not for the whole thread.
    sample_id_per_quad: bool =            false,  false,   true,   true,   true;
    /// Lowest bit of the thread's number within its patch in g0.2 of tessellation control threads;
    /// it has seven bits.
    tcs_thread_number_bit: u8 =              16,     17,     17,     17,     17;
    /// Lowest bit of the patch's barrier number in the same dword; it has four bits.
    tcs_barrier_id_bit: u8 =                 12,     13,     13,     13,     13;
    /// Tessellation control threads release their input entries themselves.
    tcs_releases_inputs: bool =            true,   true,  false,  false,  false;
    /// Threads copy the index of their shared memory from g0.0's high word to sr0.1's low word.
    moves_shared_memory_index: bool =     false,   true,  false,  false,  false;
    /// Bits of g0.2 that name a compute thread's barrier.
    barrier_number_mask: u32 =
        0x0f00_0000, 0x0f00_0000, 0x0f00_0000, 0x0f00_0000, 0x8f00_0000;
}

impl DevInfo {
    /// The device called `name`, or `None`.
    pub fn get(name: &str) -> Option<&'static DevInfo> {
        ALL.iter().find(|device| device.name == name)
    }

    /// All supported devices, oldest first.
    pub fn all() -> &'static [DevInfo] {
        &ALL
    }

    /// Returns whether valid programs can meet `quirk` on this device.
    pub const fn has_quirk(&self, quirk: Quirk) -> bool {
        quirk.row().met >> self.generation as u8 & 1 != 0
    }

    /// Returns whether the hardware has `quirk`, even if only invalid programs meet it here.
    pub const fn hardware_has_quirk(&self, quirk: Quirk) -> bool {
        quirk.row().hardware >> self.generation as u8 & 1 != 0
    }

    /// Returns whether 64-bit immediates exist.
    pub const fn has_64bit_immediates(&self) -> bool {
        matches!(self.df_immediates, DfImmediates::Mov)
    }

    /// Returns the furthest distance of a branch, in native instructions.
    pub const fn branch_reach(&self) -> usize {
        let units = (1usize << (self.branch_distance_bits - 1)) - 1;
        units * self.jump_unit_bytes as usize / 16
    }
}
