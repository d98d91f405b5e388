//! The order of the output: results are printed test by test in the order of the plan, each test
//! when its last test case has ended.
//!
//! The order does not depend on the speed of the machine, with one exception: a test that takes
//! longer than [`HOLD_LIMIT`] no longer holds back those behind it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use results::verdict::TestResult;

/// Longest time for which a finished test waits for those before it.
const HOLD_LIMIT: Duration = Duration::from_secs(10);

/// Results that wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Position of each test in the order of the plan.
    positions: BTreeMap<usize, usize>,
    /// Tests by position.
    tests: Vec<usize>,
    /// Number of unfinished test cases by position.
    left: Vec<usize>,
    /// The first position that may have unfinished test cases.
    next: usize,
    /// Results to print by position.
    waiting: BTreeMap<usize, Waiting>,
}

/// Results of one test.
#[derive(Debug, Default)]
struct Waiting {
    /// Results with the number of their test case.
    results: Vec<(usize, TestResult)>,
    /// The time at which the last test case ended.
    ended: Option<Instant>,
}

impl Waiting {
    /// Returns the results in the order of the plan.
    fn sorted(mut self) -> Vec<TestResult> {
        self.results.sort_by_key(|(case, _)| *case);
        self.results.into_iter().map(|(_, result)| result).collect()
    }
}

impl Queue {
    /// Returns the queue of a plan, given by the test of each test case.
    pub(super) fn new(tests: impl Iterator<Item = usize>) -> Queue {
        let mut queue = Queue::default();
        for test in tests {
            let position = *queue.positions.entry(test).or_insert(queue.left.len());
            if position == queue.left.len() {
                queue.left.push(0);
                queue.tests.push(test);
            }
            queue.left[position] += 1;
        }
        queue
    }

    /// Records the end of a test case; `result` is what to print of it.
    pub(super) fn finished(
        &mut self,
        case: usize,
        test: usize,
        result: Option<&TestResult>,
        now: Instant,
    ) {
        let Some(&position) = self.positions.get(&test) else { return };
        if let Some(result) = result {
            let waiting = self.waiting.entry(position).or_default();
            waiting.results.push((case, result.clone()));
        }
        self.left[position] = self.left[position].saturating_sub(1);
        if self.left[position] == 0
            && let Some(waiting) = self.waiting.get_mut(&position)
        {
            waiting.ended = Some(now);
        }
        while self.left.get(self.next) == Some(&0) {
            self.next += 1;
        }
    }

    /// Removes and returns the results of tests whose turn it is, by test.
    pub(super) fn ready(&mut self, now: Instant) -> Vec<(usize, Vec<TestResult>)> {
        let is_ready = |(position, waiting): &(&usize, &Waiting)| match waiting.ended {
            Some(ended) => **position < self.next || now.duration_since(ended) >= HOLD_LIMIT,
            None => false,
        };
        let ready: Vec<usize> = self.waiting.iter().filter(is_ready).map(|(p, _)| *p).collect();
        let take =
            |position| Some((self.tests[position], self.waiting.remove(&position)?.sorted()));
        ready.into_iter().filter_map(take).collect()
    }

    /// Removes and returns all results, also of tests with unfinished test cases.
    pub(super) fn rest(&mut self) -> Vec<(usize, Vec<TestResult>)> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        waiting.map(|(position, waiting)| (self.tests[position], waiting.sorted())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::Status;

    fn names(ready: &[(usize, Vec<TestResult>)]) -> Vec<String> {
        let name = |result: &TestResult| format!("{}{}", result.test, result.generation);
        let names = |(test, results): &(usize, Vec<TestResult>)| {
            let names = results.iter().map(name).collect::<Vec<_>>().join(" ");
            format!("{test}: {names}")
        };
        ready.iter().map(names).collect()
    }

    /// Test cases 0 and 3 are of test 7, 1 of test 5, 2 of test 6.
    fn queue() -> (Queue, Instant, impl Fn(&mut Queue, usize, Instant)) {
        let tests = [7, 5, 6, 7];
        let finish = move |queue: &mut Queue, case: usize, now: Instant| {
            let result =
                TestResult::plain(tests[case].to_string(), format!("g{case}"), Status::Fail);
            queue.finished(case, tests[case], Some(&result), now);
        };
        (Queue::new(tests.into_iter()), Instant::now(), finish)
    }

    #[test]
    fn tests_come_in_the_order_of_the_plan() {
        let (mut queue, now, finish) = queue();
        finish(&mut queue, 3, now);
        finish(&mut queue, 1, now);
        assert!(queue.ready(now).is_empty());
        finish(&mut queue, 0, now);
        assert_eq!(names(&queue.ready(now)), ["7: 7g0 7g3", "5: 5g1"]);
        finish(&mut queue, 2, now);
        assert_eq!(names(&queue.ready(now)), ["6: 6g2"]);
        assert!(queue.rest().is_empty());
    }

    #[test]
    fn a_long_test_does_not_hold_back_others_for_ever() {
        let (mut queue, now, finish) = queue();
        finish(&mut queue, 1, now);
        finish(&mut queue, 3, now);
        assert!(queue.ready(now + HOLD_LIMIT / 2).is_empty());
        assert_eq!(names(&queue.ready(now + HOLD_LIMIT)), ["5: 5g1"]);
        assert_eq!(names(&queue.rest()), ["7: 7g3"]);
    }

    #[test]
    fn results_without_output_only_make_room() {
        let mut queue = Queue::new([0, 1].into_iter());
        let (now, result) = (Instant::now(), TestResult::plain("b", "", Status::Fail));
        queue.finished(1, 1, Some(&result), now);
        assert!(queue.ready(now).is_empty());
        queue.finished(0, 0, None, now);
        assert_eq!(names(&queue.ready(now)), ["1: b"]);
    }
}
