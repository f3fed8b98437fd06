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
//! * [`axis`], [`spacing`]: the ranges of axes, their steps, and the labelled values.
//! * [`label`], [`text`]: pieces of text, their widths, and making them fit.
//! * [`shape`], `colour`: outlines, marks, and scales that also work without colour.
//! * `plot`, `legend`, `flags`, `names`, `column_labels`, `column_lines`: parts shared by layouts.
//! * `check`: the refusal of charts that contradict themselves.

pub mod axis;
pub mod chart;
pub mod columns;
pub mod flame;
pub mod forest;
pub mod label;
pub mod map;
pub mod points;
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
mod names;
mod plot;

pub use crate::chart::Key;
pub use crate::shape::Path;
pub use axis::{Axis, Estimate};
pub use chart::{Chart, Figure};
pub use check::DrawError;
pub use colour::Colour;
pub use label::{Label, Rect};
pub use scene::{Element, Group, STYLE, Scene};
pub use shape::Shape;
