//! Coverage of compiler and hardware by tests: built-in functions, IR operations, instructions,
//! messages, passes.
//!
//! Ordinary runs count nothing: [`sample`] executes a test once more and inspects the linked
//! program, the IR between passes, and the kernels that the simulator executed. [`Coverage`] adds
//! up the samples.

mod kinds;
mod sample;

pub use kinds::all;
pub use sample::sample;

use std::collections::BTreeMap;
use std::fmt::Write;

use results::coverage::{CoverageSample, Kind};
use serde::Serialize;

use vocabulary::Target;

/// Counts of test cases by kind, generation and item.
#[derive(Clone, Debug, Default)]
pub struct Coverage(BTreeMap<(Kind, Target), BTreeMap<String, u64>>);

/// The coverage of one kind on one generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The kind.
    pub kind: Kind,
    /// The generation.
    #[serde(rename = "gen")]
    pub generation: String,
    /// Number of existing items; `None` if they cannot be enumerated.
    pub total: Option<usize>,
    /// Covered items with the number of test cases.
    pub covered: BTreeMap<String, u64>,
    /// Missing items.
    pub missing: Vec<String>,
}

impl Part {
    /// Returns the share of covered items in percent.
    pub fn percent(&self) -> Option<f64> {
        let total = self.total.filter(|&total| total > 0)?;
        Some(100.0 * (total - self.missing.len()) as f64 / total as f64)
    }
}

impl Coverage {
    /// Adds the sample of a test case. Quirks count once: the search for a quirk ends with the
    /// first test that needs it, which depends on timing.
    pub fn add(&mut self, generation: Target, sample: &CoverageSample) {
        for (kind, items) in sample.iter() {
            let counts = self.0.entry((kind, generation)).or_default();
            for item in items {
                let count = counts.entry(item.clone()).or_default();
                *count = if kind == Kind::Quirks { 1 } else { *count + 1 };
            }
        }
    }

    /// Returns true if an item occurred on a generation.
    pub fn has(&self, kind: Kind, generation: Target, item: &str) -> bool {
        self.0.get(&(kind, generation)).is_some_and(|counts| counts.contains_key(item))
    }

    /// Returns all kinds on all generations, except the kinds in `without`.
    pub fn parts(&self, generations: &[Target], without: &[Kind]) -> Vec<Part> {
        let kinds = Kind::ALL.into_iter().filter(|kind| !without.contains(kind));
        kinds
            .flat_map(|kind| generations.iter().map(move |&generation| self.part(kind, generation)))
            .collect()
    }

    fn part(&self, kind: Kind, generation: Target) -> Part {
        let covered = self.0.get(&(kind, generation)).cloned().unwrap_or_default();
        let all = all(kind, generation);
        let missing =
            all.iter().flatten().filter(|item| !covered.contains_key(*item)).cloned().collect();
        let (generation, total) = (generation.name().to_owned(), all.map(|all| all.len()));
        Part { kind, generation, total, covered, missing }
    }
}

/// Renders the table, followed by the missing items. Generations with the same missing items are
/// listed together.
pub fn table(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        let covered = part.covered.len();
        let of = match (part.total, part.percent()) {
            (Some(total), Some(percent)) => {
                format!("{:>5}/{total:<5} {percent:>5.1} %", total - part.missing.len())
            }
            _ => format!("{covered:>5}"),
        };
        let _ = writeln!(text, "{:<28} {:<4} {of}", part.kind.title(), part.generation);
    }
    let mut missing: BTreeMap<(Kind, &[String]), Vec<&str>> = BTreeMap::new();
    for part in parts.iter().filter(|part| !part.missing.is_empty()) {
        missing.entry((part.kind, &part.missing)).or_default().push(&part.generation);
    }
    for ((kind, items), generations) in missing {
        let _ = writeln!(text, "\n{} that never occur [{}]:", kind.title(), generations.join(","));
        for line in lines(items) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// Wraps items to the width of a terminal.
fn lines(items: &[String]) -> Vec<String> {
    const WIDTH: usize = 96;
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.len() + item.len() + 2 <= WIDTH => *line += &format!(", {item}"),
            _ => lines.push(item.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_add_up_and_what_is_missing_is_told() {
        let mut sample = CoverageSample::default();
        sample.insert(Kind::Functions, "dot");
        sample.insert(Kind::Overloads, "dot(vec2, vec2)");
        sample.insert(Kind::Quirks, "ivb-cmp16");
        let mut coverage = Coverage::default();
        coverage.add(Target::IVB, &sample);
        coverage.add(Target::IVB, &sample);
        assert!(coverage.has(Kind::Functions, Target::IVB, "dot"));
        assert!(!coverage.has(Kind::Functions, Target::SKL, "dot"));
        let parts = coverage.parts(&[Target::IVB, Target::SKL], &[Kind::Quirks]);
        assert!(parts.iter().all(|part| part.kind != Kind::Quirks));
        let quirks = &coverage.parts(&[Target::IVB], &[])[Kind::ALL.len() - 1];
        assert_eq!((quirks.kind, quirks.covered["ivb-cmp16"]), (Kind::Quirks, 1));
        let functions = &parts[0];
        assert_eq!((functions.kind, functions.covered["dot"]), (Kind::Functions, 2));
        assert_eq!(functions.missing.len() + 1, functions.total.unwrap());
        let text = table(&parts);
        assert!(text.contains("that never occur [skl]:") && !text.contains("  dot,"), "{text}");
        let overloads = parts.iter().find(|part| part.kind == Kind::Overloads).unwrap();
        assert_eq!((overloads.total, overloads.percent()), (None, None));
    }
}
