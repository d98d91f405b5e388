//! Shader modules from the sources of scripts, through Khronos's programs.

mod process;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cache::SharedTable;
use vk_script::{PipelineStage, Requirements, Script, Shader, ShaderLanguage, VirtualFile};
use vocabulary::Stage;

pub(crate) use process::ToolError;
use process::run;

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
/// First word of a module.
const MAGIC: u32 = 0x0723_0203;

/// Words of a module, or the reason why there is none.
pub(crate) type Module = Result<Arc<[u32]>, ToolError>;

/// A use of a shader that decides its module.
#[derive(Clone, Copy)]
pub(crate) struct ShaderUse<'a> {
    /// The shader.
    pub(crate) shader: &'a Shader,
    /// Its stage.
    pub(crate) stage: Stage,
    /// VkOptions of the optimizer.
    pub(crate) optimizations: &'a [String],
    /// Files for `#include`.
    pub(crate) files: &'a [VirtualFile],
    /// Target environment if the shader names none.
    environment: &'static str,
}

impl<'a> ShaderUse<'a> {
    /// Returns the source of a stage of a script.
    pub(crate) fn of(script: &'a Script, stage: &'a PipelineStage) -> ShaderUse<'a> {
        ShaderUse {
            shader: script.shader(stage.shader),
            stage: stage.stage,
            optimizations: &stage.optimizations,
            files: &script.files,
            environment: environment(&script.requirements),
        }
    }

    fn environment(&self) -> &'a str {
        self.shader.target_env.as_deref().unwrap_or(self.environment)
    }
}

/// Returns the target environment of shaders that name none: the highest version of SPIR-V that
/// the requirements guarantee (Vulkan 1.3, appendix "Vulkan Environment for SPIR-V").
fn environment(requirements: &Requirements) -> &'static str {
    let version = requirements.version.unwrap_or([1, 0, 0]);
    let has_extension =
        requirements.device_extensions.iter().any(|name| name == "VK_KHR_spirv_1_4");
    let versions = [([1, 3, 0], "spv1.6"), ([1, 2, 0], "spv1.5"), ([1, 1, 0], "spv1.3")];
    let of_version = versions.into_iter().find(|(first, _)| version >= *first);
    match of_version.map(|(_, name)| name) {
        Some("spv1.3") | None if has_extension => "spv1.4",
        Some(name) => name,
        None => "spv1.0",
    }
}

/// The programs, with the modules that they made.
pub(crate) struct Tools {
    modules: SharedTable<Vec<u8>, Module>,
    validate: bool,
}

impl Tools {
    /// Returns the programs without modules. Invalid modules are refused if `validate` is true;
    /// else that is left to the driver.
    pub(crate) fn new(validate: bool) -> Tools {
        Tools { modules: SharedTable::new(KEPT), validate }
    }

    /// Returns the module of a source.
    pub(crate) fn module(&self, source: &ShaderUse<'_>) -> Module {
        let key = key(source);
        let weight = key.len() + source.shader.words.len() * 4;
        self.modules.get(key, weight, |_| self.make(source))
    }

    fn make(&self, source: &ShaderUse<'_>) -> Module {
        let shader = source.shader;
        let environment = source.environment();
        let mut words = match shader.language {
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
        if !source.optimizations.is_empty() {
            let target = format!("--target-env={environment}");
            let all = source.optimizations.iter().map(|option| OsStr::new(option.as_str()));
            let arguments: Vec<&OsStr> =
                [target.as_str(), "-", "-o", "-"].map(OsStr::new).into_iter().chain(all).collect();
            words = words_of(&run(OPTIMIZER, &arguments, None, &bytes_of(&words))?)?;
        }
        if self.validate {
            let arguments = ["--target-env", environment, "-"].map(OsStr::new);
            run(VALIDATOR, &arguments, None, &bytes_of(&words))?;
        }
        Ok(words.into())
    }
}

/// Returns the assembly text of a module.
pub(crate) fn disassemble(words: &[u32]) -> Result<String, ToolError> {
    let arguments = ["--no-color", "-o", "-", "-"].map(OsStr::new);
    let text = run(DISASSEMBLER, &arguments, None, &bytes_of(words))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns everything that a module depends on.
fn key(source: &ShaderUse<'_>) -> Vec<u8> {
    let shader = source.shader;
    let environment = source.environment();
    let use_of_it = format!("{:?} {:?} {environment}", shader.language, source.stage);
    let optimizations = source.optimizations.join(" ");
    let mut texts: Vec<&str> = vec![&use_of_it, &optimizations, &shader.source];
    texts.extend(shader.more_sources.iter().map(|text| &**text));
    if shader.language == ShaderLanguage::Hlsl {
        texts.extend(source.files.iter().flat_map(|file| [&*file.path, &*file.text]));
    }
    let mut key = bytes_of(&shader.words);
    for text in texts {
        // Lengths keep neighbors apart.
        key.extend_from_slice(&text.len().to_le_bytes());
        key.extend_from_slice(text.as_bytes());
    }
    key
}

/// Compiles GLSL or HLSL.
fn compile(source: &ShaderUse<'_>, environment: &str) -> Result<Vec<u32>, ToolError> {
    let folder = Folder::create().map_err(|e| ToolError::Refused(format!("{COMPILER}: {e}")))?;
    let files = folder.write(source).map_err(|e| ToolError::Refused(format!("{COMPILER}: {e}")))?;
    let target = match environment.strip_prefix("spv") {
        Some(version) => format!("spirv{version}"),
        None => environment.to_owned(),
    };
    let mut arguments: Vec<OsString> =
        ["-V", "--target-env", &target, "-S", suffix(source.stage)].map(OsString::from).to_vec();
    if source.shader.language == ShaderLanguage::Hlsl {
        arguments.extend(["-D", "-e", "main"].map(OsString::from));
    }
    arguments.extend(["-o", "module"].map(OsString::from));
    arguments.extend(files);
    let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
    run(COMPILER, &arguments, Some(&folder.0), b"").map_err(|error| folder.named(error, source))?;
    let module = fs::read(folder.0.join("module"));
    words_of(&module.map_err(|e| ToolError::Refused(format!("{COMPILER}: no module: {e}")))?)
}

/// Name of a stage for the compiler.
fn suffix(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vert",
        Stage::TessControl => "tesc",
        Stage::TessEval => "tese",
        Stage::Geometry => "geom",
        Stage::Fragment => "frag",
        Stage::Compute => "comp",
    }
}

/// A temporary folder, which goes with this value.
struct Folder(PathBuf);

impl Folder {
    fn create() -> std::io::Result<Folder> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("runner-shader-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        Ok(Folder(path))
    }

    /// Writes the texts of a source, and returns the names of those to compile.
    fn write(&self, source: &ShaderUse<'_>) -> std::io::Result<Vec<OsString>> {
        if source.shader.language == ShaderLanguage::Hlsl {
            for file in source.files {
                // Names that lead out of the folder name no file of the script.
                let Some(place) = inside(&self.0, &file.path) else { continue };
                if let Some(parent) = place.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::write(place, &*file.text)?;
            }
        }
        let texts = std::iter::once(&source.shader.source).chain(&source.shader.more_sources);
        let mut names = Vec::new();
        for (index, text) in texts.enumerate() {
            let name = format!("source{index}.{}", suffix(source.stage));
            fs::write(self.0.join(&name), &**text)?;
            names.push(name.into());
        }
        Ok(names)
    }

    /// Names the shader rather than the temporary file in a message.
    fn named(&self, error: ToolError, source: &ShaderUse<'_>) -> ToolError {
        let ToolError::Refused(text) = error else { return error };
        let file = format!("source0.{}", suffix(source.stage));
        ToolError::Refused(text.replace(&file, &source.shader.name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays is no failure of a test.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a path below a folder.
fn inside(folder: &Path, name: &str) -> Option<PathBuf> {
    use std::path::Component;
    let path = Path::new(name);
    let is_plain = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    is_plain.then(|| folder.join(path))
}

/// Refuses words that no driver can read.
fn check(words: &[u32]) -> Result<(), ToolError> {
    let refused = |text: &str| Err(ToolError::Refused(text.to_owned()));
    match words {
        [MAGIC, _, _, _, _, ..] => Ok(()),
        [MAGIC, ..] => refused("the module ends in its header"),
        [] => refused("the module is empty"),
        [first, ..] => refused(&format!("the module begins with {first:#010x}, not {MAGIC:#010x}")),
    }
}

fn words_of(bytes: &[u8]) -> Result<Vec<u32>, ToolError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(ToolError::Refused(format!(
            "a module of {} bytes has no whole words",
            bytes.len()
        )));
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
