//! Dispatch widths and back ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The layout of a thread's invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Width {
    /// Align16 SIMD4x2: two vertices (or one object) per thread, four components per half of a
    /// register.
    #[serde(rename = "vec4")]
    Vec4,
    /// Eight invocations per thread, one channel each.
    #[serde(rename = "SIMD8")]
    Simd8,
    /// Sixteen invocations per thread.
    #[serde(rename = "SIMD16")]
    Simd16,
    /// Thirty-two invocations per thread.
    #[serde(rename = "SIMD32")]
    Simd32,
    /// A wave of sixty-four invocations (AMD).
    #[serde(rename = "wave64")]
    Wave64,
}

impl Width {
    /// Every width, narrowest first.
    pub const ALL: [Width; 5] =
        [Width::Vec4, Width::Simd8, Width::Simd16, Width::Simd32, Width::Wave64];

    /// Returns the number of channels that an instruction of full width processes (8 for
    /// [`Width::Vec4`]).
    #[must_use]
    pub const fn channels(self) -> u8 {
        match self {
            Width::Vec4 | Width::Simd8 => 8,
            Width::Simd16 => 16,
            Width::Simd32 => 32,
            Width::Wave64 => 64,
        }
    }

    /// Returns the SIMD width that holds `channels` invocations.
    #[must_use]
    pub const fn simd(channels: u8) -> Width {
        match channels {
            0..=8 => Width::Simd8,
            9..=16 => Width::Simd16,
            _ => Width::Simd32,
        }
    }

    /// Returns the name in statistics and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Width::Vec4 => "vec4",
            Width::Simd8 => "SIMD8",
            Width::Simd16 => "SIMD16",
            Width::Simd32 => "SIMD32",
            Width::Wave64 => "wave64",
        }
    }

    /// Returns the width with this [`Width::name`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Width> {
        Width::ALL.into_iter().find(|width| width.name() == name)
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The back end that compiles a stage of the geometry pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Align16 SIMD4x2.
    Vec4,
    /// One channel per invocation.
    Scalar,
}

impl Backend {
    /// Both back ends.
    pub const ALL: [Backend; 2] = [Backend::Vec4, Backend::Scalar];

    /// Returns the name on the command line and in variants.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Vec4 => "vec4",
            Backend::Scalar => "scalar",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Width;

    #[test]
    fn names_lead_back() {
        Width::ALL
            .into_iter()
            .for_each(|width| assert_eq!(Width::from_name(width.name()), Some(width)));
        assert_eq!(Width::from_name("simd8"), None);
    }

    #[test]
    fn channels_choose_the_narrowest_width() {
        let widths = [1, 8, 9, 16, 17, 32].map(Width::simd);
        let channels = widths.map(Width::channels);
        assert_eq!(channels, [8, 8, 16, 16, 32, 32]);
    }
}
