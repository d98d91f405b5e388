//! What a test runs on: a hardware generation, or the reference interpreter alone.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A generation of the command line, or `reference`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
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
    /// No hardware: the interpreter, with what any generation offers.
    Reference,
}

impl Target {
    /// The generations, oldest first.
    pub const HARDWARE: [Target; 5] = [Target::Ivb, Target::Hsw, Target::Bdw, Target::Chv, Target::Skl];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Target::Ivb => "ivb",
            Target::Hsw => "hsw",
            Target::Bdw => "bdw",
            Target::Chv => "chv",
            Target::Skl => "skl",
            Target::Reference => "reference",
        }
    }

    /// The generation, or the reference, of that name.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::HARDWARE.into_iter().chain([Target::Reference]).find(|target| target.name() == name)
    }

    /// Facts about the generation; `None` for the reference.
    pub fn devinfo(self) -> Option<&'static eu::DevInfo> {
        eu::DevInfo::get(self.name())
    }

    /// A comma-separated list of generations, or `all`, without repetitions.
    ///
    /// # Errors
    /// A message that names the unknown generation.
    pub fn parse_list(list: &str) -> Result<Vec<Target>, String> {
        let mut targets = Vec::new();
        for name in list.split(',').map(str::trim) {
            let found: &[Target] = match Target::HARDWARE.iter().position(|t| t.name() == name) {
                Some(index) => &Target::HARDWARE[index..=index],
                None if name == "all" => &Target::HARDWARE,
                None => {
                    let known = Target::HARDWARE.map(Target::name).join(", ");
                    return Err(format!("unknown generation `{name}` (known: {known}, all)"));
                }
            };
            found.iter().for_each(|&target| {
                if !targets.contains(&target) {
                    targets.push(target);
                }
            });
        }
        targets.sort();
        Ok(targets)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(Target::parse_list("all"), Ok(Target::HARDWARE.to_vec()));
        assert_eq!(Target::parse_list("skl, ivb,skl"), Ok(vec![Target::Ivb, Target::Skl]));
        for bad in ["", "gen7", "ivb,", "IVB", "reference"] {
            assert!(Target::parse_list(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_generation_has_facts() {
        for target in Target::HARDWARE {
            assert_eq!(target.devinfo().map(|d| d.name), Some(target.name()));
        }
        assert!(Target::Reference.devinfo().is_none());
    }
}
