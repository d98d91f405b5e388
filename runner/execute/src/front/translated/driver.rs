//! Translated scripts for OpenGL drivers: modules in place of GLSL, numbers in place of names.

use std::sync::Arc;

use gl_machine::machine::uniforms::find;
use program::resource::Uniform as ActiveUniform;
use program::types::MatrixOrder;
use program::{Capabilities, Program, Stage};
use script::{
    Attribute, Command, Content, QueryCommand, Script, Section, Span, SpirvMode, TestLine, Uniform,
    UniformTarget,
};
use spirv_front::{Module, with_places};

use super::super::{FrontEnd, Linked};
use super::places::{StageInterface, UniformPlaces, attribute, places};
use results::verdict::{Phase, Verdict};

/// Modules in place of the GLSL of a script.
pub(crate) struct DriverModules {
    modules: Vec<(Stage, Vec<u8>)>,
    /// True if a fragment shader is alone: piglit puts a stage in front of it.
    is_alone: bool,
    /// True if lines that name no active uniform have no effect.
    ignores_missing: bool,
    program: Arc<Program>,
    uniforms: UniformPlaces,
}

/// Translates the shaders of a script for a driver. `offered` tells which extensions of SPIR-V it
/// takes.
///
/// # Errors
/// The verdict of shaders that have no translation, or whose test needs what SPIR-V lacks: names of
/// its interface, or errors of linking.
pub(crate) fn for_driver(
    script: &Script<'_>,
    capabilities: &Capabilities,
    offered: impl Fn(&str) -> bool,
) -> Result<Option<DriverModules>, Verdict> {
    let needs_names = |line: &&TestLine<'_>| match &line.command {
        Command::Query(query) => !matches!(query, QueryCommand::Object { .. }),
        _ => false,
    };
    if let Some(line) = script.test.iter().flatten().find(needs_names) {
        let reason = "queries of an interface need names, which drivers do not keep";
        return Err(Verdict::skip(format!("line {}: {reason}", line.number)));
    }
    let mut front = FrontEnd::compiled(script, capabilities)?;
    let modules = std::mem::take(&mut front.modules);
    let program = match front.finish()? {
        Linked::Program(program) | Linked::Pipeline(program, _) => program,
        Linked::Nothing => return Ok(None),
        Linked::Failed(log) => {
            let reason = "linking SPIR-V has no errors, the GLSL does not link";
            return Err(Verdict::skip(format!("{reason}: {log}")));
        }
    };
    let uniforms = UniformPlaces::new(&program);
    let mut before: Option<StageInterface> = None;
    let mut placed = Vec::new();
    for (stage, words) in &modules {
        let module = Module::checked(words)
            .map_err(|error| Verdict::fail(Phase::Frontend, error.to_string()))?;
        let interface = StageInterface::new(*stage, &module, &program);
        if let Some(name) = interface.extensions.iter().find(|name| !offered(name)) {
            return Err(Verdict::skip(format!("the driver lacks {name}")));
        }
        let changes = places(&program, &uniforms, &interface, before.as_ref());
        let words = with_places(words, &changes);
        placed.push((*stage, words.iter().flat_map(|word| word.to_le_bytes()).collect()));
        before = Some(interface);
    }
    let has = |stage| modules.iter().any(|(of, _)| *of == stage);
    let is_alone = modules.len() == 1 && has(Stage::Fragment);
    let ignores_missing = script.require.ignore_missing_uniforms;
    Ok(Some(DriverModules { modules: placed, is_alone, ignores_missing, program, uniforms }))
}

impl DriverModules {
    /// Returns the script with modules in place of its GLSL.
    pub(crate) fn script<'s>(&'s self, script: &Script<'s>) -> Script<'s> {
        let mut script = script.clone();
        script.require.spirv = SpirvMode::Only;
        script.sections.retain(|section| !matches!(section.content, Content::Shader(_)));
        let section = |content| Section {
            line: 0,
            header: Span { start: 0, end: 0 },
            body: Span { start: 0, end: 0 },
            content,
        };
        let is_passed = |s: &Section<'_>| matches!(s.content, Content::Passthrough(_));
        if self.is_alone && !script.sections.iter().any(is_passed) {
            let text = script::SPIRV_PASSTHROUGH;
            script.sections.push(section(Content::Spirv { stage: Stage::Vertex, text }));
        }
        for (stage, text) in &self.modules {
            script.sections.push(section(Content::Spirv { stage: *stage, text }));
        }
        let columns = script.vertex_data.iter_mut().flat_map(|data| &mut data.columns);
        for column in columns {
            if let Attribute::Name(name) = column.attribute
                && let Some(location) = attribute(&self.program, name)
            {
                column.attribute = Attribute::Location(location);
            }
        }
        let lines = script.test.take();
        script.test = lines.map(|lines| lines.into_iter().flat_map(|l| self.line(l)).collect());
        script
    }

    /// A command with numbers in place of names.
    fn line<'s>(&self, line: TestLine<'s>) -> Vec<TestLine<'s>> {
        let Command::Uniform(mut uniform) = line.command else { return vec![line] };
        let UniformTarget::Name(name) = uniform.target else { return vec![line] };
        if let Some((member, element)) = self.member(name) {
            return member_commands(member, element, uniform)
                .map(|command| TestLine { command, ..line.clone() })
                .to_vec();
        }
        let is_active = find(&self.program, name).is_some();
        let location = self.uniforms.location(&self.program.types, name).filter(|_| is_active);
        if let Some(location) = location.and_then(|location| i32::try_from(location).ok()) {
            uniform.target = UniformTarget::Location(location);
            return vec![TestLine { command: Command::Uniform(uniform), ..line }];
        }
        if self.ignores_missing {
            return Vec::new();
        }
        // Any name means a member of the selected block: no block is selected.
        [Command::BlockBinding(-1), Command::Uniform(uniform)]
            .map(|command| TestLine { command, ..line.clone() })
            .to_vec()
    }

    /// The member of a uniform block with a name, and the element that it means.
    fn member(&self, name: &str) -> Option<(&ActiveUniform, u32)> {
        let found = find(&self.program, name)?;
        let uniform = &self.program.uniforms[found.uniform];
        uniform.block.is_some_and(|block| block > 0).then_some((uniform, found.element))
    }
}

/// The commands that write a member of a block without names.
fn member_commands<'s>(
    member: &ActiveUniform,
    element: u32,
    uniform: Uniform<'s>,
) -> [Command<'s>; 5] {
    let number = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
    let offset = member.offset.saturating_add(element.saturating_mul(member.array_stride));
    [
        Command::BlockBinding(i32::from(member.block.unwrap_or(1).max(1) - 1)),
        Command::BlockOffset(number(offset)),
        Command::BlockMatrixStride(number(member.matrix_stride)),
        Command::BlockRowMajor(member.order == MatrixOrder::RowMajor),
        Command::Uniform(uniform),
    ]
}
