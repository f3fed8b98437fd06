//! GHC's Core, as the compiler dumps it: read, and examined.
//!
//! Core is GHC's form of a program before it generates code; it shows the costs in time and memory:
//! closures, boxes, dictionaries, calls of unknown functions. GHC prints it for people, in a form
//! without a grammar: only the necessary brackets, names with any characters, and many parts left
//! out by flags. [`Dump::read`] reads that text of GHC 8.8 to 9.12.
//!
//! Constructs and their forms were taken from the dumps of GHC 8.8.4, 9.0.2, 9.6.6 and 9.10.3, and
//! from the printer in GHC's sources (`GHC.Core.Ppr`).

mod binders;
pub mod calls;
pub mod dump;
mod expressions;
pub mod names;
mod parser;
pub mod readable;
pub mod tree;
mod types;

pub use dump::Dump;
pub use parser::{Problem, Reason};
pub use readable::Readable;
pub use tree::Core;
