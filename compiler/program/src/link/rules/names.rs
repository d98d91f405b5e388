//! Names that several blocks without instance names, or such a block and a variable, would share.

use rustc_hash::FxHashMap;

use crate::link::errors::Errors;
use crate::shader::Shader;
use crate::types::TypeTable;
use crate::variable::{Global, Storage};

/// Within the uniform interface and within the storage interface of a program, a name is a member
/// of one block without instance name only, and then no variable's (GLSL 4.60 section 4.3.9).
pub(crate) fn check_members(stages: &[Shader], types: &TypeTable, errors: &mut Errors) {
    for storage in [Storage::Uniform, Storage::Buffer] {
        let mut owners: FxHashMap<&str, &str> = FxHashMap::default();
        let globals = stages.iter().flat_map(|s| s.globals.values());
        let shared =
            |g: &&Global| g.storage == storage && g.builtin.is_none() && !types.is_subroutine(g.ty);
        for global in globals.filter(shared) {
            let (owner, names) = named(global, types);
            for name in names {
                let first = *owners.entry(name).or_insert(owner);
                if first != owner {
                    let place = |owner: &str| match owner {
                        "" => "a uniform".to_owned(),
                        block => format!("a member of block `{block}`"),
                    };
                    errors.push(format!("`{name}` is {} and {}", place(first), place(owner)));
                }
            }
        }
    }
}

/// The block without instance name that a global is, with its members' names, or an empty name and
/// the variable's own.
fn named<'a>(global: &'a Global, types: &'a TypeTable) -> (&'a str, Vec<&'a str>) {
    match &global.block {
        None => ("", vec![&*global.name]),
        Some(block) if block.has_instance => ("", Vec::new()),
        Some(block) => {
            let members = types.members(types.without_arrays(global.ty)).unwrap_or_default();
            (&*block.name, members.iter().map(|m| &*m.name).collect())
        }
    }
}
