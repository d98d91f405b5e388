//! Messages of CHECK lines that do not hold.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::matcher::{Failure, FailureKind};
use script::{Check, CheckBlock, CheckKind, CodeForm, PatternPart};

/// Least share of a pattern that a line has if it is shown as the nearest one.
const ALIKE: f64 = 0.5;

/// Describes a failure: the line of the file, the expectation, and what the code has instead. Lines
/// of the code count from 1.
pub(super) fn describe(block: &CheckBlock<'_>, failure: &Failure, text: &str) -> String {
    let check = &block.checks[failure.check];
    let (line, name, place) = (check.line, check.kind.name(), place(block));
    let lines: Vec<&str> = text.lines().collect();
    let (verb, label) = match failure.kind {
        FailureKind::Missing { .. } => ("does not match", "Expected"),
        FailureKind::Present { .. } => ("matches", "Not expected"),
        FailureKind::Pattern(_) => ("cannot be used on", "Pattern"),
    };
    let mut message = format!("line {line}: {name} {verb} the {place}\n  {label}: {}", check.text);
    // Writing to a string cannot fail.
    for (name, value) in &failure.values {
        let _ = write!(message, "\n  With: {name} = {value}");
    }
    let shown = |index: usize| {
        format!("line {}: {}", index + 1, lines.get(index).map_or("", |line| line.trim_end()))
    };
    let _ = match &failure.kind {
        FailureKind::Pattern(reason) => write!(message, "\n  {reason}"),
        FailureKind::Present { line } => write!(message, "\n  Observed: {}", shown(*line)),
        FailureKind::Missing { from, to, found } => {
            if let CheckKind::Count(count) = check.kind {
                let _ = write!(message, "\n  Observed: {found} of {count} matches");
            }
            match (check.kind, from < to) {
                (_, false) => write!(message, "\n  Observed: the end of the code"),
                (CheckKind::Next, true) => write!(message, "\n  Observed: {}", shown(*from)),
                (_, true) if *found > 0 => {
                    write!(message, "\n  Searched: lines {} to {to}", from + 1)
                }
                (_, true) => {
                    let _ = write!(message, "\n  Searched: lines {} to {to}", from + 1);
                    let nearest = nearest(check, &failure.values, &lines, *from..*to);
                    nearest.map_or(Ok(()), |index| write!(message, "\n  Nearest: {}", shown(index)))
                }
            }
        }
    };
    message
}

/// Returns `SIMD8 kernel of the fragment shader`.
fn place(block: &CheckBlock<'_>) -> String {
    let scope = &block.scope;
    match (scope.form, scope.width) {
        (CodeForm::Ir, _) => format!("IR of the {} shader", scope.stage),
        (CodeForm::Eu, Some(width)) => format!("{width} kernel of the {} shader", scope.stage),
        (CodeForm::Eu, None) => format!("kernels of the {} shader", scope.stage),
    }
}

/// Returns the line that is most like a pattern, preferably among those that were searched.
fn nearest(
    check: &Check<'_>,
    values: &BTreeMap<String, String>,
    lines: &[&str],
    searched: std::ops::Range<usize>,
) -> Option<usize> {
    let part = |part: &PatternPart| match part {
        PatternPart::Literal(text) => text.clone(),
        PatternPart::Use(name) => values.get(name).cloned().unwrap_or_default(),
        PatternPart::Regex(_) | PatternPart::Define(..) => " ".to_owned(),
    };
    let wanted = dense(&check.pattern.parts.iter().map(part).collect::<String>());
    let scored = lines.iter().enumerate().filter_map(|(index, line)| {
        let line = dense(line);
        let share = share(&pairs(&wanted), &pairs(&line));
        let prefix = wanted.iter().zip(&line).take_while(|(a, b)| a == b).count();
        // Among lines that have as much of the pattern, the one that begins like it.
        let score = share + prefix as f64 / wanted.len().max(1) as f64 / 2.0;
        (share >= ALIKE).then_some((score, searched.contains(&index), index))
    });
    // Of equal lines, the first one.
    let best = scored.reduce(|best, other| {
        let is_better = other.0.total_cmp(&best.0).then(other.1.cmp(&best.1)).is_gt();
        if is_better { other } else { best }
    });
    best.map(|(_, _, index)| index)
}

/// Returns the characters of a text without blanks.
fn dense(text: &str) -> Vec<char> {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the sorted pairs of neighboring characters.
fn pairs(characters: &[char]) -> Vec<(char, char)> {
    let mut pairs: Vec<(char, char)> =
        characters.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort_unstable();
    pairs
}

/// Returns the share of the first sorted list that the second one has, too.
fn share(wanted: &[(char, char)], there: &[(char, char)]) -> f64 {
    let (mut left, mut right, mut count) = (0, 0, 0u32);
    while let (Some(x), Some(y)) = (wanted.get(left), there.get(right)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                (left, right, count) = (left + 1, right + 1, count + 1);
            }
        }
    }
    f64::from(count) / wanted.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::matcher::check;
    use super::*;

    const TEXT: &str =
        "// fragment SIMD8\nmov(8)  g4<1>F  g2<0,1,0>F\nadd(8)  g5<1>F  g4<8,8,1>F\n";

    fn message(lines: &str) -> String {
        let file = format!("[require]\n[test]\n{lines}\n");
        let script = script::parse(file.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        let block = &script.checks[0];
        let failure = check(&block.checks, TEXT).expect_err(lines);
        describe(block, &failure, TEXT)
    }

    #[test]
    fn messages() {
        for (lines, expected) in [
            (
                "# CHECK(ivb fragment SIMD8 eu): add(16) g5<1>F",
                "line 3: CHECK does not match the SIMD8 kernel of the fragment shader\n  \
                 Expected: add(16) g5<1>F\n  Searched: lines 1 to 3\n  \
                 Nearest: line 3: add(8)  g5<1>F  g4<8,8,1>F",
            ),
            // Found where it was not searched for.
            (
                "# CHECK(ivb fragment eu): [[R:g5]]\n# CHECK: mov(8) {{.*}} [[R]]",
                "line 4: CHECK does not match the kernels of the fragment shader\n  \
                 Expected: mov(8) {{.*}} [[R]]\n  With: R = g5\n  Searched: lines 3 to 3\n  \
                 Nearest: line 2: mov(8)  g4<1>F  g2<0,1,0>F",
            ),
            (
                "# CHECK(ivb fragment ir): mov\n# CHECK-NEXT: mul",
                "line 4: CHECK-NEXT does not match the IR of the fragment shader\n  \
                 Expected: mul\n  Observed: line 3: add(8)  g5<1>F  g4<8,8,1>F",
            ),
            (
                "# CHECK(ivb fragment eu): add(8)\n# CHECK-NEXT: mul",
                "line 4: CHECK-NEXT does not match the kernels of the fragment shader\n  \
                 Expected: mul\n  Observed: the end of the code",
            ),
            (
                "# CHECK-COUNT-3(ivb fragment eu): (8)",
                "line 3: CHECK-COUNT-3 does not match the kernels of the fragment shader\n  \
                 Expected: (8)\n  Observed: 2 of 3 matches\n  Searched: lines 1 to 3",
            ),
            (
                "# CHECK-NOT(ivb fragment eu): mov",
                "line 3: CHECK-NOT matches the kernels of the fragment shader\n  \
                 Not expected: mov\n  Observed: line 2: mov(8)  g4<1>F  g2<0,1,0>F",
            ),
            (
                "# CHECK(ivb fragment eu): wholly different",
                "line 3: CHECK does not match the kernels of the fragment shader\n  \
                 Expected: wholly different\n  Searched: lines 1 to 3",
            ),
        ] {
            assert_eq!(message(lines), expected);
        }
    }
}
