//! Explains a Lisp file with SBCL.

use std::path::Path;

use super::shared;
use crate::watcher::Watcher;
use configuration::SourceOptions;
use explain::lisp::{self, LispError};
use findings::explanation::LispExplanation;
use model::failure::{Failing, Failure};
use model::spec::duration;
use model::spec::invocation::readable;

/// Runs SBCL on the file.
pub(super) fn explanation(
    source: &SourceOptions,
    file: &Path,
    watcher: &mut dyn Watcher,
) -> Result<LispExplanation, Failure> {
    let input = (source.input != "null").then(|| Path::new(&source.input));
    if let Some(path) = input {
        readable(path).failing(format!("cannot read from `{}`", path.display()))?;
    }
    let timeout = duration::parse(&source.timeout).failing("bad `--timeout`")?;
    let held = shared(watcher)?;
    let said = lisp::ask(file, input, Some(timeout)).map_err(|error| failure(&error))?;
    drop(held);
    Ok(lisp::explanation(&file.display().to_string(), said))
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
