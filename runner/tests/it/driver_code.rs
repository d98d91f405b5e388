//! Kernels of Mesa's compiler beside ours: executed instructions and cycles in results, and their
//! comparison.
//!
//! The tests need Debian's drivers of Intel's GPUs. Without them they say so and check nothing; CI
//! installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Ran, Sandbox, ran};

/// A test whose fragment shader repeats a loop `count` times.
fn repeats(count: u32) -> String {
    format!(
        "[require]\nGLSL >= 1.30\n[vertex shader]\n#version 130\nin vec4 piglit_vertex;\n\
         void main() {{ gl_Position = piglit_vertex; }}\n[fragment shader]\n#version 130\n\
         uniform int count;\nuniform float step;\nout vec4 color;\nvoid main() {{\n\
         float sum = 0.0;\nfor (int i = 0; i < count; i++) sum = sum * 0.5 + step;\n\
         color = vec4(sum);\n}}\n[vertex data]\npiglit_vertex/float/vec2\n-1 -1\n1 -1\n-1 1\n1 1\n\
         [test]\nuniform int count {count}\nuniform float step 0.0\n\
         draw arrays GL_TRIANGLE_STRIP 0 4\nprobe all rgba 0 0 0 0\n"
    )
}

/// Builds the device library, which no other target of this package needs.
fn library() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("preload");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--package", "preload", "--locked", "--offline", "--target-dir"])
        .arg(&folder)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{output:?}");
    folder.join("debug/libpreload.so")
}

/// A sandbox that runs tests with Mesa's drivers; `None` without them.
struct Mesa {
    sandbox: Sandbox,
    library: PathBuf,
}

impl Mesa {
    fn new() -> Option<Mesa> {
        if !Path::new("/usr/lib/x86_64-linux-gnu/dri/crocus_dri.so").exists() {
            eprintln!("SKIPPED: this test needs Debian's drivers of Intel's GPUs");
            return None;
        }
        Some(Mesa { sandbox: Sandbox::new(), library: library() })
    }

    /// Runs the suite with a driver.
    fn run(&self, generation: &str, out: &str) -> Ran {
        self.command(&["suite", "--gen", generation, "--driver", "mesa", "--out", out])
    }

    /// Runs a command. Its workers end before the virtual GPU, which would wait for them.
    fn command(&self, arguments: &[&str]) -> Ran {
        let mut command = self.sandbox.command(arguments);
        command.env("RUNNER_GPU_LIBRARY", &self.library);
        let ran = ran(&command.output().expect("the runner starts"));
        assert!(!ran.err.contains("connections are open"), "{ran:#?}");
        ran
    }

    /// Stages of the only result of a run: stage and width, with a number.
    fn numbers(&self, run: &str, metric: &str) -> Vec<((String, String), u64)> {
        let results = self.sandbox.results(run);
        assert_eq!(results.len(), 2, "{results:#?}");
        let stages = results[1]["stages"].as_array().expect("stages");
        let text = |value: &Value| value.as_str().expect("a name").to_owned();
        let row = |stage: &Value| {
            let number = stage[metric].as_u64().unwrap_or(0);
            ((text(&stage["stage"]), text(&stage["width"])), number)
        };
        stages.iter().map(row).collect()
    }

    /// The number of the fragment shader's widest kernel.
    fn widest(&self, run: &str, metric: &str) -> u64 {
        let numbers = self.numbers(run, metric);
        let fragment = numbers.iter().filter(|((stage, _), _)| stage == "fragment");
        fragment.map(|(_, number)| *number).max().unwrap_or(0)
    }
}

/// Executed instructions of the kernels that ran are counted; cycles do not depend on them.
#[test]
fn loops_of_mesas_kernels_are_executed() {
    let Some(mesa) = Mesa::new() else { return };
    for generation in ["ivb", "skl"] {
        let [few, many] = [2, 22].map(|count| {
            mesa.sandbox.file("suite/a.shader_test", repeats(count));
            let out = format!("{generation}-{count}");
            mesa.run(generation, &out).expect(0, &["[1/1] pass: 1"]);
            out
        });
        let numbers = |metric| [mesa.widest(&few, metric), mesa.widest(&many, metric)];
        let [instructions, same] = numbers("instructions");
        assert!(instructions > 0 && instructions == same, "{generation}: {instructions} {same}");
        let [cycles, same] = numbers("cycles");
        assert!(cycles > 0 && cycles == same, "{generation}: {cycles} {same}");
        // Twenty times the loop: it has a comparison, a jump and at least two operations.
        let [few, many] = numbers("executed");
        assert!(few > 0 && few < instructions * 3, "{generation}: {few} of {instructions}");
        let each = (many - few) / 20;
        assert!((4..instructions).contains(&each), "{generation}: {few} and {many}");
    }
}

/// Random programs of a driver: nothing waits for their workers.
#[test]
fn random_programs_of_a_driver() {
    let Some(mesa) = Mesa::new() else { return };
    let arguments = ["fuzz", "--gen", "skl", "--driver", "mesa", "--stage", "fragment"];
    let arguments = [&arguments[..], &["--count", "2", "--out", "fuzz"]].concat();
    mesa.command(&arguments).expect(0, &["[2/2] pass: 2"]);
}

/// A driver whose process ends leaves a reason.
#[test]
fn a_driver_that_crashes_is_named() {
    let Some(mesa) = Mesa::new() else { return };
    let test = include_str!("../../../tests/defects/division-by-minus-one.shader_test");
    mesa.sandbox.file("a.shader_test", test);
    let error = "error: the process of the driver ended by signal 8 (SIGFPE)";
    let show = ["show", "a.shader_test", "--gen", "skl", "--driver", "mesa", "eu"];
    mesa.command(&show).expect(1, &[error]);
}

/// `diff` compares executed instructions and cycles of both compilers, kernel by kernel.
#[test]
fn ours_and_mesas_kernels_are_compared() {
    let Some(mesa) = Mesa::new() else { return };
    mesa.sandbox.file("suite/a.shader_test", repeats(7));
    for generation in ["ivb", "skl"] {
        let [ours, theirs] = ["ours", "theirs"].map(|name| format!("{name}-{generation}"));
        let arguments = ["suite", "--gen", generation, "--shade", "all", "--out", &ours];
        mesa.sandbox.run(&arguments).expect(0, &["[1/1] pass: 1"]);
        mesa.run(generation, &theirs).expect(0, &["[1/1] pass: 1"]);
        let metrics = ["executed", "cycles"];
        let list = metrics.join(",");
        let diff = ["diff", &ours, &theirs, "--metric", &list, "--format", "json"];
        let ran = mesa.sandbox.run(&diff);
        ran.expect(0, &[]);
        let value: Value = serde_json::from_str(&ran.out).expect("JSON");
        let compared = value["code"]["metrics"].as_array().expect("metrics");
        assert_eq!(compared.len(), 2, "{ran:#?}");
        for (metric, compared) in metrics.into_iter().zip(compared) {
            let (old, new) = (mesa.numbers(&ours, metric), mesa.numbers(&theirs, metric));
            let of = |rows: &[((String, String), u64)], key: &(String, String)| {
                rows.iter().find(|(other, _)| other == key).map(|(_, number)| *number)
            };
            let groups = compared["groups"].as_array().expect("groups");
            let mut known = Vec::new();
            for (key, number) in &old {
                let Some(theirs) = of(&new, key) else { continue };
                // A kernel that did not run has no numbers, and counts as 0 in both runs.
                let number = if theirs > 0 { *number } else { 0 };
                if number > 0 {
                    known.push(&*key.0);
                }
                let group = groups
                    .iter()
                    .find(|group| group["stage"] == *key.0 && group["width"] == *key.1)
                    .unwrap_or_else(|| panic!("no group {key:?}: {ran:#?}"));
                assert_eq!((&group["old"], &group["new"]), (&number.into(), &theirs.into()));
            }
            assert!(known.contains(&"vertex") && known.contains(&"fragment"), "{old:?} {new:?}");
        }
    }
}
