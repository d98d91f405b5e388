//! Robustness: any bytes cause no panic and no stack overflow, and take bounded time and memory.

use arbtest::arbtest;
use glsl_syntax::ast::MAX_DEPTH;
use glsl_syntax::{Environment, FrontEnd, IncludeResolver, Included, NamedStrings, parse};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn environment() -> Environment {
    let extensions =
        ["GL_ARB_shading_language_include", "GL_ARB_gpu_shader5", "GL_ARB_gpu_shader_int64"];
    Environment {
        extensions: Arc::new(extensions.map(str::to_owned).into_iter().collect()),
        ..Environment::all_versions()
    }
}

/// Stack size in bytes: a sixteenth of that of threads which execute tests. The deepest parse takes
/// a quarter of it in development builds.
const STACK: usize = 4 << 20;

/// First error of a shader; the parse runs on a small stack and must be quick.
fn first_error(source: String) -> Option<String> {
    let run = move || {
        let start = Instant::now();
        let result = parse(&[&source], &environment());
        assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
        result.err().map(|errors| errors[0].message.clone())
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread starts");
    thread.join().expect("no panic")
}

#[test]
fn only_tokens_are_judged_by_their_bytes() {
    let mut front_end = FrontEnd::new(environment());
    let mut error =
        |text: &[u8]| front_end.parse(&[text]).err().map(|errors| errors[0].to_string());
    for text in [
        &b"int a; // caf\xe9"[..],
        b"/* \xff\n\xe2\x82 */ int a;",
        b"#if 0\n\xe9\n#endif\nint a;",
        b"int a; // \xc3\\\n\xa9",
    ] {
        assert_eq!(error(text), None);
    }
    let told = |text: &[u8], wanted: &str| (Some(wanted.to_owned()), text.to_vec());
    for (wanted, text) in [
        told(b"int a;\n  \xe9", "0:2:3: error: byte 0xE9 is not UTF-8: `\u{fffd}`"),
        told(b"/* \xe9 */ \xe2\x82", "0:1:9: error: byte 0xE2 is not UTF-8: `\u{fffd}`"),
        told(b"\xed\xa0\x80", "0:1:1: error: byte 0xED is not UTF-8: `\u{fffd}`"),
        told("é".as_bytes(), "0:1:1: error: unexpected character: `é`"),
        told("𝄞".as_bytes(), "0:1:1: error: unexpected character: `𝄞`"),
    ] {
        assert_eq!(error(&text), wanted);
    }
}

#[test]
fn random_bytes() {
    let mut front_end = FrontEnd::new(environment());
    arbtest(|u| {
        let bytes: Vec<u8> = u.arbitrary()?;
        if let Ok(unit) = front_end.parse(&[&bytes]) {
            front_end.recycle(unit);
        }
        Ok(())
    })
    .budget_ms(2000);
}

#[test]
fn token_soup() {
    const WORDS: &[&str] = &[
        "a",
        "b",
        "f",
        "S",
        "float",
        "vec4",
        "struct",
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "return",
        "uniform",
        "in",
        "out",
        "layout",
        "precision",
        "highp",
        "subroutine",
        "unsigned",
        "int",
        "void",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        ",",
        ".",
        ":",
        "?",
        "=",
        "==",
        "+",
        "++",
        "-",
        "*",
        "<<=",
        "&&",
        "^^",
        "~",
        "!",
        "1",
        "1u",
        "2.5",
        "1.0lf",
        "0x1F",
        "0777",
        "9999999999",
        "\"",
        "#",
        "##",
        "\n",
        "\n#",
        "\n#define a ",
        "\n#define f(a) ",
        "\n#define f(a, b) a ## b ",
        "\n#if ",
        "\n#ifdef ",
        "\n#elif ",
        "\n#else\n",
        "\n#endif\n",
        "\n#undef ",
        "\n#line ",
        "\n#extension ",
        "\n#version ",
        "\n#include ",
        "defined",
        "__LINE__",
        "/*",
        "*/",
        "//",
        "\\\n",
        "\r\n",
        "\r",
        "é",
        "\0",
        "void main() {",
        "a = b;",
        "GL_ARB_shading_language_include : enable\n",
    ];
    let mut front_end = FrontEnd::new(environment());
    arbtest(|u| {
        let mut source = String::new();
        for _ in 0..u.int_in_range(0..=200)? {
            source.push_str(u.choose(WORDS)?);
            if u.arbitrary()? {
                source.push(' ');
            }
        }
        if let Ok(unit) = front_end.parse(&[source.as_bytes()]) {
            glsl_syntax::ast_print::print(&unit);
            front_end.recycle(unit);
        }
        Ok(())
    })
    .budget_ms(4000);
}

/// A reused front end returns the same result as a fresh one.
#[test]
fn memory_is_reused_without_traces() {
    let sources = [
        "#define A 1\nint x = A;",
        "int A = y;",
        "#version 330\nlayout(location = 1) in vec4 A;",
        "int 1;",
    ];
    let mut front_end = FrontEnd::new(environment());
    for _ in 0..2 {
        for source in sources {
            let fresh =
                parse(&[source], &environment()).map(|unit| glsl_syntax::ast_print::print(&unit));
            let reused = front_end.parse(&[source.as_bytes()]).map(|unit| {
                let text = glsl_syntax::ast_print::print(&unit);
                front_end.recycle(unit);
                text
            });
            assert_eq!(fresh, reused);
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let many = 100_000;
    let cases = [
        format!("int x = {}", "(".repeat(many)),
        format!("int x = {}1;", "-".repeat(many).replace("--", "- -")),
        format!("int x = {}1;", "~".repeat(many)),
        format!("int x = {}", "a[".repeat(many)),
        format!("int x = {}", "f(".repeat(many)),
        format!("int x = {}1;", "a ? b : ".repeat(many)),
        format!("int x = {}1;", "a ? ".repeat(many)),
        format!("int x = {}1;", "a = ".repeat(many)),
        format!("int x = {}1;", "1 + (2, ".repeat(many)),
        format!("int x = a{};", ".b".repeat(many)),
        format!("int x = a{};", "[1]".repeat(many)),
        format!("int x = a{};", "++".repeat(many)),
        format!("int x = {}", "{".repeat(many)),
        format!("void main() {}", "{".repeat(many)),
        format!("void main() {{ {}", "if (a) ".repeat(many)),
        format!("void main() {{ {}", "if (a) ; else ".repeat(many)),
        format!("void main() {{ {}", "for (;;) ".repeat(many)),
        format!("void main() {{ {}", "do ".repeat(many)),
        format!("#version 130\nvoid main() {{ {}", "switch (a) { case 1: ".repeat(many)),
        "struct A { ".repeat(many),
        format!("int x = {}1;", "1 || 1 && 1 | 1 ^ 1 & 1 == 1 < 1 << 1 + 1 * (".repeat(many / 20)),
    ];
    for source in cases {
        let head: String = source.chars().take(40).collect();
        assert_eq!(first_error(source).as_deref(), Some("nested too deeply"), "{head}");
    }
}

#[test]
fn reasonable_nesting_is_fine() {
    let terms = MAX_DEPTH as usize - 10;
    for source in [
        format!("int x = {}1{};", "(".repeat(200), ")".repeat(200)),
        format!("int x = {}1{};", "-(1 + ".repeat(terms / 4), ")".repeat(terms / 4)),
        format!("int x = {}1;", "1 + ".repeat(100_000)),
        format!("int x = {}1;", "1 - 2 * 3 * ".repeat(30_000)),
        format!("void main() {{ {}1; }}", "1, ".repeat(100_000)),
        format!("void main() {{ {} ; }}", "if (a) ; else ".repeat(terms)),
        format!("void main() {{ {} }}", "{".repeat(200) + &"}".repeat(200)),
        format!("int a[] = int[]({}1);", "1, ".repeat(100_000)),
    ] {
        assert_eq!(first_error(source), None);
    }
}

#[test]
fn macro_bombs_are_errors() {
    let doubling: String = (0..60).map(|i| format!("#define a{} a{i} a{i}\n", i + 1)).collect();
    let pasting: String =
        (0..60).map(|i| format!("#define p{}(x) p{i}(x) ## x ## x\n", i + 1)).collect();
    let calls = format!("#define f(x) x x\nint y = {}1{};", "f(".repeat(90), ")".repeat(90));
    let nested = |n| format!("#define f(x) x\nint y = {}1{};", "f(".repeat(n), ")".repeat(n));
    let long_name = "a".repeat(40_000);
    let cases = [
        (format!("{doubling}int x = a60;"), "macro expansion produces too many tokens"),
        (calls, "macro expansion produces too many tokens"),
        (nested(5_000), "macro calls are nested too deeply"),
        (nested(200_000), "macro expansion produces too many tokens"),
        ("#if 1\n".repeat(100_000), "conditionals are nested too deeply"),
        (
            format!("#if {}1\n#endif\n", "(".repeat(100_000)),
            "preprocessor expression is nested too deeply",
        ),
        (
            format!("#if {}1\n#endif\n", "!".repeat(100_000)),
            "preprocessor expression is nested too deeply",
        ),
        (
            format!("#define P(a, b) a ## b\nint x = P({long_name}, {long_name});"),
            "## produces a token that is too long",
        ),
        (format!("int {};", "a".repeat(70_000)), "this token is too long"),
    ];
    for (source, message) in cases {
        let head: String = source.chars().take(40).collect();
        let error = first_error(source);
        assert_eq!(error.as_deref(), Some(message), "{head}");
    }
    assert!(first_error(format!("{pasting}int x = p60(1);")).is_some());
}

/// A resolver whose every string includes another.
struct Endless;

impl IncludeResolver for Endless {
    fn resolve(&self, path: &str, _: bool, _: Option<&str>) -> Option<Included> {
        Some(Included { path: path.to_owned(), text: b"#include \"/again\"\n".to_vec() })
    }
}

const ENABLE: &str = "#extension GL_ARB_shading_language_include : enable\n";

#[test]
fn endless_includes_are_an_error() {
    let env = Environment { includes: Some(Box::new(Endless)), ..environment() };
    let errors = parse(&[&format!("{ENABLE}#include \"/again\"\n")], &env).expect_err("too deep");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "#include is nested too deeply");
}

#[test]
fn includes_expand_in_place() {
    let mut strings = NamedStrings::default();
    strings.insert("/dir/types", b"struct S { float x; };\n#include \"more\"\n#define M 3");
    strings.insert("/dir/more", b"int more;\n  int 1 bad;\n");
    strings.insert("/good", b"int good[N];");
    let source = |path: &str| format!("{ENABLE}#define N 2\n#include \"{path}\"\nint after[N];\n");
    let env = Environment { includes: Some(Box::new(strings)), ..environment() };
    let unit = parse(&[&source("/good")], &env).expect("parses");
    assert_eq!(glsl_syntax::ast_print::print(&unit), "var int good[2]\nvar int after[2]\n");
    let errors = parse(&[&source("/dir/types")], &env).expect_err("the included string is wrong");
    // The files are the source string, then the included strings in order.
    let location = &errors[0].location;
    assert_eq!((location.file, location.line, location.column), (2, 2, 7));
}

#[test]
fn source_strings_run_on_and_count() {
    let unit = parse(&["void ma", "in() { float x", "y; }"], &environment()).expect("parses");
    assert_eq!(glsl_syntax::ast_print::print(&unit), "function void main()\n  var float xy\n");
    let errors = parse(&["int a;\n", "int b;\n int 1;"], &environment()).expect_err("wrong");
    assert_eq!(errors[0].location.to_string(), "1:2:6");
}

/// As long as the longest shader of the corpus.
#[test]
fn long_shader() {
    let mut source = String::from(
        "#version 150\nuniform vec4 u[4];\nout vec4 color;\nvoid main() {\n  color = vec4(0);\n",
    );
    while source.len() < 238_000 {
        source.push_str("  color += u[int(gl_FragCoord.x) % 4] * vec4(0.25, 1.5e-3, 2., .125);\n");
    }
    let lines = source.lines().count();
    assert_eq!(first_error(source.clone() + "}\n"), None);
    let errors = parse(&[&(source + "  1 = ;\n}\n")], &environment()).expect_err("wrong");
    assert_eq!(errors[0].location.line as usize, lines + 1);
    assert_eq!(errors[0].location.column, 7);
}

/// Offsets lead back to the text as the user wrote it, continuations included.
#[test]
fn locations_survive_continuations() {
    let source = "int \\\r\n  a = \\\n  1 2;";
    let errors = parse(&[source], &environment()).expect_err("wrong");
    let location = &errors[0].location;
    assert_eq!(&source[location.offset as usize..], "2;");
    assert_eq!((location.physical_line, location.column), (3, 5));
}
