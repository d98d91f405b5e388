//! Writes the project's own test suites; expected values come from arbitrary-precision arithmetic.

fn main() {}
