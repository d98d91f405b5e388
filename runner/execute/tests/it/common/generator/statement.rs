//! Random statements, and the places that they write.

use super::super::operand::Ty;
use super::super::source_tree::Part;
use super::vocabulary::is_real;
use super::{Generator, Variable, is_matrix, root, scalar, vector};

impl Generator<'_> {
    pub(super) fn statements(&mut self, count: usize) -> Vec<Part> {
        let outer = self.variables.len();
        let mut parts = Vec::new();
        for _ in 0..count {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            parts.extend(self.statement());
        }
        self.variables.truncate(outer);
        parts
    }

    fn statement(&mut self) -> Vec<Part> {
        let nested = self.depth >= 4;
        let line = |text: String| vec![Part::Line(text)];
        match self.rng.below(24) {
            0..=6 => line(self.assignment()),
            7 | 8 => line(self.compound()),
            9 => line(self.step()),
            10 | 11 => line(self.call()),
            12 => line(self.side_effects()),
            13..=16 if !nested => vec![self.branch()],
            17..=19 if !nested && self.loops < 2 => self.repeat(),
            20 if !nested => vec![self.switch()],
            21 | 22 if self.loops > 0 => vec![self.leave()],
            23 if self.rng.one_in(2) => self.early_return(),
            _ => line(self.assignment()),
        }
    }

    /// A block one level deeper.
    fn nested(&mut self, most: usize) -> Vec<Part> {
        self.depth += 1;
        let count = 1 + self.rng.below(most);
        let parts = self.statements(count);
        self.depth -= 1;
        parts
    }

    fn assignment(&mut self) -> String {
        let Some((target, ty)) = self.place() else { return ";".into() };
        let value = self.expression(ty, 3);
        let tamed = is_real(ty.scalar) && ty.components() == 1 && self.rng.one_in(2);
        if tamed { format!("{target} = tame({value});") } else { format!("{target} = {value};") }
    }

    fn compound(&mut self) -> String {
        let Some((target, ty)) = self.place() else { return ";".into() };
        let value = self.expression(ty, 2);
        let op = match ty.scalar {
            'B' => return format!("{target} = {value};"),
            letter if is_real(letter) && is_matrix(ty) => self.rng.pick(&["+=", "-="]),
            letter if is_real(letter) => self.rng.pick(&["+=", "-=", "*="]),
            _ => self.rng.pick(&["+=", "-=", "*=", "&=", "|=", "^="]),
        };
        format!("{target} {op} {value};")
    }

    /// `++` and `--`, alone or inside an assignment of another variable.
    fn step(&mut self) -> String {
        let Some((target, ty)) = self.place().filter(|(_, ty)| ty.scalar != 'B') else {
            return self.assignment();
        };
        let expression = match self.rng.below(4) {
            0 => format!("{target}++"),
            1 => format!("++{target}"),
            2 => format!("{target}--"),
            _ => format!("--{target}"),
        };
        let other = self.simple_place(ty, &[root(&target).to_string()]);
        match other {
            Some(other) if !target.contains(root(&other)) => format!("{other} = {expression};"),
            _ => format!("{expression};"),
        }
    }

    fn call(&mut self) -> String {
        if self.functions.is_empty() {
            return self.assignment();
        }
        let at = self.rng.below(self.functions.len());
        let function = self.functions[at].clone();
        let mut used = Vec::new();
        let mut arguments = Vec::new();
        for &(direction, ty) in &function.parameters {
            if direction == "in" {
                arguments.push(self.expression(ty, 1));
            } else {
                let Some(place) = self.simple_place(ty, &used) else { return self.assignment() };
                used.push(root(&place).to_string());
                arguments.push(place);
            }
        }
        // Nothing else may be read where an argument is written.
        let clash = |(i, text): (usize, &String)| {
            function.parameters[i].0 == "in" && used.iter().any(|u| mentions(text, u))
        };
        if arguments.iter().enumerate().any(clash) {
            return self.assignment();
        }
        let call = format!("{}({})", function.name, arguments.join(", "));
        match self.simple_place(function.result, &used) {
            Some(target) => format!("{target} = {call};"),
            None => format!("{call};"),
        }
    }

    /// Expressions with side effects behind sequence points.
    fn side_effects(&mut self) -> String {
        let letter = self.rng.pick(self.vocabulary.stepped());
        let ty = scalar(letter);
        let (Some(a), Some(flag)) =
            (self.simple_place(ty, &[]), self.simple_place(scalar('B'), &[]))
        else {
            return self.assignment();
        };
        let condition = self.condition(1);
        match self.rng.below(4) {
            0 => format!("{flag} = {condition} && bump({a});"),
            1 => format!("{flag} = {condition} || bump({a});"),
            2 => {
                let Some(b) = self.simple_place(ty, &[root(&a).to_string()]) else {
                    return self.assignment();
                };
                let Some(c) = self.simple_place(ty, &[root(&a).to_string(), root(&b).to_string()])
                else {
                    return self.assignment();
                };
                format!("{c} = {condition} ? {a}++ : --{b};")
            }
            _ => {
                let value = self.expression(ty, 1);
                format!("if (({a} = {value}, {condition}) || bump({a})) {{ bump({flag}); }}")
            }
        }
    }

    fn branch(&mut self) -> Part {
        let condition = self.condition(2);
        let then = self.nested(3);
        let mut sections = vec![(format!("if ({condition}) {{"), then)];
        if self.rng.one_in(2) {
            let body = self.nested(3);
            sections.push(("} else {".into(), body));
        }
        Part::Block { sections, close: "}".into() }
    }

    fn repeat(&mut self) -> Vec<Part> {
        let counter = self.fresh("i");
        let trips = 1 + self.rng.below(4);
        let form = self.rng.below(6);
        let condition = self.condition(1);
        let outer = (self.variables.len(), self.switches);
        let variable =
            Variable { name: counter.clone(), ty: scalar('I'), array: None, writable: false };
        self.variables.push(variable);
        self.loops += 1;
        self.switches = 0;
        let body = self.nested(3);
        self.loops -= 1;
        self.switches = outer.1;
        self.variables.truncate(outer.0);
        let c = &counter;
        let header = format!("int {c} = 0;");
        let open = match form {
            0 => format!("for (int {c} = 0; {c} < {trips}; {c}++) {{"),
            1 => format!("for (int {c} = 0; {c} < (px & 3); ++{c}) {{"),
            2 => format!("for (int {c} = {trips}; {c} > 0; {c} -= 1 + (py & 1)) {{"),
            3 => format!("for (int {c} = 0; {c} < {trips} && {condition}; {c}++) {{"),
            4 => {
                return vec![
                    Part::Line(header),
                    Part::block(
                        format!("while ({c} < {trips} && {condition}) {{ {c}++;"),
                        body,
                        "}",
                    ),
                ];
            }
            _ => {
                let close = format!("}} while ({c} < {trips} && {condition});");
                return vec![Part::Line(header), Part::block(format!("do {{ {c}++;"), body, close)];
            }
        };
        vec![Part::block(open, body, "}")]
    }

    fn switch(&mut self) -> Part {
        let selector = self.expression(scalar('I'), 2);
        let mut sections = vec![(format!("switch (({selector}) & 3) {{"), Vec::new())];
        let default = self.rng.below(4);
        self.switches += 1;
        for case in 0..4 {
            let label = if case == default { "default:".into() } else { format!("case {case}:") };
            let mut body = if self.rng.one_in(4) { Vec::new() } else { self.nested(2) };
            if self.rng.below(3) > 0 {
                body.push(Part::Line("break;".into()));
            }
            sections.push((label, body));
        }
        self.switches -= 1;
        Part::Block { sections, close: "  ;\n}".into() }
    }

    fn leave(&mut self) -> Part {
        let condition = self.condition(1);
        let jump = self.rng.pick(&["break;", "continue;"]);
        Part::block(format!("if ({condition}) {{"), vec![Part::Line(jump.into())], "}")
    }

    fn early_return(&mut self) -> Vec<Part> {
        let condition = self.condition(1);
        let value = match self.result {
            Some(ty) => format!(" {}", self.expression(ty, 1)),
            None => String::new(),
        };
        vec![Part::block(
            format!("if ({condition}) {{"),
            vec![Part::Line(format!("return{value};"))],
            "}",
        )]
    }

    /// A writable place: a variable, an element, a swizzle, a column, a component.
    fn place(&mut self) -> Option<(String, Ty)> {
        let writable: Vec<Variable> =
            self.variables.iter().filter(|v| v.writable).cloned().collect();
        if writable.is_empty() {
            return None;
        }
        let variable = &writable[self.rng.below(writable.len())];
        let mut name = variable.name.clone();
        let mut ty = variable.ty;
        if let Some(length) = variable.array {
            let index = self.index(length);
            name = format!("{name}[{index}]");
        }
        if is_matrix(ty) && self.rng.one_in(2) {
            let index = self.index(ty.columns);
            name = format!("{name}[{index}]");
            ty = vector(ty.scalar, ty.rows);
        }
        if !is_matrix(ty) && ty.rows > 1 {
            match self.rng.below(4) {
                0 => {
                    let index = self.index(ty.rows);
                    return Some((format!("{name}[{index}]"), scalar(ty.scalar)));
                }
                1 => {
                    let mut letters = vec!['x', 'y', 'z', 'w'];
                    letters.truncate(ty.rows);
                    let count = 1 + self.rng.below(ty.rows);
                    let mut swizzle = String::new();
                    for _ in 0..count {
                        let at = self.rng.below(letters.len());
                        swizzle.push(letters.remove(at));
                    }
                    return Some((format!("{name}.{swizzle}"), vector(ty.scalar, count)));
                }
                _ => {}
            }
        }
        Some((name, ty))
    }

    /// A place of a type without any expression in it, whose root is none of `used`.
    fn simple_place(&mut self, ty: Ty, used: &[String]) -> Option<String> {
        let mut found = Vec::new();
        for v in
            self.variables.iter().filter(|v| v.writable && !used.iter().any(|u| u == root(&v.name)))
        {
            if v.ty == ty {
                found.push(match v.array {
                    None => v.name.clone(),
                    Some(length) => format!("{}[{}]", v.name, length / 2),
                });
            } else if v.ty.scalar == ty.scalar
                && v.array.is_none()
                && !is_matrix(v.ty)
                && v.ty.rows > ty.rows
                && !is_matrix(ty)
            {
                found.push(format!("{}.{}", v.name, &"wzyx"[4 - v.ty.rows..][..ty.rows]));
            }
        }
        (!found.is_empty()).then(|| found[self.rng.below(found.len())].clone())
    }
}

/// Returns true if a variable's name occurs in an expression.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
}
