//! Procedures: functions that are not inlined, because inlining every call of theirs would make a
//! stage too large.
//!
//! The IR has no calls. A stage with procedures becomes a state machine instead, which works on
//! every back end and needs no stack, since GLSL has no recursion:
//!
//! ```text
//! before:                      after:
//!   main: a; f(); b              a; return_f = 0; state = f
//!   f:    c; g(); d; g(); e      loop {
//!   g:    h                        if state == f   { c; return_g = 0; state = g }
//!                                  if state == f1  { d; return_g = 1; state = g }
//!                                  if state == f2  { e; state = end }
//!                                  if state == g   { h; state = return_g == 0 ? f1 : f2 }
//!                                  if state == end { break }
//!                                }
//!                                b
//! ```
//!
//! Each procedure has static variables for its parameters, its result and its return point. The
//! lowerer writes each body once, and an instruction that marks each call (module `calls`).
//! [`states`] cuts the bodies into states at the marks, [`values`] makes variables of the values
//! that live longer than a state, [`memory`] moves some to memory where there are many, and
//! [`dispatch`] writes the loop.
//!
//! Invocations that took different ways wait for each other as they do in structured control flow
//! where that matters: see [`dispatch`].

mod choose;
mod dispatch;
mod memory;
mod procedure;
mod returns;
mod states;
mod values;

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use ir::{Inst, Local, Node};
use program::{FunctionId, Shader, TypeTable};
use vocabulary::InternalError;

use crate::place::Place;
use crate::storage::StorageId;
pub(crate) use procedure::Procedure;

/// Conditions that the body of a procedure depends on besides the draw-time state.
#[derive(PartialEq)]
pub(crate) struct Variant {
    pub(crate) function: FunctionId,
    /// The opaque arguments without their computed indices, and which indices are computed.
    pub(crate) opaque: Vec<(Place, Vec<bool>)>,
    /// The calls are inside loops.
    pub(crate) in_loop: bool,
}

/// Variables of arguments and results, for the callers.
pub(crate) struct Linkage {
    pub(crate) variant: Variant,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) result: Option<StorageId>,
}

/// A parameter of a procedure.
#[derive(Clone)]
pub(crate) enum Parameter {
    /// A variable.
    Value(StorageId),
    /// An opaque place without its computed indices, and the variables that hold these, one for
    /// each of [`Place::indices_mut`].
    Opaque(Place, Vec<Option<Local>>),
}

/// The procedures of a stage and the calls of them.
#[derive(Default)]
pub(crate) struct Procedures {
    kept: EntitySet<FunctionId>,
    pub(crate) linkages: PrimaryMap<Procedure, Linkage>,
    pub(crate) of_function: SecondaryMap<FunctionId, Vec<Procedure>>,
    /// The marks of calls, in the order of their instructions.
    pub(crate) calls: Vec<(Inst, Procedure)>,
    /// The calls of the procedure being lowered are inside loops.
    pub(crate) in_loop: bool,
}

impl Procedures {
    /// Chooses the functions to keep, see [`choose`].
    pub(crate) fn new(shader: &Shader, types: &TypeTable, limit: Option<u32>) -> Procedures {
        Procedures { kept: choose::choose(shader, types, limit), ..Procedures::default() }
    }

    /// Returns true if a function is called rather than inlined.
    pub(crate) fn keeps(&self, function: FunctionId) -> bool {
        self.kept.contains(function)
    }

    /// The marks of calls, in the order of their instructions.
    pub(crate) fn take_calls(&mut self) -> Vec<(Inst, Procedure)> {
        std::mem::take(&mut self.calls)
    }

    /// Returns true if nothing is called.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

/// Makes the shader's body of the bodies of `main` and of its procedures, in which `calls` marks
/// the calls.
///
/// # Errors
/// Internal errors.
pub(crate) fn link(
    shader: &mut ir::Shader,
    main: Vec<Node>,
    bodies: &PrimaryMap<Procedure, Vec<Node>>,
    calls: &[(Inst, Procedure)],
) -> Result<(), InternalError> {
    let mut machine = states::cut(shader, main, bodies, calls)?;
    values::keep(shader, &mut machine);
    memory::relieve(shader, &machine);
    shader.body = dispatch::write(shader, machine);
    Ok(())
}
