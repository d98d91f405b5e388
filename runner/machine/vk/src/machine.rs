//! The machine: state of a script and its commands.

use std::sync::Arc;

use program::Program;
use raster::device::{Device, ProgramId, Steps};
use raster::interface::{FragmentInterface, VertexInterface};
use raster::pipeline::vertex_cache::VertexCache;
use raster::rasterize::coverage::UnionCache;
use raster::setup_cache::SetupCache;
use vk_script::{BufferId, CommandKind, PipelineId, Script};

use crate::attachments::{Attachments, ClearValues};
use crate::error::{Flow, invalid};
use crate::slots::Slots;
use crate::store::Store;

/// Largest number of vertices of a draw, all instances together: a limit on the cost of a script.
pub const MAX_VERTICES: u64 = 1 << 22;

/// A pipeline's program.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) program: Arc<Program>,
    pub(crate) slots: Arc<Slots>,
    pub(crate) vertex: Arc<VertexInterface>,
    pub(crate) fragment: Option<Arc<FragmentInterface>>,
}

/// The Vulkan machine.
#[derive(Clone, Debug)]
pub struct Machine<'s> {
    pub(crate) store: Store<'s>,
    objects: Vec<Option<Object>>,
    clears: Vec<ClearValues>,
    pub(crate) vertex_cache: VertexCache,
    pub(crate) setup_cache: SetupCache,
    pub(crate) union_cache: UnionCache,
    pub(crate) has_undefined_texels: bool,
    pub(crate) steps: Steps,
    /// Compute invocations so far.
    pub(crate) invocations: u64,
}

impl<'s> Machine<'s> {
    /// Returns the machine before the first command of a script. `programs` has the program of each
    /// pipeline, `None` for those without stages.
    pub fn new(script: &'s Script, programs: Vec<Option<Arc<Program>>>) -> Machine<'s> {
        let object = |program: Arc<Program>| Object {
            slots: Arc::new(Slots::of(&program)),
            vertex: Arc::new(VertexInterface::new(&program)),
            fragment: FragmentInterface::new(&program).map(Arc::new),
            program,
        };
        Machine {
            store: Store::new(script),
            objects: programs.into_iter().map(|program| program.map(object)).collect(),
            clears: vec![ClearValues::default(); script.pipelines.len()],
            vertex_cache: VertexCache::default(),
            setup_cache: SetupCache::default(),
            union_cache: UnionCache::default(),
            has_undefined_texels: false,
            steps: Steps(0),
            invocations: 0,
        }
    }

    /// Returns the script.
    pub fn script(&self) -> &'s Script {
        self.store.script()
    }

    /// Returns the steps of the device so far.
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// True if texels of attachments may have values that the shader language leaves undefined.
    pub fn has_undefined_texels(&self) -> bool {
        self.has_undefined_texels
    }

    /// Returns the newest bytes of a buffer, after [`Machine::update`].
    pub fn bytes(&self, buffer: BufferId) -> &[u8] {
        self.store.bytes(buffer)
    }

    /// Brings the newest contents of a buffer to its bytes.
    pub fn update(&mut self, buffer: BufferId) {
        self.store.update(buffer);
    }

    /// Executes a command. Repetitions and expectations are the caller's, and have no effect here.
    ///
    /// # Errors
    /// The device failed, or the command is not valid or beyond the machine.
    pub fn execute(&mut self, command: &CommandKind, device: &mut dyn Device) -> Flow {
        match command {
            CommandKind::Dispatch { pipeline, groups } => self.dispatch(*pipeline, *groups, device),
            CommandKind::Draw { pipeline, draw } => self.draw(*pipeline, draw, device),
            CommandKind::SetClear { pipeline, value } => {
                self.clears[pipeline.index()].set(*value);
                Ok(())
            }
            CommandKind::Clear { pipeline } => self.clear(*pipeline),
            CommandKind::Write { buffer, offset, bytes } => {
                self.write(*buffer, *offset as usize, bytes)
            }
            CommandKind::Copy { from, to } => self.copy(*from, *to),
            CommandKind::Repeat { .. } | CommandKind::Expect(_) => Ok(()),
        }
    }

    pub(crate) fn object(&self, id: PipelineId) -> Flow<(ProgramId, &Object)> {
        let object = self.objects.get(id.index()).and_then(Option::as_ref);
        let object = object.ok_or_else(|| invalid("the pipeline has no shader"))?;
        Ok((ProgramId(id.0), object))
    }

    fn clear(&mut self, id: PipelineId) -> Flow {
        let pipeline = self.script().pipeline(id);
        let mut attachments = Attachments::take(&mut self.store, pipeline)?;
        attachments.clear(&self.clears[id.index()]);
        attachments.put(&mut self.store, pipeline);
        Ok(())
    }

    fn write(&mut self, buffer: BufferId, offset: usize, bytes: &[u8]) -> Flow {
        self.store.update(buffer);
        let end = offset.saturating_add(bytes.len());
        if end > self.store.bytes(buffer).len() {
            return Err(invalid("the bytes are outside of the buffer"));
        }
        self.store.change(buffer, |all| all[offset..end].copy_from_slice(bytes));
        Ok(())
    }

    fn copy(&mut self, from: BufferId, to: BufferId) -> Flow {
        self.store.update(from);
        self.store.update(to);
        let bytes = self.store.bytes(from).clone();
        if self.store.bytes(to).len() != bytes.len() {
            return Err(invalid("the buffers have different sizes"));
        }
        self.store.change(to, |all| all.copy_from_slice(&bytes));
        Ok(())
    }
}
