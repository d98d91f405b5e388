//! Generator of one stage's random code: scope, types, and places that can be read and written.

use std::collections::BTreeSet;

use program::types::{Scalar, TypeId, TypeTable};

use super::defects::{self, Defect};
use super::names::{self, elements, vector_of};
use spirv_rewrite::Random;

/// Maximum number of scalars in a global variable.
pub(super) const LEAVES: usize = 40;

/// A helper function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    /// `wrap` of a type: the nearest smaller value within the range of variables, modulo that
    /// range.
    Wrap(TypeId),
    /// `quotient` of integers: of any operands; the first operand where the quotient is undefined.
    Quotient(Scalar),
    /// `remainder` of integers.
    Remainder(Scalar),
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// Name of the variable, or a path to a part of it.
    pub name: String,
    /// Type of the variable.
    pub ty: TypeId,
    /// True if the variable may be written.
    pub writable: bool,
}

/// Direction of a function's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    In,
    ConstIn,
    Out,
    Inout,
}

impl Direction {
    pub(super) const ALL: [Direction; 4] =
        [Direction::In, Direction::ConstIn, Direction::Out, Direction::Inout];

    pub(super) fn keyword(self) -> &'static str {
        match self {
            Direction::In => "",
            Direction::ConstIn => "const in ",
            Direction::Out => "out ",
            Direction::Inout => "inout ",
        }
    }

    /// Returns true if the caller's variable changes.
    pub(super) fn writes(self) -> bool {
        matches!(self, Direction::Out | Direction::Inout)
    }
}

/// A callable function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub name: String,
    /// Type of the result; `None` for void.
    pub result: Option<TypeId>,
    pub parameters: Vec<(Direction, TypeId)>,
    /// Maximum number of statements executed by a call.
    pub cost: usize,
    /// Number of statements of an inlined call.
    pub size: usize,
}

/// Context of the statement under construction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    /// Number of enclosing blocks.
    pub depth: usize,
    /// Number of enclosing loops in the function.
    pub loops: usize,
    /// Number of enclosing `switch` statements in the innermost loop.
    pub switches: usize,
    /// Maximum number of executions.
    pub repeats: usize,
    /// Type of the function's result, unless void.
    pub result: Option<TypeId>,
    /// `discard`, or `demote`, is allowed.
    pub may_discard: Option<&'static str>,
}

/// Generator of one stage's code.
pub(super) struct Generator {
    pub random: Random,
    pub types: TypeTable,
    pub structures: Vec<TypeId>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
    /// Helper functions that the code calls.
    pub helpers: BTreeSet<Helper>,
    /// True if doubles are available.
    pub doubles: bool,
    pub context: Context,
    /// Known defects whose constructs are left out.
    pub defects: Vec<Defect>,
    /// The code becomes SPIR-V, which has no subroutines.
    pub is_translated: bool,
    /// Khronos's compiler reads the programs.
    pub is_for_glslang: bool,
    /// Finished functions.
    pub definitions: String,
    /// Finished lines of the function under construction.
    code: String,
    /// Number of operators left for the expression under construction.
    pub(super) operators: usize,
    /// Number of enclosing index expressions.
    indices: usize,
    names: usize,
    /// Maximum number of statements executed so far.
    pub(super) executed: usize,
    /// Number of statements so far, with functions inlined.
    pub(super) inlined: usize,
}

impl Generator {
    pub(super) fn new(
        random: Random,
        types: TypeTable,
        structures: Vec<TypeId>,
        doubles: bool,
    ) -> Generator {
        Generator {
            random,
            types,
            structures,
            variables: Vec::new(),
            functions: Vec::new(),
            helpers: BTreeSet::new(),
            doubles,
            context: Context { repeats: 1, ..Context::default() },
            defects: Vec::new(),
            is_translated: false,
            is_for_glslang: false,
            definitions: String::new(),
            code: String::new(),
            operators: 0,
            indices: 0,
            names: 0,
            executed: 0,
            inlined: 0,
        }
    }

    /// Returns true if the construct of a known defect is left out.
    pub(super) fn avoids(&self, defect: Defect) -> bool {
        self.defects.contains(&defect)
    }

    /// Appends a line at the current depth.
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..=self.context.depth {
            self.code += "  ";
        }
        self.code += text;
        self.code.push('\n');
    }

    /// Returns and clears the code written so far.
    pub(super) fn take_code(&mut self) -> String {
        std::mem::take(&mut self.code)
    }

    /// Returns an unused name.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub(super) fn declare(&mut self, name: &str, ty: TypeId, writable: bool) {
        self.variables.push(Variable { name: name.to_owned(), ty, writable });
    }

    pub(super) fn vector(&mut self, scalar: Scalar, rows: u8) -> TypeId {
        self.types.vector(scalar, rows)
    }

    pub(super) fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.types.scalar(scalar)
    }

    /// Returns a random scalar type.
    pub(super) fn any_scalar(&mut self) -> Scalar {
        use Scalar::{Bool, Double, Float, Int, Uint};
        let all = [
            Int, Int, Int, Int, Uint, Uint, Uint, Float, Float, Float, Float, Bool, Double, Double,
            Double,
        ];
        let known = if self.doubles { &all[..] } else { &all[..12] };
        self.random.pick(known)
    }

    /// Returns a random scalar, vector or matrix type.
    pub(super) fn any_value(&mut self) -> TypeId {
        let scalar = self.any_scalar();
        if scalar.is_float() && self.random.chance(20) {
            let (columns, rows) =
                (self.random.between(2, 4) as u8, self.random.between(2, 4) as u8);
            return self.types.matrix(scalar, columns, rows);
        }
        let rows = self.random.pick(&[1, 1, 1, 2, 3, 4]);
        self.vector(scalar, rows)
    }

    /// Returns a random type with at most `nesting` levels of arrays.
    pub(super) fn any_type(&mut self, nesting: usize) -> TypeId {
        if nesting > 0 && self.random.chance(25) {
            let element = self.any_type(nesting - 1);
            // Compilers treat long arrays in other ways.
            let is_scalar = self.types.shape(element) == Some((1, 1));
            let is_long = is_scalar && self.random.chance(10);
            let length =
                if is_long { self.random.between(33, 40) } else { self.random.between(2, 5) };
            return names::array(&mut self.types, element, length);
        }
        if !self.structures.is_empty() && self.random.chance(12) {
            let structures = self.structures.clone();
            return self.random.pick(&structures);
        }
        self.any_value()
    }

    /// Returns a random type of at most `leaves` scalars for which `fits` is true, or `int` if none
    /// is found.
    pub(super) fn type_where(
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

    /// Returns true if a value of type `want` exists inside one of type `ty`.
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
        let (Some((_, rows)), Some((scalar, wanted))) =
            (self.types.shape(ty), vector_of(&self.types, want))
        else {
            return false;
        };
        self.types.scalar_of(ty) == Some(scalar) && wanted <= rows
    }

    /// Returns a place of type `want` in some variable: a writable one, or one outside of the
    /// variables in `avoid`.
    pub(super) fn place(&mut self, want: TypeId, write: bool, avoid: &[String]) -> Option<String> {
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
            let index = self.index_of(length, element, write);
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
                let (Some(scalar), Some((columns, rows))) =
                    (self.types.scalar_of(ty), self.types.shape(ty))
                else {
                    return name;
                };
                let column = self.vector(scalar, rows);
                let index = self.index_of(usize::from(columns), column, write);
                self.path(format!("{name}[{index}]"), column, want, write)
            }
        }
    }

    /// Returns the path of some components of a vector.
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
        if !write && wanted > 1 && self.avoids(Defect::BlockSwizzleIndex) {
            let parts: Vec<String> =
                chosen.chars().map(|letter| format!("{name}.{letter}")).collect();
            return format!("{}({})", self.types.name(want), parts.join(", "));
        }
        format!("{name}.{chosen}")
    }

    /// Returns an index below `length` of an array of `element`.
    pub(super) fn index_of(&mut self, length: usize, element: TypeId, write: bool) -> String {
        let index = self.index(length);
        let is_computed = index.parse::<usize>().is_err();
        let moves = write
            && self.avoids(Defect::ComputedVectorStore)
            && defects::has_vector(&self.types, element);
        if is_computed && (moves || self.avoids_index(element)) {
            return self.random.below(length).to_string();
        }
        index
    }

    /// Returns true if arrays of `element` have no computed index.
    pub(super) fn avoids_index(&self, element: TypeId) -> bool {
        self.avoids(Defect::BooleanArray) && defects::has_boolean(&self.types, element)
    }

    /// Returns a constant of a type. glslangValidator cuts those of `uint16_t` to eight bits.
    pub(super) fn constant(&self, scalar: Scalar, value: u32) -> u32 {
        let is_cut = self.is_for_glslang && scalar == Scalar::Uint16;
        if is_cut { value & 0xff } else { value }
    }

    /// Returns an index below `length`, constant or computed.
    pub(super) fn index(&mut self, length: usize) -> String {
        let computed =
            if self.random.chance(40) { None } else { self.computed_index(length, |_| true) };
        computed.unwrap_or_else(|| self.random.below(length).to_string())
    }

    /// Returns an index below `length` that is no constant expression.
    pub(super) fn variable_index(&mut self, length: usize) -> String {
        // Calls may have constant arguments alone.
        let computed = self.computed_index(length, |name| !name.contains('('));
        computed.unwrap_or_else(|| format!("uint(hash[0]) % {length}u"))
    }

    /// Returns an index below `length` from a variable with a name that fits, if there is one.
    fn computed_index(&mut self, length: usize, fits: fn(&str) -> bool) -> Option<String> {
        let int = self.scalar(Scalar::Int);
        let whole = self.variables.iter().filter(|v| v.ty == int && fits(&v.name));
        let whole: Vec<String> = whole.map(|v| v.name.clone()).collect();
        if whole.is_empty() {
            return None;
        }
        let variable = &whole[self.random.below(whole.len())];
        Some(match length.is_power_of_two() {
            true if self.random.chance(50) => format!("{variable} & {}", length - 1),
            _ => format!("uint({variable}) % {length}u"),
        })
    }
}

/// Returns true if a path has an index that is not a literal.
pub(super) fn has_computed_index(path: &str) -> bool {
    path.split('[').skip(1).any(|rest| !rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns the variable at the start of a path.
pub(super) fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}
