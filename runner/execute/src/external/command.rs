//! The command line of an external compiler.

use std::fmt;
use std::path::{Path, PathBuf};

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// Path or name of the program.
    pub program: String,
    /// Arguments of the program.
    pub arguments: Vec<String>,
}

impl CommandLine {
    /// Splits a text at blanks; single or double quotes keep a part together. There are no other
    /// special characters.
    ///
    /// # Errors
    /// Returns a message for the user: an empty text, an unterminated quote, or an unknown program.
    pub fn parse(text: &str) -> Result<CommandLine, String> {
        let mut words: Vec<String> = Vec::new();
        let mut word: Option<String> = None;
        let mut quote: Option<char> = None;
        for c in text.chars() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, c) if c.is_whitespace() => words.extend(word.take()),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        if let Some(quote) = quote {
            return Err(format!("`{text}`: {quote} has no end"));
        }
        words.extend(word);
        if words.is_empty() {
            return Err("a command is needed".to_owned());
        }
        let program = words.remove(0);
        let line = CommandLine { program, arguments: words };
        line.find()
            .map(|_| line.clone())
            .ok_or_else(|| format!("{}: no such program", line.program))
    }

    /// Returns the program's file: as given if it contains `/`, otherwise from `PATH`.
    fn find(&self) -> Option<PathBuf> {
        if self.program.contains('/') {
            return Some(PathBuf::from(&self.program)).filter(|path| path.is_file());
        }
        let folders = std::env::var_os("PATH")?;
        let found =
            std::env::split_paths(&folders).map(|folder| folder.join(Path::new(&self.program)));
        let name = |path: PathBuf| {
            [path.clone(), path.with_extension("exe")].into_iter().find(|path| path.is_file())
        };
        found.filter_map(name).next()
    }
}

/// Writes a text that parses to the same words.
impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for word in std::iter::once(&self.program).chain(&self.arguments) {
            let plain = !word.is_empty()
                && !word.contains(|c: char| c.is_whitespace() || c == '\'' || c == '"');
            match word {
                word if plain => write!(f, "{separator}{word}")?,
                word => {
                    // Text in single quotes may contain double ones, and vice versa.
                    let parts: Vec<String> =
                        word.split('\'').map(|part| format!("'{part}'")).collect();
                    write!(f, "{separator}{}", parts.join("\"'\""))?;
                }
            }
            separator = " ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        let line = CommandLine::parse("cargo  a 'b c' \"d'e\"f '' ").unwrap();
        assert_eq!(line.arguments, ["a", "b c", "d'ef", ""]);
        assert_eq!(CommandLine::parse(&line.to_string()), Ok(line));
        for (bad, message) in [
            ("", "a command"),
            ("  ", "a command"),
            ("cargo 'a", "has no end"),
            ("/no/such x", "no such program"),
        ] {
            assert!(CommandLine::parse(bad).unwrap_err().contains(message), "{bad}");
        }
    }
}
