//! What was compiled before, by content: tests share stages, and generations share much of the way.
//!
//! A result depends on nothing but what its key holds, so that it does not matter whether it comes from here.

use std::sync::Arc;

use eu::{DevInfo, ValidationCache};
use ir::Shader;

use crate::binary::Binary;
use crate::compile::{self, intel_options, pass_options};
use crate::error::CompileError;
use crate::memo::Memo;
use crate::passes::{PassManager, Target};
use crate::pool::Pool;
use vocabulary::CodegenOptions;

/// Most instructions of all shaders that one generation of a table keeps: some megabytes, and more than a test has in all its stages.
const INSTRUCTIONS: usize = 8_000;

/// Shaders and binaries that were made before.
pub struct Cache {
    fronts: Memo<FrontKey, Result<Arc<Shader>, CompileError>>,
    backs: Memo<BackKey, Result<Arc<Shader>, CompileError>>,
    binaries: Memo<BinaryKey, Result<Arc<Binary>, CompileError>>,
    known: Pool<ValidationCache>,
}

/// What the first half of the IR passes depends on.
#[derive(PartialEq, Eq, Hash)]
struct FrontKey {
    lowered: Shader,
    options: CodegenOptions,
}

/// What the second half depends on.
#[derive(PartialEq, Eq, Hash)]
struct BackKey {
    shader: Arc<Shader>,
    target: Target,
    options: CodegenOptions,
}

/// What machine code depends on.
#[derive(PartialEq, Eq, Hash)]
struct BinaryKey {
    shader: Arc<Shader>,
    key: intel::StageKey,
    device: &'static str,
    options: CodegenOptions,
}

impl Default for Cache {
    fn default() -> Cache {
        Cache {
            fronts: Memo::new(INSTRUCTIONS),
            backs: Memo::new(INSTRUCTIONS),
            binaries: Memo::new(INSTRUCTIONS),
            known: Pool::default(),
        }
    }
}

impl Cache {
    pub(crate) fn front(
        &self,
        lowered: Shader,
        options: &CodegenOptions,
    ) -> Result<Arc<Shader>, CompileError> {
        let weight = lowered.insts.len();
        self.fronts.get(FrontKey { lowered, options: options.clone() }, weight, |key| {
            compile::front(&mut manager(&key.options), key.lowered.clone())
        })
    }

    pub(crate) fn back(
        &self,
        shader: Arc<Shader>,
        target: Target,
        options: &CodegenOptions,
    ) -> Result<Arc<Shader>, CompileError> {
        let weight = shader.insts.len();
        self.backs.get(BackKey { shader, target, options: options.clone() }, weight, |key| {
            compile::back(&mut manager(&key.options), key.shader.clone(), key.target)
        })
    }

    pub(crate) fn binary(
        &self,
        shader: Arc<Shader>,
        key: intel::StageKey,
        devinfo: &'static DevInfo,
        options: &CodegenOptions,
    ) -> Result<Arc<Binary>, CompileError> {
        let weight = shader.insts.len();
        let key = BinaryKey { shader, key, device: devinfo.name, options: options.clone() };
        self.binaries.get(key, weight, |key| {
            let intel_options = intel_options(&key.options);
            let (shader, options) = (&key.shader, &key.options);
            let assemble = |known: &mut ValidationCache| {
                compile::assemble(shader, &key.key, known, &intel_options, options)
            };
            self.with_known(devinfo, assemble).map(Arc::new)
        })
    }

    /// Lends the instructions of a device that were decoded before.
    pub fn with_known<T>(
        &self,
        devinfo: &'static DevInfo,
        body: impl FnOnce(&mut ValidationCache) -> T,
    ) -> T {
        self.known.lend(devinfo, || ValidationCache::new(devinfo), body)
    }
}

fn manager(options: &CodegenOptions) -> PassManager<'static> {
    PassManager::new(pass_options(options, None))
}
