//! Conversions of errors to failures, some of which come with a hint.

use std::io;
use std::path::Path;

use model::failure::Failure;

/// A file that cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}
