//! State of draws and dispatches, read from registers.

mod fields;
mod stage;

pub(crate) use fields::{DispatchFields, Fields};
pub(crate) use stage::HardwareStage;
