//! Directions into cubes as places on faces.

use crate::machine::{Arg, Part, ZERO};
use crate::select::{Selection, SignedArg, Step};
use amd_isa::{InlineFloat, Opcode, Operand};
use ir::{Dim, Tex, TexSrcKind, Value};

/// Center of a face in the hardware's coordinates, which go from 1 to 2.
const CENTER: u32 = 0x3fc0_0000;

/// The face that a direction hits.
struct Face {
    /// Number of the face, as a float.
    id: Part,
    /// Coordinates on the face, times the major axis.
    s: Part,
    t: Part,
    /// Inverse of the length of the major axis, times two.
    inverse: Part,
    /// Twice the major axis.
    major: Part,
}

impl Selection<'_> {
    fn face(&mut self, direction: &[Arg]) -> Face {
        let sources: Vec<SignedArg> = direction[..3].iter().map(|&arg| arg.into()).collect();
        let id = self.e.valu1(Opcode::VCubeidF32, &sources);
        let s = self.e.valu1(Opcode::VCubescF32, &sources);
        let t = self.e.valu1(Opcode::VCubetcF32, &sources);
        let major = self.e.valu1(Opcode::VCubemaF32, &sources);
        let length = SignedArg::from(major).magnitude();
        let inverse = self.e.valu1(Opcode::VRcpF32, &[length]);
        Face { id, s, t, inverse, major }
    }

    /// Coordinates on the face that a direction hits, and the face; with a layer, which is rounded
    /// already, also that.
    pub(in crate::select) fn on_face(&mut self, coordinates: &[Arg]) -> Vec<Arg> {
        let face = self.face(coordinates);
        let center = self.e.literal(CENTER);
        let place = |s: &mut Self, on_axis: Part| -> Arg {
            let sources = [on_axis.into(), face.inverse.into(), center.into()];
            s.e.valu1(Opcode::VMadF32, &sources).into()
        };
        let (s, t) = (place(self, face.s), place(self, face.t));
        let mut id = face.id;
        if let Some(&layer) = coordinates.get(3) {
            // Negative layers are the first, too large ones the last: the hardware does the latter.
            let layer = self.e.valu1(Opcode::VMaxF32, &[ZERO.into(), layer.into()]);
            let eight = self.e.literal(8.0_f32.to_bits());
            let sources = [layer.into(), eight.into(), id.into()];
            id = self.e.valu1(Opcode::VMadF32, &sources);
        }
        vec![s, t, id.into()]
    }

    /// The derivatives of the coordinates; for cubes those on the face.
    pub(in crate::select) fn gradients(
        &mut self,
        tex: &Tex,
        gradients: [Value; 2],
    ) -> Step<Vec<Arg>> {
        let mut all = Vec::new();
        for gradient in gradients {
            for component in 0..tex.dim.coord_components() {
                all.push(self.dword(gradient, component)?);
            }
        }
        let Some(coordinate) = tex.src(TexSrcKind::Coord).filter(|_| tex.dim == Dim::Cube) else {
            return Ok(all);
        };
        let mut direction = Vec::new();
        for component in 0..3 {
            direction.push(self.dword(coordinate, component)?);
        }
        let face = self.face(&direction);
        let (y, z) = (self.is_at_least(face.id, 2), self.is_at_least(face.id, 4));
        let mut on_face = Vec::new();
        for gradient in all.chunks(3) {
            on_face.extend(self.gradient_on_face(&face, [y, z], gradient));
        }
        Ok(on_face)
    }

    /// The lanes whose face has this number or a higher one.
    fn is_at_least(&mut self, id: Part, face: i32) -> Part {
        let number = self.e.literal((face as f32).to_bits());
        self.e.compare(Opcode::VCmpLeF32, number, id)
    }

    /// A derivative on a face. With s the coordinate times the major axis m it is
    /// (ds - s·dm / m) / 2m; the inverse holds 1 / 2m.
    fn gradient_on_face(&mut self, face: &Face, [y, z]: [Part; 2], d: &[Arg]) -> [Arg; 2] {
        let [dx, dy, dz] = [d[0], d[1], d[2]].map(SignedArg::from);
        // The sign of the major axis.
        let one = Operand::Float(InlineFloat::One).into();
        let minus: Arg = Operand::Float(InlineFloat::MinusOne).into();
        let positive = self.e.compare(Opcode::VCmpLeF32, ZERO, face.major);
        let sign = self.e.vector();
        let one: Arg = one;
        self.e.select(sign, positive.into(), one, minus);
        let times_sign =
            |s: &mut Self, value: SignedArg| s.e.valu1(Opcode::VMulF32, &[value, sign.into()]);
        let choose = |s: &mut Self, on: [SignedArg; 3]| {
            let (yx, all) = (s.e.vector(), s.e.vector());
            s.e.select(yx, y.into(), on[1], on[0]);
            s.e.select(all, z.into(), on[2], yx);
            all
        };
        let (x_signed, y_signed, z_signed) =
            (times_sign(self, dx), times_sign(self, dy), times_sign(self, dz));
        let ds = choose(self, [SignedArg::from(z_signed).negated(), dx, x_signed.into()]);
        let dt = choose(self, [dy.negated(), z_signed.into(), dy.negated()]);
        let dm = choose(self, [x_signed.into(), y_signed.into(), z_signed.into()]);
        // Relative to the major axis: twice dm / 2m.
        let relative = self.e.valu1(Opcode::VMulF32, &[dm.into(), face.inverse.into()]);
        let relative = self.e.valu1(Opcode::VAddF32, &[relative.into(), relative.into()]);
        [(ds, face.s), (dt, face.t)].map(|(d, on_axis)| {
            let lost = SignedArg::from(relative).negated();
            let rest = self.e.valu1(Opcode::VMadF32, &[lost, on_axis.into(), d.into()]);
            self.e.valu1(Opcode::VMulF32, &[rest.into(), face.inverse.into()]).into()
        })
    }
}
