//! Words of the page about its contents: header, last line, notices.

use super::browser::Browser;
use super::driven::{browser, opened, sandbox, settled};
use super::server::Server;
use crate::support::{GREEN, Sandbox};

fn text_of(page: &mut Browser, selector: &str) -> String {
    let text = page.value(&format!("document.querySelector({selector:?}).textContent"));
    text.as_str().expect("a text").to_owned()
}

/// Has the last line be executed.
#[track_caller]
fn execute(page: &mut Browser, sandbox: &Sandbox, expected: &str) {
    let command = text_of(page, "#command");
    assert!(command.ends_with(expected), "{command}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    sandbox.run(&words).expect(0, &[]);
}

#[test]
fn the_last_line_is_a_valid_command() {
    let Some(program) = browser("the_last_line_is_a_valid_command") else { return };
    let sandbox = sandbox();
    sandbox
        .run(&["suite/green.shader_test", "--gen", "ivb", "--out", "results/old"])
        .expect(0, &[]);
    sandbox
        .run(&["suite/green.shader_test", "--gen", "ivb", "--out", "results/new"])
        .expect(0, &[]);
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "test=suite/green&gen=skl,vi,reference&reference=no");
    page.wait(&settled("reference"));
    execute(&mut page, &sandbox, "green.shader_test --gen skl,vi");
    let states = [
        ("gen=reference", "green.shader_test --reference-only"),
        ("gen=reference&tab=code", "green.shader_test --reference-only"),
        ("gen=vi,reference&tab=code", "--gen vi --stage fragment gcn"),
        ("gen=skl&tab=trace&pixel=3,4", "--gen skl --stage fragment --pixel 3,4 trace"),
        ("view=runs&run=new&old=old", "runner diff results/old results/new"),
        ("view=runs&run=new", "runner summary results/new"),
    ];
    for (state, expected) in states {
        page.value(&format!("location.hash = 'test=suite/green&{state}'"));
        page.wait(&format!(
            "document.querySelector('#command').textContent.endsWith('{expected}')"
        ));
        execute(&mut page, &sandbox, expected);
    }
    // The header is that of the runs, too.
    let shown = "getComputedStyle(document.querySelector('#state')).display";
    assert_eq!(page.value(shown), "none");
    assert_eq!(page.value("document.title"), "Runs – runner");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn a_new_address_is_not_overwritten() {
    let Some(program) = browser("a_new_address_is_not_overwritten") else { return };
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "test=suite/green&gen=skl&reference=no");
    page.wait(&settled("skl"));
    // The timers of the new address and of the page's own writing are due at once.
    page.value(
        "new Promise((resolve) => {
            const busy = () => { const start = performance.now(); while (performance.now() - start < 400); };
            setTimeout(busy, 0);
            setTimeout(() => { location.hash = 'test=suite/red&gen=skl&reference=no'; resolve(); }, 100);
            const filter = document.querySelector('#filter');
            filter.value = 'suite';
            filter.dispatchEvent(new Event('input'));
        })",
    );
    page.wait("document.querySelector('#name').textContent === 'suite/red'");
}

#[test]
fn verdicts_are_those_of_the_named_test() {
    let Some(program) = browser("verdicts_are_those_of_the_named_test") else { return };
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "test=suite/green&gen=skl,vi&tab=numbers");
    page.wait("document.querySelector('#state').textContent === 'skl: pass, vi: pass'");
    assert_eq!(text_of(&mut page, "#tests .cursor"), "suite/green");
    // There is no model of cycles on AMD's generations.
    let cycles = |target: &str| {
        format!(
            "[...document.querySelectorAll('[data-target={target}] tr')]\
             .find((row) => row.textContent.startsWith('cycles')).lastChild.textContent"
        )
    };
    assert_eq!(page.value(&cycles("vi")), "–");
    assert_ne!(page.value(&cycles("skl")), "–");
    // The tabs of two columns have one line each.
    let lines =
        "new Set([...document.querySelectorAll('[role=tab]')].map((tab) => tab.offsetTop)).size";
    assert_eq!(page.value(lines), 1);
    page.value(
        "(() => { window.seen = []; const text = (id) => document.getElementById(id).textContent; \
         const note = () => seen.push(`${text('name')} ${text('state')}`); \
         for (const id of ['name', 'state']) new MutationObserver(note).observe(\
         document.getElementById(id), { childList: true }); \
         location.hash = 'test=suite/red&gen=skl,vi'; })()",
    );
    page.wait("document.querySelector('#state').textContent === 'skl: fail, vi: fail'");
    let seen = page.value("seen.join('\\n')");
    let seen = seen.as_str().expect("a text");
    assert!(seen.contains("suite/red skl: running, vi: running"), "{seen}");
    assert!(!seen.lines().any(|line| line.contains("red") && line.contains("pass")), "{seen}");
    // Expected values stand beside those that were read.
    page.click("[data-target=skl] [data-tab=verdict]", (0.5, 0.5));
    page.wait("document.querySelector('[data-target=skl] table')");
    let head = text_of(&mut page, "[data-target=skl] table tr");
    assert_eq!(head, "lineprobeexpectedsimulatorreference");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn files_that_are_gone_and_long_edits_are_told() {
    let Some(program) = browser("files_that_are_gone_and_long_edits_are_told") else { return };
    let sandbox = sandbox();
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "test=suite/green&gen=skl");
    page.wait(&settled("skl"));
    // Numbers that cannot be packed.
    page.value(
        "(() => { const t = document.querySelector('#text'); let n = 1; \
         const next = () => (n = Math.imul(n, 1664525) + 1013904223 | 0) >>> 8; \
         const line = () => '# ' + Array.from({ length: 40 }, next).join(' '); \
         t.value += Array.from({ length: 400 }, line).join('\\n'); \
         t.dispatchEvent(new Event('input')); })()",
    );
    page.wait(
        "document.querySelector('#edited').textContent === 'edited, too long for the address'",
    );
    page.click("#revert", (0.5, 0.5));
    page.wait("document.querySelector('#edited').textContent === 'edited'");
    page.click("#watch", (0.5, 0.5));
    page.wait("document.querySelector('#state').textContent === 'skl: pass'");
    std::fs::remove_file(sandbox.path("suite/green.shader_test")).expect("a file");
    page.wait("document.querySelector('#state').textContent === 'skl: error'");
    let gone = "document.querySelector('[data-target=skl] .plain').textContent";
    page.wait(&format!("{gone}.includes('cannot read the file')"));
    sandbox.file("suite/green.shader_test", GREEN);
    page.wait("document.querySelector('#state').textContent === 'skl: pass'");
    // A test that cannot be opened takes the place of the one before.
    std::fs::remove_file(sandbox.path("suite/gradient.shader_test")).expect("a file");
    page.value("location.hash = 'test=suite/gradient&gen=skl'");
    page.wait("document.querySelector('#name').textContent === 'suite/gradient'");
    page.wait("document.querySelector('#state').textContent === 'skl: error'");
    assert_eq!(page.value("document.querySelector('#text').value"), "");
    assert_eq!(page.value("document.querySelectorAll('canvas').length"), 0);
    let reason = text_of(&mut page, "[data-target=skl] .plain");
    assert!(reason.contains("No such file"), "{reason}");
}

#[test]
fn results_open_as_they_were_run() {
    let Some(program) = browser("results_open_as_they_were_run") else { return };
    let sandbox = sandbox();
    sandbox.file("other/green.shader_test", GREEN);
    let run = ["suite/green.shader_test", "--gen", "skl", "--width", "SIMD8", "--out", "results/a"];
    sandbox.run(&run).expect(0, &[]);
    sandbox.run(&["other", "--gen", "skl", "--out", "results/c"]).expect(0, &[]);
    let server = Server::start(&sandbox, &["suite"]);
    let mut page = opened(&program, &server, "view=runs&run=c");
    let enter = |page: &mut Browser, run: &str, row: &str| {
        page.value(&format!("location.hash = 'view=runs&run={run}'"));
        page.wait(&format!(
            "document.querySelector('#results .row')?.textContent.includes('{row}')"
        ));
        page.value("document.querySelector('#results').focus()");
        page.press("ArrowDown");
        page.press("Enter");
    };
    enter(&mut page, "c", "other/green");
    page.wait("document.querySelector('#runs-view').textContent.includes('is not in the list')");
    enter(&mut page, "a", "width=SIMD8");
    page.wait("!document.querySelector('#test-view').hidden");
    page.wait("document.querySelector('#width').value === 'SIMD8'");
}
