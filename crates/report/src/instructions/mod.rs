//! Instructions by function, as exported and shown.

pub mod page;
pub mod sentences;
