//! Pairs of small programs, one with a cause of cost and one without, as compiled and run by each
//! available GHC (`fixtures/ghc_causes`): the cause is found in the first, and not in the second.

mod matrix;
mod pages;
mod program;
