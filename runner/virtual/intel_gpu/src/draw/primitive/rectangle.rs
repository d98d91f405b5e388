//! Rasterization of rectangles, which drivers draw to clear and copy.

use fixed_function::Quad;
use gpu_service::{Outcome, not_modeled};

use crate::draw::command::Draw;
use crate::draw::fragment::clear::Area;
use crate::draw::fragment::quad::Primitive;
use crate::draw::fragment::shade::Fragments;
use crate::draw::window::Slots;

/// Slot of the position.
const POSITION: usize = 1;

impl Draw<'_> {
    /// Draws the rectangle of three corners: lower right, lower left, upper left. The positions are
    /// pixels, as without clipping and viewport.
    pub(crate) fn rectangle(&self, fragments: &Fragments<'_>, corners: [&Slots; 3]) -> Outcome<()> {
        let mut x = [f32::MAX, f32::MIN];
        let mut y = [f32::MAX, f32::MIN];
        for corner in corners {
            let Some(position) = corner.get(POSITION) else {
                return not_modeled("rectangles without positions");
            };
            let at = |i: usize| f32::from_bits(position[i]);
            x = [x[0].min(at(0)), x[1].max(at(0))];
            y = [y[0].min(at(1)), y[1].max(at(1))];
        }
        let fields = self.fields.rectangle;
        let words = self.context.packet("3DSTATE_DRAWING_RECTANGLE");
        let limit = |field: packets::Field| field.get_u32(words);
        let (left, right) = (
            first_center(x[0]).max(limit(fields.x_min)),
            first_center(x[1]).min(limit(fields.x_max) + 1),
        );
        let (top, bottom) = (
            first_center(y[0]).max(limit(fields.y_min)),
            first_center(y[1]).min(limit(fields.y_max) + 1),
        );
        let layer = self.layer(corners[0]);
        if let Some(special) = self.state.special {
            let area = Area { x: (left, right), y: (top, bottom) };
            return self.do_special(special, fragments, layer, area);
        }
        let mut quads = Vec::new();
        for quad_y in (top & !1..bottom).step_by(2) {
            for quad_x in (left & !1..right).step_by(2) {
                let covers = |i: u32| {
                    let (x, y) = (quad_x + (i & 1), quad_y + (i >> 1));
                    (left..right).contains(&x) && (top..bottom).contains(&y)
                };
                let samples =
                    [0, 1, 2, 3].map(|i| if covers(i) { fragments.samples.mask } else { 0 });
                quads.push(Quad { x: quad_x, y: quad_y, samples });
            }
        }
        let primitive = Primitive {
            corners,
            flat: corners[0],
            layer,
            viewport: self.viewport_index(corners[0]),
            is_front: true,
            is_point: false,
            smooth: None,
            interpolation: None,
            depths: [0.0, 1.0],
        };
        fragments.shade(&primitive, &quads)
    }
}

/// Number of the first pixel whose center is at or after a coordinate with eight bits of fraction.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn first_center(coordinate: f32) -> u32 {
    let fixed = (f64::from(coordinate) * 256.0).round_ties_even();
    ((fixed - 128.0) / 256.0).ceil().clamp(0.0, 65536.0) as u32
}

#[cfg(test)]
mod tests {
    use super::first_center;

    #[test]
    fn centers() {
        assert_eq!(first_center(0.0), 0);
        assert_eq!(first_center(0.5), 0);
        assert_eq!(first_center(0.51), 1);
        assert_eq!(first_center(250.0), 250);
        assert_eq!(first_center(-3.0), 0);
    }
}
