//! Limits on optional compiler passes, and the scopes that they are set for.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Stage, Width, nearest};

/// A stage, or the back end's part of it for one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scope {
    /// The stage.
    pub stage: Stage,
    /// The width; `None` means the IR, or all kernels where a limit is meant.
    pub width: Option<Width>,
}

impl Scope {
    /// Parses a scope in the form of its `Display`.
    ///
    /// # Errors
    /// Lists the known names.
    pub fn parse(text: &str) -> Result<Scope, String> {
        let (stage, width) = match text.split_once('/') {
            Some((stage, width)) => (stage, Some(parse_width(width)?)),
            None => (text, None),
        };
        Ok(Scope { stage: parse_stage(stage)?, width })
    }
}

/// Writes `fragment` or `fragment/SIMD8`; a blank in a stage's name becomes `-`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&stage_word(self.stage))?;
        self.width.map_or(Ok(()), |width| write!(f, "/{}", width.name()))
    }
}

impl TryFrom<String> for Scope {
    type Error = String;

    fn try_from(text: String) -> Result<Scope, String> {
        Scope::parse(&text)
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> String {
        scope.to_string()
    }
}

/// Returns a stage's name as one word.
#[must_use]
pub fn stage_word(stage: Stage) -> String {
    stage.name().replace(' ', "-")
}

/// Returns the stage of a name (`tessellation-control`) or an abbreviation (`TCS`).
///
/// # Errors
/// Lists the known names.
pub fn parse_stage(text: &str) -> Result<Stage, String> {
    let normal = text.replace(['-', '_'], " ").to_lowercase();
    let found = Stage::ALL
        .into_iter()
        .find(|stage| stage.name() == normal || stage.abbreviation().eq_ignore_ascii_case(text));
    found.ok_or_else(|| {
        let known = Stage::ALL.map(stage_word);
        match nearest(text, known.iter().map(String::as_str)) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("known: {}", known.join(", ")),
        }
    })
}

/// Returns the width with a name (`SIMD8`) or of a number of channels (`8`), in any case.
///
/// # Errors
/// Lists the known names.
pub fn parse_width(text: &str) -> Result<Width, String> {
    let is = |width: &Width| {
        let channels = width.name().strip_prefix("SIMD");
        width.name().eq_ignore_ascii_case(text) || channels == Some(text)
    };
    let known = || format!("known: {}", Width::ALL.map(Width::name).join(", "));
    Width::ALL.into_iter().find(is).ok_or_else(known)
}

/// A limit on optional passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PassLimit {
    /// The limited part; `None` means every kernel without a limit of its own.
    pub scope: Option<Scope>,
    /// Maximum number of passes.
    pub limit: u32,
}

impl PassLimit {
    /// Returns a limit for every kernel.
    #[must_use]
    pub const fn all(limit: u32) -> PassLimit {
        PassLimit { scope: None, limit }
    }

    /// Parses `N`, `STAGE=N` or `STAGE/WIDTH=N`.
    ///
    /// # Errors
    /// Describes the expected form.
    pub fn parse(text: &str) -> Result<PassLimit, String> {
        let (scope, number) = match text.split_once('=') {
            Some((scope, number)) => (Some(Scope::parse(scope)?), number),
            None => (None, text),
        };
        let limit = number
            .parse()
            .map_err(|_| "a number, STAGE=NUMBER or STAGE/WIDTH=NUMBER".to_owned())?;
        Ok(PassLimit { scope, limit })
    }
}

impl fmt::Display for PassLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scope {
            Some(scope) => write!(f, "{scope}={}", self.limit),
            None => write!(f, "{}", self.limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PassLimit;

    #[test]
    fn limits_as_text() {
        for (text, shown) in [
            ("7", "7"),
            ("fragment=0", "fragment=0"),
            ("FS/16=12", "fragment/SIMD16=12"),
            ("Tessellation_Control/VEC4=3", "tessellation-control/vec4=3"),
        ] {
            let limit = PassLimit::parse(text).unwrap();
            assert_eq!(limit.to_string(), shown);
            let json = serde_json::to_string(&limit).unwrap();
            assert_eq!(serde_json::from_str::<PassLimit>(&json).unwrap(), limit);
        }
        for bad in
            ["", "x", "-1", "fragment", "fragment=", "pixel=1", "fragment/7=1", "fragment/=1", "=1"]
        {
            assert!(PassLimit::parse(bad).is_err(), "{bad}");
        }
    }
}
