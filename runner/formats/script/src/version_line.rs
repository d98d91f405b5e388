//! Generated `#version` lines.

use std::fmt;

/// A generated `#version` line. `Display` gives the line with its newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionLine {
    /// The packed version, 100·major + minor without padding (`4.5` is 405).
    pub number: u32,
    /// True if the requirement is for GLSL ES.
    pub es: bool,
}

impl fmt::Display for VersionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = if self.es && self.number != 100 { " es" } else { "" };
        writeln!(f, "#version {}{suffix}", self.number)
    }
}
