//! The arguments, completed by what `brisk.toml` says.
//!
//! The file of the checkout counts, as it is when brisk is called: which files the commits of the
//! range have does not matter.

use std::path::{Path, PathBuf};

use super::HistoryArguments;
use crate::cli::failure::Failure;
use crate::cli::project;
use crate::spec::nearest::listed;
use crate::spec::project::{Benchmark, ProjectFile, settings};

/// The arguments with everything that the file adds.
#[derive(Debug)]
pub(super) struct Completed {
    /// The arguments.
    pub arguments: HistoryArguments,
    /// Variables set for the build.
    pub env: Vec<(String, String)>,
    /// Whether there is a file, which then says where builds run: in its own folder.
    pub has_file: bool,
    /// The folder of the project in which the command runs, where the file names one.
    pub cwd: Option<PathBuf>,
}

/// Reads the file, where there is one.
pub(super) fn completed(arguments: &HistoryArguments) -> Result<Completed, Failure> {
    let mut arguments = arguments.clone();
    let folder = arguments.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let Some(file) = project::read(&folder)? else {
        return match &arguments.benchmark {
            Some(name) => Err(no_file(name, &folder)),
            None => Ok(Completed { arguments, env: Vec::new(), has_file: false, cwd: None }),
        };
    };
    let benchmark = chosen(&arguments, &file)?;
    if let Some(benchmark) = benchmark.filter(|_| arguments.command.is_empty()) {
        arguments.command.push(benchmark.command.clone());
    }
    let benchmarks: Vec<&Benchmark> = benchmark.into_iter().collect();
    arguments.invocation =
        settings::invocation(&arguments.invocation, &folder, &file.project, benchmark);
    arguments.stopping = settings::stopping(&arguments.stopping, &benchmarks);
    arguments.reading = settings::reading(&arguments.reading, &benchmarks);
    arguments.suite = settings::suite(&arguments.suite, benchmark);
    arguments.build = settings::build(&arguments.build, &folder, &file.project);
    let cwd = benchmark.and_then(|benchmark| benchmark.cwd.clone()).or(file.project.cwd);
    Ok(Completed { arguments, env: file.project.env, has_file: true, cwd })
}

fn no_file(name: &str, folder: &Path) -> Failure {
    Failure::new(format!("unknown benchmark `{name}`"))
        .because(format!("there is no `brisk.toml` in `{}`", folder.display()))
}

/// The benchmark whose command is measured. With a command of the user's own there is none, unless
/// it is named.
fn chosen<'a>(
    arguments: &HistoryArguments,
    file: &'a ProjectFile,
) -> Result<Option<&'a Benchmark>, Failure> {
    if let Some(name) = &arguments.benchmark {
        return project::benchmark(file, name).map(Some);
    }
    match file.benchmarks.as_slice() {
        _ if !arguments.command.is_empty() => Ok(None),
        [] => Ok(None),
        [only] => Ok(Some(only)),
        several => {
            let names = listed(several.iter().map(|benchmark| benchmark.name.as_str()));
            Err(Failure::new(format!("brisk.toml has {} benchmarks", several.len()))
                .hint(Some(format!("choose one with `--benchmark NAME`: {names}"))))
        }
    }
}
