//! Execution of a script on a device.

mod attachments;
mod descriptors;
mod graphics;
mod images;
mod packing;
mod recording;
mod session;
mod stages;
mod statistics;
mod store;

use ash::vk;
use shader_tools::Tools;
use vk_script::Script;

use crate::arena::Arena;
use crate::device::Device;
use crate::features::Facts;
use crate::loader::Instance;
use crate::outcome::{End, EndKind, Outcome, Stop};
use session::{Context, Session};

/// Parts of the driver that the execution of a script uses.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) facts: &'a Facts,
    pub(crate) device: &'a Device,
    pub(crate) tools: &'a Tools,
}

/// Executes a script, and destroys what it created unless the device is lost. Contents of
/// attachments are read if `images` is true.
pub(crate) fn execute(machine: &Machine<'_>, script: &Script, images: bool) -> Outcome {
    let Machine { instance, physical, facts, device, tools } = *machine;
    let context = Context { instance, physical, facts, device, tools, script };
    let mut arena = Arena::default();
    let mut outcome = Outcome::default();
    {
        let mut session = Session::new(context, &mut arena);
        if let Err(Stop { kind, reason }) = session.run() {
            outcome.end = Some(End { line: session.line, kind, reason });
        }
        outcome.executables = session.executables();
        let is_lost = |end: &End| end.kind == EndKind::Lost;
        if images && !outcome.end.as_ref().is_some_and(is_lost) {
            outcome.images = session.attachments();
        }
    }
    let is_lost = outcome.end.as_ref().is_some_and(|end| end.kind == EndKind::Lost);
    match (is_lost, device.wait()) {
        (false, Ok(())) => arena.clear(&device.raw),
        (true, _) => arena.forget(),
        (false, Err(stop)) => {
            arena.forget();
            outcome.end = Some(End { line: None, kind: EndKind::Lost, reason: stop.reason });
        }
    }
    outcome
}
