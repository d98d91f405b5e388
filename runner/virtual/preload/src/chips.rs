//! AMD's chips: what the kernel tells drivers about each.

use submission::tile_modes::{self, TileModes};

/// Facts of a chip. Names are those of the kernel's interface.
#[derive(Debug)]
pub(crate) struct Chip {
    /// Major version of the graphics engine.
    pub(crate) version: u32,
    /// Rings of the compute engine, a bit each.
    pub(crate) compute_rings: u32,
    /// Versions and features of the firmware of graphics: ME, PFP, MEC.
    pub(crate) firmware: [(u32, u32); 3],
    /// Number of the revision, and that of the revision as seen from outside.
    pub(crate) revisions: [u32; 2],
    /// Number of the family.
    pub(crate) family: u32,
    /// Shader engines and arrays of each.
    pub(crate) engines: [u32; 2],
    /// Kilohertz of the time stamp.
    pub(crate) frequency: u32,
    /// Kilohertz of engine and memory.
    pub(crate) clocks: [u64; 2],
    /// Compute units, in each array.
    pub(crate) units: [u32; 2],
    /// Mask of the compute units of each array of each engine.
    pub(crate) unit_masks: [[u32; 4]; 4],
    /// First address that drivers may use, and the end of addresses.
    pub(crate) addresses: [u64; 2],
    /// Bits of the memory bus.
    pub(crate) memory_bits: u32,
    /// Two buffers of tessellation off the chip in each engine.
    pub(crate) has_double_offchip_buffers: bool,
    /// Registers: number in double words, engine and array or all ones, value. Those of an engine
    /// repeat for each.
    pub(crate) registers: &'static [(u32, u32, u32)],
    /// Registers of tile modes.
    pub(crate) tile_modes: TileModes,
}

/// Instance of registers that exist once.
pub(crate) const ONCE: u32 = u32::MAX;
/// Instance of registers of shader engine 0; the number of the engine is added.
const ENGINE: u32 = 0xff00;

/// Units that a mask of five and one of nine have.
const FIVE: u32 = 0x1f;
const NINE: u32 = 0x1ff;

pub(crate) static PITCAIRN: Chip = Chip {
    version: 6,
    compute_rings: 3,
    firmware: [(145, 29), (84, 29), (0, 0)],
    revisions: [1, 0x15],
    family: 110,
    engines: [2, 2],
    frequency: 27_000,
    clocks: [1_100_000, 1_250_000],
    units: [20, 5],
    unit_masks: [[FIVE, FIVE, 0, 0], [FIVE, FIVE, 0, 0], [0; 4], [0; 4]],
    addresses: [0x20_0000, 0xf_ffe0_0000],
    memory_bits: 256,
    has_double_offchip_buffers: false,
    registers: &[
        (0x263e, ONCE, tile_modes::PITCAIRN.address_config),
        (0x263d, ENGINE, 1),
        (0xa0d4, ENGINE, 0x2a00_1260),
        (0x263d, ENGINE + 1, 1),
        (0xa0d4, ENGINE + 1, 0x2a00_1260),
        (0x09d8, ONCE, 0x25a),
    ],
    tile_modes: tile_modes::PITCAIRN,
};

pub(crate) static POLARIS10: Chip = Chip {
    version: 8,
    compute_rings: 15,
    firmware: [(167, 49), (254, 49), (730, 49)],
    revisions: [1, 0x51],
    family: 130,
    engines: [4, 1],
    frequency: 25_000,
    clocks: [1_360_000, 2_000_000],
    units: [36, 9],
    unit_masks: [[NINE, 0, 0, 0]; 4],
    addresses: [0x20_0000, 0x1f_ffe0_0000],
    memory_bits: 256,
    has_double_offchip_buffers: true,
    registers: &[
        (0x263e, ONCE, tile_modes::POLARIS10.address_config),
        (0x263d, ENGINE, 0),
        (0xa0d4, ENGINE, 0x1600_0012),
        (0xa0d5, ENGINE, 0x2a),
        (0x263d, ENGINE + 1, 0),
        (0xa0d4, ENGINE + 1, 0x1600_0012),
        (0xa0d5, ENGINE + 1, 0x2a),
        (0x263d, ENGINE + 2, 0),
        (0xa0d4, ENGINE + 2, 0x1600_0012),
        (0xa0d5, ENGINE + 2, 0x2a),
        (0x263d, ENGINE + 3, 0),
        (0xa0d4, ENGINE + 3, 0x1600_0012),
        (0xa0d5, ENGINE + 3, 0x2a),
        (0x09d8, ONCE, 0x60a2),
    ],
    tile_modes: tile_modes::POLARIS10,
};

impl Chip {
    /// Value of a register, by its number in double words and the instance of it.
    pub(crate) fn register(&self, number: u32, instance: u32) -> Option<u32> {
        let TileModes { first, values, .. } = self.tile_modes;
        let mode = number.checked_sub(first).and_then(|i| values.get(usize::try_from(i).ok()?));
        let is_it = |row: &&(u32, u32, u32)| row.0 == number && row.1 == instance;
        mode.copied().or_else(|| self.registers.iter().find(is_it).map(|row| row.2))
    }
}
