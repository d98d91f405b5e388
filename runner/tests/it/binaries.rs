//! Binaries from outside: written, read back, executed, taken apart, and damaged in every way.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{GREEN, Sandbox};

/// Writes the binaries of the passing test to `bin` and gives the kernels' files, relative to the
/// sandbox.
fn with_binaries() -> (Sandbox, Vec<PathBuf>) {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    sandbox
        .run(&["show", "suite/a.shader_test", "--gen", "ivb", "binary", "--out", "bin"])
        .expect(0, &[]);
    let mut kernels: Vec<PathBuf> = ["vertex", "fragment"]
        .iter()
        .flat_map(|stage| {
            fs::read_dir(sandbox.path("bin").join(stage)).expect("a folder per stage")
        })
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bin"))
        .collect();
    kernels.sort();
    assert!(kernels.len() >= 3, "vec4, SIMD8 and SIMD16: {kernels:?}");
    (sandbox, kernels)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a name in UTF-8")
}

#[test]
fn written_binaries_execute_like_compiled_ones() {
    let (sandbox, _) = with_binaries();
    sandbox.run(&["suite", "--gen", "ivb", "--out", "compiled"]).expect(0, &["[1/1] pass: 1"]);
    sandbox
        .run(&["suite", "--gen", "ivb", "--binaries", "bin", "--out", "given"])
        .expect(0, &["[1/1] pass: 1"]);
    let (compiled, given) = (sandbox.results("compiled"), sandbox.results("given"));
    assert_eq!(compiled[1]["stages"], given[1]["stages"]);
    assert_eq!(given[1]["variant"], "binaries=given");
    assert_eq!(given[0]["options"]["binaries"], "given");
    let shas: Vec<&str> = given[1]["stages"]
        .as_array()
        .expect("stages")
        .iter()
        .filter_map(|s| s["sha"].as_str())
        .collect();
    assert!(shas.len() >= 3 && shas.iter().all(|sha| sha.len() == 64), "{shas:?}");
}

#[test]
fn binaries_are_found_by_test_and_generation() {
    let (sandbox, _) = with_binaries();
    fs::create_dir_all(sandbox.path("all/suite/a")).expect("folders");
    fs::rename(sandbox.path("bin"), sandbox.path("all/suite/a/ivb")).expect("a move");
    sandbox.file("all/suite/a/ivb/fragment/meta.json", "not JSON");
    let ran = sandbox.run(&["suite", "--gen", "ivb", "--binaries", "all"]);
    ran.expect(1, &["all/suite/a/ivb/fragment/meta.json: "]);
}

#[test]
fn binaries_of_another_generation_are_refused() {
    let (sandbox, _) = with_binaries();
    sandbox
        .run(&["suite", "--gen", "hsw", "--binaries", "bin"])
        .expect(1, &["binary is for ivb, not hsw"]);
}

#[test]
fn listings_assemble_to_the_same_bytes() {
    let (sandbox, kernels) = with_binaries();
    for kernel in kernels {
        let listing = sandbox.run(&["disasm", "--gen", "ivb", text(&kernel)]);
        listing.expect(0, &["{ align"]);
        let bytes = fs::read(&kernel).expect("a kernel");
        assert_eq!(listing.out.lines().count() * 16, bytes.len(), "a line per instruction");
        sandbox.file("listing.eu", &listing.out);
        let again =
            sandbox.command(&["asm", "--gen", "ivb", "listing.eu"]).output().expect("asm").stdout;
        assert_eq!(again, bytes, "{}", kernel.display());
        let stage =
            kernel.parent().and_then(Path::file_name).and_then(|s| s.to_str()).expect("a stage");
        let width = kernel.file_stem().and_then(|s| s.to_str()).expect("a width");
        let select =
            ["show", "suite/a.shader_test", "--gen", "ivb", "--stage", stage, "--width", width];
        sandbox.file("shown.eu", sandbox.run(&[&select[..], &["eu"]].concat()).out);
        let shown =
            sandbox.command(&["asm", "--gen", "ivb", "shown.eu"]).output().expect("asm").stdout;
        assert_eq!(shown, bytes, "what `show … eu` prints assembles too");
        let raw =
            sandbox.command(&[&select[..], &["binary"]].concat()).output().expect("show").stdout;
        assert_eq!(raw, bytes);
    }
}

/// Sizes in metadata, each larger than any thread could have, and what is said of them.
#[test]
fn sizes_that_no_thread_has_are_refused() {
    let (sandbox, _) = with_binaries();
    let path = sandbox.path("bin/fragment/meta.json");
    let text = fs::read_to_string(&path).expect("metadata");
    let metadata: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for (place, message) in [
        ("/push/0/length", "registers of push constants: 4294967295 is above 128"),
        ("/kernels/0/dispatch_grf_start", "dispatch_grf_start: 4294967295 is above 128"),
        ("/kernels/1/scratch_bytes", "scratch_bytes: 4294967295 is above 2097152"),
    ] {
        let mut changed = metadata.clone();
        *changed.pointer_mut(place).expect("a number") = u32::MAX.into();
        fs::write(&path, changed.to_string()).expect("metadata");
        let ran = sandbox.run(&["suite", "--gen", "ivb", "--binaries", "bin", "--out", "out"]);
        ran.expect(1, &["fail    [ivb] suite/a encode: ", "bin/fragment/meta.json: ", message]);
    }
}

#[test]
fn damaged_kernels_are_refused_or_change_the_verdict() {
    let (sandbox, kernels) = with_binaries();
    let arguments = ["suite", "--gen", "ivb", "--binaries", "bin", "--out", "out"];
    for kernel in &kernels {
        let bytes = fs::read(kernel).expect("a kernel");
        let damaged: [(&str, Vec<u8>); 4] = [
            ("empty", Vec::new()),
            ("cut inside an instruction", bytes[..bytes.len() - 5].to_vec()),
            ("without its end", bytes[..bytes.len() - 16].to_vec()),
            ("ones", vec![0xff; bytes.len()]),
        ];
        for (what, contents) in damaged {
            fs::write(kernel, contents).expect("a kernel");
            let ran = sandbox.run(&arguments);
            ran.expect(1, &["[ivb] suite/a "]);
            assert!(!ran.out.contains("crash"), "{what}: {ran:#?}");
        }
        fs::write(kernel, bytes).expect("a kernel");
    }
    sandbox.run(&arguments).expect(0, &[]);
}

#[test]
fn flipped_bits_never_crash() {
    let (sandbox, kernels) = with_binaries();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut noticed, flips) = (0, 60);
    for _ in 0..flips {
        let kernel = &kernels[random(kernels.len())];
        let bytes = fs::read(kernel).expect("a kernel");
        let mut damaged = bytes.clone();
        let bit = random(bytes.len() * 8);
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(kernel, damaged).expect("a kernel");
        let ran = sandbox.run(&["suite", "--gen", "ivb", "--binaries", "bin", "--out", "out"]);
        assert!(ran.code == 0 || ran.code == 1, "bit {bit} of {}: {ran:#?}", kernel.display());
        assert!(!ran.out.contains("crash"), "bit {bit} of {}: {ran:#?}", kernel.display());
        noticed += ran.code;
        fs::write(kernel, bytes).expect("a kernel");
    }
    // The test does next to nothing, so that many bits mean nothing; `bit_flips.rs` counts over the
    // suite.
    assert!(noticed * 4 >= flips, "{noticed} of {flips} flips were noticed");
}

/// Widths and back ends that do not exist are errors or notes, and the width that is blamed is the
/// one that is missing.
#[test]
fn widths_and_back_ends_that_do_not_exist() {
    let (sandbox, _) = with_binaries();
    let run = |more: &[&str]| sandbox.run(&[&["suite", "--out", "out"], more].concat());
    for width in ["vec4", "SIMD32"] {
        let message =
            format!("--width {width}: fragment and compute shaders have SIMD8 and SIMD16");
        run(&["--gen", "skl", "--width", width]).expect(2, &[&message]);
    }
    let note = "note: --width SIMD16 applies to fragment and compute shaders";
    run(&["--gen", "skl", "--width", "SIMD16"]).expect(0, &[note, "pass: 1"]);
    let note = "on ivb, hsw vertex, tessellation and geometry shaders have vec4 code only";
    run(&["--gen", "ivb,hsw,skl", "--backend", "scalar"]).expect(0, &[note]);
    let note = "on skl tessellation and geometry shaders have scalar code only";
    run(&["--gen", "ivb,skl", "--backend", "vec4"]).expect(0, &[note]);
    let show = |more: &[&str]| {
        sandbox.run(&[&["show", "suite/a.shader_test", "--gen", "ivb"], more].concat())
    };
    let message = "the vertex shader has no SIMD16 kernel on ivb, but vec4";
    show(&["--stage", "vertex", "--width", "SIMD16", "eu"]).expect(2, &[message]);
    show(&["--width", "SIMD16", "eu"])
        .expect(0, &[&format!("note: {message}"), "// fragment SIMD16"]);
    // Of given binaries one width can be chosen, if it is there.
    let given = ["--gen", "ivb", "--binaries", "bin"];
    run(&[&given[..], &["--width", "SIMD16"]].concat()).expect(0, &["pass: 1"]);
    let widths: Vec<_> = sandbox.results("out")[1]["stages"]
        .as_array()
        .expect("stages")
        .iter()
        .filter_map(|stage| stage["width"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(widths, ["vec4", "SIMD16"]);
    let message = "the binary of the fragment shader has no SIMD32 kernel, but SIMD8, SIMD16";
    run(&[&given[..], &["--width", "SIMD32"]].concat()).expect(1, &[message]);
}

/// Writes the programs of the passing test for si to `bin`.
fn with_amd_programs() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    let show = ["show", "suite/a.shader_test", "--gen", "si", "binary", "--out", "bin"];
    sandbox.run(&show).expect(0, &[]);
    sandbox
}

const WITH_AMD_PROGRAMS: [&str; 7] = ["suite", "--gen", "si", "--binaries", "bin", "--out", "out"];

#[test]
fn programs_of_amd_execute_like_compiled_ones() {
    let sandbox = with_amd_programs();
    sandbox.run(&["suite", "--gen", "si", "--out", "compiled"]).expect(0, &["[1/1] pass: 1"]);
    sandbox.run(&WITH_AMD_PROGRAMS).expect(0, &["[1/1] pass: 1"]);
    let (compiled, given) = (sandbox.results("compiled"), sandbox.results("out"));
    assert_eq!(compiled[1]["stages"], given[1]["stages"]);
    let other = ["suite", "--gen", "vi", "--binaries", "bin"];
    sandbox.run(&other).expect(1, &["binary is for si, not vi"]);
    let listing = sandbox.run(&["disasm", "--gen", "si", "bin/fragment/wave64.bin"]);
    listing.expect(0, &["exp mrt0", "s_endpgm"]);
    fs::write(sandbox.path("bin/fragment/wave64.bin"), [0; 4]).expect("a program");
    sandbox.run(&WITH_AMD_PROGRAMS).expect(1, &["fail    [si] suite/a validate: "]);
}

/// Puts a number in the place of each one in turn.
fn with_number(value: &serde_json::Value, number: u32) -> Vec<serde_json::Value> {
    use serde_json::Value;
    match value {
        Value::Number(_) => vec![number.into()],
        Value::Array(items) => (0..items.len())
            .flat_map(|at| {
                with_number(&items[at], number).into_iter().map(move |changed| {
                    let mut all = items.clone();
                    all[at] = changed;
                    Value::Array(all)
                })
            })
            .collect(),
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, member)| {
                with_number(member, number).into_iter().map(move |changed| {
                    let mut all = members.clone();
                    all.insert(key.clone(), changed);
                    Value::Object(all)
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn wrong_numbers_of_amd_programs_do_no_harm() {
    let sandbox = with_amd_programs();
    for stage in ["vertex", "fragment"] {
        let path = sandbox.path(&format!("bin/{stage}/meta.json"));
        let text = fs::read_to_string(&path).expect("metadata");
        let metadata: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for changed in [0, 100, u32::MAX].iter().flat_map(|&n| with_number(&metadata, n)) {
            fs::write(&path, changed.to_string()).expect("metadata");
            let ran = sandbox.run(&WITH_AMD_PROGRAMS);
            assert!(matches!(ran.code, 0 | 1) && !ran.out.contains("crash"), "{changed}: {ran:#?}");
        }
        fs::write(&path, text).expect("metadata");
    }
}
