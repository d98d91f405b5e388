//! Execution of scripts on the driver, and the agreement of driver and interpreter.

use std::collections::BTreeSet;
use std::sync::Arc;

use gl_driver::{EndKind, Observe, Outcome};
use script::{Script, SpirvMode, check_requirements};

use super::connection::{capabilities, with_driver};
use super::stages::of_messages;
use crate::case::TestCase;
use crate::executors::simulation::session;
use crate::front::{for_driver, without_commands};
use crate::machines::{DriverCheck, Explanation, Failures, Findings, draws};
use crate::options::{ExecutorSelection, RunOptions};
use results::verdict::{Phase, Status, Verdict};

/// Executes a script on the driver, and on the interpreter with the driver's capabilities, unless
/// the driver alone is selected.
pub(super) fn run(
    case: &TestCase<'_>,
    script: &Script<'_>,
    explanation: Option<&mut Explanation>,
) -> Verdict {
    if !case.options.compile_only {
        return execute(case, script, explanation);
    }
    // Creating the program is all that is left to the driver.
    let options =
        RunOptions { executors: ExecutorSelection::SimulatorOnly, ..case.options.clone() };
    execute(&TestCase { options: &options, ..*case }, &without_commands(script), None)
}

fn execute(
    case: &TestCase<'_>,
    script: &Script<'_>,
    mut explanation: Option<&mut Explanation>,
) -> Verdict {
    let executors = case.options.executors;
    let observe = Observe {
        image: explanation.is_some() && draws(script),
        beyond: executors != ExecutorSelection::SimulatorOnly,
    };
    let executed = with_driver(|driver| {
        let id = driver.context(script.require.context).map_err(Verdict::skip)?;
        let context = driver.capabilities(id);
        let capabilities = Arc::new(capabilities(context));
        check_requirements(&script.require, &context.facts())
            .map_err(|unmet| Verdict::skip(format!("line {}: {}", unmet.line, unmet.reason)))?;
        if script.require.spirv != SpirvMode::Translated {
            return Ok((driver.run(script, id, observe), capabilities));
        }
        if !context.facts().spirv {
            return Err(Verdict::skip("needs GL_ARB_gl_spirv and spirv-as"));
        }
        let offered = |name: &str| context.spirv_extensions.contains(name);
        let modules = for_driver(script, &capabilities, offered)?;
        let translated = modules.as_ref().map(|modules| modules.script(script));
        Ok((driver.run(translated.as_ref().unwrap_or(script), id, observe), capabilities))
    });
    let (mut outcome, capabilities) = match executed {
        Ok(Ok(executed)) => executed,
        Ok(Err(verdict)) => return verdict,
        Err(error) => return Verdict::fail(Phase::Require, error.to_string()),
    };
    let readings = std::mem::take(&mut outcome.readings);
    if let Some(explanation) = explanation.as_deref_mut() {
        explanation.driver = outcome.image.take();
    }
    let verdict = verdict(outcome);
    if executors == ExecutorSelection::SimulatorOnly || verdict.status == Status::Skip {
        return verdict;
    }
    if let Some(extension) = unknown_extension(script, &capabilities.table().extensions) {
        return not_compared(verdict, &extension);
    }
    let options =
        RunOptions { executors: ExecutorSelection::ReferenceOnly, ..case.options.clone() };
    match session(&TestCase { options: &options, ..*case }, script, &capabilities) {
        Ok(mut session) => {
            session.explanation = explanation;
            session.driver = Some(DriverCheck::new(readings));
            let reference = session.run();
            session.record_end();
            let replicas = &mut session.replicas;
            let undefined = replicas.undefined_pixels() || replicas.undefined_memory();
            let found = session.driver.take().map(DriverCheck::findings).unwrap_or_default();
            let stages = verdict.stages.clone();
            Verdict { stages, ..combined(verdict, &reference, found, undefined) }
        }
        Err(reference) => combined(verdict, &reference, Findings::unread(), false),
    }
}

/// An extension of the driver that a shader enables and this project's compiler does not know. The
/// interpreter cannot execute such a test.
fn unknown_extension(script: &Script<'_>, offered: &BTreeSet<String>) -> Option<String> {
    let known = glsl::known_extensions();
    let enabled = script.shaders().flat_map(|shader| enabled_extensions(shader.source));
    enabled.into_iter().find(|name| offered.contains(name) && !known.contains(name))
}

/// Names in the `#extension` directives of a shader that do not disable. Those in comments and
/// skipped lines count, too.
fn enabled_extensions(source: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(source);
    let directive = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("extension")?;
        let (name, behavior) = rest.split_once(':')?;
        (behavior.trim() != "disable").then(|| name.trim().to_owned())
    };
    text.lines().filter_map(directive).collect()
}

/// The verdict of a driver that nothing was compared with. A failure says so.
fn not_compared(mut driver: Verdict, extension: &str) -> Verdict {
    if let Some((_, reason)) = &mut driver.cause {
        reason.push_str(&format!("\n  not compared: the interpreter lacks {extension}"));
    }
    driver
}

/// Combines the verdicts of driver and interpreter: they must agree about the ending of a test
/// whose values are defined, and about the values that its probes read. A probe that fails at
/// undefined values alone is no disagreement.
fn combined(driver: Verdict, reference: &Verdict, found: Findings, undefined: bool) -> Verdict {
    let passes = |verdict: &Verdict| matches!(verdict.status, Status::Pass | Status::Warn);
    let cause = |verdict: &Verdict| verdict.cause.clone().map(|(_, text)| text).unwrap_or_default();
    let is_probe = |verdict: &Verdict| {
        matches!((verdict.status, &verdict.cause), (Status::Fail, Some((Phase::Probe, _))))
    };
    // Features that the interpreter lacks, and steps beyond its limit, prove nothing.
    let judges = match (&reference.status, &reference.cause) {
        (Status::Pass | Status::Warn, _) => true,
        (Status::Fail, Some((phase, _))) => *phase != Phase::Simulate,
        _ => false,
    };
    match (passes(&driver), passes(reference)) {
        _ if !judges => driver,
        _ if undefined => driver.with_undefined(),
        (true, false) if is_probe(reference) && !found.reference_fails => driver,
        (false, true) if is_probe(&driver) && !found.driver_fails => driver.with_undefined(),
        (true, false) => {
            Verdict::fail(Phase::Mismatch, format!("reference interpreter: {}", cause(reference)))
        }
        (false, true) => {
            Verdict::fail(Phase::Mismatch, format!("{}\n  Reference: passes", cause(&driver)))
        }
        // Values are compared also if both fail: a probe may expect neither of them.
        _ => match found.difference {
            Some(text) => Verdict::fail(Phase::Mismatch, text),
            None if is_probe(&driver) && !found.driver_fails => driver.with_undefined(),
            None => driver,
        },
    }
}

/// Combines the facts of an outcome.
fn verdict(outcome: Outcome) -> Verdict {
    let stages = of_messages(&outcome.messages);
    Verdict { stages, ..judged(outcome) }
}

fn judged(outcome: Outcome) -> Verdict {
    let at = |line: Option<u32>, text: String| match line {
        Some(line) => format!("line {line}: {text}"),
        None => text,
    };
    if let Some(end) = outcome.end {
        let reason = at(end.line, end.reason);
        return match end.kind {
            EndKind::Skip => Verdict::skip(reason),
            EndKind::Fail(phase) => Verdict::fail(phase, reason),
            EndKind::Reset => Verdict::new(Status::Crash, Phase::Simulate, reason),
        };
    }
    let mut failures = Failures::default();
    for failure in outcome.failures {
        let status = if failure.warns { Status::Warn } else { Status::Fail };
        failures.add(Verdict::new(status, failure.phase, at(failure.line, failure.text)));
    }
    failures.verdict()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_must_agree() {
        let (pass, fail) = (Verdict::pass(), Verdict::fail(Phase::Probe, "wrong"));
        let phase = |driver: &Verdict, reference: &Verdict, difference: bool, undefined| {
            let difference = difference.then(|| "differs".to_owned());
            let found = Findings { difference, ..Findings::unread() };
            combined(driver.clone(), reference, found, undefined).cause.map(|(p, _)| p)
        };
        assert_eq!(phase(&pass, &pass, false, false), None);
        assert_eq!(phase(&pass, &pass, true, false), Some(Phase::Mismatch));
        assert_eq!(phase(&pass, &fail, false, false), Some(Phase::Mismatch));
        assert_eq!(phase(&fail, &pass, false, false), Some(Phase::Mismatch));
        assert_eq!(phase(&fail, &fail, false, false), Some(Phase::Probe));
        assert_eq!(phase(&fail, &fail, true, false), Some(Phase::Mismatch));
        assert_eq!(phase(&fail, &fail, true, true), Some(Phase::Probe));
        assert_eq!(phase(&fail, &pass, false, true), Some(Phase::Probe));
        let unsupported = Verdict::fail(Phase::Simulate, "not supported yet");
        assert_eq!(phase(&pass, &unsupported, false, false), None);
        assert_eq!(phase(&pass, &Verdict::skip("no"), false, false), None);
    }

    #[test]
    fn extensions_that_only_the_driver_knows() {
        let text = b"# extension  GL_OVR_multiview :enable\n\
            #extension GL_AMD_none: disable\n#extension GL_ARB_gpu_shader5 : require\n";
        assert_eq!(enabled_extensions(text), ["GL_OVR_multiview", "GL_ARB_gpu_shader5"]);
        let shader = String::from_utf8_lossy(text);
        let file = format!("[require]\nGLSL >= 4.00\n[fragment shader]\n{shader}");
        let script = script::parse(file.as_bytes()).expect("a script");
        let of = |offered: &[&str]| {
            let offered = offered.iter().map(|&name| name.to_owned()).collect();
            unknown_extension(&script, &offered)
        };
        let unknown = of(&["GL_ARB_gpu_shader5", "GL_OVR_multiview"]);
        assert_eq!(unknown.as_deref(), Some("GL_OVR_multiview"));
        // The driver itself refuses an extension that it lacks.
        assert_eq!(of(&["GL_ARB_gpu_shader5"]), None);
        let fail = not_compared(Verdict::fail(Phase::Probe, "wrong"), "GL_OVR_multiview");
        let (_, reason) = fail.cause.expect("a cause");
        assert_eq!(reason, "wrong\n  not compared: the interpreter lacks GL_OVR_multiview");
        assert_eq!(not_compared(Verdict::pass(), "GL_OVR_multiview"), Verdict::pass());
    }

    #[test]
    fn probes_of_undefined_values_fail_alone() {
        let (pass, fail) = (Verdict::pass(), Verdict::fail(Phase::Probe, "wrong"));
        let broken = Verdict::fail(Phase::Script, "GL error");
        let phase = |driver: &Verdict, reference: &Verdict, driver_fails, reference_fails| {
            let found = Findings { difference: None, driver_fails, reference_fails };
            combined(driver.clone(), reference, found, false).cause.map(|(p, _)| p)
        };
        assert_eq!(phase(&fail, &pass, false, false), Some(Phase::Probe));
        assert_eq!(phase(&fail, &pass, true, false), Some(Phase::Mismatch));
        assert_eq!(phase(&pass, &fail, false, false), None);
        assert_eq!(phase(&pass, &fail, false, true), Some(Phase::Mismatch));
        assert_eq!(phase(&broken, &pass, false, false), Some(Phase::Mismatch));
    }

    #[test]
    fn lines_and_phases() {
        let failure = |line, warns| gl_driver::Failure {
            line: Some(line),
            warns,
            phase: Phase::Probe,
            text: "wrong".to_owned(),
        };
        let outcome =
            Outcome { failures: vec![failure(3, true), failure(4, false)], ..Outcome::default() };
        assert_eq!(verdict(outcome.clone()), Verdict::fail(Phase::Probe, "line 4: wrong"));
        let end = gl_driver::End {
            line: Some(9),
            kind: EndKind::Skip,
            reason: "needs GL 9.9".to_owned(),
        };
        let ended = Outcome { end: Some(end), ..outcome };
        assert_eq!(verdict(ended), Verdict::skip("line 9: needs GL 9.9"));
        assert_eq!(verdict(Outcome::default()), Verdict::pass());
    }
}
