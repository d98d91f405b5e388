//! Tessellation control threads of two lanes. Before the last thread of a patch may end, the input
//! entries are released. Facts: Mesa's `brw_vec4_tcs.cpp`.

use super::target::{Vec4, Vec4Selection};
use crate::barrier::patch_barrier;
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::output::TessControlInterface;
use crate::stages::slot_access::{Handles, SlotOffset};
use crate::stages::tess_control::{ControlTarget, HANDLES, patch_handle};
use ir::Value;

impl ControlTarget for Vec4 {
    /// Two invocations per thread of the patch, in component x of each half.
    fn emit_invocation_id(isel: &mut Vec4Selection<'_>, _threads: u32) -> Operand {
        let low = u32::from(isel.model.devinfo().tcs_thread_number_bit);
        let id = isel.temp(Type::UD);
        let number = [Operand::grf_scalar(8, Type::UD), Operand::ud(0x7f << low)];
        isel.emit_align1(Op::And, (8, 0), id, &number).no_mask = true;
        // Twice the thread's number; one more in the second half.
        let src = [id.with_region(8, 8, 1), Operand::ud(low - 1)];
        isel.emit_align1(Op::Shr, (8, 0), id, &src).no_mask = true;
        let second = id.byte_offset(16);
        let src = [second.with_region(4, 4, 1), Operand::ud(1)];
        isel.emit_align1(Op::Add, (4, 4), second, &src).no_mask = true;
        id.swizzled(Swizzle::XXXX)
    }

    fn input_handles(
        isel: &mut Vec4Selection<'_>,
        interface: &TessControlInterface,
        _invocation: Operand,
        vertex: Value,
    ) -> Handles {
        isel.vertex_handles(HANDLES, interface.vertices_in, vertex)
    }

    /// Releases the inputs after the last read; ends the thread.
    fn end_thread(
        isel: &mut Vec4Selection<'_>,
        interface: &TessControlInterface,
        invocation: Operand,
    ) -> Result<(), CompileError> {
        if interface.threads > 1 {
            patch_barrier(&mut isel.program, isel.model, interface.threads)?;
        }
        isel.begin_if(invocation, Operand::ud(0), CondMod::Z);
        let count = interface.vertices_in;
        for vertex in (0..count).step_by(2) {
            let handles = Operand::grf_scalar(HANDLES * REG_SIZE + 4 * vertex, Type::UD);
            isel.emit_release(handles, vertex + 1 < count)?;
        }
        isel.control_flow(Op::Endif);
        let (payload, data) = isel.patch_payload();
        isel.emit_align1(Op::Mov, (8, 0), data, &[Operand::ud(0)]).no_mask = true;
        isel.emit_patch_write(payload, patch_handle(), SlotOffset::default(), 0, true)
    }
}
