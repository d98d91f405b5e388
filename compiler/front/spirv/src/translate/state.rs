//! State of a translation.

use cranelift_entity::PrimaryMap;
use program::{ExprId, FunctionId, GlobalId, Local, LocalId, Shader, Stage, TypeId, TypeTable};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use super::place::{Pair, Place};
use super::ways::Ways;
use crate::entry::Api;
use crate::error::Error;
use crate::module::{Instruction, Module};

/// A value of a result.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A local that holds it.
    Local(LocalId),
    /// An expression, used once.
    Expr(ExprId),
    /// An index of the pointer in a local.
    Component(LocalId, u8),
    /// A pointer.
    Pointer(Place),
    /// A sampler or image that was loaded from a place.
    Opaque(Place),
    /// A pointer to a texel of an image.
    Texel(Texel),
}

/// A texel of an image, as an atomic instruction takes it.
#[derive(Clone, Debug)]
pub(crate) struct Texel {
    pub(crate) image: Place,
    /// Id of the coordinate.
    pub(crate) coordinate: u32,
    /// Id of the sample's number.
    pub(crate) sample: u32,
}

/// A translation.
pub(crate) struct ShaderBuilder<'a> {
    pub(crate) module: &'a Module,
    pub(crate) api: Api,
    pub(crate) stage: Stage,
    /// The function of the entry point.
    pub(crate) entry: u32,
    pub(crate) types: &'a mut TypeTable,
    pub(crate) shader: Shader,
    /// Types by id.
    pub(crate) type_ids: FxHashMap<u32, TypeId>,
    /// Values of results other than constants.
    pub(crate) values: FxHashMap<u32, Value>,
    /// Values of specialization constants by id.
    pub(crate) specialized: FxHashMap<u32, u64>,
    /// Values of scalar constants.
    pub(crate) integers: FxHashMap<u32, u64>,
    /// Variables of the shader that hold constants, by the ids of those.
    pub(crate) constant_globals: FxHashMap<u32, GlobalId>,
    /// Number of parts of the constants that were named.
    pub(crate) constant_parts: u32,
    /// Operations on constants that are being translated.
    pub(crate) constant_depth: u32,
    /// Widths of floats whose signed zeros, infinities and NaN are preserved.
    pub(crate) preserved: Vec<u32>,
    /// Results that some instruction takes.
    pub(crate) used: FxHashSet<u32>,
    /// Functions by id.
    pub(crate) function_ids: FxHashMap<u32, FunctionId>,
    /// Functions with pointers to memory that are being translated.
    pub(crate) open_copies: Vec<u32>,
    /// Number of ids beyond those of the module.
    pub(crate) given: u32,
    /// Variables of textures with the samplers that they are used with (Vulkan).
    pub(crate) sampled: FxHashMap<Pair, GlobalId>,
    /// Ways of pointers that are values, once they are needed.
    pub(crate) ways: Option<Ways>,
    pub(crate) body: Body,
}

/// State of the function at hand.
#[derive(Default)]
pub(crate) struct Body {
    pub(crate) locals: PrimaryMap<LocalId, Local>,
    /// Results that may be expressions at their only use.
    pub(crate) single: FxHashSet<u32>,
    /// Locals of `OpPhi`s.
    pub(crate) phis: FxHashMap<u32, LocalId>,
    /// Variables that hold one constant.
    pub(crate) tables: FxHashSet<u32>,
    /// The function is the entry point.
    pub(crate) is_entry: bool,
    /// Locals that are declared where the function begins.
    pub(crate) hoisted: Vec<LocalId>,
}

impl<'a> ShaderBuilder<'a> {
    pub(crate) fn new(
        module: &'a Module,
        api: Api,
        stage: Stage,
        types: &'a mut TypeTable,
    ) -> ShaderBuilder<'a> {
        let mut shader = Shader::new(stage, 460, false);
        shader.nameless = api != Api::OpenGlWithNames;
        ShaderBuilder {
            module,
            api,
            stage,
            entry: 0,
            types,
            shader,
            type_ids: FxHashMap::default(),
            values: FxHashMap::default(),
            specialized: FxHashMap::default(),
            integers: FxHashMap::default(),
            constant_globals: FxHashMap::default(),
            constant_parts: 0,
            constant_depth: 0,
            preserved: Vec::new(),
            used: module.instructions.iter().flat_map(|i| i.ids_from(0)).collect(),
            function_ids: FxHashMap::default(),
            open_copies: Vec::new(),
            given: 0,
            sampled: FxHashMap::default(),
            ways: None,
            body: Body::default(),
        }
    }

    /// The instruction whose result an id is.
    pub(crate) fn definition(&self, user: &Instruction, id: u32) -> Result<&'a Instruction, Error> {
        let missing = || self.module.error(user, format!("%{id} has no definition"));
        self.module.get(id).ok_or_else(missing)
    }

    /// The id that is an operand.
    pub(crate) fn id(&self, instruction: &Instruction, index: usize) -> Result<u32, Error> {
        let missing = || self.module.error(instruction, format!("operand {index} is missing"));
        instruction.id_at(index).ok_or_else(missing)
    }

    /// The word of a literal or enumerant that is an operand.
    pub(crate) fn literal(&self, instruction: &Instruction, index: usize) -> Result<u32, Error> {
        let missing = || self.module.error(instruction, format!("operand {index} is missing"));
        instruction.literal_at(index).ok_or_else(missing)
    }

    /// The error of what the typed program cannot say.
    pub(crate) fn unsupported(&self, instruction: &Instruction, what: impl AsRef<str>) -> Error {
        self.module.error(instruction, format!("{} not supported", what.as_ref()))
    }

    /// The instruction of a type that a pointer type points to.
    pub(crate) fn pointee(&self, user: &Instruction, pointer: u32) -> Result<u32, Error> {
        let definition = self.definition(user, pointer)?;
        match definition.op {
            Op::TypePointer => self.id(definition, 1),
            _ => Err(self.module.error(user, format!("%{pointer} is no pointer type"))),
        }
    }

    pub(crate) fn value_of(&self, user: &Instruction, id: u32) -> Result<&Value, Error> {
        let missing = || self.module.error(user, format!("{} has no value", self.module.name(id)));
        self.values.get(&id).ok_or_else(missing)
    }
}
