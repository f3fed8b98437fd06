//! Reports of harnesses that ran elsewhere, as an experiment: a variant for each benchmark of each
//! file, and a run for each process.
//!
//! Most reports have one process. Its measurements vary less than processes do, so they are no
//! rounds: with one run on a side nothing is decided.

use std::collections::BTreeMap;

use findings::{Contender, Document, Finding};
use measure::Outcome;
use model::design::contrasts::Contrasts;
use model::metric::{ALLOCATED_PER_ITERATION, Readings, Source, TIME_PER_ITERATION};
use model::note::Note;
use model::run::{Run, RunPlace};
use model::spec::labels::{BenchmarkLabel, Labels};
use model::spec::suite::Arrangement;
use run::suite::listing::{Lists, PlacedLists};
use toolchains::harness::measurement::{
    Measured, Measurement, per_iteration, seconds_per_iteration,
};
use toolchains::harness::saved::FoundReport;

use crate::assemble::finding::Gathering;

/// A file with a report.
#[derive(Debug, Clone)]
pub struct ReportFile {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub report: FoundReport,
}

/// Measurements of another place, as an experiment.
#[derive(Debug, Clone, Default)]
pub struct Elsewhere {
    /// The variants.
    pub variants: Vec<Contender>,
    /// The runs of all variants.
    pub runs: Vec<Run>,
    /// The measurements within the runs.
    pub measurements: Vec<PlacedLists>,
    /// The pairs to compare.
    pub contrasts: Contrasts,
    /// Remarks for the report.
    pub notes: Vec<Note>,
}

/// The benchmarks of one report, or of an old and a new one, each beside its namesake.
pub fn experiment(files: &[ReportFile]) -> Elsewhere {
    let mut all = Elsewhere::default();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (name, sides) in by_name(files) {
        let variants = sides.iter().map(|(file, one)| all.add(file, one, files.len() > 1, name));
        let variants: Vec<u32> = variants.collect();
        let (first, last) = (variants[0], variants[variants.len() - 1]);
        pairs.push((first, last));
    }
    all.contrasts = Contrasts { pairs, ..Contrasts::default() };
    all.notes.extend(files.iter().map(note));
    if files.len() > 1 {
        all.notes.push(Note::SequentialOrder);
    }
    all
}

/// A benchmark, with the file that it is in.
type Side<'a> = (&'a ReportFile, &'a Measured);

/// The benchmarks by name, in the order of the first file that has them.
fn by_name(files: &[ReportFile]) -> Vec<(&str, Vec<Side<'_>>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all: Vec<(&str, Vec<Side<'_>>)> = Vec::new();
    for file in files {
        for one in &file.report.measured {
            let place = *places.entry(&one.name).or_insert(all.len());
            match all.get_mut(place) {
                Some((_, sides)) => sides.push((file, one)),
                None => all.push((&one.name, vec![(file, one)])),
            }
        }
    }
    all
}

impl Elsewhere {
    /// Adds a benchmark, and returns its variant.
    fn add(&mut self, file: &ReportFile, one: &Measured, several: bool, title: &str) -> u32 {
        let variant = u32::try_from(self.variants.len()).expect("a file has fewer");
        let harness = file.report.harness.word.as_str();
        let benchmark = BenchmarkLabel {
            executable: Some(file.name.clone()),
            ..BenchmarkLabel::new(title, harness, Arrangement::Together)
        };
        let name = if several { format!("{title} ({})", file.name) } else { title.to_owned() };
        let labels = Labels { benchmark: Some(benchmark), ..Labels::default() };
        self.variants.push(Contender { name, command: file.name.clone(), labels });
        match &one.measurements {
            Err(reason) => self.runs.push(run(variant, 0, unread(reason))),
            Ok(_) => {
                for (round, process) in (0..).zip(one.processes()) {
                    self.runs.push(run(variant, round, readings(process)));
                    let lists = Lists::from_measurements(process);
                    self.measurements.push(PlacedLists { variant, round, lists });
                }
            }
        }
        variant
    }

    /// Makes the document, which has the verdicts, one of a suite.
    pub fn complete(&self, document: &mut Document) {
        let Some(mut gathering) = Gathering::new(document) else { return };
        self.runs.iter().for_each(|run| gathering.take(run));
        gathering.take_measurements(&self.measurements);
        let mut suite = gathering.finish(document, &[]);
        suite.measurements.clone_from(&self.measurements);
        document.finding = Finding::Bench { suite: Box::new(suite) };
    }
}

fn run(variant: u32, round: u32, readings: Readings) -> Run {
    Run {
        place: RunPlace { source: Source::Run, warmup: false, round, position: variant, variant },
        started_unix_ns: 0,
        outcome: Outcome::Exited(0),
        readings,
        left_behind: 0,
        stderr_tail: None,
    }
}

fn unread(reason: &str) -> Readings {
    let missing = model::metric::Missing(reason.to_owned().into());
    [(TIME_PER_ITERATION, Err(missing))].into_iter().collect()
}

fn readings(process: &[Measurement]) -> Readings {
    let time = seconds_per_iteration(process).map(|seconds| (TIME_PER_ITERATION, Ok(seconds)));
    let bytes = per_iteration(process, |one| one.figures.allocated_bytes);
    let bytes = bytes.map(|bytes| (ALLOCATED_PER_ITERATION, Ok(bytes)));
    time.into_iter().chain(bytes).collect()
}

/// The remark on the limits of a report.
fn note(file: &ReportFile) -> Note {
    let measured = &file.report.measured;
    let processes = measured.iter().map(|one| one.processes().len()).max().unwrap_or(0);
    let mut spreads: Vec<f64> = measured.iter().filter_map(spread).collect();
    spreads.sort_by(f64::total_cmp);
    let spread = spreads.first().zip(spreads.last()).map(|(least, most)| [*least, *most]);
    Note::MeasuredElsewhere {
        file: file.name.clone(),
        harness: file.report.harness.name.clone(),
        processes: u32::try_from(processes).unwrap_or(u32::MAX),
        spread,
    }
}

/// The standard deviation of a benchmark's measurements in all its processes, as a share of its time:
/// as the harness states it, or else of the measurements. None if it has neither.
fn spread(one: &Measured) -> Option<f64> {
    let all = one.measurements.as_ref().ok()?;
    let seconds = seconds_per_iteration(all)?;
    let times: Vec<f64> =
        all.iter().map(|one| one.seconds / one.iterations.unwrap_or(1) as f64).collect();
    let listed = stats::describe::summarise(&times).filter(|_| times.len() > 1);
    let deviation = one.deviation_seconds.or(listed.and_then(|summary| summary.sd))?;
    Some(deviation / seconds)
}
