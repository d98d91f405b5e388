//! Outcome of a script on the driver.

use vocabulary::Phase;

/// Further facts that an outcome can hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observe {
    /// The framebuffer.
    pub image: bool,
    /// Values of probes after the end, if that was a missing uniform.
    pub beyond: bool,
}

/// The facts from which a verdict follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Failed lines that did not end the script, in their order.
    pub failures: Vec<Failure>,
    /// The early end, if there was one. It alone decides the verdict.
    pub end: Option<End>,
    /// Values that probes read, in their order.
    pub readings: Vec<Reading>,
    /// The read framebuffer at the first failed probe, or at the end; only if it is wanted.
    pub image: Option<Pixels>,
    /// Messages of the driver's compiler about the code that it made.
    pub messages: Vec<String>,
}

impl Outcome {
    /// Returns the outcome of a script that could not be executed.
    pub(crate) fn broken(reason: &str) -> Outcome {
        let kind = EndKind::Fail(Phase::Simulate);
        let end = End { line: None, kind, reason: reason.to_owned() };
        Outcome { end: Some(end), ..Outcome::default() }
    }
}

/// A failed line.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Line of the file; `None` for a failure of the whole script.
    pub line: Option<u32>,
    /// The script takes the failure for a warning.
    pub warns: bool,
    /// Phase of the failure.
    pub phase: Phase,
    /// The reason.
    pub text: String,
}

/// Early end of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Line of the command that ended it; `None` before the commands.
    pub line: Option<u32>,
    /// The kind of the end.
    pub kind: EndKind,
    /// The reason.
    pub reason: String,
}

/// Kind of an early end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndKind {
    /// A feature is missing.
    Skip,
    /// The script failed in a phase.
    Fail(Phase),
    /// The GPU was reset: the driver has lost the context.
    Reset,
}

/// Values that a probe read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Line of the probe.
    pub line: u32,
    /// The values.
    pub values: ReadValues,
}

/// Values of a probe.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadValues {
    /// Pixels.
    Pixels(Pixels),
    /// Little-endian bytes of a buffer.
    Bytes(Vec<u8>),
}

/// Pixels of a rectangle, row by row from the bottom, four channels each.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// The rectangle.
    pub rect: probes::PixelRect,
    /// The values.
    pub values: PixelValues,
}

/// Values of pixels; a single pixel if all are alike.
#[derive(Clone, Debug, PartialEq)]
pub enum PixelValues {
    /// Normalized bytes.
    Bytes(Vec<[u8; 4]>),
    /// Floats.
    Floats(Vec<[f32; 4]>),
    /// Integers.
    Integers(Vec<[i32; 4]>),
}

/// An early end, until the line is added.
pub(crate) struct Stop {
    pub(crate) kind: EndKind,
    pub(crate) reason: String,
    /// The following commands still have a meaning: their values can be compared.
    pub(crate) readable: bool,
}

/// Result of a step of a script.
pub(crate) type Flow<T = ()> = Result<T, Stop>;

/// Returns the end of a script that needs a missing feature.
pub(crate) fn skip(reason: impl Into<String>) -> Stop {
    Stop { kind: EndKind::Skip, reason: reason.into(), readable: false }
}

/// Returns the end of a script by a failure.
pub(crate) fn fail(phase: Phase, reason: impl Into<String>) -> Stop {
    Stop { kind: EndKind::Fail(phase), reason: reason.into(), readable: false }
}

/// Returns the end of a script by a uniform that the program does not have. A driver decides
/// itself which uniforms are active (OpenGL 4.6, section 7.6), so that their loss changes no value.
pub(crate) fn missing_uniform(reason: String) -> Stop {
    Stop { readable: true, ..fail(Phase::Link, reason) }
}
