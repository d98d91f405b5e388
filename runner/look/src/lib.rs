//! Looks into a test: its verdict, code, IR, traces and pictures as JSON, for the page of
//! `runner serve`.
//!
//! ```
//! let request: look::LookRequest = serde_json::from_str(r#"{"form": {"kind": "result"}}"#)?;
//! assert_eq!(request.form, look::Form::Result);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod code;
mod ir;
mod picture;
mod program;
mod request;
mod result;
mod trace;

pub use program::{linked, stage_ir, traced};
pub use request::{Form, LookRequest};

use std::path::Path;

use serde::Serialize;

use execute::{TestCase, read_test};
use results::verdict::{Phase, Verdict};
use shader_device::TraceFilter;

/// Answers a request: the verdict of what was executed, and the answer as JSON.
///
/// The text is the request's, or else that of the file. A form that the test does not have is an
/// answer with an `error`.
pub fn look(path: &Path, request: &LookRequest, case: &TestCase<'_>) -> (Verdict, String) {
    let text = match &request.text {
        Some(text) => text.clone().into_bytes(),
        None => match read_test(path, case.options.mode()) {
            Ok(text) => text,
            Err(error) => return failed(format!("cannot read the file: {error}")),
        },
    };
    match &request.form {
        Form::Result => {
            let result = result::result(path, &text, case);
            (Verdict::pass(), json(&result))
        }
        Form::Code => answer(code::code(&text, case)),
        Form::Ir { stage, run } => answer(ir::ir(&text, *stage, *run, case)),
        Form::Trace { stage, width, pixel } => {
            let (stage, width, pixel) = (Some(*stage), *width, *pixel);
            let filter = TraceFilter { stage, width, pixel, payloads_only: false };
            answer(trace::trace(&text, filter, case))
        }
    }
}

fn answer(outcome: anyhow::Result<impl Serialize>) -> (Verdict, String) {
    match outcome {
        Ok(value) => (Verdict::pass(), json(&value)),
        Err(error) => failed(format!("{error:#}")),
    }
}

fn failed(error: String) -> (Verdict, String) {
    let text = json(&serde_json::json!({ "error": error }));
    (Verdict::fail(Phase::Script, error), text)
}

fn json(value: &impl Serialize) -> String {
    // Maps with keys that are no strings would fail; there are none.
    serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}
