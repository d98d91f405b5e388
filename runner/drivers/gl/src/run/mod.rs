//! One script in execution.

mod blocks;
mod buffers;
mod commands;
mod draw;
mod feedback;
mod framebuffers;
mod interfaces;
mod member_layout;
mod objects;
mod probe;
mod program;
mod query;
mod sections;
mod session;
mod spirv;
mod state;
mod textures;
mod uniforms;
mod vertex;

use script::Script;
use vocabulary::{Phase, begin_step};

use crate::api::Api;
use crate::bindings::gl;
use crate::capabilities::{Capabilities, Profile, clear_errors};
use crate::messages;
use crate::outcome::{End, Flow, Observe, Outcome};
use crate::window::{WindowShape, Windows};
use session::Run;

pub(crate) use objects::Objects;
pub(crate) use sections::stage_enum;

/// Default size of the window.
const WINDOW: (u32, u32) = (250, 250);

/// Executes a script in the current context, which is in its initial state, and deletes the
/// script's objects. State that it changed is left to [`crate::reset`].
pub(crate) fn execute(
    api: &Api,
    capabilities: &Capabilities,
    windows: &mut Windows,
    script: &Script<'_>,
    observe: Observe,
) -> Outcome {
    let (width, height) = script.require.window.unwrap_or(WINDOW);
    let shape = WindowShape { width, height, depth: script.require.depth_buffer };
    let Some(window) = windows.bind(api, capabilities, shape) else {
        return Outcome::broken("the driver has no framebuffer for the window");
    };
    clear_errors(api);
    let mut run = Run::new(api, capabilities, script, observe, window, (width, height));
    let ended = run.run();
    run.record_image();
    run.finish();
    let line = (run.line > 0).then_some(run.line);
    let mut outcome = run.outcome;
    outcome.messages = messages::take(api, capabilities);
    outcome.end = ended.err().map(|stop| End { line, kind: stop.kind, reason: stop.reason });
    outcome
}

impl Run<'_> {
    fn run(&mut self) -> Flow {
        begin_step(Phase::Frontend, Some("driver"), 0);
        self.sections()?;
        let Some(lines) = &self.script.test else { return Ok(()) };
        self.vertex_data()?;
        self.create_blocks();
        let mut first = None;
        for line in lines {
            self.line = line.number;
            begin_step(Phase::Simulate, Some("driver"), line.number);
            match self.command(&line.command) {
                Err(stop) if stop.readable && self.observe.beyond => {
                    first.get_or_insert((line.number, stop));
                }
                // The end is the first one.
                Err(_) if first.is_some() => break,
                ended => ended?,
            }
        }
        if let Some((line, stop)) = first {
            self.line = line;
            return Err(stop);
        }
        if !self.linked.is_linked() && !self.link_error_expected {
            let text = self.linked.message();
            self.record(None, false, Phase::Link, text);
        }
        Ok(())
    }

    /// Ends the display list that a script left open: it would take in all later commands.
    fn end_list(&self) {
        let has_lists = self.capabilities.profile == Profile::Compatibility;
        if has_lists && self.api.get_integer(gl::LIST_INDEX) != 0 {
            self.api.end_list();
        }
    }

    /// Deletes the objects of the script.
    fn finish(&mut self) {
        self.end_list();
        if self.capabilities.gl_version >= 20 {
            self.api.use_program(0);
        }
        self.objects.delete(self.api);
        self.reset_parameters();
        if self.list != 0 {
            self.api.delete_lists(self.list, 1);
        }
    }
}
