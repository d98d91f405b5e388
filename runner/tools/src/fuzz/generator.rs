//! One stage's random code: what is in scope, which types there are, and places that can be read and written.

use std::collections::BTreeSet;

use program::types::{Scalar, TypeId, TypeTable};

use super::helpers::Helper;
use super::names::{self, elements, vector_of};
use super::random::Random;

/// A variable in scope.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// Its name, or the path that leads to it.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Whether it may be written.
    pub writable: bool,
}

/// How a function's parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    In,
    ConstIn,
    Out,
    Inout,
}

impl Direction {
    pub const ALL: [Direction; 4] = [Direction::In, Direction::ConstIn, Direction::Out, Direction::Inout];

    pub fn keyword(self) -> &'static str {
        match self {
            Direction::In => "",
            Direction::ConstIn => "const in ",
            Direction::Out => "out ",
            Direction::Inout => "inout ",
        }
    }

    /// Whether the caller's variable changes.
    pub fn writes(self) -> bool {
        matches!(self, Direction::Out | Direction::Inout)
    }
}

/// A function that may be called.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub name: String,
    /// `None`: void.
    pub result: Option<TypeId>,
    pub parameters: Vec<(Direction, TypeId)>,
    /// Most statements that a call executes.
    pub cost: usize,
    /// Statements that take a call's place when everything is inlined.
    pub size: usize,
}

/// What the statement under construction may do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    /// Blocks around it.
    pub depth: usize,
    /// Loops around it, inside its function.
    pub loops: usize,
    /// How often it is executed at most.
    pub repeats: usize,
    /// The function's result, if it is not void.
    pub result: Option<TypeId>,
    /// `discard` is allowed.
    pub may_discard: bool,
}

/// Writes one stage's code.
pub(super) struct Generator {
    pub random: Random,
    pub types: TypeTable,
    pub structures: Vec<TypeId>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
    /// Functions of ours that the code calls.
    pub helpers: BTreeSet<Helper>,
    /// Whether there are doubles.
    pub doubles: bool,
    pub context: Context,
    /// Finished functions.
    pub definitions: String,
    /// Finished lines of the function under construction.
    code: String,
    /// Operators that the expression under construction may still have.
    pub(super) operators: usize,
    /// Indices around the one under construction.
    indices: usize,
    names: usize,
    /// Most statements that the code so far executes.
    pub(super) executed: usize,
    /// Statements so far, with those of functions for each of their calls.
    pub(super) inlined: usize,
}

impl Generator {
    pub fn new(random: Random, types: TypeTable, structures: Vec<TypeId>, doubles: bool) -> Generator {
        Generator {
            random,
            types,
            structures,
            variables: Vec::new(),
            functions: Vec::new(),
            helpers: BTreeSet::new(),
            doubles,
            context: Context { repeats: 1, ..Context::default() },
            definitions: String::new(),
            code: String::new(),
            operators: 0,
            indices: 0,
            names: 0,
            executed: 0,
            inlined: 0,
        }
    }

    /// Appends a line at the current depth.
    pub fn line(&mut self, text: &str) {
        for _ in 0..=self.context.depth {
            self.code += "  ";
        }
        self.code += text;
        self.code.push('\n');
    }

    /// Takes what was written so far.
    pub fn take_code(&mut self) -> String {
        std::mem::take(&mut self.code)
    }

    /// A name that nothing has yet.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub fn declare(&mut self, name: &str, ty: TypeId, writable: bool) {
        self.variables.push(Variable { name: name.to_owned(), ty, writable });
    }

    pub fn vector(&mut self, scalar: Scalar, rows: u8) -> TypeId {
        self.types.vector(scalar, rows)
    }

    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.types.scalar(scalar)
    }

    /// A random scalar type.
    pub fn any_scalar(&mut self) -> Scalar {
        use Scalar::{Bool, Double, Float, Int, Uint};
        let all =
            [Int, Int, Int, Int, Uint, Uint, Uint, Float, Float, Float, Float, Bool, Double, Double, Double];
        let known = if self.doubles { &all[..] } else { &all[..12] };
        self.random.pick(known)
    }

    /// A random scalar, vector or matrix type.
    pub fn any_value(&mut self) -> TypeId {
        let scalar = self.any_scalar();
        if scalar.is_float() && self.random.chance(20) {
            let (columns, rows) = (self.random.between(2, 4) as u8, self.random.between(2, 4) as u8);
            return self.types.matrix(scalar, columns, rows);
        }
        let rows = self.random.pick(&[1, 1, 1, 2, 3, 4]);
        self.vector(scalar, rows)
    }

    /// A random type with at most `nesting` levels of arrays.
    pub fn any_type(&mut self, nesting: usize) -> TypeId {
        if nesting > 0 && self.random.chance(25) {
            let element = self.any_type(nesting - 1);
            let length = self.random.between(2, 5);
            return names::array(&mut self.types, element, length);
        }
        if !self.structures.is_empty() && self.random.chance(12) {
            let structures = self.structures.clone();
            return self.random.pick(&structures);
        }
        self.any_value()
    }

    /// A random type of at most `leaves` scalars for which `fits` holds, `int` if none is found.
    pub fn type_where(
        &mut self,
        nesting: usize,
        leaves: usize,
        fits: impl Fn(&TypeTable, TypeId) -> bool,
    ) -> TypeId {
        for _ in 0..20 {
            let ty = self.any_type(nesting);
            if names::leaves(&self.types, ty) <= leaves && fits(&self.types, ty) {
                return ty;
            }
        }
        self.scalar(Scalar::Int)
    }

    /// Whether a value of type `want` can be found inside one of type `ty`.
    fn reaches(&self, ty: TypeId, want: TypeId) -> bool {
        if ty == want {
            return true;
        }
        if let Some((element, _)) = elements(&self.types, ty) {
            return self.reaches(element, want);
        }
        if let Some(members) = self.types.members(ty) {
            return members.iter().any(|member| self.reaches(member.ty, want));
        }
        let (Some((_, rows)), Some((scalar, wanted))) = (self.types.shape(ty), vector_of(&self.types, want))
        else {
            return false;
        };
        self.types.scalar_of(ty) == Some(scalar) && wanted <= rows
    }

    /// A place of type `want` in some variable; to be written, or one that is not in a variable of `avoid`.
    pub fn place(&mut self, want: TypeId, write: bool, avoid: &[String]) -> Option<String> {
        let fits = |v: &&Variable| {
            (v.writable || !write)
                && self.reaches(v.ty, want)
                && (self.indices < 2 || v.ty == want)
                && !avoid.iter().any(|name| root(&v.name) == name)
        };
        let candidates: Vec<Variable> = self.variables.iter().filter(fits).cloned().collect();
        if candidates.is_empty() {
            return None;
        }
        let variable = &candidates[self.random.below(candidates.len())];
        self.indices += 1;
        let path = self.path(variable.name.clone(), variable.ty, want, write);
        self.indices -= 1;
        Some(path)
    }

    fn path(&mut self, name: String, ty: TypeId, want: TypeId, write: bool) -> String {
        let vector = vector_of(&self.types, ty);
        if ty == want && !(vector.is_some_and(|(_, rows)| rows > 1) && self.random.chance(20)) {
            return name;
        }
        if let Some((element, length)) = elements(&self.types, ty) {
            let index = self.index(length);
            return self.path(format!("{name}[{index}]"), element, want, write);
        }
        if let Some(members) = self.types.members(ty) {
            let inside: Vec<(String, TypeId)> = members
                .iter()
                .filter(|member| self.reaches(member.ty, want))
                .map(|member| (format!("{name}.{}", member.name), member.ty))
                .collect();
            let (name, ty) = inside[self.random.below(inside.len())].clone();
            return self.path(name, ty, want, write);
        }
        match vector {
            Some((_, rows)) => self.component_path(&name, rows, want, write),
            None => {
                let (Some(scalar), Some((columns, rows))) = (self.types.scalar_of(ty), self.types.shape(ty))
                else {
                    return name;
                };
                let index = self.index(usize::from(columns));
                let column = self.vector(scalar, rows);
                self.path(format!("{name}[{index}]"), column, want, write)
            }
        }
    }

    /// Components of a vector.
    fn component_path(&mut self, name: &str, rows: u8, want: TypeId, write: bool) -> String {
        let wanted = usize::from(self.types.components(want));
        if wanted == 1 && self.random.chance(40) {
            let index = self.index(usize::from(rows));
            return format!("{name}[{index}]");
        }
        let letters = &['x', 'y', 'z', 'w'][..usize::from(rows)];
        let chosen: String = if write {
            self.random.some_of(letters, wanted).into_iter().collect()
        } else {
            (0..wanted).map(|_| self.random.pick(letters)).collect()
        };
        format!("{name}.{chosen}")
    }

    /// An index below `length`, known or computed.
    pub fn index(&mut self, length: usize) -> String {
        let int = self.scalar(Scalar::Int);
        if self.random.chance(40) {
            return self.random.below(length).to_string();
        }
        let whole: Vec<String> =
            self.variables.iter().filter(|v| v.ty == int).map(|v| v.name.clone()).collect();
        if whole.is_empty() {
            return self.random.below(length).to_string();
        }
        let variable = &whole[self.random.below(whole.len())];
        match length.is_power_of_two() {
            true if self.random.chance(50) => format!("{variable} & {}", length - 1),
            _ => format!("uint({variable}) % {length}u"),
        }
    }
}

/// The variable that a path starts at.
pub(super) fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}
