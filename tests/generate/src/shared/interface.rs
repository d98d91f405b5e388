//! How values get into a stage: uniforms of mixed sizes beside each other.

use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, Scalar, Type};

/// The first or the last component of each operand, as doubles; `widened` is the conversion.
pub fn parts(
    group: &'static str,
    name: &str,
    layout: &[Type],
    last: bool,
    widened: fn(Component) -> Option<Accept>,
) -> Signature {
    let arguments: Vec<(Type, Pool)> = layout.iter().map(|&ty| (ty, Pool::Plain)).collect();
    let place = move |ty: Type| if last { ty.components() - 1 } else { 0 };
    let parts: Vec<String> = layout
        .iter()
        .zip(["a", "b", "c", "d"])
        .map(|(ty, name)| format!("double({})", ty.component(name, place(*ty))))
        .collect();
    let result = Type::vector(Scalar::Double, layout.len());
    let expression = format!("{}({})", result.glsl(), parts.join(", "));
    Signature::whole(group, name, &arguments, result, expression, move |x| {
        x.iter().map(|x| widened(if last { *x.last()? } else { *x.first()? })).collect()
    })
}
