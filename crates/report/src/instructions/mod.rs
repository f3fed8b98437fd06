//! Instructions by function, as exported and shown.

pub mod document;
pub mod page;
pub mod sentences;
pub mod stacks;
