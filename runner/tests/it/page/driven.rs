//! The page in a real browser. With `BLESS=1` the screenshots in `docs/page` are written anew.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::browser::{Browser, installed};
use super::server::Server;
use crate::support::{GREEN, Sandbox, red};

/// Size of the window: a small laptop's.
const SIZE: (u32, u32) = (1280, 720);

/// A shader with a gradient, so that pixels have lanes with values of their own.
const GRADIENT: &str = "[require]\nGLSL >= 1.10\n\n[vertex shader passthrough]\n\n\
    [fragment shader]\nuniform float blue;\n\nvoid main()\n{\n    \
    vec2 at = gl_FragCoord.xy / 250.0;\n    \
    float circle = length(at - vec2(0.5));\n    \
    vec3 color = vec3(at, blue);\n    \
    if (circle > 0.4)\n        color = color * 0.25;\n    \
    gl_FragColor = vec4(color, 1.0);\n}\n\n\
    [test]\nuniform float blue 0.5\nclear color 0 0 0 0\nclear\ndraw rect -1 -1 2 2\n\
    relative probe rgb (0.5, 0.5) (0.5, 0.5, 0.5)\n";

/// Returns the browser, or says loudly that the test does not run.
pub(super) fn browser(test: &str) -> Option<std::path::PathBuf> {
    let found = installed();
    if found.is_none() {
        // Not captured, unlike the output of macros.
        let text = format!("WARNING: page::driven::{test} DID NOT RUN: there is no Chromium\n");
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    found
}

pub(super) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file("suite/gradient.shader_test", GRADIENT)
        .file("suite/green.shader_test", GREEN)
        .file("suite/red.shader_test", red());
    sandbox
}

pub(super) fn opened(program: &std::path::PathBuf, server: &Server, state: &str) -> Browser {
    let mut page = Browser::open(program, &format!("{}#{state}", server.address), SIZE);
    page.wait("document.body?.dataset.ready");
    page
}

/// Writes a screenshot, if asked to.
fn shot(page: &mut Browser, name: &str) {
    let png = page.screenshot();
    assert!(png.starts_with(b"\x89PNG"));
    if std::env::var_os("BLESS").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/page");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(format!("{name}.png")), png).expect("a file");
    }
}

/// The color in the middle of the first framebuffer, as the page draws it.
const MIDDLE: &str = "(() => { const c = document.querySelector('canvas'); \
    return Array.from(c.getContext('2d').getImageData(c.width / 2, c.height / 2, 1, 1).data).join(' '); })()";

pub(super) fn settled(column: &str) -> String {
    format!(
        "document.querySelector('[data-target={column}]:not(.stale) h2 .time')?.textContent && document.querySelectorAll('canvas').length"
    )
}

/// True once a column shows the lane of a pixel.
fn lane(column: &str) -> String {
    let bar = format!("[data-target={column}] [role=tabpanel] .bar");
    format!("/pixel .*lane \\d/.test(document.querySelector('{bar}')?.textContent)")
}

#[test]
fn an_edit_gives_new_pixels() {
    let Some(program) = browser("an_edit_gives_new_pixels") else { return };
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "test=suite/green&gen=ivb");
    page.wait(&settled("ivb"));
    assert_eq!(page.value(MIDDLE), "0 255 0 255");
    page.click("#text", (0.9, 0.9));
    page.value(
        "(() => { const t = document.querySelector('#text'); const at = t.value.indexOf('0 1 0 1'); \
         t.setSelectionRange(at, at + 7); })()",
    );
    page.type_text("0 0 1 1");
    page.wait(&format!("{MIDDLE} === '0 0 255 255'"));
    page.wait("document.querySelector('[data-target=ivb] h2 .fail')");
    assert_eq!(page.value("document.querySelector('#edited').hidden"), false);
    // The address has the text.
    page.wait("location.hash.includes('text=')");
    let text = page.value("document.querySelector('#text').value");
    page.call("Page.reload", serde_json::json!({}));
    page.wait("document.body?.dataset.ready && document.querySelectorAll('canvas').length");
    assert_eq!(page.value("document.querySelector('#text').value"), text);
    assert_eq!(page.value(MIDDLE), "0 0 255 255");
    // A saved file runs again.
    page.click("#revert", (0.5, 0.5));
    page.wait(&format!("{MIDDLE} === '0 255 0 255'"));
    page.click("#watch", (0.5, 0.5));
    let saved = GREEN.replace("c 0 1 0 1", "c 1 0 1 1");
    sandbox.file("suite/green.shader_test", saved);
    page.wait(&format!("{MIDDLE} === '255 0 255 255'"));
    // A text that does not compile has a line.
    page.value(
        "(() => { const t = document.querySelector('#text'); t.focus(); \
         const at = t.value.indexOf('gl_FragColor'); t.setSelectionRange(at, at); })()",
    );
    page.type_text("nothing; ");
    page.wait("document.querySelector('#marks .error')");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn a_pixel_has_a_trace_and_lines_have_code() {
    let Some(program) = browser("a_pixel_has_a_trace_and_lines_have_code") else { return };
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "test=suite/gradient&gen=skl,vi&tab=code");
    page.wait(&settled("skl"));
    page.wait(&settled("vi"));
    page.wait("document.querySelectorAll('[data-target=skl] .row').length > 5");
    // A line of the text lights up in the code of both, and a row of the code in the text.
    let of_line = |page: &mut Browser, target: &str| {
        let rows = format!("[data-target={target}] .row.marked");
        page.wait(&format!("document.querySelector('{rows}')"));
        page.value(&format!("document.querySelector('{rows}').textContent"))
    };
    page.value(
        "(() => { const t = document.querySelector('#text'); t.focus(); \
         const at = t.value.indexOf('length('); t.setSelectionRange(at, at); t.click(); })()",
    );
    page.wait("document.querySelector('#marks .line')");
    let (intel, amd) = (of_line(&mut page, "skl"), of_line(&mut page, "vi"));
    assert!(intel.as_str().unwrap().starts_with("add("), "{intel}");
    assert!(amd.as_str().unwrap().contains("v_"), "{amd}");
    shot(&mut page, "code");
    page.value("document.querySelector('#marks').replaceChildren()");
    page.click("[data-target=vi] .row.marked", (0.1, 0.5));
    page.wait("document.querySelector('#marks .line')");
    let top = page.value("document.querySelector('#marks .line').style.top");
    assert_eq!(top, "198px", "line 12");
    // The same in the IR, after the last pass and as a difference.
    page.click("[data-target=skl] [data-tab=ir]", (0.5, 0.5));
    page.wait("document.querySelector('[data-target=skl] .row.marked')");
    page.click("canvas", (0.25, 0.75));
    page.wait(&lane("skl"));
    page.wait(&lane("vi"));
    let pixel = page.value("document.querySelector('#values').textContent");
    assert!(pixel.as_str().unwrap().starts_with("(6"), "{pixel}");
    // The trace has the line, too.
    of_line(&mut page, "skl");
    of_line(&mut page, "vi");
    shot(&mut page, "trace");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn runs_are_compared() {
    let Some(program) = browser("runs_are_compared") else { return };
    let sandbox = sandbox();
    sandbox.run(&["suite", "--gen", "ivb", "--out", "results/old"]).expect(1, &[]);
    sandbox.file("suite/red.shader_test", GREEN).file("suite/green.shader_test", red());
    sandbox.run(&["suite", "--gen", "ivb", "--out", "results/new"]).expect(1, &[]);
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "view=runs&run=new&old=old");
    page.wait("document.querySelectorAll('#results .row').length === 2");
    let rows = page.value("document.querySelector('#results').innerText");
    let rows = rows.as_str().unwrap();
    assert!(rows.contains("regression") && rows.contains("suite/green"), "{rows}");
    assert!(rows.contains("fix") && rows.contains("suite/red"), "{rows}");
    shot(&mut page, "runs");
    // A result leads to its test.
    page.value("document.querySelector('#results').focus()");
    page.press("ArrowDown");
    page.press("Enter");
    page.wait("!document.querySelector('#test-view').hidden");
    page.wait(&settled("ivb"));
    assert_eq!(page.value("document.querySelector('#name').textContent"), "suite/green");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn the_keyboard_is_enough() {
    let Some(program) = browser("the_keyboard_is_enough") else { return };
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "test=suite/green&gen=skl");
    page.wait(&settled("skl"));
    let focused = "document.activeElement.id || document.activeElement.getAttribute('role')";
    // To another test through the list.
    page.press("l");
    assert_eq!(page.value(focused), "filter");
    page.type_text("grad");
    page.press("ArrowDown");
    page.press("Enter");
    page.wait("document.querySelector('#name').textContent === 'suite/gradient'");
    page.wait(&settled("skl"));
    // To the column, along its tabs, into the code.
    page.press("1");
    assert_eq!(page.value(focused), "tab");
    page.press("ArrowRight");
    page.wait("document.querySelectorAll('[data-target=skl] .row').length > 5");
    page.press("ArrowDown");
    assert_eq!(page.value(focused), "listbox");
    page.press("ArrowDown");
    assert_eq!(page.value("document.activeElement.querySelectorAll('.cursor').length"), 1);
    // To a pixel and its trace.
    page.press("p");
    assert_eq!(page.value(focused), "pictures");
    page.press("ArrowRight");
    page.press("ArrowUp");
    page.press("Enter");
    page.wait(
        "document.querySelector('[data-target=skl] .note')?.textContent.includes('pixel (1,1)')",
    );
    // Into the text and out of it.
    page.press("e");
    assert_eq!(page.value(focused), "text");
    page.press("Escape");
    page.press("?");
    assert_eq!(page.value("document.querySelector('#keys').open"), true);
    page.press("Escape");
    page.wait("!document.querySelector('#keys').open");
    page.press("r");
    page.wait("!document.querySelector('#runs-view').hidden");
    // The focus is visible.
    page.press("r");
    page.press("Escape");
    page.press("p");
    let outline = page.value("getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outline, "solid");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn light_and_dark() {
    let Some(program) = browser("light_and_dark") else { return };
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "test=suite/gradient&gen=ivb,vi&tab=code");
    page.wait(&settled("vi"));
    let back = "getComputedStyle(document.body).backgroundColor";
    page.color_scheme("light");
    assert_eq!(page.value(back), "rgb(255, 255, 255)");
    page.color_scheme("dark");
    assert_eq!(page.value(back), "rgb(21, 24, 28)");
    shot(&mut page, "dark");
    // The switch overrules the system.
    page.value("document.activeElement.blur()");
    page.press("t");
    assert_eq!(page.value(back), "rgb(255, 255, 255)");
    page.press("t");
    page.color_scheme("light");
    assert_eq!(page.value(back), "rgb(21, 24, 28)");
    // Nothing is cut off on a small laptop.
    let fits = "document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight";
    assert_eq!(page.value(fits), true);
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

/// Number of shaders whose edits are timed.
const TIMED: usize = 50;

/// Edits of the page: the first number of the text, or a new line at its end, so that the shader is
/// compiled anew.
const EDIT: &str = "(() => { const t = document.querySelector('#text'); t.focus(); \
    const from = t.value.indexOf('[fragment shader]'); \
    const body = t.value.slice(Math.max(from, 0)); \
    const number = /(?<![\\w.])\\d\\.\\d/.exec(body.slice(body.indexOf('main'))); \
    let at = t.value.length, text = '\\n'; \
    if (number) { at = Math.max(from, 0) + body.indexOf('main') + number.index; text = (Number(number[0][0]) + 1) % 10 + number[0].slice(1); } \
    t.setSelectionRange(at, number ? at + 3 : at); \
    document.body.dataset.looks = 0; \
    return text; })()";

/// Times edits in our own suite, or in the folder of `RUNNER_PAGE_CORPUS` on the generations of
/// `RUNNER_PAGE_GEN`; the limits of the assertion are generous, since the machine may be busy.
#[test]
fn edits_are_fast() {
    let Some(program) = browser("edits_are_fast") else { return };
    let sandbox = sandbox();
    let corpus = std::env::var("RUNNER_PAGE_CORPUS").unwrap_or_else(|_| "suite".to_owned());
    let targets = std::env::var("RUNNER_PAGE_GEN").unwrap_or_else(|_| "skl".to_owned());
    let columns = targets.split(',').count();
    let server = Server::start(&sandbox, &[&corpus]);
    let mut page = opened(&program, &server, &format!("gen={targets}"));
    let answer = server.get("tests").body;
    let names: Vec<&str> = answer.lines().collect();
    let mut times = Vec::new();
    // Some tests draw nothing, or are skipped.
    let mut candidates = (0..TIMED * 4).map(|n| names[n * names.len() / (TIMED * 4)]);
    let mut seen = std::collections::BTreeSet::new();
    while times.len() < TIMED {
        let Some(name) = candidates.next() else { break };
        if !seen.insert(name) {
            continue;
        }
        page.value("document.body.dataset.looks = 0");
        page.value(&format!(
            "location.hash = 'gen={targets}&test=' + encodeURIComponent({name:?})"
        ));
        page.wait(&format!("Number(document.body.dataset.looks) >= {columns}"));
        if page.value("document.querySelectorAll('canvas').length") == 0 {
            continue;
        }
        let text = page.value(EDIT);
        page.type_text(text.as_str().unwrap_or_default());
        page.wait(&format!("Number(document.body.dataset.looks) >= {columns}"));
        let time = page.value("Number(document.body.dataset.latency)");
        times.push((time.as_f64().unwrap_or_default() as u64, name));
    }
    times.sort_unstable();
    assert!(!times.is_empty(), "no test draws");
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let (median, late, worst) = (at(50), at(95), at(100));
    println!(
        "{} edits on {targets}: median {median:?}, 95 %: {late:?}, worst {worst:?}",
        times.len()
    );
    assert!(median.0 < 2000 && late.0 < 5000, "{times:?}");
}
