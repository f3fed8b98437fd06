//! `brisk import`: adds experiments to this store, from a record, another store, or a folder of
//! both; and judges results of other tools: hyperfine's runs, or a long series of values.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use configuration::{ExportOptions, StoppingOptions, StoreOptions, Typed, estimators, suite};
use findings::{Contender, Course, Document, Order};
use judge::sequence::Sequence;
use laboratory::archive::{self, Before, Merged, Received};
use laboratory::assemble::{self, Facts};
use laboratory::elsewhere::{self, Elsewhere, ReportFile};
use laboratory::history::series;
use measure::Outcome;
use model::commission::Kind;
use model::design;
use model::design::contrasts::Contrasts;
use model::design::stopping::StopReason;
use model::failure::Failure;
use model::metric::{self, MetricId, TIME_PER_ITERATION};
use model::note::Note;
use model::sample::Columns;
use model::verdict::{Margin, Verdict};
use page::plain::plain;
use report::export::Shown;
use report::hyperfine::{self, Imported, ImportedVariant};
use report::json::Visit;
use store::record::stream;
use store::{Place, Store};
use toolchains::harness::saved;
use toolchains::series::Series;

use super::git_notes::{self, NotesOptions};
use super::output::{Output, note};
use super::{Done, ExitCode, Findings};

/// Arguments of `brisk import`.
#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// A JSON file of hyperfine 1.x or 2.x (`--export-json`); a report of a benchmark harness, or two:
    /// the old and the new one; a table (CSV) with a line for each commit or day, to find the changes
    /// in; or a record of `brisk export --export-record`, a store of brisk, or a folder of these, to
    /// store
    #[arg(
        num_args = 1..=2,
        value_name = "FILE",
        required_unless_present = "git_notes",
        conflicts_with = "git_notes"
    )]
    files: Vec<PathBuf>,
    /// Show and judge these metrics
    #[arg(long, value_name = "METRIC,...")]
    metrics: Option<String>,
    #[command(flatten)]
    stopping: ImportStopping,
    #[command(flatten)]
    notes: NotesOptions,
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    export: ExportOptions,
}

/// The part of the stopping options that means something for runs already made.
#[derive(Debug, Args)]
struct ImportStopping {
    /// The smallest change that matters, in percent
    #[arg(long, value_name = "PERCENT", default_value = "1", allow_hyphen_values = true, value_parser = Typed::margin)]
    margin: Typed<Margin>,
    /// The confidence of all verdicts together, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", allow_hyphen_values = true, value_parser = Typed::confidence)]
    confidence: Typed<f64>,
    /// What is compared
    #[arg(long, value_parser = estimators(), default_value = "rank-scores")]
    estimator: model::design::stopping::EstimatorOption,
    /// Exit with status 3 when the answer is inconclusive
    #[arg(long)]
    require_verdict: bool,
}

impl ImportStopping {
    fn stopping(&self) -> StoppingOptions {
        StoppingOptions::for_runs(self.margin.clone(), self.confidence.clone(), self.estimator)
    }
}

/// Stores experiments of another store; or reads, judges and reports the results of other tools,
/// which are not stored.
pub(super) fn run(arguments: &ImportArguments, output: &Output) -> Done {
    if arguments.notes.have_values() {
        let (series, name) = git_notes::values(&arguments.notes)?;
        let alone = Note::ValuesAlone { from: name.clone() };
        return judge_series(arguments, &series, &name, Some(alone), output);
    }
    if arguments.notes.are_wanted() {
        return git_notes::import(&arguments.notes, &mut store(arguments)?, output);
    }
    let path = match arguments.files.as_slice() {
        [old, new] => return import_reports(arguments, &[old, new], output),
        [path] => path.as_path(),
        _ => unreachable!("the parser demands it"),
    };
    let name = path.display();
    let unreadable = |error: io::Error| unreadable(path, &error);
    if path.is_dir() {
        return take_folder(&mut store(arguments)?, path, output);
    }
    let mut input = BufReader::new(File::open(path).map_err(unreadable)?);
    if let Some(form) = Form::recognise(&mut input).map_err(unreadable)? {
        return take(&mut store(arguments)?, form, path, input, output);
    }
    let text = read(input).map_err(unreadable)?;
    if let Some(report) = report_in(&text, path)? {
        return judge_reports(arguments, &[report], output);
    }
    if !text.trim_start().starts_with(['{', '[']) {
        return import_series(arguments, path, &text, output);
    }
    let imported = hyperfine::read(&text).map_err(|error| {
        let failure = Failure::new(format!("cannot import `{name}`"));
        failure.caused_by(&error).hint(error.hint())
    })?;
    let metrics = (arguments
        .metrics
        .as_deref()
        .map(|text| metric::parse_with_quantiles(text, &[]))
        .transpose())?;
    let exports = arguments.export.exports();
    exports.check(Shown::Comparison)?;
    let commands = u32::try_from(imported.variants.len()).expect("a file has fewer");
    let contender = |variant: &ImportedVariant| Contender {
        name: variant.command.clone(),
        command: variant.command.clone(),
        labels: variant.parameters.clone().into(),
    };
    let mut notes = vec![Note::SequentialOrder];
    if !imported.without_runs.is_empty() {
        notes.push(Note::NoRunsKept { names: imported.without_runs.clone() });
    }
    notes.extend(failures(&imported));
    let elsewhere = Elsewhere {
        variants: imported.variants.iter().map(contender).collect(),
        contrasts: Contrasts::of_commands(commands, commands),
        runs: imported.runs,
        notes,
        measurements: Vec::new(),
    };
    let document = judge(&arguments.stopping, &elsewhere, metrics)?;
    tell_judged(arguments, &document, &elsewhere, output)
}

/// Prints and exports a document of what was measured elsewhere.
fn tell_judged(
    arguments: &ImportArguments,
    document: &Document,
    elsewhere: &Elsewhere,
    output: &Output,
) -> Done {
    output.document(document)?;
    let mut runs = |visit: &mut Visit<'_>| elsewhere.runs.iter().try_for_each(visit);
    (arguments.export.exports().write(document, &mut runs))?;
    Findings::from_document(document).done(arguments.stopping.require_verdict)
}

/// The report of a harness in a text. None if it is something else.
fn report_in(text: &str, path: &Path) -> Result<Option<ReportFile>, Failure> {
    let mut found = saved::reports(text);
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|one| one.harness.name.as_str()).collect();
        return Err(Failure::new(format!("cannot import `{}`", path.display()))
            .because(format!("it may be a report of {}", names.join(" or "))));
    }
    let name = path.to_string_lossy().into_owned();
    Ok(found.pop().map(|report| ReportFile { name, report }))
}

/// Compares two reports.
fn import_reports(arguments: &ImportArguments, paths: &[&PathBuf; 2], output: &Output) -> Done {
    let mut reports = Vec::new();
    for path in paths {
        let unreadable = |error: io::Error| unreadable(path, &error);
        let text = read(File::open(path).map_err(unreadable)?).map_err(unreadable)?;
        let report = report_in(&text, path)?.ok_or_else(|| {
            Failure::new(format!("cannot import `{}`", path.display()))
                .because("it is not a report of a harness that brisk knows")
                .hint(Some("two files are the old and the new report of one harness"))
        })?;
        reports.push(report);
    }
    if reports[0].report.harness != reports[1].report.harness {
        let names = [0, 1].map(|side: usize| reports[side].report.harness.name.as_str());
        return Err(Failure::new("the two reports are of different harnesses")
            .because(format!("one is of {}, the other of {}", names[0], names[1])));
    }
    if reports[0].name == reports[1].name {
        reports[1].name += " (2)";
    }
    judge_reports(arguments, &reports, output)
}

fn judge_reports(arguments: &ImportArguments, reports: &[ReportFile], output: &Output) -> Done {
    arguments.export.exports().check(Shown::from(Kind::Bench))?;
    let elsewhere = elsewhere::experiment(reports);
    let named = suite::parse_metrics(arguments.metrics.as_deref())?;
    let metrics = named.unwrap_or_else(|| vec![TIME_PER_ITERATION]);
    let mut document = judge(&arguments.stopping, &elsewhere, Some(metrics))?;
    elsewhere.complete(&mut document);
    tell_judged(arguments, &document, &elsewhere, output)
}

/// The largest file that is read: some thousand commands with a thousand runs each. Arbitrary;
/// reading takes several times as much memory.
const MOST_BYTES: u64 = 256 << 20;

/// Reads a file, or a pipe, which may never end.
fn read(input: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let read = input.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > MOST_BYTES {
        return Err(io::Error::other(format!("it has more than {} MiB", MOST_BYTES >> 20)));
    }
    // Some editors and shells begin a file with a byte order mark.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The store that experiments are added to.
fn store(arguments: &ImportArguments) -> Result<Store, Failure> {
    if !arguments.export.exports().is_empty() {
        return Err(Failure::new("experiments are stored, and nothing is exported")
            .hint(Some("`brisk export ID` writes files of what is stored")));
    }
    archive::open_for_writing(&arguments.store.place()?)
}

/// Finds the changes in a long series. Nothing is stored.
fn import_series(arguments: &ImportArguments, path: &Path, text: &str, output: &Output) -> Done {
    let name = path.display();
    let series = toolchains::series::series(text).map_err(|error| {
        let failure = Failure::new(format!("cannot import `{name}`"));
        failure.caused_by(&error).hint(error.hint())
    })?;
    let title = path.file_stem().unwrap_or_default().to_string_lossy();
    judge_series(arguments, &series, &title, None, output)
}

fn judge_series(
    arguments: &ImportArguments,
    series: &Series,
    title: &str,
    note: Option<Note>,
    output: &Output,
) -> Done {
    let failure = |error: &dyn std::error::Error| {
        Failure::new(format!("cannot import `{title}`")).caused_by(error)
    };
    let exports = arguments.export.exports();
    exports.check(Shown::Series)?;
    let options = &arguments.stopping;
    let rule = options.stopping().rule(1)?;
    let mut document =
        series::document(series, title, rule.confidence).map_err(|error| failure(&error))?;
    document.notes.extend(note);
    output.document(&document)?;
    let mut no_runs = |_: &mut Visit<'_>| Ok(());
    exports.write(&document, &mut no_runs)?;
    let mut steps = document.steps().iter();
    let regressed = steps.any(|step| step.verdict == Verdict::Regressed);
    Ok(if regressed { ExitCode::Regressed } else { ExitCode::Fine })
}

/// The failed runs, which the tool counted.
fn failures(imported: &Imported) -> Vec<Note> {
    let mut failed: BTreeMap<u32, (usize, String)> = BTreeMap::new();
    for run in imported.runs.iter().filter(|run| run.outcome != Outcome::Exited(0)) {
        let (runs, how) = failed.entry(run.place.variant).or_default();
        (*runs, *how) = (*runs + 1, run.outcome.to_string());
    }
    let note = |(variant, (runs, how))| Note::Failures { variant, runs, how };
    failed.into_iter().map(note).collect()
}

fn judge(
    options: &ImportStopping,
    elsewhere: &Elsewhere,
    metrics: Option<Vec<MetricId>>,
) -> Result<Document, Failure> {
    let Elsewhere { variants, runs, contrasts, notes, .. } = elsewhere;
    let count = variants.len();
    let rounds = runs.iter().map(|run| run.place.round + 1).max().unwrap_or(0);
    let rule = options.stopping().rule(count)?;
    let compared = contrasts.compared().count();
    let members = design::members(metrics.as_deref(), compared, rule.confidence);
    let mut sequence = Sequence::new(members, rule.estimator.into());
    // The other tool decided when to stop, without looking: one look, at the end.
    sequence.look(rounds.max(1), 1.0);
    let named = metrics.iter().flatten();
    let beyond_registry = named.filter(|id| metric::built_in(id).is_none()).cloned().collect();
    let facts = Facts {
        experiment: Course {
            id: None,
            started_unix_ns: 0,
            brisk_version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: None,
            rounds,
            elapsed_seconds: 0.0,
            stop: StopReason::Rounds,
            confidence: rule.confidence,
            margin: rule.margin,
            resolution: None,
            estimator: rule.estimator,
            order: Order::Sequential,
            commands: u32::try_from(count).expect("a file has fewer"),
            metrics,
        },
        machine: serde_json::Value::Null,
        conditions: serde_json::Value::Null,
        variants: variants.clone(),
        beyond_registry,
        contrasts,
        sequence: &sequence,
        settled_at: &[],
        notes: notes.clone(),
    };
    let mut load = |wanted: &[MetricId]| -> Result<Columns, Failure> {
        let mut columns = Columns::new(count);
        for run in runs {
            columns.push(run, |read| wanted.iter().any(|id| id.is_told_from(read)));
        }
        Ok(columns)
    };
    assemble::document(facts, &mut load)
}

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
    output.data(&received.iter().map(told).collect::<String>()).map(|()| ExitCode::Fine)
}
