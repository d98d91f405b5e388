//! Execution of scripts on the driver.

use vk_driver::{EndKind, Outcome};
use vk_script::Script;

use super::connection::with_driver;
use super::images::png;
use super::stages::of_executable;
use crate::case::TestCase;
use crate::vk_explanation::VkExplanation;
use results::verdict::{Phase, Status, Verdict};

/// Executes a script on the driver.
pub(super) fn run(
    case: &TestCase<'_>,
    script: &Script,
    explanation: Option<&mut VkExplanation>,
) -> Verdict {
    let compiled;
    let script = match case.options.compile_only {
        true => {
            // Modules and pipelines without a command are all that is left to the driver.
            compiled = Script { commands: Vec::new(), ..script.clone() };
            &compiled
        }
        false => script,
    };
    let wants_images = explanation.is_some();
    let outcome = match with_driver(|driver| driver.run(script, wants_images)) {
        Ok(outcome) => outcome,
        Err(error) => return Verdict::fail(Phase::Require, error.to_string()),
    };
    if let Some(explanation) = explanation {
        let images = outcome.images.iter().filter_map(|image| {
            let buffer = script.buffers.get(image.buffer)?;
            Some((buffer.name.clone(), png(buffer, &image.bytes)?))
        });
        explanation.images = images.collect();
        let modules = vk_driver::modules(script).into_iter().flatten();
        explanation.modules = modules.map(|module| (module.name, module.text)).collect();
    }
    verdict(&outcome)
}

/// Turns an outcome into a verdict.
fn verdict(outcome: &Outcome) -> Verdict {
    let stages = outcome.executables.iter().map(of_executable).collect();
    let verdict = match &outcome.end {
        None => Verdict::pass(),
        Some(end) => {
            let reason = match end.line {
                Some(line) => format!("line {line}: {}", end.reason),
                None => end.reason.clone(),
            };
            match end.kind {
                EndKind::Skip => Verdict::skip(reason),
                EndKind::Fail(phase) => Verdict::fail(phase, reason),
                EndKind::Lost => Verdict::new(Status::Crash, Phase::Simulate, reason),
            }
        }
    };
    Verdict { stages, ..verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk_driver::End;

    #[test]
    fn lines_and_kinds() {
        assert_eq!(verdict(&Outcome::default()), Verdict::pass());
        let of = |kind, line| {
            let end = End { line, kind, reason: "why".to_owned() };
            verdict(&Outcome { end: Some(end), ..Outcome::default() })
        };
        assert_eq!(of(EndKind::Skip, None), Verdict::skip("why"));
        let failed = of(EndKind::Fail(Phase::Probe), Some(3));
        assert_eq!(failed, Verdict::fail(Phase::Probe, "line 3: why"));
        assert_eq!(of(EndKind::Lost, Some(3)).status, Status::Crash);
    }
}
