//! The commands that run: counts, quoting, shells, names, parameters and environment.

use crate::document::list;
use crate::lab::Lab;

fn names(document: &serde_json::Value) -> Vec<&str> {
    let variants = list(document, "variants").iter();
    variants.map(|variant| variant["name"].as_str().expect("a name")).collect()
}

#[test]
fn every_command_runs_exactly_as_often_as_asked() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "5", "echo a >> log", "echo b >> log", "echo c >> log"])
        .succeeded();
    let log = lab.lines("log");
    for command in ["a", "b", "c"] {
        assert_eq!(log.iter().filter(|line| *line == command).count(), 5);
    }
    lab.brisk(&["compare", "-M", "3", "echo x >> most"]).succeeded();
    assert!((1..=3).contains(&lab.lines("most").len()));
    let least = ["compare", "-m", "15", "--budget", "1ms", "echo x >> least", "echo x >> least"];
    let ended = lab.brisk(&least);
    assert!(ended.stderr.contains("more than the budget"), "{ended}");
    assert_eq!(lab.lines("least").len(), 30);
}

/// Prints its arguments, each in angle brackets.
const SHOW: &str = "#!/bin/sh\nprintf '<%s>' \"$@\"\necho\n";

fn lab_with_show() -> Lab {
    let lab = Lab::new();
    lab.write("show", SHOW);
    assert!(crate::lab::run("chmod", &["+x", &lab.path("show").display().to_string()]));
    lab
}

#[test]
fn arguments_arrive_as_a_shell_would_pass_them() {
    let lab = lab_with_show();
    for (command, expected) in [
        ("./show a b", "<a><b>"),
        ("./show 'two words' \"and more\"", "<two words><and more>"),
        ("./show \"\" ''", "<><>"),
        (r"./show a\ b \'c", "<a b><'c>"),
        (r#"./show "a\"b" '$HOME *'"#, "<a\"b><$HOME *>"),
        ("./show größe 'ü 1'", "<größe><ü 1>"),
    ] {
        for shell in ["none", "sh"] {
            lab.brisk(&["compare", "-r", "1", "--shell", shell, "--output", "out", command])
                .succeeded();
            assert_eq!(lab.read("out"), format!("{expected}\n"), "{command} by {shell}");
        }
    }
}

#[test]
fn a_command_that_needs_a_shell_gets_one_for_all_and_it_is_told() {
    let lab = Lab::new();
    let ended = lab.brisk(&["compare", "-r", "2", "echo $((1 + 2)) > sum", "true"]).succeeded();
    assert_eq!(lab.read("sum"), "3\n");
    ended.says("every command runs through `sh -c`, because of `$` in `echo $((1 + 2)) > sum`");
    let ended = lab.brisk(&["compare", "-r", "2", "true", "true"]).succeeded();
    assert!(!ended.stdout.contains("sh -c"), "{ended}");
    lab.brisk(&["compare", "-r", "2", "-S", "true"]).succeeded().says("runs through `sh -c`");
    let ended = lab.brisk(&["compare", "-r", "2", "--shell", "sh -e", "false; true"]);
    ended.refused("exited with status 1");
    let ended = lab.brisk(&["compare", "-r", "2", "--shell", "sh -eu", "true"]).succeeded();
    ended.says("every command runs through `sh -eu -c`");
}

#[test]
fn shell_syntax_in_a_parameter_asks_for_a_shell_too() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "1", "-L", "c", "true,echo a | cat > piped", "{c}"]).succeeded();
    assert_eq!(lab.read("piped"), "a\n");
    lab.brisk(&["compare", "-N", "-L", "c", "true,echo a | cat > piped", "{c}"])
        .refused("`echo a | cat > piped` needs a shell");
}

#[test]
fn names_are_given_or_made_of_command_and_parameters() {
    let lab = Lab::new();
    let named = |arguments: &[&str]| {
        let document = lab.compared(&[&["-r", "1"], arguments].concat());
        names(&document).join(" | ")
    };
    assert_eq!(named(&["true", "true 2"]), "true | true 2");
    assert_eq!(named(&["-n", "one", "true", "true 2"]), "one | true 2");
    assert_eq!(named(&["-n", "one", "--command-name", "two", "true", "true 2"]), "one | two");
    assert_eq!(named(&["--reference", "true ref", "true", "-n", "r"]), "r | true");
    assert_eq!(named(&["-L", "n", "x,y", "true {n}"]), "true x | true y");
    assert_eq!(named(&["-L", "n", "x,y", "-n", "t", "true {n}"]), "t n=x | t n=y");
    assert_eq!(named(&["-L", "n", "x,y", "-n", "{n}!", "true {n}"]), "x! | y!");
    assert_eq!(named(&["-L", "n", "x,y", "-n", "1", "-n", "2", "true {n}"]), "1 | 2");
    assert_eq!(
        named(&["-L", "a", "1,2", "-L", "b", "x,y", "true {a}{b}"]),
        "true 1x | true 1y | true 2x | true 2y"
    );
    assert_eq!(
        named(&["-P", "n", "1", "2", "-D", "0.5", "true {n}"]),
        "true 1.0 | true 1.5 | true 2.0"
    );
    assert_eq!(named(&["-P", "n", "-1", "1", "true {n}"]), "true -1 | true 0 | true 1");
}

#[test]
fn parameters_are_labels_and_each_point_has_its_own_baseline() {
    let lab = Lab::new();
    let document = lab.compared(&["-r", "2", "-L", "n", "1,2", "true {n}", "true x{n}"]);
    let variants = list(&document, "variants");
    assert_eq!(variants[3]["command"], "true x2");
    assert_eq!(variants[3]["labels"], serde_json::json!({ "n": "2" }));
    let pairs: Vec<_> = list(&document, "comparisons")
        .iter()
        .filter(|part| part["metric"] == "wall_time")
        .map(|part| (part["baseline"].as_u64(), part["candidate"].as_u64()))
        .collect();
    assert_eq!(pairs, [(Some(0), Some(1)), (Some(2), Some(3))]);
}

#[test]
fn parameters_reach_hooks_variables_and_outputs() {
    let lab = Lab::new();
    lab.brisk(&[
        "compare",
        "-r",
        "1",
        "-L",
        "n",
        "1,2",
        "--setup",
        "echo $V{n} {n} > setup{n}",
        "--env",
        "V{n}='v {n}'",
        "--output",
        "out{n}",
        "sh -c 'echo $V{n}'",
    ])
    .succeeded();
    for n in [1, 2] {
        assert_eq!(lab.read(&format!("setup{n}")), format!("v {n} {n}\n"));
        assert_eq!(lab.read(&format!("out{n}")), format!("v {n}\n"));
    }
}

#[test]
fn variables_are_set_for_all_commands_or_for_each() {
    let lab = Lab::new();
    let commands = ["sh -c 'echo $A-$B >> a'", "sh -c 'echo $A-$B >> b'"];
    let one = ["compare", "-r", "1", "--env", "A=1 B='x y'"];
    lab.brisk(&[&one[..], &commands].concat()).succeeded();
    let each = ["compare", "-r", "1", "--env", "A=1", "--env", "A=2 B="];
    lab.brisk(&[&each[..], &commands].concat()).succeeded();
    assert_eq!(lab.lines("a"), ["1-x y", "1-"]);
    assert_eq!(lab.lines("b"), ["1-x y", "2-"]);
}

#[test]
fn everything_runs_in_the_folder_that_was_named() {
    let lab = Lab::new();
    std::fs::create_dir(lab.path("inner")).expect("writable");
    lab.write("inner/input", "from inside");
    lab.brisk(&[
        "compare",
        "-r",
        "1",
        "--cwd",
        "inner",
        "--input",
        "input",
        "--output",
        "output",
        "--prepare",
        "pwd > prepared",
        "cat",
    ])
    .succeeded();
    assert_eq!(lab.read("inner/output"), "from inside");
    assert!(lab.read("inner/prepared").trim_end().ends_with("/inner"));
}

#[test]
fn padding_of_the_environment_is_not_the_users_business() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "3", "--output", "out", "env"]).succeeded();
    assert!(lab.lines("out").iter().any(|line| line.starts_with("HOME=")));
}
