//! Tests of the levels that put one part of a test in place of another.

use super::*;

/// Returns the texts that the level's edits lead to.
fn after(level: Level, text: &str) -> Vec<String> {
    match level.plan(text, Syntax::ShaderTest) {
        Plan::OneByOne(edits) => edits.iter().map(|edit| apply(text, [edit])).collect(),
        other => panic!("{level:?}: {other:?}"),
    }
}

fn fragment(code: &str) -> String {
    format!("[require]\nGLSL >= 4.20\n[fragment shader]\n{code}\n[test]\nclear\n")
}

/// The level turns one fragment shader into another.
fn leads(level: Level, from: &str, to: &str) {
    let found = after(level, &fragment(from));
    assert!(found.contains(&fragment(to)), "{found:#?}");
}

#[test]
fn values_in_place_of_variables() {
    leads(
        Level::Variables,
        "int b;\nvoid main() {\nb = c + 1;\nd = b * 2;\n}",
        "void main() {\nd = (c + 1) * 2;\n}",
    );
    // The element is used further on, too.
    let elements =
        "int h[2];\nvoid main() {\nh[1] ^= u.y;\nd = f(h[1], h[0]);\nh[1] = 3;\ne = h[1];\n}";
    leads(
        Level::Variables,
        elements,
        "int h[2];\nvoid main() {\nd = f(u.y, h[0]);\nh[1] = 3;\ne = h[1];\n}",
    );
    leads(
        Level::Variables,
        "int b;\nint f() { return b; }\nvoid main() {\nb = c;\nd = f();\n}",
        "int f() { return c; }\nvoid main() {\nd = f();\n}",
    );
    leads(Level::Variables, "void main() {\nvec4 v = u;\nd = v;\n}", "void main() {\nd = u;\n}");
}

/// A value that makes the test longer stays where it is, and a loop keeps its counter.
#[test]
fn values_that_stay() {
    let long = "void main() {\nint b = long_name;\nd = b + b + b + b;\n}";
    assert_eq!(after(Level::Variables, &fragment(long)), [""; 0]);
    let counted = "void main() {\nfor (int k = 0; k < 3; k++) d += k;\n}";
    assert_eq!(after(Level::Variables, &fragment(counted)), [""; 0]);
}

#[test]
fn contents_in_place_of_calls() {
    leads(
        Level::Functions,
        "vec4 f(int a, int) { return vec4(a, 0, 0, 0); }\nvoid main() {\nc = f(x + 1, 1);\n}",
        "void main() {\nc = vec4((x + 1), 0, 0, 0);\n}",
    );
    leads(
        Level::Functions,
        "int f(int a) { return a + 1; }\nvoid main() {\nc = f(x) * 2;\n}",
        "void main() {\nc = (x + 1) * 2;\n}",
    );
    leads(
        Level::Functions,
        "void body() {\na = 1;\nb = 2;\n}\nvoid main() {\nbody();\n}",
        "void main() {\na = 1;\nb = 2;\n}",
    );
    leads(
        Level::Functions,
        "int f(inout int p) {\np = 3;\nreturn p;\n}\nvoid main() {\nc = f(g);\n}",
        "void main() {\ng = 3;\nc = g;\n}",
    );
}

#[test]
fn arguments_in_place_of_calls() {
    let text = "int f(int a, int b) { return a; }\nvoid main() {\nc = f(x, y + 1) * 2;\n}";
    leads(Level::Functions, text, "void main() {\nc = x * 2;\n}");
    leads(Level::Functions, text, "void main() {\nc = (y + 1) * 2;\n}");
}

/// A function with several meanings, or one that calls itself in its argument, has no one text.
#[test]
fn calls_that_stay() {
    let overloaded =
        "int f(int a) { return a; }\nint f(float a) { return 1; }\nvoid main() { f(1); }";
    assert_eq!(after(Level::Functions, &fragment(overloaded)), [""; 0]);
    let nested = "int f(int a) { return a; }\nvoid main() { c = f(f(1)); }";
    assert_eq!(after(Level::Functions, &fragment(nested)), [""; 0]);
}

#[test]
fn parameters_with_their_arguments() {
    let two = "int f(int a, int b) { return a; }\nvoid main() { c = f((x), g(1, 2)); }";
    leads(Level::Parameters, two, "int f(int a) { return a; }\nvoid main() { c = f((x)); }");
    leads(
        Level::Parameters,
        "int f(int a) { return 1; }\nvoid main() { c = f(2); }",
        "int f() { return 1; }\nvoid main() { c = f(); }",
    );
}

#[test]
fn one_pass_of_a_loop() {
    let counted = "void main() {\nfor (int k = 0; k < 4; k++) h[k] = k;\n}";
    leads(Level::Unwrap, counted, "void main() {\nh[2] = 2;\n}");
    leads(Level::Unwrap, counted, "void main() {\nh[k] = k;\n}");
}

/// Components and what is assigned to them become scalars in all stages.
#[test]
fn scalars_in_place_of_vectors() {
    let text = "\
[require]
GLSL >= 4.20
[vertex shader]
flat out ivec4 h;
void main() {
h = ivec4(0, b, 2, 3);
}
[fragment shader]
flat in ivec4 h;
void main() {
c = h.y;
}
[test]
clear
";
    let scalar =
        text.replace("ivec4 h", "int h").replace("ivec4(0, b, 2, 3)", "b").replace("h.y", "h");
    let found = after(Level::Vectors, text);
    assert!(found.contains(&scalar), "{found:#?}");
}

/// Lists of all elements and the loops over them shrink with the array, in all stages.
#[test]
fn arrays_with_fewer_elements() {
    let text = "\
[require]
GLSL >= 4.20
[vertex shader]
out int v[4];
void main() {
v = int[4](1, f(2), (3), 4);
}
[fragment shader]
in int v[4];
void main() {
for (int k = 0; k < 4; k++) c += v[k];
}
[test]
clear
";
    let shorter = |size: &str, list: &str| {
        let text = text.replace("v[4]", &format!("v[{size}]")).replace("< 4", &format!("< {size}"));
        text.replace("int[4](1, f(2), (3), 4)", &format!("int[{size}]{list}"))
    };
    let found = after(Level::Elements, text);
    assert_eq!(
        found,
        [shorter("1", "(1)"), shorter("2", "(1, f(2))"), shorter("3", "(1, f(2), (3))")]
    );
}

#[test]
fn members_in_place_of_structures() {
    leads(
        Level::Structures,
        "struct S { uvec2 m; };\nS g[2];\nvoid main() {\nc = g[1].m.x;\n}",
        "uvec2 g[2];\nvoid main() {\nc = g[1].x;\n}",
    );
}

#[test]
fn attachments_with_their_outputs() {
    let text = "\
[require]
GLSL >= 4.20
[fragment shader]
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
a.x = 1;
b = vec4(2);
}
[test]
texture rgbw 10 (16, 16)
texture rgbw 11 (16, 16)
fb tex 2d 10 11
clear
fb read tex 2d 11
";
    let second = text
        .replace("layout(location = 0) out vec4 a;\n", "")
        .replace("location = 1", "location = 0")
        .replace("a.x = 1;\n", "")
        .replace("texture rgbw 10 (16, 16)\n", "")
        .replace("2d 10 11", "2d 11");
    let found = after(Level::Attachments, text);
    assert!(found.contains(&second), "{found:#?}");
    let found = after(Level::Attachments, &second);
    let none = "fb read tex 2d 11\n";
    let window = second.replace("texture rgbw 11 (16, 16)\nfb tex 2d 11\n", "").replace(none, "");
    assert_eq!(found, [window]);
}

#[test]
fn parentheses_and_blanks() {
    leads(Level::Groups, "void main() { c = ((a)); }", "void main() { c = (a); }");
    leads(Level::Groups, "void main() { c = a + (b); }", "void main() { c = a + b; }");
    let text = fragment("in vec4 v\n;\nvoid main() { c = f( a , b ); }");
    let Plan::Together(edits, _) = Level::Comments.plan(&text, Syntax::ShaderTest) else {
        panic!("edits of blanks are made together");
    };
    let tight = fragment("in vec4 v;\nvoid main() { c = f(a, b); }");
    assert_eq!(apply(&text, &edits), tight);
}

#[test]
fn a_version_in_place_of_extensions() {
    let text = "\
[require]
GLSL >= 3.30
[fragment shader]
#extension GL_ARB_compute_shader : enable
#extension GL_ARB_arrays_of_arrays : enable
void main() {}
[test]
clear
";
    let found = after(Level::Extensions, text);
    let later = |version: &str| {
        let directives = text.lines().filter(|line| !line.starts_with('#'));
        let lines: Vec<&str> = directives.collect();
        lines.join("\n").replace("3.30", version) + "\n"
    };
    assert_eq!(found, [later("4.30"), later("4.60")]);
}

#[test]
fn lower_numbers_of_commands() {
    let text = "[require]\nGLSL >= 4.30\n[test]\ncompute 4 1 1\nprobe ssbo uint 0 20 == -7\n";
    let found = after(Level::Numbers, text);
    let compute = |x: &str| text.replace("4 1 1", x);
    let offset = |at: &str| text.replace("0 20", &format!("0 {at}"));
    let groups = ["0 1 1", "1 1 1", "2 1 1", "3 1 1", "4 0 1", "4 1 0"].map(compute);
    let offsets = ["0", "4", "8", "12"].map(offset);
    assert_eq!(found, [&groups[..], &offsets[..]].concat());
}

/// Counts of bytes stay multiples of four; numbers of buffers and values need not be.
#[test]
fn lower_counts_of_bytes() {
    let lower = |command: &str| {
        let before = "[require]\nGLSL >= 4.30\n[test]\n";
        let found = after(Level::Numbers, &format!("{before}{command}\n"));
        let commands =
            found.iter().filter_map(|text| text.strip_prefix(before)?.strip_suffix('\n'));
        commands.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(
        lower("ssbo 1 68"),
        ["ssbo 0 68", "ssbo 1 0", "ssbo 1 4", "ssbo 1 8", "ssbo 1 12", "ssbo 1 32"]
    );
    assert_eq!(lower("ssbo 0 10"), ["ssbo 0 0", "ssbo 0 4", "ssbo 0 8"]);
    assert_eq!(
        lower("xfb buffer object 0 40"),
        ["0", "4", "8", "12", "20"].map(|size| format!("xfb buffer object 0 {size}"))
    );
    assert_eq!(
        lower("ssbo 0 subdata int 8 2"),
        ["0 2", "4 2", "8 0", "8 1"].map(|end| format!("ssbo 0 subdata int {end}"))
    );
}
