//! Random tests with values: each probe expects what the reference interpreter computes from the
//! GLSL, for runs in which the executors do not see the GLSL.

use std::fmt::Write;

use execute::{Devices, ExecutorSelection, Explanation, ProbedValues, RunOptions, TestCase};
use results::verdict::Status;
use script::{Command, Probe, Script};
use vocabulary::Target;

use super::defects::Defect;
use super::maker::Maker;
use super::script::SIDE;
use super::{Kind, command, made};

/// Start of the line that lets probes of random tests accept every value.
const TOLERANCE: &str = "tolerance ";

/// Returns test `number` of a seed with the values that the interpreter computes.
///
/// # Errors
/// Returns the reason why the interpreter has no values.
pub fn expected_test(
    seed: u64,
    number: u64,
    kind: Kind,
    defects: &[Defect],
) -> Result<String, String> {
    let mut maker = Maker::new(seed, number, defects);
    maker.plan.is_translated = true;
    maker.plan.is_for_glslang = true;
    let made = for_glslang(&made(&mut maker, kind));
    let text = format!("# {}\n\n{made}", command("--spirv ", seed, number, kind, defects));
    let script = script::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    with_values(&text, &script, &interpreted(&script)?)
}

/// Returns a test without what Khronos's compiler translates wrongly: it puts precise global
/// variables into one of the functions. Nothing rounds without the word either.
pub(super) fn for_glslang(made: &str) -> String {
    made.replace("\nprecise ", "\n")
}

/// Returns what the probes of a script read on the interpreter.
pub(super) fn interpreted(script: &Script<'_>) -> Result<Vec<ProbedValues>, String> {
    let executors = ExecutorSelection::ReferenceOnly;
    let (options, devices) =
        (RunOptions { executors, ..RunOptions::default() }, Devices::default());
    let case = TestCase::new("values", Target::REFERENCE, &options, &devices);
    let mut explanation = Explanation { keeps_values: true, ..Explanation::default() };
    let verdict = execute::run_explained(script, &case, &mut explanation);
    match (verdict.status, verdict.cause) {
        (Status::Pass, _) => Ok(explanation.values),
        (_, Some((_, reason))) => Err(reason),
        (status, None) => Err(status.to_string()),
    }
}

/// Replaces the probes of a text by those of values.
fn with_values(text: &str, script: &Script<'_>, values: &[ProbedValues]) -> Result<String, String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut values = values.iter();
    for test_line in script.test.iter().flatten() {
        let Some(line) = lines.get_mut(test_line.number as usize - 1) else { continue };
        if line.starts_with(TOLERANCE) {
            // Values in feedback buffers must be closer than the tolerance.
            *line = "tolerance 1e-30 1e-30 1e-30 1e-30".to_owned();
        }
        let Command::Probe(probe) = &test_line.command else { continue };
        *line = match (probe, values.next()) {
            (Probe::Pixels { .. }, Some(ProbedValues::Texels(texels))) => pixels(texels),
            (_, Some(ProbedValues::Bits(bits))) => number(line, *bits),
            (_, value) => return Err(format!("line {}: {value:?}", test_line.number)),
        };
    }
    Ok(lines.join("\n") + "\n")
}

/// A probe of one value: of integers, with a comparison, or of numbers in a feedback buffer.
fn number(line: &str, bits: u64) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let without = |count: usize| words[..words.len().saturating_sub(count)].join(" ");
    match words[..] {
        [_, "xfb", _, "float", ..] => format!("{} {}", without(1), f32::from_bits(bits as u32)),
        [_, "xfb", _, "double", ..] => format!("{} {}", without(1), f64::from_bits(bits)),
        [_, "xfb", ..] => format!("{} {bits}", without(1)),
        _ => format!("{} == {bits}", without(2)),
    }
}

/// Probes of the texels of a square, row by row from the bottom.
fn pixels(texels: &[[u32; 4]]) -> String {
    let mut text = String::new();
    for (index, texel) in (0..).zip(texels) {
        let (x, y) = (index % SIDE, index / SIDE);
        let _ = write!(text, "probe rgba {x} {y}");
        for &bits in texel {
            let _ = write!(text, " {}", f32::from_bits(bits));
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use execute::run_text;

    /// A test of each kind passes with its values, and fails with another one.
    #[test]
    fn the_values_are_those_of_the_interpreter() {
        let executors = ExecutorSelection::ReferenceOnly;
        let options = RunOptions { executors, ..RunOptions::default() };
        let devices = Devices::default();
        let case = TestCase::new("random", Target::REFERENCE, &options, &devices);
        for (number, kind) in (0..).zip(Kind::ALL.repeat(24)) {
            let text = expected_test(5, number, kind, &[]).expect("values");
            let verdict = run_text(text.as_bytes(), &case);
            assert_eq!(verdict.status, Status::Pass, "{:?}\n{text}", verdict.cause);
            // Feedback leaves gaps in its buffers, which have no value.
            let is_texel = |line: &str| line.starts_with("probe rgba ");
            let is_probe = |line: &str| line.starts_with("probe ");
            let mut lines: Vec<&str> = text.lines().collect();
            let last = lines.iter().rposition(|line| is_texel(line));
            let last = last.or_else(|| lines.iter().rposition(|line| is_probe(line)));
            let last = last.expect("a probe");
            let (probe, value) = lines[last].rsplit_once(' ').expect("a value");
            let other = format!("{probe} {}", value.parse::<f64>().expect("a number") + 1.0);
            lines[last] = &other;
            let wrong = lines.join("\n") + "\n";
            let verdict = run_text(wrong.as_bytes(), &case);
            assert_eq!(verdict.status, Status::Fail, "{wrong}");
            // Differences of undefined values are not reported: a program with them tests nothing.
            assert!(!verdict.is_undefined(), "{wrong}");
        }
    }
}
