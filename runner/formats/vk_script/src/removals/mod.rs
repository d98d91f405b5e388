//! Removable parts of a script, for reduction: commands, declarations, lines, and functions and
//! instructions of SPIR-V assembly.

mod parts;
mod removal;
mod spirv;

use std::ops::Range;

pub use removal::{Removal, without};

use crate::model::{CommandKind, Dialect, Script, Shader, ShaderLanguage};
use crate::rules::Rules;

/// Sizes of parts, from the coarsest to the finest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RemovalLevel {
    /// Commands and expectations; a `REPEAT` is one.
    Commands,
    /// Declarations of AmberScript (shaders, buffers, samplers, pipelines), sections of VkScript.
    Declarations,
    /// Commands and blocks in pipelines, commands in `REPEAT`.
    Options,
    /// Functions of SPIR-V assembly, with the names and decorations of what they define.
    Functions,
    /// Instructions of SPIR-V assembly, with the names and decorations of what they define.
    Instructions,
    /// Lines outside of shaders: comments, requirements, state, rows of data.
    Lines,
}

impl RemovalLevel {
    /// From the coarsest to the finest.
    pub const ALL: [RemovalLevel; 6] = [
        RemovalLevel::Commands,
        RemovalLevel::Declarations,
        RemovalLevel::Options,
        RemovalLevel::Functions,
        RemovalLevel::Instructions,
        RemovalLevel::Lines,
    ];
}

/// Returns the removable parts of a script at a level, in the order of their first ranges. A text
/// that is no script has none. Ranges of functions and instructions may share lines of
/// decorations.
pub fn removals(text: &str, rules: Rules, level: RemovalLevel) -> Vec<Removal> {
    let Ok(script) = crate::parse(text.as_bytes(), rules, &|_| Err("no files".to_owned())) else {
        return Vec::new();
    };
    let single = |ranges: Vec<Range<usize>>| {
        ranges.into_iter().map(|range| Removal { ranges: vec![range] }).collect()
    };
    match level {
        RemovalLevel::Commands => single(commands(text, &script)),
        RemovalLevel::Declarations if script.dialect == Dialect::VkScript => {
            single(parts::sections(text))
        }
        RemovalLevel::Declarations => single(declarations(text, &script)),
        RemovalLevel::Options => single(options(text, &script)),
        RemovalLevel::Functions => assemblies(&script, |shader| spirv::functions(text, shader)),
        RemovalLevel::Instructions => {
            assemblies(&script, |shader| spirv::instructions(text, shader))
        }
        RemovalLevel::Lines => {
            let shaders: Vec<Range<usize>> =
                script.shaders.iter().map(|shader| shader.source_span.range()).collect();
            single(parts::lines_outside(text, &shaders))
        }
    }
}

fn commands(text: &str, script: &Script) -> Vec<Range<usize>> {
    if script.dialect == Dialect::VkScript {
        return parts::test_lines(text);
    }
    script.commands.iter().map(|command| parts::lines_of(text, command.span)).collect()
}

fn declarations(text: &str, script: &Script) -> Vec<Range<usize>> {
    let spans = script
        .shaders
        .iter()
        .map(|shader| shader.span)
        .chain(script.buffers.iter().map(|buffer| buffer.span))
        .chain(script.samplers.iter().map(|sampler| sampler.span))
        .chain(script.pipelines.iter().map(|pipeline| pipeline.span))
        // Buffers that the script implies have no declaration.
        .filter(|span| span.end > span.start);
    let mut ranges: Vec<Range<usize>> = spans.map(|span| parts::lines_of(text, span)).collect();
    ranges.sort_by_key(|range| range.start);
    ranges.dedup();
    ranges
}

fn options(text: &str, script: &Script) -> Vec<Range<usize>> {
    if script.dialect == Dialect::VkScript {
        return Vec::new();
    }
    let mut ranges: Vec<Range<usize>> =
        script.pipelines.iter().flat_map(|pipeline| parts::options(text, pipeline.span)).collect();
    for command in &script.commands {
        if let CommandKind::Repeat { commands, .. } = &command.kind {
            ranges.extend(commands.iter().map(|inner| parts::lines_of(text, inner.span)));
        }
    }
    ranges.sort_by_key(|range| range.start);
    ranges
}

fn assemblies(script: &Script, of: impl Fn(&Shader) -> Vec<Removal>) -> Vec<Removal> {
    let assembly = |shader: &&Shader| shader.language == ShaderLanguage::SpirvAssembly;
    script.shaders.iter().filter(assembly).flat_map(of).collect()
}
