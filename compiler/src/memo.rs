//! A table of results by what they were computed from, for several threads, of limited size.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::FxHasher;

/// Results by key. Whoever asks for a key that somebody is at work on waits for that.
pub(crate) struct Memo<K, V> {
    table: Mutex<Table<K, V>>,
    /// Most weight of the keys of one generation.
    capacity: usize,
}

/// Two generations: what is asked for is young; when too much is, the old ones go and the young ones are old.
struct Table<K, V> {
    young: Generation<K, V>,
    old: Generation<K, V>,
    /// Weight of the young generation.
    weight: usize,
}

/// Entries by the hash of their key.
type Generation<K, V> = HashMap<u64, Vec<Arc<Entry<K, V>>>, BuildHasherDefault<FxHasher>>;

struct Entry<K, V> {
    key: K,
    weight: usize,
    value: OnceLock<V>,
}

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    /// An empty table.
    pub(crate) fn new(capacity: usize) -> Memo<K, V> {
        let table = Table { young: HashMap::default(), old: HashMap::default(), weight: 0 };
        Memo { table: Mutex::new(table), capacity }
    }

    /// The result for `key`, which weighs `weight`: the one that is there or what `make` gives.
    pub(crate) fn get(&self, key: K, weight: usize, make: impl FnOnce(&K) -> V) -> V {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(&key);
        let entry = self.lock().entry(hash, key, weight, self.capacity);
        entry.value.get_or_init(|| make(&entry.key)).clone()
    }

    fn lock(&self) -> MutexGuard<'_, Table<K, V>> {
        // A thread that panicked here left whole entries: nothing is computed under the lock.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq, V> Table<K, V> {
    fn entry(&mut self, hash: u64, key: K, weight: usize, capacity: usize) -> Arc<Entry<K, V>> {
        if let Some(found) = find(&self.young, hash, &key) {
            return found.clone();
        }
        let old = find(&self.old, hash, &key).cloned();
        let entry = old.unwrap_or_else(|| Arc::new(Entry { key, weight, value: OnceLock::new() }));
        if self.weight + entry.weight > capacity {
            self.old = mem::take(&mut self.young);
            self.weight = 0;
        }
        if entry.weight <= capacity {
            self.weight += entry.weight;
            self.young.entry(hash).or_default().push(entry.clone());
        }
        entry
    }
}

fn find<'a, K: Eq, V>(generation: &'a Generation<K, V>, hash: u64, key: &K) -> Option<&'a Arc<Entry<K, V>>> {
    generation.get(&hash)?.iter().find(|entry| entry.key == *key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn computes_once() {
        let memo = Memo::new(10);
        let computed = Cell::new(0);
        let square = |&x: &u32| {
            computed.set(computed.get() + 1);
            x * x
        };
        assert_eq!([3, 4, 3, 4, 3].map(|x| memo.get(x, 1, square)), [9, 16, 9, 16, 9]);
        assert_eq!(computed.get(), 2);
    }

    #[test]
    fn forgets_what_is_not_asked_for() {
        let memo = Memo::new(4);
        let computed = Cell::new(0);
        let make = |_: &u32| computed.set(computed.get() + 1);
        for other in 1..20 {
            memo.get(0, 2, make);
            memo.get(other, 1, make);
            assert_eq!(computed.get(), 1 + other, "0 is always young enough");
        }
        memo.get(1, 1, make);
        assert_eq!(computed.get(), 21);
        // What is heavier than everything together is not kept.
        for expected in [22, 23] {
            memo.get(30, 5, make);
            assert_eq!(computed.get(), expected);
        }
        let kept =
            |generation: &Generation<u32, ()>| generation.values().flatten().map(|e| e.weight).sum::<usize>();
        let table = memo.lock();
        assert!(kept(&table.young) <= 4 && kept(&table.old) <= 4);
    }

    #[test]
    fn equal_hashes_do_not_mix_keys() {
        #[derive(PartialEq, Eq)]
        struct Same(u32);
        impl Hash for Same {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                0.hash(state);
            }
        }
        let memo = Memo::new(2);
        let get = |x| memo.get(Same(x), 1, |key| key.0);
        assert_eq!([1, 2, 1, 3, 2, 1].map(get), [1, 2, 1, 3, 2, 1]);
    }

    #[test]
    fn a_panic_leaves_no_result() {
        let memo: Memo<u32, u32> = Memo::new(2);
        let broken = || memo.get(1, 1, |_| panic!("broken"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(broken)).is_err());
        assert_eq!(memo.get(1, 1, |_| 7), 7);
    }
}
