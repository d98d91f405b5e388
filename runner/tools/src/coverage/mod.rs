//! What tests exercise of compiler and hardware: built-in functions, IR operations, instructions, messages, passes.
//!
//! Nothing is counted while tests run: [`observe`] executes one once more and looks at the linked program, the IR on its
//! way through the passes, and the kernels that the simulator executed. [`Coverage`] adds rows up.

mod kinds;
mod observe;

pub use kinds::all;
pub use observe::observe;

use std::collections::BTreeMap;
use std::fmt::Write;

use results::coverage::{Kind, Seen};
use serde::Serialize;

use vocabulary::Generation;

/// How many rows of a generation exercised what.
#[derive(Clone, Debug, Default)]
pub struct Coverage(BTreeMap<(Kind, Generation), BTreeMap<String, u64>>);

/// One kind on one generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The kind.
    pub kind: Kind,
    /// The generation.
    #[serde(rename = "gen")]
    pub target: String,
    /// Number of items that there are; `None` where nobody can say.
    pub total: Option<usize>,
    /// Items that occurred, each with the number of rows.
    pub covered: BTreeMap<String, u64>,
    /// Items that did not occur.
    pub missing: Vec<String>,
}

impl Part {
    /// Covered items in percent of all.
    pub fn percent(&self) -> Option<f64> {
        let total = self.total.filter(|&total| total > 0)?;
        Some(100.0 * (total - self.missing.len()) as f64 / total as f64)
    }
}

impl Coverage {
    /// Adds what a row exercised. Quirks count once: whoever finds one ends the search, and who that is depends on how fast
    /// others are.
    pub fn add(&mut self, target: Generation, seen: &Seen) {
        for (kind, items) in seen.iter() {
            let counts = self.0.entry((kind, target)).or_default();
            for item in items {
                let count = counts.entry(item.clone()).or_default();
                *count = if kind == Kind::Quirks { 1 } else { *count + 1 };
            }
        }
    }

    /// Whether an item occurred on a generation.
    pub fn has(&self, kind: Kind, target: Generation, item: &str) -> bool {
        self.0.get(&(kind, target)).is_some_and(|counts| counts.contains_key(item))
    }

    /// All kinds on all generations; those of `without` are left out.
    pub fn parts(&self, targets: &[Generation], without: &[Kind]) -> Vec<Part> {
        let kinds = Kind::ALL.into_iter().filter(|kind| !without.contains(kind));
        kinds.flat_map(|kind| targets.iter().map(move |&target| self.part(kind, target))).collect()
    }

    fn part(&self, kind: Kind, target: Generation) -> Part {
        let covered = self.0.get(&(kind, target)).cloned().unwrap_or_default();
        let all = all(kind, target);
        let missing = all.iter().flatten().filter(|item| !covered.contains_key(*item)).cloned().collect();
        let (target, total) = (target.name().to_owned(), all.map(|all| all.len()));
        Part { kind, target, total, covered, missing }
    }
}

/// The table, and below it what never occurred. Generations that miss the same are told together.
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
        let _ = writeln!(text, "{:<28} {:<4} {of}", part.kind.title(), part.target);
    }
    let mut missing: BTreeMap<(Kind, &[String]), Vec<&str>> = BTreeMap::new();
    for part in parts.iter().filter(|part| !part.missing.is_empty()) {
        missing.entry((part.kind, &part.missing)).or_default().push(&part.target);
    }
    for ((kind, items), targets) in missing {
        let _ = writeln!(text, "\n{} that never occur [{}]:", kind.title(), targets.join(","));
        for line in lines(items) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// Items in lines that fit a terminal.
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
        let mut seen = Seen::default();
        seen.insert(Kind::Functions, "dot");
        seen.insert(Kind::Overloads, "dot(vec2, vec2)");
        seen.insert(Kind::Quirks, "ivb-cmp16");
        let mut coverage = Coverage::default();
        coverage.add(Generation::Ivb, &seen);
        coverage.add(Generation::Ivb, &seen);
        assert!(coverage.has(Kind::Functions, Generation::Ivb, "dot"));
        assert!(!coverage.has(Kind::Functions, Generation::Skl, "dot"));
        let parts = coverage.parts(&[Generation::Ivb, Generation::Skl], &[Kind::Quirks]);
        assert!(parts.iter().all(|part| part.kind != Kind::Quirks));
        let quirks = &coverage.parts(&[Generation::Ivb], &[])[Kind::ALL.len() - 1];
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
