//! Calls of procedures and their bodies, see [`crate::procedures`].

use cranelift_entity::PrimaryMap;
use ir::Node;
use program::{Direction, ExprId, Function, FunctionId, TypeId, TypeTable};

use crate::error::LowerError;
use crate::lowerer::{Binding, Lowerer};
use crate::place::{Base, Place};
use crate::procedures::{Linkage, Parameter, Procedure, Variant};
use crate::value::Val;

/// An argument of a call.
enum Argument {
    Value { value: Option<Val>, copy_back: Option<Place> },
    Opaque(Place),
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
