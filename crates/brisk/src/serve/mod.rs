//! The stored experiments as pages over HTTP, for the whole store.
//!
//! `door` decides who may come in, `asked` what is wanted; `answer` reads it from the store, and
//! `pages` says it. `server` is the edge: connections with their limits. Nothing here measures, and
//! nothing that comes over the network is stored.

mod answer;
mod asked;
mod body;
mod door;
mod events;
mod html;
mod listen;
mod pages;
mod server;
mod stores;

pub use door::{Door, Token, TokenError};
pub use listen::{Listen, bind};
pub use server::serve;
