//! Source diagnostics: an excerpt with the offending place marked.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Maximum length of an excerpt's line; of longer lines only a window around the place is shown.
const LINE_LIMIT: usize = 400;

/// Renders an error at a span of a text.
pub fn render(path: &str, text: &str, span: Range<usize>, message: &str) -> String {
    render_styled(path, text, span, message, &Renderer::plain())
}

fn render_styled(
    path: &str,
    text: &str,
    span: Range<usize>,
    message: &str,
    renderer: &Renderer,
) -> String {
    let title = Level::ERROR.primary_title(message);
    renderer.render(&[title.element(snippet(path, text, span))])
}

/// Renders an excerpt without a message, in colors on request.
pub fn excerpt(path: &str, text: &str, span: Range<usize>, colored: bool) -> String {
    renderer(colored).render(&[Group::with_level(Level::ERROR).element(snippet(path, text, span))])
}

fn renderer(colored: bool) -> Renderer {
    if colored { Renderer::styled() } else { Renderer::plain() }
}

fn snippet<'a>(
    path: &'a str,
    text: &'a str,
    span: Range<usize>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let (window, first_line, span) = window(text, span);
    Snippet::source(window)
        .path(path)
        .line_start(first_line)
        .annotation(AnnotationKind::Primary.span(span))
}

/// Returns the lines around a span, cut to [`LINE_LIMIT`] bytes on either side, with the number of
/// the first line and the span's place in the excerpt.
fn window(text: &str, span: Range<usize>) -> (&str, usize, Range<usize>) {
    let start = floor(text, span.start.min(text.len()));
    let end = ceil(text, span.end.clamp(start, text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let from = ceil(text, line_start.max(start.saturating_sub(LINE_LIMIT)));
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let to = floor(text, line_end.min(start + LINE_LIMIT)).max(start);
    let end = end.min(to);
    let first_line = text[..start].matches('\n').count() + 1;
    (&text[from..to], first_line, start - from..end - from)
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len())
}

/// Renders a parse error of a test file, in colors on request.
pub fn script_error(path: &str, bytes: &[u8], error: &script::ParseError, colored: bool) -> String {
    marked_styled(path, bytes, error.span.range(), &error.message, &renderer(colored))
}

/// Renders an error at a span of a text that need not be UTF-8.
pub fn marked(path: &str, bytes: &[u8], span: Range<usize>, message: &str) -> String {
    marked_styled(path, bytes, span, message, &Renderer::plain())
}

fn marked_styled(
    path: &str,
    bytes: &[u8],
    span: Range<usize>,
    message: &str,
    renderer: &Renderer,
) -> String {
    let part = |range: Range<usize>| String::from_utf8_lossy(bytes.get(range).unwrap_or_default());
    // Replacement characters are longer than the bytes that they replace: the span moves along.
    let (before, at, after) =
        (part(0..span.start), part(span.clone()), part(span.end..bytes.len()));
    let range = before.len()..before.len() + at.len();
    let text = [before, at, after].concat();
    render_styled(path, &text, range, message, renderer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked() {
        let shown = render("a.shader_test", "one\ntwo bad\nthree\n", 8..11, "no such word");
        assert!(shown.contains("error: no such word"), "{shown}");
        assert!(shown.contains("a.shader_test:2:5"), "{shown}");
        assert!(shown.contains("two bad") && shown.contains("^^^"), "{shown}");
    }

    #[test]
    fn excerpts_have_no_message() {
        let shown = excerpt("a.shader_test", "one\ntwo bad\nthree\n", 8..11, false);
        assert!(!shown.contains("error"), "{shown}");
        assert!(shown.contains("a.shader_test:2:5") && shown.contains("^^^"), "{shown}");
        let colored = excerpt("a.shader_test", "one\ntwo bad\nthree\n", 8..11, true);
        assert!(colored.contains("\u{1b}["), "{colored}");
    }

    #[test]
    fn excerpts_of_what_is_not_utf8() {
        let bytes = b"# caf\xe9\n[test]\nclear \xe9 now\n";
        let error = script::parse(bytes).expect_err("a byte that is not UTF-8");
        let shown = script_error("a.shader_test", bytes, &error, false);
        assert!(
            shown.contains("a.shader_test:3:7") && shown.contains("clear \u{fffd} now"),
            "{shown}"
        );
    }

    #[test]
    fn very_long_lines_are_cut() {
        let text = format!("{}é!{}", "x".repeat(5_000_000), "y".repeat(5_000_000));
        let shown = render("a", &text, 5_000_000..5_000_002, "odd");
        assert!(shown.len() < 4096 && shown.contains('é'), "{}", shown.len());
    }

    #[test]
    fn spans_past_the_end_and_inside_characters_do_no_harm() {
        for text in ["", "é", "a\n", "aé\nb"] {
            for start in 0..6 {
                for end in start..7 {
                    assert!(render("p", text, start..end, "m").contains("error: m"));
                }
            }
        }
    }
}
