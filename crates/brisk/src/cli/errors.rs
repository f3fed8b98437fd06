//! Conversions of errors to failures, some of which come with a hint.

use std::io;
use std::path::Path;

use crate::failure::Failure;
use crate::{explain, judge, metric, prepare, report, run, spec, tune};

/// A file that cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}

macro_rules! told {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::from_error(&error)
            }
        })+
    };
}

macro_rules! told_with_a_way_out {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::from_error(&error).hint(error.hint())
            }
        })+
    };
}

impl From<run::suite::listing::ListingError> for Failure {
    fn from(error: run::suite::listing::ListingError) -> Self {
        let failure = Self::from_error(&error).hint(error.hint());
        match error.last_lines() {
            Some(lines) => failure.because(format!("its last lines:\n{lines}")),
            None => failure,
        }
    }
}

told! {
    measure::LauncherError,
    measure::StartError,
    measure::tool::ToolError,
    explain::proving::ProvingError,
    explain::workplace::WorkplaceError,
    metric::MetricError,
    report::export::ExportError,
    super::options::LimitError,
    tune::NotAsked,
    tune::SearchError,
    tune::SpaceError,
}

told_with_a_way_out! {
    explain::folder::FolderError,
    explain::subject::SubjectError,
    judge::acceptance::AcceptanceError,
    prepare::BuildError,
    prepare::CacheError,
    prepare::GitError,
    prepare::RangeError,
    run::instrument::InstrumentError,
    spec::invocation::CommandError,
    spec::own_metric::MeasureError,
    spec::project::ProjectFileError,
    spec::suite::BaselineError,
    spec::suite::SuiteError,
    super::options::StoppingError,
    super::options::SweepError,
}
