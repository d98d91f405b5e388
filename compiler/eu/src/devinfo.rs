//! Facts about the supported hardware generations.
//!
//! Everything that depends on the generation asks a [`DevInfo`]; the only place that compares generations is the
//! table below. Facts are those of Mesa's `brw_eu_emit.c`, `brw_eu_validate.c`, `brw_fs.cpp` and
//! `intel_device_info.c`.

use crate::opcode::{Form, Opcode};

/// The instruction-set generation, in order of appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GfxVersion {
    /// Ivy Bridge.
    Gfx7,
    /// Haswell.
    Gfx75,
    /// Broadwell and Cherryview.
    Gfx8,
    /// Skylake.
    Gfx9,
}

impl GfxVersion {
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

/// What one supported device can do and how its instruction set differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevInfo {
    /// Name used on the command line: `ivb`, `hsw`, `bdw`, `chv` or `skl`.
    pub name: &'static str,
    /// Instruction-set generation: selects instruction layouts and opcode numbers.
    pub version: GfxVersion,
    /// Number of 32-byte general registers per thread.
    pub grf_count: u16,
    /// Hardware threads of one execution unit.
    pub threads_per_eu: u8,
    /// Push constants a thread can receive, in general registers.
    pub max_push_registers: u8,
    /// Word-sized subregisters of the address register a0.
    pub address_subregisters: u8,
    /// Accumulators acc0, acc1, …: those from the third on serve MADM and MATH's macro functions.
    pub accumulators: u8,
    /// Bytes in one unit of a branch's JIP and UIP: 8 before gen8, else 1.
    pub jump_unit_bytes: u8,
    /// Bytes in one unit of the distances of JMPI and CALL: 8 on ivb, else 1 (the media kernels of Intel's VA driver,
    /// `gram.y` of intel-gpu-tools' assembler).
    pub call_unit_bytes: u8,
    /// 64-bit floats exist.
    pub has_df: bool,
    /// A `mov` may have a DF immediate.
    pub has_df_immediate: bool,
    /// 64-bit integers exist.
    pub has_q: bool,
    /// Half floats exist as an arithmetic type (not just in f32to16 and f16to32).
    pub has_hf: bool,
    /// MATH accepts half floats.
    pub has_hf_math: bool,
    /// Mixed float mode may use packed half-float destinations and strides below the execution size.
    pub has_packed_mixed_float: bool,
    /// Instructions with a 64-bit type encode twice their number of channels.
    pub df_exec_size_doubled: bool,
    /// Align1 regions of DF operands count 32-bit units.
    pub df_regions_in_dwords: bool,
    /// 64-bit Align1 operands must have equal strides and offsets (Atom parts).
    pub restricted_64bit_regions: bool,
    /// A destination over two registers needs sources over two registers.
    pub two_grf_source_rule: bool,
    /// Packed words of src1 under such a destination stay where they are when the first half's channels are disabled.
    pub packed_word_src1_hazard: bool,
    /// A destination over two registers is split evenly between them, for every instruction.
    pub even_split_destination: bool,
    /// MUL reads only the low 16 bits of a dword src1.
    pub mul_dword_src1_low_word: bool,
    /// MUL D×D exists and gives a D (or Q) result.
    pub has_dword_mul: bool,
    /// AND, OR, XOR and NOT read a source's negate bit as bitwise NOT.
    pub logic_negate_is_not: bool,
    /// The last URB write of a thread carries a flag that says so.
    pub urb_write_complete: bool,
    /// Three-source instructions can be wider than SIMD8.
    pub three_source_simd16: bool,
    /// Three-source instructions know HF and mixed F/HF.
    pub three_source_hf: bool,
    /// BFI1 and BFI2 can be wider than SIMD8.
    pub bfi_simd16: bool,
    /// MATH accepts an immediate as src1.
    pub math_immediates: bool,
    /// MATH sources must be packed (stride 1) or scalar.
    pub math_packed_sources: bool,
    /// Align16 instructions can be wider than SIMD8 (32-bit types).
    pub align16_simd16: bool,
    /// Align16 sources may have vertical stride 2.
    pub align16_vstride2: bool,
    /// CMP to the null register needs a thread switch, and may not write the accumulator.
    pub cmp_null_needs_switch: bool,
    /// ADD may convert integers to HF.
    pub add_integers_to_half: bool,
    /// HF MAD misreads sources at a non-zero offset.
    pub half_mad_offset_broken: bool,
    /// A SIMD32 instruction reads 32 execution-mask bits (older parts use the low 16 twice).
    pub simd32_masks: bool,
    /// SENDS and SENDSC exist.
    pub has_split_send: bool,
    /// Compacted three-source instructions exist.
    pub has_three_source_compaction: bool,
    /// The second data-cache data port (surface messages) exists.
    pub has_data_port_1: bool,
    /// SIMD8 URB messages exist (scalar vertex and geometry stages).
    pub has_simd8_urb: bool,
    /// Byte-scattered data-port messages exist.
    pub has_byte_scattered: bool,
    /// The check and refinement engine exists.
    pub has_cre: bool,
    /// A sampler message can end a fragment thread: its texels go to the render target.
    pub sampler_ends_threads: bool,
    /// The first binding-table index beyond surfaces that means stateless memory (255 does everywhere).
    pub first_stateless_index: u8,
    /// A response may not include r127 when it overlaps the payload's registers.
    pub response_r127_hazard: bool,
    /// Fragment threads get a sample number for each quad, not for the whole thread.
    pub sample_id_per_quad: bool,
    /// Lowest bit of the thread's number within its patch in g0.2 of tessellation control threads; it has seven bits.
    pub tcs_thread_number_bit: u8,
    /// Lowest bit of the patch's barrier number in the same dword; it has four bits.
    pub tcs_barrier_id_bit: u8,
    /// Tessellation control threads release their input entries themselves.
    pub tcs_releases_inputs: bool,
    /// IF's companion ELSE carries a UIP (and the branch-control bit exists).
    pub else_has_uip: bool,
}

/// Ivy Bridge: the table's starting point.
const IVB: DevInfo = DevInfo {
    name: "ivb",
    version: GfxVersion::Gfx7,
    grf_count: 128,
    threads_per_eu: 8,
    max_push_registers: 64,
    address_subregisters: 8,
    accumulators: 2,
    jump_unit_bytes: 8,
    call_unit_bytes: 8,
    has_df: true,
    has_df_immediate: false,
    has_q: false,
    has_hf: false,
    has_hf_math: false,
    has_packed_mixed_float: false,
    df_exec_size_doubled: true,
    df_regions_in_dwords: true,
    restricted_64bit_regions: false,
    two_grf_source_rule: true,
    packed_word_src1_hazard: false,
    even_split_destination: true,
    mul_dword_src1_low_word: true,
    has_dword_mul: false,
    logic_negate_is_not: false,
    urb_write_complete: true,
    three_source_simd16: false,
    three_source_hf: false,
    bfi_simd16: true,
    math_immediates: false,
    math_packed_sources: true,
    align16_simd16: false,
    align16_vstride2: false,
    cmp_null_needs_switch: true,
    add_integers_to_half: false,
    half_mad_offset_broken: false,
    simd32_masks: false,
    has_split_send: false,
    has_three_source_compaction: false,
    has_data_port_1: false,
    has_simd8_urb: false,
    has_byte_scattered: false,
    has_cre: false,
    sampler_ends_threads: false,
    first_stateless_index: 255,
    response_r127_hazard: false,
    sample_id_per_quad: false,
    tcs_thread_number_bit: 16,
    tcs_barrier_id_bit: 12,
    tcs_releases_inputs: true,
    else_has_uip: false,
};

const HSW: DevInfo = DevInfo {
    name: "hsw",
    version: GfxVersion::Gfx75,
    call_unit_bytes: 1,
    threads_per_eu: 7,
    bfi_simd16: false,
    packed_word_src1_hazard: true,
    df_exec_size_doubled: false,
    df_regions_in_dwords: false,
    three_source_simd16: true,
    align16_simd16: true,
    align16_vstride2: true,
    has_data_port_1: true,
    has_byte_scattered: true,
    has_cre: true,
    first_stateless_index: 251,
    tcs_thread_number_bit: 17,
    tcs_barrier_id_bit: 13,
    ..IVB
};

const BDW: DevInfo = DevInfo {
    name: "bdw",
    version: GfxVersion::Gfx8,
    address_subregisters: 16,
    accumulators: 10,
    jump_unit_bytes: 1,
    has_df_immediate: true,
    has_q: true,
    has_hf: true,
    two_grf_source_rule: false,
    packed_word_src1_hazard: false,
    mul_dword_src1_low_word: false,
    has_dword_mul: true,
    logic_negate_is_not: true,
    urb_write_complete: false,
    three_source_hf: true,
    bfi_simd16: true,
    cmp_null_needs_switch: false,
    half_mad_offset_broken: true,
    math_immediates: true,
    math_packed_sources: false,
    simd32_masks: true,
    has_three_source_compaction: true,
    first_stateless_index: 253,
    has_simd8_urb: true,
    sample_id_per_quad: true,
    response_r127_hazard: true,
    else_has_uip: true,
    tcs_releases_inputs: false,
    ..HSW
};

const CHV: DevInfo = DevInfo {
    name: "chv",
    has_packed_mixed_float: true,
    restricted_64bit_regions: true,
    sampler_ends_threads: true,
    has_dword_mul: false,
    ..BDW
};

const SKL: DevInfo = DevInfo {
    name: "skl",
    version: GfxVersion::Gfx9,
    has_hf_math: true,
    has_packed_mixed_float: true,
    even_split_destination: false,
    has_split_send: true,
    sampler_ends_threads: true,
    first_stateless_index: 252,
    add_integers_to_half: true,
    half_mad_offset_broken: false,
    response_r127_hazard: false,
    ..BDW
};

/// All devices, oldest first.
static ALL: [DevInfo; 5] = [IVB, HSW, BDW, CHV, SKL];

impl DevInfo {
    /// The device called `name`, or `None`.
    pub fn get(name: &str) -> Option<&'static DevInfo> {
        ALL.iter().find(|device| device.name == name)
    }

    /// Bytes in one unit of the jump distances of `opcode`.
    pub fn jump_unit(&self, opcode: Opcode) -> u8 {
        match opcode.form() {
            Form::Jmpi | Form::Call => self.call_unit_bytes,
            _ => self.jump_unit_bytes,
        }
    }

    /// All supported devices, oldest first.
    pub fn all() -> &'static [DevInfo] {
        &ALL
    }
}
