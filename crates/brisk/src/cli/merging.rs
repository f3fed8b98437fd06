//! Imports experiments of other stores into this one: from a record, a store, or a folder of both.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use page::plain::plain;

use super::Done;
use super::exit::ExitCode;
use super::output::{Output, note};
use laboratory::archive::{self, Before, Merged, Received};
use model::failure::Failure;
use store::record::stream;
use store::{Place, Store};

/// The magic bytes of a SQLite file (<https://www.sqlite.org/fileformat.html#magic_header_string>).
const SQLITE: &[u8] = b"SQLite format 3\0";

/// The kind of a file with experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A record.
    Record,
    /// A store.
    Store,
}

impl Form {
    /// The kind of a file at its beginning, without consuming input. None if it is something else.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(super) fn recognise(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let beginning = input.fill_buf()?;
        Ok(match beginning {
            _ if beginning.starts_with(stream::MARK.as_bytes()) => Some(Self::Record),
            _ if beginning.starts_with(SQLITE) => Some(Self::Store),
            _ => None,
        })
    }
}

/// Imports all experiments of the file at `path`, which is open as `input`, and prints their new
/// numbers.
pub(super) fn take(
    store: &mut Store,
    form: Form,
    path: &Path,
    input: impl BufRead,
    output: &Output,
) -> Done {
    match form {
        Form::Record => tell(&archive::import_record(store, input)?, output),
        Form::Store => take_store(store, path, output),
    }
}

fn take_store(store: &mut Store, path: &Path, output: &Output) -> Done {
    if is_file_of(store, path) {
        return Err(Failure::new(format!("`{}` is the store to import into", path.display()))
            .hint(Some("`--store FILE` names another one")));
    }
    let from = archive::open_for_reading(&path.into())?;
    let Merged { received, left_out } = archive::import_store(store, &from)?;
    left_out.iter().for_each(|why| note(&format!("left out: {why}")));
    tell(&received, output)
}

/// Imports the experiments of all files of a folder.
pub(super) fn take_folder(store: &mut Store, folder: &Path, output: &Output) -> Done {
    let unreadable = |error: io::Error| unreadable(folder, &error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let entries = entries.collect::<io::Result<Vec<_>>>().map_err(unreadable)?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    paths.retain(|path| path.is_file() && !is_file_of(store, path));
    let mut others = 0;
    let mut is_empty = true;
    for path in paths {
        let cannot =
            |failure: Failure| failure.within(&format!("cannot import `{}`", path.display()));
        let cannot_read = |error: io::Error| self::unreadable(&path, &error);
        let mut input = BufReader::new(File::open(&path).map_err(cannot_read)?);
        match Form::recognise(&mut input).map_err(cannot_read)? {
            Some(form) => take(store, form, &path, input, output).map_err(cannot)?,
            None => {
                others += 1;
                continue;
            }
        };
        is_empty = false;
    }
    if is_empty {
        return Err(Failure::new(format!("there is nothing to import in `{}`", folder.display()))
            .because("none of its files is a record or a store")
            .hint(Some("`brisk export --all --export-record FILE` writes a record")));
    }
    if others > 0 {
        note(&format!("left out: {others} other files of `{}`", folder.display()));
    }
    Ok(ExitCode::Fine)
}

/// True if the path leads to the store's own file, under any name.
fn is_file_of(store: &Store, path: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    match store.place() {
        Place::File(own) => real(path).is_some_and(|path| real(own) == Some(path)),
        #[cfg(feature = "postgres")]
        Place::Server(_) => false,
    }
}

/// A file that cannot be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot read `{}`", path.display())).caused_by(error)
}

/// Prints the numbers under which experiments were imported.
pub(super) fn tell(received: &[Received], output: &Output) -> Done {
    let told = |one: &Received| {
        let before = match one.before {
            Before::Nothing => "",
            Before::Part => ", of which a part was there already",
            Before::All => ", which was there already",
        };
        let identity = &one.identity;
        format!("experiment {}: {} {}{before}\n", one.id, identity.kind, plain(&identity.title))
    };
    output.data(&received.iter().map(told).collect::<String>())?;
    Ok(ExitCode::Fine)
}
