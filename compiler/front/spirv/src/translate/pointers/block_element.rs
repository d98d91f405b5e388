//! Elements of arrays of interface blocks: each has variables of its own.

use program::{ExprKind, LocalId, Scalar, Statement};

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::place::{Choice, Parts, Place, Root, Step};
use crate::translate::state::ShaderBuilder;

impl ShaderBuilder<'_> {
    /// Returns a place in an array of interface blocks at a computed index as a choice of the
    /// places in its elements, others as they are.
    pub(crate) fn of_elements(
        &mut self,
        user: &Instruction,
        place: Place,
        out: &mut Vec<Statement>,
    ) -> Result<Place, Error> {
        let Root::Parts(parts) = &place.root else { return Ok(place) };
        let (elements, at) = match &**parts {
            Parts::Elements(elements) => (elements, 0),
            Parts::PerVertex(inner) => match &**inner {
                Parts::Elements(elements) => (elements, 1),
                _ => return Ok(place),
            },
            _ => return Ok(place),
        };
        let Some(&Step::Index(id)) = place.steps.get(at) else { return Ok(place) };
        let constant = self.integer_constant(user, id).ok();
        let mut places = Vec::new();
        for (number, element) in (0..).zip(elements) {
            if constant.is_none_or(|constant| constant == number) {
                let element = Box::new(element.clone());
                let parts = if at == 0 { element } else { Box::new(Parts::PerVertex(element)) };
                let mut steps = place.steps.clone();
                steps.remove(at);
                places.push(self.of_elements(
                    user,
                    Place { root: Root::Parts(parts), steps },
                    out,
                )?);
            }
        }
        let no_part = || self.module.error(user, "there is no such part");
        let last = places.pop().ok_or_else(no_part)?;
        if places.is_empty() {
            return Ok(last);
        }
        let local = self.element_number(user, id, out)?;
        Ok((0..).zip(places).fold(last, |others, (number, place)| {
            let choice = Choice { local, number, places: [place, others] };
            Place::new(Root::Choice(Box::new(choice)))
        }))
    }

    /// Declares a local with an index in front, where a choice has the number of a way.
    fn element_number(
        &mut self,
        user: &Instruction,
        id: u32,
        out: &mut Vec<Statement>,
    ) -> Result<LocalId, Error> {
        let index = self.operand_value(user, id)?;
        let mut parts = vec![self.cast(index, Scalar::Int)];
        parts.resize_with(4, || self.int(0));
        let ty = self.pointer_type();
        let value = self.push(ExprKind::Compose(parts), ty);
        Ok(self.declared("element", ty, Some(value), out))
    }
}
