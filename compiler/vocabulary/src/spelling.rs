//! Suggestions for misspelled names.

/// Shortest text that suggests the names that begin with it.
const PREFIX: usize = 2;

/// Returns the known name that a misspelled one probably means: one that begins with it, or else
/// the one with the smallest edit distance, if that is at most a third of the length and one.
/// Case, and `_` instead of `-`, make no difference.
///
/// ```
/// let known = ["vertex", "fragment", "compute"];
/// assert_eq!(vocabulary::nearest("Fragmnet", known), Some("fragment"));
/// assert_eq!(vocabulary::nearest("frag", known), Some("fragment"));
/// assert_eq!(vocabulary::nearest("pixel", known), None);
/// ```
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    let limit = word.len() / 3 + 1;
    let distance_to = |name: &str| {
        let name = folded(name);
        match word.len() >= PREFIX && name.starts_with(&word) {
            true => 0,
            false => distance(&word, &name),
        }
    };
    let (distance, name) =
        known.into_iter().map(|name| (distance_to(name), name)).min_by_key(|pair| pair.0)?;
    (distance <= limit && distance < word.len()).then_some(name)
}

fn folded(text: &str) -> Vec<char> {
    text.to_lowercase().chars().map(|c| if c == '_' || c == ' ' { '-' } else { c }).collect()
}

/// Returns the edit distance of two words: insertions, deletions, replacements, and exchanges of
/// two neighbors (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
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
            ("lsit", "list", 1),
            ("opt-dce", "opt-cse", 2),
            ("opt-dce", "opt-dead", 3),
        ] {
            let of = |x: &str, y: &str| distance(&folded(x), &folded(y));
            assert_eq!((of(a, b), of(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn suggestions() {
        let generations = ["ivb", "hsw", "bdw", "chv", "skl", "all"];
        for (word, name) in [
            ("ivbb", Some("ivb")),
            ("HWS", Some("hsw")),
            ("sk", Some("skl")),
            ("gen7", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, generations), name, "{word}");
        }
        assert_eq!(nearest("OPT_DEC", ["opt_dce", "opt_cse"]), Some("opt_dce"));
    }
}
