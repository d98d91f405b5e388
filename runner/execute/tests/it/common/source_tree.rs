//! Program text as a tree, so that parts can be taken out again.

use std::fmt::Write;

/// A statement or a definition.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// One line.
    Line(String),
    /// A line without which the rest means nothing.
    Fixed(String),
    /// Text, parts, then more of both, and closing text.
    Block {
        /// Each opening text with what follows it.
        sections: Vec<(String, Vec<Part>)>,
        /// End of the block.
        close: String,
    },
}

impl Part {
    /// A block of one section.
    pub(crate) fn block(
        open: impl Into<String>,
        body: Vec<Part>,
        close: impl Into<String>,
    ) -> Part {
        Part::Block { sections: vec![(open.into(), body)], close: close.into() }
    }
}

/// The text of a list.
pub(crate) fn text(parts: &[Part]) -> String {
    let mut out = String::new();
    write_parts(&mut out, parts, 0);
    out
}

fn write_parts(out: &mut String, parts: &[Part], depth: usize) {
    let pad = "  ".repeat(depth);
    for part in parts {
        match part {
            Part::Line(line) | Part::Fixed(line) => {
                let _ = writeln!(out, "{pad}{line}");
            }
            Part::Block { sections, close } => {
                for (open, body) in sections {
                    let _ = writeln!(out, "{pad}{open}");
                    write_parts(out, body, depth + 1);
                }
                let _ = writeln!(out, "{pad}{close}");
            }
        }
    }
}

/// Number of parts in a list, nested ones included.
fn count(parts: &[Part]) -> usize {
    let inner = |part: &Part| match part {
        Part::Line(_) | Part::Fixed(_) => 0,
        Part::Block { sections, .. } => sections.iter().map(|(_, body)| count(body)).sum(),
    };
    parts.iter().map(|part| 1 + inner(part)).sum()
}

/// Takes out part number `n` in reading order, or replaces a block by its contents; false when
/// there is no such part.
fn remove(parts: &mut Vec<Part>, n: &mut usize, unwrap: bool) -> bool {
    let mut i = 0;
    while i < parts.len() {
        if *n == 0 {
            return match (unwrap, &mut parts[i]) {
                (_, Part::Fixed(_)) => false,
                (false, _) => {
                    parts.remove(i);
                    true
                }
                (true, Part::Block { sections, .. }) => {
                    let bodies: Vec<Part> = sections.drain(..).flat_map(|(_, body)| body).collect();
                    parts.splice(i..=i, bodies);
                    true
                }
                (true, Part::Line(_)) => false,
            };
        }
        *n -= 1;
        if let Part::Block { sections, .. } = &mut parts[i] {
            for (_, body) in sections {
                let size = count(body);
                if *n < size {
                    return remove(body, n, unwrap);
                }
                *n -= size;
            }
        }
        i += 1;
    }
    false
}

/// Removes the parts that `fails` does not need to fail, trying at most `attempts` smaller
/// programs.
pub(crate) fn shrink(
    parts: &[Part],
    mut attempts: usize,
    mut fails: impl FnMut(&[Part]) -> bool,
) -> Vec<Part> {
    let mut best = parts.to_vec();
    loop {
        let before = count(&best);
        let mut n = before;
        while n > 0 && attempts > 0 {
            n = (n - 1).min(count(&best).saturating_sub(1));
            for unwrap in [false, true] {
                let mut smaller = best.clone();
                if remove(&mut smaller, &mut n.clone(), unwrap) {
                    attempts = attempts.saturating_sub(1);
                    if fails(&smaller) {
                        best = smaller;
                        break;
                    }
                }
            }
        }
        if attempts == 0 || count(&best) >= before {
            return best;
        }
    }
}
