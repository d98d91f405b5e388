//! Parsed GLSL sections of a test: edits in a shader's text become edits in the file.

use std::collections::BTreeSet;
use std::ops::Range;

use glsl_syntax::ast::{Expr, ExprId, ExprKind, TranslationUnit, Version};
use glsl_syntax::source::{FileId, Span};
use glsl_syntax::{Environment, ExtensionNames};

use super::edit::{Edit, apply, joined};

/// A GLSL section.
pub(super) struct Source<'a> {
    /// Start in the file.
    start: usize,
    /// Text of the section.
    pub(super) text: &'a str,
    /// Language version of a text without `#version`.
    version: Version,
}

/// Returns the GLSL sections of a shader test.
pub(super) fn of_shader_test(text: &str) -> Vec<Source<'_>> {
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

/// Returns the GLSL shaders of a Vulkan script.
pub(super) fn of_vulkan_script<'t>(text: &'t str, script: &vk_script::Script) -> Vec<Source<'t>> {
    let is_glsl = |shader: &&vk_script::Shader| shader.language == vk_script::ShaderLanguage::Glsl;
    let source = |shader: &vk_script::Shader| {
        let body = shader.source_span.range();
        // A text of several sections has no one place.
        let text = text.get(body.clone()).filter(|text| **text == *shader.source)?;
        Some(Source { start: body.start, text, version: Version::default() })
    };
    script.shaders.iter().filter(is_glsl).filter_map(source).collect()
}

/// Returns shrinking edits in all shaders that parse, in the order of the file.
pub(super) fn edits(sources: &[Source<'_>], of: impl Fn(&Parsed<'_>) -> Vec<Edit>) -> Vec<Edit> {
    all_edits(sources, of).into_iter().filter(Edit::shrinks).collect()
}

/// Returns edits in all shaders that parse, among them parts of larger edits.
pub(super) fn all_edits(
    sources: &[Source<'_>],
    of: impl Fn(&Parsed<'_>) -> Vec<Edit>,
) -> Vec<Edit> {
    collected(sources, |shader| {
        of(shader).into_iter().map(|edit| edit.moved(shader.start)).collect()
    })
}

/// Returns what is found in all shaders that parse.
pub(super) fn collected<T>(sources: &[Source<'_>], of: impl Fn(&Parsed<'_>) -> Vec<T>) -> Vec<T> {
    let mut all = Vec::new();
    for source in sources {
        let Some(unit) = source.parse() else { continue };
        let parsed = Parsed {
            text: source.text,
            unit: &unit,
            start: source.start,
            base: unit.sources.file_span(FileId(0)).start,
        };
        all.extend(of(&parsed));
    }
    all
}

impl Source<'_> {
    /// Returns the range in the file.
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Converts an edit of this section to one of the file.
    pub(super) fn in_file(&self, edit: Edit) -> Edit {
        edit.moved(self.start)
    }

    /// Returns the syntax tree; `None` if lines are continued, since its positions would not be
    /// those of the text.
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
        glsl_syntax::parse(&[self.text], &env).ok()
    }
}

/// A shader with its syntax tree.
pub(super) struct Parsed<'a> {
    /// Text of the shader.
    pub(super) text: &'a str,
    /// Syntax tree.
    pub(super) unit: &'a TranslationUnit,
    /// Start in the file.
    start: usize,
    /// Offset of the text in spans.
    base: u32,
}

impl Parsed<'_> {
    /// Converts a span to a range of the text; `None` for included strings and joined tokens of
    /// macros.
    pub(super) fn range(&self, span: Span) -> Option<Range<usize>> {
        let [start, end] = [span.start, span.end].map(|pos| pos.checked_sub(self.base));
        let range = start? as usize..end? as usize;
        self.text.get(range.clone()).filter(|part| !part.is_empty()).map(|_| range)
    }

    /// Returns the text of a span.
    pub(super) fn text_of(&self, span: Span) -> Option<&str> {
        self.text.get(self.range(span)?)
    }

    /// Returns the expressions that are a name on its own.
    pub(super) fn uses_of(&self, name: &str) -> impl Iterator<Item = &Expr> {
        let symbol = self.unit.interner.get(name);
        let is_it =
            move |expr: &&Expr| matches!(expr.kind, ExprKind::Name(found) if Some(found) == symbol);
        self.unit.exprs.values().filter(is_it)
    }

    /// Returns an edit that puts the text of an expression in place of another one, in parentheses
    /// where it needs them.
    pub(super) fn put_value(&self, place: Span, value: ExprId, text: &str) -> Option<Edit> {
        let is_loose = self.is_loose(value) && !self.is_item(place);
        self.put(place, &if is_loose { format!("({text})") } else { text.to_owned() })
    }

    /// Returns the text of an expression in place of an operand.
    pub(super) fn operand(&self, id: ExprId) -> Option<String> {
        let text = self.text_of(self.unit.exprs[id].span)?;
        Some(if self.is_loose(id) { format!("({text})") } else { text.to_owned() })
    }

    /// Returns a part of the text with values in place of names.
    pub(super) fn with_values(&self, part: Span, values: &[(&str, String)]) -> Option<String> {
        let inside = self.text_of(part)?;
        let edits = values.iter().flat_map(|(name, value)| {
            let uses = self.uses_of(name).map(|expr| expr.span);
            uses.filter(|&span| holds(part, span)).filter_map(|span| self.put(span, value))
        });
        let Some(all) = joined(self.text, edits.collect()) else { return Some(inside.to_owned()) };
        let start = self.range(part)?.start;
        let range = all.range.start - start..all.range.end - start;
        Some(apply(inside, [&Edit { range, ..all }]))
    }

    /// True if an expression needs parentheses as an operand.
    fn is_loose(&self, id: ExprId) -> bool {
        matches!(
            self.unit.exprs[id].kind,
            ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Assign(..)
                | ExprKind::Ternary(..)
                | ExprKind::Comma(..)
        )
    }

    /// True if an expression is between a bracket, comma or assignment and a bracket, comma or
    /// semicolon.
    fn is_item(&self, span: Span) -> bool {
        let Some(range) = self.range(span) else { return false };
        let before = self.text.get(..range.start).unwrap_or_default().trim_end();
        let after = self.text.get(range.end..).unwrap_or_default().trim_start();
        before.ends_with(['(', ',', '=', '[']) && after.starts_with([')', ',', ';', ']'])
    }

    /// Returns an edit that removes a part of the text, with the end of its line if nothing else is
    /// on it.
    pub(super) fn remove(&self, span: Span) -> Option<Edit> {
        let range = self.range(span)?;
        let rest = self.text.get(range.end..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        let ends_line = rest.get(blank..).is_some_and(|rest| rest.starts_with('\n'));
        let end = if ends_line { range.end + blank + 1 } else { range.end };
        Some(Edit::delete(range.start..end))
    }

    /// Returns an edit that replaces one part of the text by another.
    pub(super) fn replace(&self, span: Span, by: Span) -> Option<Edit> {
        let (range, by) = (self.range(span)?, self.range(by)?);
        Some(Edit { range, text: self.text.get(by)?.to_owned() })
    }

    /// Returns an edit that replaces a part of the text by a word.
    pub(super) fn put(&self, span: Span, word: &str) -> Option<Edit> {
        Some(Edit { range: self.range(span)?, text: word.to_owned() })
    }
}

/// True if a span has another one in it.
pub(super) fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Returns edits in the order of the text; of overlapping ones, the first.
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
