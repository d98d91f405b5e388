//! Integration tests of the simulator.

mod arithmetic;
mod common;
mod control;
mod fast;
mod hostile;
mod messages;
mod quirks;
