//! `brisk report` and `brisk serve`: stored experiments as pages for a browser, in files or over
//! HTTP.

use std::path::{Path, PathBuf};

use clap::Args;
use configuration::StoreOptions;
use laboratory::archive;
use measure::{interrupt, parallel};
use model::failure::Failure;
use model::host::{self, identifying};
use model::spec::writable;
use prepare::written;
use report::html;
use report::site::{self, SiteFile};
use serve::{self, Door, Listen, Token};
use store::{ExperimentId, Filter, Store};

use super::output::{Output, unwritable};
use super::{Done, ExitCode};

/// Arguments of `brisk report`.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// The numbers of the experiments, as `brisk list` shows them [default: the newest]
    #[arg(value_name = "ID")]
    ids: Vec<i64>,
    /// The file to write; it needs nothing else, neither a server nor a network
    #[arg(short, long, value_name = "FILE.html", required_unless_present = "site")]
    output: Option<PathBuf>,
    /// Write a site of the histories of a project: a page for each benchmark, what changed lately, a
    /// feed and badges. Only files that changed are written
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "ids"])]
    site: Option<PathBuf>,
    /// The project of the site [default: the current folder]
    #[arg(long, value_name = "PATH", requires = "site")]
    project: Option<PathBuf>,
    #[command(flatten)]
    store: StoreOptions,
}

/// Writes the page, or the site.
pub(super) fn run(arguments: &ReportArguments, output: &Output) -> Done {
    match (&arguments.output, &arguments.site) {
        (Some(file), _) => page(arguments, file),
        (None, Some(folder)) => site(arguments, folder, output),
        (None, None) => unreachable!("the parser wants one of them"),
    }
}

fn page(arguments: &ReportArguments, file: &Path) -> Done {
    writable::check(file).map_err(|error| unwritable(file, &error))?;
    let store = archive::open_for_reading(&arguments.store.place()?)?;
    let ids = chosen(&arguments.ids, &store)?;
    let page = |id: &ExperimentId| -> Result<_, Failure> {
        let drawn = archive::page(&store, *id, u64::MAX)?;
        Ok((drawn.title, drawn.page))
    };
    let pages = ids.iter().map(page).collect::<Result<Vec<_>, Failure>>()?;
    let title = match pages.as_slice() {
        [(title, _)] => title.clone(),
        _ => format!("{} experiments", pages.len()),
    };
    written::write_text(file, &html::file(&title, &pages))
        .map_err(|error| unwritable(file, &error))?;
    Ok(ExitCode::Fine)
}

fn site(arguments: &ReportArguments, folder: &Path, output: &Output) -> Done {
    let project = arguments.project.as_deref().unwrap_or(Path::new("."));
    let cannot = |error: std::io::Error| {
        Failure::new(format!("cannot use the project `{}`", project.display())).caused_by(&error)
    };
    // Histories of a deleted folder are still stored.
    let project =
        project.canonicalize().or_else(|_| std::path::absolute(project)).map_err(cannot)?;
    let place = arguments.store.place()?;
    let store = archive::open_for_reading(&place)?;
    let histories = archive::newest_histories(&store, &project.to_string_lossy())?;
    if histories.is_empty() {
        return Err(Failure::new(format!("no history of `{}` is stored", project.display()))
            .hint(Some("`brisk history RANGE` measures one")));
    }
    let each: Vec<(String, (usize, usize))> = (histories.iter().enumerate())
        .flat_map(|(number, history)| {
            let names = history.names().into_iter().enumerate();
            names.map(move |(place, name)| (name, (number, place)))
        })
        .collect();
    // An SQLite connection belongs to one thread.
    let open = || archive::open_for_reading(&place);
    let files = site::files(&each, open, |store, (number, place)| {
        let store = store.as_ref().map_err(Failure::clone)?;
        histories[*number].own(store, *place)
    })?;
    let written = parallel::map(&files, |file| write_where_changed(folder, file));
    let written = written.into_iter().collect::<Result<Vec<bool>, Failure>>()?;
    let written = written.into_iter().filter(|is_written| *is_written).count();
    let (all, folder) = (files.len(), folder.display());
    output
        .data(&format!("{written} of {all} files in `{folder}` have changed\n"))
        .map(|()| ExitCode::Fine)
}

/// Writes a file of a site unless its content is unchanged. True if it was written.
fn write_where_changed(folder: &Path, SiteFile { path, text }: &SiteFile) -> Result<bool, Failure> {
    let path = folder.join(path);
    if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(false);
    }
    let beside = path.parent().unwrap_or(folder);
    std::fs::create_dir_all(beside)
        .and_then(|()| written::write_text(&path, text))
        .map_err(|error| unwritable(&path, &error))?;
    Ok(true)
}

/// The requested experiments, each once.
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

/// Arguments of `brisk serve`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brisk serve
  brisk serve --listen localhost:8080
  brisk serve --listen 0.0.0.0:8080")]
pub(super) struct ServeArguments {
    /// Where to listen [default: 127.0.0.1, at port 2747 or, if that is taken, any other]. Only this
    /// machine can reach the default; other addresses need a token. Nothing is encrypted
    #[arg(long, value_name = "HOST[:PORT]")]
    listen: Option<Listen>,
    /// What visitors have to know [default: none for this machine alone; otherwise one is drawn and
    /// printed]. Everyone who can list the processes of this machine can read it here
    #[arg(long, value_name = "TOKEN")]
    token: Option<Token>,
    #[command(flatten)]
    store: StoreOptions,
}

/// Serves until it is stopped.
pub(super) fn serve(arguments: &ServeArguments, output: &Output) -> Done {
    let place = arguments.store.place()?;
    // A file that is not a store is reported now; a missing store may appear later.
    drop(Store::open_existing(&place)?);
    let listen = arguments.listen.clone().unwrap_or_default();
    let cannot = |error: std::io::Error| {
        let place = listen.port.map_or_else(String::new, |port| format!(":{port}"));
        Failure::new(format!("cannot serve on `{}{place}`", listen.host)).caused_by(&error)
    };
    let listener = serve::bind(&listen).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let token = match &arguments.token {
        None if !address.ip().is_loopback() => Some(Token::drawn().map_err(cannot)?),
        given => given.clone(),
    };
    let [(_, name), ..] = identifying(&host::machine());
    let door = Door::new(address, &listen.host, name.as_deref(), token);
    interrupt::install().map_err(cannot)?;
    output.message(&format!("serving the store at `{}`; Ctrl-C ends it\n", place));
    output.data(&format!("{}\n", door.url(name.as_deref())))?;
    let stopped = || {
        // If signals cannot be waited for, the server stops right away.
        let _ = interrupt::wait();
    };
    serve::serve(listener, door, place, stopped).map_err(cannot)?;
    Ok(ExitCode::Fine)
}
