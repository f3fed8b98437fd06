//! Why a program costs what it costs.
//!
//! [`mode`] decides what is asked. For programs of GHC's, [`folder`] reads the dumps of Core that are
//! there, the causes of `toolchains::ghc::causes` look at them, and `report::explanation` tells it.

pub mod folder;
pub mod mode;
