//! Adapters: the GL machine's device trait over the simulator and over the interpreter.
//!
//! Only here do machine, executors and compiler meet. An adapter translates a batch into what its executor wants and the results back;
//! it computes nothing that a shader computes.

mod interpreter;
mod simulator;

pub use self::interpreter::{InterpreterDevice, Undefined};
pub use self::simulator::{
    BinarySource, Decoders, Disagreement, SimulatorDevice, SimulatorOptions, StageStatistics, TraceLog,
};
