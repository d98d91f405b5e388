//! Answers of queries and their comparison with a script's expectation.

use std::fmt::Display;

use program::Program;
use program::resource::Uniform;
use script::QueryValue;

use crate::machines::session::Flow;
use results::verdict::{Phase, Verdict};

/// An answer of a query: a number, or a name without `GL_`.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Integer(i64),
    Name(String),
}

impl Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Answer::Integer(n) => write!(f, "{n}"),
            Answer::Name(name) => write!(f, "GL_{name}"),
        }
    }
}

/// Fails unless an answer is as expected.
pub(super) fn expect(found: Answer, wanted: QueryValue, what: &str) -> Flow {
    let (equal, wanted) = match wanted {
        QueryValue::Integer(n) => {
            (matches!(found, Answer::Integer(m) if m == i64::from(n)), n.to_string())
        }
        QueryValue::Name(name) => {
            (matches!(&found, Answer::Name(m) if m == name.short_name()), name.to_string())
        }
    };
    if equal {
        return Ok(());
    }
    Err(Verdict::fail(Phase::Probe, format!("{what}: expected {wanted}, got {found}")))
}

/// Returns a count as an answer.
pub(super) fn count(n: usize) -> Answer {
    Answer::Integer(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Returns the active uniforms except the samplers and images that linking added.
pub(super) fn active_uniforms(program: &Program) -> impl Iterator<Item = &Uniform> {
    program.uniforms.iter().filter(|uniform| !uniform.is_internal())
}

/// Returns the name as GL reports it: arrays end in `[0]`.
pub(super) fn reported_name(uniform: &Uniform) -> String {
    if uniform.array.is_some() { format!("{}[0]", uniform.name) } else { uniform.name.clone() }
}

/// True if queries report names: those of programs of SPIR-V are empty (ARB_gl_spirv, issue 19).
pub(super) fn reports_names(program: &Program) -> bool {
    !program.stages.iter().any(|stage| stage.shader.nameless)
}

/// Returns the length of the longest of some names with its end; 0 if there are none.
pub(super) fn longest(program: &Program, names: impl Iterator<Item = String>) -> Answer {
    let is_reported = reports_names(program);
    let length = |name: String| if is_reported { name.len() + 1 } else { 1 };
    count(names.map(length).max().unwrap_or(0))
}
