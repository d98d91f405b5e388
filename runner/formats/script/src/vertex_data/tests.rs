//! Column headers, packing, readers and errors.

use super::*;

fn read(body: &str) -> VertexData<'_> {
    match parse(body.as_bytes(), body.as_bytes()) {
        Ok(data) => data,
        Err(fault) => panic!("{body}: {fault:?}"),
    }
}

fn error(body: &str) -> (ErrorKind, String, String) {
    match parse(body.as_bytes(), body.as_bytes()) {
        Err(fault) => (fault.kind, String::from_utf8_lossy(fault.at).into_owned(), fault.message),
        Ok(data) => panic!("{body}: {data:?}"),
    }
}

#[test]
fn mixed_columns_are_packed() {
    let data = read(
        "pos/float/vec2  n/byte/int  m[1]/double/dmat2x3/0             m[1]/double/dmat2x3/1\n\
         -1.0 -1.0       -128        0x3ff0000000000000 2.0 3.0        4 5 6\n\
         \n\
         \x20 # nothing here\n\
         1.0 0x40000000  7           1 2 3                             4 5 6 # comment\r\n",
    );
    assert_eq!((data.stride, data.rows, data.data.len()), (8 + 1 + 24 + 24, 2, 2 * 57));
    let slots: Vec<_> =
        data.columns.iter().map(|c| (c.attribute, c.slot(), c.offset, c.components)).collect();
    assert_eq!(
        slots,
        [
            (Attribute::Name("pos"), 0, 0, 2),
            (Attribute::Name("n"), 0, 8, 1),
            (Attribute::Name("m"), 2, 9, 3),
            (Attribute::Name("m"), 3, 33, 3),
        ]
    );
    let mut first = Vec::new();
    first.extend([-1f32, -1.0].iter().flat_map(|v| v.to_le_bytes()));
    first.push(0x80);
    first.extend([1f64, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()));
    assert_eq!(data.data[..57], first[..]);
    assert_eq!(data.data[57 + 4..57 + 9], [0, 0, 0, 0x40, 7]);
}

#[test]
fn header_forms() {
    use AttributeFormat as F;
    for (header, expected) in [
        ("a/float/3", (Attribute::Name("a"), 3, F::Float, 1, 0)),
        ("a/uint/2", (Attribute::Name("a"), 2, F::Integer, 1, 0)),
        ("a/double/4", (Attribute::Name("a"), 4, F::Double, 1, 0)),
        ("a/float/4/2", (Attribute::Name("a"), 4, F::Float, 1, 2)),
        ("3/float/vec4", (Attribute::Location(3), 4, F::Float, 1, 0)),
        ("a/byte/vec2", (Attribute::Name("a"), 2, F::Float, 1, 0)),
        ("a/ubyte/uint", (Attribute::Name("a"), 1, F::Integer, 1, 0)),
        ("a/short/ivec4", (Attribute::Name("a"), 4, F::Integer, 1, 0)),
        ("a/double/dvec3", (Attribute::Name("a"), 3, F::Double, 1, 0)),
        ("a/float/mat4/3", (Attribute::Name("a"), 4, F::Float, 4, 3)),
        ("a[0x2]/float/mat4x2/1", (Attribute::Name("a"), 2, F::Float, 4, 2 * 4 + 1)),
        ("a/float/ivec2", (Attribute::Name("a"), 2, F::Unset, 1, 0)),
        ("a/float/dvec2", (Attribute::Name("a"), 2, F::Unset, 1, 0)),
    ] {
        let data = read(header);
        let column = data.columns[0];
        let found = (
            column.attribute,
            column.components,
            column.format,
            column.matrix_columns,
            column.slot(),
        );
        assert_eq!(found, expected, "{header}");
        assert_eq!(column.span, Span { start: 0, end: saturate(header.len()) });
    }
}

#[test]
fn readers_and_ranges() {
    assert_eq!(read("a/short/2\n-32768 0xffff8000").data, [0, 0x80, 0, 0x80]);
    assert_eq!(read("a/int/2\n-0x1 4294967295").data, [0xff; 8]);
    assert_eq!(read("a/uint/1\n0x100000002").data, [2, 0, 0, 0]);
    assert_eq!(read("a/ushort/1\n0xffff").data, [0xff, 0xff]);
    assert_eq!(read("a/half/2\n0x3c00 1.5").data, [0x00, 0x3c, 0x00, 0x3e]);
    // Missing and unreadable values are 0, surplus ones are ignored.
    assert_eq!(read("a/byte/3\n1 x 2\n1 2 3 4\n5").data, [1, 0, 0, 1, 2, 3, 5, 0, 0]);
    for (body, at, line) in [
        ("a/byte/1\n128", "128", 2),
        ("a/byte/1\n0xff", "0xff", 2),
        ("a/byte/1\n1\n2\n-129 5", "-129", 4),
        ("a/ubyte/1\n256", "256", 2),
        ("a/ubyte/1\n-1", "-1", 2),
        ("a/short/1\n40000", "40000", 2),
        ("a/half/1\n0x10000", "0x10000", 2),
        ("a/float/1\n1e400", "1e400", 2),
        ("a/double/2\n0 1e-310", "1e-310", 2),
    ] {
        let message = format!("value out of range at line {line} of [vertex data]");
        assert_eq!(error(body), (ErrorKind::VertexData, at.to_string(), message), "{body}");
    }
}

#[test]
fn malformed_headers() {
    for (header, at) in [
        ("pos", "pos"),
        ("pos/float", "pos/float"),
        ("pos/float/vec2/0/0", "pos/float/vec2/0/0"),
        ("/float/vec2", ""),
        ("[0]/float/vec2", "[0]"),
        ("a]/float/vec2", "a]"),
        ("a[-1]/float/vec2", "a[-1]"),
        ("a[99999999]/float/vec2", "a[99999999]"),
        ("99999999999/float/vec2", "99999999999"),
        ("a/quad/vec2", "quad"),
        ("a/float/vec5", "vec5"),
        ("a/float/vec", "vec"),
        ("a/float/5", "5"),
        ("a/float/0", "0"),
        ("a/float/mat2x5", "mat2x5"),
        ("a/float/mat2y3", "mat2y3"),
        ("a/float/mat2x3/4", "4"),
    ] {
        let (kind, found, _) = error(header);
        assert_eq!((kind, found.as_str()), (ErrorKind::VertexData, at), "{header}");
    }
}

#[test]
fn memory_is_bounded() {
    let mut body = "a/double/dvec4 ".repeat(MAX_COLUMNS);
    body.push('\n');
    body.push_str(&"1\n".repeat(1 + MAX_BYTES / (32 * MAX_COLUMNS)));
    assert_eq!(error(&body).0, ErrorKind::Range);
    assert_eq!(error(&"a/float/1 ".repeat(MAX_COLUMNS + 1)).0, ErrorKind::Range);
}
