//! Boxes: the constructors that GHC puts around machine words.

use crate::core::Core;
use crate::core::arena::Id;
use crate::core::names::Name;
use crate::core::occurrence::{module, occurrence};
use crate::core::tree::Type;

/// The constructors.
pub(super) static BOXES: [&str; 13] =
    ["I#", "W#", "C#", "D#", "F#", "I8#", "I16#", "I32#", "I64#", "W8#", "W16#", "W32#", "W64#"];

/// The types of the constructors, in the same order.
const TYPES: [&str; 13] = [
    "Int", "Word", "Char", "Double", "Float", "Int8", "Int16", "Int32", "Int64", "Word8", "Word16",
    "Word32", "Word64",
];

/// A type of numbers in boxes: its index in [`BOXES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Boxed(usize);

impl Boxed {
    /// The type of a constructor.
    pub(super) fn by(core: &Core, constructor: Name) -> Option<Self> {
        let name = core.text(constructor);
        let is_of_ghc = module(name).is_none_or(|from| from.starts_with("GHC."));
        BOXES.iter().position(|it| *it == occurrence(name)).filter(|_| is_of_ghc).map(Self)
    }

    /// The boxed type for a type, if it is one.
    pub(super) fn of_type(core: &Core, it: Id<Type>) -> Option<Self> {
        let Type::Name(name) = core.types[it] else { return None };
        let name = occurrence(core.text(name));
        TYPES.iter().position(|it| *it == name).map(Self)
    }

    /// Its name in the source.
    pub(super) fn name(self) -> &'static str {
        TYPES[self.0]
    }

    /// Its constructor, as a list of one.
    pub(super) fn constructor(self) -> &'static [&'static str] {
        &BOXES[self.0..=self.0]
    }
}
