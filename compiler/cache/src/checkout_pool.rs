//! Pool of objects that one thread at a time uses.

use std::sync::{Mutex, PoisonError};

/// A pool of objects by key, each checked out by one thread at a time. It grows to as many objects
/// of a key as were in use at once.
///
/// ```
/// let pool: cache::CheckoutPool<&str, Vec<u32>> = cache::CheckoutPool::default();
/// pool.with("ivb", Vec::new, |list| list.push(7));
/// assert_eq!(pool.with("ivb", Vec::new, |list| list.len()), 1);
/// assert_eq!(pool.with("skl", Vec::new, |list| list.len()), 0);
/// ```
#[derive(Debug)]
pub struct CheckoutPool<K, T>(Mutex<Vec<(K, T)>>);

impl<K, T> Default for CheckoutPool<K, T> {
    fn default() -> CheckoutPool<K, T> {
        CheckoutPool(Mutex::default())
    }
}

impl<K: PartialEq, T> CheckoutPool<K, T> {
    /// Calls `body` with an object of `key`, which `make` creates if all are in use. If `body`
    /// panics, its object is dropped.
    pub fn with<R>(&self, key: K, make: impl FnOnce() -> T, body: impl FnOnce(&mut T) -> R) -> R {
        let free = {
            let mut objects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let index = objects.iter().position(|(other, _)| *other == key);
            index.map(|index| objects.swap_remove(index).1)
        };
        let mut object = free.unwrap_or_else(make);
        let result = body(&mut object);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((key, object));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_objects() {
        let pool: CheckoutPool<&str, u32> = CheckoutPool::default();
        let count = |key| {
            let increment = |uses: &mut u32| {
                *uses += 1;
                *uses
            };
            pool.with(key, || 0, increment)
        };
        assert_eq!(["ivb", "skl", "ivb", "ivb", "skl"].map(count), [1, 1, 2, 3, 2]);
        // While one object is in use, another is made.
        let both = pool.with("ivb", || 0, |outer| (*outer, count("ivb")));
        assert_eq!(both, (3, 1));
    }

    #[test]
    fn a_panic_drops_the_object() {
        let pool: CheckoutPool<(), u32> = CheckoutPool::default();
        let broken = || pool.with((), || 1, |_| panic!("broken"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(broken)).is_err());
        assert_eq!(pool.with((), || 2, |object| *object), 2);
    }
}
