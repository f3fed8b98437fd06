//! Pairs of small programs, one with a cause of cost and one without it, as each GHC at hand compiled
//! and ran them (`make-samples`): the cause is found in the one, and not in the other.

mod matrix;
mod pages;
mod program;
