//! The suites that commits of a project make, as variants of one experiment: each benchmark of each
//! commit is one.

use std::collections::BTreeMap;

use clap::Args;
use measure::AllowedExits;
use toolchains::harness::adapter::Harness;

use super::{Arrangement, HarnessOption, Member, Program, Suite, SuiteError, selects};
use crate::history::merge;
use crate::spec::artifacts::Built;
use crate::spec::duration;
use crate::spec::invocation::{self, CommandError, InvocationOptions};
use crate::spec::labels::{BenchmarkLabel, Labels};
use crate::spec::parameters::Point;
use crate::spec::{Experiment, Invocation, Variant, artifacts};

/// The options that say that what commits make is a suite, and how it is run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Benchmarks inside of the program")]
pub struct CommitSuiteOptions {
    /// What is built has benchmarks inside, which this harness runs: each of them gets a history
    #[arg(long, value_enum, value_name = "HARNESS")]
    pub harness: Option<HarnessOption>,

    /// Of these, run the ones with TEXT in their names; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Run the benchmarks whose names are those of `--filter`, not those that contain them
    #[arg(long)]
    pub exact: bool,

    /// What shares a process, and in which order; each benchmark has one of its own by default
    #[arg(long, value_enum, value_name = "ORDER")]
    pub order: Option<Arrangement>,

    /// How long one benchmark is measured in one process, where the harness can be told; 100 ms by
    /// default
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub time_per_run: Option<String>,
}

/// The default of `--time-per-run`.
const SECONDS_PER_RUN: f64 = 0.1;

/// The same options, checked.
#[derive(Debug, Clone)]
pub struct CommitSuite {
    /// What the programs run their benchmarks with.
    pub harness: HarnessOption,
    /// What runs in a process together.
    pub order: Arrangement,
    /// How long one benchmark is measured in one process, in seconds.
    pub seconds_per_run: f64,
    filter: Vec<String>,
    exact: bool,
}

impl CommitSuiteOptions {
    /// Whether anything is said that only a suite has, and by which option.
    pub fn said(&self) -> Option<&'static str> {
        let all = [
            ("--filter", !self.filter.is_empty()),
            ("--exact", self.exact),
            ("--order", self.order.is_some()),
            ("--time-per-run", self.time_per_run.is_some()),
        ];
        all.into_iter().find(|(_, is_said)| *is_said).map(|(option, _)| option)
    }

    /// The suite; none where what is built is a command.
    ///
    /// # Errors
    ///
    /// When an option cannot be used.
    pub fn suite(&self) -> Result<Option<CommitSuite>, SuiteError> {
        let Some(harness) = self.harness else { return Ok(None) };
        let seconds_per_run = match &self.time_per_run {
            None => SECONDS_PER_RUN,
            Some(text) => duration::parse(text)
                .map_err(|source| SuiteError::Duration { option: "--time-per-run", source })?
                .as_secs_f64(),
        };
        let order = self.order.unwrap_or(Arrangement::Alone);
        let (filter, exact) = (self.filter.clone(), self.exact);
        Ok(Some(CommitSuite { harness, order, seconds_per_run, filter, exact }))
    }
}

/// The benchmarks of a program that are selected: what each is called in reports, and what it is
/// there, or why it cannot be run.
pub type Selected = Vec<(String, Result<Member, String>)>;

impl CommitSuite {
    /// What is said of the selection, as the key of a question.
    pub fn key(&self) -> serde_json::Value {
        let harness = match self.harness {
            HarnessOption::Auto => "auto",
            HarnessOption::Named(harness) => harness.word,
        };
        let seconds = self.seconds_per_run;
        serde_json::json!([harness, self.filter, self.exact, self.order.word(), seconds])
    }

    /// What is looked for, in words; none where everything is.
    pub fn wanted(&self) -> Option<String> {
        let quoted: Vec<String> = self.filter.iter().map(|text| format!("`{text}`")).collect();
        let how = if self.exact { "called" } else { "with" };
        (!quoted.is_empty()).then(|| format!("{how} {}", quoted.join(" or ")))
    }

    /// The selected benchmarks of a program, in its order.
    ///
    /// # Errors
    ///
    /// When its harness cannot run them as they are to run.
    pub fn select(&self, program: &Program) -> Result<Selected, SuiteError> {
        let Program { harness, listed, .. } = program;
        if !self.order.is_possible(harness) {
            return Err(SuiteError::Order { order: self.order.word(), harness: harness.name });
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in listed {
            *counts.entry(name).or_insert(0) += 1;
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let mut selected = Selected::new();
        for name in listed.iter().filter(|name| selects(&self.filter, self.exact, name)) {
            let before = seen.entry(name).or_insert(0);
            let (benchmark, namesakes_before) = (name.clone(), *before);
            *before += 1;
            let count = counts[name.as_str()];
            if count > 1 && self.order == Arrangement::Alone {
                if namesakes_before == 0 {
                    selected.push((benchmark, Err(namesakes(count, harness))));
                }
                continue;
            }
            let member =
                Member { program: 0, benchmark, namesakes_before, arrangement: self.order };
            selected.push((member.title(), Ok(member)));
        }
        Ok(selected)
    }
}

fn namesakes(count: usize, harness: &Harness) -> String {
    format!(
        "{count} benchmarks have this name, and {} runs all of them when it is told to run one",
        harness.name
    )
}

/// How the suite that a commit makes is started.
///
/// # Errors
///
/// When the command or an option cannot be used.
pub fn invocation_of(
    options: &InvocationOptions,
    template: &str,
    built: &Built<'_>,
) -> Result<Invocation, CommandError> {
    let direct = InvocationOptions { no_shell: true, ..options.clone() };
    let mut one = artifacts::experiment(&direct, template, std::slice::from_ref(built))?;
    Ok(one.variants.remove(0).run)
}

/// The suite of one commit.
#[derive(Debug, Clone)]
pub struct SuiteOfCommit<'a> {
    /// The commit, and where its suite is.
    pub built: Built<'a>,
    /// The suite.
    pub program: &'a Program,
}

/// One benchmark of one commit: what a variant is.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'a> {
    /// Which of the suites, by its place.
    pub suite: usize,
    /// What reports call the benchmark.
    pub title: &'a str,
    /// What it is there.
    pub member: &'a Member,
}

/// Benchmarks of several commits as the variants of one experiment, in their order.
///
/// # Errors
///
/// When an option cannot be used.
pub fn experiment(
    suite: &CommitSuite,
    (options, template): (&InvocationOptions, &str),
    commits: &[SuiteOfCommit<'_>],
    chosen: &[Chosen<'_>],
) -> Result<(Suite, Experiment), CommandError> {
    let of_commit = |commit: &SuiteOfCommit<'_>| Program {
        name: commit.built.name.clone(),
        ..commit.program.clone()
    };
    let programs: Vec<Program> = commits.iter().map(of_commit).collect();
    let member = |one: &Chosen<'_>| Member { program: one.suite, ..one.member.clone() };
    let variants: Vec<Variant> =
        chosen.iter().map(|one| variant(*one, &commits[one.suite], template)).collect();
    let listed: usize = programs.iter().map(|program| program.listed.len()).sum();
    let experiment = Experiment {
        commands: u32::try_from(variants.len()).expect("at most 2^20"),
        variants,
        shell: None,
        timeout: invocation::timeout(options)?,
        allowed: AllowedExits::Zero,
        outlives_failures: true,
        setup_runs: 1,
        claims_equal_work: false,
    };
    let suite = Suite {
        programs,
        members: chosen.iter().map(member).collect(),
        is_whole: chosen.len() == listed,
        seconds_per_run: suite.seconds_per_run,
    };
    Ok((suite, experiment))
}

fn variant(chosen: Chosen<'_>, commit: &SuiteOfCommit<'_>, template: &str) -> Variant {
    let Chosen { title, member, .. } = chosen;
    let benchmark = BenchmarkLabel::new(title, commit.program.harness.word, member.arrangement);
    Variant {
        name: merge::of_benchmark(title, &commit.built.name),
        command: template.to_owned(),
        labels: Labels {
            parameters: Point::new(),
            artifact: Some(artifacts::label(&commit.built)),
            benchmark: Some(benchmark),
        },
        run: commit.program.run.clone(),
        setup: None,
        prepare: None,
        conclude: None,
        cleanup: None,
        measures: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::tests::program;
    use super::*;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        invocation: InvocationOptions,
    }

    fn suite(filter: &[&str], order: Arrangement) -> CommitSuite {
        let options = CommitSuiteOptions {
            harness: Some(HarnessOption::Auto),
            filter: filter.iter().map(|text| (*text).to_owned()).collect(),
            order: Some(order),
            ..CommitSuiteOptions::default()
        };
        options.suite().expect("sound").expect("a suite")
    }

    fn titles(selected: &Selected) -> Vec<(&str, bool)> {
        selected.iter().map(|(title, member)| (title.as_str(), member.is_ok())).collect()
    }

    #[test]
    fn namesakes_cannot_run_alone_and_are_numbered_together() {
        let program = program("x", &["a", "b", "a"]);
        let alone = suite(&[], Arrangement::Alone).select(&program).expect("possible");
        assert_eq!(titles(&alone), [("a", false), ("b", true)]);
        let together = suite(&[], Arrangement::Together).select(&program).expect("possible");
        assert_eq!(titles(&together), [("a", true), ("b", true), ("a (2)", true)]);
        let some = suite(&["b", "z"], Arrangement::Alone).select(&program).expect("possible");
        assert_eq!(titles(&some), [("b", true)]);
    }

    #[test]
    fn an_order_that_the_harness_does_not_have_is_refused() {
        let google =
            Program { harness: &toolchains::harness::google::HARNESS, ..program("x", &["a", "b"]) };
        let refused = suite(&[], Arrangement::Reversed).select(&google);
        assert!(matches!(refused, Err(SuiteError::Order { .. })));
    }

    #[test]
    fn every_benchmark_of_every_commit_is_a_variant() {
        let (old, new) = (program("x", &["a", "b"]), program("x", &["b", "a"]));
        let suite = suite(&[], Arrangement::Alone);
        let selected = [&old, &new].map(|program| suite.select(program).expect("possible"));
        let commit = |number: usize, program| SuiteOfCommit {
            built: Built {
                commit: ["c0", "c1"][number],
                name: format!("c{number} subject"),
                path: std::path::Path::new("/x"),
                digest: ["d0", "d1"][number],
                work: None,
            },
            program,
        };
        let chosen: Vec<Chosen<'_>> = (selected.iter().enumerate())
            .flat_map(|(suite, of_commit)| {
                of_commit.iter().filter_map(move |(title, member)| {
                    Some(Chosen { suite, title, member: member.as_ref().ok()? })
                })
            })
            .collect();
        let options = Options::parse_from(["brisk", "--timeout", "2s"]).invocation;
        let commits = [commit(0, &old), commit(1, &new)];
        let (suite, experiment) =
            experiment(&suite, (&options, "{artifact} x"), &commits, &chosen).expect("sound");
        let names: Vec<&str> = experiment.variants.iter().map(|one| one.name.as_str()).collect();
        let expected = ["a at c0 subject", "b at c0 subject", "b at c1 subject", "a at c1 subject"];
        assert_eq!(names, expected);
        let programs: Vec<usize> = suite.members.iter().map(|member| member.program).collect();
        assert_eq!(programs, [0, 0, 1, 1]);
        assert!(suite.is_whole && experiment.outlives_failures);
        assert_eq!(experiment.timeout, Some(std::time::Duration::from_secs(2)));
        let expected = [
            ("commit", "c1"),
            ("artifact", "d1"),
            ("benchmark", "b"),
            ("harness", "lines"),
            ("order", "alone"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(experiment.variants[2].labels.pairs(), expected);
    }
}
