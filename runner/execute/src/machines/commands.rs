//! Execution of commands: one arm for each, which calls the module of its subject.

use program::types::MatrixOrder;
use raster::pipeline::draw_call::DrawParameters;
use script::{Command, Expected, Probe, TestLine};

use super::display_list::Selections;
use super::session::{ClearMask, Flow, Session};
use super::{buffers, probe, query, state, surfaces, translate, uniforms, vertex};
use crate::front::initial;
use results::verdict::{Phase, Status, Verdict};

impl<'a> Session<'a> {
    /// Executes `[vertex data]` and `[test]`.
    pub(crate) fn run(&mut self) -> Verdict {
        let Some(lines) = &self.script.test else { return Verdict::pass() };
        if let Err(verdict) = self.vertex_data() {
            return verdict;
        }
        for (index, line) in lines.iter().enumerate() {
            self.replicas.line = line.number;
            if let Err(mut verdict) = self.command(line, index) {
                if let Some((_, reason)) = &mut verdict.cause {
                    *reason = format!("line {}: {reason}", line.number);
                }
                return verdict;
            }
        }
        self.verdict()
    }

    fn vertex_data(&mut self) -> Flow {
        match (&self.script.vertex_data, &self.program) {
            (Some(data), Some(_)) => {
                let (machine, is_pipeline) = (self.replicas.machine(), self.pipeline.is_some());
                let data = vertex::arrays(data, machine, is_pipeline, self.capabilities)?;
                self.replicas.change(|machine| machine.set_vertex_data(data.clone()));
                Ok(())
            }
            _ => Ok(()),
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
        self.record_drawing(command);
        match command {
            Command::ClearColor(color) => {
                self.clear_mask.color = true;
                self.replicas.change(|machine| machine.state.clear_color = *color);
            }
            Command::ClearDepth(depth) => {
                self.clear_mask.depth = true;
                self.replicas.change(|machine| machine.state.clear_depth = *depth);
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
            // Without effect where blocks are addressed by name.
            Command::BlockBinding(binding) => self.block_member.0 = u32::try_from(*binding).ok(),
            Command::BlockOffset(offset) => {
                self.block_member.1.offset = u32::try_from(*offset).unwrap_or(0);
            }
            Command::BlockMatrixStride(stride) => {
                self.block_member.1.matrix_stride = u32::try_from(*stride).unwrap_or(0);
            }
            Command::BlockRowMajor(row_major) => {
                self.block_member.1.order =
                    if *row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor };
            }
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
            Command::VertexAttribHandle { target, slot } => {
                uniforms::attribute_handle(self, target, *slot)?;
            }
            Command::ActiveShaderProgram(stage) => self.active_stage = Some(*stage),
        }
        Ok(())
    }

    fn clear(&mut self) -> Flow {
        let ClearMask { color, depth } = self.clear_mask;
        if !color && !depth {
            return Ok(());
        }
        self.replicas.each(|machine, device| machine.clear(color, depth, device))?;
        if color && !self.framebuffers_changed {
            self.replicas.check_agreement()?;
            self.replicas.forget_undefined_pixels();
        }
        Ok(())
    }

    fn draw_rect(&mut self, draw: &script::DrawRect) -> Flow {
        if draw.instances.is_some() && !self.capabilities.has("GL_ARB_draw_instanced") {
            return Err(Verdict::skip("needs GL_ARB_draw_instanced"));
        }
        if self.needs_program() {
            let draw = translate::rectangle(draw);
            self.replicas.each(|machine, device| machine.draw_rect(&draw, device))?;
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
            self.replicas.each(|machine, device| machine.draw_with(&call, parameters, device))?;
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
            self.replicas.each(|machine, device| machine.draw_with(&call, parameters, device))?;
        }
        Ok(())
    }

    fn draw_elements(&mut self, draw: &script::DrawElements) -> Flow {
        if draw.base_vertex > 0 {
            self.needs(32, &["GL_ARB_draw_elements_base_vertex"])?;
        }
        if self.needs_program() {
            let call = translate::elements(draw);
            let elements: Vec<u32> = self.script.elements.iter().map(|&e| e.into()).collect();
            let parameters = DrawParameters {
                elements: Some(&elements),
                base_vertex: draw.base_vertex,
                ..Default::default()
            };
            self.replicas.each(|machine, device| machine.draw_with(&call, parameters, device))?;
        }
        Ok(())
    }

    fn compute(&mut self, groups: [u32; 3], local_size: Option<[u32; 3]>) -> Flow {
        if local_size.is_some() && !self.capabilities.has("GL_ARB_compute_variable_group_size") {
            return Err(Verdict::skip("needs GL_ARB_compute_variable_group_size"));
        }
        if self.needs_program() {
            self.replicas.each(|machine, device| machine.dispatch(groups, local_size, device))?;
        }
        Ok(())
    }

    fn probe(&mut self, probe: &Probe) -> Flow {
        match probe {
            Probe::Pixels { area, expected, warn } => {
                // Depth has a fixed tolerance.
                let tolerance =
                    if matches!(expected, Expected::Depth(_)) { [0.01; 4] } else { self.tolerance };
                let reading = probe::pixels(&mut self.replicas, area, expected, tolerance)?;
                if let (Some(check), Some(result)) = (&mut self.driver, reading.results.first()) {
                    let undefined = self.replicas.undefined_pixels()
                        || probe::leaves_colors_undefined(&self.replicas)
                        || probe::colors_depend_on_order(&self.replicas);
                    let closeness = probe::closeness(&self.replicas, undefined);
                    let expectation = probes::Expectation::of(expected, tolerance);
                    check.pixels(self.replicas.line, &expectation, result, closeness);
                }
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
            let initial = initial::default_block(&program)?;
            self.replicas.change(|machine| {
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

    fn apply_selections(&mut self, selections: &Selections<'a>) -> Flow {
        for &(stage, uniform, function) in selections.iter() {
            self.replicas.each(|machine, _| machine.select_subroutine(stage, uniform, function))?;
        }
        Ok(())
    }
}
