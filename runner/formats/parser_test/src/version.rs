//! Versions of GLSL in `[config]` blocks, and the contexts for them.

use script::ContextRequest;

/// Versions of GLSL and the OpenGL version of the context in which piglit tests them.
const DESKTOP: [(u32, u32); 13] = [
    (110, 20),
    (120, 21),
    // Usable with OpenGL 2.1 and EXT_gpu_shader4.
    (130, 21),
    (140, 31),
    (150, 32),
    (330, 33),
    (400, 40),
    (410, 41),
    (420, 42),
    (430, 43),
    (440, 44),
    (450, 45),
    (460, 46),
];
/// Versions of GLSL ES and their OpenGL ES versions. None is a version of GLSL.
const EMBEDDED: [(u32, u32); 4] = [(100, 20), (300, 30), (310, 31), (320, 32)];

/// Words after the number.
const SUFFIXES: [(&str, Suffix); 5] = [
    ("", Suffix::None),
    ("es", Suffix::Es),
    ("core", Suffix::None),
    ("compat", Suffix::Compatibility),
    ("compatibility", Suffix::Compatibility),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Suffix {
    None,
    Es,
    Compatibility,
}

/// A version of GLSL or GLSL ES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlslVersion {
    /// As in `#version`: 330.
    pub number: u32,
    /// GLSL ES.
    pub es: bool,
    /// The test needs a compatibility context.
    pub compatibility: bool,
    /// OpenGL or OpenGL ES version of the context, 10 × major + minor.
    gl: u32,
}

impl GlslVersion {
    /// Parses a version: `1.50`, `1.50compatibility`, `3.00 es`, `3.0`; `None` for anything else.
    ///
    /// The number alone says that 1.00, 3.00, 3.10 and 3.20 are versions of GLSL ES. A minor number
    /// of one digit counts tens: `3.1` is 3.10.
    pub(crate) fn parse(text: &str) -> Option<GlslVersion> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let suffix = suffix.trim().to_ascii_lowercase();
        let suffix = SUFFIXES.iter().find(|(word, _)| *word == suffix)?.1;
        let (major, minor) = number.split_once('.')?;
        let [major, minor_number] = [major, minor].map(|digits| digits.parse::<u32>().ok());
        let minor = match minor.len() {
            1 => minor_number? * 10,
            2 => minor_number?,
            _ => return None,
        };
        let number = major?.checked_mul(100)?.checked_add(minor)?;
        let of = |table: &[(u32, u32)]| table.iter().find(|(known, _)| *known == number).copied();
        let (es, (number, gl)) = match suffix {
            Suffix::Es => (true, of(&EMBEDDED)?),
            Suffix::Compatibility => (false, of(&DESKTOP)?),
            Suffix::None => match of(&EMBEDDED) {
                Some(found) => (true, found),
                None => (false, of(&DESKTOP)?),
            },
        };
        Some(GlslVersion { number, es, compatibility: suffix == Suffix::Compatibility, gl })
    }

    /// Returns the context that piglit creates for a test of this version.
    pub fn context(self) -> ContextRequest {
        match (self.es, self.gl) {
            (true, version) => ContextRequest::Es(version),
            (false, ..31) => ContextRequest::AnyCompatibility,
            (false, version) if self.compatibility => ContextRequest::Compatibility(version),
            (false, version) => ContextRequest::CoreThenCompatibility(version),
        }
    }

    /// Returns the `#version` line of shaders that are added to the test.
    pub(crate) fn directive(self) -> String {
        // The first version of GLSL ES has no word.
        let word = if self.es && self.number > 100 { " es" } else { "" };
        format!("#version {}{word}\n", self.number)
    }

    /// Formats a number: `1.50`.
    pub(crate) fn dotted(number: u32) -> String {
        format!("{}.{:02}", number / 100, number % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(u32, bool, bool)> {
        GlslVersion::parse(text).map(|v| (v.number, v.es, v.compatibility))
    }

    #[test]
    fn spellings() {
        for (text, version) in [
            ("1.10", (110, false, false)),
            ("4.60", (460, false, false)),
            ("1.50compatibility", (150, false, true)),
            ("4.50 compatibility", (450, false, true)),
            ("1.40 compat", (140, false, true)),
            ("3.30core", (330, false, false)),
            ("1.00", (100, true, false)),
            ("1.0 es", (100, true, false)),
            ("3.0 es", (300, true, false)),
            ("3.10 es", (310, true, false)),
            ("3.20es", (320, true, false)),
            ("3.1", (310, true, false)),
        ] {
            assert_eq!(of(text), Some(version), "{text}");
        }
        for text in
            ["", "1", "1.", ".5", "1.7", "1.500", "1.50 es", "3.00 compat", "99999999999.10", "x"]
        {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn contexts() {
        use ContextRequest as R;
        let of = |text| GlslVersion::parse(text).unwrap().context();
        assert_eq!(of("1.30"), R::AnyCompatibility);
        assert_eq!(of("1.20 compat"), R::AnyCompatibility);
        assert_eq!(of("1.40"), R::CoreThenCompatibility(31));
        assert_eq!(of("1.50compatibility"), R::Compatibility(32));
        assert_eq!(of("4.60"), R::CoreThenCompatibility(46));
        assert_eq!(of("1.00"), R::Es(20));
        assert_eq!(of("3.20 es"), R::Es(32));
    }
}
