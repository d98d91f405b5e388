//! Facts of each generation that commands and state do not name.

use vocabulary::Generation;

/// Facts of a generation.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Version of the hardware.
    pub version: u32,
    /// Ticks of the time stamp in a second.
    pub timestamp_frequency: u32,
    /// File name of the driver in Mesa.
    pub driver: &'static str,
    /// The width of lines is in Cherryview's own field.
    pub has_wide_line_field: bool,
}

impl Facts {
    /// Returns the facts of a generation.
    #[must_use]
    pub fn of(generation: Generation) -> Facts {
        let (version, timestamp_frequency, driver, has_wide_line_field) = match generation {
            Generation::Ivb | Generation::Hsw => (7, 12_500_000, "crocus", false),
            Generation::Chv => (8, 12_500_000, "crocus", true),
            Generation::Bdw => (8, 12_500_000, "iris", false),
            Generation::Skl
            | Generation::Si
            | Generation::Vi
            | Generation::Reference
            | Generation::Gl => (9, 12_000_000, "iris", false),
        };
        Facts { version, timestamp_frequency, driver, has_wide_line_field }
    }
}
