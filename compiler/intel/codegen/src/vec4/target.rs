//! The vec4 target of instruction selection: one register per vector.

use crate::error::CompileError;
use crate::isel::{Selection, Target};
use crate::lir::{Arf, CondMod, Inst, Op, Operand, PredMode, Swizzle, Type};
use ir::{Alu, AluOp, Class, Shader, Src, Tex, Value};
use std::collections::BTreeMap;

/// Control register bit: keep DF denormals.
const CR0_FP64_DENORM_PRESERVE: u32 = 1 << 6;

/// Registers that push constants and stage inputs may take together; the rest is for the program.
pub(super) const PAYLOAD_BUDGET: u32 = 80;

/// Types that vec4 code has no registers for.
pub(super) const NO_NARROW_TYPES: &str = "the vec4 back end has no 8- and 16-bit types";

/// Mask of the first `n` components.
pub(super) fn first(n: u8) -> u8 {
    (1 << n.min(4)) - 1
}

/// Instruction selection of a vec4 kernel.
pub(super) type Vec4Selection<'a> = Selection<'a, Vec4>;

/// Home of a local variable.
#[derive(Clone, Debug)]
pub(super) enum LocalStorage {
    /// A register per element.
    Registers(Vec<Operand>),
    /// Scratch memory from this byte on, and the number of elements.
    Scratch { byte: u32, length: u32 },
}

/// State of the vec4 back end's selection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vec4 {
    /// Constants in registers, by size and components, in the current IR block.
    pub(super) constants: BTreeMap<(u32, [u64; 4]), Operand>,
    /// Local variables, by number.
    pub(super) locals: Vec<LocalStorage>,
    /// Bytes of scratch memory that local variables take.
    pub(super) scratch_bytes: u32,
}

impl Target for Vec4 {
    /// Component i of a value is component `swizzle[i]` of the operand.
    type Location = Option<Operand>;

    fn choose_skipped(isel: &mut Vec4Selection<'_>) {
        isel.choose_flag_comparisons();
    }

    /// Constants stay out, as three-source instructions take none.
    fn can_fuse(shader: &Shader, alu: &Alu, result: Value) -> bool {
        let is_constant = |src: &Src| shader.as_const(src.value).is_some();
        shader.bits(result) == 32 && !alu.srcs.iter().any(is_constant)
    }

    /// Keeps the denormals of doubles.
    fn emit_float_modes(isel: &mut Vec4Selection<'_>) {
        if isel.shader.values.values().any(|v| v.bits == 64) {
            let control = Operand::arf(Arf::Control(0), Type::UD);
            let src = [control.scalar(), Operand::ud(CR0_FP64_DENORM_PRESERVE)];
            isel.emit_align1(Op::Or, (1, 0), control, &src).no_mask = true;
        }
    }

    fn allocate_locals(isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        isel.allocate_locals()
    }

    fn invalidate_constants(isel: &mut Vec4Selection<'_>) {
        isel.target.constants.clear();
    }

    fn emit_alu(
        isel: &mut Vec4Selection<'_>,
        alu: &Alu,
        result: Value,
    ) -> Result<(), CompileError> {
        isel.emit_alu(alu, result)
    }

    fn emit_texture(
        isel: &mut Vec4Selection<'_>,
        tex: &Tex,
        result: Value,
    ) -> Result<(), CompileError> {
        isel.emit_texture(tex, result)
    }

    /// A register that no instruction writes.
    fn define_undefined(isel: &mut Vec4Selection<'_>, result: Value) {
        let operand = isel.define(result);
        isel.emit(Op::Undef, operand, &[]);
    }

    fn define_phi(isel: &mut Vec4Selection<'_>, phi: Value) {
        isel.define(phi);
    }

    fn undefine_phi(isel: &mut Vec4Selection<'_>, phi: Value) {
        let register = isel.get(phi, &ir::inst::IDENTITY, isel.raw_type(phi));
        isel.emit(Op::Undef, register, &[]);
    }

    fn push_phi_copies(
        isel: &mut Vec4Selection<'_>,
        phi: Value,
        source: Value,
        copies: &mut Vec<(Operand, Operand)>,
    ) {
        let (n, ty) = (isel.shader.components(phi), isel.raw_type(phi));
        let from = isel.get(source, &ir::inst::IDENTITY[..usize::from(n)], ty);
        let to = isel.get(phi, &ir::inst::IDENTITY, ty).masked(first(n));
        copies.push((to, from));
    }

    fn emit_condition(
        isel: &mut Vec4Selection<'_>,
        cond: Value,
    ) -> Result<(PredMode, bool), CompileError> {
        isel.emit_flags(cond, &[0])
    }

    fn emit_control<'s>(isel: &'s mut Vec4Selection<'_>, op: Op) -> &'s mut Inst {
        isel.emit(op, Operand::none(), &[])
    }

    fn emit_mov(isel: &mut Vec4Selection<'_>, dst: Operand, src: Operand) {
        isel.mov(dst, src);
    }

    fn new_register(isel: &mut Vec4Selection<'_>, ty: Type) -> Operand {
        isel.temp(ty)
    }

    fn scratch_bytes(isel: &Vec4Selection<'_>) -> u32 {
        isel.target.scratch_bytes
    }
}

impl Vec4Selection<'_> {
    /// Appends an Align16 instruction over both vertices.
    pub(super) fn emit(&mut self, op: Op, dst: Operand, src: &[Operand]) -> &mut Inst {
        let mut inst = Inst::new(op, 8, dst, src);
        inst.align16 = true;
        self.push(inst)
    }

    /// Appends an Align1 instruction of `exec_size` channels from `group` on.
    pub(super) fn emit_align1(
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
    pub(super) fn set_dword(&mut self, dst: Operand, value: u32) {
        self.emit_align1(Op::Mov, (1, 0), dst.retype(Type::UD), &[Operand::ud(value)]).no_mask =
            true;
    }

    /// Appends a finished instruction.
    pub(super) fn push(&mut self, inst: Inst) -> &mut Inst {
        let index = self.program.insts.len();
        self.program.insts.push(inst);
        &mut self.program.insts[index]
    }

    /// Appends a control-flow marker; an IF tests the flag.
    pub(super) fn control_flow(&mut self, op: Op) {
        let inst = self.emit(op, Operand::none(), &[]);
        if op == Op::If {
            inst.predicate(false);
        }
    }

    /// Opens a branch for the vertices in which `a` relates to `b`.
    pub(super) fn begin_if(&mut self, a: Operand, b: Operand, cond: CondMod) {
        self.cmp(Operand::null(Type::UD), a, b, cond);
        self.control_flow(Op::If);
    }

    /// `dst = src`.
    pub(super) fn mov(&mut self, dst: Operand, src: Operand) -> &mut Inst {
        self.emit(Op::Mov, dst, &[src])
    }

    /// Compare into `dst` (or null) and the flag.
    pub(super) fn cmp(&mut self, dst: Operand, a: Operand, b: Operand, cond: CondMod) -> &mut Inst {
        self.emit(Op::Cmp, dst, &[a, b]).condition(cond)
    }

    /// A new register for a vector of `ty`: one GRF for both vertices, two for 64-bit types.
    pub(super) fn temp(&mut self, ty: Type) -> Operand {
        let regs = if ty.size() == 8 { 2 } else { 1 };
        Operand::vgrf(self.program.vreg(regs), ty)
    }

    /// A new register for `value`, as its raw type, with the value's components enabled for
    /// writing.
    pub(super) fn define(&mut self, value: Value) -> Operand {
        let ty = self.raw_type(value);
        let n = self.shader.components(value);
        let operand = if ty.size() == 8 { self.fp64_temp(n) } else { self.temp(ty) };
        self.values[value] = Some(operand);
        operand.masked(first(n))
    }

    /// A register for `n` doubles per vertex. Instructions that take whole rows read the other
    /// components too: they get a definition.
    pub(super) fn fp64_temp(&mut self, n: u8) -> Operand {
        let operand = self.temp(Type::DF);
        if n < 4 {
            self.emit(Op::Undef, operand, &[]);
        }
        operand
    }

    /// Makes `value` live in `operand`.
    pub(super) fn set(&mut self, value: Value, operand: Operand) {
        self.values[value] = Some(operand);
    }

    /// The value read through `components`, as `ty`. Components past the last one repeat it.
    pub(super) fn get(&mut self, value: Value, components: &[u8], ty: Type) -> Operand {
        let pick: [u8; 4] = std::array::from_fn(|i| {
            components.get(i).or(components.last()).copied().unwrap_or(0) & 3
        });
        if let Some(bits) = self.shader.as_const(value) {
            let bits = *bits;
            return self.vector_constant(
                self.shader.bits(value),
                pick.map(|c| bits[usize::from(c)]),
                ty,
            );
        }
        match self.values[value] {
            Some(operand) => operand.retype(ty).swizzled(Swizzle::new(pick)),
            None => self.undefined_value(value),
        }
    }

    /// The first `n` components of an ALU source.
    pub(super) fn src(&mut self, src: &Src, n: u8, ty: Type) -> Operand {
        self.get(src.value, &src.swizzle[..usize::from(n.clamp(1, 4))], ty)
    }

    /// An error for an operation that earlier passes should have lowered, or that has a type this
    /// back end lacks: the generations it is made for have neither.
    pub(super) fn not_lowered(&self, op: AluOp, bits: u8) -> CompileError {
        let operands = || op.info().inputs.iter().chain([&op.info().output]);
        let is_integer = operands().any(|o| matches!(o.class, Class::Int | Class::Uint));
        let has = |width: u8| bits == width || operands().any(|o| o.bits == width);
        CompileError::lower(match op.name() {
            name if has(8) || has(16) => format!("{NO_NARROW_TYPES} ({name})"),
            name if has(64) && is_integer => {
                format!("the vec4 back end has no 64-bit integers ({name})")
            }
            name => format!("{name} of {bits} bits is not lowered"),
        })
    }
}
