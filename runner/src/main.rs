//! The `runner` command.

use std::process::ExitCode;

/// Compilation creates many small short-lived objects, for which this allocator is optimized.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    runner::cli::main()
}
