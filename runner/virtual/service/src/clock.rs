//! The time stamp counter.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Counts ticks of the time stamp since the start. Clones are the same clock.
#[derive(Clone, Debug)]
pub struct Clock {
    time: Time,
    frequency: u64,
}

/// Source of the time.
#[derive(Clone, Debug)]
enum Time {
    /// The real time since then.
    Real(Instant),
    /// Nanoseconds of work.
    Work(Arc<AtomicU64>),
}

impl Clock {
    /// Starts a clock of the real time with this many ticks in a second.
    #[must_use]
    pub fn start(frequency: u32) -> Clock {
        Clock { time: Time::Real(Instant::now()), frequency: frequency.into() }
    }

    /// Starts a clock of the work that the GPU does, so that the time is the same in each run.
    #[must_use]
    pub fn of_work(frequency: u32) -> Clock {
        Clock { time: Time::Work(Arc::default()), frequency: u64::from(frequency).max(1) }
    }

    /// Lets time pass, unless the clock follows the real time.
    pub fn pass(&self, nanoseconds: u64) {
        if let Time::Work(time) = &self.time {
            time.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }

    /// Nanoseconds since the start. A clock of work moves by a tick, so that no two reads find the
    /// same time.
    #[must_use]
    pub fn nanoseconds(&self) -> u64 {
        match &self.time {
            Time::Real(start) => u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
            Time::Work(time) => {
                let tick = SECOND.div_ceil(self.frequency);
                time.fetch_add(tick, Ordering::Relaxed) + tick
            }
        }
    }

    /// Ticks since the start.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        let time = self.nanoseconds();
        time / SECOND * self.frequency + time % SECOND * self.frequency / SECOND
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_its_time() {
        let clock = Clock::of_work(25_000_000);
        let first = clock.ticks();
        clock.clone().pass(4000);
        assert_eq!((first, clock.ticks(), clock.ticks()), (1, 102, 103));
    }
}
