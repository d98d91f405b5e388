//! Comparisons of generations outside the tables of hardware facts.

use crate::offense::Offense;
use crate::source::{File, Kind};

/// Tables that say which generation has what: facts, quirks, and the encoders' field tables.
const TABLES: &[&str] = &[
    "compiler/vocabulary/src/",
    "compiler/intel/isa/src/devinfo",
    "compiler/intel/isa/src/quirks",
    "compiler/intel/isa/src/encoding/",
    "compiler/intel/isa/src/opcode",
    "compiler/intel/isa/src/desc/",
    // Columns of the tables of commands and state.
    "runner/virtual/packets/src/table.rs",
    "runner/virtual/intel_gpu/src/facts.rs",
    // Files of limits and extensions, one per generation.
    "runner/execute/src/capabilities/table.rs",
    "tests/tidy/",
];

/// Types whose variants are generations.
const VARIANTS: &[&str] = &["GfxVersion", "Gen", "Generation"];

/// The variant that is the interpreter, not hardware.
const REFERENCE: &str = "Reference";

/// Finds lines that compare generations or match on them outside the tables.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust && !f.is_test()) {
        if TABLES.iter().any(|table| file.path.starts_with(table)) {
            continue;
        }
        for (i, line) in without_tests(&file.lexed.code).enumerate() {
            if compares(line) {
                let message = format!("`{}`: ask the table of facts in eu", line.trim());
                offenses.push(Offense {
                    path: file.path.clone(),
                    line: i + 1,
                    check: "generation",
                    message,
                });
            }
        }
    }
    offenses
}

/// Lines up to the file's module of unit tests, which is its last item.
fn without_tests(code: &str) -> impl Iterator<Item = &str> {
    code.lines().take_while(|line| !line.starts_with("#[cfg(test)]"))
}

/// True if a line compares a generation with a literal one, or orders generations.
fn compares(line: &str) -> bool {
    let tokens = tokens(line);
    let operator = |t: &str| matches!(t, "==" | "!=" | "<" | "<=" | ">" | ">=");
    for (i, token) in tokens.iter().enumerate() {
        let text = |at: usize| tokens.get(at).map_or("", |t| t.as_str());
        if operator(token) {
            let ordered = !matches!(token.as_str(), "==" | "!=");
            let left = (0..i).rev().map(text).take_while(|t| is_place(t)).collect::<Vec<_>>();
            let right =
                (i + 1..tokens.len()).map(text).take_while(|t| is_place(t)).collect::<Vec<_>>();
            let literal = |side: &[&str]| {
                let variant = side.iter().any(|t| VARIANTS.contains(t)) && side.contains(&"::");
                variant && !side.contains(&REFERENCE)
            };
            let ordinal = |side: &[&str]| {
                side.contains(&"generation")
                    || side.contains(&"gfx_version")
                    || side.contains(&"devinfo") && side.contains(&"version")
            };
            let spaced = ordered && tokens.len() > i + 1 && line.contains(&format!(" {token} "));
            if literal(&left) || literal(&right) || spaced && (ordinal(&left) || ordinal(&right)) {
                return true;
            }
        }
        let variant = VARIANTS.contains(&token.as_str())
            && text(i + 1) == "::"
            && starts_upper(text(i + 2))
            && text(i + 2) != REFERENCE;
        if variant && (matches!(text(i + 3), "=>" | "|") || text(i.wrapping_sub(1)) == "|") {
            return true;
        }
        if variant && tokens.iter().any(|t| t == "matches") {
            return true;
        }
    }
    false
}

fn starts_upper(text: &str) -> bool {
    text.starts_with(char::is_uppercase) && text.chars().any(|c| c.is_lowercase())
}

/// True for tokens that an operand consists of.
fn is_place(token: &str) -> bool {
    matches!(token, "::" | "." | "(" | ")" | "&" | "*")
        || token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Identifiers and operators of a line.
fn tokens(line: &str) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let word = |c: char| c.is_alphanumeric() || c == '_';
        if word(chars[at]) {
            while at < chars.len() && word(chars[at]) {
                at += 1;
            }
        } else if chars[at].is_whitespace() {
            at += 1;
            continue;
        } else {
            let two: String = chars[at..chars.len().min(at + 2)].iter().collect();
            at += if ["==", "!=", "<=", ">=", "=>", "::", "->", "&&", "||"].contains(&two.as_str())
            {
                2
            } else {
                1
            };
        }
        tokens.push(chars[start..at].iter().collect());
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&[File::new(path, text)]).iter().map(|o| o.line).collect()
    }

    #[test]
    fn comparisons_are_reported() {
        let text = "if d.version >= GfxVersion::Gfx9 {}\n\
                    if GfxVersion::Gfx7 == version {}\n\
                    match v { GfxVersion::Gfx7 => 1, _ => 2 }\n\
                    if matches!(v, GfxVersion::Gfx7) {}\n\
                    if a.generation < b.generation {}\n\
                    if self.devinfo().version > other {}\n";
        assert_eq!(lines("compiler/intel/codegen/src/a.rs", text), [1, 2, 3, 4, 5, 6]);
        assert!(lines("compiler/intel/isa/src/devinfo.rs", text).is_empty());
        assert!(lines("compiler/intel/codegen/tests/a.rs", text).is_empty());
    }

    #[test]
    fn other_uses_of_generations_are_allowed() {
        let text = "if a.generation == b.generation {}\nfn f(v: GfxVersion) -> Vec<GfxVersion> {}\n\
                    let all = [Generation::Ivb, Generation::Hsw];\n\
                    if g == Generation::Reference {}\nif version >= 130 {}\n";
        assert!(lines("runner/src/a.rs", text).is_empty());
    }
}
