//! Supervisors of worker processes: each keeps one process busy, finds the test case that crashed
//! it, and starts the next process.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::log;
use crate::process::{Process, Program, push_lines};
use crate::protocol::{Answer, Place, Reply, Request};
use results::verdict::{Outcome, Phase, Status, Verdict};

/// Interval of the checks of time and memory limits.
const TICK: Duration = Duration::from_millis(50);

/// Time for a test case to end by itself after its caller is gone: a new process costs as much.
const GRACE: Duration = Duration::from_millis(250);

/// Time for a process to tell what a test case is at, after its time limit.
const REPLY_TIME: Duration = Duration::from_secs(1);

/// Settings of the worker processes.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Command line of a worker.
    pub program: Program,
    /// Number of worker processes.
    pub workers: usize,
    /// Concurrent test cases per process.
    pub threads: usize,
    /// Number of test cases after which a process is replaced, if set.
    pub batch: Option<usize>,
    /// Wall-clock limit of a test case.
    pub time_limit: Duration,
    /// Memory limit of a worker process in bytes.
    pub memory: Option<u64>,
}

/// The end of an execution.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Verdict of the test case.
    pub verdict: Verdict,
    /// Execution time.
    pub duration: Duration,
    /// The answer to a look, as JSON.
    pub look: Option<String>,
}

impl Finished {
    /// Returns the end of a test case that needed no execution.
    pub fn at_once(verdict: Verdict) -> Finished {
        Finished { verdict, duration: Duration::ZERO, look: None }
    }
}

/// All workers of a run.
pub struct Pool {
    workers: Vec<UnboundedSender<Order>>,
}

impl Pool {
    /// Creates the workers. Their processes start with the first test cases, except `first`, which
    /// already runs. Must be called within a runtime.
    pub fn start(settings: &Settings, mut first: Option<Process>) -> Pool {
        let supervisor = |_| {
            let (sender, orders) = unbounded_channel();
            let supervisor = WorkerSupervisor {
                process: first.take(),
                ..WorkerSupervisor::new(settings.clone())
            };
            tokio::spawn(supervisor.serve(orders));
            sender
        };
        Pool { workers: (0..settings.workers.max(1)).map(supervisor).collect() }
    }

    /// Executes a test case; `task` numbers the concurrent callers.
    pub async fn run(&self, task: usize, request: Request) -> Finished {
        let (reply, finished) = oneshot::channel();
        let sent = self.workers[task % self.workers.len()].send(Order { request, reply });
        let ended = || crashed("the supervisor of the worker processes ended", Duration::ZERO);
        match sent {
            Ok(()) => finished.await.unwrap_or_else(|_| ended()),
            Err(_) => ended(),
        }
    }
}

/// A test case to execute, and the channel for its end.
struct Order {
    request: Request,
    reply: oneshot::Sender<Finished>,
}

/// A test case that was sent to a process.
struct InFlight {
    order: Order,
    /// Start of the execution; `None` while it waits in the process.
    since: Option<Instant>,
    /// True if the process was asked what it is at, since the time limit is reached.
    asked: bool,
    /// The place where it is.
    place: Option<Place>,
}

impl InFlight {
    fn new(order: Order) -> InFlight {
        InFlight { order, since: None, asked: false, place: None }
    }

    /// Returns the execution time so far.
    fn elapsed(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// True if the caller is gone and the test case does not come to its end.
    fn is_abandoned(&self) -> bool {
        self.order.reply.is_closed() && self.elapsed() >= GRACE
    }

    fn end(self, finished: Finished) {
        // The receiver is closed if the run was stopped.
        let _ = self.order.reply.send(finished);
    }
}

struct WorkerSupervisor {
    settings: Settings,
    process: Option<Process>,
    /// In the order of sending. Processes start test cases in that order: the first ones, as many
    /// as there are threads, are running.
    in_flight: Vec<InFlight>,
    /// Number of test cases that the process has finished.
    finished: usize,
}

/// Cause of a process's end.
enum Death {
    /// The process ended by itself; the text describes how.
    Died(String),
    /// The process exceeded the memory limit.
    Memory,
}

impl WorkerSupervisor {
    fn new(settings: Settings) -> WorkerSupervisor {
        WorkerSupervisor { settings, process: None, in_flight: Vec::new(), finished: 0 }
    }

    async fn serve(mut self, mut orders: UnboundedReceiver<Order>) {
        let mut ticks = ticks();
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => self.begin(order),
                    None => return self.end().await,
                },
                reply = next_reply(&mut self.process) => match reply {
                    Some(Reply::Answer(answer)) => self.answered(*answer),
                    Some(Reply::Place(place)) => self.placed(place),
                    None => self.died().await,
                },
                _ = ticks.tick() => self.check().await,
            }
        }
    }

    /// Lets the process end without waiting for running test cases: their results are not needed.
    async fn end(mut self) {
        if let Some(process) = &mut self.process {
            process.close_input();
            while process.reply().await.is_some() {}
        }
    }

    fn begin(&mut self, order: Order) {
        if order.reply.is_closed() {
            return;
        }
        let process = match &mut self.process {
            Some(process) => process,
            None => match Process::start(&self.settings.program) {
                Ok(process) => {
                    self.finished = 0;
                    self.process.insert(process)
                }
                Err(error) => {
                    let message = format!("cannot start a worker process: {error}");
                    return InFlight::new(order).end(crashed(&message, Duration::ZERO));
                }
            },
        };
        if self.in_flight.is_empty() {
            process.forget_errors();
        }
        process.send(&order.request);
        self.in_flight.push(InFlight::new(order));
        self.start_clocks();
    }

    /// Starts the clocks of the test cases that the process is starting.
    fn start_clocks(&mut self) {
        for case in self.in_flight.iter_mut().take(self.settings.threads) {
            case.since.get_or_insert_with(Instant::now);
        }
    }

    fn answered(&mut self, answer: Answer) {
        let sent = self.in_flight.iter().position(|case| case.order.request.case == answer.case);
        let Some(index) = sent else { return };
        let finished = self.with_errors(answer);
        self.in_flight.remove(index).end(finished);
        self.start_clocks();
        self.finished += 1;
        if self.in_flight.is_empty()
            && self.settings.batch.is_some_and(|batch| self.finished >= batch)
        {
            self.process = None;
        }
    }

    /// Keeps what a late test case is at.
    fn placed(&mut self, place: Place) {
        let mut cases = self.in_flight.iter_mut();
        if let Some(case) = cases.find(|case| case.order.request.case == place.late) {
            case.place = Some(place);
        }
    }

    /// Appends what the process wrote to its standard error to the reason of a failure: drivers
    /// tell there why they draw nothing. With several threads the lines may be those of another
    /// test case.
    fn with_errors(&mut self, answer: Answer) -> Finished {
        let case = answer.case;
        let mut finished = finished(answer);
        let process = self.process.as_mut().filter(|_| self.settings.threads == 1 && !log::is_on());
        let is_bad = finished.verdict.status.plain_outcome() == Outcome::Unexpected;
        let failed = finished.verdict.cause.as_mut().filter(|_| is_bad);
        if let (Some(process), Some((_, reason))) = (process, failed)
            && let Some(errors) = process.errors_of(case)
            && !errors.trim().is_empty()
        {
            reason.push_str("\non standard error:");
            push_lines(reason, &errors);
        }
        finished
    }

    async fn died(&mut self) {
        let Some(process) = self.process.take() else { return };
        let death = Death::Died(process.post_mortem());
        self.handle_death(death).await;
    }

    /// Ends test cases that exceed the time limit or whose caller is gone, and processes that
    /// exceed the memory limit.
    async fn check(&mut self) {
        let (time_limit, threads) = (self.settings.time_limit, self.settings.threads);
        let is_late = |case: &InFlight| case.elapsed() >= time_limit;
        for case in self.in_flight.iter_mut().filter(|case| is_late(case) && !case.asked) {
            case.asked = true;
            self.process.iter_mut().for_each(|process| process.ask(case.order.request.case));
        }
        // Beside other test cases one without a caller may as well come to its end.
        let is_given_up = |case: &InFlight| {
            case.place.is_some()
                || case.elapsed() >= time_limit + REPLY_TIME
                || (threads == 1 && case.is_abandoned())
        };
        if self.in_flight.iter().any(is_given_up) {
            let cases = std::mem::take(&mut self.in_flight);
            let (late, others): (Vec<InFlight>, _) =
                cases.into_iter().partition(|case| is_late(case) || is_given_up(case));
            for case in late {
                let finished = timed_out(time_limit, case.place.as_ref());
                case.end(finished);
            }
            // A thread can only be ended with its process. The other test cases start again.
            self.process.take().into_iter().for_each(Process::kill);
            others.into_iter().for_each(|case| self.begin(case.order));
        } else if self.process.as_ref().is_some_and(|process| too_large(process, &self.settings)) {
            self.process.take().into_iter().for_each(Process::kill);
            self.handle_death(Death::Memory).await;
        }
    }

    /// Handles the end of a process: isolates the crash among the running test cases and restarts
    /// the waiting ones.
    async fn handle_death(&mut self, death: Death) {
        let sent = std::mem::take(&mut self.in_flight);
        let (cases, waiting): (Vec<InFlight>, Vec<_>) =
            sent.into_iter().partition(|case| case.since.is_some());
        self.isolate_crash(cases, death).await;
        waiting.into_iter().for_each(|case| self.begin(case.order));
    }

    /// Isolates a crash: executes each suspect in a separate process.
    async fn isolate_crash(&self, cases: Vec<InFlight>, death: Death) {
        if self.settings.threads == 1 {
            for case in cases {
                let elapsed = case.elapsed();
                case.end(crashed(&self.explain(&death), elapsed));
            }
            return;
        }
        let mut results = Vec::new();
        let mut explained = matches!(death, Death::Memory);
        for case in cases {
            let (finished, broke) = self.run_isolated(&case.order.request).await;
            explained |= broke;
            results.push((case, finished));
        }
        for (case, mut finished) in results {
            if let (Death::Died(how), false) = (&death, explained) {
                finished.verdict = not_reproduced(&finished.verdict, how);
            }
            case.end(finished);
        }
    }

    fn explain(&self, death: &Death) -> String {
        match death {
            Death::Died(how) => how.clone(),
            Death::Memory => {
                let limit = self.settings.memory.unwrap_or_default() >> 20;
                format!("more than {limit} MiB of memory")
            }
        }
    }

    /// Executes a test case in a separate process; returns true if it ended that process.
    async fn run_isolated(&self, request: &Request) -> (Finished, bool) {
        let start = Instant::now();
        let mut process = match Process::start(&self.settings.program) {
            Ok(process) => Some(process),
            Err(error) => {
                return (
                    crashed(&format!("cannot start a worker process: {error}"), Duration::ZERO),
                    true,
                );
            }
        };
        process.iter_mut().for_each(|process| process.send(request));
        let mut ticks = ticks();
        let (mut is_asked, time_limit) = (false, self.settings.time_limit);
        let death = loop {
            tokio::select! {
                reply = next_reply(&mut process) => match reply {
                    Some(Reply::Answer(answer)) if answer.case == request.case => {
                        return (finished(*answer), false);
                    }
                    Some(Reply::Answer(_)) => {}
                    Some(Reply::Place(place)) => {
                        process.take().into_iter().for_each(Process::kill);
                        return (timed_out(time_limit, Some(&place)), true);
                    }
                    None => break Death::Died(process.take().map(Process::post_mortem).unwrap_or_default()),
                },
                _ = ticks.tick() => {
                    if start.elapsed() >= time_limit + REPLY_TIME {
                        process.take().into_iter().for_each(Process::kill);
                        return (timed_out(time_limit, None), true);
                    }
                    if start.elapsed() >= time_limit && !is_asked {
                        is_asked = true;
                        process.iter_mut().for_each(|process| process.ask(request.case));
                    }
                    if process.as_ref().is_some_and(|process| too_large(process, &self.settings)) {
                        process.take().into_iter().for_each(Process::kill);
                        break Death::Memory;
                    }
                }
            }
        };
        (crashed(&self.explain(&death), start.elapsed()), true)
    }
}

fn ticks() -> Interval {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Returns the next reply; waits forever if there is no process.
async fn next_reply(process: &mut Option<Process>) -> Option<Reply> {
    match process {
        Some(process) => process.reply().await,
        None => std::future::pending().await,
    }
}

fn too_large(process: &Process, settings: &Settings) -> bool {
    settings.memory.is_some_and(|most| process.memory().is_some_and(|used| used > most))
}

fn finished(answer: Answer) -> Finished {
    let duration = Duration::from_micros(answer.duration_us);
    Finished { verdict: answer.verdict, duration, look: answer.look }
}

fn crashed(reason: &str, duration: Duration) -> Finished {
    let verdict = Verdict::new(Status::Crash, Phase::Simulate, reason);
    Finished { verdict, duration, look: None }
}

/// The end of a test case that exceeded its time, with what it was at if that is known.
fn timed_out(time_limit: Duration, place: Option<&Place>) -> Finished {
    let mut reason = format!("not finished after {} s of wall-clock time", time_limit.as_secs());
    if let Some(Place { place, .. }) = place.filter(|place| !place.place.is_empty()) {
        reason += &format!(": {place}");
    }
    let phase = place.map_or(Phase::Simulate, |place| place.phase);
    let verdict = Verdict::new(Status::Timeout, phase, reason);
    Finished { verdict, duration: time_limit, look: None }
}

/// Returns the verdict of a test case that was running when the process died, although none of the
/// running test cases causes that alone.
fn not_reproduced(verdict: &Verdict, how: &str) -> Verdict {
    let reason =
        format!("{how}\nwith other tests at work in the same process; alone: {}", verdict.status);
    Verdict { differed: true, ..Verdict::new(Status::Crash, Phase::Simulate, reason) }
}
