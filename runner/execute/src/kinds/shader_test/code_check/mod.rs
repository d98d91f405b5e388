//! Judgment of CHECK lines on the generated code.
//!
//! The code is compiled again as `runner show` does it: with the options of the run, for the state
//! of the last draw. Lines are judged only where this compiler makes the code, and only after an
//! execution that ended.

mod matcher;
mod message;

use std::collections::BTreeMap;
use std::sync::Arc;

use program::{Program, Stage};
use script::{CheckBlock, CodeForm, Script};

use crate::case::TestCase;
use crate::code_text;
use crate::executors::context_for;
use crate::front::{Linked, build};
use crate::hardware::devinfo;
use crate::keys::StageKeys;
use crate::options::ExecutorSelection;
use results::verdict::{Phase, Status, Verdict};
use vocabulary::{CodegenOptions, Width};

/// Adds the CHECK lines of a script that do not hold to the verdict of its execution: a pass
/// becomes a failure, a failure keeps its phase and its reason in front.
pub(super) fn judge(script: &Script<'_>, case: &TestCase<'_>, verdict: Verdict) -> Verdict {
    let options = case.options;
    let is_judged = matches!(verdict.status, Status::Pass | Status::Warn | Status::Fail)
        && options.executors != ExecutorSelection::ReferenceOnly
        && options.execution.is_our_code();
    let Some(generation) = case.target.generation() else { return verdict };
    let concerns = |block: &&CheckBlock<'_>| block.scope.generations.contains(&generation);
    let blocks: Vec<&CheckBlock<'_>> = script.checks.iter().filter(concerns).collect();
    if !is_judged || blocks.is_empty() {
        return verdict;
    }
    let Some(mut code) = Code::new(script, case) else { return verdict };
    let failures =
        blocks.into_iter().filter_map(|block| Some((block.scope.form, code.failure(block)?)));
    failures.fold(verdict, |verdict, (form, text)| with_failure(verdict, form, &text))
}

fn with_failure(mut verdict: Verdict, form: CodeForm, text: &str) -> Verdict {
    let phase = match form {
        CodeForm::Ir => Phase::Ir,
        CodeForm::Eu => Phase::Encode,
    };
    verdict.cause = match (verdict.status, verdict.cause) {
        (Status::Fail, Some((phase, reason))) => Some((phase, format!("{reason}\n{text}"))),
        (_, Some((_, reason))) => Some((phase, format!("{text}\n{reason}"))),
        (_, None) => Some((phase, text.to_owned())),
    };
    verdict.status = Status::Fail;
    verdict
}

/// The generated code of a script.
struct Code {
    program: Arc<Program>,
    keys: StageKeys,
    devinfo: &'static intel_isa::DevInfo,
    codegen: CodegenOptions,
    /// IR by stage; `None` if the compiler fails, which the execution has reported.
    ir: BTreeMap<Stage, Option<String>>,
    /// Assembly of the kernels by stage.
    kernels: BTreeMap<Stage, Option<Vec<(Width, String)>>>,
}

impl Code {
    /// Returns the code of a script on a target; `None` if there is none.
    fn new(script: &Script<'_>, case: &TestCase<'_>) -> Option<Code> {
        let devinfo = devinfo(case.target)?;
        let capabilities = context_for(script, case.target).ok()?;
        let (Linked::Program(program) | Linked::Pipeline(program, _)) =
            build(script, capabilities).ok()?
        else {
            return None;
        };
        // Code that the validator refuses has a text, too.
        let codegen =
            CodegenOptions { no_validate: true, ..case.options.execution.codegen.clone() };
        let keys = StageKeys::of_case(&program, script, case);
        let (ir, kernels) = (BTreeMap::new(), BTreeMap::new());
        Some(Code { program, keys, devinfo, codegen, ir, kernels })
    }

    /// Returns the message of a block that does not hold.
    fn failure(&mut self, block: &CheckBlock<'_>) -> Option<String> {
        let stage = block.scope.stage;
        if self.program.stages.iter().all(|known| known.shader.stage != stage) {
            let line = block.checks.first()?.line;
            return Some(format!("line {line}: there is no {stage} shader to check"));
        }
        let text = match block.scope.form {
            CodeForm::Ir => self.ir(stage)?,
            CodeForm::Eu => self.assembly(stage, block.scope.width)?,
        };
        let failure = matcher::check(&block.checks, &text).err()?;
        Some(message::describe(block, &failure, &text))
    }

    fn ir(&mut self, stage: Stage) -> Option<String> {
        if !self.ir.contains_key(&stage) {
            let (program, key) = (&self.program, self.keys.get(stage));
            let (devinfo, codegen) = (self.devinfo, &self.codegen);
            let shader = compiler::ir_after(program, stage, key, devinfo, codegen, &mut |_, _| {});
            let text = shader.ok().map(|shader| code_text::ir(stage, &shader));
            self.ir.insert(stage, text);
        }
        self.ir.get(&stage)?.clone()
    }

    /// Returns the assembly of the kernel of a width, or of all kernels; `None` if the run makes no
    /// such kernel.
    fn assembly(&mut self, stage: Stage, width: Option<Width>) -> Option<String> {
        if !self.kernels.contains_key(&stage) {
            let kernels = self.compile(stage);
            self.kernels.insert(stage, kernels);
        }
        let kernels = self.kernels.get(&stage)?.as_ref()?;
        let is_meant = |known: &Width| width.is_none_or(|width| width == *known);
        let texts = kernels.iter().filter(|(known, _)| is_meant(known)).map(|(_, text)| &**text);
        Some(texts.collect::<String>()).filter(|text| !text.is_empty())
    }

    fn compile(&self, stage: Stage) -> Option<Vec<(Width, String)>> {
        let key = self.keys.get(stage);
        let binary =
            compiler::compile(&self.program, stage, key, self.devinfo, &self.codegen).ok()?;
        let kernels = binary.compiled.kernels.iter();
        let texts = kernels.map(|kernel| {
            let text = code_text::eu(self.devinfo, stage, kernel.width, &kernel.code).ok()?;
            Some((kernel.width, text))
        });
        texts.collect()
    }
}
