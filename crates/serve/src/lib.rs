//! The stored experiments as pages over HTTP, for the whole store.
//!
//! `door` decides about access, and `asked` parses the request; `answer` reads from the store, and
//! `pages` makes the page. `server` handles connections and their limits. This module measures
//! nothing, and stores nothing that comes over the network.

mod answer;
mod asked;
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
