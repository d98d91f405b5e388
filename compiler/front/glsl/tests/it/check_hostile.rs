//! Input made to exhaust time, memory or stack: the only requirement is an answer in reasonable
//! time.

use program::link::LinkOptions;
use program::{Stage, TypeTable};
use std::fmt::Write;

fn compile_and_link(source: &str) -> Result<(), String> {
    let capabilities = crate::support::everything();
    let mut types = TypeTable::default();
    let options = glsl::CompileOptions::new(&capabilities);
    let shader = glsl::compile(&[source], Stage::Fragment, options, &mut types)
        .map_err(|e| e.to_string())?;
    program::link(vec![shader], types, &LinkOptions::new(&capabilities))
        .map(|_| ())
        .map_err(|e| e.to_string())
}

#[test]
fn constants_that_double() {
    let mut source = "#version 450\nconst int c0 = 0;\n".to_owned();
    for i in 1..200 {
        let _ = writeln!(source, "const int c{i} = c{} + c{};", i - 1, i - 1);
    }
    source += "void main() { float a[c199 + 1]; a[0] = 1.0; }";
    assert_eq!(compile_and_link(&source), Ok(()));
}

#[test]
fn structures_that_double() {
    let mut source = "#version 450\nstruct S0 { float f; };\n".to_owned();
    for i in 1..100 {
        let _ = writeln!(source, "struct S{i} {{ S{} a, b; }};", i - 1);
    }
    source += "uniform S99 s; void main() { }";
    assert!(compile_and_link(&source).unwrap_err().contains("nested too deeply"));
}

#[test]
fn structures_that_nest() {
    let mut source = "#version 450\nstruct S0 { float f; };\n".to_owned();
    for i in 1..20000 {
        let _ = writeln!(source, "struct S{i} {{ S{} a; }};", i - 1);
    }
    assert!(compile_and_link(&source).is_err());
}

#[test]
fn huge_arrays_and_numbers() {
    let bad = [
        "out float a[268435455]; void main() { a[0] = 1.0; }",
        "layout(location = 4294967295) out vec4 a; void main() { a = vec4(1); }",
        "in float a[16777216]; void main() { }",
        "layout(location = 3) in float a[16777216]; void main() { }",
        "struct S { float f; vec2 g; }; uniform S s[16777216]; out vec4 r; void main() { r = vec4(s[3].f); }",
        "struct S { float f; }; uniform B { S s[16777216]; }; out vec4 r; void main() { r = vec4(s[3].f); }",
        "struct S { float f[2]; }; struct T { S s[4096]; }; layout(std140) buffer B { T t[4096]; }; void main() { t[0].s[0].f[0] = 1.0; }",
        "float a[65536][65536]; void main() { a[0][0] = 1.0; }",
        "layout(binding = 4294967295) uniform sampler2D s; out vec4 r; void main() { r = texture(s, vec2(0)); }",
        "layout(std140, binding = 4294967295) uniform B { float f; } b[2]; out vec4 r; void main() { r = vec4(b[0].f); }",
        "layout(std140) uniform B { layout(offset = 4294967280) vec4 f; vec4 g; }; out vec4 r; void main() { r = g; }",
    ];
    for text in bad {
        assert!(compile_and_link(&format!("#version 450\n{text}")).is_err(), "{text}");
    }
}

#[test]
fn deep_nesting() {
    let nest = |open: &str, inner: &str, close: &str, n: usize| {
        format!(
            "#version 450\nuniform float u;\nvoid main() {{ {}{inner}{} }}",
            open.repeat(n),
            close.repeat(n)
        )
    };
    // Each must answer; at 900 levels most are accepted.
    for n in [300, 900, 100_000] {
        let _ = compile_and_link(&nest("{", "", "}", n));
        let _ = compile_and_link(&nest("if (true) {", "", "}", n));
        let _ = compile_and_link(&format!(
            "#version 450\nfloat f() {{ return {}1.0{}; }} void main() {{}}",
            "abs(".repeat(n),
            ")".repeat(n)
        ));
        let _ = compile_and_link(&format!(
            "#version 450\nfloat f() {{ return {}1.0; }} void main() {{}}",
            "- ".repeat(n)
        ));
        let _ = compile_and_link(&format!(
            "#version 450\nfloat f() {{ return 1.0{}; }} void main() {{}}",
            " + 1.0".repeat(n)
        ));
        let _ = compile_and_link(&format!(
            "#version 450\nfloat f(bool b) {{ return {}1.0{}; }} void main() {{}}",
            "b ? ".repeat(n),
            " : 2.0".repeat(n)
        ));
        let _ =
            compile_and_link(&format!("#version 450\nint a{}; void main() {{}}", "[1]".repeat(n)));
        let _ = compile_and_link(&format!(
            "#version 450\nvec4 f(vec4 v) {{ return v{}; }} void main() {{}}",
            ".xyzw".repeat(n)
        ));
    }
}

/// Constructs that a generator of shaders may write by the thousand: their time must not grow with
/// the square.
#[test]
fn thousands_of_each() {
    let many = |count: u32, f: &dyn Fn(u32) -> String| (0..count).map(f).collect::<String>();
    let next = |i: u32| format!("float f{}() {{ return f{i}(); }}", i + 1);
    let sources = [
        "float f0() { return 1.0; }".to_owned() + &many(20000, &next) + "void main() { f20000(); }",
        many(20000, &|i| format!("float f{i}();")) + "void main() {}",
        many(20000, &|i| format!("struct S{i} {{ int a; }}; void f(S{i} s) {{}}"))
            + "void main() {}",
        many(20000, &|i| {
            format!(
                "const int c{} = {};",
                i + 1,
                if i == 0 { "0".into() } else { format!("c{i} + 1") }
            )
        }) + "float a[c20000]; void main() {}",
        many(20000, &|i| format!("float a{i}[]; void f{i}() {{ a{i}[1] = 1.0; }}"))
            + &many(20000, &|i| format!("float a{i}[2];"))
            + "void main() {}",
        "const int a[] = int[](1".to_owned()
            + &many(20000, &|i| format!(", {i}"))
            + "); void main() {"
            + &many(10000, &|i| format!("float b{i}[a[{i} + 2]];"))
            + "}",
    ];
    for source in sources {
        assert_eq!(
            compile_and_link(&format!("#version 430\n{source}")),
            Ok(()),
            "{}",
            &source[..60]
        );
    }
    let refused = [
        many(20000, &|i| format!("uniform B{i} {{ float f{i}; }};")) + "void main() {}",
        many(50000, &|i| format!("uniform float u{i};"))
            + "out float c; void main() {"
            + &many(50000, &|i| format!("c += u{i};"))
            + "}",
        many(20000, &|i| format!("layout(location = 0) out float v{i};")) + "void main() {}",
        "uniform B { float f; } b[1024][1024][32]; void main() {}".to_owned(),
    ];
    for source in refused {
        assert!(compile_and_link(&format!("#version 430\n{source}")).is_err(), "{}", &source[..60]);
    }
}
