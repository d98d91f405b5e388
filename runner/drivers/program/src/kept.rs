//! The kept part of a stream.

/// Kept size of the beginning and of the end of a stream, in bytes each.
const PART: usize = 64 << 10;

/// Beginning and end of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    beginning: Vec<u8>,
    end: Vec<u8>,
    left_out: u64,
}

impl Kept {
    /// Appends bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(PART - self.beginning.len()));
        self.beginning.extend_from_slice(first);
        let (old, new) = rest.split_at(rest.len().saturating_sub(PART));
        if !old.is_empty() {
            self.left_out += (self.end.len() + old.len()) as u64;
            self.end.clear();
        }
        self.end.extend_from_slice(new);
        // Twice the size, so that bytes move seldom.
        if self.end.len() > 2 * PART {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let excess = self.end.len().saturating_sub(PART);
        self.left_out += excess as u64;
        self.end.drain(..excess);
    }

    /// Returns the kept text; a line says how much is left out of it.
    pub fn text(&self) -> String {
        let mut kept = self.clone();
        kept.cut();
        if kept.left_out == 0 {
            kept.beginning.append(&mut kept.end);
            return String::from_utf8_lossy(&kept.beginning).into_owned();
        }
        let [beginning, end] =
            [&kept.beginning, &kept.end].map(|part| String::from_utf8_lossy(part));
        format!("{beginning}\n[{} bytes left out]\n{end}", kept.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_whole() {
        let mut kept = Kept::default();
        kept.push(b"one ");
        kept.push("zwei \u{e9}".as_bytes());
        assert_eq!(kept.text(), "one zwei \u{e9}");
    }

    #[test]
    fn beginning_and_end_of_long_texts() {
        let line = |index: usize| format!("{index:>7}\n");
        let count = 100_000;
        let all: String = (0..count).map(line).collect();
        for size in [1, 100, 5000, PART, all.len()] {
            let mut kept = Kept::default();
            all.as_bytes().chunks(size).for_each(|part| kept.push(part));
            let left_out = all.len() - 2 * PART;
            let expected = format!(
                "{}\n[{left_out} bytes left out]\n{}",
                &all[..PART],
                &all[all.len() - PART..]
            );
            assert!(kept.text() == expected, "{size}");
            assert!(kept.end.capacity() < 8 * PART, "{size}");
        }
    }
}
