//! The time stamp counter.

use std::time::Instant;

/// Counts ticks of the time stamp since the start.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    frequency: u64,
}

impl Clock {
    /// Starts a clock of this many ticks in a second.
    #[must_use]
    pub fn start(frequency: u32) -> Clock {
        Clock { start: Instant::now(), frequency: u64::from(frequency) }
    }

    /// Ticks since the start. Programs compare them with the time of the processor, so they follow
    /// the real time.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        let elapsed = self.start.elapsed();
        elapsed.as_secs() * self.frequency
            + u64::from(elapsed.subsec_nanos()) * self.frequency / 1_000_000_000
    }
}
