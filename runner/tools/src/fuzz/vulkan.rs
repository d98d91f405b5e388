//! Random tests of Vulkan drivers: the programs of OpenGL, with all uniforms in blocks, as
//! AmberScript that expects what the reference interpreter computes.

use std::collections::BTreeMap;
use std::fmt::Write;

use execute::ProbedValues;
use program::Stage;
use script::{BufferCommand, Command, Probe, Script};

use super::defects::Defect;
use super::expected::{for_glslang, interpreted};
use super::maker::Maker;
use super::resources::UNIFORMS;
use super::script::SIDE;
use super::{Kind, command, made};

/// The kinds that have a form for Vulkan.
pub const VULKAN_KINDS: [Kind; 2] = [Kind::Fragment, Kind::Compute];
/// Value of all channels before a draw, which discarded fragments leave.
const BEFORE: u32 = 9;
/// Words of a line of expectations or data.
const WORDS: usize = 16;

/// Returns test `number` of a seed for Vulkan, without the constructs that show known defects: the
/// text of an `.amber` file, which has the values that the interpreter computes.
///
/// # Errors
/// Returns the reason why the interpreter has no values.
pub fn vulkan_test(
    seed: u64,
    number: u64,
    kind: Kind,
    defects: &[Defect],
) -> Result<String, String> {
    let mut maker = Maker::new(seed, number, defects);
    maker.in_blocks = true;
    maker.plan.is_for_glslang = true;
    let text = for_glslang(&made(&mut maker, kind));
    let script = script::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let values = interpreted(&script)?;
    let mut amber = format!("#!amber\n# {}\n\n", command("--vulkan ", seed, number, kind, defects));
    translate(&mut amber, &script, &values)?;
    Ok(amber)
}

/// The parts of a test that its commands determine.
#[derive(Default)]
struct Parts {
    /// Bytes of the buffers by binding.
    buffers: BTreeMap<u32, Vec<u8>>,
    groups: Option<[u32; 3]>,
    /// Texels of the color attachments.
    colors: Vec<Vec<[u32; 4]>>,
    /// Words by binding and offset.
    words: BTreeMap<(u32, u32), u64>,
}

impl Parts {
    fn of(script: &Script<'_>, values: &[ProbedValues]) -> Result<Parts, String> {
        let mut parts = Parts::default();
        let mut values = values.iter();
        for line in script.test.iter().flatten() {
            match &line.command {
                Command::Buffer(BufferCommand::Ssbo { buffer, size }) => {
                    parts.buffers.insert(*buffer, vec![0; *size as usize]);
                }
                Command::Buffer(BufferCommand::SsboSubdata { buffer, offset, data }) => {
                    let place = parts.buffers.get_mut(buffer).map(Vec::as_mut_slice);
                    let place = place.and_then(|bytes| bytes.get_mut(*offset as usize..));
                    let place = place.unwrap_or_default().iter_mut();
                    place.zip(data.bytes()).for_each(|(to, from)| *to = from);
                }
                Command::Compute { groups, .. } => parts.groups = Some(*groups),
                Command::Probe(probe) => match (probe, values.next()) {
                    (Probe::Pixels { .. }, Some(ProbedValues::Texels(texels))) => {
                        parts.colors.push(texels.clone());
                    }
                    (Probe::Ssbo { buffer, offset, .. }, Some(ProbedValues::Bits(bits))) => {
                        parts.words.insert((*buffer, *offset), *bits);
                    }
                    (_, value) => return Err(format!("line {}: {value:?}", line.number)),
                },
                _ => {}
            }
        }
        Ok(parts)
    }
}

/// Appends a test in the form of AmberScript.
fn translate(
    amber: &mut String,
    script: &Script<'_>,
    values: &[ProbedValues],
) -> Result<(), String> {
    let parts = Parts::of(script, values)?;
    let wanted = if parts.groups.is_some() { Stage::Compute } else { Stage::Fragment };
    let shader = script.shaders().find(|shader| shader.stage == wanted);
    let source = shader.ok_or("there is no shader")?.source;
    let source = vulkan_glsl(&String::from_utf8_lossy(source));
    let is_draw = parts.groups.is_none();
    if ["double", "dvec", "dmat"].iter().any(|word| source.contains(word)) {
        *amber += "DEVICE_FEATURE shaderFloat64\n";
    }
    if is_draw && source.contains(") buffer ") {
        *amber += "DEVICE_FEATURE fragmentStoresAndAtomics\n";
    }
    let stage = if is_draw { "fragment" } else { "compute" };
    if is_draw {
        *amber += "SHADER vertex corners PASSTHROUGH\n";
    }
    let _ = writeln!(amber, "SHADER {stage} tested GLSL\n{}\nEND\n", source.trim_end());
    buffers(amber, &parts);
    pipeline(amber, &parts, is_draw);
    match parts.groups {
        Some([x, y, z]) => {
            let _ = writeln!(amber, "RUN pipeline {x} {y} {z}");
        }
        None => {
            let _ = writeln!(amber, "RUN pipeline DRAW_RECT POS 0 0 SIZE {SIDE} {SIDE}");
        }
    }
    for k in 0..parts.colors.len() {
        let _ = writeln!(amber, "EXPECT color{k} EQ_BUFFER expected{k}");
    }
    expect_words(amber, &parts.words);
    Ok(())
}

/// Returns GLSL for Vulkan: the highest version, blocks with sets, and uniform blocks for those
/// storage blocks that stand for them.
fn vulkan_glsl(source: &str) -> String {
    let mut text = "#version 450\n".to_owned();
    for line in source.lines().filter(|line| !line.starts_with('#')) {
        let number = |rest: &str| rest.split(')').next()?.trim().parse::<u32>().ok();
        let binding = line.split_once("binding = ").and_then(|(_, rest)| number(rest));
        let line = match binding {
            Some(binding) if line.contains(" buffer ") => {
                let line = line.replacen("binding = ", "set = 0, binding = ", 1);
                let is_uniform = binding >= UNIFORMS;
                if is_uniform { line.replacen("readonly buffer", "uniform", 1) } else { line }
            }
            _ => line.to_owned(),
        };
        text += &line;
        text.push('\n');
    }
    text
}

fn buffers(amber: &mut String, parts: &Parts) {
    for (binding, bytes) in &parts.buffers {
        let (words, _) = bytes.as_chunks::<4>();
        let words = words.iter().map(|word| u32::from_le_bytes(*word).to_string());
        let _ = writeln!(amber, "BUFFER buffer{binding} DATA_TYPE uint32 DATA");
        lines(amber, words);
        *amber += "END\n";
    }
    let image = format!("FORMAT R32G32B32A32_SFLOAT DIM_2D WIDTH {SIDE} HEIGHT {SIDE}");
    for (k, texels) in parts.colors.iter().enumerate() {
        let _ = writeln!(amber, "IMAGE color{k} {image} FILL {BEFORE}");
        let _ = writeln!(amber, "IMAGE expected{k} {image} DATA");
        lines(amber, texels.iter().flatten().map(|&bits| f32::from_bits(bits).to_string()));
        *amber += "END\n";
    }
}

fn lines(amber: &mut String, words: impl Iterator<Item = String>) {
    let words: Vec<String> = words.collect();
    for line in words.chunks(WORDS) {
        let _ = writeln!(amber, "{}", line.join(" "));
    }
}

fn pipeline(amber: &mut String, parts: &Parts, is_draw: bool) {
    let kind = if is_draw { "graphics" } else { "compute" };
    let _ = writeln!(amber, "\nPIPELINE {kind} pipeline");
    if is_draw {
        let _ =
            writeln!(amber, "  ATTACH corners\n  ATTACH tested\n  FRAMEBUFFER_SIZE {SIDE} {SIDE}");
    } else {
        *amber += "  ATTACH tested\n";
    }
    for k in 0..parts.colors.len() {
        let _ = writeln!(amber, "  BIND BUFFER color{k} AS color LOCATION {k}");
    }
    for binding in parts.buffers.keys() {
        let kind = if *binding >= UNIFORMS { "uniform" } else { "storage" };
        let place = format!("DESCRIPTOR_SET 0 BINDING {binding}");
        let _ = writeln!(amber, "  BIND BUFFER buffer{binding} AS {kind} {place}");
    }
    *amber += "END\n\n";
}

/// Expects words, neighbors in one line.
fn expect_words(amber: &mut String, words: &BTreeMap<(u32, u32), u64>) {
    let mut open: Option<(u32, u32, usize)> = None;
    for (&(binding, offset), value) in words {
        let follows =
            open.is_some_and(|(b, next, count)| (b, next) == (binding, offset) && count < WORDS);
        let count = match (follows, open) {
            (true, Some((.., count))) => count,
            _ => {
                let end = if open.is_some() { "\n" } else { "" };
                let _ = write!(amber, "{end}EXPECT buffer{binding} IDX {offset} EQ");
                0
            }
        };
        let _ = write!(amber, " {value}");
        open = Some((binding, offset + 4, count + 1));
    }
    *amber += "\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds are scripts, and every value of the interpreter is expected.
    #[test]
    fn tests_are_scripts() {
        for (number, kind) in (0..8).zip(VULKAN_KINDS.into_iter().cycle()) {
            let text = vulkan_test(7, number, kind, &[]).expect("a test");
            let no_files = |_: &str| Err("no files".to_owned());
            let script = vk_script::parse(text.as_bytes(), vk_script::Rules::Amber, &no_files);
            let script = script.unwrap_or_else(|error| panic!("{error}\n{text}"));
            let expects =
                |c: &&vk_script::Command| matches!(c.kind, vk_script::CommandKind::Expect(_));
            assert!(script.commands.iter().filter(expects).count() >= 2, "{text}");
            assert_eq!(text, vulkan_test(7, number, kind, &[]).expect("a test"));
        }
    }

    #[test]
    fn blocks_get_sets_and_become_uniform() {
        let glsl = "#version 420\n#extension X : enable\n\
            layout(std140, binding = 4) readonly buffer Uniforms {\n\
            layout(std430, binding = 0) readonly buffer Stored {\n";
        let wanted = "#version 450\n\
            layout(std140, set = 0, binding = 4) uniform Uniforms {\n\
            layout(std430, set = 0, binding = 0) readonly buffer Stored {\n";
        assert_eq!(vulkan_glsl(glsl), wanted);
    }

    #[test]
    fn neighbors_share_a_line() {
        let words = [((1, 0), 5), ((1, 4), 6), ((1, 12), 7), ((3, 0), 8)];
        let mut text = String::new();
        expect_words(&mut text, &words.into_iter().collect());
        let wanted = "EXPECT buffer1 IDX 0 EQ 5 6\nEXPECT buffer1 IDX 12 EQ 7\n\
            EXPECT buffer3 IDX 0 EQ 8\n";
        assert_eq!(text, wanted);
    }
}
