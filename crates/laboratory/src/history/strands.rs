//! The history of a suite, split by benchmark: each one's history is a strand.
//!
//! The suites of the commits are asked for their benchmarks. A commit whose suite lacks a benchmark, or
//! cannot measure it, is not part of that benchmark's strand: the next one that has it is compared with
//! the last one that had it. The history of a command is a single strand without a name.

use std::collections::{HashMap, HashSet};
use std::error::Error;

use configuration::HistoryRequest;
use configuration::suite::judged_metrics;
use findings::{Absence, Document};
use model::failure::Failure;
use model::metric::{MetricId, TIME_PER_ITERATION};
use model::spec::Experiment;
use model::spec::artifacts::BuiltArtifact;
use model::spec::invocation::CommandError;
use model::spec::labels::ArtifactId;
use model::spec::place::listed;
use model::spec::reading::{CounterOption, RuntimeOption};
use model::spec::suite::commits::{self, Chosen, CommitSuite, Selected, SuiteOfCommit};
use model::spec::suite::{Member, Suite, SuiteProgram};
use run::suite::listing::{self, ListingError};

use super::agenda::{Agenda, Entry};
use super::lineage::{Lineage, Revision, RevisionArtifact, Unbuilt};
use super::measuring::built;
use super::merge;
use super::range::Question;

/// The benchmarks in the suite of an artefact, each with the suite's own name for it, or with the
/// reason that it cannot be measured; or the reason that the list is missing.
pub type Listing = Result<Vec<(String, Result<String, String>)>, String>;

/// The listings of artefacts, by their digests.
pub type Listings = HashMap<ArtifactId, Listing>;

/// The reasons that benchmarks could not be measured, by digest and benchmark name.
pub type Unmeasured = HashMap<(ArtifactId, String), String>;

/// The history of a command, or of one benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strand {
    /// The benchmark; `None` for a command.
    pub benchmark: Option<String>,
    /// All commits; those outside the strand as if they had not been built.
    pub lineage: Lineage,
    /// The reasons that built commits are outside the strand, by their index.
    pub absences: Vec<(usize, Absence)>,
    /// The commits at which the benchmark's name changes, by their index.
    pub names: Vec<(usize, Named)>,
}

/// A commit's name for a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name there.
    pub name: String,
    /// Its name in the commit that it is compared with; `None` if there is no such commit.
    pub before: Option<String>,
}

impl Strand {
    /// The single strand of a command.
    pub fn of_command(lineage: &Lineage) -> Self {
        let (lineage, absences, names) = (lineage.clone(), Vec::new(), Vec::new());
        Self { benchmark: None, lineage, absences, names }
    }
}

/// A strand for each benchmark of any commit, in the order of first appearance.
pub fn strands(lineage: &Lineage, listings: &Listings, unmeasured: &Unmeasured) -> Vec<Strand> {
    let mut seen = HashSet::new();
    let built = lineage.revisions.iter().filter_map(|revision| revision.built.as_ref().ok());
    let listed = built.filter_map(|artifact| listings.get(&artifact.id)?.as_ref().ok());
    let names: Vec<&String> =
        listed.flatten().map(|(name, _)| name).filter(|name| seen.insert(*name)).collect();
    let strand = |name: &String| {
        let mut absences = Vec::new();
        let mut called: Vec<Option<&str>> = vec![None; lineage.revisions.len()];
        let mut revisions = lineage.revisions.clone();
        for (place, revision) in revisions.iter_mut().enumerate() {
            let Ok(artifact) = &revision.built else { continue };
            match own_name(artifact, name, listings, unmeasured) {
                Ok(own) => called[place] = Some(own),
                Err(why) => {
                    let reason = format!("`{name}` has no figures here");
                    let built = Err(Unbuilt { tried: false, reason });
                    *revision = Revision { built, ..revision.clone() };
                    absences.push((place, why));
                }
            }
        }
        let lineage = Lineage::new(revisions);
        let names = names_of(name, &lineage, &called);
        Strand { benchmark: Some(name.clone()), lineage, absences, names }
    };
    names.into_iter().map(strand).collect()
}

/// The suite's own name for a benchmark, or the reason that it is outside the strand.
fn own_name<'a>(
    artifact: &RevisionArtifact,
    benchmark: &str,
    listings: &'a Listings,
    unmeasured: &Unmeasured,
) -> Result<&'a str, Absence> {
    let because = |reason: &String| Absence::Unmeasured { reason: reason.clone() };
    let Some(Ok(listed)) = listings.get(&artifact.id) else { return Err(Absence::Unlisted) };
    let found = listed.iter().find(|(name, _)| name == benchmark);
    let (_, may_run) = found.ok_or(Absence::Lacking)?;
    let own = may_run.as_ref().map_err(because)?;
    match unmeasured.get(&(artifact.id.clone(), benchmark.to_owned())) {
        Some(reason) => Err(because(reason)),
        None => Ok(own),
    }
}

/// The commits at which a benchmark's name differs from the one before, or its present one.
fn names_of(benchmark: &str, lineage: &Lineage, called: &[Option<&str>]) -> Vec<(usize, Named)> {
    let mut names = Vec::new();
    for (place, (own, baseline)) in called.iter().zip(&lineage.baselines).enumerate() {
        let Some(own) = *own else { continue };
        let before = baseline.and_then(|baseline| called[baseline]);
        if own != before.unwrap_or(benchmark) {
            let (name, before) = (own.to_owned(), before.map(str::to_owned));
            names.push((place, Named { name, before }));
        }
    }
    names
}

/// The benchmarks that could not be measured; `documents` are sorted newest first, and the newest
/// counts.
pub fn unmeasured(documents: &[&Document]) -> Unmeasured {
    let mut told: HashMap<(ArtifactId, String), Option<String>> = HashMap::new();
    for document in documents {
        let timed: HashSet<u32> = document
            .summaries
            .iter()
            .filter(|part| part.metric == TIME_PER_ITERATION)
            .map(|part| part.variant)
            .collect();
        for (number, variant) in (0_u32..).zip(&document.variants) {
            let labels = &variant.labels;
            let Some(key) = labels.artifact_id().zip(labels.benchmark_name()) else { continue };
            let key = (key.0.clone(), key.1.to_owned());
            let is_why = |part: &&findings::MissingValues| {
                part.variant == number && part.metric == TIME_PER_ITERATION
            };
            let why = document.missing.iter().find(is_why).map(|part| part.reason.clone());
            let is_timed = timed.contains(&number);
            // Benchmarks that were not requested have neither.
            if is_timed || why.is_some() {
                told.entry(key).or_insert(why.filter(|_| !is_timed));
            }
        }
    }
    told.into_iter().filter_map(|(key, why)| Some((key, why?))).collect()
}

/// The suites that were asked for their benchmarks, by digest.
#[derive(Debug, Default)]
pub(super) struct Suites {
    asked: HashMap<ArtifactId, Result<Asked, String>>,
}

#[derive(Debug)]
struct Asked {
    program: SuiteProgram,
    selected: Selected,
}

const NAMES_TOLD: usize = 10;

impl Suites {
    /// Asks every suite of the lineage that was not asked before.
    pub(super) fn ask(
        &mut self,
        question: &Question<'_>,
        suite: &CommitSuite,
        lineage: &Lineage,
    ) -> Result<(), Failure> {
        for number in lineage.variants() {
            let Some(built) = built(lineage, number) else { continue };
            if !self.asked.contains_key(&built.id) {
                let asked = asked(question, suite, &built)?;
                if measure::interrupt::requested() {
                    return Err(Failure::new("interrupted before measuring"));
                }
                self.asked.insert(built.id.clone(), asked);
            }
        }
        Ok(())
    }

    pub(super) fn listings(&self) -> Listings {
        let may_run = |(title, member): &(String, Result<Member, String>)| {
            (title.clone(), member.as_ref().map(Member::title).map_err(Clone::clone))
        };
        let listing = |asked: &Result<Asked, String>| -> Listing {
            let asked = asked.as_ref().map_err(Clone::clone)?;
            Ok(asked.selected.iter().map(may_run).collect())
        };
        self.asked.iter().map(|(digest, asked)| (digest.clone(), listing(asked))).collect()
    }

    /// The arguments with which this artefact runs one benchmark alone, this number of times; or the
    /// reason that it cannot.
    pub(super) fn arguments_alone(
        &self,
        artifact: &ArtifactId,
        benchmark: &str,
        iterations: u64,
    ) -> Result<Vec<String>, String> {
        let unknown = || format!("nobody asked the suite for `{benchmark}`");
        let Asked { program, selected } = self.asked.get(artifact).ok_or_else(unknown)?.as_ref()?;
        let found = selected.iter().find(|(title, _)| title == benchmark);
        let member = found.ok_or_else(unknown)?.1.as_ref()?;
        let harness = program.harness;
        harness.repeating(&member.benchmark, iterations).ok_or_else(|| {
            format!("{} does not run a benchmark a given number of times", harness.name)
        })
    }

    pub(super) fn check(
        &self,
        suite: &CommitSuite,
        lineage: &Lineage,
        strands: &[Strand],
    ) -> Result<(), Failure> {
        let absences = strands.iter().flat_map(|strand| &strand.absences);
        let mut unmeasured = absences.filter_map(|(_, why)| match why {
            Absence::Unmeasured { reason } => Some(reason),
            Absence::Lacking | Absence::Unlisted => None,
        });
        if strands.iter().any(|strand| !strand.lineage.variants().is_empty()) {
            return Ok(());
        }
        if let Some(reason) = unmeasured.next_back() {
            return Err(Failure::new("no benchmark of the range can be measured")
                .because(reason.clone())
                .hint(Some("`--order together` runs all of them in one process")));
        }
        let asked: Vec<&Result<Asked, String>> = (lineage.variants().iter().rev())
            .filter_map(|&number| self.asked.get(&lineage.artifact(number)?.id))
            .collect();
        if let Some(reason) = asked.iter().find_map(|one| one.as_ref().err())
            && asked.iter().all(|one| one.is_err())
        {
            return Err(Failure::new("no commit of the range says which benchmarks it has")
                .because(reason.clone())
                .hint(Some("`--harness` says what the programs run their benchmarks with")));
        }
        let wanted = suite.filter.wanted().map(|wanted| format!(" {wanted}")).unwrap_or_default();
        let there = asked.iter().find_map(|one| one.as_ref().ok().map(|one| &one.program.listed));
        let names = there.filter(|names| !names.is_empty()).map(|names| {
            let more = if names.len() > NAMES_TOLD { " and others" } else { "" };
            let names = listed(names.iter().take(NAMES_TOLD).map(String::as_str));
            format!("the newest has {names}{more}")
        });
        Err(Failure::new(format!("no commit of the range has a benchmark{wanted}")).hint(names))
    }

    pub(super) fn experiment(
        &self,
        question: &Question<'_>,
        suite: &CommitSuite,
        strands: &[Strand],
        agenda: &Agenda,
    ) -> Result<(Suite, Experiment), Failure> {
        let mut places: HashMap<ArtifactId, usize> = HashMap::new();
        let mut programs: Vec<SuiteOfCommit<'_>> = Vec::new();
        let mut chosen: Vec<Chosen<'_>> = Vec::new();
        for &Entry { strand, revision } in &agenda.entries {
            let strand = &strands[strand];
            let built = built(&strand.lineage, revision).expect("what is measured was built");
            let asked = self.asked.get(&built.id).and_then(|asked| asked.as_ref().ok());
            let Asked { program, selected } = asked.expect("what is measured was listed");
            let of_title = |(title, _): &&(String, _)| Some(title) == strand.benchmark.as_ref();
            let (_, member) = selected.iter().find(of_title).expect("it was selected");
            let member = member.as_ref().expect("what cannot run is not on the agenda");
            let suite = *places.entry(built.id.clone()).or_insert(programs.len());
            if suite == programs.len() {
                programs.push(SuiteOfCommit { built, program });
            }
            chosen.push(Chosen { suite, member });
        }
        commits::experiment(suite, &question.run_settings, &question.template, &programs, &chosen)
            .map_err(|error| refused(&error, question))
    }

    /// The metrics to show and judge for the suites of a lineage.
    pub(super) fn metrics(&self, named: Option<&[MetricId]>, lineage: &Lineage) -> Vec<MetricId> {
        let variants = lineage.variants();
        let asked = variants.iter().filter_map(|&number| {
            let asked = self.asked.get(&lineage.artifact(number)?.id)?;
            asked.as_ref().ok().map(|asked| &asked.program)
        });
        judged_metrics(named, asked)
    }
}

/// Asks a suite for its benchmarks. The inner error is the reason that it lists none.
fn asked(
    question: &Question<'_>,
    suite: &CommitSuite,
    built: &BuiltArtifact<'_>,
) -> Result<Result<Asked, String>, Failure> {
    let run_settings = &question.run_settings;
    let run = commits::invocation_of(run_settings, &question.template, built)
        .map_err(|error| refused(&error, question))?;
    let listed = listing::program(run, suite.harness, run_settings.timeout);
    // The path in the cache would mean nothing to users.
    let named = |text: String| {
        text.replace(&*built.path.to_string_lossy(), &question.recipe.artifact.to_string_lossy())
    };
    Ok(match listed {
        Ok(program) => match suite.select(&program) {
            Ok(selected) => Ok(Asked { program, selected }),
            Err(error) => Err(named(told(&error))),
        },
        Err(error) => Err(named(told_of_listing(&error))),
    })
}

fn told_of_listing(error: &ListingError) -> String {
    match error.last_lines() {
        Some(lines) => format!("{}\n{lines}", told(error)),
        None => told(error),
    }
}

fn told(error: &dyn Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told
}

/// A suite is started without a shell, so that it receives the arguments that brisk adds.
fn refused(error: &CommandError, question: &Question<'_>) -> Failure {
    match error {
        CommandError::NeedsShell { syntax, .. } => {
            Failure::new(format!("`{}` needs a shell for `{syntax}`", &question.template))
                .because("brisk starts suites without a shell, to pass them options of its own")
                .hint(Some("quote the character, or have a script do it and name that"))
        }
        _ => Failure::from_error(error).hint(error.hint()),
    }
}

/// Checks that the suites could be asked if they existed.
pub(super) fn check_command(question: &Question<'_>) -> Result<(), Failure> {
    let nothing = BuiltArtifact::to_be("", merge::name("", &question.template));
    commits::invocation_of(&question.run_settings, &question.template, &nothing)
        .map_or_else(|error| Err(refused(&error, question)), |_| Ok(()))
}

/// The suite of the arguments. None if they describe a command.
pub(super) fn suite(arguments: &HistoryRequest) -> Result<Option<CommitSuite>, Failure> {
    let suite = arguments.suite.suite()?;
    match (&suite, arguments.suite.said(), of_commands(arguments)) {
        (None, Some(option), _) => {
            Err(Failure::new(format!("`{option}` applies to the benchmarks inside a program"))
                .hint(Some("`--harness auto` says that the artefact has some")))
        }
        (Some(_), _, Some(option)) => {
            Err(Failure::new(format!("`{option}` applies to commands, and this is a suite"))
                .hint(Some("leave it out, or leave `--harness` out")))
        }
        _ if arguments.suite.exact && arguments.suite.filter.is_empty() => {
            Err(Failure::new("`--exact` without `--filter`"))
        }
        _ => Ok(suite),
    }
}

fn of_commands(arguments: &HistoryRequest) -> Option<&'static str> {
    let (run, read) = (&arguments.invocation, &arguments.reading);
    let all = [
        ("--shell", run.shell.as_deref().is_some_and(|shell| shell != "none")),
        ("-S", run.default_shell),
        ("--setup", !run.setup.is_empty()),
        ("--prepare", !run.prepare.is_empty()),
        ("--conclude", !run.conclude.is_empty()),
        ("--cleanup", run.cleanup.is_some()),
        ("--input", run.input() != "null"),
        ("--output", !run.output.is_empty()),
        ("--show-output", run.show_output),
        ("--ignore-failure", run.ignore_failure.is_some()),
        ("--work", arguments.work.is_some()),
        ("--counters", matches!(read.counters, CounterOption::Perf | CounterOption::Valgrind)),
        ("--runtime", matches!(read.runtime(), RuntimeOption::Named(_))),
    ];
    all.into_iter().find(|(_, is_said)| *is_said).map(|(option, _)| option)
}

#[cfg(test)]
mod tests {
    use crate::history::lineage::tests::line;

    use super::*;

    fn listing(names: &str) -> Listing {
        // The commit's name for `x:y` is `y`.
        let one = |word: &str| {
            let (name, own) = word.split_once(':').unwrap_or((word, word));
            (name.to_owned(), Ok(own.to_owned()))
        };
        Ok(names.split_whitespace().map(one).collect())
    }

    fn listings(all: &[(&str, Listing)]) -> Listings {
        all.iter().map(|(digest, listing)| (ArtifactId::read(digest), listing.clone())).collect()
    }

    fn strand<'a>(strands: &'a [Strand], name: &str) -> &'a Strand {
        strands.iter().find(|one| one.benchmark.as_deref() == Some(name)).expect("it is there")
    }

    #[test]
    fn a_benchmark_that_is_away_for_a_while_is_compared_over_the_gap() {
        let all = listings(&[
            ("a", listing("x")),
            ("b", listing("y x")),
            ("c", listing("y")),
            ("d", listing("x y")),
        ]);
        let strands = strands(&line("ab-cd"), &all, &Unmeasured::new());
        let names: Vec<_> = strands.iter().filter_map(|one| one.benchmark.as_deref()).collect();
        assert_eq!(names, ["x", "y"]);
        assert_eq!(strand(&strands, "x").lineage.pairs(), [(0, 1), (1, 4)]);
        assert_eq!(strand(&strands, "x").absences, [(3, Absence::Lacking)]);
        assert_eq!(strand(&strands, "y").lineage.pairs(), [(1, 3), (3, 4)]);
        assert_eq!(strand(&strands, "y").absences, [(0, Absence::Lacking)]);
    }

    #[test]
    fn a_renamed_benchmark_is_one_strand_that_knows_where_its_name_changes() {
        let all = listings(&[
            ("a", listing("x:old y")),
            ("b", listing("y")),
            ("c", listing("y x:older")),
            ("d", listing("x y")),
        ]);
        let strands = strands(&line("abcd"), &all, &Unmeasured::new());
        assert_eq!(strands.len(), 2);
        let x = strand(&strands, "x");
        assert_eq!(x.lineage.pairs(), [(0, 2), (2, 3)]);
        let named = |name: &str, before: Option<&str>| Named {
            name: name.to_owned(),
            before: before.map(str::to_owned),
        };
        let names = [
            (0, named("old", None)),
            (2, named("older", Some("old"))),
            (3, named("x", Some("older"))),
        ];
        assert_eq!(x.names, names);
        assert_eq!(strand(&strands, "y").names, []);
    }

    #[test]
    fn what_cannot_be_listed_or_measured_is_stepped_over_with_its_reason() {
        let twice = || Err("there twice".to_owned());
        let all = listings(&[
            ("a", listing("x y")),
            ("b", Err("no such option".to_owned())),
            ("c", Ok(vec![("x".to_owned(), twice()), ("y".to_owned(), Ok("y".to_owned()))])),
            ("d", listing("x y")),
        ]);
        let failed = [((ArtifactId::read("d"), "y".to_owned()), "exited".to_owned())].into();
        let strands = strands(&line("abcda"), &all, &failed);
        let why = |reason: &str| Absence::Unmeasured { reason: reason.to_owned() };
        let x = [(1, Absence::Unlisted), (2, why("there twice"))];
        assert_eq!(strand(&strands, "x").absences, x);
        assert_eq!(strand(&strands, "x").lineage.pairs(), [(0, 3), (3, 0)]);
        assert_eq!(strand(&strands, "y").absences, [(1, Absence::Unlisted), (3, why("exited"))]);
        assert_eq!(strand(&strands, "y").lineage.pairs(), [(0, 2), (2, 0)]);
    }
}
