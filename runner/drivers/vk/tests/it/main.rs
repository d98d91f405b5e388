//! Scripts on the installed driver. Without one, the tests say so and prove nothing.

use std::path::{Path, PathBuf};

use vk_driver::{Driver, EndKind, Outcome, VkOptions};
use vk_script::{Rules, Script};
use vocabulary::Phase;

/// Opens the driver; prints a warning if there is none.
fn driver() -> Option<Driver> {
    match Driver::open(&VkOptions::default()) {
        Ok(driver) => Some(driver),
        Err(error) => {
            eprintln!("WARNING: no Vulkan driver, so that this test proves nothing: {error}");
            None
        }
    }
}

/// Returns the scripts of `tests/vulkan`.
fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/vulkan");
    let entries = std::fs::read_dir(folder).expect("the folder of scripts");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn parse(text: &str, rules: Rules) -> Script {
    vk_script::parse(text.as_bytes(), rules, &|_| Err("no files".to_owned())).expect("a script")
}

fn read(path: &Path) -> Script {
    let is_amber = path.extension().is_some_and(|extension| extension == "amber");
    let rules = if is_amber { Rules::Amber } else { Rules::VkRunner };
    parse(&std::fs::read_to_string(path).expect("a text"), rules)
}

/// True if the outcome is a skip for lack of a program, which is printed.
fn lacks_programs(outcome: &Outcome) -> bool {
    let reason = outcome.end.as_ref().map(|end| end.reason.as_str()).unwrap_or_default();
    let lacks = reason.ends_with("is not installed");
    if lacks {
        eprintln!("WARNING: {reason}, so that this test proves nothing");
    }
    lacks
}

#[test]
fn scripts_pass_in_any_order() {
    let Some(mut driver) = driver() else { return };
    let paths = scripts();
    assert!(paths.len() >= 10, "{paths:?}");
    for path in paths.iter().chain(paths.iter().rev()) {
        let outcome = driver.run(&read(path), false);
        if lacks_programs(&outcome) {
            return;
        }
        let is_skip = outcome.end.as_ref().is_some_and(|end| end.kind == EndKind::Skip);
        assert!(outcome.end.is_none() || is_skip, "{}: {:?}", path.display(), outcome.end);
    }
}

/// A script whose shader adds one to a number.
fn counting(expected: u32, further: &str) -> Script {
    let text = format!(
        "#!amber\nSHADER compute adds GLSL\n#version 450\n\
         layout(set = 0, binding = 0) buffer Block {{ uint number; }};\n\
         void main() {{ number += 1u; }}\nEND\n\
         BUFFER number DATA_TYPE uint32 DATA 41 END\n\
         PIPELINE compute pipeline\n  ATTACH adds\n  \
         BIND BUFFER number AS storage DESCRIPTOR_SET 0 BINDING 0\n{further}END\n\
         RUN pipeline 1 1 1\nEXPECT number IDX 0 EQ {expected}\n"
    );
    parse(&text, Rules::Amber)
}

#[test]
fn wrong_values_fail_with_their_line() {
    let Some(mut driver) = driver() else { return };
    let outcome = driver.run(&counting(43, ""), false);
    if lacks_programs(&outcome) {
        return;
    }
    let end = outcome.end.expect("a failure");
    assert_eq!((end.kind, end.line), (EndKind::Fail(Phase::Probe), Some(13)), "{}", end.reason);
    assert!(driver.run(&counting(42, ""), false).end.is_none());
}

#[test]
fn refused_shaders_fail_alone() {
    let Some(mut driver) = driver() else { return };
    let mut broken = counting(42, "");
    broken.shaders[0].source = "#version 450\nvoid main() { none(); }\n".into();
    let outcome = driver.run(&broken, false);
    if lacks_programs(&outcome) {
        return;
    }
    let end = outcome.end.expect("a failure");
    assert_eq!(end.kind, EndKind::Fail(Phase::Frontend));
    assert!(end.reason.contains("adds") && end.reason.contains("none"), "{}", end.reason);
    assert!(driver.run(&counting(42, ""), false).end.is_none());
}

#[test]
fn requirements_that_are_not_met_skip() {
    let Some(mut driver) = driver() else { return };
    let mut script = counting(42, "");
    script.requirements.device_extensions.push("VK_NONE_such".to_owned());
    let end = driver.run(&script, false).end.expect("a skip");
    assert_eq!(end.kind, EndKind::Skip);
    assert_eq!(end.reason, "the driver lacks extension VK_NONE_such");
    let mut script = counting(42, "");
    script.requirements.version = Some([1, 900, 0]);
    let end = driver.run(&script, false).end.expect("a skip");
    assert!(end.reason.starts_with("needs Vulkan 1.900.0"), "{}", end.reason);
}

#[test]
fn attachments_are_read() {
    let Some(mut driver) = driver() else { return };
    let text = "#!amber\nSHADER vertex v PASSTHROUGH\nSHADER fragment f GLSL\n#version 450\n\
        layout(location = 0) out vec4 color;\nvoid main() { color = vec4(0, 1, 0, 1); }\nEND\n\
        BUFFER frame FORMAT R8G8B8A8_UNORM\nPIPELINE graphics p\n  ATTACH v\n  ATTACH f\n  \
        FRAMEBUFFER_SIZE 4 2\n  BIND BUFFER frame AS color LOCATION 0\nEND\n\
        CLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 4 1\n";
    let outcome = driver.run(&parse(text, Rules::Amber), true);
    if lacks_programs(&outcome) {
        return;
    }
    let [image] = &outcome.images[..] else { panic!("one image: {outcome:?}") };
    assert_eq!(image.bytes, [[0u8, 255, 0, 255].repeat(4), vec![0; 16]].concat());
}

#[test]
fn descriptors_outside_of_their_buffers_fail() {
    let Some(mut driver) = driver() else { return };
    let mut script = counting(42, "");
    for resource in &mut script.pipelines[0].bindings[0].resources {
        resource.offset = 1 << 63;
    }
    let outcome = driver.run(&script, false);
    if lacks_programs(&outcome) {
        return;
    }
    let end = outcome.end.expect("a failure");
    assert_eq!(end.kind, EndKind::Fail(Phase::Simulate));
    assert!(end.reason.contains("outside of `number`"), "{}", end.reason);
}
