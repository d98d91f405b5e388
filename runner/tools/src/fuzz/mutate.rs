//! Damaged tests: input that front end and script parser must refuse or accept without crashing.

use spirv_rewrite::Random;

/// Maximum size of a damaged test in bytes.
const BYTES: usize = 64 << 10;

/// Replacements of tokens.
const WORDS: [&str; 112] = [
    "0",
    "-1",
    "1",
    "4294967295",
    "2147483648",
    "99999999999999999999",
    "1e39",
    "1e-46",
    "0x",
    "0x1g",
    "07",
    "08",
    "1.",
    ".5",
    "1.0hf",
    "1lf",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    ".",
    "..",
    "#",
    "##",
    "\"",
    "\\",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\u{0}",
    "\u{e9}",
    "\u{1f980}",
    "\r",
    "int",
    "uint",
    "float",
    "double",
    "bool",
    "vec4",
    "mat4x3",
    "dvec4",
    "struct",
    "void",
    "in",
    "out",
    "inout",
    "uniform",
    "buffer",
    "shared",
    "layout",
    "location",
    "binding",
    "offset",
    "=",
    "==",
    "+=",
    "<<=",
    "++",
    "--",
    "?",
    ":",
    "^^",
    "%",
    "~",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "discard",
    "const",
    "flat",
    "patch",
    "centroid",
    "precise",
    "invariant",
    "gl_Position",
    "gl_in",
    "gl_FragCoord",
    "gl_TessLevelOuter",
    "gl_ClipDistance",
    "texture",
    "barrier",
    "EmitVertex",
    "sampler2D",
    "image2D",
    "atomic_uint",
    "subroutine",
    "length",
    "xyzw",
    "#define",
    "#if",
    "#endif",
    "#version",
    "#extension",
    "[test]",
    "[vertex shader]",
    "[fragment shader]",
    "[require]",
    "[vertex data]",
    "main",
];

/// Replacements of numbers: ends of ranges.
const NUMBERS: [&str; 18] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "15",
    "16",
    "17",
    "32",
    "33",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
];

/// Returns test `number` of a seed: `text` with damages; `other` is a text to copy parts from.
pub fn mutate(seed: u64, number: u64, text: &str, other: &str) -> String {
    let mut random = Random::new(seed, number, 0);
    let mut text = cut(text, BYTES).to_owned();
    for _ in 0..random.pick(&[1, 1, 1, 2, 3, 6]) {
        text = match random.below(10) {
            0..=6 => token(&mut random, &text, other),
            7 | 8 => line(&mut random, &text, other),
            _ => {
                let end = random.below(text.len() + 1);
                cut(&text, end).to_owned()
            }
        };
    }
    cut(&text, BYTES).to_owned()
}

/// Returns the complete characters among the first bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Splits a text into words, runs of blanks, and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_ascii_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let (mut all, mut start, mut before) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        if at > start && (class(c) != before || before == 0) {
            all.push(&text[start..at]);
            start = at;
        }
        before = class(c);
    }
    all.push(&text[start..]);
    all
}

fn token(random: &mut Random, text: &str, other: &str) -> String {
    let mut all = tokens(text);
    let at = random.below(all.len());
    match random.below(7) {
        0 => all[at] = random.pick(&WORDS),
        1 => {
            all.remove(at);
        }
        2 => all.insert(at, random.pick(&WORDS)),
        3 => {
            let with = random.below(all.len());
            all.swap(at, with);
        }
        4 => {
            let from = random.below(all.len());
            let part = all[from..all.len().min(from + random.between(1, 30))].to_vec();
            all.splice(at..at, part);
        }
        5 => all[at] = random.pick(&tokens(other)),
        _ => {
            let is_number = |token: &&str| token.starts_with(|c: char| c.is_ascii_digit());
            let numbers: Vec<usize> = (0..all.len()).filter(|&k| is_number(&all[k])).collect();
            if !numbers.is_empty() {
                all[random.pick(&numbers)] = random.pick(&NUMBERS);
            }
        }
    }
    all.concat()
}

fn line(random: &mut Random, text: &str, other: &str) -> String {
    let mut all: Vec<&str> = text.split_inclusive('\n').collect();
    if all.is_empty() {
        return text.to_owned();
    }
    let at = random.below(all.len());
    match random.below(4) {
        0 => {
            all.remove(at);
        }
        1 => all.insert(at, all[at]),
        2 => {
            let with = random.below(all.len());
            all.swap(at, with);
        }
        _ => {
            let others: Vec<&str> = other.split_inclusive('\n').collect();
            if !others.is_empty() {
                all.insert(at, random.pick(&others));
            }
        }
    }
    all.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_whole_text() {
        let text = "a1 = b[2];\n\té\u{1f980}# x";
        assert_eq!(
            tokens(text),
            ["a1", " ", "=", " ", "b", "[", "2", "]", ";", "\n\t", "é", "\u{1f980}", "#", " ", "x"]
        );
        assert_eq!(tokens(""), [""]);
    }

    #[test]
    fn texts_change_and_follow_from_seed_and_number() {
        let text = "[require]\nGLSL >= 1.10\n[fragment shader]\nvoid main() { gl_FragColor = vec4(0.5); }\n";
        let all: Vec<String> =
            (0..200).map(|number| mutate(3, number, text, "int x;\nfloat y;\n")).collect();
        let changed = all.iter().filter(|new| *new != text).count();
        assert!(changed > 180, "{changed}");
        assert_eq!(all[17], mutate(3, 17, text, "int x;\nfloat y;\n"));
        assert_ne!(all[17], mutate(4, 17, text, "int x;\nfloat y;\n"));
        for tiny in ["", "é"] {
            (0..200).for_each(|number| drop(mutate(1, number, tiny, "")));
        }
    }
}
