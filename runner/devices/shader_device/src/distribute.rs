//! Distribution of the fragment batches of a heavy draw over idle cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use raster::device::{Batch, DeviceError, Steps};

use crate::cores::{Cores, STACK};

/// Steps of a batch above which other threads help. Starting a thread costs as much as some
/// thousand instructions.
const HEAVY: Steps = Steps(500);

/// Batches that a thread takes at a time.
const TURN: usize = 4;

/// Returns how many batches a device prefers at once, when its last batch of fragments took `last`
/// steps.
pub fn batches_at_once(cores: &Cores, last: Steps) -> usize {
    match cores.idle() {
        0 => 1,
        _ if last < HEAVY => 1,
        idle => (idle + 1).min(16) * 64,
    }
}

/// Executes batches on one thread for each helper. A helper executes one batch after another; it
/// also gets the number of the batch in the list.
///
/// # Errors
/// Fails with the error of the first batch that fails.
///
/// # Panics
/// A panic of a helper is continued here.
pub fn distribute<H>(
    batches: &mut [Batch],
    helpers: impl IntoIterator<Item = H>,
) -> Result<Steps, DeviceError>
where
    H: FnMut(u64, &mut Batch) -> Result<Steps, DeviceError> + Send,
{
    let turns = Mutex::new(batches.chunks_mut(TURN).enumerate());
    let failed = AtomicBool::new(false);
    let work = |mut helper: H| {
        let mut steps = Steps(0);
        while !failed.load(Ordering::Relaxed) {
            let next = turns.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((turn, batches)) = next else { break };
            for (index, batch) in batches.iter_mut().enumerate() {
                let number = (turn * TURN + index) as u64;
                match helper(number, batch) {
                    Ok(more) => steps += more,
                    Err(error) => {
                        // Turns before this one are in execution and may fail earlier.
                        failed.store(true, Ordering::Relaxed);
                        return Err((number, error));
                    }
                }
            }
        }
        Ok(steps)
    };
    let mut helpers = helpers.into_iter();
    let Some(own) = helpers.next() else { return Ok(Steps(0)) };
    let results: Vec<Result<Steps, (u64, DeviceError)>> = thread::scope(|scope| {
        let work = &work;
        // Without another thread, the own one does all the work.
        let spawn = |helper| {
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(helper)).ok()
        };
        let threads: Vec<_> = helpers.filter_map(spawn).collect();
        let first = work(own);
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        std::iter::once(first).chain(threads.into_iter().map(join)).collect()
    });
    let (mut steps, mut first_error) = (Steps(0), None);
    for result in results {
        match result {
            Ok(more) => steps += more,
            Err((number, error)) => {
                if first_error.as_ref().is_none_or(|&(first, _)| number < first) {
                    first_error = Some((number, error));
                }
            }
        }
    }
    first_error.map_or(Ok(steps), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raster::device::{FragmentBatch, FragmentOutputs};

    fn batches(count: usize) -> Vec<Batch> {
        let batch = FragmentBatch {
            quads: Vec::new(),
            live: 0,
            primitives: Vec::new(),
            samples: 1,
            sample_positions: Vec::new(),
            sample_id: None,
            sample_mask_in: Vec::new(),
            outputs: FragmentOutputs::default(),
        };
        vec![Batch::Fragment(batch); count]
    }

    /// Returns a helper that writes the number of each batch, and fails from a number on.
    fn numbers(failing: u64) -> impl FnMut(u64, &mut Batch) -> Result<Steps, DeviceError> + Send {
        move |number, batch| {
            if number >= failing {
                return Err(DeviceError::Execution(format!("batch {number}")));
            }
            let Batch::Fragment(batch) = batch else { panic!("another stage") };
            batch.live = number;
            Ok(Steps(1))
        }
    }

    #[test]
    fn each_batch_is_executed_once() {
        for threads in 1..5 {
            let mut batches = batches(103);
            let helpers = (0..threads).map(|_| numbers(u64::MAX));
            assert_eq!(distribute(&mut batches, helpers), Ok(Steps(103)));
            for (number, batch) in batches.iter().enumerate() {
                assert!(matches!(batch, Batch::Fragment(f) if f.live == number as u64));
            }
        }
    }

    #[test]
    fn the_first_error_counts() {
        for failing in [0, 5, 50, 102] {
            let helpers = (0..4).map(|_| numbers(failing));
            let error = DeviceError::Execution(format!("batch {failing}"));
            assert_eq!(distribute(&mut batches(103), helpers), Err(error));
        }
    }

    #[test]
    fn helpers_start_above_a_limit_of_work() {
        let cores = Cores::new(3);
        assert_eq!(batches_at_once(&cores, Steps(10)), 1);
        let _test = cores.enter();
        assert!(batches_at_once(&cores, Steps(10_000)) > 1);
        let _others = cores.borrow(2);
        assert_eq!(batches_at_once(&cores, Steps(10_000)), 1);
    }
}
