//! Uniform blocks and local variables.

use super::target::{Components, ScalarSelection};
use crate::error::CompileError;
use crate::isel::memory_effects::depends_on_thread;
use crate::isel::push_constants::push_offset;
use crate::isel::values::raw_type;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::sends::{self, SamplerOp, SamplerWidth};
use ir::{Intrinsic, IntrinsicOp, Value};

impl ScalarSelection<'_> {
    /// Emits a memory access.
    pub(super) fn emit_memory(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        match (intrinsic.op, result) {
            (IntrinsicOp::LoadUbo, Some(result)) => self.emit_load_ubo(intrinsic, result),
            (IntrinsicOp::LoadLocal, Some(result)) => self.emit_load_local(intrinsic, result),
            (IntrinsicOp::LoadScratch, Some(result)) => self.emit_load_scratch(intrinsic, result),
            (IntrinsicOp::StoreScratch, _) => self.emit_store_scratch(intrinsic),
            (IntrinsicOp::StoreLocal, _) => self.emit_store_local(intrinsic),
            (
                IntrinsicOp::ImageLoad
                | IntrinsicOp::ImageStore
                | IntrinsicOp::ImageAtomic
                | IntrinsicOp::ImageAtomicSwap
                | IntrinsicOp::ImageSize
                | IntrinsicOp::ImageSamples,
                _,
            ) => self.emit_image(intrinsic, result),
            (op, Some(result)) if depends_on_thread(op) => self.emit_subgroup(intrinsic, result),
            _ => self.emit_storage(intrinsic, result),
        }
    }

    fn emit_load_ubo(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        let [block, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("load_ubo needs two sources"));
        };
        let base = intrinsic.fields.base;
        let Some(number) = self.constant(block) else {
            let blocks = self.shader.info.ubos;
            return self.emit_select_chain(block, blocks, result, |isel, n| {
                isel.load_block(n, offset, base, result)
            });
        };
        let components = self.load_block(number, offset, base, result)?;
        self.set(result, components);
        Ok(())
    }

    /// Loads data for `result` from one block.
    fn load_block(
        &mut self,
        block: u32,
        offset: Value,
        base: u32,
        result: Value,
    ) -> Result<Components, CompileError> {
        match self.constant(offset) {
            Some(offset) => Ok(self.load_constant_offset(block, offset.wrapping_add(base), result)),
            None => self.load_varying_offset(block, offset, base, result),
        }
    }

    fn load_constant_offset(&mut self, block: u32, offset: u32, result: Value) -> Components {
        let ty = self.raw_type(result);
        let size = ty.size();
        let mut components = Components::new();
        for c in 0..u32::from(self.shader.components(result)) {
            let at = offset + c * size;
            let component = match size {
                8 if at.is_multiple_of(8) => self.uniform_scalar(block, at, 8).retype(ty),
                // Off the 8-byte grid, where std140 puts nothing: join the dwords.
                8 => {
                    let [low, high] = [at, at + 4].map(|byte| self.uniform_scalar(block, byte, 4));
                    let joined = self.builder().temp(Type::DF);
                    self.pack_dwords(joined, low, high);
                    joined
                }
                _ => self.uniform_scalar(block, at, size).retype(ty),
            };
            components.push(component);
        }
        components
    }

    /// The `size` bytes at `offset` of a block as a scalar operand: pushed, or pulled 64 bytes at a
    /// time.
    fn uniform_scalar(&mut self, block: u32, offset: u32, size: u32) -> Operand {
        let ty = if size == 8 { Type::DF } else { Type::uint(size * 8) };
        if let Some(at) = push_offset(self.push, block, offset, size) {
            return Operand::grf_scalar(self.push_start * REG_SIZE + at, ty);
        }
        let unit = offset / 64;
        let data = match self.pulled.get(&(block, unit)) {
            Some(&data) => data,
            None => {
                let data = self.pull(self.bindings.uniform + block, unit);
                self.pulled.insert((block, unit), data);
                data
            }
        };
        data.byte_offset(offset % 64).retype(ty).scalar()
    }

    /// Pulls the 64 bytes numbered `unit` of a surface.
    pub(super) fn pull(&mut self, bti: u32, unit: u32) -> Operand {
        let mut b = self.builder();
        let header = Operand::vgrf(b.program.vreg(1), Type::UD);
        let data = Operand::vgrf(b.program.vreg(2), Type::UD);
        let mut all = b.all_channels(8);
        all.mov(header, Operand::grf(0, Type::UD));
        all.all_channels(1).mov(header.byte_offset(8), Operand::ud(unit * 4));
        let send = all.emit(Op::Send, data, &[header]);
        send.message = Some(sends::constant_block_read(bti));
        data
    }

    /// Loads at an offset per channel: the sampler's `ld` gives the four dwords at a byte offset.
    fn load_varying_offset(
        &mut self,
        block: u32,
        offset: Value,
        base: u32,
        result: Value,
    ) -> Result<Components, CompileError> {
        let ty = self.raw_type(result);
        let bti = self.bindings.uniform + block;
        if ty.size() < 4 {
            let address = self.address(offset, base);
            let elements =
                self.read_memory(bti, address, ty, u32::from(self.shader.components(result)))?;
            return Ok(elements.iter().map(|e| e[0].subscript(ty, 0)).collect());
        }
        let offset = self.get(offset, 0, Type::UD);
        let bytes = u32::from(self.shader.components(result)) * ty.size();
        let per = u32::from(self.program.width / 8);
        let width = if per == 2 { SamplerWidth::Simd16 } else { SamplerWidth::Simd8 };
        let mut dwords: Vec<Operand> = Vec::new();
        for fetch in 0..bytes.div_ceil(16) {
            let mut b = self.builder();
            let address = b.temp(Type::UD);
            let add = base.wrapping_add(fetch * 16);
            if add == 0 {
                b.mov(address, offset);
            } else {
                b.emit(Op::Add, address, &[offset, Operand::ud(add)]);
            }
            let data = b.temp_array(Type::UD, 4);
            let send = b.emit(Op::Send, data, &[address]);
            send.message =
                Some(sends::sampler(SamplerOp::Load, width, bti, 0, false, per, 4 * per));
            dwords.extend((0..4).map(|i| data.byte_offset(i * per * REG_SIZE)));
        }
        if ty.size() == 4 {
            return Ok(dwords
                .into_iter()
                .take(usize::from(self.shader.components(result)))
                .collect());
        }
        let mut components = Components::new();
        for pair in dwords.chunks(2).take(usize::from(self.shader.components(result))) {
            if let [low, high] = pair {
                let joined = self.builder().temp(Type::DF);
                self.pack_dwords(joined, *low, *high);
                components.push(joined);
            }
        }
        Ok(components)
    }

    /// Registers of a local variable, made at the first access.
    fn local_elements(
        &mut self,
        intrinsic: &Intrinsic,
    ) -> Result<(u32, Vec<Components>), CompileError> {
        let local = intrinsic
            .fields
            .local
            .ok_or_else(|| CompileError::internal("access to no local variable"))?;
        let number = local.as_u32();
        if let Some(elements) = self.target.locals.get(&number) {
            return Ok((number, elements.clone()));
        }
        let data = self.shader.locals[local].clone();
        let ty = raw_type(data.bits);
        let registers =
            u64::from(data.length) * u64::from(data.components) * u64::from(ty.size()).div_ceil(4);
        if registers > 4096 {
            return Err(CompileError::lower(format!(
                "local array {} is too large for registers",
                data.name
            )));
        }
        let width = u32::from(self.program.width);
        let elements: Vec<Components> = (0..data.length)
            .map(|_| (0..data.components).map(|_| self.program.vreg_for(ty, width)).collect())
            .collect();
        self.target.locals.insert(number, elements.clone());
        Ok((number, elements))
    }

    fn emit_load_local(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let (_, elements) = self.local_elements(intrinsic)?;
        let index = *intrinsic
            .srcs
            .first()
            .ok_or_else(|| CompileError::internal("load_local without an index"))?;
        let ty = self.raw_type(result);
        let dst = self.define(result, ty);
        if let Some(index) = self.constant(index) {
            if let Some(element) = elements.get(index as usize) {
                for (&to, &from) in dst.iter().zip(element) {
                    self.builder().mov(to, from.retype(ty));
                }
            }
            return Ok(());
        }
        // One predicated move per element, for the channels with its index.
        let index = self.get(index, 0, Type::UD);
        for (i, element) in elements.iter().enumerate() {
            let mut b = self.builder();
            b.cmp(Operand::null(Type::UD), index, Operand::ud(i as u32), CondMod::Z);
            for (&to, &from) in dst.iter().zip(element) {
                b.mov(to, from.retype(ty)).predicate(false);
            }
        }
        Ok(())
    }

    fn emit_store_local(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let (_, elements) = self.local_elements(intrinsic)?;
        let [value, index] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("store_local needs two sources"));
        };
        let ty = self.raw_type(value);
        let from: Components =
            (0..self.shader.components(value)).map(|c| self.get(value, c, ty)).collect();
        let mask = intrinsic.fields.write_mask;
        let written = |c: usize| mask >> c & 1 != 0;
        if let Some(index) = self.constant(index) {
            if let Some(element) = elements.get(index as usize) {
                for (_, (&to, &from)) in
                    element.iter().zip(&from).enumerate().filter(|(c, _)| written(*c))
                {
                    self.builder().mov(to.retype(ty), from);
                }
            }
            return Ok(());
        }
        let index = self.get(index, 0, Type::UD);
        for (i, element) in elements.iter().enumerate() {
            let mut b = self.builder();
            b.cmp(Operand::null(Type::UD), index, Operand::ud(i as u32), CondMod::Z);
            for (_, (&to, &from)) in
                element.iter().zip(&from).enumerate().filter(|(c, _)| written(*c))
            {
                b.mov(to.retype(ty), from).predicate(false);
            }
        }
        Ok(())
    }
}
