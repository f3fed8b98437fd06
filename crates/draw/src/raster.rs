//! Turns SVG into PNG with resvg. Letters are outlines of built-in fonts by then.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::check::DrawError;

/// Pixels of the PNG for each unit of the SVG: sharp on today's screens and on paper.
pub const PIXELS_PER_UNIT: f32 = 2.0;

/// The picture described by `svg`, as a PNG file.
///
/// # Errors
/// [`DrawError::Picture`] if it is not SVG, [`DrawError::Size`] if it is too large.
pub(crate) fn png(svg: &str) -> Result<Vec<u8>, DrawError> {
    let tree = Tree::from_str(svg, &Options::default()).map_err(DrawError::Picture)?;
    let size = tree.size();
    let pixels = |units: f32| (units * PIXELS_PER_UNIT).round() as u32;
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let too_large = || DrawError::Size { width, height };
    let mut picture = Pixmap::new(width, height).ok_or_else(too_large)?;
    let larger = Transform::from_scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
    resvg::render(&tree, larger, &mut picture.as_mut());
    picture.encode_png().map_err(|_| too_large())
}
