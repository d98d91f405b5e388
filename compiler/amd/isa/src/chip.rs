//! The chips and what differs between them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A chip of the GCN family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chip {
    /// Southern Islands: Tahiti, gfx600.
    Si,
    /// Volcanic Islands: Polaris 10, gfx803.
    Vi,
}

impl Chip {
    /// Every chip.
    pub const ALL: [Chip; 2] = [Chip::Si, Chip::Vi];

    /// The chip of that name.
    pub fn get(name: &str) -> Option<Chip> {
        Chip::ALL.into_iter().find(|chip| chip.name() == name)
    }

    /// The name in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Chip::Si => "si",
            Chip::Vi => "vi",
        }
    }

    /// The processor's name in LLVM.
    pub fn llvm_name(self) -> &'static str {
        match self {
            Chip::Si => "tahiti",
            Chip::Vi => "gfx803",
        }
    }

    /// Number of scalar registers with a number of their own.
    pub fn scalar_registers(self) -> u8 {
        match self {
            Chip::Si => 104,
            Chip::Vi => 102,
        }
    }

    /// Bytes of local data share that a work group may have.
    pub fn local_bytes(self) -> u32 {
        match self {
            Chip::Si => 32 << 10,
            Chip::Vi => 64 << 10,
        }
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
