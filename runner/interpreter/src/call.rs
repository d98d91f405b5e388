//! State of a call: variables, loops, what it returns.

use cranelift_entity::SecondaryMap;
use program::{FunctionId, LocalId};

use crate::lanes::{Mask, Value};
use crate::place::Place;

/// Variables of one call.
#[derive(Debug, Default)]
pub(crate) struct CallFrame {
    locals: SecondaryMap<LocalId, Option<Value>>,
    aliases: SecondaryMap<LocalId, Option<Place>>,
}

impl CallFrame {
    /// Returns the value of a local, empty before its declaration.
    pub(crate) fn local(&self, id: LocalId) -> &Value {
        static EMPTY: std::sync::OnceLock<Value> = std::sync::OnceLock::new();
        self.locals[id].as_ref().unwrap_or_else(|| EMPTY.get_or_init(|| Value::zero(0, 0)))
    }

    /// Returns the value of a local, for writing.
    pub(crate) fn local_mut(&mut self, id: LocalId) -> &mut Value {
        self.locals[id].get_or_insert_with(|| Value::zero(0, 0))
    }

    /// Sets the value of a local.
    pub(crate) fn define(&mut self, id: LocalId, value: Value) {
        self.locals[id] = Some(value);
    }

    /// Returns the place of the argument of an opaque parameter.
    pub(crate) fn alias(&self, id: LocalId) -> Option<&Place> {
        self.aliases[id].as_ref()
    }

    /// Binds an opaque parameter to a place.
    pub(crate) fn set_alias(&mut self, id: LocalId, place: Place) {
        self.aliases[id] = Some(place);
    }
}

/// Masks of lanes that left a loop or switch by a jump.
#[derive(Debug)]
pub(crate) struct LoopMasks {
    /// Lanes after `break`.
    pub(crate) broken: Mask,
    /// Lanes after `continue`; `None` for a switch.
    pub(crate) continued: Option<Mask>,
}

/// A call in execution.
#[derive(Debug)]
pub(crate) struct Call {
    /// The function; `None` while globals are initialized.
    pub(crate) function: Option<FunctionId>,
    /// Its variables.
    pub(crate) frame: CallFrame,
    /// Enclosing loops and switches, innermost last.
    pub(crate) loops: Vec<LoopMasks>,
    /// Lanes that returned.
    pub(crate) returned: Mask,
    /// Return value.
    pub(crate) result: Option<Value>,
}

impl Call {
    /// Returns the state outside of functions.
    pub(crate) fn outside(lanes: usize) -> Call {
        Call {
            function: None,
            frame: CallFrame::default(),
            loops: Vec::new(),
            returned: Mask::none(lanes),
            result: None,
        }
    }
}
