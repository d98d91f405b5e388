//! Random functions and their calls.

use program::types::{Scalar, TypeId};

use super::defects::Defect;
use super::generator::{Context, Direction, Function, Generator, has_computed_index, root};

/// Assumed number of executions of a function's statements: one per call from loops.
const CALLS: usize = 8;
/// Maximum number of statements executed by one call.
const COST: usize = 1_000;
/// Maximum number of statements of a program after inlining: generations before gen8 cannot jump
/// over more.
const INLINED: usize = 200;

impl Generator {
    /// Writes a function, which is callable from then on. It reads global variables and writes only
    /// its own.
    pub(super) fn function(&mut self) {
        let name = self.fresh("f");
        let result = if self.random.chance(80) { Some(self.any_type(1)) } else { None };
        let globals = self.variables.clone();
        self.variables.iter_mut().for_each(|v| v.writable = false);
        let outer = self.context;
        self.context = Context { repeats: CALLS, result, ..Context::default() };
        let (before, outside) = (self.executed, self.inlined);
        let parameters = self.parameters();
        let signature: Vec<String> = parameters.iter().map(|(text, ..)| text.clone()).collect();
        let result_name = result.map_or("void".to_owned(), |ty| self.types.name(ty));
        let body = self.take_code();
        let count = self.random.between(1, 5);
        self.statements(count);
        if let Some(ty) = result {
            let value = self.expression(ty, 2);
            self.line(&format!("return {value};"));
        }
        let body = body + &self.take_code();
        let cost = (self.executed - before) / CALLS + 1;
        let size = self.inlined - outside;
        (self.executed, self.inlined) = (before, outside);
        self.context = outer;
        self.variables = globals;
        self.definitions +=
            &format!("{result_name} {name}({}) {{\n{body}}}\n", signature.join(", "));
        let parameters = parameters.into_iter().map(|(_, direction, ty)| (direction, ty)).collect();
        self.functions.push(Function { name, result, parameters, cost, size });
    }

    /// Declares parameters, and writes code that initializes the `out` ones.
    fn parameters(&mut self) -> Vec<(String, Direction, TypeId)> {
        let mut parameters = Vec::new();
        let mut outs = Vec::new();
        for _ in 0..self.random.between(1, 4) {
            let direction = self.random.pick(&Direction::ALL);
            let nesting = if self.random.chance(30) { 2 } else { 1 };
            let (ty, name) = (self.any_type(nesting), self.fresh("p"));
            parameters.push((
                format!("{}{} {name}", direction.keyword(), self.types.name(ty)),
                direction,
                ty,
            ));
            match direction {
                Direction::Out => outs.push((name, ty)),
                _ => self.declare(&name, ty, direction != Direction::ConstIn),
            }
        }
        for (name, ty) in outs {
            let value = self.expression(ty, 1);
            self.line(&format!("{name} = {value};"));
            self.declare(&name, ty, true);
        }
        if !self.variables.iter().any(|v| v.writable) {
            let (int, name) = (self.scalar(Scalar::Int), self.fresh("z"));
            self.line(&format!("int {name} = 0;"));
            self.declare(&name, int, true);
        }
        parameters
    }

    /// Writes a call as a statement.
    pub(super) fn call(&mut self) {
        let function = self.functions[self.random.below(self.functions.len())].clone();
        if function.cost * self.context.repeats > COST || self.inlined + function.size > INLINED {
            return;
        }
        let (mut written, mut arguments) = (Vec::new(), Vec::new());
        for &(direction, ty) in &function.parameters {
            if direction.writes() {
                let Some(place) = self.place(ty, true, &written) else { return };
                if self.avoids(Defect::OutArgumentIndex) && has_computed_index(&place) {
                    return;
                }
                written.push(root(&place).to_owned());
                arguments.push(place);
            } else {
                arguments.push(self.expression(ty, 1));
            }
        }
        self.executed += function.cost * self.context.repeats;
        self.inlined += function.size;
        let call = format!("{}({})", function.name, arguments.join(", "));
        let target = function.result.and_then(|ty| self.place(ty, true, &written));
        match target.filter(|target| !target.contains('[')) {
            Some(target) => self.line(&format!("{target} = {call};")),
            None => self.line(&format!("{call};")),
        }
    }
}
