//! Walks the IR and keeps the map from SSA values to operands: control flow, phis, sources, flags.

use crate::codegen;
use crate::error::CompileError;
use crate::lir::{Arf, CondMod, Inst, Op, Operand, PredMode, Program, Swizzle, Type};
use crate::model::Model;
use crate::options::Options;
use crate::output::{Kernel, PushRange, Width};
use cranelift_entity::SecondaryMap;
use ir::{AluOp, Block, Class, InstKind, IntrinsicOp, Jump, Shader, Src, Step, Value};
use std::collections::BTreeMap;

use super::compare;
use super::geometry::GeometryState;
use super::locals::LocalStorage;
use super::tess_control::TessControlState;
use super::tess_eval::TessEvalState;
use super::vertex::VertexState;

/// Control register bit: keep DF denormals.
const CR0_FP64_DENORM_PRESERVE: u32 = 1 << 6;

/// Mask of the first `n` components.
pub(super) fn first(n: u8) -> u8 {
    (1 << n.min(4)) - 1
}

/// A multiplication that an addition takes in: its value and which source of the addition it is.
pub(super) type Fusion = (Value, usize);

/// State of instruction selection.
pub(super) struct Selector<'a> {
    pub shader: &'a Shader,
    pub model: &'a Model,
    pub program: Program,
    pub push: &'a [PushRange],
    /// First register of the push constants.
    pub push_start: u32,
    /// Binding table index of uniform block 0; the others follow, then the textures.
    pub ubo_base: u32,
    /// Where each value lives: component i of the value is component `swizzle[i]` of the operand.
    values: SecondaryMap<Value, Option<Operand>>,
    /// Number of uses of each value.
    pub uses: SecondaryMap<Value, u32>,
    /// Additions that take in a multiplication.
    pub fused: SecondaryMap<Value, Option<Fusion>>,
    /// Values without instructions: products taken in by additions, comparisons that only flags need.
    pub skipped: SecondaryMap<Value, bool>,
    /// Constants in registers, by size and components, in the current IR block.
    constants: BTreeMap<(u32, [u64; 4]), Operand>,
    /// Uniform data pulled in the current IR block: (uniform block, 64-byte unit) → registers.
    pub pulled: BTreeMap<(u32, u32), Operand>,
    /// Local variables, by number.
    pub locals: Vec<Option<LocalStorage>>,
    /// Bytes of scratch memory that local variables occupy.
    pub scratch_bytes: u32,
    /// Stage-specific state.
    pub vertex: VertexState,
    pub geometry: GeometryState,
    pub tess_control: TessControlState,
    pub tess_eval: TessEvalState,
    /// Phis that have a block as predecessor.
    phis_after: SecondaryMap<Block, Vec<ir::Inst>>,
    /// A HALT was emitted.
    pub halts: bool,
}

impl<'a> Selector<'a> {
    pub fn new(shader: &'a Shader, model: &'a Model, push: &'a [PushRange]) -> Selector<'a> {
        let mut selector = Selector {
            shader,
            model,
            program: Program::new(8),
            push,
            push_start: 1,
            ubo_base: 0,
            values: SecondaryMap::new(),
            uses: SecondaryMap::new(),
            fused: SecondaryMap::new(),
            skipped: SecondaryMap::new(),
            constants: BTreeMap::new(),
            pulled: BTreeMap::new(),
            locals: Vec::new(),
            scratch_bytes: 0,
            vertex: VertexState::default(),
            geometry: GeometryState::default(),
            tess_control: TessControlState::default(),
            tess_eval: TessEvalState::default(),
            phis_after: SecondaryMap::new(),
            halts: false,
        };
        selector.uses = ir::cfg::use_counts(shader);
        compare::choose_lazy(&mut selector);
        super::alu::choose_fusions(&mut selector);
        selector
    }

    /// Everything after selection.
    pub fn finish(self, options: &Options) -> Result<Kernel, CompileError> {
        let Selector { program, model, push_start, scratch_bytes, .. } = self;
        let program = (program, Width::Vec4);
        let code = codegen::generate_code(program, model, options, true, &super::PASSES, scratch_bytes)?;
        Ok(code.kernel(Width::Vec4, push_start))
    }

    /// Modes of the float unit: denormals of doubles are kept.
    pub fn emit_prologue(&mut self) {
        if self.shader.values.values().any(|v| v.bits == 64) {
            let control = Operand::arf(Arf::Control(0), Type::UD);
            let src = [control.scalar(), Operand::ud(CR0_FP64_DENORM_PRESERVE)];
            self.emit_align1(Op::Or, (1, 0), control, &src).no_mask = true;
        }
    }

    /// Emits the whole body.
    pub fn select_body(&mut self) -> Result<(), CompileError> {
        self.allocate_phis();
        self.allocate_locals()?;
        for step in self.shader.walk() {
            match step {
                Step::Block(block) => self.select_block(block)?,
                Step::If(node) => {
                    let cond = self
                        .shader
                        .condition(node)
                        .ok_or_else(|| CompileError::lower("if without a condition"))?;
                    let (mode, inverse) = self.emit_flags(cond, &[0])?;
                    self.control(Op::If).predicate_mode(mode, inverse);
                }
                Step::Else(_) => {
                    self.control(Op::Else);
                }
                Step::EndIf(_) => {
                    self.control(Op::Endif);
                }
                Step::Loop(_) => {
                    self.control(Op::Do);
                }
                Step::EndLoop(_) => {
                    self.control(Op::While);
                }
            }
        }
        if self.halts {
            self.control(Op::HaltTarget);
        }
        Ok(())
    }

    /// Constants and uniforms that registers hold are loaded anew from here on: these registers may be written only
    /// for some vertices.
    pub(super) fn invalidate_registers(&mut self) {
        self.constants.clear();
        self.pulled.clear();
    }

    fn select_block(&mut self, block: Block) -> Result<(), CompileError> {
        self.invalidate_registers();
        let shader = self.shader;
        for &inst in &shader.blocks[block].insts {
            let data = &shader.insts[inst];
            match (&data.kind, data.result) {
                (InstKind::Alu(alu), Some(result)) if !self.skipped[result] => {
                    self.emit_alu(alu, result)?;
                }
                (InstKind::Undef, Some(result)) => {
                    // Any value will do: a register that nothing writes.
                    let operand = self.define(result);
                    self.emit(Op::Undef, operand, &[]);
                }
                (InstKind::Intrinsic(intrinsic), result) => self.emit_intrinsic(intrinsic, result)?,
                (InstKind::Tex(tex), Some(result)) => self.emit_texture(tex, result)?,
                _ => {}
            }
        }
        self.emit_phi_copies(block);
        match shader.blocks[block].jump {
            None => {}
            Some(Jump::Break) => {
                self.control(Op::Break);
            }
            Some(Jump::Continue) => {
                self.control(Op::Continue);
            }
            Some(Jump::Halt) => {
                self.halts = true;
                self.control(Op::Halt);
            }
        }
        Ok(())
    }

    // Emission.

    /// Appends an Align16 instruction over both vertices.
    pub fn emit(&mut self, op: Op, dst: Operand, src: &[Operand]) -> &mut Inst {
        let mut inst = Inst::new(op, 8, dst, src);
        inst.align16 = true;
        self.push(inst)
    }

    /// Appends an Align1 instruction of `exec_size` channels from `group` on.
    pub fn emit_align1(
        &mut self,
        op: Op,
        (exec_size, group): (u8, u8),
        dst: Operand,
        src: &[Operand],
    ) -> &mut Inst {
        let mut inst = Inst::new(op, exec_size, dst, src);
        inst.group = group;
        self.push(inst)
    }

    /// Appends a move of one dword that ignores the execution mask.
    pub fn set_dword(&mut self, dst: Operand, value: u32) {
        self.emit_align1(Op::Mov, (1, 0), dst.retype(Type::UD), &[Operand::ud(value)]).no_mask = true;
    }

    /// Appends a finished instruction.
    pub fn push(&mut self, inst: Inst) -> &mut Inst {
        let index = self.program.insts.len();
        self.program.insts.push(inst);
        &mut self.program.insts[index]
    }

    /// Appends a control-flow marker.
    fn control(&mut self, op: Op) -> &mut Inst {
        self.emit(op, Operand::none(), &[])
    }

    /// `dst = src`.
    pub fn mov(&mut self, dst: Operand, src: Operand) -> &mut Inst {
        self.emit(Op::Mov, dst, &[src])
    }

    /// Compare into `dst` (or null) and the flag.
    pub fn cmp(&mut self, dst: Operand, a: Operand, b: Operand, cond: CondMod) -> &mut Inst {
        self.emit(Op::Cmp, dst, &[a, b]).condition(cond)
    }

    /// A new register for a vector of `ty`: one GRF for both vertices, two for 64-bit types.
    pub fn temp(&mut self, ty: Type) -> Operand {
        let regs = if ty.size() == 8 { 2 } else { 1 };
        Operand::vgrf(self.program.vreg(regs), ty)
    }

    // Values.

    /// Type of a value's raw bits.
    pub fn raw_type(&self, value: Value) -> Type {
        match self.shader.bits(value) {
            64 => Type::DF,
            _ => Type::UD,
        }
    }

    /// A new register for `value`, as its raw type, with the value's components enabled for writing.
    pub fn define(&mut self, value: Value) -> Operand {
        let ty = self.raw_type(value);
        let n = self.shader.components(value);
        let operand = if ty.size() == 8 { self.wide_temp(n) } else { self.temp(ty) };
        self.values[value] = Some(operand);
        operand.masked(first(n))
    }

    /// A register for `n` doubles per vertex. The others are read now and then, by instructions that cannot but
    /// take whole rows: they get a definition.
    pub fn wide_temp(&mut self, n: u8) -> Operand {
        let operand = self.temp(Type::DF);
        if n < 4 {
            self.emit(Op::Undef, operand, &[]);
        }
        operand
    }

    /// Makes `value` live in `operand`.
    pub fn set(&mut self, value: Value, operand: Operand) {
        self.values[value] = Some(operand);
    }

    /// The value read through `components`, as `ty`. Components past the last one repeat it.
    pub fn get(&mut self, value: Value, components: &[u8], ty: Type) -> Operand {
        let pick: [u8; 4] =
            std::array::from_fn(|i| components.get(i).or(components.last()).copied().unwrap_or(0) & 3);
        if let Some(bits) = self.shader.as_const(value) {
            let bits = *bits;
            return self.constant(self.shader.bits(value), pick.map(|c| bits[usize::from(c)]), ty);
        }
        match self.values[value] {
            Some(operand) => operand.retype(ty).swizzled(Swizzle::new(pick)),
            // Only reads of values that do not dominate their use, which the validator excludes.
            None => Operand::imm(0, ty),
        }
    }

    /// The first `n` components of an ALU source.
    pub fn src(&mut self, src: &Src, n: u8, ty: Type) -> Operand {
        self.get(src.value, &src.swizzle[..usize::from(n.clamp(1, 4))], ty)
    }

    /// A constant vector: an immediate where all components agree, else a register.
    pub fn constant(&mut self, bits: u8, values: [u64; 4], ty: Type) -> Operand {
        let values = values.map(|v| match bits {
            1 => {
                if v & 1 != 0 {
                    0xffff_ffff
                } else {
                    0
                }
            }
            64 => v,
            n => v & ((1u64 << n) - 1),
        });
        if bits == 64 {
            return self.wide_constant(values).retype(ty);
        }
        if values.iter().all(|v| *v == values[0]) {
            return Operand::imm(values[0], ty);
        }
        if let Some(known) = self.constants.get(&(4, values)) {
            return known.retype(ty);
        }
        let register = self.temp(Type::UD);
        self.load_constants(register, &values);
        self.constants.insert((4, values), register);
        register.retype(ty)
    }

    /// Moves 32-bit constants to the components of `dst` that its writemask enables: one move of packed floats
    /// where all have such a form, else one move per distinct value.
    pub fn load_constants(&mut self, dst: Operand, values: &[u64; 4]) {
        let wanted = dst.writemask;
        let enabled = |c: usize| wanted >> c & 1 != 0;
        let distinct =
            (0..4).filter(|&c| enabled(c) && !(0..c).any(|d| enabled(d) && values[d] == values[c]));
        if distinct.clone().count() > 1
            && let Some(packed) = packed_floats(values, wanted)
        {
            self.mov(dst.retype(Type::F), Operand::imm(u64::from(packed), Type::VF));
            return;
        }
        for c in distinct.collect::<Vec<_>>() {
            let same = (c..4).filter(|&d| enabled(d) && values[d] == values[c]).fold(0, |m, d| m | 1 << d);
            self.mov(dst.retype(Type::UD).masked(same), Operand::imm(values[c], Type::UD));
        }
    }

    /// 64-bit constants: packed into one register that every vertex reads.
    pub(super) fn wide_constant(&mut self, values: [u64; 4]) -> Operand {
        let mut distinct: Vec<u64> = Vec::new();
        let pick = values.map(|v| match distinct.iter().position(|d| *d == v) {
            Some(index) => index as u8,
            None => {
                distinct.push(v);
                (distinct.len() - 1) as u8
            }
        });
        let mut key = [0; 4];
        for (slot, value) in key.iter_mut().zip(&distinct) {
            *slot = *value;
        }
        let key = (8 + distinct.len() as u32, key);
        let register = match self.constants.get(&key) {
            Some(&known) => known,
            None => {
                let register = Operand::vgrf(self.program.vreg(1), Type::DF).scalar();
                for (index, value) in distinct.iter().enumerate() {
                    self.load_wide_constant(register.byte_offset(8 * index as u32), *value);
                }
                self.constants.insert(key, register);
                register
            }
        };
        register.swizzled(Swizzle::new(pick))
    }

    // Flags.

    /// Sets the flag from boolean components; gives the predicate that tests them. A single component is tested
    /// through its replicated x bit.
    pub fn emit_flags(&mut self, value: Value, components: &[u8]) -> Result<(PredMode, bool), CompileError> {
        let (value, components, inverse) = self.strip_not(value, components);
        let single = components.iter().all(|c| *c == components[0]);
        let components = if single { &components[..1] } else { &components[..] };
        let mask = first(components.len() as u8);
        let mode = if single { PredMode::ReplicateX } else { PredMode::Normal };
        if self.skipped[value]
            && let Some(alu) = self.shader.as_alu(value)
        {
            if let Some(reduction) = compare::reduction(alu.op) {
                let mode = self.emit_reduction_flags(alu, reduction)?;
                return Ok((mode, inverse));
            }
            self.emit_compare_flags(alu, components, mask)?;
            return Ok((mode, inverse));
        }
        let operand = self.get(value, components, Type::D);
        self.mov(Operand::null(Type::D).masked(mask), operand).condition(CondMod::Nz);
        Ok((mode, inverse))
    }

    /// Looks through boolean negations.
    fn strip_not(&self, value: Value, components: &[u8]) -> (Value, Vec<u8>, bool) {
        let (mut value, mut components, mut inverse) = (value, components.to_vec(), false);
        // Chains of negations are as long as the source text makes them: a loop, not recursion.
        while let Some(alu) = self.shader.as_alu(value) {
            let Some(src) = alu.srcs.first().filter(|_| alu.op == AluOp::Inot) else { break };
            inverse = !inverse;
            for c in &mut components {
                *c = src.swizzle[usize::from(*c & 3)];
            }
            value = src.value;
        }
        (value, components, inverse)
    }

    // Phis.

    fn allocate_phis(&mut self) {
        let shader = self.shader;
        for block in shader.block_order() {
            for &inst in &shader.blocks[block].insts {
                if let (InstKind::Phi(srcs), Some(result)) =
                    (&shader.insts[inst].kind, shader.insts[inst].result)
                {
                    self.define(result);
                    for src in srcs {
                        self.phis_after[src.pred].push(inst);
                    }
                }
            }
        }
    }

    /// Copies to the phis of the blocks that follow `block`: all sources are read before any phi is written.
    fn emit_phi_copies(&mut self, block: Block) {
        let shader = self.shader;
        let mut copies: Vec<(Operand, Operand)> = Vec::new();
        for phi in self.phis_after[block].clone() {
            let InstKind::Phi(srcs) = &shader.insts[phi].kind else { continue };
            let source = srcs.iter().find(|s| s.pred == block).map(|s| s.value);
            let (Some(result), Some(source)) = (shader.insts[phi].result, source) else { continue };
            if source == result {
                continue;
            }
            let n = shader.components(result);
            let ty = self.raw_type(result);
            if matches!(shader.def(source).kind, InstKind::Undef) {
                let to = self.get(result, &ir::inst::IDENTITY, ty);
                self.emit(Op::Undef, to, &[]);
                continue;
            }
            let identity = &ir::inst::IDENTITY[..usize::from(n)];
            let from = self.get(source, identity, ty);
            let to = self.get(result, &ir::inst::IDENTITY, ty).masked(first(n));
            // Vector constants go straight to the phi's register.
            copies.push((to, from));
        }
        // A copy whose target a later copy still reads goes through a temporary.
        let reads: Vec<_> = copies.iter().map(|c| c.1.file).collect();
        let mut late = Vec::new();
        for (i, (to, from)) in copies.iter().enumerate() {
            if reads.iter().skip(i + 1).any(|f| *f == to.file) {
                let temp = self.temp(to.ty).masked(to.writemask);
                self.mov(temp, *from);
                late.push((*to, Operand { writemask: crate::lir::WRITEMASK_XYZW, ..temp }));
            } else {
                self.mov(*to, *from);
            }
        }
        for (to, temp) in late {
            self.mov(to, temp);
        }
    }

    // Errors and small helpers.

    /// Constant value of an intrinsic's source.
    pub fn constant_source(&self, value: Value) -> Option<u32> {
        self.shader.as_const_u64(value).map(|v| v as u32)
    }

    /// An error for an intrinsic that this stage does not have.
    #[cold]
    pub fn unsupported(&self, op: IntrinsicOp) -> CompileError {
        CompileError::lower(format!(
            "{} is not supported in {} shaders on {}",
            op.name(),
            self.shader.info.stage.identifier(),
            self.model.devinfo().name
        ))
    }

    /// An error for an operation that earlier passes should have lowered, or that has a type this back end lacks: the
    /// generations it is made for have neither.
    pub fn not_lowered(&self, op: AluOp, bits: u8) -> CompileError {
        let operands = || op.info().inputs.iter().chain([&op.info().output]);
        let is_integer = operands().any(|o| matches!(o.class, Class::Int | Class::Uint));
        let has = |width: u8| bits == width || operands().any(|o| o.bits == width);
        CompileError::lower(match op.name() {
            name if has(8) || has(16) => format!("{NO_NARROW_TYPES} ({name})"),
            name if has(64) && is_integer => format!("the vec4 back end has no 64-bit integers ({name})"),
            name => format!("{name} of {bits} bits is not lowered"),
        })
    }
}

/// What vec4 code has no registers for.
pub(super) const NO_NARROW_TYPES: &str = "the vec4 back end has no 8- and 16-bit types";

/// The four restricted 8-bit floats (sign, three exponent bits biased by 3, four mantissa bits) that expand to
/// `values`, 32-bit floats, where `wanted`.
fn packed_floats(values: &[u64; 4], wanted: u8) -> Option<u32> {
    let mut packed = 0;
    for (c, value) in values.iter().enumerate() {
        if wanted >> c & 1 != 0 {
            packed |= u32::from(restricted_float(*value as u32)?) << (8 * c);
        }
    }
    Some(packed)
}

fn restricted_float(bits: u32) -> Option<u8> {
    let sign = (bits >> 24 & 0x80) as u8;
    if bits & 0x7fff_ffff == 0 {
        return Some(sign);
    }
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 3;
    let mantissa = bits & 0x7f_ffff;
    // Exponent field and mantissa both zero would be the number zero.
    if !(0..=7).contains(&exponent) || mantissa & 0x7_ffff != 0 || (exponent == 0 && mantissa == 0) {
        return None;
    }
    Some(sign | (exponent as u8) << 4 | (mantissa >> 19) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restricted_floats() {
        // Values of the PRM's restricted float format: 1.0 is exponent 3, mantissa 0.
        for (value, want) in [
            (0.0, Some(0x00)),
            (-0.0, Some(0x80)),
            (1.0, Some(0x30)),
            (-2.0, Some(0xc0)),
            (0.5, Some(0x20)),
            (31.0, Some(0x7f)),
            (32.0, None),
            (0.125, None),
            (0.1328125, Some(0x01)),
            (0.1, None),
        ] {
            assert_eq!(restricted_float(f32::to_bits(value)), want, "{value}");
        }
        let bits = |v: f32| u64::from(v.to_bits());
        assert_eq!(packed_floats(&[bits(1.0), bits(0.0), bits(0.1), bits(2.0)], 0b1011), Some(0x4000_0030));
    }
}
