//! Pointers as values (capabilities VariablePointers and VariablePointersStorageBuffer): in
//! variables, `OpPhi`, `OpSelect` and results of functions.
//!
//! A pointer to storage buffers or to memory of a work group is a variable and the steps to a part
//! of it; all ways that a module takes are known. Its value is an `ivec4`: the number of the way
//! among those of the pointer's type, from 1, then the indices on it; zeros are the null pointer.
//! An access through a value chooses among the ways of its type.

use program::{ExprId, ExprKind, LocalId, Scalar, TypeId};
use rspirv::spirv::{Op, StorageClass};

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::place::{Choice, Place, Root, Step};
use crate::translate::state::{ShaderBuilder, Value};
use crate::translate::ways::{MOST_WAYS, Way, Ways};

/// Most indices on a way.
const MOST_INDICES: usize = 3;
impl ShaderBuilder<'_> {
    /// True for types of pointers that are values, too.
    pub(crate) fn is_variable_pointer(&self, ty: u32) -> bool {
        let pointer = self.module.get(ty).filter(|ty| ty.op == Op::TypePointer);
        let class = pointer.and_then(|ty| ty.literal_at(0)).and_then(StorageClass::from_u32);
        matches!(class, Some(StorageClass::StorageBuffer | StorageClass::Workgroup))
    }

    /// The type of pointers as values.
    pub(crate) fn pointer_type(&mut self) -> TypeId {
        self.types.vector(Scalar::Int, 4)
    }

    /// The ways of a type of pointers.
    fn ways(&mut self, user: &Instruction, ty: u32) -> Result<Vec<Way>, Error> {
        if self.ways.is_none() {
            self.ways = Some(self.all_ways()?);
        }
        let ways = self.ways.as_ref().and_then(|ways| ways.of_type.get(&ty));
        let ways = ways.cloned().unwrap_or_default();
        if ways.len() > MOST_WAYS {
            let message = format!("a pointer to more than {MOST_WAYS} places is");
            return Err(self.unsupported(user, message));
        }
        Ok(ways)
    }

    /// Follows the chains of pointers until there are no more ways: types end that, as a part is
    /// never of the type of the whole.
    fn all_ways(&self) -> Result<Ways, Error> {
        let mut ways = Ways::default();
        let module = self.module;
        let pointers: Vec<&Instruction> =
            module.instructions.iter().filter(|i| self.is_variable_pointer(i.ty)).collect();
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for &i in &pointers {
                let first = match i.op {
                    Op::Variable => {
                        let way = Way { variable: i.id, steps: Vec::new() };
                        grows |= ways.note(i, &way);
                        continue;
                    }
                    Op::Select | Op::Phi => {
                        for id in i.ids_from(0) {
                            let definition = self.definition(i, id)?;
                            if definition.ty == i.ty {
                                let known = ways.of(definition);
                                known.iter().for_each(|way| grows |= ways.note(i, way));
                            }
                        }
                        continue;
                    }
                    Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject => 1,
                    Op::PtrAccessChain | Op::InBoundsPtrAccessChain => 2,
                    _ => continue,
                };
                let base = self.id(i, 0)?;
                let known = ways.of(self.definition(i, base)?);
                let steps = if i.op == Op::CopyObject { Vec::new() } else { self.steps(i, first)? };
                for mut way in known {
                    way.steps.extend(steps.iter().map(|step| match step {
                        Step::Member(member) => Some(*member),
                        _ => None,
                    }));
                    grows |= ways.note(i, &way);
                }
            }
        }
        Ok(ways)
    }

    /// A pointer to a place as a value of its type.
    pub(crate) fn pointer_value(
        &mut self,
        user: &Instruction,
        place: &Place,
        ty: u32,
    ) -> Result<ExprId, Error> {
        let ways = self.ways(user, ty)?;
        self.chosen(place, &mut |this, place| this.way_value(user, place, &ways))
    }

    fn way_value(
        &mut self,
        user: &Instruction,
        place: &Place,
        ways: &[Way],
    ) -> Result<ExprId, Error> {
        let (mut steps, mut indices) = (Vec::new(), Vec::new());
        for step in &place.steps {
            match *step {
                Step::Member(member) => steps.push(Some(member)),
                Step::Index(id) => {
                    steps.push(None);
                    let index = self.operand_value(user, id)?;
                    indices.push(self.cast(index, Scalar::Int));
                }
                Step::Pair(..) => return Err(self.unsupported(user, "a pointer to a pair is")),
            }
        }
        let is_meant = |way: &Way| {
            let Root::Global(global) = place.root else { return false };
            let is_root = match self.values.get(&way.variable) {
                Some(Value::Pointer(variable)) => match variable.root {
                    Root::Global(other) => global == other,
                    _ => false,
                },
                _ => false,
            };
            is_root && way.steps == steps
        };
        let Some(number) = ways.iter().position(is_meant) else {
            return Err(self.unsupported(user, "a pointer to this place as a value is"));
        };
        if indices.len() > MOST_INDICES {
            let message = format!("a pointer with more than {MOST_INDICES} indices as a value is");
            return Err(self.unsupported(user, message));
        }
        let mut parts = vec![self.int(number as i32 + 1)];
        parts.extend(indices);
        Ok(self.pointer_of(parts))
    }

    /// A pointer as a value: a number and indices, with zeros behind them.
    pub(crate) fn pointer_of(&mut self, mut parts: Vec<ExprId>) -> ExprId {
        parts.resize_with(1 + MOST_INDICES, || self.int(0));
        let ty = self.pointer_type();
        self.push(ExprKind::Compose(parts), ty)
    }

    /// The place that a pointer in a local is to: one for each way.
    pub(crate) fn place_of_pointer(
        &mut self,
        user: &Instruction,
        pointer: u32,
        local: LocalId,
    ) -> Result<Place, Error> {
        let mut place: Option<Place> = None;
        let definition = self.definition(user, pointer)?;
        let all = self.ways(user, definition.ty)?;
        let own = self.ways.as_ref().map(|ways| ways.of(definition)).unwrap_or_default();
        for (number, way) in (1..).zip(all).filter(|(_, way)| own.contains(way)) {
            let Some(Value::Pointer(variable)) = self.values.get(&way.variable) else { continue };
            let mut next = variable.clone();
            let mut component = 0;
            for step in way.steps {
                next.steps.push(match step {
                    Some(member) => Step::Member(member),
                    None => {
                        component += 1;
                        Step::Index(self.given_value(Value::Component(local, component)))
                    }
                });
            }
            place = Some(match place {
                None => next,
                Some(before) => {
                    let choice = Choice { local, number, places: [next, before] };
                    Place::new(Root::Choice(Box::new(choice)))
                }
            });
        }
        place.ok_or_else(|| self.unsupported(user, "a pointer to no place is"))
    }

    /// A new id with a value.
    pub(crate) fn given_value(&mut self, value: Value) -> u32 {
        let id = self.module.bound + self.given;
        self.given += 1;
        self.values.insert(id, value);
        id
    }

    /// True where the first place of a choice is meant.
    pub(crate) fn is_first(&mut self, choice: &Choice) -> ExprId {
        let pointer = self.local(choice.local);
        let own = self.swizzle(pointer, &[0]);
        let number = self.int(choice.number);
        let bool_type = self.types.scalar(Scalar::Bool);
        self.push(ExprKind::Binary(program::BinaryOp::Equal, own, number), bool_type)
    }

    /// An expression of a place, or that of the one that a choice means.
    pub(crate) fn chosen(
        &mut self,
        place: &Place,
        make: &mut dyn FnMut(&mut Self, &Place) -> Result<ExprId, Error>,
    ) -> Result<ExprId, Error> {
        let Root::Choice(choice) = &place.root else { return make(self, place) };
        let [first, second] = choice.with_steps(&place.steps);
        let (first, second) = (self.chosen(&first, make)?, self.chosen(&second, make)?);
        let condition = self.is_first(choice);
        Ok(self.choose(condition, first, second))
    }

    /// True if a value is a pointer in a local, or one of several places.
    pub(crate) fn is_pointer_value(&self, id: u32) -> bool {
        match self.values.get(&id) {
            Some(Value::Pointer(place)) => matches!(place.root, Root::Choice(_)),
            Some(Value::Local(_)) => {
                self.module.get(id).is_some_and(|i| self.is_variable_pointer(i.ty))
            }
            _ => false,
        }
    }

    /// The type of a pointer whose value an id is.
    pub(crate) fn variable_pointer_type(&self, id: u32) -> Option<u32> {
        let ty = self.module.get(id)?.ty;
        self.is_variable_pointer(ty).then_some(ty)
    }
}
