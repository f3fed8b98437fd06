//! Why a program costs what it costs.
//!
//! [`mode`] decides what is asked. A program of GHC's in source is found by [`subject`], in a cabal project by its [`components`], built by
//! [`building`] with a [`compiler`] in a [`workplace`], and run by [`running`]; [`sampling`] stops it to see which
//! libraries work for which of its functions; [`folder`] reads the
//! dumps of Core, those of that build or those that somebody has, and [`texts`] the source. The causes
//! of `ghc::causes` look at them, and `report::explanation` tells what they found;
//! [`proving`] tries what a [`remedy`] says. Of any native program [`instructions`] says which functions
//! execute how many ([`executed`] of one of GHC's, which bindings), and of one of SBCL's [`lisp`] what its compiler and its profiler say.

pub mod building;
pub mod compiler;
pub mod components;
pub mod executed;
pub mod folder;
pub mod instructions;
pub mod lisp;
pub mod mode;
pub mod proving;
pub mod remedy;
pub mod running;
pub mod sampling;
pub mod subject;
pub mod texts;
pub mod workplace;
