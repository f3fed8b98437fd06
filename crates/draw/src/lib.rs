//! Charts as SVG and PNG: a scene of typed elements, and layouts over it.
//!
//! A layout decides from plain data where everything is, and makes a [`Scene`] of it: outlines, text
//! of known width, groups with tooltips and links. The scene writes itself as SVG, which follows the
//! reader's light or dark colours, and as PNG, with fonts that are built in. [`Chart`] stacks figures
//! below a heading and above a legend: panels over named columns ([`columns`]), points and curves in
//! panels over one axis ([`points`]), maps of coloured cells ([`map`]), runs in their order ([`runs`]),
//! ratios against a line ([`forest`]). [`flame`] draws stacks.
//!
//! The crate knows nothing of experiments: what is drawn, and in which words, is decided in `brisk`.

pub mod axis;
pub mod badge;
pub mod chart;
pub mod columns;
pub mod flame;
pub mod forest;
pub mod label;
pub mod map;
pub mod path;
pub mod points;
pub mod raster;
pub mod runs;
pub mod scene;
pub mod shape;
pub mod spacing;
pub mod text;

mod check;
mod colour;
mod column_labels;
mod column_lines;
mod flags;
mod legend;
mod names;
mod plot;
mod svg;

pub use axis::{Axis, Estimate};
pub use chart::{Chart, Figure};
pub use check::DrawError;
pub use colour::Colour;
pub use label::{Label, Rect};
pub use legend::Key;
pub use path::Path;
pub use scene::{Element, Group, STYLE, Scene};
pub use shape::Shape;
