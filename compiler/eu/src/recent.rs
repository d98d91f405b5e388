//! What was found out about instruction words lately.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::mem;

use rustc_hash::FxHasher;

/// Values by instruction word (see [`crate::word`]). Two generations: what is asked for is young; when that are too many, the
/// old ones go and the young ones are old.
#[derive(Debug)]
pub struct Recent<T> {
    young: Generation<T>,
    old: Generation<T>,
    /// Most words of one generation.
    capacity: usize,
}

/// Values one after the other: their memory and the table's are used again.
#[derive(Debug)]
struct Generation<T> {
    places: HashMap<u128, u32, BuildHasherDefault<FxHasher>>,
    values: Vec<T>,
}

impl<T> Default for Generation<T> {
    fn default() -> Generation<T> {
        Generation { places: HashMap::default(), values: Vec::new() }
    }
}

impl<T> Generation<T> {
    fn get(&self, word: u128) -> Option<&T> {
        self.values.get(*self.places.get(&word)? as usize)
    }

    fn clear(&mut self) {
        self.places.clear();
        self.values.clear();
    }
}

impl<T: Clone> Recent<T> {
    /// Knows nothing, and never more than twice `capacity` words.
    pub fn new(capacity: usize) -> Recent<T> {
        Recent { young: Generation::default(), old: Generation::default(), capacity }
    }

    /// The value of `word`: the one that is there or what `make` gives.
    ///
    /// # Errors
    /// What `make` says; nothing is kept then.
    pub fn get<E>(&mut self, word: u128, make: impl FnOnce() -> Result<T, E>) -> Result<&mut T, E> {
        if self.young.values.len() >= self.capacity {
            mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        let Generation { places, values } = &mut self.young;
        let place = match places.entry(word) {
            Entry::Occupied(entry) => *entry.get() as usize,
            Entry::Vacant(entry) => {
                let value = match self.old.get(word) {
                    Some(value) => value.clone(),
                    None => make()?,
                };
                entry.insert(values.len() as u32);
                values.push(value);
                values.len() - 1
            }
        };
        Ok(&mut values[place])
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
            recent.young.values.len() <= 2 && recent.old.values.len() <= 2
        }));
    }

    #[test]
    fn keeps_no_errors() {
        let mut recent = Recent::new(2);
        assert_eq!(recent.get(7, || Err::<u128, _>("no")), Err("no"));
        assert_eq!(made(&mut recent, &[7]), [7]);
    }
}
