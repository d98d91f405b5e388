//! Locations and bindings of a module's interface, and modules with other ones.

use rspirv::spirv::{Decoration, Op, StorageClass};

use crate::module::{Instruction, Module};
use crate::validate::is_before_types;

/// Words before the first instruction.
const HEADER: usize = 5;

/// Kinds of variables that a program shares with the world around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterfaceClass {
    /// An input of the stage.
    Input,
    /// An output of the stage.
    Output,
    /// A uniform of the default block.
    Uniform,
    /// A texture with its sampler, or an image.
    Opaque,
    /// A uniform block.
    UniformBlock,
    /// A storage block.
    StorageBlock,
}

/// A variable of a module's interface. Built-in variables are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceVariable {
    /// Its id.
    pub id: u32,
    /// Its kind.
    pub class: InterfaceClass,
    /// Name of the block that it is, or else its own; empty without debug information.
    pub name: String,
    /// True if it is a block.
    pub is_block: bool,
    /// Its location.
    pub location: Option<u32>,
}

/// A place that a decoration gives a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// `Location`.
    Location(u32),
    /// `Binding`.
    Binding(u32),
    /// No `Binding`.
    Unbound,
}

impl Place {
    /// The decoration with its number.
    fn decoration(self) -> (Decoration, Option<u32>) {
        match self {
            Place::Location(number) => (Decoration::Location, Some(number)),
            Place::Binding(number) => (Decoration::Binding, Some(number)),
            Place::Unbound => (Decoration::Binding, None),
        }
    }
}

impl Module {
    /// The extensions that the module asks for.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        let extensions = self.instructions.iter().filter(|i| i.op == Op::Extension);
        extensions.filter_map(|instruction| instruction.text_at(0))
    }

    /// The variables of the interface, in the order of the module.
    pub fn interface(&self) -> Vec<InterfaceVariable> {
        let globals = self.globals();
        let variables = globals.iter().filter(|i| i.op == Op::Variable);
        variables.filter_map(|variable| self.interface_variable(variable)).collect()
    }

    fn interface_variable(&self, variable: &Instruction) -> Option<InterfaceVariable> {
        let contents = self.contents(variable);
        let has = |decoration| contents.is_some_and(|ty| self.has(ty, decoration));
        let is_storage = has(Decoration::BufferBlock);
        let is_block = is_storage || has(Decoration::Block);
        let is_opaque = contents.and_then(|ty| self.get(ty)).is_some_and(|ty| {
            matches!(ty.op, Op::TypeSampledImage | Op::TypeImage | Op::TypeSampler)
        });
        let class = match variable.literal_at(0).and_then(StorageClass::from_u32)? {
            StorageClass::Input => InterfaceClass::Input,
            StorageClass::Output => InterfaceClass::Output,
            StorageClass::UniformConstant if is_opaque => InterfaceClass::Opaque,
            StorageClass::UniformConstant => InterfaceClass::Uniform,
            StorageClass::Uniform if is_storage => InterfaceClass::StorageBlock,
            StorageClass::Uniform if is_block => InterfaceClass::UniformBlock,
            StorageClass::StorageBuffer => InterfaceClass::StorageBlock,
            _ => return None,
        };
        let is_builtin = self.has(variable.id, Decoration::BuiltIn)
            || contents.is_some_and(|ty| self.member_has(ty, 0, Decoration::BuiltIn));
        let named = contents.filter(|_| is_block).unwrap_or(variable.id);
        (!is_builtin).then(|| InterfaceVariable {
            id: variable.id,
            class,
            name: self.given_name(named).unwrap_or_default().to_owned(),
            is_block,
            location: self.literal(variable.id, Decoration::Location),
        })
    }

    /// The type that a variable points to, without arrays.
    fn contents(&self, variable: &Instruction) -> Option<u32> {
        let mut ty = self.get(variable.ty)?.id_at(1)?;
        while let Some(array) = self.get(ty).filter(|i| i.op == Op::TypeArray) {
            ty = array.id_at(0)?;
        }
        Some(ty)
    }
}

/// Returns a module's words with other locations and bindings of variables, given by their ids.
pub fn with_places(words: &[u32], places: &[(u32, Place)]) -> Vec<u32> {
    let mut placed = words.get(..HEADER).unwrap_or(words).to_vec();
    let (mut rest, mut is_open) = (words.get(HEADER..).unwrap_or_default(), true);
    while let Some(&first) = rest.first() {
        let length = ((first >> 16) as usize).clamp(1, rest.len());
        let (instruction, tail) = rest.split_at(length);
        rest = tail;
        let op = Op::from_u32(first & 0xffff);
        if is_open && op.is_none_or(|op| !is_before_types(op)) {
            is_open = false;
            for (id, place) in places {
                let (decoration, number) = place.decoration();
                let decorate = 4 << 16 | Op::Decorate as u32;
                placed.extend(number.iter().flat_map(|n| [decorate, *id, decoration as u32, *n]));
            }
        }
        if op != Some(Op::Decorate) || !is_replaced(instruction, places) {
            placed.extend_from_slice(instruction);
        }
    }
    placed
}

/// True if a place takes the room of an `OpDecorate`.
fn is_replaced(instruction: &[u32], places: &[(u32, Place)]) -> bool {
    let [_, target, decoration, ..] = *instruction else { return false };
    places.iter().any(|(id, place)| *id == target && place.decoration().0 as u32 == decoration)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble;

    const TEXT: &str = r#"
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main "main" %a %out
        OpExecutionMode %main OriginLowerLeft
        OpName %a "a"
        OpName %out "Block"
        OpName %u "u"
        OpName %Data "Data"
        OpDecorate %a Location 0
        OpDecorate %out BuiltIn FragDepth
        OpDecorate %Data Block
        OpMemberDecorate %Data 0 Offset 0
        OpDecorate %data Binding 0
        OpDecorate %data DescriptorSet 0
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %two = OpConstant %uint 2
        %Data = OpTypeStruct %float
        %list = OpTypeArray %Data %two
        %in = OpTypePointer Input %float
        %outp = OpTypePointer Output %float
        %up = OpTypePointer UniformConstant %float
        %dp = OpTypePointer Uniform %list
        %a = OpVariable %in Input
        %out = OpVariable %outp Output
        %u = OpVariable %up UniformConstant
        %data = OpVariable %dp Uniform
        %main = OpFunction %void None %function
        %begin = OpLabel
        OpReturn
        OpFunctionEnd
    "#;

    fn interface(words: &[u32]) -> Vec<InterfaceVariable> {
        Module::read(words).expect("a module").interface()
    }

    #[test]
    fn places_are_replaced_and_added() {
        let words = assemble(TEXT.as_bytes()).expect("a module").words;
        let before = interface(&words);
        let kinds: Vec<_> = before.iter().map(|v| (&*v.name, v.class, v.location)).collect();
        let expected = [
            ("a", InterfaceClass::Input, Some(0)),
            ("u", InterfaceClass::Uniform, None),
            ("Data", InterfaceClass::UniformBlock, None),
        ];
        assert_eq!(kinds, expected);
        let [a, u, data] = [0, 1, 2].map(|index| before[index].id);
        let places = [(a, Place::Location(5)), (u, Place::Location(7)), (data, Place::Binding(3))];
        let placed = with_places(&words, &places);
        let module = Module::read(&placed).expect("a module");
        let locations: Vec<_> = module.interface().iter().map(|v| v.location).collect();
        assert_eq!(locations, [Some(5), Some(7), None]);
        assert_eq!(module.literal(data, Decoration::Binding), Some(3));
        assert_eq!(placed.len(), words.len() + 4, "two are replaced, one is new");
        let unbound = Module::read(&with_places(&words, &[(data, Place::Unbound)]));
        assert_eq!(unbound.expect("a module").literal(data, Decoration::Binding), None);
        assert_eq!(with_places(&placed, &[]), placed);
    }
}
