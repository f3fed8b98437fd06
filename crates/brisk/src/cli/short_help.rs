//! What `-h` shows: one screen with what most people look for, in groups. `--help` has everything.
//!
//! Options are found by their names, so their letters and values are those that the parser knows.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{Arg, Command};

use super::exit::ExitCode;
use super::output::{ColorOption, Output};

/// What belongs together: a label, and what is behind it.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

/// The short help of a verb.
struct Short {
    verb: &'static str,
    groups: &'static [Group],
    example: &'static str,
}

const VERBS: &[Group] = &[
    (
        "Is it faster?",
        &[
            ("compare", "commands: is one faster than another?"),
            ("bench", "the benchmarks inside a program"),
            ("sweep", "a command with many parameter values, or settings"),
        ],
    ),
    ("Since when?", &[("history", "every commit of a range, built and measured")]),
    ("Why?", &[("explain", "what a program spends its time and memory on")]),
    (
        "Can I trust it?",
        &[
            ("doctor", "this machine: what disturbs measurements"),
            ("check", "the expectations in brisk.toml"),
            ("ci", "a change, before it is merged"),
        ],
    ),
    (
        "Results",
        &[
            ("list", "what is stored; `show ID` shows it again"),
            ("report", "a page for a browser; `serve` serves all of them"),
            ("export", "files for other programs; `import` reads them"),
        ],
    ),
    (
        "More",
        &[("init", "writes a first brisk.toml"), ("hold", "runs a command while nobody measures")],
    ),
];

const HOW_LONG: Group = (
    "How long",
    &[
        ("warmup", "rounds before the measured ones"),
        ("runs", "exactly so many rounds"),
        ("budget", "the longest to measure"),
        ("margin", "the smallest change that matters"),
    ],
);

const BUILDS: Group = (
    "Builds",
    &[
        ("build", "how a commit is built; recognised mostly"),
        ("artifact", "what the build makes"),
        ("build-jobs", "builds at the same time"),
    ],
);

const RESULTS: Group = (
    "Results",
    &[
        ("export-json", "everything, with every run"),
        ("export-markdown", "the answer and a table"),
        ("export-html", "a page with pictures"),
    ],
);

const SHORT: &[Short] = &[
    Short {
        verb: "compare",
        groups: &[
            (
                "What",
                &[
                    ("name", "names for the commands, in their order"),
                    ("parameter-list", "with each value of {NAME}"),
                    ("at", "the program at this commit, against now"),
                ],
            ),
            (
                "How",
                &[
                    ("setup", "before the first run of each command"),
                    ("prepare", "before each run, untimed"),
                    ("N", "without a shell"),
                    ("ignore-failure", "go on when a command fails"),
                    ("metrics", "what decides; wall_time by default"),
                ],
            ),
            HOW_LONG,
            RESULTS,
        ],
        example: "brisk compare 'sort big.txt' 'sort --parallel=1 big.txt'",
    },
    Short {
        verb: "history",
        groups: &[
            (
                "What",
                &[
                    ("benchmark", "the one of brisk.toml to measure"),
                    ("bisect", "find the commit that changed this metric"),
                    ("all-parents", "follow all parents of merges"),
                    ("explain", "say why, at each step"),
                    ("remeasure", "measure again what is stored"),
                    ("metrics", "what is shown and judged"),
                ],
            ),
            BUILDS,
            HOW_LONG,
            RESULTS,
        ],
        example: "brisk history v1.0..main -- {artifact} input",
    },
    Short {
        verb: "bench",
        groups: &[
            (
                "What",
                &[
                    ("list", "list the benchmarks, and measure none"),
                    ("filter", "only those with TEXT in their names"),
                    ("order", "what shares a process; all in turn by default"),
                    ("at", "the suite at this commit, against now"),
                    ("baseline", "results that the harness has saved"),
                    ("time-per-run", "how long for each, in one process"),
                    ("metrics", "what is shown and judged"),
                ],
            ),
            HOW_LONG,
            RESULTS,
        ],
        example: "brisk bench --filter Decode old.test new.test",
    },
    Short {
        verb: "sweep",
        groups: &[
            (
                "What",
                &[
                    ("param", "values of {NAME}: a,b,c or 1..8 or 1..64*2"),
                    ("tune", "search the runtime's settings"),
                    ("default", "the point that others are compared with"),
                    ("limit", "what a point must keep to: peak_rss < 4 GB"),
                    ("minimize", "what should be small; wall_time by default"),
                ],
            ),
            (
                "How",
                &[("prepare", "before each run, untimed"), ("env", "variables, such as N={name}")],
            ),
            HOW_LONG,
            RESULTS,
        ],
        example: "brisk sweep --param jobs=1..8 'make -j{jobs} check'",
    },
    Short {
        verb: "explain",
        groups: &[
            (
                "What",
                &[
                    ("at", "the program at this commit, against now"),
                    ("core", "dumps of GHC that are there already"),
                    ("callgrind", "profiles that are there already"),
                    ("cause", "what a cause is, with an example"),
                ],
            ),
            (
                "How",
                &[
                    ("prove", "try remedies, and measure them"),
                    ("work", "two sizes of {work}: how costs grow"),
                    ("executable", "the one of a cabal project"),
                    ("all", "also what costs less than 1 %"),
                    ("flame", "a flame graph, as SVG"),
                ],
            ),
            BUILDS,
            RESULTS,
        ],
        example: "brisk explain Main.hs -- 1000    brisk explain ./old ./new",
    },
    Short {
        verb: "check",
        groups: &[
            (
                "What",
                &[
                    ("at", "this commit instead of the checked-out one"),
                    ("baseline", "the commit that `baseline` means"),
                    ("no-slower", "commands may take so much longer than it"),
                ],
            ),
            (
                "Failures",
                &[
                    ("accept", "accept one, up to its last value"),
                    ("why", "the reason, for later readers"),
                    ("require-verdict", "undecided is status 3"),
                ],
            ),
            HOW_LONG,
            RESULTS,
            ("", &[("export-junit", "for CI services")]),
        ],
        example: "brisk check --export-junit expectations.xml",
    },
    Short {
        verb: "import",
        groups: &[
            (
                "How",
                &[
                    ("metrics", "what is shown and judged"),
                    ("margin", "the smallest change that matters"),
                    ("git-notes", "from the notes of commits"),
                    ("store", "where results are kept"),
                ],
            ),
            RESULTS,
        ],
        example: "brisk import hyperfine.json",
    },
    Short {
        verb: "export",
        groups: &[
            (
                "What",
                &[
                    ("all", "all experiments of the store"),
                    ("baseline", "the command to compare with"),
                ],
            ),
            RESULTS,
            (
                "",
                &[
                    ("export-record", "whole, for `brisk import`"),
                    ("export-csv", "a line for each command and metric"),
                    ("export-svg", "a picture"),
                    ("export-go", "for benchstat"),
                    ("git-notes", "below refs/notes, beside the commits"),
                ],
            ),
        ],
        example: "brisk export 12 --export-json runs.json",
    },
];

/// The verbs by what they answer, where no verb is typed; a mistake unless it is asked for.
pub(super) fn overview(words: &[OsString]) -> Option<ExitCode> {
    let output = Output::new(ColorOption::Auto, false);
    match words {
        [_] => {
            output.message(&screen_of_verbs());
            Some(ExitCode::Trouble)
        }
        [_, word] if word == "-h" => Some(match output.data(&screen_of_verbs()) {
            Ok(()) => ExitCode::Fine,
            Err(failure) => output.failure(&failure),
        }),
        _ => None,
    }
}

fn screen_of_verbs() -> String {
    let mut screen = String::from("Usage: brisk VERB [OPTIONS]\n\n");
    for &(label, verbs) in VERBS {
        for (row, &(verb, words)) in verbs.iter().enumerate() {
            let label = if row == 0 { label } else { "" };
            let _ = writeln!(screen, "{label:16} {verb:9} {words}");
        }
    }
    screen.push_str(
        "\nNew here?        `brisk tour` compares two commands, and says how to read it\n\
         One verb         `brisk compare -h` on a screen, `--help` with everything\n",
    );
    screen
}

/// The command, in which each verb with many options has one screen for `-h`.
pub(super) fn with_short_help(command: Command) -> Command {
    SHORT.iter().fold(command, |command, short| {
        command.mut_subcommand(short.verb, |verb| with_screen(verb, short))
    })
}

/// The verb with one screen for `-h`.
fn with_screen(verb: Command, short: &Short) -> Command {
    let mut screen = String::new();
    for &(label, options) in short.groups {
        for (row, &(name, words)) in options.iter().enumerate() {
            let label = if row == 0 { label } else { "" };
            let known = verb.get_arguments().find(|arg| is_called(arg, name));
            let option = known.map(as_typed).unwrap_or_default();
            let _ = writeln!(screen, "{label:9} {option:29} {words}");
        }
    }
    let all = verb.get_arguments().filter(|arg| !arg.is_hide_set()).count();
    let _ = write!(
        screen,
        "\nExample: {}\n`brisk {} --help` has all {all} options, `-v` shows all readings",
        short.example, short.verb
    );
    let long = verb.get_after_help().cloned();
    let verb = match long {
        Some(long) => verb.after_long_help(long),
        None => verb,
    };
    // The text for `-h` must not be the one for `--help`, too.
    let verb = if verb.get_after_long_help().is_none() { verb.after_long_help("") } else { verb };
    verb.mut_args(|arg| arg.hide_short_help(true))
        .disable_help_flag(true)
        .arg(help())
        .after_help(screen)
}

/// `-h` and `--help`, which the short help does not tell.
fn help() -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .help("Print help (see less with '-h')")
        .action(clap::ArgAction::Help)
        .hide_short_help(true)
}

/// Whether an option has this name, or this letter.
fn is_called(arg: &Arg, name: &str) -> bool {
    let letter = arg.get_short().map(String::from);
    arg.get_long().map_or(letter.as_deref() == Some(name), |long| long == name)
}

/// An option as it is typed: `-w, --warmup N`.
fn as_typed(arg: &Arg) -> String {
    let names = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, Some(long)) => format!("    --{long}"),
        (None, None) => String::new(),
    };
    let takes_values = arg.get_action().takes_values();
    let values = arg.get_value_names().filter(|_| takes_values).unwrap_or_default();
    let values: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
    // A value that may be left out stands behind `=`.
    let is_optional = arg.get_num_args().is_some_and(|count| count.min_values() == 0);
    match values.as_slice() {
        [] => names,
        _ if is_optional => format!("{names}[={}]", values.join(" ")),
        values => format!("{names} {}", values.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn it_names_only_what_there_is() {
        let command = Arguments::command();
        let verbs = VERBS.iter().flat_map(|(_, verbs)| verbs.iter());
        for (verb, _) in verbs {
            assert!(command.find_subcommand(verb).is_some(), "{verb}");
        }
        for short in SHORT {
            let verb = command.find_subcommand(short.verb).expect("a verb");
            for (name, _) in short.groups.iter().flat_map(|(_, options)| options.iter()) {
                let is_there = verb.get_arguments().any(|arg| is_called(arg, name));
                assert!(is_there, "{}: {name}", short.verb);
            }
        }
    }
}
