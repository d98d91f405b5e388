//! Totals of the generated code of one run or several, for each generation, stage and width.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::metric::CodeSelection;
use super::render::percent;
use crate::names::{csv_field, printable};
use crate::{Code, ResultRef};
use vocabulary::{Stage, Width};

/// Totals of the code of some runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeTotals {
    selection: CodeSelection,
    /// Names of the runs.
    runs: Vec<String>,
    groups: BTreeMap<(String, Stage, Width), Total>,
    /// Shaders by name, with each run's numbers by metric.
    shaders: Vec<(String, Vec<Vec<u64>>)>,
    /// Number of shaders that are not in every run.
    left_out: usize,
}

/// [`CodeTotals`] for programs.
#[derive(Debug, Serialize)]
pub struct TotalsDocument<'a> {
    /// Names of the runs.
    runs: &'a [String],
    /// Totals of each generation, stage and width.
    groups: Vec<GroupTotals>,
    /// Number of shaders that are not in every run.
    left_out: usize,
}

/// Totals of a generation, stage and width.
#[derive(Debug, Serialize)]
struct GroupTotals {
    #[serde(rename = "gen")]
    generation: String,
    #[serde(with = "crate::stage_name")]
    stage: Stage,
    width: Width,
    /// Number of shaders that every run has.
    shaders: usize,
    /// Sums by metric, a number for each run.
    metrics: BTreeMap<&'static str, Vec<u64>>,
}

/// Sums over the shaders of a generation, stage and width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Total {
    shaders: usize,
    /// Sums by metric and run.
    sums: Vec<Vec<u64>>,
}

impl Total {
    fn add(&mut self, numbers: &[Vec<u64>]) {
        self.shaders += 1;
        self.sums.resize_with(numbers.len(), Vec::new);
        for (sums, numbers) in self.sums.iter_mut().zip(numbers) {
            sums.resize(numbers.len(), 0);
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
    }
}

/// Test, generation, stage, width; and the variant, if a run has several of the test.
type Key<'r> = (&'r str, &'r str, Stage, Width, &'r str);

impl CodeTotals {
    /// Adds up the code of runs, given by name and results. Only shaders of all runs count, so that
    /// the totals can be compared.
    pub fn new(runs: &[(String, &[ResultRef<'_>])], selection: &CodeSelection) -> CodeTotals {
        let mut shaders: BTreeMap<Key<'_>, Vec<Option<&Code<'_>>>> = BTreeMap::new();
        for (column, (_, results)) in runs.iter().enumerate() {
            let groups = results.chunk_by(|a, b| a.test == b.test && a.generation == b.generation);
            for group in groups {
                for result in group {
                    let variant = if group.len() > 1 { &*result.variant } else { "" };
                    for code in result.stages.iter().filter(|code| selection.has(code)) {
                        let key: Key<'_> =
                            (&result.test, &result.generation, code.stage, code.width, variant);
                        let codes = shaders.entry(key).or_insert_with(|| vec![None; runs.len()]);
                        codes[column] = Some(code);
                    }
                }
            }
        }
        let mut totals = CodeTotals {
            selection: selection.clone(),
            runs: runs.iter().map(|(name, _)| name.clone()).collect(),
            groups: BTreeMap::new(),
            shaders: Vec::new(),
            left_out: 0,
        };
        for ((test, generation, stage, width, variant), codes) in shaders {
            let Some(codes) = codes.into_iter().collect::<Option<Vec<_>>>() else {
                totals.left_out += 1;
                continue;
            };
            let metrics = selection.metrics.iter();
            let numbers: Vec<Vec<u64>> = metrics.map(|m| m.of_all(&codes)).collect();
            let place = (generation.to_owned(), stage, width);
            totals.groups.entry(place).or_default().add(&numbers);
            let separator = if variant.is_empty() { "" } else { " " };
            let name = format!("{test} [{generation}{separator}{variant}] {stage} {width}");
            totals.shaders.push((name, numbers));
        }
        totals
    }

    /// Returns true if there is no code.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the totals for programs.
    pub fn document(&self) -> TotalsDocument<'_> {
        let names = self.selection.metrics.iter().map(|metric| metric.name());
        let named = |total: &Total| names.clone().zip(total.sums.iter().cloned()).collect();
        let group = |((generation, stage, width), total): (&(String, Stage, Width), &Total)| {
            let (generation, stage, width) = (generation.clone(), *stage, *width);
            GroupTotals { generation, stage, width, shaders: total.shaders, metrics: named(total) }
        };
        TotalsDocument {
            runs: &self.runs,
            groups: self.groups.iter().map(group).collect(),
            left_out: self.left_out,
        }
    }

    /// Returns the sum of all groups.
    fn whole(&self) -> Total {
        let zeros = vec![0; self.runs.len()];
        let sums = vec![zeros; self.selection.metrics.len()];
        let mut whole = Total { shaders: 0, sums };
        for total in self.groups.values() {
            whole.add(&total.sums);
        }
        Total { shaders: self.groups.values().map(|total| total.shaders).sum(), ..whole }
    }

    /// Renders tables for a terminal: one for a single run, with the metrics as columns; one for
    /// each metric otherwise, with the runs as columns. `limit` shaders with the largest numbers
    /// of the last run follow each metric.
    pub fn text(&self, limit: usize) -> String {
        let mut text = String::new();
        let names: Vec<String> = self.selection.metrics.iter().map(|m| m.name().into()).collect();
        if let [_] = self.runs[..] {
            self.table(&mut text, &names, |total| {
                total.sums.iter().map(|sums| sums[0].to_string()).collect()
            });
        } else {
            for (index, name) in names.iter().enumerate() {
                line(&mut text, format_args!("{}{name}", if index == 0 { "" } else { "\n" }));
                let mut columns: Vec<String> = self.runs.iter().map(|n| printable(n)).collect();
                columns.push("change".to_owned());
                self.table(&mut text, &columns, |total| {
                    let sums = &total.sums[index];
                    let change = percent(sums[0], *sums.last().unwrap_or(&0));
                    sums.iter().map(u64::to_string).chain([change]).collect()
                });
            }
        }
        for (index, name) in names.iter().enumerate().filter(|_| limit > 0) {
            line(&mut text, format_args!("\nmost {name}"));
            let number = |numbers: &[Vec<u64>]| numbers[index].last().copied().unwrap_or(0);
            let mut shaders: Vec<_> = self.shaders.iter().collect();
            // The sort is stable: equal shaders stay in the order of names.
            shaders.sort_by_key(|(_, numbers)| std::cmp::Reverse(number(numbers)));
            for (name, numbers) in shaders.into_iter().take(limit) {
                line(&mut text, format_args!("{:>9}  {}", number(numbers), printable(name)));
            }
        }
        if self.left_out > 0 {
            line(&mut text, format_args!("\n{} shaders are not in every run", self.left_out));
        }
        text
    }

    /// Appends a table with a line for each group and the total.
    fn table(&self, text: &mut String, columns: &[String], cells: impl Fn(&Total) -> Vec<String>) {
        let heading = ["gen", "stage", "width", "shaders"].map(str::to_owned);
        let mut lines: Vec<Vec<String>> = vec![[&heading[..], columns].concat()];
        for ((generation, stage, width), total) in &self.groups {
            let place = [printable(generation), stage.to_string(), width.to_string()];
            let shaders = [total.shaders.to_string()];
            lines.push([&place[..], &shaders, &cells(total)].concat());
        }
        let whole = self.whole();
        let place = ["total", "", ""].map(str::to_owned);
        lines.push([&place[..], &[whole.shaders.to_string()], &cells(&whole)].concat());
        let width_of = |column: usize| {
            lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..lines[0].len()).map(width_of).collect();
        for cells in &lines {
            let cells = cells.iter().zip(&widths).enumerate();
            let padded = cells.map(|(column, (cell, width))| match column {
                0..3 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            line(text, format_args!("{}", padded.collect::<Vec<_>>().join("  ").trim_end()));
        }
    }

    /// Renders the totals as CSV: a line for each metric, generation, stage and width, a column
    /// for each run.
    pub fn csv(&self) -> String {
        let runs: String = self.runs.iter().map(|name| format!(",{}", csv_field(name))).collect();
        let mut text = format!("metric,gen,stage,width,shaders{runs}\n");
        for (index, metric) in self.selection.metrics.iter().enumerate() {
            for ((generation, stage, width), total) in &self.groups {
                let sums: String = total.sums[index].iter().map(|sum| format!(",{sum}")).collect();
                let (name, generation, shaders) =
                    (metric.name(), csv_field(generation), total.shaders);
                line(
                    &mut text,
                    format_args!("{name},{generation},{stage},{width},{shaders}{sums}"),
                );
            }
        }
        text
    }
}

/// Appends a line; writing to a string cannot fail.
fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{content}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Metric;
    use crate::verdict::{StageStatistics, Status, TestResult};

    fn shader(stage: Stage, width: Width, instructions: u32, spills: u32) -> StageStatistics {
        StageStatistics { instructions, spills, ..StageStatistics::new(stage, width) }
    }

    fn result(test: &str, generation: &str, stages: Vec<StageStatistics>) -> TestResult {
        TestResult { stages, ..TestResult::plain(test, generation, Status::Pass) }
    }

    fn totals(runs: &[Vec<TestResult>], selection: &CodeSelection) -> CodeTotals {
        let results: Vec<Vec<ResultRef<'_>>> =
            runs.iter().map(|run| run.iter().map(ResultRef::from).collect()).collect();
        let names = ["old", "new,er"].map(str::to_owned).into_iter();
        let runs: Vec<(String, &[ResultRef<'_>])> =
            names.zip(results.iter().map(Vec::as_slice)).collect();
        CodeTotals::new(&runs, selection)
    }

    fn run(extra: u32) -> Vec<TestResult> {
        let (vs, fs) = (Stage::Vertex, Stage::Fragment);
        vec![
            result(
                "a",
                "ivb",
                vec![shader(vs, Width::Vec4, 5, 0), shader(fs, Width::Simd8, 10, 1)],
            ),
            result("a", "skl", vec![shader(fs, Width::Simd8, 7, 0)]),
            result("b", "ivb", vec![shader(fs, Width::Simd8, 20 + extra, 0)]),
        ]
    }

    fn selection(metrics: &[Metric], stages: &[Stage]) -> CodeSelection {
        CodeSelection { metrics: metrics.to_vec(), stages: stages.to_vec() }
    }

    #[test]
    fn one_run() {
        let totals = totals(&[run(0)], &selection(&[Metric::Instructions, Metric::Spills], &[]));
        let expected = "\
gen    stage     width  shaders  instructions  spills
ivb    vertex    vec4         1             5       0
ivb    fragment  SIMD8        2            30       1
skl    fragment  SIMD8        1             7       0
total                         4            42       1

most instructions
       20  b [ivb] fragment SIMD8

most spills
        1  a [ivb] fragment SIMD8
";
        assert_eq!(totals.text(1), expected);
    }

    #[test]
    fn two_runs() {
        let mut old = run(0);
        old.remove(1);
        let selection = selection(&[Metric::Instructions], &[Stage::Fragment]);
        let totals = totals(&[old, run(10)], &selection);
        let expected = "\
instructions
gen    stage     width  shaders  old  new,er   change
ivb    fragment  SIMD8        2   30      40  +33.33%
total                         2   30      40  +33.33%

1 shaders are not in every run
";
        assert_eq!(totals.text(0), expected);
        let csv = "metric,gen,stage,width,shaders,old,\"new,er\"\n\
                   instructions,ivb,fragment,SIMD8,2,30,40\n";
        assert_eq!(totals.csv(), csv);
    }

    #[test]
    fn no_code() {
        let totals = totals(&[Vec::new()], &CodeSelection::default());
        assert!(totals.is_empty());
        assert!(totals.text(3).contains("total"));
    }
}
