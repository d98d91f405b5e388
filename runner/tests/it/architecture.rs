//! Crates with unsafe code. `tests/tidy` checks the arrows between crates.

use std::process::Command;

/// The crates that may have unsafe code: they call the driver, replace functions of the C library,
/// and call machine code that they make.
const UNSAFE: [&str; 4] = ["gl_driver", "vk_driver", "preload", "native"];

#[test]
fn few_crates_have_lints_of_their_own() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    for package in metadata["packages"].as_array().expect("a list of packages") {
        let (name, path) = (&package["name"], package["manifest_path"].as_str().expect("a path"));
        let manifest = std::fs::read_to_string(path).expect("a manifest");
        let inherits = manifest.contains("[lints]\nworkspace = true");
        let is_safe = !UNSAFE.contains(&name.as_str().expect("a name"));
        assert_eq!(inherits, is_safe, "{path}");
    }
}
