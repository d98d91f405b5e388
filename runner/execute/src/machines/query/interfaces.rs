//! Program interfaces: the resources of each and their properties (OpenGL 4.6 section 7.3.1).

use program::resource::{ActiveBlock, StageMask, Uniform};
use program::types::MatrixOrder;
use program::{
    ArrayLength, FragmentOutput, Global, LinkedStage, Placement, Program, Slot, Stage, Storage,
    Type, TypeId,
};

use super::answer::{Answer, active_uniforms, reported_name, reports_names};
use super::types::gl_type;

/// A resource: its name and properties. Properties that its interface does not have are missing.
pub(super) struct Resource {
    /// Name as GL reports it.
    pub name: String,
    properties: Vec<(&'static str, Answer)>,
}

impl Resource {
    fn new(name: String) -> Resource {
        let length = Answer::Integer(name.len() as i64 + 1);
        Resource { name, properties: vec![("NAME_LENGTH", length)] }
    }

    fn with(mut self, property: &'static str, value: impl Into<i64>) -> Resource {
        self.properties.push((property, Answer::Integer(value.into())));
        self
    }

    fn with_type(mut self, program: &Program, ty: TypeId) -> Resource {
        if let Some(name) = gl_type(&program.types, ty) {
            self.properties.push(("TYPE", Answer::Name(name)));
        }
        self
    }

    fn with_stages(self, stages: StageMask) -> Resource {
        let names = [
            ("REFERENCED_BY_VERTEX_SHADER", Stage::Vertex),
            ("REFERENCED_BY_TESS_CONTROL_SHADER", Stage::TessControl),
            ("REFERENCED_BY_TESS_EVALUATION_SHADER", Stage::TessEval),
            ("REFERENCED_BY_GEOMETRY_SHADER", Stage::Geometry),
            ("REFERENCED_BY_FRAGMENT_SHADER", Stage::Fragment),
            ("REFERENCED_BY_COMPUTE_SHADER", Stage::Compute),
        ];
        names.into_iter().fold(self, |r, (name, stage)| r.with(name, stages.contains(stage)))
    }

    /// The resource with an empty name, if its interface has names.
    fn without_name(mut self) -> Resource {
        self.name.clear();
        if let Some((_, length)) = self.properties.iter_mut().find(|p| p.0 == "NAME_LENGTH") {
            *length = Answer::Integer(1);
        }
        self
    }

    /// Returns the value of an integer property.
    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        match self.property(name)? {
            Answer::Integer(value) => Some(*value),
            Answer::Name(_) => None,
        }
    }

    /// Returns the value of a property by its enum's name without `GL_`.
    pub(super) fn property(&self, name: &str) -> Option<&Answer> {
        self.properties.iter().find(|(property, _)| *property == name).map(|(_, value)| value)
    }
}

/// Returns the resources of an interface by its enum's name without `GL_`.
pub(super) fn resources(program: &Program, interface: &str) -> Option<Vec<Resource>> {
    let named = named_resources(program, interface)?;
    match reports_names(program) {
        true => Some(named),
        false => Some(named.into_iter().map(Resource::without_name).collect()),
    }
}

fn named_resources(program: &Program, interface: &str) -> Option<Vec<Resource>> {
    Some(match interface {
        "UNIFORM" => active_uniforms(program).map(|u| uniform(program, u)).collect(),
        "UNIFORM_BLOCK" => program.uniform_blocks.iter().map(block).collect(),
        "SHADER_STORAGE_BLOCK" => program.storage_blocks.iter().map(block).collect(),
        "BUFFER_VARIABLE" => buffer_variables(program),
        "ATOMIC_COUNTER_BUFFER" => atomic_buffers(program),
        "PROGRAM_INPUT" => {
            program.stages.first().map_or(Vec::new(), |s| variables(program, s, Storage::Input))
        }
        "PROGRAM_OUTPUT" => {
            program.stages.last().map_or(Vec::new(), |s| variables(program, s, Storage::Output))
        }
        "TRANSFORM_FEEDBACK_VARYING" => feedback(program),
        "TRANSFORM_FEEDBACK_BUFFER" => feedback_buffers(program),
        other => return subroutines(program, other),
    })
}

/// Members of the default block have no block, offset or strides.
fn uniform(program: &Program, uniform: &Uniform) -> Resource {
    let atomic = uniform.atomic_binding;
    let in_block = uniform.block.is_some_and(|block| block > 0);
    let known = |value: u32, known: bool| if known { i64::from(value) } else { -1 };
    let buffer =
        atomic.and_then(|b| program.atomic_buffers.iter().position(|&(binding, _)| b == binding));
    Resource::new(reported_name(uniform))
        .with_type(program, uniform.ty)
        .with("ARRAY_SIZE", uniform.array.unwrap_or(1))
        .with("BLOCK_INDEX", uniform.block.map_or(-1, |block| i64::from(block) - 1))
        .with("OFFSET", known(uniform.offset, in_block || atomic.is_some()))
        .with("ARRAY_STRIDE", known(uniform.array_stride, in_block || atomic.is_some()))
        .with("MATRIX_STRIDE", known(uniform.matrix_stride, in_block || atomic.is_some()))
        .with(
            "IS_ROW_MAJOR",
            in_block && uniform.matrix_stride > 0 && uniform.order == MatrixOrder::RowMajor,
        )
        .with("ATOMIC_COUNTER_BUFFER_INDEX", buffer.map_or(-1, |index| index as i64))
        .with("LOCATION", uniform.location.map_or(-1, i64::from))
        .with_stages(uniform.stages)
}

fn block(block: &ActiveBlock) -> Resource {
    Resource::new(block.name.clone())
        .with("BUFFER_BINDING", block.binding)
        .with("BUFFER_DATA_SIZE", block.size)
        .with("NUM_ACTIVE_VARIABLES", block.active_variables)
        .with_stages(block.stages)
}

fn buffer_variables(program: &Program) -> Vec<Resource> {
    let resource = |v: &program::resource::BufferVariable| {
        let name = if v.array.is_some() { format!("{}[0]", v.name) } else { v.name.clone() };
        Resource::new(name)
            .with_type(program, v.ty)
            .with("ARRAY_SIZE", v.array.unwrap_or(1))
            .with("BLOCK_INDEX", v.block)
            .with("OFFSET", v.offset)
            .with("ARRAY_STRIDE", v.array_stride)
            .with("MATRIX_STRIDE", v.matrix_stride)
            .with("IS_ROW_MAJOR", v.matrix_stride > 0 && v.order == MatrixOrder::RowMajor)
            .with("TOP_LEVEL_ARRAY_SIZE", v.top_level_size)
            .with("TOP_LEVEL_ARRAY_STRIDE", v.top_level_stride)
            .with_stages(v.stages)
    };
    program.buffer_variables.iter().map(resource).collect()
}

/// Atomic counter buffers have no names.
fn atomic_buffers(program: &Program) -> Vec<Resource> {
    let resource = |&(binding, size): &(u16, u32)| {
        let counters =
            || program.uniforms.iter().filter(move |u| u.atomic_binding == Some(binding));
        let stages =
            counters().fold(StageMask::default(), |mask, u| StageMask(mask.0 | u.stages.0));
        Resource { name: String::new(), properties: Vec::new() }
            .with("BUFFER_BINDING", binding)
            .with("BUFFER_DATA_SIZE", size)
            .with("NUM_ACTIVE_VARIABLES", counters().count() as i64)
            .with_stages(stages)
    };
    program.atomic_buffers.iter().map(resource).collect()
}

fn feedback(program: &Program) -> Vec<Resource> {
    let buffers = captured_buffers(program);
    let resource = |v: &program::resource::FeedbackVarying| {
        let index = buffers.iter().position(|&buffer| buffer == v.buffer);
        Resource::new(v.name.clone())
            .with_type(program, v.ty)
            .with("ARRAY_SIZE", v.array.unwrap_or(1))
            .with("OFFSET", v.offset)
            .with("TRANSFORM_FEEDBACK_BUFFER_INDEX", index.map_or(-1, |index| index as i64))
    };
    program.feedback.iter().map(resource).collect()
}

/// Returns the feedback buffers of the varyings, in order.
fn captured_buffers(program: &Program) -> Vec<u8> {
    (0..4).filter(|&buffer| program.feedback.iter().any(|v| v.buffer == buffer)).collect()
}

/// Feedback buffers have no names.
fn feedback_buffers(program: &Program) -> Vec<Resource> {
    let resource = |buffer: u8| {
        let varyings = program.feedback.iter().filter(|v| v.buffer == buffer).count();
        Resource { name: String::new(), properties: Vec::new() }
            .with("BUFFER_BINDING", buffer)
            .with("NUM_ACTIVE_VARIABLES", varyings as i64)
            .with("TRANSFORM_FEEDBACK_BUFFER_STRIDE", program.feedback_strides[usize::from(buffer)])
    };
    captured_buffers(program).into_iter().map(resource).collect()
}

/// Returns the resources of `VERTEX_SUBROUTINE`, `VERTEX_SUBROUTINE_UNIFORM` and those of the other
/// stages.
fn subroutines(program: &Program, interface: &str) -> Option<Vec<Resource>> {
    let (stage, uniforms) = match interface.strip_suffix("_SUBROUTINE_UNIFORM") {
        Some(stage) => (stage, true),
        None => (interface.strip_suffix("_SUBROUTINE")?, false),
    };
    let stage = match stage {
        "VERTEX" => Stage::Vertex,
        "TESS_CONTROL" => Stage::TessControl,
        "TESS_EVALUATION" => Stage::TessEval,
        "GEOMETRY" => Stage::Geometry,
        "FRAGMENT" => Stage::Fragment,
        "COMPUTE" => Stage::Compute,
        _ => return None,
    };
    if uniforms {
        let own = program.subroutine_uniforms.iter().filter(|u| u.stage == stage);
        let resource = |u: &program::resource::SubroutineUniform| {
            let name = if u.array.is_some() { format!("{}[0]", u.name) } else { u.name.clone() };
            Resource::new(name)
                .with("ARRAY_SIZE", u.array.unwrap_or(1))
                .with("LOCATION", u.location)
                .with("NUM_COMPATIBLE_SUBROUTINES", u.compatible.len() as i64)
                .with("COMPATIBLE_SUBROUTINES", u.compatible.first().map_or(-1, |f| i64::from(f.1)))
        };
        return Some(own.map(resource).collect());
    }
    let functions = program.stage(stage).into_iter().flat_map(|s| s.shader.functions.values());
    let functions = functions.filter(|f| !f.subroutine_types.is_empty());
    Some(functions.map(|f| Resource::new(f.name.to_string())).collect())
}

/// Returns the names of the active vertex attributes.
pub(super) fn attributes(program: &Program) -> Vec<String> {
    let stage = program.stages.first().filter(|s| s.shader.stage == Stage::Vertex);
    stage.map_or(Vec::new(), |s| {
        variables(program, s, Storage::Input).into_iter().map(|r| r.name).collect()
    })
}

/// Returns the active inputs or outputs of a stage: one entry per leaf of structures and blocks.
/// The interface of an entry point of SPIR-V is active as a whole.
fn variables(program: &Program, stage: &LinkedStage, storage: Storage) -> Vec<Resource> {
    let mut list = Vec::new();
    let is_active = |g: &&Global| g.storage == storage && (g.active || stage.shader.nameless);
    for global in stage.shader.globals.values().filter(is_active) {
        let (ty, per_vertex) = match program.types.array_of(global.ty) {
            Some((element, _)) if is_per_vertex(stage, global) => (element, true),
            _ => (global.ty, false),
        };
        let name = match &global.block {
            Some(block) => block.name.to_string(),
            None if per_vertex => format!("{}[0]", global.name),
            None => global.name.to_string(),
        };
        let mut leaves = Vec::new();
        collect(program, ty, name, location(program, global), &mut leaves);
        for (name, ty, location) in leaves {
            list.push(variable(program, stage, global, name, ty, location));
        }
    }
    list
}

fn is_per_vertex(stage: &LinkedStage, global: &Global) -> bool {
    let single = global.builtin.is_some() || global.interpolation.patch;
    global.storage.is_per_vertex(stage.shader.stage) && !single
}

fn variable(
    program: &Program,
    stage: &LinkedStage,
    global: &Global,
    name: String,
    ty: TypeId,
    location: Option<u32>,
) -> Resource {
    let (element, size) = match program.types.array_of(ty) {
        Some((element, ArrayLength::Fixed(n))) => (element, n),
        _ => (ty, 1),
    };
    let (component, index) = match global.placement {
        Placement::FragmentOutput { output: FragmentOutput::Color { index, .. }, component } => {
            (component, i64::from(index))
        }
        Placement::FragmentOutput { component, .. }
        | Placement::Varying { component, .. }
        | Placement::Attribute { component, .. } => (component, -1),
        _ => (0, -1),
    };
    let resource = Resource::new(name)
        .with_type(program, element)
        .with("ARRAY_SIZE", size)
        .with("LOCATION", location.map_or(-1, i64::from))
        .with("LOCATION_COMPONENT", component)
        .with("IS_PER_PATCH", global.interpolation.patch)
        .with_stages(StageMask::of(stage.shader.stage));
    if global.storage == Storage::Output {
        resource.with("LOCATION_INDEX", index)
    } else {
        resource
    }
}

/// Returns the location of a variable; built-in variables have none.
fn location(program: &Program, global: &Global) -> Option<u32> {
    match global.placement {
        Placement::Attribute { first, .. } => {
            let attribute = program.attributes.get(usize::from(first))?;
            attribute.conventional.is_none().then_some(attribute.location)
        }
        Placement::Varying { slot: Slot::Var(n) | Slot::Patch(n), .. } => Some(n.into()),
        Placement::FragmentOutput { output: FragmentOutput::Color { location, .. }, .. }
            if global.builtin.is_none() =>
        {
            Some(location.into())
        }
        _ => None,
    }
}

/// Collects the leaves of a type: members of structures by their path, and elements of arrays of
/// structures.
fn collect(
    program: &Program,
    ty: TypeId,
    name: String,
    location: Option<u32>,
    leaves: &mut Vec<(String, TypeId, Option<u32>)>,
) {
    /// Maximum number of listed leaves.
    const MOST: usize = 1 << 12;
    let slots = |ty| program::layout::varying_slots(&program.types, ty);
    match program.types.get(ty) {
        _ if leaves.len() >= MOST => {}
        Type::Struct(s) => {
            let mut next = location;
            for member in &s.members {
                let location = member.location.or(next);
                collect(program, member.ty, format!("{name}.{}", member.name), location, leaves);
                next = location.map(|l| l + slots(member.ty));
            }
        }
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            let plain = program.types.shape(*element).is_some();
            if plain {
                leaves.push((format!("{name}[0]"), ty, location));
            } else {
                for i in 0..*n {
                    let location = location.map(|l| l + i * slots(*element));
                    collect(program, *element, format!("{name}[{i}]"), location, leaves);
                }
            }
        }
        _ => leaves.push((name, ty, location)),
    }
}
