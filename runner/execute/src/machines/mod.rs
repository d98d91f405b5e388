//! Execution of scripts on GL machines: the commands, the probes, and the agreement of replicas.

pub mod image;

mod buffers;
mod commands;
mod display_list;
mod driver_check;
mod explanation;
mod feedback;
mod light;
mod probe;
mod query;
mod recording;
mod replicas;
mod session;
mod state;
mod surfaces;
mod translate;
mod uniforms;
mod vertex;

pub(crate) use driver_check::{DriverCheck, Findings};
pub use explanation::{BufferRecord, Explanation, ProbedArea, ProbedValues};
pub(crate) use image::{Image, difference};
pub(crate) use recording::draws;
pub(crate) use replicas::{
    CheckedState, Replica, Replicas, device_verdict, judge_widths, of_second,
};
pub(crate) use session::{Failures, Session};
