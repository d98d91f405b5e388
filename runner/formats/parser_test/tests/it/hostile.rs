//! Files of any bytes end in a test or an error, never in a panic.

use arbtest::arbtest;
use parser_test::{AssemblyTest, ParserTest};
use std::path::Path;
use vocabulary::Stage;

/// Pieces of blocks, in any order.
const PIECES: [&[u8]; 14] = [
    b"[config]",
    b"[end config]",
    b"// ",
    b"/*",
    b"*/",
    b"*",
    b"\n",
    b"expect_result: ",
    b"pass",
    b"glsl_version: ",
    b"1.50",
    b"\xff",
    b"!!ARBvp1.0",
    b"# REQUIRE ",
];

#[test]
fn any_bytes() {
    arbtest(|u| {
        let mut file = Vec::new();
        while !u.is_empty() && file.len() < 200 {
            match u.int_in_range(0..=PIECES.len())? {
                index if index < PIECES.len() => file.extend(PIECES[index]),
                _ => file.push(u.arbitrary()?),
            }
        }
        if let Ok(test) = ParserTest::parse(&file, Stage::Vertex) {
            assert!(ParserTest::is_one(&file));
            test.rule();
            test.companions();
        }
        if let Ok(test) = AssemblyTest::parse(Path::new("a.txt"), &file) {
            test.rule();
            test.line_ends();
        }
        Ok(())
    });
}
