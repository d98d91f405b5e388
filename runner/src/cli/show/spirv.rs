//! Modules of Vulkan scripts, and of tests whose GLSL is translated.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use script::Script;

use super::args::{DRIVER_FORMS, ShowArgs, What};
use crate::cli::exit::EXPECTED;
use crate::cli::output::print;
use results::verdict::Verdict;

/// True if a file is a Vulkan script.
pub(super) fn is_vulkan(path: &Path) -> bool {
    execute::kind_of(path).driver() == execute::vulkan::TARGET
}

/// Returns the text of a test with modules in place of its GLSL, or of a stage's module alone, or
/// the verdict of a test without such modules.
pub(super) fn translated(
    script: &Script<'_>,
    args: &ShowArgs,
) -> anyhow::Result<Result<String, Verdict>> {
    anyhow::ensure!(args.modules.spirv, "GLSL becomes SPIR-V with --spirv");
    let capabilities = execute::context_for(script, args.generation);
    Ok(capabilities.and_then(|context| execute::translated_text(script, context, args.stage)))
}

/// Prints the modules of a Vulkan script.
pub(super) fn spirv(path: &Path, args: &ShowArgs) -> anyhow::Result<u8> {
    if args.what != What::Spirv {
        bail!(
            "a Vulkan script has spirv, program, ir, passes, eu and gcn, and with --driver mesa {}",
            DRIVER_FORMS
        );
    }
    let name = path.display().to_string();
    let bytes = execute::read_script(path).with_context(|| name.clone())?;
    let modules = execute::vk_modules(&bytes, path).map_err(|text| anyhow!("{name}: {text}"))?;
    for module in modules.iter().filter(|m| args.stage.is_none_or(|stage| stage == m.stage)) {
        print(format!("; {}\n{}\n", module.name, module.text.trim_end()).as_bytes())?;
    }
    Ok(EXPECTED)
}
