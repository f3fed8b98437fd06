//! Explaining a file of Lisp with SBCL.

use std::path::Path;

use super::source::SourceOptions;
use crate::cli::holding;
use crate::cli::options::hold::HoldOptions;
use crate::explain::lisp::{self, LispError};
use crate::failure::Failure;
use crate::report::lisp::LispPart;
use crate::spec::duration;
use crate::spec::invocation::readable;

/// Asks SBCL.
pub(super) fn explanation(source: &SourceOptions, file: &Path) -> Result<LispPart, Failure> {
    let input = (source.input != "null").then(|| Path::new(&source.input));
    if let Some(path) = input {
        readable(path).map_err(|error| {
            Failure::new(format!("cannot read from `{}`", path.display())).caused_by(&error)
        })?;
    }
    let timeout = duration::parse(&source.timeout)
        .map_err(|error| Failure::new("bad `--timeout`").caused_by(&error))?;
    measure::interrupt::install()
        .map_err(|error| Failure::new("cannot watch for Ctrl-C").caused_by(&error))?;
    let held = holding::building(HoldOptions::default())?;
    let said = lisp::ask(file, input, Some(timeout)).map_err(|error| failure(&error))?;
    drop(held);
    Ok(LispPart::new(&file.display().to_string(), said))
}

fn failure(error: &LispError) -> Failure {
    let failure = Failure::from_error(error);
    match error {
        LispError::NoSbcl(_) => failure.hint(Some("install it (`apt-get install sbcl`)")),
        LispError::Ended { printed, .. } | LispError::NoReport { printed, .. } => {
            let failure = failure.because(format!("the last lines it printed:\n{printed}"));
            failure.hint(Some("the file must run to its end by itself: `sbcl --script FILE`"))
        }
        _ => failure,
    }
}
