//! Random GLSL fragment shaders whose results the specification fixes bit for bit.
//!
//! Loops are bounded, array indices are in range, integer division and conversions are guarded, operands of one expression do not depend on
//! another's side effects. `precise` outputs and variables forbid fusing. Pixels differ through `px` and `py`, so that control
//! flow diverges within a quad.

use super::operand::Ty;
use super::random::Rng;
use super::source_tree::Part;

/// A variable in scope; a structure's members count as variables.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Ty,
    array: Option<usize>,
    writable: bool,
}

/// A function that later code may call.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    result: Ty,
    parameters: Vec<(&'static str, Ty)>,
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Everything before the functions: declarations.
    pub header: String,
    /// Functions, `main` last.
    pub parts: Vec<Part>,
    /// Output dwords' scalar letters, four per target.
    pub dwords: Vec<char>,
}

impl Generated {
    /// The source with other parts.
    pub fn source(&self, parts: &[Part]) -> String {
        format!("{}{}", self.header, super::source_tree::text(parts))
    }

    /// Number of colour outputs.
    pub fn targets(&self) -> usize {
        self.dwords.len().div_ceil(4)
    }
}

/// Uniforms of every program: declaration, type letter, components, array length.
pub const UNIFORMS: &[(&str, char, usize, usize, usize)] = &[
    // Name, scalar, columns, rows, array length (0: none).
    ("uf", 'F', 1, 4, 0),
    ("ui", 'I', 1, 4, 0),
    ("uu", 'U', 1, 3, 0),
    ("ud", 'D', 1, 3, 0),
    ("ub", 'B', 1, 2, 0),
    ("um", 'F', 3, 2, 0),
    ("un", 'D', 2, 2, 0),
    ("ua", 'F', 1, 1, 5),
    ("uk", 'I', 1, 2, 4),
    ("ue", 'D', 1, 1, 3),
];

/// Guards for operations whose operands GLSL restricts.
const HELPERS: &str = "\
int quotient(int a, int b) { return b == 0 || b == -1 ? a : a / b; }
int remainder(int a, int b) { return (a & 0x7fffffff) % ((b & 0xff) + 1); }
uint quotient(uint a, uint b) { return b == 0u ? a : a / b; }
uint remainder(uint a, uint b) { return b == 0u ? a : a % b; }
int whole(float x) { return abs(x) < 1e6 ? int(x) : 7; }
int whole(double x) { return abs(x) < 1e6LF ? int(x) : 9; }
uint natural(float x) { return x >= 0.0 && x < 1e6 ? uint(x) : 5u; }
uint natural(double x) { return x >= 0.0LF && x < 1e6LF ? uint(x) : 3u; }
float tame(float x) { return abs(x) < 1000.0 ? x : 0.5; }
double tame(double x) { return abs(x) < 1000.0LF ? x : 0.5LF; }
bool bump(inout int x) { x += 3; return (x & 1) != 0; }
bool bump(inout uint x) { x ^= 5u; return x > 7u; }
bool bump(inout float x) { x += 0.25; return x > 1.0; }
bool bump(inout double x) { x -= 0.25LF; return x < 1.0LF; }
bool bump(inout bool x) { x = !x; return x; }
";

const STRUCTURE: &str = "struct Mixed { float f; dvec2 d; int i; vec3 v[2]; bool b; uint u; };\n";
const MEMBERS: &[(&str, char, usize, Option<usize>)] = &[
    ("f", 'F', 1, None),
    ("d", 'D', 2, None),
    ("i", 'I', 1, None),
    ("v", 'F', 3, Some(2)),
    ("b", 'B', 1, None),
    ("u", 'U', 1, None),
];

/// Most statements of a program, nested ones included.
const STATEMENTS: usize = 28;

struct Generator<'a> {
    rng: &'a mut Rng,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    /// Loops around the current statement.
    loops: usize,
    /// Switches around it inside the innermost loop.
    switches: usize,
    /// Result type of the current function.
    result: Option<Ty>,
    depth: usize,
    budget: usize,
    next: usize,
}

/// A random program.
pub fn generate(rng: &mut Rng) -> Generated {
    let mut g = Generator {
        rng,
        variables: Vec::new(),
        functions: Vec::new(),
        loops: 0,
        switches: 0,
        result: None,
        depth: 0,
        budget: 0,
        next: 0,
    };
    g.program()
}

fn scalar(letter: char) -> Ty {
    vector(letter, 1)
}

fn vector(scalar: char, rows: usize) -> Ty {
    Ty { scalar, columns: 1, rows }
}

fn is_matrix(ty: Ty) -> bool {
    ty.columns > 1
}

fn root(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or(name)
}

impl Generator<'_> {
    fn program(&mut self) -> Generated {
        let mut header = String::from("#version 460\n");
        for &(name, letter, columns, rows, length) in UNIFORMS {
            let ty = Ty { scalar: letter, columns, rows };
            let array = (length > 0).then_some(length);
            header += &format!("uniform {};\n", declarator(ty, name, array));
            self.variables.push(Variable { name: name.into(), ty, array, writable: false });
        }
        header += STRUCTURE;
        header += "int px, py;\n";
        for name in ["px", "py"] {
            let ty = scalar('I');
            self.variables.push(Variable { name: name.into(), ty, array: None, writable: false });
        }
        let mut set_up = vec![
            Part::Fixed("px = int(gl_FragCoord.x);".into()),
            Part::Fixed("py = int(gl_FragCoord.y);".into()),
        ];
        let globals = 5 + self.rng.below(4);
        let mut kept = Vec::new();
        for _ in 0..globals {
            let variable = self.new_variable("g");
            let precise = if matches!(variable.ty.scalar, 'F' | 'D') { "precise " } else { "" };
            header += &format!("{precise}{};\n", declarator(variable.ty, &variable.name, variable.array));
            set_up.extend(self.initialise(&variable));
            self.variables.push(variable.clone());
            kept.push(variable);
        }
        header += "Mixed gs;\n";
        set_up.extend(self.initialise_structure("gs"));
        self.add_structure("gs");
        header += HELPERS;
        let mut parts = Vec::new();
        for _ in 0..self.rng.below(4) {
            let function = self.function();
            parts.push(function);
        }
        parts.push(self.body());
        let (output, dwords) = outputs(&kept);
        let targets = dwords.len().div_ceil(4);
        for i in 0..targets {
            header += &format!("layout(location = {i}) precise out uvec4 o{i};\n");
        }
        let mut main = set_up;
        main.push(Part::Fixed("body();".into()));
        if self.rng.one_in(8) {
            let condition = self.condition(1);
            main.push(Part::block(format!("if ({condition}) {{"), vec![Part::Line("discard;".into())], "}"));
        }
        main.extend(output);
        parts.push(Part::block("void main() {", main, "}"));
        Generated { header, parts, dwords }
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn any_type(&mut self) -> Ty {
        let letter = self.rng.pick(&['F', 'F', 'D', 'D', 'I', 'I', 'U', 'B']);
        let rows = self.rng.pick(&[1, 1, 2, 3, 4]);
        if matches!(letter, 'F' | 'D') && self.rng.one_in(5) {
            return Ty { scalar: letter, columns: 2 + self.rng.below(2), rows: 2 + self.rng.below(2) };
        }
        vector(letter, rows)
    }

    fn new_variable(&mut self, prefix: &str) -> Variable {
        let ty = self.any_type();
        let lengths: &[usize] = if ty.rows == 1 { &[2, 3, 4, 9, 20] } else { &[2, 3, 4] };
        let array = (!is_matrix(ty) && self.rng.one_in(4)).then(|| self.rng.pick(lengths));
        Variable { name: self.fresh(prefix), ty, array, writable: true }
    }

    /// Gives every part of a variable a value.
    fn initialise(&mut self, variable: &Variable) -> Vec<Part> {
        let name = &variable.name;
        match variable.array {
            None => vec![Part::Fixed(format!("{name} = {};", self.expression(variable.ty, 1)))],
            Some(length) => {
                let value = self.expression(variable.ty, 1);
                vec![Part::Fixed(format!("for (int k = 0; k < {length}; k++) {name}[k] = {value};"))]
            }
        }
    }

    fn add_structure(&mut self, name: &str) {
        for &(member, letter, rows, array) in MEMBERS {
            let name = format!("{name}.{member}");
            self.variables.push(Variable { name, ty: vector(letter, rows), array, writable: true });
        }
    }

    fn initialise_structure(&mut self, name: &str) -> Vec<Part> {
        let mut values = Vec::new();
        for &(_, letter, rows, array) in MEMBERS {
            let ty = vector(letter, rows);
            values.push(match array {
                None => self.expression(ty, 1),
                Some(length) => {
                    let elements: Vec<String> = (0..length).map(|_| self.expression(ty, 0)).collect();
                    format!("{}[{length}]({})", ty.name(), elements.join(", "))
                }
            });
        }
        vec![Part::Fixed(format!("{name} = Mixed({});", values.join(", ")))]
    }

    /// Local variables of a function.
    fn locals(&mut self, count: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        for _ in 0..count {
            let variable = self.new_variable("v");
            let precise = if matches!(variable.ty.scalar, 'F' | 'D') { "precise " } else { "" };
            let declaration = declarator(variable.ty, &variable.name, variable.array);
            parts.push(Part::Fixed(format!("{precise}{declaration};")));
            parts.extend(self.initialise(&variable));
            self.variables.push(variable);
        }
        parts
    }

    fn function(&mut self) -> Part {
        let result = self.any_type();
        let name = self.fresh("f");
        let count = 1 + self.rng.below(3);
        let parameters: Vec<(&'static str, Ty)> =
            (0..count).map(|_| (self.rng.pick(&["in", "inout", "out"]), self.any_type())).collect();
        let outer = self.variables.len();
        let mut list = Vec::new();
        let mut body = Vec::new();
        let mut first = Vec::new();
        for &(direction, ty) in &parameters {
            let parameter = self.fresh("p");
            list.push(format!("{direction} {} {parameter}", ty.name()));
            if direction == "out" {
                first.push(Variable { name: parameter.clone(), ty, array: None, writable: true });
            } else {
                self.variables.push(Variable { name: parameter, ty, array: None, writable: true });
            }
        }
        for variable in first {
            body.extend(self.initialise(&variable));
            self.variables.push(variable);
        }
        let locals = self.rng.below(3);
        body.extend(self.locals(locals));
        self.result = Some(result);
        self.budget = 8;
        let statements = 1 + self.rng.below(4);
        body.extend(self.statements(statements));
        self.result = None;
        let value = self.expression(result, 2);
        body.push(Part::Fixed(format!("precise {} r = {value};", result.name())));
        self.variables.truncate(outer);
        let open = format!("{} {name}({}) {{", result.name(), list.join(", "));
        self.functions.push(Function { name, result, parameters });
        Part::block(open, body, "  return r;\n}")
    }

    /// The function whose statements are what is tested.
    fn body(&mut self) -> Part {
        let outer = self.variables.len();
        let count = 2 + self.rng.below(4);
        let mut body = self.locals(count);
        if self.rng.one_in(2) {
            body.push(Part::Fixed("Mixed ls;".into()));
            body.extend(self.initialise_structure("ls"));
            self.add_structure("ls");
        }
        self.budget = STATEMENTS;
        let statements = 4 + self.rng.below(8);
        body.extend(self.statements(statements));
        // What the locals hold shows in globals of their type.
        for variable in self.variables[outer..].iter().cloned() {
            let like = |v: &&Variable| v.ty == variable.ty && v.writable && v.array.is_none();
            let target = self.variables[..outer].iter().rev().find(like).map(|v| v.name.clone());
            if let (Some(target), None) = (target, variable.array) {
                body.push(Part::Line(format!("{target} = {};", variable.name)));
            }
        }
        self.variables.truncate(outer);
        Part::block("void body() {", body, "}")
    }

    fn statements(&mut self, count: usize) -> Vec<Part> {
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
        let tamed = matches!(ty.scalar, 'F' | 'D') && ty.components() == 1 && self.rng.one_in(2);
        if tamed { format!("{target} = tame({value});") } else { format!("{target} = {value};") }
    }

    fn compound(&mut self) -> String {
        let Some((target, ty)) = self.place() else { return ";".into() };
        let value = self.expression(ty, 2);
        let op = match ty.scalar {
            'B' => return format!("{target} = {value};"),
            'F' | 'D' if is_matrix(ty) => self.rng.pick(&["+=", "-="]),
            'F' | 'D' => self.rng.pick(&["+=", "-=", "*="]),
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
        let letter = self.rng.pick(&['I', 'U', 'F', 'D']);
        let ty = scalar(letter);
        let (Some(a), Some(flag)) = (self.simple_place(ty, &[]), self.simple_place(scalar('B'), &[])) else {
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
                let Some(c) = self.simple_place(ty, &[root(&a).to_string(), root(&b).to_string()]) else {
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
        let variable = Variable { name: counter.clone(), ty: scalar('I'), array: None, writable: false };
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
                    Part::block(format!("while ({c} < {trips} && {condition}) {{ {c}++;"), body, "}"),
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
        vec![Part::block(format!("if ({condition}) {{"), vec![Part::Line(format!("return{value};"))], "}")]
    }

    /// A writable place: a variable, an element, a swizzle, a column, a component.
    fn place(&mut self) -> Option<(String, Ty)> {
        let writable: Vec<Variable> = self.variables.iter().filter(|v| v.writable).cloned().collect();
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
        for v in self.variables.iter().filter(|v| v.writable && !used.iter().any(|u| u == root(&v.name))) {
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

    /// An index below `length`.
    fn index(&mut self, length: usize) -> String {
        match self.rng.below(4) {
            0 | 1 => self.rng.below(length).to_string(),
            2 if length.is_power_of_two() => format!("({}) & {}", self.leaf(scalar('I')), length - 1),
            _ => format!("uint({}) % {length}u", self.leaf(scalar('I'))),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(8) {
            0 => "(px & 1) != 0".into(),
            1 => "(py & 1) == 0".into(),
            2 => format!("px % 3 == {}", self.rng.below(3)),
            3 => "((px ^ py) & 1) == 0".into(),
            _ => self.expression(scalar('B'), depth),
        }
    }

    /// An expression without side effects.
    fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.rng.one_in(4) {
            return self.leaf(ty);
        }
        let d = depth - 1;
        if self.rng.one_in(7) {
            let condition = self.condition(d);
            return format!("({condition} ? {} : {})", self.expression(ty, d), self.expression(ty, d));
        }
        if is_matrix(ty) {
            return match self.rng.below(3) {
                0 => format!("({} + {})", self.expression(ty, d), self.expression(ty, d)),
                1 => format!("matrixCompMult({}, {})", self.expression(ty, d), self.expression(ty, d)),
                _ => format!("transpose({})", self.leaf(Ty { columns: ty.rows, rows: ty.columns, ..ty })),
            };
        }
        if ty.rows > 1 && self.rng.one_in(4) {
            let count = ty.rows;
            let parts: Vec<String> = (0..count).map(|_| self.expression(scalar(ty.scalar), d)).collect();
            return format!("{}({})", ty.name(), parts.join(", "));
        }
        match ty.scalar {
            'F' | 'D' => self.real(ty, d),
            'B' => self.truth(ty, d),
            _ => self.integer(ty, d),
        }
    }

    fn real(&mut self, ty: Ty, d: usize) -> String {
        let a = self.expression(ty, d);
        match self.rng.below(16) {
            0..=2 => format!("({a} + {})", self.expression(ty, d)),
            3..=4 => format!("({a} - {})", self.expression(ty, d)),
            5..=7 => format!("({a} * {})", self.expression(ty, d)),
            8 => format!("(- {a})"),
            9 => format!("abs({a})"),
            10 => {
                let function = self.rng.pick(&["floor", "ceil", "trunc", "roundEven"]);
                format!("{function}({a})")
            }
            11 => {
                let function = self.rng.pick(&["min", "max"]);
                format!("{function}({a}, {})", self.expression(ty, d))
            }
            12 => {
                let from = Ty { scalar: self.rng.pick(&['I', 'U', 'B']), ..ty };
                format!("{}({})", ty.name(), self.expression(from, d))
            }
            13 => {
                let from = Ty { scalar: if ty.scalar == 'F' { 'D' } else { 'F' }, ..ty };
                format!("{}({})", ty.name(), self.expression(from, d))
            }
            14 => {
                let selector = self.expression(Ty { scalar: 'B', ..ty }, d);
                format!("mix({a}, {}, {selector})", self.expression(ty, d))
            }
            _ => format!("clamp({a}, {}, {})", self.typed_literal(ty, "-2.0"), self.typed_literal(ty, "3.5")),
        }
    }

    fn typed_literal(&mut self, ty: Ty, text: &str) -> String {
        let suffix = if ty.scalar == 'D' { "LF" } else { "" };
        format!("{}({text}{suffix})", ty.name())
    }

    fn integer(&mut self, ty: Ty, d: usize) -> String {
        let a = self.expression(ty, d);
        let one = ty.rows == 1;
        match self.rng.below(18) {
            0..=1 => format!("({a} + {})", self.expression(ty, d)),
            2 => format!("({a} - {})", self.expression(ty, d)),
            3..=4 => format!("({a} * {})", self.expression(ty, d)),
            5 => format!("({a} & {})", self.expression(ty, d)),
            6 => format!("({a} | {})", self.expression(ty, d)),
            7 => format!("({a} ^ {})", self.expression(ty, d)),
            8 => format!(
                "({a} {} ({} & 31{}))",
                self.rng.pick(&["<<", ">>"]),
                self.expression(ty, d),
                if ty.scalar == 'U' { "u" } else { "" }
            ),
            9 => format!("({} {a})", self.rng.pick(&["~", "-"])),
            10 if one => {
                let function = self.rng.pick(&["quotient", "remainder"]);
                format!("{function}({a}, {})", self.expression(ty, d))
            }
            11 if one => {
                let function = if ty.scalar == 'I' { "whole" } else { "natural" };
                let from = scalar(self.rng.pick(&['F', 'D']));
                format!("{function}({})", self.leaf(from))
            }
            12 => {
                let from = Ty { scalar: self.rng.pick(&['I', 'U', 'B']), ..ty };
                format!("{}({})", ty.name(), self.expression(from, d))
            }
            13 => {
                let function = self.rng.pick(&["min", "max"]);
                format!("{function}({a}, {})", self.expression(ty, d))
            }
            14 if ty.scalar == 'I' => {
                let function =
                    self.rng.pick(&["abs", "sign", "bitCount", "findMSB", "findLSB", "bitfieldReverse"]);
                format!("{function}({a})")
            }
            15 => format!("bitfieldExtract({a}, {}, {})", self.rng.below(16), self.rng.below(17)),
            16 => {
                let selector = self.expression(Ty { scalar: 'B', ..ty }, d);
                format!("mix({a}, {}, {selector})", self.expression(ty, d))
            }
            _ => format!(
                "bitfieldInsert({a}, {}, {}, {})",
                self.expression(ty, d),
                self.rng.below(16),
                self.rng.below(17)
            ),
        }
    }

    fn truth(&mut self, ty: Ty, d: usize) -> String {
        if ty.rows > 1 {
            let of = Ty { scalar: self.rng.pick(&['F', 'D', 'I', 'U']), ..ty };
            let function = self.rng.pick(&["lessThan", "greaterThanEqual", "equal", "notEqual"]);
            return match self.rng.below(3) {
                0 => format!("not({})", self.expression(ty, d)),
                // Operands of float comparisons are not part of a precise variable: nothing that could be fused.
                _ => format!("{function}({}, {})", self.leaf(of), self.leaf(of)),
            };
        }
        let size = 2 + self.rng.below(3);
        match self.rng.below(8) {
            0 => format!("(!{})", self.expression(ty, d)),
            1 => format!("({} && {})", self.expression(ty, d), self.expression(ty, d)),
            2 => format!("({} || {})", self.expression(ty, d), self.expression(ty, d)),
            3 => format!("({} ^^ {})", self.expression(ty, d), self.expression(ty, d)),
            4 => {
                let function = self.rng.pick(&["any", "all"]);
                format!("{function}({})", self.expression(vector('B', size), d))
            }
            5 => {
                let of = self.any_type();
                let op = self.rng.pick(&["==", "!="]);
                format!("({} {op} {})", self.leaf(of), self.leaf(of))
            }
            _ => {
                let letter = self.rng.pick(&['F', 'D', 'I', 'U']);
                let op = self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]);
                format!("({} {op} {})", self.leaf(scalar(letter)), self.leaf(scalar(letter)))
            }
        }
    }

    /// A variable, a part of one, or a literal.
    fn leaf(&mut self, ty: Ty) -> String {
        if self.rng.one_in(5) {
            return self.literal(ty);
        }
        let candidates: Vec<Variable> = self
            .variables
            .iter()
            .filter(|v| v.ty.scalar == ty.scalar)
            .filter(|v| v.ty == ty || !is_matrix(ty) && v.ty.rows >= ty.rows.min(2))
            .cloned()
            .collect();
        if candidates.is_empty() {
            return self.literal(ty);
        }
        let v = &candidates[self.rng.below(candidates.len())];
        let mut name = v.name.clone();
        if let Some(length) = v.array {
            // Indices inside indices end here.
            let index = match self.rng.below(3) {
                0 => self.rng.below(length).to_string(),
                1 => format!("px % {length}"),
                _ => format!("uint({}) % {length}u", self.plain_int()),
            };
            name = format!("{name}[{index}]");
        }
        if v.ty == ty {
            return name;
        }
        if is_matrix(v.ty) {
            let column =
                if self.rng.one_in(2) { self.rng.below(v.ty.columns).to_string() } else { "px & 1".into() };
            name = format!("{name}[{column}]");
        }
        if v.ty.rows == ty.rows && v.ty.rows > 1 && is_matrix(v.ty) {
            return name;
        }
        if v.ty.rows == 1 {
            return format!("{}({name})", ty.name());
        }
        if ty.rows == 1 && self.rng.one_in(3) {
            return format!("{name}[uint({}) % {}u]", self.plain_int(), v.ty.rows);
        }
        let swizzle: String = (0..ty.rows).map(|_| ['x', 'y', 'z', 'w'][self.rng.below(v.ty.rows)]).collect();
        format!("{name}.{swizzle}")
    }

    /// A scalar integer variable.
    fn plain_int(&mut self) -> String {
        let ints: Vec<String> = self
            .variables
            .iter()
            .filter(|v| v.ty == scalar('I') && v.array.is_none())
            .map(|v| v.name.clone())
            .collect();
        if ints.is_empty() { "px".into() } else { ints[self.rng.below(ints.len())].clone() }
    }

    fn literal(&mut self, ty: Ty) -> String {
        let one = match ty.scalar {
            'F' => self.rng.pick(&["0.0", "1.0", "-1.0", "0.5", "2.0", "3.25", "-0.75", "100.0"]).to_string(),
            'D' => self
                .rng
                .pick(&["0.0LF", "1.0LF", "-1.0LF", "0.5LF", "2.0LF", "0.1LF", "-0.3LF", "1e10LF"])
                .to_string(),
            'I' => self.rng.pick(&["0", "1", "-1", "2", "3", "7", "100", "0x7fffffff", "-12345"]).to_string(),
            'U' => self.rng.pick(&["0u", "1u", "2u", "5u", "255u", "0xffffffffu", "0x80000000u"]).to_string(),
            _ => self.rng.pick(&["true", "false"]).to_string(),
        };
        if ty.components() == 1 { one } else { format!("{}({one})", ty.name()) }
    }
}

/// Whether a variable's name occurs in an expression.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
}

fn declarator(ty: Ty, name: &str, array: Option<usize>) -> String {
    match array {
        None => format!("{} {name}", ty.name()),
        Some(length) => format!("{} {name}[{length}]", ty.name()),
    }
}

/// Statements that write variables' bits to as many outputs as there are, and the outputs' letters.
fn outputs(variables: &[Variable]) -> (Vec<Part>, Vec<char>) {
    let mut values = Vec::new();
    let members =
        [("gs.f", 'F', 1), ("gs.d", 'D', 2), ("gs.i", 'I', 1), ("gs.v[1]", 'F', 3), ("gs.b", 'B', 1)];
    let mut list: Vec<(String, Ty)> = variables.iter().map(|v| (element(v), v.ty)).collect();
    list.extend(members.map(|(name, letter, rows)| (name.to_string(), vector(letter, rows))));
    for (name, ty) in list {
        if values.len() + ty.dwords() <= 32 {
            values.extend(ty.raw(&name).into_iter().map(|text| (text, ty.scalar)));
        }
    }
    let mut dwords: Vec<char> = values.iter().map(|v| v.1).collect();
    let mut texts: Vec<String> = values.into_iter().map(|v| v.0).collect();
    while !texts.len().is_multiple_of(4) {
        texts.push("0u".into());
        dwords.push('U');
    }
    let lines = texts.chunks(4).enumerate();
    let lines = lines.map(|(i, chunk)| Part::Line(format!("o{i} = uvec4({});", chunk.join(", "))));
    (lines.collect(), dwords)
}

fn element(variable: &Variable) -> String {
    match variable.array {
        None => variable.name.clone(),
        Some(length) => format!("{}[{}]", variable.name, length - 1),
    }
}
