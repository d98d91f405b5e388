//! Comments, strings and code of Rust source, told apart line by line.

/// Kind of a comment, by its marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// `//`
    Plain,
    /// `///`
    Outer,
    /// `//!`
    Inner,
    /// A line of a block comment.
    Block,
}

/// A line of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Line, from 1.
    pub line: usize,
    /// Marker.
    pub marker: Marker,
    /// True if code precedes the comment on its line.
    pub trailing: bool,
    /// Text after the marker.
    pub text: String,
}

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Line of the opening quote, from 1.
    pub line: usize,
    /// Text between the quotes, escapes as written.
    pub text: String,
}

/// Parts of a Rust file.
#[derive(Clone, Debug, Default)]
pub struct Lexed {
    /// The text with comments and the contents of literals blanked; lines are kept.
    pub code: String,
    /// Comments line by line, in order.
    pub comments: Vec<Comment>,
    /// String literals, in order.
    pub strings: Vec<Literal>,
}

/// Separates the parts of Rust source.
pub fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer { chars: text.chars().collect(), at: 0, line: 1, out: Lexed::default() };
    while lexer.at < lexer.chars.len() {
        lexer.step();
    }
    lexer.out
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: usize,
    out: Lexed,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    /// Moves over a character and returns it.
    fn bump(&mut self) -> char {
        let c = self.peek(0);
        self.at += 1;
        if c == '\n' {
            self.line += 1;
        }
        c
    }

    /// Moves over a character that is no code.
    fn blank(&mut self) -> char {
        let c = self.bump();
        self.out.code.push(if c == '\n' { '\n' } else { ' ' });
        c
    }

    /// Moves over a character of code.
    fn copy(&mut self) {
        let c = self.bump();
        self.out.code.push(c);
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => self.line_comment(),
            ('/', '*') => self.block_comment(),
            ('"', _) => self.string(),
            ('r', '"' | '#') if !self.after_identifier() => self.raw_string(1),
            ('b' | 'c', 'r') if !self.after_identifier() && matches!(self.peek(2), '"' | '#') => {
                self.raw_string(2)
            }
            ('\'', _) => self.quote(),
            _ => self.copy(),
        }
    }

    fn after_identifier(&self) -> bool {
        self.at > 0 && (self.chars[self.at - 1].is_alphanumeric() || self.chars[self.at - 1] == '_')
    }

    fn line_comment(&mut self) {
        let trailing = !self.out.code.rsplit('\n').next().unwrap_or("").trim().is_empty();
        let marker = match (self.peek(2), self.peek(3)) {
            ('/', next) if next != '/' => Marker::Outer,
            ('!', _) => Marker::Inner,
            _ => Marker::Plain,
        };
        let line = self.line;
        for _ in 0..(if marker == Marker::Plain { 2 } else { 3 }) {
            self.blank();
        }
        let mut text = String::new();
        while self.at < self.chars.len() && self.peek(0) != '\n' {
            text.push(self.blank());
        }
        self.out.comments.push(Comment { line, marker, trailing, text });
    }

    fn block_comment(&mut self) {
        let (mut depth, mut text, mut line) = (0, String::new(), self.line);
        while self.at < self.chars.len() {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                ('\n', _) => {
                    self.blank();
                    let text = std::mem::take(&mut text);
                    self.out.comments.push(Comment {
                        line,
                        marker: Marker::Block,
                        trailing: false,
                        text,
                    });
                    line = self.line;
                    continue;
                }
                _ => {
                    text.push(self.blank());
                    continue;
                }
            }
            self.blank();
            self.blank();
            if depth == 0 {
                break;
            }
        }
        self.out.comments.push(Comment { line, marker: Marker::Block, trailing: false, text });
    }

    fn string(&mut self) {
        let (line, mut text) = (self.line, String::new());
        self.copy();
        while self.at < self.chars.len() && self.peek(0) != '"' {
            if self.peek(0) == '\\' {
                text.push(self.blank());
            }
            text.push(self.blank());
        }
        self.copy();
        self.out.strings.push(Literal { line, text });
    }

    fn raw_string(&mut self, prefix: usize) {
        let hashes = (0..).take_while(|i| self.peek(prefix + i) == '#').count();
        if self.peek(prefix + hashes) != '"' {
            // A raw identifier.
            return self.copy();
        }
        let line = self.line;
        for _ in 0..prefix + hashes + 1 {
            self.copy();
        }
        let mut text = String::new();
        while self.at < self.chars.len() {
            if self.peek(0) == '"' && (1..=hashes).all(|i| self.peek(i) == '#') {
                break;
            }
            text.push(self.blank());
        }
        for _ in 0..=hashes {
            self.copy();
        }
        self.out.strings.push(Literal { line, text });
    }

    /// A character literal or a lifetime.
    fn quote(&mut self) {
        let length = if self.peek(1) == '\\' {
            (3..12).find(|&i| self.peek(i) == '\'').map(|i| i + 1)
        } else {
            (self.peek(2) == '\'').then_some(3)
        };
        match length {
            Some(length) => (0..length).for_each(|_| {
                self.blank();
            }),
            None => self.copy(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        let text = "//! Inner\nfn f<'a>() { g(\"// no \\\" comment\", 'x', '\\''); } // trailing\n\
                    /* one\ntwo */ let r = r#\"raw \" text\"#;\n";
        let lexed = lex(text);
        let comments: Vec<_> =
            lexed.comments.iter().map(|c| (c.line, c.marker, c.trailing, c.text.trim())).collect();
        assert_eq!(
            comments,
            [
                (1, Marker::Inner, false, "Inner"),
                (2, Marker::Plain, true, "trailing"),
                (3, Marker::Block, false, "one"),
                (4, Marker::Block, false, "two"),
            ]
        );
        let strings: Vec<_> = lexed.strings.iter().map(|s| (s.line, s.text.as_str())).collect();
        assert_eq!(strings, [(2, "// no \\\" comment"), (4, "raw \" text")]);
        assert_eq!(lexed.code.lines().count(), text.lines().count());
        assert!(!lexed.code.contains("comment") && lexed.code.contains("fn f<'a>()"));
    }
}
