//! Programs of all kinds, written for the shell.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use external_program::{Call, End, Kept, Limits, Outcome, run};

fn call(text: &str, directory: &Path) -> Call {
    Call {
        executable: "/bin/sh".into(),
        arguments: vec!["-c".into(), text.into()],
        environment: vec![("GREETING".into(), "hello".into())],
        directory: directory.to_owned(),
    }
}

const LIMITS: Limits = Limits { time: Duration::from_secs(20), memory: None };

fn shell(text: &str, limits: Limits) -> Outcome<Kept> {
    let folder = tempfile::tempdir().expect("a folder");
    run(&call(text, folder.path()), limits, Kept::push).expect("a shell")
}

#[test]
fn output_and_exit_codes() {
    let outcome = shell("echo $GREETING; pwd >&2; exit 3", LIMITS);
    assert_eq!((outcome.end, outcome.output.text().as_str()), (End::Exit(3), "hello\n"));
    assert!(outcome.errors.text().starts_with('/'));
    assert_eq!(shell("kill -SEGV $$", LIMITS).end, End::Signal(11));
}

#[test]
fn a_missing_executable_is_an_error() {
    let call = Call { executable: "/no/such".into(), ..call("", Path::new("/")) };
    let error = run(&call, LIMITS, Kept::push).expect_err("no file");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn a_hanging_program_is_ended_with_its_output() {
    let limits = Limits { time: Duration::from_millis(300), ..LIMITS };
    let outcome = shell("echo begun; sleep 1000 & wait", limits);
    assert_eq!((outcome.end, outcome.output.text().as_str()), (End::Time, "begun\n"));
    // Without output, and without answering signals that can be ignored.
    let deaf = shell("trap '' TERM INT; exec >&- 2>&-; while :; do sleep 0.01; done", limits);
    assert_eq!(deaf.end, End::Time);
}

#[test]
fn a_greedy_program_is_ended() {
    let limits = Limits { memory: Some(8 << 20), ..LIMITS };
    assert_eq!(shell("x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", limits).end, End::Memory);
}

/// A process that is left behind holds the output open; it is ended.
#[test]
fn processes_left_behind_are_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "(echo $$; sleep 1000; touch late) & echo done";
    let start = Instant::now();
    let outcome = run(&call(text, folder.path()), LIMITS, Kept::push).expect("a shell");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(outcome.end, End::Exit(0));
    assert!(outcome.output.text().contains("done"));
}

/// One that has left the group is not waited for either.
#[test]
fn processes_in_other_groups_hold_nothing_up() {
    let start = Instant::now();
    let outcome = shell("setsid sleep 3 & sleep 0.1; echo done", LIMITS);
    assert!(start.elapsed() < Duration::from_millis(2500), "{:?}", start.elapsed());
    assert_eq!((outcome.end, outcome.output.text().as_str()), (End::Exit(0), "done\n"));
}

#[test]
fn a_hundred_megabytes() {
    let outcome = shell("head -c 100000000 /dev/zero | tr '\\0' 'x'; echo; echo last", LIMITS);
    let text = outcome.output.text();
    assert_eq!(outcome.end, End::Exit(0));
    assert!(text.len() < 200 << 10 && text.ends_with("xx\nlast\n"), "{}", text.len());
    assert!(text.contains("bytes left out]"));
}

#[test]
fn closed_output_is_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "echo first; exec >&- 2>&-; sleep 0.1; touch file; exit 4";
    let outcome = run(&call(text, folder.path()), LIMITS, Kept::push).expect("a shell");
    assert_eq!((outcome.end, outcome.output.text().as_str()), (End::Exit(4), "first\n"));
    assert!(fs::exists(folder.path().join("file")).expect("a folder"));
}
