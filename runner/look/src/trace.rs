//! The executed instructions of a stage.

use serde::Serialize;

use crate::program::traced;
use execute::TestCase;
use shader_device::TraceFilter;

/// Maximum length of a shown trace in bytes.
const LONGEST: usize = 1 << 20;

/// The trace of a stage.
#[derive(Debug, Serialize)]
pub(crate) struct TraceLook {
    /// As `runner show … trace` prints it.
    text: String,
    /// True if the end is left out.
    cut: bool,
}

/// Executes a text on the simulator alone with a trace.
pub(crate) fn trace(
    text: &[u8],
    filter: TraceFilter,
    case: &TestCase<'_>,
) -> anyhow::Result<TraceLook> {
    let script = script::parse(text)?;
    let (_, mut text) = traced(&script, (case.test, case.target), case.options, filter)?;
    let cut = text.len() > LONGEST;
    if cut {
        let end = text[..LONGEST].rfind('\n').map_or(0, |end| end + 1);
        text.truncate(end);
    }
    Ok(TraceLook { text, cut })
}
