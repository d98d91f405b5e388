//! Cache of facts about instruction encodings: two generations of bounded size.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::mem;

use rustc_hash::FxHasher;

/// Append-only storage of a generation's values.
pub trait InstructionStorage: Default {
    /// Number of values.
    fn len(&self) -> usize;

    /// Returns whether there are no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a copy of the value that another storage has at `index`.
    fn copy_from(&mut self, other: &Self, index: u32);

    /// Removes all values.
    fn clear(&mut self);
}

impl<T: Clone> InstructionStorage for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn copy_from(&mut self, other: &Self, index: u32) {
        self.push(other[index as usize].clone());
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// Values by encoding (see [`crate::raw_encoding`]), each with a tag that is read without touching the value.
///
/// New entries and hits move to the young generation. When that one is full, the old generation is dropped and the
/// young one becomes the old one.
#[derive(Debug)]
pub struct InstructionCache<S> {
    young: Generation<S>,
    old: Generation<S>,
    /// Most entries of one generation.
    capacity: usize,
}

/// The halves of an encoding: they hash faster than the whole.
type Key = (u64, u64);

fn key(encoding: u128) -> Key {
    (encoding as u64, (encoding >> 64) as u64)
}

/// Index of an encoding's value, and its tag.
#[derive(Clone, Copy, Debug)]
struct IndexAndTag {
    index: u32,
    tag: u8,
}

/// Values and the encodings they belong to. The memory of both is reused.
#[derive(Debug, Default)]
struct Generation<S> {
    entries: HashMap<Key, IndexAndTag, BuildHasherDefault<FxHasher>>,
    storage: S,
}

/// An entry of the cache.
#[derive(Debug)]
pub struct CachedInstruction<'a, S> {
    /// Storage of the value.
    pub storage: &'a mut S,
    /// The value's index in the storage.
    pub index: u32,
    /// The entry's tag; may be changed.
    pub tag: &'a mut u8,
}

impl<S: InstructionStorage> InstructionCache<S> {
    /// An empty cache of at most twice `capacity` entries.
    pub fn new(capacity: usize) -> InstructionCache<S> {
        InstructionCache { young: Generation::default(), old: Generation::default(), capacity }
    }

    /// The tag of `encoding` if it is in the young generation, else 0.
    pub fn tag(&self, encoding: u128) -> u8 {
        self.young.entries.get(&key(encoding)).map_or(0, |entry| entry.tag)
    }

    /// The entry of `encoding`. If there is none, `make` appends the value to the storage and returns the tag.
    ///
    /// # Errors
    /// The error of `make`, which must not have appended anything then.
    pub fn get<E>(
        &mut self,
        encoding: u128,
        make: impl FnOnce(&mut S) -> Result<u8, E>,
    ) -> Result<CachedInstruction<'_, S>, E> {
        if self.young.storage.len() >= self.capacity {
            mem::swap(&mut self.young, &mut self.old);
            self.young.entries.clear();
            self.young.storage.clear();
        }
        let key = key(encoding);
        let Generation { entries, storage } = &mut self.young;
        let IndexAndTag { index, tag } = match entries.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let tag = match self.old.entries.get(&key) {
                    Some(old) => {
                        storage.copy_from(&self.old.storage, old.index);
                        old.tag
                    }
                    None => make(storage)?,
                };
                entry.insert(IndexAndTag { index: storage.len() as u32 - 1, tag })
            }
        };
        Ok(CachedInstruction { storage, index: *index, tag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The encodings among these that were not in the cache.
    fn made(cache: &mut InstructionCache<Vec<u128>>, encodings: &[u128]) -> Vec<u128> {
        let mut made = Vec::new();
        for &encoding in encodings {
            let found = cache.get(encoding, |values| {
                made.push(encoding);
                values.push(encoding * 2);
                Ok::<_, ()>(encoding as u8 % 3)
            });
            let found = found.unwrap();
            assert_eq!((found.storage[found.index as usize], *found.tag), (encoding * 2, encoding as u8 % 3));
            assert_eq!(cache.tag(encoding), encoding as u8 % 3);
        }
        made
    }

    #[test]
    fn keeps_recently_used_entries() {
        let mut cache = InstructionCache::new(2);
        assert_eq!(made(&mut cache, &[1, 2, 1, 3, 1, 4, 1]), [1, 2, 3, 4]);
        assert_eq!(made(&mut cache, &[2]), [2], "not used recently");
        assert!((1..100).all(|encoding| {
            made(&mut cache, &[encoding]);
            cache.young.storage.len() <= 2 && cache.old.storage.len() <= 2
        }));
    }

    #[test]
    fn keeps_no_errors() {
        let mut cache: InstructionCache<Vec<u128>> = InstructionCache::new(2);
        assert_eq!(cache.get(7, |_| Err("no")).unwrap_err(), "no");
        assert_eq!(made(&mut cache, &[7]), [7]);
    }

    #[test]
    fn tags_stay_with_their_encodings() {
        let mut cache: InstructionCache<Vec<u128>> = InstructionCache::new(2);
        made(&mut cache, &[3]);
        let new = cache.get(6, |values| {
            values.push(12);
            Ok::<_, ()>(0)
        });
        *new.unwrap().tag = 9;
        assert_eq!([3, 5, 6].map(|encoding| cache.tag(encoding)), [0, 0, 9]);
        made(&mut cache, &[4]);
        let old = cache.get(6, |_| Err("made again")).unwrap();
        assert_eq!((*old.tag, old.index), (9, 1));
        assert_eq!(cache.tag(3), 0, "not used since");
    }
}
