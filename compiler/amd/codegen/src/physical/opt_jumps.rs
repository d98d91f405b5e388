//! Removes jumps to the code that follows them.
//!
//! ```text
//! before:
//!   b0: … s_branch b2
//!   b1:
//!   b2: s_endpgm
//! after:
//!   b0: …
//!   b1:
//!   b2: s_endpgm
//! ```

use super::Physical;

/// Drops jumps at the ends of blocks whose targets follow, with nothing between.
pub(crate) fn opt_jumps(program: &mut Physical) -> bool {
    let mut changed = false;
    let blocks = &mut program.blocks;
    for index in (0..blocks.len()).rev() {
        while let Some(last) = blocks[index].last() {
            let empty_between = |target: usize| {
                target > index && blocks[index + 1..target].iter().all(Vec::is_empty)
            };
            match last.target {
                Some(target) if empty_between(target) => blocks[index].pop(),
                _ => break,
            };
            changed = true;
        }
    }
    changed
}
