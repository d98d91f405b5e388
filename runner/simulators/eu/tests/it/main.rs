//! Integration tests of the simulator.

mod arithmetic;
mod common;
mod control;
mod fast;
mod hostile;
mod hot;
mod inputs;
mod messages;
mod native;
mod quirks;
