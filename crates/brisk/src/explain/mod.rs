//! Why a program costs what it costs.
//!
//! [`mode`] decides what is asked. For programs of GHC's, [`folder`] reads the dumps of Core that are
//! there, the causes of `toolchains::ghc::causes` look at them, and `report::explanation` tells it. Of
//! any native program, [`instructions`] says which functions execute how many.

pub mod folder;
pub mod instructions;
pub mod mode;
