//! The arguments, completed from `brisk.toml`.
//!
//! The file in the working tree counts, as it is when brisk is called; its versions in the commits
//! of the range are ignored.

use std::path::{Path, PathBuf};

use configuration::HistoryRequest;
use configuration::settings;
use model::failure::Failure;
use model::spec::project::Benchmark;

/// The arguments with all settings of the file.
#[derive(Debug)]
pub(super) struct Completed {
    /// The arguments.
    pub arguments: HistoryRequest,
    /// Variables set for the build.
    pub env: Vec<(String, String)>,
    /// Set if there is a file; builds then run in its folder.
    pub has_file: bool,
    /// The folder of the project in which the command runs, if the file sets one.
    pub cwd: Option<PathBuf>,
    /// The folder of the project in which the build runs, if the file sets one.
    pub project_cwd: Option<PathBuf>,
    /// The failure if a benchmark must still be chosen.
    pub undecided: Option<Failure>,
}

/// Reads the file, if it exists.
pub(super) fn completed(arguments: &HistoryRequest) -> Result<Completed, Failure> {
    let mut arguments = arguments.clone();
    let folder = arguments.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let Some(file) = configuration::project::read(&folder)? else {
        return match &arguments.benchmark {
            Some(name) => Err(no_file(name, &folder)),
            None => Ok(Completed {
                arguments,
                env: Vec::new(),
                has_file: false,
                cwd: None,
                project_cwd: None,
                undecided: None,
            }),
        };
    };
    let named = arguments.benchmark.as_deref();
    // Reported together with other missing options.
    let (benchmark, undecided) =
        match configuration::project::chosen(named, !arguments.command.is_empty(), &file) {
            Ok(benchmark) => (benchmark, None),
            Err(failure) if named.is_none() => (None, Some(failure)),
            Err(failure) => return Err(failure),
        };
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
    let cwd = benchmark.and_then(|benchmark| benchmark.cwd.clone()).or(file.project.cwd.clone());
    let (env, project_cwd) = (file.project.env, file.project.cwd);
    Ok(Completed { arguments, env, has_file: true, cwd, project_cwd, undecided })
}

fn no_file(name: &str, folder: &Path) -> Failure {
    Failure::new(format!("unknown benchmark `{name}`"))
        .because(format!("there is no `brisk.toml` in `{}`", folder.display()))
}
