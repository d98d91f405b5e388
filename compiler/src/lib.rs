//! Typed program to native binary: options, pass lists, binaries and statistics.
