//! See [`page::sparkline`].

pub use page::sparkline::*;
