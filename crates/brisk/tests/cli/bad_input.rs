//! Bad input is refused with a clear error before anything runs; nothing is lost.

use crate::lab::Lab;

/// Arguments of `brisk compare`, and the expected message: the error, and a part of its cause
/// (empty if it has no cause).
type Case<'a> = (&'a [&'a str], &'a str, &'a str);

/// Asserts that every case is refused and nothing was run or stored.
#[track_caller]
fn all_refused(lab: &Lab, cases: &[Case<'_>]) {
    for (arguments, error, cause) in cases {
        let ended = lab.brisk(&[&["compare"], *arguments].concat()).refused(error);
        if !cause.is_empty() {
            ended.because(cause);
        }
        assert!(!lab.exists("ran"), "{arguments:?} ran something");
        assert!(!lab.store().exists(), "{arguments:?} began an experiment");
    }
}

#[test]
fn a_command_that_cannot_be_run_is_refused() {
    let lab = Lab::new();
    lab.write("plain", "#!/bin/sh\n");
    all_refused(
        &lab,
        &[
            (
                &["touch ran", "no-such-program -x"],
                "cannot start `no-such-program -x`",
                "cannot find `no-such-program` in PATH",
            ),
            (&["touch ran", "./no/such/program"], "cannot start", "no/such/program`"),
            (&["touch ran", "./plain"], "cannot start `./plain`", "is not executable"),
            (&["touch ran", "./"], "cannot start `./`", "is a directory"),
            (&["touch ran", ""], "cannot read the command ``", "the command is empty"),
            (&["touch ran", "  "], "cannot read the command `  `", "the command is empty"),
            (
                &["touch ran", "echo 'a b"],
                "cannot read the command `echo 'a b`",
                "single quote opened at character 6 is never closed",
            ),
            (
                &["touch ran", "echo \"a b"],
                "cannot read the command",
                "double quote opened at character 6 is never closed",
            ),
            (&["touch ran", "echo \\"], "cannot read the command", "ends in a backslash"),
            (&["--shell", "no-such-shell", "touch ran"], "cannot start", "`no-such-shell`"),
            (&["--shell", "'", "touch ran"], "cannot read the command `'`", "never closed"),
            (&["-N", "touch ran", "a | b"], "`a | b` needs a shell for `|`", ""),
            (&["-N", "touch ran", "echo $HOME"], "needs a shell for `$`", ""),
            (&["--env", "PATH=/nowhere", "touch ran"], "cannot start", "in PATH"),
        ],
    );
    let hint = |arguments: &[&str]| lab.brisk(&[&["compare"], arguments].concat());
    hint(&["./plain"]).hinting("chmod +x");
    hint(&["exit 0"]).hinting("`-S`");
    hint(&["-N", "a | b"]).hinting("`-N`");
    hint(&["echo '"]).hinting("quote");
}

#[test]
fn a_parameter_that_makes_no_sense_is_refused() {
    let lab = Lab::new();
    all_refused(
        &lab,
        &[
            (
                &["-L", "n", "1,2", "touch ran {n}", "touch ran {m}"],
                "unknown parameter `{m}` in `touch ran {m}`; known: `n`",
                "",
            ),
            (&["-L", "n", "1,2", "touch ran"], "parameter `n` is used in no command", ""),
            (&["-L", "n", "", "touch ran{n}"], "parameter `n` has no values", ""),
            (&["-L", "a b", "1", "touch ran{a b}"], "`a b` is not a parameter name", ""),
            (&["-L", "n", "1", "-L", "n", "2", "touch ran{n}"], "`n` is given twice", ""),
            (&["-P", "n", "NaN", "3", "touch ran{n}"], "`NaN` is not a number", ""),
            (&["-P", "n", "1", "inf", "touch ran{n}"], "`inf` is not a number", ""),
            (&["-P", "n", "one", "3", "touch ran{n}"], "`one` is not a number", ""),
            (&["-P", "n", "3", "1", "touch ran{n}"], "has an empty range", ""),
            (&["-P", "n", "1", "3", "-D", "0", "touch ran{n}"], "must be positive", ""),
            (&["-P", "n", "1", "3", "-D", "-1", "touch ran{n}"], "must be positive", ""),
            (&["-P", "n", "1", "3", "-D", "NaN", "touch ran{n}"], "`NaN` is not a number", ""),
            (&["-P", "n", "0", "1e9", "touch ran{n}"], "combinations of parameters", ""),
            (
                &["--param", "n=1..1048577", "touch ran{n}"],
                "1048577 combinations of parameters are more than the 1048576",
                "",
            ),
            (&["--param", "n=NaN..3", "touch ran{n}"], "`NaN` is not a number", ""),
            (&["--param", "n=1e400..2", "touch ran{n}"], "`1e400` is not a number", ""),
            (&["--param", "n=1..2..3", "touch ran{n}"], "`2..3` is not a number", ""),
        ],
    );
}

#[test]
fn an_unknown_metric_is_refused_with_those_that_are_near() {
    let lab = Lab::new();
    for (metrics, near) in [
        ("instrs", "near it: `instructions`"),
        ("wall_time,instrs", "near it: `instructions`"),
        ("", "known: `wall_time`, "),
    ] {
        let ended = lab.brisk(&["compare", "--metrics", metrics, "touch ran"]);
        let ended = ended.refused("unknown metric `");
        assert!(ended.stderr.contains(near), "{ended}");
        assert!(!lab.exists("ran"));
    }
}

#[test]
fn numbers_and_durations_that_make_no_sense_are_refused() {
    let lab = Lab::new();
    for option in ["--budget", "--timeout"] {
        for duration in ["NaN", "0", "0s", "-1", "-1s", "inf", "1e300"] {
            let error = format!("bad `{option}`");
            let cause = format!("`{duration}` is not a positive duration");
            all_refused(&lab, &[(&[option, duration, "touch ran"], &error, &cause)]);
        }
        for duration in ["", "soon", "5 parsecs", "s"] {
            let error = format!("bad `{option}`");
            let cause = format!("`{duration}` is not a duration; write for example `500ms`");
            all_refused(&lab, &[(&[option, duration, "touch ran"], &error, &cause)]);
        }
    }
    for margin in ["NaN", "0", "-1", "inf", "", "much"] {
        let error = format!("`{margin}` is not a margin");
        all_refused(&lab, &[(&["--margin", margin, "touch ran"], &error, "")]);
    }
    for confidence in ["NaN", "0", "-95", "100", "101", "inf", "", "high"] {
        let error = format!("`{confidence}` is not a confidence");
        all_refused(&lab, &[(&["--confidence", confidence, "touch ran"], &error, "")]);
    }
    all_refused(
        &lab,
        &[
            (&["-r", "0", "touch ran"], "`--runs 0`: the number of runs must be from 1", ""),
            (&["-M", "0", "touch ran"], "`--max-runs 0`: the number of runs must be from 1", ""),
            (&["-r", "99999999", "touch ran"], "the number of runs must be from 1", ""),
            (&["-m", "9", "-M", "5", "touch ran"], "at least 9 runs and at most 5", ""),
        ],
    );
}

#[test]
fn lists_of_the_wrong_length_are_refused() {
    let lab = Lab::new();
    for option in ["--prepare", "--conclude", "--env", "--output"] {
        let arguments = [option, "A=1", option, "A=2", "touch ran", "touch ran", "touch ran"];
        let error = format!("2 `{option}` for 3 commands; give one for all, or one for each");
        all_refused(&lab, &[(&arguments, &error, "")]);
    }
    all_refused(
        &lab,
        &[
            (&["-n", "a", "-n", "b", "touch ran"], "2 names for 1 variants", ""),
            (&["-n", "a", "-n", "a", "touch ran", "true"], "two variants are named `a`", ""),
            (&["-n", "true", "touch ran", "true"], "two variants are named `true`", ""),
        ],
    );
}

#[test]
fn surroundings_that_are_not_there_are_refused() {
    let lab = Lab::new();
    lab.write("file", "");
    all_refused(
        &lab,
        &[
            (&["--cwd", "nowhere", "touch ran"], "`nowhere` is not a folder", ""),
            (&["--cwd", "file", "touch ran"], "`file` is not a folder", ""),
            (&["--input", "nothing", "touch ran"], "cannot read from `nothing`", "No such file"),
            (&["--env", "novalue", "touch ran"], "`novalue` is not an assignment", ""),
            (&["--env", "=x", "touch ran"], "`=x` is not an assignment", ""),
            (&["--env", "A='", "touch ran"], "cannot read the command `A='`", "never closed"),
            (&["--ignore-failure=x", "touch ran"], "`x` is not an exit code", ""),
            (&["--ignore-failure=3,300", "touch ran"], "`300` is not an exit code", ""),
            (&["--ignore-failure=-1", "touch ran"], "`-1` is not an exit code", ""),
            (&["--input", "/", "touch ran"], "cannot read from `/`", "is a directory"),
        ],
    );
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_measuring() {
    let lab = Lab::new();
    lab.write("kept", "precious");
    for option in ["--export-json", "--export-csv", "--export-markdown", "--export-hyperfine"] {
        all_refused(
            &lab,
            &[
                (
                    &[option, "no/such/folder/x", "touch ran"],
                    "cannot write `no/such/folder/x`",
                    "No such file or directory",
                ),
                (&[option, ".", "touch ran"], "cannot write `.`", "Is a directory"),
            ],
        );
    }
    all_refused(
        &lab,
        &[
            (
                &["--export-json", "kept", "--export-csv", "no/x", "touch ran"],
                "cannot write `no/x`",
                "No such file or directory",
            ),
            (
                &["--output", "no/such/folder/x", "touch ran"],
                "cannot write to `no/such/folder/x`",
                "No such file or directory",
            ),
            (
                &["--output", "null", "--output", ".", "touch ran", "touch ran"],
                "cannot write to `.",
                "Is a directory",
            ),
        ],
    );
    assert_eq!(lab.read("kept"), "precious");
    // The check itself leaves nothing behind either.
    lab.brisk(&["compare", "--export-json", "new.json", "--output", "new.txt", "no-such-program"])
        .refused("cannot start");
    assert!(!lab.exists("new.json") && !lab.exists("new.txt"));
}

#[test]
fn mistakes_in_the_arguments_themselves_are_told_on_standard_error() {
    let lab = Lab::new();
    let cases: [&[&str]; 12] = [
        &["compare"],
        &["compare", "--frobnicate", "touch ran"],
        &["compare", "-r", "-1", "touch ran"],
        &["compare", "-r", "NaN", "touch ran"],
        &["compare", "-r", "1.5", "touch ran"],
        &["compare", "-r", "5", "--budget", "1s", "touch ran"],
        &["compare", "--estimator", "mode", "touch ran"],
        &["compare", "--counters", "magic", "touch ran"],
        &["compare", "-D", "1", "touch ran"],
        &["frobnicate"],
        &["show", "first"],
        &["list", "-n", "few"],
    ];
    for arguments in cases {
        let ended = lab.brisk(arguments).exited(2);
        assert_eq!(ended.stdout, "", "{ended}");
        assert!(ended.stderr.starts_with("error: "), "{ended}");
        assert!(!lab.exists("ran"), "{ended}");
    }
}

#[test]
fn what_is_not_stored_cannot_be_shown() {
    let lab = Lab::new();
    lab.brisk(&["show", "1"]).refused("nothing is stored at").hinting("`brisk compare`");
    lab.brisk(&["export", "1", "--export-csv", "x.csv"]).refused("nothing is stored at");
    let listed = lab.brisk(&["list"]).exited(0);
    assert_eq!(listed.stdout, "");
    assert!(listed.stderr.contains("nothing is stored at"), "{listed}");
    assert!(!lab.store().exists(), "looking makes no store");

    lab.brisk(&["compare", "-r", "1", "true"]).succeeded();
    for id in ["2", "0", "99999999"] {
        lab.brisk(&["show", id]).refused(&format!("no experiment {id}")).hinting("`brisk list`");
    }
    lab.brisk(&["export", "1"]).refused("no file to export to").hinting("--export-json");
    lab.brisk(&["export", "1", "--export-csv", "no/x"]).refused("cannot write `no/x`");
}

#[test]
fn a_server_that_is_not_there_is_told_without_the_password() {
    // Port 9 (discard) has had no server for decades.
    let lab = Lab::new().storing_at("postgres://me:secret@127.0.0.1:9/lab".into());
    let error = match cfg!(feature = "postgres") {
        true => "cannot reach the store at `postgres://me@127.0.0.1:9/lab`",
        false => "`postgres://` address",
    };
    let ended = lab.brisk(&["compare", "touch ran"]).refused(error);
    assert!(!ended.stderr.contains("secret"), "{ended}");
    assert!(!lab.exists("ran"));
}
