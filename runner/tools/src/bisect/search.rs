//! Search for the numbers at which a function changes its value.

/// A change of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<E> {
    /// The first number with the new value.
    pub at: u32,
    /// The value at `at - 1`.
    pub from: E,
    /// The value at `at`.
    pub to: E,
}

/// Bisects the range between two numbers with known values until neighbors differ.
///
/// If the value changes only once, this finds the place. Otherwise it finds *a* place where the
/// value stops being that of `low`; if it does not become that of `high` there, the search
/// continues behind it, so that the found changes form a chain from one value to the other.
///
/// # Errors
/// Returns the first error of `value`.
pub fn changes<E: PartialEq + Clone, X>(
    low: (u32, E),
    high: (u32, E),
    mut value: impl FnMut(u32) -> Result<E, X>,
) -> Result<Vec<Change<E>>, X> {
    let mut found = Vec::new();
    let (mut start, mut from) = low;
    while from != high.1 && start < high.0 {
        let (mut same, mut at, mut to) = (start, high.0, high.1.clone());
        while at - same > 1 {
            let middle = same + (at - same) / 2;
            let there = value(middle)?;
            if there == from {
                same = middle;
            } else {
                (at, to) = (middle, there);
            }
        }
        found.push(Change { at, from, to: to.clone() });
        (start, from) = (at, to);
    }
    Ok(found)
}

/// Returns every change in a list of values of successive numbers from `first` on.
pub fn all_changes<E: PartialEq + Clone>(first: u32, values: &[E]) -> Vec<Change<E>> {
    let pairs = (first + 1..).zip(values.windows(2));
    let change = |(at, pair): (u32, &[E])| match pair {
        [from, to] if from != to => Some(Change { at, from: from.clone(), to: to.clone() }),
        _ => None,
    };
    pairs.filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches through the values of a text, one per character; returns the changes and the number
    /// of evaluations.
    fn searched(values: &str) -> (String, usize) {
        let values: Vec<char> = values.chars().collect();
        let mut looked = 0;
        let last = values.len() - 1;
        let found = changes::<_, ()>((0, values[0]), (last as u32, values[last]), |n| {
            looked += 1;
            Ok(values[n as usize])
        });
        (shown(&found.unwrap()), looked)
    }

    fn shown(changes: &[Change<char>]) -> String {
        changes.iter().map(|c| format!("{}{}{} ", c.from, c.at, c.to)).collect()
    }

    #[test]
    fn one_change_is_found() {
        for length in 2..40u32 {
            for at in 1..length {
                let values: String = (0..length).map(|n| if n < at { 'p' } else { 'f' }).collect();
                let (found, looked) = searched(&values);
                assert_eq!(found, format!("p{at}f "), "{values}");
                assert!(looked <= 6, "{looked}");
            }
        }
    }

    /// The result is a chain of true changes between the ends.
    #[test]
    fn tables() {
        for (values, expected) in [
            ("pf", "p1f "),
            ("pp", ""),
            ("p", ""),
            ("ppppffff", "p4f "),
            // Good, bad, good again, bad: one of the two changes to bad.
            ("ppffppff", "p2f "),
            ("pfpppppf", "p7f "),
            ("pffffpff", "p1f "),
            // A third value on the way.
            ("ppccffff", "p2c c4f "),
            ("pppcccff", "p3c c6f "),
            // An isolated third value.
            ("ppcpppff", "p6f "),
            ("pppcppff", "p3c c4p p6f "),
            // The first value again at the end: there is no change between the ends.
            ("ppffpp", ""),
        ] {
            assert_eq!(searched(values).0, expected, "{values}");
        }
    }

    /// For all texts of three values: the found changes are real, form a chain, and end at the last
    /// value.
    #[test]
    fn changes_are_true() {
        for number in 0..3usize.pow(7) {
            let values: Vec<char> =
                (0..7).map(|i| ['p', 'f', 'c'][number / 3usize.pow(i) % 3]).collect();
            let found =
                changes::<_, ()>((0, values[0]), (6, values[6]), |n| Ok(values[n as usize]))
                    .unwrap();
            let (mut value, mut place) = (values[0], 0);
            for change in &found {
                assert_eq!(
                    (change.from, values[change.at as usize - 1]),
                    (value, value),
                    "{values:?}"
                );
                assert!(
                    change.at > place
                        && values[change.at as usize] == change.to
                        && change.to != value
                );
                (value, place) = (change.to, change.at);
            }
            assert_eq!(value, values[6], "{values:?}");
        }
    }

    #[test]
    fn every_change() {
        let all = |text: &str| shown(&all_changes(3, &text.chars().collect::<Vec<_>>()));
        assert_eq!(all("ppffppcf"), "p5f f7p p9c c10f ");
        assert_eq!((all("ppp"), all("p"), all("")), (String::new(), String::new(), String::new()));
    }

    #[test]
    fn errors_end_the_search() {
        let mut looked = 0;
        let outcome = changes((0, 'p'), (9, 'f'), |_| {
            looked += 1;
            Err("gone")
        });
        assert_eq!((outcome, looked), (Err("gone"), 1));
    }
}
