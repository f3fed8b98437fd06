//! Nodes in one growing array, identified by their indices.
//!
//! A dump of hundreds of megabytes has tens of millions of nodes. Arrays add no overhead for each,
//! and dropping them needs no recursion, however deeply the program was nested.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::Index;

/// The index of a node of type `T`.
pub struct Id<T>(NonZeroU32, PhantomData<fn() -> T>);

/// Adjacent nodes of type `T`.
pub struct List<T> {
    first: u32,
    length: u32,
    of: PhantomData<fn() -> T>,
}

/// All nodes of one type.
#[derive(Debug, Clone)]
pub struct Arena<T> {
    nodes: Vec<T>,
}

impl<T> Id<T> {
    fn at(place: usize) -> Self {
        let number = u32::try_from(place + 1).ok().and_then(NonZeroU32::new);
        Self(
            number.expect("a dump is shorter than 4 GiB, and every node takes a byte"),
            PhantomData,
        )
    }

    /// The index as a number, from 0.
    #[must_use]
    pub fn place(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl<T> List<T> {
    /// An empty list.
    pub const EMPTY: Self = Self { first: 0, length: 0, of: PhantomData };

    /// The number of its nodes.
    #[must_use]
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// True if it is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// The indices of its nodes.
    pub fn ids(self) -> impl DoubleEndedIterator<Item = Id<T>> + ExactSizeIterator {
        let first = self.first as usize;
        (first..first + self.len()).map(Id::at)
    }
}

impl<T> Arena<T> {
    /// Adds a node.
    pub fn add(&mut self, node: T) -> Id<T> {
        let id = Id::at(self.nodes.len());
        self.nodes.push(node);
        id
    }

    /// Adds nodes next to each other.
    pub fn add_all(&mut self, nodes: impl IntoIterator<Item = T>) -> List<T> {
        let first = self.nodes.len();
        self.nodes.extend(nodes);
        let length = self.nodes.len() - first;
        if length == 0 {
            return List::EMPTY;
        }
        // If the last index fits, the others do too.
        Id::<T>::at(self.nodes.len() - 1);
        let (first, length) = (first as u32, length as u32);
        List { first, length, of: PhantomData }
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The indices of all nodes.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id<T>> + ExactSizeIterator + use<T> {
        (0..self.nodes.len()).map(Id::at)
    }

    /// All nodes in the order in which they were added.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.nodes.iter()
    }

    /// The bytes allocated for the nodes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<T>()
    }

    /// Drops the nodes from this index on.
    pub(super) fn truncate(&mut self, length: usize) {
        self.nodes.truncate(length);
    }
}

impl<'a, T> IntoIterator for &'a Arena<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { nodes: Vec::new() }
    }
}

impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;

    fn index(&self, id: Id<T>) -> &T {
        &self.nodes[id.place()]
    }
}

impl<T> Index<List<T>> for Arena<T> {
    type Output = [T];

    fn index(&self, list: List<T>) -> &[T] {
        &self.nodes[list.first as usize..][..list.len()]
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Id<T> {}

impl<T> std::hash::Hash for Id<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}+{}", self.first, self.length)
    }
}
