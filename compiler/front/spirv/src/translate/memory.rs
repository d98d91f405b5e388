//! Loads, stores, access chains, calls of barriers and vertices.

use program::{
    ArrayLength, BinaryOp, BuiltinFunction as F, ExprId, ExprKind, Scalar, Statement, Storage,
    Type, TypeId, TypeTable,
};
use rspirv::spirv::{MemorySemantics, Op};

use super::arithmetic::unsigned;
use super::place::{Parts, Place, Root, Step};
use super::state::{ShaderBuilder, Value};
use crate::error::Error;
use crate::module::Instruction;

impl ShaderBuilder<'_> {
    /// Appends an instruction on memory; returns false for others.
    pub(crate) fn memory_operation(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<bool, Error> {
        match i.op {
            Op::AccessChain | Op::InBoundsAccessChain => {
                let place = self.operand_place(i, 0)?;
                let place = self.access_chain(i, place, 1)?;
                let place = self.of_elements(i, place, out)?;
                self.values.insert(i.id, Value::Pointer(place));
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let place = self.operand_place(i, 0)?;
                let place = self.next_element(i, place, out)?;
                let place = self.access_chain(i, place, 2)?;
                self.values.insert(i.id, Value::Pointer(place));
            }
            Op::CopyObject => {
                let id = self.id(i, 0)?;
                match self.values.get(&id) {
                    Some(place @ (Value::Pointer(_) | Value::Opaque(_) | Value::Texel(_))) => {
                        self.values.insert(i.id, place.clone());
                    }
                    _ => {
                        let value = self.operand_value(i, id)?;
                        self.define(i, value, true, out);
                    }
                }
            }
            Op::Load => self.load(i, out)?,
            // A table has its contents.
            Op::Store if self.body.tables.contains(&self.id(i, 0)?) => {}
            Op::Store => {
                let place = self.operand_place(i, 0)?;
                let value = self.operand(i, 1)?;
                self.store(i, &place, value, out)?;
            }
            Op::CopyMemory => {
                let (to, from) = (self.operand_place(i, 0)?, self.operand_place(i, 1)?);
                let value = self.read_any(i, &from, out)?;
                self.store(i, &to, value, out)?;
            }
            Op::CompositeInsert | Op::VectorInsertDynamic => self.insertion(i, out)?,
            Op::IAddCarry => self.with_carry(i, F::UaddCarry, out)?,
            Op::ISubBorrow => self.with_carry(i, F::UsubBorrow, out)?,
            Op::UMulExtended => self.wide_product(i, F::UmulExtended, out)?,
            Op::SMulExtended => self.wide_product(i, F::ImulExtended, out)?,
            Op::ArrayLength => self.array_length(i, out)?,
            Op::ControlBarrier => {
                let semantics = self.id(i, 2)?;
                self.memory_barriers(i, semantics, out)?;
                self.statement_call(F::Barrier, Vec::new(), out);
            }
            Op::MemoryBarrier => {
                let semantics = self.id(i, 1)?;
                self.memory_barriers(i, semantics, out)?;
            }
            Op::EmitVertex => self.statement_call(F::EmitVertex, Vec::new(), out),
            Op::EndPrimitive => self.statement_call(F::EndPrimitive, Vec::new(), out),
            Op::EmitStreamVertex | Op::EndStreamPrimitive => {
                let stream = self.operand(i, 0)?;
                let stream = self.cast(stream, Scalar::Int);
                let is_vertex = i.op == Op::EmitStreamVertex;
                let function = if is_vertex { F::EmitStreamVertex } else { F::EndStreamPrimitive };
                self.statement_call(function, vec![stream], out);
            }
            Op::BeginInvocationInterlockEXT => {
                self.statement_call(F::BeginInvocationInterlock, Vec::new(), out);
            }
            Op::EndInvocationInterlockEXT => {
                self.statement_call(F::EndInvocationInterlock, Vec::new(), out);
            }
            Op::DemoteToHelperInvocation => out.push(Statement::Demote),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn statement_call(&mut self, function: F, arguments: Vec<ExprId>, out: &mut Vec<Statement>) {
        let call = self.builtin(function, arguments, TypeTable::VOID);
        out.push(Statement::Expression(call));
    }

    /// The barriers of the kinds of memory that semantics name.
    fn memory_barriers(
        &mut self,
        i: &Instruction,
        semantics: u32,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let bits = self.integer_constant(i, semantics)? as u32;
        let kinds = [
            (MemorySemantics::UNIFORM_MEMORY, F::MemoryBarrierBuffer),
            (MemorySemantics::WORKGROUP_MEMORY, F::MemoryBarrierShared),
            (MemorySemantics::ATOMIC_COUNTER_MEMORY, F::MemoryBarrierAtomicCounter),
            (MemorySemantics::IMAGE_MEMORY, F::MemoryBarrierImage),
        ];
        for (bit, function) in kinds {
            if bits & bit.bits() != 0 {
                self.statement_call(function, Vec::new(), out);
            }
        }
        Ok(())
    }

    /// The place of a pointer moved by a number of elements.
    fn next_element(
        &mut self,
        i: &Instruction,
        mut place: Place,
        out: &mut Vec<Statement>,
    ) -> Result<Place, Error> {
        // A place that is no element may be moved by none.
        if self.module.fixed_integer(self.id(i, 1)?) == Some(0) {
            return Ok(place);
        }
        if let (Root::Choice(choice), true) = (&mut place.root, place.steps.is_empty()) {
            for place in &mut choice.places {
                *place = self.next_element(i, place.clone(), out)?;
            }
            return Ok(place);
        }
        let Some(Step::Index(index)) = place.steps.pop() else {
            return Err(self.unsupported(i, "a pointer that is to no element is"));
        };
        let (index, distance) = (self.operand_value(i, index)?, self.operand(i, 1)?);
        let (index, distance) = (self.cast(index, Scalar::Int), self.cast(distance, Scalar::Int));
        let sum = self.binary(BinaryOp::Add, index, distance);
        let ty = self.ty(sum);
        let sum = self.declared("element", ty, Some(sum), out);
        place.steps.push(Step::Index(self.given_value(Value::Local(sum))));
        Ok(place)
    }

    fn access_chain(
        &mut self,
        i: &Instruction,
        mut place: Place,
        first: usize,
    ) -> Result<Place, Error> {
        place.steps.extend(self.steps(i, first)?);
        Ok(place)
    }

    /// The steps of an access chain whose indices begin at an operand.
    pub(crate) fn steps(&self, i: &Instruction, first: usize) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        let base = self.id(i, 0)?;
        let pointer = self.definition(i, base)?.ty;
        let mut ty = self.pointee(i, pointer)?;
        for index in i.ids_from(first) {
            let definition = self.definition(i, ty)?;
            if definition.op == Op::TypeStruct {
                let member = self.integer_constant(i, index)? as u32;
                steps.push(Step::Member(member));
                ty = self.id(definition, member as usize)?;
            } else {
                steps.push(Step::Index(index));
                ty = self.id(definition, 0)?;
            }
        }
        Ok(steps)
    }

    /// The value of a place.
    pub(crate) fn read(&mut self, i: &Instruction, place: &Place) -> Result<ExprId, Error> {
        match self.whole_parts(place) {
            Some(parts) => self.read_parts(i, &parts),
            None => self.place_expr(i, place),
        }
    }

    /// The parts of an interface block that is named as a whole.
    fn whole_parts(&self, place: &Place) -> Option<Parts> {
        match &place.root {
            Root::Parts(parts) if place.steps.is_empty() => Some((**parts).clone()),
            _ => None,
        }
    }

    fn read_parts(&mut self, i: &Instruction, parts: &Parts) -> Result<ExprId, Error> {
        match parts {
            Parts::Leaf(global) => {
                let ty = self.global_of(*global).ty;
                Ok(self.push(ExprKind::Global(*global), ty))
            }
            Parts::Members(_) | Parts::Elements(_) | Parts::PerVertex(_) => {
                Err(self.unsupported(i, "the whole of an interface block is"))
            }
        }
    }

    fn load(&mut self, i: &Instruction, out: &mut Vec<Statement>) -> Result<(), Error> {
        let place = self.operand_place(i, 0)?;
        if matches!(place.root, Root::Apart(..)) {
            self.values.insert(i.id, Value::Opaque(place));
            return Ok(());
        }
        if let Root::Choice(choice) = &place.root {
            let ty = self.result_type(i)?;
            return self.load_chosen(i, choice, &place.steps, ty, out);
        }
        let ty = self.result_type(i)?;
        if matches!(self.types.get(ty), Type::Sampler(_) | Type::Image(_)) {
            self.values.insert(i.id, Value::Opaque(place));
            return Ok(());
        }
        let value = self.load_as(i, &place, ty)?;
        self.define(i, value, false, out);
        Ok(())
    }

    /// The value of a place as one of a type: built-in variables may be declared with either sign.
    fn load_as(&mut self, i: &Instruction, place: &Place, ty: TypeId) -> Result<ExprId, Error> {
        let value = self.read(i, place)?;
        Ok(self.cast_to(value, ty))
    }

    pub(crate) fn store(
        &mut self,
        i: &Instruction,
        place: &Place,
        value: ExprId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        if let Root::Choice(choice) = &place.root {
            return self.store_chosen(i, choice, &place.steps, value, out);
        }
        self.writable(i, place)?;
        let place = self.place_expr(i, place)?;
        let value = self.cast_to(value, self.ty(place));
        let assignment = self.assign(place, value);
        out.push(Statement::Expression(assignment));
        Ok(())
    }

    /// An error for places of uniform blocks and others that are read-only.
    pub(crate) fn writable(&self, i: &Instruction, place: &Place) -> Result<(), Error> {
        let Root::Global(global) = place.root else { return Ok(()) };
        let global = self.global_of(global);
        let is_read_only =
            matches!(global.storage, Storage::Uniform | Storage::Input) || global.memory.read_only;
        self.module.demand(i, !is_read_only, "the place is read-only")
    }

    /// A sum or difference, and its carry or borrow.
    fn with_carry(
        &mut self,
        i: &Instruction,
        function: F,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        if self.shape(self.ty(a)).0.bits() != 32 {
            return self.other_carry(i, function, [a, b], out);
        }
        let uint = self.with_scalar(self.ty(a), Scalar::Uint);
        let (a, b) = (self.cast(a, Scalar::Uint), self.cast(b, Scalar::Uint));
        let carry = self.declared("carry", uint, None, out);
        let place = self.local(carry);
        let sum = self.builtin(function, vec![a, b, place], uint);
        let low = self.declared("low", uint, Some(sum), out);
        self.pair(i, [low, carry], out)
    }

    /// As [`Self::with_carry`], for integers of other than 32 bits: a sum below a summand wrapped.
    fn other_carry(
        &mut self,
        i: &Instruction,
        function: F,
        operands: [ExprId; 2],
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let [a, b] = operands.map(|operand| {
            let scalar = unsigned(self.shape(self.ty(operand)).0);
            let operand = self.cast(operand, scalar);
            let ty = self.ty(operand);
            self.declared("operand", ty, Some(operand), out)
        });
        let ty = self.body.locals[a].ty;
        let is_sum = function == F::UaddCarry;
        let (x, y) = (self.local(a), self.local(b));
        let low = self.binary(if is_sum { BinaryOp::Add } else { BinaryOp::Sub }, x, y);
        let low = self.declared("low", ty, Some(low), out);
        let (less, more) = if is_sum { (low, a) } else { (a, b) };
        let (less, more) = (self.local(less), self.local(more));
        let wrapped = self.ordered_less(less, more);
        let (one, zero) = (self.number(ty, 1), self.number(ty, 0));
        let carry = self.choose(wrapped, one, zero);
        let carry = self.declared("carry", ty, Some(carry), out);
        self.pair(i, [low, carry], out)
    }

    /// The halves of a product, the low one first.
    fn wide_product(
        &mut self,
        i: &Instruction,
        function: F,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let is_signed = function == F::ImulExtended;
        match self.shape(self.ty(a)).0.bits() {
            8 | 16 => return self.narrow_product(i, [a, b], is_signed, out),
            64 => return self.long_product(i, [a, b], is_signed, out),
            _ => {}
        }
        let scalar = if is_signed { Scalar::Int } else { Scalar::Uint };
        let ty = self.with_scalar(self.ty(a), scalar);
        let (a, b) = (self.cast(a, scalar), self.cast(b, scalar));
        let [high, low] = ["high", "low"].map(|name| self.declared(name, ty, None, out));
        let (high_place, low_place) = (self.local(high), self.local(low));
        self.statement_call(function, vec![a, b, high_place, low_place], out);
        self.pair(i, [low, high], out)
    }

    /// Defines a result that is a structure of two members.
    pub(crate) fn pair(
        &mut self,
        i: &Instruction,
        locals: [program::LocalId; 2],
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let ty = self.result_type(i)?;
        let members = self.types.members(ty).unwrap_or_default();
        let members: Vec<TypeId> = members.iter().map(|member| member.ty).collect();
        let mut values = Vec::new();
        for (local, member) in locals.into_iter().zip(members) {
            let value = self.local(local);
            values.push(self.cast_to(value, member));
        }
        let value = self.push(ExprKind::Aggregate(values), ty);
        self.define(i, value, false, out);
        Ok(())
    }

    fn array_length(&mut self, i: &Instruction, out: &mut Vec<Statement>) -> Result<(), Error> {
        let mut place = self.operand_place(i, 0)?;
        place.steps.push(Step::Member(self.literal(i, 1)?));
        let length = self.chosen(&place, &mut |this, place| {
            let array = this.place_expr(i, place)?;
            if !matches!(this.types.array_of(this.ty(array)), Some((_, ArrayLength::Runtime))) {
                return Err(this.module.error(i, "the member is no runtime array"));
            }
            let int = this.types.scalar(Scalar::Int);
            Ok(this.push(ExprKind::RuntimeLength(array), int))
        })?;
        let ty = self.result_type(i)?;
        let length = self.cast_to(length, ty);
        self.define(i, length, false, out);
        Ok(())
    }
}
