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
//! lowerer writes each body once, and an instruction that marks each call
//! ([`Lowerer::call_procedure`]). [`states`] cuts the bodies into states at the marks, [`values`]
//! makes variables of the values that live longer than a state, [`memory`] moves some to memory
//! where there are many, and [`dispatch`] writes the loop.
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
use program::{Direction, ExprId, Function, FunctionId, Shader, TypeId, TypeTable};

use crate::error::LowerError;
use crate::lowerer::{Binding, Lowerer};
use crate::place::{Base, Place};
use crate::storage::StorageId;
use crate::value::Val;
use procedure::Procedure;

/// Conditions that the body of a procedure depends on besides the draw-time state.
#[derive(PartialEq)]
struct Variant {
    function: FunctionId,
    /// The opaque arguments without their computed indices, and which indices are computed.
    opaque: Vec<(Place, Vec<bool>)>,
    /// The calls are inside loops.
    in_loop: bool,
}

/// Variables of arguments and results, for the callers.
struct Linkage {
    variant: Variant,
    parameters: Vec<Parameter>,
    result: Option<StorageId>,
}

/// A parameter of a procedure.
#[derive(Clone)]
enum Parameter {
    /// A variable.
    Value(StorageId),
    /// An opaque place without its computed indices, and the variables that hold these, one for
    /// each of [`Place::indices_mut`].
    Opaque(Place, Vec<Option<Local>>),
}

/// An argument of a call.
enum Argument {
    Value { value: Option<Val>, copy_back: Option<Place> },
    Opaque(Place),
}

/// The procedures of a stage and the calls of them.
#[derive(Default)]
pub(crate) struct Procedures {
    kept: EntitySet<FunctionId>,
    linkages: PrimaryMap<Procedure, Linkage>,
    of_function: SecondaryMap<FunctionId, Vec<Procedure>>,
    /// The marks of calls, in the order of their instructions.
    calls: Vec<(Inst, Procedure)>,
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

    /// Returns true if nothing is called.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

impl Lowerer<'_, '_> {
    /// Calls a procedure: stores arguments, marks the call, loads results.
    pub(crate) fn call_procedure(
        &mut self,
        function: FunctionId,
        expressions: &[ExprId],
    ) -> Result<Val, LowerError> {
        self.check_growth(0)?;
        let callee: &Function = &self.shader.functions[function];
        let types: Vec<TypeId> =
            callee.parameters.iter().map(|p| callee.locals[p.local].ty).collect();
        // All arguments come before the first store: evaluating one may call the same procedure.
        let arguments = callee
            .parameters
            .iter()
            .zip(expressions)
            .zip(&types)
            .map(|((p, &e), &ty)| self.argument(p.direction, ty, e))
            .collect::<Result<Vec<_>, _>>()?;
        let procedure = self.procedure(function, &types, &arguments)?;
        let parameters = self.procedures.linkages[procedure].parameters.clone();
        for ((argument, parameter), &ty) in arguments.iter().zip(&parameters).zip(&types) {
            self.pass(argument, parameter, ty)?;
        }
        let mark = self.builder.undef(32, 1);
        self.procedures.calls.push((self.builder.shader.values[mark].def, procedure));
        for (i, argument) in arguments.iter().enumerate() {
            let Argument::Value { copy_back: Some(place), .. } = argument else { continue };
            let Parameter::Value(storage) = parameters[i] else { continue };
            let value = self.load(&Place::new(Base::Variable(storage), types[i]))?;
            let value = self.adapt(types[i], self.expr_type(expressions[i]), value)?;
            self.store(place, &value)?;
        }
        match self.procedures.linkages[procedure].result {
            Some(storage) => self.load(&Place::new(Base::Variable(storage), callee.result)),
            None => Ok(Val::List(Vec::new())),
        }
    }

    fn argument(
        &mut self,
        direction: Direction,
        ty: TypeId,
        expression: ExprId,
    ) -> Result<Argument, LowerError> {
        Ok(match direction {
            Direction::Opaque => Argument::Opaque(self.place_of(expression)?),
            Direction::In => {
                Argument::Value { value: Some(self.eval(expression)?), copy_back: None }
            }
            Direction::Out => {
                Argument::Value { value: None, copy_back: Some(self.place_of(expression)?) }
            }
            Direction::InOut => {
                let place = self.place_of(expression)?;
                let value = self.load(&place)?;
                let value = self.adapt(self.expr_type(expression), ty, value)?;
                Argument::Value { value: Some(value), copy_back: Some(place) }
            }
        })
    }

    /// The procedure for a call with these arguments.
    fn procedure(
        &mut self,
        function: FunctionId,
        types: &[TypeId],
        arguments: &[Argument],
    ) -> Result<Procedure, LowerError> {
        let opaque = arguments.iter().filter_map(|argument| match argument {
            Argument::Opaque(place) => {
                let mut place = place.clone();
                let computed = place.indices_mut().into_iter();
                let computed = computed.map(|index| index.dynamic.take().is_some()).collect();
                Some((place, computed))
            }
            Argument::Value { .. } => None,
        });
        let variant = Variant { function, opaque: opaque.collect(), in_loop: self.is_in_loop() };
        let known = self.procedures.of_function[function].iter();
        let mut known = known.filter(|&&p| self.procedures.linkages[p].variant == variant);
        if let Some(&known) = known.next() {
            return Ok(known);
        }
        let callee: &Function = &self.shader.functions[function];
        let mut opaque = variant.opaque.iter();
        let mut parameters = Vec::new();
        for (parameter, &ty) in callee.parameters.iter().zip(types) {
            parameters.push(match parameter.direction {
                Direction::Opaque => {
                    let (place, computed) =
                        opaque.next().ok_or(LowerError::Malformed("a call lacks an argument"))?;
                    let shader = &mut self.builder.shader;
                    let local =
                        |&computed| bool::then(computed, || shader.create_local(32, 1, 1, "index"));
                    Parameter::Opaque(place.clone(), computed.iter().map(local).collect())
                }
                _ => Parameter::Value(self.new_storage(ty, &callee.locals[parameter.local].name)),
            });
        }
        let has_result = callee.result != TypeTable::VOID;
        let result = has_result.then(|| self.new_storage(callee.result, "result"));
        let linkage = Linkage { variant, parameters, result };
        let procedure = self.procedures.linkages.push(linkage);
        self.procedures.of_function[function].push(procedure);
        Ok(procedure)
    }

    /// Stores an argument where the procedure expects it.
    fn pass(
        &mut self,
        argument: &Argument,
        parameter: &Parameter,
        ty: TypeId,
    ) -> Result<(), LowerError> {
        match (argument, parameter) {
            (Argument::Value { value: Some(value), .. }, Parameter::Value(storage)) => {
                self.store(&Place::new(Base::Variable(*storage), ty), value)
            }
            (Argument::Opaque(place), Parameter::Opaque(_, locals)) => {
                let mut place = place.clone();
                for (index, local) in place.indices_mut().into_iter().zip(locals) {
                    if let (Some(value), Some(local)) = (index.dynamic, *local) {
                        self.builder.store_var(local, value);
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Lowers the bodies of all procedures that calls name, those in procedures included.
    pub(crate) fn procedure_bodies(
        &mut self,
    ) -> Result<PrimaryMap<Procedure, Vec<Node>>, LowerError> {
        let mut bodies = PrimaryMap::new();
        while bodies.len() < self.procedures.linkages.len() {
            let procedure = bodies.next_key();
            self.procedure_body(procedure)?;
            bodies.push(self.builder.take_body());
        }
        Ok(bodies)
    }

    fn procedure_body(&mut self, procedure: Procedure) -> Result<(), LowerError> {
        let linkage = &self.procedures.linkages[procedure];
        let (parameters, result) = (linkage.parameters.clone(), linkage.result);
        let id = linkage.variant.function;
        self.procedures.in_loop = linkage.variant.in_loop;
        let function: &Function = &self.shader.functions[id];
        self.push_frame(id)?;
        self.frame()?.result = result;
        for (declared, parameter) in function.parameters.iter().zip(parameters) {
            let binding = match parameter {
                Parameter::Value(storage) => Binding::Variable(storage),
                Parameter::Opaque(mut place, locals) => {
                    for (index, local) in place.indices_mut().into_iter().zip(locals) {
                        index.dynamic = local.map(|local| self.builder.load_var(local));
                    }
                    Binding::Alias(place)
                }
            };
            self.frame()?.locals[declared.local] = Some(binding);
        }
        let body = function.body.as_deref();
        self.body(body.ok_or(LowerError::Malformed("call of a function without body"))?)?;
        self.frames.pop();
        Ok(())
    }
}

impl Procedures {
    /// The marks of calls, in the order of their instructions.
    pub(crate) fn take_calls(&mut self) -> Vec<(Inst, Procedure)> {
        std::mem::take(&mut self.calls)
    }
}

/// Makes the shader's body of the bodies of `main` and of its procedures, in which `calls` marks
/// the calls.
pub(crate) fn link(
    shader: &mut ir::Shader,
    main: Vec<Node>,
    bodies: &PrimaryMap<Procedure, Vec<Node>>,
    calls: &[(Inst, Procedure)],
) {
    let mut machine = states::cut(shader, main, bodies, calls);
    values::keep(shader, &mut machine);
    memory::relieve(shader, &machine);
    shader.body = dispatch::write(shader, machine);
}
