//! GL machine: objects, state, commands and probes of OpenGL over the rasterizer of `raster`.
//!
//! A [`machine::Machine`] executes GL commands. It gathers the shader work of a draw into batches
//! and passes them to a [`Device`](raster::device::Device). Simulator and interpreter implement
//! that trait; each one works for its own machine, and both machines receive the same commands.
//!
//! ```
//! use std::sync::Arc;
//!
//! use program::{Api, Capabilities, CapabilityTable, Stage};
//! use raster::device::{Batch, Device, DeviceError, DrawState, Steps};
//! use gl_machine::machine::{Machine, MachineOptions};
//! use gl_machine::probe::Expectation;
//! use raster::shader_io::ShaderIo;
//!
//! /// Clears and probes need no shaders.
//! struct NoShaders;
//!
//! impl Device for NoShaders {
//!     fn shade(
//!         &mut self,
//!         stage: Stage,
//!         _: &DrawState<'_>,
//!         _: &mut Batch,
//!         _: &mut dyn ShaderIo,
//!     ) -> Result<Steps, DeviceError> {
//!         Err(DeviceError::Unsupported(format!("{stage} shaders")))
//!     }
//! }
//!
//! let capabilities = Capabilities::from(CapabilityTable {
//!     generation: "reference".into(),
//!     api: Api::Core,
//!     gl_version: 46,
//!     glsl_version: 460,
//!     extensions: Default::default(),
//!     limits: Default::default(),
//! });
//! let mut machine = Machine::new(Arc::new(capabilities), MachineOptions::default());
//! machine.state.clear_color = [0.0, 1.0, 0.0, 1.0];
//! machine.clear(true, false, &mut NoShaders)?;
//! let green = Expectation { channels: 4, values: [0.0, 1.0, 0.0, 1.0], tolerance: [0.01; 4] };
//! assert!(machine.probe_all(&green, &mut NoShaders)?.passed());
//! # Ok::<(), gl_machine::machine::MachineError>(())
//! ```
//!
//! # Modules
//!
//! | Modules | Contents |
//! |---|---|
//! | [`machine`] | GL objects, state and commands |
//! | [`probe`] | reads of pixels |
//!
//! Everything that is not OpenGL's is in `raster`.

#![warn(unreachable_pub)]

pub mod machine;
pub mod probe;
