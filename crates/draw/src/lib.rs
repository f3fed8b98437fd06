//! Charts as SVG and PNG: a scene of typed elements, and layouts over it.
//!
//! A layout turns plain data into a [`Scene`] with all positions: outlines, text of known width,
//! groups with tooltips and links. The scene writes itself as SVG, which follows the reader's light
//! or dark colours, and as PNG, with built-in fonts.
//!
//! The crate does not know experiments: `brisk` decides the contents and the words.
//!
//! Layouts:
//!
//! * [`chart`]: a [`Chart`], figures below each other, with a heading above and a legend below.
//! * [`columns`]: panels over named columns.
//! * [`points`]: points and curves in panels over one axis.
//! * [`runs`]: runs in their order, and the distribution of their values.
//! * [`forest`]: ratios with their intervals, against one line.
//! * [`map`]: coloured cells over two rows of values.
//! * [`flame`]: stacks as boxes.
//!
//! Below them:
//!
//! * [`scene`]: the elements of a picture, in their positions; written as SVG and PNG.
//! * [`axis`]: the ranges of axes, their steps, and the labelled values.
//! * [`text`]: pieces of text, their widths, and making them fit.
//! * [`shape`]: outlines, marks, and colours that are distinct for all readers.
//! * `plot`: the parts that panels share.

pub mod axis;
pub mod chart;
pub mod columns;
pub mod flame;
pub mod forest;
pub mod map;
pub mod points;
pub mod runs;
pub mod scene;
pub mod shape;
pub mod text;

mod plot;

pub use axis::{Axis, Estimate};
pub use chart::{Chart, Figure, Key};
pub use scene::{DrawError, Element, Group, STYLE, Scene};
pub use shape::{Colour, Path, Shape};
pub use text::{Label, Rect};
