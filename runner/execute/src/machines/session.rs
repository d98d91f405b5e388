//! State of one script in execution, and the combination of line results into a verdict.

use std::sync::Arc;

use gl_machine::machine::uniforms::MemberPlace;
use program::{Capabilities, Program, Stage};
use script::Script;

use super::display_list::{DisplayList, Selections};
use super::driver_check::DriverCheck;
use super::explanation::Explanation;
use super::feedback::FeedbackState;
use super::replicas::Replicas;
use crate::capabilities::needs;
use crate::front::pipeline::Pipeline;
use crate::front::{Linked, is_spirv};
use results::verdict::{Phase, Status, Verdict};

/// An early end of a script: piglit's FAIL-NOW and SKIP-NOW, and failures of an executor.
pub(crate) type Flow<T = ()> = Result<T, Verdict>;

/// A script in execution.
pub(crate) struct Session<'a> {
    pub script: &'a Script<'a>,
    pub capabilities: &'a Arc<Capabilities>,
    pub replicas: Replicas,
    /// The current program, unless linking failed or there was nothing to link.
    pub program: Option<Arc<Program>>,
    /// The pipeline of separate shader objects.
    pub pipeline: Option<Pipeline>,
    /// The stage that uniform commands of the pipeline apply to.
    pub active_stage: Option<Stage>,
    /// Info log of a failed link.
    link_log: Option<String>,
    /// The script contains `link error`.
    pub link_error_expected: bool,
    /// Buffers that `clear` clears.
    pub clear_mask: ClearMask,
    /// Per-channel tolerance of probes.
    pub tolerance: [f32; 4],
    /// Element of the block array that uniform commands apply to.
    pub block_array_index: u32,
    /// Place that `uniform` writes to in blocks without names, with the block's binding.
    pub block_member: (Option<u32>, MemberPlace),
    /// True if the shaders are those of the SPIR-V sections.
    pub is_spirv: bool,
    pub(super) feedback: FeedbackState,
    pub(super) list: DisplayList<'a>,
    pub(super) selections: Selections<'a>,
    /// True after the command `fb`.
    pub framebuffers_changed: bool,
    failures: Failures,
    /// Readings of a driver that executed the same script.
    pub driver: Option<DriverCheck>,
    /// The explanation under construction, if requested.
    pub explanation: Option<&'a mut Explanation>,
}

/// Buffers that `clear` clears.
#[derive(Clone, Copy, Default)]
pub(crate) struct ClearMask {
    pub color: bool,
    pub depth: bool,
}

/// Failed lines that did not end the script.
#[derive(Default)]
pub(crate) struct Failures {
    /// The first failure, or the first warning if there is no failure.
    first: Option<Verdict>,
    more: usize,
}

impl Failures {
    /// A later line never hides a failure. (In piglit, the last line that did not pass decides, so
    /// that a warning can hide a failure; no file of its corpus depends on that.)
    pub(crate) fn add(&mut self, verdict: Verdict) {
        match &self.first {
            None => self.first = Some(verdict),
            Some(first) if first.status == Status::Warn && verdict.status != Status::Warn => {
                self.first = Some(verdict);
            }
            Some(_) => self.more += 1,
        }
    }

    pub(crate) fn verdict(self) -> Verdict {
        let Some(mut verdict) = self.first else { return Verdict::pass() };
        if let (Some((_, reason)), true) = (&mut verdict.cause, self.more > 0) {
            *reason += &format!("\nand {} more failing lines", self.more);
        }
        verdict
    }
}

impl<'a> Session<'a> {
    /// Creates a session for a script with linked sections; the program becomes current on every
    /// executor.
    pub(crate) fn new(
        script: &'a Script<'a>,
        capabilities: &'a Arc<Capabilities>,
        linked: &Linked,
        mut replicas: Replicas,
        initial: &[u8],
    ) -> Session<'a> {
        let (program, link_log) = match linked {
            Linked::Program(program) | Linked::Pipeline(program, _) => {
                (Some(program.clone()), None)
            }
            Linked::Failed(log) => (None, Some(log.clone())),
            Linked::Nothing => (None, None),
        };
        if let Some(program) = &program {
            replicas.change(|machine| {
                let id = machine.create_program(program.clone(), initial.to_vec());
                machine.use_program(Some(id));
            });
        }
        Session {
            script,
            capabilities,
            replicas,
            program,
            pipeline: if let Linked::Pipeline(_, pipeline) = linked {
                Some(pipeline.clone())
            } else {
                None
            },
            active_stage: None,
            link_log,
            link_error_expected: false,
            clear_mask: ClearMask::default(),
            tolerance: [0.01; 4],
            block_array_index: 0,
            block_member: (None, MemberPlace::default()),
            is_spirv: is_spirv(script, capabilities),
            feedback: FeedbackState::default(),
            list: DisplayList::default(),
            selections: Selections::default(),
            framebuffers_changed: false,
            failures: Failures::default(),
            driver: None,
            explanation: None,
        }
    }

    /// Returns the verdict after the last line.
    pub(crate) fn verdict(&mut self) -> Verdict {
        let ended = self.replicas.check_agreement().and_then(|()| self.replicas.reference.end());
        if let Err(verdict) = ended {
            return verdict;
        }
        if self.program.is_none() && !self.link_error_expected {
            let reason = self.link_message();
            self.failures.add(Verdict::fail(Phase::Link, reason));
        }
        std::mem::take(&mut self.failures).verdict()
    }

    /// Records a failed line; the script continues.
    pub(crate) fn soft(&mut self, status: Status, phase: Phase, text: impl std::fmt::Display) {
        let reason = format!("line {}: {text}", self.replicas.line);
        self.failures.add(Verdict::new(status, phase, reason));
    }

    /// Records a failure of the current line.
    #[cold]
    pub(crate) fn fail(&mut self, phase: Phase, text: impl std::fmt::Display) {
        self.soft(Status::Fail, phase, text);
    }

    fn link_message(&self) -> String {
        match &self.link_log {
            Some(log) => format!("Failed to link: {log}"),
            None => "Failed to link: there are no shaders".to_owned(),
        }
    }

    /// Returns true if there is a program; otherwise the line fails.
    pub(crate) fn needs_program(&mut self) -> bool {
        if self.program.is_none() {
            let message = self.link_message();
            self.fail(Phase::Link, message);
        }
        self.program.is_some()
    }

    /// Skips the test unless the context has a version or one of some extensions.
    pub(crate) fn needs(&self, version: u32, extensions: &[&str]) -> Flow {
        needs(self.capabilities, version, extensions).map_err(Verdict::skip)
    }

    /// Checks the error flag, as piglit does after a few commands.
    pub(crate) fn check_gl_error(&mut self) -> Flow {
        let errors: Vec<_> =
            self.replicas.all.iter_mut().map(|executor| executor.machine.take_error()).collect();
        match errors.first().copied().flatten() {
            Some(error) => Err(Verdict::fail(Phase::Script, format!("GL error {error:?}"))),
            None => Ok(()),
        }
    }

    /// Records the use of `fb`: clears of one framebuffer say nothing about others.
    pub(crate) fn framebuffers_change(&mut self) {
        self.framebuffers_changed = true;
    }
}
