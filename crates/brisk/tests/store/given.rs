//! Contents and places of the tests' stores.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use measure::Outcome;
use model::commission::{Commission, Contender, Kind};
use model::design::contrasts::Contrasts;
use model::design::stopping::{EstimatorOption, StopReason, StoppingRule};
use model::host::Circumstances;
use model::metric::{Missing, REGISTRY, Readings, Source};
use model::run::{Run, RunPlace};
use model::verdict::Margin;
#[cfg(feature = "postgres")]
use store::Address;
use store::record::Event;
use store::{ExperimentId, Finish, Place, Store, StoreError};

/// The backend of a test's store.
#[derive(Clone, Copy)]
pub(crate) enum On {
    Sqlite,
    #[cfg(feature = "postgres")]
    Server,
}

impl On {
    pub(crate) fn folder(self) -> Folder {
        let mut folder = Folder::new();
        folder.on = self;
        folder
    }
}

/// Tests that hold for every backend: the functions with these names, once for each.
macro_rules! on_both {
    ($($test:ident),* $(,)?) => { $(
        mod $test {
            #[test]
            fn sqlite() {
                super::$test(crate::given::On::Sqlite);
            }

            #[cfg(feature = "postgres")]
            #[test]
            fn postgres() {
                if crate::engine::Engine::shared().is_some() {
                    super::$test(crate::given::On::Server);
                }
            }
        }
    )* };
}
pub(crate) use on_both;

/// An empty folder, removed with the test.
pub(crate) struct Folder {
    path: PathBuf,
    on: On,
    stores: Mutex<HashMap<String, Place>>,
}

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("store-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("the folder for tests is writable");
        Self { path, on: On::Sqlite, stores: Mutex::default() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The store with this name; it does not exist the first time.
    pub(crate) fn store(&self, name: &str) -> Place {
        let new = || match self.on {
            On::Sqlite => Place::from(self.file(name)),
            #[cfg(feature = "postgres")]
            On::Server => {
                let engine = crate::engine::Engine::shared().expect("it was asked for");
                self.at(&engine.database())
            }
        };
        let mut stores = self.stores.lock().expect("no test fails with it");
        stores.entry(name.to_owned()).or_insert_with(new).clone()
    }

    /// The store at this address, with data that it has not yet received in this folder.
    #[cfg(feature = "postgres")]
    pub(crate) fn at(&self, address: &str) -> Place {
        let address = Address::read(address, self.file("servers"), |_| None);
        Place::Server(address.expect("an address").into())
    }

    /// The names of its entries.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).expect("the folder is there");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Leftovers are below the build folder.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// An experiment with two variants.
pub(crate) fn experiment() -> Commission {
    let variant = |name: &str| Contender {
        name: name.to_owned(),
        command: format!("./{name} 'größe 1'"),
        labels: vec![("size".to_owned(), "1".to_owned()), ("b".to_owned(), String::new())].into(),
    };
    Commission {
        kind: Kind::Compare,
        title: "old vs new".to_owned(),
        project: "/home/user/project".to_owned(),
        arguments: vec!["compare".to_owned(), "./old".to_owned(), "./new".to_owned()],
        cwd: "/somewhere".to_owned(),
        seed: u64::MAX,
        commands: 2,
        contrasts: Contrasts::of_commands(2, 2),
        subject: None,
        rule: StoppingRule {
            warmup: 1,
            min_rounds: 10,
            max_rounds: 1000,
            budget_seconds: Some(0.1 + 0.2),
            margin: Margin::new(0.01).expect("positive"),
            resolution: 0.25,
            precision: 0.25,
            confidence: 0.95,
            estimator: EstimatorOption::PseudoMedian,
            stage: model::design::stopping::Stage::default(),
            sweep: None,
            own_metrics: Vec::new(),
        },
        metrics: None,
        variants: vec![variant("old"), variant("new")],
        execution: None,
    }
}

/// The place and time of the experiment.
pub(crate) fn circumstances() -> Circumstances {
    Circumstances {
        started_unix_ns: 1_700_000_000_123_456_789,
        brisk_version: "0.1.0".to_owned(),
        machine: serde_json::json!({ "cpu": "made up", "cores": 2 }),
        conditions: serde_json::json!({ "load": 0.1 }),
    }
}

/// The event that these runs finished.
pub(crate) fn finished(runs: &[Run]) -> Event<'_> {
    Event::Runs { runs: runs.into() }
}

/// The end of the experiment.
pub(crate) fn finish() -> Finish<'static> {
    Finish {
        unix_ns: 1_700_000_001_000_000_000,
        reason: StopReason::Settled,
        elapsed_seconds: 0.75,
        rounds: 30,
        answer: "`new` ×0.63".to_owned(),
        summary: "{\"schema\":\"brisk/1\"}",
    }
}

/// The place of the timed run with this number, two runs per round.
pub(crate) fn place(number: u32) -> RunPlace {
    RunPlace {
        source: Source::Run,
        warmup: false,
        round: number / 2,
        position: number % 2,
        variant: (number / 2 + number) % 2,
    }
}

/// The run with this number, with every metric of the registry, some of them missing.
pub(crate) fn run(number: u32) -> Run {
    let value = |row: u32| match row % 5 {
        4 => Err(Missing(format!("reason {}", row % 3).into())),
        _ => Ok(f64::from(number + row) / 3.0),
    };
    let readings: Readings =
        (0..).zip(&REGISTRY).map(|(row, metric)| (metric.id.clone(), value(row))).collect();
    Run {
        place: place(number),
        started_unix_ns: 1_700_000_000_000_000_000 + u64::from(number),
        outcome: Outcome::Exited(0),
        readings,
        left_behind: 0,
        stderr_tail: None,
    }
}

pub(crate) fn runs(numbers: std::ops::Range<u32>) -> Vec<Run> {
    numbers.map(run).collect()
}

/// A store with one finished experiment of this number of runs.
pub(crate) fn filled(place: impl Into<Place>, count: u32) -> ExperimentId {
    let mut store = Store::open(place).expect("a new store");
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..count))).expect("appends");
    store.finish(id, finish()).expect("finishes");
    id
}

/// Every run of an experiment.
pub(crate) fn stored_runs(store: &Store, id: ExperimentId) -> Result<Vec<Run>, StoreError> {
    let mut runs = Vec::new();
    store.for_each_run(id, &mut |run| {
        runs.push(run);
        Ok::<_, StoreError>(())
    })?;
    Ok(runs)
}
