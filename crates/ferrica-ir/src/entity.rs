//! Numbers of things with room for "none": an `Option` of such a number takes no more memory than the number.

/// Gives a tuple of a `NonZeroU32` the methods that `cranelift_entity::entity_impl` gives a tuple of a `u32`: the number and one is kept. It
/// is stored, hashed and printed as the number itself.
macro_rules! entity_with_room {
    ($entity:ident, $prefix:expr) => {
        impl $entity {
            #[inline]
            pub fn from_u32(number: u32) -> $entity {
                debug_assert!(number < u32::MAX - 1);
                $entity(std::num::NonZeroU32::MIN.saturating_add(number))
            }

            #[inline]
            pub fn as_u32(self) -> u32 {
                self.0.get() - 1
            }
        }

        impl cranelift_entity::EntityRef for $entity {
            #[inline]
            fn new(index: usize) -> $entity {
                $entity::from_u32(index as u32)
            }

            #[inline]
            fn index(self) -> usize {
                self.as_u32() as usize
            }
        }

        impl cranelift_entity::packed_option::ReservedValue for $entity {
            #[inline]
            fn reserved_value() -> $entity {
                $entity(std::num::NonZeroU32::MAX)
            }

            #[inline]
            fn is_reserved_value(&self) -> bool {
                self.0 == std::num::NonZeroU32::MAX
            }
        }

        impl std::hash::Hash for $entity {
            #[inline]
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.as_u32().hash(state);
            }
        }

        impl std::fmt::Display for $entity {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.as_u32())
            }
        }

        impl std::fmt::Debug for $entity {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }

        impl serde::Serialize for $entity {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                // By its name, as a derived form has it: what writes a model may ask which numbers are ids.
                to.serialize_newtype_struct(stringify!($entity), &self.as_u32())
            }
        }

        impl<'de> serde::Deserialize<'de> for $entity {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$entity, D::Error> {
                let number = u32::deserialize(from)?;
                match number < u32::MAX - 1 {
                    true => Ok($entity::from_u32(number)),
                    false => Err(serde::de::Error::custom("a number without a thing")),
                }
            }
        }
    };
}

pub(crate) use entity_with_room;

#[cfg(test)]
mod tests {
    use cranelift_entity::packed_option::{PackedOption, ReservedValue};
    use cranelift_entity::{EntityRef, SecondaryMap};

    use crate::{ExprId, VarId};

    #[test]
    fn none_takes_no_room_and_numbers_are_kept() {
        assert_eq!(size_of::<Option<ExprId>>(), 4);
        for number in [0, 1, 77, u32::MAX - 2] {
            let v = VarId::from_u32(number);
            assert_eq!((v.as_u32(), v.index()), (number, number as usize));
            assert!(!v.is_reserved_value());
            assert_eq!(PackedOption::from(v).expand(), Some(v));
        }
        assert_eq!(PackedOption::<VarId>::default().expand(), None);
        let mut map: SecondaryMap<VarId, u8> = SecondaryMap::new();
        map[VarId::from_u32(3)] = 1;
        assert_eq!(map.keys().count(), 4);
        assert_eq!(format!("{}", ExprId::from_u32(7)), "e7");
    }
}
