//! Things of which every device has some, each for one thread at a time.

use std::sync::{Mutex, PoisonError};

use eu::DevInfo;

/// What is lent and given back, by the device's name. As many of a device come to be as were wanted at once.
pub struct Pool<T>(Mutex<Vec<(&'static str, T)>>);

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(Mutex::default())
    }
}

impl<T> Pool<T> {
    /// Calls `body` with one of the device's, made by `make` if all are in use. One that was lent when `body` panicked is lost.
    pub fn lend<R>(&self, devinfo: &DevInfo, make: impl FnOnce() -> T, body: impl FnOnce(&mut T) -> R) -> R {
        let found = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let index = all.iter().position(|(name, _)| *name == devinfo.name);
            index.map(|index| all.swap_remove(index).1)
        };
        let mut lent = found.unwrap_or_else(make);
        let result = body(&mut lent);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((devinfo.name, lent));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_keeps_its_own() {
        let pool: Pool<u32> = Pool::default();
        let device = |name| DevInfo::get(name).unwrap();
        let count = |name| {
            pool.lend(
                device(name),
                || 0,
                |uses| {
                    *uses += 1;
                    *uses
                },
            )
        };
        assert_eq!(["ivb", "skl", "ivb", "ivb", "skl"].map(count), [1, 1, 2, 3, 2]);
        // While one is lent, another is made.
        let both = pool.lend(device("ivb"), || 0, |outer| (*outer, count("ivb")));
        assert_eq!(both, (3, 1));
    }
}
