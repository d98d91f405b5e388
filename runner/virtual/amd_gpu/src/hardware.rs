//! Facts and tables of the hardware.

use amd_isa::Chip;
use gpu_service::{Clock, Guard};
use packets::Table;

use crate::kernels::Kernels;
use crate::state::Fields;

/// The hardware: nothing of it changes while packets are executed.
pub(crate) struct Hardware {
    pub(crate) chip: Chip,
    pub(crate) table: &'static Table,
    pub(crate) fields: Fields,
    pub(crate) kernels: Kernels,
    pub(crate) clock: Clock,
    pub(crate) guard: Guard,
}
