//! Derivatives of products of a half and a coordinate of the pixel, which halves hold exactly.

use crate::accept::Accept;
use crate::format::Format;
use crate::half::Half;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::HALF_VECTORS;
use crate::stage::TestStage;
use crate::value::{Component, Type};

const GROUP: &str = "derivative";

/// Coordinates of the pixel as halves; the probed pixels are near 124, so that products with small
/// integers stay below 2048.
const COORDINATES: &str = "float16_t right = float16_t(gl_FragCoord.x - 0.5);\nfloat16_t up = float16_t(gl_FragCoord.y - 0.5);";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in HALF_VECTORS {
        list.push(derivative("dFdx", ty, "dFdx(a * right + b)", |a, _| a));
        list.push(derivative("dFdy", ty, "dFdy(a * up + b)", |a, _| a));
        list.push(derivative("dFdx_dFdy", ty, "dFdx(a * right) - dFdy(b * up)", |a, b| a - b));
        list.push(derivative("across", ty, "dFdx(a * right + b * up)", |a, _| a));
        list.push(derivative("fwidth", ty, "fwidth(a * right - b * up)", |a, b| a.abs() + b.abs()));
    }
    list
}

fn derivative(
    name: &str,
    ty: Type,
    expression: &str,
    f: impl Fn(f64, f64) -> f64 + 'static,
) -> Signature {
    let arguments = [(ty, Pool::Small), (ty, Pool::Small)];
    Signature::elementwise(GROUP, name, &arguments, ty, expression, move |x| {
        let value = |x: Component| x.half().value();
        // Small integers: both zeros are accepted.
        Some(Accept::number(Half::from_double(f(value(x[0]), value(x[1])))))
    })
    .types(ty.glsl())
    .statements(COORDINATES)
    .lanes()
    .stages(&[TestStage::Fragment])
}
