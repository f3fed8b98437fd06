//! The project's `brisk.toml`, and the benchmark that is meant.

use std::path::Path;

use model::expectation::Vocabulary;
use model::failure::Failure;
use model::spec::place::{listed, nearest};
use model::spec::project::{Benchmark, ProjectFile};

/// Reads the project file in `folder`. None if it is missing.
///
/// # Errors
///
/// When it cannot be read, or says something invalid.
pub fn read(folder: &Path) -> Result<Option<ProjectFile>, Failure> {
    ProjectFile::read(folder, &Vocabulary::of_registry()).map_err(Failure::from)
}

/// The benchmark called `name`.
///
/// # Errors
///
/// When there is none.
pub fn benchmark<'a>(file: &'a ProjectFile, name: &str) -> Result<&'a Benchmark, Failure> {
    let names = || file.benchmarks.iter().map(|benchmark| benchmark.name.as_str());
    let found = file.benchmarks.iter().find(|benchmark| benchmark.name == name);
    found.ok_or_else(|| {
        let hint = match nearest(name, names()) {
            _ if file.benchmarks.is_empty() => "define one as `[[benchmark]]`".to_owned(),
            Some(meant) => format!("did you mean `{meant}`? benchmarks: {}", listed(names())),
            None => format!("benchmarks: {}", listed(names())),
        };
        Failure::new(format!("unknown benchmark `{name}`")).hint(Some(hint))
    })
}

/// The benchmark whose command is measured. None if the user typed a command and named no
/// benchmark.
///
/// # Errors
///
/// When there is none of that name, or the choice is open.
pub fn chosen<'a>(
    named: Option<&str>,
    has_command: bool,
    file: &'a ProjectFile,
) -> Result<Option<&'a Benchmark>, Failure> {
    if let Some(name) = named {
        return benchmark(file, name).map(Some);
    }
    match file.benchmarks.as_slice() {
        _ if has_command => Ok(None),
        [] => Ok(None),
        [only] => Ok(Some(only)),
        several => {
            let names = listed(several.iter().map(|benchmark| benchmark.name.as_str()));
            Err(Failure::new(format!("brisk.toml has {} benchmarks", several.len()))
                .hint(Some(format!("choose one with `--benchmark NAME`: {names}"))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_reads_as_every_failure_does() {
        let text = "[[expect]]\nthat = \"wall_time(a) < 2 MB\"\n";
        let error = ProjectFile::parse(text, &Vocabulary::of_registry()).expect_err("units differ");
        let failure = Failure::from_error(&error).hint(error.hint());
        assert_eq!(
            failure.to_string(),
            "error: seconds cannot be compared with bytes
  cause: line 2, column 9 of `brisk.toml`:
         that = \"wall_time(a) < 2 MB\"
                 ^^^^^^^^^^^^^^^^^^^
"
        );
    }
}
