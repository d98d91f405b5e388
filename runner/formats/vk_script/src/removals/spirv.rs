//! Functions and instructions of SPIR-V assembly.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::parts::lines;
use super::removal::Removal;
use crate::model::Shader;

/// An instruction: its line, and the words that matter.
struct Instruction<'a> {
    range: Range<usize>,
    /// The id that it defines.
    result: Option<&'a str>,
    opcode: &'a str,
    /// The first operand.
    first: &'a str,
}

/// Instructions that are about the id of their first operand.
const ANNOTATIONS: &[&str] = &[
    "OpName",
    "OpMemberName",
    "OpDecorate",
    "OpMemberDecorate",
    "OpDecorateId",
    "OpDecorateString",
    "OpDecorateStringGOOGLE",
    "OpMemberDecorateString",
    "OpMemberDecorateStringGOOGLE",
];

/// Each function, from `OpFunction` to `OpFunctionEnd`, with the names and decorations of the ids
/// that it defines.
pub(super) fn functions(text: &str, shader: &Shader) -> Vec<Removal> {
    let all = instructions_of(text, shader);
    let annotations = annotations(&all);
    let mut found = Vec::new();
    let mut start = None;
    for (index, instruction) in all.iter().enumerate() {
        match instruction.opcode {
            "OpFunction" => start = Some(index),
            "OpFunctionEnd" => {
                let Some(first) = start.take() else { continue };
                let body = all[first].range.start..instruction.range.end;
                found.push(removal(body, &all[first..=index], &annotations));
            }
            _ => {}
        }
    }
    found
}

/// Each instruction but annotations of ids that another one defines.
pub(super) fn instructions(text: &str, shader: &Shader) -> Vec<Removal> {
    let all = instructions_of(text, shader);
    let annotations = annotations(&all);
    let defined: HashSet<&str> = all.iter().filter_map(|i| i.result).collect();
    let attached =
        |i: &Instruction<'_>| ANNOTATIONS.contains(&i.opcode) && defined.contains(i.first);
    all.iter()
        .filter(|instruction| {
            !attached(instruction) || instruction.opcode.starts_with("OpDecorate")
        })
        .map(|instruction| {
            removal(instruction.range.clone(), std::slice::from_ref(instruction), &annotations)
        })
        .collect()
}

/// A range and the annotations of the ids that its instructions define.
fn removal(
    range: Range<usize>,
    instructions: &[Instruction<'_>],
    annotations: &HashMap<&str, Vec<Range<usize>>>,
) -> Removal {
    let mut ranges: Vec<Range<usize>> = instructions
        .iter()
        .filter_map(|instruction| annotations.get(instruction.result?))
        .flatten()
        .cloned()
        .collect();
    ranges.push(range);
    ranges.sort_by_key(|range| range.start);
    Removal { ranges }
}

/// The lines of annotations by the id that they are about.
fn annotations<'a>(all: &[Instruction<'a>]) -> HashMap<&'a str, Vec<Range<usize>>> {
    let mut found: HashMap<&str, Vec<Range<usize>>> = HashMap::new();
    for instruction in all.iter().filter(|i| ANNOTATIONS.contains(&i.opcode)) {
        found.entry(instruction.first).or_default().push(instruction.range.clone());
    }
    found
}

/// One instruction per line; comments and blank lines are none.
fn instructions_of<'a>(text: &'a str, shader: &Shader) -> Vec<Instruction<'a>> {
    let mut found = Vec::new();
    for range in lines(text, shader.source_span.range()) {
        let line = text.get(range.clone()).unwrap_or("").split(';').next().unwrap_or("");
        let mut words = line.split_whitespace();
        let Some(mut opcode) = words.next() else {
            continue;
        };
        let mut result = None;
        if opcode.starts_with('%') && words.next() == Some("=") {
            result = Some(opcode);
            opcode = words.next().unwrap_or("");
        }
        let first = words.next().unwrap_or("");
        found.push(Instruction { range, result, opcode, first });
    }
    found
}
