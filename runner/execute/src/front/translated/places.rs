//! Locations and bindings of translated modules, for OpenGL drivers: they match interfaces by
//! number, and know no names (ARB_gl_spirv).
//!
//! Uniforms of the default block get numbers by name, in all stages the same ones. A uniform block
//! has the binding of its index, attributes and outputs of the fragment stage have the locations
//! that linking gave them, and the inputs of other stages those of the outputs before them.

use std::collections::BTreeMap;

use program::layout::varying_slots;
use program::resource::{ActiveBlock, Attribute};
use program::{
    ArrayLength, FragmentOutput, Global, LinkedStage, Placement, Program, Stage, Storage, Type,
    TypeId, TypeTable,
};
use spirv_front::{InterfaceClass, InterfaceVariable, Module, Place};

/// Location of inputs that no stage before writes: behind all others.
const UNMATCHED: u32 = 30;

/// A module with the variables of its interface.
pub(super) struct StageInterface {
    pub(super) stage: Stage,
    pub(super) variables: Vec<InterfaceVariable>,
    /// Extensions that it asks for.
    pub(super) extensions: Vec<String>,
}

impl StageInterface {
    /// Returns the interface of a stage's module. The compiler numbers outputs without a location
    /// from 0 on, also where the GLSL gives that location to another one: they move behind those.
    pub(super) fn new(stage: Stage, module: &Module, program: &Program) -> StageInterface {
        let extensions = module.extensions().map(str::to_owned).collect();
        let mut variables = module.interface();
        let linked = program.stage(stage);
        let end = linked.map_or(0, |linked| located_end(linked, program));
        for output in &mut variables {
            if output.class == InterfaceClass::Output
                && !is_located(linked, output, Storage::Output)
            {
                output.location = output.location.map(|location| location.saturating_add(end));
            }
        }
        StageInterface { stage, variables, extensions }
    }
}

/// Locations of uniforms of the default block by name, with their types.
pub(super) struct UniformPlaces(BTreeMap<String, (u32, TypeId)>);

impl UniformPlaces {
    /// Returns locations for the uniforms of a program, as many as each has elements: those that
    /// the GLSL gives, or else the next free ones.
    pub(super) fn new(program: &Program) -> UniformPlaces {
        let globals = program.stages.iter().flat_map(|stage| stage.shader.globals.values());
        let uniforms = globals.filter(|global| {
            global.storage == Storage::Uniform && global.block.is_none() && global.builtin.is_none()
        });
        let (mut placed, mut open) = (BTreeMap::new(), Vec::new());
        for global in uniforms {
            match global.layout.location {
                Some(location) => {
                    placed.insert(global.name.to_string(), (location, global.ty));
                }
                None => open.push((global.name.to_string(), global.ty)),
            }
        }
        let end = |(first, ty): &(u32, TypeId)| first + elements(&program.types, *ty);
        let mut next = placed.values().map(end).max().unwrap_or(0);
        for (name, ty) in open {
            placed.entry(name).or_insert_with(|| {
                let first = next;
                next += elements(&program.types, ty);
                (first, ty)
            });
        }
        UniformPlaces(placed)
    }

    /// The location of a path: `a`, `a[3]`, `s[1].m`.
    pub(super) fn location(&self, types: &TypeTable, path: &str) -> Option<u32> {
        let (name, rest) = split_name(path);
        let (first, ty) = self.0.get(name)?;
        Some(first + offset(types, *ty, rest)?)
    }
}

/// Splits a path behind its first name.
fn split_name(path: &str) -> (&str, &str) {
    path.split_at(path.find(['[', '.']).unwrap_or(path.len()))
}

/// Number of locations of a uniform (OpenGL 4.6 section 7.6).
fn elements(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => n * elements(types, *element),
        Type::Struct(s) => s.members.iter().map(|member| elements(types, member.ty)).sum(),
        _ => 1,
    }
}

/// Locations before a part of a type.
fn offset(types: &TypeTable, ty: TypeId, path: &str) -> Option<u32> {
    if path.is_empty() {
        return Some(0);
    }
    match types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            let index: u32 = index.parse().ok().filter(|index| index < n)?;
            Some(index * elements(types, *element) + offset(types, *element, rest)?)
        }
        Type::Struct(s) => {
            let (name, rest) = split_name(path.strip_prefix('.')?);
            let index = s.members.iter().position(|member| *member.name == *name)?;
            let before = s.members[..index].iter().map(|member| elements(types, member.ty));
            Some(before.sum::<u32>() + offset(types, s.members[index].ty, rest)?)
        }
        _ => None,
    }
}

/// Returns the places of a module's variables. `before` is the stage whose outputs it reads.
pub(super) fn places(
    program: &Program,
    uniforms: &UniformPlaces,
    interface: &StageInterface,
    before: Option<&StageInterface>,
) -> Vec<(u32, Place)> {
    let linked = program.stage(interface.stage);
    let located = |name: &str| uniforms.location(&program.types, name).map(Place::Location);
    let places = |variable: &InterfaceVariable| match variable.class {
        InterfaceClass::Uniform => vec![located(&variable.name)],
        InterfaceClass::Opaque => {
            vec![located(&variable.name), Some(unit(linked, &variable.name))]
        }
        InterfaceClass::UniformBlock => {
            vec![block(&program.uniform_blocks, &variable.name).map(|(n, _)| Place::Binding(n))]
        }
        InterfaceClass::StorageBlock => {
            vec![block(&program.storage_blocks, &variable.name).map(|(_, n)| Place::Binding(n))]
        }
        InterfaceClass::Input if is_located(linked, variable, Storage::Input) => Vec::new(),
        InterfaceClass::Input => match before {
            Some(before) => vec![Some(Place::Location(output(before, variable)))],
            None => {
                // Inactive attributes keep out of the way of others.
                let location = attribute(program, &variable.name);
                let location = location.unwrap_or_else(|| behind_attributes(program));
                vec![Some(Place::Location(location))]
            }
        },
        InterfaceClass::Output if interface.stage == Stage::Fragment => {
            vec![linked.and_then(|linked| color(linked, &variable.name)).map(Place::Location)]
        }
        InterfaceClass::Output => vec![variable.location.map(Place::Location)],
    };
    let placed = |variable: &InterfaceVariable| {
        let id = variable.id;
        places(variable).into_iter().flatten().map(move |place| (id, place))
    };
    interface.variables.iter().flat_map(placed).collect()
}

/// The unit that a texture or image has before a command sets it. With a binding the elements of an
/// array have units that follow each other, without they all have the first.
fn unit(stage: Option<&LinkedStage>, name: &str) -> Place {
    let mut globals = stage.into_iter().flat_map(|stage| stage.shader.globals.values());
    let global = globals.find(|global| global.storage == Storage::Uniform && *global.name == *name);
    global.and_then(|global| global.layout.binding).map_or(Place::Unbound, Place::Binding)
}

/// The index and the binding of a block, or of the first of an array of blocks.
fn block(blocks: &[ActiveBlock], name: &str) -> Option<(u32, u32)> {
    let is_meant = |block: &str| {
        block.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    };
    let index = blocks.iter().position(|block| is_meant(&block.name))?;
    Some((u32::try_from(index).ok()?, blocks[index].binding))
}

/// True if the GLSL gives the location of an input or output, which the compiler keeps.
fn is_located(stage: Option<&LinkedStage>, variable: &InterfaceVariable, storage: Storage) -> bool {
    let mut globals = stage.into_iter().flat_map(|stage| stage.shader.globals.values());
    globals.any(|global| {
        let name = match &global.block {
            Some(block) if variable.is_block => &block.name,
            _ => &global.name,
        };
        global.storage == storage
            && name.split(['.', '[']).next() == Some(&*variable.name)
            && global.layout.location.is_some()
    })
}

/// The first location behind those that the GLSL gives outputs.
fn located_end(stage: &LinkedStage, program: &Program) -> u32 {
    let types = &program.types;
    let outputs = stage.shader.globals.values().filter(|g| g.storage == Storage::Output);
    let end = |global: &Global| {
        let element = types.array_of(global.ty).map(|(element, _)| element);
        let per_vertex = element.filter(|_| global.is_per_vertex_array(stage.shader.stage, types));
        let slots = varying_slots(types, per_vertex.unwrap_or(global.ty));
        Some(global.layout.location?.saturating_add(slots))
    };
    outputs.filter_map(end).max().unwrap_or(0)
}

/// The location of an output with the name of an input.
fn output(before: &StageInterface, input: &InterfaceVariable) -> u32 {
    let found = before.variables.iter().find(|variable| {
        variable.class == InterfaceClass::Output
            && (&variable.name, variable.is_block) == (&input.name, input.is_block)
    });
    found.and_then(|variable| variable.location).unwrap_or(UNMATCHED)
}

/// The location of an active attribute, or of the first column of one.
pub(super) fn attribute(program: &Program, name: &str) -> Option<u32> {
    let shader = &program.stage(Stage::Vertex)?.shader;
    let is_named = |attribute: &&Attribute| {
        shader.globals.get(attribute.global).is_some_and(|global| *global.name == *name)
    };
    program.attributes.iter().filter(is_named).map(|attribute| attribute.location).min()
}

/// A location that no active attribute has.
fn behind_attributes(program: &Program) -> u32 {
    program.attributes.iter().map(|attribute| attribute.location + 1).max().unwrap_or(0)
}

/// The location of an output of the fragment stage.
fn color(stage: &LinkedStage, name: &str) -> Option<u32> {
    stage.shader.globals.values().find_map(|global| match global.placement {
        Placement::FragmentOutput { output: FragmentOutput::Color { location, .. }, .. }
            if *global.name == *name =>
        {
            Some(location.into())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Scalar;

    #[test]
    fn parts_of_structures_follow_each_other() {
        let mut types = TypeTable::default();
        let float = types.intern(Type::Scalar(Scalar::Float));
        let list = types.intern(Type::Array { element: float, length: ArrayLength::Fixed(3) });
        let nested = types.intern(Type::Array { element: list, length: ArrayLength::Fixed(2) });
        let uniforms = UniformPlaces(
            [("a".to_owned(), (4, nested)), ("b".to_owned(), (0, float))].into_iter().collect(),
        );
        let location = |path: &str| uniforms.location(&types, path);
        assert_eq!(location("b"), Some(0));
        assert_eq!(location("a"), Some(4));
        assert_eq!(location("a[1]"), Some(7));
        assert_eq!(location("a[1][2]"), Some(9));
        assert_eq!(location("a[2]"), None);
        assert_eq!(location("a.x"), None);
        assert_eq!(location("c"), None);
    }
}
