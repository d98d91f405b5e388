//! Fields of a packet by their names.

use packets::{Command, Field};

/// Reads fields of a packet by their names.
pub(super) struct Packet<'c>(pub(super) &'c Command<'c>);

impl Packet<'_> {
    /// Value of a field; 0 if the packet does not have it.
    pub(super) fn get(&self, name: &str) -> u64 {
        self.field(name).get(&self.0.words)
    }

    /// Low 32 bits of a field.
    pub(super) fn word(&self, name: &str) -> u32 {
        self.field(name).get_u32(&self.0.words)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name) != 0
    }

    /// An address in two fields: one of this name, and `High` of it.
    pub(super) fn address(&self, name: &str) -> u64 {
        (self.get(name) | self.get(&format!("{name} High")) << 32) & 0xffff_ffff_ffff
    }

    fn field(&self, name: &str) -> Field {
        self.0.layout.field(name)
    }
}
