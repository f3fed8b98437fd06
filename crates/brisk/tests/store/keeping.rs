//! Stored data is read back.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Barrier;
use std::thread;

use judge::acceptance::{Acceptance, AcceptedValue};
use judge::level::Interval;
use measure::Outcome;
use model::commission::Commission;
use model::design::contrasts::{Company, Contrasts, Failing, RatioLimit};
use model::design::stopping::{StopReason, StoppingRule};
use model::metric::{MetricId, Missing, PEAK_RSS, REGISTRY, Readings, Source, Value, WALL_TIME};
use model::run::{Run, RunPlace};
use proptest::prelude::*;
use run::LookTaken;
use run::finished::SetupRun;
use store::record::{Event, Stop};
use store::{ExperimentId, ExperimentState, Filter, Finish, Store, StoreError, StoredHistory};

use crate::given::{
    On, circumstances, experiment, filled, finish, finished, on_both, run, runs, stored_runs,
};

on_both! {
    an_experiment_is_read_as_it_was_stored,
    the_list_begins_with_the_newest,
    runs_come_in_the_order_of_running,
    there_is_no_experiment_where_none_was_stored,
    a_run_is_stored_once_or_refused,
    two_brisks_write_at_once,
    a_new_store_is_made_once_by_many,
    whatever_is_stored_is_read_back_the_same,
    looks_and_planned_contrasts_are_read_as_they_were_stored,
    setups_are_read_as_they_were_stored,
    experiments_are_found_by_their_subject,
    the_newest_history_of_each_question_is_that_of_the_project_and_its_folders,
    an_interrupted_experiment_is_taken_up_by_one_brisk_only,
    a_complete_experiment_goes_on_by_a_longer_rule_and_a_failed_one_does_not,
    acceptances_are_kept_in_order_and_belong_to_commits_or_to_a_folder,
    a_project_has_one_baseline_the_last,
}

fn an_experiment_is_read_as_it_was_stored(on: On) {
    let folder = on.folder();
    // Missing folders are created, and odd names work.
    let path = folder.store("new folder/100% ? #1/größe.db");
    let mut given = experiment();
    given.metrics = Some(vec![REGISTRY[3].id.clone(), REGISTRY[0].id.clone()]);
    let mut store = Store::open(&path).expect("a new store");
    let (id, journal) = store.begin(&given, &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..7))).expect("appends");
    journal.clear().expect("clears");

    let running = store.experiment(id).expect("readable").expect("it is there");
    assert_eq!(running.commission, given);
    assert_eq!((running.state, running.ended), (ExperimentState::Running, None));
    assert_eq!((running.rounds, running.runs), (4, 7));
    assert_eq!((&running.answer, &running.summary), (&None, &None));

    store.finish(id, finish()).expect("finishes");
    drop(store);
    let store = Store::open_existing(&path).expect("opens").expect("it is there");
    let ended = store.experiment(id).expect("readable").expect("it is there");
    assert_eq!(ended.commission, given);
    let Finish { reason, unix_ns, elapsed_seconds, .. } = finish();
    let stop = Stop { reason, unix_ns, elapsed_seconds };
    assert_eq!((ended.state, ended.ended), (ExperimentState::Complete, Some(stop)));
    assert_eq!((ended.rounds, ended.runs), (30, 7));
    assert_eq!(ended.answer, Some(finish().answer));
    assert_eq!(ended.summary.as_deref(), Some(finish().summary));
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..7));
}

fn the_list_begins_with_the_newest(on: On) {
    let folder = on.folder();
    let path = folder.store("runs.db");
    let first = filled(&path, 3);
    let second = filled(&path, 4);
    let mut store = Store::open(&path).expect("opens");
    let (third, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    let failed = Finish { reason: StopReason::Failed, ..finish() };
    store.finish(third, failed).expect("finishes");

    let listed = store.list(&Filter::newest(usize::MAX)).expect("readable");
    let ids: Vec<ExperimentId> = listed.iter().map(|listed| listed.id).collect();
    assert_eq!(ids, [third, second, first]);
    assert_eq!((listed[0].state, listed[0].runs), (ExperimentState::Failed, 0));
    assert_eq!(
        (listed[1].state, listed[1].runs, listed[1].variants),
        (ExperimentState::Complete, 4, 2)
    );
    assert_eq!(listed[1].title, "old vs new");
    assert_eq!(store.list(&Filter::newest(1)).expect("readable").len(), 1);
}

fn runs_come_in_the_order_of_running(on: On) {
    let folder = on.folder();
    let mut store = Store::open(folder.store("runs.db")).expect("a new store");
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    let kinds = [
        (Source::Run, true),
        (Source::Run, false),
        (Source::Runtime, false),
        (Source::Valgrind, false),
    ];
    let ordered: Vec<Run> = kinds
        .into_iter()
        .flat_map(|(source, warmup)| {
            // Past 9 and past 255, where numbers stored as text or bytes would sort differently.
            [0, 1, 2, 18, 19, 20, 21, 511, 512, 513].into_iter().map(move |number| {
                let run = run(number);
                Run { place: RunPlace { source, warmup, ..run.place }, ..run }
            })
        })
        .collect();
    for run in ordered.iter().rev() {
        store.append(id, &finished(std::slice::from_ref(run))).expect("appends");
    }
    assert_eq!(stored_runs(&store, id).expect("readable"), ordered);
}

fn there_is_no_experiment_where_none_was_stored(on: On) {
    let folder = on.folder();
    let path = folder.store("deep/runs.db");
    assert!(Store::open_existing(&path).expect("no trouble").is_none());
    assert!(folder.names().is_empty(), "reading made {:?}", folder.names());

    let mut store = Store::open(&path).expect("a new store");
    let nowhere = ExperimentId(7);
    assert_eq!(store.experiment(nowhere).expect("readable"), None);
    for error in [store.append(nowhere, &finished(&runs(0..1))), store.finish(nowhere, finish())] {
        let error = error.expect_err("there is none");
        assert!(matches!(error, StoreError::NoSuchExperiment { id, .. } if id == nowhere));
        assert!(error.to_string().starts_with("no experiment 7 in the store at `"), "{error}");
    }
    // The refused runs do not end up in another experiment either.
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    assert_eq!(stored_runs(&store, id).expect("readable"), []);
}

fn a_run_is_stored_once_or_refused(on: On) {
    let folder = on.folder();
    let mut store = Store::open(folder.store("runs.db")).expect("a new store");
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..2))).expect("appends");
    // The slice is refused as a whole, including the reason that only it has.
    let mut slice = runs(1..4);
    let gone: Value = Err(Missing("only here".into()));
    slice[0].readings = [(REGISTRY[0].id.clone(), gone.clone())].into_iter().collect();
    store.append(id, &finished(&slice)).expect_err("round 0, position 1 is taken");
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..2));

    slice[0].place.round = 9;
    store.append(id, &finished(&slice[..1])).expect("appends");
    let stored = stored_runs(&store, id).expect("readable");
    assert_eq!(stored.last().expect("three").readings, slice[0].readings);
}

fn two_brisks_write_at_once(on: On) {
    let folder = on.folder();
    let path = folder.store("runs.db");
    // Each of them finds no store, so they also create it at the same time.
    let ids: Vec<ExperimentId> = thread::scope(|scope| {
        let write = || {
            let mut store = Store::open(&path).expect("opens");
            let (id, journal) = store.begin(&experiment(), &circumstances()).expect("begins");
            for slice in 0..50 {
                store.append(id, &finished(&runs(slice * 4..slice * 4 + 4))).expect("appends");
                journal.clear().expect("clears");
            }
            // The others are alive.
            assert_eq!(store.recover().expect("readable"), []);
            (id, journal)
        };
        let writers: Vec<_> = (0..8).map(|_| scope.spawn(write)).collect();
        let written: Vec<_> =
            writers.into_iter().map(|writer| writer.join().expect("writes")).collect();
        written.iter().map(|(id, _journal)| *id).collect()
    });
    let store = Store::open_existing(&path).expect("opens").expect("it is there");
    assert_eq!(store.list(&Filter::newest(usize::MAX)).expect("readable").len(), ids.len());
    for id in ids {
        assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..200));
    }
}

fn a_new_store_is_made_once_by_many(on: On) {
    for _ in 0..10 {
        let folder = on.folder();
        let path = folder.store("runs.db");
        let together = Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    together.wait();
                    let mut store = Store::open(&path).expect("opens");
                    store.begin(&experiment(), &circumstances()).expect("begins");
                });
            }
        });
        let store = Store::open_existing(&path).expect("opens").expect("there");
        assert_eq!(store.list(&Filter::newest(usize::MAX)).expect("readable").len(), 8);
    }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => any::<f64>().prop_filter("a reading is finite", |value| value.is_finite()).prop_map(Ok),
        2 => (0_u64..1 << 60).prop_map(|count| Ok(count as f64)),
        2 => "\\PC{0,8}".prop_map(|reason| Err(Missing(reason.into()))),
    ]
}

/// Any of these metrics, each at most once, sorted by name.
fn readings() -> impl Strategy<Value = Readings> {
    proptest::collection::btree_map("[a-f]|wall_time|cpu_time", value(), 0..8).prop_map(
        |readings| readings.into_iter().map(|(id, value)| (MetricId::from(id), value)).collect(),
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        any::<i32>().prop_map(Outcome::Exited),
        any::<i32>().prop_map(Outcome::Signalled),
        Just(Outcome::TimedOut),
    ]
}

fn any_runs() -> impl Strategy<Value = Vec<Run>> {
    let source = prop_oneof![Just(Source::Run), Just(Source::Runtime), Just(Source::Valgrind)];
    let place = (source, any::<bool>(), 0_u32..1 << 23, 0_u32..1 << 20, 0_u32..2);
    let rest = (0_u64..1 << 63, outcome(), readings(), any::<u32>(), any::<Option<String>>());
    proptest::collection::vec((place, rest), 0..12).prop_map(|parts| {
        let mut runs: Vec<Run> = parts
            .into_iter()
            .map(|((source, warmup, round, position, variant), rest)| Run {
                place: RunPlace { source, warmup, round, position, variant },
                started_unix_ns: rest.0,
                outcome: rest.1,
                readings: rest.2,
                left_behind: rest.3,
                stderr_tail: rest.4,
            })
            .collect();
        let key = |run: &Run| {
            let place = run.place;
            (place.source, !place.warmup, place.round, place.position)
        };
        runs.sort_by_key(key);
        runs.dedup_by_key(|run| key(run));
        runs
    })
}

/// Readings are stored in the order of the experiment's list, which is that of the first run.
fn by_name(runs: Vec<Run>) -> Vec<Run> {
    let sorted = |readings: &Readings| {
        let mut pairs: Vec<_> =
            readings.iter().map(|(id, value)| (id.clone(), value.clone())).collect();
        pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
        pairs.into_iter().collect()
    };
    runs.into_iter().map(|run| Run { readings: sorted(&run.readings), ..run }).collect()
}

fn whatever_is_stored_is_read_back_the_same(on: On) {
    let folder = on.folder();
    let store = RefCell::new(Store::open(folder.store("runs.db")).expect("a new store"));
    proptest!(|(runs in any_runs(), slice in 1_usize..5)| {
        let mut store = store.borrow_mut();
        let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
        for slice in runs.chunks(slice) {
            store.append(id, &finished(slice)).expect("appends");
        }
        store.finish(id, finish()).expect("finishes");
        let stored = by_name(stored_runs(&store, id).expect("readable"));
        prop_assert_eq!(stored, by_name(runs));
    });
}

fn looks_and_planned_contrasts_are_read_as_they_were_stored(on: On) {
    let folder = on.folder();
    let path = folder.store("runs.db");
    let contrasts = Contrasts {
        pairs: vec![(1, 0)],
        spans: vec![(0, 1)],
        family: Some(40),
        company: Some(Company { from: 1, rounds: 10 }),
        failing: Failing::LeavesTheRest,
        earlier: None,
        limits: vec![RatioLimit { pair: (1, 0), metric: WALL_TIME, ratio: 1.02 }],
    };
    let given = Commission { contrasts, subject: Some("s".to_owned()), ..experiment() };
    let mut store = Store::open(&path).expect("a new store");
    let (id, _journal) = store.begin(&given, &circumstances()).expect("begins");
    let look = |rounds, clock| LookTaken { rounds, clock, elapsed_seconds: 0.1 + 0.2 };
    for taken in [look(10, 0.1), look(12, 1.0 / 3.0)] {
        store.append(id, &Event::Look(taken)).expect("appends");
    }
    assert_eq!(store.looks(id).expect("readable"), [look(10, 0.1), look(12, 1.0 / 3.0)]);
    assert_eq!(store.experiment(id).expect("readable").expect("it is there").commission, given);
    assert!(store.append(ExperimentId(99), &Event::Look(look(1, 0.5))).is_err());
}

fn setups_are_read_as_they_were_stored(on: On) {
    let folder = on.folder();
    let path = folder.store("runs.db");
    let mut store = Store::open(&path).expect("a new store");
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    let setup = |variant, seconds| SetupRun {
        variant,
        command: format!("make {{size}} 'größe {variant}'"),
        readings: [(PEAK_RSS, Ok(4096.0)), (WALL_TIME, Ok(seconds))].into_iter().collect(),
    };
    let set_up = |run: &SetupRun| Event::Setup(Cow::Owned(run.clone()));
    let runs = [setup(0, 0.1 + 0.2), setup(1, 1.0 / 3.0), setup(1, 0.25)];
    for number in [1, 0, 2] {
        store.append(id, &set_up(&runs[number])).expect("appends");
    }
    assert_eq!(store.setups(id).expect("readable"), runs);
    assert_eq!(store.setups(ExperimentId(99)).expect("readable"), []);
    assert!(store.append(ExperimentId(99), &set_up(&runs[0])).is_err());
    assert!(store.append(id, &set_up(&setup(2, 1.0))).is_err(), "there is no such variant");
}

fn experiments_are_found_by_their_subject(on: On) {
    let folder = on.folder();
    let path = folder.store("runs.db");
    let mut store = Store::open(&path).expect("a new store");
    let mut begin = |subject: Option<&str>| {
        let given = Commission { subject: subject.map(str::to_owned), ..experiment() };
        store.begin(&given, &circumstances()).expect("begins").0
    };
    let (first, _, _, last) = (begin(Some("a")), begin(Some("b")), begin(None), begin(Some("a")));
    assert_eq!(store.of_subject("a").expect("readable"), [last, first]);
    assert_eq!(store.of_subject("c").expect("readable"), []);

    let history = |frame: &str, benchmarks: &[&str]| StoredHistory {
        answer: format!("{} benchmarks", benchmarks.len()),
        frame: frame.to_owned(),
        benchmarks: benchmarks.iter().map(|&json| json.to_owned()).collect(),
    };
    store.keep_history(last, &history("{}", &["a", "b"])).expect("writable");
    store.keep_history(last, &history("[1]", &["c"])).expect("writable");
    let kept = store.experiment(last).expect("readable").expect("it is there");
    assert_eq!(kept.history.as_deref(), Some("[1]"));
    let listed = store.listed(last).expect("readable").expect("it is there");
    assert_eq!(listed.answer.as_deref(), Some("1 benchmarks"));
    assert_eq!(store.history_parts(last).expect("readable"), 1);
    assert_eq!(store.history_part(last, 0).expect("readable").as_deref(), Some("c"));
    assert_eq!(store.history_part(last, 1).expect("readable"), None);
    assert!(store.keep_history(ExperimentId(99), &history("{}", &[])).is_err());
}

fn the_newest_history_of_each_question_is_that_of_the_project_and_its_folders(on: On) {
    let folder = on.folder();
    let mut store = Store::open(folder.store("runs.db")).expect("a new store");
    let mut kept = |subject: &str, project: &str, has_history: bool| {
        let given = Commission {
            subject: Some(subject.to_owned()),
            project: project.to_owned(),
            ..experiment()
        };
        let (id, _journal) = store.begin(&given, &circumstances()).expect("begins");
        store.append(id, &finished(&runs(0..3))).expect("appends");
        store.finish(id, finish()).expect("finishes");
        let history = StoredHistory { frame: "{}".to_owned(), ..StoredHistory::default() };
        if has_history {
            store.keep_history(id, &history).expect("writable");
        }
        id
    };
    kept("a", "/p", true);
    let newer = kept("a", "/p", true);
    kept("a", "/p", false);
    let within = kept("b", "/p/q", true);
    kept("c", "/pq", true);
    assert_eq!(store.newest_histories("/p").expect("readable"), [within, newer]);
    assert_eq!(store.newest_histories("/p/").expect("readable"), [within, newer]);
}

fn an_interrupted_experiment_is_taken_up_by_one_brisk_only(on: On) {
    let folder = on.folder();
    let path = folder.store("runs.db");
    let mut store = Store::open(&path).expect("a new store");
    let (id, journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    let rule = experiment().rule;
    store.append(id, &finished(&runs(0..4))).expect("appends");
    assert!(store.resume(id, &rule).expect("readable").is_none(), "it is alive");
    store.finish(id, Finish { reason: StopReason::Interrupted, ..finish() }).expect("finishes");
    drop(journal);

    let journal = store.resume(id, &rule).expect("writable").expect("it is free");
    let taken = store.experiment(id).expect("readable").expect("it is there");
    assert_eq!((taken.state, taken.ended, taken.summary), (ExperimentState::Running, None, None));
    let mut other = Store::open(&path).expect("opens");
    assert!(other.resume(id, &rule).expect("readable").is_none(), "another brisk has it");
    assert_eq!(other.recover().expect("readable"), []);
    store.append(id, &finished(&runs(4..6))).expect("appends");
    drop(journal);
    assert_eq!(other.recover().expect("writable"), [id]);
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..6));
    store.finish(id, finish()).expect("finishes");
}

fn a_complete_experiment_goes_on_by_a_longer_rule_and_a_failed_one_does_not(on: On) {
    let folder = on.folder();
    let mut store = Store::open(folder.store("runs.db")).expect("a new store");
    let (id, journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..4))).expect("appends");
    store.finish(id, finish()).expect("finishes");
    drop(journal);
    let longer = StoppingRule { budget_seconds: Some(1e3), ..experiment().rule };
    let journal = store.resume(id, &longer).expect("writable").expect("it is free");
    let taken = store.experiment(id).expect("readable").expect("it is there");
    assert_eq!((taken.state, taken.ended, taken.summary), (ExperimentState::Running, None, None));
    assert_eq!(taken.commission.rule, longer);
    store.finish(id, Finish { reason: StopReason::Failed, ..finish() }).expect("finishes");
    drop(journal);
    assert!(store.resume(id, &longer).expect("readable").is_none(), "it failed");
}

fn acceptances_are_kept_in_order_and_belong_to_commits_or_to_a_folder(on: On) {
    let folder = on.folder();
    let path = folder.store("runs.db");
    let mut store = Store::open(&path).expect("a new store");
    let acceptance = |commit: Option<&str>, why: &str| Acceptance {
        expectation: "0123456789ab".parse().expect("twelve digits"),
        that: "peak_rss(a) < 1 MB".to_owned(),
        commit: commit.map(str::to_owned),
        values: vec![AcceptedValue {
            what: "peak_rss(a)".to_owned(),
            value: Interval::new(0.1 + 0.2, 0.1, 1e7 / 3.0).expect("in order"),
        }],
        why: why.to_owned(),
        who: "Ada <ada@example.org>".to_owned(),
        unix_ns: u64::MAX,
    };
    let (at_commit, here) = (acceptance(Some("c0ffee"), "first"), acceptance(None, "second"));
    store.accept("/here", &at_commit).expect("writable");
    store.accept("/here", &here).expect("writable");
    drop(store);
    let store = Store::open(&path).expect("opens");
    assert_eq!(store.acceptances("/here").expect("readable"), [at_commit.clone(), here]);
    assert_eq!(store.acceptances("/there").expect("readable"), [at_commit]);
}

fn a_project_has_one_baseline_the_last(on: On) {
    let folder = on.folder();
    let mut store = Store::open(folder.store("runs.db")).expect("a new store");
    assert_eq!(store.baseline("/here").expect("readable"), None);
    store.keep_baseline("/here", "one", 1).expect("writable");
    store.keep_baseline("/there", "other", 2).expect("writable");
    store.keep_baseline("/here", "two", u64::MAX).expect("writable");
    assert_eq!(store.baseline("/here").expect("readable").as_deref(), Some("two"));
    assert_eq!(store.baseline("/there").expect("readable").as_deref(), Some("other"));
}
