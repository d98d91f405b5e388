//! The scalar target of instruction selection: one operand per component of a value.

use crate::error::CompileError;
use crate::isel::values::register_bits;
use crate::isel::{Selection, Target};
use crate::lir::build::Builder;
use crate::lir::{CondMod, Inst, Op, Operand, PredMode, Type};
use crate::restricted_float::restricted_float;
use ir::{Alu, AluOp, IntrinsicOp, Shader, Src, Tex, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Registers that push constants and inputs of the geometry pipeline's stages may take together;
/// the rest is for the program.
pub(super) const PAYLOAD_BUDGET: u32 = 88;

/// Flag subregister of the live pixels, if a shader discards or writes memory: f0.1.
pub(super) const LIVE_FLAG: u8 = 1;

/// Operands of one value, one per component: most values have one.
pub(super) type Components = SmallVec<[Operand; 1]>;

/// Instruction selection of a scalar kernel.
pub(super) type ScalarSelection<'a> = Selection<'a, Scalar>;

/// Everything that the payload of a sampler message is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PayloadKey {
    pub(super) header: Option<u32>,
    pub(super) arguments: Vec<Operand>,
    /// First channel.
    pub(super) group: u32,
}

/// State of the scalar back end's selection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scalar {
    /// Local variables by number: operands per element and component.
    pub(super) locals: BTreeMap<u32, Vec<Components>>,
    /// The number of each channel, if the shader uses scratch memory.
    pub(super) channel_numbers: Option<Operand>,
    /// Payloads of the current block's sampler messages.
    pub(super) payloads: FxHashMap<PayloadKey, Operand>,
}

impl Target for Scalar {
    type Location = Components;

    fn can_fuse(shader: &Shader, _alu: &Alu, result: Value) -> bool {
        shader.bits(result) >= 32
    }

    /// A MAD takes no immediates: product or sums may have a constant, not both, unless one move
    /// loads both. A 64-bit scalar must be copied to full width first, which costs as much as the
    /// fusion saves.
    fn is_fusion_useful(shader: &Shader, product: Value, sums: &[Value]) -> bool {
        let Some(mul) = shader.as_alu(product) else { return false };
        let has_constant = |alu: &Alu| alu.srcs.iter().any(|s| shader.as_const(s.value).is_some());
        let has_wide_constant = |alu: &Alu| {
            alu.srcs.iter().any(|s| {
                let constant = shader.as_const(s.value);
                let bits = constant.map(|bits| bits[usize::from(s.swizzle[0] & 3)] as u32);
                bits.is_some_and(|bits| restricted_float(bits).is_none())
            })
        };
        let has_scalar = |alu: &Alu| alu.srcs.iter().any(|s| is_scalar_value(shader, s.value));
        let some_sum =
            |f: &dyn Fn(&Alu) -> bool| sums.iter().filter_map(|&s| shader.as_alu(s)).any(f);
        let packable =
            shader.bits(product) == 32 && !has_wide_constant(mul) && !some_sum(&has_wide_constant);
        let constants_fit = !has_constant(mul) || !some_sum(&has_constant) || packable;
        let scalars_fit = shader.bits(product) < 64 || (!has_scalar(mul) && !some_sum(&has_scalar));
        constants_fit && scalars_fit
    }

    fn emit_float_modes(isel: &mut ScalarSelection<'_>) {
        isel.emit_denormal_modes();
    }

    fn emit_body_prologue(isel: &mut ScalarSelection<'_>) {
        isel.emit_scratch_prologue();
    }

    fn invalidate_constants(isel: &mut ScalarSelection<'_>) {
        isel.target.payloads.clear();
    }

    fn emit_alu(
        isel: &mut ScalarSelection<'_>,
        alu: &Alu,
        result: Value,
    ) -> Result<(), CompileError> {
        isel.emit_alu(alu, result)
    }

    fn emit_texture(
        isel: &mut ScalarSelection<'_>,
        tex: &Tex,
        result: Value,
    ) -> Result<(), CompileError> {
        isel.emit_texture(tex, result)
    }

    /// Defines the value as zero, which folds best.
    fn define_undefined(isel: &mut ScalarSelection<'_>, result: Value) {
        let zero = immediate(0, isel.raw_type(result));
        isel.set(result, (0..isel.shader.components(result)).map(|_| zero).collect());
    }

    fn define_phi(isel: &mut ScalarSelection<'_>, phi: Value) {
        isel.define(phi, isel.raw_type(phi));
    }

    fn push_phi_copies(
        isel: &mut ScalarSelection<'_>,
        phi: Value,
        source: Value,
        copies: &mut Vec<(Operand, Operand)>,
    ) {
        let ty = isel.raw_type(phi);
        for c in 0..isel.shader.components(phi) {
            let (to, mut from) = (isel.get(phi, c, ty), isel.get(source, c, ty));
            if ty.size() == 1 && from.is_imm() {
                // Only copies write bytes side by side.
                let mut b = isel.builder();
                let word = b.temp(Type::UW);
                b.mov(word, from);
                from = word.subscript(ty, 0);
            }
            if to != from {
                copies.push((to, from));
            }
        }
    }

    fn emit_condition(
        isel: &mut ScalarSelection<'_>,
        cond: Value,
    ) -> Result<(PredMode, bool), CompileError> {
        Ok((PredMode::Normal, isel.emit_condition(cond, 0)))
    }

    fn emit_control<'s>(isel: &'s mut ScalarSelection<'_>, op: Op) -> &'s mut Inst {
        let inst = Inst::new(op, isel.program.width, Operand::none(), &[]);
        let index = isel.program.insts.len();
        isel.program.insts.push(inst);
        &mut isel.program.insts[index]
    }

    fn emit_mov(isel: &mut ScalarSelection<'_>, dst: Operand, src: Operand) {
        isel.builder().mov(dst, src);
    }

    fn new_register(isel: &mut ScalarSelection<'_>, ty: Type) -> Operand {
        isel.builder().temp(ty)
    }

    fn scratch_bytes(isel: &ScalarSelection<'_>) -> u32 {
        isel.scratch_bytes()
    }
}

/// Returns whether instructions read the value as a scalar: a constant, or uniform data at a
/// constant offset.
fn is_scalar_value(shader: &Shader, value: Value) -> bool {
    shader.as_const(value).is_some()
        || shader.as_intrinsic(value).is_some_and(|i| {
            i.op == IntrinsicOp::LoadUbo && i.srcs.iter().all(|&s| shader.as_const(s).is_some())
        })
}

impl ScalarSelection<'_> {
    /// Returns a builder of full-width instructions at the current end.
    pub(super) fn builder(&mut self) -> Builder<'_> {
        Builder::new(&mut self.program)
    }

    /// Allocates registers for the components of `value`, as `ty`.
    pub(super) fn define(&mut self, value: Value, ty: Type) -> Components {
        let width = u32::from(self.program.width);
        let components: Components =
            (0..self.shader.components(value)).map(|_| self.program.vreg_for(ty, width)).collect();
        self.values[value] = components.clone();
        components
    }

    /// Defines `value` by operands.
    pub(super) fn set(&mut self, value: Value, components: Components) {
        self.values[value] = components;
    }

    /// Defines a scalar by an operand.
    pub(super) fn set_scalar(&mut self, value: Value, operand: Operand) {
        self.values[value] = Components::from_slice(&[operand]);
    }

    /// Operand of component `component` of `value`, typed `ty` (of the value's size; booleans are
    /// D).
    pub(super) fn get(&self, value: Value, component: u8, ty: Type) -> Operand {
        if let Some(bits) = self.shader.as_const(value) {
            let bits = bits[usize::from(component & 3)];
            return immediate(register_bits(self.shader.bits(value), bits), ty);
        }
        match self.values[value].get(usize::from(component)) {
            Some(operand) => match operand.imm_bits() {
                Some(bits) if ty.size() == 1 => immediate(bits, ty),
                _ => operand.retype(ty),
            },
            None => self.undefined_value(value),
        }
    }

    /// Operand of component `component` of an ALU source.
    pub(super) fn src(&self, src: &Src, component: u8, ty: Type) -> Operand {
        self.get(src.value, src.swizzle[usize::from(component & 3)], ty)
    }

    /// Sets the flag for the channels in which the boolean `cond` holds. Returns true if the
    /// predicate that tests it must be inverted.
    pub(super) fn emit_condition(&mut self, cond: Value, component: u8) -> bool {
        let mut components = [component];
        let (value, inverse) = self.strip_not(cond, &mut components);
        let [component] = components;
        if !self.emit_fp64_comparison(value, component) {
            let operand = self.get(value, component, Type::D);
            self.emit_condition_operand(operand);
        }
        inverse
    }

    /// Repeats a 64-bit comparison into the flag alone, which is cheaper than to narrow its 64-bit
    /// boolean and to test that.
    fn emit_fp64_comparison(&mut self, value: Value, component: u8) -> bool {
        let Some(alu) = self.shader.as_alu(value) else { return false };
        let cond = match alu.op {
            AluOp::Feq => CondMod::Z,
            AluOp::Fneu | AluOp::F2b => CondMod::Nz,
            AluOp::Flt => CondMod::L,
            AluOp::Fge => CondMod::Ge,
            _ => return false,
        };
        if alu.srcs.first().is_none_or(|s| self.shader.bits(s.value) != 64) {
            return false;
        }
        let a = self.src(&alu.srcs[0], component, Type::DF);
        let b = alu.srcs.get(1).map_or(Operand::df(0.0), |s| self.src(s, component, Type::DF));
        self.builder().cmp(Operand::null(Type::DF), a, b, cond);
        true
    }

    /// Returns whether `cond` is a comparison of 64-bit values or its negation, whose boolean is
    /// expensive.
    pub(super) fn is_64bit_comparison(&self, cond: Value) -> bool {
        let (value, _) = self.strip_not(cond, &mut []);
        let is_64bit = |src: &Src| self.shader.bits(src.value) == 64;
        self.shader.as_alu(value).is_some_and(|alu| alu.srcs.iter().any(is_64bit))
    }

    /// Sets the flag where `operand` (0 or −1) is not zero.
    pub(super) fn emit_condition_operand(&mut self, operand: Operand) {
        self.builder().mov(Operand::null(Type::D), operand).condition(CondMod::Nz);
    }
}

/// An immediate of a type; there are none of bytes, which are words.
fn immediate(bits: u64, ty: Type) -> Operand {
    match ty {
        Type::UB => Operand::imm(bits & 0xff, Type::UW),
        Type::B => Operand::imm(u64::from(bits as u8 as i8 as u16), Type::W),
        ty => Operand::imm(bits, ty),
    }
}
