//! Splitting a run over machines: selection of the tests of shard K of N.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::ReadError;
use super::jsonl::RESULTS_FILE;
use super::read::Run;
use crate::file::{RESULTS_BYTES, read_regular};
use crate::names::piglit_name;

/// Shard `index` of `count`, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub index: u32,
    /// At least 1.
    pub count: u32,
}

impl Shard {
    /// Parses `K/N`.
    ///
    /// # Errors
    /// Returns a message for the user.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let numbers =
            text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        let (index, count) = numbers.ok_or_else(|| format!("`{text}` is not K/N"))?;
        Shard::new(index, count).ok_or_else(|| format!("`{text}`: K goes from 1 to N"))
    }

    fn new(index: u32, count: u32) -> Option<Shard> {
        (1..=count).contains(&index).then_some(Shard { index, count })
    }

    /// Returns the shard from the environment variables of the engine that started this process:
    /// Bazel, GitLab (`parallel:`), a Slurm array, a Kubernetes indexed job. Kubernetes does not
    /// pass on the number of completions: the job sets `RUNNER_SHARDS` itself.
    ///
    /// # Errors
    /// Names the variables if none or contradictory ones are set.
    pub fn from_environment(variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
        let number = |name: &str| -> Result<Option<u32>, String> {
            let text = variable(name).filter(|text| !text.is_empty());
            text.map(|text| {
                text.trim().parse().map_err(|_| format!("{name}={text} is not a number"))
            })
            .transpose()
        };
        let checked = |index: Option<u32>, count: u32, names: &str| {
            let shard = index.and_then(|index| Shard::new(index, count));
            shard.ok_or_else(|| format!("{names} do not name a shard"))
        };
        if let (Some(index), Some(count)) =
            (number("TEST_SHARD_INDEX")?, number("TEST_TOTAL_SHARDS")?)
        {
            return checked(index.checked_add(1), count, "TEST_SHARD_INDEX and TEST_TOTAL_SHARDS");
        }
        if let (Some(index), Some(count)) = (number("CI_NODE_INDEX")?, number("CI_NODE_TOTAL")?) {
            return checked(Some(index), count, "CI_NODE_INDEX and CI_NODE_TOTAL");
        }
        if let (Some(task), Some(count)) =
            (number("SLURM_ARRAY_TASK_ID")?, number("SLURM_ARRAY_TASK_COUNT")?)
        {
            let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
            let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
            let place = task.checked_sub(first).filter(|offset| offset % step == 0);
            let index = place.map(|offset| offset / step + 1);
            return checked(index, count, "SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT");
        }
        if let Some(index) = number("JOB_COMPLETION_INDEX")? {
            let Some(count) = number("RUNNER_SHARDS")? else {
                return Err(
                    "JOB_COMPLETION_INDEX is set, but not RUNNER_SHARDS, the number of completions"
                        .to_owned(),
                );
            };
            return checked(index.checked_add(1), count, "JOB_COMPLETION_INDEX and RUNNER_SHARDS");
        }
        Err("no engine's variables are set: TEST_SHARD_INDEX and TEST_TOTAL_SHARDS (Bazel), CI_NODE_INDEX and \
             CI_NODE_TOTAL (GitLab), SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT (Slurm), JOB_COMPLETION_INDEX and \
             RUNNER_SHARDS (Kubernetes)"
            .to_owned())
    }

    /// Returns the positions of this shard's tests in ascending order. Without weights, every N-th
    /// test; with one weight per test, the heaviest test goes first to the shard with the least
    /// load. Every shard computes the same split.
    pub fn positions(self, tests: usize, weights: Option<&[u64]>) -> Vec<usize> {
        let (index, count) = (self.index as usize - 1, self.count as usize);
        let Some(weights) = weights else {
            return (0..tests).filter(|test| test % count == index).collect();
        };
        let mut order: Vec<usize> = (0..tests.min(weights.len())).collect();
        order.sort_by_key(|&test| (std::cmp::Reverse(weights[test]), test));
        // A heap of load and shard number with the lightest shard on top.
        let mut loads: std::collections::BinaryHeap<_> =
            (0..count).map(|s| std::cmp::Reverse((0u64, s))).collect();
        let mut positions = Vec::new();
        for test in order {
            let Some(std::cmp::Reverse((load, shard))) = loads.pop() else { break };
            if shard == index {
                positions.push(test);
            }
            // A test without measurable time counts as 1, so that ties are spread over the shards.
            loads.push(std::cmp::Reverse((load.saturating_add(weights[test].max(1)), shard)));
        }
        positions.sort_unstable();
        positions
    }
}

/// Returns the BLAKE3 hash of names, one per line.
pub fn selection_hash<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for name in names {
        hasher.update(name.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

/// Durations of tests in an earlier run.
#[derive(Clone, Debug, Default)]
pub struct Durations {
    /// Microseconds by test, summed over all generations.
    tests: BTreeMap<String, u64>,
    /// BLAKE3 hash of the file.
    pub hash: String,
}

impl Durations {
    /// Reads a run's folder, a `results.jsonl`, or a CSV of `name,Status,seconds`.
    ///
    /// # Errors
    /// Fails if the file cannot be read or has none of these formats.
    pub fn read(path: &Path) -> Result<Durations, ReadError> {
        let file = if path.is_dir() { path.join(RESULTS_FILE) } else { path.to_owned() };
        let error = |source| ReadError::Read { path: file.display().to_string(), source };
        let bytes = read_regular(&file, RESULTS_BYTES).map_err(error)?;
        let hash = blake3::hash(&bytes).to_hex().to_string();
        let mut tests: BTreeMap<String, u64> = BTreeMap::new();
        if bytes.starts_with(b"{") {
            for result in Run::parse(&bytes, file)?.results {
                *tests.entry(result.test).or_default() += result.duration_us;
            }
        } else {
            let text = String::from_utf8_lossy(&bytes);
            for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
                let (name, micros) = csv_line(line).ok_or_else(|| ReadError::Line {
                    path: file.display().to_string(),
                    line: index + 1,
                    message: "not name,Status,seconds".to_owned(),
                })?;
                *tests.entry(name).or_default() += micros;
            }
        }
        Ok(Durations { tests, hash })
    }

    /// Returns a weight for each test: its duration, or the mean of all known durations.
    pub fn weights<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<u64> {
        let found: Vec<Option<u64>> = names.map(|name| self.of(name)).collect();
        let sum: u64 = found.iter().flatten().sum();
        let mean = sum / (found.iter().flatten().count() as u64).max(1);
        found.into_iter().map(|duration| duration.unwrap_or(mean.max(1))).collect()
    }

    /// Returns the duration of a test in microseconds, if known.
    pub fn of(&self, test: &str) -> Option<u64> {
        let known = self.tests.get(test).or_else(|| self.tests.get(&piglit_name(test)));
        known.copied()
    }
}

/// Parses name and microseconds.
fn csv_line(line: &str) -> Option<(String, u64)> {
    let (rest, seconds) = line.rsplit_once(',')?;
    let (name, _status) = rest.rsplit_once(',')?;
    let seconds: f64 = seconds.trim().parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0)?;
    let name = match name.strip_prefix('"').and_then(|n| n.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => name.to_owned(),
    };
    Some((name, (seconds * 1e6) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn written_out() {
        assert_eq!(Shard::parse("2/8"), Ok(Shard { index: 2, count: 8 }));
        for bad in ["", "2", "0/8", "9/8", "1/0", "-1/2", "a/b", "1/2/3"] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn engines() {
        type Case = (&'static str, Result<(u32, u32), &'static str>);
        let table: [Case; 10] = [
            ("TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=4", Ok((1, 4))),
            ("TEST_SHARD_INDEX=3 TEST_TOTAL_SHARDS=4", Ok((4, 4))),
            ("TEST_SHARD_INDEX=4 TEST_TOTAL_SHARDS=4", Err("do not name a shard")),
            ("CI_NODE_INDEX=1 CI_NODE_TOTAL=3", Ok((1, 3))),
            ("CI_NODE_INDEX=x CI_NODE_TOTAL=3", Err("CI_NODE_INDEX=x is not a number")),
            ("SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_COUNT=8", Ok((3, 8))),
            ("SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4", Ok((3, 4))),
            ("JOB_COMPLETION_INDEX=7 RUNNER_SHARDS=8", Ok((8, 8))),
            ("JOB_COMPLETION_INDEX=7", Err("RUNNER_SHARDS")),
            ("", Err("no engine's variables are set")),
        ];
        for (variables, expected) in table {
            let lookup = |name: &str| {
                let pairs = variables.split(' ').filter_map(|pair| pair.split_once('='));
                pairs.filter(|(n, _)| *n == name).map(|(_, value)| value.to_owned()).next()
            };
            match (Shard::from_environment(&lookup), expected) {
                (Ok(shard), Ok((index, count))) => {
                    assert_eq!(shard, Shard { index, count }, "{variables}")
                }
                (Err(error), Err(part)) => assert!(error.contains(part), "{variables}: {error}"),
                (got, _) => panic!("{variables}: {got:?}"),
            }
        }
    }

    #[test]
    fn shards_partition_the_tests_and_balance() {
        let weights: Vec<u64> = (0..1000u64).map(|i| 1 + (i * i * 7919) % 5000).collect();
        for weights in [None, Some(&weights[..])] {
            let shards: Vec<Vec<usize>> =
                (1..=8).map(|index| Shard { index, count: 8 }.positions(1000, weights)).collect();
            let mut all = shards.concat();
            all.sort_unstable();
            assert_eq!(all, (0..1000).collect::<Vec<_>>());
            assert!(shards.iter().all(|shard| shard.is_sorted()));
            if let Some(weights) = weights {
                let loads: Vec<u64> =
                    shards.iter().map(|s| s.iter().map(|&t| weights[t]).sum()).collect();
                let (least, most) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
                assert!(most - least < least / 100, "{loads:?}");
            }
        }
        assert_eq!(Shard { index: 3, count: 3 }.positions(2, Some(&[5, 5])), [0usize; 0]);
        // Tests without time are spread, too.
        assert_eq!(Shard { index: 1, count: 2 }.positions(4, Some(&[0; 4])), [0, 2]);
    }

    #[test]
    fn durations_of_csv() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.csv");
        fs::write(&path, "a/b,Pass,0.5\na/b,Pass,0.25\n\"a/c,d\",Crash,2\nspec@x,Fail,1.5\n")
            .unwrap();
        let durations = Durations::read(&path).unwrap();
        let names = ["a/b", "a/c,d", "tests/spec/X", "a/new"];
        assert_eq!(
            durations.weights(names.into_iter()),
            [750_000, 2_000_000, 1_500_000, 1_416_666]
        );
        assert_eq!((durations.of("tests/spec/X"), durations.of("a/new")), (Some(1_500_000), None));
        assert_eq!(durations.hash.len(), 64);
        fs::write(&path, "a,b\n").unwrap();
        assert!(
            Durations::read(&path)
                .unwrap_err()
                .to_string()
                .ends_with("d.csv:1: not name,Status,seconds")
        );
    }
}
