//! What became of the generated code: totals, helped and hurt shaders, widths that came or went.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::verdict::{StageStatistics, TestResult};

/// Reads one number of a shader's statistics.
type Read = fn(&StageStatistics) -> u64;

/// The numbers that are compared. Less is better for each of them.
pub const METRICS: [(&str, Read); 6] = [
    ("instructions", |s| s.instructions.into()),
    ("loops", |s| s.loops.into()),
    ("cycles", |s| s.cycles),
    ("spills", |s| s.spills.into()),
    ("fills", |s| s.fills.into()),
    ("sends", |s| s.sends.into()),
];

/// One shader's change in one number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShaderChange {
    /// `test [gen] stage width`.
    pub shader: String,
    /// Before.
    pub old: u64,
    /// Now.
    pub new: u64,
}

/// What became of one number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MetricChange {
    /// Its name.
    pub name: &'static str,
    /// Sum over all shaders that both runs have, before.
    pub total_old: u64,
    /// The same, now.
    pub total_new: u64,
    /// Shaders with less of it than before, the largest change first.
    pub helped: Vec<ShaderChange>,
    /// Shaders with more of it, the largest change first.
    pub hurt: Vec<ShaderChange>,
}

impl MetricChange {
    /// Sums over the shaders in which it changed, before and now.
    pub fn affected(&self) -> (u64, u64) {
        let all = || self.helped.iter().chain(&self.hurt);
        (all().map(|change| change.old).sum(), all().map(|change| change.new).sum())
    }
}

/// A width that one run compiled a shader for and the other did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WidthChange {
    /// `test [gen] stage`.
    pub shader: String,
    /// `SIMD16`, …
    pub width: String,
}

/// All changes of code between two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CodeChanges {
    /// Shaders (one per test, generation, stage and width) that both runs have.
    pub shared: usize,
    /// Those whose binary is the same to the byte.
    pub same_binary: usize,
    /// Change of each number.
    pub metrics: Vec<MetricChange>,
    /// Widths that are gone.
    pub lost: Vec<WidthChange>,
    /// Widths that came.
    pub gained: Vec<WidthChange>,
}

impl CodeChanges {
    /// Compares the shaders of rows that both runs have. A row without any code in one of the runs (it broke earlier)
    /// says nothing.
    pub(super) fn new<'a>(
        rows: impl Iterator<Item = ((&'a str, &'a str), &'a TestResult, &'a TestResult)>,
    ) -> CodeChanges {
        let metric = |(name, _): (&'static str, Read)| MetricChange { name, ..MetricChange::default() };
        let mut changes = CodeChanges { metrics: METRICS.map(metric).to_vec(), ..CodeChanges::default() };
        for ((test, target), old, new) in rows {
            if old.stages.is_empty() || new.stages.is_empty() {
                continue;
            }
            let (before, after) = (by_shader(old), by_shader(new));
            for (&(stage, width), a) in &before {
                let shader = format!("{test} [{target}] {stage}");
                match after.get(&(stage, width)) {
                    Some(b) => changes.compare(&format!("{shader} {width}"), a, b),
                    None => changes.lost.push(WidthChange { shader, width: width.to_owned() }),
                }
            }
            for &(stage, width) in after.keys().filter(|key| !before.contains_key(*key)) {
                let shader = format!("{test} [{target}] {stage}");
                changes.gained.push(WidthChange { shader, width: width.to_owned() });
            }
        }
        for metric in &mut changes.metrics {
            for list in [&mut metric.helped, &mut metric.hurt] {
                list.sort_by_key(|c| (std::cmp::Reverse(c.old.abs_diff(c.new)), c.shader.clone()));
            }
        }
        changes
    }

    fn compare(&mut self, shader: &str, old: &StageStatistics, new: &StageStatistics) {
        self.shared += 1;
        self.same_binary += usize::from(!old.sha.is_empty() && old.sha == new.sha);
        for (metric, (_, read)) in self.metrics.iter_mut().zip(METRICS) {
            let (old, new) = (read(old), read(new));
            metric.total_old += old;
            metric.total_new += new;
            let list = if new < old { &mut metric.helped } else { &mut metric.hurt };
            if new != old {
                list.push(ShaderChange { shader: shader.to_owned(), old, new });
            }
        }
    }
}

fn by_shader(row: &TestResult) -> BTreeMap<(&str, &str), &StageStatistics> {
    row.stages.iter().map(|s| ((&*s.stage, &*s.width), s)).collect()
}
