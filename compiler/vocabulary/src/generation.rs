//! Hardware generations.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::list::{parse_list, write_unknown};

/// A hardware generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Generation {
    /// Ivy Bridge.
    Ivb,
    /// Haswell.
    Hsw,
    /// Broadwell.
    Bdw,
    /// Cherryview.
    Chv,
    /// Skylake.
    Skl,
    /// Southern Islands (AMD).
    Si,
    /// Volcanic Islands (AMD).
    Vi,
}

impl Generation {
    /// Every generation.
    pub const ALL: [Generation; 7] = [
        Generation::Ivb,
        Generation::Hsw,
        Generation::Bdw,
        Generation::Chv,
        Generation::Skl,
        Generation::Si,
        Generation::Vi,
    ];

    /// Intel's generations, oldest first: `intel` in lists.
    pub const INTEL: [Generation; 5] =
        [Generation::Ivb, Generation::Hsw, Generation::Bdw, Generation::Chv, Generation::Skl];

    /// AMD's generations, oldest first: `amd` in lists.
    pub const AMD: [Generation; 2] = [Generation::Si, Generation::Vi];

    /// Returns the generations that a word in a list means.
    pub(crate) fn group(word: &str) -> Option<Vec<Generation>> {
        match word.to_ascii_lowercase().as_str() {
            "all" => Some([&Generation::INTEL[..], &Generation::AMD[..]].concat()),
            "intel" => Some(Generation::INTEL.to_vec()),
            "amd" => Some(Generation::AMD.to_vec()),
            _ => None,
        }
    }

    /// Returns the name on the command line and in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Generation::Ivb => "ivb",
            Generation::Hsw => "hsw",
            Generation::Bdw => "bdw",
            Generation::Chv => "chv",
            Generation::Skl => "skl",
            Generation::Si => "si",
            Generation::Vi => "vi",
        }
    }

    /// Returns the generation with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Generation> {
        Generation::ALL.into_iter().find(|generation| generation.name() == name)
    }

    /// Parses a comma-separated list of generations and the groups `intel`, `amd` and `all`, in any
    /// case, and removes repetitions.
    ///
    /// # Errors
    /// Names the unknown generation.
    pub fn parse_list(list: &str) -> Result<Vec<Generation>, UnknownGeneration> {
        let named = |name: &str| {
            let is_named = |g: &Generation| g.name().eq_ignore_ascii_case(name);
            let generation = Generation::ALL.into_iter().find(is_named);
            generation.map(|generation| vec![generation]).or_else(|| Generation::group(name))
        };
        parse_list(list, named).map_err(UnknownGeneration)
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of [`Generation::parse_list`]: a name that is not a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGeneration(
    /// The offending name.
    pub String,
);

impl fmt::Display for UnknownGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = Generation::INTEL
            .into_iter()
            .chain(Generation::AMD)
            .map(Generation::name)
            .chain(["intel", "amd", "all"])
            .collect();
        write_unknown(f, &self.0, &known)
    }
}

impl Error for UnknownGeneration {}

#[cfg(test)]
mod tests {
    use super::Generation;

    #[test]
    fn lists() {
        assert_eq!(Generation::parse_list("intel"), Ok(Generation::INTEL.to_vec()));
        assert_eq!(Generation::parse_list("amd"), Ok(Generation::AMD.to_vec()));
        let all = Generation::parse_list("all").unwrap();
        assert_eq!(all.len(), Generation::INTEL.len() + Generation::AMD.len());
        assert_eq!(Generation::parse_list("vi,intel,si"), Ok(all));
        let two = [Generation::Ivb, Generation::Skl];
        assert_eq!(Generation::parse_list("skl, ivb,skl"), Ok(two.to_vec()));
        assert_eq!(Generation::parse_list("SKL,Ivb"), Ok(two.to_vec()));
        for bad in ["", "gen7", "ivb,", "reference", "gl"] {
            assert!(Generation::parse_list(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_lead_back() {
        for generation in Generation::ALL {
            assert_eq!(Generation::from_name(generation.name()), Some(generation));
        }
    }
}
