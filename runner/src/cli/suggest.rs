//! Suggestions for misspelled names.

/// Checks names against a list of known ones.
///
/// # Errors
/// Reports the first unknown name with the most similar known one.
pub(super) fn known(what: &str, names: &[String], all: &[&str]) -> anyhow::Result<()> {
    let Some(unknown) = names.iter().find(|name| !all.contains(&name.as_str())) else {
        return Ok(());
    };
    let nearest = all.iter().min_by_key(|known| distance(unknown, known));
    match nearest.filter(|known| distance(unknown, known) <= unknown.chars().count() / 3 + 1) {
        Some(nearest) => anyhow::bail!("unknown {what} `{unknown}`: did you mean `{nearest}`?"),
        None => anyhow::bail!("unknown {what} `{unknown}` (known: {})", all.join(", ")),
    }
}

/// Returns the edit distance of two words in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("opt_dce", "opt_cse", 2),
            ("opt_dce", "opt_dead", 3),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn what_was_meant() {
        let all = ["opt_dce", "opt_algebraic"];
        let check =
            |name: &str| known("pass", &[name.to_owned()], &all).map_err(|error| error.to_string());
        assert_eq!(check("opt_dce"), Ok(()));
        assert_eq!(
            check("opt_algebra"),
            Err("unknown pass `opt_algebra`: did you mean `opt_algebraic`?".into())
        );
        assert_eq!(check("x"), Err("unknown pass `x` (known: opt_dce, opt_algebraic)".into()));
    }
}
