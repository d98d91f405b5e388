//! Textures that are attachments of a framebuffer, with what a fragment shader writes to them.

use std::ops::Range;

use glsl_syntax::ast::{Decl, DeclKind, ExprId, ExprKind, QualifierKind, StmtKind};

use super::edit::{Edit, joined};
use super::script_edits::whole_lines;
use super::shader::{self, Parsed, Source};

/// Removes each attachment with its texture, the commands that read it, and the output of the
/// fragment shader: the outputs behind it move up. Without the last one, tests draw into their
/// window.
pub(super) fn attachments(text: &str, shaders: &[Source<'_>]) -> Vec<Edit> {
    let Ok(script) = script::parse(text.as_bytes()) else { return Vec::new() };
    let spans = script.test.iter().flatten().map(|line| line.span.range());
    let commands: Vec<(Range<usize>, &str)> =
        spans.filter_map(|span| Some((span.clone(), text.get(span)?.trim_end()))).collect();
    let bind = commands.iter().filter(|(_, command)| command.starts_with("fb tex 2d "));
    let edits = bind.flat_map(|(span, command)| {
        let units: Vec<&str> = command.split_whitespace().skip(3).collect();
        let without = |at: usize| {
            let unit = units[at];
            let mut kept = units.clone();
            kept.remove(at);
            let line = |span: &Range<usize>| Edit::delete(whole_lines(text, span.clone()));
            let is_of = |command: &str| {
                let mut words = command.split_whitespace();
                match (words.next(), words.next()) {
                    (Some("texture"), _) => words.next() == Some(unit),
                    (Some("fb"), Some("read")) => words.nth(2) == Some(unit),
                    _ => false,
                }
            };
            let of_unit = commands.iter().filter(|(_, command)| is_of(command));
            let mut edits: Vec<Edit> = of_unit.map(|(span, _)| line(span)).collect();
            if kept.is_empty() {
                edits.push(line(span));
            } else {
                let range = span.start..span.start + command.len();
                edits.push(Edit { range, text: format!("fb tex 2d {}", kept.join(" ")) });
                edits.extend(without_output(shaders, at as u64));
            }
            joined(text, edits)
        };
        (0..units.len()).filter_map(without).collect::<Vec<_>>()
    });
    edits.collect()
}

/// Removes the output at a location, and gives those behind it the location before.
fn without_output(shaders: &[Source<'_>], location: u64) -> Vec<Edit> {
    shader::all_edits(shaders, |shader| {
        let decls = shader.unit.decls.values();
        decls
            .flat_map(|decl| match output(shader, decl) {
                Some((id, name)) => match shader.unit.exprs[id].kind {
                    ExprKind::Int(at, _) if at == location => {
                        let uses = writes(shader, name);
                        uses.into_iter().chain(shader.remove(decl.span)).collect()
                    }
                    ExprKind::Int(at, _) if at > location => {
                        let span = shader.unit.exprs[id].span;
                        shader.put(span, &(at - 1).to_string()).into_iter().collect()
                    }
                    _ => Vec::new(),
                },
                None => Vec::new(),
            })
            .collect()
    })
}

/// Returns location and name of an output that has a location.
fn output<'a>(shader: &'a Parsed<'_>, decl: &Decl) -> Option<(ExprId, &'a str)> {
    let unit = shader.unit;
    let DeclKind::Variables { qualifiers, declarators, .. } = decl.kind else { return None };
    let kinds = || unit.list(qualifiers).iter().map(|&id| unit.qualifiers[id].kind);
    if !kinds().any(|kind| matches!(kind, QualifierKind::Out)) {
        return None;
    }
    let entries = kinds().filter_map(|kind| match kind {
        QualifierKind::Layout(entries) => Some(entries),
        _ => None,
    });
    let mut entries = entries.flat_map(|entries| unit.list(entries)).map(|&id| &unit.layouts[id]);
    let entry = entries.find(|entry| shader.text_of(entry.name.span) == Some("location"))?;
    let [declarator] = *unit.list(declarators) else { return None };
    Some((entry.value.expand()?, shader.text_of(unit.declarators[declarator].name.span)?))
}

/// Removes the statements that write a variable.
fn writes(shader: &Parsed<'_>, name: &str) -> Vec<Edit> {
    let unit = shader.unit;
    let is_write = |expr: ExprId| match unit.exprs[expr].kind {
        ExprKind::Assign(_, target, _) => {
            let target = unit.exprs[target].span;
            shader.uses_of(name).any(|found| found.span.start == target.start)
        }
        _ => false,
    };
    let written = unit.stmts.values().filter(|stmt| match stmt.kind {
        StmtKind::Expr(expr) => is_write(expr),
        _ => false,
    });
    written.filter_map(|stmt| shader.remove(stmt.span)).collect()
}
