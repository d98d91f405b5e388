//! How inputs find the outputs of the stage before.

use rustc_hash::FxHashMap;

use crate::link::declared::explicit_location;
use crate::shader::Shader;
use crate::types::TypeTable;
use crate::variable::{Global, GlobalId, Storage};

/// Key by which inputs find an output: location, component, whether per patch, whether a block.
type LocationKey = (u32, u32, bool, bool);

/// The outputs of a stage by what inputs name.
pub(crate) struct Outgoing<'a> {
    producer: &'a Shader,
    places: FxHashMap<LocationKey, GlobalId>,
    variables: FxHashMap<&'a str, GlobalId>,
    blocks: FxHashMap<&'a str, GlobalId>,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn new(producer: &'a Shader, types: &TypeTable) -> Outgoing<'a> {
        let (mut places, mut variables, mut blocks) =
            (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        for (id, global) in producer.globals.iter() {
            if global.storage != Storage::Output || global.builtin.is_some() {
                continue;
            }
            if let Some(place) = place(global, types) {
                places.entry(place).or_insert(id);
            }
            match &global.block {
                Some(block) => _ = blocks.entry(&*block.name).or_insert(id),
                None if global.layout.location.is_none() => {
                    _ = variables.entry(&*global.name).or_insert(id)
                }
                None => {}
            }
        }
        Outgoing { producer, places, variables, blocks }
    }

    /// The output that an input reads: the one with its location, or else with its name.
    pub(crate) fn find(&self, input: &Global, types: &TypeTable) -> Option<(GlobalId, &'a Global)> {
        let found = match (place(input, types), &input.block) {
            (Some(place), _) => self.places.get(&place),
            (None, Some(block)) => self.blocks.get(&*block.name),
            (None, None) => self.variables.get(&*input.name),
        };
        found.map(|&id| (id, &self.producer.globals[id]))
    }
}

fn place(global: &Global, types: &TypeTable) -> Option<LocationKey> {
    let component = global.layout.component.unwrap_or(0);
    let location = explicit_location(types, global)?;
    Some((location, component, global.interpolation.patch, global.block.is_some()))
}
