//! The suites of a project's commits, as variants of one experiment: one for each benchmark of each
//! commit.

use std::collections::BTreeMap;

use measure::AllowedExits;
use toolchains::harness::description::Harness;

use super::{Arrangement, Filter, HarnessOption, Member, Renames, Suite, SuiteError, SuiteProgram};
use crate::spec::artifacts::BuiltArtifact;
use crate::spec::invocation::{CommandError, RunSettings, ShellChoice};
use crate::spec::labels::{BenchmarkLabel, Labels};
use crate::spec::parameters::Point;
use crate::spec::place::listed;
use crate::spec::{Experiment, Invocation, Variant, artifacts};

/// The settings for running the suites of commits.
#[derive(Debug, Clone)]
pub struct CommitSuite {
    /// The harness of the programs.
    pub harness: HarnessOption,
    /// The benchmarks that run together in a process.
    pub order: Arrangement,
    /// The time that a benchmark is measured in one process, in seconds.
    pub seconds_per_run: f64,
    /// The selected benchmarks, by their current names.
    pub filter: Filter,
    /// The benchmarks that had other names.
    pub renames: Renames,
}

/// The selected benchmarks of a program: the title of each in reports, and the member there, or the
/// reason that it cannot be run.
pub type Selected = Vec<(String, Result<Member, String>)>;

impl CommitSuite {
    /// The selection, as part of a question's key. Renames are left out: a benchmark stays the
    /// same, so measurements under its former name count.
    pub fn key(&self) -> serde_json::Value {
        let (harness, order) = (self.harness.word(), self.order.word());
        let Filter { texts, exact } = &self.filter;
        serde_json::json!([harness, texts, exact, order, self.seconds_per_run])
    }

    /// The selected benchmarks of a program, in its order.
    ///
    /// # Errors
    ///
    /// When its harness cannot run them in the requested order.
    pub fn select(&self, program: &SuiteProgram) -> Result<Selected, SuiteError> {
        let SuiteProgram { harness, listed, .. } = program;
        if !self.order.is_possible(harness) {
            return Err(SuiteError::Order {
                order: self.order.word(),
                harness: harness.name.clone(),
            });
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in listed {
            *counts.entry(name).or_insert(0) += 1;
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let mut selected = Selected::new();
        for name in listed.iter().filter(|name| self.filter.selects(self.renames.now(name))) {
            let before = seen.entry(name).or_insert(0);
            let (benchmark, namesakes_before) = (name.clone(), *before);
            *before += 1;
            let now = |title: &str| self.renames.now(title).to_owned();
            let count = counts[name.as_str()];
            if count > 1 && self.order == Arrangement::Alone {
                if namesakes_before == 0 {
                    selected.push((now(&benchmark), Err(namesakes(count, harness))));
                }
                continue;
            }
            let member =
                Member { program: 0, benchmark, namesakes_before, arrangement: self.order };
            selected.push((now(&member.title()), Ok(member)));
        }
        Ok(without_claimants(selected))
    }
}

/// Replaces benchmarks with the same title by a single error, since they cannot be told apart.
fn without_claimants(selected: Selected) -> Selected {
    let mut by_title: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (title, member) in &selected {
        let own = member.as_ref().map_or_else(|_| title.clone(), Member::title);
        by_title.entry(title.clone()).or_default().push(own);
    }
    let mut kept = Selected::new();
    for (title, member) in selected {
        match by_title[&title].as_slice() {
            [_] => kept.push((title, member)),
            several if kept.iter().all(|(other, _)| *other != title) => {
                let reason = claimants(several, &title);
                kept.push((title, Err(reason)));
            }
            _ => {}
        }
    }
    kept
}

fn claimants(names: &[String], title: &str) -> String {
    let names = listed(names.iter().map(String::as_str));
    format!("it has {names}, and brisk.toml says that each of them is `{title}`")
}

fn namesakes(count: usize, harness: &Harness) -> String {
    format!(
        "{count} benchmarks have this name, and {} runs all of them when it is told to run one",
        harness.name
    )
}

/// The invocation of a commit's suite.
///
/// # Errors
///
/// When the command or an option cannot be used.
pub fn invocation_of(
    run_settings: &RunSettings,
    template: &str,
    built: &BuiltArtifact<'_>,
) -> Result<Invocation, CommandError> {
    let direct = RunSettings { shell: ShellChoice::Never, ..run_settings.clone() };
    let mut one = artifacts::experiment(&direct, template, std::slice::from_ref(built))?;
    Ok(one.variants.remove(0).run)
}

/// The name of a variant: the benchmark and the commit.
pub fn of_benchmark(benchmark: &str, commit: &str) -> String {
    format!("{benchmark} at {commit}")
}

/// The suite of a commit.
#[derive(Debug, Clone)]
pub struct SuiteOfCommit<'a> {
    /// The commit, and the artefact with its suite.
    pub built: BuiltArtifact<'a>,
    /// The suite.
    pub program: &'a SuiteProgram,
}

/// A benchmark of a commit: the meaning of a variant.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'a> {
    /// The index of the suite.
    pub suite: usize,
    /// The benchmark there, under its name at that commit.
    pub member: &'a Member,
}

/// Benchmarks of several commits as the variants of one experiment, in their order.
///
/// # Errors
///
/// When an option cannot be used.
pub fn experiment(
    suite: &CommitSuite,
    run_settings: &RunSettings,
    template: &str,
    commits: &[SuiteOfCommit<'_>],
    chosen: &[Chosen<'_>],
) -> Result<(Suite, Experiment), CommandError> {
    let of_commit = |commit: &SuiteOfCommit<'_>| SuiteProgram {
        name: commit.built.name.clone(),
        ..commit.program.clone()
    };
    let programs: Vec<SuiteProgram> = commits.iter().map(of_commit).collect();
    let member = |one: &Chosen<'_>| Member { program: one.suite, ..one.member.clone() };
    let variants: Vec<Variant> =
        chosen.iter().map(|one| variant(*one, &commits[one.suite], template)).collect();
    let listed: usize = programs.iter().map(|program| program.listed.len()).sum();
    let experiment = Experiment {
        commands: u32::try_from(variants.len()).expect("at most 2^20"),
        variants,
        shell: None,
        timeout: run_settings.timeout,
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
    let (title, member) = (chosen.member.title(), chosen.member);
    let benchmark =
        BenchmarkLabel::new(title.as_str(), &commit.program.harness.word, member.arrangement);
    let layouts = artifacts::layouts_of(&commit.built);
    Variant {
        name: of_benchmark(&title, &commit.built.name),
        command: template.to_owned(),
        labels: Labels {
            parameters: Point::new(),
            artifact: Some(artifacts::label(&commit.built)),
            benchmark: Some(benchmark),
            layouts: layouts.count(),
            copies: None,
        },
        run: commit.program.run.clone(),
        setup: None,
        prepare: None,
        conclude: None,
        cleanup: None,
        measures: Vec::new(),
        layouts,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::program;
    use super::*;
    use crate::spec::labels::ArtifactId;

    fn suite(filter: &[&str], order: Arrangement) -> CommitSuite {
        let texts = filter.iter().map(|text| (*text).to_owned()).collect();
        CommitSuite {
            harness: HarnessOption::Auto,
            order,
            seconds_per_run: 0.1,
            filter: Filter { texts, exact: false },
            renames: Renames::default(),
        }
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
    fn what_was_renamed_is_selected_by_its_new_name_and_run_by_its_old_one() {
        let pairs = [("old", "new"), ("older", "old"), ("other", "new")];
        let pairs = pairs.map(|(from, to)| (from.to_owned(), to.to_owned()));
        let renames = Renames::new(pairs).expect("sound");
        let suite = CommitSuite { renames, ..suite(&["new"], Arrangement::Alone) };
        let of = |listed: &[&str]| suite.select(&program("x", listed)).expect("possible");
        let selected = of(&["older", "unknown"]);
        let [(title, Ok(member))] = selected.as_slice() else { panic!("{selected:?}") };
        assert_eq!((title.as_str(), member.benchmark.as_str()), ("new", "older"));
        let several = of(&["older", "news", "new", "other"]);
        assert_eq!(titles(&several), [("new", false), ("news", true)]);
        let reason = several[0].1.as_ref().expect_err("nobody knows which");
        for name in ["`older`", "`new`", "`other`"] {
            assert!(reason.contains(name), "{reason}");
        }
    }

    #[test]
    fn an_order_that_the_harness_does_not_have_is_refused() {
        let google = SuiteProgram {
            harness: toolchains::harness::find("google-benchmark").expect("known"),
            ..program("x", &["a", "b"])
        };
        let refused = suite(&[], Arrangement::Reversed).select(&google);
        assert!(matches!(refused, Err(SuiteError::Order { .. })));
    }

    #[test]
    fn every_benchmark_of_every_commit_is_a_variant() {
        let (old, new) = (program("x", &["a", "b"]), program("x", &["b", "a"]));
        let suite = suite(&[], Arrangement::Alone);
        let selected = [&old, &new].map(|program| suite.select(program).expect("possible"));
        let commit = |number: usize, program| SuiteOfCommit {
            built: BuiltArtifact {
                commit: ["c0", "c1"][number],
                name: format!("c{number} subject"),
                path: std::path::Path::new("/x"),
                id: ArtifactId::new(["d0", "d1"][number], 0),
                work: None,
                layouts: &[],
                checkout: None,
            },
            program,
        };
        let chosen: Vec<Chosen<'_>> = (selected.iter().enumerate())
            .flat_map(|(suite, of_commit)| {
                of_commit.iter().filter_map(move |(_, member)| {
                    Some(Chosen { suite, member: member.as_ref().ok()? })
                })
            })
            .collect();
        let two = std::time::Duration::from_secs(2);
        let run_settings = RunSettings { timeout: Some(two), ..RunSettings::default() };
        let commits = [commit(0, &old), commit(1, &new)];
        let (suite, experiment) =
            experiment(&suite, &run_settings, "{artifact} x", &commits, &chosen).expect("sound");
        let names: Vec<&str> = experiment.variants.iter().map(|one| one.name.as_str()).collect();
        let expected = ["a at c0 subject", "b at c0 subject", "b at c1 subject", "a at c1 subject"];
        assert_eq!(names, expected);
        let programs: Vec<usize> = suite.members.iter().map(|member| member.program).collect();
        assert_eq!(programs, [0, 0, 1, 1]);
        assert!(suite.is_whole && experiment.outlives_failures);
        assert_eq!(experiment.timeout, Some(two));
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
