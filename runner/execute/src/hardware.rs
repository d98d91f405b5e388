//! Facts of the hardware that a target names.

use amd_isa::Chip;
use intel_isa::DevInfo;
use vocabulary::Target;

/// Returns the hardware facts of one of Intel's generations; `None` for other targets.
pub fn devinfo(target: Target) -> Option<&'static DevInfo> {
    DevInfo::get(target.name())
}

/// Returns the chip of one of AMD's generations; `None` for other targets.
pub fn chip(target: Target) -> Option<Chip> {
    Chip::get(target.name())
}
