//! Records of the optional compiler passes that ran.
//!
//! Passes are counted separately for each kernel: first those on the IR of its stage, then those of
//! the back end. Run number 40 may therefore occur several times in a test, once per stage and
//! width with that many passes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use vocabulary::{PassLimit, Scope, parse_stage, parse_width, stage_word};

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
