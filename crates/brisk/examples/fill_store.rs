//! Fills a new store with made-up runs and times it, for `make bench`:
//!
//!     fill_store PLACE EXPERIMENTS RUNS SLICE [WRITERS]
//!
//! stores EXPERIMENTS experiments of RUNS runs each, a slice at a time, and then prints the cost of
//! a run, and the time for the list, one experiment and all its runs. WRITERS writers store at the
//! same time, each an experiment on a separate connection, and it prints the runs per second.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::error::Error;
use std::sync::Barrier;
use std::thread;

use configuration::StoreOptions;
use laboratory::archive;
use measure::Outcome;
use measure::clock::Stopwatch;
use model::commission::{Commission, Contender, Kind};
use model::design::contrasts::Contrasts;
use model::design::stopping::{EstimatorOption, StoppingRule};
use model::failure::Failure;
use model::host::Circumstances;
use model::metric::{Missing, REGISTRY, Readings, Source};
use model::run::{Run, RunPlace};
use model::verdict::Margin;
use store::record::Event;
use store::{ExperimentId, Filter, Place, Store, StoreError};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, numbers @ ..] = arguments.as_slice() else { return Err("which file?".into()) };
    let [experiments, runs, slice, writers @ ..] = numbers else { return Err("how many?".into()) };
    let (experiments, runs, slice): (u32, u32, u32) =
        (experiments.parse()?, runs.parse()?, slice.parse()?);
    let place = StoreOptions { store: Some(file.into()) }.place()?;
    if let Some(writers) = writers.first() {
        return write_at_once(&place, writers.parse()?, runs, slice);
    }
    fill(&place, experiments, runs, slice)?;
    read(&place)
}

fn write_at_once(place: &Place, writers: u32, runs: u32, slice: u32) -> Result<(), Box<dyn Error>> {
    drop(Store::open(place)?);
    let (begin, end) = (Barrier::new(writers as usize + 1), Barrier::new(writers as usize + 1));
    let seconds = thread::scope(|scope| {
        for _ in 0..writers {
            scope.spawn(|| {
                let mut store = Store::open(place).expect("it was opened before");
                let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
                begin.wait();
                for first in (0..runs).step_by(slice as usize) {
                    let made: Vec<Run> = (first..runs.min(first + slice)).map(run).collect();
                    store.append(id, &Event::Runs { runs: made.into() }).expect("appends");
                }
                end.wait();
            });
        }
        begin.wait();
        let watch = Stopwatch::start();
        end.wait();
        watch.elapsed().as_secs_f64()
    });
    let all = f64::from(writers) * f64::from(runs);
    println!("{:.0} runs a second by {writers} writers in slices of {slice}", all / seconds);
    Ok(())
}

fn fill(place: &Place, experiments: u32, runs: u32, slice: u32) -> Result<(), Box<dyn Error>> {
    let mut store = Store::open(place)?;
    let mut appending = 0.0;
    for _ in 0..experiments {
        let (id, _journal) = store.begin(&experiment(), &circumstances())?;
        for first in (0..runs).step_by(slice as usize) {
            let made: Vec<Run> = (first..runs.min(first + slice)).map(run).collect();
            let watch = Stopwatch::start();
            store.append(id, &Event::Runs { runs: made.into() })?;
            appending += watch.elapsed().as_secs_f64();
        }
        let watch = Stopwatch::start();
        let told = |failure: Failure| failure.to_string();
        let document = archive::stored_document(&store, id).map_err(told)?;
        archive::finish(&mut store, id, &document).map_err(told)?;
        println!("judged in {:.0} ms", watch.elapsed().as_secs_f64() * 1e3);
    }
    let all = f64::from(experiments) * f64::from(runs);
    println!("{:.2} µs a run in slices of {slice}", appending * 1e6 / all);
    Ok(())
}

fn read(place: &Place) -> Result<(), Box<dyn Error>> {
    if let Place::File(file) = place {
        println!("{:.1} MB", std::fs::metadata(file)?.len() as f64 / 1e6);
    }
    let watch = Stopwatch::start();
    let mut store = Store::open_existing(place)?.ok_or("it was just filled")?;
    store.recover()?;
    println!("opened in {:.1} ms", watch.elapsed().as_secs_f64() * 1e3);
    let watch = Stopwatch::start();
    let listed = store.list(&Filter::newest(20))?;
    println!("listed {} in {:.1} ms", listed.len(), watch.elapsed().as_secs_f64() * 1e3);
    let watch = Stopwatch::start();
    let id = ExperimentId(1);
    let shown = store.experiment(id)?.ok_or("there is a first")?;
    println!("read one without its runs in {:.1} ms", watch.elapsed().as_secs_f64() * 1e3);
    let watch = Stopwatch::start();
    let mut total = 0.0;
    store.for_each_run(id, &mut |run: Run| {
        total += run.readings.iter().filter_map(|(_, value)| value.as_ref().ok()).sum::<f64>();
        Ok::<_, StoreError>(())
    })?;
    let seconds = watch.elapsed().as_secs_f64();
    println!("read its {} runs in {:.0} ms, sum {total:e}", shown.runs, seconds * 1e3);
    Ok(())
}

fn experiment() -> Commission {
    let variant = |name: &str| Contender {
        name: name.to_owned(),
        command: format!("./{name} --size 1000"),
        labels: vec![("size".to_owned(), "1000".to_owned())].into(),
    };
    Commission {
        kind: Kind::Compare,
        title: "old vs new".to_owned(),
        project: "/home/user/project".to_owned(),
        arguments: ["compare", "./old --size 1000", "./new --size 1000"].map(Into::into).into(),
        cwd: "/home/user/project".to_owned(),
        seed: 1,
        commands: 2,
        contrasts: Contrasts::of_commands(2, 2),
        subject: None,
        rule: StoppingRule {
            warmup: 0,
            min_rounds: 10,
            max_rounds: 1 << 20,
            budget_seconds: Some(15.0),
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

fn circumstances() -> Circumstances {
    Circumstances {
        started_unix_ns: 1_700_000_000_000_000_000,
        brisk_version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: serde_json::json!({ "cpu": "made up", "padding": "x".repeat(1000) }),
        conditions: serde_json::json!({ "load": 0.5 }),
    }
}

/// A run as in a virtual machine without counters.
fn run(number: u32) -> Run {
    let missing = Missing("no hardware counters in this machine".into());
    let readings: Readings = (0_u32..)
        .zip(&REGISTRY)
        .map(|(row, metric)| {
            let value = match row {
                0..5 => Ok(f64::from(500_000 + number % 7919 + row) * 1e-9),
                5..13 => Ok(f64::from(row * 1000 + number % 97)),
                _ => Err(missing.clone()),
            };
            (metric.id.clone(), value)
        })
        .collect();
    Run {
        place: RunPlace {
            source: Source::Run,
            warmup: false,
            round: number / 2,
            position: number % 2,
            variant: (number / 2 + number) % 2,
        },
        started_unix_ns: 1_700_000_000_000_000_000 + u64::from(number) * 600_000,
        outcome: Outcome::Exited(0),
        readings,
        left_behind: 0,
        stderr_tail: None,
    }
}
