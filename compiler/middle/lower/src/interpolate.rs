//! `interpolateAt…`: inputs at other places in the pixel (GLSL 4.60 section 8.13.2).

use ir::{Fields, IntrinsicOp, Location, Slot, Value};
use program::variable::InterpolationMode;
use program::{ArrayLength, ExprId};
use smallvec::SmallVec;

use crate::error::LowerError;
use crate::info;
use crate::lowerer::Lowerer;
use crate::place::{Base, Index, Place};
use crate::value::Val;

impl Lowerer<'_, '_> {
    /// `interpolateAt*`: the same input at other barycentric coordinates.
    pub(crate) fn interpolate_at(
        &mut self,
        interpolant: ExprId,
        op: IntrinsicOp,
        operand: Option<Value>,
    ) -> Result<Val, LowerError> {
        let place = self.interpolant(interpolant)?;
        let input = match &place.base {
            Base::Input(input) => input,
            // Nothing says what a system value is elsewhere in the pixel.
            Base::System(_) | Base::Variable(_) => return self.eval(interpolant),
            _ => return Err(LowerError::Malformed("interpolant is not an input")),
        };
        let (first, component) = self.input_slot(input)?;
        let (extra, component, element) = match input.element {
            Some(Index { constant, dynamic: None }) => (constant / 4, (constant % 4) as u8, None),
            Some(index) => (0, 0, Some(index)),
            None => (0, component, None),
        };
        let slot = info::slot(first, input.offset.constant + extra);
        let linked = self.linked.inputs.iter().find(|v| info::slot(v.slot, 0) == slot);
        let global = &self.shader.globals[input.global];
        let interpolation = linked.map_or(global.interpolation, |v| v.interpolation);
        let mode = info::interpolation_mode(self.key, interpolation.mode, first);
        if mode == InterpolationMode::Flat {
            return self.eval(interpolant);
        }
        let linear = mode == InterpolationMode::NoPerspective;
        let fields = Fields { location: Location::Centroid, linear, ..Fields::default() };
        let srcs: SmallVec<[Value; 1]> = operand.into_iter().collect();
        let barycentric = self.builder.load(op, &srcs, fields, 32, 2);
        if let Some(element) = element {
            let length = match self.types.array_of(global.ty) {
                Some((_, ArrayLength::Fixed(n))) => n,
                _ => 1,
            };
            let elements = input.first..input.first + length;
            let slot_of = |at| info::slot(first, at);
            return self.interpolated_element(barycentric, slot_of, elements, element);
        }
        let count = self.types.components(place.ty);
        let value = match input.offset.dynamic {
            None => self.interpolated(barycentric, slot, component, count),
            Some(dynamic) => {
                let fields = Fields { slot, component, ..Fields::default() };
                self.builder.load(
                    IntrinsicOp::LoadInterpolatedInput,
                    &[barycentric, dynamic],
                    fields,
                    32,
                    count,
                )
            }
        };
        self.selected(&place, value)
    }

    /// Reads the element at a computed index of an array whose elements are components of its
    /// slots, `elements` of them from the first on.
    fn interpolated_element(
        &mut self,
        barycentric: Value,
        slot_of: impl Fn(u32) -> Slot,
        elements: std::ops::Range<u32>,
        index: Index,
    ) -> Result<Val, LowerError> {
        let index = self.index_value(index);
        let mut result = None;
        for at in elements {
            let value = self.interpolated(barycentric, slot_of(at / 4), (at % 4) as u8, 1);
            result = Some(match result {
                None => value,
                Some(others) => {
                    let number = self.builder.imm(at);
                    let hit = self.builder.ieq(index, number);
                    self.builder.bcsel(hit, value, others)
                }
            });
        }
        let result = result.ok_or(LowerError::Malformed("interpolant without elements"))?;
        Ok(result.into())
    }

    /// The components that a place selects of an interpolated value.
    fn selected(&mut self, place: &Place, value: Value) -> Result<Val, LowerError> {
        let value = self.unpack_slot(self.scalar_of(place.ty)?, value);
        let value = match &place.swizzle {
            Some(swizzle) => self.builder.swizzle(value, swizzle),
            None => value,
        };
        Ok(match place.component {
            Some(component) => self.builder.extract_dynamic(value, component).into(),
            None => value.into(),
        })
    }
}
