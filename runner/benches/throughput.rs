//! Tests whose work cannot be shared: the speed of simulator and interpreter on whole windows.
//!
//! `cargo bench -p runner --bench throughput`. Every file of `benches/shaders` runs on each
//! generation with `--shade all`, and once on the interpreter alone. A group's throughput counts
//! the fragments or invocations that the file shades.

#![allow(missing_docs, reason = "a benchmark has no reader of its documentation")]

use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const GENERATIONS: [&str; 5] = ["ivb", "hsw", "bdw", "chv", "skl"];

/// Files, and the fragments or invocations of each.
const SHADERS: [(&str, u64); 5] = [
    ("arithmetic", 4 * 250 * 250),
    ("integers", 250 * 250),
    ("doubles", 250 * 250),
    ("textures", 250 * 250),
    ("shared-memory", 256 * 64),
];

/// Runs one file on one executor.
fn run(name: &str, executor: &[&str]) {
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/shaders");
    let mut command = Command::new(env!("CARGO_BIN_EXE_runner"));
    command.arg(shaders.join(name).with_extension("shader_test")).args(executor);
    command.args(["--shade", "all", "--jobs", "1"]).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().expect("the runner starts").success(), "{name} {executor:?}");
}

fn windows(criterion: &mut Criterion) {
    for (name, invocations) in SHADERS {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).throughput(Throughput::Elements(invocations));
        for generation in GENERATIONS {
            let executor = ["--gen", generation, "--no-reference"];
            group.bench_function(generation, |b| b.iter(|| run(name, &executor)));
        }
        group.bench_function("interpreter", |b| b.iter(|| run(name, &["--reference-only"])));
        group.finish();
    }
}

criterion_group!(benches, windows);
criterion_main!(benches);
