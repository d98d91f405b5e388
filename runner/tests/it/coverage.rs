//! `runner coverage` from outside.

use crate::support::{GREEN, Sandbox};

/// Kinds and generations; used items are counted, unused ones are listed.
#[test]
fn what_tests_use_is_counted() {
    let sandbox = Sandbox::new();
    sandbox.file("s/green.shader_test", GREEN);
    let text = GREEN.replace("gl_FragColor = c;", "gl_FragColor = vec4(dot(c.xy, c.xz)) + c;");
    sandbox.file("s/dot.shader_test", text);
    let ran = sandbox.run(&["coverage", "s", "--gen", "ivb,skl,si", "--out", "out"]);
    ran.expect(0, &["GLSL functions", "opcodes", "that never occur", "[6/6] pass: 6"]);
    let json = std::fs::read(sandbox.path("out/coverage.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(report["tests"], 2);
    let parts = report["parts"].as_array().expect("parts");
    let part = |kind: &str, generation: &str| {
        let is_it = |part: &&serde_json::Value| part["kind"] == kind && part["gen"] == generation;
        parts.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} of {generation}"))
    };
    for (generation, used, unused, message) in [
        ("ivb", "mov", "while", "SIMD16"),
        ("skl", "mov", "while", "SIMD16"),
        ("si", "exp", "s_barrier", "buffer_load_format_xy"),
    ] {
        assert_eq!(part("functions", generation)["covered"]["dot"], 1);
        assert_eq!(part("overloads", generation)["covered"]["dot(vec2, vec2)"], 1);
        let opcodes = part("opcodes", generation);
        assert_eq!(opcodes["covered"][used], 2, "{opcodes}");
        let missing = opcodes["missing"].as_array().expect("a list");
        assert!(missing.contains(&unused.into()) && !missing.contains(&used.into()), "{missing:?}");
        let covered = opcodes["covered"].as_object().expect("counts").len();
        assert_eq!(opcodes["total"].as_u64(), Some((covered + missing.len()) as u64));
        let messages = part("messages", generation)["covered"].to_string();
        assert!(messages.contains(message), "{messages}");
    }
    assert!(!parts.iter().any(|part| part["kind"] == "quirks"), "they were not asked for");
}

/// A coverage below the minimum is an error, and quirks are tried on request.
#[test]
fn minima_and_quirks() {
    let sandbox = Sandbox::new();
    sandbox.file("s/green.shader_test", GREEN);
    let ran = sandbox.run(&["coverage", "s", "--gen", "ivb", "--min", "opcodes=99"]);
    ran.expect(1, &["opcodes [ivb]: less than 99 %"]);
    sandbox.run(&["coverage", "s", "--gen", "ivb", "--min", "opcodes=1"]).expect(0, &[]);
    sandbox
        .run(&["coverage", "s", "--gen", "ivb", "--min", "nothing=1"])
        .expect(2, &["kinds: functions"]);
    let test =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/quirks/fs-product-low-words.shader_test");
    let options = ["--gen", "ivb", "--quirks", "--out", "out", "--min", "quirks=4"];
    sandbox.run(&[&["coverage", test], &options[..]].concat()).expect(0, &["quirks handled"]);
    let json = std::fs::read_to_string(sandbox.path("out/coverage.json")).expect("a report");
    assert!(json.contains("\"gen7-dword-mul\": "), "{json}");
}
