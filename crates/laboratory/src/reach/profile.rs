//! The code that a run executes, counted by callgrind once and kept beside the artefacts.
//!
//! A kept profile is used again for the same program, command and input: the files that a command
//! names count with their size and time of change, and so do the libraries that the run loaded.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use explain::instructions::profiling::Profiling;
use judge::reach::{ExecutedCode, Unfollowed};
use measure::clock::Stopwatch;
use measure::{Launcher, Stdin};
use model::spec::{Experiment, Invocation};
use prepare::{Cache, command_words, written};
use run::instrument::valgrind::{Callgrind, Detail};
use serde::{Deserialize, Serialize};
use toolchains::callgrind::Profile;
use toolchains::code_equality::may_be_nameless;

use super::{ProgramSide, real};

/// Callgrind's word for code that is in no file that it knows.
const NO_FILE: &str = "???";

/// The folder of the profiles in the cache.
const FOLDER: &str = "profiles";

/// The inherited variables that change which code runs, as far as the loader and the C library go.
const VARIABLES: [&str; 6] =
    ["GLIBC_TUNABLES", "LANG", "LC_ALL", "LD_BIND_NOW", "LD_LIBRARY_PATH", "LD_PRELOAD"];

/// The executed code of a run, by the file that it is in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct RunProfile {
    pub(super) objects: BTreeMap<String, ObjectProfile>,
}

/// The executed code of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct ObjectProfile {
    /// The state of the file, by which a change of it is noticed.
    state: Option<FileState>,
    /// The symbols.
    pub(super) symbols: BTreeSet<String>,
    /// The lines, by source file.
    lines: BTreeMap<String, BTreeSet<u64>>,
}

/// The state of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FileState {
    path: PathBuf,
    bytes: u64,
    changed_ns: i64,
    inode: u64,
}

impl FileState {
    fn of_file(path: &Path) -> Option<Self> {
        let facts = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let changed_ns = facts.ctime().saturating_mul(1_000_000_000) + facts.ctime_nsec();
        Some(Self { path: path.to_owned(), bytes: facts.len(), changed_ns, inode: facts.ino() })
    }
}

impl RunProfile {
    fn from_profiles(profiles: &[Profile]) -> Self {
        let mut this = Self::default();
        for profile in profiles {
            for line in &profile.lines {
                let function = &profile.functions[line.function as usize];
                let path = profile.object(function.object);
                let object = this.objects.entry(path.to_owned()).or_default();
                if !object.symbols.contains(profile.name(function.name)) {
                    object.symbols.insert(profile.name(function.name).to_owned());
                }
                if line.line > 0 {
                    let file = profile.file(line.file).to_owned();
                    object.lines.entry(file).or_default().insert(line.line);
                }
            }
        }
        for (path, object) in &mut this.objects {
            object.state = FileState::of_file(Path::new(path));
        }
        this
    }

    /// The files with executed code.
    pub(super) fn files(&self) -> impl Iterator<Item = (&String, &ObjectProfile)> {
        self.objects.iter().filter(|(path, _)| *path != NO_FILE)
    }

    /// True if all executed code is in files, and not made while the program runs.
    pub(super) fn is_all_in_files(&self) -> bool {
        let contents = || self.files().map(|(path, _)| fs::read(path).ok());
        let Some(contents) = contents().collect::<Option<Vec<Vec<u8>>>>() else { return false };
        let nameless = self.objects.get(NO_FILE);
        let is_known = |name: &String| {
            let address = name.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
            let files = contents.iter().map(Vec::as_slice);
            address.is_some_and(|it| it.is_ok_and(|address| may_be_nameless(address, files)))
        };
        nameless.is_none_or(|object| object.symbols.iter().all(is_known))
    }

    /// The code in a program, or in the programs of a folder.
    pub(super) fn code_of(&self, program: &Path) -> ExecutedCode {
        let program = real(program);
        let mut code = ExecutedCode::default();
        for (path, object) in &self.objects {
            if real(Path::new(path)).starts_with(&program) {
                code.symbols.extend(object.symbols.iter().cloned());
                for (file, lines) in &object.lines {
                    code.lines.entry(file.clone()).or_default().extend(lines);
                }
            }
        }
        code
    }

    /// True if all files are as they were when the profile was made.
    fn is_current(&self) -> bool {
        let is_same = |(path, object): (&String, &ObjectProfile)| {
            object.state == FileState::of_file(Path::new(path))
        };
        self.objects.iter().all(is_same)
    }
}

/// Everything that determines which code a run executes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunKey {
    /// The words of the command, with a placeholder for the program.
    words: Vec<String>,
    environment: Vec<(String, Option<String>)>,
    folder: Option<PathBuf>,
    input: Option<FileState>,
    named: Vec<FileState>,
}

impl RunKey {
    /// The key; `None` if the run may depend on something else.
    fn new(run: &Invocation, program: &ProgramSide, scratch: &Path) -> Option<Self> {
        let path = program.path.to_string_lossy();
        let scratch = scratch.to_string_lossy();
        let plain = |text: &OsString| {
            text.to_string_lossy().replace(&*path, "{artifact}").replace(&*scratch, "{scratch}")
        };
        let words: Vec<String> = run.argv.iter().map(plain).collect();
        let folder = run.cwd.clone().or_else(|| std::env::current_dir().ok());
        let input = match &run.stdin {
            Stdin::Null => None,
            Stdin::File(path) => Some(FileState::of_file(path)?),
            Stdin::Inherit => return None,
        };
        let mut named = Vec::new();
        for word in words.iter().flat_map(|word| command_words(word)) {
            let path = folder.as_ref().map_or_else(|| word.into(), |folder| folder.join(word));
            if path.is_dir() {
                return None;
            }
            named.extend(FileState::of_file(&path));
        }
        let set = run.env.iter().map(|(name, value)| (plain(name), value.as_ref().map(plain)));
        let inherited = VARIABLES.map(|name| (name.to_owned(), std::env::var(name).ok()));
        let environment = set.chain(inherited).collect();
        Some(Self { words, environment, folder, input, named })
    }
}

/// A profile with its key, as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    brisk_version: String,
    key: RunKey,
    profile: RunProfile,
}

/// Makes profiles, and keeps them.
pub(super) struct Profiler<'a> {
    /// The time that callgrind took so far, in seconds.
    pub(super) seconds: f64,
    /// The folder for reports of harnesses, another one in each call.
    scratch: &'a Path,
}

impl<'a> Profiler<'a> {
    pub(super) fn new(scratch: &'a Path) -> Self {
        Self { seconds: 0.0, scratch }
    }

    /// The profile of an experiment's only variant.
    pub(super) fn profile(
        &mut self,
        experiment: &Experiment,
        program: &ProgramSide,
        launcher: &mut Launcher,
    ) -> Result<RunProfile, Unfollowed> {
        let key = RunKey::new(&experiment.variants[0].run, program, self.scratch);
        let digest = program.digest.as_deref();
        let folder = digest.zip(key.as_ref()).and_then(|(digest, _)| folder(digest));
        if let Some(known) = folder.as_deref().zip(key.as_ref()).and_then(|(at, key)| find(at, key))
        {
            return Ok(known);
        }
        let failed = |error: &dyn std::error::Error| Unfollowed::Run(in_words(error));
        let callgrind = Callgrind::new().map_err(|error| failed(&error))?;
        let watch = Stopwatch::start();
        let mut profiling = Profiling::new(experiment, launcher, callgrind);
        let profiles = profiling.profiles(0, Detail::Functions);
        self.seconds += watch.elapsed().as_secs_f64();
        let profile = RunProfile::from_profiles(&profiles.map_err(|error| failed(&error))?);
        if let Some((folder, key)) = folder.zip(key) {
            keep(&folder, key, &profile);
        }
        Ok(profile)
    }
}

/// The message of an error with its causes.
fn in_words(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn folder(digest: &str) -> Option<PathBuf> {
    Some(Cache::of_the_user().ok()?.root().join(FOLDER).join(digest))
}

/// The kept profile of a run, if the libraries that it loaded are as they were.
fn find(folder: &Path, key: &RunKey) -> Option<RunProfile> {
    let files = fs::read_dir(folder).ok()?.flatten();
    let read = |path: PathBuf| serde_json::from_slice::<Kept>(&fs::read(path).ok()?).ok();
    let is_it = |kept: &Kept| {
        kept.key == *key
            && kept.brisk_version == env!("CARGO_PKG_VERSION")
            && kept.profile.is_current()
    };
    files.filter_map(|file| read(file.path())).find(is_it).map(|kept| kept.profile)
}

/// Keeps a profile. A cache that cannot be written to costs a run of callgrind in the next call.
fn keep(folder: &Path, key: RunKey, profile: &RunProfile) {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let kept = Kept { brisk_version: version, key, profile: profile.clone() };
    let Ok(text) = serde_json::to_string(&kept) else { return };
    let name = format!("{}.json", measure::clock::unix_time_ns());
    let _ =
        fs::create_dir_all(folder).and_then(|()| written::write_text(&folder.join(name), &text));
}
