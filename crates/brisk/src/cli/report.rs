//! `brisk report`: stored experiments as a page for a browser.

use std::path::{Path, PathBuf};

use clap::Args;

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use crate::archive;
use crate::cli::options::store::StoreOptions;
use crate::failure::Failure;
use crate::report::html;
use crate::spec::writable;
use crate::store::{ExperimentId, Filter, Store};

/// Arguments of `brisk report`.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// The numbers of the experiments, as `brisk list` shows them [default: the newest]
    #[arg(value_name = "ID")]
    ids: Vec<i64>,
    /// The file to write; it needs nothing else, neither a server nor a network
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    #[command(flatten)]
    store: StoreOptions,
}

/// Writes the page.
pub(super) fn run(arguments: &ReportArguments, output: &Output) -> Done {
    let file = &arguments.output;
    writable::check(file).map_err(|error| unwritable(file, &error))?;
    let store = archive::open_for_reading(&arguments.store.path()?)?;
    let ids = chosen(&arguments.ids, &store)?;
    let pages: Result<Vec<_>, Failure> =
        ids.iter().map(|id| archive::page(&store, *id, &format!("of-{id}"))).collect();
    let pages = pages?;
    let title = match pages.as_slice() {
        [(title, _)] => title.clone(),
        _ => format!("{} experiments", pages.len()),
    };
    writable::write_text(file, &html::file(&title, &pages))
        .map_err(|error| unwritable(file, &error))?;
    output.message(&format!("wrote `{}`\n", file.display()));
    Ok(ExitCode::Fine)
}

/// The experiments that are asked for, each once.
fn chosen(ids: &[i64], store: &Store) -> Result<Vec<ExperimentId>, Failure> {
    let mut chosen: Vec<ExperimentId> = Vec::new();
    for id in ids.iter().copied().map(ExperimentId) {
        if !chosen.contains(&id) {
            chosen.push(id);
        }
    }
    if chosen.is_empty() {
        let newest = store.list(&Filter::newest(1))?;
        let none = || {
            Failure::new("nothing is stored yet")
                .hint(Some("`brisk compare` stores what it measures"))
        };
        chosen.push(newest.first().ok_or_else(none)?.id);
    }
    Ok(chosen)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}
