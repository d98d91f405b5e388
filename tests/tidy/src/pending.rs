//! Folders that do not satisfy a check yet: `pending.txt`, which only shrinks.

use crate::offense::Offense;

/// Pending folders: check and path prefix.
#[derive(Debug, Default)]
pub struct Pending {
    entries: Vec<(String, String)>,
}

impl Pending {
    /// The list of the repository.
    pub fn load() -> Pending {
        Pending::parse(include_str!("../pending.txt"))
    }

    /// Parses lines of `check prefix`; `#` begins a comment.
    pub fn parse(text: &str) -> Pending {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
        let entries = lines.filter_map(|line| line.split_once(' '));
        Pending {
            entries: entries
                .map(|(check, path)| (check.to_string(), path.trim().to_string()))
                .collect(),
        }
    }

    /// True if the offense is in a folder that is pending.
    pub fn covers(&self, offense: &Offense) -> bool {
        let entries = self.entries.iter();
        entries
            .clone()
            .any(|(check, path)| check == offense.check && offense.path.starts_with(path.as_str()))
    }

    /// Entries that cover no offense and can be removed.
    pub fn stale(&self, offenses: &[Offense]) -> Vec<String> {
        let covered = |check: &str, path: &str| {
            offenses.iter().any(|o| o.check == check && o.path.starts_with(path))
        };
        let stale = self.entries.iter().filter(|(check, path)| !covered(check, path));
        stale.map(|(check, path)| format!("{check} {path}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_cover_their_folder_and_check() {
        let pending = Pending::parse("# comment\nwidth runner/src/\nlength docs/\n");
        let offense = |path: &str, check| Offense {
            path: path.into(),
            line: 1,
            check,
            message: String::new(),
        };
        let wide = offense("runner/src/a.rs", "width");
        assert!(pending.covers(&wide));
        assert!(!pending.covers(&offense("runner/src/a.rs", "length")));
        assert!(!pending.covers(&offense("runner/formats/script/a.rs", "width")));
        assert_eq!(pending.stale(&[wide]), ["length docs/"]);
    }
}
