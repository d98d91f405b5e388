//! Lanes: each keeps one worker process busy, finds out which row killed it, and starts the next.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::process::{Process, Program};
use super::protocol::{Answer, Request};
use results::verdict::{Phase, Status, Verdict};

/// How often a lane looks at clocks and memory.
const TICK: Duration = Duration::from_millis(50);

/// How workers are started and watched.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How a worker is started.
    pub program: Program,
    /// Worker processes at a time.
    pub lanes: usize,
    /// Rows at a time in each.
    pub threads: usize,
    /// Rows after which a worker is replaced, if ever.
    pub batch: Option<usize>,
    /// Wall-clock time after which a row counts as timed out.
    pub guard: Duration,
    /// Resident memory in bytes that a worker may use.
    pub memory: Option<u64>,
}

/// A row that was executed.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How it ended.
    pub verdict: Verdict,
    /// How long it worked.
    pub duration: Duration,
}

impl Finished {
    /// A row that needed no execution.
    pub fn at_once(verdict: Verdict) -> Finished {
        Finished { verdict, duration: Duration::ZERO }
    }
}

/// All lanes of a run.
pub struct Pool {
    lanes: Vec<UnboundedSender<Order>>,
}

impl Pool {
    /// Makes the lanes. Workers start with the first rows, except `first`, which is there already. To be called within a
    /// runtime.
    pub fn start(settings: &Settings, mut first: Option<Process>) -> Pool {
        let lane = |_| {
            let (sender, orders) = unbounded_channel();
            let lane = Lane { process: first.take(), ..Lane::new(settings.clone()) };
            tokio::spawn(lane.serve(orders));
            sender
        };
        Pool { lanes: (0..settings.lanes.max(1)).map(lane).collect() }
    }

    /// Executes a row; `slot` numbers the caller among those that run rows at the same time.
    pub async fn run(&self, slot: usize, request: Request) -> Finished {
        let (reply, finished) = oneshot::channel();
        let sent = self.lanes[slot % self.lanes.len()].send(Order { request, reply });
        let gone = || crashed("the supervisor of the worker processes ended", Duration::ZERO);
        match sent {
            Ok(()) => finished.await.unwrap_or_else(|_| gone()),
            Err(_) => gone(),
        }
    }
}

/// A row to execute and who waits for it.
struct Order {
    request: Request,
    reply: oneshot::Sender<Finished>,
}

/// A row that was sent to a worker.
struct AtWork {
    order: Order,
    /// When its execution began; before that it waits behind others.
    since: Option<Instant>,
}

impl AtWork {
    /// How long it has been executed.
    fn elapsed(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn end(self, finished: Finished) {
        // Nobody waits any more when the run was stopped.
        let _ = self.order.reply.send(finished);
    }
}

struct Lane {
    settings: Settings,
    process: Option<Process>,
    /// In the order of sending. Workers take them in that order, so that the first of them, as many as there are
    /// threads, are those in execution.
    at_work: Vec<AtWork>,
    /// Rows that the process has finished.
    finished: usize,
}

/// How a process came to its end.
enum Death {
    /// By itself; the text says how.
    Died(String),
    /// It used too much memory.
    Memory,
}

impl Lane {
    fn new(settings: Settings) -> Lane {
        Lane { settings, process: None, at_work: Vec::new(), finished: 0 }
    }

    async fn serve(mut self, mut orders: UnboundedReceiver<Order>) {
        let mut ticks = ticks();
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => self.begin(order),
                    None => return self.end().await,
                },
                answer = next_answer(&mut self.process) => match answer {
                    Some(answer) => self.answered(answer),
                    None => self.died().await,
                },
                _ = ticks.tick() => self.check().await,
            }
        }
    }

    /// Lets the process end, without waiting for rows at work: nobody wants them any more.
    async fn end(mut self) {
        if let Some(process) = &mut self.process {
            process.close_input();
            while process.answer().await.is_some() {}
        }
    }

    fn begin(&mut self, order: Order) {
        let process = match &mut self.process {
            Some(process) => process,
            None => match Process::start(&self.settings.program) {
                Ok(process) => {
                    self.finished = 0;
                    self.process.insert(process)
                }
                Err(error) => {
                    let message = format!("cannot start a worker process: {error}");
                    return AtWork { order, since: None }.end(crashed(&message, Duration::ZERO));
                }
            },
        };
        if self.at_work.is_empty() {
            process.forget_errors();
        }
        process.send(&order.request);
        self.at_work.push(AtWork { order, since: None });
        self.note_beginnings();
    }

    /// Starts the clocks of the rows whose turn has come.
    fn note_beginnings(&mut self) {
        for row in self.at_work.iter_mut().take(self.settings.threads) {
            row.since.get_or_insert_with(Instant::now);
        }
    }

    fn answered(&mut self, answer: Answer) {
        let sent = self.at_work.iter().position(|row| row.order.request.job == answer.job);
        let Some(index) = sent else { return };
        self.at_work.remove(index).end(finished(answer));
        self.note_beginnings();
        self.finished += 1;
        if self.at_work.is_empty() && self.settings.batch.is_some_and(|batch| self.finished >= batch) {
            self.process = None;
        }
    }

    async fn died(&mut self) {
        let Some(process) = self.process.take() else { return };
        let death = Death::Died(process.post_mortem());
        self.find_culprit(death).await;
    }

    /// Gives up rows that work for too long and processes that grew too large.
    async fn check(&mut self) {
        let guard = self.settings.guard;
        if self.at_work.iter().any(|row| row.elapsed() >= guard) {
            let rows = std::mem::take(&mut self.at_work);
            let (late, others): (Vec<AtWork>, _) = rows.into_iter().partition(|row| row.elapsed() >= guard);
            late.into_iter().for_each(|row| row.end(timed_out(guard)));
            // Only the end of the process ends the thread. Rows beside it begin anew.
            self.process.take().into_iter().for_each(Process::kill);
            others.into_iter().for_each(|row| self.begin(row.order));
        } else if self.process.as_ref().is_some_and(|process| too_large(process, &self.settings)) {
            self.process.take().into_iter().for_each(Process::kill);
            self.find_culprit(Death::Memory).await;
        }
    }

    /// Finishes the rows that were in execution when their process came to its end; those that waited begin anew.
    async fn find_culprit(&mut self, death: Death) {
        let sent = std::mem::take(&mut self.at_work);
        let (rows, waiting): (Vec<AtWork>, Vec<_>) = sent.into_iter().partition(|row| row.since.is_some());
        self.accuse(rows, death).await;
        waiting.into_iter().for_each(|row| self.begin(row.order));
    }

    /// Finds out which of the rows ended their process.
    async fn accuse(&self, rows: Vec<AtWork>, death: Death) {
        if self.settings.threads == 1 {
            for row in rows {
                let elapsed = row.elapsed();
                row.end(crashed(&self.explain(&death), elapsed));
            }
            return;
        }
        let mut results = Vec::new();
        let mut explained = matches!(death, Death::Memory);
        for row in rows {
            let (finished, broke) = self.alone(&row.order.request).await;
            explained |= broke;
            results.push((row, finished));
        }
        for (row, mut finished) in results {
            if let (Death::Died(how), false) = (&death, explained) {
                finished.verdict = not_alone(&finished.verdict, how);
            }
            row.end(finished);
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

    /// Executes a row in a process of its own; says whether it broke that.
    async fn alone(&self, request: &Request) -> (Finished, bool) {
        let start = Instant::now();
        let mut process = match Process::start(&self.settings.program) {
            Ok(process) => Some(process),
            Err(error) => {
                return (crashed(&format!("cannot start a worker process: {error}"), Duration::ZERO), true);
            }
        };
        process.iter_mut().for_each(|process| process.send(request));
        let mut ticks = ticks();
        let death = loop {
            tokio::select! {
                answer = next_answer(&mut process) => match answer {
                    Some(answer) if answer.job == request.job => return (finished(answer), false),
                    Some(_) => {}
                    None => break Death::Died(process.take().map(Process::post_mortem).unwrap_or_default()),
                },
                _ = ticks.tick() => {
                    if start.elapsed() >= self.settings.guard {
                        process.take().into_iter().for_each(Process::kill);
                        return (timed_out(self.settings.guard), true);
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

/// Never, while there is no process.
async fn next_answer(process: &mut Option<Process>) -> Option<Answer> {
    match process {
        Some(process) => process.answer().await,
        None => std::future::pending().await,
    }
}

fn too_large(process: &Process, settings: &Settings) -> bool {
    settings.memory.is_some_and(|most| process.memory().is_some_and(|used| used > most))
}

fn finished(answer: Answer) -> Finished {
    Finished { verdict: answer.verdict, duration: Duration::from_micros(answer.duration_us) }
}

fn crashed(reason: &str, duration: Duration) -> Finished {
    Finished { verdict: Verdict::new(Status::Crash, Phase::Simulate, reason), duration }
}

fn timed_out(guard: Duration) -> Finished {
    let reason = format!("not finished after {} s of wall-clock time", guard.as_secs());
    Finished { verdict: Verdict::new(Status::Timeout, Phase::Simulate, reason), duration: guard }
}

/// A row that was at work when the process died, which none of these rows causes alone.
fn not_alone(verdict: &Verdict, how: &str) -> Verdict {
    let reason = format!("{how}\nwith other tests at work in the same process; alone: {}", verdict.status);
    Verdict { differed: true, ..Verdict::new(Status::Crash, Phase::Simulate, reason) }
}
