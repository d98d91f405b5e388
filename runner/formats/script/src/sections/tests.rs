//! Splitting, `#version` insertion, and errors with their positions.

use super::*;
use crate::{GeometryLayout, ParseError, Primitive, parse};

fn error(file: &str) -> ParseError {
    match parse(file.as_bytes()) {
        Err(error) => error,
        Ok(script) => panic!("{file}: {script:?}"),
    }
}

fn script(file: &str) -> Script<'_> {
    match parse(file.as_bytes()) {
        Ok(script) => script,
        Err(error) => panic!("{file}: {error}"),
    }
}

const REQUIRE: &str = "[require]\nGLSL >= 1.20\n";

#[test]
fn sections_in_file_order() {
    let file = "# license\n[ not at column 0?\n";
    assert_eq!(error(file).kind, ErrorKind::Section);
    let file = "# license\n [require] is not a header here\n[require] trailing text\nGLSL >= 1.20\n\
                [vertex shader passthrough]\n\
                [fragment shader]\nvoid main()\n{\n}\n [indented]\n\
                [vertex data]\na/float/1\n2\n\
                [test]\nclear\n\n# comment\n  draw arrays GL_POINTS 0 1";
    let script = script(file);
    let shown = |line, span| format!("{line} {}", script.slice(span));
    let lines: Vec<_> =
        script.sections.iter().map(|section| shown(section.line, section.header)).collect();
    assert_eq!(
        lines,
        [
            "3 [require]",
            "5 [vertex shader passthrough]",
            "6 [fragment shader]",
            "11 [vertex data]",
            "14 [test]"
        ]
    );
    let shader = script.shaders().next().expect("a shader");
    assert_eq!((shader.source, shader.first_line), (&b"void main()\n{\n}\n [indented]\n"[..], 7));
    assert_eq!(script.slice(shader.body).as_bytes(), shader.source);
    let test = script.test.as_deref().expect("a test");
    let lines: Vec<_> = test.iter().map(|line| shown(line.number, line.span)).collect();
    assert_eq!(lines, ["15 clear", "18 draw arrays GL_POINTS 0 1"]);
    assert_eq!(script.vertex_data.as_ref().map(|data| data.rows), Some(1));
}

#[test]
fn special_sections() {
    let script = script(
        "[require]\nGLSL >= 4.50\nSPIRV YES\n\
         [geometry layout]\ninput type GL_LINES\n\n output  type GL_POINTS\nvertices out 3\n\
         [shader include]\n/a path/x.glsl\nint x;\n\
         [shader include paths]\n/a path/\n/b/\n\n\
         [fragment shader specializations]\n# comment\nuint 3 0xff\nfloat 4 1.0\n\
         [fragment shader spirv]\n; text\n\
         [vertex program]\n!!ARBvp1.0\nEND\n",
    );
    let contents: Vec<String> =
        script.sections[1..].iter().map(|section| format!("{:?}", section.content)).collect();
    let layout =
        GeometryLayout { input: Primitive::Lines, output: Primitive::Points, vertices_out: 3 };
    assert_eq!(
        contents,
        [
            format!("GeometryLayout({layout:?})"),
            format!("Include {{ path: \"/a path/x.glsl\", text: {:?} }}", b"\nint x;\n"),
            r#"IncludePaths(["/a path", "/b"])"#.to_string(),
            "Specializations { stage: Fragment, constants: [Specialization { id: 3, bits: 255 }, \
             Specialization { id: 4, bits: 1065353216 }] }"
                .to_string(),
            format!("Spirv {{ stage: Fragment, text: {:?} }}", b"; text\n"),
            format!("Program {{ target: Vertex, text: {:?} }}", b"!!ARBvp1.0\nEND\n"),
        ]
    );
    assert!(script.test.is_none());
}

#[test]
fn version_insertion() {
    let lines = |file: &str| -> Vec<Option<String>> {
        let script = script(file);
        script
            .shaders()
            .map(|shader| script.version_line(shader).map(|line| line.to_string()))
            .collect()
    };
    let inserted = |text: &str| Some(format!("#version {text}\n"));
    let file = |require: &str, vertex: &str, fragment: &str, test: &str| {
        format!(
            "[require]\n{require}\n[vertex shader]\n{vertex}\n[fragment shader]\n{fragment}\n[test]\n{test}"
        )
    };
    let plain = "GLSL >= 1.20";
    assert_eq!(lines(&file(plain, "v", "f", "")), [inserted("120"), inserted("120")]);
    assert_eq!(lines(&file(plain, "#version 110\nv", "f", "")), [None, inserted("120")]);
    // The search does not stop at the section's end.
    assert_eq!(lines(&file(plain, "v", "#version 120\nf", "")), [None, None]);
    assert_eq!(lines(&file(plain, "v", "f", "# the #version 9")), [None, None]);
    assert_eq!(
        lines(&file(plain, "#version\t110\nv", "# version 1", "")),
        [inserted("120"), inserted("120")]
    );
    assert_eq!(lines(&file("GLSL >= 4.5", "v", "f", ""))[0], inserted("405"));
    assert_eq!(lines(&file("GL ES >= 2.0\nGLSL ES >= 1.00", "v", "f", ""))[0], inserted("100"));
    assert_eq!(lines(&file("GL ES >= 3.0\nGLSL ES >= 3.00", "v", "f", ""))[0], inserted("300 es"));
}

#[test]
fn errors_have_positions() {
    let at = |error: ParseError| (error.kind, error.line, error.column, error.text);
    let unknown = error(&format!("{REQUIRE}[fragment shadr]\nx"));
    assert_eq!(unknown.to_string(), "line 3, column 1: unknown section");
    assert_eq!(at(unknown), (ErrorKind::Section, 3, 1, "[fragment shadr]".into()));
    assert_eq!(
        at(error(&format!("{REQUIRE}[test]\nclear\n\t drew rect  \r\n"))),
        (ErrorKind::UnknownCommand, 5, 3, "drew rect".into())
    );
    assert_eq!(
        at(error(&format!("{REQUIRE}[test]\n[fragment shader]\n"))),
        (ErrorKind::UnknownCommand, 4, 1, "[fragment shader]".into())
    );
    // Columns count characters, not bytes.
    let wide = error(&format!(
        "{REQUIRE}[test]\nuniform float é 1\nsubuniform GL_VERTEX_SHADER é\n texparameter é min x"
    ));
    assert_eq!((wide.line, wide.column), (5, 1));
    let wide = error(&format!("{REQUIRE}[test]\nuniform bool é 1"));
    assert_eq!((wide.line, wide.column, wide.text.as_str()), (4, 9, "bool"));
    let wide = error(&format!("{REQUIRE}[vertex data]\né/float/1 b/float/9"));
    assert_eq!((wide.line, wide.column, wide.text.as_str()), (4, 19, "9"));
    assert_eq!(
        at(error(&format!("{REQUIRE}[vertex data]\na/byte/1\n 300\n[test]\n"))),
        (ErrorKind::VertexData, 5, 2, "300".into())
    );
    assert_eq!(at(error("")), (ErrorKind::Section, 1, 1, "".into()));
    assert_eq!(at(error("text without\nheader")), (ErrorKind::Section, 2, 7, "".into()));
}

#[test]
fn truncated_files() {
    assert_eq!(error(&format!("{REQUIRE}[vertex shad")).kind, ErrorKind::Section);
    assert_eq!(error(&format!("{REQUIRE}[vertex shader]")).kind, ErrorKind::Section);
    assert_eq!(
        error(&format!("{REQUIRE}[vertex shader]\n[test]\n")).message,
        "the shader section is empty"
    );
    assert_eq!(error("[require]\nGLSL >= 1.2").kind, ErrorKind::Require);
    assert_eq!(error(&format!("{REQUIRE}[shader include]\n")).kind, ErrorKind::Section);
    assert_eq!(error(&format!("{REQUIRE}[geometry layout]\ninput type")).kind, ErrorKind::Section);
    // A cut command line is read to its end.
    assert_eq!(
        script(&format!("{REQUIRE}[test]\nclear color 0 1")).test.map(|lines| lines.len()),
        Some(1)
    );
    assert_eq!(script(&format!("{REQUIRE}[test]")).test.map(|lines| lines.len()), Some(0));
}

#[test]
fn shaders_need_a_version_requirement_before_them() {
    assert!(
        error("[require]\n[vertex shader]\nx\n").message.contains("version requirement missing")
    );
    assert!(
        error("[vertex shader]\nx\n[require]\nGLSL >= 1.10\n")
            .message
            .contains("version requirement missing")
    );
    let many = format!("{REQUIRE}{}", "[vertex shader]\nx\n".repeat(257));
    assert_eq!(error(&many).line, 3 + 2 * 256);
}

#[test]
fn encodings() {
    let invalid = parse(b"[require]\nGLSL >= 1.10\ncaf\xe9 noir\n").expect_err("invalid UTF-8");
    assert_eq!((invalid.kind, invalid.line, invalid.column), (ErrorKind::Encoding, 3, 4));
    assert!(invalid.message.contains("0xE9"), "{invalid}");
    let cut = parse(b"[require]\n\xe2\x82").expect_err("cut character");
    assert_eq!((cut.kind, cut.line, cut.column, cut.span.end), (ErrorKind::Encoding, 2, 1, 11));
    let nul = parse(b"[require]\n\0").expect_err("NUL");
    assert_eq!((nul.kind, nul.line, nul.column), (ErrorKind::Encoding, 2, 1));
    let windows = script(
        "[require]\r\nGLSL >= 1.20\r\n[fragment shader]\r\nx\r\n[test]\r\nclear\r\northo\r\n",
    );
    assert_eq!(windows.test.map(|lines| lines.len()), Some(2));
}

/// A line and a column.
type Position = (u32, u32);

/// Places for a byte that is not UTF-8, and the position of the error, if there is one.
const LATIN: &[(&[u8], Option<Position>)] = &[
    (b"caf\xe9\n[require]\nGLSL >= 1.10\n", None),
    (b"[require]\nGLSL >= 1.10\n# caf\xe9\n", None),
    (b"[require] caf\xe9\nGLSL >= 1.10\n", Some((1, 14))),
    (b"[require] # caf\xe9\nGLSL >= 1.10\n", None),
    (b"[require]\nGLSL >= 1.10\n[fragment shader]\n// caf\xe9\n", None),
    (b"[require]\nGLSL >= 1.10\n[fragment shader]\ncaf\xe9\n", None),
    (b"[require]\n[fragment program]\n# caf\xe9\n", None),
    (b"[require]\n[fragment program]\nMOV caf\xe9;\n", Some((3, 8))),
    (b"[require]\n[shader include]\n/a\n// caf\xe9\n", None),
    (b"[require]\n[shader include]\n/caf\xe9\n", Some((3, 5))),
    (b"[require]\n[shader include paths]\n/caf\xe9\n", Some((3, 5))),
    (b"[require]\n[vertex data]\na/float/1\n# \xe9\n1.0 # \xe9\n", None),
    (b"[require]\n[vertex data]\na\xe9/float/1\n1.0\n", Some((3, 2))),
    (b"[require]\n[elements]\n1 2 # \xe9\n", None),
    (b"[require]\n[test]\n# \xe9\nclear # \xe9\n", None),
    (b"[require]\n[test]\n# \xc3\xa9 \xe9\nclear \xe9\n", Some((4, 7))),
];

#[test]
fn only_comments_and_shaders_hold_bytes_that_are_not_utf8() {
    for (text, wrong) in LATIN {
        let place = parse(text).err().map(|e| (e.kind, e.line, e.column));
        let wanted = wrong.map(|(line, column)| (ErrorKind::Encoding, line, column));
        assert_eq!(place, wanted, "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn long_lines_take_linear_time() {
    // 10 MB each: quadratic behavior would not end.
    let ten = 10_000_000;
    let digits = "7".repeat(ten);
    let words = "0x3f800000 ".repeat(ten / 11);
    for (tail, kind) in [
        (format!("[test]\n{}", "x".repeat(ten)), Some(ErrorKind::UnknownCommand)),
        (format!("[test]\nuniform dmat4 m {digits}"), None),
        (format!("[test]\nuniform int64_t m {digits}"), Some(ErrorKind::Range)),
        (format!("[test]\nuniform vec4 m {words}"), None),
        (format!("[test]\nclip plane 0 0.{digits} 1 1 1e{digits}"), None),
        (format!("[test]\nfb tex 2d {}", "1 ".repeat(ten / 2)), Some(ErrorKind::Range)),
        (format!("[vertex data]\na/float/1\n{words}"), None),
        (format!("[vertex data]\n{words}"), Some(ErrorKind::VertexData)),
        ("[geometry layout]\n".repeat(ten / 18), None),
        (format!("[vertex shader]\n{}", "#version ".repeat(ten / 9)), None),
        (format!("[{}", " ".repeat(ten)), Some(ErrorKind::Section)),
    ] {
        let file = format!("{REQUIRE}{tail}");
        assert_eq!(parse(file.as_bytes()).err().map(|error| error.kind), kind, "{}", &tail[..60]);
    }
}

#[test]
fn elements() {
    let file = "[require]\n[elements]\n0 0x10\t65535# comment 1\n\n# 7\n  3\n[test]\ndraw elements GL_POINTS 4 0\n";
    assert_eq!(script(file).elements, [0, 16, 65535, 3]);
    for (index, column) in [("65536", 3), ("-1", 3), ("x", 3), ("1.5", 4)] {
        let error = error(&format!("[require]\n[elements]\n2 {index} 4\n[test]\n"));
        assert_eq!(
            (error.kind, error.line, error.column),
            (ErrorKind::Section, 3, column),
            "{index}"
        );
    }
    let file = "[require]\n[elements]\n0 1\n[test]\ndraw elements GL_POINTS 3 0\n";
    assert_eq!((error(file).kind, error(file).line), (ErrorKind::Range, 5));
}
