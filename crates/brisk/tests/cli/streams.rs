//! Input and output of the commands, and of brisk itself.

use crate::lab::{Lab, has, not_checked, run};

/// A program that prints its input and marks each of its output streams.
const TELL: &str = "sh -c 'cat; echo out; echo err >&2'";

#[test]
fn input_is_nothing_or_a_file_opened_anew_for_each_run() {
    let lab = Lab::new();
    lab.write("input", "given\n");
    lab.brisk(&["compare", "-r", "3", "-S", "cat >> log; echo . >> log"]).succeeded();
    assert_eq!(lab.lines("log"), [".", ".", "."]);
    lab.brisk(&["compare", "-r", "3", "--input", "input", "cat >> copied"]).succeeded();
    assert_eq!(lab.lines("copied"), ["given"; 3]);
}

#[test]
fn output_goes_where_it_was_sent() {
    let lab = Lab::new();
    for nowhere in ["null", "pipe"] {
        let ended = lab.brisk(&["compare", "-r", "2", "--output", nowhere, TELL]).succeeded();
        assert!(!ended.stdout.contains("out\n"), "{ended}");
    }
    lab.brisk(&["compare", "-r", "2", "--output", "file", TELL]).succeeded();
    // Emptied before every run.
    assert_eq!(lab.read("file"), "out\n");
    for shown in [&["--output", "inherit"][..], &["--show-output"]] {
        let ended = lab.brisk(&[&["compare", "-r", "2"], shown, &[TELL]].concat()).exited(0);
        assert_eq!(ended.stdout.lines().filter(|line| *line == "out").count(), 2, "{ended}");
    }
    let each = ["compare", "-r", "1", "--output", "one", "--output", "two", "echo 1", "echo 2"];
    lab.brisk(&each).exited(0);
    assert_eq!((lab.read("one"), lab.read("two")), ("1\n".to_owned(), "2\n".to_owned()));
}

#[test]
fn nothing_but_the_report_is_on_standard_output() {
    let lab = Lab::new();
    let ended = lab.brisk(&["compare", "-r", "3", TELL, "true"]).exited(0);
    assert!(ended.stdout.lines().any(|line| line.starts_with("A  sh -c")), "{ended}");
    assert_eq!(ended.stderr, "");
    assert!(!ended.stdout.contains('\u{1b}') && !ended.stdout.contains('\r'), "{ended}");
    let quiet = lab.brisk(&["compare", "-q", "-r", "3", "true"]).succeeded();
    assert!(quiet.stdout.contains("wall time"));
    // Showing again prints the same.
    let again = lab.brisk(&["show", "1"]).succeeded();
    assert_eq!(again.stdout, ended.stdout);
}

#[test]
fn colours_are_for_terminals_or_where_they_are_asked_for() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "3", "true", "true"]).exited(0);
    let coloured = |lab: &Lab, options: &[&str]| {
        let ended = lab.brisk(&[&["show", "1"], options].concat()).exited(0);
        ended.stdout.contains('\u{1b}')
    };
    assert!(!coloured(&lab, &[]));
    assert!(!coloured(&lab, &["--color", "auto"]));
    assert!(!coloured(&lab, &["--color=never"]));
    assert!(coloured(&lab, &["--color=always"]));
    let error = |options: &[&str]| lab.brisk(&[&["show", "99"], options].concat()).exited(2).stderr;
    assert!(error(&["--color=always"]).starts_with('\u{1b}'));
    assert!(error(&[]).starts_with("error: "));

    let plain = Lab::new().with("NO_COLOR", "1");
    plain.brisk(&["compare", "-r", "3", "true", "true"]).exited(0);
    assert!(!coloured(&plain, &[]));
    assert!(coloured(&plain, &["--color=always"]), "who asks on the spot is heard");
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    let verbs: [&[&str]; 6] = [
        &["list"],
        &["show", "1"],
        &["compare", "-r", "1", "true"],
        &["--help"],
        &["--version"],
        &["completions", "bash"],
    ];
    for arguments in verbs {
        let (reader, writer) = std::io::pipe().expect("pipes are to be had");
        drop(reader);
        let ended = lab.start_into(writer, arguments).wait();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended}");
    }
}

#[test]
fn standard_output_that_cannot_be_written_is_a_failure() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("this is Linux");
    lab.start_into(full, &["list"])
        .wait()
        .failed("cannot write to standard output")
        .because("No space left on device");
}

#[test]
fn reports_fit_the_width_they_are_given() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "3", "true", "true"]).exited(0);
    for columns in [60, 80, 100] {
        let narrow =
            Lab::new().storing_at(lab.store().to_owned()).with("COLUMNS", columns.to_string());
        let shown = narrow.brisk(&["show", "1"]).succeeded().stdout;
        let longest = shown.lines().map(|line| line.chars().count()).max().expect("lines");
        assert!(longest <= columns, "{longest} of {columns}:\n{shown}");
    }
}

#[test]
fn on_a_terminal_there_is_progress_and_colour() {
    if !has("script") {
        return not_checked("a terminal: there is no `script` to make one");
    }
    let lab = Lab::new();
    let brisk = env!("CARGO_BIN_EXE_brisk");
    let (store, typescript) = (lab.store().display(), lab.path("typescript"));
    let on_terminal = |options: &str| {
        let command = format!(
            "env -u NO_COLOR TERM=xterm COLUMNS=100 '{brisk}' compare --store '{store}' -r 30 \
             {options} 'sleep 0.01' 'sleep 0.01'"
        );
        let typescript = typescript.display().to_string();
        // The verdict does not matter here.
        run("script", &["-q", "-c", &command, &typescript]);
        lab.read("typescript")
    };
    let shown = on_terminal("");
    assert!(shown.contains("\u{1b}[2m") && shown.contains("wall time"), "{shown}");
    assert!(shown.contains("round ") && shown.contains(" left"), "{shown}");
    let quiet = on_terminal("--quiet");
    assert!(!quiet.contains(" left") && quiet.contains("wall time"), "{quiet}");
    let plain = on_terminal("--quiet --color never");
    assert!(!plain.contains("\u{1b}[2m") && plain.contains("wall time"), "{plain}");
}
