//! Instructions by function: what is exported and shown.

pub mod document;
pub mod markdown;
pub mod sentences;
pub mod terminal;
