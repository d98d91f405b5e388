//! Optional compiler passes: how a user limits them, and which of them ran.
//!
//! Passes are counted for each kernel by itself: those on its stage's IR first, then those of the back end. Run number
//! 40 may therefore happen several times in a test, once for each stage and width that gets so far.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use vocabulary::{Stage, Width};

/// A stage, or the back end's part of it for one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scope {
    /// The stage.
    pub stage: Stage,
    /// The width; `None` means the IR, or everything where a limit is meant.
    pub width: Option<Width>,
}

impl Scope {
    /// A scope as [`Scope`]'s `Display` writes it.
    ///
    /// # Errors
    /// Which names there are.
    pub fn parse(text: &str) -> Result<Scope, String> {
        let (stage, width) = match text.split_once('/') {
            Some((stage, width)) => (stage, Some(parse_width(width)?)),
            None => (text, None),
        };
        Ok(Scope { stage: parse_stage(stage)?, width })
    }
}

/// `fragment` or `fragment/SIMD8`; a blank in a stage's name is written `-`.
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

/// A stage's name as one word.
pub fn stage_word(stage: Stage) -> String {
    stage.name().replace(' ', "-")
}

/// The stage of a name (`tessellation-control`) or of an abbreviation (`TCS`).
///
/// # Errors
/// Which names there are.
pub fn parse_stage(text: &str) -> Result<Stage, String> {
    let normal = text.replace(['-', '_'], " ").to_lowercase();
    let found = Stage::ALL
        .into_iter()
        .find(|stage| stage.name() == normal || stage.abbreviation().eq_ignore_ascii_case(text));
    found.ok_or_else(|| format!("known: {}", Stage::ALL.map(stage_word).join(", ")))
}

/// Returns the width with a name (`SIMD8`) or of a number of channels (`8`), in any case.
///
/// # Errors
/// Lists the names.
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
    /// What is limited; `None`: every kernel that has no limit of its own.
    pub scope: Option<Scope>,
    /// Most passes.
    pub limit: u32,
}

impl PassLimit {
    /// A limit for every kernel.
    pub fn all(limit: u32) -> PassLimit {
        PassLimit { scope: None, limit }
    }

    /// `N`, `STAGE=N` or `STAGE/WIDTH=N`.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str) -> Result<PassLimit, String> {
        let (scope, number) = match text.split_once('=') {
            Some((scope, number)) => (Some(Scope::parse(scope)?), number),
            None => (None, text),
        };
        let limit = number.parse().map_err(|_| "a number, STAGE=NUMBER or STAGE/WIDTH=NUMBER".to_owned())?;
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
    /// The pass.
    pub name: String,
    /// Whether it changed anything.
    pub changed: bool,
}

/// The runs in one scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopePasses {
    /// Where.
    pub scope: Scope,
    /// How many ran on the kernel before.
    pub before: u32,
    /// What ran.
    pub runs: Vec<PassRun>,
    /// What would have run next but for a limit.
    pub refused: Option<String>,
}

/// A run of a pass by its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Application {
    /// Stage and width.
    pub scope: Scope,
    /// From 1.
    pub number: u32,
    /// The pass.
    pub pass: String,
}

impl ScopePasses {
    /// The runs by their numbers.
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

/// The highest number of a run.
pub fn highest(passes: &[ScopePasses]) -> u32 {
    passes.iter().map(|scope| scope.before + scope.runs.len() as u32).max().unwrap_or(0)
}

/// Names of the passes that ran, or would have but for a limit.
pub fn names(passes: &[ScopePasses]) -> BTreeSet<&str> {
    let ran = passes.iter().flat_map(|scope| scope.runs.iter().map(|run| &*run.name));
    ran.chain(passes.iter().filter_map(|scope| scope.refused.as_deref())).collect()
}

/// The runs of one number: those that happened, and those that would have but for a limit.
pub fn numbered(passes: &[ScopePasses], number: u32) -> Vec<Application> {
    let all = passes.iter().flat_map(|scope| scope.applications().map(|(run, _)| run).chain(scope.next()));
    let mut found: Vec<Application> = Vec::new();
    for application in all.filter(|application| application.number == number) {
        // A stage is compiled once for each state that it is drawn with.
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
        for bad in ["", "x", "-1", "fragment", "fragment=", "pixel=1", "fragment/7=1", "fragment/=1", "=1"] {
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

    fn told(passes: &[ScopePasses], number: u32) -> Vec<String> {
        let tell = |a: Application| format!("{} {} {}", a.number, a.scope, a.pass);
        numbered(passes, number).into_iter().map(tell).collect()
    }

    /// Under a limit of 3 the vertex shader is still at its IR, the fragment shader in its back end.
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
        assert_eq!(told(&passes, 4), ["4 vertex d", "4 fragment/SIMD8 y", "4 fragment/SIMD8 z"]);
        assert_eq!(told(&passes, 3), ["3 vertex c", "3 fragment/SIMD8 x", "3 fragment/SIMD16 x"]);
        assert_eq!(told(&passes, 5), [""; 0]);
        assert_eq!(names(&passes).into_iter().collect::<String>(), "abcdxyz");
    }
}
