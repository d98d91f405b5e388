//! Jumps of a region's function, whose last block has the place as parameter where it ends.

use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, Value};
use cranelift_frontend::{FunctionBuilder, Switch};

/// Goes to the block with a number; ends the function if there is none.
pub(crate) fn enter(
    f: &mut FunctionBuilder,
    number: Value,
    blocks: impl Iterator<Item = ir::Block>,
    leave: ir::Block,
) {
    let mut switch = Switch::new();
    for (index, block) in blocks.enumerate() {
        switch.set_entry(index as u128, block);
    }
    let nowhere = f.create_block();
    switch.emit(f, number, nowhere);
    f.switch_to_block(nowhere);
    let none = f.ins().iconst(I32, -1);
    f.ins().jump(leave, &[BlockArg::Value(none)]);
}

/// Goes on in a new block if a truth holds; else ends the function before a place.
pub(crate) fn demand(f: &mut FunctionBuilder, truth: Value, leave: ir::Block, place: u32) {
    let next = f.create_block();
    let place = f.ins().iconst(I32, i64::from(place));
    f.ins().brif(truth, next, &[], leave, &[BlockArg::Value(place)]);
    f.switch_to_block(next);
}
