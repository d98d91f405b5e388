//! `runner report`, also in a real browser where one is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{GREEN, Sandbox, red};

/// A name and a message that would do harm if anything took them for more than text.
const HOSTILE: &str = "<img src=x onerror=alert(1)>&\"'\u{1b}[31m";

/// Two runs: `a` breaks, `b` is fixed, `c` changes in code, `d` vanishes, and one has a hostile
/// name.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let write = |name: &str, text: &str| {
        sandbox.file(&format!("suite/{name}.shader_test"), text);
    };
    write("one/a", GREEN);
    write("one/b", &red());
    write("two/c", &red());
    write("two/d", GREEN);
    write(HOSTILE, &red().replace("[test]\n", "[test]\n# </script><b>&\n"));
    let run = |out: &str| sandbox.run(&["suite", "--gen", "ivb,skl", "--out", out]).expect(1, &[]);
    run("old");
    write("one/a", &red());
    write("one/b", GREEN);
    write("two/c", &red().replace("gl_FragColor = c;", "gl_FragColor = c * c.yxzw + c.zzzz;"));
    fs::remove_file(sandbox.path("suite/two/d.shader_test")).unwrap();
    run("new");
    sandbox
}

fn report(sandbox: &Sandbox) -> PathBuf {
    let ran = sandbox.run(&["report", "new", "--previous", "old", "--out", "html"]);
    // Two generations of each: broken, fixed, changed, vanished, hostile.
    ran.expect(0, &["html/index.html: 10 results, 10 pages\n"]);
    sandbox.path("html")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The page of a test on a generation.
fn page(folder: &Path, heading: &str) -> String {
    let mut pages = fs::read_dir(folder.join("pages")).unwrap().map(|entry| entry.unwrap().path());
    pages
        .find_map(|path| {
            let html = (path.extension()? == "html").then(|| read(&path))?;
            html.contains(&format!("<h1>{heading}</h1>")).then_some(html)
        })
        .unwrap_or_else(|| panic!("no page of {heading}"))
}

#[test]
fn pages_explain_results() {
    let sandbox = sandbox();
    let folder = report(&sandbox);
    let broken = page(&folder, "suite/one/a <small>ivb</small>");
    for part in [
        "<span class=\"badge regression\">regression: pass → fail</span>",
        "Probe color at (0,0)",
        "<code>probe all rgba 1 0 0 1</code></td><td>1.0 0.0 0.0 1.0</td>",
        "-expected.png\" alt=\"expected\">",
        "-simulator.png\" alt=\"simulator\">",
        "-difference.png\" alt=\"difference\">",
        "<span id=\"L12\" class=\"bad\"><i>12</i>probe all rgba 1 0 0 1\n</span>",
        "<summary>fragment.SIMD8.eu</summary>",
        "Over time",
        "To repeat: <code>runner suite/one/a.shader_test --gen ivb</code>",
        "<a href=\"#L12\">line 12 of the script</a>",
        "<span class=\"fail\">ivb: fail</span>",
        ".html\">skl: fail</a>",
        "rel=\"next\"",
    ] {
        assert!(broken.contains(part), "{part} in {broken}");
    }
    let changed = page(&folder, "suite/two/c <small>skl</small>");
    for part in [
        "fragment.SIMD8.eu, against the previous run",
        "<span class=\"plus\">+m",
        "<span class=\"place\">@@ ",
        "<summary>vertex.ir (as in the previous run)</summary>",
        "class=\"worse\">",
    ] {
        assert!(changed.contains(part), "{part} in {changed}");
    }
    assert!(page(&folder, "suite/two/d <small>ivb</small>").contains("regression: pass → missing"));
    assert!(page(&folder, "suite/one/b <small>ivb</small>").contains("fix: fail → pass"));
    let index = read(&folder.join("index.html"));
    for part in [
        "since old: 4 the same · regressions: 4 · fixes: 2",
        "fail, crash and timeout",
        "HURT",
        "<polyline",
    ] {
        assert!(index.contains(part), "{part} in {index}");
    }
}

/// Results without a bundle have the command of the run's record.
#[test]
fn commands_without_bundles() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", red());
    let run = ["suite", "--gen", "ivb,skl", "--keep", "none", "--out", "run", "--width", "SIMD8"];
    sandbox.run(&run).expect(1, &[]);
    sandbox.run(&["report", "run", "--out", "html"]).expect(0, &[]);
    let page = page(&sandbox.path("html"), "suite/a <small>skl width=SIMD8</small>");
    let command = "runner --gen skl -t &#39;^suite/a$&#39; suite --keep none --width SIMD8";
    assert!(page.contains(command), "{page}");
    // The same without markup works.
    let ran = sandbox.run(&["--gen", "skl", "-t", "^suite/a$", "suite", "--width", "SIMD8"]);
    ran.expect(1, &["[1/1] fail: 1"]);
}

/// Nothing in a report is of elsewhere, and no text in it becomes markup.
#[test]
fn reports_are_complete_and_escape() {
    let sandbox = sandbox();
    let folder = report(&sandbox);
    let mut files = vec![folder.clone()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        if bytes.starts_with(b"\x89PNG") {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        let name = path.display();
        for part in ["http:", "https:", "src=\"//", "@import", "url(", "\u{1b}"] {
            assert!(!text.contains(part), "{part:?} in {name}");
        }
        if path.extension().is_some_and(|extension| extension == "html") {
            assert!(!text.contains("<img src=x") && !text.contains("</script><b>"), "{name}");
        }
    }
    page(
        &folder,
        "suite/&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39;\\u{1b}[31m <small>ivb</small>",
    );
    // Other formats.
    let markdown = sandbox.run(&["diff", "old", "new", "--format", "markdown"]).out;
    let json = sandbox.run(&["diff", "old", "new", "--format", "json"]).out;
    let terminal = [
        &["diff", "old", "new"][..],
        &["summary", "old", "new", "--all"],
        &["history", "--failing"],
    ];
    for arguments in terminal {
        let out = sandbox.run(arguments).out;
        assert!(!out.contains('\u{1b}'), "{arguments:?}: {out}");
    }
    assert!(
        !markdown.contains("<img") && !markdown.contains('\u{1b}') && !json.contains('\u{1b}'),
        "{markdown}"
    );
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
}

#[test]
fn folders_of_others_are_left_alone() {
    let sandbox = sandbox();
    sandbox.file("mine/data/precious", "");
    sandbox
        .run(&["report", "new", "--out", "mine"])
        .expect(2, &["mine holds something else than a report"]);
    assert!(sandbox.path("mine/data/precious").exists());
    report(&sandbox);
    fs::write(sandbox.path("html/pages/999.html"), "stale").unwrap();
    // Again, alone: only what does not pass has a page.
    sandbox
        .run(&["report", "new", "--out", "html"])
        .expect(0, &["html/index.html: 8 results, 6 pages\n"]);
    assert!(!sandbox.path("html/pages/999.html").exists());
    sandbox.run(&["report", "nowhere", "--out", "html2"]).expect(2, &["cannot read nowhere"]);
    let history = ["report", "new", "--out", "html", "--history", "nowhere.sqlite"];
    sandbox.run(&history).expect(2, &["nowhere.sqlite"]);
    sandbox.file("results/history.sqlite", "damaged");
    sandbox.run(&["report", "new", "--out", "html"]).expect(0, &["warning: no trends: "]);
}

/// Runs without bundles, of other programs and cut short have reports too.
#[test]
fn runs_that_explain_nothing() {
    let sandbox = Sandbox::new();
    sandbox.file("gpu.csv", "a,Pass,1\nb,Fail,1\nc@d,Crash,0\n");
    sandbox.run(&["import", "gpu.csv", "--gen", "ivb", "--out", "gpu"]).expect(0, &[]);
    sandbox.run(&["report", "gpu", "--out", "html"]).expect(0, &["3 results, 2 pages"]);
    assert!(
        page(&sandbox.path("html"), "b <small>ivb</small>").contains("keeps no failure bundle")
    );
    let path = sandbox.path("gpu/results.jsonl");
    let text = read(&path);
    fs::write(&path, &text[..text.len() - 20]).unwrap();
    let ran = sandbox.run(&["report", "gpu", "--out", "html"]);
    ran.expect(0, &["2 results, 1 pages", "was cut short"]);
    // The page reports a damaged bundle.
    sandbox.file("gpu/failures/b/@ivb/bundle.json", "{");
    sandbox.run(&["report", "gpu", "--out", "html"]).expect(0, &[]);
    assert!(
        page(&sandbox.path("html"), "b <small>ivb</small>").contains("bundle.json: not a bundle")
    );
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
}

/// Returns the elements of a page after its scripts have run.
fn elements(browser: &Path, profile: &Path, address: &str) -> String {
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=1400,900",
            "--virtual-time-budget=10000",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--dump-dom", address])
        .output()
        .expect("the browser starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Statuses and names of the lines that are drawn.
fn lines(elements: &str) -> Vec<(String, String)> {
    let cell = regex::Regex::new(
        "<(?:a|div) class=\"row\"[^>]*><span title=\"([^\"]*)\" class=\"name\">.*?</span></span>\
         <span[^>]*>([^<]*)</span><span[^>]*class=\"(\\w+)\">",
    )
    .unwrap();
    let found = cell.captures_iter(elements);
    found.map(|c| (c[3].to_owned(), format!("{} {}", &c[1], &c[2]))).collect()
}

#[test]
fn the_table_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("NO CHROMIUM IS INSTALLED: the report was not driven in a browser");
        return;
    };
    let sandbox = sandbox();
    let folder = report(&sandbox);
    let index = format!("file://{}/index.html", folder.display());
    let profile = sandbox.path("profile");
    let show = |filters: &str| elements(&browser, &profile, &format!("{index}{filters}"));
    let all = show("");
    assert_eq!(lines(&all).len(), 10, "{all}");
    assert!(all.contains(">10 of 10 results</output>"), "{all}");
    assert!(
        all.contains("&lt;img src=x onerror=alert(1)&gt;&amp;\"'\\u{1b}[31m"),
        "hostile names are text: {all}"
    );
    let names = |filters: &str| {
        let all =
            lines(&show(filters)).into_iter().map(|(status, name)| format!("{status} {name}"));
        all.filter(|line| !line.contains("img")).collect::<Vec<_>>()
    };
    assert_eq!(names("#status=missing"), ["missing suite/two/d ivb", "missing suite/two/d skl"]);
    assert_eq!(
        names("#change=regression&gen=ivb&sort=-test"),
        ["missing suite/two/d ivb", "fail suite/one/a ivb"]
    );
    assert_eq!(
        names("#directory=suite/two&status=fail&layer=probe"),
        ["fail suite/two/c ivb", "fail suite/two/c skl"]
    );
    assert_eq!(names("#text=one/a+skl+color"), Vec::<String>::new());
    assert_eq!(names("#text=color+one/a"), ["fail suite/one/a ivb", "fail suite/one/a skl"]);
    let links = regex::Regex::new("<a class=\"row\" href=\"(pages/\\d+\\.html)\"").unwrap();
    let link = links.captures(&all).expect("a link to a page")[1].to_owned();
    let page = elements(&browser, &profile, &format!("file://{}/{link}", folder.display()));
    assert!(page.contains("<h1>suite/"), "{page}");
}

/// A table of many results draws only the lines in view.
#[test]
fn a_large_table_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("NO CHROMIUM IS INSTALLED: the large table was not driven in a browser");
        return;
    };
    let sandbox = Sandbox::new();
    let csv: String = (0..20_000)
        .map(|n| format!("spec@t{n:05},{},0.1\n", if n % 50 == 7 { "Fail" } else { "Pass" }))
        .collect();
    sandbox.file("gpu.csv", csv);
    sandbox.run(&["import", "gpu.csv", "--gen", "skl", "--out", "gpu"]).expect(0, &[]);
    sandbox.run(&["report", "gpu", "--out", "html"]).expect(0, &["20000 results, 400 pages"]);
    let address = format!("file://{}/index.html", sandbox.path("html").display());
    let profile = sandbox.path("profile");
    let all = elements(&browser, &profile, &address);
    assert!(all.contains(">20,000 of 20,000 results</output>"));
    let drawn = lines(&all).len();
    assert!((10..200).contains(&drawn), "{drawn} lines drawn");
    let failed = elements(&browser, &profile, &format!("{address}#status=fail"));
    assert!(failed.contains(">400 of 20,000 results</output>"), "{failed}");
    assert!(lines(&failed).iter().all(|(status, _)| status == "fail"));
}

/// Pages show tabs as tabs, and say that nothing was drawn instead of showing black images.
#[test]
fn tabs_and_missing_images() {
    let sandbox = Sandbox::new();
    let compute = "[require]\nGLSL >= 4.30\n[compute shader]\n#version 430\n\
                   layout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer B { float f; };\n\
                   void main() {\n\tf = 1.5;\n}\n[test]\nssbo 0 4\ncompute 1 1 1\n\
                   probe ssbo float 0 0 == 1.25\n";
    sandbox.file("suite/compute.shader_test", compute).file("suite/red.shader_test", red());
    sandbox.run(&["suite", "--gen", "skl", "--out", "run"]).expect(1, &["[2/2] fail: 2"]);
    sandbox.run(&["report", "run", "--out", "html"]).expect(0, &[]);
    let page = |number: u32| {
        let path = sandbox.path(&format!("html/pages/{number}.html"));
        fs::read_to_string(path).expect("a page")
    };
    let (compute, drawn) = (page(1), page(2));
    assert!(compute.contains("suite/compute") && drawn.contains("suite/red"));
    assert!(compute.contains("\tf = 1.5;") && !compute.contains("\\t"), "{compute}");
    assert!(compute.contains("Nothing was drawn.") && !compute.contains("<img"), "{compute}");
    assert!(drawn.contains("<img") && !drawn.contains("Nothing was drawn."), "{drawn}");
}
