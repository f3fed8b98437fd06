//! Between the store and the reports: stores finished experiments, and makes documents of stored
//! ones.

mod beside;
mod earlier;
mod exporting;
mod histories;
mod inspections;
mod instruments;
mod listing;
mod processes;
mod receiving;
mod replay;
mod sending;

use crate::assemble::{self, Facts};
use crate::conduct::{Conducted, Keeper, LastWords};
use findings::{Course, Document, Finding, MissingValues, Order, ReadError, letter};
use judge::acceptance::Standing;
use model::commission::{Commission, Contender, Kind};
use model::design::contrasts::Failing;
use model::failure::Failure;
use model::host::Circumstances;
use model::metric::{self, MetricId, Source, TIME_PER_ITERATION, WALL_TIME};
use model::note::Note;
use model::run::Run;
use model::sample::{Columns, Treatment};
use model::sweep::rule::{Reason, Withdrawal};
use report::equal_work;
use report::expectations;
use report::memory;
use report::setups;
use report::suite;
use report::suite::judging::Gathering;
use report::sweep::landscape::landscape;
use run::ObserverError;
use store::record::Event;
use store::{
    ExperimentId, ExperimentState, Finish, Journal, Listed, Place, Store, StoreError,
    StoredExperiment,
};

pub use beside::{Beside, With, beside, find};
pub use exporting::{Drawn, export, page};
pub use histories::{KeptHistory, keep_history, newest_histories};
pub use inspections::{inspection, keep_inspection, report, report_to_show};
use instruments::{note_counters, note_runtimes};
pub use listing::{Machine, machines, row, when};
pub use receiving::{Before, Merged, Received, all, import_events, import_record, import_store};
pub use replay::{Past, past, replay, runs};
pub use sending::{events, export_record};

/// Opens the store for writing, after recovering the runs of any killed brisk.
pub fn open_for_writing(place: &Place) -> Result<Store, Failure> {
    let mut store = Store::open(place)?;
    store.recover()?;
    Ok(store)
}

/// Opens an existing store for reading.
pub fn open_for_reading(place: &Place) -> Result<Store, Failure> {
    match Store::open_existing(place)? {
        Some(mut store) => {
            recover_if_possible(&mut store);
            Ok(store)
        }
        None => Err(Failure::new(format!("nothing is stored at `{place}`"))
            .hint(Some("`brisk compare` stores what it measures"))),
    }
}

/// Recovers the runs of a killed brisk. Failures are ignored for the sake of readers, for example
/// with a read-only store.
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
///
/// # Errors
///
/// When it cannot be read, does not compare commands, or has no such command.
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
        experiment: experiment_part(id, (&stored, &circumstances), &conducted),
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
    add_parts(&mut document, store, id, &stored, &conducted)?;
    Ok(document)
}

/// Adds the notes that follow from the commission itself: its shell, which comes first, and work
/// that was done only in part.
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

/// The metrics outside the registry: the user's own that are judged beside the usual ones, those
/// that are named, and quantiles.
fn beyond_registry(stored: &Commission) -> Vec<MetricId> {
    let all = stored.rule.own_metrics.iter().chain(stored.metrics.iter().flatten());
    all.filter(|id| metric::built_in(id).is_none()).cloned().collect()
}

fn experiment_part(
    id: ExperimentId,
    (stored, circumstances): (&Commission, &Circumstances),
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
        margin: stored.rule.margin.fraction(),
        resolution: Some(stored.rule.margin.fraction() * stored.rule.resolution),
        estimator: stored.rule.estimator,
        order: Order::Rounds,
        commands: stored.commands,
        metrics: stored.metrics.clone(),
    }
}

/// Adds the parts that only some experiments have.
fn add_parts(
    document: &mut Document,
    store: &Store,
    id: ExperimentId,
    stored: &Commission,
    conducted: &Conducted,
) -> Result<(), Failure> {
    let sweep = stored.rule.sweep.as_ref();
    document.finding = match (sweep, suite::part(document)) {
        (Some(rule), _) => {
            let sweep = landscape(document, rule, &conducted.withdrawn, &conducted.standings);
            Finding::Sweep { sweep: Box::new(sweep) }
        }
        (None, Some(suite)) => Finding::Bench { suite: Box::new(suite) },
        (None, None) => Finding::Compare,
    };
    suite::missing::put_in(document, &conducted.withdrawn);
    if let Some(mut gathering) = Gathering::new(document) {
        let take = &mut |run: Run| -> Result<(), StoreError> {
            gathering.take(&run);
            Ok(())
        };
        store.for_each_run(id, take)?;
        let measured = store.measurements(id)?;
        gathering.take_measurements(&measured);
        gathering.finish(document);
    }
    let pairs: Vec<(u32, u32)> = stored.contrasts.compared().collect();
    let setups_run = store.setups(id)?;
    setups::add(document, &pairs, &setups_run);
    if let Some(sights) = &conducted.sights {
        equal_work::add(document, &pairs, sights);
        // The output of a withdrawn point is of no interest.
        let left = |variant: u32| conducted.withdrawn.iter().any(|gone| gone.variant == variant);
        let part = document.equal_work.as_mut();
        part.into_iter().for_each(|part| part.outputs.retain(|output| !left(output.variant)));
    }
    let curves = store.curves(id)?;
    memory::put_in(document, curves);
    earlier::add(document, store, stored)?;
    if suite::baseline::is_wanted(document) {
        let processes = processes::processes(store, id, document)?;
        suite::baseline::add(document, &processes);
    }
    Ok(())
}

/// Everything about an experiment except its runs.
///
/// # Errors
///
/// When it cannot be read, or does not exist.
pub fn stored(store: &Store, id: ExperimentId) -> Result<StoredExperiment, Failure> {
    if let Some(stored) = store.experiment(id)? {
        return Ok(stored);
    }
    let kind = listed(store, id)?.kind;
    Err(Failure::new(format!("experiment {id} has no runs"))
        .because(format!("`brisk {kind}` stores findings, not runs"))
        .hint(Some(format!("`brisk show {id}` shows it"))))
}

/// An experiment as shown in lists.
fn listed(store: &Store, id: ExperimentId) -> Result<Listed, Failure> {
    store.listed(id)?.ok_or_else(|| {
        Failure::new(format!("there is no experiment {id}"))
            .hint(Some("`brisk list` shows those that are stored"))
    })
}

/// The report of a stored experiment: as it was finished, or else judged now. For the newest of a
/// history, that history.
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
///
/// # Errors
///
/// When it cannot be read, or has no finished round.
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
    let failure = Failure::new(format!("experiment {id} {state}"));
    let failure = failure.because(format!("`{}`: {runs}", experiment.commission.title));
    let is_exported = experiment.summary.is_some() && experiment.runs > 0;
    failure.hint(
        is_exported.then(|| {
            format!("`brisk export {id} --export-json FILE` writes the runs that are stored")
        }),
    )
}

/// Stores the report of an experiment whose brisk was killed before it could, so that it is judged
/// only once. If the store cannot be written, it is judged again the next time.
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
    let answer = match document.answers.as_slice() {
        _ if document.kind() == Kind::Check => standings(document),
        [] => words::circumstances(document),
        [only] => match document.deciding(only) {
            Some(part) => format!("{} {}", only.verdict.word(), words::ratio(part)),
            None => only.verdict.word().to_owned(),
        },
        many => {
            let best = many.iter().filter_map(|answer| document.deciding(answer));
            let best = best.min_by(|a, b| a.ratio.total_cmp(&b.ratio));
            format!(
                "{} compared, best ratio {}",
                many.len(),
                best.map(words::ratio).unwrap_or_default()
            )
        }
    };
    let summary = document.json();
    let finish = Finish {
        unix_ns,
        reason: document.experiment.stop,
        elapsed_seconds: document.experiment.elapsed_seconds,
        rounds: document.experiment.rounds,
        answer,
        summary: &summary,
    };
    store.finish(id, finish).map_err(Failure::from)
}

/// The tally of a check's expectations.
fn standings(document: &Document) -> String {
    let parts = document.expectations().iter();
    let standings: Vec<Standing> = parts.map(|part| part.standing).collect();
    expectations::tally(&standings)
}
