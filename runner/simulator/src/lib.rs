//! Executes execution-unit binaries bit-faithfully for one generation.
