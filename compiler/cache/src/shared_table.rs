//! Table of results for several threads.

use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHasher;

use crate::generation_table::GenerationTable;

/// Results by key, for several threads. A thread that needs a result which another is computing
/// waits for it.
///
/// Each result has a weight; results heavier than the capacity are not stored.
pub struct SharedTable<K, V> {
    table: Mutex<GenerationTable<HashedKey<K>, Cells<V>>>,
    capacity: usize,
}

/// Cells of one key, filled by the first thread that needs the result.
type Cells<V> = Vec<Arc<OnceLock<V>>>;

/// A key with its hash, which is computed once and outside of the lock.
struct HashedKey<K> {
    hash: u64,
    key: Arc<K>,
}

impl<K> Clone for HashedKey<K> {
    fn clone(&self) -> Self {
        HashedKey { hash: self.hash, key: self.key.clone() }
    }
}

impl<K> Hash for HashedKey<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl<K: PartialEq> PartialEq for HashedKey<K> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.key == other.key
    }
}

impl<K: Eq> Eq for HashedKey<K> {}

impl<K: Hash + Eq, V: Clone> SharedTable<K, V> {
    /// Returns an empty table whose generations weigh at most `capacity` each.
    pub fn new(capacity: usize) -> Self {
        SharedTable { table: Mutex::new(GenerationTable::new(capacity)), capacity }
    }

    /// Returns the result for `key`, which weighs `weight`: the stored one, or that of `make`.
    pub fn get(&self, key: K, weight: usize, make: impl FnOnce(&K) -> V) -> V {
        if weight > self.capacity {
            return make(&key);
        }
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(&key);
        let key = HashedKey { hash, key: Arc::new(key) };
        self.cell(key.clone(), weight).get_or_init(|| make(&key.key)).clone()
    }

    /// Returns the cell of a result, which may be empty.
    fn cell(&self, key: HashedKey<K>, weight: usize) -> Arc<OnceLock<V>> {
        // A panic under the lock leaves a valid table: results are computed outside of it.
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let add = |cells: &mut Cells<V>| {
            cells.push(Arc::default());
            Ok::<_, std::convert::Infallible>(())
        };
        let Ok(entry) = table.get(key, weight, add);
        entry.values[entry.index as usize].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn computes_once() {
        let table = SharedTable::new(10);
        let computed = Cell::new(0);
        let square = |&x: &u32| {
            computed.set(computed.get() + 1);
            x * x
        };
        assert_eq!([3, 4, 3, 4, 3].map(|x| table.get(x, 1, square)), [9, 16, 9, 16, 9]);
        assert_eq!(computed.get(), 2);
    }

    #[test]
    fn drops_results_that_are_not_used() {
        let table = SharedTable::new(4);
        let computed = Cell::new(0);
        let make = |_: &u32| computed.set(computed.get() + 1);
        for other in 1..20 {
            table.get(0, 2, make);
            table.get(other, 1, make);
            assert_eq!(computed.get(), 1 + other, "0 is always young enough");
        }
        table.get(1, 1, make);
        assert_eq!(computed.get(), 21);
        // Heavier than the capacity.
        for expected in [22, 23] {
            table.get(30, 5, make);
            assert_eq!(computed.get(), expected);
        }
        // As heavy as it.
        for _ in 0..2 {
            table.get(40, 4, make);
            assert_eq!(computed.get(), 24);
        }
    }

    #[test]
    fn equal_hashes_do_not_mix_keys() {
        #[derive(PartialEq, Eq)]
        struct Same(u32);
        impl Hash for Same {
            fn hash<H: Hasher>(&self, state: &mut H) {
                0.hash(state);
            }
        }
        let table = SharedTable::new(2);
        let get = |x| table.get(Same(x), 1, |key| key.0);
        assert_eq!([1, 2, 1, 3, 2, 1].map(get), [1, 2, 1, 3, 2, 1]);
    }

    #[test]
    fn a_panic_leaves_no_result() {
        let table: SharedTable<u32, u32> = SharedTable::new(2);
        let broken = || table.get(1, 1, |_| panic!("broken"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(broken)).is_err());
        assert_eq!(table.get(1, 1, |_| 7), 7);
    }

    #[test]
    fn threads_share_a_computation() {
        let table: SharedTable<u32, u32> = SharedTable::new(2);
        let computed = std::sync::atomic::AtomicU32::new(0);
        let make = |&x: &u32| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            computed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            x + 1
        };
        std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(|| table.get(1, 1, make)));
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), 2));
        });
        assert_eq!(computed.into_inner(), 1);
    }
}
