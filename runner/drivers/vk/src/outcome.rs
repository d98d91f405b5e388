//! The outcome of a script: facts from which its verdict follows.

use vocabulary::{Phase, Stage};

/// The facts from which a verdict follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The end, if it is no success.
    pub end: Option<End>,
    /// Statistics of the driver's compiler about the code that it made.
    pub executables: Vec<Executable>,
    /// Contents of the color attachments at the end, if they are wanted.
    pub images: Vec<AttachmentImage>,
}

/// End of a script that does not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Line of the command that ended it; `None` before the commands.
    pub line: Option<u32>,
    /// The kind of the end.
    pub kind: EndKind,
    /// The reason.
    pub reason: String,
}

/// Kind of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndKind {
    /// Something is missing.
    Skip,
    /// The script failed in a phase.
    Fail(Phase),
    /// The driver has lost the device.
    Lost,
}

/// Code that the driver's compiler made for a stage of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// The stage.
    pub stage: Stage,
    /// The driver's description, such as `SIMD8 fragment shader`.
    pub name: String,
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// Names and values in the driver's order.
    pub statistics: Vec<(String, u64)>,
}

/// Contents of a color attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentImage {
    /// Index of the script's buffer.
    pub buffer: usize,
    /// The bytes, row by row from the top.
    pub bytes: Vec<u8>,
}

/// An end, until the line is added.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) kind: EndKind,
    pub(crate) reason: String,
}

/// Result of a step of a script.
pub(crate) type Flow<T = ()> = Result<T, Stop>;

/// Returns the end of a script that needs something that is missing.
pub(crate) fn skip(reason: impl Into<String>) -> Stop {
    Stop { kind: EndKind::Skip, reason: reason.into() }
}

/// Returns the end of a script by a failure.
pub(crate) fn fail(phase: Phase, reason: impl Into<String>) -> Stop {
    Stop { kind: EndKind::Fail(phase), reason: reason.into() }
}

/// Returns the end of a script by a failure of the driver.
pub(crate) fn simulate(reason: impl Into<String>) -> Stop {
    fail(Phase::Simulate, reason)
}

/// Returns the end of a script whose device is lost.
pub(crate) fn lost(reason: impl Into<String>) -> Stop {
    Stop { kind: EndKind::Lost, reason: reason.into() }
}
