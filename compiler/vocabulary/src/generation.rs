//! Generations: what a test runs on.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::nearest;

/// A hardware generation that tests run on, the reference interpreter alone, or the system's OpenGL
/// driver.
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
    /// No hardware: the interpreter, with the union of all generations' capabilities.
    Reference,
    /// The OpenGL driver of the system.
    Gl,
}

impl Generation {
    /// Every generation.
    pub const ALL: [Generation; 9] = [
        Generation::Ivb,
        Generation::Hsw,
        Generation::Bdw,
        Generation::Chv,
        Generation::Skl,
        Generation::Si,
        Generation::Vi,
        Generation::Reference,
        Generation::Gl,
    ];

    /// The generations of hardware that `all` means, oldest first: Intel's. AMD's are named one by
    /// one.
    pub const HARDWARE: [Generation; 5] =
        [Generation::Ivb, Generation::Hsw, Generation::Bdw, Generation::Chv, Generation::Skl];

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
            Generation::Reference => "reference",
            Generation::Gl => "gl",
        }
    }

    /// Returns true for the system's OpenGL driver.
    #[must_use]
    pub const fn is_driver(self) -> bool {
        matches!(self, Generation::Gl)
    }

    /// Returns the generation with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Generation> {
        Generation::ALL.into_iter().find(|generation| generation.name() == name)
    }

    /// Parses a comma-separated list of hardware generations, `gl`, or `all` for all hardware, in
    /// any case, and removes repetitions.
    ///
    /// # Errors
    /// Names the unknown generation.
    pub fn parse_list(list: &str) -> Result<Vec<Generation>, UnknownGeneration> {
        let mut generations = Vec::new();
        for name in list.split(',').map(str::trim) {
            let is_named =
                |g: &Generation| *g != Generation::Reference && g.name().eq_ignore_ascii_case(name);
            match Generation::ALL.into_iter().find(is_named) {
                Some(generation) => generations.push(generation),
                None if name.eq_ignore_ascii_case("all") => {
                    generations.extend(Generation::HARDWARE)
                }
                None => return Err(UnknownGeneration(name.to_string())),
            }
        }
        generations.sort_unstable();
        generations.dedup();
        Ok(generations)
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of [`Generation::parse_list`]: a name that is no generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGeneration(
    /// The offending name.
    pub String,
);

impl fmt::Display for UnknownGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Generation::HARDWARE.map(Generation::name);
        match nearest(&self.0, known.into_iter().chain(["all", "gl"])) {
            Some(name) => write!(f, "unknown generation `{}`: did you mean `{name}`?", self.0),
            None => {
                write!(f, "unknown generation `{}` (known: {}, all, gl)", self.0, known.join(", "))
            }
        }
    }
}

impl Error for UnknownGeneration {}

#[cfg(test)]
mod tests {
    use super::Generation;

    #[test]
    fn lists() {
        assert_eq!(Generation::parse_list("all"), Ok(Generation::HARDWARE.to_vec()));
        let two = [Generation::Ivb, Generation::Skl];
        assert_eq!(Generation::parse_list("skl, ivb,skl"), Ok(two.to_vec()));
        assert_eq!(Generation::parse_list("SKL,Ivb"), Ok(two.to_vec()));
        let driver = [Generation::Ivb, Generation::Gl];
        assert_eq!(Generation::parse_list("gl,ivb"), Ok(driver.to_vec()));
        for bad in ["", "gen7", "ivb,", "reference"] {
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
