//! Comments of a shader, which say what a test is about.

use std::ops::Range;

/// Maximum length of the words of a comment in bytes.
const LIMIT: usize = 600;

/// Words by which a comment is not about the test.
const FOREIGN: [&str; 3] =
    ["Copyright", "Permission is hereby granted", "This is a generated test"];

/// Returns the words of the first comment that is about the test. `block` is the `[config]` block,
/// which is left out.
pub(crate) fn subject(file: &[u8], block: &Range<usize>) -> Option<String> {
    comments(file).into_iter().find_map(|comment| {
        let outside = |line: &Range<usize>| line.end <= block.start || line.start >= block.end;
        let lines = comment.into_iter().filter(outside);
        let texts = lines.map(|line| String::from_utf8_lossy(&file[line]).trim().to_owned());
        words(texts)
    })
}

/// Joins the paragraphs of a comment that are about the test.
fn words(lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = lines.collect();
    let paragraphs = lines.split(String::is_empty).map(|paragraph| paragraph.join(" "));
    let about = |paragraph: &String| {
        !paragraph.is_empty() && !FOREIGN.iter().any(|word| paragraph.contains(word))
    };
    let text = paragraphs.filter(about).collect::<Vec<_>>().join(" ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.contains(|c: char| c.is_alphabetic()) {
        return None;
    }
    let end = (0..=LIMIT.min(text.len())).rev().find(|&end| text.is_char_boundary(end))?;
    Some(if end < text.len() { format!("{}…", &text[..end]) } else { text })
}

/// Returns the lines of each comment without the marks; comments to the ends of consecutive lines
/// are one.
fn comments(file: &[u8]) -> Vec<Vec<Range<usize>>> {
    let mut all: Vec<Vec<Range<usize>>> = Vec::new();
    // True while nothing but blanks and one newline follows a comment to the end of a line.
    let mut continues = false;
    let mut at = 0;
    while at < file.len() {
        match &file[at..] {
            [b'/', b'/', ..] => {
                let end = memchr::memchr(b'\n', &file[at..]).map_or(file.len(), |n| at + n);
                let line = at + 2..end;
                match all.last_mut().filter(|_| continues) {
                    Some(comment) => comment.push(line),
                    None => all.push(vec![line]),
                }
                continues = true;
                at = end + 1;
            }
            [b'/', b'*', ..] => {
                let body = &file[at + 2..];
                let length = memchr::memmem::find(body, b"*/").unwrap_or(body.len());
                all.push(lines_of_block(file, at + 2..at + 2 + length));
                continues = false;
                at = (at + length + 4).min(file.len());
            }
            [b' ' | b'\t' | b'\r', ..] => at += 1,
            _ => {
                continues = false;
                at += 1;
            }
        }
    }
    all
}

/// Divides the body of a block comment into lines without leading stars.
fn lines_of_block(file: &[u8], body: Range<usize>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = body.start;
    for line in file[body].split(|&byte| byte == b'\n') {
        let blanks = line.len() - line.trim_ascii_start().len();
        let star = usize::from(line.get(blanks) == Some(&b'*'));
        let skipped = if star > 0 { blanks + star } else { 0 };
        lines.push(start + skipped..start + line.len());
        start += line.len() + 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        let find = |word| text.find(word);
        let block = match (find("[config]"), find("[end config]")) {
            (Some(start), Some(end)) => start..end + "[end config]".len(),
            _ => 0..0,
        };
        subject(text.as_bytes(), &block)
    }

    #[test]
    fn the_words_after_the_block() {
        let text = "// [config]\n// glsl_version: 1.10\n// [end config]\n//\n// From the  spec:\n//\n\
                    //    \"No.\"\nvoid main() { } // other\n";
        assert_eq!(of(text).as_deref(), Some("From the spec: \"No.\""));
        let text =
            "/*\n * [config]\n * glsl_version: 1.10\n * [end config]\n *\n * Both *stars*.\n */";
        assert_eq!(of(text).as_deref(), Some("Both *stars*."));
    }

    #[test]
    fn the_first_comment_about_the_test() {
        let text = "/* [config]\n * [end config]\n */\n\n/* Copyright of somebody */\nint a;\n// One\n\
                    // two.\n\n// Three.\n";
        assert_eq!(of(text).as_deref(), Some("One two."));
        assert_eq!(of("/* [config] [end config] */ int a;"), None);
        assert_eq!(of("// ----\n/* unfinished"), Some("unfinished".to_owned()));
    }

    #[test]
    fn long_comments_are_cut() {
        let text = format!("// {}", "é".repeat(1000));
        assert!(of(&text).is_some_and(|words| words.len() < 700 && words.ends_with('…')));
    }
}
