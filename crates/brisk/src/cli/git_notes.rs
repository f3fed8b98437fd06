//! Stored experiments as git notes of the commits that they measured: published, and fetched.
//!
//! Each line of a note is a whole experiment: a JSON object with the record version as
//! `brisk_record`, and the `events`. It refers to other experiments, which have separate lines, by
//! their identity. Lines can therefore be merged without being understood. In GHC's format, a line
//! is a single value.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use configuration::one_of;
use findings::{MetricSummary, short};
use ghc::performance_note::PerformanceNote;
use laboratory::archive::{self, Merged, events, import_events, stored};
use model::failure::Failure;
use model::host::MachineClass;
use model::json;
use model::spec::suite::commits::of_benchmark;
use page::plain::plain;
use prepare::{Addition, Noted, Notes, Repository};
use serde::{Deserialize, Serialize};
use stats::describe::summarise;
use store::record::stream::{MARK, VERSION};
use store::record::{Event, Identity};
use store::{ExperimentId, ExperimentState, Filter, Store};
use toolchains::series::Series;

use super::output::{Output, note};
use super::{Done, ExitCode, import};

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
        return export_values(&notes, options.notes_remote.as_deref(), store, &lines, output);
    }
    let addition = |one: &ToNote| Addition { commit: one.commit.clone(), line: one.line.clone() };
    let additions: Vec<Addition> = lines.iter().map(addition).collect();
    let are_new = notes.publish(options.notes_remote.as_deref(), &additions, &is_noted)?;
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
        let (lines, bounds) = value_lines(store, one.id)?;
        let new = notes.publish(remote, &lines, &has_line)?;
        let new = new.into_iter().filter(|is_new| *is_new).count();
        let (id, count) = (one.id, lines.len());
        told += &format!("experiment {id}: {count} values noted, {new} of them new\n");
        if bounds > 0 {
            note(&format!("left out: {bounds} values of experiment {id} that are only bounds"));
        }
    }
    output.data(&told).map(|()| ExitCode::Fine)
}

/// Imports the experiments of notes into the store.
pub(super) fn import(options: &NotesOptions, store: &mut Store, output: &Output) -> Done {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, options.name())?;
    fetch(options, &repository, &notes)?;
    let found = import_notes(store, &notes)?;
    import::tell(&found.merged.received, output)?;
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
    if !notes.fetch(options.notes_remote.as_deref())? {
        let root = repository.root().display();
        let hint = match options.notes_remote.as_deref() {
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
    let NotedValues { series, others, elsewhere, repeated } = noted_values(&repository, &notes)?;
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
    id: ExperimentId,
    identity: Identity,
    /// The commit whose note it belongs to.
    commit: String,
    line: Vec<u8>,
}

/// The lines of the wanted experiments and of those that they refer to; if `wanted` is empty, of
/// all that measured commits of this repository. Each belongs to the newest of its commits.
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
    merged: Merged,
    /// The commits that have notes.
    commits: Vec<String>,
    /// The number of lines that are not experiments.
    others: usize,
}

/// Stores the experiments of notes, each after those that it refers to. Invalid lines are left out
/// entirely.
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

/// The readings of an experiment as lines of its commits, and the number of those left out because
/// they are only bounds.
fn value_lines(store: &Store, id: ExperimentId) -> Result<(Vec<Addition>, usize), Failure> {
    let experiment = archive::stored(store, id)?;
    let document = archive::own_document(store, id, &experiment)?;
    let environment = MachineClass::from(&document).name().to_owned();
    let project = experiment.commission.project;
    let project = project.rsplit('/').next().unwrap_or_default();
    let (mut lines, mut bounds) = (Vec::new(), 0);
    for (number, variant) in (0..).zip(&document.variants) {
        let Some(commit) = variant.labels.commit() else { continue };
        let test = variant.labels.benchmark_name();
        let test = test.map_or(project.to_owned(), |name| of_benchmark(project, name));
        let entry = |part: &MetricSummary| PerformanceNote {
            environment: environment.clone(),
            test: test.clone(),
            way: part.source.word().to_owned(),
            metric: part.metric.to_string(),
            value: document.figure(part),
        };
        let parts: Vec<&MetricSummary> = document.summaries_of(number).collect();
        bounds += parts.iter().filter(|part| part.at_most).count();
        let exact = parts.into_iter().filter(|part| !part.at_most);
        lines.extend(
            exact.map(|part| Addition { commit: commit.to_owned(), line: entry(part).line() }),
        );
    }
    Ok((lines, bounds))
}

fn has_line(note: &[u8], line: &[u8]) -> bool {
    note.split(|byte| *byte == b'\n').any(|known| known == line)
}

/// The values in the notes of the commits.
#[derive(Debug)]
struct NotedValues {
    /// The first-parent commits with values, the oldest first.
    pub series: Series,
    /// The number of lines that are not values.
    pub others: usize,
    /// The number of commits with notes that are not in the series.
    pub elsewhere: usize,
    /// The number of values noted repeatedly for the same test; their mean is taken.
    pub repeated: usize,
}

/// Reads the notes of the commits reachable from `HEAD`.
fn noted_values(repository: &Repository, notes: &Notes<'_>) -> Result<NotedValues, Failure> {
    let mut all: HashMap<String, BTreeMap<String, Vec<f64>>> = HashMap::new();
    let mut others = 0;
    notes.for_each(&mut |Noted { commit, text }| -> Result<(), Failure> {
        let text = text.map_err(|why| Failure::new("cannot read a note").because(why))?;
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match PerformanceNote::read(line) {
                Some(entry) => {
                    let of_commit = all.entry(commit.clone()).or_default();
                    of_commit.entry(entry.name()).or_default().push(entry.value);
                }
                None => others += 1,
            }
        }
        Ok(())
    })?;
    let lineage =
        repository.ask(["log", "--first-parent", "--reverse", "--format=%H %s", "HEAD"])?;
    let lineage = String::from_utf8_lossy(&lineage).into_owned();
    let point = |line| {
        let (commit, subject) = str::split_once(line, ' ')?;
        Some(Point { commit, subject, values: all.remove(commit)? })
    };
    let points: Vec<Point<'_>> = lineage.lines().filter_map(point).collect();
    let repeated = points.iter().flat_map(|point| point.values.values());
    let repeated = repeated.map(|values| values.len() - 1).sum();
    Ok(NotedValues { series: series(&points), others, elsewhere: all.len(), repeated })
}

struct Point<'a> {
    commit: &'a str,
    subject: &'a str,
    values: BTreeMap<String, Vec<f64>>,
}

fn series(points: &[Point<'_>]) -> Series {
    let mut columns: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    for (place, point) in points.iter().enumerate() {
        for (name, values) in &point.values {
            let column = columns.entry(name).or_insert_with(|| vec![None; points.len()]);
            column[place] = summarise(values).map(|summary| summary.mean);
        }
    }
    Series {
        labels: points.iter().map(|point| point.commit.to_owned()).collect(),
        times: None,
        subjects: Some(points.iter().map(|point| point.subject.to_owned()).collect()),
        metrics: columns.into_iter().map(|(name, values)| (name.to_owned(), values)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_has_a_gap_where_a_commit_has_no_value_and_the_mean_of_several() {
        let point = |commit, subject, values: &[(&str, &[f64])]| {
            let values =
                values.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())).collect();
            Point { commit, subject, values }
        };
        let series =
            series(&[point("a", "first", &[("x", &[1.0, 2.0])]), point("b", "", &[("y", &[3.0])])]);
        assert_eq!(series.labels, ["a", "b"]);
        assert_eq!(series.subjects, Some(vec!["first".to_owned(), String::new()]));
        let expected = [("x", [Some(1.5), None]), ("y", [None, Some(3.0)])];
        let expected = expected.map(|(name, values)| (name.to_owned(), values.to_vec()));
        assert_eq!(series.metrics, expected);
    }
}
