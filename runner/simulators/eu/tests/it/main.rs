//! Integration tests of the simulator.

mod arithmetic;
mod common;
mod control;
mod fast;
mod hostile;
mod inputs;
mod messages;
mod quirks;
