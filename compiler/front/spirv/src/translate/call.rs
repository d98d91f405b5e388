//! Calls of functions. A function with pointers to memory is translated anew for the places that a
//! call gives it: they are its own, and indices on the way to them are parameters.

use program::shader::{Direction, Parameter};
use program::{ExprId, ExprKind, FunctionId, Statement, TypeId};
use rspirv::spirv::{Op, StorageClass};

use super::function::Given;
use super::place::{Place, Root, Step};
use super::state::{ShaderBuilder, Value};
use crate::entry::Api;
use crate::error::Error;
use crate::module::{Function, Instruction};

/// Most functions that calls with pointers to memory make.
const MOST_COPIES: usize = 256;

impl ShaderBuilder<'_> {
    pub(crate) fn function_call(
        &mut self,
        instruction: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let callee = self.id(instruction, 0)?;
        if let Some(function) = self.module.function(callee) {
            let aliased = self.aliased(instruction, function);
            if !aliased.is_empty() || self.takes_memory(function) {
                return self.call_with_places(instruction, callee, &aliased, out);
            }
        }
        let Some(&function) = self.function_ids.get(&callee) else {
            return Err(self.module.error(instruction, "a function that calls itself"));
        };
        let mut arguments = Vec::new();
        for index in 1..instruction.operands.len() {
            let id = self.id(instruction, index)?;
            arguments.push(self.argument(instruction, id)?);
        }
        self.finish_call(instruction, function, arguments, out)
    }

    fn finish_call(
        &mut self,
        instruction: &Instruction,
        function: FunctionId,
        arguments: Vec<ExprId>,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let ty = self.result_type(instruction)?;
        let call = self.push(ExprKind::Call { function, arguments }, ty);
        self.effect(instruction, call, out);
        Ok(())
    }

    fn argument(&mut self, instruction: &Instruction, id: u32) -> Result<ExprId, Error> {
        match self.values.get(&id) {
            Some(Value::Pointer(place) | Value::Opaque(place)) => {
                let place = place.clone();
                self.place_expr(instruction, &place)
            }
            _ => self.operand_value(instruction, id),
        }
    }

    /// True if a parameter of a function is a pointer to memory that others see, too.
    pub(crate) fn takes_memory(&self, function: &Function) -> bool {
        let parameters = &self.module.instructions[function.parameters.clone()];
        parameters.iter().any(|parameter| self.is_memory(parameter))
    }

    /// True if a parameter is a pointer to memory that others see, too.
    pub(crate) fn is_memory(&self, parameter: &Instruction) -> bool {
        use StorageClass as C;
        let pointer = self.module.get(parameter.ty).filter(|ty| ty.op == Op::TypePointer);
        let class = pointer.and_then(|ty| ty.literal_at(0)).and_then(C::from_u32);
        match class {
            None | Some(C::Function | C::Private) => false,
            // Textures and samplers find each other where they are used; structures may have both
            // them and values that are read-only.
            Some(C::UniformConstant) => {
                let pointee = pointer.and_then(|ty| ty.id_at(1)).unwrap_or(0);
                let contents = self.module.get(self.innermost(pointee));
                self.api == Api::Vulkan || contents.is_some_and(|ty| ty.op == Op::TypeStruct)
            }
            Some(_) => true,
        }
    }

    /// Translates a function for the places of a call, and calls it. `aliased` are parameters that
    /// are places beside those to memory.
    fn call_with_places(
        &mut self,
        instruction: &Instruction,
        callee: u32,
        aliased: &[u32],
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let calls_itself = || self.module.error(instruction, "a function that calls itself");
        let function = self.module.function(callee).cloned().ok_or_else(calls_itself)?;
        if self.open_copies.contains(&callee) {
            return Err(calls_itself());
        }
        if self.shader.functions.len() + self.open_copies.len() >= MOST_COPIES {
            let message = format!("more than {MOST_COPIES} functions of places are");
            return Err(self.unsupported(instruction, message));
        }
        let parameters = &self.module.instructions[function.parameters.clone()];
        let mut arguments = Vec::new();
        let (mut places, mut values) = (Vec::new(), Vec::new());
        let mut given = Given::default();
        for (index, parameter) in parameters.iter().enumerate() {
            let id = self.id(instruction, index + 1)?;
            let is_value = self.is_pointer_value(id);
            let is_place = self.is_memory(parameter) || aliased.contains(&parameter.id);
            if is_value || !is_place {
                given.by_value.extend(is_value.then_some(parameter.id));
                let value = match is_value {
                    true => self.operand_value(instruction, id)?,
                    false => self.argument(instruction, id)?,
                };
                arguments.push(value);
                continue;
            }
            let place = self.operand_place(instruction, index + 1)?;
            if matches!(place.root, Root::Local(_)) && self.is_memory(parameter) {
                return Err(self.unsupported(instruction, "a local as memory is"));
            }
            let place = self.passed(instruction, place, &mut given.indices, &mut values)?;
            given.places.push(parameter.id);
            places.push((parameter.id, place));
        }
        let wholes = self.wholes(&places);
        arguments.extend(wholes.iter().map(|&(local, _)| self.local(local)));
        arguments.extend(values);
        let outer = std::mem::take(&mut self.body);
        given.wholes = self.adopt(&wholes, &mut places);
        self.open_copies.push(callee);
        let made = self.translate_copy(&function, places, &given);
        self.open_copies.pop();
        self.body = outer;
        let function = made?;
        self.finish_call(instruction, function, arguments, out)
    }

    /// A place as a function sees it: indices that are no constants are parameters. `indices` gets
    /// their new ids and types, `values` what they are here.
    fn passed(
        &mut self,
        instruction: &Instruction,
        mut place: Place,
        indices: &mut Vec<(u32, TypeId)>,
        values: &mut Vec<ExprId>,
    ) -> Result<Place, Error> {
        for step in &mut place.steps {
            let ids: Vec<&mut u32> = match step {
                Step::Member(_) => Vec::new(),
                Step::Index(id) => vec![id],
                Step::Pair(a, b, _) => a.iter_mut().chain(b).collect(),
            };
            for id in ids {
                if self.is_constant(*id) {
                    continue;
                }
                let value = self.operand_value(instruction, *id)?;
                values.push(value);
                // Ids beyond the module's are free.
                *id = self.module.bound + self.given;
                self.given += 1;
                indices.push((*id, self.ty(value)));
            }
        }
        Ok(place)
    }

    /// Translates a function some of whose parameters are places.
    fn translate_copy(
        &mut self,
        function: &Function,
        places: Vec<(u32, Place)>,
        given: &Given,
    ) -> Result<FunctionId, Error> {
        for (id, place) in places {
            self.values.insert(id, Value::Pointer(place));
        }
        let definition = &self.module.instructions[function.definition];
        let mut made = self.body_of_function(function, definition, self.entry, given)?;
        made.name = format!("{} {}", made.name, self.shader.functions.len()).into();
        Ok(self.shader.functions.push(made))
    }

    /// Parameters of a function that are indices on the way to places.
    pub(crate) fn index_parameters(&mut self, indices: &[(u32, TypeId)]) -> Vec<Parameter> {
        let parameters = indices.iter().map(|&(id, ty)| {
            let local = self.new_local(&format!("index {id}"), ty);
            self.values.insert(id, Value::Local(local));
            Parameter { local, direction: Direction::In }
        });
        parameters.collect()
    }
}
