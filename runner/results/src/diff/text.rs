//! Differences of texts: messages, IR and assembly of test cases with failure bundles in both runs.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use similar::{Algorithm, TextDiff as LineDiff};

use super::Pair;
use crate::ResultRef;
use crate::files::bundle::{self, Bundle};

/// Number of context lines around a change.
const CONTEXT: usize = 3;
/// Time limit of the search for the shortest difference of two texts; a longer difference is
/// accepted afterwards.
const SEARCH_TIME_LIMIT: Duration = Duration::from_millis(500);

/// Maximum number of test cases whose bundles are looked up.
const ATTEMPTS: usize = 5_000;

/// A change of one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextDiff {
    /// Name of the test.
    pub test: String,
    /// Generation.
    #[serde(rename = "gen")]
    pub generation: String,
    /// Name of the text: `message`, `fragment.ir`, `fragment.SIMD8.eu`, …
    pub text: String,
    /// The difference in unified form.
    pub diff: String,
}

/// Returns the difference of two texts in unified form; empty if there is none.
pub fn unified(old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let mut config = LineDiff::configure();
    config.algorithm(Algorithm::Myers).deadline(Instant::now() + SEARCH_TIME_LIMIT);
    config
        .diff_lines(old, new)
        .unified_diff()
        .context_radius(CONTEXT)
        .missing_newline_hint(false)
        .to_string()
}

/// Returns the differences of messages, IR and assembly of the first `limit` test cases that
/// changed in status, message or code and have bundles in both folders, `old` and `new`. The worst
/// change of status comes first.
pub fn texts(pairs: &[Pair<'_, '_>], old: &Path, new: &Path, limit: usize) -> Vec<TextDiff> {
    if limit == 0 || !bundle::any(old) || !bundle::any(new) {
        return Vec::new();
    }
    let changed = |(a, b): &(&ResultRef<'_>, &ResultRef<'_>)| {
        a.status != b.status || a.reason() != b.reason() || a.stages != b.stages
    };
    let mut candidates: Vec<_> = pairs.iter().filter_map(Pair::both).filter(changed).collect();
    candidates.sort_by_key(|(a, b)| super::change(a.known_status(), b.known_status()));
    let found = candidates.into_iter().take(ATTEMPTS).map(|(a, b)| row_texts(a, b, old, new));
    found.filter(|texts| !texts.is_empty()).take(limit).flatten().collect()
}

fn row_texts(
    old: &ResultRef<'_>,
    new: &ResultRef<'_>,
    old_folder: &Path,
    new_folder: &Path,
) -> Vec<TextDiff> {
    let read = |folder: &Path, result: &ResultRef<'_>| {
        Bundle::read(folder, &result.test, &result.generation).ok().flatten()
    };
    let Some((before, after)) = read(old_folder, old).zip(read(new_folder, new)) else {
        return Vec::new();
    };
    let message = |result: &ResultRef<'_>| {
        result.reason().map(|reason| format!("{reason}\n")).unwrap_or_default()
    };
    let mut pairs = vec![("message".to_owned(), message(old), message(new))];
    for (name, text) in &after.texts {
        if let Some(earlier) = before.texts.get(name) {
            pairs.push((name.clone(), earlier.clone(), text.clone()));
        }
    }
    let change = |(text, old, new): (String, String, String)| TextDiff {
        test: after.result.test.clone(),
        generation: after.result.generation.clone(),
        text,
        diff: unified(&old, &new),
    };
    pairs.into_iter().map(change).filter(|text| !text.diff.is_empty()).collect()
}
