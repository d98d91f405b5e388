//! Texture and image built-ins: requests to the environment, one per active lane.

use program::expression::{ImageCall, TextureCall, TextureLod, TextureOp};
use program::{ExprId, Scalar, Type, TypeId};

use crate::environment::{Error, ImageRequest, LodRequest, TextureRequest};
use crate::invocation_group::InvocationGroup;
use crate::lanes::Value;
use crate::scalar;

impl InvocationGroup<'_> {
    fn eval_optional(&mut self, expr: Option<ExprId>) -> Result<Option<Value>, Error> {
        expr.map(|e| self.eval(e)).transpose()
    }

    /// Calls a texture built-in.
    pub(crate) fn texture(&mut self, call: &TextureCall, ty: TypeId) -> Result<Value, Error> {
        let samplers = self.eval(call.sampler)?;
        let coordinate = self.eval_optional(call.coordinate)?;
        let compare = self.eval_optional(call.compare)?;
        let lod = match call.lod {
            TextureLod::Implicit => (None, None),
            TextureLod::Bias(e) | TextureLod::Explicit(e) => (Some(self.eval(e)?), None),
            TextureLod::Gradient(x, y) => (Some(self.eval(x)?), Some(self.eval(y)?)),
        };
        let offsets = self.eval_all(&call.offsets)?;
        let component = self.eval_optional(call.component)?;
        let sample = self.eval_optional(call.sample)?;
        let components = self.layout.component_count(ty);
        let result = self.scalar_of(ty)?;
        let mut value = Value::zero(components, self.lanes);
        for lane in self.active.clone().iter() {
            let at = |v: &Option<Value>| v.as_ref().map_or(0, |v| v.get(0, lane) as u32);
            let mut request = TextureRequest {
                op: call.op,
                sampler: samplers.get(0, lane) as u32,
                coordinate: project(coordinate.as_ref(), call.projective, lane),
                compare: compare
                    .as_ref()
                    .map(|v| projected_compare(v, coordinate.as_ref(), call.projective, lane)),
                lod: self.lod_request(call, coordinate.as_ref(), &lod, lane),
                offset: offset_of(offsets.first(), lane),
                component: at(&component),
                sample: at(&sample),
            };
            let mut texel = self.environment.texture(&request)?;
            // Several offsets: component i of the result is the i-th gather's texel (0, 0), its
            // last component.
            for (i, offset) in offsets.iter().enumerate().take(4).filter(|_| offsets.len() > 1) {
                request.offset = offset_of(Some(offset), lane);
                texel[i] = self.environment.texture(&request)?[3];
            }
            // Lookups have a value without a texture, fetches have none (OpenGL 4.6, section
            // 11.1.3.2), and implementations differ in that of gathers.
            let is_open = matches!(call.op, TextureOp::Fetch | TextureOp::Gather)
                && self.environment.lacks_texels(request.sampler);
            for c in 0..components {
                value.set(c, lane, scalar::wrap(result, u64::from(texel[c.min(3)])));
                if is_open {
                    value.mark_undefined(c, lane);
                }
            }
        }
        Ok(value)
    }

    fn lod_request(
        &self,
        call: &TextureCall,
        coordinate: Option<&Value>,
        lod: &(Option<Value>, Option<Value>),
        lane: usize,
    ) -> LodRequest {
        let float = |v: &Value, c: usize| scalar::f32_of(v.get(c, lane));
        let vector =
            |v: &Value| std::array::from_fn(|c| if c < v.components() { float(v, c) } else { 0.0 });
        match (&call.lod, lod) {
            (TextureLod::Gradient(..), (Some(x), Some(y))) => {
                LodRequest::Implicit { dx: vector(x), dy: vector(y), bias: 0.0 }
            }
            (TextureLod::Explicit(_), (Some(v), _))
                if matches!(call.op, TextureOp::Fetch | TextureOp::Size) =>
            {
                LodRequest::Int(v.get(0, lane) as i32)
            }
            (TextureLod::Explicit(_), (Some(v), _)) => LodRequest::Float(float(v, 0)),
            (_, (bias, _)) => {
                let bias = bias.as_ref().map_or(0.0, |v| float(v, 0));
                let (dx, dy) = coordinate.map_or(([0.0; 3], [0.0; 3]), |c| {
                    let (quad, _) = self.quad_of(lane);
                    let corner =
                        |i: usize| project(Some(c), call.projective, quad[i].min(self.lanes - 1));
                    let (origin, right, up) = (corner(0), corner(1), corner(2));
                    let difference = |a: [u32; 4]| {
                        std::array::from_fn(|i| f32::from_bits(a[i]) - f32::from_bits(origin[i]))
                    };
                    (difference(right), difference(up))
                });
                LodRequest::Implicit { dx, dy, bias }
            }
        }
    }

    /// Calls an image built-in.
    pub(crate) fn image(&mut self, call: &ImageCall, ty: TypeId) -> Result<Value, Error> {
        let images = self.eval(call.image)?;
        let coordinate = self.eval_optional(call.coordinate)?;
        let sample = self.eval_optional(call.sample)?;
        let data = self.eval_all(&call.data)?;
        let components = self.layout.component_count(ty);
        let result =
            if *self.types.get(ty) == Type::Void { Scalar::Uint } else { self.scalar_of(ty)? };
        let mut value = Value::zero(components, self.lanes);
        for lane in self.active.clone().iter() {
            let word = |i: usize| {
                let mut cells = data
                    .iter()
                    .flat_map(|v| (0..v.components()).map(move |c| v.get(c, lane) as u32));
                cells.nth(i).unwrap_or(0)
            };
            let request = ImageRequest {
                op: call.op,
                image: images.get(0, lane) as u32,
                coordinate: std::array::from_fn(|c| {
                    coordinate.as_ref().map_or(0, |v| v.get(c, lane) as i32)
                }),
                sample: sample.as_ref().map_or(0, |v| v.get(0, lane) as u32),
                scalar: result,
                data: std::array::from_fn(word),
            };
            let writes = matches!(
                call.op,
                program::expression::ImageOp::Store | program::expression::ImageOp::Atomic(_)
            );
            if writes && !self.writes(lane) {
                (0..components).for_each(|c| value.mark_undefined(c, lane));
                continue;
            }
            let defined = |v: &Value| (0..v.components()).all(|c| !v.is_undefined(c, lane));
            if writes
                && !data.iter().chain(&coordinate).chain(&sample).chain([&images]).all(defined)
            {
                self.undefined.writes.set(lane, true);
            }
            let texel = self.environment.image(&request)?;
            for c in 0..components {
                value.set(c, lane, scalar::wrap(result, u64::from(texel[c.min(3)])));
            }
        }
        Ok(value)
    }
}

/// Returns the coordinate of a lane, divided by its last component for projective lookups.
fn project(coordinate: Option<&Value>, projective: bool, lane: usize) -> [u32; 4] {
    let Some(value) = coordinate else { return [0; 4] };
    let count = value.components();
    let raw: [u32; 4] =
        std::array::from_fn(|c| if c < count { value.get(c, lane) as u32 } else { 0 });
    if !projective {
        return raw;
    }
    let divisor = f32::from_bits(raw[count - 1]);
    std::array::from_fn(|c| {
        if c + 1 < count { (f32::from_bits(raw[c]) / divisor).to_bits() } else { 0 }
    })
}

fn projected_compare(
    compare: &Value,
    coordinate: Option<&Value>,
    projective: bool,
    lane: usize,
) -> f32 {
    let reference = scalar::f32_of(compare.get(0, lane));
    match coordinate {
        Some(v) if projective => reference / scalar::f32_of(v.get(v.components() - 1, lane)),
        _ => reference,
    }
}

fn offset_of(offset: Option<&Value>, lane: usize) -> [i32; 3] {
    std::array::from_fn(|c| offset.map_or(0, |v| v.get(c, lane) as i32))
}
