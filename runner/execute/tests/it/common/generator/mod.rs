//! Random GLSL fragment shaders whose results the specification fixes bit for bit.
//!
//! Loops are bounded, array indices are in range, integer division and conversions are guarded,
//! operands of one expression do not depend on another's side effects. `precise` outputs and
//! variables forbid fusing. Pixels differ through `px` and `py`, so that control flow diverges
//! within a quad.

mod expression;
mod statement;
mod vocabulary;

use super::operand::Ty;
use super::random::Rng;
use super::source_tree::Part;
pub(crate) use vocabulary::Vocabulary;
use vocabulary::is_real;

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
pub(crate) struct Generated {
    /// Everything before the functions: declarations.
    pub header: String,
    /// Functions, `main` last.
    pub parts: Vec<Part>,
    /// Output dwords' scalar letters, four per target.
    pub dwords: Vec<char>,
}

impl Generated {
    /// The source with other parts.
    pub(crate) fn source(&self, parts: &[Part]) -> String {
        format!("{}{}", self.header, super::source_tree::text(parts))
    }

    /// Number of color outputs.
    pub(crate) fn targets(&self) -> usize {
        self.dwords.len().div_ceil(4)
    }
}

/// Most statements of a program, nested ones included.
const STATEMENTS: usize = 28;

struct Generator<'a> {
    rng: &'a mut Rng,
    vocabulary: Vocabulary,
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
pub(crate) fn generate(rng: &mut Rng, vocabulary: Vocabulary) -> Generated {
    let mut g = Generator {
        rng,
        vocabulary,
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
        let mut header = String::from(self.vocabulary.preamble());
        for &(name, letter, columns, rows, length) in self.vocabulary.uniforms() {
            let ty = Ty { scalar: letter, columns, rows };
            let array = (length > 0).then_some(length);
            header += &format!("uniform {};\n", declarator(ty, name, array));
            self.variables.push(Variable { name: name.into(), ty, array, writable: false });
        }
        header += &structure(self.vocabulary);
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
            let precise = if is_real(variable.ty.scalar) { "precise " } else { "" };
            header +=
                &format!("{precise}{};\n", declarator(variable.ty, &variable.name, variable.array));
            set_up.extend(self.initialize(&variable));
            self.variables.push(variable.clone());
            kept.push(variable);
        }
        header += "Mixed gs;\n";
        set_up.extend(self.initialize_structure("gs"));
        self.add_structure("gs");
        header += &self.vocabulary.helpers();
        let mut parts = Vec::new();
        for _ in 0..self.rng.below(4) {
            let function = self.function();
            parts.push(function);
        }
        parts.push(self.body());
        let (output, dwords) = outputs(&kept, self.vocabulary);
        let targets = dwords.len().div_ceil(4);
        for i in 0..targets {
            header += &format!("layout(location = {i}) precise out uvec4 o{i};\n");
        }
        let mut main = set_up;
        main.push(Part::Fixed("body();".into()));
        if self.rng.one_in(8) {
            let condition = self.condition(1);
            main.push(Part::block(
                format!("if ({condition}) {{"),
                vec![Part::Line("discard;".into())],
                "}",
            ));
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
        let letter = self.rng.pick(self.vocabulary.scalars());
        let rows = self.rng.pick(&[1, 1, 2, 3, 4]);
        if is_real(letter) && self.rng.one_in(5) {
            return Ty {
                scalar: letter,
                columns: 2 + self.rng.below(2),
                rows: 2 + self.rng.below(2),
            };
        }
        vector(letter, rows)
    }

    fn new_variable(&mut self, prefix: &str) -> Variable {
        let ty = self.any_type();
        let lengths: &[usize] = if ty.rows == 1 { &[2, 3, 4, 9, 20] } else { &[2, 3, 4] };
        let array = (!is_matrix(ty) && self.rng.one_in(4)).then(|| self.rng.pick(lengths));
        Variable { name: self.fresh(prefix), ty, array, writable: true }
    }

    /// Initializes every part of a variable.
    fn initialize(&mut self, variable: &Variable) -> Vec<Part> {
        let name = &variable.name;
        match variable.array {
            None => vec![Part::Fixed(format!("{name} = {};", self.expression(variable.ty, 1)))],
            Some(length) => {
                let value = self.expression(variable.ty, 1);
                vec![Part::Fixed(format!(
                    "for (int k = 0; k < {length}; k++) {name}[k] = {value};"
                ))]
            }
        }
    }

    fn add_structure(&mut self, name: &str) {
        for &(member, letter, rows, array) in self.vocabulary.members() {
            let name = format!("{name}.{member}");
            self.variables.push(Variable { name, ty: vector(letter, rows), array, writable: true });
        }
    }

    fn initialize_structure(&mut self, name: &str) -> Vec<Part> {
        let mut values = Vec::new();
        for &(_, letter, rows, array) in self.vocabulary.members() {
            let ty = vector(letter, rows);
            values.push(match array {
                None => self.expression(ty, 1),
                Some(length) => {
                    let elements: Vec<String> =
                        (0..length).map(|_| self.expression(ty, 0)).collect();
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
            let precise = if is_real(variable.ty.scalar) { "precise " } else { "" };
            let declaration = declarator(variable.ty, &variable.name, variable.array);
            parts.push(Part::Fixed(format!("{precise}{declaration};")));
            parts.extend(self.initialize(&variable));
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
            body.extend(self.initialize(&variable));
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
            body.extend(self.initialize_structure("ls"));
            self.add_structure("ls");
        }
        self.budget = STATEMENTS;
        let statements = 4 + self.rng.below(8);
        body.extend(self.statements(statements));
        // Values of locals are copied to globals of their types.
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
}

/// The structure that programs have.
fn structure(vocabulary: Vocabulary) -> String {
    let members = vocabulary.members().iter().map(|&(name, letter, rows, array)| {
        format!(" {};", declarator(vector(letter, rows), name, array))
    });
    format!("struct Mixed {{{} }};\n", members.collect::<String>())
}

fn declarator(ty: Ty, name: &str, array: Option<usize>) -> String {
    match array {
        None => format!("{} {name}", ty.name()),
        Some(length) => format!("{} {name}[{length}]", ty.name()),
    }
}

/// Statements that write variables' bits to as many outputs as there are, and the outputs' letters.
fn outputs(variables: &[Variable], vocabulary: Vocabulary) -> (Vec<Part>, Vec<char>) {
    let mut values = Vec::new();
    let members = vocabulary.members().iter().map(|&(name, letter, rows, array)| {
        let last = array.map(|length| format!("[{}]", length - 1)).unwrap_or_default();
        (format!("gs.{name}{last}"), vector(letter, rows))
    });
    let mut list: Vec<(String, Ty)> = variables.iter().map(|v| (element(v), v.ty)).collect();
    list.extend(members);
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
