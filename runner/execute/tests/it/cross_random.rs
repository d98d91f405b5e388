//! Random programs on the interpreter, the IR evaluator and the simulator, with all optimizations
//! and without some.
//!
//! `CROSS_PROGRAMS` is how many, `CROSS_SEED` the first one's number, `CROSS_GENERATIONS` a
//! comma-separated list, as is `CROSS_DISABLE`, passes left out of the ordinary compilation too. A
//! failure prints the seed and the smallest program that still fails.

use crate::common::compare::differences;
use crate::common::executors::{Pixels, Reference, Shader};
use crate::common::generator::{Generated, Vocabulary, generate};
use crate::common::operand::{Ty, identical};
use crate::common::operations::Domain;
use crate::common::random::Rng;
use crate::common::simulator_with;
use crate::common::source_tree::shrink;
use compiler::output::Width;
use compiler::{CodegenOptions, PassLimit};

/// Programs in an ordinary run without the simulator.
const PROGRAMS: u64 = 300;
/// And with it.
const MACHINE_PROGRAMS: u64 = 100;
/// Programs with 16-bit types, on each generation that has them.
const NARROW_PROGRAMS: u64 = 60;
/// Those generations.
const NARROW_GENERATIONS: &str = "bdw,chv,skl";
/// Sets of uniforms per program.
const ROUNDS: usize = 2;
/// Smaller programs tried for one that fails.
const SHRINKS: usize = 600;

/// Another way to compile program number `n`; all of them must compute the same.
fn variant(n: u64) -> (String, CodegenOptions) {
    let optional = compiler::passes::qualified_optional();
    let n = n as usize % (optional.len() + 6);
    let plain = CodegenOptions::default();
    match n.checked_sub(6) {
        Some(pass) => {
            let name = &optional[pass];
            (
                format!("without {name}"),
                CodegenOptions { disabled_passes: vec![name.into()], ..plain },
            )
        }
        None => match n {
            0 => ("SIMD8".into(), CodegenOptions { widths: vec![Width::Simd8], ..plain }),
            1 => ("spilling everything".into(), CodegenOptions { spill_all: true, ..plain }),
            2 => {
                let options = CodegenOptions {
                    spill_all: true,
                    widths: vec![Width::Simd8],
                    pass_limits: vec![PassLimit::all(0)],
                    ..plain
                };
                ("spilling everything, no passes".into(), options)
            }
            3 | 4 => (
                "no passes".into(),
                CodegenOptions { pass_limits: vec![PassLimit::all(0)], ..plain },
            ),
            _ => (
                "40 passes".into(),
                CodegenOptions { pass_limits: vec![PassLimit::all(40)], ..plain },
            ),
        },
    }
}

/// A program with its inputs, ready to be tried in several forms.
struct CaseOverride<'a> {
    generated: &'a Generated,
    vocabulary: Vocabulary,
    seed: u64,
    generation: &'a str,
    /// True if the simulator takes part.
    machines: bool,
}

impl CaseOverride<'_> {
    /// Uniform values: mostly tame, so that loops of multiplications stay in range.
    fn uniforms(&self, shader: &Shader, rng: &mut Rng) -> Vec<u8> {
        let mut block = shader.block();
        for &(name, scalar, columns, rows, length) in self.vocabulary.uniforms() {
            let ty = Ty { scalar, columns, rows };
            for element in 0..length.max(1) {
                let domain = if rng.one_in(8) { Domain::Any } else { Domain::Moderate };
                let small = matches!(scalar, 'I' | 'U' | 'S' | 'T') && rng.one_in(2);
                let domain = if small { Domain::Small } else { domain };
                shader.put(
                    &mut block,
                    name,
                    element as u32,
                    ty.bytes(),
                    rows,
                    &ty.random(rng, domain),
                );
            }
        }
        block
    }

    /// Runs the program everywhere wanted; what differs, with who first.
    fn run(&self, source: &str) -> Result<(), (&'static str, String)> {
        let shader =
            Shader::try_new(source, self.generated.targets()).map_err(|e| ("front end", e))?;
        let lowered = shader.lowered();
        let disabled = std::env::var("CROSS_DISABLE").unwrap_or_default();
        let disabled_passes =
            disabled.split(',').filter(|p| !p.is_empty()).map(String::from).collect();
        let options = CodegenOptions { disabled_passes, ..CodegenOptions::default() };
        let optimized = shader.optimized(self.generation, &options).map_err(|e| ("passes", e))?;
        let mut machine = simulator_with(self.generation, options);
        let (what, options) = variant(self.seed);
        let mut other = simulator_with(self.generation, options);
        let mut rng = Rng::new(self.seed ^ 0x5eed);
        for _ in 0..ROUNDS {
            let block = self.uniforms(&shader, &mut rng);
            let reference = shader.interpret(&block).map_err(|e| ("interpreter", e.to_string()))?;
            let same = |who, pixels: (Pixels, Vec<bool>)| {
                self.compare(&reference, &pixels).map_err(|e| (who, e))
            };
            let early =
                shader.evaluate(&lowered, &block).map_err(|e| ("evaluator", e.to_string()))?;
            same("evaluator", early)?;
            let late = shader
                .evaluate(&optimized, &block)
                .map_err(|e| ("evaluator after passes", e.to_string()))?;
            same("evaluator after passes", late)?;
            if !self.machines {
                continue;
            }
            let result =
                shader.shade(&mut machine, &block).map_err(|e| ("simulator", e.to_string()))?;
            same("simulator", result)?;
            let result = shader
                .shade(&mut other, &block)
                .map_err(|e| ("variant", format!("{what}: {e}")))?;
            self.compare(&reference, &result).map_err(|e| ("variant", format!("{what}: {e}")))?;
        }
        Ok(())
    }

    fn compare(
        &self,
        reference: &Reference,
        (pixels, killed): &(Pixels, Vec<bool>),
    ) -> Result<(), String> {
        let all_undefined = |lane: usize| reference.undefined[lane].iter().all(|&u| u);
        for (lane, (a, b)) in reference.killed.iter().zip(killed).enumerate() {
            if a != b && !all_undefined(lane) {
                return Err(format!("lane {lane}: discarded {a} against {b}"));
            }
        }
        let skip =
            |lane: usize, row: usize| reference.killed[lane] || reference.undefined[lane][row];
        let found = differences(&self.generated.dwords, &reference.bits, pixels, skip, identical);
        if found.is_empty() { Ok(()) } else { Err(found.join("; ")) }
    }

    /// As [`CaseOverride::run`], with panics as failures.
    fn guarded(&self, source: &str) -> Result<(), (&'static str, String)> {
        let run = std::panic::AssertUnwindSafe(|| self.run(source));
        std::panic::catch_unwind(run).unwrap_or_else(|_| Err(("panic", String::new())))
    }

    /// The report of a failure, after making the program small.
    fn report(&self, who: &'static str, problem: String) -> String {
        let fails =
            |parts: &[_]| self.guarded(&self.generated.source(parts)).is_err_and(|(w, _)| w == who);
        // A refused program is not reduced: any smaller text may be refused.
        let small = match who {
            "front end" => self.generated.parts.clone(),
            _ => shrink(&self.generated.parts, SHRINKS, fails),
        };
        let source = self.generated.source(&small);
        let now = self.guarded(&source).err().map_or(problem, |(_, problem)| problem);
        format!("== seed {} on {}: {who}: {now}\n{source}", self.seed, self.generation)
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

fn agree(machines: bool, vocabulary: Vocabulary) {
    let first = number("CROSS_SEED", 1);
    let (generations, programs) = match (vocabulary, machines) {
        (Vocabulary::Wide, false) => ("ivb", PROGRAMS),
        (Vocabulary::Wide, true) => ("ivb", MACHINE_PROGRAMS),
        (Vocabulary::Narrow, false) => ("skl", PROGRAMS),
        (Vocabulary::Narrow, true) => (NARROW_GENERATIONS, NARROW_PROGRAMS),
    };
    let generations = std::env::var("CROSS_GENERATIONS").unwrap_or_else(|_| generations.into());
    let most = number("CROSS_FAILURES", 5) as usize;
    let mut failures = Vec::new();
    for seed in first..first + number("CROSS_PROGRAMS", programs) {
        let generated = generate(&mut Rng::new(seed), vocabulary);
        for generation in generations.split(',') {
            let trial =
                CaseOverride { generated: &generated, vocabulary, seed, generation, machines };
            if let Err((who, problem)) = trial.guarded(&generated.source(&generated.parts)) {
                failures.push(trial.report(who, problem));
            }
        }
        if failures.len() >= most {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn interpreter_and_evaluator_agree() {
    agree(false, Vocabulary::Wide);
}

#[test]
fn all_executors_agree() {
    agree(true, Vocabulary::Wide);
}

#[test]
fn interpreter_and_evaluator_agree_on_16_bits() {
    agree(false, Vocabulary::Narrow);
}

#[test]
fn all_executors_agree_on_16_bits() {
    agree(true, Vocabulary::Narrow);
}
