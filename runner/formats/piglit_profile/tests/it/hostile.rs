//! Damaged input: no panic, and nothing that grows beyond its input.

use arbtest::arbitrary::Unstructured;
use arbtest::arbtest;
use piglit_profile::{Ending, Profile, Report, decompress};

const PROFILE: &str = "<?xml version='1.0' encoding='utf-8'?><PiglitTestList count=\"2\" name=\"p\">\
    <Test type=\"gl\" name=\"a@b\"><option name=\"command\" value=\"['a', &quot;b&quot;, '\\x41']\" />\
    <option name=\"run_concurrent\" value=\"True\" /><environment><env name=\"v\" value=\"0\" />\
    </environment></Test><Test type=\"multi_shader\" name=\"c\"><option name=\"files\" \
    value=\"['x', 'y']\" /><Skips><Skip><option name=\"api\" value=\"'compat'\" /></Skip></Skips>\
    </Test></PiglitTestList>";
const LINE: &str = r#" {"subtest": {"One": "pass"}, "enumerate subtests": ["a", "b"],
    "images": [{"image_desc": "x"}], "result": "pass"}"#;

/// Returns a text with some bytes replaced, removed or repeated.
fn damaged(text: &str, random: &mut Unstructured<'_>) -> arbtest::arbitrary::Result<Vec<u8>> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.int_in_range(1..=6)? {
        let at = random.choose_index(bytes.len())?;
        match random.int_in_range(0..=2)? {
            0 => bytes[at] = random.arbitrary()?,
            1 => _ = bytes.remove(at),
            _ => bytes.splice(at..at, bytes[at..(at + 9).min(bytes.len())].to_vec()).for_each(drop),
        }
    }
    Ok(bytes)
}

#[test]
fn damaged_profiles() {
    arbtest(|random| {
        if let Ok(text) = decompress(damaged(PROFILE, random)?) {
            let _ = Profile::parse(&text);
        }
        Ok(())
    })
    .budget_ms(500);
}

#[test]
fn damaged_lines() {
    arbtest(|random| {
        let mut report = Report::default();
        report.line(&String::from_utf8_lossy(&damaged(LINE, random)?));
        report.conclude(Ending::Exit(0));
        Ok(())
    })
    .budget_ms(500);
}
