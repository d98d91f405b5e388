//! Images: loads, stores and atomics of texels, sizes.

use super::{Selection, Step};
use crate::machine::{Arg, File, ZERO, int};
use crate::output::Resource;
use amd_isa::{Modifiers, Opcode};
use ir::{AtomicOp, Dim, Intrinsic, IntrinsicOp, Value};

impl Selection<'_> {
    /// An access to an image; false if the intrinsic is none.
    pub(crate) fn image(&mut self, intrinsic: &Intrinsic, result: Option<Value>) -> Step<bool> {
        use IntrinsicOp::*;
        let op = intrinsic.op;
        let accesses = [ImageLoad, ImageStore, ImageAtomic, ImageAtomicSwap, ImageSize];
        if op == ImageSamples
            && let Some(result) = result
        {
            let to = self.result(result);
            self.e.copy(to, int(1));
            return Ok(true);
        }
        if !accesses.contains(&op) {
            return Ok(false);
        }
        let (number, dynamic) = match self.constant(intrinsic.srcs[0]) {
            Some(number) => (number, None),
            None => (0, Some(intrinsic.srcs[0])),
        };
        let image = self.image_resource(Resource::Image, number, dynamic)?;
        let fields = &intrinsic.fields;
        if let (ImageSize, Some(result)) = (op, result) {
            let dmask = (1 << self.shader.components(result)) - 1;
            let is_cube_array = fields.dim == Dim::Cube && fields.array;
            self.size(image, ZERO, dmask, is_cube_array, result)?;
            return Ok(true);
        }
        let address = self.image_address(intrinsic)?;
        let da = fields.array || fields.dim == Dim::Cube;
        let modifiers = |dmask: u8, glc: bool| Modifiers {
            dmask,
            glc,
            da,
            unorm: true,
            ..Modifiers::default()
        };
        match (op, result) {
            (ImageLoad, Some(result)) => {
                let count = self.shader.components(result);
                let access =
                    self.access(Opcode::ImageLoad, &address, modifiers((1 << count) - 1, true));
                let to = self.e.reg(File::Vector, count);
                self.push_image(&access, to, image, None);
                self.set_parts(result, to);
            }
            (ImageStore, _) => {
                let value = intrinsic.srcs[3];
                let last = self.shader.components(value) - 1;
                let mut texel = Vec::new();
                for component in 0..4 {
                    texel.push(self.dword(value, component.min(last))?);
                }
                let data = self.consecutive(&texel);
                let access = self.access(Opcode::ImageStore, &address, modifiers(15, true));
                let saved = self.only_live();
                self.push_image(&access, data, image, None);
                self.all_again(saved);
            }
            (ImageAtomic | ImageAtomicSwap, Some(result)) => {
                let atomic =
                    if op == ImageAtomicSwap { AtomicOp::CompareExchange } else { fields.atomic };
                let Some(opcode) = atomic_opcode(atomic) else {
                    return self.unsupported(&format!("atomic {atomic:?} on an image"));
                };
                // The new value comes before the compared one.
                let sources = &intrinsic.srcs[3..];
                let data = self.e.reg(File::Vector, sources.len() as u8);
                for (&value, at) in sources.iter().rev().zip(0..) {
                    let dword = self.dword(value, 0)?;
                    self.e.copy(data.at(at), dword);
                }
                let dmask = if sources.len() == 2 { 3 } else { 1 };
                let access = self.access(opcode, &address, modifiers(dmask, true));
                let saved = self.only_live();
                self.push_image(&access, data, image, None);
                self.all_again(saved);
                self.set_parts(result, data);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Coordinates, layer or face, sample.
    fn image_address(&mut self, intrinsic: &Intrinsic) -> Step<Vec<Arg>> {
        let fields = &intrinsic.fields;
        // Faces of cubes are layers.
        let layered = fields.array && fields.dim != Dim::Cube;
        let count = fields.dim.coord_components() + u8::from(layered);
        let mut address = Vec::new();
        for component in 0..count {
            address.push(self.dword(intrinsic.srcs[1], component)?);
        }
        if fields.dim == Dim::Ms {
            address.push(self.dword(intrinsic.srcs[2], 0)?);
        }
        Ok(address)
    }
}

fn atomic_opcode(op: AtomicOp) -> Option<Opcode> {
    use AtomicOp::*;
    Some(match op {
        Add => Opcode::ImageAtomicAdd,
        Imin => Opcode::ImageAtomicSmin,
        Umin => Opcode::ImageAtomicUmin,
        Imax => Opcode::ImageAtomicSmax,
        Umax => Opcode::ImageAtomicUmax,
        And => Opcode::ImageAtomicAnd,
        Or => Opcode::ImageAtomicOr,
        Xor => Opcode::ImageAtomicXor,
        Exchange => Opcode::ImageAtomicSwap,
        CompareExchange => Opcode::ImageAtomicCmpswap,
        _ => return None,
    })
}
