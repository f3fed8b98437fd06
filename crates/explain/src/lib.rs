//! The causes of a program's costs.
//!
//! [`mode`] decides which analysis is wanted. [`subject`] finds the source of a GHC program, in a
//! cabal project among its components. [`building`] builds it, and [`running`] runs it;
//! [`sampling`] stops it to see which libraries work for which of its functions. [`folder`] reads
//! the dumps of Core, from that build or from the user, and the texts of modules. The causes of
//! `ghc::causes` examine them; the findings are an [`explanation`], or a [`core_difference`];
//! [`proving`] tries a remedy. For any native program, [`instructions`] counts instructions by
//! function, and [`sampled`] samples their time where counting takes too long; for SBCL programs
//! [`lisp`] consults the compiler and the profiler.

pub mod building;
pub mod core_difference;
pub mod explanation;
pub mod folder;
pub mod instructions;
pub mod lisp;
pub mod mode;
pub mod proving;
pub mod running;
pub mod sampled;
pub mod sampling;
pub mod subject;
mod untimed;

model::failures_from! { building::WorkplaceError, proving::ProvingError }
model::failures_with_hints_from! { folder::FolderError, subject::SubjectError }
