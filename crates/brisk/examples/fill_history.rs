//! Fills a new store with one made-up history, for `make bench`:
//!
//!     fill_history PLACE COMMITS METRICS [BENCHMARKS]
//!
//! With a number of benchmarks it is the history of a suite, whose metric is the time per
//! iteration. Each commit has a separate artefact; every fiftieth is a step in each metric, every
//! hundredth does not build. Like a real history, it is stored with an experiment, number 1.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use configuration::StoreOptions;
use findings::{
    Answer, ComparedPair, Course, Document, Finding, HistorySubject, MetricSummary, Order, SCHEMA,
};
use judge::comparison::Basis;
use laboratory::archive;
use laboratory::history::lineage::{Lineage, Revision, RevisionArtifact, Unbuilt};
use laboratory::history::merge;
use laboratory::history::strands::{Listing, Listings, Unmeasured, strands};
use measure::clock::Stopwatch;
use model::commission::{Commission, Contender, Kind};
use model::design::contrasts::Contrasts;
use model::design::stopping::{EstimatorOption, StopReason, StoppingRule};
use model::failure::Failure;
use model::host::Circumstances;
use model::metric::{Direction, Metric, MetricId, REGISTRY, Source, TIME_PER_ITERATION};
use model::spec::labels::{ArtifactId, ArtifactLabel, BenchmarkLabel, Labels};
use model::spec::suite::Arrangement;
use model::verdict::{Margin, Verdict};
use store::{Place, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, commits, metrics, benchmarks @ ..] = arguments.as_slice() else {
        return Err("which file, and how many commits and metrics?".into());
    };
    let (commits, metrics): (u32, usize) = (commits.parse()?, metrics.parse()?);
    let benchmarks: usize = benchmarks.first().map_or(Ok(0), |count| count.parse())?;
    let is_asked = |metric: &&Metric| match benchmarks {
        0 => metric.direction != Direction::Context,
        _ => metric.id == TIME_PER_ITERATION,
    };
    let asked = REGISTRY.iter().filter(is_asked).map(|metric| metric.id.clone());
    let metrics: Vec<MetricId> = asked.take(metrics).collect();
    let lineage = Lineage::new((0..commits).map(revision).collect());
    let command = measured(&lineage, &metrics);
    let names: Vec<String> = (0..benchmarks).map(|number| format!("group/{number}")).collect();
    let of_suite: Vec<Document> = names.iter().map(|name| of_benchmark(&command, name)).collect();
    let watch = Stopwatch::start();
    let part = HistorySubject {
        repository: "/home/user/project".to_owned(),
        range: "v1.0..main".to_owned(),
        command: "{artifact} --size 1000".to_owned(),
        compare_url: Some("https://example.org/compare/{from}...{to}".to_owned()),
        behind_merges: 0,
        experiments: vec![1],
    };
    let history = match benchmarks {
        0 => merge::of_strand(&lineage, None, &[&command], part),
        _ => {
            let listing: Listing =
                Ok(names.into_iter().map(|name| (name.clone(), Ok(name))).collect());
            let built = lineage.variants().into_iter().filter_map(|place| lineage.artifact(place));
            let listings: Listings =
                built.map(|artifact| (artifact.id.clone(), listing.clone())).collect();
            let strands = strands(&lineage, &listings, &Unmeasured::new());
            let documents: Vec<&Document> = of_suite.iter().collect();
            merge::document(&lineage, &strands, &listings, &documents, &part)
        }
    };
    let history = history.ok_or("nothing was measured")?;
    println!("merged in {:.0} ms", watch.elapsed().as_secs_f64() * 1e3);
    let place = StoreOptions { store: Some(file.into()) }.place()?;
    fill(&place, &command, &history)
}

fn fill(place: &Place, measured: &Document, history: &Document) -> Result<(), Box<dyn Error>> {
    let mut store = Store::open(place)?;
    let (id, _journal) = store.begin(&experiment(measured), &circumstances(measured))?;
    archive::finish(&mut store, id, measured).map_err(|failure: Failure| failure.to_string())?;
    archive::keep_history(&mut store, id, history).map_err(|failure| failure.to_string())?;
    let steps = history.steps().len();
    println!("{steps} steps");
    Ok(())
}

/// True if a commit is a step.
fn is_step(number: usize) -> bool {
    number % 50 == 25
}

fn revision(number: u32) -> Revision {
    // Different from the first digits on, like hashes.
    let hash = |number: u32| format!("{:08x}{number:032x}", number.wrapping_mul(2_654_435_761));
    Revision {
        hash: hash(number),
        parent: number.checked_sub(1).map(hash),
        subject: format!("Change number {number}, which does this or that"),
        authorship: None,
        built: match number % 100 {
            99 => Err(Unbuilt { tried: true, reason: "make: *** [prog] Error 1".to_owned() }),
            _ => Ok(RevisionArtifact {
                path: PathBuf::from(format!("/cache/{number}/prog")),
                id: ArtifactId::new(&format!("{number:064x}"), 0),
                clean: true,
                equality_confirmed: None,
                layouts: Vec::new(),
                checkout: None,
            }),
        },
    }
}

/// The document of an experiment with all artefacts.
fn measured(lineage: &Lineage, metrics: &[MetricId]) -> Document {
    let revisions = lineage.variants();
    let numbers: BTreeMap<usize, u32> = revisions.iter().copied().zip(0..).collect();
    let both = |&(a, b): &(usize, usize)| (numbers[&a], numbers[&b]);
    let neighbours = lineage.pairs();
    let mut pairs: Vec<((u32, u32), bool)> =
        neighbours.iter().map(|pair| (both(pair), is_step(pair.1))).collect();
    let answers = neighbours.iter().map(|pair| answer(&metrics[0], both(pair), is_step(pair.1)));
    let answers = answers.collect();
    pairs.extend(lineage.spans().iter().map(|span| (both(span), false)));
    pairs.sort_by_key(|&((_, candidate), _)| candidate);
    let of_metrics = |&(pair, is_step): &((u32, u32), bool)| {
        metrics.iter().map(move |metric| comparison(metric, pair, is_step))
    };
    Document {
        schema: SCHEMA.to_owned(),
        machine: serde_json::json!({ "cpu": "made up", "padding": "x".repeat(1000) }),
        conditions: serde_json::json!({ "load": 0.5 }),
        experiment: experiment_part(),
        variants: revisions.iter().map(|&number| variant(lineage, number)).collect(),
        summaries: (0..)
            .zip(&revisions)
            .flat_map(|(n, &number)| metrics.iter().map(move |metric| summary(metric, n, number)))
            .collect(),
        missing: Vec::new(),
        comparisons: pairs.iter().flat_map(of_metrics).collect(),
        answers,
        ranking: Vec::new(),
        detectable: BTreeMap::new(),
        notes: Vec::new(),
        finding: Finding::Compare,
        causes: Vec::new(),
        setups: Vec::new(),
        paybacks: Vec::new(),
        equal_work: None,
        memory_over_time: None,
        memory_verdicts: None,
    }
}

fn variant(lineage: &Lineage, number: usize) -> Contender {
    let revision = &lineage.revisions[number];
    let id = lineage.artifact(number).map(|artifact| artifact.id.clone()).unwrap_or_default();
    let artifact = ArtifactLabel { commit: revision.hash.clone(), id, work: None };
    Contender {
        name: merge::name(&revision.hash, &revision.subject),
        command: format!("/cache/{number}/prog --size 1000"),
        labels: Labels { artifact: Some(artifact), ..Labels::default() },
    }
}

/// The document of the experiment for one benchmark.
fn of_benchmark(command: &Document, name: &str) -> Document {
    let mut document = command.clone();
    document.experiment.metrics = Some(vec![TIME_PER_ITERATION]);
    for variant in &mut document.variants {
        variant.labels.benchmark = Some(BenchmarkLabel::new(name, "lines", Arrangement::Alone));
    }
    document
}

/// Digits that look like noise.
fn noise(number: u32) -> f64 {
    f64::from(number.wrapping_mul(2_654_435_761) % 10_007) / 10_007.0
}

fn summary(metric: &MetricId, variant: u32, number: usize) -> MetricSummary {
    // Up by a tenth and down again.
    let level = if ((number + 25) / 50).is_multiple_of(2) { 0.1 } else { 0.11 };
    let median = level * (1.0 + 0.001 * noise(variant));
    MetricSummary {
        variant,
        metric: metric.clone(),
        source: Source::Run,
        n: 30,
        mean: median * 1.003,
        sd: Some(median * 0.011),
        median,
        min: median * 0.97,
        max: median * 1.07,
        quartiles: None,
        low: Some(median * 0.995),
        high: Some(median * 1.006),
        outliers: 2,
        severe_outliers: 0,
        at_most: false,
        layouts: None,
        quantile: None,
    }
}

fn comparison(metric: &MetricId, (baseline, candidate): (u32, u32), step: bool) -> ComparedPair {
    let ratio = if step { 1.1 } else { 1.0 } + 0.001 * noise(candidate);
    ComparedPair {
        metric: metric.clone(),
        source: Source::Run,
        baseline,
        candidate,
        ratio,
        difference: None,
        bound: None,
        low: ratio * 0.993,
        high: Some(ratio * 1.007),
        verdict: if step { Verdict::Regressed } else { Verdict::Unchanged },
        within_margin: !step,
        basis: Basis::Ratios,
        rounds: 30,
        more_rounds: None,
        detectable: Some(0.004 + 0.001 * noise(candidate)),
        machine: None,
    }
}

fn answer(metric: &MetricId, (baseline, candidate): (u32, u32), step: bool) -> Answer {
    Answer {
        baseline,
        candidate,
        verdict: if step { Verdict::Regressed } else { Verdict::Unchanged },
        metric: metric.clone(),
        source: Source::Run,
        wait_share: None,
    }
}

fn experiment_part() -> Course {
    Course {
        id: Some(1),
        started_unix_ns: 1_700_000_000_000_000_000,
        brisk_version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: Some(1),
        rounds: 30,
        elapsed_seconds: 30_000.0,
        stop: StopReason::Settled,
        confidence: 0.95,
        margin: Margin::ONE_PERCENT,
        resolution: None,
        estimator: EstimatorOption::PseudoMedian,
        order: Order::Rounds,
        commands: 1,
        metrics: None,
    }
}

fn circumstances(measured: &Document) -> Circumstances {
    Circumstances {
        started_unix_ns: measured.experiment.started_unix_ns,
        brisk_version: measured.experiment.brisk_version.clone(),
        machine: measured.machine.clone(),
        conditions: measured.conditions.clone(),
    }
}

fn experiment(measured: &Document) -> Commission {
    let part = &measured.experiment;
    Commission {
        kind: Kind::History,
        title: "history of project, v1.0..main: {artifact} --size 1000".to_owned(),
        project: "/home/user/project".to_owned(),
        arguments: ["history", "v1.0..main"].map(Into::into).into(),
        cwd: "/home/user/project".to_owned(),
        seed: 1,
        commands: 1,
        contrasts: Contrasts {
            pairs: measured.answers.iter().map(|part| (part.baseline, part.candidate)).collect(),
            ..Contrasts::default()
        },
        subject: Some("a made-up subject".to_owned()),
        rule: StoppingRule {
            warmup: 0,
            min_rounds: 10,
            max_rounds: 1 << 20,
            budget_seconds: Some(40_000.0),
            margin: part.margin,
            resolution: 1.0,
            precision: 0.25,
            confidence: part.confidence,
            estimator: part.estimator,
            stage: model::design::stopping::Stage::default(),
            sweep: None,
            own_metrics: Vec::new(),
        },
        metrics: None,
        variants: measured.variants.clone(),
        execution: None,
    }
}
