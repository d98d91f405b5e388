//! The crates may use each other only along the arrows of ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Each crate with the crates that it may use beside `vocabulary`, which every crate may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("vocabulary", &[]),
    ("cache", &[]),
    ("program", &[]),
    ("ir", &[]),
    ("intel_isa", &["cache"]),
    ("amd_isa", &[]),
    ("script", &[]),
    ("generate", &[]),
    ("tidy", &[]),
    ("results", &[]),
    ("packets", &[]),
    ("submission", &[]),
    ("preload", &["submission"]),
    ("surfaces", &["packets", "gl_machine"]),
    (
        "intel_gpu",
        &["packets", "submission", "surfaces", "eu_simulator", "gl_machine", "intel_isa"],
    ),
    ("probes", &["script"]),
    ("gl_driver", &["script", "probes"]),
    ("raster", &["program"]),
    ("gl_machine", &["program", "probes", "raster"]),
    ("glsl", &["program"]),
    ("legacy", &[]),
    // `glsl` serves the examples on the front pages of these two.
    ("interpreter", &["program", "glsl"]),
    ("lower", &["program", "ir", "glsl"]),
    ("eu_simulator", &["intel_isa", "cache"]),
    ("gcn_simulator", &["amd_isa"]),
    ("intel_codegen", &["ir", "intel_isa"]),
    ("amd_codegen", &["ir", "amd_isa", "gcn_simulator"]),
    ("compiler", COMPILER),
    (
        "execute",
        &[
            "compiler",
            "gl_machine",
            "raster",
            "gl_driver",
            "interpreter",
            "eu_simulator",
            "gcn_simulator",
            "script",
            "probes",
            "results",
        ],
    ),
    ("tools", &["compiler", "execute", "script", "results"]),
    (
        "runner",
        &[
            "compiler",
            "gl_machine",
            "raster",
            "interpreter",
            "eu_simulator",
            "script",
            "results",
            "execute",
            "tools",
            "intel_gpu",
            "packets",
            "submission",
        ],
    ),
];

/// The crates below `compiler`; a crate that may use `compiler` may use these, too.
const COMPILER: &[&str] = &[
    "cache",
    "program",
    "glsl",
    "legacy",
    "ir",
    "lower",
    "intel_isa",
    "intel_codegen",
    "amd_isa",
    "amd_codegen",
];

/// Every workspace crate with the workspace crates it depends on in any way.
fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let name = |v: &serde_json::Value| v["name"].as_str().expect("a name").to_string();
    let ours: BTreeSet<String> = packages.iter().map(name).collect();
    let used = |package: &serde_json::Value| {
        let dependencies = package["dependencies"].as_array().expect("a list of dependencies");
        dependencies.iter().map(name).filter(|n| ours.contains(n)).collect()
    };
    packages.iter().map(|package| (name(package), used(package))).collect()
}

#[test]
fn no_edge_but_the_arrows() {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for (from, targets) in edges() {
        let allowed =
            allowed.get(from.as_str()).unwrap_or_else(|| panic!("crate {from} is not in the plan"));
        for to in targets {
            let to = to.as_str();
            let below_compiler = allowed.contains(&"compiler") && COMPILER.contains(&to);
            assert!(
                to == "vocabulary" || allowed.contains(&to) || below_compiler,
                "{from} must not use {to}"
            );
        }
    }
}

#[test]
fn every_crate_of_the_plan_exists() {
    let edges = edges();
    for (name, _) in ARROWS {
        assert!(edges.contains_key(*name), "crate {name} is missing");
    }
}

/// The crates that may have unsafe code: they call the OpenGL driver, and replace functions of the
/// C library.
const UNSAFE: [&str; 2] = ["gl_driver", "preload"];

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
