//! Places in test files that reasons name.

/// A place in a test file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1; `None` means the whole line.
    pub column: Option<u32>,
}

/// Returns the first place that a reason names: `line 15: …` or `line 7, column 5: …`, at the start
/// of a line or after a colon (`Failed to compile FS: line 7, column 5: …`).
pub fn place(reason: &str) -> Option<Place> {
    reason.lines().find_map(|line| {
        let starts = line.match_indices("line ").map(|(at, _)| at);
        let is_start = |at: &usize| *at == 0 || line[..*at].ends_with(": ");
        starts.filter(is_start).find_map(|at| parse(&line[at + "line ".len()..]))
    })
}

/// Parses `15: …` or `7, column 5: …`.
fn parse(text: &str) -> Option<Place> {
    let (line, rest) = number(text)?;
    if rest.starts_with(':') {
        return Some(Place { line, column: None });
    }
    let (column, rest) = number(rest.strip_prefix(", column ")?)?;
    rest.starts_with(':').then_some(Place { line, column: Some(column) })
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().ok().filter(|number| *number > 0)?;
    Some((number, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_reasons() {
        for (reason, expected) in [
            ("line 15: Probe color at (0,0)\n  Expected: 1", Some((15, None))),
            (
                "Failed to compile FS: line 7, column 5: no `x`\nline 9, column 1: y",
                Some((7, Some(5))),
            ),
            ("repetition 2 of 3 differs from the first, pass\nline 4: no", Some((4, None))),
            ("a headline 3: no place", None),
            ("Failed to link: line without number: line 0: no", None),
            ("line 99999999999: too large", None),
            ("line 3, column x: no", None),
            ("offset 0x30: three-source instructions", None),
            ("", None),
        ] {
            let expected = expected.map(|(line, column)| Place { line, column });
            assert_eq!(place(reason), expected, "{reason}");
        }
    }
}
