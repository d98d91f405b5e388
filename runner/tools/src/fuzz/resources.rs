//! Uniforms, uniform blocks and storage blocks with their contents.

use std::fmt::Write;

use program::Stage;
use program::layout::Rules;
use program::types::{MatrixOrder, Scalar, Type, TypeId, TypeTable};

use super::defects::{Defect, has_parts, is_struct_with_double};
use super::generator::{Generator, LEAVES};
use super::names::{self, elements};
use spirv_rewrite::Random;

/// Values of floating-point scalars.
const REALS: [f64; 15] =
    [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, -2.5, 4.0, 7.25, 10.0, -16.0, 100.0, 0.125, -77.5];
/// Values of integers.
const INTEGERS: [i32; 19] = [
    0,
    1,
    2,
    3,
    5,
    7,
    -1,
    -2,
    -7,
    31,
    32,
    255,
    65535,
    65536,
    -65536,
    i32::MAX,
    i32::MIN,
    123_456_789,
    -987_654_321,
];

/// Matrix orders, with the qualifier.
pub(super) const ORDERS: [(MatrixOrder, &str); 2] =
    [(MatrixOrder::ColumnMajor, ""), (MatrixOrder::RowMajor, ", row_major")];

/// Binding of the first storage block that is a uniform block in Vulkan.
pub(super) const UNIFORMS: u32 = 4;

/// A storage block without its members.
struct Block {
    name: &'static str,
    binding: u32,
    rules: (Rules, &'static str),
    order: (MatrixOrder, &'static str),
}

/// An expression that code reads like a variable; `{n}` is a place for an index below `n`.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub template: String,
    /// Scalar type and number of components.
    pub ty: (Scalar, u8),
}

impl Lookup {
    pub(super) fn new(template: String, scalar: Scalar, rows: u8) -> Lookup {
        Lookup { template, ty: (scalar, rows) }
    }
}

impl Lookup {
    /// Returns the expression with constant or computed indices.
    pub(super) fn expression(&self, generator: &mut Generator) -> (String, TypeId) {
        let mut text = String::new();
        let mut parts = self.template.split('{');
        text += parts.next().unwrap_or_default();
        for part in parts {
            let (length, rest) = part.split_once('}').unwrap_or((part, ""));
            text += &self.index(generator, length.parse().unwrap_or(1));
            text += rest;
        }
        let (scalar, rows) = self.ty;
        (text, generator.vector(scalar, rows))
    }

    /// Returns an index below `length`. glslangValidator computes constants of 16 bits wrongly: it
    /// cuts unsigned ones to eight bits and does not round halves.
    fn index(&self, generator: &mut Generator, length: usize) -> String {
        if generator.is_for_glslang && is_of_16_bits(&self.template) {
            return generator.variable_index(length);
        }
        generator.index(length)
    }
}

/// Returns true if a text has types of 16 bits.
fn is_of_16_bits(text: &str) -> bool {
    ["f16", "i16", "u16", "t16_t"].iter().any(|part| text.contains(part))
}

/// A resource that shaders read.
pub(super) struct Resource {
    /// GLSL declaration.
    pub declaration: String,
    /// Paths and types.
    pub variables: Vec<(String, TypeId)>,
    /// Function calls by which code reads it.
    pub lookups: Vec<Lookup>,
    /// Those that need uniform control flow in fragment shaders.
    pub implicit: Vec<Lookup>,
    /// The same, and only fragment shaders have them.
    pub biased: Vec<Lookup>,
    /// Extensions of the stages that read it.
    pub extensions: &'static [&'static str],
    /// Mask of the stages that read it (bit n: the n-th stage).
    pub stages: usize,
}

impl Resource {
    /// Returns true if the n-th stage reads it.
    pub(super) fn is_of(&self, stage: usize) -> bool {
        self.stages >> stage & 1 != 0
    }
}

/// All resources of a test, and the commands that initialize them.
#[derive(Default)]
pub(super) struct Resources {
    pub all: Vec<Resource>,
    /// Extensions that the test requires.
    pub extensions: Vec<&'static str>,
    pub commands: String,
}

impl Resources {
    /// Returns random resources of a test with a number of stages, uniforms in the form of storage
    /// blocks: Vulkan has no others, and their bytes are commands. `generator` knows the
    /// structures.
    pub(super) fn in_blocks(generator: &mut Generator, stages: usize) -> Resources {
        let mut resources = Resources::default();
        let rules = (Rules::Std140, "std140");
        for (binding, name) in (UNIFORMS..).zip(["Uniforms", "Block0", "Block1"]) {
            if binding > UNIFORMS && generator.random.chance(50) {
                continue;
            }
            let prefix = if binding == UNIFORMS { "u".to_owned() } else { format!("b{binding}m") };
            let members = Resources::members(generator, &prefix);
            let block = Block { name, binding, rules, order: generator.random.pick(&ORDERS) };
            resources.block(generator, stages, &block, members);
        }
        if generator.random.chance(50) {
            resources.storage_block(generator, stages);
        }
        resources
    }

    /// Returns random resources of a test with these stages. `generator` knows the structures.
    pub(super) fn random(generator: &mut Generator, all_stages: &[Stage]) -> Resources {
        let stages = all_stages.len();
        let mut resources = Resources::default();
        for k in 0..generator.random.between(1, 4) {
            let no_doubles = generator.avoids(Defect::UniformStructDouble);
            let ty = generator.type_where(2, LEAVES, |types, ty| {
                !(no_doubles && is_struct_with_double(types, ty))
            });
            let name = format!("u{k}");
            let declaration = format!("uniform {} {name};\n", generator.types.name(ty));
            resources.set_uniforms(generator, &name, ty);
            resources.add(generator, stages, declaration, vec![(name, ty)]);
            if has_parts(&generator.types, ty) {
                resources.restrict_last(generator);
            }
        }
        for k in 0..generator.random.between(0, 2) {
            resources.uniform_block(generator, stages, k);
        }
        if generator.random.chance(50) {
            resources.storage_block(generator, stages);
        }
        resources.lookups(generator, all_stages);
        if generator.random.chance(60) {
            resources.calls(generator, all_stages);
        }
        resources
    }

    fn add(
        &mut self,
        generator: &mut Generator,
        stages: usize,
        declaration: String,
        variables: Vec<(String, TypeId)>,
    ) {
        let mask = generator.random.between(1, (1 << stages) - 1);
        self.all.push(Resource {
            declaration,
            variables,
            lookups: Vec::new(),
            implicit: Vec::new(),
            biased: Vec::new(),
            extensions: &[],
            stages: mask,
        });
    }

    /// Leaves the resource that was added last to one stage, if others would lose it.
    pub(super) fn restrict_last(&mut self, generator: &Generator) {
        if let Some(last) = self.all.last_mut()
            && generator.avoids(Defect::SecondStageUniform)
        {
            last.stages = 1 << last.stages.trailing_zeros();
        }
    }

    fn set_uniforms(&mut self, generator: &mut Generator, path: &str, ty: TypeId) {
        let Generator { types, random, .. } = generator;
        let commands = &mut self.commands;
        names::parts(types, path, ty, &mut |path, ty| {
            let (scalar, count) =
                (types.scalar_of(ty).unwrap_or(Scalar::Int), types.components(ty));
            // The format has no commands for `bool`.
            let name = match (scalar, count) {
                (Scalar::Bool, 1) => "int".to_owned(),
                (Scalar::Bool, _) => format!("ivec{count}"),
                _ => types.name(ty),
            };
            let values: Vec<String> = (0..count).map(|_| value(random, scalar)).collect();
            let _ = writeln!(commands, "uniform {name} {path} {}", values.join(" "));
        });
    }

    /// Returns members with names that begin with `prefix`.
    fn members(generator: &mut Generator, prefix: &str) -> Vec<(String, TypeId)> {
        let count = generator.random.between(1, 5);
        (0..count)
            .map(|k| (format!("{prefix}{k}"), generator.type_where(2, LEAVES, |_, _| true)))
            .collect()
    }

    fn uniform_block(&mut self, generator: &mut Generator, stages: usize, number: usize) {
        let members = Resources::members(generator, &format!("b{number}m"));
        let order = generator.random.pick(&["", ", row_major"]);
        let instance = generator.random.chance(50);
        let mut text = format!("layout(std140{order}) uniform Block{number} {{\n");
        declare_members(&mut text, &generator.types, &members);
        text += &if instance { format!("}} block{number};\n") } else { "};\n".to_owned() };
        let mut variables = Vec::new();
        for (name, ty) in members {
            let (path, outside) = if instance {
                (format!("block{number}.{name}"), format!("Block{number}.{name}"))
            } else {
                (name.clone(), name)
            };
            self.set_uniforms(generator, &outside, ty);
            variables.push((path, ty));
        }
        self.add(generator, stages, text, variables);
    }

    fn storage_block(&mut self, generator: &mut Generator, stages: usize) {
        let members = Resources::members(generator, "s");
        let rules = generator.random.pick(&[
            (Rules::Std430, "std430"),
            (Rules::Std430, "std430"),
            (Rules::Std140, "std140"),
        ]);
        let order = generator.random.pick(&ORDERS);
        let block = Block { name: "Stored", binding: 0, rules, order };
        self.block(generator, stages, &block, members);
    }

    /// Adds a storage block, and commands that write its bytes.
    fn block(
        &mut self,
        generator: &mut Generator,
        stages: usize,
        block: &Block,
        members: Vec<(String, TypeId)>,
    ) {
        let Block { name, binding, rules: (rules, packing), order: (order, order_text) } = *block;
        let mut text = format!(
            "layout({packing}{order_text}, binding = {binding}) readonly buffer {name} {{\n"
        );
        declare_members(&mut text, &generator.types, &members);
        text += "};\n";
        let types: Vec<TypeId> = members.iter().map(|(_, ty)| *ty).collect();
        let block = names::structure(&mut generator.types, name, &types);
        let _ = writeln!(
            self.commands,
            "ssbo {binding} {}",
            rules.size(&generator.types, block, order).next_multiple_of(16)
        );
        let Generator { types, random, .. } = generator;
        let commands = &mut self.commands;
        scalars(types, rules, order, block, 0, &mut |scalar, offset| {
            // Words are stored as signed integers.
            let (name, scalar) = match scalar {
                Scalar::Uint => ("int", Scalar::Int),
                Scalar::Bool => ("int", Scalar::Bool),
                _ => (scalar.name(), scalar),
            };
            let value = value(random, scalar);
            let _ = writeln!(commands, "ssbo {binding} subdata {name} {offset} {value}");
        });
        self.add(generator, stages, text, members);
    }
}

fn declare_members(text: &mut String, types: &TypeTable, members: &[(String, TypeId)]) {
    for (name, ty) in members {
        let _ = writeln!(text, "  {};", names::declarator(types, *ty, name, false));
    }
}

/// Returns a value in the form of commands and vertex data.
pub(super) fn value(random: &mut Random, scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => random.below(2).to_string(),
        Scalar::Int | Scalar::Uint => {
            let value = match random.below(4) {
                0 => random.bits().cast_signed(),
                1 => random.below(16) as i32,
                _ => random.pick(&INTEGERS),
            };
            if scalar == Scalar::Int {
                value.to_string()
            } else {
                value.cast_unsigned().to_string()
            }
        }
        _ => random.pick(&REALS).to_string(),
    }
}

/// Returns every scalar in memory with its offset.
fn scalars(
    types: &TypeTable,
    rules: Rules,
    order: MatrixOrder,
    ty: TypeId,
    offset: u32,
    visit: &mut dyn FnMut(Scalar, u32),
) {
    if let Some((element, length)) = elements(types, ty) {
        let stride = rules.array_stride(types, element, order);
        for k in 0..length as u32 {
            scalars(types, rules, order, element, offset + k * stride, visit);
        }
    } else if let Some(members) = types.members(ty) {
        for (member, (at, _)) in members.iter().zip(rules.offsets(types, members, order)) {
            scalars(types, rules, order, member.ty, offset + at, visit);
        }
    } else if let (Some(scalar), Some((columns, rows))) = (types.scalar_of(ty), types.shape(ty)) {
        let stride = if matches!(types.get(ty), Type::Matrix { .. }) {
            rules.matrix_stride(types, ty, order)
        } else {
            0
        };
        for (column, row) in
            (0..columns).flat_map(|c| (0..rows).map(move |r| (u32::from(c), u32::from(r))))
        {
            let (vector, component) =
                if order == MatrixOrder::ColumnMajor { (column, row) } else { (row, column) };
            let at = if stride == 0 {
                row * scalar.bytes()
            } else {
                vector * stride + component * scalar.bytes()
            };
            visit(scalar, offset + at);
        }
    }
}
