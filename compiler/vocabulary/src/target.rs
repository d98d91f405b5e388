//! Targets: what tests run on.

use std::error::Error;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Generation;
use crate::list::{parse_list, write_unknown};

/// A row of the table of targets.
struct Row {
    name: &'static str,
    /// The hardware, if the target is hardware.
    generation: Option<Generation>,
    /// True if a driver of the system executes the tests.
    has_system_driver: bool,
    /// True if the name may occur in a list on the command line.
    is_listed: bool,
}

const fn hardware(generation: Generation) -> Row {
    let name = generation.name();
    Row { name, generation: Some(generation), has_system_driver: false, is_listed: true }
}

const fn reference(name: &'static str) -> Row {
    Row { name, generation: None, has_system_driver: false, is_listed: false }
}

const fn system_driver(name: &'static str) -> Row {
    Row { name, generation: None, has_system_driver: true, is_listed: true }
}

/// Target of a test: a hardware generation, the reference interpreter alone, or a driver of the
/// system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target(u8);

macro_rules! targets {
    ($($(#[$doc:meta])* $name:ident: $row:expr;)*) => {
        #[expect(clippy::upper_case_acronyms, reason = "the names are those of the constants")]
        enum Index { $($name,)* }

        const ROWS: &[Row] = &[$($row,)*];

        impl Target {
            $($(#[$doc])* pub const $name: Target = Target(Index::$name as u8);)*

            /// Every target, in the order of results.
            pub const ALL: [Target; ROWS.len()] = [$(Target::$name,)*];
        }
    };
}

targets! {
    /// Ivy Bridge.
    IVB: hardware(Generation::Ivb);
    /// Haswell.
    HSW: hardware(Generation::Hsw);
    /// Broadwell.
    BDW: hardware(Generation::Bdw);
    /// Cherryview.
    CHV: hardware(Generation::Chv);
    /// Skylake.
    SKL: hardware(Generation::Skl);
    /// Southern Islands (AMD).
    SI: hardware(Generation::Si);
    /// Volcanic Islands (AMD).
    VI: hardware(Generation::Vi);
    /// No hardware: the interpreter, with the union of all generations' capabilities.
    REFERENCE: reference("reference");
    /// The OpenGL driver of the system.
    GL: system_driver("gl");
    /// The Vulkan driver of the system.
    VK: system_driver("vk");
}

impl Target {
    /// Intel's generations, oldest first: `intel` in lists.
    pub const INTEL: [Target; 5] =
        [Target::IVB, Target::HSW, Target::BDW, Target::CHV, Target::SKL];

    /// AMD's generations, oldest first: `amd` in lists.
    pub const AMD: [Target; 2] = [Target::SI, Target::VI];

    /// Returns the position in [`Target::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    fn row(self) -> &'static Row {
        &ROWS[self.index()]
    }

    /// Returns the name on the command line and in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the hardware; `None` if the target is not hardware.
    #[must_use]
    pub fn generation(self) -> Option<Generation> {
        self.row().generation
    }

    /// Returns true if a driver of the system executes the tests.
    #[must_use]
    pub fn has_system_driver(self) -> bool {
        self.row().has_system_driver
    }

    /// Returns the target with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns the targets of hardware, in the order of results.
    pub fn hardware() -> impl Iterator<Item = Target> {
        Target::ALL.into_iter().filter(|target| target.generation().is_some())
    }

    /// Parses a comma-separated list of hardware generations, drivers, and the groups `intel`,
    /// `amd` and `all`, in any case, and removes repetitions.
    ///
    /// # Errors
    /// Names the unknown target.
    pub fn parse_list(list: &str) -> Result<Vec<Target>, UnknownTarget> {
        let named = |name: &str| {
            let is_named = |t: &Target| t.row().is_listed && t.name().eq_ignore_ascii_case(name);
            let group = || Some(Generation::group(name)?.into_iter().map(Target::from).collect());
            Target::ALL.into_iter().find(is_named).map(|target| vec![target]).or_else(group)
        };
        parse_list(list, named).map_err(UnknownTarget)
    }
}

impl From<Generation> for Target {
    fn from(generation: Generation) -> Target {
        match generation {
            Generation::Ivb => Target::IVB,
            Generation::Hsw => Target::HSW,
            Generation::Bdw => Target::BDW,
            Generation::Chv => Target::CHV,
            Generation::Skl => Target::SKL,
            Generation::Si => Target::SI,
            Generation::Vi => Target::VI,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Target {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Target, D::Error> {
        let name = String::deserialize(deserializer)?;
        Target::from_name(&name).ok_or_else(|| D::Error::custom(format!("unknown target `{name}`")))
    }
}

/// The error of [`Target::parse_list`]: a name that is not a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTarget(
    /// The offending name.
    pub String,
);

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hardware, others): (Vec<Target>, Vec<Target>) = Target::ALL
            .into_iter()
            .filter(|target| target.row().is_listed)
            .partition(|target| target.generation().is_some());
        let names = |targets: Vec<Target>| targets.into_iter().map(Target::name);
        let known: Vec<&str> =
            names(hardware).chain(["intel", "amd", "all"]).chain(names(others)).collect();
        write_unknown(f, &self.0, &known)
    }
}

impl Error for UnknownTarget {}

#[cfg(test)]
mod tests {
    use super::{Generation, Target};

    #[test]
    fn lists() {
        assert_eq!(Target::INTEL, Generation::INTEL.map(Target::from));
        assert_eq!(Target::AMD, Generation::AMD.map(Target::from));
        assert_eq!(Target::parse_list("intel"), Ok(Target::INTEL.to_vec()));
        assert_eq!(Target::parse_list("amd"), Ok(Target::AMD.to_vec()));
        let all = Target::parse_list("all").unwrap();
        assert_eq!(all, Target::hardware().collect::<Vec<_>>());
        assert_eq!(Target::parse_list("vi,intel,si"), Ok(all));
        let two = [Target::IVB, Target::SKL];
        assert_eq!(Target::parse_list("skl, ivb,skl"), Ok(two.to_vec()));
        assert_eq!(Target::parse_list("SKL,Ivb"), Ok(two.to_vec()));
        assert_eq!(Target::parse_list("gl,ivb"), Ok(vec![Target::IVB, Target::GL]));
        for bad in ["", "gen7", "ivb,", "reference"] {
            assert!(Target::parse_list(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_lead_back() {
        for target in Target::ALL {
            assert_eq!(Target::from_name(target.name()), Some(target));
            let json = serde_json::to_string(&target).unwrap();
            assert_eq!(json, format!("\"{target}\""));
            assert_eq!(serde_json::from_str::<Target>(&json).unwrap(), target);
        }
    }

    #[test]
    fn every_generation_is_a_target() {
        for generation in Generation::ALL {
            assert_eq!(Target::from(generation).generation(), Some(generation));
        }
    }
}
