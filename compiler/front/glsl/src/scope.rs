//! Names in scope.

use glsl_syntax::intern::Symbol;
use program::{FunctionId, GlobalId, LocalId, TypeId};
use rustc_hash::FxHashMap;

/// Meaning of a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entity {
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
    /// A declaration with a reported error; uses of the name are not reported.
    Unknown,
}

/// Scopes, outermost first. The first one is the shader's global scope.
#[derive(Debug)]
pub(crate) struct Scopes {
    scopes: Vec<FxHashMap<Symbol, Entity>>,
    /// GLSL 1.10: functions, whose names are separate from those of variables (GLSL 1.10 section
    /// 4.2).
    functions: Option<FxHashMap<Symbol, Entity>>,
}

impl Scopes {
    /// Creates the global scope, with functions in it or `apart` from it.
    pub(crate) fn new(apart: bool) -> Self {
        Scopes { scopes: vec![FxHashMap::default()], functions: apart.then(FxHashMap::default) }
    }

    pub(crate) fn enter(&mut self) {
        self.scopes.push(FxHashMap::default());
    }

    pub(crate) fn leave(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    pub(crate) fn is_global(&self) -> bool {
        self.scopes.len() == 1
    }

    /// The innermost meaning.
    pub(crate) fn find(&self, name: Symbol) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&name))
    }

    /// The valid declaration in the innermost scope.
    pub(crate) fn find_here(&self, name: Symbol) -> Option<&Entity> {
        self.scopes.last().and_then(|scope| known(scope, name))
    }

    /// The valid declaration in the global scope.
    pub(crate) fn find_global(&self, name: Symbol) -> Option<&Entity> {
        self.scopes.first().and_then(|scope| known(scope, name))
    }

    /// Functions of the name; GLSL 1.10 keeps them apart from variables, but not from structures.
    pub(crate) fn has_functions(&self, name: Symbol) -> bool {
        matches!(self.find_global_function(name), Some(Entity::Functions(_)))
    }

    /// The meaning of a name in a call.
    pub(crate) fn find_callee(&self, name: Symbol) -> Option<&Entity> {
        let global = self.choose_function(name, self.find_global(name));
        match self.find(name) {
            // A local structure, or a declaration with an error.
            Some(inner @ (Entity::Type(_) | Entity::Unknown))
                if self.find_global(name) != Some(inner) =>
            {
                Some(inner)
            }
            other if self.functions.is_none() => other,
            _ => global,
        }
    }

    /// The global declaration with which a function of this name would share its name.
    pub(crate) fn find_global_function(&self, name: Symbol) -> Option<&Entity> {
        self.choose_function(name, self.find_global(name))
    }

    fn choose_function<'a>(
        &'a self,
        name: Symbol,
        other: Option<&'a Entity>,
    ) -> Option<&'a Entity> {
        match &self.functions {
            Some(functions) => functions
                .get(&name)
                .or(other.filter(|entity| matches!(entity, Entity::Type(_) | Entity::Unknown))),
            None => other,
        }
    }

    /// Declares a name in the innermost scope, replacing its meaning there.
    pub(crate) fn declare(&mut self, name: Symbol, entity: Entity) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, entity);
        }
    }

    /// Declares a name of a declaration with an error in the innermost scope, unless the name has a
    /// meaning there.
    pub(crate) fn declare_unknown(&mut self, name: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.entry(name).or_insert(Entity::Unknown);
        }
    }

    /// Adds a function to the global scope's overloads of a name.
    pub(crate) fn add_function(&mut self, name: Symbol, id: FunctionId) {
        let Some(scope) = self.functions.as_mut().or(self.scopes.first_mut()) else { return };
        match scope.get_mut(&name) {
            Some(Entity::Functions(ids)) => ids.push(id),
            _ => {
                scope.insert(name, Entity::Functions(vec![id]));
            }
        }
    }
}

fn known(scope: &FxHashMap<Symbol, Entity>, name: Symbol) -> Option<&Entity> {
    scope.get(&name).filter(|entity| **entity != Entity::Unknown)
}
