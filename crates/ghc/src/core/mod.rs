//! GHC's Core, as the compiler dumps it: read, examined, and printed again.
//!
//! Core is GHC's form of a program before it generates code; it shows the costs in time and memory:
//! closures, boxes, dictionaries, calls of unknown functions. GHC prints it for people, in a form
//! without a grammar: only the necessary brackets, names with any characters, and many parts left
//! out by flags. [`Dump::read`] reads that text of GHC 8.8 to 9.12.
//!
//! | file | contents |
//! |---|---|
//! | `tree`, `core` | the tree: nodes in arenas |
//! | `lexer`, `parser` and the parts of the grammar | from text to tree |
//! | `print` | from tree to text that reads as the same tree |
//! | `readable` | from tree to a few lines for people |
//! | `walk`, `scope`, `calls`, `size` | queries on a tree |
//! | `suppressed` | the parts of a dump removed by flags |
//!
//! Constructs and their forms were taken from the dumps of GHC 8.8.4, 9.0.2, 9.6.6 and 9.10.3, and
//! from the printer in GHC's sources (`GHC.Core.Ppr`).

mod attributes;
pub mod binders;
pub mod calls;
mod dump;
mod expressions;
mod lexer;
pub mod occurrence;
mod parser;
mod print;
pub mod readable;
mod same;
mod scope;
pub mod tree;
mod types;

pub use dump::Dump;
pub use parser::{Problem, Reason};
pub use readable::Readable;
pub use tree::Core;
