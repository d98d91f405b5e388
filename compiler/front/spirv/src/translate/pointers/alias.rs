//! Parameters that are pointers to the same variable: they are places in it.
//!
//! Others are copied in and out, which makes no difference where nothing else names the variable.

use program::shader::{Direction, Parameter};
use program::{LocalId, TypeId};
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashSet;

use crate::module::{Function, Instruction};
use crate::translate::place::{Place, Root};
use crate::translate::state::{ShaderBuilder, Value};

impl ShaderBuilder<'_> {
    /// The parameters of a function to which a call passes pointers to a variable that another one
    /// points to, too, or that the function names.
    pub(crate) fn aliased(&self, call: &Instruction, function: &Function) -> Vec<u32> {
        let parameters = &self.module.instructions[function.parameters.clone()];
        let pointers: Vec<(u32, &Place)> = (1..)
            .zip(parameters)
            .filter(|(_, parameter)| self.is_private(parameter.ty))
            .filter_map(|(index, parameter)| match self.values.get(&call.id_at(index)?) {
                Some(Value::Pointer(place)) => Some((parameter.id, place)),
                _ => None,
            })
            .collect();
        let is_shared = |(at, place): (usize, &Place)| {
            let others = pointers.iter().enumerate().filter(|(other, _)| *other != at);
            others.into_iter().any(|(_, (_, other))| is_same_variable(place, other))
        };
        let named: Vec<&Place> = match pointers.iter().any(|(_, place)| is_global(place)) {
            true => self.named_in(call.id_at(0).unwrap_or(0)),
            false => Vec::new(),
        };
        let aliased = pointers.iter().enumerate().filter(|(at, (_, place))| {
            is_shared((*at, place)) || named.iter().any(|other| is_same_variable(place, other))
        });
        aliased.map(|(_, (id, _))| *id).collect()
    }

    /// True for types of pointers to what the invocation has alone.
    fn is_private(&self, ty: u32) -> bool {
        let pointer = self.module.get(ty).filter(|ty| ty.op == Op::TypePointer);
        let class = pointer.and_then(|ty| ty.literal_at(0)).and_then(StorageClass::from_u32);
        matches!(class, Some(StorageClass::Function | StorageClass::Private))
    }

    /// The global variables that a function names, or one that it calls.
    fn named_in(&self, function: u32) -> Vec<&Place> {
        let reached = self.module.reached(function, &mut FxHashSet::default());
        let ids = reached.into_iter().flat_map(|f| self.module.body_of(f));
        let places = ids.flat_map(|i| i.ids_from(0)).filter_map(|id| match self.values.get(&id) {
            Some(Value::Pointer(place)) if self.module.get(id)?.op == Op::Variable => Some(place),
            _ => None,
        });
        places.filter(|place| is_global(place)).collect()
    }

    /// The local variables of the function at hand in which there are places, with their types.
    pub(crate) fn wholes(&self, places: &[(u32, Place)]) -> Vec<(LocalId, TypeId)> {
        let mut seen = FxHashSet::default();
        let locals = places.iter().filter_map(|(_, place)| match place.root {
            Root::Local(local) => Some(local),
            _ => None,
        });
        let first = locals.filter(|&local| seen.insert(local));
        first.map(|local| (local, self.body.locals[local].ty)).collect()
    }

    /// The parameters of a new function for variables of the one that calls it; places in those
    /// become places in these.
    pub(crate) fn adopt(
        &mut self,
        wholes: &[(LocalId, TypeId)],
        places: &mut [(u32, Place)],
    ) -> Vec<Parameter> {
        let own: Vec<LocalId> = wholes.iter().map(|&(_, ty)| self.new_local("whole", ty)).collect();
        for (_, place) in places {
            if let Root::Local(local) = &mut place.root
                && let Some(at) = wholes.iter().position(|(whole, _)| whole == local)
            {
                *local = own[at];
            }
        }
        own.into_iter().map(|local| Parameter { local, direction: Direction::InOut }).collect()
    }
}

fn is_global(place: &Place) -> bool {
    matches!(place.root, Root::Global(_))
}

fn is_same_variable(a: &Place, b: &Place) -> bool {
    match (&a.root, &b.root) {
        (Root::Global(a), Root::Global(b)) => a == b,
        (Root::Local(a), Root::Local(b)) => a == b,
        _ => false,
    }
}
