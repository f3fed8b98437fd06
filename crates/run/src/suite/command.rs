//! The command that makes a suite's program run some of its benchmarks, or list them.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use toolchains::harness::adapter::{Arranges, Discovery, Request, Selection};

use model::spec::Invocation;
use model::spec::suite::{Arrangement, SuiteProgram};

/// The contents of one process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// The benchmarks in the order to run them in, as far as the harness supports it.
    pub names: &'a [&'a str],
    /// Set if these are all benchmarks of the program.
    pub is_whole: bool,
    /// The arrangement of the benchmarks in processes.
    pub arrangement: Arrangement,
    /// The seed for the order, if the harness draws it.
    pub seed: u64,
    /// The time to measure each benchmark for, in seconds.
    pub seconds: f64,
    /// The folder of the report.
    pub folder: &'a Path,
}

/// The command that runs these benchmarks and reports.
pub(super) fn running(program: &SuiteProgram, call: Call<'_>) -> Invocation {
    let harness = program.harness;
    let names_them = matches!(harness.arranges, Arranges::AsNamed);
    let selection = match call.is_whole && !names_them {
        true => Selection::Everything,
        false => Selection::Only(call.names),
    };
    let users = program.run.argv.iter().skip(1);
    let is_said = users
        .filter_map(|argument| argument.to_str())
        .any(|argument| harness.duration.is_said_by(argument));
    let duration =
        if is_said { Request::default() } else { (harness.duration.request)(call.seconds) };
    let report = (harness.report)(call.folder);
    let arguments = duration
        .arguments
        .into_iter()
        .chain(report.arguments)
        .chain(order(program, call))
        .chain(harness.selecting(selection));
    let variables = duration.variables.into_iter().chain(report.variables);
    with(program, arguments, variables)
}

/// The arguments that set the order of the benchmarks.
fn order(program: &SuiteProgram, call: Call<'_>) -> Vec<String> {
    match (call.arrangement, program.harness.arranges) {
        (Arrangement::Reversed, Arranges::ByOptions { reversed: Some(words), .. }) => {
            words.iter().map(|word| (*word).to_owned()).collect()
        }
        (Arrangement::Shuffled, Arranges::ByOptions { shuffled: Some(words), .. }) => {
            words(call.seed)
        }
        _ => Vec::new(),
    }
}

/// The command that lists the selected benchmarks.
pub(super) fn listing(program: &SuiteProgram, selection: Selection<'_>) -> Invocation {
    let harness = program.harness;
    let selected = match selection {
        Selection::Everything => Vec::new(),
        Selection::Only(names) => (harness.select)(names),
    };
    let arguments = harness.list_arguments.iter().map(|word| (*word).to_owned()).chain(selected);
    let variables = harness.list_variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
    with(program, arguments, variables)
}

/// The command that lists the top-level benchmarks.
pub(super) fn roots(program: &SuiteProgram, discovery: &Discovery) -> Invocation {
    let arguments = discovery.root_arguments.iter().map(|word| (*word).to_owned());
    with(program, arguments, std::iter::empty())
}

fn with(
    program: &SuiteProgram,
    arguments: impl Iterator<Item = String>,
    variables: impl Iterator<Item = (&'static str, String)>,
) -> Invocation {
    let mut run = program.run.clone();
    if are_for_ghc(&run.argv) {
        run.argv.push("-RTS".into());
    }
    run.argv.extend(arguments.map(OsString::from));
    run.env.extend(variables.map(|(name, value)| (name.into(), Some(value.into()))));
    if program.harness.needs_locale && !has_locale(&run) {
        run.env.push(("LC_ALL".into(), Some("C.UTF-8".into())));
    }
    run
}

/// True if further arguments would be taken for options of GHC's runtime.
fn are_for_ghc(arguments: &[OsString]) -> bool {
    let of_runtime = |word: &&OsString| *word == "+RTS" || *word == "-RTS";
    arguments.iter().rfind(of_runtime).is_some_and(|word| word == "+RTS")
}

/// True if the locale of the program supports characters beyond ASCII (locale(7): the first of
/// these variables that is set and not empty counts).
fn has_locale(run: &Invocation) -> bool {
    let value = |name: &str| {
        let set = run.env.iter().rfind(|(known, _)| known == OsStr::new(name));
        set.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone())
    };
    let mut set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(value);
    let first = set.find(|value| !value.is_empty()).unwrap_or_default();
    let first = first.to_string_lossy().to_ascii_uppercase();
    first.contains("UTF-8") || first.contains("UTF8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::{Stdin, Stdout};
    use toolchains::harness;
    use toolchains::harness::adapter::Harness;

    fn program(harness: &'static Harness, words: &[&str]) -> SuiteProgram {
        SuiteProgram {
            name: words[0].to_owned(),
            harness,
            run: Invocation {
                argv: words.iter().map(OsString::from).collect(),
                env: vec![("LC_ALL".into(), Some("C".into()))],
                cwd: None,
                stdin: Stdin::Null,
                stdout: Stdout::Null,
            },
            listed: Vec::new(),
        }
    }

    fn call<'a>(names: &'a [&'a str], arrangement: Arrangement) -> Call<'a> {
        let folder = Path::new("/folder");
        Call { names, is_whole: true, arrangement, seed: 6, seconds: 0.5, folder }
    }

    fn words(run: &Invocation) -> Vec<&str> {
        run.argv.iter().map(|word| word.to_str().expect("text")).collect()
    }

    #[test]
    fn options_of_the_runtime_end_before_ours() {
        let program = program(&harness::haskell::CRITERION, &["x", "+RTS", "-T"]);
        let run = running(&program, call(&["a"], Arrangement::Together));
        let expected =
            ["x", "+RTS", "-T", "-RTS", "--time-limit", "0.5", "--json", "/folder/report.json"];
        assert_eq!(words(&run), expected);
        assert_eq!(run.env.last(), Some(&("LC_ALL".into(), Some("C.UTF-8".into()))));
    }

    #[test]
    fn a_time_that_the_user_says_is_left_alone() {
        let program = program(&harness::haskell::CRITERION, &["x", "-L", "3"]);
        let run = running(&program, call(&["a"], Arrangement::Together));
        assert_eq!(words(&run), ["x", "-L", "3", "--json", "/folder/report.json"]);
    }

    #[test]
    fn who_takes_names_in_order_is_always_told_them() {
        let program = program(&harness::lines::HARNESS, &["x"]);
        let run = running(&program, call(&["b", "a"], Arrangement::Shuffled));
        assert_eq!(words(&run), ["x", "--run", "b", "a"]);
        assert_eq!(words(&listing(&program, Selection::Everything)), ["x", "--list"]);
    }

    #[test]
    fn who_draws_the_order_itself_is_given_the_seed() {
        let program = program(&harness::go::HARNESS, &["x"]);
        let run = running(&program, call(&["BenchmarkA"], Arrangement::Shuffled));
        assert!(words(&run).contains(&"-test.shuffle=3"), "{run:?}");
        assert!(words(&run).contains(&"-test.bench=."), "{run:?}");
    }
}
