//! The suites that commits build: the benchmarks of each, and their experiment.

use std::collections::HashMap;
use std::error::Error;

use super::measuring::built;
use super::question::Question;
use crate::history::agenda::{Agenda, Entry};
use crate::history::lineage::Lineage;
use crate::history::merge;
use crate::history::strands::{Listing, Listings, Strand};
use configuration::HistoryRequest;
use configuration::suite_metrics;
use findings::Absence;
use model::failure::Failure;
use model::metric::MetricId;
use model::spec::Experiment;
use model::spec::artifacts::BuiltArtifact;
use model::spec::invocation::CommandError;
use model::spec::labels::ArtifactId;
use model::spec::place::listed;
use model::spec::reading::{CounterOption, RuntimeOption};
use model::spec::suite::commits::{self, Chosen, CommitSuite, Selected, SuiteOfCommit};
use model::spec::suite::{Member, Suite, SuiteProgram};
use run::suite::listing::{self, ListingError};

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

/// The maximum number of names in a hint.
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

    /// The benchmarks of the suites.
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

    /// Fails if there are no benchmarks.
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

    /// The agenda as an experiment.
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
        suite_metrics::judged(named, asked)
    }
}

/// Asks the suite of a commit for its benchmarks. The inner error is the reason that it fails to
/// list them.
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

/// An error with its causes, in one line.
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
        .map(drop)
        .map_err(|error| refused(&error, question))
}

/// The suite of the arguments. None if they describe a command.
pub(super) fn suite(arguments: &HistoryRequest) -> Result<Option<CommitSuite>, Failure> {
    let suite = arguments.suite.suite();
    let suite = suite?;
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

/// The first given option that applies only to commands.
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
