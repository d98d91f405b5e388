//! Optional compiler passes: limits set by the user, and records of the passes that ran.
//!
//! Passes are counted separately for each kernel: first those on the IR of its stage, then those of
//! the back end. Run number 40 may therefore occur several times in a test, once per stage and
//! width with that many passes.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use vocabulary::{Stage, Width, nearest};

/// A stage, or the back end's part of it for one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassLimit {
    /// The limited part; `None` means every kernel without a limit of its own.
    pub scope: Option<Scope>,
    /// Maximum number of passes.
    pub limit: u32,
}

impl PassLimit {
    /// Returns a limit for every kernel.
    pub fn all(limit: u32) -> PassLimit {
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

/// One run of an optional pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassRun {
    /// Name of the pass.
    pub name: String,
    /// True if the pass changed the program.
    pub changed: bool,
}

/// The pass runs in one scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopePasses {
    /// Stage and width.
    pub scope: Scope,
    /// Number of earlier pass runs on the same kernel.
    pub before: u32,
    /// The runs in order.
    pub runs: Vec<PassRun>,
    /// The pass that a limit prevented.
    pub refused: Option<String>,
}

/// A pass run and its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Application {
    /// Stage and width.
    pub scope: Scope,
    /// Number, from 1.
    pub number: u32,
    /// Name of the pass.
    pub pass: String,
}

impl ScopePasses {
    /// Returns the runs with their numbers, and true for those that changed something.
    pub fn applications(&self) -> impl Iterator<Item = (Application, bool)> {
        self.runs.iter().zip(self.before + 1..).map(|(run, number)| {
            (Application { scope: self.scope, number, pass: run.name.clone() }, run.changed)
        })
    }

    fn next(&self) -> Option<Application> {
        let number = self.before + self.runs.len() as u32 + 1;
        self.refused.clone().map(|pass| Application { scope: self.scope, number, pass })
    }
}

/// Returns the highest number of a run.
pub fn highest(passes: &[ScopePasses]) -> u32 {
    passes.iter().map(|scope| scope.before + scope.runs.len() as u32).max().unwrap_or(0)
}

/// Returns the names of the passes that ran or that a limit prevented.
pub fn names(passes: &[ScopePasses]) -> BTreeSet<&str> {
    let ran = passes.iter().flat_map(|scope| scope.runs.iter().map(|run| &*run.name));
    ran.chain(passes.iter().filter_map(|scope| scope.refused.as_deref())).collect()
}

/// Returns the runs with a number: those that happened and those that a limit prevented.
pub fn numbered(passes: &[ScopePasses], number: u32) -> Vec<Application> {
    let all = passes
        .iter()
        .flat_map(|scope| scope.applications().map(|(run, _)| run).chain(scope.next()));
    let mut found: Vec<Application> = Vec::new();
    for application in all.filter(|application| application.number == number) {
        // A stage is compiled once for each draw-time state.
        if !found.contains(&application) {
            found.push(application);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn scope(text: &str, before: u32, runs: &[&str], refused: Option<&str>) -> ScopePasses {
        ScopePasses {
            scope: Scope::parse(text).unwrap(),
            before,
            runs: runs.iter().map(|&name| PassRun { name: name.into(), changed: true }).collect(),
            refused: refused.map(str::to_owned),
        }
    }

    fn described(passes: &[ScopePasses], number: u32) -> Vec<String> {
        let describe = |a: Application| format!("{} {} {}", a.number, a.scope, a.pass);
        numbered(passes, number).into_iter().map(describe).collect()
    }

    /// Under a limit of 3, the vertex shader is still in its IR passes and the fragment shader in
    /// the back end.
    #[test]
    fn runs_by_number() {
        let passes = [
            scope("vertex", 0, &["a", "b", "c"], Some("d")),
            scope("vertex/SIMD8", 3, &[], None),
            scope("fragment", 0, &["a", "b"], None),
            scope("fragment/SIMD8", 2, &["x"], Some("y")),
            scope("fragment/SIMD16", 2, &["x"], None),
            // The same stage for another draw.
            scope("fragment", 0, &["a", "b"], None),
            scope("fragment/SIMD8", 2, &["x"], Some("z")),
        ];
        assert_eq!(highest(&passes), 3);
        assert_eq!(
            described(&passes, 4),
            ["4 vertex d", "4 fragment/SIMD8 y", "4 fragment/SIMD8 z"]
        );
        assert_eq!(
            described(&passes, 3),
            ["3 vertex c", "3 fragment/SIMD8 x", "3 fragment/SIMD16 x"]
        );
        assert_eq!(described(&passes, 5), [""; 0]);
        assert_eq!(names(&passes).into_iter().collect::<String>(), "abcdxyz");
    }
}
