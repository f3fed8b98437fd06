//! `[trial]`: what `brisk try` minimises, and what a proposal may do for it.
//!
//! ```toml
//! [trial]
//! benchmarks = ["sort"]
//! minimize = "wall_time"
//! edit = ["src/*.c"]
//! checks = ["make test"]
//! input = "data/in.txt"
//! generator = "python3 data/make.py {seed}"
//! ```

use std::time::Duration;

use stats::online::Errors;

use super::table::Table;
use super::{Benchmark, ProjectFileError, ProjectProblem, word};
use crate::expectation::Vocabulary;
use crate::metric::{MetricId, WALL_TIME};
use crate::spec::parameters::placeholders;
use crate::verdict::Margin;

/// The rules of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRules {
    /// The names of the benchmarks.
    pub benchmarks: Vec<String>,
    /// The metric that proposals have to make smaller.
    pub minimize: MetricId,
    /// The paths that a proposal may change, as git's glob patterns from the project's folder.
    pub edit: Vec<String>,
    /// Commands that must pass in a checkout of each proposal.
    pub checks: Vec<String>,
    /// The file that each round draws anew, where the benchmarks read it.
    pub input: Option<String>,
    /// The command that prints an input for a `{seed}`.
    pub generator: Option<String>,
    /// The command that prints the inputs of the last comparison, which no try is measured with.
    pub holdback: Option<String>,
    /// The command that accepts an `{output}` which differs from the `{expected}` one.
    pub checker: Option<String>,
    /// The error that the whole trial may make.
    pub errors: Errors,
    /// The smallest gain that matters.
    pub margin: Option<Margin>,
    /// The longest time to measure a proposal.
    pub budget: Option<Duration>,
}

/// The keys of `[trial]`.
pub(super) const TRIAL_KEYS: &[&str] = &[
    "benchmarks",
    "minimize",
    "edit",
    "checks",
    "input",
    "generator",
    "holdback",
    "checker",
    "errors",
    "margin",
    "budget",
];

/// The word of an error in `brisk.toml`.
pub fn errors_word(errors: Errors) -> &'static str {
    match errors {
        Errors::Any => "any",
        Errors::Rate => "rate",
    }
}

/// Reads the table, about some of these benchmarks.
pub(super) fn read(
    table: &Table<'_>,
    benchmarks: &[Benchmark],
    vocabulary: &Vocabulary,
) -> Result<TrialRules, ProjectFileError> {
    let edit = table.list("edit")?;
    if edit.is_empty() {
        return Err(table.lacks("edit"));
    }
    let names = match table.texts("benchmarks")? {
        Some(names) => names,
        None => {
            let commands = benchmarks.iter().filter(|one| one.harness.is_none());
            commands.map(|one| (one.name.clone(), table.span.clone())).collect()
        }
    };
    if names.is_empty() {
        return Err(table.lacks("benchmarks"));
    }
    for (name, span) in &names {
        let found = benchmarks.iter().find(|one| one.name == *name);
        let problem = match found {
            None => {
                let known = benchmarks.iter().map(|one| one.name.clone()).collect();
                ProjectProblem::UnknownWord { what: "benchmark", word: name.clone(), known }
            }
            Some(one) if one.harness.is_some() => ProjectProblem::TrialOfSuite(name.clone()),
            Some(_) => continue,
        };
        return Err(table.source.refuse(problem, span.clone()));
    }
    let minimize = match table.text("minimize")? {
        None => WALL_TIME,
        Some(name) => match vocabulary.find(&name) {
            Some(metric) => metric.id.clone(),
            None => {
                let known = vocabulary.names().map(str::to_owned).collect();
                let problem = ProjectProblem::UnknownWord { what: "metric", word: name, known };
                return Err(table.refuse("minimize", problem));
            }
        },
    };
    let rules = TrialRules {
        benchmarks: names.into_iter().map(|(name, _)| name).collect(),
        minimize,
        edit,
        checks: table.list("checks")?,
        input: table.path_within("input")?.map(|path| path.to_string_lossy().into_owned()),
        generator: table.text("generator")?,
        holdback: table.text("holdback")?,
        checker: table.text("checker")?,
        errors: word(table, "errors", [Errors::Any, Errors::Rate], errors_word)?
            .unwrap_or(Errors::Any),
        margin: table.margin("margin")?,
        budget: table.duration("budget")?,
    };
    check(&rules, table)?;
    Ok(rules)
}

/// Generators need a file to replace, and a seed to differ by; a checker needs the output.
fn check(rules: &TrialRules, table: &Table<'_>) -> Result<(), ProjectFileError> {
    let needs = [
        ("generator", &rules.generator, "seed"),
        ("holdback", &rules.holdback, "seed"),
        ("checker", &rules.checker, "output"),
    ];
    for (key, command, placeholder) in needs {
        let Some(command) = command else { continue };
        if key != "checker" && rules.input.is_none() {
            return Err(table.lacks("input"));
        }
        if !placeholders(command).any(|name| name == placeholder) {
            return Err(table.refuse(key, ProjectProblem::NoPlaceholder { key, placeholder }));
        }
    }
    Ok(())
}
