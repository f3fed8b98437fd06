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
