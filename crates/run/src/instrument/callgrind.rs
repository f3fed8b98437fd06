//! Counters from callgrind: instructions by function and line, from separate runs.
//!
//! Names stay as the program has them (`--demangle=no`): valgrind knows fewer schemes than
//! `toolchains::symbol`, and cuts off marks that are needed.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use measure::CommandLine;
use toolchains::callgrind::{Agreement, CallgrindError, Profile, Reader};

use super::{InstrumentError, Scratch, scratch_folder};

/// The size of the pieces in which files are read.
const PIECE_BYTES: usize = 1 << 20;

/// The number of callers by which stacks are distinguished. Callgrind accepts any number; few
/// programs have stacks that differ only beyond it, and deep recursion counts as one.
pub const STACK_DEPTH: u32 = 24;

/// Callgrind, ready to wrap a command.
#[derive(Debug)]
pub struct Callgrind {
    valgrind: PathBuf,
    /// The folder for the output files of the run in flight, one for each process; removed at the
    /// end.
    folder: Scratch,
}

/// The key by which functions are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// By name.
    Functions,
    /// By name and the names of their callers, up to [`STACK_DEPTH`].
    Stacks,
}

/// The reason why a profile cannot be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProfileError {
    #[error("cannot read `{path}`")]
    File { path: PathBuf, source: std::io::Error },
    #[error("cannot read `{path}` as a profile of callgrind")]
    Profile { path: PathBuf, source: CallgrindError },
    #[error("callgrind wrote no profile")]
    Nothing,
    #[error("callgrind's profile of `{command}` is cut off")]
    CutOff { command: String },
}

impl Callgrind {
    /// Finds valgrind and makes a folder for its output.
    ///
    /// # Errors
    ///
    /// When valgrind is missing, or no folder can be made.
    pub fn new() -> Result<Self, InstrumentError> {
        let path = std::env::var_os("PATH");
        let valgrind = measure::resolve_program("valgrind".as_ref(), None, path.as_deref())
            .map_err(InstrumentError::NoValgrind)?;
        Ok(Self { valgrind, folder: scratch_folder()? })
    }

    /// `command` under callgrind, with its children.
    pub fn command(&self, command: &CommandLine, detail: Detail) -> CommandLine {
        let mut output = OsString::from("--callgrind-out-file=");
        output.push(self.folder.path().join("%p"));
        let mut argv = vec![self.valgrind.clone().into_os_string()];
        let options = ["--tool=callgrind", "--demangle=no", "--vgdb=no", "--quiet"];
        argv.extend(options.map(OsString::from));
        argv.push("--trace-children=yes".into());
        if detail == Detail::Stacks {
            argv.push(format!("--separate-callers={STACK_DEPTH}").into());
        }
        argv.push(output);
        argv.push("--".into());
        argv.push(command.program.clone().into_os_string());
        argv.extend(command.argv.iter().skip(1).cloned());
        CommandLine { argv, program: self.valgrind.clone(), ..command.clone() }
    }

    /// Reads the profiles of all processes of the run that just ended, and empties the folder.
    ///
    /// # Errors
    ///
    /// When there are none, or one cannot be read or is cut off.
    pub fn take_profiles(&self) -> Result<Vec<Profile>, ProfileError> {
        let unreadable =
            |source| ProfileError::File { path: self.folder.path().to_owned(), source };
        let entries: Result<Vec<_>, _> =
            std::fs::read_dir(self.folder.path()).map_err(unreadable)?.collect();
        let mut paths: Vec<PathBuf> =
            entries.map_err(unreadable)?.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        let profiles: Vec<_> = paths.iter().map(|path| read(path, None)).collect();
        for path in &paths {
            std::fs::remove_file(path).map_err(unreadable)?;
        }
        let profiles = profiles.into_iter().collect::<Result<Vec<_>, _>>()?;
        let is_cut_off = |it: &&Profile| it.agreement() == Agreement::NotStated;
        if let Some(profile) = profiles.iter().find(is_cut_off) {
            return Err(ProfileError::CutOff { command: profile.command.clone() });
        }
        if profiles.is_empty() { Err(ProfileError::Nothing) } else { Ok(profiles) }
    }
}

/// Reads a callgrind file: the costs of `event`, or of instructions.
///
/// # Errors
///
/// When it cannot be read or is not a callgrind file.
pub fn read(path: &Path, event: Option<&str>) -> Result<Profile, ProfileError> {
    let unreadable = |source| ProfileError::File { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut reader = Reader::new(event);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece).map_err(unreadable)? {
            0 => break,
            length => reader.take(&piece[..length]),
        }
    }
    reader.finish().map_err(|source| ProfileError::Profile { path: path.to_owned(), source })
}
