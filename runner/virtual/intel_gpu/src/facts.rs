//! Facts of each generation that commands and state do not name.

use vocabulary::Generation;

/// Meaning of the field for the scratch space of work groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupScratch {
    /// Kilobytes less one.
    Kilobytes,
    /// Power of two, in units of so many kilobytes.
    PowerOf(u32),
}

/// Facts of a generation.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Version of the hardware.
    pub version: u32,
    /// Letter of the generation in tables: ivb, hsw, bdw and chv (`b`), skl.
    pub(crate) letter: char,
    /// Ticks of the time stamp in a second.
    pub timestamp_frequency: u32,
    /// File name of the driver in Mesa.
    pub driver: &'static str,
    /// Name of the Vulkan driver in Mesa, as its files have it.
    pub vulkan_driver: &'static str,
    /// The width of lines is in Cherryview's own field.
    pub has_wide_line_field: bool,
    /// Meaning of the field for the scratch space of work groups.
    pub group_scratch: GroupScratch,
    /// Reads of images in formats that reads do not convert return the bits.
    pub has_raw_typed_reads: bool,
}

impl Facts {
    /// Returns the facts of a generation.
    #[must_use]
    pub fn of(generation: Generation) -> Facts {
        let (version, timestamp_frequency, driver, has_wide_line_field) = match generation {
            Generation::Ivb | Generation::Hsw => (7, 12_500_000, "crocus", false),
            Generation::Chv => (8, 12_500_000, "crocus", true),
            Generation::Bdw => (8, 12_500_000, "iris", false),
            Generation::Skl | Generation::Si | Generation::Vi => (9, 12_000_000, "iris", false),
        };
        let group_scratch = match generation {
            Generation::Ivb => GroupScratch::Kilobytes,
            Generation::Hsw => GroupScratch::PowerOf(2),
            _ => GroupScratch::PowerOf(1),
        };
        let letter = match generation {
            Generation::Ivb => 'i',
            Generation::Hsw => 'h',
            Generation::Bdw | Generation::Chv => 'b',
            Generation::Skl | Generation::Si | Generation::Vi => 's',
        };
        let vulkan_driver = if version < 9 { "intel_hasvk" } else { "intel" };
        Facts {
            version,
            letter,
            timestamp_frequency,
            driver,
            vulkan_driver,
            has_wide_line_field,
            group_scratch,
            has_raw_typed_reads: version >= 9,
        }
    }
}
