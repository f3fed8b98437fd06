//! What is shown: one [`document::Document`], and the formats it is written in.

pub mod assemble;
pub mod document;

pub mod csv;
pub mod expectations;
pub mod export;
pub mod graph;
pub mod history;
pub mod hyperfine;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod progress;
pub mod quantity;
pub mod sparkline;
pub mod table;
pub mod terminal;
pub mod words;
