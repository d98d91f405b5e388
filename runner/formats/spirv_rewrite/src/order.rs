//! Blocks in another order.

use crate::random::Random;

use crate::draft::Draft;

/// Moves a block behind others that it does not dominate.
pub(crate) fn move_block(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let count = draft.module.functions[function].blocks.len();
    let movable: Vec<usize> =
        (1..count.saturating_sub(1)).filter(|&block| !flow.dominates(block, block + 1)).collect();
    if movable.is_empty() {
        return false;
    }
    let first = random.pick(&movable);
    let free = (first + 1..count).take_while(|&other| !flow.dominates(first, other)).count();
    let distance = random.between(1, free);
    draft.module.functions[function].blocks[first..=first + distance].rotate_left(1);
    true
}
