//! Executes execution-unit binaries bit-faithfully for one generation.
//!
//! [`Kernel`] is a decoded binary, [`Thread`] a hardware thread with its registers, [`Host`] the
//! rest of the machine. The adapter writes the thread payload into the thread's registers, sets the
//! dispatch mask and calls [`Kernel::run`]; messages arrive at the host as decoded requests.
//!
//! The simulator is the hardware: it is written from the documented behavior of the execution unit
//! and from the named quirks in [`quirks`], never from what a compiler emits. Where the hardware's
//! result is undefined, the result here is garbage: reproducible, seeded, and wrong.
//!
//! ```
//! use intel_isa::build::{grf, imm_f, inst};
//! use intel_isa::{DevInfo, Opcode, build, Sfid};
//! use eu_simulator::{Kernel, NoHost, Outcome, Thread};
//!
//! let ivb = DevInfo::get("ivb").unwrap();
//! let program = vec![
//!     inst(Opcode::Add).dst(grf(10).f()).srcs(&[grf(2).f(), imm_f(1.0)]),
//!     build::send(Sfid::ThreadSpawner, build::null(), grf(0), 1 << 25).eot(),
//! ];
//! let kernel = Kernel::from_insts(ivb, program).unwrap();
//! let mut thread = Thread::new(ivb, 1);
//! thread.set_register(2, &[2.0f32.to_bits(); 8]);
//! assert_eq!(kernel.run(&mut thread, &mut NoHost, 100), Ok(Outcome::Done { steps: 2 }));
//! assert_eq!(thread.register(10), [3.0f32.to_bits(); 8]);
//! ```

pub mod alu;
mod control;
mod decoded;
pub mod error;
mod exec_shape;
mod heat;
pub mod host;
mod hot;
mod inputs;
mod jump;
mod kernel;
mod lockstep;
mod message;
mod native;
mod op;
pub mod quirks;
mod region;
pub mod regs;
mod run;
pub mod soft_float;
mod thread;
pub mod trace;

pub use alu::math::MathMode;
pub use decoded::{DecodedInstruction, DecodedInstructions, InstructionLayout};
pub use error::{DecodeError, Reason, SimError};
pub use host::{Host, HostError, NoHost};
pub use inputs::{Inputs, PlaneInput};
pub use kernel::{Kernel, KernelBuilder};
pub use lockstep::TOGETHER;
pub use quirks::Quirks;
pub use run::Outcome;
pub use thread::Thread;
