//! Runs that are killed, results that are damaged, and places that cannot be written to: nothing is
//! lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Ran, Sandbox, ran};

const RUN: [&str; 4] = ["suite", "--mock", "--reference-only", "--out"];

/// Forty short tests, some of which fail, crash or panic.
fn sandbox() -> Sandbox {
    of_size(40)
}

fn of_size(tests: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..tests {
        let what = match number % 13 {
            3 => "fail",
            7 => "panic",
            11 => "abort",
            _ => "sleep 2",
        };
        sandbox.mocks(&[(&format!("t{number:03}"), what)]);
    }
    sandbox
}

fn start(sandbox: &Sandbox, out: &str, more: &[&str]) -> Command {
    let mut command = sandbox.command(&[&RUN[..], &[out], more].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(sandbox: &Sandbox, out: &str, more: &[&str]) -> Ran {
    ran(&start(sandbox, out, more).output().expect("a run"))
}

/// A file of a run with the durations blanked.
fn untimed(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let time = regex::Regex::new(r#""duration_us":\d+|,\d+\.\d+\n| time(stamp)?="[^"]*""#)
        .expect("a pattern");
    time.replace_all(&text, "T").into_owned()
}

#[track_caller]
fn assert_same_run(sandbox: &Sandbox, a: &str, b: &str) {
    for file in ["results.jsonl", "results.reference.csv", "junit.xml"] {
        let path = |run: &str| sandbox.path(run).join(file);
        assert_eq!(untimed(&path(a)), untimed(&path(b)), "{file} of {b}");
    }
}

/// Whole lines of a run's results after the header, durations included.
fn finished_results(sandbox: &Sandbox, out: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(sandbox.path(out).join("results.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    text[..whole].lines().skip(1).map(str::to_owned).collect()
}

/// Killed fifty times at moments from before the first result to after the last.
#[test]
fn killed_runs_are_completed() {
    let sandbox = sandbox();
    run(&sandbox, "whole", &[]).expect(1, &["[40/40]"]);
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let (mut restarted, mut partial) = (0, 0);
    for round in 0..50 {
        let out = format!("killed{}", round % 5);
        let more: &[&str] = if round % 2 == 0 { &["-j", "3"] } else { &["-j", "3", "--isolate"] };
        let mut child = start(&sandbox, &out, more).stdout(Stdio::null()).spawn().expect("a run");
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // By the clock, or once some results are finished: on a slow machine the clock alone would
        // kill them all early.
        if round % 4 < 2 {
            std::thread::sleep(Duration::from_micros((state >> 33) % 120_000));
        } else {
            let (results, begun) = (1 + (state >> 33) as usize % 38, Instant::now());
            while finished_results(&sandbox, &out).len() < results {
                assert!(begun.elapsed() < Duration::from_secs(60), "no results");
                std::hint::spin_loop();
            }
        }
        child.kill().expect("kill");
        child.wait().expect("wait");
        if !sandbox.path(&out).join("run.json").exists() {
            // Killed before there was anything to go on with.
            restarted += 1;
            run(&sandbox, &out, more).expect(1, &["[40/40]"]);
        } else {
            let before = finished_results(&sandbox, &out);
            partial += usize::from((1..40).contains(&before.len()));
            sandbox.run(&["resume", &out]).expect(1, &["[40/40]"]);
            let after = finished_results(&sandbox, &out);
            assert!(before.is_subset(&after), "what was finished is kept as it was");
        }
        assert_same_run(&sandbox, "whole", &out);
        fs::remove_dir_all(sandbox.path(&out)).expect("removal");
    }
    assert!(restarted < 50 && partial > 0, "{restarted} killed early, {partial} in the middle");
}

#[test]
fn damaged_results() {
    let sandbox = sandbox();
    run(&sandbox, "whole", &[]).expect(1, &[]);
    run(&sandbox, "damaged", &[]).expect(1, &[]);
    let file = sandbox.path("damaged/results.jsonl");
    let good = fs::read(&file).expect("results");
    let lines: Vec<&[u8]> = good.split_inclusive(|&b| b == b'\n').collect();
    let header = lines[0].len();
    // Repairable: truncation anywhere after the header, repeated lines.
    for cut in [header, header + 1, header + 57, good.len() / 2, good.len() - 1] {
        fs::write(&file, &good[..cut]).expect("a write");
        sandbox.run(&["resume", "damaged"]).expect(1, &["[40/40]"]);
        assert_same_run(&sandbox, "whole", "damaged");
    }
    fs::write(&file, [&lines[..8], &lines[3..6]].concat().concat()).expect("a write");
    sandbox.run(&["resume", "damaged"]).expect(1, &["[40/40]"]);
    assert_same_run(&sandbox, "whole", "damaged");
    // Other damage is reported, and the file is left alone.
    let replaced =
        |from: &str, to: &str| String::from_utf8_lossy(&good).replacen(from, to, 1).into_bytes();
    let bad_text = [&good[..header], b"\"caf\xe9\"\n", &good[header..]].concat();
    let mut other = lines.clone();
    let changed = String::from_utf8_lossy(lines[3]).replace("\"pass\"", "\"fail\"").into_bytes();
    other.push(&changed);
    for (contents, message) in [
        (replaced("\"format\":1", "\"format\":2"), "format 2 is newer than this runner"),
        (bad_text, "results.jsonl:2: not a result"),
        (other.concat(), "a second, different result of suite/t002"),
        (b"nonsense\n".to_vec(), "results.jsonl:1: not the header of a run"),
        (Vec::new(), "results.jsonl:1: no header"),
        (replaced("\"version\":\"", "\"version\":\"9"), "begun by another version"),
    ] {
        fs::write(&file, &contents).expect("a write");
        for command in [&["resume", "damaged"][..], &["merge", "damaged", "--out", "merged"]] {
            let ran = sandbox.run(command);
            assert_eq!(ran.code, 2, "{message}: {ran:#?}");
        }
        sandbox.run(&["resume", "damaged"]).expect(2, &[message]);
        assert_eq!(fs::read(&file).expect("results"), contents, "{message}: left alone");
    }
    sandbox.file("damaged/run.json", "{\"arguments\": 5}");
    sandbox.run(&["resume", "damaged"]).expect(2, &["run.json", "not the record of a run"]);
    sandbox.file("damaged/run.json", b"{\"arguments\": [\"caf\xe9\"]}");
    sandbox.run(&["resume", "damaged"]).expect(2, &["run.json"]);
}

#[test]
fn two_runners_do_not_share_a_folder() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass"), ("b", "sleep 4000"), ("c", "pass")]);
    let first = start(&sandbox, "out", &["-j", "2"]).spawn().expect("a run");
    let begun = Instant::now();
    while finished_results(&sandbox, "out").is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no results");
        std::thread::sleep(Duration::from_millis(2));
    }
    for arguments in [&[&RUN[..], &["out"]].concat()[..], &["resume", "out"]] {
        let ran = sandbox.run(arguments);
        ran.expect(2, &["cannot write ", "out: another runner is writing its results there"]);
    }
    let first = ran(&first.wait_with_output().expect("the run ends"));
    first.expect(0, &["[3/3] pass: 3"]);
    assert_eq!(sandbox.results("out").len(), 4);
    sandbox.run(&["resume", "out"]).expect(0, &["[3/3] pass: 3"]);
}

/// A file system of some kilobytes at the path, as long as the value lives; `None` where this user
/// may not mount.
#[cfg(target_os = "linux")]
struct Small(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Small {
    fn mount(path: &Path, options: &str) -> Option<Small> {
        fs::create_dir_all(path).expect("a folder");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(path).stderr(Stdio::null());
        let mounted = command.status().is_ok_and(|status| status.success());
        mounted.then(|| Small(path.to_owned()))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Small {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).status().expect("umount");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let sandbox = of_size(200);
    run(&sandbox, "whole", &[]).expect(1, &[]);
    if let Some(_disk) = Small::mount(&sandbox.path("disk"), "size=24k") {
        let ran = run(&sandbox, "disk/out", &[]);
        ran.expect(2, &["error: cannot write disk/out/results.jsonl: No space left on device"]);
        let kept = finished_results(&sandbox, "disk/out");
        assert!((1..200).contains(&kept.len()), "{}", kept.len());
        // With room again the run is completed.
        let more = Command::new("mount")
            .args(["-o", "remount,size=1m"])
            .arg(sandbox.path("disk"))
            .status();
        assert!(more.expect("mount").success());
        sandbox.run(&["resume", "disk/out"]).expect(1, &["[200/200]"]);
        assert!(kept.is_subset(&finished_results(&sandbox, "disk/out")));
        assert_same_run(&sandbox, "whole", "disk/out");
    }
    // The same for everybody: a limit on the size of files.
    let mut limited = Command::new("sh");
    let line = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    limited.args(["-c", line, env!("CARGO_BIN_EXE_runner")]).args(RUN).arg("limited");
    let ran = ran(&limited.current_dir(sandbox.root()).output().expect("sh"));
    ran.expect(2, &["error: cannot write limited/results.jsonl: File too large"]);
    let kept = finished_results(&sandbox, "limited");
    assert!((1..200).contains(&kept.len()), "{}", kept.len());
    sandbox.run(&["resume", "limited"]).expect(1, &["[200/200]"]);
    assert!(kept.is_subset(&finished_results(&sandbox, "limited")));
    assert_same_run(&sandbox, "whole", "limited");
}

#[cfg(target_os = "linux")]
#[test]
fn places_that_cannot_be_written_to() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    run(&sandbox, "/proc/self/out", &[]).expect(2, &["error: cannot write /proc/self/out: "]);
    sandbox.file("file", "");
    run(&sandbox, "file", &[]).expect(2, &["error: cannot write file: "]);
    run(&sandbox, "file/out", &[]).expect(2, &["error: cannot write file/out: "]);
    let locked = sandbox.path("locked");
    fs::create_dir(&locked).expect("a folder");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).expect("permissions");
    if fs::write(locked.join("try"), "").is_err() {
        run(&sandbox, "locked", &[])
            .expect(2, &["error: cannot write locked/", "Permission denied"]);
    }
    if let Some(_disk) = Small::mount(&sandbox.path("disk"), "size=1m") {
        run(&sandbox, "disk/out", &["-t", "t00"]).expect(1, &[]);
        let before = fs::read(sandbox.path("disk/out/results.jsonl")).expect("results");
        let remount =
            Command::new("mount").args(["-o", "remount,ro"]).arg(sandbox.path("disk")).status();
        assert!(remount.expect("mount").success());
        for arguments in [&[&RUN[..], &["disk/out"]].concat()[..], &["resume", "disk/out"]] {
            sandbox.run(arguments).expect(2, &["error: cannot write ", "Read-only file system"]);
        }
        assert_eq!(fs::read(sandbox.path("disk/out/results.jsonl")).expect("results"), before);
    }
}
