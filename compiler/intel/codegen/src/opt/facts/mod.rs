//! Facts about programs that passes share.

pub(super) mod channel_ranges;
pub(super) mod modifiers;
pub(super) mod sites;
pub(super) mod structured_regions;
pub(super) mod use_counts;
