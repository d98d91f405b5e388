//! What was found out about instruction words lately.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::mem;

use rustc_hash::FxHasher;

/// Where values are kept, one after the other.
pub trait Store: Default {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds what another store keeps at a place.
    fn take(&mut self, other: &Self, place: u32);

    /// Forgets all of them.
    fn clear(&mut self);
}

impl<T: Clone> Store for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn take(&mut self, other: &Self, place: u32) {
        self.push(other[place as usize].clone());
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// Values by instruction word (see [`crate::word`]), each with a mark that is known without a look at the value. Two
/// generations: what is asked for is young; when that are too many, the old ones go and the young ones are old.
#[derive(Debug)]
pub struct Recent<S> {
    young: Generation<S>,
    old: Generation<S>,
    /// Most words of one generation.
    capacity: usize,
}

/// A word's halves, which hash faster than the whole.
type Word = (u64, u64);

fn halves(word: u128) -> Word {
    (word as u64, (word >> 64) as u64)
}

/// Where a word's value is, and its mark.
#[derive(Clone, Copy, Debug)]
struct Known {
    place: u32,
    mark: u8,
}

/// Values and their words. The memory of both is used again.
#[derive(Debug, Default)]
struct Generation<S> {
    words: HashMap<Word, Known, BuildHasherDefault<FxHasher>>,
    values: S,
}

/// What is known of a word.
#[derive(Debug)]
pub struct Found<'a, S> {
    /// The value is among these.
    pub values: &'a mut S,
    /// Its place there.
    pub place: u32,
    /// Its mark, to be changed at will.
    pub mark: &'a mut u8,
}

impl<S: Store> Recent<S> {
    /// Knows nothing, and never more than twice `capacity` words.
    pub fn new(capacity: usize) -> Recent<S> {
        Recent { young: Generation::default(), old: Generation::default(), capacity }
    }

    /// The mark of a word that was asked for lately; 0 if it was not.
    pub fn mark(&self, word: u128) -> u8 {
        self.young.words.get(&halves(word)).map_or(0, |known| known.mark)
    }

    /// The value of `word`: the one that is there or the one that `make` adds, with its mark, which `make` gives.
    ///
    /// # Errors
    /// What `make` says, having added nothing.
    pub fn get<E>(
        &mut self,
        word: u128,
        make: impl FnOnce(&mut S) -> Result<u8, E>,
    ) -> Result<Found<'_, S>, E> {
        if self.young.values.len() >= self.capacity {
            mem::swap(&mut self.young, &mut self.old);
            self.young.words.clear();
            self.young.values.clear();
        }
        let word = halves(word);
        let Generation { words, values } = &mut self.young;
        let Known { place, mark } = match words.entry(word) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let mark = match self.old.words.get(&word) {
                    Some(known) => {
                        values.take(&self.old.values, known.place);
                        known.mark
                    }
                    None => make(values)?,
                };
                entry.insert(Known { place: values.len() as u32 - 1, mark })
            }
        };
        Ok(Found { values, place: *place, mark })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of these words had to be made.
    fn made(recent: &mut Recent<Vec<u128>>, words: &[u128]) -> Vec<u128> {
        let mut made = Vec::new();
        for &word in words {
            let found = recent.get(word, |values| {
                made.push(word);
                values.push(word * 2);
                Ok::<_, ()>(word as u8 % 3)
            });
            let found = found.unwrap();
            assert_eq!((found.values[found.place as usize], *found.mark), (word * 2, word as u8 % 3));
            assert_eq!(recent.mark(word), word as u8 % 3);
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
        let mut recent: Recent<Vec<u128>> = Recent::new(2);
        assert_eq!(recent.get(7, |_| Err("no")).unwrap_err(), "no");
        assert_eq!(made(&mut recent, &[7]), [7]);
    }

    #[test]
    fn marks_stay_with_their_words() {
        let mut recent: Recent<Vec<u128>> = Recent::new(2);
        made(&mut recent, &[3]);
        let new = recent.get(6, |values| {
            values.push(12);
            Ok::<_, ()>(0)
        });
        *new.unwrap().mark = 9;
        assert_eq!([3, 5, 6].map(|word| recent.mark(word)), [0, 0, 9]);
        made(&mut recent, &[4]);
        let old = recent.get(6, |_| Err("made again")).unwrap();
        assert_eq!((*old.mark, old.place), (9, 1));
        assert_eq!(recent.mark(3), 0, "not asked for since");
    }
}
