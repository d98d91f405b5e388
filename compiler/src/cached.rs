//! Compilation with caches: tests share stages, and generations share most of the IR passes.
//!
//! Every result is keyed by everything it depends on, so that a hit and a miss return the same.
//! Only source lines are no part of keys, so results do not have them: shaders that differ in their
//! lines alone share code.

use std::cell::RefCell;
use std::sync::Arc;

use amd_isa::Chip;
use cache::{CheckoutPool, SharedTable};
use intel_isa::DevInfo;
use ir::{PassRecord, Shader};
use program::{Program, Stage, StageKey};
use vocabulary::{CodegenOptions, InternalError, LineTable};

use crate::amd_stage;
use crate::binary::Binary;
use crate::compile::{self, StageRequest, codegen, validate_kernels};
use crate::error::CompileError;
use crate::passes::{self, IrTarget};
use crate::validation_cache::ValidationCache;
use crate::varyings;

/// Most instructions of all shaders in one generation of a table: some tens of megabytes, and more
/// than the tests have whose test cases follow each other closely.
const CAPACITY: usize = 40_000;

/// A compiler that stores shaders and binaries, for several threads.
pub struct CachedCompiler {
    early: SharedTable<EarlyKey, Result<Arc<Shader>, CompileError>>,
    late: SharedTable<LateKey, Result<Arc<Shader>, CompileError>>,
    binaries: SharedTable<BinaryKey, Result<Arc<Binary>, CompileError>>,
    amd: SharedTable<AmdKey, Result<Arc<amd_codegen::Output>, CompileError>>,
    validation: CheckoutPool<&'static str, ValidationCache>,
}

/// Everything that the early passes depend on.
#[derive(PartialEq, Eq, Hash)]
struct EarlyKey {
    lowered: Shader,
    options: CodegenOptions,
}

/// Everything that the late passes depend on.
#[derive(PartialEq, Eq, Hash)]
struct LateKey {
    shader: Arc<Shader>,
    target: IrTarget,
    options: CodegenOptions,
}

/// Everything that machine code depends on.
#[derive(PartialEq, Eq, Hash)]
struct BinaryKey {
    shader: Arc<Shader>,
    key: intel_codegen::StageKey,
    device: &'static str,
    options: CodegenOptions,
}

/// Everything that a program of AMD's chips depends on.
#[derive(PartialEq, Eq, Hash)]
struct AmdKey {
    shader: Arc<Shader>,
    key: amd_codegen::StageKey,
    chip: Chip,
    options: CodegenOptions,
}

impl Default for CachedCompiler {
    fn default() -> CachedCompiler {
        CachedCompiler::with_capacity(CAPACITY)
    }
}

impl CachedCompiler {
    /// Returns a compiler whose tables keep at most twice as many instructions.
    pub fn with_capacity(instructions: usize) -> CachedCompiler {
        CachedCompiler {
            early: SharedTable::new(instructions),
            late: SharedTable::new(instructions),
            binaries: SharedTable::new(instructions),
            amd: SharedTable::new(instructions),
            validation: CheckoutPool::default(),
        }
    }

    /// As [`compile`](crate::compile()), with results of earlier compilations. `early` belongs to
    /// this program and these options.
    ///
    /// # Errors
    /// As [`compile`](crate::compile()).
    pub fn compile(
        &self,
        early: &EarlyPassCache,
        program: &Program,
        stage: Stage,
        key: &StageKey,
        devinfo: &'static DevInfo,
        options: &CodegenOptions,
    ) -> Result<Arc<Binary>, CompileError> {
        if !options.pass_limits.is_empty() {
            // Numbers of passes make a shader depend on more than its code.
            return compile::compile(program, stage, key, devinfo, options).map(Arc::new);
        }
        let request = StageRequest { program, stage, key, devinfo, options };
        let early = |stage| {
            let request = StageRequest { stage, ..request };
            early.get(stage, key, || self.early(request.lowered()?, options))
        };
        let neighbor = |stage| Ok((early(stage)?, passes::manager(options, stage, false)));
        let mut shader = early(stage)?;
        let facts = varyings::neighbor_facts((program, stage), &shader, neighbor);
        passes::link_varyings(&mut passes::manager(options, stage, false), &mut shader, &facts)?;
        let shader = self.late(shader, request.target(), options)?;
        self.binary(shader, request.intel_key(), devinfo, options)
    }

    /// As [`compile_amd`](crate::compile_amd()), with results of earlier compilations. `early`
    /// belongs to this program and these options.
    ///
    /// # Errors
    /// As [`compile_amd`](crate::compile_amd()).
    pub fn compile_amd(
        &self,
        early: &EarlyPassCache,
        program: &Program,
        stage: Stage,
        key: &StageKey,
        chip: Chip,
        options: &CodegenOptions,
    ) -> Result<Arc<amd_codegen::Output>, CompileError> {
        if !options.pass_limits.is_empty() {
            return amd_stage::compile_amd(program, stage, key, chip, options).map(Arc::new);
        }
        let early = |stage| {
            early.get(stage, key, || {
                let lowered = InternalError::catch(|| {
                    lower::lower(program, stage, key, options.inline_limit)
                })??;
                self.early(lowered, options)
            })
        };
        let neighbor = |stage| Ok((early(stage)?, passes::manager(options, stage, false)));
        let mut shader = early(stage)?;
        let facts = varyings::neighbor_facts((program, stage), &shader, neighbor);
        passes::link_varyings(&mut passes::manager(options, stage, false), &mut shader, &facts)?;
        let shader = self.late(shader, amd_stage::target(program, stage), options)?;
        let weight = shader.insts.len();
        let key = amd_stage::stage_key(program, stage, key);
        let key = AmdKey { shader, key, chip, options: options.clone() };
        self.amd.get(key, weight, |AmdKey { shader, key, chip, options }| {
            let record = PassRecord::default();
            let mut output = amd_stage::codegen(shader, key, *chip, options, &record)?;
            output.lines = LineTable::default();
            Ok(Arc::new(output))
        })
    }

    fn early(
        &self,
        lowered: Shader,
        options: &CodegenOptions,
    ) -> Result<Arc<Shader>, CompileError> {
        let weight = lowered.insts.len();
        self.early.get(EarlyKey { lowered, options: options.clone() }, weight, |key| {
            let mut shader = key.lowered.clone();
            let mut manager = passes::manager(&key.options, shader.info.stage, false);
            passes::early(&mut manager, &mut shader)?;
            Ok(Arc::new(shader))
        })
    }

    fn late(
        &self,
        shader: Arc<Shader>,
        target: IrTarget,
        options: &CodegenOptions,
    ) -> Result<Arc<Shader>, CompileError> {
        let weight = shader.insts.len();
        self.late.get(LateKey { shader, target, options: options.clone() }, weight, |key| {
            let mut shader = Shader::clone(&key.shader);
            let mut manager = passes::manager(&key.options, shader.info.stage, false);
            passes::late(&mut manager, &mut shader, key.target)?;
            Ok(Arc::new(shader))
        })
    }

    fn binary(
        &self,
        shader: Arc<Shader>,
        key: intel_codegen::StageKey,
        devinfo: &'static DevInfo,
        options: &CodegenOptions,
    ) -> Result<Arc<Binary>, CompileError> {
        let weight = shader.insts.len();
        let key = BinaryKey { shader, key, device: devinfo.name, options: options.clone() };
        self.binaries.get(key, weight, |key| {
            let record = PassRecord::default();
            let mut binary = codegen(&key.shader, &key.key, devinfo, &key.options, &record)?;
            binary.compiled.kernels.iter_mut().for_each(|k| k.lines = LineTable::default());
            if !key.options.no_validate {
                self.with_validation_cache(devinfo, |cache| {
                    validate_kernels(devinfo, &binary, |code| cache.validate_program(code))
                })?;
            }
            Ok(Arc::new(binary))
        })
    }

    /// Calls `body` with a cache of decoded and validated instructions of a device.
    pub fn with_validation_cache<T>(
        &self,
        devinfo: &'static DevInfo,
        body: impl FnOnce(&mut ValidationCache) -> T,
    ) -> T {
        self.validation.with(devinfo.name, || ValidationCache::new(devinfo), body)
    }
}

/// The stages of one program after the early passes, compiled with one set of options. Each stage's
/// compilation needs its neighbors, too, so that each stage is needed several times.
#[derive(Default)]
pub struct EarlyPassCache(RefCell<Vec<EarlyResult>>);

struct EarlyResult {
    stage: Stage,
    key: StageKey,
    shader: Result<Arc<Shader>, CompileError>,
}

impl EarlyPassCache {
    /// Returns the shader of a stage: the stored one, or that of `make`.
    fn get(
        &self,
        stage: Stage,
        key: &StageKey,
        make: impl FnOnce() -> Result<Arc<Shader>, CompileError>,
    ) -> Result<Arc<Shader>, CompileError> {
        let stored = {
            let results = self.0.borrow();
            results.iter().find(|r| r.stage == stage && r.key == *key).map(|r| r.shader.clone())
        };
        stored.unwrap_or_else(|| {
            let shader = make();
            let result = EarlyResult { stage, key: key.clone(), shader: shader.clone() };
            self.0.borrow_mut().push(result);
            shader
        })
    }
}
