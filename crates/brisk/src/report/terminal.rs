//! Sentences on a terminal.

pub(crate) use page::text::wrap;
