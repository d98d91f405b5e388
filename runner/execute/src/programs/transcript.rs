//! Standard output of a program: reported lines and other text.

use external_program::Kept;
use piglit_profile::Report;

/// Beginning of the lines that report something.
const BEGINNING: &[u8] = b"PIGLIT:";
/// Maximum length of such a line. The rest of longer ones is dropped, so that they say nothing.
const LINE: usize = 4 << 20;

/// Standard output so far.
#[derive(Debug)]
pub(super) struct Transcript {
    /// The reported lines.
    report: Report,
    /// Everything else.
    text: Kept,
    /// The current line, as long as it may be one that reports something.
    line: Option<Vec<u8>>,
}

impl Default for Transcript {
    fn default() -> Transcript {
        Transcript { report: Report::default(), text: Kept::default(), line: Some(Vec::new()) }
    }
}

impl Transcript {
    /// Takes the next part of the output.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        bytes.split_inclusive(|&byte| byte == b'\n').for_each(|part| self.part(part));
    }

    /// Takes a part of one line.
    fn part(&mut self, part: &[u8]) {
        match &mut self.line {
            None => self.text.push(part),
            Some(line) => {
                let room = LINE.saturating_sub(line.len());
                line.extend_from_slice(&part[..part.len().min(room)]);
                if !line.starts_with(BEGINNING) && !BEGINNING.starts_with(line) {
                    self.text.push(line);
                    self.text.push(&part[part.len().min(room)..]);
                    self.line = None;
                }
            }
        }
        if part.ends_with(b"\n") {
            self.end_line();
            self.line = Some(Vec::new());
        }
    }

    fn end_line(&mut self) {
        let Some(line) = self.line.take() else { return };
        match line.strip_prefix(BEGINNING) {
            Some(rest) => self.report.line(&String::from_utf8_lossy(rest)),
            None => self.text.push(&line),
        }
    }

    /// Returns the reported lines and the other text.
    pub(super) fn finish(mut self) -> (Report, String) {
        self.end_line();
        (self.report, self.text.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use piglit_profile::{Ending, State};

    #[test]
    fn reported_lines_among_others() {
        let all = "first\nPIGLIT: {\"subtest\": {\"a\": \"pass\"}}\n PIGLIT: {}\nPIG\n\n\
            PIGLIT: {\"result\": \"pass\"}";
        for size in 1..all.len() {
            let mut transcript = Transcript::default();
            all.as_bytes().chunks(size).for_each(|part| transcript.take(part));
            let (report, text) = transcript.finish();
            assert_eq!(text, "first\n PIGLIT: {}\nPIG\n\n", "{size}");
            let result = report.conclude(Ending::Exit(0));
            assert_eq!((result.state, result.subtests.len()), (State::Pass, 1));
        }
    }

    #[test]
    fn a_line_without_end_says_nothing() {
        let mut transcript = Transcript::default();
        transcript.take(b"PIGLIT: ");
        for _ in 0..9 {
            transcript.take(&vec![b'x'; 1 << 20]);
        }
        assert!(transcript.line.as_ref().is_some_and(|line| line.len() == LINE));
        let (report, _) = transcript.finish();
        assert_eq!(report.conclude(Ending::Exit(0)).state, State::Fail);
    }
}
