//! CHECK lines: expectations of the generated code in comments of `[test]`.
//!
//! ```text
//! # CHECK(ivb,hsw fragment SIMD16 eu): mul(16) [[PRODUCT:g[0-9]+]]<1>D
//! # CHECK-NEXT: add(16) {{.*}} [[PRODUCT]]<8,8,1>D
//! ```
//!
//! A line with a scope begins a block, to which the following lines without a scope belong.
//! Piglit's interpreter skips them as comments.

use std::collections::BTreeSet;
use std::str;

use nom::FindSubstring;
use regex::RegexBuilder;

use crate::error::{ErrorKind, Fault, Span};
use crate::text::{Lines, skip_space, trim_end};
use vocabulary::{Generation, Stage, Width};

/// Maximum number of repetitions of `CHECK-COUNT`.
const COUNT_LIMIT: u32 = 100_000;
/// Maximum size of a compiled pattern in bytes.
const PATTERN_BYTES: usize = 1 << 20;

/// CHECK lines about one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckBlock<'a> {
    /// The text.
    pub scope: CheckScope,
    /// The lines in file order, at least one.
    pub checks: Vec<Check<'a>>,
}

/// The text that a block describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckScope {
    /// Generations on which it is judged.
    pub generations: Vec<Generation>,
    /// Stage of the code.
    pub stage: Stage,
    /// Width of the kernel; `None` means all kernels, each after a line that names it.
    pub width: Option<Width>,
    /// Form of the code.
    pub form: CodeForm,
}

/// Form of the code, as `runner show` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeForm {
    /// IR after all passes.
    Ir,
    /// Assembly.
    Eu,
}

/// One CHECK line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check<'a> {
    /// Line of the file, from 1.
    pub line: u32,
    /// Position from `CHECK` to the end of the pattern.
    pub span: Span,
    /// Kind of the expectation.
    pub kind: CheckKind,
    /// The pattern as the file writes it.
    pub text: &'a str,
    /// The pattern.
    pub pattern: CheckPattern,
}

/// Kind of a CHECK line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// `CHECK`: a match after the previous one.
    Plain,
    /// `CHECK-NEXT`: a match in the line after the previous match.
    Next,
    /// `CHECK-NOT`: no match between its neighbors.
    Not,
    /// `CHECK-COUNT-n`: several matches, one after the other.
    Count(u32),
    /// `CHECK-DAG`: a match in any order with the neighboring lines of this kind.
    Dag,
    /// `CHECK-LABEL`: a match that divides the text.
    Label,
}

impl CheckKind {
    /// Returns the directive: `CHECK-NEXT`, ….
    pub fn name(self) -> String {
        match self {
            CheckKind::Plain => "CHECK".to_owned(),
            CheckKind::Next => "CHECK-NEXT".to_owned(),
            CheckKind::Not => "CHECK-NOT".to_owned(),
            CheckKind::Count(count) => format!("CHECK-COUNT-{count}"),
            CheckKind::Dag => "CHECK-DAG".to_owned(),
            CheckKind::Label => "CHECK-LABEL".to_owned(),
        }
    }

    fn from_name(name: &str) -> Result<CheckKind, String> {
        Ok(match name {
            "CHECK" => CheckKind::Plain,
            "CHECK-NEXT" => CheckKind::Next,
            "CHECK-NOT" => CheckKind::Not,
            "CHECK-DAG" => CheckKind::Dag,
            "CHECK-LABEL" => CheckKind::Label,
            _ => match name.strip_prefix("CHECK-COUNT-").map(str::parse::<u32>) {
                Some(Ok(count @ 1..=COUNT_LIMIT)) => CheckKind::Count(count),
                Some(_) => return Err(format!("a number from 1 to {COUNT_LIMIT} is expected")),
                None => {
                    let known =
                        "CHECK, CHECK-NEXT, CHECK-NOT, CHECK-COUNT-n, CHECK-DAG, CHECK-LABEL";
                    return Err(format!("unknown CHECK line (known: {known})"));
                }
            },
        })
    }
}

/// The pattern of a CHECK line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckPattern {
    /// The parts in order.
    pub parts: Vec<PatternPart>,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// Text; blanks match any blanks.
    Literal(String),
    /// `{{…}}`: a regular expression.
    Regex(String),
    /// `[[NAME:…]]`: a regular expression whose match becomes the value of a variable.
    Define(String, String),
    /// `[[NAME]]`: the value of a variable.
    Use(String),
}

impl CheckPattern {
    /// Returns the pattern as a regular expression with a named group for each defined variable;
    /// `value` returns the values of variables.
    pub fn source(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let part = |part: &PatternPart| match part {
            PatternPart::Literal(text) => literal(text),
            PatternPart::Regex(regex) => format!("(?:{regex})"),
            PatternPart::Define(name, regex) => format!("(?P<{name}>{regex})"),
            PatternPart::Use(name) => regex::escape(&value(name).unwrap_or_default()),
        };
        self.parts.iter().map(part).collect()
    }

    /// Returns the names of the variables that it defines.
    pub fn defined(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            PatternPart::Define(name, _) => Some(&**name),
            _ => None,
        })
    }

    /// Returns the names of the variables that it uses.
    pub fn used(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            PatternPart::Use(name) => Some(&**name),
            _ => None,
        })
    }
}

/// Returns a regular expression of a text in which blanks match any blanks.
fn literal(text: &str) -> String {
    let mut regex = String::new();
    let mut blank = false;
    for c in text.chars() {
        if matches!(c, ' ' | '\t') {
            if !blank {
                regex.push_str("[ \\t]+");
            }
        } else {
            regex.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
        }
        blank = matches!(c, ' ' | '\t');
    }
    regex
}

/// Compiles a regular expression of [`CheckPattern::source`].
///
/// # Errors
/// Returns the reason without an excerpt.
pub fn compile(source: &str) -> Result<regex::Regex, String> {
    let compiled = RegexBuilder::new(source).size_limit(PATTERN_BYTES).build();
    compiled.map_err(|error| {
        let text = error.to_string();
        text.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned()
    })
}

/// Reader of the CHECK lines of a `[test]` section.
#[derive(Default)]
pub(crate) struct Checks<'a> {
    pub(crate) blocks: Vec<CheckBlock<'a>>,
    /// Variables of the last block.
    defined: BTreeSet<String>,
}

impl<'a> Checks<'a> {
    /// Reads a line of the section; `span` locates a part of the file.
    pub(crate) fn line(
        &mut self,
        number: u32,
        line: &'a [u8],
        span: impl Fn(&[u8]) -> Span,
    ) -> Result<(), Fault<'a>> {
        let Some(directive) = directive(line, &[b"#"]) else { return Ok(()) };
        let text = str::from_utf8(directive)
            .map_err(|_| fault(directive, "a CHECK line is not valid UTF-8"))?;
        let at = |part: &'a str, message: &str| fault(part.as_bytes(), message);
        let end = text.find(['(', ':']).ok_or_else(|| at(text, "there is no `:`"))?;
        let name = &text[..end];
        let kind = CheckKind::from_name(name).map_err(|message| at(name, &message))?;
        let (scope, pattern) = match text[end..].strip_prefix('(') {
            None => (None, &text[end + 1..]),
            Some(rest) => {
                let close = rest.find(')').ok_or_else(|| at(text, "`(` is not closed"))?;
                let (scope, after) = (&rest[..close], &rest[close + 1..]);
                let pattern = after.strip_prefix(':');
                let pattern = pattern.ok_or_else(|| at(text, "`:` is expected after `)`"))?;
                (Some(parse_scope(scope)?), pattern)
            }
        };
        let pattern = pattern.trim();
        let check = Check {
            line: number,
            span: span(directive),
            kind,
            text: pattern,
            pattern: parse_pattern(if pattern.is_empty() { text } else { pattern }, pattern)?,
        };
        self.add(check, scope, text)
    }

    fn add(
        &mut self,
        check: Check<'a>,
        scope: Option<CheckScope>,
        text: &'a str,
    ) -> Result<(), Fault<'a>> {
        let at = |message: &str| Err(fault(text.as_bytes(), message));
        if let Some(scope) = scope {
            self.blocks.push(CheckBlock { scope, checks: Vec::new() });
            self.defined.clear();
        }
        let Some(block) = self.blocks.last_mut() else {
            return at("the first CHECK line needs a scope, as in `CHECK(ivb fragment eu):`");
        };
        let is_positive = |check: &Check<'_>| check.kind != CheckKind::Not;
        if check.kind == CheckKind::Next && !block.checks.iter().any(is_positive) {
            return at("CHECK-NEXT needs a match before it");
        }
        let defines = check.pattern.defined().next().is_some();
        if defines && matches!(check.kind, CheckKind::Not | CheckKind::Count(_) | CheckKind::Label)
        {
            return at(&format!("{} cannot define a variable", check.kind.name()));
        }
        if let Some(name) = check.pattern.used().next().filter(|_| check.kind == CheckKind::Label) {
            return at(&format!("CHECK-LABEL cannot use the variable `{name}`"));
        }
        if let Some(name) = check.pattern.used().find(|name| !self.defined.contains(*name)) {
            return at(&format!("no line before defines the variable `{name}`"));
        }
        self.defined.extend(check.pattern.defined().map(str::to_owned));
        block.checks.push(check);
        Ok(())
    }
}

/// Returns a line that looks like a CHECK line outside `[test]`, where it would have no effect.
pub(crate) fn misplaced(part: &[u8]) -> Option<&[u8]> {
    part.find_substring(&b"CHECK"[..])?;
    let lines = Lines::new(part, 0).filter_map(|(_, line)| directive(line, &[b"#", b"//"]));
    lines.into_iter().find(|text| {
        let open = text.iter().position(|&byte| byte == b'(' || byte == b':');
        open.is_some_and(|open| text[open] == b'(') && text.find_substring(&b"):"[..]).is_some()
    })
}

/// Returns the text of a CHECK line after the comment's mark, without blanks around it. A comment
/// such as `# CHECKED` is none.
fn directive<'l>(line: &'l [u8], marks: &[&[u8]]) -> Option<&'l [u8]> {
    let line = trim_end(skip_space(line));
    let text = skip_space(marks.iter().find_map(|mark| line.strip_prefix(*mark))?);
    let rest = text.strip_prefix(b"CHECK")?;
    matches!(rest.first(), Some(b'-' | b'(' | b':')).then_some(text)
}

fn fault<'a>(at: &'a [u8], message: &str) -> Fault<'a> {
    Fault::new(ErrorKind::Check, at, message)
}

/// Parses `ivb,hsw fragment SIMD8 eu`.
fn parse_scope(text: &str) -> Result<CheckScope, Fault<'_>> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (generations, stage, width, form) = match words[..] {
        [generations, stage, form] => (generations, stage, None, form),
        [generations, stage, width, form] => (generations, stage, Some(width), form),
        _ => {
            let form = "generations, stage, width if one is meant, and `ir` or `eu`";
            return Err(fault(
                text.as_bytes(),
                &format!("a scope has {form}, as in `ivb fragment SIMD8 eu`"),
            ));
        }
    };
    let parsed = Generation::parse_list(generations);
    let generations = parsed.map_err(|error| fault(generations.as_bytes(), &error.to_string()))?;
    let names = || Stage::ALL.map(stage_name).join(", ");
    let stage = Stage::ALL
        .into_iter()
        .find(|known| stage_name(*known) == stage)
        .ok_or_else(|| fault(stage.as_bytes(), &format!("unknown stage (known: {})", names())))?;
    let form = match form {
        "ir" => CodeForm::Ir,
        "eu" => CodeForm::Eu,
        _ => return Err(fault(form.as_bytes(), "`ir` or `eu` is expected")),
    };
    let width = width.map(parse_width).transpose()?;
    if width.is_some() && form == CodeForm::Ir {
        return Err(fault(text.as_bytes(), "IR has no width"));
    }
    Ok(CheckScope { generations, stage, width, form })
}

fn parse_width(name: &str) -> Result<Width, Fault<'_>> {
    let known = || Width::ALL.map(Width::name).join(", ");
    let width = Width::ALL.into_iter().find(|width| width.name() == name);
    width.ok_or_else(|| fault(name.as_bytes(), &format!("unknown width (known: {})", known())))
}

/// Returns a stage's name in one word: `tessellation-control`.
fn stage_name(stage: Stage) -> String {
    stage.name().replace(' ', "-")
}

/// Parses a pattern; `at` is the text of errors about the whole.
fn parse_pattern<'a>(at: &'a str, text: &'a str) -> Result<CheckPattern, Fault<'a>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let special = ["{{", "[["].iter().filter_map(|mark| rest.find(mark)).min();
        let (before, marked) = rest.split_at(special.unwrap_or(rest.len()));
        if !before.is_empty() {
            parts.push(PatternPart::Literal(before.to_owned()));
        }
        rest = marked;
        if let Some(inside) = marked.strip_prefix("{{") {
            let end = inside.find("}}");
            let end = end.ok_or_else(|| fault(marked.as_bytes(), "`{{` is not closed"))?;
            parts.push(PatternPart::Regex(inside[..end].to_owned()));
            rest = &inside[end + 2..];
        } else if let Some(inside) = marked.strip_prefix("[[") {
            let end = variable_end(inside);
            let end = end.ok_or_else(|| fault(marked.as_bytes(), "`[[` is not closed"))?;
            parts.push(variable(&inside[..end])?);
            rest = &inside[end + 2..];
        }
    }
    let pattern = CheckPattern { parts };
    let source = pattern.source(|_| Some("x".to_owned()));
    let regex = compile(&source)
        .map_err(|reason| fault(at.as_bytes(), &format!("no regular expression: {reason}")))?;
    if regex.is_match("") {
        return Err(fault(at.as_bytes(), "the pattern matches empty text"));
    }
    Ok(pattern)
}

/// Returns the position of the `]]` that ends a variable: its regular expression may have brackets.
fn variable_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut index) = (0u32, 0);
    while let Some(&byte) = bytes.get(index) {
        match byte {
            b'\\' => index += 1,
            b'[' => depth += 1,
            b']' if depth > 0 => depth -= 1,
            b']' if bytes.get(index + 1) == Some(&b']') => return Some(index),
            _ => {}
        }
        index += 1;
    }
    None
}

/// Parses `NAME` or `NAME:REGEX`.
fn variable(text: &str) -> Result<PatternPart, Fault<'_>> {
    let (name, regex) = match text.split_once(':') {
        Some((name, regex)) => (name, Some(regex)),
        None => (text, None),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || !name.chars().all(is_name) {
        return Err(fault(text.as_bytes(), "a variable is named by letters, digits and `_`"));
    }
    Ok(match regex {
        Some(regex) => PatternPart::Define(name.to_owned(), regex.to_owned()),
        None => PatternPart::Use(name.to_owned()),
    })
}

#[cfg(test)]
mod tests;
