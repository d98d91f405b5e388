//! Elements of arrays of interface blocks: each has variables of its own.

use program::{LocalId, Scalar, Statement};

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::place::{Choice, Parts, Place, Root, Step};
use crate::translate::state::ShaderBuilder;

impl ShaderBuilder<'_> {
    /// Returns a place in an array of interface blocks as one in an element, or at a computed index
    /// as a choice of those in all elements; others as they are.
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
        let meant = match self.integer_constant(user, id) {
            Ok(number) => elements.get(number as usize).map_or(&[][..], std::slice::from_ref),
            Err(_) => elements,
        };
        let mut steps = place.steps.clone();
        steps.remove(at);
        let mut places = Vec::new();
        for element in meant {
            let element = Box::new(element.clone());
            let parts = if at == 0 { element } else { Box::new(Parts::PerVertex(element)) };
            let place = Place { root: Root::Parts(parts), steps: steps.clone() };
            places.push(self.of_elements(user, place, out)?);
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
        let number = self.cast(index, Scalar::Int);
        let value = self.pointer_of(vec![number]);
        let ty = self.pointer_type();
        Ok(self.declared("element", ty, Some(value), out))
    }
}
