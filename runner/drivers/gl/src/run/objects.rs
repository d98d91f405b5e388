//! Objects of a script, for deletion at its end.

use crate::api::Api;

/// Names of created objects.
#[derive(Default)]
pub(crate) struct Objects {
    pub(crate) buffers: Vec<u32>,
    pub(crate) framebuffers: Vec<u32>,
    pub(crate) named_strings: Vec<String>,
    pub(crate) pipelines: Vec<u32>,
    pub(crate) programs: Vec<u32>,
    pub(crate) programs_arb: Vec<u32>,
    pub(crate) queries: Vec<u32>,
    pub(crate) renderbuffers: Vec<u32>,
    pub(crate) shaders: Vec<u32>,
    pub(crate) textures: Vec<u32>,
    pub(crate) vertex_arrays: Vec<u32>,
}

impl Objects {
    /// Deletes all objects, which also ends their bindings in the current context.
    pub(crate) fn delete(&mut self, api: &Api) {
        self.pipelines.drain(..).for_each(|name| api.delete_pipeline(name));
        self.programs.drain(..).for_each(|name| api.delete_program(name));
        self.programs_arb.drain(..).for_each(|name| api.delete_program_arb(name));
        self.shaders.drain(..).for_each(|name| api.delete_shader(name));
        self.framebuffers.drain(..).for_each(|name| api.delete_framebuffer(name));
        self.renderbuffers.drain(..).for_each(|name| api.delete_renderbuffer(name));
        self.textures.drain(..).for_each(|name| api.delete_texture(name));
        self.vertex_arrays.drain(..).for_each(|name| api.delete_vertex_array(name));
        self.buffers.drain(..).for_each(|name| api.delete_buffer(name));
        self.queries.drain(..).for_each(|name| api.delete_query(name));
        self.named_strings.drain(..).for_each(|path| api.delete_named_string(&path));
    }
}
