//! Asking the runtime system of programs compiled by GHC: separate runs with its option `-t`.
//!
//! The runtime reads the variable `GHCRTS`, so a program is reached through scripts and shells too,
//! and what the user set there is kept. What it may be asked depends on how the program was linked:
//!
//! 1. With `-rtsopts` it writes its exact figures to a file, here a mailbox.
//! 2. Without, it refuses that before it does anything, with exit status 1 (GHC 9.0.2), but prints
//!    one line of coarser figures to standard error.
//! 3. With `-rtsopts=none` it says that it ignores the variable; with `-rtsopts=ignoreAll` it says
//!    nothing. There are no figures then.
//!
//! The figures are sums over all programs of a run that have this runtime, because the variable is
//! inherited; of peaks they are the largest.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use measure::mailbox::Mailbox;
use measure::{CommandLine, FinishedRun, Outcome};
use toolchains::ghc::executable::Search;
use toolchains::ghc::statistics::{self, Figures};

use super::{Collected, Instrument, InstrumentError, scratch_folder};
use crate::metric::{
    ALLOCATED, COPIED, GC_COUNT, GC_TIME, MAX_LIVE, MEMORY_IN_USE, MUTATOR_TIME, Missing, Readings,
    Source, Value,
};
use crate::spec::{Experiment, Invocation, Variant, words};

/// The variable with options for GHC's runtime.
const VARIABLE: &str = "GHCRTS";

/// Asks GHC's runtime.
#[derive(Debug)]
pub struct GhcRuntime {
    folder: PathBuf,
    mailbox: Mailbox,
    received: Vec<u8>,
    /// How each variant is asked; none where it has no such runtime.
    ways: Vec<Option<Way>>,
}

/// How a program is asked.
#[derive(Debug, Clone, PartialEq)]
enum Way {
    /// For exact figures, in the mailbox.
    Exact,
    /// For a line on standard error.
    Line,
    /// Not at all, because of this.
    None(Missing),
}

impl GhcRuntime {
    /// For the variants that are marked.
    ///
    /// # Errors
    ///
    /// When there is no place for a mailbox.
    pub fn new(variants: &[bool]) -> Result<Self, InstrumentError> {
        let folder = scratch_folder("ghc")?;
        let path = folder.join("figures");
        // A brisk that was killed had the same number.
        let _ = std::fs::remove_file(&path);
        let mailbox = Mailbox::new(&path)
            .map_err(|source| InstrumentError::Folder { path: folder.clone(), source })?;
        // The runtime cuts its variable at every blank.
        let is_cut = path.as_os_str().as_bytes().iter().any(u8::is_ascii_whitespace);
        let way = if is_cut { Way::Line } else { Way::Exact };
        let ways = variants.iter().map(|&marked| marked.then(|| way.clone())).collect();
        Ok(Self { folder, mailbox, received: Vec::new(), ways })
    }

    /// What the runtime is told; none when it is not asked.
    fn options(&self, variant: u32) -> Option<OsString> {
        match self.ways[variant as usize].as_ref()? {
            Way::Exact => {
                let mut options = OsString::from("-t");
                options.push(self.mailbox.path());
                options.push(" --machine-readable");
                Some(options)
            }
            Way::Line => Some("-t".into()),
            Way::None(_) => None,
        }
    }

    /// What the run's programs said, in the mailbox or else on standard error.
    fn figures(&mut self, stderr: &str) -> Result<Option<Figures>, Missing> {
        self.mailbox
            .empty_into(&mut self.received)
            .map_err(|error| Missing(format!("what GHC's runtime wrote: {error}").into()))?;
        let unclear = |error: statistics::FiguresError| Missing(error.to_string().into());
        let received = std::mem::take(&mut self.received);
        let mut all = statistics::figures(&String::from_utf8_lossy(&received)).map_err(unclear)?;
        if all.is_empty() {
            all = statistics::figures(stderr).map_err(unclear)?;
        }
        Ok(all.into_iter().reduce(Figures::plus))
    }
}

impl Instrument for GhcRuntime {
    fn source(&self) -> Source {
        Source::Runtime
    }

    fn applies_to(&self, variant: u32) -> bool {
        self.ways[variant as usize].is_some()
    }

    fn wrap(&mut self, variant: u32, command: &CommandLine) -> CommandLine {
        // What an earlier run left here too late is nothing of this one.
        self.while_running();
        self.received.clear();
        let mut command = command.clone();
        if let Some(ours) = self.options(variant) {
            let mut options = theirs(&command);
            if !options.is_empty() {
                options.push(" ");
            }
            options.push(ours);
            command.env.push((VARIABLE.into(), Some(options)));
        }
        command
    }

    fn while_running(&mut self) {
        // What cannot be read now is told after the run.
        let _ = self.mailbox.empty_into(&mut self.received);
    }

    fn collect(&mut self, variant: u32, finished: &FinishedRun, permitted: bool) -> Collected {
        let stderr = String::from_utf8_lossy(&finished.stderr_tail);
        let figures = self.figures(&stderr);
        let Some(way) = self.ways[variant as usize].as_mut() else {
            return Collected::Readings(Readings::default());
        };
        let refusal = statistics::refusal(&stderr);
        let found = matches!(figures, Ok(Some(_)));
        let failed = matches!(finished.outcome, Outcome::Exited(_)) && !permitted && !found;
        match way {
            Way::Exact if failed || refusal.is_some() => {
                *way = Way::Line;
                Collected::Again
            }
            Way::Line if failed => {
                *way = Way::None(refusal.map_or_else(|| failure(&stderr), |_| silence(refusal)));
                Collected::Again
            }
            Way::None(reason) => Collected::Readings(readings(Err(reason))),
            Way::Line if refusal.is_some() => Collected::Readings(readings(Err(&silence(refusal)))),
            Way::Exact | Way::Line => Collected::Readings(match figures {
                Ok(Some(figures)) => readings(Ok(&figures)),
                Ok(None) => readings(Err(&silence(None))),
                Err(reason) => readings(Err(&reason)),
            }),
        }
    }
}

impl Drop for GhcRuntime {
    fn drop(&mut self) {
        // Nothing depends on the folder any more; what cannot be removed is in the temporary one.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The runtime's options that the command has without us.
fn theirs(command: &CommandLine) -> OsString {
    let changed = command.env.iter().rev().find(|(name, _)| name == VARIABLE);
    let options = changed.map_or_else(|| std::env::var_os(VARIABLE), |(_, value)| value.clone());
    options.unwrap_or_default()
}

/// Why there are no figures.
fn silence(refusal: Option<&str>) -> Missing {
    Missing(match refusal {
        Some(words) => format!("it answers \"{}\"", words.trim_end_matches('.')).into(),
        None => "no program of the run gave GHC's figures (not one of GHC's, linked with \
                 `-rtsopts=ignoreAll`, with `+RTS` options of its own, or its standard error goes \
                 elsewhere)"
            .into(),
    })
}

/// Why a program is not asked that cannot bear it.
fn failure(stderr: &str) -> Missing {
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    let said = last.map(|line| format!(" and says \"{}\"", line.trim())).unwrap_or_default();
    Missing(format!("the command fails with `{VARIABLE}=-t`{said}").into())
}

/// Every metric of a run, from its figures or the reason why there are none.
fn readings(figures: Result<&Figures, &Missing>) -> Readings {
    let count = |part: fn(&Figures) -> Option<u64>, lacking: &'static str| -> Value {
        let value = part(figures.map_err(Clone::clone)?);
        value.map(|value| value as f64).ok_or(Missing(lacking.into()))
    };
    let time = |part: fn(&Figures) -> Option<f64>| -> Value {
        part(figures.map_err(Clone::clone)?).ok_or(Missing(UNSAID.into()))
    };
    [
        (ALLOCATED, count(|figures| figures.allocated_bytes, UNSAID)),
        (MAX_LIVE, count(|figures| figures.max_live_bytes, "there was no major collection")),
        (MEMORY_IN_USE, count(|figures| figures.max_in_use_bytes, UNSAID)),
        (COPIED, count(|figures| figures.copied_bytes, "only said when linked with `-rtsopts`")),
        (GC_COUNT, count(|figures| figures.collections, UNSAID)),
        (GC_TIME, time(|figures| figures.gc_cpu_seconds)),
        (MUTATOR_TIME, time(|figures| figures.mutator_cpu_seconds)),
    ]
    .into_iter()
    .collect()
}

/// Where one part of the figures is lacking.
const UNSAID: &str = "GHC's runtime did not say it";

/// Which variants are programs with GHC's runtime, as far as looking at the program tells: the
/// command's first word, also where a shell runs the command.
pub fn certain(experiment: &Experiment) -> Vec<bool> {
    let mut known = Known::default();
    let look = |variant: &Variant| {
        let words = words_of(variant, experiment);
        words.first().is_some_and(|word| known.look_at(word, &variant.run) == Look::Runtime)
    };
    experiment.variants.iter().map(look).collect()
}

/// Which variants may start a program with GHC's runtime: all but those of which every word is
/// known to mean none.
pub fn possible(experiment: &Experiment) -> Vec<bool> {
    let mut known = Known::default();
    let look = |variant: &Variant| {
        let words = words_of(variant, experiment);
        let mut looks = words.iter().map(|word| known.look_at(word, &variant.run));
        let program = looks.next().unwrap_or(Look::Unknown);
        experiment.shell.is_some()
            || program != Look::Other
            || looks.any(|argument| argument == Look::Runtime)
    };
    experiment.variants.iter().map(look).collect()
}

/// The words that the command has without a shell around it.
fn words_of(variant: &Variant, experiment: &Experiment) -> Vec<OsString> {
    if experiment.shell.is_none() {
        return variant.run.argv.clone();
    }
    let words = words::split(&variant.command).map(|split| split.words).unwrap_or_default();
    words.into_iter().map(OsString::from).collect()
}

/// What looking at a program's file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// It has the runtime.
    Runtime,
    /// It is a compiled program without it.
    Other,
    /// It is a script, which may start anything, or there is no such file yet.
    Unknown,
}

/// What was looked at already: many variants may be the same program.
#[derive(Debug, Default)]
struct Known(BTreeMap<PathBuf, Look>);

impl Known {
    fn look_at(&mut self, word: &OsString, run: &Invocation) -> Look {
        let named = Invocation { argv: vec![word.clone()], ..run.clone() };
        let Ok(command) = named.resolve() else { return Look::Unknown };
        let look = || search(&command.program).unwrap_or(Look::Unknown);
        *self.0.entry(command.program.clone()).or_insert_with(look)
    }
}

/// How much of a program is in memory at a time.
const PIECE_BYTES: usize = 1 << 18;

fn search(program: &Path) -> std::io::Result<Look> {
    let mut file = File::open(program)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut search = Search::default();
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 || !search.take(&piece[..length]) {
            break;
        }
    }
    Ok(match (search.has_runtime(), search.is_elf()) {
        (true, _) => Look::Runtime,
        (false, true) => Look::Other,
        (false, false) => Look::Unknown,
    })
}
