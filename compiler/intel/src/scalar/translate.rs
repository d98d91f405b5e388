//! Walks the IR and keeps the map from SSA values to operands; control flow and phis.

use crate::codegen::{self, GeneratedCode};
use crate::error::CompileError;
use crate::lir::build::Builder;
use crate::lir::{CondMod, File, Op, Operand, Program, Type};
use crate::model::Model;
use crate::options::{Options, StageKey};
use crate::output::{PushRange, Width};
use crate::passes;
use crate::surfaces::BindingTable;
use cranelift_entity::{EntityRef, SecondaryMap};
use ir::{Block, InstKind, IntrinsicOp, Jump, Shader, Src, Step, Value};
use smallvec::SmallVec;
use std::collections::BTreeMap;

use super::compute::ComputeState;
use super::fragment::FragmentState;
use super::geometry::GeometryState;
use super::tess_control::TessControlState;
use super::tess_eval::TessEvalState;
use super::urb::VueState;
use super::vertex::VertexState;

/// Operands of one value, one per component: most values have one.
pub(super) type Components = SmallVec<[Operand; 1]>;

/// State of instruction selection for one width.
pub(super) struct Translator<'a> {
    pub shader: &'a Shader,
    pub model: &'a Model,
    pub key: &'a StageKey,
    pub program: Program,
    pub push: &'a [PushRange],
    /// First register of the push constants.
    pub push_start: u32,
    /// Binding table indices.
    pub bindings: BindingTable,
    /// Where each value lives; empty for values not yet defined or never materialised.
    values: SecondaryMap<Value, Components>,
    /// Number of uses of each value (phi sources, conditions and repeated sources count).
    pub uses: SecondaryMap<Value, u32>,
    /// Multiplication whose addition takes it in: addition → (multiplication, source index).
    pub fused_into: SecondaryMap<Value, Option<(Value, usize)>>,
    /// Values that are not emitted because all their uses took them in.
    pub skipped: SecondaryMap<Value, bool>,
    /// Local variables: operands per element and component.
    pub locals: BTreeMap<u32, Vec<Components>>,
    /// Fragment-stage state.
    pub fragment: FragmentState,
    /// Vertex-stage state.
    pub vertex: VertexState,
    /// Geometry-stage state.
    pub geometry: GeometryState,
    /// State of the tessellation control stage.
    pub tess_control: TessControlState,
    /// State of the tessellation evaluation stage.
    pub tess_eval: TessEvalState,
    /// Compute-stage state.
    pub compute: ComputeState,
    /// Output vertices.
    pub vue: VueState,
    /// Handles of the output entries (UD).
    pub output_handles: Operand,
    /// Constant blocks pulled in the current IR block: (uniform block, 64-byte unit) → registers.
    pub pulled: BTreeMap<(u32, u32), Operand>,
    /// A HALT was emitted.
    pub halts: bool,
    /// The number of each channel, where the program needs it.
    pub channel_numbers: Option<Operand>,
    /// Phis that have a block as predecessor.
    phis_after: SecondaryMap<Block, Vec<ir::Inst>>,
}

impl<'a> Translator<'a> {
    pub fn new(
        shader: &'a Shader,
        model: &'a Model,
        key: &'a StageKey,
        width: u8,
        push: &'a [PushRange],
    ) -> Translator<'a> {
        let mut translator = Translator {
            shader,
            model,
            key,
            program: Program::new(width),
            push,
            push_start: 0,
            bindings: BindingTable::after(0, shader),
            values: SecondaryMap::new(),
            uses: SecondaryMap::new(),
            fused_into: SecondaryMap::new(),
            skipped: SecondaryMap::new(),
            locals: BTreeMap::new(),
            fragment: FragmentState::default(),
            vertex: VertexState::default(),
            geometry: GeometryState::default(),
            tess_control: TessControlState::default(),
            tess_eval: TessEvalState::default(),
            compute: ComputeState::default(),
            vue: VueState::default(),
            output_handles: Operand::grf(1, Type::UD),
            pulled: BTreeMap::new(),
            halts: false,
            channel_numbers: None,
            phis_after: SecondaryMap::new(),
        };
        translator.values.resize(shader.values.len());
        translator.uses.resize(shader.values.len());
        translator.count_uses();
        super::alu::choose_fusions(&mut translator);
        translator
    }

    /// Instructions of full width at the current end.
    pub fn builder(&mut self) -> Builder<'_> {
        Builder::new(&mut self.program)
    }

    fn count_uses(&mut self) {
        for step in self.shader.walk() {
            match step {
                Step::Block(block) => {
                    for &inst in &self.shader.blocks[block].insts {
                        self.shader.insts[inst].kind.for_each_src(|v| self.uses[v] += 1);
                    }
                }
                Step::If(node) => {
                    if let Some(cond) = self.shader.condition(node) {
                        self.uses[cond] += 1;
                    }
                }
                _ => {}
            }
        }
    }

    /// Everything after selection.
    pub(super) fn finish(self, options: &Options, allow_spill: bool) -> Result<GeneratedCode, CompileError> {
        let scratch = self.scratch_bytes();
        let width = Width::simd(self.program.width);
        let program = (self.program, width);
        codegen::generate_code(program, self.model, options, allow_spill, &passes::SCALAR, scratch)
    }

    /// Emits the whole body.
    pub fn translate_body(&mut self) -> Result<(), CompileError> {
        self.emit_scratch_prologue();
        self.allocate_phis();
        let order = self.shader.walk().into_iter().peekable();
        for step in order {
            match step {
                Step::Block(block) => {
                    self.translate_block(block)?;
                }
                Step::If(node) => {
                    let cond = self
                        .shader
                        .condition(node)
                        .ok_or_else(|| CompileError::lower("if without a condition"))?;
                    let inverse = self.emit_condition(cond, 0)?;
                    self.builder().control(Op::If).predicate(inverse);
                }
                Step::Else(_) => {
                    self.builder().control(Op::Else);
                }
                Step::EndIf(_) => {
                    self.builder().control(Op::Endif);
                }
                Step::Loop(_) => {
                    self.builder().control(Op::Do);
                }
                Step::EndLoop(_) => {
                    self.builder().control(Op::While);
                }
            }
        }
        Ok(())
    }

    fn translate_block(&mut self, block: Block) -> Result<(), CompileError> {
        self.pulled.clear();
        let shader = self.shader;
        for &inst in &shader.blocks[block].insts {
            let data = &shader.insts[inst];
            match &data.kind {
                InstKind::Alu(alu) => {
                    if let Some(result) = data.result
                        && !self.skipped[result]
                    {
                        self.emit_alu(alu, result)?;
                    }
                }
                InstKind::Const(_) | InstKind::Phi(_) => {}
                InstKind::Undef => self.define_undef(data.result),
                InstKind::Intrinsic(intrinsic) => self.emit_intrinsic(intrinsic, data.result)?,
                InstKind::Tex(tex) => {
                    if let Some(result) = data.result {
                        self.emit_texture(tex, result)?;
                    }
                }
            }
        }
        self.emit_phi_copies(block)?;
        match shader.blocks[block].jump {
            None => {}
            Some(Jump::Break) => {
                self.builder().control(Op::Break);
            }
            Some(Jump::Continue) => {
                self.builder().control(Op::Continue);
            }
            Some(Jump::Halt) => {
                self.halts = true;
                self.builder().control(Op::Halt);
            }
        }
        Ok(())
    }

    fn define_undef(&mut self, result: Option<Value>) {
        let Some(result) = result else { return };
        // Any value will do; zero folds best.
        let ty = self.raw_type(result);
        let components = (0..self.shader.components(result)).map(|_| Operand::imm(0, ty)).collect();
        self.values[result] = components;
    }

    /// Type of a value's raw bits. 64-bit data moves as DF, the only 64-bit type of every generation.
    pub fn raw_type(&self, value: Value) -> Type {
        match self.shader.bits(value) {
            64 => Type::DF,
            1 | 32 => Type::UD,
            bits => Type::uint(u32::from(bits)),
        }
    }

    /// New registers for the components of `value`, as `ty`.
    pub fn define(&mut self, value: Value, ty: Type) -> Components {
        let width = u32::from(self.program.width);
        let components: Components =
            (0..self.shader.components(value)).map(|_| self.program.vreg_for(ty, width)).collect();
        self.values[value] = components.clone();
        components
    }

    /// Makes `value` live in the given operands.
    pub fn set(&mut self, value: Value, components: Components) {
        self.values[value] = components;
    }

    /// Operand of component `component` of `value`, typed `ty` (of the value's size; booleans are D).
    pub fn get(&self, value: Value, component: u8, ty: Type) -> Operand {
        if let Some(bits) = self.shader.as_const(value) {
            let bits = bits[usize::from(component & 3)];
            let bits = match self.shader.bits(value) {
                1 => {
                    if bits & 1 != 0 {
                        0xffff_ffff
                    } else {
                        0
                    }
                }
                64 => bits,
                n => bits & ((1u64 << n) - 1),
            };
            return Operand::imm(bits, ty);
        }
        match self.values[value].get(usize::from(component)) {
            Some(operand) => operand.retype(ty),
            // Only reads of values that do not dominate their use, which the validator excludes.
            None => Operand::imm(0, ty),
        }
    }

    /// Operand of component `component` of an ALU source.
    pub fn src(&self, src: &Src, component: u8, ty: Type) -> Operand {
        self.get(src.value, src.swizzle[usize::from(component & 3)], ty)
    }

    /// Sets flag `flag` for the channels in which boolean `cond` holds; returns whether the predicate that tests
    /// it must be inverted.
    pub fn emit_condition(&mut self, cond: Value, component: u8) -> Result<bool, CompileError> {
        let (value, component, inverse) = self.strip_not(cond, component);
        if self.emit_wide_comparison(value, component) {
            return Ok(inverse);
        }
        let operand = self.get(value, component, Type::D);
        self.emit_condition_operand(operand);
        Ok(inverse)
    }

    /// Repeats a 64-bit comparison into the flag alone: cheaper than reducing its wide boolean and testing that.
    fn emit_wide_comparison(&mut self, value: Value, component: u8) -> bool {
        let Some(alu) = self.shader.as_alu(value) else { return false };
        let cond = match alu.op {
            ir::AluOp::Feq => CondMod::Z,
            ir::AluOp::Fneu | ir::AluOp::F2b => CondMod::Nz,
            ir::AluOp::Flt => CondMod::L,
            ir::AluOp::Fge => CondMod::Ge,
            _ => return false,
        };
        let wide = alu.srcs.first().is_some_and(|s| self.shader.bits(s.value) == 64);
        if !wide {
            return false;
        }
        let a = self.src(&alu.srcs[0], component, Type::DF);
        let b = alu.srcs.get(1).map_or(Operand::df(0.0), |s| self.src(s, component, Type::DF));
        self.builder().cmp(Operand::null(Type::DF), a, b, cond);
        true
    }

    /// A comparison of 64-bit values (or its negation), whose boolean is dear.
    pub(super) fn is_wide_comparison(&self, cond: Value) -> bool {
        let (value, _, _) = self.strip_not(cond, 0);
        self.shader.as_alu(value).is_some_and(|alu| alu.srcs.iter().any(|s| self.shader.bits(s.value) == 64))
    }

    /// Sets the flag where `operand` (0 or −1) is not zero.
    pub fn emit_condition_operand(&mut self, operand: Operand) {
        self.builder().mov(Operand::null(Type::D), operand).condition(CondMod::Nz);
    }

    /// Looks through boolean negations.
    pub(super) fn strip_not(&self, value: Value, component: u8) -> (Value, u8, bool) {
        let (mut value, mut component, mut inverse) = (value, component, false);
        // Chains of negations are as long as the source text makes them: a loop, not recursion.
        while let Some(alu) = self.shader.as_alu(value) {
            let Some(src) = alu.srcs.first().filter(|_| alu.op == ir::AluOp::Inot) else { break };
            inverse = !inverse;
            component = src.swizzle[usize::from(component & 3)];
            value = src.value;
        }
        (value, component, inverse)
    }

    fn allocate_phis(&mut self) {
        let shader = self.shader;
        for block in shader.block_order() {
            for &inst in &shader.blocks[block].insts {
                if let (InstKind::Phi(srcs), Some(result)) =
                    (&shader.insts[inst].kind, shader.insts[inst].result)
                {
                    let ty = self.raw_type(result);
                    self.define(result, ty);
                    for src in srcs {
                        self.phis_after[src.pred].push(inst);
                    }
                }
            }
        }
    }

    /// Copies to the phis of the blocks that follow `block`: all sources are read before any phi is written.
    fn emit_phi_copies(&mut self, block: Block) -> Result<(), CompileError> {
        let shader = self.shader;
        let mut copies: Vec<(Operand, Operand)> = Vec::new();
        for phi in self.phis_after[block].clone() {
            let InstKind::Phi(srcs) = &shader.insts[phi].kind else { continue };
            let (Some(result), Some(src)) =
                (shader.insts[phi].result, srcs.iter().find(|s| s.pred == block).map(|s| s.value))
            else {
                continue;
            };
            if matches!(shader.def(src).kind, InstKind::Undef) {
                continue;
            }
            let ty = self.raw_type(result);
            for c in 0..shader.components(result) {
                let (to, from) = (self.get(result, c, ty), self.get(src, c, ty));
                if to != from {
                    copies.push((to, from));
                }
            }
        }
        // A copy whose target another copy still reads goes through a temporary.
        let reads: Vec<File> = copies.iter().map(|c| c.1.file).collect();
        let mut late = Vec::new();
        for (i, (to, from)) in copies.iter().enumerate() {
            let read_elsewhere = reads.iter().enumerate().any(|(j, f)| j > i && *f == to.file);
            if read_elsewhere {
                let mut b = self.builder();
                let temp = b.temp(to.ty);
                b.mov(temp, *from);
                late.push((*to, temp));
            } else {
                self.builder().mov(*to, *from);
            }
        }
        for (to, temp) in late {
            self.builder().mov(to, temp);
        }
        Ok(())
    }

    /// Constant value of an intrinsic's source.
    pub fn constant(&self, value: Value) -> Option<u32> {
        self.shader.as_const_u64(value).map(|v| v as u32)
    }

    /// An error for an intrinsic that this stage or generation does not have.
    #[cold]
    pub fn unsupported(&self, op: IntrinsicOp) -> CompileError {
        CompileError::lower(format!(
            "{} is not supported in {} shaders on {}",
            op.name(),
            self.shader.info.stage.identifier(),
            self.model.devinfo().name
        ))
    }

    /// Dense number of an IR entity, for keys of ordered maps.
    pub fn number(entity: impl EntityRef) -> u32 {
        entity.index() as u32
    }
}
