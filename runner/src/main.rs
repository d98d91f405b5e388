//! The `runner` command.

use std::process::ExitCode;

/// Compiling shaders makes many small short-lived objects, which are what this allocator is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    runner::cli::main()
}
