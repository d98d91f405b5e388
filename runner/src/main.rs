//! The `runner` command.

fn main() {}
