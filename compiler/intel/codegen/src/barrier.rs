//! Barriers: a message to the gateway, then a wait for its notification.

use crate::error::CompileError;
use crate::lir::build::Builder;
use crate::lir::{Arf, MessageKind, Op, Operand, Program, Type};
use crate::model::Model;
use crate::sends;
use intel_isa::desc::{self, GatewayFn, GatewayMessage, Lengths};

/// First bit of the barrier's number in the header's dword 2.
const BARRIER_ID_BIT: u32 = 24;
/// Bits of a barrier's number.
const BARRIER_ID_BITS: u32 = 4;
/// First bit of the number of threads, and the bit that enables it.
const COUNT_BIT: u32 = 9;
const COUNT_ENABLE: u32 = 1 << 15;

/// Appends a barrier of the `threads` threads of a patch. Layout: `brw_fs_nir.cpp`,
/// `brw_vec4_generator.cpp`.
///
/// # Errors
/// The generation has no such message.
pub(crate) fn patch_barrier(
    program: &mut Program,
    model: &Model,
    threads: u32,
) -> Result<(), CompileError> {
    let low = u32::from(model.devinfo().tcs_barrier_id_bit);
    let mask = ((1 << BARRIER_ID_BITS) - 1) << low;
    let header = Operand::vgrf(program.vreg(1), Type::UD);
    let mut b = Builder::new(program);
    let mut all = b.all_channels(8);
    all.mov(header, Operand::ud(0));
    let dword = header.byte_offset(8);
    let mut one = all.all_channels(1);
    one.emit(Op::And, dword, &[Operand::grf_scalar(8, Type::UD), Operand::ud(mask)]);
    one.emit(Op::Shl, dword, &[dword.scalar(), Operand::ud(BARRIER_ID_BIT - low)]);
    one.emit(Op::Or, dword, &[dword.scalar(), Operand::ud(threads << COUNT_BIT | COUNT_ENABLE)]);
    emit(program, model, header)
}

/// Appends a barrier of the threads of a work group. The payload has the barrier's number at the
/// header's bit.
///
/// # Errors
/// The generation has no such message.
pub(crate) fn group_barrier(program: &mut Program, model: &Model) -> Result<(), CompileError> {
    let header = Operand::vgrf(program.vreg(1), Type::UD);
    let mut b = Builder::new(program);
    let mut all = b.all_channels(8);
    all.mov(header, Operand::ud(0));
    let number =
        [Operand::grf_scalar(8, Type::UD), Operand::ud(model.devinfo().barrier_number_mask)];
    all.all_channels(1).emit(Op::And, header.byte_offset(8), &number);
    emit(program, model, header)
}

/// Sends a barrier message and waits.
fn emit(program: &mut Program, model: &Model, header: Operand) -> Result<(), CompileError> {
    let message =
        desc::Message::Gateway(GatewayMessage { function: GatewayFn::Barrier, notify: 1 });
    let message = sends::typed(model, &message, Lengths::new(1, 0), MessageKind::Gateway)?;
    let mut b = Builder::new(program);
    let mut all = b.all_channels(8);
    all.emit(Op::Send, Operand::null(Type::UD), &[header]).message = Some(message);
    all.all_channels(1).emit(Op::Wait, Operand::arf(Arf::Notification(0), Type::UD), &[]);
    Ok(())
}
