//! Changes of the generated code: totals, helped and hurt shaders, gained and lost widths.

use std::collections::BTreeMap;

use serde::Serialize;

use super::metric::{CodeSelection, Metric};
use crate::{Code, ResultRef};
use vocabulary::{Stage, Width};

/// One shader's change in one number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShaderChange {
    /// `test [gen] stage width`.
    pub shader: String,
    /// Number before.
    pub old: u64,
    /// Number now.
    pub new: u64,
    /// The parts of `shader`.
    #[serde(skip)]
    pub parts: ShaderParts,
}

/// The parts of a shader's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderParts {
    /// Name of the test.
    pub test: String,
    /// Generation.
    pub generation: String,
    /// Stage.
    pub stage: Stage,
    /// Width.
    pub width: Width,
}

/// The change of one number in all shaders of a generation, stage and width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupChange {
    /// Generation.
    #[serde(rename = "gen")]
    pub generation: String,
    /// Stage.
    #[serde(with = "crate::stage_name")]
    pub stage: Stage,
    /// Width.
    pub width: Width,
    /// Number of shaders that both runs have.
    pub shaders: usize,
    /// Old sum.
    pub old: u64,
    /// New sum.
    pub new: u64,
}

/// The changes of one number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MetricChange {
    /// Name of the number.
    pub name: &'static str,
    /// Old sum over all shaders that both runs have.
    pub total_old: u64,
    /// New sum over the same shaders.
    pub total_new: u64,
    /// The same sums for each generation, stage and width.
    pub groups: Vec<GroupChange>,
    /// Improved shaders, the largest change first.
    pub helped: Vec<ShaderChange>,
    /// Worsened shaders, the largest change first.
    pub hurt: Vec<ShaderChange>,
}

/// Distribution of a list of changes, as shader-db reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Smallest change.
    pub least: f64,
    /// Largest change.
    pub most: f64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
}

impl Spread {
    /// Returns the distribution of some numbers; `None` without any.
    pub fn of(numbers: impl Iterator<Item = f64>) -> Option<Spread> {
        let mut sorted: Vec<f64> = numbers.collect();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        Some(Spread { least, most, mean: sorted.iter().sum::<f64>() / sorted.len() as f64, median })
    }
}

impl MetricChange {
    /// Returns the growth of the total in percent; infinite from 0 to more.
    pub fn growth(&self) -> f64 {
        match (self.total_old, self.total_new) {
            (0, 0) => 0.0,
            (old, new) => (new as f64 - old as f64) / old as f64 * 100.0,
        }
    }

    /// Returns the old and new sums over the changed shaders.
    pub fn affected(&self) -> (u64, u64) {
        let all = || self.helped.iter().chain(&self.hurt);
        (all().map(|change| change.old).sum(), all().map(|change| change.new).sum())
    }
}

/// A width that only one of the runs compiled a shader for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WidthChange {
    /// `test [gen] stage`.
    pub shader: String,
    /// `SIMD16`, …
    pub width: Width,
}

/// All changes of code between two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CodeChanges {
    /// Number of shaders (one per test, generation, stage and width) that both runs have.
    pub shared: usize,
    /// Number of those whose binaries are identical.
    pub same_binary: usize,
    /// Changes of each number.
    pub metrics: Vec<MetricChange>,
    /// Widths that only the old run has.
    pub lost: Vec<WidthChange>,
    /// Widths that only the new run has.
    pub gained: Vec<WidthChange>,
}

impl CodeChanges {
    /// Compares the shaders of results that both runs have. Results without any code in one of the
    /// runs are ignored: the test broke earlier there.
    pub(super) fn new<'r, 'a: 'r>(
        results: impl Iterator<Item = (&'r ResultRef<'a>, &'r ResultRef<'a>)>,
        selection: &CodeSelection,
    ) -> CodeChanges {
        let metric =
            |metric: &Metric| MetricChange { name: metric.name(), ..MetricChange::default() };
        let mut changes = CodeChanges {
            metrics: selection.metrics.iter().map(metric).collect(),
            ..CodeChanges::default()
        };
        let mut groups = Groups::default();
        for (old, new) in
            results.filter(|(old, new)| !old.stages.is_empty() && !new.stages.is_empty())
        {
            for (index, code) in selected(old, selection) {
                match twin(new, old, index) {
                    Some(now) => {
                        changes.compare(old, code, now, &selection.metrics);
                        groups.add(old, code, now, &selection.metrics);
                    }
                    None => changes.lost.push(width_change(old, code)),
                }
            }
            let gained =
                selected(new, selection).filter(|&(index, _)| twin(old, new, index).is_none());
            changes.gained.extend(gained.map(|(_, code)| width_change(new, code)));
        }
        for (index, metric) in changes.metrics.iter_mut().enumerate() {
            metric.groups = groups.of_metric(index);
            for list in [&mut metric.helped, &mut metric.hurt] {
                // The sort is stable: equal changes stay in the order of names.
                list.sort_by_key(|change| std::cmp::Reverse(change.old.abs_diff(change.new)));
            }
        }
        changes
    }

    fn compare(
        &mut self,
        result: &ResultRef<'_>,
        old: &Code<'_>,
        new: &Code<'_>,
        metrics: &[Metric],
    ) {
        self.shared += 1;
        self.same_binary += usize::from(!old.sha.is_empty() && old.sha == new.sha);
        for (metric, read) in self.metrics.iter_mut().zip(metrics) {
            let numbers = read.of_all(&[old, new]);
            let [before, after] = [numbers[0], numbers[1]];
            metric.total_old += before;
            metric.total_new += after;
            if before != after {
                let list = if after < before { &mut metric.helped } else { &mut metric.hurt };
                let shader = format!("{} {}", shader(result, old), old.width);
                let parts = ShaderParts {
                    test: result.test.to_string(),
                    generation: result.generation.to_string(),
                    stage: old.stage,
                    width: old.width,
                };
                list.push(ShaderChange { shader, old: before, new: after, parts });
            }
        }
    }
}

/// Sums by generation, stage and width.
#[derive(Default)]
struct Groups {
    by_place: BTreeMap<(String, Stage, Width), Group>,
}

/// Number of shaders, and the old and new sum of each metric.
#[derive(Default)]
struct Group {
    shaders: usize,
    sums: Vec<[u64; 2]>,
}

impl Groups {
    fn add(&mut self, result: &ResultRef<'_>, old: &Code<'_>, new: &Code<'_>, metrics: &[Metric]) {
        let place = (result.generation.to_string(), old.stage, old.width);
        let group = self.by_place.entry(place).or_default();
        group.shaders += 1;
        group.sums.resize(metrics.len(), [0; 2]);
        for (sum, metric) in group.sums.iter_mut().zip(metrics) {
            let numbers = metric.of_all(&[old, new]);
            sum[0] += numbers[0];
            sum[1] += numbers[1];
        }
    }

    fn of_metric(&self, index: usize) -> Vec<GroupChange> {
        let group = |((generation, stage, width), group): (&(String, Stage, Width), &Group)| {
            let [old, new] = *group.sums.get(index)?;
            Some(GroupChange {
                generation: generation.clone(),
                stage: *stage,
                width: *width,
                shaders: group.shaders,
                old,
                new,
            })
        };
        self.by_place.iter().filter_map(group).collect()
    }
}

/// The selected code of a result, with its place among all.
fn selected<'r, 'a>(
    result: &'r ResultRef<'a>,
    selection: &CodeSelection,
) -> impl Iterator<Item = (usize, &'r Code<'a>)> {
    result.stages.iter().enumerate().filter(|(_, code)| selection.has(code))
}

/// Returns the code of another result that matches the code at `index`. A script may have
/// several pipelines with code of one stage and width: they are matched in order.
fn twin<'r, 'a>(
    result: &'r ResultRef<'a>,
    other: &ResultRef<'_>,
    index: usize,
) -> Option<&'r Code<'a>> {
    let code = &other.stages[index];
    let is_like = |like: &&Code<'_>| like.stage == code.stage && like.width == code.width;
    let before = other.stages[..index].iter().filter(is_like).count();
    result.stages.iter().filter(is_like).nth(before)
}

fn shader(result: &ResultRef<'_>, code: &Code<'_>) -> String {
    format!("{} [{}] {}", result.test, result.generation, code.stage)
}

fn width_change(result: &ResultRef<'_>, code: &Code<'_>) -> WidthChange {
    WidthChange { shader: shader(result, code), width: code.width }
}
