//! Table of two generations, for one thread.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash};
use std::mem;

use rustc_hash::FxHasher;

/// A growing list of values, by index.
pub trait Store: Default {
    /// Appends a copy of the value at `index` of another store.
    fn push_from(&mut self, other: &Self, index: u32);

    /// Returns the number of values.
    fn len(&self) -> usize;

    /// Returns true if there are no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all values.
    fn clear(&mut self);
}

impl<T: Clone> Store for Vec<T> {
    fn push_from(&mut self, other: &Self, index: u32) {
        self.push(other[index as usize].clone());
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// Values by key, each with a small tag that is read without touching the value. Keys are cheap to
/// clone.
///
/// Each value has a weight; a generation weighs at most the capacity, except for a single heavier
/// value.
///
/// ```
/// use cache::GenerationTable;
///
/// let mut lengths: GenerationTable<&str, Vec<usize>> = GenerationTable::new(100);
/// let mut length = |word: &'static str| {
///     let make = |values: &mut Vec<usize>| {
///         values.push(word.len());
///         Ok::<_, ()>(())
///     };
///     let entry = lengths.get(word, 1, make).unwrap();
///     entry.values[entry.index as usize]
/// };
/// assert_eq!([length("eu"), length("swizzle"), length("eu")], [2, 7, 2]);
/// ```
#[derive(Debug)]
pub struct GenerationTable<K, S, T = ()> {
    young: TableGeneration<K, S, T>,
    old: TableGeneration<K, S, T>,
    /// Maximum weight of a generation.
    capacity: usize,
}

/// One generation. Its memory is reused when it is cleared.
#[derive(Debug)]
struct TableGeneration<K, S, T> {
    index: HashMap<K, Slot<T>, BuildHasherDefault<FxHasher>>,
    values: S,
    weight: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot<T> {
    index: u32,
    tag: T,
}

/// A value of a [`GenerationTable`].
#[derive(Debug)]
pub struct Entry<'a, S, T> {
    /// The store that holds the value.
    pub values: &'a mut S,
    /// The value's index in the store.
    pub index: u32,
    /// The value's tag.
    pub tag: T,
}

impl<K, S: Default, T> Default for TableGeneration<K, S, T> {
    fn default() -> Self {
        TableGeneration { index: HashMap::default(), values: S::default(), weight: 0 }
    }
}

impl<K: Hash + Eq + Clone, S: Store, T: Copy> GenerationTable<K, S, T> {
    /// Returns an empty table whose generations weigh at most `capacity` each.
    pub fn new(capacity: usize) -> Self {
        GenerationTable {
            young: TableGeneration::default(),
            old: TableGeneration::default(),
            capacity,
        }
    }

    /// Returns the tag of a value of the young generation.
    pub fn tag(&self, key: &K) -> Option<T> {
        self.young.index.get(key).map(|slot| slot.tag)
    }

    /// Changes the tag of a value of the young generation.
    pub fn set_tag(&mut self, key: &K, tag: T) {
        if let Some(slot) = self.young.index.get_mut(key) {
            slot.tag = tag;
        }
    }

    /// Returns the values of the young generation.
    pub fn values(&self) -> &S {
        &self.young.values
    }

    /// Returns the value of `key`, which weighs `weight`: the stored one, or the one that `make`
    /// appends to the store. `make` returns the value's tag.
    ///
    /// # Errors
    /// The error of `make`; nothing is stored then.
    pub fn get<E>(
        &mut self,
        key: K,
        weight: usize,
        make: impl FnOnce(&mut S) -> Result<T, E>,
    ) -> Result<Entry<'_, S, T>, E> {
        let slot = match self.young.index.get(&key) {
            Some(&slot) => slot,
            None => self.insert(key, weight, make)?,
        };
        Ok(Entry { values: &mut self.young.values, index: slot.index, tag: slot.tag })
    }

    /// Adds a value to the young generation, from the old one if it is there.
    fn insert<E>(
        &mut self,
        key: K,
        weight: usize,
        make: impl FnOnce(&mut S) -> Result<T, E>,
    ) -> Result<Slot<T>, E> {
        let full = self.young.weight + weight > self.capacity;
        let tag = match self.old.index.get(&key) {
            Some(&Slot { index, tag }) => {
                if full {
                    let mut kept = S::default();
                    kept.push_from(&self.old.values, index);
                    self.retire_young();
                    self.young.values.push_from(&kept, 0);
                } else {
                    self.young.values.push_from(&self.old.values, index);
                }
                tag
            }
            None => {
                if full {
                    self.retire_young();
                }
                make(&mut self.young.values)?
            }
        };
        let slot = Slot { index: self.young.values.len() as u32 - 1, tag };
        self.young.weight += weight;
        self.young.index.insert(key, slot);
        Ok(slot)
    }

    /// Drops the old generation, makes the young one the old one, and starts a new one.
    fn retire_young(&mut self) {
        mem::swap(&mut self.young, &mut self.old);
        self.young.index.clear();
        self.young.values.clear();
        self.young.weight = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Doubles = GenerationTable<u128, Vec<u128>, u8>;

    /// Returns the keys whose values had to be made.
    fn made(table: &mut Doubles, keys: &[u128]) -> Vec<u128> {
        let mut made = Vec::new();
        for &key in keys {
            let entry = table.get(key, 1, |values| {
                made.push(key);
                values.push(key * 2);
                Ok::<_, ()>(key as u8 % 3)
            });
            let entry = entry.unwrap();
            assert_eq!((entry.values[entry.index as usize], entry.tag), (key * 2, key as u8 % 3));
            assert_eq!(table.tag(&key), Some(key as u8 % 3));
        }
        made
    }

    #[test]
    fn keeps_values_that_are_used() {
        let mut table = Doubles::new(2);
        assert_eq!(made(&mut table, &[1, 2, 1, 3, 1, 4, 1]), [1, 2, 3, 4]);
        assert_eq!(made(&mut table, &[2]), [2], "unused, and therefore dropped");
        assert!((1..100).all(|key| {
            made(&mut table, &[key]);
            [&table.young, &table.old].iter().all(|g| g.values.len() <= 2 && g.index.len() <= 2)
        }));
    }

    #[test]
    fn a_value_moves_to_the_young_generation_even_when_that_is_full() {
        let mut table = Doubles::new(2);
        made(&mut table, &[1, 2, 3, 4]);
        assert_eq!(made(&mut table, &[1, 4, 3]), [], "1 was old");
    }

    #[test]
    fn errors_are_not_stored() {
        let mut table = Doubles::new(2);
        assert_eq!(table.get(7, 1, |_| Err("no")).unwrap_err(), "no");
        assert_eq!(made(&mut table, &[7]), [7]);
    }

    #[test]
    fn tags_stay_with_their_values() {
        let mut table = Doubles::new(2);
        made(&mut table, &[3, 6]);
        table.set_tag(&6, 9);
        assert_eq!([3, 5, 6].map(|key| table.tag(&key)), [Some(0), None, Some(9)]);
        made(&mut table, &[4]);
        let old = table.get(6, 1, |_| Err("made again")).unwrap();
        assert_eq!((old.tag, old.index), (9, 1));
        assert_eq!(table.tag(&3), None, "old");
        assert_eq!(table.values(), &[8, 12]);
    }
}
