//! One stage's shader: random code in `body`, and hashes of all computed values.

use std::fmt::Write;

use program::Stage;
use program::types::{Scalar, TypeId, TypeTable};

use super::generator::{Generator, LEAVES, Variable};
use super::helpers;
use super::names::{self, elements};
use super::real::Bits;
use super::resources::{Lookup, Resource};

/// Extensions of every shader.
const EXTENSIONS: [&str; 3] =
    ["GL_ARB_arrays_of_arrays", "GL_ARB_shader_storage_buffer_object", "GL_ARB_gpu_shader5"];
/// Maximum number of lookups in uniform control flow.
const MOST_IMPLICIT: usize = 6;
/// Number of hashes that a stage computes.
pub(super) const HASHES: usize = 4;
/// All hashes as the vector passed from stage to stage.
pub(super) const HASH_VECTOR: &str = "ivec4(hash[0], hash[1], hash[2], hash[3])";

/// A shader under construction.
pub(super) struct StageShader {
    pub generator: Generator,
    /// Variables with equal values in all invocations.
    uniform: Vec<Variable>,
    lookups: Vec<Lookup>,
    /// Lookups in uniform control flow.
    implicit: Vec<Lookup>,
    extensions: Vec<&'static str>,
    declarations: String,
    /// Code of `main` before and after `body`.
    prologue: String,
    epilogue: String,
    body: String,
}

impl StageShader {
    /// Returns a stage that reads `resources`.
    pub(super) fn new<'a>(
        mut generator: Generator,
        stage: Stage,
        resources: impl Iterator<Item = &'a Resource>,
    ) -> StageShader {
        let mut declarations = String::new();
        let (mut lookups, mut implicit) = (Vec::new(), Vec::new());
        let mut extensions = EXTENSIONS.to_vec();
        for resource in resources {
            declarations += &resource.declaration;
            lookups.extend(resource.lookups.iter().cloned());
            if stage == Stage::Fragment {
                implicit.extend(resource.implicit.iter().chain(&resource.biased).cloned());
            } else {
                lookups.extend(resource.implicit.iter().cloned());
            }
            extensions.extend(resource.extensions);
            resource.variables.iter().for_each(|(name, ty)| generator.declare(name, *ty, false));
        }
        let uniform = generator.variables.clone();
        declarations += &format!("int hash[{HASHES}];\n");
        StageShader {
            generator,
            uniform,
            lookups,
            implicit,
            extensions,
            declarations,
            prologue: String::new(),
            epilogue: String::new(),
            body: String::new(),
        }
    }

    /// Enables an extension of this stage alone. Some drivers take a shader of another stage that
    /// enables `GL_ARB_compute_shader` for a compute shader.
    pub(super) fn enable(&mut self, extension: &'static str) {
        self.extensions.push(extension);
    }

    /// Returns true if the stage enables an extension.
    pub(super) fn has(&self, extension: &str) -> bool {
        self.extensions.contains(&extension)
    }

    /// Appends declarations.
    pub(super) fn declare(&mut self, text: &str) {
        self.declarations += text;
    }

    /// Declares an input that the code may read.
    pub(super) fn input(&mut self, qualifiers: &str, name: &str, ty: TypeId) {
        let declarator = names::declarator(&self.generator.types, ty, name, false);
        let _ = writeln!(self.declarations, "{qualifiers}in {declarator};");
        self.generator.declare(name, ty, false);
    }

    /// Declares an input for each vertex of a primitive or patch, which is not in scope yet.
    pub(super) fn array_input(&mut self, name: &str, ty: TypeId) {
        let declarator = names::declarator(&self.generator.types, ty, name, true);
        let _ = writeln!(self.declarations, "in {declarator};");
    }

    /// Declares an output, which only the epilogue writes.
    pub(super) fn output(&mut self, qualifiers: &str, name: &str, ty: TypeId, unsized_outer: bool) {
        let declarator = names::declarator(&self.generator.types, ty, name, unsized_outer);
        let _ = writeln!(self.declarations, "{qualifiers}out {declarator};");
    }

    /// Declares a global variable that is computed first and only read afterwards.
    pub(super) fn seed(&mut self, scalar: Scalar, name: &str, value: &str) {
        let ty = self.generator.scalar(scalar);
        self.seed_of(ty, name, value);
    }

    /// Declares such a variable of any type.
    pub(super) fn seed_of(&mut self, ty: TypeId, name: &str, value: &str) {
        let _ = writeln!(self.declarations, "{} {name};", self.generator.types.name(ty));
        self.begin(&format!("{name} = {value};"));
        self.generator.declare(name, ty, false);
    }

    /// Computes lookups that need uniform control flow.
    pub(super) fn look_up_first(&mut self) {
        let all = std::mem::take(&mut self.implicit);
        for (k, lookup) in all.into_iter().enumerate().take(MOST_IMPLICIT) {
            let (expression, ty) = lookup.expression(&mut self.generator);
            self.seed_of(ty, &format!("texel{k}"), &expression);
        }
    }

    /// Appends a line at the beginning of `main`.
    pub(super) fn begin(&mut self, line: &str) {
        let _ = writeln!(self.prologue, "  {line}");
    }

    /// Appends a line at the end of `main`.
    pub(super) fn end(&mut self, line: &str) {
        let _ = writeln!(self.epilogue, "  {line}");
    }

    /// Returns a random value for the end of `main`.
    pub(super) fn value(&mut self, ty: TypeId) -> String {
        self.generator.expression(ty, 2)
    }

    /// Returns a random value that is equal in all invocations.
    pub(super) fn uniform_value(&mut self, ty: TypeId) -> String {
        let all = std::mem::replace(&mut self.generator.variables, self.uniform.clone());
        let value = self.generator.expression(ty, 2);
        self.generator.variables = all;
        value
    }

    /// Writes functions and `body` with about this number of statements, and hashes the resulting
    /// variables.
    pub(super) fn fill(&mut self, statements: usize) {
        self.look_up();
        let read_only = self.generator.variables.clone();
        self.table();
        let globals = self.globals();
        for _ in 0..self.generator.random.between(0, 3) {
            self.generator.function();
        }
        self.generator.statements(statements);
        self.body = format!("void body() {{\n{}}}\n", self.generator.take_code());
        self.end("body();");
        for (k, variable) in globals.iter().enumerate() {
            self.hash(k % (HASHES - 1), std::slice::from_ref(variable));
        }
        self.hash(HASHES - 1, &read_only);
    }

    /// Lets code read lookups with the indices that are in scope.
    pub(super) fn look_up(&mut self) {
        for lookup in std::mem::take(&mut self.lookups) {
            for _ in 0..self.generator.random.between(1, 2) {
                let (expression, ty) = lookup.expression(&mut self.generator);
                self.generator.declare(&expression, ty, false);
            }
        }
    }

    /// Mixes variables into a hash.
    pub(super) fn hash(&mut self, number: usize, variables: &[Variable]) {
        for variable in variables {
            self.fold(&format!("hash[{number}]"), &variable.name, variable.ty);
        }
        let code = self.generator.take_code();
        self.epilogue += &code;
    }

    /// Declares a constant table that is indexed.
    fn table(&mut self) {
        if self.generator.random.chance(60) {
            return;
        }
        let (scalar, length) =
            (self.generator.any_scalar(), self.generator.random.pick(&[3, 4, 8]));
        let element = self.generator.scalar(scalar);
        let ty = names::array(&mut self.generator.types, element, length);
        let value = self.generator.literal(ty);
        let _ =
            writeln!(self.declarations, "const {} table = {value};", self.generator.types.name(ty));
        self.generator.declare("table", ty, false);
    }

    /// Declares global variables with their initial values; the first is an `int`.
    fn globals(&mut self) -> Vec<Variable> {
        let mut globals = Vec::new();
        for k in 0..self.generator.random.between(3, 6) {
            let ty = match k {
                0 => self.generator.scalar(Scalar::Int),
                _ => self.generator.type_where(2, LEAVES, |_, _| true),
            };
            let name = format!("g{k}");
            let precise = if self.generator.random.chance(15) { "precise " } else { "" };
            let type_name = self.generator.types.name(ty);
            let _ = writeln!(self.declarations, "{precise}{type_name} {name};");
            let value = self.generator.expression(ty, 2);
            let _ = writeln!(self.prologue, "  {name} = {value};");
            self.generator.declare(&name, ty, true);
            globals.push(Variable { name, ty, writable: true });
        }
        globals
    }

    /// Returns lines that mix every scalar of a value into `hash`.
    fn fold(&mut self, hash: &str, path: &str, ty: TypeId) {
        if let Some((element, length)) = elements(&self.generator.types, ty) {
            let loop_wanted = length > 1 && self.generator.random.chance(50);
            if loop_wanted && !self.generator.avoids_index(element) {
                let name = self.generator.fresh("k");
                self.generator
                    .line(&format!("for (int {name} = 0; {name} < {length}; {name}++) {{"));
                self.generator.context.depth += 1;
                self.fold(hash, &format!("{path}[{name}]"), element);
                self.generator.context.depth -= 1;
                self.generator.line("}");
            } else {
                (0..length).for_each(|k| self.fold(hash, &format!("{path}[{k}]"), element));
            }
            return;
        }
        let members: Vec<(String, TypeId)> = match self.generator.types.members(ty) {
            Some(members) => members.iter().map(|m| (format!("{path}.{}", m.name), m.ty)).collect(),
            None => Vec::new(),
        };
        for (path, ty) in &members {
            self.fold(hash, path, *ty);
        }
        for scalar in scalars(&self.generator.types, path, ty) {
            self.generator.line(&format!("{hash} = {hash} * 31 + {scalar};"));
        }
    }

    /// Returns the text of the shader.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("#version 420\n");
        for extension in &self.extensions {
            let _ = writeln!(text, "#extension {extension} : enable");
        }
        for &ty in &self.generator.structures {
            text += &structure(&self.generator.types, ty);
        }
        text += &self.declarations;
        text += &helpers::definitions(&self.generator);
        text += &self.generator.definitions;
        text += &self.body;
        text += "void main() {\n";
        let _ = writeln!(text, "  for (int k = 0; k < {HASHES}; k++) hash[k] = k;");
        text + &self.prologue + &self.epilogue + "}\n"
    }
}

/// Returns `int` expressions, one for each scalar of a scalar, vector or matrix.
fn scalars(types: &TypeTable, path: &str, ty: TypeId) -> Vec<String> {
    let (Some(scalar), Some((columns, rows))) = (types.scalar_of(ty), types.shape(ty)) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for column in 0..columns {
        for row in 0..rows {
            let letter = ["x", "y", "z", "w"][usize::from(row)];
            let place = match (columns, rows) {
                (1, 1) => path.to_owned(),
                (1, _) => format!("{path}.{letter}"),
                _ => format!("{path}[{column}].{letter}"),
            };
            all.push(match scalar {
                Scalar::Int => place,
                Scalar::Float | Scalar::Double => {
                    let unit = super::real::literal(
                        scalar,
                        f64::from(1u32 << Bits::stored(scalar).fraction),
                    );
                    format!("int({place} * {unit})")
                }
                _ => format!("int({place})"),
            });
        }
    }
    all
}

fn structure(types: &TypeTable, ty: TypeId) -> String {
    let members = types.members(ty).unwrap_or_default().iter();
    let members: Vec<String> =
        members.map(|m| format!("{} {};", types.name(m.ty), m.name)).collect();
    format!("struct {} {{ {} }};\n", types.name(ty), members.join(" "))
}
