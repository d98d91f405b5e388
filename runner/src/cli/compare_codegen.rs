//! `runner compare-codegen`: instruction counts of a run beside another compiler's.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use amd_isa::Chip;
use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::exit::{EXPECTED, NOTHING, UNEXPECTED};
use super::output::{Format, print, print_json};
use super::radeonsi_counts;
use super::shader_counts::{Counts, Key, Table};
use super::values::{Generations, generations};
use crate::console::message::message;
use crate::select::Filter;
use results::Run;
use results::verdict::{StageStatistics, TestResult};

/// Parts of the names of tests about doubles.
const DOUBLE_NAMES: [&str; 5] = ["fp64", "attrib_64bit", "double", "dvec", "dmat"];

/// Compares instruction counts, spills and widths, shader by shader and in total.
///
/// Without a run it prints the names of the file's tests, for --test-list.
#[derive(Debug, Args)]
pub(super) struct CompareCodegenArgs {
    /// The other compiler's counts: a CSV file with columns test, gen, stage, width, instructions
    /// and spills; or radeonsi's with columns test, chip, stage, instructions, spilled_vgprs and
    /// shared_by_tests.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A run of this program: its folder or results.jsonl.
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    /// Only these generations (default: those of the run).
    #[arg(long = "gen", value_name = "LIST", value_parser = generations)]
    generations: Option<Generations>,
    /// Only tests whose name, in either form, matches (repeatable).
    #[arg(short = 't', long = "include", value_name = "RE")]
    include: Vec<String>,
    /// List every shader, the one with the most additional instructions first.
    #[arg(long)]
    rows: bool,
    /// Only shaders for which the other compiler needs at least N instructions.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_instructions: u32,
    /// Fail if a geometric mean of the tests about doubles is above this, or if this compiler
    /// spills and the other does not.
    #[arg(long, value_name = "RATIO")]
    limit: Option<f64>,
    /// Format.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    format: Format,
}

/// One shader that both compilers compiled.
struct Pair {
    key: Key,
    ours: Counts,
    theirs: Counts,
}

impl Pair {
    fn ratio(&self) -> f64 {
        f64::from(self.ours.instructions) / f64::from(self.theirs.instructions)
    }

    /// Returns the number of instructions that ours has more; negative if it has fewer.
    fn cost(&self) -> i64 {
        i64::from(self.ours.instructions) - i64::from(self.theirs.instructions)
    }

    fn is_double(&self) -> bool {
        DOUBLE_NAMES.iter().any(|part| self.key.0.contains(part))
    }

    fn spills_alone(&self) -> bool {
        self.ours.spills > 0 && self.theirs.spills == 0
    }
}

pub(super) fn compare_codegen(args: &CompareCodegenArgs) -> anyhow::Result<u8> {
    let name = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file).with_context(|| name.clone())?;
    let (tests, theirs) = parse(&text).with_context(|| name.clone())?;
    let filter = Filter::new(&args.include, &[], None)?;
    let Some(run) = &args.run else {
        anyhow::ensure!(args.format == Format::Terminal, "--format json needs a run");
        let names: Vec<String> =
            tests.into_iter().filter(|t| filter.accepts(t)).map(|t| t + "\n").collect();
        print(names.concat().as_bytes())?;
        return Ok(EXPECTED);
    };
    let wanted = args.generations.as_ref();
    let accepts = |result: &TestResult| {
        wanted.is_none_or(|list| list.0.iter().any(|t| t.name() == &*result.generation))
            && filter.accepts(&result.test)
    };
    let run = read(run)?;
    let mut pairs = pairs(&run, accepts, &theirs);
    pairs.retain(|pair| pair.theirs.instructions >= args.min_instructions);
    let widths = widths(&run, accepts, &theirs);
    if pairs.is_empty() {
        message!("error: {name} and the run have no shader in common");
        return Ok(NOTHING);
    }
    match args.format {
        Format::Json => print_json("compare-codegen", &document(&pairs, &widths, args.rows))?,
        Format::Terminal => print(report(&pairs, &widths, args.rows).as_bytes())?,
    }
    let bad = |limit: f64| {
        let above = |group: &Group| group.double.mean().is_some_and(|mean| mean > limit);
        pairs.iter().any(Pair::spills_alone) || groups(&pairs, &widths).values().any(above)
    };
    Ok(if args.limit.is_some_and(bad) { UNEXPECTED } else { EXPECTED })
}

fn read(path: &Path) -> anyhow::Result<Run> {
    let run = Run::read(path)?;
    run.warnings().iter().for_each(|warning| message!("warning: {warning}"));
    Ok(run)
}

/// Parses a file of counts. Lines without a stage only name a test.
fn parse(text: &str) -> anyhow::Result<Table> {
    if text.lines().next().is_some_and(radeonsi_counts::is_header) {
        return radeonsi_counts::parse(text);
    }
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> =
        lines.next().map(|(_, line)| line.split(',').collect()).unwrap_or_default();
    let column = |name: &str| {
        header
            .iter()
            .position(|h| *h == name)
            .with_context(|| format!("there is no column `{name}`"))
    };
    let keys = [column("test")?, column("gen")?, column("stage")?, column("width")?];
    let numbers = [column("instructions")?, column("spills")?];
    let (mut tests, mut counts) = (BTreeSet::new(), BTreeMap::new());
    for (index, line) in lines {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != header.len() || line.contains('"') {
            bail!("line {}: {} plain fields expected", index + 1, header.len());
        }
        let [test, generation, stage, width] = keys.map(|c| fields[c].to_owned());
        tests.insert(test.clone());
        if stage.is_empty() {
            continue;
        }
        let number = |c: usize| {
            fields[c]
                .parse::<u32>()
                .with_context(|| format!("line {}: no number: `{}`", index + 1, fields[c]))
        };
        let (instructions, spills) = (number(numbers[0])?, number(numbers[1])?);
        let count = Counts { instructions, spills, waves: None };
        if count.instructions == 0 {
            bail!("line {}: a shader without instructions", index + 1);
        }
        counts.insert((test, generation, stage, width), count);
    }
    Ok((tests, counts))
}

/// Returns the shaders of accepted results that both compiled, the most additional instructions
/// first.
fn pairs(
    run: &Run,
    accepts: impl Fn(&TestResult) -> bool + Copy,
    theirs: &BTreeMap<Key, Counts>,
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for result in run.results.iter().filter(|result| accepts(result)) {
        for shader in &result.stages {
            let key = (
                result.test.clone(),
                result.generation.clone(),
                shader.stage.to_string(),
                shader.width.to_string(),
            );
            let (instructions, spills) = (shader.instructions, shader.spills);
            let ours = Counts { instructions, spills, waves: waves(&result.generation, shader) };
            if let Some(&theirs) = theirs.get(&key) {
                pairs.push(Pair { key, ours, theirs });
            }
        }
    }
    let order = |pair: &Pair| (std::cmp::Reverse(pair.cost()), pair.key.clone());
    pairs.sort_by_cached_key(order);
    pairs
}

/// Waves that the registers of a shader leave room for.
fn waves(generation: &str, shader: &StageStatistics) -> Option<u32> {
    let register = |count: u32| u16::try_from(count).ok();
    let chip = Chip::get(generation)?;
    let (scalars, vectors) = (register(shader.scalar_registers)?, register(shader.registers)?);
    Some(compiler::amd_codegen::allocate::waves(chip, scalars, vectors).into())
}

/// A kernel of one width that only one compiler has, of a stage that both compiled.
struct OneSided {
    /// As of the kernel that exists.
    key: Key,
    /// True if it is ours.
    is_ours: bool,
}

/// Returns the kernels that only one compiler has.
fn widths(
    run: &Run,
    accepts: impl Fn(&TestResult) -> bool + Copy,
    theirs: &BTreeMap<Key, Counts>,
) -> Vec<OneSided> {
    let stage = |key: &Key| (key.0.clone(), key.1.clone(), key.2.clone());
    let results = run.results.iter().filter(|result| accepts(result));
    let ours: BTreeSet<Key> = results
        .flat_map(|result| {
            let (test, generation) = (&result.test, &result.generation);
            result.stages.iter().map(move |shader| {
                let (stage, width) = (shader.stage.to_string(), shader.width.to_string());
                (test.clone(), generation.clone(), stage, width)
            })
        })
        .collect();
    let (our_stages, their_stages): (BTreeSet<_>, BTreeSet<_>) =
        (ours.iter().map(stage).collect(), theirs.keys().map(stage).collect());
    let gained = ours
        .iter()
        .filter(|key| !theirs.contains_key(key) && their_stages.contains(&stage(key)))
        .map(|key| OneSided { key: key.clone(), is_ours: true });
    let lost = theirs
        .keys()
        .filter(|key| !ours.contains(key) && our_stages.contains(&stage(key)))
        .map(|key| OneSided { key: key.clone(), is_ours: false });
    gained.chain(lost).collect()
}

/// Accumulator of a geometric mean.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    logarithms: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, ratio: f64) {
        self.logarithms += ratio.ln();
        self.count += 1;
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.logarithms / f64::from(self.count)).exp())
    }
}

/// The shaders of one generation, stage and width.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    all: Mean,
    double: Mean,
    /// Instructions of all shaders.
    ours: u64,
    theirs: u64,
    /// Shaders with more instructions, and with fewer.
    worse: u32,
    better: u32,
    /// Kernels that only the other compiler has, and only ours.
    lost: u32,
    gained: u32,
    ours_spill: u32,
    theirs_spill: u32,
    spills_alone: u32,
    /// Shaders with known waves, and the sums of their waves.
    waves: [u32; 3],
}

fn groups<'a>(
    pairs: &'a [Pair],
    widths: &'a [OneSided],
) -> BTreeMap<(&'a str, &'a str, &'a str), Group> {
    let mut groups: BTreeMap<(&'a str, &'a str, &'a str), Group> = BTreeMap::new();
    for pair in pairs {
        let (_, generation, stage, width) = &pair.key;
        let group = groups.entry((generation, width, stage)).or_default();
        group.all.add(pair.ratio());
        if pair.is_double() {
            group.double.add(pair.ratio());
        }
        group.ours += u64::from(pair.ours.instructions);
        group.theirs += u64::from(pair.theirs.instructions);
        group.worse += u32::from(pair.cost() > 0);
        group.better += u32::from(pair.cost() < 0);
        group.ours_spill += u32::from(pair.ours.spills > 0);
        group.theirs_spill += u32::from(pair.theirs.spills > 0);
        group.spills_alone += u32::from(pair.spills_alone());
        if let (Some(ours), Some(theirs)) = (pair.ours.waves, pair.theirs.waves) {
            group.waves.iter_mut().zip([1, ours, theirs]).for_each(|(sum, more)| *sum += more);
        }
    }
    for one in widths {
        let (_, generation, stage, width) = &one.key;
        let group = groups.entry((generation, width, stage)).or_default();
        group.gained += u32::from(one.is_ours);
        group.lost += u32::from(!one.is_ours);
    }
    groups
}

/// Renders the table, preceded by all shaders on request.
fn report(pairs: &[Pair], widths: &[OneSided], rows: bool) -> String {
    let mut text = String::new();
    if rows {
        let _ =
            writeln!(text, "{:>7} {:>7} {:>6} {:>6}  shader", "cost", "ratio", "ours", "theirs");
        for pair in pairs {
            let (test, generation, stage, width) = &pair.key;
            let (ours, theirs) = (pair.ours.instructions, pair.theirs.instructions);
            let _ = writeln!(
                text,
                "{:>+7} {:>7.3} {ours:>6} {theirs:>6}  {test} [{generation}] {stage} {width}",
                pair.cost(),
                pair.ratio()
            );
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "{:<5} {:<7} {:<24} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6} {:>6} {:>6} {:>5} {:>6}  spilling: \
         ours, theirs, only ours",
        "gen",
        "width",
        "stage",
        "doubles",
        "mean",
        "all",
        "mean",
        "total",
        "worse",
        "better",
        "equal",
        "lost",
        "gained"
    );
    let mean = |mean: &Mean| mean.mean().map_or_else(|| "-".to_owned(), |m| format!("{m:.3}"));
    for ((generation, width, stage), group) in groups(pairs, widths) {
        let total = match group.theirs {
            0 => "-".to_owned(),
            theirs => format!("{:.3}", group.ours as f64 / theirs as f64),
        };
        let _ = writeln!(
            text,
            "{generation:<5} {width:<7} {stage:<24} {:>7} {:>7} {:>7} {:>7} {total:>6} {:>6} {:>6} \
             {:>6} {:>5} {:>6}  {}, {}, {}",
            group.double.count,
            mean(&group.double),
            group.all.count,
            mean(&group.all),
            group.worse,
            group.better,
            group.all.count - group.worse - group.better,
            group.lost,
            group.gained,
            group.ours_spill,
            group.theirs_spill,
            group.spills_alone
        );
    }
    text + &waves_report(pairs)
}

/// Renders the waves per SIMD, if both compilers' are known.
fn waves_report(pairs: &[Pair]) -> String {
    let mut text = String::new();
    for ((generation, _, stage), group) in groups(pairs, &[]) {
        let [shaders, ours, theirs] = group.waves;
        if shaders == 0 {
            continue;
        }
        let mean = |sum: u32| f64::from(sum) / f64::from(shaders);
        let _ = writeln!(
            text,
            "{generation:<5} {stage:<24} waves per SIMD of {shaders} shaders: {:.2}, theirs {:.2}",
            mean(ours),
            mean(theirs)
        );
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// The comparison in JSON.
#[derive(Serialize)]
struct Document<'a> {
    groups: Vec<GroupDocument<'a>>,
    /// Every shader, the one with the most additional instructions first, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    shaders: Option<Vec<ShaderDocument<'a>>>,
}

/// The shaders of a generation, width and stage.
#[derive(Serialize)]
struct GroupDocument<'a> {
    #[serde(rename = "gen")]
    generation: &'a str,
    width: &'a str,
    stage: &'a str,
    all: Ratio,
    /// Those of tests about doubles.
    doubles: Ratio,
    instructions: Sums,
    worse: u32,
    better: u32,
    /// Kernels that only the other compiler has, and only ours.
    lost: u32,
    gained: u32,
    /// Shaders that spill.
    spilling: Sums,
    /// Shaders that spill with our compiler alone.
    spilling_alone: u32,
}

/// Number of shaders, and the geometric mean of our instructions to theirs.
#[derive(Serialize)]
struct Ratio {
    shaders: u32,
    mean: Option<f64>,
}

#[derive(Serialize)]
struct Sums {
    ours: u64,
    theirs: u64,
}

#[derive(Serialize)]
struct ShaderDocument<'a> {
    test: &'a str,
    #[serde(rename = "gen")]
    generation: &'a str,
    stage: &'a str,
    width: &'a str,
    ours: CountsDocument,
    theirs: CountsDocument,
}

#[derive(Serialize)]
struct CountsDocument {
    instructions: u32,
    spills: u32,
    waves: Option<u32>,
}

/// Returns the comparison; with `rows` that of every shader.
fn document<'a>(pairs: &'a [Pair], widths: &'a [OneSided], rows: bool) -> Document<'a> {
    Document {
        groups: groups(pairs, widths).into_iter().map(group_document).collect(),
        shaders: rows.then(|| pairs.iter().map(shader_document).collect()),
    }
}

fn group_document<'a>(
    ((generation, width, stage), group): ((&'a str, &'a str, &'a str), Group),
) -> GroupDocument<'a> {
    GroupDocument {
        generation,
        width,
        stage,
        all: ratio(group.all),
        doubles: ratio(group.double),
        instructions: Sums { ours: group.ours, theirs: group.theirs },
        worse: group.worse,
        better: group.better,
        lost: group.lost,
        gained: group.gained,
        spilling: Sums { ours: group.ours_spill.into(), theirs: group.theirs_spill.into() },
        spilling_alone: group.spills_alone,
    }
}

fn ratio(mean: Mean) -> Ratio {
    Ratio { shaders: mean.count, mean: mean.mean() }
}

fn shader_document(pair: &Pair) -> ShaderDocument<'_> {
    let (test, generation, stage, width) = &pair.key;
    let (ours, theirs) = (counts_document(pair.ours), counts_document(pair.theirs));
    ShaderDocument { test, generation, stage, width, ours, theirs }
}

fn counts_document(Counts { instructions, spills, waves }: Counts) -> CountsDocument {
    CountsDocument { instructions, spills, waves }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "test,gen,driver,stage,width,instructions,loops,cycles,spills,fills,sends\n\
        a/fs-abs-dvec4,skl,runs,fragment,SIMD8,50,0,9,0,0,1\n\
        a/fs-abs-vec4,skl,runs,fragment,SIMD8,10,0,9,3,4,1\n\
        a/skipped,skl,skip,,,,,,,,\n";

    fn pair(test: &str, ours: u32, theirs: u32) -> Pair {
        let key = (test.into(), "skl".into(), "fragment".into(), "SIMD8".into());
        let counts = |instructions| Counts {
            instructions,
            spills: u32::from(instructions > 100),
            waves: None,
        };
        Pair { key, ours: counts(ours), theirs: counts(theirs) }
    }

    #[test]
    fn anchors_are_read() {
        let (tests, counts) = parse(FILE).unwrap();
        assert_eq!(tests.len(), 3);
        let key =
            |test: &str| -> Key { (test.into(), "skl".into(), "fragment".into(), "SIMD8".into()) };
        assert_eq!(counts.len(), 2);
        assert_eq!(
            counts[&key("a/fs-abs-vec4")],
            Counts { instructions: 10, spills: 3, waves: None }
        );
        for (from, to) in [("width", "w"), ("50", "x"), ("50", "0"), (",1\n", "\n")] {
            assert!(parse(&FILE.replacen(from, to, 1)).is_err(), "{from} → {to}");
        }
    }

    #[test]
    fn means_are_geometric() {
        let pairs = [pair("a/dvec", 20, 10), pair("b/double", 5, 10), pair("c/float", 400, 100)];
        let groups = groups(&pairs, &[]);
        let group = groups[&("skl", "SIMD8", "fragment")];
        assert!((group.double.mean().unwrap() - 1.0).abs() < 1e-12);
        assert!((group.all.mean().unwrap() - 4f64.powf(1.0 / 3.0)).abs() < 1e-12);
        assert_eq!((group.ours_spill, group.theirs_spill, group.spills_alone), (1, 0, 1));
        let text = report(&pairs, &[], true);
        assert!(
            text.contains("    +10   2.000     20     10  a/dvec [skl] fragment SIMD8\n"),
            "{text}"
        );
        let row = "1.000       3   1.587  3.542      2      1      0     0      0  1, 0, 1\n";
        assert!(text.contains(row) && !text.contains("waves"), "{text}");
    }

    #[test]
    fn waves_have_arithmetic_means() {
        let key =
            |test: &str| -> Key { (test.into(), "si".into(), "vertex".into(), "wave64".into()) };
        let counts = |waves| Counts { instructions: 1, spills: 0, waves };
        let pair = |test, ours, theirs| Pair {
            key: key(test),
            ours: counts(ours),
            theirs: counts(theirs),
        };
        let pairs =
            [pair("a", Some(10), Some(9)), pair("b", Some(5), Some(10)), pair("c", Some(1), None)];
        let line =
            "si    vertex                   waves per SIMD of 2 shaders: 7.50, theirs 9.50\n";
        assert_eq!(waves_report(&pairs), format!("\n{line}"));
    }
}
