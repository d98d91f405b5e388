//! Reader of the signature table, whose lines become candidates for overload resolution.

use crate::builtins::signatures::{SIGNATURES, WIDE_AND_HALF};
use crate::checker::Checker;
use crate::language::{Availability, Language};
use crate::type_names::of_scalar;
use glsl_syntax::ast::Version;
use program::{BuiltinFunction, Direction, FunctionId, Scalar, Stage, Type, TypeId, TypeTable};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::LazyLock;

/// A type of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Void,
    Counter,
    /// A scalar, or a vector of a fixed size.
    Fixed(Scalar, u8),
    /// A matrix of fixed size: columns, rows.
    FixedMatrix(Scalar, u8, u8),
    /// Scalar and vectors.
    Gen(Scalar),
    /// Vectors.
    Vec(Scalar),
    /// Every matrix.
    Mat(Scalar),
    /// The transpose of the line's matrix.
    Transposed(Scalar),
    /// A vector with as many components as the matrix has columns.
    Col(Scalar),
    /// A vector with as many components as the matrix has rows.
    Row(Scalar),
}

/// One line of the table.
#[derive(Debug)]
struct Line {
    function: BuiltinFunction,
    availability: usize,
    result: Pattern,
    parameters: SmallVec<[(Pattern, Direction); 4]>,
}

#[derive(Default)]
struct Table {
    availabilities: Vec<Availability>,
    lines: FxHashMap<&'static str, Vec<Line>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    table.read(SIGNATURES, 'F');
    for (letter, availability) in
        [('D', "400 0 ARB_gpu_shader_fp64"), ('H', "0 0 AMD_gpu_shader_half_float")]
    {
        table.availabilities.push(Availability::parse(availability));
        table.read(WIDE_AND_HALF, letter);
    }
    table
});

impl Table {
    fn read(&mut self, text: &'static str, letter: char) {
        for line in text.lines().filter(|l| !l.is_empty()) {
            match line.strip_prefix("@ ") {
                Some(text) => self.availabilities.push(Availability::parse(text)),
                None => {
                    let availability = self.availabilities.len().saturating_sub(1);
                    if let Some((name, line)) = parse_line(line, letter, availability) {
                        self.lines.entry(name).or_default().push(line);
                    }
                }
            }
        }
    }
}

fn parse_line(
    line: &'static str,
    letter: char,
    availability: usize,
) -> Option<(&'static str, Line)> {
    let (line, canonical) = match line.split_once(" = ") {
        Some((line, name)) => (line, Some(name)),
        None => (line, None),
    };
    let (result, rest) = line.split_once(' ')?;
    let (name, parameters) = rest.strip_suffix(')')?.split_once('(')?;
    let mut list = SmallVec::new();
    for parameter in parameters.split(',').filter(|p| !p.is_empty()) {
        let (direction, ty) = match parameter.split_once(' ') {
            Some(("out", ty)) => (Direction::Out, ty),
            Some((_, ty)) => (Direction::Opaque, ty),
            None => (Direction::In, parameter),
        };
        let pattern = parse_pattern(ty, letter)?;
        let direction = if pattern == Pattern::Counter { Direction::Opaque } else { direction };
        list.push((pattern, direction));
    }
    let function = BuiltinFunction::from_name(canonical.unwrap_or(name))?;
    let result = parse_pattern(result, letter)?;
    Some((name, Line { function, availability, result, parameters: list }))
}

fn parse_pattern(text: &str, letter: char) -> Option<Pattern> {
    let scalar = |c: &str| {
        let c = c.chars().next()?;
        Some(match if c == '%' { letter } else { c } {
            'F' => Scalar::Float,
            'D' => Scalar::Double,
            'H' => Scalar::Float16,
            'I' => Scalar::Int,
            'U' => Scalar::Uint,
            'B' => Scalar::Bool,
            'L' => Scalar::Int64,
            'M' => Scalar::Uint64,
            'S' => Scalar::Int16,
            'T' => Scalar::Uint16,
            _ => return None,
        })
    };
    if let Some(rest) = text.strip_prefix("gen") {
        return scalar(rest).map(Pattern::Gen);
    }
    if let Some(rest) = text.strip_prefix("vec") {
        return scalar(rest).map(Pattern::Vec);
    }
    if let Some(rest) = text.strip_prefix("mat") {
        return scalar(rest).map(if rest.ends_with('t') {
            Pattern::Transposed
        } else {
            Pattern::Mat
        });
    }
    if let Some(rest) = text.strip_prefix("col") {
        return scalar(rest).map(Pattern::Col);
    }
    if let Some(rest) = text.strip_prefix("row") {
        return scalar(rest).map(Pattern::Row);
    }
    match text {
        "V" => return Some(Pattern::Void),
        "C" => return Some(Pattern::Counter),
        _ => {}
    }
    let digit = |b: u8| b.wrapping_sub(b'0');
    match text.as_bytes() {
        [_] => scalar(text).map(|s| Pattern::Fixed(s, 1)),
        [_, n] => scalar(text).map(|s| Pattern::Fixed(s, digit(*n))),
        [_, c, b'x', r] => scalar(text).map(|s| Pattern::FixedMatrix(s, digit(*c), digit(*r))),
        _ => None,
    }
}

/// The generic size of one instance of a line: (n, n) for vectors, (columns, rows) for matrices.
type Size = (u8, u8);

impl Line {
    /// Returns the component types of the parameters and the result.
    fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        let of = |pattern| match pattern {
            Pattern::Void | Pattern::Counter => None,
            Pattern::Fixed(s, _) | Pattern::FixedMatrix(s, ..) => Some(s),
            Pattern::Gen(s) | Pattern::Vec(s) | Pattern::Mat(s) => Some(s),
            Pattern::Transposed(s) | Pattern::Col(s) | Pattern::Row(s) => Some(s),
        };
        self.parameters.iter().map(|p| p.0).chain([self.result]).filter_map(of)
    }

    /// Returns whether a parameter or the result has this component type.
    fn uses(&self, scalar: Scalar) -> bool {
        self.scalars().any(|other| other == scalar)
    }

    /// Sizes that the line's generic types take.
    fn sizes(&self) -> Vec<Size> {
        let patterns = || self.parameters.iter().map(|p| p.0).chain([self.result]);
        if patterns().any(|p| matches!(p, Pattern::Mat(_))) {
            return (2..=4).flat_map(|c| (2..=4).map(move |r| (c, r))).collect();
        }
        if patterns().any(|p| matches!(p, Pattern::Vec(_))) {
            return (2..=4).map(|n| (n, n)).collect();
        }
        if patterns().any(|p| matches!(p, Pattern::Gen(_))) {
            return (1..=4).map(|n| (n, n)).collect();
        }
        vec![(1, 1)]
    }
}

fn instantiate(types: &mut TypeTable, pattern: Pattern, (columns, rows): Size) -> TypeId {
    match pattern {
        Pattern::Void => TypeTable::VOID,
        Pattern::Counter => types.intern(Type::AtomicCounter),
        Pattern::Fixed(s, n) => types.vector(s, n),
        Pattern::FixedMatrix(s, c, r) => types.matrix(s, c, r),
        Pattern::Gen(s) | Pattern::Vec(s) | Pattern::Row(s) => types.vector(s, rows),
        Pattern::Col(s) => types.vector(s, columns),
        Pattern::Mat(s) => types.matrix(s, columns, rows),
        Pattern::Transposed(s) => types.matrix(s, rows, columns),
    }
}

/// An overload of a built-in function that has a value and only `in` parameters.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    /// Name of the function.
    pub name: &'static str,
    /// True if the version alone does not have it.
    pub of_extension: bool,
    line: &'static Line,
    size: Size,
}

impl Overload {
    /// Returns the types of the parameters and of the value.
    pub fn types(&self, types: &mut TypeTable) -> (Vec<TypeId>, TypeId) {
        let patterns = self.line.parameters.iter();
        let parameters = patterns.map(|(pattern, _)| instantiate(types, *pattern, self.size));
        (parameters.collect(), instantiate(types, self.line.result, self.size))
    }
}

/// Lists the overloads in core shaders of a stage in a desktop version with extensions, in the
/// order of the names; those of textures, images and memory, which are in no table, aside.
pub fn overloads(stage: Stage, version: u16, extensions: &[&str]) -> Vec<Overload> {
    let version = Version { number: version, ..Version::default() };
    let plain = Language::new(version, stage, None);
    let mut extended = Language::new(version, stage, None);
    extensions.iter().for_each(|name| extended.set_extension(name, true));
    let mut names: Vec<&&str> = TABLE.lines.keys().collect();
    names.sort_unstable();
    let mut all = Vec::new();
    for &&name in &names {
        for line in &TABLE.lines[name] {
            let availability = &TABLE.availabilities[line.availability];
            let is_pure = line.result != Pattern::Void
                && line.parameters.iter().all(|(_, direction)| *direction == Direction::In);
            let has_types = line.scalars().all(|scalar| of_scalar(scalar).holds(&extended));
            if is_pure && has_types && extended.allows(availability) {
                let of_extension = !plain.allows(availability);
                let sizes = line.sizes().into_iter();
                all.extend(sizes.map(|size| Overload { name, of_extension, line, size }));
            }
        }
    }
    all
}

/// Callee of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallTarget {
    User(FunctionId),
    Builtin(BuiltinFunction),
}

/// A candidate of overload resolution.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub target: CallTarget,
    pub parameters: SmallVec<[(TypeId, Direction); 5]>,
    pub result: TypeId,
}

impl Checker<'_> {
    /// Returns whether a table line or another built-in of this name exists in this version.
    pub(crate) fn is_builtin_function(&self, name: &str) -> bool {
        let table = &*TABLE;
        let lines = table.lines.get(name).map_or(&[][..], |l| l);
        lines.iter().any(|l| self.language.allows(&table.availabilities[l.availability]))
    }

    /// Returns whether the table has the name in any version.
    pub(crate) fn is_any_builtin_function(&self, name: &str) -> bool {
        TABLE.lines.contains_key(name)
    }

    /// Built-in overloads of a name with a number of parameters, without those already in
    /// `candidates`.
    pub(crate) fn builtin_candidates(
        &mut self,
        name: &str,
        count: usize,
        candidates: &mut Vec<Candidate>,
    ) {
        let table = &*TABLE;
        let lines = table.lines.get(name).map_or(&[][..], |l| l);
        for line in lines.iter().filter(|l| l.parameters.len() == count) {
            if !self.language.allows(&table.availabilities[line.availability])
                || line.uses(Scalar::Float16) && !self.language.has_half_float()
            {
                continue;
            }
            for size in line.sizes() {
                let parameters: SmallVec<[(TypeId, Direction); 5]> = line
                    .parameters
                    .iter()
                    .map(|&(p, d)| (instantiate(self.types, p, size), d))
                    .collect();
                let known = candidates
                    .iter()
                    .any(|c| c.parameters.iter().map(|p| p.0).eq(parameters.iter().map(|p| p.0)));
                if !known {
                    let result = instantiate(self.types, line.result, size);
                    let target = CallTarget::Builtin(line.function);
                    candidates.push(Candidate { target, parameters, result });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood() {
        let count =
            |text: &str| text.lines().filter(|l| !l.is_empty() && !l.starts_with('@')).count();
        let read: usize = TABLE.lines.values().map(Vec::len).sum();
        assert_eq!(read, count(SIGNATURES) + 2 * count(WIDE_AND_HALF));
    }
}
