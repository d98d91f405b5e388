//! Votes, ballots and reads across a subgroup, the channels of one thread; the clock.

use super::target::{Components, ScalarSelection};
use crate::error::CompileError;
use crate::lir::{Arf, CondMod, Op, Operand, Type};
use ir::{Intrinsic, IntrinsicOp, Value};

impl ScalarSelection<'_> {
    /// Emits an intrinsic that depends on the thread's channels or its time.
    pub(super) fn emit_subgroup(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        let source = |i: usize| {
            let source = intrinsic.srcs.get(i).copied();
            source.ok_or_else(|| {
                CompileError::internal(format!("{} lacks a source", intrinsic.op.name()))
            })
        };
        match intrinsic.op {
            SubgroupSize => {
                let width = Operand::ud(self.program.width.into());
                self.set(result, std::iter::once(width).collect());
            }
            SubgroupInvocation => {
                let numbers = self.emit_channel_numbers();
                self.set(result, std::iter::once(numbers).collect());
            }
            Clock => self.emit_clock(result),
            Ballot => self.emit_ballot(source(0)?, result),
            VoteAny | VoteAll | VoteEq => self.emit_vote(intrinsic.op, source(0)?, result),
            ReadFirstInvocation => {
                let first = self.first_channel();
                self.emit_read_channel(source(0)?, first, result);
            }
            ReadInvocation => {
                let channel = self.get(source(1)?, 0, Type::UD);
                self.emit_read_channel(source(0)?, channel, result);
            }
            QuadBroadcast => {
                self.emit_quad_broadcast(source(0)?, intrinsic.fields.base & 3, result)
            }
            _ => return Err(self.unsupported(intrinsic.op)),
        }
        Ok(())
    }

    /// Defines `result` as the value of one channel of each quad, four consecutive channels.
    fn emit_quad_broadcast(&mut self, value: Value, channel: u32, result: Value) {
        let ty = self.raw_type(value);
        let places = self.define(result, ty);
        for (c, to) in (0..).zip(places) {
            let from = self.get(value, c, ty);
            if !from.is_reg() || from.is_scalar() {
                self.builder().mov(to, from);
            } else if ty.size() == 8 {
                let [low, high] =
                    [0, 1].map(|half| self.quad_channel(from.subscript(Type::UD, half), channel));
                self.pack_dwords(to, low, high);
            } else {
                let of_quad = self.quad_channel(from, channel);
                self.builder().mov(to, of_quad);
            }
        }
    }

    /// A region that has one channel of each quad four times.
    fn quad_channel(&mut self, from: Operand, channel: u32) -> Operand {
        let mut b = self.builder();
        let copy = b.temp(from.ty);
        b.mov(copy, from);
        copy.channel_offset(channel).with_region(4, 4, 0)
    }

    /// Emits the low and the high dword of the time stamp.
    fn emit_clock(&mut self, result: Value) {
        let mut b = self.builder();
        let time = Operand::vgrf(b.program.vreg(1), Type::UD);
        b.all_channels(4).mov(time, Operand::arf(Arf::Timestamp(0), Type::UD));
        self.set(result, (0..2).map(|dword| time.byte_offset(4 * dword).scalar()).collect());
    }

    /// Returns a dword whose bit c is set if channel c is active and `test` sets its flag.
    fn active_where(&mut self, test: impl FnOnce(&mut Self)) -> Operand {
        let ty = if self.program.width > 16 { Type::UD } else { Type::UW };
        let flag = Operand::arf(Arf::Flag(0), ty).scalar();
        // Inactive channels do not change their bits.
        self.builder().all_channels(1).mov(flag, Operand::imm(0, ty));
        test(self);
        let mut b = self.builder();
        let bits = Operand::vgrf(b.program.vreg(1), Type::UD);
        b.all_channels(1).mov(bits, flag);
        bits.scalar()
    }

    /// Returns a dword whose bit c is set if channel c is active and its boolean relates to false
    /// by `cond`.
    fn ballot(&mut self, value: Value, cond: CondMod) -> Operand {
        let value = self.get(value, 0, Type::D);
        self.active_where(|isel| {
            if value.imm_bits().is_some() {
                let copy = isel.builder().temp(Type::D);
                isel.builder().mov(copy, value);
                isel.builder().cmp(Operand::null(Type::D), copy, Operand::d(0), cond);
            } else {
                isel.builder().cmp(Operand::null(Type::D), value, Operand::d(0), cond);
            }
        })
    }

    fn emit_ballot(&mut self, value: Value, result: Value) {
        let bits = self.ballot(value, CondMod::Nz);
        let dst = self.define(result, self.raw_type(result))[0];
        let mut b = self.builder();
        let (low, high) = (b.temp(Type::UD), b.temp(Type::UD));
        b.mov(low, bits);
        b.mov(high, Operand::ud(0));
        self.pack_dwords(dst, low, high);
    }

    fn emit_vote(&mut self, op: IntrinsicOp, value: Value, result: Value) {
        let zero = Operand::ud(0);
        let dst = self.define(result, Type::D)[0];
        let any = |isel: &mut Self| isel.ballot(value, CondMod::Nz);
        let none = |isel: &mut Self| isel.ballot(value, CondMod::Z);
        match op {
            IntrinsicOp::VoteAny => {
                let bits = any(self);
                self.builder().cmp(dst, bits, zero, CondMod::Nz);
            }
            IntrinsicOp::VoteAll => {
                let bits = none(self);
                self.builder().cmp(dst, bits, zero, CondMod::Z);
            }
            _ => {
                // Equal booleans: none is true or none is false.
                let (set, clear) = (any(self), none(self));
                let mut b = self.builder();
                let (all_clear, all_set) = (b.temp(Type::D), b.temp(Type::D));
                b.cmp(all_clear, set, zero, CondMod::Z);
                b.cmp(all_set, clear, zero, CondMod::Z);
                b.emit(Op::Or, dst, &[all_clear, all_set]);
            }
        }
    }

    /// Number of the first active channel.
    fn first_channel(&mut self) -> Operand {
        let active = self.active_where(|isel| isel.emit_condition_operand(Operand::d(-1)));
        let mut b = self.builder();
        let first = Operand::vgrf(b.program.vreg(1), Type::UD);
        b.all_channels(1).emit(Op::Fbl, first, &[active]);
        first.scalar()
    }

    /// Defines `result` as the value of the channel whose number is in `channel`: one predicated
    /// move per channel.
    fn emit_read_channel(&mut self, value: Value, channel: Operand, result: Value) {
        let ty = self.raw_type(value);
        let from: Components =
            (0..self.shader.components(value)).map(|c| self.get(value, c, ty)).collect();
        let places = self.define(result, ty);
        for number in 0..u32::from(self.program.width) {
            if number > 0 {
                self.builder().cmp(
                    Operand::null(Type::UD),
                    channel,
                    Operand::ud(number),
                    CondMod::Z,
                );
            }
            for (&to, from) in places.iter().zip(&from) {
                let mut b = self.builder();
                let inst = b.mov(to, from.channel_offset(number).scalar());
                if number > 0 {
                    inst.predicate(false);
                }
            }
        }
    }
}
