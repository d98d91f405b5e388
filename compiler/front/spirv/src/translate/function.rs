//! Functions: parameters, local variables, which results become expressions.

use cranelift_entity::PrimaryMap;
use program::shader::{Direction, Parameter};
use program::{ExprId, Function, FunctionId, Local, LocalId, Span, Statement, Type, TypeId};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use super::operation::repeats_operands;
use super::place::{Place, Root};
use super::state::{Body, ShaderBuilder, Value};
use crate::error::Error;
use crate::module::{self, Instruction};

/// Parameters of a function that is translated for a call.
#[derive(Default)]
pub(crate) struct Given {
    /// Parameters that are places already.
    pub(crate) places: Vec<u32>,
    /// Pointers that are values.
    pub(crate) by_value: Vec<u32>,
    /// Variables of the caller in which there are places.
    pub(crate) wholes: Vec<Parameter>,
    /// Ids and types of indices on the way to places.
    pub(crate) indices: Vec<(u32, TypeId)>,
}

impl ShaderBuilder<'_> {
    /// Translates the functions reached from an entry point.
    pub(crate) fn functions(&mut self, entry: u32) -> Result<FunctionId, Error> {
        let reached: Vec<module::Function> = self.reached(entry)?.into_iter().cloned().collect();
        for function in &reached {
            if !self.takes_memory(function) {
                self.translate_function(function, entry)?;
            }
        }
        let missing = || Error::new(0, format!("{} is no function", self.module.name(entry)));
        self.function_ids.get(&entry).copied().ok_or_else(missing)
    }

    fn translate_function(&mut self, function: &module::Function, entry: u32) -> Result<(), Error> {
        let definition = &self.module.instructions[function.definition];
        if function.blocks.is_empty() {
            return Err(self.unsupported(definition, "an imported function is"));
        }
        self.body = Body { is_entry: definition.id == entry, ..Body::default() };
        let made = self.body_of_function(function, definition, entry, &Given::default())?;
        let id = self.shader.functions.push(made);
        self.function_ids.insert(definition.id, id);
        Ok(())
    }

    /// The function with its body.
    pub(crate) fn body_of_function(
        &mut self,
        function: &module::Function,
        definition: &Instruction,
        entry: u32,
        given: &Given,
    ) -> Result<Function, Error> {
        self.body.single = self.single_uses(function);
        let mut parameters = Vec::new();
        let module = self.module;
        for parameter in &module.instructions[function.parameters.clone()] {
            if given.by_value.contains(&parameter.id) {
                let ty = self.pointer_type();
                let local = self.result_local(parameter.id, ty);
                self.values.insert(parameter.id, Value::Local(local));
                parameters.push(Parameter { local, direction: Direction::In });
            } else if !given.places.contains(&parameter.id) {
                parameters.push(self.parameter(parameter)?);
            }
        }
        parameters.extend(given.wholes.iter().cloned());
        parameters.extend(self.index_parameters(&given.indices));
        let mut body = Vec::new();
        self.tables(function)?;
        self.declare_variables(function, &mut body)?;
        let Some(first) = function.blocks.first() else {
            return Err(self.unsupported(definition, "it is"));
        };
        self.control(function, first.label, &mut body)?;
        let mut body = self.with_leaving_values(body);
        let hoisted = std::mem::take(&mut self.body.hoisted);
        let declared = hoisted.into_iter().map(|local| Statement::Declare { local, value: None });
        body.splice(0..0, declared);
        if definition.id == entry && self.stage == program::Stage::TessControl {
            let stores = self.initial_stores();
            body.splice(0..0, stores);
        }
        let name = if definition.id == entry {
            "main".to_owned()
        } else {
            let name = module.given_name(definition.id).unwrap_or("function");
            format!("{name}.{}", definition.id)
        };
        Ok(Function {
            name: name.into(),
            result: self.result_type(definition)?,
            parameters,
            locals: std::mem::replace(&mut self.body.locals, PrimaryMap::new()),
            body: Some(body),
            subroutine_types: Vec::new(),
            subroutine_index: None,
            span: Span::default(),
        })
    }

    /// Stores of the initial values of a patch's outputs, which all invocations share.
    fn initial_stores(&mut self) -> Vec<Statement> {
        let is_patch = |global: &program::Global| {
            global.storage == program::Storage::Output && global.interpolation.patch
        };
        let outputs: Vec<_> = self.shader.globals.iter().filter(|(_, g)| is_patch(g)).collect();
        let values: Vec<_> =
            outputs.into_iter().filter_map(|(id, g)| Some((id, g.ty, g.initializer?))).collect();
        values
            .into_iter()
            .map(|(id, ty, value)| {
                let place = self.push(program::ExprKind::Global(id), ty);
                Statement::Expression(self.assign(place, value))
            })
            .collect()
    }

    /// A new local with its declaration.
    pub(crate) fn declared(
        &mut self,
        name: &str,
        ty: TypeId,
        value: Option<ExprId>,
        out: &mut Vec<Statement>,
    ) -> LocalId {
        let local = self.new_local(name, ty);
        out.push(Statement::Declare { local, value });
        local
    }

    /// A new local with a value that is used more than once.
    pub(crate) fn shared(
        &mut self,
        name: &str,
        value: ExprId,
        out: &mut Vec<Statement>,
    ) -> LocalId {
        let ty = self.ty(value);
        self.declared(name, ty, Some(value), out)
    }

    pub(crate) fn new_local(&mut self, name: &str, ty: TypeId) -> LocalId {
        self.body.locals.push(Local {
            name: name.into(),
            ty,
            precise: false,
            span: Span::default(),
        })
    }

    /// The local of a result, named like it.
    pub(crate) fn result_local(&mut self, id: u32, ty: TypeId) -> LocalId {
        let name = self.module.name(id);
        self.new_local(name.trim_start_matches('%'), ty)
    }

    fn parameter(&mut self, parameter: &Instruction) -> Result<Parameter, Error> {
        let pointer = self.definition(parameter, parameter.ty)?;
        let is_pointer = pointer.op == Op::TypePointer;
        let ty = if is_pointer { self.pointee(parameter, parameter.ty)? } else { parameter.ty };
        let ty = self.type_id(parameter, ty)?;
        let local = self.result_local(parameter.id, ty);
        let place = Place::new(Root::Local(local));
        let is_opaque = matches!(
            self.types.get(self.types.without_arrays(ty)),
            Type::Sampler(_) | Type::Image(_) | Type::AtomicCounter
        );
        let (direction, value) = match (is_opaque, is_pointer) {
            (true, true) => (Direction::Opaque, Value::Pointer(place)),
            (true, false) => (Direction::Opaque, Value::Opaque(place)),
            (false, false) => (Direction::In, Value::Local(local)),
            (false, true) => (Direction::InOut, Value::Pointer(place)),
        };
        self.values.insert(parameter.id, value);
        Ok(Parameter { local, direction })
    }

    /// Declares local variables and those of `OpPhi`s.
    fn declare_variables(
        &mut self,
        function: &module::Function,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let module = self.module;
        for block in &function.blocks {
            for instruction in &module.instructions[block.body.clone()] {
                match instruction.op {
                    Op::Variable if self.body.tables.contains(&instruction.id) => {}
                    Op::Variable => {
                        let ty = self.pointee(instruction, instruction.ty)?;
                        let ty = self.type_id(instruction, ty)?;
                        self.check_size(instruction, ty)?;
                        let local = self.result_local(instruction.id, ty);
                        let value = match instruction.id_at(1) {
                            Some(id) => Some(self.operand_value(instruction, id)?),
                            None => None,
                        };
                        let place = Place::new(Root::Local(local));
                        self.values.insert(instruction.id, Value::Pointer(place));
                        out.push(Statement::Declare { local, value });
                    }
                    Op::Phi => {
                        let ty = self.result_type(instruction)?;
                        let local = self.result_local(instruction.id, ty);
                        self.body.phis.insert(instruction.id, local);
                        self.values.insert(instruction.id, Value::Local(local));
                        out.push(Statement::Declare { local, value: None });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Results that are used once, in the block of their instruction.
    fn single_uses(&self, function: &module::Function) -> FxHashSet<u32> {
        let mut uses: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        let mut single = FxHashSet::default();
        for block in &function.blocks {
            for instruction in &self.module.instructions[block.body.clone()] {
                let is_repeated = instruction.op == Op::Phi || repeats_operands(instruction.op);
                let weight = if is_repeated { 2 } else { 1 };
                for id in instruction.ids_from(0) {
                    let entry = uses.entry(id).or_insert((0, block.label));
                    let elsewhere = u32::from(entry.1 != block.label);
                    entry.0 += weight + elsewhere;
                }
            }
        }
        for block in &function.blocks {
            for instruction in &self.module.instructions[block.body.clone()] {
                if instruction.id != 0 && uses.get(&instruction.id) == Some(&(1, block.label)) {
                    single.insert(instruction.id);
                }
            }
        }
        single
    }
}
