//! Tests of the history file.

use std::fs;

use super::*;
use crate::verdict::{Outcome, TestResult};
use crate::{Header, Junit, Repeat, ResultsWriter, RunFile};

fn result(test: &str, status: Status) -> TestResult {
    let phase = is_bad(status).then_some(Phase::Probe);
    TestResult { phase, duration_us: 1000, ..TestResult::plain(test, "ivb", status) }
}

/// Records runs of these statuses of `a` and `b`, one after the other, each of another revision.
fn history(runs: &[(&str, Status, Status)]) -> (tempfile::TempDir, History) {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(&folder.path().join("h/history.sqlite")).unwrap();
    for (number, (revision, a, b)) in runs.iter().enumerate() {
        let place = folder.path().join(format!("run{number}"));
        fs::create_dir(&place).unwrap();
        let header = Header {
            revision: Some((*revision).to_owned()),
            ..Header::new(
                vec!["ivb".into()],
                BTreeMap::from([("run".to_owned(), String::new())]),
                None,
            )
        };
        let mut results = [
            result("tests/a", *a),
            TestResult { duration_us: number as u64, ..result("tests/b", *b) },
        ];
        ResultsWriter::write_all(&place, &header, &mut results, Junit::All, &Repeat::default())
            .unwrap();
        let file = RunFile::read(&place).unwrap();
        assert_eq!(history.record(&file).unwrap(), Recorded::Added(2));
        assert_eq!(history.record(&file).unwrap(), Recorded::Known);
    }
    (folder, history)
}

#[test]
fn since_when_and_how_often() {
    use Status::{Crash, Fail, Pass};
    let (_folder, history) = history(&[
        ("r1", Pass, Fail),
        ("r2", Fail, Pass),
        ("r3", Crash, Fail),
        ("r3", Crash, Pass),
    ]);
    let runs = history.runs().unwrap();
    assert_eq!(
        runs.iter().map(|run| &*run.name).collect::<Vec<_>>(),
        ["run0", "run1", "run2", "run3"]
    );
    assert_eq!((runs[0].counts, &*runs[0].options), ([0, 0, 1, 1, 0, 0], "run="));
    let [a, b] = history.all(&runs).unwrap().try_into().unwrap();
    let (since, before) = a.failing_since().unwrap();
    assert_eq!((since.run, before.map(|point| point.run)), (1, Some(0)));
    assert_eq!(
        (a.changes(), a.is_flaky(&runs)),
        (2, false),
        "fail and crash of one revision are of different runs"
    );
    assert_eq!(b.failing_since(), None);
    assert_eq!((b.changes(), b.is_flaky(&runs)), (3, true));
    let of_b = history.test(&runs, "b").unwrap();
    assert_eq!(of_b, [b], "piglit's name");
    assert!(history.test(&runs, "c").unwrap().is_empty());
}

#[test]
fn reported_flakes_are_flaky() {
    let mut series = Series {
        test: "a".into(),
        generation: "ivb".into(),
        variant: String::new(),
        points: vec![Point {
            run: 0,
            status: Status::Fail,
            phase: None,
            flake: false,
            duration_us: 0,
            instructions: 0,
            driver: None,
        }],
    };
    assert!(!series.is_flaky(&[]));
    assert_eq!(series.failing_since().map(|(point, before)| (point.run, before)), Some((0, None)));
    series.points[0].flake = true;
    assert!(series.is_flaky(&[]));
}

#[test]
fn histories_without_drivers_are_completed() {
    let (folder, history) = history(&[("r", Status::Pass, Status::Fail)]);
    let runs = history.runs().unwrap();
    drop(history);
    let path = folder.path().join("h/history.sqlite");
    let connection = Connection::open(&path).unwrap();
    let drop_drivers = ["renderer", "vendor", "version"]
        .map(|column| format!("ALTER TABLE run DROP COLUMN driver_{column};"));
    connection.execute_batch(&drop_drivers.concat()).unwrap();
    connection.pragma_update(None, "user_version", FORMAT_WITHOUT_DRIVERS).unwrap();
    drop(connection);
    // Reading leaves the file alone, writing completes it.
    let ways: [fn(&Path) -> _; 2] = [History::read, History::open];
    for (open, format) in ways.into_iter().zip(1..) {
        let history: History = open(&path).unwrap();
        assert_eq!(history.format().unwrap(), format);
        assert_eq!(history.runs().unwrap(), runs);
    }
    let mut history = History::open(&path).unwrap();
    let driver = DriverHeader { renderer: "r".into(), vendor: "v".into(), version: "1".into() };
    let header = Header::new(vec!["gl".into(), "skl".into()], BTreeMap::new(), None);
    let header = Header { driver: Some(driver.clone()), ..header };
    let place = folder.path().join("gl");
    fs::create_dir(&place).unwrap();
    let mut results = ["gl", "skl"].map(|name| TestResult::plain("a", name, Status::Pass));
    let none = Repeat::default();
    ResultsWriter::write_all(&place, &header, &mut results, Junit::All, &none).unwrap();
    assert_eq!(history.record(&RunFile::read(&place).unwrap()).unwrap(), Recorded::Added(2));
    let runs = history.runs().unwrap();
    assert_eq!(runs[1].driver.as_deref(), Some(&driver));
    let series = history.test(&runs, "a").unwrap();
    let drivers: Vec<bool> = series.iter().map(|s| s.points[0].driver.is_some()).collect();
    assert_eq!(drivers, [true, false], "the simulator needs no driver");
}

#[test]
fn parts_of_runs_are_left_out() {
    let (folder, mut history) = history(&[("r", Status::Pass, Status::Pass)]);
    let path = folder.path().join("run0/results.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() - 9]).unwrap();
    assert!(matches!(history.record(&RunFile::read(&path).unwrap()).unwrap(), Recorded::Left(_)));
    assert_eq!(history.runs().unwrap().len(), 1);
    let missing = TestResult { outcome: Outcome::Missing, ..result("a", Status::Skip) };
    let place = folder.path().join("missing");
    fs::create_dir(&place).unwrap();
    ResultsWriter::write_all(
        &place,
        &Header::new(vec![], BTreeMap::new(), None),
        &mut [missing],
        Junit::All,
        &Repeat::default(),
    )
    .unwrap();
    history.record(&RunFile::read(&place).unwrap()).unwrap();
    assert_eq!(
        history.all(&history.runs().unwrap()).unwrap().len(),
        2,
        "nothing of what has no result"
    );
}

#[test]
fn files_that_are_no_history() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h.sqlite");
    fs::write(&path, "this is not a database, and long enough to be looked at: ".repeat(40))
        .unwrap();
    for error in [History::open(&path).unwrap_err(), History::read(&path).unwrap_err()] {
        assert!(error.to_string().contains("not a database"), "{error}");
    }
    fs::remove_file(&path).unwrap();
    assert!(History::read(&path).is_err(), "it is not there");
    drop(History::open(&path).unwrap());
    let bytes = fs::read(&path).unwrap();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 7).unwrap();
    assert!(History::open(&path).unwrap_err().to_string().contains("format 7"));
    // Truncated in the middle, as by a full disk.
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let cut = History::read(&path).and_then(|history| history.runs());
    assert!(cut.is_err(), "{cut:?}");
}
