//! Stored experiments as git notes of the commits that they measured: published, and fetched.
//!
//! Each line of a note is a whole experiment: a JSON object with the record version as
//! `brisk_record`, and the `events`. It refers to other experiments, which have separate lines, by
//! their identity. Lines can therefore be merged without being understood.

use super::exit::ExitCode;
use super::output::{Output, note};
use super::{Done, merging};
use clap::Args;
use clap::builder::TypedValueParser;
use configuration::one_of;
use findings::short;
use laboratory::archive::{Merged, events, import_events, stored};
use model::failure::Failure;
use model::json;
use page::plain::plain;
use prepare::{Addition, Noted, Notes, Repository};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use store::record::stream::{MARK, VERSION};
use store::record::{Event, Identity};
use store::{ExperimentId, ExperimentState, Filter, Store};
use toolchains::series::Series;

mod ghc;

/// Which notes are meant.
#[derive(Debug, Args)]
#[command(next_help_heading = "Git notes")]
pub(super) struct NotesOptions {
    /// The git notes of the measured commits
    ///
    /// They are below `refs/notes/REF`; `brisk` by default, and `perf` in GHC's format.
    #[arg(
        long,
        value_name = "REF",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    git_notes: Option<String>,
    /// What the notes have
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = formats(),
        default_value = "brisk",
        requires = "git_notes"
    )]
    notes_format: Format,
    /// Fetch the notes from this remote or repository first, and publish them there
    #[arg(long, value_name = "REMOTE", requires = "git_notes")]
    notes_remote: Option<String>,
    /// The repository with the notes, instead of that of the current folder
    #[arg(long, value_name = "DIR", requires = "git_notes")]
    project: Option<PathBuf>,
}

/// The contents of a note's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// A whole experiment.
    Brisk,
    /// A value in the format of GHC's test suite.
    Ghc,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let word = |format: Format| match format {
        Format::Brisk => "brisk",
        Format::Ghc => "ghc",
    };
    one_of([Format::Brisk, Format::Ghc], word, |format| {
        Some(match format {
            Format::Brisk => "Whole experiments, with every run",
            Format::Ghc => "Single values, as GHC's performance notes have them",
        })
    })
}

impl NotesOptions {
    /// True if notes are requested.
    pub(super) fn are_wanted(&self) -> bool {
        self.git_notes.is_some()
    }

    /// True if the notes contain only values, which are judged and not stored.
    pub(super) fn have_values(&self) -> bool {
        self.are_wanted() && self.notes_format == Format::Ghc
    }

    fn name(&self) -> &str {
        match (self.git_notes.as_deref().unwrap_or_default(), self.notes_format) {
            ("", Format::Brisk) => "brisk",
            ("", Format::Ghc) => "perf",
            (name, _) => name,
        }
    }

    fn repository(&self) -> Result<Repository, Failure> {
        let folder = self.project.clone().unwrap_or_else(|| PathBuf::from("."));
        Ok(Repository::open(&folder)?)
    }

    fn remote(&self) -> Option<&str> {
        self.notes_remote.as_deref()
    }
}

/// Notes these experiments, or all that measured commits of the repository.
pub(super) fn export(
    options: &NotesOptions,
    store: &Store,
    ids: &[ExperimentId],
    output: &Output,
) -> Done {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, options.name())?;
    let lines = to_note(store, &repository, ids)?;
    if lines.is_empty() {
        let root = repository.root().display();
        return Err(Failure::new("there is nothing to note")
            .because(format!("no stored experiment measured commits of `{root}`")));
    }
    if options.notes_format == Format::Ghc {
        return export_values(&notes, options.remote(), store, &lines, output);
    }
    let additions: Vec<Addition> = lines.iter().map(addition).collect();
    let are_new = notes.publish(options.remote(), &additions, &is_noted)?;
    let told = |(one, is_new): (&ToNote, bool)| {
        let known = if is_new { "" } else { " already" };
        let (id, kind, title) = (one.id, one.identity.kind, plain(&one.identity.title));
        format!("experiment {id}: {kind} {title}, noted{known} at {}\n", short(&one.commit))
    };
    output.data(&lines.iter().zip(are_new).map(told).collect::<String>())?;
    let mut commits: Vec<String> = lines.into_iter().map(|one| one.commit).collect();
    commits.sort();
    commits.dedup();
    tell_gone(&repository, &commits)?;
    Ok(ExitCode::Fine)
}

/// Notes the readings of the experiments, as values only.
fn export_values(
    notes: &Notes<'_>,
    remote: Option<&str>,
    store: &Store,
    experiments: &[ToNote],
    output: &Output,
) -> Done {
    let mut told = String::new();
    for one in experiments {
        let (lines, bounds) = ghc::lines(store, one.id)?;
        let new = notes.publish(remote, &lines, &ghc::has_line)?;
        let new = new.into_iter().filter(|is_new| *is_new).count();
        let (id, count) = (one.id, lines.len());
        told += &format!("experiment {id}: {count} values noted, {new} of them new\n");
        if bounds > 0 {
            note(&format!("left out: {bounds} values of experiment {id} that are only bounds"));
        }
    }
    output.data(&told)?;
    Ok(ExitCode::Fine)
}

fn addition(one: &ToNote) -> Addition {
    Addition { commit: one.commit.clone(), line: one.line.clone() }
}

/// Imports the experiments of notes into the store.
pub(super) fn import(options: &NotesOptions, store: &mut Store, output: &Output) -> Done {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, options.name())?;
    fetch(options, &repository, &notes)?;
    let found = import_notes(store, &notes)?;
    merging::tell(&found.merged.received, output)?;
    if found.others > 0 {
        let many = found.others;
        note(&format!("left out: {many} lines of `{}` are not experiments", notes.name()));
    }
    tell_gone(&repository, &found.commits)?;
    let left_out = &found.merged.left_out;
    left_out.iter().for_each(|why| note(&format!("left out: {}", plain(why))));
    Ok(if left_out.is_empty() { ExitCode::Fine } else { ExitCode::Trouble })
}

fn fetch(
    options: &NotesOptions,
    repository: &Repository,
    notes: &Notes<'_>,
) -> Result<(), Failure> {
    if !notes.fetch(options.remote())? {
        let root = repository.root().display();
        let hint = match options.remote() {
            None => "fetch them from where they were published: `--notes-remote origin`",
            Some(_) => "`brisk export --git-notes --notes-remote REMOTE` publishes notes",
        };
        return Err(Failure::new(format!("there is no `{}`", notes.name()))
            .because(format!("`{root}` has no such notes"))
            .hint(Some(hint)));
    }
    Ok(())
}

/// Reads values of notes, and reports what was left out.
pub(super) fn values(options: &NotesOptions) -> Result<(Series, String), Failure> {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, options.name())?;
    fetch(options, &repository, &notes)?;
    let ghc::Values { series, others, elsewhere, repeated } = ghc::values(&repository, &notes)?;
    let name = notes.name();
    for (count, what) in [
        (others, format!("lines of `{name}` that are not values")),
        (elsewhere, "commits with values that are not on the way to `HEAD`".to_owned()),
    ] {
        if count > 0 {
            note(&format!("left out: {what}: {count}"));
        }
    }
    if repeated > 0 {
        note(&format!("values noted again for the same: {repeated}; the mean is taken"));
    }
    if series.metrics.is_empty() {
        return Err(Failure::new(format!("`{name}` has no values"))
            .because("no commit that leads to `HEAD` has a line of GHC's format"));
    }
    Ok((series, name.to_owned()))
}

/// Reports commits that are not, or no longer, in the history.
fn tell_gone(repository: &Repository, commits: &[String]) -> Result<(), Failure> {
    let (missing, unreachable) = repository.gone(commits)?;
    let why = "rewritten or squashed";
    let both = [
        (missing, format!("not in this repository ({why}, or not fetched)")),
        (unreachable, format!("on no branch ({why})")),
    ];
    for (commits, what) in both {
        let (subject, verb) = match commits.as_slice() {
            [] => continue,
            [only] => (format!("the commit {}", short(only)), "is"),
            [first, ..] => (format!("{} commits, such as {},", commits.len(), short(first)), "are"),
        };
        note(&format!(
            "{subject} with notes {verb} {what}; the results are kept, and known again by the \
             bytes of what was built"
        ));
    }
    Ok(())
}

/// An experiment as one line.
#[derive(Serialize, Deserialize)]
struct Line {
    brisk_record: u32,
    events: Vec<Event<'static>>,
}

/// An experiment to be noted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ToNote {
    /// Its number in this store.
    pub id: ExperimentId,
    /// Its identity.
    pub identity: Identity,
    /// The commit whose note it belongs to.
    pub commit: String,
    /// The experiment as one line.
    pub line: Vec<u8>,
}

/// The lines of the wanted experiments and of those that they refer to; if `wanted` is empty, of
/// all that measured commits of this repository. Each belongs to the newest of its commits.
///
/// # Errors
///
/// When the store cannot be read, or a wanted experiment measured no commit.
fn to_note(
    store: &Store,
    repository: &Repository,
    wanted: &[ExperimentId],
) -> Result<Vec<ToNote>, Failure> {
    let measured = match wanted {
        [] => of_project(store, repository)?,
        wanted => wanted
            .iter()
            .map(|id| match commits(store, *id)? {
                none if none.is_empty() => {
                    Err(Failure::new(format!("experiment {id} measured no commit"))
                        .hint(Some("`brisk export --export-record FILE` writes any experiment")))
                }
                commits => Ok((*id, commits)),
            })
            .collect::<Result<Vec<_>, Failure>>()?,
    };
    let all: Vec<String> = measured.iter().flat_map(|(_, commits)| commits.clone()).collect();
    let (missing, unreachable) = repository.gone(&all)?;
    let gone: HashSet<&str> = missing.into_iter().chain(unreachable).collect();
    let newest = |commits: &[String]| -> Option<String> {
        let lasting = commits.iter().rev().find(|commit| !gone.contains(commit.as_str()));
        lasting.or(commits.last()).cloned()
    };
    let mut waiting: Vec<(ExperimentId, String)> =
        measured.iter().filter_map(|(id, commits)| Some((*id, newest(commits)?))).collect();
    let mut seen: HashSet<ExperimentId> = waiting.iter().map(|(id, _)| *id).collect();
    let mut lines = Vec::new();
    while let Some((id, commit)) = waiting.pop() {
        let events = events(store, id)?;
        for event in &events {
            let Event::Named(other) = event else { continue };
            let Some(other) = store.known(other)?.filter(|other| seen.insert(*other)) else {
                continue;
            };
            let own = newest(&commits(store, other)?);
            waiting.push((other, own.unwrap_or_else(|| commit.clone())));
        }
        let identity = events.iter().find_map(Event::identity).expect("it begins");
        let line = Line { brisk_record: VERSION, events };
        let line = json::text(&line).into_bytes();
        lines.push(ToNote { id, identity, commit, line });
    }
    lines.sort_by_key(|one| one.id);
    Ok(lines)
}

/// The experiments that measured commits of the repository, with these commits.
fn of_project(
    store: &Store,
    repository: &Repository,
) -> Result<Vec<(ExperimentId, Vec<String>)>, Failure> {
    let mut measured = Vec::new();
    for listed in store.list_each(&Filter::newest(usize::MAX))?.into_iter().flatten() {
        if listed.kind.is_inspection() || listed.state == ExperimentState::Running {
            continue;
        }
        let commits = commits(store, listed.id)?;
        if !commits.is_empty() {
            measured.push((listed.id, commits));
        }
    }
    let all: Vec<String> = measured.iter().flat_map(|(_, commits)| commits.clone()).collect();
    let missing: HashSet<String> =
        repository.gone(&all)?.0.into_iter().map(str::to_owned).collect();
    let root = repository.root().to_path_buf();
    let mut ours = Vec::new();
    for (id, commits) in measured {
        let is_ours = commits.iter().any(|commit| !missing.contains(commit))
            || stored(store, id)?.commission.project.starts_with(&*root.to_string_lossy());
        if is_ours {
            ours.push((id, commits));
        }
    }
    Ok(ours)
}

/// The commits that an experiment measured, in its order.
fn commits(store: &Store, id: ExperimentId) -> Result<Vec<String>, Failure> {
    let Some(experiment) = store.experiment(id)? else { return Ok(Vec::new()) };
    let variants = experiment.commission.variants.into_iter();
    Ok(variants.filter_map(|one| Some(one.labels.artifact?.commit)).collect())
}

/// True if a note already has the experiment, with at least as many runs.
fn is_noted(note: &[u8], line: &[u8]) -> bool {
    let Some(wanted) = told(line) else { return false };
    let has = |(identity, runs): (Identity, usize)| identity == wanted.0 && runs >= wanted.1;
    let mut lines = note.split(|byte| *byte == b'\n');
    lines.any(|known| known == line || told(known).is_some_and(has))
}

/// The identity of the experiment in a line, and its number of runs.
fn told(line: &[u8]) -> Option<(Identity, usize)> {
    let events = read(line).ok()??;
    let runs = events.iter().map(|event| match event {
        Event::Runs { runs } => runs.len(),
        _ => 0,
    });
    Some((events.iter().find_map(Event::identity)?, runs.sum()))
}

/// The events of a line. None if the line is something else.
fn read(line: &[u8]) -> Result<Option<Vec<Event<'static>>>, String> {
    if !line.starts_with(MARK.as_bytes()) {
        return Ok(None);
    }
    let version = line[MARK.len()..].split(|byte| *byte == b',').next();
    if version != Some(VERSION.to_string().as_bytes()) {
        let version = String::from_utf8_lossy(version.unwrap_or_default()).into_owned();
        return Err(format!("written by version {version}; this brisk reads version {VERSION}"));
    }
    let line: Line = json::read(line).map_err(|error| format!("it is not a record: {error}"))?;
    Ok(Some(line.events))
}

/// The result of importing notes.
#[derive(Debug, Default)]
struct FromNotes {
    /// The experiments that were imported or left out.
    pub merged: Merged,
    /// The commits that have notes.
    pub commits: Vec<String>,
    /// The number of lines that are not experiments.
    pub others: usize,
}

/// Stores the experiments of notes, each after those that it refers to. Invalid lines are left out
/// entirely.
///
/// # Errors
///
/// When git fails.
fn import_notes(store: &mut Store, notes: &Notes<'_>) -> Result<FromNotes, Failure> {
    let mut all = FromNotes::default();
    let mut done = HashMap::new();
    loop {
        let mut pass =
            Pass { store: &mut *store, all: &mut all, done, waiting: Vec::new(), progress: false };
        notes.for_each(&mut |noted| pass.note(noted))?;
        let Pass { done: now, waiting, progress, .. } = pass;
        done = now;
        // Waiting lines refer to experiments that may have been stored since.
        if waiting.is_empty() || !progress {
            all.merged.left_out.extend(waiting);
            break;
        }
    }
    all.commits = done.into_keys().collect();
    all.commits.sort();
    Ok(all)
}

/// One pass over all notes.
struct Pass<'a> {
    store: &'a mut Store,
    all: &'a mut FromNotes,
    /// The numbers of the finished lines, imported or not, by commit.
    done: HashMap<String, HashSet<usize>>,
    /// The lines that cannot be imported yet, with reasons.
    waiting: Vec<String>,
    progress: bool,
}

impl Pass<'_> {
    fn note(&mut self, Noted { commit, text }: Noted) -> Result<(), Failure> {
        let mut done = self.done.remove(&commit).unwrap_or_default();
        match text {
            Ok(text) => {
                for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
                    let place = || format!("line {number} of the note of {}", short(&commit));
                    if !line.is_empty() && !done.contains(&number) && self.line(line, &place)? {
                        done.insert(number);
                    }
                }
            }
            Err(why) if done.insert(0) => {
                self.all.merged.left_out.push(format!("the note of {}: {why}", short(&commit)));
            }
            Err(_) => {}
        }
        self.done.insert(commit, done);
        Ok(())
    }

    /// Imports a line. False if it must wait.
    fn line(&mut self, line: &[u8], place: &dyn Fn() -> String) -> Result<bool, Failure> {
        let taken = match read(line) {
            Ok(None) => {
                self.all.others += 1;
                Ok(Vec::new())
            }
            Ok(Some(events)) => match lacking(self.store, &events)? {
                Some(Identity { kind, title, .. }) => {
                    let why = format!("it names the {kind} `{title}`, which is not here");
                    self.waiting.push(format!("{}: {why}", place()));
                    return Ok(false);
                }
                None => import_events(self.store, events).map_err(|why| why.in_one_line()),
            },
            Err(why) => Err(why),
        };
        match taken {
            Ok(received) => self.all.merged.received.extend(received),
            Err(why) => self.all.merged.left_out.push(format!("{}: {why}", place())),
        }
        self.progress = true;
        Ok(true)
    }
}

/// The first experiment that the events refer to and the store lacks.
fn lacking(store: &Store, events: &[Event<'_>]) -> Result<Option<Identity>, Failure> {
    for event in events {
        if let Event::Named(identity) = event
            && store.known(identity)?.is_none()
        {
            return Ok(Some(identity.clone()));
        }
    }
    Ok(None)
}
