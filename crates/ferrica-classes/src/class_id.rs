//! The number of a class in its library.

use cranelift_entity::entity_impl;

/// A class known to a [`Library`](crate::Library). Dense, so it can index the maps of
/// `cranelift-entity`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(u32);

entity_impl!(ClassId, "class");
