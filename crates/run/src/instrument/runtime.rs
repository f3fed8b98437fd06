//! Figures from the runtime systems of programs, in separate runs.
//!
//! The [`Adapter`] of each runtime defines its requests and its output format; this module has the
//! files that the runtime may write to, the changes to commands, and the fallbacks if a way of
//! asking fails.
//!
//! Environment variables are inherited, so the figures are sums over all programs of a run that
//! have this runtime; peaks are the maximum. The user's own value of such a variable is kept beside
//! ours.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use measure::named_pipe::Mailbox;
use measure::{CommandLine, FinishedRun, Outcome};
use toolchains::runtime::adapter::{
    Adapter, Asking, Difference, Kept, Pieces, Request, Said, Variable,
};
use toolchains::runtime::figures::{Figures, Quantity};

use super::recognise::RuntimeProgram;
use super::{Collected, Instrument, InstrumentError, STDERR_KEPT_BYTES, scratch_folder};
use crate::scratch::Scratch;
use model::metric::{
    ALLOCATED, ASKED_WALL_TIME, COPIED, GC_COUNT, GC_TIME, MAJOR_GC_COUNT, MAX_LIVE, MAX_PAUSE,
    MEMORY_IN_USE, MINOR_GC_COUNT, MUTATOR_TIME, MetricId, Missing, PAUSE_TIME, PROMOTED, Readings,
    Source, Value,
};
use model::note::Note;
use model::spec::{Experiment, Invocation};

/// The metric of each figure.
const METRICS: [(MetricId, Quantity); 12] = [
    (ALLOCATED, Quantity::Allocated),
    (PROMOTED, Quantity::Promoted),
    (MAX_LIVE, Quantity::MaxLive),
    (MEMORY_IN_USE, Quantity::MaxInUse),
    (COPIED, Quantity::Copied),
    (GC_COUNT, Quantity::Collections),
    (MINOR_GC_COUNT, Quantity::MinorCollections),
    (MAJOR_GC_COUNT, Quantity::MajorCollections),
    (GC_TIME, Quantity::GcTime),
    (MUTATOR_TIME, Quantity::MutatorTime),
    (PAUSE_TIME, Quantity::PauseTime),
    (MAX_PAUSE, Quantity::MaxPause),
];

/// The instrument that queries runtimes.
#[derive(Debug)]
pub struct RuntimeSystems {
    folder: Scratch,
    mailbox: Mailbox,
    received: Vec<u8>,
    /// The way each variant is queried; `None` if it is not.
    asked: Vec<Option<Asked>>,
    /// Runtimes that cannot be queried, and settings that are not in effect.
    notes: Vec<Note>,
    /// The settings that have been noted already.
    told: BTreeSet<(u32, String)>,
}

/// The state of querying a variant's runtime.
#[derive(Debug)]
struct Asked {
    program: RuntimeProgram,
    /// The index of the adapter's way to use next.
    way: usize,
    /// The reason why it is no longer queried.
    given_up: Option<Missing>,
}

impl RuntimeSystems {
    /// The instrument for these programs, one for each variant of the experiment.
    pub(super) fn new(
        programs: Vec<Option<RuntimeProgram>>,
        experiment: &Experiment,
    ) -> Result<Self, InstrumentError> {
        let folder = scratch_folder()?;
        let mailbox = Mailbox::new(&folder.path().join("figures"))
            .map_err(|source| InstrumentError::Folder { path: folder.path().to_owned(), source })?;
        let mut systems = Self {
            folder,
            mailbox,
            received: Vec::new(),
            asked: Vec::new(),
            notes: Vec::new(),
            told: BTreeSet::new(),
        };
        for (program, variant) in programs.into_iter().zip(&experiment.variants) {
            let asked = match program {
                Some(program) => systems.prepare(program, &variant.run)?,
                None => None,
            };
            systems.asked.push(asked);
        }
        Ok(systems)
    }

    /// The reason why no variant can be queried; `None` if one can.
    pub(super) fn why_unreachable(&self) -> Option<&str> {
        match self.notes.first() {
            Some(Note::NoRuntimeFigures { reason, .. })
                if self.asked.iter().all(Option::is_none) =>
            {
                Some(reason)
            }
            _ => None,
        }
    }

    /// Chooses the first usable way, and writes the files that the ways need.
    fn prepare(
        &mut self,
        program: RuntimeProgram,
        run: &Invocation,
    ) -> Result<Option<Asked>, InstrumentError> {
        let adapter = program.adapter;
        let requests: Vec<_> = adapter
            .ways
            .iter()
            .map(|way| (way.request)(&self.asking(program, &run.argv)))
            .collect();
        for (name, contents) in requests.iter().flatten().flat_map(|request| &request.files) {
            let path = self.folder.path().join(name);
            std::fs::write(&path, contents)
                .map_err(|source| InstrumentError::Folder { path, source })?;
        }
        let way = requests.iter().position(Option::is_some);
        if way.is_none() {
            let variant = u32::try_from(self.asked.len()).expect("at most 2^20 variants");
            let reason = adapter.unreachable.to_owned();
            self.notes.push(Note::NoRuntimeFigures { variant, reason });
        }
        Ok(way.map(|way| Asked { program, way, given_up: None }))
    }

    fn asking<'a>(&'a self, program: RuntimeProgram, argv: &'a [OsString]) -> Asking<'a> {
        Asking {
            argv: program.is_named.then_some(argv),
            mailbox: self.mailbox.path(),
            folder: self.folder.path(),
        }
    }

    /// The changes to make to the command now; `None` if the runtime is no longer queried.
    fn request(&self, variant: u32, command: &CommandLine) -> Option<Request> {
        let asked = self.asked[variant as usize].as_ref()?;
        if asked.given_up.is_some() {
            return None;
        }
        let way = &asked.program.adapter.ways[asked.way];
        (way.request)(&self.asking(asked.program, &command.argv))
    }

    /// The output of the runtimes of the run's programs.
    fn listen(&mut self) -> Result<String, Missing> {
        self.mailbox
            .empty_into(&mut self.received)
            .map_err(|error| Missing(format!("what the runtime wrote: {error}").into()))?;
        Ok(String::from_utf8_lossy(&std::mem::take(&mut self.received)).into_owned())
    }

    /// Notes the settings that are not in effect as the user asked for them.
    fn compare_settings(&mut self, variant: u32, adapter: &Adapter, said: &Said<'_>, theirs: &str) {
        for Difference { asked, effective } in (adapter.differences)(said, theirs) {
            if self.told.insert((variant, asked.clone())) {
                self.notes.push(Note::RuntimeSetting { variant, asked, effective });
            }
        }
    }
}

impl Instrument for RuntimeSystems {
    fn source(&self) -> Source {
        Source::Runtime
    }

    fn applies_to(&self, variant: u32) -> bool {
        self.asked[variant as usize].is_some()
    }

    fn wrap(&mut self, variant: u32, command: &CommandLine) -> CommandLine {
        // Late output of an earlier run does not belong to this one.
        self.while_running();
        self.received.clear();
        if let Some(ending) =
            self.asked[variant as usize].as_ref().and_then(|a| a.program.adapter.leaves)
        {
            left_files(self.folder.path(), ending);
        }
        let mut changed = command.clone();
        if let Some(request) = self.request(variant, command) {
            for variable in &request.variables {
                let value = value_of(variable, command);
                changed.env.push((variable.name.into(), Some(value)));
            }
            let at = request.arguments_at.min(changed.argv.len());
            changed.argv.splice(at..at, request.arguments.into_iter().map(OsString::from));
        }
        changed
    }

    fn while_running(&mut self) {
        // A read error here shows again after the run, and is reported then.
        let _ = self.mailbox.empty_into(&mut self.received);
    }

    fn collect(
        &mut self,
        variant: u32,
        command: &CommandLine,
        finished: &FinishedRun,
        permitted: bool,
    ) -> Collected {
        let mailbox = self.listen();
        let Some(asked) = self.asked[variant as usize].as_mut() else {
            return Collected::Readings(Readings::default());
        };
        let adapter = asked.program.adapter;
        if let Some(reason) = &asked.given_up {
            return Collected::Readings(readings(adapter, Err(reason), finished));
        }
        let stderr = String::from_utf8_lossy(&finished.stderr_tail);
        let files = adapter.leaves.map(|ending| left_files(self.folder.path(), ending));
        let said = Said {
            mailbox: mailbox.as_deref().unwrap_or_default(),
            files: files.as_deref().unwrap_or_default(),
            stderr: &stderr,
            is_stderr_whole: finished.stderr_tail.len() < STDERR_KEPT_BYTES as usize,
        };
        let figures = match &mailbox {
            Ok(_) => (adapter.ways[asked.way].read)(&said)
                .map_err(|error| Missing(error.to_string().into()))
                .map(|all| all.into_iter().reduce(Figures::plus)),
            Err(reason) => Err(reason.clone()),
        };
        let refusal = (adapter.refusal)(&stderr);
        if let Some(next) = next_way(asked, &figures, refusal, finished, permitted) {
            *asked = next;
            return Collected::Again;
        }
        let silence = || refusal.map_or_else(|| Missing(adapter.silence.into()), refused);
        let figures = match figures {
            Ok(Some(figures)) if refusal.is_none() => Ok(figures),
            Ok(_) => Err(silence()),
            Err(reason) => Err(reason),
        };
        if figures.is_ok() {
            let theirs = settings(adapter, command);
            self.compare_settings(variant, adapter, &said, &theirs);
        }
        Collected::Readings(readings(adapter, figures.as_ref(), finished))
    }

    fn notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }
}

/// A file left by a runtime, read on demand.
#[derive(Debug)]
struct LeftFile(File);

impl Pieces for LeftFile {
    fn at(&self, offset: u64, length: usize) -> Option<Vec<u8>> {
        let mut piece = vec![0; length];
        self.0.read_exact_at(&mut piece, offset).ok().map(|()| piece)
    }
}

/// Removes the files with this ending from the folder and returns them. Unreadable ones are
/// skipped.
fn left_files(folder: &Path, ending: &str) -> Vec<Box<dyn Pieces>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let ours = paths.filter(|path| path.as_os_str().as_bytes().ends_with(ending.as_bytes()));
    ours.filter_map(|path| {
        let file = File::open(&path);
        // Nobody else knows of the file, and once open it can be read without its name.
        let _ = std::fs::remove_file(&path);
        Some(Box::new(LeftFile(file.ok()?)) as Box<dyn Pieces>)
    })
    .collect()
}

/// The next way to query the variant, if the run shows that this way fails: the adapter's next way,
/// or, if the command fails in the last one, none.
fn next_way(
    asked: &Asked,
    figures: &Result<Option<Figures>, Missing>,
    refusal: Option<&str>,
    finished: &FinishedRun,
    permitted: bool,
) -> Option<Asked> {
    let found = matches!(figures, Ok(Some(_)));
    let failed = matches!(finished.outcome, Outcome::Exited(_)) && !permitted && !found;
    let ways = asked.program.adapter.ways;
    if asked.way + 1 < ways.len() {
        let next = Asked { program: asked.program, way: asked.way + 1, given_up: None };
        return (failed || refusal.is_some()).then_some(next);
    }
    if !failed {
        return None;
    }
    let stderr = String::from_utf8_lossy(&finished.stderr_tail);
    let reason = match refusal {
        Some(words) => refused(words),
        None => failure(ways[asked.way].shown, &stderr),
    };
    Some(Asked { program: asked.program, way: asked.way, given_up: Some(reason) })
}

/// The reason for missing figures if the runtime refuses to be queried: its answer.
pub(super) fn refused(words: &str) -> Missing {
    Missing(format!("it answers \"{}\"", words.trim_end_matches('.')).into())
}

/// The reason for missing figures if the command fails when queried.
fn failure(shown: &str, stderr: &str) -> Missing {
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    let said = last.map(|line| format!(" and says \"{}\"", line.trim())).unwrap_or_default();
    Missing(format!("the command fails with `{shown}`{said}").into())
}

/// Every metric of a run, from its figures or the reason why they are missing.
fn readings(
    adapter: &Adapter,
    figures: Result<&Figures, &Missing>,
    finished: &FinishedRun,
) -> Readings {
    let value = |quantity| -> Value {
        let figures = figures.map_err(Clone::clone)?;
        figures.get(quantity).ok_or_else(|| match adapter.reason(quantity) {
            Some(reason) => Missing(reason.into()),
            None => Missing(format!("{} did not say it", adapter.name).into()),
        })
    };
    let asked = figures.map(|_| finished.raw.wall.as_seconds()).map_err(Clone::clone);
    let of_runtime = METRICS.into_iter().map(|(id, quantity)| (id, value(quantity)));
    of_runtime.chain([(ASKED_WALL_TIME, asked)]).collect()
}

/// The value of a variable that combines the user's part and ours.
pub fn value_of(variable: &Variable, command: &CommandLine) -> OsString {
    let theirs = [Some(variable.name), variable.stands_in]
        .into_iter()
        .flatten()
        .find_map(|name| value_in(name, command))
        .filter(|theirs| !theirs.is_empty());
    let ours = OsStr::new(&variable.value);
    let parts = match (&theirs, variable.kept) {
        (Some(theirs), Kept::Before(between)) => [theirs.as_os_str(), OsStr::new(between), ours],
        (Some(theirs), Kept::After(between)) => [ours, OsStr::new(between), theirs.as_os_str()],
        _ => [ours, OsStr::new(""), OsStr::new("")],
    };
    parts.into_iter().collect()
}

/// The value of a variable for the unchanged command.
fn value_in(name: &str, command: &CommandLine) -> Option<OsString> {
    let changed = command.env.iter().rev().find(|(changed, _)| changed == name);
    changed.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone())
}

/// The user's settings for the runtime, from a variable.
fn settings(adapter: &Adapter, command: &CommandLine) -> String {
    let mut names = adapter.settings_variables.iter();
    let value = names.find_map(|name| value_in(name, command)).unwrap_or_default();
    value.to_string_lossy().into_owned()
}
