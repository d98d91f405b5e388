//! Random statements, which terminate and leave nothing undefined.

use program::types::{Scalar, TypeId};

use super::defects::Defect;
use super::generator::{Context, Generator, root};
use super::names::{elements, vector_of};

/// Maximum nesting of blocks.
const DEPTH: usize = 4;
/// Maximum number of loops around a statement of one function.
const LOOPS: usize = 3;
/// Maximum number of executions of a statement by one invocation.
const REPEATS: usize = 40;
/// Maximum number of statements executed by one invocation.
const EXECUTED: usize = 2_000;

impl Generator {
    /// Writes a number of statements in a separate scope.
    pub(super) fn statements(&mut self, count: usize) {
        let mark = self.variables.len();
        for _ in 0..count {
            self.executed += self.context.repeats;
            self.inlined += 1;
            self.statement();
        }
        self.variables.truncate(mark);
    }

    /// Writes code with a changed context.
    fn within(&mut self, change: impl FnOnce(&mut Context), write: impl FnOnce(&mut Generator)) {
        let outer = self.context;
        change(&mut self.context);
        write(self);
        self.context = outer;
    }

    /// Writes statements one block deeper.
    fn nested(&mut self, most: usize) {
        let count = self.random.between(1, most);
        self.within(|context| context.depth += 1, |this| this.statements(count));
    }

    fn statement(&mut self) {
        let Context { depth, loops, repeats, .. } = self.context;
        let nests = depth < DEPTH && self.executed < EXECUTED;
        match self.random.below(100) {
            42..=56 if nests => self.branch(),
            57..=69 if nests && loops < LOOPS && repeats <= REPEATS / 2 => self.repetition(),
            70..=75 if nests => self.switch(),
            76..=81 if loops > 0 => {
                let condition = self.bool_expression();
                let mut word = self.random.pick(&["break", "continue"]);
                let avoided = self.avoids(Defect::NestedSwitchContinue);
                if avoided && self.context.switches > 1 {
                    word = "break";
                }
                self.line(&format!("if ({condition}) {word};"));
            }
            82 if self.context.may_discard.is_some() => {
                let condition = self.bool_expression();
                let word = self.context.may_discard.unwrap_or_default();
                self.line(&format!("if ({condition}) {word};"));
            }
            83..=85 => self.early_return(),
            86..=92 if !self.functions.is_empty() => self.call(),
            93..=95 => self.two_results(),
            96..=99 => self.local(),
            _ => self.assignment(),
        }
    }

    fn bool_expression(&mut self) -> String {
        let (bool, depth) = (self.scalar(Scalar::Bool), self.random.pick(&[1, 1, 2]));
        self.expression(bool, depth)
    }

    fn int_expression(&mut self) -> String {
        let int = self.scalar(Scalar::Int);
        self.expression(int, 1)
    }

    fn local(&mut self) {
        let ty = self.any_type(1);
        let (name, value) = (self.fresh("l"), self.expression(ty, 2));
        self.line(&format!("{} {name} = {value};", self.types.name(ty)));
        self.declare(&name, ty, true);
    }

    /// Returns the type of some writable place.
    fn written_type(&mut self) -> Option<TypeId> {
        let writable: Vec<TypeId> =
            self.variables.iter().filter(|v| v.writable).map(|v| v.ty).collect();
        let mut ty = *writable.get(self.random.below(writable.len().max(1)))?;
        loop {
            let stop = self.random.below(100);
            if let Some((element, _)) = elements(&self.types, ty) {
                if stop < 10 {
                    return Some(ty);
                }
                ty = element;
            } else if let Some(members) = self.types.members(ty) {
                if stop < 10 {
                    return Some(ty);
                }
                ty = members[self.random.below(members.len())].ty;
            } else {
                let (scalar, (_, rows)) = (self.types.scalar_of(ty)?, self.types.shape(ty)?);
                let rows =
                    if stop < 70 { rows } else { self.random.between(1, usize::from(rows)) as u8 };
                return Some(if stop < 40 { ty } else { self.vector(scalar, rows) });
            }
        }
    }

    fn assignment(&mut self) {
        let Some(ty) = self.written_type() else { return };
        let Some(place) = self.place(ty, true, &[]) else { return };
        let integer = vector_of(&self.types, ty).filter(|(scalar, _)| scalar.is_integer());
        let text = match (integer, self.random.below(100)) {
            (Some((scalar, _)), 0..=22) => {
                let operator = self.random.pick(&["+=", "-=", "*=", "^=", "|=", "&="]);
                let value = self.expression(ty, 2);
                if operator == "*=" && self.avoids(Defect::NegativeFactor) {
                    let factors = (self.factor(scalar, place.clone()), self.factor(scalar, value));
                    format!("{place} = {} * {};", factors.0, factors.1)
                } else {
                    format!("{place} {operator} {value};")
                }
            }
            (Some((_, 1)), 23..=30) => {
                self.random.pick(&["{}++;", "++{};", "{}--;", "--{};"]).replace("{}", &place)
            }
            (Some((Scalar::Int, 1)), 31..=38) => self.side_effect(&place),
            _ => {
                let depth = self.random.pick(&[1, 2, 2, 3]);
                format!("{place} = {};", self.expression(ty, depth))
            }
        };
        self.line(&text);
    }

    /// Returns an assignment to `place` whose value changes another variable.
    fn side_effect(&mut self, place: &str) -> String {
        let int = self.scalar(Scalar::Int);
        let other = self.place(int, true, &[root(place).to_owned()]);
        // Index expressions in either path must not depend on the written variable.
        let Some(other) = other.filter(|other| !place.contains('[') && !other.contains('[')) else {
            return format!("{place} = {};", self.expression(int, 2));
        };
        let value = self
            .random
            .pick(&["{}++ * 3", "--{} + 5", "({} += 7) ^ 1", "({} = 5, 11)"])
            .replace("{}", &other);
        format!("{place} = {value};")
    }

    fn branch(&mut self) {
        let condition = self.bool_expression();
        self.line(&format!("if ({condition}) {{"));
        self.nested(3);
        if self.random.chance(50) {
            self.line("} else {");
            self.nested(2);
        }
        self.line("}");
    }

    fn repetition(&mut self) {
        let (name, count) = (self.fresh("i"), self.random.between(1, 5));
        let dynamic = match self.random.below(3) {
            0 => format!("min({}, {count})", self.int_expression()),
            1 => format!("({} & {count})", self.int_expression()),
            _ => count.to_string(),
        };
        let mark = self.variables.len();
        let tail = match self.random.below(8) {
            0 => {
                self.line(&format!("int {name} = {dynamic};"));
                self.line(&format!("while ({name}-- > 0) {{"));
                "}".to_owned()
            }
            1 => {
                self.line(&format!("int {name} = 0;"));
                self.line("do {");
                format!("}} while (++{name} < {count});")
            }
            2 => {
                self.line(&format!("for (int {name} = {dynamic}; {name} > 0; {name}--) {{"));
                "}".to_owned()
            }
            3 => {
                let step = self.random.between(1, 2);
                self.line(&format!(
                    "for (int {name} = 0, {name}n = {dynamic}; {name} < {name}n; {name} += {step}) {{"
                ));
                "}".to_owned()
            }
            _ => {
                self.line(&format!("for (int {name} = 0; {name} < {count}; ++{name}) {{"));
                "}".to_owned()
            }
        };
        let int = self.scalar(Scalar::Int);
        self.declare(&name, int, false);
        let inside = |context: &mut Context| {
            context.loops += 1;
            context.switches = 0;
            context.repeats *= count;
        };
        self.within(inside, |this| this.nested(4));
        self.variables.truncate(mark);
        self.line(&tail);
    }

    fn switch(&mut self) {
        let unsigned = self.random.chance(30);
        let (scalar, suffix) = if unsigned { (Scalar::Uint, "u") } else { (Scalar::Int, "") };
        let ty = self.scalar(scalar);
        let value = self.expression(ty, 1);
        self.line(&format!("switch ({value} & 7{suffix}) {{"));
        let cases = self.random.between(1, 5);
        let labels: Vec<usize> = self.random.some_of(&[0, 1, 2, 3, 4, 5, 6, 7], cases);
        let mut labels: Vec<String> =
            labels.iter().map(|label| format!("case {label}{suffix}:")).collect();
        if self.random.chance(70) {
            labels.insert(self.random.between(0, labels.len()), "default:".to_owned());
        }
        let last = labels.len() - 1;
        for (k, label) in labels.iter().enumerate() {
            self.line(label);
            if k == last || self.random.chance(85) {
                self.within(|context| context.switches += 1, |this| this.nested(2));
            }
            if k == last || self.random.chance(60) {
                self.within(|context| context.depth += 1, |this| this.line("break;"));
            }
        }
        self.line("}");
    }

    fn early_return(&mut self) {
        let condition = self.bool_expression();
        let value = match self.context.result {
            Some(ty) => format!(" {}", self.expression(ty, 1)),
            None => String::new(),
        };
        self.line(&format!("if ({condition}) return{value};"));
    }

    /// Writes a call of a built-in function with results in parameters.
    fn two_results(&mut self) {
        let rows = self.random.pick(&[1, 1, 2, 3, 4]);
        let real =
            if self.doubles && self.random.chance(40) { Scalar::Double } else { Scalar::Float };
        let integer = self.random.pick(&[Scalar::Int, Scalar::Uint]);
        let kind = self.random.below(4);
        let avoided = kind == 1 && self.avoids(Defect::MulExtendedConstant);
        let kind = if avoided { 0 } else { kind };
        let (first, second) = match kind {
            0 => (Scalar::Uint, Scalar::Uint),
            1 => (integer, integer),
            2 => (real, Scalar::Int),
            _ => (real, real),
        };
        let avoided = kind == 1 && self.avoids(Defect::MulExtendedVector);
        let rows = if avoided { 1 } else { rows };
        // An out argument may be of a type to which the parameter's converts.
        let second = match (kind, second) {
            (0, _) => self.random.pick(&[Scalar::Uint, Scalar::Uint, real]),
            (1, Scalar::Int) => self.random.pick(&[Scalar::Int, Scalar::Uint]),
            (2, _) => self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Uint, real]),
            _ => second,
        };
        let (first, second) = (self.vector(first, rows), self.vector(second, rows));
        let Some(a) = self.place(first, true, &[]) else { return };
        let Some(b) = self.place(second, true, &[root(&a).to_owned()]) else { return };
        if a.contains('[') || b.contains('[') {
            return;
        }
        let x = self.expression(first, 1);
        let text = match kind {
            0 => {
                let function = self.random.pick(&["uaddCarry", "usubBorrow"]);
                format!("{a} = {function}({x}, {}, {b});", self.expression(first, 1))
            }
            1 => {
                let function = if integer == Scalar::Int { "imulExtended" } else { "umulExtended" };
                let y = self.expression(first, 1);
                if self.avoids(Defect::MulExtendedAllOnes) {
                    let bits = format!("{}(0x7fffffff)", self.types.name(first));
                    format!("{function}(({x}) & {bits}, ({y}) & {bits}, {a}, {b});")
                } else {
                    format!("{function}({x}, {y}, {a}, {b});")
                }
            }
            2 => {
                let call = format!("frexp({x}, {b})");
                format!("{a} = {};", self.wrapped(first, &call))
            }
            _ => format!("{a} = modf({x}, {b});"),
        };
        self.line(&text);
    }
}
