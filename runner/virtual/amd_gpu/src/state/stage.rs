//! Programs of hardware stages: address, resources, values of the driver.

use packets::Table;

use crate::registers::{RegisterField, Registers};

/// A stage of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HardwareStage {
    /// Fragments.
    Ps,
    /// The last stage before the primitives.
    Vs,
    /// Primitives.
    Gs,
    /// Vertices before GS.
    Es,
    /// Control points.
    Hs,
    /// Vertices before HS.
    Ls,
    /// Work groups.
    Cs,
}

impl HardwareStage {
    /// All stages, in the order of their numbers.
    pub(crate) const ALL: [HardwareStage; 7] = [
        HardwareStage::Ps,
        HardwareStage::Vs,
        HardwareStage::Gs,
        HardwareStage::Es,
        HardwareStage::Hs,
        HardwareStage::Ls,
        HardwareStage::Cs,
    ];

    /// Names of its registers: with `#` for the kind of register.
    fn pattern(self) -> &'static str {
        match self {
            HardwareStage::Ps => "SPI_SHADER_#_PS",
            HardwareStage::Vs => "SPI_SHADER_#_VS",
            HardwareStage::Gs => "SPI_SHADER_#_GS",
            HardwareStage::Es => "SPI_SHADER_#_ES",
            HardwareStage::Hs => "SPI_SHADER_#_HS",
            HardwareStage::Ls => "SPI_SHADER_#_LS",
            HardwareStage::Cs => "COMPUTE_#",
        }
    }
}

/// Fields of a stage's registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageFields {
    low: RegisterField,
    high: RegisterField,
    /// Vector registers in fours, less one.
    vectors: RegisterField,
    float_mode: RegisterField,
    clamps: RegisterField,
    ieee: RegisterField,
    /// Vector registers less one that hold inputs.
    pub(crate) components: RegisterField,
    /// Scratch space is used.
    pub(crate) scratch: RegisterField,
    user_count: RegisterField,
    /// Registers of stream output: the configuration, and the offset of each buffer.
    pub(crate) streams: RegisterField,
    pub(crate) stream_offsets: [RegisterField; 4],
    /// Offset of the buffer of tessellation off the chip.
    pub(crate) off_chip: RegisterField,
    /// First register with a value of the driver.
    user: u32,
}

impl StageFields {
    pub(crate) fn resolve(table: &Table, stage: HardwareStage) -> StageFields {
        let field = |kind: &str, name: &str| {
            RegisterField::resolve(table, &stage.pattern().replace('#', kind), name)
        };
        let first = stage.pattern().replace('#', "USER_DATA");
        let user = table.register_named(&format!("{first}_0"));
        // The tables have three names for a half of an address.
        let address = |kind: &str| {
            let named = ["MEM_BASE", "DATA", "Value"].map(|name| field(kind, name));
            named.into_iter().find(|field| field.exists()).unwrap_or(named[0])
        };
        StageFields {
            low: address("PGM_LO"),
            high: address("PGM_HI"),
            vectors: field("PGM_RSRC1", "VGPRS"),
            float_mode: field("PGM_RSRC1", "FLOAT_MODE"),
            clamps: field("PGM_RSRC1", "DX10_CLAMP"),
            ieee: field("PGM_RSRC1", "IEEE_MODE"),
            components: field("PGM_RSRC1", "VGPR_COMP_CNT"),
            scratch: field("PGM_RSRC2", "SCRATCH_EN"),
            user_count: field("PGM_RSRC2", "USER_SGPR"),
            streams: field("PGM_RSRC2", "SO_EN"),
            stream_offsets: ["SO_BASE0_EN", "SO_BASE1_EN", "SO_BASE2_EN", "SO_BASE3_EN"]
                .map(|name| field("PGM_RSRC2", name)),
            off_chip: field("PGM_RSRC2", "OC_LDS_EN"),
            user: user.map_or(0, |layout| layout.offset),
        }
    }

    /// Addresses of the stage's registers.
    pub(crate) fn addresses(&self, addresses: &mut Vec<u32>) {
        /// Values of the driver.
        const VALUES: u32 = 16;
        for field in [self.low, self.high, self.float_mode, self.user_count] {
            addresses.extend(field.addresses());
        }
        addresses.extend((0..VALUES).map(|i| self.user + 4 * i));
    }

    /// Address of the program.
    pub(crate) fn address(&self, registers: &Registers) -> u64 {
        let get = |field: RegisterField| u64::from(field.get(registers));
        get(self.low) << 8 | (get(self.high) & 0xff) << 40
    }

    /// MODE at the start: rounding and denormals, DX10_CLAMP, IEEE.
    pub(crate) fn mode(&self, registers: &Registers) -> u32 {
        let get = |field: RegisterField| field.get(registers);
        get(self.float_mode) | get(self.clamps) << 8 | get(self.ieee) << 9
    }

    /// Vector registers of a wave.
    pub(crate) fn vectors(&self, registers: &Registers) -> usize {
        4 * (self.vectors.get(registers) as usize + 1)
    }

    /// Values of the driver in the first scalar registers.
    pub(crate) fn user(&self, registers: &Registers) -> Vec<u32> {
        registers.words(self.user, self.user_count.get(registers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocabulary::Generation;

    #[test]
    fn every_stage_has_its_registers() {
        for generation in Generation::AMD {
            for stage in HardwareStage::ALL {
                let fields = StageFields::resolve(Table::of(generation), stage);
                let needed = [fields.low, fields.high, fields.float_mode, fields.clamps];
                let needed = needed.into_iter().chain([fields.user_count, fields.scratch]);
                assert!(needed.into_iter().all(RegisterField::exists), "{generation} {stage:?}");
                assert!(fields.user > 0, "{generation} {stage:?}");
            }
        }
    }
}
