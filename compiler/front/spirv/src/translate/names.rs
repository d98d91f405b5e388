//! Names of the variables of a shader's interface.
//!
//! In modules of GL_ARB_gl_spirv interfaces match by number, so that names say the number. A module
//! that a compiler made from GLSL has the names of the GLSL as debug information, and interfaces
//! that match by them.

use rspirv::spirv::{Decoration, Op};

use super::state::ShaderBuilder;
use crate::entry::Api;
use crate::module::Instruction;

impl ShaderBuilder<'_> {
    fn has_names(&self) -> bool {
        self.api == Api::OpenGlWithNames
    }

    /// A name that no other variable of the module has.
    pub(crate) fn variable_name(&self, id: u32) -> String {
        match self.module.given_name(id) {
            Some(name) => format!("{name}.{id}"),
            None => format!("variable.{id}"),
        }
    }

    /// The name of an input or output that is no block.
    pub(crate) fn interface_name(&self, id: u32) -> String {
        match self.module.given_name(id).filter(|_| self.has_names()) {
            Some(name) => name.to_owned(),
            None => self.variable_name(id),
        }
    }

    /// The name of a uniform. Uniforms of one name are one uniform in all stages.
    pub(crate) fn uniform_name(&self, id: u32) -> String {
        match self.module.literal(id, Decoration::Location) {
            _ if self.has_names() => self.interface_name(id),
            _ if self.api == Api::Vulkan => self.descriptor_name(id),
            Some(location) => format!("location {location}"),
            None => format!("{} {}", self.stage, self.variable_name(id)),
        }
    }

    /// The name of an atomic counter.
    pub(crate) fn counter_name(&self, id: u32, binding: u32, offset: u32) -> String {
        match self.has_names() {
            true => self.interface_name(id),
            false => format!("counter {binding} {offset}"),
        }
    }

    /// The name of a uniform or storage block with its structure, and if it has an instance name
    /// of its own. Blocks of one name are one block in all stages.
    pub(crate) fn block_name(&self, id: u32, structure: u32) -> (String, bool) {
        let binding = self.module.literal(id, Decoration::Binding);
        match (self.module.given_name(structure), binding) {
            (Some(name), _) if self.has_names() => {
                (name.to_owned(), self.module.given_name(id).is_some())
            }
            _ if self.api == Api::Vulkan => (self.descriptor_name(id), true),
            (_, Some(binding)) => (format!("binding {binding}"), true),
            (_, None) => (self.variable_name(id), true),
        }
    }

    /// The name of a structure, empty if it has none. Linking compares the names of types: where
    /// interfaces match by number, debug information must not make types differ.
    pub(crate) fn structure_name(&self, id: u32) -> &str {
        match self.api {
            Api::OpenGl => "",
            Api::OpenGlWithNames | Api::Vulkan => self.module.given_name(id).unwrap_or_default(),
        }
    }

    /// The name of a structure's member, a number where those of structures are empty.
    pub(crate) fn structure_member_name(&self, id: u32, member: u32) -> String {
        match self.api {
            Api::OpenGl => format!("m{member}"),
            Api::OpenGlWithNames | Api::Vulkan => self.module.member_name(id, member),
        }
    }

    /// The name of a member of an interface block, which is a variable of its own: that of the
    /// block before the member's, since stages may give a block different instance names.
    /// `element` is the number of the block in its array.
    pub(crate) fn member_variable_name(
        &self,
        block: u32,
        structure: &Instruction,
        member: u32,
        element: Option<u32>,
    ) -> String {
        let name = self.module.member_name(structure.id, member);
        if !self.has_names() {
            return format!("{}.{name}.{member}", self.variable_name(block));
        }
        let block = self.module.given_name(structure.id).unwrap_or_default();
        match element {
            None => format!("{block}.{name}"),
            Some(element) => format!("{block}[{element}].{name}"),
        }
    }

    /// A name of a resource by its set and binding, which is the same in all stages. Several
    /// variables of a stage may share them.
    pub(crate) fn descriptor_name(&self, id: u32) -> String {
        let place = |id| {
            let binding = self.module.literal(id, Decoration::Binding)?;
            Some((self.module.literal(id, Decoration::DescriptorSet).unwrap_or(0), binding))
        };
        let Some((set, binding)) = place(id) else { return "push constants".to_owned() };
        let globals = self.module.globals();
        let mut others = globals.iter().filter(|i| i.op == Op::Variable && i.id != id);
        match others.any(|other| place(other.id) == Some((set, binding))) {
            true => format!("{} set {set} binding {binding} {id}", self.stage),
            false => format!("set {set} binding {binding}"),
        }
    }
}
