//! The list of rules, `tests/rules/sections/*.txt`: sentences of the specifications, each with a
//! legal and an illegal program. `tests/rules/sections/README.md` describes the form.

use program::Stage;
use std::path::Path;
use std::sync::LazyLock;

/// Name and text of each file, in the order of the specification.
static FILES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules/sections");
    let entries = std::fs::read_dir(folder).expect("the folder of the rules");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = |path: &Path| std::fs::read_to_string(path).expect("a text");
    paths.iter().map(|path| (name(path), text(path))).collect()
});

/// A rule: a sentence with the programs that show it.
#[derive(Default)]
pub(crate) struct Rule<'a> {
    /// Section of the specification.
    pub(crate) section: &'a str,
    /// Short name, unique within the section.
    pub(crate) name: &'a str,
    /// The sentence, in own words.
    pub(crate) sentence: &'a str,
    /// Shaders of the program.
    shaders: Vec<ShaderLines<'a>>,
    /// Why other compilers differ: name of the compiler, reason.
    pub(crate) reasons: Vec<(&'a str, &'a str)>,
}

/// A shader of a rule, before one of its variants is chosen.
struct ShaderLines<'a> {
    stage: Stage,
    /// Versions on which the rule is tried; `-` if the text has its own.
    versions: Vec<&'a str>,
    /// True if the only shader is linked, too.
    links: bool,
    /// Lines with `+` if only the legal program has them, `-` if only the illegal one does.
    lines: Vec<(char, &'a str)>,
}

/// A shader as a compiler gets it.
pub(crate) struct ShaderText {
    pub(crate) stage: Stage,
    pub(crate) text: String,
}

/// A program on which a rule is tried.
pub(crate) struct Program {
    /// The version, as in the list.
    pub(crate) version: String,
    /// The shaders in the order of the list.
    pub(crate) shaders: Vec<ShaderText>,
    /// True if the program is linked, false if its one shader is only compiled.
    pub(crate) links: bool,
}

impl Rule<'_> {
    /// Section and name.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.section, self.name)
    }

    /// The legal or the illegal program in each version.
    pub(crate) fn programs(&self, legal: bool) -> Vec<Program> {
        let count = self.shaders.iter().map(|s| s.versions.len()).max().unwrap_or(0);
        (0..count)
            .map(|index| Program {
                version: self.shaders[0].version(index).to_owned(),
                shaders: self.shaders.iter().map(|s| s.source(index, legal)).collect(),
                links: self.shaders.len() > 1 || self.shaders[0].links,
            })
            .collect()
    }

    /// The reason why a compiler differs from this list, if it has one.
    pub(crate) fn reason(&self, compiler: &str) -> Option<&str> {
        let found = self.reasons.iter().find(|(name, _)| *name == compiler);
        found.map(|(_, reason)| *reason)
    }
}

impl<'a> ShaderLines<'a> {
    /// Reads `STAGE [link] VERSION …`.
    fn new(head: &'a str) -> ShaderLines<'a> {
        let mut words = head.split_whitespace();
        let stage = match words.next() {
            Some("vs") => Stage::Vertex,
            Some("tcs") => Stage::TessControl,
            Some("tes") => Stage::TessEval,
            Some("gs") => Stage::Geometry,
            Some("fs") => Stage::Fragment,
            Some("cs") => Stage::Compute,
            _ => panic!("`{head}` does not begin with a stage"),
        };
        let (links, versions): (Vec<&str>, Vec<&str>) = words.partition(|word| *word == "link");
        assert!(!versions.is_empty(), "`{head}` has no version");
        ShaderLines { stage, versions, links: !links.is_empty(), lines: Vec::new() }
    }

    /// A shader with one version goes with every version of the others.
    fn version(&self, index: usize) -> &'a str {
        if self.versions.len() == 1 { self.versions[0] } else { self.versions[index] }
    }

    /// The text of a variant: `#version`, default precisions of ES fragment shaders, the lines, and
    /// an empty `main`, unless the lines have their own.
    fn source(&self, index: usize, legal: bool) -> ShaderText {
        let version = self.version(index);
        let dropped = if legal { '-' } else { '+' };
        let kept = self.lines.iter().filter(|(mark, _)| *mark != dropped);
        let lines: Vec<String> = kept.map(|(_, line)| repeat_letters(line)).collect();
        let has = |word: &str| lines.iter().any(|line| line.contains(word));
        let directives = lines.iter().take_while(|line| line.starts_with('#')).count();
        let mut text = match version.strip_suffix("es") {
            _ if version == "-" => String::new(),
            Some("100") => "#version 100\n".to_owned(),
            Some(number) => format!("#version {number} es\n"),
            None => {
                let profile = version.trim_start_matches(|c: char| c.is_ascii_digit());
                let number = &version[..version.len() - profile.len()];
                format!("#version {number} {profile}\n").replace(" \n", "\n")
            }
        };
        for line in &lines[..directives] {
            text += &format!("{line}\n");
        }
        let es = version.ends_with("es") && self.stage == Stage::Fragment;
        if es && !has("precision") {
            text += "precision highp float;\nprecision highp int;\n";
        }
        for line in &lines[directives..] {
            text += &format!("{line}\n");
        }
        if version != "-" && !has("main") {
            text += "void main() {}\n";
        }
        ShaderText { stage: self.stage, text }
    }
}

/// Replaces `${a*1024}` by so many letters.
fn repeat_letters(line: &str) -> String {
    let Some((before, rest)) = line.split_once("${") else { return line.to_owned() };
    let (inner, after) = rest.split_once('}').expect("`}` after `${`");
    let (letter, count) = inner.split_once('*').expect("`*` within `${}`");
    format!("{before}{}{after}", letter.repeat(count.parse().expect("a count")))
}

/// Reads a file of rules.
fn parse(text: &str) -> Vec<Rule<'_>> {
    let mut rules: Vec<Rule<'_>> = Vec::new();
    for line in text.lines() {
        let (mark, rest) = (line.chars().next(), line.get(2..).unwrap_or_default());
        match mark {
            None | Some('#') => {}
            Some('0'..='9') => rules.push(header(line)),
            _ => {
                let rule = rules.last_mut().expect("a rule before its shaders");
                match (mark, rule.shaders.last_mut()) {
                    (Some('@'), _) => rule.shaders.push(ShaderLines::new(rest)),
                    (Some('?'), _) => rule.reasons.push(rest.split_once(": ").expect("a reason")),
                    (Some(mark @ ('+' | '-' | ' ')), Some(shader)) => {
                        shader.lines.push((mark, rest));
                    }
                    _ => panic!("`{line}` begins with none of `@ + - ?` and space"),
                }
            }
        }
    }
    rules
}

/// Reads `SECTION NAME: SENTENCE`.
fn header(line: &str) -> Rule<'_> {
    let (title, sentence) = line.split_once(": ").unwrap_or_else(|| panic!("`{line}`"));
    let (section, name) = title.split_once(' ').unwrap_or_else(|| panic!("`{line}`"));
    Rule { section, name, sentence, ..Rule::default() }
}

/// All rules, file by file.
pub(crate) fn all() -> Vec<(&'static str, Vec<Rule<'static>>)> {
    FILES.iter().map(|(name, text)| (&**name, parse(text))).collect()
}

/// The list has the form that its README describes.
#[test]
fn the_list_is_well_formed() {
    let mut titles = std::collections::BTreeSet::new();
    for rule in all().into_iter().flat_map(|(_, rules)| rules) {
        let title = rule.title();
        assert!(titles.insert(title.clone()), "{title} occurs twice");
        assert!(rule.sentence.ends_with('.'), "{title}: the sentence has no end");
        assert!(!rule.shaders.is_empty(), "{title}: no shader");
        for (legal, illegal) in rule.programs(true).iter().zip(rule.programs(false)) {
            let pairs = legal.shaders.iter().zip(&illegal.shaders);
            assert!(pairs.into_iter().any(|(a, b)| a.text != b.text), "{title}: equal programs");
        }
        for (compiler, _) in &rule.reasons {
            assert!(["glslang", "llvmpipe"].contains(compiler), "{title}: reason of {compiler}");
        }
    }
    assert!(titles.len() >= 1000, "{} rules", titles.len());
}
