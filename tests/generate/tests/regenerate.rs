//! The committed suite is what the generator writes, byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use generate::family;
use generate::suite::{File, fp64, perturbed_fp64};

/// The suite, generated once.
static SUITE: LazyLock<Vec<File>> = LazyLock::new(|| fp64().collect());

/// Directory of the suite that holds hand-written tests.
const HAND_WRITTEN: &str = "hand";

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fp64")
}

/// Paths below the suite and their bytes, hand-written tests aside.
fn committed() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for group in fs::read_dir(suite()).expect("tests/fp64 exists") {
        let group = group.expect("a readable directory entry");
        let name = group.file_name().into_string().expect("an ASCII name");
        if name == HAND_WRITTEN || !group.path().is_dir() {
            continue;
        }
        for file in fs::read_dir(group.path()).expect("a readable directory") {
            let file = file.expect("a readable directory entry");
            let path = format!("{name}/{}", file.file_name().into_string().expect("an ASCII name"));
            files.insert(path, fs::read(file.path()).expect("a readable file"));
        }
    }
    files
}

#[test]
fn committed_suite_is_up_to_date() {
    let mut committed = committed();
    for file in SUITE.iter() {
        let Some(bytes) = committed.remove(&file.path) else {
            panic!("{} is missing or generated twice: run `cargo run -p generate`", file.path);
        };
        assert!(bytes == file.text.as_bytes(), "{} differs: run `cargo run -p generate`", file.path);
    }
    assert!(committed.is_empty(), "not generated any more: {:?}", committed.keys().collect::<Vec<_>>());
}

/// What the issues of the project ask of the suite's size.
#[test]
fn suite_is_large_enough() {
    let paths = committed();
    assert!(paths.len() > 2226, "{} tests", paths.len());
    let signatures = family::signatures();
    let operations: BTreeSet<String> = signatures.iter().map(|s| format!("{}/{}", s.group, s.name)).collect();
    assert!(operations.len() >= 60, "{operations:?}");
    // Each is there for all of its stages.
    assert_eq!(paths.len(), signatures.iter().map(|s| s.stages.len()).sum::<usize>());
}

/// mod(k·y, y) over 10,000 pairs.
#[test]
fn multiples_are_many() {
    let mut pairs = BTreeSet::new();
    for file in SUITE.iter().filter(|file| file.path.ends_with("-mod-multiples.shader_test")) {
        let operands = |name: &str| {
            let prefix = format!("uniform dvec4 {name} ");
            let values = file.text.lines().filter_map(|line| line.strip_prefix(&prefix).map(str::to_string));
            values
                .flat_map(|line| line.split(' ').map(str::to_string).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        pairs.extend(operands("a").into_iter().zip(operands("b")));
    }
    assert!(pairs.len() >= 10_000, "{} pairs", pairs.len());
}

/// The values that matter are fed, each in many tests: zeros, subnormals, infinities, NaN, what is past float's range and precision,
/// halves.
#[test]
fn special_values_are_covered() {
    let texts: Vec<&str> = SUITE.iter().map(|file| file.text.as_str()).collect();
    let values = [
        0x0000_0000_0000_0000u64,
        0x8000_0000_0000_0000,
        0x0000_0000_0000_0001,
        0x0010_0000_0000_0000,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        1e300f64.to_bits(),
        1e-300f64.to_bits(),
        (1.0 + f64::EPSILON * 4096.0).to_bits(),
        0.5f64.to_bits(),
        2.5f64.to_bits(),
    ];
    for bits in values {
        let pattern = format!("{bits:#018x}");
        let operand = |line: &str| {
            let expected = line.contains(" low ") || line.contains(" high ");
            line.starts_with("uniform") && !expected && line.contains(&pattern)
        };
        let count = texts.iter().filter(|text| text.lines().any(operand)).count();
        assert!(count >= 20, "{:e} is an operand of {count} tests only", f64::from_bits(bits));
    }
}

/// A variant differs from its test in one expected value only.
#[test]
fn perturbed_variants_change_one_case() {
    let originals: BTreeMap<&str, &str> =
        SUITE.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    let mut variants = 0;
    for file in perturbed_fp64() {
        variants += 1;
        let stem = file.path.rsplit_once('-').expect("a case number").0;
        let original = originals[format!("{stem}.shader_test").as_str()];
        let lines: BTreeSet<&str> = original.lines().collect();
        let changed: Vec<&str> = file.text.lines().filter(|line| !lines.contains(line)).collect();
        assert!(changed.len() <= 2, "{}: {changed:?}", file.path);
        let expected =
            |line: &&str| line.contains(" low ") || line.contains(" high ") || line.starts_with("probe xfb");
        assert!(changed.iter().all(expected), "{}", file.path);
    }
    assert!(variants >= 4 * originals.len());
}
