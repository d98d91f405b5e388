//! The vertex shader that supplies a fragment shader's inputs.

use program::qualifier::{Interpolation, InterpolationMode};
use program::resource::Slot;
use program::types::{ArrayLength, Scalar, Type, TypeId, TypeTable};
use program::variable::{Global, Storage};
use program::{Program, Stage};

use super::error::WrapError;

/// Writes the vertex shader: every input changes over the window if it may be interpolated.
pub(super) fn vertex_shader(program: &Program, version: &str) -> Result<String, WrapError> {
    let stage = program.stage(Stage::Fragment).ok_or(WrapError::NoFragmentShader)?;
    let is_old = is_old(version);
    let (input, output) = if is_old { ("attribute", "varying") } else { ("in", "out") };
    let mut declarations = format!("{input} vec4 piglit_vertex;\n");
    let mut assignments = Assignments::default();
    for global in stage.shader.globals.values() {
        let is_own = global.builtin.is_none() && global.storage == Storage::Input;
        if is_own && global.active {
            declarations += &declaration(&program.types, global, output)?;
            let path = if global.block.is_some() && !has_instance(&program.types, global) {
                ""
            } else {
                &*global.name
            };
            assignments.variable(&program.types, global.ty, path)?;
        }
    }
    for input in &stage.inputs {
        assignments.text += &match input.slot {
            Slot::Color(0) => "gl_FrontColor = place;\n".to_owned(),
            Slot::Color(_) => "gl_FrontSecondaryColor = place;\n".to_owned(),
            Slot::TexCoord(n) => format!("gl_TexCoord[{n}] = place;\n"),
            Slot::Fog => "gl_FogFragCoord = place.x;\n".to_owned(),
            _ => continue,
        };
    }
    Ok(format!(
        "{declarations}void main() {{\nvec4 place = vec4(piglit_vertex.xy * 0.5 + 0.5, 0.75, 1.0);\n\
         {}gl_Position = piglit_vertex;\n}}\n",
        assignments.text
    ))
}

/// Returns true for versions of the language with `attribute` and `varying` instead of `in` and
/// `out`.
fn is_old(version: &str) -> bool {
    let number = version.split_whitespace().find_map(|word| word.parse::<u32>().ok());
    number.is_none_or(|number| number < 130)
}

/// Returns true if members of a block are reached through its instance: a block without one is
/// named as its type.
fn has_instance(types: &TypeTable, global: &Global) -> bool {
    let ty = types.without_arrays(global.ty);
    !matches!(types.get(ty), Type::Struct(block) if block.name == global.name)
}

fn declaration(types: &TypeTable, global: &Global, storage: &str) -> Result<String, WrapError> {
    let location = global.layout.location.map(|n| format!("layout(location = {n}) "));
    let mode = interpolation(global.interpolation);
    let (location, name) = (location.unwrap_or_default(), &global.name);
    if global.block.is_none() {
        let (element, lengths) = element(types, global.ty, name)?;
        return Ok(format!("{location}{mode}{storage} {} {name}{lengths};\n", types.name(element)));
    }
    let Some(members) = types.members(global.ty) else {
        return Err(WrapError::NotSupplied(format!("the array of input blocks `{name}`")));
    };
    let mut text = format!("{location}{mode}{storage} {} {{", types.name(global.ty));
    for member in members {
        let (element, lengths) = element(types, member.ty, &member.name)?;
        let mode = interpolation(member.interpolation);
        let (ty, name) = (types.name(element), &member.name);
        text += &format!(" {mode}{ty} {name}{lengths};");
    }
    let instance = if has_instance(types, global) { format!(" {name}") } else { String::new() };
    Ok(format!("{text} }}{instance};\n"))
}

fn interpolation(interpolation: Interpolation) -> &'static str {
    match interpolation.mode {
        InterpolationMode::Flat => "flat ",
        InterpolationMode::NoPerspective => "noperspective ",
        InterpolationMode::Default | InterpolationMode::Smooth => "",
    }
}

/// Returns the element type of a variable, and the lengths of its arrays as text.
fn element(types: &TypeTable, ty: TypeId, name: &str) -> Result<(TypeId, String), WrapError> {
    let element = types.without_arrays(ty);
    if types.members(element).is_some() {
        return Err(WrapError::NotSupplied(format!("the input structure `{name}`")));
    }
    let mut lengths = String::new();
    let mut ty = ty;
    while let Type::Array { element, length } = *types.get(ty) {
        let ArrayLength::Fixed(length) = length else {
            return Err(WrapError::NotSupplied(format!("the input without a size `{name}`")));
        };
        lengths += &format!("[{length}]");
        ty = element;
    }
    Ok((element, lengths))
}

/// Assignments to the outputs of the vertex shader.
#[derive(Default)]
struct Assignments {
    text: String,
    /// Number of vectors so far. Their components are rotated in turn, and scaled after each round:
    /// a normal and a tangent that are parallel would leave the fragment shader's results to
    /// rounding.
    vectors: usize,
}

impl Assignments {
    /// Adds assignments to all parts of a variable; the `path` of a block without an instance is
    /// empty.
    fn variable(&mut self, types: &TypeTable, ty: TypeId, path: &str) -> Result<(), WrapError> {
        match types.get(ty) {
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                for index in 0..*length {
                    self.variable(types, *element, &format!("{path}[{index}]"))?;
                }
            }
            Type::Struct(block) => {
                for member in &block.members {
                    let dot = if path.is_empty() { "" } else { "." };
                    let path = format!("{path}{dot}{}", member.name);
                    self.variable(types, member.ty, &path)?;
                }
            }
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => {
                let value = self.value(types, ty);
                self.text += &format!("{path} = {value};\n");
            }
            _ => return Err(WrapError::NotSupplied(format!("the input `{path}`"))),
        }
        Ok(())
    }

    /// Returns an expression of a type: interpolated types depend on the place in the window.
    fn value(&mut self, types: &TypeTable, ty: TypeId) -> String {
        match types.get(ty) {
            Type::Scalar(Scalar::Float) => "place.x".to_owned(),
            Type::Vector { scalar: Scalar::Float, size } => {
                let (turns, scales) = match size {
                    2 => (["place.xy", "place.yx"].as_slice(), ["0.5, 1.0", "1.0, 0.75"]),
                    3 => (
                        ["place.xyz", "place.yzx", "place.zxy"].as_slice(),
                        ["0.5, 1.0, 0.75", "1.0, 0.75, 0.5"],
                    ),
                    _ => (
                        ["place", "place.yzxw", "place.zxyw"].as_slice(),
                        ["0.5, 1.0, 0.75, 1.0", "1.0, 0.75, 0.5, 1.0"],
                    ),
                };
                let (round, turn) = (self.vectors / turns.len(), self.vectors % turns.len());
                self.vectors += 1;
                match round % 3 {
                    0 => turns[turn].to_owned(),
                    round => format!("{} * vec{size}({})", turns[turn], scales[round - 1]),
                }
            }
            _ => format!("{}(1)", types.name(ty)),
        }
    }
}
