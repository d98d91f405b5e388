//! Programs beyond the limits that a straight translation has: code that 16-bit branches cannot
//! jump over, switches with more cases than ifs may nest, and copies of arrays that no memory
//! holds.

use crate::support::Sandbox;

/// Instructions that fit between a branch of gen7 and its target.
const REACH: u64 = 16_383;
/// Dwords that fit between a jump of GCN and its target.
const DWORDS_OF_GCN: u64 = 32_767;

/// A statement that no pass shortens, 4096 times: the value is mixed with each use.
fn macros() -> String {
    let mut text = "#define M0 v = (v ^ k) + (v >> 3);\n".to_owned();
    for n in 1..=6 {
        text += &format!("#define M{n} M{0} M{0} M{0} M{0}\n", n - 1);
    }
    text
}

/// A loop and an if that are too long, with a break, continues, an inner loop and an else; `stop`
/// removes channels altogether.
fn body(stop: &str) -> String {
    format!(
        "for (int i = 0; i < n; i++) {{
            k += 5u;
            if ((v & 3u) != 0u) {{
                {stop}
                M6
                if ((v & 7u) == 3u) continue;
                for (int j = 0; j < n; j++) {{ if ((v & 15u) == uint(j)) break; v += 7u; }}
                M4
                if ((v & 7u) == 6u) break;
            }} else {{
                if ((v & 8u) != 0u) {{ v += 3u; continue; }}
                M5 M4
                v += 2u;
            }}
            v += 1u;
        }}
"
    )
}

/// Runs a test; every result must pass, which takes agreement with the reference, with a kernel of
/// `stage` longer than the reach of branches.
fn passes_beyond_reach(reach: u64, stage: &str, generation: &str, text: &str) {
    let sandbox = Sandbox::new();
    sandbox.file("large.shader_test", text);
    sandbox.run(&["large.shader_test", "--gen", generation, "--out", "out"]).expect(0, &[]);
    let results = sandbox.results("out");
    let results: Vec<_> = results.iter().filter(|result| result["test"].is_string()).collect();
    assert_eq!(results.len(), 1);
    for result in results {
        assert_eq!(result["status"], "pass", "{result}");
        let stages = result["stages"].as_array().expect("stages");
        let longest = stages
            .iter()
            .filter(|kernel| kernel["stage"] == stage)
            .filter_map(|kernel| kernel["instructions"].as_u64())
            .max();
        assert!(longest > Some(reach), "{result}");
    }
}

#[test]
fn branches_of_fragment_shaders_reach_over_any_distance() {
    passes_beyond_reach(
        REACH,
        "fragment",
        "ivb",
        &format!(
            "[require]\nGLSL >= 1.30\nSIZE 16 16\n[vertex shader passthrough]\n[fragment shader]\n#version 130\n\
             uniform int n;\nout vec4 c;\n{}void main() {{\n  uint v = uint(gl_FragCoord.x) * 77u + uint(gl_FragCoord.y);\n  \
             uint k = v * 3u;\n{}  c = vec4(v & 255u, v >> 8 & 255u, v >> 16 & 255u, v >> 24) / 255.0;\n}}\n\
             [test]\nclear color 0 0 0 0\nclear\nuniform int n 6\ndraw rect -1 -1 2 2\ntolerance 2 2 2 2\nprobe all rgba 0 0 0 0\n",
            macros(),
            body("if ((v & 31u) == 17u) discard;")
        ),
    );
}

#[test]
fn jumps_of_gcn_reach_over_any_distance() {
    passes_beyond_reach(
        DWORDS_OF_GCN,
        "fragment",
        "si",
        &format!(
            "[require]\nGLSL >= 1.30\nSIZE 16 16\n[vertex shader passthrough]\n[fragment shader]\n#version 130\n\
             uniform int n;\nout vec4 c;\n{}void main() {{\n  \
             uint v = uint(gl_FragCoord.x) * 77u + uint(gl_FragCoord.y);\n  uint k = v * 3u;\n  \
             for (int i = 0; i < n; i++) {{\n    if ((v & 3u) == 1u) break;\n    \
             if ((v & 7u) == 3u) {{ M6 M6 k += 5u; if ((v & 15u) == 6u) continue; M6 }} else {{ v += 9u; M5 }}\n    \
             v += 1u;\n  }}\n  \
             c = vec4(v & 255u, v >> 8 & 255u, v >> 16 & 255u, v >> 24) / 255.0;\n}}\n\
             [test]\nclear color 0 0 0 0\nclear\nuniform int n 6\ndraw rect -1 -1 2 2\ntolerance 2 2 2 2\nprobe all rgba 0 0 0 0\n",
            macros(),
        ),
    );
}

#[test]
fn branches_of_vertex_shaders_reach_over_any_distance() {
    passes_beyond_reach(
        REACH,
        "vertex",
        "hsw",
        &format!(
            "[require]\nGLSL >= 1.30\nSIZE 16 16\n[vertex shader]\n#version 130\nuniform int n;\nin vec4 piglit_vertex;\n\
             flat out uint w;\n{}void main() {{\n  uint v = uint(gl_VertexID) * 7u + 1u;\n  uint k = v * 3u;\n{}  \
             w = v;\n  gl_Position = piglit_vertex;\n}}\n\
             [fragment shader]\n#version 130\nflat in uint w;\nout vec4 c;\n\
             void main() {{ c = vec4(w & 255u, w >> 8 & 255u, w >> 16 & 255u, w >> 24) / 255.0; }}\n\
             [test]\nclear color 0 0 0 0\nclear\nuniform int n 6\ndraw rect -1 -1 2 2\ntolerance 2 2 2 2\nprobe all rgba 0 0 0 0\n",
            macros(),
            body("")
        ),
    );
}

/// A switch of `count` cases, each with a break, on a uniform.
fn switch(count: u32) -> String {
    let cases: String =
        (0..count).map(|i| format!("case {i}: v = {}; break;\n", i * 7 % 1000)).collect();
    let draw = |selector: u32, value: u32| {
        format!(
            "uniform int i {selector}\nuniform int expected {value}\ndraw rect -1 -1 2 2\nprobe all rgba 0 1 0 1\n"
        )
    };
    format!(
        "[require]\nGLSL >= 1.30\nSIZE 8 8\n[vertex shader passthrough]\n[fragment shader]\n#version 130\nuniform int i, expected;\n\
         out vec4 c;\nvoid main() {{\n  int v = -1;\n  switch (i) {{\n{cases}default: v = 5; break;\n  }}\n  \
         c = v == expected ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);\n}}\n[test]\n{}{}{}{}",
        draw(0, 0),
        draw(256, 256 * 7 % 1000),
        draw(count - 1, (count - 1) * 7 % 1000),
        draw(count, 5)
    )
}

#[test]
fn switches_may_have_more_cases_than_ifs_may_nest() {
    let sandbox = Sandbox::new();
    sandbox.file("switch.shader_test", switch(1100));
    sandbox.run(&["switch.shader_test", "--gen", "ivb,skl"]).expect(0, &["pass: 2"]);
}

#[test]
fn copies_of_huge_arrays_are_errors() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "arrays.shader_test",
        "[require]\nGLSL >= 1.30\n[vertex shader passthrough]\n[fragment shader]\n#version 130\nuniform float u;\n\
         void main() {\n  float x[20000000], y[20000000];\n  y = x;\n  gl_FragColor = vec4(y[7] + u);\n}\n\
         [test]\ndraw rect -1 -1 2 2\n",
    );
    let refusal = "shader grows past 2000000 instructions when calls are inlined and arrays copied";
    sandbox
        .run(&["show", "arrays.shader_test", "--gen", "ivb", "stats"])
        .expect(2, &[&format!("fragment shader: lower: {refusal}")]);
}
