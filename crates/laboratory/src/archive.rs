//! Between the store and the reports: stores finished experiments, and makes documents of stored
//! ones.

mod beside;
mod exchange;
mod exporting;

use std::collections::{BTreeMap, HashMap};

pub use beside::{Beside, With, beside, find};
pub use exchange::{Before, Merged, Received, all, import_events, import_record, import_store};
pub use exchange::{events, export_record};
pub use exporting::{Drawn, export, page};
use findings::benchmarks::{self, BenchmarkFigures};
use findings::inspection::Inspection;
use findings::{
    BenchmarkHistory, Course, Document, Finding, MetricSummary, MissingValues, Order, ReadError,
    letter,
};
use measure::parallel;
use model::commission::{Commission, Contender, Kind};
use model::design::contrasts::Failing;
use model::failure::Failure;
use model::host::Circumstances;
use model::host::identifying;
use model::json;
use model::metric::{
    self, ASKED_WALL_TIME, COUNTERS_RUNNING, CPU_WAIT, INSTRUCTIONS, MetricId, SAMPLED_WALL_TIME,
    Source, TIME_PER_ITERATION, WALL_TIME,
};
use model::note::Note;
use model::run::Run;
use model::sample::{Columns, Treatment};
use model::sweep::{Reason, Withdrawal};
use page::{Row, Span, Tone};
use report::history::in_short;
use report::{Report, inspection, site};
use run::ObserverError;
use serde_json::Value;
use store::record::{Event, Inspected};
use store::{
    Damaged, ExperimentId, ExperimentState, FailedRun, Finish, FoundText, Journal, Listed, Place,
    Store, StoreError, StoredExperiment, StoredHistory,
};

use crate::assemble::equal_work::equal_work;
use crate::assemble::finding::Gathering;
use crate::assemble::finding::landscape;
use crate::assemble::memory::with_memory;
use crate::assemble::old_side::{Processes, is_wanted, with_baseline};
use crate::assemble::setups::with_setups;
use crate::assemble::{self, Facts};
use crate::conduct::{Conducted, Conductor, Design, Keeper, LastWords, Past};
use crate::watcher::nobody;

/// Opens the store for writing, after recovering the runs of any killed brisk.
pub fn open_for_writing(place: &Place) -> Result<Store, Failure> {
    let mut store = Store::open(place)?;
    store.recover()?;
    Ok(store)
}

/// Opens an existing store for reading.
pub fn open_for_reading(place: &Place) -> Result<Store, Failure> {
    let nothing = || {
        Failure::new(format!("nothing is stored at `{place}`"))
            .hint(Some("`brisk compare` stores what it measures"))
    };
    let mut store = Store::open_existing(place)?.ok_or_else(nothing)?;
    recover_if_possible(&mut store);
    Ok(store)
}

/// Recovers the runs of a killed brisk, if the store can be written.
pub fn recover_if_possible(store: &mut Store) {
    let _ = store.recover();
}

/// Saves runs to the store.
pub struct StoreKeeper<'a> {
    store: &'a mut Store,
    id: ExperimentId,
    journal: &'a Journal,
}

impl<'a> StoreKeeper<'a> {
    /// Saves the runs of one experiment; `journal` is emptied once they are in the store.
    pub fn new(store: &'a mut Store, id: ExperimentId, journal: &'a Journal) -> Self {
        Self { store, id, journal }
    }
}

impl Keeper for StoreKeeper<'_> {
    fn keep(&mut self, event: Event<'_>) -> Result<(), ObserverError> {
        self.store.append(self.id, &event)?;
        if let Event::Runs { .. } = event {
            self.journal.clear()?;
        }
        Ok(())
    }
}

/// Judges a stored experiment with known conduct.
pub fn document(
    store: &Store,
    id: ExperimentId,
    conducted: Conducted,
) -> Result<Document, Failure> {
    judged(store, stored(store, id)?, conducted)
}

/// Judges an experiment against another of its commands, found by its name, its text or its letter.
pub fn against(store: &Store, id: ExperimentId, baseline: &str) -> Result<Document, Failure> {
    let mut experiment = stored(store, id)?;
    let commission = &experiment.commission;
    let variants = u32::try_from(commission.variants.len()).expect("at most 2^20 variants");
    if listed(store, id)?.kind != Kind::Compare || commission.commands != variants || variants < 2 {
        return Err(Failure::new(format!("experiment {id} has no other baseline"))
            .because("`--baseline` chooses among the commands of a comparison"));
    }
    let names = |place: u32| {
        let one = &commission.variants[place as usize];
        [one.name.clone(), one.command.clone(), letter(place)]
    };
    let matching = |kind: usize| (0..variants).find(|&place| names(place)[kind] == baseline);
    let Some(baseline) = (0..3).find_map(matching) else {
        let all: Vec<String> =
            commission.variants.iter().map(|one| format!("`{}`", one.name)).collect();
        return Err(Failure::new(format!("experiment {id} has no command `{baseline}`"))
            .hint(Some(format!("one of {}", all.join(", ")))));
    };
    let mut conducted = replay(store, id, &experiment)?;
    if conducted.rounds == 0 {
        return Err(without_a_round(&experiment));
    }
    let commission = &mut experiment.commission;
    commission.contrasts = commission.contrasts.against(baseline, variants);
    let members = commission.contrasts.members(commission.metrics.as_deref(), &commission.rule);
    conducted.sequence = conducted.sequence.of_others(members);
    conducted.settled_at.clear();
    judged(store, experiment, conducted)
}

fn judged(
    store: &Store,
    experiment: StoredExperiment,
    mut conducted: Conducted,
) -> Result<Document, Failure> {
    let id = experiment.id;
    let (stored, circumstances) = (experiment.commission, experiment.circumstances);
    let variants: Vec<Contender> = stored.variants.clone();
    let (count, rounds) = (variants.len(), conducted.rounds);
    let treatment = Treatment::from_labels(stored.variants.iter().map(|variant| &variant.labels));
    let in_sweep = stored.rule.sweep.is_some();
    add_notes(&stored, &mut conducted.notes);
    let facts = Facts {
        experiment: experiment_part(id, &stored, &circumstances, &conducted),
        machine: circumstances.machine.clone(),
        conditions: circumstances.conditions.clone(),
        variants,
        beyond_registry: beyond_registry(&stored),
        contrasts: &stored.contrasts,
        sequence: &conducted.sequence,
        settled_at: &conducted.settled_at,
        notes: std::mem::take(&mut conducted.notes),
    };
    let mut load = |wanted: &[MetricId]| -> Result<Columns, StoreError> {
        let columns = Columns::of_experiment(count, rounds, wanted.contains(&WALL_TIME));
        let mut columns = columns.treated(treatment.clone());
        store.for_each_run(id, &mut |run| {
            // A round that was interrupted, or ended by a failure, is kept but not judged.
            let is_judged = run.place.source != Source::Run || run.place.round < rounds;
            let is_failed = conducted.withdrawn.iter().any(|gone| match stored.contrasts.failing {
                Failing::LeavesTheRest => gone.variant == run.place.variant,
                _ => in_sweep && gone.takes_out(&run),
            });
            if is_judged && !is_failed {
                columns.push(&run, |read| wanted.iter().any(|id| id.is_told_from(read)));
            }
            Ok(())
        })?;
        Ok(columns)
    };
    let mut document = assemble::document(facts, &mut load)?;
    for note in &mut document.notes {
        if let Note::FirstRunSlow { warmup, .. } = note {
            *warmup = stored.rule.warmup;
        }
    }
    if stored.contrasts.failing == Failing::LeavesTheRest {
        let parts = conducted.withdrawn.iter().filter_map(|gone| failed_part(gone, &conducted));
        document.missing.extend(parts);
    }
    add_last_words(&mut document, &conducted);
    note_counters(&mut document);
    note_runtimes(&mut document);
    with_parts(document, store, id, &stored, &conducted)
}

/// Adds the notes of the commission itself: its shell, which comes first, and work done in part.
fn add_notes(commission: &Commission, notes: &mut Vec<Note>) {
    let shell = commission.execution.as_ref().and_then(|one| one.experiment.shell.as_ref());
    let shell = shell.map(|shell| Note::Shell {
        shell: shell.words.join(" "),
        syntax: shell.asked_by.as_ref().map(|(syntax, _)| *syntax),
        command: shell.asked_by.as_ref().map(|(_, command)| command.clone()),
    });
    notes.splice(0..0, shell);
    let works = commission.variants.iter().filter_map(|one| one.labels.work());
    let least = works.min_by_key(|work| work.done).filter(|work| work.done < work.whole);
    notes.extend(least.map(|work| Note::ScaledWork { least: work.done, whole: work.whole }));
}

/// The reason that a variant has no time: it is not judged because its runs failed.
fn failed_part(withdrawal: &Withdrawal, conducted: &Conducted) -> Option<MissingValues> {
    let Reason::Failed { place, .. } = &withdrawal.reason else { return None };
    let LastWords { reason, lines } = conducted.last_words.get(&withdrawal.variant)?;
    let when = if place.warmup { "warm-up round" } else { "round" };
    Some(MissingValues {
        variant: withdrawal.variant,
        metric: TIME_PER_ITERATION,
        source: Source::Run,
        runs: withdrawal.rounds as usize + 1,
        reason: format!("{reason} in {when} {}\n{lines}", place.round + 1).trim_end().to_owned(),
    })
}

/// Adds the last output of failed processes to the reason that a benchmark has no time.
fn add_last_words(document: &mut Document, conducted: &Conducted) {
    for part in &mut document.missing {
        if part.metric == TIME_PER_ITERATION
            && let Some(words) = conducted.last_words.get(&part.variant)
            && part.reason == words.reason
            && !words.lines.is_empty()
        {
            part.reason += &format!("\n{}", words.lines);
        }
    }
}

/// The judged metrics outside the registry: the user's own, and quantiles.
fn beyond_registry(stored: &Commission) -> Vec<MetricId> {
    let all = stored.rule.own_metrics.iter().chain(stored.metrics.iter().flatten());
    all.filter(|id| metric::built_in(id).is_none()).cloned().collect()
}

fn experiment_part(
    id: ExperimentId,
    stored: &Commission,
    circumstances: &Circumstances,
    conducted: &Conducted,
) -> Course {
    Course {
        id: Some(id.0),
        started_unix_ns: circumstances.started_unix_ns,
        brisk_version: circumstances.brisk_version.clone(),
        seed: Some(stored.seed),
        rounds: conducted.rounds,
        elapsed_seconds: conducted.elapsed_seconds,
        stop: conducted.stop,
        confidence: stored.rule.confidence,
        margin: stored.rule.margin,
        resolution: Some(stored.rule.margin.fraction() * stored.rule.resolution),
        estimator: stored.rule.estimator,
        order: Order::Rounds,
        commands: stored.commands,
        metrics: stored.metrics.clone(),
    }
}

/// The document with the parts that only some experiments have.
fn with_parts(
    document: Document,
    store: &Store,
    id: ExperimentId,
    stored: &Commission,
    conducted: &Conducted,
) -> Result<Document, Failure> {
    let finding = finding(&document, store, id, stored, conducted)?;
    let pairs: Vec<(u32, u32)> = stored.contrasts.compared().collect();
    let equal_work = conducted.sights.as_ref().map(|sights| {
        let mut part = equal_work(&document, &pairs, sights);
        // The output of a withdrawn point is of no interest.
        let left = |variant: u32| conducted.withdrawn.iter().any(|gone| gone.variant == variant);
        part.outputs.retain(|output| !left(output.variant));
        part
    });
    let document = Document { finding, equal_work, ..document };
    let document = with_setups(document, &pairs, &store.setups(id)?);
    let mut document = with_memory(document, store.curves(id)?);
    if let Some(earlier) = &stored.contrasts.earlier {
        document = beside::compared(document, store, stored, earlier)?;
    }
    if !is_wanted(&document) {
        return Ok(document);
    }
    let processes = processes(store, id, &document)?;
    Ok(with_baseline(document, &processes))
}

fn finding(
    document: &Document,
    store: &Store,
    id: ExperimentId,
    stored: &Commission,
    conducted: &Conducted,
) -> Result<Finding, Failure> {
    if let Some(rule) = &stored.rule.sweep {
        let sweep = landscape(document, rule, &conducted.withdrawn, &conducted.standings);
        return Ok(Finding::Sweep { sweep: Box::new(sweep) });
    }
    let Some(mut gathering) = Gathering::new(document) else { return Ok(Finding::Compare) };
    store.for_each_run(id, &mut |run: Run| -> Result<(), StoreError> {
        gathering.take(&run);
        Ok(())
    })?;
    gathering.take_measurements(&store.measurements(id)?);
    let suite = gathering.finish(document, &conducted.withdrawn);
    Ok(Finding::Bench { suite: Box::new(suite) })
}

/// Everything about an experiment except its runs.
pub fn stored(store: &Store, id: ExperimentId) -> Result<StoredExperiment, Failure> {
    if let Some(stored) = store.experiment(id)? {
        return Ok(stored);
    }
    let kind = listed(store, id)?.kind;
    Err(Failure::new(format!("experiment {id} has no runs"))
        .because(format!("`brisk {kind}` stores findings, not runs"))
        .hint(Some(format!("`brisk show {id}` shows it"))))
}

fn listed(store: &Store, id: ExperimentId) -> Result<Listed, Failure> {
    store.listed(id)?.ok_or_else(|| {
        Failure::new(format!("there is no experiment {id}"))
            .hint(Some("`brisk list` shows those that are stored"))
    })
}

/// The report of a stored experiment, or of the history that is kept with it.
pub fn stored_document(store: &Store, id: ExperimentId) -> Result<Document, Failure> {
    let experiment = stored(store, id)?;
    if let Some(history) = &experiment.history {
        return KeptHistory::read(store, id, history)?.whole(store);
    }
    own_document(store, id, &experiment)
}

/// Parses a stored document, and checks that its parts fit each other.
fn read(what: &str, id: ExperimentId, json: &str) -> Result<Document, Failure> {
    Document::read(json).map_err(|error| unreadable(what, id, &error))
}

/// The error for a document that is damaged, or was written by another program.
fn unreadable(what: &str, id: ExperimentId, error: &ReadError) -> Failure {
    Failure::new(format!("cannot read the stored {what} of experiment {id}"))
        .caused_by(error)
        .hint(Some("it is not as brisk writes it: something else has changed the store"))
}

/// The report of the experiment alone, even if it is part of a history.
pub fn own_document(
    store: &Store,
    id: ExperimentId,
    experiment: &StoredExperiment,
) -> Result<Document, Failure> {
    if let Some(summary) = &experiment.summary {
        return read("report", id, summary);
    }
    let conducted = replay(store, id, experiment)?;
    if conducted.rounds == 0 {
        return Err(without_a_round(experiment));
    }
    document(store, id, conducted)
}

/// The failure of an experiment without a judged round: its progress, and the stored runs.
pub fn without_a_round(experiment: &StoredExperiment) -> Failure {
    let id = experiment.id;
    let state = match experiment.state {
        ExperimentState::Running => "is still running, and has no finished round yet",
        ExperimentState::Failed => "failed before its first round was done",
        _ => "ended before its first round was done",
    };
    let runs = match experiment.runs {
        0 => "no run is stored".to_owned(),
        1 => "1 run is stored, and nothing to compare it with".to_owned(),
        runs => format!("{runs} runs are stored, and no round of all commands"),
    };
    let is_exported = experiment.summary.is_some() && experiment.runs > 0;
    let export =
        || format!("`brisk export {id} --export-json FILE` writes the runs that are stored");
    Failure::new(format!("experiment {id} {state}"))
        .because(format!("`{}`: {runs}", experiment.commission.title))
        .hint(is_exported.then(export))
}

/// Stores the report of an experiment whose brisk was killed, if the store can be written.
pub fn keep_report_of_the_dead(store: &mut Store, id: ExperimentId, document: &Document) {
    let is_dead = matches!(
        store.experiment(id),
        Ok(Some(StoredExperiment { state: ExperimentState::Interrupted, summary: None, .. }))
    );
    if is_dead {
        let _ = finish(store, id, document);
    }
}

/// Stores the report with the experiment, which then ends.
pub fn finish(store: &mut Store, id: ExperimentId, document: &Document) -> Result<(), Failure> {
    finish_at(store, id, document, measure::clock::unix_time_ns())
}

/// The same for an experiment that ended at the time `unix_ns`.
fn finish_at(
    store: &mut Store,
    id: ExperimentId,
    document: &Document,
    unix_ns: u64,
) -> Result<(), Failure> {
    let summary = document.json();
    let finish = Finish {
        unix_ns,
        reason: document.experiment.stop,
        elapsed_seconds: document.experiment.elapsed_seconds,
        rounds: document.experiment.rounds,
        answer: report::answer(document),
        summary: &summary,
    };
    store.finish(id, finish).map_err(Failure::from)
}

// The stored past of an experiment, observed again.

/// Observes the runs of a stored experiment as if they happened now, including its looks.
pub fn replay(
    store: &Store,
    id: ExperimentId,
    experiment: &StoredExperiment,
) -> Result<Conducted, Failure> {
    struct Nothing;
    impl Keeper for Nothing {
        fn keep(&mut self, _event: Event<'_>) -> Result<(), ObserverError> {
            Ok(())
        }
    }
    let design = Design { replayed: true, ..Design::new(&experiment.commission) };
    let (mut keeper, mut watcher) = (Nothing, nobody);
    let mut conductor = Conductor::new(design, &mut keeper, &mut watcher);
    let past = besides_runs(store, experiment)?;
    conductor.begin_replay(&past);
    store.for_each_run(id, &mut |run| -> Result<(), StoreError> {
        conductor.replay(&run, &past);
        Ok(())
    })?;
    Ok(conductor.finish_replay(&past))
}

fn besides_runs(store: &Store, experiment: &StoredExperiment) -> Result<Past, StoreError> {
    let id = experiment.id;
    Ok(Past {
        runs: Vec::new(),
        looks: store.looks(id)?,
        pauses: store.pauses(id)?,
        printed: store.printed(id)?,
        noted: store.noted(id)?,
        ended: experiment.ended,
    })
}

/// The past of an experiment that is resumed.
pub fn past(store: &Store, experiment: &StoredExperiment) -> Result<Past, Failure> {
    Ok(Past { runs: runs(store, experiment.id)?, ..besides_runs(store, experiment)? })
}

/// The runs of an experiment, in the order of their execution.
pub fn runs(store: &Store, id: ExperimentId) -> Result<Vec<Run>, Failure> {
    let mut runs = Vec::new();
    store.for_each_run(id, &mut |run| -> Result<(), StoreError> {
        runs.push(run);
        Ok(())
    })?;
    Ok(runs)
}

// The measurements of a suite's processes, from the store.

/// The measurements of the processes in finished rounds, by variant.
fn processes(
    store: &Store,
    id: ExperimentId,
    document: &Document,
) -> Result<Vec<Processes>, Failure> {
    let mut processes = vec![Processes::default(); document.variants.len()];
    store.for_each_run(id, &mut |run| -> Result<(), StoreError> {
        let is_judged = !run.place.warmup
            && run.place.source == Source::Run
            && run.place.round < document.experiment.rounds;
        if is_judged {
            let value =
                |id: MetricId| run.readings.get(&id).and_then(|value| value.as_ref().ok()).copied();
            let of_variant = &mut processes[run.place.variant as usize];
            of_variant.times.extend(value(TIME_PER_ITERATION));
            if let (Some(waited), Some(passed)) = (value(CPU_WAIT), value(WALL_TIME)) {
                of_variant.waited_seconds += waited;
                of_variant.passed_seconds += passed;
            }
        }
        Ok(())
    })?;
    Ok(processes)
}

// Reports of any kind in the store: of runs, or of an inspection.

/// The report of a stored experiment of any kind.
pub fn report(store: &Store, id: ExperimentId) -> Result<Report, Failure> {
    match listed(store, id)?.kind.is_inspection() {
        true => Ok(Report::Inspection(inspection(store, id)?)),
        false => Ok(Report::Experiment(Box::new(stored_document(store, id)?))),
    }
}

/// The report of a stored experiment, if it has a finished round.
pub fn report_to_show(store: &Store, id: ExperimentId) -> Result<Report, Failure> {
    match report(store, id)? {
        Report::Experiment(document) if document.experiment.rounds == 0 => {
            Err(without_a_round(&stored(store, id)?))
        }
        report => Ok(report),
    }
}

/// The result of an inspection.
pub fn inspection(store: &Store, id: ExperimentId) -> Result<Inspection, Failure> {
    let json = store.inspection(id)?.unwrap_or_default();
    Inspection::read(&json).map_err(|error| unreadable("report", id, &error))
}

/// Keeps the result of an inspection.
///
/// # Errors
///
/// When it cannot be stored; then nothing is stored.
pub fn keep_inspection(store: &mut Store, new: &Inspected) -> Result<ExperimentId, Failure> {
    let Inspection { kind, found, .. } = &new.inspection;
    let text =
        FoundText { kind: *kind, answer: inspection::answer(found), json: new.inspection.json() };
    store.keep_inspection(new, &text).map_err(Failure::from)
}

// Notes about the counters and about the runtimes that were queried, each made once.

/// Notes the reason that counters are missing, and what they leave out.
fn note_counters(document: &mut Document) {
    // In a suite, the counters measure only the processor's frequency.
    let metrics = document.experiment.metrics.as_deref().unwrap_or_default();
    if metrics.contains(&TIME_PER_ITERATION) {
        return;
    }
    let of = |id: MetricId, source| {
        document.summaries.iter().filter(move |s| s.metric == id && s.source == source)
    };
    let by_hardware = of(INSTRUCTIONS, Source::Run).next().is_some();
    let by_valgrind = of(INSTRUCTIONS, Source::Valgrind).next().is_some();
    let least_share = of(COUNTERS_RUNNING, Source::Run).map(|s| s.min).reduce(f64::min);
    let user_mode = document.conditions["hardware_counters"] == model::host::USER_MODE_ONLY;
    let missing = document.missing.iter().find(|part| part.metric == INSTRUCTIONS);
    let absent = missing.filter(|part| part.reason != "not requested");
    let absent = absent.filter(|_| !by_hardware && !by_valgrind);
    let absent = absent.map(|part| Note::NoCounters { reason: part.reason.clone() });
    let scaled = least_share.filter(|&share| share < 1.0);
    let scaled = scaled.map(|least_share| Note::ScaledCounters { least_share });
    let partial = (by_hardware && user_mode).then_some(Note::UserModeCounters);
    document.notes.extend(absent.into_iter().chain(partial).chain(scaled));
}

/// Notes the reason that a queried runtime gave no figures, and a noticeable cost of asking.
fn note_runtimes(document: &mut Document) {
    let variants = 0..u32::try_from(document.variants.len()).expect("at most 2^20");
    let cost = |variant: u32, id: MetricId, source| {
        let timed = document.summary(variant, &WALL_TIME, Source::Run)?;
        cost(document.summary(variant, &id, source)?, timed)
    };
    let asking = |variant: u32| {
        if document.summary(variant, &ASKED_WALL_TIME, Source::Runtime).is_none() {
            let is_its =
                |part: &&MissingValues| part.variant == variant && part.metric == ASKED_WALL_TIME;
            let silent = document.missing.iter().find(is_its)?;
            return Some(Note::NoRuntimeFigures { variant, reason: silent.reason.clone() });
        }
        let (seconds, share) = cost(variant, ASKED_WALL_TIME, Source::Runtime)?;
        Some(Note::AskingCost { variant, seconds, share })
    };
    let sampling = |variant: u32| {
        let (seconds, share) = cost(variant, SAMPLED_WALL_TIME, Source::Sampled)?;
        Some(Note::SamplingCost { variant, seconds, share })
    };
    let notes = variants.clone().filter_map(asking).chain(variants.filter_map(sampling));
    let notes: Vec<Note> = notes.collect();
    document.notes.extend(notes);
}

/// The least noticeable cost of querying, as a share: a few runs cannot tell less from noise.
const NOTICEABLE_COST: f64 = 0.05;

/// The cost of separate runs, if all of them took longer than any timed run: in seconds, and as a
/// share.
fn cost(asked: &MetricSummary, timed: &MetricSummary) -> Option<(f64, f64)> {
    let seconds = asked.median - timed.median;
    let share = seconds / timed.median;
    let is_noticeable = asked.min > timed.max && share > NOTICEABLE_COST && share.is_finite();
    is_noticeable.then_some((seconds, share))
}

// Lists of the store: experiments, and their machines.

/// An experiment as a row: its number, start, verb, rounds, answer and title; for a damaged one,
/// the problem. `titled` makes the last cell from a text.
pub fn row(
    listed: &Result<Listed, Damaged>,
    id: impl Fn(ExperimentId) -> Span,
    titled: impl Fn(&str) -> Span,
) -> Row {
    let listed = match listed {
        Ok(listed) => listed,
        Err(Damaged { id: number, why }) => {
            let nothing = || Span::from("");
            let answer = Span::from("damaged").toned(Tone::Bad);
            let cells = [id(*number), nothing(), nothing(), nothing(), answer, titled(why)];
            return cells.into_iter().collect();
        }
    };
    let rounds = match listed.kind.is_inspection() {
        true => String::new(),
        false => listed.rounds.to_string(),
    };
    let verb = Span::from(listed.kind.word());
    let when = Span::from(when(listed.started_unix_ns)).toned(Tone::Quiet);
    let (id, title) = (id(listed.id), titled(&listed.title));
    [id, when, verb, rounds.into(), answer(listed), title].into_iter().collect()
}

/// The answer in a few words; for an experiment that did not end by itself, the reason first.
fn answer(listed: &Listed) -> Span {
    let answer = listed.answer.as_deref();
    match (listed.state, answer) {
        (ExperimentState::Running, _) => "being measured".into(),
        (ExperimentState::Failed, _) => Span::from(failure(listed)).toned(Tone::Bad),
        (ExperimentState::Interrupted, Some(answer)) if !answer.contains("interrupted") => {
            format!("interrupted; {answer}").into()
        }
        (_, Some(answer)) => answer.to_owned().into(),
        (_, None) => "interrupted".into(),
    }
}

/// `failed: cannot open x`: the last words of the program, or the way it ended.
fn failure(listed: &Listed) -> String {
    let Some(FailedRun { outcome, stderr_tail }) = &listed.failed_run else {
        return "failed".to_owned();
    };
    let mut lines = stderr_tail.iter().flat_map(|tail| tail.lines().rev()).map(str::trim);
    let last = lines.find(|line| !line.is_empty());
    last.map_or_else(|| format!("failed: {outcome}"), |last| format!("failed: {last}"))
}

/// The local date and time, to the minute.
pub fn when(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds).map_or_else(
        |_| "?".to_owned(),
        |time| time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
    )
}

/// A machine of experiments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The facts that identify it, each with its name.
    pub facts: [(&'static str, Option<String>); 4],
    /// The number of experiments on it.
    pub experiments: u64,
    /// The newest of them.
    pub newest: ExperimentId,
}

/// The machines, sorted by their newest experiment, newest first.
pub fn machines(store: &Store) -> Result<Vec<Machine>, Failure> {
    let mut machines: Vec<Machine> = Vec::new();
    let mut places = HashMap::new();
    store.for_each_machine(&mut |newest, json| {
        // A machine that cannot be read has no facts.
        let facts = identifying(&serde_json::from_str(json).unwrap_or(Value::Null));
        let place = *places.entry(facts.clone()).or_insert_with(|| {
            machines.push(Machine { facts, experiments: 0, newest });
            machines.len() - 1
        });
        machines[place].experiments += 1;
    })?;
    Ok(machines)
}

// The documents of histories in the store: that of a suite is split into parts.

/// Keeps the document of a history with the newest of its experiments.
pub fn keep_history(
    store: &mut Store,
    id: ExperimentId,
    document: &Document,
) -> Result<(), Failure> {
    debug_assert!(document.verify().is_ok(), "{:?}", document.verify());
    let answer = in_short(document);
    let (frame, parts) = benchmarks::apart(document.clone());
    let frame = json::text(&frame);
    let history = StoredHistory { answer, frame, benchmarks: parallel::map(&parts, json::text) };
    Ok(store.keep_history(id, &history)?)
}

/// A stored history.
pub struct KeptHistory {
    id: ExperimentId,
    /// For a suite, the part of the document that its benchmarks share.
    frame: Document,
    /// For each benchmark, its variants in the whole document, and the number of the first.
    parts: Vec<(BenchmarkHistory, u32)>,
}

impl KeptHistory {
    /// The history that is kept with this experiment, whose document is `frame`.
    fn read(store: &Store, id: ExperimentId, frame: &str) -> Result<Self, Failure> {
        let found = store.history_parts(id)?;
        let cannot = |error: ReadError| unreadable("history", id, &error);
        let mut frame: Document =
            serde_json::from_str(frame).map_err(|error| cannot(error.into()))?;
        let count = frame.histories().len();
        if found != count {
            let (part, what) = ("history_part", "benchmarks");
            return Err(cannot(ReadError::Length { part, what, found, count }));
        }
        let firsts = frame.first_variants();
        let parts = frame.take_histories().into_iter().zip(firsts).collect();
        Ok(Self { id, frame, parts })
    }

    fn json(&self, store: &Store, place: usize) -> Result<String, Failure> {
        let missing = || {
            Failure::new(format!("cannot read the stored history of experiment {}", self.id))
                .because(format!("the part of its benchmark {place} is not there"))
        };
        store.history_part(self.id, place)?.ok_or_else(missing)
    }

    fn whole(mut self, store: &Store) -> Result<Document, Failure> {
        let parts = (0..self.parts.len()).map(|place| self.json(store, place));
        let parts = parts.collect::<Result<Vec<String>, Failure>>()?;
        let parts = parallel::map(&parts, |json| part(self.id, json));
        let parts = parts.into_iter().collect::<Result<Vec<BenchmarkFigures>, Failure>>()?;
        if let Some(found) = self.frame.history_mut() {
            found.histories = self.parts.into_iter().map(|(history, _)| history).collect();
        }
        checked(self.id, benchmarks::together(self.frame, parts))
    }

    /// The history of the command, or of the benchmark at this place.
    pub fn own(&self, store: &Store, place: usize) -> Result<Document, Failure> {
        if let Some((history, first)) = self.parts.get(place) {
            let figures = part(self.id, &self.json(store, place)?)?;
            return checked(self.id, benchmarks::own(&self.frame, history, *first, figures));
        }
        checked(self.id, self.frame.clone())
    }

    /// The name of the command, or of each benchmark.
    pub fn names(&self) -> Vec<String> {
        let benchmarks = self.parts.iter().map(|(history, _)| history.benchmark.clone());
        let command = self.frame.history().filter(|_| self.parts.is_empty());
        let command = command.map(|found| site::name_of_command(&found.subject));
        command.into_iter().chain(benchmarks).collect()
    }
}

fn part(id: ExperimentId, json: &str) -> Result<BenchmarkFigures, Failure> {
    serde_json::from_str(json).map_err(|error| unreadable("history", id, &error.into()))
}

fn checked(id: ExperimentId, document: Document) -> Result<Document, Failure> {
    document.verify().map_err(|error| unreadable("history", id, &error))?;
    Ok(document)
}

/// The newest history of each command and suite of a project, sorted by name.
pub fn newest_histories(store: &Store, project: &str) -> Result<Vec<KeptHistory>, Failure> {
    let mut newest: BTreeMap<(String, String), KeptHistory> = BTreeMap::new();
    for id in store.newest_histories(project)? {
        let Some(frame) = stored(store, id)?.history else { continue };
        let kept = KeptHistory::read(store, id, &frame)?;
        let Some(history) = kept.frame.history() else { continue };
        let history = &history.subject;
        let key = (history.repository.clone(), history.command.clone());
        newest.entry(key).or_insert(kept);
    }
    Ok(newest.into_values().collect())
}
