//! Paragraphs of comments and documents, without code.

use crate::lexer::{Comment, Marker};
use crate::source::{File, Kind};

/// A run of prose: lines joined by spaces, inline code replaced by `` ` ` ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// Joined text.
    pub text: String,
    /// Offset in the text and line in the file of each line.
    starts: Vec<(usize, usize)>,
}

impl Paragraph {
    /// The line in the file of an offset in the text.
    pub fn line(&self, offset: usize) -> usize {
        let before = self.starts.iter().take_while(|(start, _)| *start <= offset);
        before.last().map_or(0, |(_, line)| *line)
    }

    /// Offsets at which sentences begin, with the sentence up to its final stop.
    pub fn sentences(&self) -> Vec<(usize, &str)> {
        let mut sentences = Vec::new();
        let mut start = 0;
        let bytes = self.text.as_bytes();
        for at in 0..bytes.len() {
            let stop = matches!(bytes[at], b'.' | b'?' | b'!');
            if stop && bytes.get(at + 1).is_none_or(|&next| next == b' ') || at + 1 == bytes.len() {
                let sentence = &self.text[start..=at];
                let blank = sentence.len() - sentence.trim_start().len();
                sentences.push((start + blank, sentence.trim()));
                start = at + 1;
            }
        }
        sentences
    }
}

/// All paragraphs of a file's comments or, for Markdown, of the file.
pub fn paragraphs(file: &File) -> Vec<Paragraph> {
    match file.kind {
        Kind::Rust => comments(&file.lexed.comments),
        Kind::Markdown => markdown(file.text.lines().enumerate().map(|(i, line)| (i + 1, line))),
        Kind::Hash => markdown(hash_comments(&file.text)),
        Kind::Other => Vec::new(),
    }
}

/// Lines of prose that are wrapped by hand: no code block, no table.
pub fn wrapped_lines(file: &File) -> Vec<usize> {
    let mut filter = Blocks::default();
    match file.kind {
        Kind::Rust => {
            let comments = file.lexed.comments.iter().filter(|c| c.marker != Marker::Block);
            comments.filter(|c| filter.prose(&c.text)).map(|c| c.line).collect()
        }
        Kind::Markdown => {
            let lines = file.text.lines().enumerate();
            lines.filter(|(_, line)| filter.prose(line)).map(|(i, _)| i + 1).collect()
        }
        Kind::Hash => {
            let comments = hash_comments(&file.text).filter(|(_, text)| !text.is_empty());
            comments.map(|(line, _)| line).collect()
        }
        Kind::Other => Vec::new(),
    }
}

/// Comments that begin with `#`, after blanks or code, with their lines.
fn hash_comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let comment = |line: &str| match line.trim_start().strip_prefix('#') {
        Some(rest) => (!rest.starts_with('!')).then_some(line.len() - rest.len()),
        None => line.find(" # ").map(|at| at + 2),
    };
    text.lines()
        .enumerate()
        .map(move |(i, line)| (i + 1, comment(line).map_or("", |at| &line[at..])))
}

/// Paragraphs of Rust comments.
fn comments(comments: &[Comment]) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    let mut block: Vec<(usize, &str)> = Vec::new();
    let mut last: Option<&Comment> = None;
    for comment in comments {
        let continues = last.is_some_and(|l| {
            l.marker == comment.marker && l.line + 1 == comment.line && !comment.trailing
        });
        if !continues {
            paragraphs.extend(markdown(block.drain(..)));
        }
        block.push((comment.line, &comment.text));
        last = Some(comment);
    }
    paragraphs.extend(markdown(block.drain(..)));
    paragraphs
}

/// Tells prose from code blocks and tables.
#[derive(Default)]
struct Blocks {
    fenced: bool,
}

impl Blocks {
    /// True if the next line is prose.
    fn prose(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        if text.starts_with("```") {
            self.fenced = !self.fenced;
            return false;
        }
        let table = text.starts_with('|') && text.len() > 1;
        !self.fenced && !table
    }
}

/// True for the first line of a list item.
fn list_item(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with("* ")
        || text.starts_with("- ")
        || number.len() < text.len() && number.starts_with(". ")
}

/// Paragraphs of Markdown.
fn markdown<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Paragraph> {
    let (mut paragraphs, mut blocks) = (Vec::new(), Blocks::default());
    let mut current = Paragraph { text: String::new(), starts: Vec::new() };
    let mut finish = |current: &mut Paragraph| {
        if !current.text.is_empty() {
            current.text = without_code(&current.text);
            paragraphs.push(current.clone());
        }
        current.text.clear();
        current.starts.clear();
    };
    for (number, line) in lines {
        let text = line.trim();
        let heading = text.starts_with('#');
        let prose = blocks.prose(line);
        if !prose || text.is_empty() || heading || list_item(text) {
            finish(&mut current);
        }
        if !prose || text.is_empty() {
            continue;
        }
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let text = if list_item(digits) || digits.len() < text.len() && list_item(text) {
            digits.trim_start_matches(['*', '-', '.', ' '])
        } else {
            text.trim_start_matches(['#', ' '])
        };
        if !current.text.is_empty() {
            current.text.push(' ');
        }
        current.starts.push((current.text.len(), number));
        current.text.push_str(text);
        if heading {
            finish(&mut current);
        }
    }
    finish(&mut current);
    paragraphs
}

/// Blanks inline code and link targets, so that offsets stay.
fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut code, mut target) = (false, false);
    let mut previous = ' ';
    for c in text.chars() {
        if c == '`' {
            code = !code;
        }
        target = target && c != ')' || previous == ']' && c == '(';
        let blank = (code || target) && c != '`' && c != '(';
        if blank {
            out.extend(std::iter::repeat_n('_', c.len_utf8()))
        } else {
            out.push(c)
        }
        previous = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_no_prose() {
        let file = File::new(
            "a.md",
            "# Title\nOne `which x`. Two\nlines.\n\n```\nwhich\n```\n* item\n| which |\n",
        );
        let texts: Vec<_> = paragraphs(&file).into_iter().map(|p| p.text).collect();
        assert_eq!(texts, ["Title", "One `_______`. Two lines.", "item"]);
    }

    #[test]
    fn sentences_know_their_lines() {
        let file = File::new("a.rs", "/// One. Two\n/// three. Four.\nfn f() {}\n");
        let paragraph = &paragraphs(&file)[0];
        let found: Vec<_> = paragraph
            .sentences()
            .iter()
            .map(|(at, s)| (paragraph.line(*at), s.to_string()))
            .collect();
        assert_eq!(found, [(1, "One.".into()), (1, "Two three.".into()), (2, "Four.".into())]);
    }
}
