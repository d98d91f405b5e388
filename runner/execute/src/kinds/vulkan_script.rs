//! Vulkan scripts: VkScript (`.vk_shader_test`; VkRunner's `.shader_test`; Amber's `.vkscript`) and
//! AmberScript (`.amber`).

use std::ffi::OsStr;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path};
use std::sync::Arc;

use program::Program;
use vk_driver::ModuleText;
use vk_script::{ParseError, Rules, Script};

use crate::case::TestCase;
use crate::diagnostics;
use crate::executors::executor;
use crate::executors::simulation::vulkan::programs;
use crate::kind::{Kind, TestFile};
use crate::shared::VkTest;
use crate::vk_explanation::VkExplanation;
use results::bundle::Bundle;
use results::verdict::{Phase, TestResult, Verdict};
use vocabulary::Target;

/// The kind.
pub(super) struct VulkanScript;

impl Kind for VulkanScript {
    fn extensions(&self) -> &'static [&'static str] {
        &["vk_shader_test", "amber", "vkscript"]
    }

    fn driver(&self) -> Target {
        Target::VK
    }

    fn claims(&self, text: &[u8]) -> bool {
        vk_script::is_vk_script(text)
    }

    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict {
        let text = file.text;
        let parse = || parse(text, case.path);
        let test = match case.devices.shared_tests() {
            Some(tests) => tests.vk_test(text, case.path, parse),
            None => parse().map(VkTest::alone).map(Arc::new),
        };
        match test {
            Ok(test) => executor(case.target).run_vk_script(case, &test, None),
            Err(error) => {
                let name = case.path.and_then(Path::file_name).unwrap_or(case.test.as_ref());
                let name = name.to_string_lossy();
                let excerpt = diagnostics::marked(&name, text, error.span.range(), &error.message);
                Verdict::fail(Phase::Script, format!("{error}\n{excerpt}"))
            }
        }
    }

    fn explain(&self, result: &TestResult, file: TestFile<'_>, case: &TestCase<'_>) -> Bundle {
        let text = file.text;
        let case = &TestCase { test: &result.test, ..*case };
        let mut bundle = Bundle::plain(result, text);
        let Ok(script) = parse(text, case.path) else { return bundle };
        let test = VkTest::alone(script);
        let mut explanation = VkExplanation::default();
        // The records made before a panic are kept.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            executor(case.target).run_vk_script(case, &test, Some(&mut explanation));
        }));
        let file = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        bundle.texts = explanation
            .modules
            .iter()
            .map(|(n, text)| (file(n) + ".spvasm", text.clone()))
            .collect();
        // A bundle has one image of the driver.
        if let Some((_, png)) = explanation.images.into_iter().next() {
            bundle.images.insert("driver", png);
        }
        bundle.cut();
        bundle
    }
}

/// Parses a script, whose files are those of its folder.
fn parse(text: &[u8], path: Option<&Path>) -> Result<Script, ParseError> {
    let folder = path.and_then(Path::parent);
    let read = |name: &str| {
        let folder = folder.ok_or("the script has no folder")?;
        let is_inside = Path::new(name)
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            return Err("outside of the script's folder".to_owned());
        }
        let path = folder.join(name);
        let size = fs::metadata(&path).map_err(|error| error.to_string())?;
        if !size.is_file() {
            return Err("no file".to_owned());
        }
        results::read_regular(&path, results::TEST_BYTES).map_err(|error| error.to_string())
    };
    vk_script::parse(text, vk_rules(path), &read)
}

/// Returns the rules of VkScript that a file of this name follows: Amber runs such texts, too, by
/// rules of its own.
#[must_use]
pub fn vk_rules(path: Option<&Path>) -> Rules {
    let is_ambers = |extension: &OsStr| extension == "amber" || extension == "vkscript";
    let is_ambers = path.and_then(Path::extension).is_some_and(is_ambers);
    if is_ambers { Rules::Amber } else { Rules::VkRunner }
}

/// Returns the modules of a Vulkan script as assembly texts.
///
/// # Errors
/// Returns the parse error, or the message of the program that refused a text.
pub fn vk_modules(text: &[u8], path: &Path) -> Result<Vec<ModuleText>, String> {
    let script = parse(text, Some(path)).map_err(|error| error.to_string())?;
    vk_driver::modules(&script)
}

/// Returns the programs of a Vulkan script's pipelines on a target that executes our code, with the
/// names of the pipelines.
///
/// # Errors
/// Returns the parse error, or the reason why there is no program.
pub fn vk_programs(
    text: &[u8],
    path: &Path,
    target: Target,
) -> Result<Vec<(String, Arc<Program>)>, String> {
    let script = parse(text, Some(path)).map_err(|error| error.to_string())?;
    programs(&script, target)
        .map_err(|verdict| verdict.cause.map_or_else(String::new, |(_, reason)| reason))
}

/// Has `spirv-val` check the modules of a Vulkan script.
///
/// # Errors
/// Returns the parse error, or the message of the program that refused a text or a module.
pub fn validate_vk_modules(text: &[u8], path: &Path) -> Result<(), String> {
    let script = parse(text, Some(path)).map_err(|error| error.to_string())?;
    vk_driver::validate(&script)
}
