//! Images: typed surface messages, eight channels at a time.

use super::storage::SurfaceIndex;
use super::target::ScalarSelection;
use crate::access::atomic_code;
use crate::error::CompileError;
use crate::lir::{Inst, Message, Op, Operand, REG_SIZE, Type};
use crate::sends;
use intel_isa::desc::{DataOp, Lengths, SlotGroup};
use ir::{Dim, Intrinsic, IntrinsicOp, Value};

impl ScalarSelection<'_> {
    /// Emits an access to an image.
    pub(super) fn emit_image(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        let image =
            *intrinsic.srcs.first().ok_or_else(|| CompileError::internal("access to no image"))?;
        let surface = self.surface(image, self.bindings.image, self.shader.info.images);
        match (intrinsic.op, result) {
            (IntrinsicOp::ImageLoad, Some(result)) => {
                self.emit_typed(intrinsic, surface, Some(result), |slots| DataOp::TypedRead {
                    slots,
                    mask: 0,
                })
            }
            (IntrinsicOp::ImageStore, _) => self.emit_typed(intrinsic, surface, None, |slots| {
                DataOp::TypedWrite { slots, mask: 0 }
            }),
            (IntrinsicOp::ImageAtomic | IntrinsicOp::ImageAtomicSwap, Some(result)) => {
                let (op, returns) = (atomic_code(intrinsic), self.uses[result] > 0);
                let result = Some(result).filter(|_| returns);
                self.emit_typed(intrinsic, surface, result, |slots| DataOp::TypedAtomic {
                    op,
                    slots,
                    returns,
                })
            }
            (IntrinsicOp::ImageSize, Some(result)) => {
                self.emit_image_size(intrinsic, surface, result)
            }
            (IntrinsicOp::ImageSamples, Some(result)) => {
                self.set(result, [Operand::ud(1)].into_iter().collect());
                Ok(())
            }
            _ => Err(self.unsupported(intrinsic.op)),
        }
    }

    /// Coordinates and data of an access, in payload order.
    fn typed_arguments(&self, intrinsic: &Intrinsic) -> Result<Vec<Operand>, CompileError> {
        let [_, coordinates, _, data @ ..] = &intrinsic.srcs[..] else {
            return Err(CompileError::internal("image access without coordinates"));
        };
        let fields = &intrinsic.fields;
        // Faces of cubes are layers.
        let layered = fields.array && fields.dim != Dim::Cube;
        let axes = fields.dim.coord_components() + u8::from(layered);
        let mut arguments: Vec<Operand> =
            (0..axes).map(|c| self.get(*coordinates, c, Type::UD)).collect();
        for &value in data {
            let count = if intrinsic.op == IntrinsicOp::ImageStore { 4 } else { 1 };
            let last = self.shader.components(value).saturating_sub(1);
            arguments.extend((0..count).map(|c: u8| self.get(value, c.min(last), Type::UD)));
        }
        Ok(arguments)
    }

    /// Emits one message per eight channels.
    fn emit_typed(
        &mut self,
        intrinsic: &Intrinsic,
        surface: SurfaceIndex,
        result: Option<Value>,
        op: impl Fn(SlotGroup) -> DataOp,
    ) -> Result<(), CompileError> {
        let arguments = self.typed_arguments(intrinsic)?;
        let dst = result.map(|r| self.define(r, Type::UD)).unwrap_or_default();
        // A read returns all four components, an atomic operation one.
        let response = match (intrinsic.op, result) {
            (_, None) => 0,
            (IntrinsicOp::ImageLoad, _) => 4,
            _ => 1,
        };
        let lengths = Lengths::new(1 + arguments.len() as u8, response).with_header();
        let writes = intrinsic.op != IntrinsicOp::ImageLoad;
        self.on_surface(surface, &dst, &mut |isel, surface| {
            for group in (0..isel.program.width).step_by(8) {
                let slots = if group == 0 { SlotGroup::Low } else { SlotGroup::High };
                let message = sends::data_port(isel.model, surface, op(slots), lengths)?;
                let data = isel.send_typed(&arguments, message, group, writes);
                for (i, dst) in dst.iter().enumerate() {
                    let part = data.byte_offset(i as u32 * REG_SIZE);
                    isel.builder().sub_group(8, group).mov(dst.channel_offset(group.into()), part);
                }
            }
            Ok(())
        })
    }

    /// Emits a typed message for eight channels: a header with the mask of channels, coordinates,
    /// data.
    fn send_typed(
        &mut self,
        arguments: &[Operand],
        message: Message,
        group: u8,
        guarded: bool,
    ) -> Operand {
        let mut b = self.builder();
        let payload = Operand::vgrf(b.program.vreg(1 + arguments.len() as u32), Type::UD);
        let mut all = b.all_channels(8);
        all.mov(payload, Operand::ud(0));
        all.all_channels(1).mov(payload.byte_offset(28), Operand::ud(0xffff));
        let mut half = b.sub_group(8, group);
        for (i, argument) in arguments.iter().enumerate() {
            let place = payload.byte_offset((i as u32 + 1) * REG_SIZE);
            half.mov(place, argument.channel_offset(group.into()));
        }
        let data = match message.rlen {
            0 => Operand::null(Type::UD),
            n => Operand::vgrf(half.program.vreg(n.into()), Type::UD),
        };
        if data.is_reg() {
            half.emit(Op::Undef, data, &[]);
        }
        let mut send = Inst::new(Op::Send, 8, data, &[payload]);
        send.group = group;
        send.message = Some(message);
        if guarded {
            self.guard(&mut send);
        }
        self.builder().push(send);
        data
    }

    fn emit_image_size(
        &mut self,
        intrinsic: &Intrinsic,
        surface: SurfaceIndex,
        result: Value,
    ) -> Result<(), CompileError> {
        let dst = self.define(result, Type::UD);
        let cubes = intrinsic.fields.array && intrinsic.fields.dim == Dim::Cube;
        self.on_surface(surface, &dst, &mut |isel, surface| {
            let sizes = isel.surface_information(surface);
            for (i, (&dst, size)) in dst.iter().zip(sizes).enumerate() {
                let mut b = isel.builder();
                if cubes && i == 2 {
                    // The hardware counts faces of cube arrays as layers.
                    let six = b.temp(Type::UD);
                    b.mov(six, Operand::ud(6));
                    b.emit(Op::MathIntDivQuotient, dst, &[size, six]);
                } else {
                    b.mov(dst, size);
                }
            }
            Ok(())
        })
    }
}
