//! Lists of names on the command line.

use std::fmt;

use crate::nearest;

/// Parses a comma-separated list, in ascending order and without repetitions. `find` returns the
/// values of a name or group.
///
/// # Errors
/// Returns the first unknown name.
pub(crate) fn parse_list<T: Copy + Ord>(
    list: &str,
    find: impl Fn(&str) -> Option<Vec<T>>,
) -> Result<Vec<T>, String> {
    let mut values = Vec::new();
    for name in list.split(',').map(str::trim) {
        values.extend(find(name).ok_or_else(|| name.to_string())?);
    }
    values.sort_unstable();
    values.dedup();
    Ok(values)
}

/// Writes the message of an unknown generation, with the most similar name or all of them.
pub(crate) fn write_unknown(f: &mut fmt::Formatter<'_>, name: &str, known: &[&str]) -> fmt::Result {
    match nearest(name, known.iter().copied()) {
        Some(similar) => write!(f, "unknown generation `{name}`: did you mean `{similar}`?"),
        None => write!(f, "unknown generation `{name}` (known: {})", known.join(", ")),
    }
}
