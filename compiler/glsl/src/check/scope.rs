//! Names in scope.

use crate::intern::Symbol;
use program::{FunctionId, GlobalId, LocalId, TypeId};
use rustc_hash::FxHashMap;

/// What a name means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entity {
    /// A global variable, or an interface block by its instance name.
    Global(GlobalId),
    /// A member of a block without instance name.
    BlockMember(GlobalId, u32),
    /// A local variable or parameter.
    Local(LocalId),
    /// A structure.
    Type(TypeId),
    /// A subroutine type.
    SubroutineType,
    /// User functions of this name.
    Functions(Vec<FunctionId>),
}

/// Scopes, outermost first. The first one is the shader's global scope.
#[derive(Debug)]
pub(super) struct Scopes(Vec<FxHashMap<Symbol, Entity>>);

impl Default for Scopes {
    fn default() -> Self {
        Scopes(vec![FxHashMap::default()])
    }
}

impl Scopes {
    pub fn enter(&mut self) {
        self.0.push(FxHashMap::default());
    }

    pub fn leave(&mut self) {
        if self.0.len() > 1 {
            self.0.pop();
        }
    }

    pub fn is_global(&self) -> bool {
        self.0.len() == 1
    }

    /// The innermost meaning.
    pub fn find(&self, name: Symbol) -> Option<&Entity> {
        self.0.iter().rev().find_map(|scope| scope.get(&name))
    }

    /// The meaning in the innermost scope only.
    pub fn find_here(&self, name: Symbol) -> Option<&Entity> {
        self.0.last().and_then(|scope| scope.get(&name))
    }

    /// The meaning in the global scope.
    pub fn find_global(&self, name: Symbol) -> Option<&Entity> {
        self.0.first().and_then(|scope| scope.get(&name))
    }

    /// Declares in the innermost scope, replacing what the name meant there.
    pub fn declare(&mut self, name: Symbol, entity: Entity) {
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name, entity);
        }
    }

    /// Adds a function to the global scope's overloads of a name.
    pub fn add_function(&mut self, name: Symbol, id: FunctionId) {
        let Some(scope) = self.0.first_mut() else { return };
        match scope.get_mut(&name) {
            Some(Entity::Functions(ids)) => ids.push(id),
            _ => {
                scope.insert(name, Entity::Functions(vec![id]));
            }
        }
    }
}
