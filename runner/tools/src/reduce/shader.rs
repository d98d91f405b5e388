//! GLSL sections of a test, parsed: edits in a shader's text become edits in the file.

use std::collections::BTreeSet;
use std::ops::Range;

use glsl::ast::{TranslationUnit, Version};
use glsl::source::{FileId, Span};
use glsl::syntax::{self, Environment, ExtensionNames};

use super::Edit;

/// A GLSL section.
pub(super) struct Source<'a> {
    /// Where it starts in the file.
    start: usize,
    /// Its text.
    pub(super) text: &'a str,
    /// The language version if the text does not say.
    version: Version,
}

/// The GLSL sections of a test.
pub(super) fn sources(text: &str) -> Vec<Source<'_>> {
    let Ok(script) = script::parse(text.as_bytes()) else { return Vec::new() };
    let source = |shader: &script::Shader<'_>| {
        let body = shader.body.range();
        let line = script.version_line(shader);
        let number = line.and_then(|line| line.to_string().split_whitespace().nth(1)?.parse().ok());
        let version = Version {
            number: number.unwrap_or(Version::default().number),
            es: line.is_some_and(|line| line.es),
            ..Version::default()
        };
        Some(Source { start: body.start, text: text.get(body)?, version })
    };
    script.shaders().filter_map(source).collect()
}

/// Edits in all shaders that parse, in the order of the file.
pub(super) fn edits(text: &str, of: impl Fn(&Parsed<'_>) -> Vec<Edit>) -> Vec<Edit> {
    let mut all = Vec::new();
    for source in sources(text) {
        let Some(unit) = source.parse() else { continue };
        let parsed = Parsed { text: source.text, unit: &unit, base: unit.sources.file_span(FileId(0)).start };
        all.extend(of(&parsed).into_iter().filter(Edit::shrinks).map(|edit| edit.moved(source.start)));
    }
    all
}

impl Source<'_> {
    /// An edit of this section as one of the file.
    pub(super) fn in_file(&self, edit: Edit) -> Edit {
        edit.moved(self.start)
    }

    /// The syntax tree. Where lines are continued, positions in it are not those of the text: there is none.
    fn parse(&self) -> Option<TranslationUnit> {
        if self.text.contains("\\\n") || self.text.contains("\\\r") {
            return None;
        }
        let mut env = Environment { default_version: self.version, ..Environment::all_versions() };
        let directives = self.text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
        let named = directives.filter_map(|line| line.trim_start().strip_prefix("extension"));
        let names: BTreeSet<String> = named
            .filter_map(|rest| rest.split([':', ' ', '\t']).find(|word| !word.is_empty()))
            .map(str::to_owned)
            .collect();
        env.extensions = ExtensionNames::remembered(&names);
        syntax::parse(&[self.text], &env).ok()
    }
}

/// A shader with its tree.
pub(super) struct Parsed<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// The tree.
    pub(super) unit: &'a TranslationUnit,
    /// Where spans have the text's start.
    base: u32,
}

impl Parsed<'_> {
    /// A span as a range of the text; `None` of what an included string or a macro's joined tokens say.
    pub(super) fn range(&self, span: Span) -> Option<Range<usize>> {
        let [start, end] = [span.start, span.end].map(|pos| pos.checked_sub(self.base));
        let range = start? as usize..end? as usize;
        self.text.get(range.clone()).filter(|part| !part.is_empty()).map(|_| range)
    }

    /// An edit that puts one part of the text in the place of another.
    pub(super) fn replace(&self, span: Span, by: Span) -> Option<Edit> {
        let (range, by) = (self.range(span)?, self.range(by)?);
        Some(Edit { range, text: self.text.get(by)?.to_owned() })
    }

    /// An edit that puts a word in the place of a part of the text.
    pub(super) fn put(&self, span: Span, word: &str) -> Option<Edit> {
        Some(Edit { range: self.range(span)?, text: word.to_owned() })
    }
}

/// Edits in the order of the text; of those that overlap the first.
pub(super) fn disjoint(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    let mut end = 0;
    edits.retain(|edit| {
        let free = edit.range.start >= end;
        end = if free { edit.range.end } else { end };
        free
    });
    edits
}
