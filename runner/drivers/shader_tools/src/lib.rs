//! Modules of SPIR-V from shaders, through Khronos's programs: assembler, optimizer, validator,
//! disassembler, and the compiler of GLSL and HLSL; and wgpu's translator of WGSL.
//!
//! Modules are kept in memory for the process, and on disk for later ones.
//!
//! ```no_run
//! use shader_tools::{Tools, disassemble};
//! use vocabulary::Stage;
//!
//! let text = "#version 450\nout vec4 color;\nvoid main() { color = vec4(1); }";
//! let module = Tools::new(false).opengl_module(Stage::Fragment, &[text.to_owned()]);
//! println!("{}", disassemble(&module.expect("a module")).expect("its text"));
//! ```

mod disk;
mod file;
mod folder;
mod identity;
mod process;
mod rewriting;
mod source;
mod words;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::sync::{Arc, LazyLock};

use cache::SharedTable;
use vk_script::ShaderLanguage;
use vocabulary::Stage;

use disk::Disk;
pub use file::FileLanguage;
use folder::{Folder, suffix};
use identity::Identities;
pub use process::ToolError;
use process::run;
pub use rewriting::{rewrite_modules, rewritten};
pub use source::ShaderUse;
pub use spirv_rewrite::{Rewriting, UnknownRewriting};
use words::{bytes_of, check, words_of};

/// The assembler of SPIR-V (SPIRV-Tools).
const ASSEMBLER: &str = "spirv-as";
/// The optimizer of SPIR-V (SPIRV-Tools).
const OPTIMIZER: &str = "spirv-opt";
/// The validator of SPIR-V (SPIRV-Tools).
const VALIDATOR: &str = "spirv-val";
/// The disassembler of SPIR-V (SPIRV-Tools).
const DISASSEMBLER: &str = "spirv-dis";
/// The compiler of GLSL and HLSL (glslang).
const COMPILER: &str = "glslangValidator";
/// Most bytes of sources and modules that are kept.
const KEPT: usize = 16 << 20;
/// Limits of the compiler that are larger than its own: atomic counters of several bindings.
const LIMITS: &str = "MaxAtomicCounterBindings 8\n";

/// Words of a module, or the reason why there is none.
pub type Module = Result<Arc<[u32]>, ToolError>;

/// Modules on disk and the programs that made them, which are looked at once in a process.
static KNOWN: LazyLock<(Option<Disk>, Identities)> =
    LazyLock::new(|| (Disk::open(), Identities::default()));

/// The programs, with the modules that they made.
pub struct Tools {
    modules: SharedTable<Vec<u8>, Module>,
    validate: bool,
}

impl Tools {
    /// Returns the programs with the modules that are on disk. Invalid modules are refused if
    /// `validate` is true; else that is left to the driver.
    pub fn new(validate: bool) -> Tools {
        Tools { modules: SharedTable::new(KEPT), validate }
    }

    /// Returns the module of a source.
    ///
    /// # Errors
    /// A program that is needed is missing, or refused the source.
    pub fn module(&self, source: &ShaderUse<'_>) -> Module {
        let key = source.key();
        let weight = key.len() + source.shader.words.len() * 4;
        self.modules.get(key, weight, |key| {
            let words: Arc<[u32]> =
                rewritten(kept(&programs(source), key, || make(source))?)?.into();
            if self.validate {
                let arguments = ["--target-env", source.environment(), "-"].map(OsStr::new);
                run(VALIDATOR, &arguments, None, &bytes_of(&words))?;
            }
            Ok(words)
        })
    }

    /// Returns the module of the GLSL shaders of a stage for OpenGL (ARB_gl_spirv), linked into
    /// one. Locations and bindings that they do not give are free for the compiler to choose.
    ///
    /// # Errors
    /// The compiler is missing, or refused the shaders.
    pub fn opengl_module(&self, stage: Stage, texts: &[String]) -> Module {
        let use_of_it = format!("OpenGL {stage:?} {LIMITS}");
        let key = source::key_of(&use_of_it, texts.iter().map(String::as_str));
        let weight = key.len();
        self.modules.get(key, weight, |key| {
            let words = kept(&[COMPILER], key, || compile_opengl(stage, texts))?;
            Ok(rewritten(words)?.into())
        })
    }
}

/// Returns a module from the disk, or makes and keeps it.
fn kept(
    programs: &[&'static str],
    key: &[u8],
    make: impl FnOnce() -> Result<Vec<u32>, ToolError>,
) -> Result<Vec<u32>, ToolError> {
    let (disk, identities) = &*KNOWN;
    let named = |disk| Some((disk, identities.of(programs)?));
    let Some((disk, identity)) = disk.as_ref().and_then(named) else {
        return make();
    };
    let name = Disk::name(&identity, key);
    if let Some(words) = disk.read(&name) {
        return Ok(words);
    }
    let words = make()?;
    disk.write(&name, &words);
    Ok(words)
}

/// The programs that make the module of a source.
fn programs(source: &ShaderUse<'_>) -> Vec<&'static str> {
    let first = match source.shader.language {
        ShaderLanguage::SpirvAssembly => Some(ASSEMBLER),
        ShaderLanguage::Glsl | ShaderLanguage::Hlsl => Some(COMPILER),
        _ => None,
    };
    let optimizer = (!source.optimizations.is_empty()).then_some(OPTIMIZER);
    first.into_iter().chain(optimizer).collect()
}

fn make(source: &ShaderUse<'_>) -> Result<Vec<u32>, ToolError> {
    let shader = source.shader;
    let environment = source.environment();
    let words = match shader.language {
        ShaderLanguage::SpirvHex | ShaderLanguage::SpirvBinary => shader.words.clone(),
        ShaderLanguage::SpirvAssembly => {
            let arguments = ["--target-env", environment, "-o", "-", "-"].map(OsStr::new);
            words_of(&run(ASSEMBLER, &arguments, None, shader.source.as_bytes())?)?
        }
        ShaderLanguage::Glsl | ShaderLanguage::Hlsl => compile(source, environment)?,
        ShaderLanguage::OpenClC => {
            return Err(ToolError::Refused("OpenCL C is not supported".to_owned()));
        }
    };
    check(&words)?;
    if source.optimizations.is_empty() {
        return Ok(words);
    }
    let target = format!("--target-env={environment}");
    let all = source.optimizations.iter().map(|option| OsStr::new(option.as_str()));
    let arguments: Vec<&OsStr> =
        [target.as_str(), "-", "-o", "-"].map(OsStr::new).into_iter().chain(all).collect();
    words_of(&run(OPTIMIZER, &arguments, None, &bytes_of(&words))?)
}

/// Asks the validator about a module for OpenGL.
///
/// # Errors
/// The validator is missing, or refuses the module.
pub fn validate_opengl(words: &[u32]) -> Result<(), ToolError> {
    let arguments = ["--target-env", "opengl4.5", "-"].map(OsStr::new);
    run(VALIDATOR, &arguments, None, &bytes_of(words)).map(|_| ())
}

/// Returns why the module that the compiler makes of a text is invalid; `None` if it is valid, or
/// is no work of the compiler. Rewriting has no part in it.
pub fn invalid_compilation(source: &ShaderUse<'_>) -> Option<String> {
    if !matches!(source.shader.language, ShaderLanguage::Glsl | ShaderLanguage::Hlsl) {
        return None;
    }
    let words = kept(&programs(source), &source.key(), || make(source)).ok()?;
    let arguments = ["--target-env", source.environment(), "-"].map(OsStr::new);
    match run(VALIDATOR, &arguments, None, &bytes_of(&words)) {
        Err(ToolError::Refused(text)) => {
            let reason = text.lines().next().unwrap_or_default();
            Some(format!("{COMPILER} makes an invalid module: {reason}"))
        }
        _ => None,
    }
}

/// Returns the assembly text of a module.
///
/// # Errors
/// The disassembler is missing, or refused the module.
pub fn disassemble(words: &[u32]) -> Result<String, ToolError> {
    let arguments = ["--no-color", "-o", "-", "-"].map(OsStr::new);
    let text = run(DISASSEMBLER, &arguments, None, &bytes_of(words))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Compiles GLSL or HLSL for Vulkan.
fn compile(source: &ShaderUse<'_>, environment: &str) -> Result<Vec<u32>, ToolError> {
    let folder = Folder::create().map_err(unwritten)?;
    let files = folder.write(source).map_err(unwritten)?;
    let target = match environment.strip_prefix("spv") {
        Some(version) => format!("spirv{version}"),
        None => environment.to_owned(),
    };
    let mut arguments: Vec<OsString> =
        ["-V", "--target-env", &target, "-S", suffix(source.stage)].map(OsString::from).to_vec();
    if source.shader.language == ShaderLanguage::Hlsl {
        arguments.extend(["-D", "-e", "main"].map(OsString::from));
    }
    module_of(&folder, arguments, files).map_err(|error| folder.named(error, source))
}

/// Compiles the GLSL shaders of a stage for OpenGL.
fn compile_opengl(stage: Stage, texts: &[String]) -> Result<Vec<u32>, ToolError> {
    let folder = Folder::create().map_err(unwritten)?;
    let mut files =
        folder.write_texts(stage, texts.iter().map(String::as_str)).map_err(unwritten)?;
    fs::write(folder.path().join("limits.conf"), limits()?).map_err(unwritten)?;
    files.push("limits.conf".into());
    let arguments = ["-G", "--aml", "--amb", "-S", suffix(stage)].map(OsString::from).to_vec();
    module_of(&folder, arguments, files)
}

/// The limits that the compiler is given: its own with some larger ones. The last line of a limit
/// counts.
fn limits() -> Result<&'static [u8], ToolError> {
    static TEXT: LazyLock<Result<Vec<u8>, ToolError>> = LazyLock::new(|| {
        let own = run(COMPILER, &[OsStr::new("-c")], None, b"")?;
        Ok([own.trim_ascii_end(), b"\n", LIMITS.as_bytes()].concat())
    });
    TEXT.as_ref().map(Vec::as_slice).map_err(Clone::clone)
}

/// Runs the compiler on files of a folder.
fn module_of(
    folder: &Folder,
    mut arguments: Vec<OsString>,
    files: Vec<OsString>,
) -> Result<Vec<u32>, ToolError> {
    arguments.extend(["-o", "module"].map(OsString::from));
    arguments.extend(files);
    let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
    run(COMPILER, &arguments, Some(folder.path()), b"")?;
    let module = fs::read(folder.path().join("module"));
    words_of(&module.map_err(|e| ToolError::Refused(format!("{COMPILER}: no module: {e}")))?)
}

fn unwritten(error: std::io::Error) -> ToolError {
    ToolError::Refused(format!("{COMPILER}: {error}"))
}
