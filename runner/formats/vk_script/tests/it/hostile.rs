//! Any text ends in an error or a model.

use arbtest::arbtest;
use vk_script::{Buffer, CommandKind, Draw, DrawVertices, Rules, Script};

use crate::common::{GRAPHICS, RAYS, SECTIONS};

/// Scripts to mutate.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [GRAPHICS, RAYS, SECTIONS].map(|text| text.as_bytes().to_vec()).to_vec()
}

/// Parses by both rules and checks the guarantees of each result. Returns whether it was accepted.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let results = [Rules::VkRunner, Rules::Amber]
        .map(|rules| vk_script::parse(bytes, rules, &|_| Err("no files here".to_owned())));
    for result in &results {
        match result {
            Ok(script) => check_script(script),
            Err(error) => {
                assert!(!error.message.is_empty() && error.line > 0 && error.column > 0);
                assert!(
                    error.span.start <= error.span.end && error.span.range().end <= bytes.len()
                );
            }
        }
    }
    results[0].is_ok()
}

/// Every id is in range, sizes are limited, contents have the size of their buffer.
fn check_script(script: &Script) {
    for buffer in &script.buffers {
        assert!(buffer.size() <= Buffer::LIMIT);
        if buffer.size() < 1 << 16 {
            assert_eq!(buffer.initial_bytes().len() as u64, buffer.size());
        }
    }
    for pipeline in &script.pipelines {
        for stage in &pipeline.stages {
            script.shader(stage.shader);
        }
        for id in pipeline.colors.iter().map(|color| color.buffer).chain(pipeline.depth_stencil) {
            assert!(script.buffer(id).image.is_some());
        }
        for resource in pipeline.bindings.iter().flat_map(|binding| &binding.resources) {
            resource.buffer.map(|id| script.buffer(id));
            resource.sampler.map(|id| script.sampler(id));
        }
        for vertices in &pipeline.vertex_buffers {
            script.buffer(vertices.buffer);
        }
    }
    for command in &script.commands {
        check_command(script, &command.kind);
    }
}

fn check_command(script: &Script, command: &CommandKind) {
    match command {
        CommandKind::Dispatch { pipeline, .. }
        | CommandKind::Clear { pipeline }
        | CommandKind::SetClear { pipeline, .. } => {
            script.pipeline(*pipeline);
        }
        CommandKind::Draw { pipeline, draw } => {
            script.pipeline(*pipeline);
            if let Draw { vertices: DrawVertices::Rectangle(rectangle), count, .. } = draw {
                assert_eq!(rectangle.count(), *count);
            }
        }
        CommandKind::Write { buffer, offset, bytes } => {
            assert!(u64::from(*offset) + bytes.len() as u64 <= script.buffer(*buffer).size());
        }
        CommandKind::Copy { from, to } => {
            assert_eq!(script.buffer(*from).size(), script.buffer(*to).size());
        }
        CommandKind::Repeat { commands, .. } => {
            for command in commands {
                check_command(script, &command.kind);
            }
        }
        CommandKind::Expect(expectation) => {
            let buffer = script.buffer(expectation.buffer);
            let other = expectation.other().map(|id| script.buffer(id));
            let small = |buffer: &Buffer| buffer.size() < 1 << 16;
            if small(buffer) && other.is_none_or(small) {
                // A comparison with any contents ends.
                let bytes = vec![0x5a; buffer.size() as usize];
                let second = other.map(|other| vec![0xa5; other.size() as usize]);
                let _ = expectation.check(script, &bytes, second.as_deref());
                let _ = expectation.check(script, &[], None);
            }
        }
    }
}

/// A generator of numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "0x7fffffffffffffff",
    "0xffffffffffffffffff",
    "1e308",
    "-1e-320",
    "nan",
    "-inf",
    "0.5",
    ".",
    "-",
    "%",
    "\\",
];

const WORDS: &[&str] = &[
    "END",
    "[test]",
    "[require]",
    "PIPELINE",
    "DERIVE_PIPELINE p FROM p",
    "REPEAT 2147483647",
    "DATA",
    "SIZE",
    "FILL",
    "STRUCT s STRIDE 1048576",
    "\"",
    "(",
    ",",
    "#",
    "\r\n",
    "\n",
    "\0",
    "\u{e9}",
    "AS",
    "vec4<float>[]",
    "BUFFER b DATA_TYPE float SIZE 67108864 FILL 1\n",
    "FRAMEBUFFER_SIZE 65535 65535\n",
    "ssbo 0 4294967295\n",
    "ssbo 7 subdata float 268435452 1\n",
    "CELLS 4294967295 4294967295",
];

/// A text with one to four changes: bytes changed, ranges cut, doubled or moved, numbers and words
/// put in place of tokens, lines of another text.
pub(crate) fn mutate(random: &mut Random, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(200)).min(bytes.len());
        match random.below(9) {
            0 => {
                bytes.truncate(at);
            }
            1 => {
                bytes.drain(at..end);
            }
            2 => {
                let copy = bytes.get(at..end).unwrap_or_default().to_vec();
                bytes.splice(at..at, copy);
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next() as u8;
                }
            }
            4 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = b" \n\"#-0.9[(\\"[random.below(11)];
                }
            }
            5 | 6 => {
                let word = NUMBERS[random.below(NUMBERS.len())];
                replace_token(&mut bytes, at, word.as_bytes());
            }
            7 => {
                let word = WORDS[random.below(WORDS.len())];
                replace_token(&mut bytes, at, word.as_bytes());
            }
            _ => {
                let lines: Vec<&[u8]> = other.split_inclusive(|b| *b == b'\n').collect();
                let first = random.below(lines.len());
                let count = 1 + random.below(12);
                let new: Vec<u8> =
                    lines.iter().skip(first).take(count).copied().flatten().copied().collect();
                let line_start =
                    bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |newline| newline + 1);
                bytes.splice(line_start..line_start, new);
            }
        }
    }
    bytes
}

/// Puts a word in place of the token at an offset.
fn replace_token(bytes: &mut Vec<u8>, at: usize, word: &[u8]) {
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = bytes[..at.min(bytes.len())].iter().rposition(blank).map_or(0, |blank| blank + 1);
    let rest = bytes[start..].iter().position(blank).unwrap_or(bytes.len() - start);
    bytes.splice(start..start + rest, word.iter().copied());
}

#[test]
fn seeds_are_accepted() {
    for seed in seeds() {
        let text = String::from_utf8_lossy(&seed);
        for rules in [Rules::VkRunner, Rules::Amber] {
            if let Err(error) = crate::common::parse(&text, rules) {
                panic!("{rules:?}: {error}");
            }
        }
        assert!(check(&seed));
    }
}

#[test]
fn arbitrary_bytes() {
    arbtest(|u| {
        let mut bytes: Vec<u8> = u.arbitrary()?;
        check(&bytes);
        bytes.splice(0..0, *b"#!amber\n");
        check(&bytes);
        Ok(())
    });
}

#[test]
fn mutated_scripts() {
    let seeds = seeds();
    arbtest(|u| {
        let mut random = Random::new(u.arbitrary()?);
        let (seed, other) = (random.below(seeds.len()), random.below(seeds.len()));
        check(&mutate(&mut random, &seeds[seed], &seeds[other]));
        Ok(())
    })
    .budget_ms(4_000);
}

#[test]
fn every_prefix() {
    for seed in seeds() {
        for end in (0..=seed.len()).step_by(7) {
            check(&seed[..end]);
        }
    }
}

#[test]
fn short_texts_cannot_ask_for_much() {
    // Each of these would take gigabytes if the parser made what they ask for.
    let derived: String =
        (0..2_000).map(|i| format!("DERIVE_PIPELINE p{} FROM p{i}\nEND\n", i + 1)).collect();
    let bindings: String = (0..2_000)
        .map(|i| format!("BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING {i}\n"))
        .collect();
    let pipelines = format!(
        "#!amber\nSHADER compute c GLSL\nvoid main() {{}}\nEND\nBUFFER b DATA_TYPE int32 DATA 1 END\n\
         PIPELINE compute p0\nATTACH c\n{bindings}END\n{derived}"
    );
    let doubled: String =
        (1..40).map(|i| format!("STRUCT s{i}\ns{} a\ns{} b\nEND\n", i - 1, i - 1)).collect();
    let structures = format!("#!amber\nSTRUCT s0\nfloat a\nEND\n{doubled}");
    let nested: String = (1..50_000).map(|i| format!("STRUCT s{i}\ns{} a\nEND\n", i - 1)).collect();
    let chain = format!("#!amber\nSTRUCT s0\nfloat a\nEND\n{nested}");
    let buffers: String =
        (0..64).map(|i| format!("BUFFER b{i} DATA_TYPE uint8 SIZE 268435456 FILL 1\n")).collect();
    let states: String =
        (0..3_000).map(|i| format!("ssbo {i} 4\nlineWidth {i}\ndraw rect 0 0 1 1\n")).collect();
    let sections = format!("[vertex shader passthrough]\n[test]\n{states}");
    for text in [pipelines, structures, chain, format!("#!amber\n{buffers}"), sections] {
        assert!(!check(text.as_bytes()), "{}", &text[..80]);
    }
}

/// A line with a number.
type Line = fn(usize) -> String;

/// Long scripts of one kind of line: with time that grows faster than the length they
/// would take minutes.
#[test]
fn long_texts_take_linear_time() {
    let amber = "#!amber\nSHADER vertex v PASSTHROUGH\nBUFFER b DATA_TYPE int32 DATA 1 END\n";
    let lines: [(&str, Line); 6] = [
        (amber, |i| format!("DEVICE_EXTENSION VK_{i}\n")),
        (amber, |i| format!("SAMPLER s{i}\nEXPECT b IDX 0 EQ 1 2 3\n")),
        (amber, |i| format!("PIPELINE graphics p{i}\nATTACH v\nEND\nCLEAR p{i}\n")),
        ("[vertex shader passthrough]\n[test]\n", |i| {
            format!("lineWidth {i}\ndraw rect 0 0 1 1\n")
        }),
        ("[test]\n", |i| format!("ssbo {i} subdata int 0 1\nprobe ssbo int {i} 0 == 1\n")),
        ("[vertex data]\n0/R32_SFLOAT\n", |i| format!("{i} # \" a comment \\\n")),
    ];
    for (start, line) in lines {
        let mut text = start.to_owned();
        let mut number = 0;
        while text.len() < 1 << 18 {
            text.push_str(&line(number));
            number += 1;
        }
        check(text.as_bytes());
    }
}
