//! `runner pressure`: effects of exact liveness and exact last uses of payload registers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::Context;
use clap::Args;
use compiler::output::Width;
use compiler::{CodegenOptions, LivenessGranularity, PayloadInterference};
use program::Stage;

use super::args::SelectArgs;
use super::chain::chain;
use super::exit::{EXPECTED, NOTHING};
use super::output::print;
use super::values::{Generations, generations};
use crate::console::message::message;
use crate::select::{FileKinds, TestFile};
use execute::StageKeys;
use vocabulary::Target;

/// Compiles the tests' shaders three times: with the allocator as it is, with liveness of whole
/// registers, and with payload registers that interfere with everything; lists live registers and
/// spills.
#[derive(Debug, Args)]
pub(super) struct PressureArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Generations: a comma list of names and groups.
    #[arg(long = "gen", value_name = "LIST", default_value = "intel", value_parser = generations)]
    generations: Generations,
    /// List every shader, not only those with different spills.
    #[arg(long)]
    rows: bool,
}

/// A change of the compiler's options.
type Change = fn(&mut CodegenOptions);

/// The compared allocators: names and changes.
const ALLOCATORS: [(&str, Change); 3] = [
    ("exact", |_| ()),
    ("whole", |options| options.liveness = LivenessGranularity::Register),
    ("payload", |options| options.payload_interference = PayloadInterference::All),
];

/// One kernel under one allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pressure {
    max_live: u32,
    spills: u32,
}

/// A kernel under each allocator; `None` if it was not compiled because it would have spilled.
type Kernels = BTreeMap<(Stage, Width), [Option<Pressure>; 3]>;

pub(super) fn pressure(args: &PressureArgs) -> anyhow::Result<u8> {
    let selection = super::list::select(&args.select, FileKinds::Scripts)?;
    if selection.tests.is_empty() {
        message!("{}", selection.nothing());
        return Ok(NOTHING);
    }
    let tests = selection.tests;
    let mut table = Table::default();
    for test in &tests {
        for &generation in &args.generations.0 {
            match kernels(test, generation) {
                Ok(kernels) => table.add(&test.name, generation, &kernels),
                Err(error) => {
                    message!("{} [{generation}]: left out: {}", test.name, chain(&error))
                }
            }
        }
    }
    print(table.text(args.rows).as_bytes())?;
    Ok(EXPECTED)
}

/// Returns the kernels of a test; none if a requirement is not met.
fn kernels(test: &TestFile, generation: Target) -> anyhow::Result<Kernels> {
    let mut kernels = Kernels::new();
    let bytes =
        execute::read_script(&test.path).with_context(|| test.path.display().to_string())?;
    let Ok(script) = script::parse(&bytes) else { return Ok(kernels) };
    let (Ok(program), Some(devinfo)) =
        (look::linked(&script, generation), execute::devinfo(generation))
    else {
        return Ok(kernels);
    };
    let keys = StageKeys::new(&program, &script, &test.name, generation, false);
    for stage in program.stages.iter().map(|s| s.shader.stage) {
        for (index, (_, change)) in ALLOCATORS.iter().enumerate() {
            let mut options = CodegenOptions::default();
            change(&mut options);
            let binary = compiler::compile(&program, stage, keys.get(stage), devinfo, &options)
                .with_context(|| format!("{stage} shader"))?;
            for kernel in &binary.compiled.kernels {
                let s = kernel.statistics;
                let found = Pressure { max_live: s.max_live, spills: s.spills };
                kernels.entry((stage, kernel.width)).or_default()[index] = Some(found);
            }
        }
    }
    Ok(kernels)
}

/// Statistics of one width.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    kernels: u32,
    /// Sums over the kernels that every allocator has.
    max_live: [u64; 3],
    /// Largest value of any kernel.
    largest: [u32; 3],
    /// Number of kernels that spill, or are missing because they would.
    spilling: [u32; 3],
    spills: [u64; 3],
}

#[derive(Debug, Default)]
struct Table {
    rows: Vec<(String, [Option<Pressure>; 3])>,
    totals: BTreeMap<(&'static str, &'static str), Total>,
}

impl Table {
    fn add(&mut self, test: &str, generation: Target, kernels: &Kernels) {
        for (&(stage, width), found) in kernels {
            self.rows.push((format!("{test} [{generation}] {stage} {}", width.name()), *found));
            let total = self.totals.entry((generation.name(), width.name())).or_default();
            total.kernels += 1;
            let comparable = found.iter().all(Option::is_some);
            for (i, pressure) in found.iter().enumerate() {
                total.spilling[i] += u32::from(spills(*pressure));
                let Some(pressure) = pressure else { continue };
                total.spills[i] += u64::from(pressure.spills);
                total.largest[i] = total.largest[i].max(pressure.max_live);
                total.max_live[i] += if comparable { u64::from(pressure.max_live) } else { 0 };
            }
        }
    }

    fn text(&self, rows: bool) -> String {
        let names = ALLOCATORS.map(|(name, _)| name).join("/");
        let mut text = String::new();
        if rows {
            let _ = writeln!(text, "max live {names}  spills {names}  shader");
            for (shader, found) in &self.rows {
                let _ = writeln!(text, "{} {}  {shader}", live(found), spill_counts(found));
            }
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "gen   width   kernels  sum of max live {names}  largest {names}  spilling {names}  spills {names}"
        );
        let join = |values: [String; 3]| values.join("/");
        for ((generation, width), t) in &self.totals {
            let _ = writeln!(
                text,
                "{generation:<5} {width:<7} {:>7}  {}  {}  {}  {}",
                t.kernels,
                join(t.max_live.map(|n| n.to_string())),
                join(t.largest.map(|n| n.to_string())),
                join(t.spilling.map(|n| n.to_string())),
                join(t.spills.map(|n| n.to_string()))
            );
        }
        for (index, (name, _)) in ALLOCATORS.iter().enumerate().skip(1) {
            let freed: BTreeSet<&str> = self
                .rows
                .iter()
                .filter(|(_, found)| spills(found[index]) && !spills(found[0]))
                .map(|(shader, _)| shader.as_str())
                .collect();
            let _ = writeln!(text, "\nspilling with `{name}` only: {}", freed.len());
            for shader in freed {
                let _ = writeln!(text, "  {shader}");
            }
        }
        text
    }
}

/// Returns true if a kernel spills; a missing one would.
fn spills(pressure: Option<Pressure>) -> bool {
    pressure.is_none_or(|p| p.spills > 0)
}

fn live(found: &[Option<Pressure>; 3]) -> String {
    found.map(|p| p.map_or_else(|| "-".to_owned(), |p| p.max_live.to_string())).join("/")
}

fn spill_counts(found: &[Option<Pressure>; 3]) -> String {
    found.map(|p| p.map_or_else(|| "-".to_owned(), |p| p.spills.to_string())).join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kernels of a committed test on Skylake, by stage and width.
    fn committed(name: &str) -> Kernels {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests").join(name);
        let test = TestFile::new(name, path.with_extension("shader_test"));
        kernels(&test, Target::SKL).unwrap()
    }

    /// Each change costs registers in its test, and nothing spills without one.
    #[test]
    fn the_switches_make_a_difference() {
        let fragment = |name, width| committed(name)[&(Stage::Fragment, width)];
        // Eight packed halves are half a register.
        let [exact, whole, _] = fragment("half/pressure/fs-short_lived-f16vec4", Width::Simd8);
        let (exact, whole) = (exact.unwrap(), whole.unwrap());
        assert!(exact.max_live < 40 && whole.max_live > 128, "{exact:?} {whole:?}");
        assert!(exact.spills == 0 && whole.spills > 0, "{exact:?} {whole:?}");
        // Conversions to halves leave gaps in both registers of SIMD16.
        let [exact, whole, _] =
            fragment("half/pressure/fs-converted_in_loop-f16vec4", Width::Simd16);
        assert!(exact.is_some_and(|p| p.max_live < 80) && whole.is_none(), "{exact:?} {whole:?}");
        // Varyings are read before many values live.
        let [exact, _, all] =
            fragment("half/pressure/fs-operands_read_first-f16mat4", Width::Simd8);
        let (exact, all) = (exact.unwrap(), all.unwrap());
        assert!(
            exact.spills == 0 && exact.max_live < 128 && all.max_live > 128,
            "{exact:?} {all:?}"
        );
    }

    #[test]
    fn missing_kernels_count_as_spilling() {
        let pressure = |max_live, spills| Some(Pressure { max_live, spills });
        let mut table = Table::default();
        let kernels = Kernels::from([
            ((Stage::Fragment, Width::Simd8), [pressure(90, 0), pressure(130, 4), pressure(95, 0)]),
            ((Stage::Fragment, Width::Simd16), [pressure(120, 0), pressure(128, 0), None]),
        ]);
        table.add("a", Target::SKL, &kernels);
        let text = table.text(true);
        for line in [
            "90/130/95 0/4/0  a [skl] fragment SIMD8\n",
            "skl   SIMD8         1  90/130/95  90/130/95  0/1/0  0/4/0\n",
            "skl   SIMD16        1  0/0/0  120/128/0  0/0/1  0/0/0\n",
            "spilling with `whole` only: 1\n  a [skl] fragment SIMD8\n",
            "spilling with `payload` only: 1\n  a [skl] fragment SIMD16\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }
}
