//! Execution of one script: per-script state, dispatch of commands, and the combination of line
//! results into a verdict.

use std::sync::Arc;

use program::{Capabilities, Program, Stage};
use script::{Command, Expected, Probe, Script, TestLine};
use softgl::machine::draw::DrawParameters;

use super::executor::Executors;
use super::front::{Linked, unsupported};
use super::pipeline::Pipeline;
use super::{buffers, display_list, probe, query, state, surfaces, translate, uniforms, vertex};
use crate::explain::Explanation;
use results::verdict::{Phase, Status, Verdict};

/// An early end of a script: piglit's FAIL-NOW and SKIP-NOW, and failures of an executor.
pub(super) type Flow<T = ()> = Result<T, Verdict>;

/// A script in execution.
pub(super) struct Session<'a> {
    pub script: &'a Script<'a>,
    pub capabilities: &'a Arc<Capabilities>,
    pub executors: Executors,
    /// The current program, unless linking failed or there was nothing to link.
    pub program: Option<Arc<Program>>,
    /// The pipeline of separate shader objects.
    pub pipeline: Option<Pipeline>,
    /// The stage that uniform commands of the pipeline apply to.
    pub active_stage: Option<Stage>,
    /// Info log of a failed link.
    link_log: Option<String>,
    /// The script contains `link error`.
    link_error_expected: bool,
    /// Buffers that `clear` clears.
    clear_mask: ClearMask,
    /// Per-channel tolerance of probes.
    pub tolerance: [f32; 4],
    /// Element of the block array that uniform commands apply to.
    pub block_array_index: u32,
    pub feedback: buffers::FeedbackState,
    list: display_list::DisplayList<'a>,
    selections: display_list::Selections<'a>,
    /// True after the command `fb`.
    framebuffers_changed: bool,
    /// Line of the current command in the file.
    pub(super) line: u32,
    failures: Failures,
    /// The explanation under construction, if requested.
    pub explanation: Option<&'a mut Explanation>,
}

#[derive(Clone, Copy, Default)]
struct ClearMask {
    color: bool,
    depth: bool,
}

/// Failed lines that did not end the script.
#[derive(Default)]
struct Failures {
    /// The first failure, or the first warning if there is no failure.
    first: Option<Verdict>,
    more: usize,
}

impl Failures {
    /// A later line never hides a failure. (In piglit, the last line that did not pass decides, so
    /// that a warning can hide a failure; no file of its corpus depends on that.)
    fn add(&mut self, verdict: Verdict) {
        match &self.first {
            None => self.first = Some(verdict),
            Some(first) if first.status == Status::Warn && verdict.status != Status::Warn => {
                self.first = Some(verdict);
            }
            Some(_) => self.more += 1,
        }
    }

    fn verdict(self) -> Verdict {
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
    pub fn new(
        script: &'a Script<'a>,
        capabilities: &'a Arc<Capabilities>,
        linked: &Linked,
        mut executors: Executors,
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
            executors.change(|machine| {
                let id = machine.create_program(program.clone(), initial.to_vec());
                machine.use_program(Some(id));
            });
        }
        Session {
            script,
            capabilities,
            executors,
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
            feedback: buffers::FeedbackState::default(),
            list: display_list::DisplayList::default(),
            selections: display_list::Selections::default(),
            framebuffers_changed: false,
            line: 0,
            failures: Failures::default(),
            explanation: None,
        }
    }

    /// Executes `[vertex data]` and `[test]`.
    pub fn run(&mut self) -> Verdict {
        let Some(lines) = &self.script.test else { return Verdict::pass() };
        if let Err(verdict) = self.vertex_data() {
            return verdict;
        }
        for (index, line) in lines.iter().enumerate() {
            self.line = line.number;
            if let Err(mut verdict) = self.command(line, index) {
                if let Some((_, reason)) = &mut verdict.cause {
                    *reason = format!("line {}: {reason}", self.line);
                }
                return verdict;
            }
        }
        if let Err(verdict) = self.executors.check_agreement() {
            return verdict;
        }
        if self.program.is_none() && !self.link_error_expected {
            let reason = self.link_message();
            self.failures.add(Verdict::fail(Phase::Link, reason));
        }
        std::mem::take(&mut self.failures).verdict()
    }

    fn vertex_data(&mut self) -> Flow {
        match (&self.script.vertex_data, &self.program) {
            (Some(data), Some(_)) => {
                let data = vertex::arrays(data, self.executors.machine(), self.capabilities)?;
                self.executors.change(|machine| machine.set_vertex_data(data.clone()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Records a failed line; the script continues.
    fn soft(&mut self, status: Status, phase: Phase, text: impl std::fmt::Display) {
        let reason = format!("line {}: {text}", self.line);
        self.failures.add(Verdict::new(status, phase, reason));
    }

    /// Records a failure of the current line.
    #[cold]
    pub fn fail(&mut self, phase: Phase, text: impl std::fmt::Display) {
        self.soft(Status::Fail, phase, text);
    }

    fn link_message(&self) -> String {
        match &self.link_log {
            Some(log) => format!("Failed to link: {log}"),
            None => "Failed to link: there are no shaders".to_owned(),
        }
    }

    /// Returns true if there is a program; otherwise the line fails.
    fn needs_program(&mut self) -> bool {
        if self.program.is_none() {
            let message = self.link_message();
            self.fail(Phase::Link, message);
        }
        self.program.is_some()
    }

    /// Skips the test unless the context has a version or one of some extensions.
    pub fn needs(&self, version: u32, extensions: &[&str]) -> Flow {
        let c = self.capabilities;
        if c.gl_version >= version || extensions.iter().any(|extension| c.has(extension)) {
            return Ok(());
        }
        let alternatives: String =
            extensions.iter().map(|extension| format!(" or {extension}")).collect();
        Err(Verdict::skip(format!("needs GL {}.{}{alternatives}", version / 10, version % 10)))
    }

    /// Checks the error flag, as piglit does after a few commands.
    pub fn check_gl_error(&mut self) -> Flow {
        let errors: Vec<_> =
            self.executors.all.iter_mut().map(|executor| executor.machine.take_error()).collect();
        match errors.first().copied().flatten() {
            Some(error) => Err(Verdict::fail(Phase::Script, format!("GL error {error:?}"))),
            None => Ok(()),
        }
    }

    fn command(&mut self, line: &TestLine<'a>, index: usize) -> Flow {
        if self.list.records(&line.command) {
            self.list.add(index, &self.selections);
            if !self.list.executes() {
                return Ok(());
            }
        }
        self.execute(&line.command)
    }

    fn execute(&mut self, command: &Command<'a>) -> Flow {
        match command {
            Command::ClearColor(color) => {
                self.clear_mask.color = true;
                self.executors.change(|machine| machine.state.clear_color = *color);
            }
            Command::ClearDepth(depth) => {
                self.clear_mask.depth = true;
                self.executors.change(|machine| machine.state.clear_depth = *depth);
            }
            Command::Clear => self.clear()?,
            Command::State(command) => state::execute(self, command)?,
            Command::DrawRect(draw) => self.draw_rect(draw)?,
            Command::DrawArrays(draw) => self.draw_arrays(draw)?,
            Command::MultiDrawArrays(draws) => self.multi_draw(draws)?,
            Command::DrawElements(draw) => self.draw_elements(draw)?,
            Command::Compute { groups, local_size } => self.compute(*groups, *local_size)?,
            Command::Uniform(uniform) => {
                if self.needs_program() {
                    uniforms::execute(self, uniform)?;
                }
            }
            Command::BlockArrayIndex(index) => {
                self.block_array_index =
                    u32::try_from(*index).unwrap_or(0).min(u32::from(u16::MAX));
            }
            // No effect, since blocks are addressed by name.
            Command::BlockBinding(_)
            | Command::BlockOffset(_)
            | Command::BlockMatrixStride(_)
            | Command::BlockRowMajor(_) => {}
            Command::Buffer(command) => buffers::execute(self, command)?,
            Command::Texture(command) => surfaces::texture(self, command)?,
            Command::Framebuffer(command) => surfaces::framebuffer(self, command)?,
            Command::Probe(probe) => self.probe(probe)?,
            Command::LinkSuccess => {
                self.needs_program();
            }
            Command::LinkError => {
                self.link_error_expected = true;
                if self.program.is_some() {
                    let message = "shader link error expected, but it was successful!";
                    return Err(Verdict::fail(Phase::Link, message));
                }
            }
            Command::ProgramBinarySaveRestore => self.save_restore()?,
            Command::Query(command) => query::execute(self, command)?,
            Command::NewList(mode) => self.list.begin(mode.short_name() == "COMPILE_AND_EXECUTE"),
            Command::EndList => self.list.end(),
            Command::CallList => self.call_list()?,
            Command::DeleteList => self.list.delete(),
            Command::Subuniform { stage, uniform, function } => {
                if self.needs_program() {
                    self.selections.select(*stage, uniform, function);
                    let selected = self.selections.clone();
                    self.apply_selections(&selected)?;
                }
            }
            Command::VertexAttribHandle { .. } => return Err(unsupported("bindless handles are")),
            Command::ActiveShaderProgram(stage) => self.active_stage = Some(*stage),
        }
        Ok(())
    }

    fn clear(&mut self) -> Flow {
        let ClearMask { color, depth } = self.clear_mask;
        if !color && !depth {
            return Ok(());
        }
        self.executors.each(|machine, device| machine.clear(color, depth, device))?;
        if color && !self.framebuffers_changed {
            self.executors.check_agreement()?;
            self.executors.forget_undefined_pixels();
        }
        Ok(())
    }

    fn draw_rect(&mut self, draw: &script::DrawRect) -> Flow {
        if draw.instances.is_some() && !self.capabilities.has("GL_ARB_draw_instanced") {
            return Err(Verdict::skip("needs GL_ARB_draw_instanced"));
        }
        if self.needs_program() {
            let draw = translate::rectangle(draw);
            self.executors.each(|machine, device| machine.draw_rect(&draw, device))?;
        }
        Ok(())
    }

    fn draw_arrays(&mut self, draw: &script::DrawArrays) -> Flow {
        let call = translate::arrays(draw);
        if draw.capture {
            return buffers::capture(self, &call);
        }
        if draw.base_instance.is_some() {
            self.needs(42, &["GL_ARB_base_instance"])?;
        }
        let parameters =
            DrawParameters { base_instance: draw.base_instance.unwrap_or(0), ..Default::default() };
        // The instanced form checks for a program, but ignores the result.
        let instanced = draw.instances.is_some();
        let ready = if instanced { self.program.is_some() } else { self.needs_program() };
        if ready && call.instances > 0 {
            self.executors.each(|machine, device| machine.draw_with(&call, parameters, device))?;
        }
        Ok(())
    }

    fn multi_draw(&mut self, draws: &[script::DrawArrays]) -> Flow {
        if !self.needs_program() {
            return Ok(());
        }
        for (draw_id, draw) in (0..).zip(draws) {
            let parameters = DrawParameters { draw_id, ..Default::default() };
            let call = translate::arrays(draw);
            self.executors.each(|machine, device| machine.draw_with(&call, parameters, device))?;
        }
        Ok(())
    }

    fn draw_elements(&mut self, draw: &script::DrawElements) -> Flow {
        if draw.base_vertex > 0 {
            self.needs(32, &["GL_ARB_draw_elements_base_vertex"])?;
        }
        if self.needs_program() {
            let call = translate::elements(draw);
            let parameters = DrawParameters {
                elements: Some(&self.script.elements),
                base_vertex: draw.base_vertex,
                ..Default::default()
            };
            self.executors.each(|machine, device| machine.draw_with(&call, parameters, device))?;
        }
        Ok(())
    }

    fn compute(&mut self, groups: [u32; 3], local_size: Option<[u32; 3]>) -> Flow {
        if local_size.is_some() && !self.capabilities.has("GL_ARB_compute_variable_group_size") {
            return Err(Verdict::skip("needs GL_ARB_compute_variable_group_size"));
        }
        if self.needs_program() {
            self.executors.each(|machine, device| machine.dispatch(groups, local_size, device))?;
        }
        Ok(())
    }

    fn probe(&mut self, probe: &Probe) -> Flow {
        match probe {
            Probe::Pixels { area, expected, warn } => {
                // Depth has a fixed tolerance.
                let tolerance =
                    if matches!(expected, Expected::Depth(_)) { [0.01; 4] } else { self.tolerance };
                let reading = probe::pixels(&mut self.executors, area, expected, tolerance)?;
                self.record_pixels(expected, &reading);
                if let Some(bad) = reading.bad {
                    let warns = *warn && bad.phase == Phase::Probe;
                    let status = if warns { Status::Warn } else { Status::Fail };
                    self.soft(status, bad.phase, bad.text);
                }
                Ok(())
            }
            Probe::AtomicCounter { .. } | Probe::Ssbo { .. } | Probe::Feedback { .. } => {
                buffers::probe(self, probe)
            }
        }
    }

    /// Executes `program binary save restore`: uniforms return to their initial values.
    fn save_restore(&mut self) -> Flow {
        if self.capabilities.limit("GL_NUM_PROGRAM_BINARY_FORMATS", 0) == 0 {
            return Err(Verdict::skip("needs a program binary format"));
        }
        if self.needs_program()
            && let Some(program) = self.program.clone()
        {
            let initial = super::initial::default_block(&program)?;
            self.executors.change(|machine| {
                let id = machine.create_program(program.clone(), initial.clone());
                machine.use_program(Some(id));
            });
        }
        Ok(())
    }

    fn call_list(&mut self) -> Flow {
        let Some(lines) = &self.script.test else { return Ok(()) };
        for recorded in self.list.lines().to_vec() {
            // A recursive list ends at GL's nesting limit without further effects.
            if let Some(line) =
                lines.get(recorded.line).filter(|line| line.command != Command::CallList)
            {
                self.apply_selections(&recorded.selections)?;
                self.execute(&line.command)?;
            }
        }
        let selected = self.selections.clone();
        self.apply_selections(&selected)
    }

    fn apply_selections(&mut self, selections: &display_list::Selections<'a>) -> Flow {
        for &(stage, uniform, function) in selections.iter() {
            self.executors
                .each(|machine, _| machine.select_subroutine(stage, uniform, function))?;
        }
        Ok(())
    }

    /// Records the use of `fb`: clears of one framebuffer say nothing about others.
    pub fn framebuffers_change(&mut self) {
        self.framebuffers_changed = true;
    }
}
