//! Sources of machine code other than this project's compiler: folders and other compilers.

use std::path::{Path, PathBuf};

use compiler::binary::BinaryError;
use compiler::{Binary, CodegenOptions, amd_binary, amd_codegen};
use program::{Stage, StageKey};
use raster::device::DeviceError;
use vocabulary::{Phase, Width};

/// A replacement of this project's compiler.
pub trait BinarySource: Send {
    /// Compiles a stage for draws with the given key, for Intel's generations.
    ///
    /// # Errors
    /// Fails with the phase that rejected the shader, broke down or timed out.
    fn binary(&self, stage: Stage, key: &StageKey) -> Result<Binary, DeviceError>;

    /// Compiles a stage for draws with the given key, for AMD's chips.
    ///
    /// # Errors
    /// As [`BinarySource::binary`].
    fn amd_program(&self, stage: Stage, key: &StageKey)
    -> Result<amd_codegen::Output, DeviceError>;
}

/// Sources of a test's machine code in place of this project's compiler.
#[derive(Default)]
pub struct OtherSources {
    /// Folder to take binaries from instead of compiling.
    pub folder: Option<PathBuf>,
    /// Compiler of binaries that the folder does not have.
    pub compiler: Option<Box<dyn BinarySource>>,
}

/// Machine code of a stage for a family of GPUs.
pub trait StageCode: Sized {
    /// Reads the code in the stage's folder below `folder`, if there is any.
    ///
    /// # Errors
    /// A file cannot be read or describes something else.
    fn read(folder: &Path, stage: Stage) -> Result<Option<Self>, BinaryError>;

    /// Compiles a stage with another compiler.
    ///
    /// # Errors
    /// As [`BinarySource::binary`].
    fn compile(
        compiler: &dyn BinarySource,
        stage: Stage,
        key: &StageKey,
    ) -> Result<Self, DeviceError>;

    /// Returns the name of the generation that the code is for.
    fn generation(&self) -> &str;

    /// Returns the code with only the kernels of the given widths, where the stage has several.
    ///
    /// # Errors
    /// There is no such kernel.
    fn of_widths(self, _: Stage, _: &[Width]) -> Result<Self, DeviceError> {
        Ok(self)
    }
}

impl OtherSources {
    /// Returns the options of this project's compiler. Binaries of other compilers may read outputs
    /// that ours do not: then every output is written.
    pub fn own_options(&self, own: &CodegenOptions) -> CodegenOptions {
        let mut options = own.clone();
        if self.folder.is_some() || self.compiler.is_some() {
            options.disabled_passes.push("opt_unread_outputs".to_owned());
        }
        options
    }

    /// Returns the code of a stage, or nothing if this project's compiler is to make it. Code in
    /// the folder may have more kernels than those of `widths`; a compiler knows what is wanted.
    ///
    /// # Errors
    /// The code cannot be read or made, has no kernel of `widths`, or is for another generation.
    pub fn code<C: StageCode>(
        &self,
        (stage, key): (Stage, &StageKey),
        generation: &str,
        widths: &[Width],
    ) -> Result<Option<C>, DeviceError> {
        let read = self.folder.as_deref().map_or(Ok(None), |folder| C::read(folder, stage));
        let code = match (read.map_err(|error| rejected(error.to_string()))?, &self.compiler) {
            (Some(code), _) => code.of_widths(stage, widths)?,
            (None, Some(compiler)) => C::compile(&**compiler, stage, key)?,
            (None, None) => return Ok(None),
        };
        if code.generation() != generation {
            let message = format!("binary is for {}, not {generation}", code.generation());
            return Err(rejected(message));
        }
        Ok(Some(code))
    }
}

fn rejected(message: String) -> DeviceError {
    DeviceError::Rejected { phase: Phase::Encode, message }
}

impl StageCode for Binary {
    fn read(folder: &Path, stage: Stage) -> Result<Option<Binary>, BinaryError> {
        Binary::read(folder, stage)
    }

    fn compile(
        compiler: &dyn BinarySource,
        stage: Stage,
        key: &StageKey,
    ) -> Result<Binary, DeviceError> {
        compiler.binary(stage, key)
    }

    fn generation(&self) -> &str {
        &self.generation
    }

    fn of_widths(mut self, stage: Stage, wanted: &[Width]) -> Result<Binary, DeviceError> {
        if wanted.is_empty() || !matches!(stage, Stage::Fragment | Stage::Compute) {
            return Ok(self);
        }
        let kernels = &mut self.compiled.kernels;
        if !kernels.iter().any(|kernel| wanted.contains(&kernel.width)) {
            let names = |widths: &[Width]| {
                widths.iter().map(|width| width.name()).collect::<Vec<_>>().join(", ")
            };
            let there: Vec<Width> = kernels.iter().map(|kernel| kernel.width).collect();
            let (wanted, there) = (names(wanted), names(&there));
            let message =
                format!("the binary of the {stage} shader has no {wanted} kernel, but {there}");
            return Err(rejected(message));
        }
        kernels.retain(|kernel| wanted.contains(&kernel.width));
        Ok(self)
    }
}

impl StageCode for amd_codegen::Output {
    fn read(folder: &Path, stage: Stage) -> Result<Option<amd_codegen::Output>, BinaryError> {
        amd_binary::read(folder, stage)
    }

    fn compile(
        compiler: &dyn BinarySource,
        stage: Stage,
        key: &StageKey,
    ) -> Result<amd_codegen::Output, DeviceError> {
        compiler.amd_program(stage, key)
    }

    fn generation(&self) -> &str {
        self.chip.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A compiler whose code is for the generation of its name.
    struct Fixed(&'static str);

    struct Code(&'static str);

    impl BinarySource for Fixed {
        fn binary(&self, _: Stage, _: &StageKey) -> Result<Binary, DeviceError> {
            Err(rejected(self.0.to_owned()))
        }

        fn amd_program(&self, _: Stage, _: &StageKey) -> Result<amd_codegen::Output, DeviceError> {
            Err(rejected(self.0.to_owned()))
        }
    }

    impl StageCode for Code {
        /// The folder holds a vertex shader for ivb.
        fn read(_: &Path, stage: Stage) -> Result<Option<Code>, BinaryError> {
            Ok((stage == Stage::Vertex).then_some(Code("ivb")))
        }

        fn compile(_: &dyn BinarySource, _: Stage, _: &StageKey) -> Result<Code, DeviceError> {
            Ok(Code("skl"))
        }

        fn generation(&self) -> &str {
            self.0
        }
    }

    fn code(
        sources: &OtherSources,
        stage: Stage,
        generation: &str,
    ) -> Result<&'static str, String> {
        let code = sources.code((stage, &StageKey::default()), generation, &[]);
        match code {
            Ok(code) => Ok(code.map_or("none", |code: Code| code.0)),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_folder_precedes_a_compiler() {
        let none = OtherSources::default();
        assert_eq!(code(&none, Stage::Vertex, "ivb"), Ok("none"));
        let folder = OtherSources { folder: Some(PathBuf::new()), compiler: None };
        assert_eq!(code(&folder, Stage::Vertex, "ivb"), Ok("ivb"));
        assert_eq!(code(&folder, Stage::Fragment, "ivb"), Ok("none"));
        let both = OtherSources { compiler: Some(Box::new(Fixed("both"))), ..folder };
        assert_eq!(code(&both, Stage::Vertex, "ivb"), Ok("ivb"));
        assert_eq!(code(&both, Stage::Fragment, "skl"), Ok("skl"));
        let error = code(&both, Stage::Vertex, "skl").expect_err("code for ivb");
        assert!(error.contains("binary is for ivb, not skl"), "{error}");
    }

    #[test]
    fn other_code_may_read_every_output() {
        let own = CodegenOptions::default();
        assert_eq!(OtherSources::default().own_options(&own), own);
        let folder = OtherSources { folder: Some(PathBuf::new()), compiler: None };
        assert_eq!(folder.own_options(&own).disabled_passes, ["opt_unread_outputs"]);
    }
}
