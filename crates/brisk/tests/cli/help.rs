//! Help, completions and the manual page.

use crate::lab::Lab;

const VERBS: [&str; 10] = [
    "compare",
    "bench",
    "explain",
    "doctor",
    "hold",
    "list",
    "show",
    "export",
    "import",
    "completions",
];

#[test]
fn every_verb_explains_itself() {
    let lab = Lab::new();
    let overview = lab.brisk(&["--help"]).succeeded();
    for verb in VERBS {
        assert!(overview.stdout.contains(&format!("\n  {verb} ")), "{overview}");
        let help = lab.brisk(&[verb, "--help"]).succeeded();
        assert!(help.stdout.contains(&format!("Usage: brisk {verb}")), "{help}");
    }
    overview.says("Exit status: 0 nothing regressed, 1 a regression, 2 trouble, 3 inconclusive");
    lab.brisk(&["--version"]).succeeded().says("brisk 0.");
}

#[test]
fn the_words_of_hyperfine_are_understood() {
    let lab = Lab::new();
    let help = lab.brisk(&["compare", "--help"]).succeeded().stdout;
    for option in [
        "-w, --warmup",
        "-r, --runs",
        "-m, --min-runs",
        "-M, --max-runs",
        "-s, --setup",
        "-p, --prepare",
        "-C, --conclude",
        "-c, --cleanup",
        "-n, --name",
        "-P, --parameter-scan",
        "-D, --parameter-step-size",
        "-L, --parameter-list",
        "-i, --ignore-failure",
        "--shell",
        "-S",
        "-N",
        "--input",
        "--output",
        "--env",
        "--show-output",
        "--reference",
        "--command-name",
        "--export-json",
        "--export-csv",
        "--export-markdown",
        "--budget",
        "--margin",
        "--confidence",
        "--metrics",
        "--seed",
        "--counters",
        "--store",
        "--estimator",
        "--require-verdict",
        "--timeout",
    ] {
        assert!(help.contains(option), "no {option}");
    }
}

#[test]
fn completions_and_the_manual_page_are_made() {
    let lab = Lab::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = lab.brisk(&["completions", shell]).succeeded().stdout;
        assert!(script.contains("brisk") && script.contains("require-verdict"), "{shell}");
    }
    let page = lab.brisk(&["man"]).succeeded().stdout;
    assert!(page.contains(".TH") && page.contains("brisk compare"), "{page}");
}

/// 24 lines of 80 columns: a default terminal.
#[test]
fn short_help_fits_on_one_screen() {
    let lab = Lab::new().with("COLUMNS", "80");
    let overview = lab.brisk(&["-h"]).succeeded().stdout;
    let verbs = lab.brisk(&["--help"]).succeeded().stdout;
    let verbs = verbs.split("Commands:\n").nth(1).expect("a list of verbs").lines();
    let verbs: Vec<&str> = verbs
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(verbs.len() > 15 && verbs.contains(&"tour"), "{verbs:?}");
    let mut screens = vec![("", overview)];
    for verb in verbs.into_iter().filter(|verb| *verb != "help") {
        screens.push((verb, lab.brisk(&[verb, "-h"]).succeeded().stdout));
    }
    for (verb, screen) in screens {
        let (lines, widest) = (screen.lines().count(), screen.lines().map(str::len).max());
        assert!(
            lines <= 24 && widest <= Some(80),
            "{verb}: {lines} lines, {widest:?} columns\n{screen}"
        );
    }
}

#[test]
fn brisk_alone_and_its_short_help_lead_on() {
    let lab = Lab::new();
    let asked = lab.brisk(&["-h"]).succeeded().says("tour Start here").says("help Print");
    #[expect(clippy::disallowed_methods, reason = "a verb is what is missing")]
    let alone = std::process::Command::new(env!("CARGO_BIN_EXE_brisk")).output().expect("it runs");
    assert_eq!(alone.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&alone.stderr), asked.stdout);
    // Everything that does not fit is in the long help.
    let (short, long) = (lab.brisk(&["compare", "-h"]), lab.brisk(&["compare", "--help"]));
    short.succeeded().says("-w, --warmup <N>").says("`brisk compare --help` has all options");
    long.succeeded().says("--export-bencher").says("-h, --help").says("Examples:");
}

#[test]
fn the_tour_compares_two_commands_and_says_how_to_read_it() {
    let lab = Lab::new();
    let tour = lab.brisk(&["tour", "sleep 0.05", "true"]).exited(0);
    let tour = tour.says("$ brisk compare 'sleep 0.05' 'true' --budget 5s");
    let tour = tour.says("(B) is faster than ").says("$ brisk compare 'sleep 0.05' 'sleep 0.05'");
    tour.says("How to read it").says("brisk doctor");
    assert_eq!(lab.brisk(&["tour", "true"]).code, Some(2), "one command is nothing to compare");
    let quoted = lab.brisk(&["tour", "sh -c 'exit 0'", "no-such-program"]).exited(2);
    quoted.says(r"brisk compare 'sh -c '\''exit 0'\''' 'no-such-program'");
}
