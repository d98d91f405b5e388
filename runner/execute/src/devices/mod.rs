//! Adapters: the GL machine's device trait over the simulator and over the interpreter.
//!
//! Machine, executors and compiler meet only here. An adapter translates a batch for its executor
//! and the results back; it computes nothing that a shader computes.

mod binary_source;
mod compile_error;
mod distribute;
mod interpreter;
mod simulator;
mod vertex_values;
mod wave;

pub use self::binary_source::{BinarySource, OtherSources};
pub use self::interpreter::{InterpreterDevice, Undefined};
pub use self::simulator::{
    Decoders, Disagreement, KernelStatistics, SimulatorDevice, SimulatorOptions, TraceLog,
};
pub use self::wave::{ForeignDevice, ForeignShader, Programs, WaveDevice, WaveLog, WaveOptions};
