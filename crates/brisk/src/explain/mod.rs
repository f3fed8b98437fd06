//! Why a program costs what it costs.
//!
//! [`mode`] decides what is asked. A program of GHC's in source is found by [`subject`], built by
//! [`building`] with a [`compiler`] in a [`workplace`], and run by [`running`]; [`folder`] reads the
//! dumps of Core, those of that build or those that somebody has, and [`texts`] the source. The causes
//! of `toolchains::ghc::causes` look at them, and `report::explanation` tells what they found.
//! [`proving`] tries what a [`remedy`] says.

pub mod building;
pub mod compiler;
pub mod folder;
pub mod mode;
pub mod proving;
pub mod remedy;
pub mod running;
pub mod subject;
pub mod texts;
pub mod workplace;
