//! How maps of entities are stored: as their values in order.

pub mod map {
    use cranelift_entity::{EntityRef, PrimaryMap};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<K, V, S>(map: &PrimaryMap<K, V>, serializer: S) -> Result<S::Ok, S::Error>
    where
        K: EntityRef,
        V: Serialize,
        S: Serializer,
    {
        serializer.collect_seq(map.values())
    }

    pub fn deserialize<'de, K, V, D>(deserializer: D) -> Result<PrimaryMap<K, V>, D::Error>
    where
        K: EntityRef,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<V>::deserialize(deserializer)?.into_iter().collect())
    }
}
