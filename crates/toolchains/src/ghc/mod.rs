//! What programs compiled by GHC, the Haskell compiler, are and say.

pub mod executable;
pub mod statistics;
