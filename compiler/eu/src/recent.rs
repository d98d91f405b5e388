//! What was found out about instruction words lately.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::mem;

use rustc_hash::FxHasher;

type Table<T> = HashMap<u128, T, BuildHasherDefault<FxHasher>>;

/// Values by instruction word (see [`crate::word`]). Two generations: what is asked for is young; when that are too many, the
/// old ones go and the young ones are old.
#[derive(Debug)]
pub struct Recent<T> {
    young: Table<T>,
    old: Table<T>,
    /// Most words of one generation.
    capacity: usize,
}

impl<T> Recent<T> {
    /// Knows nothing, and never more than twice `capacity` words.
    pub fn new(capacity: usize) -> Recent<T> {
        Recent { young: Table::default(), old: Table::default(), capacity }
    }

    /// The value of `word`: the one that is there or what `make` gives.
    ///
    /// # Errors
    /// What `make` says; nothing is kept then.
    pub fn get<E>(&mut self, word: u128, make: impl FnOnce() -> Result<T, E>) -> Result<&mut T, E> {
        if self.young.len() >= self.capacity {
            self.old = mem::take(&mut self.young);
        }
        match self.young.entry(word) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let value = match self.old.remove(&word) {
                    Some(value) => value,
                    None => make()?,
                };
                Ok(entry.insert(value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of these words had to be made.
    fn made(recent: &mut Recent<u128>, words: &[u128]) -> Vec<u128> {
        let mut made = Vec::new();
        for &word in words {
            let value = recent.get(word, || {
                made.push(word);
                Ok::<_, ()>(word * 2)
            });
            assert_eq!(value, Ok(&mut (word * 2)));
        }
        made
    }

    #[test]
    fn keeps_what_is_asked_for() {
        let mut recent = Recent::new(2);
        assert_eq!(made(&mut recent, &[1, 2, 1, 3, 1, 4, 1]), [1, 2, 3, 4]);
        assert_eq!(made(&mut recent, &[2]), [2], "nobody asked for it");
        assert!((1..100).all(|word| {
            made(&mut recent, &[word]);
            recent.young.len() <= 2 && recent.old.len() <= 2
        }));
    }

    #[test]
    fn keeps_no_errors() {
        let mut recent = Recent::new(2);
        assert_eq!(recent.get(7, || Err::<u128, _>("no")), Err("no"));
        assert_eq!(made(&mut recent, &[7]), [7]);
    }
}
