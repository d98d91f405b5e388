//! Vulkan machine: buffers, images, descriptors, pipelines and commands of Vulkan scripts over the
//! rasterizer of `raster`.
//!
//! A [`Machine`] executes the commands of a script; the shader work of a draw or dispatch goes to a
//! [`Device`](raster::device::Device). Simulator and interpreter implement that trait; each one
//! works for its own machine, and both machines receive the same commands.
//!
//! Buffers are the only state that commands share, as `vk_script` describes it. Rows of images and
//! coordinates of the framebuffer are counted from the upper row, so that row 0 of a surface is the
//! first one in memory.
//!
//! ```
//! use vk_machine::Machine;
//! use vk_script::Rules;
//!
//! let text = b"#!amber
//! BUFFER a DATA_TYPE uint32 DATA 1 2 END
//! BUFFER b DATA_TYPE uint32 DATA 0 0 END
//! COPY a TO b
//! ";
//! let script = vk_script::parse(text, Rules::Amber, &|_| Err("no files".to_owned()))?;
//! let machine = Machine::new(&script, Vec::new());
//! assert_eq!(machine.bytes(vk_script::BufferId(0)), [1, 0, 0, 0, 2, 0, 0, 0]);
//! # Ok::<(), vk_script::ParseError>(())
//! ```

#![warn(unreachable_pub)]

mod attachments;
mod bindings;
mod compute;
mod draw;
mod error;
mod machine;
mod slots;
mod state;
mod store;
mod texels;
mod vertices;

pub use error::MachineError;
pub use machine::{MAX_VERTICES, Machine};
