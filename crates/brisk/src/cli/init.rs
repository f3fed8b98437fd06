//! `brisk init`: a `brisk.toml` for the project, filled in as far as the project is recognised.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use model::failure::Failure;
use model::spec::project::{FILE_NAME, written};
use prepare::seen_there;

use super::output::Output;
use super::{Done, ExitCode};

/// Arguments of `brisk init`.
#[derive(Debug, Args)]
#[command(after_help = "An existing brisk.toml is never changed.")]
pub(super) struct InitArguments {
    /// The folder of the project; the current one by default
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// Inspects the project, writes the file, and prints the next steps.
pub(super) fn run(arguments: &InitArguments, output: &Output) -> Done {
    let here = Path::new("");
    let named = arguments.project.as_deref().unwrap_or(here);
    let folder = if named == here { Path::new(".") } else { named };
    if !folder.is_dir() {
        return Err(Failure::new(format!("`{}` is not a folder", folder.display())));
    }
    let path = named.join(FILE_NAME);
    // Checked before the project is inspected; `create_new` decides in the end.
    if path.symlink_metadata().is_ok() {
        return Err(exists(&path));
    }
    let (seen, place) = seen_there(folder)?;
    let place = place.to_string_lossy();
    if let Some(known) = seen.recognised.as_ref().filter(|known| known.folder != place) {
        let up = "../".repeat(
            place.split('/').count() - known.folder.split('/').filter(|p| !p.is_empty()).count(),
        );
        let root = folder.join(up.trim_end_matches('/'));
        return Err(Failure::new(format!(
            "`{}` is a part of a {} project",
            folder.display(),
            known.system
        ))
        .because("what its build makes lies outside of it")
        .hint(Some(format!(
            "write the file where the project is built: `brisk init --project {}`",
            root.display()
        ))));
    }
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let written = written::file(&name, seen.recognised.as_ref());
    write(&path, &written.text)?;
    output.data(&format!(
        "wrote `{}`: {}\n\nnext: {}\n",
        path.display(),
        written.says,
        written.next
    ))?;
    Ok(ExitCode::Fine)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    match file.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists(path)),
        Err(error) => {
            Err(Failure::new(format!("cannot write `{}`", path.display())).caused_by(&error))
        }
    }
}

fn exists(path: &Path) -> Failure {
    Failure::new(format!("`{}` already exists, and is not changed", path.display()))
        .hint(Some("move it away to get a new one"))
}
