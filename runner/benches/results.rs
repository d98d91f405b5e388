//! Whole runs of the program on results of the size of piglit's corpus: 35,000 tests on five
//! generations.

#![allow(missing_docs, reason = "a benchmark has no reader of its documentation")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, criterion_group, criterion_main};

const TESTS: usize = 35_000;
const GENERATIONS: [&str; 5] = ["bdw", "chv", "hsw", "ivb", "skl"];

/// A small generator: what it gives need not be good, only the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A results file in which about a tenth fails and a fifth is skipped; runs of different seeds
/// differ in 2 %.
fn results(folder: &Path, seed: u64) {
    let mut text = String::from(
        "{\"format\":1,\"version\":\"0.1.0\",\"gens\":[\"bdw\",\"chv\",\"hsw\",\"ivb\",\"skl\"],\"options\":{},\"revision\":null}\n",
    );
    let (mut same, mut other) = (Numbers(1), Numbers(seed));
    for test in 0..TESTS {
        for target in GENERATIONS {
            let number = if other.below(50) == 0 { other.below(100) } else { same.below(100) };
            let (status, rest) = match number {
                0..10 => (
                    "fail",
                    "\"layer\":\"probe\",\"reason\":\"line 25: Probe color at (0,0)\\n  Expected: 0.000000 1.000000 0.000000 1.000000\\n  Observed: 1.000000 0.000000 0.000000 1.000000\",\"outcome\":\"unexpected\"",
                ),
                10..30 => (
                    "skip",
                    "\"layer\":\"require\",\"reason\":\"line 3: needs GL_ARB_compute_shader\",\"outcome\":\"expected\"",
                ),
                _ => ("pass", "\"layer\":null,\"reason\":null,\"outcome\":\"expected\""),
            };
            let stage = |stage: &str, width: &str, instructions: u64| {
                format!(
                    "{{\"stage\":\"{stage}\",\"width\":\"{width}\",\"instructions\":{instructions},\"loops\":0,\"cycles\":{},\"spills\":0,\
                     \"fills\":0,\"sends\":1,\"registers\":{},\"sha\":\"{:064x}\"}}",
                    instructions * 14,
                    instructions % 100,
                    u128::from(instructions) * 0x9e37_79b9_7f4a_7c15_1234_5678
                )
            };
            let stages = if status == "skip" {
                String::new()
            } else {
                let size = 10 + number * 3;
                [
                    stage("vertex", "SIMD8", 12),
                    stage("fragment", "SIMD16", size),
                    stage("fragment", "SIMD8", size),
                ]
                .join(",")
            };
            let _ = writeln!(
                text,
                "{{\"test\":\"generated_tests/spec/arb_gpu_shader_fp64/execution/built-in-functions/fs-test-{test:05}\",\
                 \"gen\":\"{target}\",\"variant\":\"\",\"status\":\"{status}\",{rest},\"duration_us\":{},\
                 \"stages\":[{stages}],\"subtests\":[]}}",
                other.below(20_000)
            );
        }
    }
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("results.jsonl"), text).expect("a results file");
}

fn run(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runner"));
    command.args(arguments).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().expect("the runner starts").code().is_some_and(|code| code < 2));
}

fn whole_runs(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    results(&folder.path().join("old"), 2);
    results(&folder.path().join("new"), 3);
    let mut group = criterion.benchmark_group("175,000 results");
    group.sample_size(10);
    group.bench_function("diff", |b| b.iter(|| run(folder.path(), &["diff", "old", "new"])));
    group.bench_function("summary", |b| b.iter(|| run(folder.path(), &["summary", "old", "new"])));
    group.bench_function("report", |b| {
        b.iter(|| run(folder.path(), &["report", "new", "--previous", "old", "--out", "report"]));
    });
    group.bench_function("record in the history", |b| {
        b.iter(|| {
            let _ = fs::remove_file(folder.path().join("h.sqlite"));
            run(folder.path(), &["history", "--file", "h.sqlite", "--import", "new"]);
        });
    });
    group.finish();
    criterion.bench_function("start-up", |b| b.iter(|| run(folder.path(), &["--version"])));
}

criterion_group!(benches, whole_runs);
criterion_main!(benches);
