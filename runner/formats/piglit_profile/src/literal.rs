//! Literals of Python, as the values of options are written: strings, numbers, `True`, `None`,
//! lists, sets and tuples.

/// Maximum depth of lists in lists.
const DEPTH: u32 = 16;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    /// A string, or a text that is no literal.
    Text(String),
    /// `True` or `False`.
    Truth(bool),
    /// `None`.
    Nothing,
    /// A number, as it is written.
    Number(String),
    /// A list, set or tuple.
    List(Vec<Literal>),
}

impl Literal {
    /// Returns the value of a text. One that is no literal is a string, as piglit reads it.
    pub(crate) fn of(text: &str) -> Literal {
        let mut reader = Reader { rest: text.trim() };
        match reader.value(DEPTH) {
            Some(value) if reader.rest.trim().is_empty() => value,
            _ => Literal::Text(text.to_owned()),
        }
    }

    /// Returns the words of a list, or the string alone. Numbers are words, too.
    pub(crate) fn words(self) -> Vec<String> {
        match self {
            Literal::List(values) => values.into_iter().flat_map(Literal::words).collect(),
            Literal::Text(text) | Literal::Number(text) => vec![text],
            Literal::Truth(true) => vec!["True".to_owned()],
            Literal::Truth(false) => vec!["False".to_owned()],
            Literal::Nothing => Vec::new(),
        }
    }

    /// Returns the word of a string or number.
    pub(crate) fn word(self) -> Option<String> {
        match self {
            Literal::Text(text) | Literal::Number(text) => Some(text),
            Literal::Truth(_) | Literal::Nothing | Literal::List(_) => None,
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self, depth: u32) -> Option<Literal> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next()? {
            quote @ ('\'' | '"') => self.string(quote).map(Literal::Text),
            '[' => self.list(']', depth),
            '{' => self.list('}', depth),
            '(' => self.list(')', depth),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Option<Literal> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "True" => Some(Literal::Truth(true)),
            "False" => Some(Literal::Truth(false)),
            "None" => Some(Literal::Nothing),
            _ => word.parse::<f64>().ok().map(|_| Literal::Number(word.to_owned())),
        }
    }

    fn list(&mut self, close: char, depth: u32) -> Option<Literal> {
        let depth = depth.checked_sub(1)?;
        let mut values = Vec::new();
        self.take();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with(close) {
                self.take();
                return Some(Literal::List(values));
            }
            values.push(self.value(depth)?);
            self.rest = self.rest.trim_start();
            match self.rest.chars().next()? {
                ',' => _ = self.take(),
                c if c == close => {}
                _ => return None,
            }
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        self.take();
        loop {
            match self.take()? {
                c if c == quote => return Some(text),
                '\\' => text.push(self.escaped()?),
                c => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        match self.take()? {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '0' => Some('\0'),
            'x' => self.code(2),
            'u' => self.code(4),
            'U' => self.code(8),
            c @ ('\\' | '\'' | '"') => Some(c),
            _ => None,
        }
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let code = u32::from_str_radix(self.rest.get(..digits)?, 16).ok()?;
        self.rest = &self.rest[digits..];
        char::from_u32(code)
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let first = chars.next()?;
        self.rest = chars.as_str();
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let text = |text: &str| Literal::Text(text.to_owned());
        for (written, value) in [
            ("'compat'", text("compat")),
            (r#""it's""#, text("it's")),
            (r"'a\'b\\c\x41\u00e9'", text("a'b\\cA\u{e9}")),
            ("True", Literal::Truth(true)),
            ("None", Literal::Nothing),
            ("1.10", Literal::Number("1.10".to_owned())),
            (
                "['a', '', 3,]",
                Literal::List(vec![text("a"), text(""), Literal::Number("3".into())]),
            ),
            ("{'b'}", Literal::List(vec![text("b")])),
            ("()", Literal::List(Vec::new())),
            // No literals.
            ("set()", text("set()")),
            ("['a'", text("['a'")),
            ("['a' 'b']", text("['a' 'b']")),
            (r"'\xzz'", text(r"'\xzz'")),
            ("", text("")),
        ] {
            assert_eq!(Literal::of(written), value, "{written}");
        }
    }

    #[test]
    fn deep_lists_are_texts() {
        let deep = "[".repeat(1 << 16);
        assert_eq!(Literal::of(&deep), Literal::Text(deep.clone()));
    }

    #[test]
    fn words() {
        assert_eq!(Literal::of("['a', 1, ['b']]").words(), ["a", "1", "b"]);
        assert_eq!(Literal::of("None").words(), [""; 0]);
        assert_eq!(Literal::of("plain").word().as_deref(), Some("plain"));
    }
}
