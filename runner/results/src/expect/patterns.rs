//! Compilation of patterns within limits of size and number, since files of expectations may come
//! from anywhere.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

/// Maximum compiled size of an ordinary pattern in bytes.
const LIGHT: usize = 64 << 10;
/// Maximum compiled size of any pattern in bytes.
const HEAVY: usize = 1 << 20;
/// Maximum number of patterns beyond [`LIGHT`] in a file.
const HEAVY_COUNT: usize = 500;
/// Maximum number of patterns in a file.
const COUNT: usize = 50_000;

/// The patterns of a file; equal ones are compiled once.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    known: HashMap<String, Regex>,
    heavy: usize,
}

impl Patterns {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Fails on text that is not a regular expression, and beyond a limit.
    pub(super) fn compile(&mut self, pattern: &str) -> Result<Regex, String> {
        if let Some(regex) = self.known.get(pattern) {
            return Ok(regex.clone());
        }
        if self.known.len() >= COUNT {
            return Err(format!("more than {COUNT} patterns in one file"));
        }
        let compile = |size| RegexBuilder::new(pattern).size_limit(size).build();
        let regex = match compile(LIGHT) {
            Err(regex::Error::CompiledTooBig(_)) => {
                self.heavy += 1;
                if self.heavy > HEAVY_COUNT {
                    return Err(format!(
                        "more than {HEAVY_COUNT} patterns whose compiled form exceeds {} KiB",
                        LIGHT >> 10
                    ));
                }
                compile(HEAVY)
            }
            other => other,
        };
        let regex = regex.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                format!("`{pattern}` is too large: its compiled form exceeds {} MiB", HEAVY >> 20)
            }
            error => format!("`{pattern}` is not a regular expression: {error}"),
        })?;
        self.known.insert(pattern.to_owned(), regex.clone());
        Ok(regex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_patterns_are_limited() {
        let mut patterns = Patterns::default();
        assert!(patterns.compile("^a.*b$").unwrap().is_match("axb"));
        assert!(patterns.compile("(").unwrap_err().starts_with("`(` is not a regular"));
        assert!(patterns.compile(r"\w{5000}").unwrap_err().contains("is too large"));
        let heavy = (0..=HEAVY_COUNT).map(|n| patterns.compile(&format!(r"a{n}\w{{9}}")));
        assert!(heavy.last().unwrap().unwrap_err().starts_with("more than 500 patterns"));
        // An equal pattern costs nothing.
        assert!(patterns.compile(r"a7\w{9}").is_ok());
    }
}
