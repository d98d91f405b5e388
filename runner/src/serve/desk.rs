//! The desk: looks wait for the worker process of their target.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use look::LookRequest;
use supervise::{Finished, Pool, Request, Settings};
use tools::Case;
use vocabulary::Target;

/// Maximum number of looks that wait for one process.
const WAITING: usize = 64;

/// Worker processes, one for each target: its caches serve the next edit of the same test.
pub(super) struct Desk {
    pool: Pool,
    lanes: Vec<Lane>,
    /// Permissions for the looks that run, one per core: others wait, and their time does not run.
    cores: Semaphore,
    count: AtomicUsize,
}

/// The queue of a process.
struct Lane {
    free: Semaphore,
    waiting: AtomicUsize,
}

/// Number of worker processes of a desk.
pub const WORKERS: usize = Target::ALL.len();

/// There are too many looks already.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("too many requests wait for this target")]
pub(super) struct Busy;

impl Desk {
    /// Returns a desk whose processes start with their first look. Must be called within a runtime.
    pub(super) fn new(settings: &Settings) -> Desk {
        let lane = |_| Lane { free: Semaphore::new(1), waiting: AtomicUsize::new(0) };
        Desk {
            pool: Pool::start(settings, None),
            lanes: (0..settings.workers.max(1)).map(lane).collect(),
            cores: Semaphore::new(cores()),
            count: AtomicUsize::new(0),
        }
    }

    /// Executes a look. A dropped call gives up its place, and its execution ends soon.
    pub(super) async fn look(&self, case: &Case, request: LookRequest) -> Result<Finished, Busy> {
        let index = case.generation.index() % self.lanes.len();
        let lane = &self.lanes[index];
        let _place = Place::take(&lane.waiting)?;
        // The semaphores are never closed.
        let _turn = lane.free.acquire().await.map_err(|_| Busy)?;
        let _core = self.cores.acquire().await.map_err(|_| Busy)?;
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        Ok(self.pool.run(index, Request::look(number, case, request)).await)
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// A place in a queue, given back at the end.
struct Place<'a>(&'a AtomicUsize);

impl Place<'_> {
    fn take(waiting: &AtomicUsize) -> Result<Place<'_>, Busy> {
        let place = Place(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) >= WAITING { Err(Busy) } else { Ok(place) }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
