//! Executes programs of AMD's GCN chips, a wave of 64 lanes at a time.
//!
//! [`Program`] is a decoded program, [`Wave`] the registers of a wave, [`Host`] its surroundings:
//! memory, exports, messages. The simulator is written from the documented behavior of the hardware
//! and its named [`Quirks`], never from what a compiler emits.
//!
//! Memory is asynchronous: a loaded value is in its register only after an `s_waitcnt` that covers
//! the load. Until then the register must not be used; doing so is an error that names the
//! instruction. Wait states that are missing between two instructions are errors, too.
//!
//! ```
//! use gcn_simulator::{Outcome, Program, Recorder, Wave};
//! let text = "v_lshlrev_b32 v1, 2, v0\nv_add_f32 v2, 1.0, v3\ns_endpgm";
//! let words = amd_isa::assemble(amd_isa::Chip::Si, text).unwrap();
//! let program = Program::new(amd_isa::Chip::Si, &words).unwrap();
//! let mut wave = Wave::new();
//! for lane in 0..64 {
//!     wave.vector[0][lane] = lane as u32;
//! }
//! let outcome = wave.run(&program, &mut Recorder::default(), 100);
//! assert_eq!(outcome, Ok(Outcome::Done));
//! assert_eq!(wave.vector[1][7], 28);
//! assert_eq!(f32::from_bits(wave.vector[2][63]), 1.0);
//! ```

mod arithmetic;
mod buffer_form;
mod class;
mod compare;
mod constant;
mod control;
mod decoded;
mod division;
mod dpp;
mod error;
mod host;
mod image_form;
mod image_resource;
mod lanes;
mod memory;
mod native;
mod parts;
mod pending;
mod program;
mod quirks;
mod register;
mod resource;
mod rows;
mod run;
mod scalar;
mod state;
mod vector;

pub use arithmetic::integer::atomic;
pub use error::{ExecutionError, Reason};
pub use host::{
    Export, Host, ImageAccess, ImageOperation, LaneValues, Level, Memory, Message, Recorder,
    TexelAccess,
};
pub use image_resource::{ImageKind, ImageResource, SamplerResource};
pub use program::{Program, ProgramError};
pub use quirks::Quirks;
pub use register::LANES;
pub use resource::Resource;
pub use run::Outcome;
pub use state::Wave;
