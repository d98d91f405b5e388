//! Tests of levels on texts with known parts, and of the engine with judges that inspect only the
//! text.

use super::*;
use vk_script::{Rules, without};

const TEST: &str = "\
[require]
GLSL >= 1.30

# a remark
[vertex shader passthrough]
[fragment shader]
/* a comment */
struct S { float a; vec2 b; };
uniform vec4 c, d;
float twice(float x) { return x + x; }
void main()
{
    if (c.x > 0.5) { gl_FragColor = c; } else discard;
    for (int i = 0; i < 3; i++) gl_FragColor.x += twice(d.y); // more
}
[test]
clear
draw rect -1 -1 2 2

probe all rgba 0 1 0 1 # green
";

/// Returns the parts of the text that the level's edits affect, with their replacements.
fn parts(level: Level, text: &str) -> Vec<(String, String)> {
    let edits = match level.plan(text, Syntax::ShaderTest) {
        Plan::Together(edits, _) | Plan::OneByOne(edits) => edits,
        Plan::Removals(removals) => panic!("{level:?}: {removals:?}"),
    };
    edits.into_iter().map(|edit| (text[edit.range].to_owned(), edit.text)).collect()
}

fn deleted(level: Level) -> Vec<String> {
    let parts = parts(level, TEST);
    assert!(parts.iter().all(|(_, by)| by.is_empty()), "{parts:?}");
    parts.into_iter().map(|(part, _)| part.trim().to_owned()).collect()
}

fn has(level: Level, part: &str, by: &str) {
    let parts = parts(level, TEST);
    assert!(
        parts.iter().any(|(p, b)| (p.as_str(), b.as_str()) == (part, by)),
        "{part} by {by}: {parts:#?}"
    );
}

#[test]
fn parts_of_the_script() {
    assert_eq!(
        deleted(Level::Commands),
        ["clear", "draw rect -1 -1 2 2", "probe all rgba 0 1 0 1 # green"]
    );
    let sections = deleted(Level::Sections);
    assert_eq!(sections.len(), 4);
    assert!(
        sections[2].starts_with("[fragment shader]") && sections[2].ends_with('}'),
        "{sections:?}"
    );
    let lines = deleted(Level::Lines);
    assert!(
        lines.contains(&"GLSL >= 1.30".to_owned())
            && lines.contains(&"uniform vec4 c, d;".to_owned())
    );
    assert!(
        !lines.iter().any(|line| line.starts_with('[') || line.starts_with("probe")),
        "{lines:?}"
    );
    has(Level::Comments, "# a remark\n", "");
    has(Level::Comments, " # green", "");
    has(Level::Comments, "/* a comment */\n", "");
    has(Level::Comments, " // more\n", "\n");
}

/// A test whose probes only compare executors remains one.
#[test]
fn tolerances_that_accept_every_value_stay() {
    let removed = |tolerance: &str| {
        let text = TEST.replace("clear\n", &format!("tolerance {tolerance}\n"));
        parts(Level::Commands, &text).iter().any(|(part, _)| part.starts_with("tolerance"))
    };
    assert!(!removed("3e38 3e38 3e38 3e38"));
    assert!(removed("0.1 0.1 0.1 0.1"));
    assert!(removed("3e38 3e38 3e38 0.1"));
}

#[test]
fn parts_of_shaders() {
    let declarations = deleted(Level::Declarations);
    assert_eq!(declarations[..2], ["struct S { float a; vec2 b; };", "uniform vec4 c, d;"]);
    assert!(
        declarations[3].starts_with("void main()") && declarations[3].ends_with('}'),
        "{declarations:?}"
    );
    assert_eq!(deleted(Level::Members), ["float a;", "vec2 b;"]);
    let statements = deleted(Level::Statements(0));
    assert!(
        statements[0] == "return x + x;" && statements[1].starts_with("if (c.x"),
        "{statements:?}"
    );
    has(Level::Statements(1), "{ gl_FragColor = c; }", ";");
    has(Level::Statements(1), "discard;", ";");
    has(Level::Statements(2), "gl_FragColor = c;", "");
    let branch = "if (c.x > 0.5) { gl_FragColor = c; } else discard;";
    has(Level::Unwrap, branch, "{ gl_FragColor = c; }");
    has(Level::Unwrap, branch, "discard;");
    has(Level::Unwrap, " else discard;", "");
    has(
        Level::Unwrap,
        "for (int i = 0; i < 3; i++) gl_FragColor.x += twice(d.y);",
        "gl_FragColor.x += twice(d.y);",
    );
    has(Level::Expressions, "x + x", "x");
    has(Level::Expressions, "twice(d.y)", "d.y");
    has(Level::Expressions, "c.x > 0.5", "true");
    has(Level::Expressions, "twice(d.y)", "twice(0)");
    has(Level::Groups, "(float x)", "");
    has(Level::Groups, ", d", "");
    has(Level::Groups, "= 0", "");
    has(Level::Tokens, "uniform", "");
}

/// For every file of the suites: edits are within the text, ordered if made together, and shrink
/// it.
#[test]
fn edits_can_be_made() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests");
    let files =
        walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let tests = files.filter(|file| file.path().extension().is_some_and(|e| e == "shader_test"));
    let levels = Level::of(Syntax::ShaderTest);
    let mut seen = vec![0usize; levels.len()];
    for file in tests.step_by(23) {
        let text = std::fs::read_to_string(file.path()).unwrap();
        for (level, seen) in levels.iter().zip(&mut seen) {
            let (edits, together) = match level.plan(&text, Syntax::ShaderTest) {
                Plan::Together(edits, _) => (edits, true),
                Plan::OneByOne(edits) => (edits, false),
                Plan::Removals(removals) => {
                    let ranges = removals.into_iter().flat_map(|removal| removal.ranges);
                    (ranges.map(Edit::delete).collect(), false)
                }
            };
            *seen += edits.len();
            let overlap = edits.windows(2).find(|pair| pair[0].range.end > pair[1].range.start);
            assert!(!together || overlap.is_none(), "{level:?} {overlap:?}");
            for edit in &edits {
                let length = text.len() - edit.range.len() + edit.text.len();
                assert_eq!(apply(&text, [edit]).len(), length, "{level:?} {edit:?}");
                assert!(
                    text.is_char_boundary(edit.range.start)
                        && text.is_char_boundary(edit.range.end)
                );
            }
        }
    }
    let unseen: Vec<&str> = levels
        .iter()
        .zip(seen)
        .filter(|(_, seen)| *seen == 0)
        .map(|(level, _)| level.name())
        .collect();
    // Structures, attachments and statements four blocks deep are rare.
    let rare = ["statements", "members", "structures", "attachments", "extensions"];
    assert!(unseen.iter().all(|name| rare.contains(name)), "{unseen:?}");
}

/// Malformed texts never cause a panic.
#[test]
fn texts_that_do_not_parse() {
    for text in [
        "",
        "[",
        "x\n",
        "[fragment shader]\n}{)(,=;#\\\n/*",
        "[require]\n[fragment shader]\nvoid é(",
        TEST,
    ] {
        for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            for syntax in [Syntax::ShaderTest, Syntax::Vulkan(Rules::Amber)] {
                let levels = Level::of(syntax).iter();
                levels.for_each(|level| drop(level.plan(&text[..cut], syntax)));
            }
        }
    }
}

/// A judge for which texts with certain words are interesting.
struct Holds {
    words: Vec<&'static str>,
    judged: u64,
    /// Number of texts before the interruption.
    most: u64,
}

impl Holds {
    fn new(words: &[&'static str]) -> Holds {
        Holds { words: words.to_vec(), judged: 0, most: u64::MAX }
    }
}

impl Judge for Holds {
    fn judge(&mut self, texts: Vec<String>) -> Result<Vec<bool>, Stopped> {
        self.judged += texts.len() as u64;
        if self.judged > self.most {
            return Err(Stopped::Interrupted);
        }
        Ok(texts.iter().map(|text| self.words.iter().all(|word| text.contains(word))).collect())
    }
}

/// Two attributes and five vertices, of which the draw uses the last three.
const VERTICES: &str = "\
[require]
GLSL >= 1.30
[vertex shader passthrough]
[fragment shader]
void main() { switch (3) { case 1: default: gl_FragColor = vec4(1); } }
[vertex data]
# position
piglit_vertex/float/vec2  unused/uint/uint
 -9  9  1
8 -8 2
-1 -1   3
 1 -1 4

 1  1 5
[test]
draw arrays GL_TRIANGLES 2 3
";

#[test]
fn columns_of_vertex_data() {
    let Plan::Removals(removals) = Level::Columns.plan(VERTICES, Syntax::ShaderTest) else {
        panic!("no removals");
    };
    let without_unused = without(VERTICES, [&removals[1]]);
    let script = script::parse(without_unused.as_bytes()).expect("a script");
    let data = script.vertex_data.expect("vertex data");
    assert_eq!((removals.len(), data.columns.len(), data.rows), (2, 1, 5));
    let values: Vec<f32> =
        data.data.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(values, [-9.0, 9.0, 8.0, -8.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0]);
}

#[test]
fn vertices_and_their_draw() {
    let Plan::OneByOne(edits) = Level::Vertices.plan(VERTICES, Syntax::ShaderTest) else {
        panic!("edits of draws are made one by one");
    };
    let shorter: Vec<String> = edits.iter().map(|edit| apply(VERTICES, [edit])).collect();
    let [first, one, two] = &shorter[..] else { panic!("{shorter:?}") };
    assert!(first.contains("\n-1 -1   3\n") && !first.contains("8"), "{first}");
    assert!(first.ends_with("draw arrays GL_TRIANGLES 0 3\n"), "{first}");
    assert!(one.contains(" -9  9  1\n") && !one.contains("1 -1 4"), "{one}");
    assert!(one.ends_with("draw arrays GL_TRIANGLES 2 1\n"), "{one}");
    assert!(two.contains("1 -1 4") && two.ends_with("draw arrays GL_TRIANGLES 2 2\n"), "{two}");
}

#[test]
fn contents_of_a_switch() {
    let parts = parts(Level::Unwrap, VERTICES);
    let is_switch = |(part, by): &&(String, String)| {
        part.starts_with("switch") && by == "gl_FragColor = vec4(1);"
    };
    assert!(parts.iter().any(|part| is_switch(&part)), "{parts:?}");
}

#[test]
fn what_is_not_needed_goes() {
    let mut judge = Holds::new(&["[fragment shader]", "twice(", "probe all"]);
    let mut reducer = Reducer::new((TEST.to_owned(), Syntax::ShaderTest), &mut judge, 100_000, 3);
    let mut levels = Vec::new();
    assert_eq!(reducer.run(|progress| levels.push(progress.level)), Ok(()));
    assert_eq!(levels.first(), Some(&Level::Commands));
    // A probe line cannot lose words: it would be no command then, which the level does not edit.
    let best = reducer.best();
    assert!(
        best.contains("[fragment shader]") && best.contains("twice(") && best.contains("probe all"),
        "{best}"
    );
    assert!(best.len() < 100, "{best}");
}

/// A script with GLSL, SPIR-V and parts that nothing needs.
const AMBER: &str = "\
#!amber
# a remark
SHADER compute wanted GLSL
#version 450
layout(set = 0, binding = 0) buffer Block { uint value[]; };
uint twice(uint x) { return x + x; }
void main() { if (value[1] == 0u) { value[1] = 3u; } value[0] = twice(value[0]); }
END
SHADER compute other SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpName %main \"main\"
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%start = OpLabel
OpReturn
OpFunctionEnd
END
BUFFER numbers DATA_TYPE uint32 DATA 1 2 END
PIPELINE compute first
  ATTACH wanted
  BIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 0
END
PIPELINE compute second
  ATTACH other
END
RUN first 1 1 1
RUN second 1 1 1
EXPECT numbers IDX 0 EQ 2 3
";

/// A judge of scripts that parse and have certain words.
struct Parses(&'static [&'static str]);

impl Judge for Parses {
    fn judge(&mut self, texts: Vec<String>) -> Result<Vec<bool>, Stopped> {
        let parses = |text: &str| {
            let no_files = |_: &str| Err("no files".to_owned());
            vk_script::parse(text.as_bytes(), Rules::Amber, &no_files).is_ok()
        };
        let holds = |text: &String| self.0.iter().all(|word| text.contains(word)) && parses(text);
        Ok(texts.iter().map(holds).collect())
    }
}

#[test]
fn vulkan_scripts_shrink() {
    let reduced = |words: &'static [&'static str]| {
        let (mut judge, syntax) = (Parses(words), Syntax::Vulkan(Rules::Amber));
        let mut reducer = Reducer::new((AMBER.to_owned(), syntax), &mut judge, 100_000, 4);
        assert_eq!(reducer.run(|_| {}), Ok(()));
        reducer.best().to_owned()
    };
    let glsl = reduced(&["RUN first", "twice(value[0])"]);
    assert!(glsl.len() < 220 && !glsl.contains("OpName") && !glsl.contains("if ("), "{glsl}");
    let spirv = reduced(&["RUN second", "OpReturn"]);
    assert!(spirv.len() < 120 && !spirv.contains("GLSL\n"), "{spirv}");
}

/// A text may stay as long as it was if its numbers are lower, and the search ends.
#[test]
fn lower_numbers_make_smaller_texts() {
    let text = "[require]\nGLSL >= 4.30\n[test]\ncompute 3 2 1\n";
    let mut judge = Holds::new(&["[require]\nGLSL", "compute 3 "]);
    let mut reducer = Reducer::new((text.to_owned(), Syntax::ShaderTest), &mut judge, 100_000, 3);
    assert_eq!(reducer.run(|_| {}), Ok(()));
    assert_eq!(reducer.best(), text.replace("3 2 1", "3 0 0"));
}

/// The result and the count are independent of the batch size.
#[test]
fn batches_make_no_difference() {
    let reduced = |batch, most| {
        let mut judge = Holds::new(&["gl_FragColor", "probe", "c.x"]);
        let mut reducer =
            Reducer::new((TEST.to_owned(), Syntax::ShaderTest), &mut judge, most, batch);
        let outcome = reducer.run(|_| {});
        (outcome, reducer.best().to_owned(), reducer.steps())
    };
    let whole = reduced(1, 100_000);
    assert_eq!(whole.0, Ok(()));
    for batch in [2, 5, 64] {
        assert_eq!(reduced(batch, 100_000), whole);
    }
    for most in [0, 1, 17, whole.2 - 1] {
        let few = reduced(1, most);
        assert_eq!((few.0, few.2), (Err(Stopped::Steps), most));
        assert!(few.1.len() >= whole.1.len());
        assert_eq!(reduced(7, most), few);
    }
    assert_eq!(reduced(4, whole.2), whole);
}

#[test]
fn an_interruption_keeps_the_best() {
    let mut judge = Holds { most: 10, ..Holds::new(&["gl_FragColor"]) };
    let mut reducer = Reducer::new((TEST.to_owned(), Syntax::ShaderTest), &mut judge, 100_000, 1);
    let mut last = TEST.to_owned();
    let outcome = reducer.run(|progress| {
        assert!(progress.best.len() < last.len());
        last = progress.best.to_owned();
    });
    assert_eq!(outcome, Err(Stopped::Interrupted));
    assert_eq!(reducer.best(), last);
    assert!(last.len() < TEST.len() && last.contains("gl_FragColor"));
}
