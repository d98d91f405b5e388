//! The committed suites equal the generator's output, byte for byte.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use generate::suite::{File, fp64, half, perturbed_fp64, perturbed_half};
use generate::{family, stage::TestStage, suite::half_signatures};

/// The double-precision suite, generated once.
static FP64: LazyLock<Vec<File>> = LazyLock::new(|| fp64().collect());
/// The 16-bit suite, generated once.
static HALF: LazyLock<Vec<File>> = LazyLock::new(|| half().collect());

/// Directory of a suite that holds hand-written tests.
const HAND_WRITTEN: &str = "hand";

fn suite(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// Paths below a suite and their bytes, hand-written tests aside.
fn committed(suite_name: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for group in fs::read_dir(suite(suite_name)).expect("the suite exists") {
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
fn committed_suites_are_up_to_date() {
    is_up_to_date("fp64", &FP64);
    is_up_to_date("half", &HALF);
}

fn is_up_to_date(suite: &str, files: &[File]) {
    let mut committed = committed(suite);
    for file in files {
        let Some(bytes) = committed.remove(&file.path) else {
            panic!("{} is missing or generated twice: run `cargo run -p generate`", file.path);
        };
        assert!(
            bytes == file.text.as_bytes(),
            "{} differs: run `cargo run -p generate`",
            file.path
        );
    }
    assert!(
        committed.is_empty(),
        "not generated any more: {:?}",
        committed.keys().collect::<Vec<_>>()
    );
}

/// Minimum sizes of the suites.
#[test]
fn suites_are_large_enough() {
    let paths = committed("fp64");
    assert!(paths.len() > 2226, "{} tests", paths.len());
    let signatures = family::fp64();
    let operations: BTreeSet<String> =
        signatures.iter().map(|s| format!("{}/{}", s.group, s.name)).collect();
    assert!(operations.len() >= 60, "{operations:?}");
    // Each exists for all of its stages.
    assert_eq!(paths.len(), signatures.iter().map(|s| s.stages.len()).sum::<usize>());

    let paths = committed("half");
    assert!(paths.len() >= 1500, "{} tests", paths.len());
    for stage in [TestStage::Vertex, TestStage::Fragment] {
        let prefix = format!("/{}-", stage.prefix());
        let tests = paths.keys().filter(|path| path.contains(&prefix)).count();
        assert_eq!(
            tests,
            half_signatures(stage).iter().filter(|s| s.stages.contains(&stage)).count()
        );
        assert!(tests >= 700, "{tests} for {stage:?}");
    }
}

/// mod(k·y, y) over 10,000 pairs.
#[test]
fn multiples_are_many() {
    let mut pairs = BTreeSet::new();
    for file in FP64.iter().filter(|file| file.path.ends_with("-mod-multiples.shader_test")) {
        let operands = |name: &str| {
            let prefix = format!("uniform dvec4 {name} ");
            let values =
                file.text.lines().filter_map(|line| line.strip_prefix(&prefix).map(str::to_string));
            values
                .flat_map(|line| line.split(' ').map(str::to_string).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        pairs.extend(operands("a").into_iter().zip(operands("b")));
    }
    assert!(pairs.len() >= 10_000, "{} pairs", pairs.len());
}

/// Important operands appear in many tests each: zeros, subnormals, infinities, NaN, values beyond
/// float's range and precision, ties.
#[test]
fn special_values_are_covered() {
    let doubles = [
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
    for bits in doubles {
        let count = tests_with_operand(&FP64, &format!("{bits:#018x}"));
        assert!(count >= 20, "{:e} is an operand of {count} tests only", f64::from_bits(bits));
    }
    // Halves are written as floats: zeros, the smallest and the largest subnormal, the smallest
    // normal, 1, its successor, the largest, infinities and NaN.
    let power = |n: i32| 2f32.powi(n);
    let halves = [
        0.0,
        -0.0,
        power(-24),
        power(-14) - power(-24),
        power(-14),
        1.0,
        1.0 + power(-10),
        65504.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    for half in halves {
        let count = tests_with_operand(&HALF, &format!("{:#010x}", half.to_bits()));
        assert!(count >= 100, "{half:e} is an operand of {count} tests only");
    }
    // Doubles that go wrong by way of float.
    for double in
        [1.0 + 2f64.powi(-11) + 2f64.powi(-40), 1.0 + 3.0 * 2f64.powi(-11) - 2f64.powi(-40)]
    {
        let count = tests_with_operand(&HALF, &format!("{:#018x}", double.to_bits()));
        assert!(count >= 5, "{double:e} is an operand of {count} tests only");
    }
}

/// Number of tests in which a uniform other than those with expected values gets a value of this
/// spelling.
fn tests_with_operand(suite: &[File], pattern: &str) -> usize {
    let operand = |line: &str| {
        line.starts_with("uniform")
            && !is_expected(line)
            && line.split(' ').skip(3).any(|value| value == pattern)
    };
    suite.iter().filter(|file| file.text.lines().any(operand)).count()
}

/// True for lines of a script that set accepted values.
fn is_expected(line: &str) -> bool {
    line.contains(" low")
        || line.contains(" high")
        || line.starts_with("probe xfb")
        || line.starts_with("probe ssbo")
}

#[test]
fn perturbed_fp64_variants_change_one_case() {
    change_one_case(&FP64, perturbed_fp64());
}

#[test]
fn perturbed_half_variants_change_one_case() {
    change_one_case(&HALF, perturbed_half());
}

/// Asserts that a variant differs from its test in one expected value only.
fn change_one_case(suite: &[File], perturbed: impl Iterator<Item = File>) {
    let originals: BTreeMap<&str, HashSet<&str>> =
        suite.iter().map(|file| (file.path.as_str(), file.text.lines().collect())).collect();
    let mut variants = 0;
    for file in perturbed {
        variants += 1;
        let stem = file.path.rsplit_once('-').expect("a case number").0;
        let lines = &originals[format!("{stem}.shader_test").as_str()];
        let changed: Vec<&str> = file.text.lines().filter(|line| !lines.contains(line)).collect();
        assert!(changed.iter().all(|line| is_expected(line)), "{}", file.path);
        // With fewer cases than lanes, one case is in several.
        let changed: BTreeSet<_> = changed
            .iter()
            .map(|line| (line.split('[').next(), line.split(']').next_back()))
            .collect();
        assert!(changed.len() <= 2, "{}: {changed:?}", file.path);
    }
    assert!(variants >= 4 * originals.len());
}
