//! Tests of levels on texts with known parts, and of the engine with judges that inspect only the
//! text.

use super::*;

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
    let (Plan::Together(edits, _) | Plan::OneByOne(edits)) = level.plan(text);
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
    let mut seen = [0usize; Level::ALL.len()];
    for file in tests.step_by(23) {
        let text = std::fs::read_to_string(file.path()).unwrap();
        for (level, seen) in Level::ALL.into_iter().zip(&mut seen) {
            let (edits, together) = match level.plan(&text) {
                Plan::Together(edits, _) => (edits, true),
                Plan::OneByOne(edits) => (edits, false),
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
    let unseen: Vec<&str> = Level::ALL
        .iter()
        .zip(seen)
        .filter(|(_, seen)| *seen == 0)
        .map(|(level, _)| level.name())
        .collect();
    // Structures, and statements four blocks deep, are rare.
    assert!(unseen.iter().all(|name| ["statements", "members"].contains(name)), "{unseen:?}");
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
            Level::ALL.iter().for_each(|level| drop(level.plan(&text[..cut])));
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

#[test]
fn what_is_not_needed_goes() {
    let mut judge = Holds::new(&["[fragment shader]", "twice(", "probe all"]);
    let mut reducer = Reducer::new(TEST.to_owned(), &mut judge, 100_000, 3);
    assert_eq!(reducer.run(|_| {}), Ok(()));
    // A probe line cannot lose words: it would be no command then, which the level does not edit.
    let best = reducer.best();
    assert!(
        best.contains("[fragment shader]") && best.contains("twice(") && best.contains("probe all"),
        "{best}"
    );
    assert!(best.len() < 100, "{best}");
}

/// The result and the count are independent of the batch size.
#[test]
fn batches_make_no_difference() {
    let reduced = |batch, most| {
        let mut judge = Holds::new(&["gl_FragColor", "probe", "c.x"]);
        let mut reducer = Reducer::new(TEST.to_owned(), &mut judge, most, batch);
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
    let mut reducer = Reducer::new(TEST.to_owned(), &mut judge, 100_000, 1);
    let mut last = TEST.to_owned();
    let outcome = reducer.run(|progress| {
        assert!(progress.best.len() < last.len());
        last = progress.best.to_owned();
    });
    assert_eq!(outcome, Err(Stopped::Interrupted));
    assert_eq!(reducer.best(), last);
    assert!(last.len() < TEST.len() && last.contains("gl_FragColor"));
}
