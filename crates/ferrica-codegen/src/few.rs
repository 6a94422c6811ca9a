//! A map that is filled and emptied once for each of many expressions, most of which are small: its entries are looked through one by one
//! while they are few, and hashed from then on.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// So many entries are looked through.
const FEW: usize = 16;
/// Emptying a hash map costs its capacity: after a huge expression it is made anew.
const KEPT_CAPACITY: usize = 1024;

/// See the module comment.
pub struct FewMap<K, V> {
    list: Vec<(K, V)>,
    /// All entries, as soon as there are more than a few.
    hashed: FxHashMap<K, V>,
}

impl<K, V> Default for FewMap<K, V> {
    fn default() -> FewMap<K, V> {
        FewMap {
            list: Vec::new(),
            hashed: FxHashMap::default(),
        }
    }
}

impl<K: Copy + Eq + Hash, V: Copy> FewMap<K, V> {
    #[inline]
    pub fn get(&self, key: &K) -> Option<V> {
        if self.hashed.is_empty() {
            return self.list.iter().find(|e| e.0 == *key).map(|e| e.1);
        }
        self.hashed.get(key).copied()
    }

    #[inline]
    pub fn contains(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    #[inline]
    pub fn insert(&mut self, key: K, value: V) {
        if !self.hashed.is_empty() {
            self.hashed.insert(key, value);
            return;
        }
        if let Some(entry) = self.list.iter_mut().find(|e| e.0 == key) {
            entry.1 = value;
        } else if self.list.len() < FEW {
            self.list.push((key, value));
        } else {
            self.hashed.extend(self.list.drain(..));
            self.hashed.insert(key, value);
        }
    }

    #[inline]
    pub fn clear(&mut self) {
        self.list.clear();
        if self.hashed.capacity() > KEPT_CAPACITY {
            self.hashed = FxHashMap::default();
        } else if !self.hashed.is_empty() {
            self.hashed.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_entries_are_found() {
        let mut map = FewMap::default();
        for round in 0..3 {
            for count in [1, 16, 17, 3000] {
                map.clear();
                for k in 0..count {
                    assert!(!map.contains(&k));
                    map.insert(k, 0);
                    map.insert(k, k + round);
                }
                let found = (0..count).filter(|k| map.get(k) == Some(k + round));
                assert_eq!(found.count() as i32, count);
                assert_eq!(map.get(&count), None);
            }
        }
    }
}
