//! Tessellation control threads of eight channels.

use super::target::{Scalar, ScalarSelection};
use super::urb::UrbWrite;
use crate::error::CompileError;
use crate::lir::{Op, Operand, Type};
use crate::output::TessControlInterface;
use crate::stages::slot_access::{Handles, SlotAccess, SlotOffset};
use crate::stages::tess_control::{ControlTarget, HANDLES, patch_handle};
use ir::Value;

impl ControlTarget for Scalar {
    /// Eight invocations per thread of the patch.
    fn emit_invocation_id(isel: &mut ScalarSelection<'_>, threads: u32) -> Operand {
        let channels = isel.emit_channel_numbers();
        if threads == 1 {
            return channels;
        }
        let low = u32::from(isel.model.devinfo().tcs_thread_number_bit);
        let mask = 0x7f << low;
        let mut b = isel.builder();
        let (thread, first, id) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
        b.emit(Op::And, thread, &[Operand::grf_scalar(8, Type::UD), Operand::ud(mask)]);
        b.emit(Op::Shr, first, &[thread, Operand::ud(low - Self::LANES.ilog2())]);
        b.emit(Op::Add, id, &[first, channels]);
        id
    }

    fn input_handles(
        isel: &mut ScalarSelection<'_>,
        interface: &TessControlInterface,
        invocation: Operand,
        vertex: Value,
    ) -> Handles {
        // The handles are in the order of the only thread's channels.
        if interface.threads == 1 && isel.get(vertex, 0, Type::UD) == invocation {
            return Handles::PerLane(Operand::grf(HANDLES as u8, Type::UD));
        }
        let handle = |v| Self::payload_dword(HANDLES, v);
        Handles::PerLane(isel.vertex_handles(interface.vertices_in, vertex, handle))
    }

    /// Ends the thread with the last write, or else with one that writes nothing.
    fn end_thread(
        isel: &mut ScalarSelection<'_>,
        _interface: &TessControlInterface,
        _invocation: Operand,
    ) -> Result<(), CompileError> {
        if isel.end_with_last_write() {
            return Ok(());
        }
        let zero = Operand::ud(0);
        isel.emit_urb_write(UrbWrite {
            handles: patch_handle(),
            offset: SlotOffset::default(),
            masks: Some(zero),
            data: &[Some(zero)],
            eot: true,
        })
    }
}
