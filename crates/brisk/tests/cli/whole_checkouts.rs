//! Programs that are more than their artefact: a command's files come from the checkout of each
//! commit, and an equal file does not make an equal program.

use crate::lab::Lab;
use crate::repository::{LONG, Repository, SHORT};

const USUAL: [&str; 9] = [
    "--counters",
    "none",
    "--metrics",
    "cost",
    "--runs",
    "12",
    "--quiet",
    "--measure",
    "cost[s]=/^cost (.*)$/",
];

/// A script whose cost is in the file `lib` beside it, plus a digit.
const MAIN: &str = "#!/bin/sh\n. \"$(dirname \"$0\")/lib\"\necho cost ${COST}00$(($$ % 10))\n";

/// Two commits with an equal program `run.sh`, but another input; and one that changes the README.
fn project(lab: &Lab) -> Repository<'_> {
    let repository = Repository::new(lab);
    repository.write("run.sh", MAIN);
    repository.write("data.txt", "one\n");
    let mode = ["update-index", "--add", "--chmod=+x", "run.sh"];
    for (subject, cost) in [("fast", SHORT), ("slow", LONG)] {
        repository.write("lib", &format!("COST={cost}\n"));
        repository.git(&["add", "--all"]);
        repository.git(&mode);
        repository.git(&["commit", "--quiet", "--message", subject]);
    }
    repository.write("README.md", "for people\n");
    repository.git(&["add", "README.md"]);
    repository.git(&["commit", "--quiet", "--message", "words"]);
    repository
}

fn brisk(lab: &Lab, words: &[&str]) -> crate::lab::Ended {
    lab.brisk(&[&words[..1], &["--project", "repo"], &USUAL, &words[1..]].concat())
}

#[test]
fn a_script_is_measured_with_the_files_that_it_runs() {
    let lab = Lab::new();
    project(&lab);
    for artifact in [&["--artifact", "run.sh"][..], &["--artifact", "run.sh", "--build", "true"]] {
        let at = [&["compare", "--at", "HEAD~2..HEAD~1"][..], artifact].concat();
        brisk(&lab, &at).exited(1).says("slow");
        brisk(&lab, &[&at[..], &["sh run.sh"]].concat()).exited(1).says("slow");
        // Only text for people differs.
        let same = [&["compare", "--at", "HEAD~1..HEAD"][..], artifact].concat();
        brisk(&lab, &same).exited(0).says("make the same program, byte for byte");
        // Unless the command reads it.
        let named = [&same[..], &["sh run.sh README.md"]].concat();
        let ended = brisk(&lab, &named);
        assert!(!ended.stdout.contains("byte for byte"), "{ended}");
    }
}

#[test]
fn the_whole_checkout_can_be_named_and_is_recognised() {
    let lab = Lab::new();
    let repository = project(&lab);
    for artifact in [&["--artifact", "."][..], &[]] {
        let history = [&["history", "HEAD~2^..HEAD"][..], artifact].concat();
        let ended = brisk(&lab, &[&history[..], &["--", "./run.sh"]].concat());
        let ended = ended.exited(1).says("slow");
        ended.says("3 commits, 2 different artefacts, 1 identical to an earlier one");
    }
    brisk(&lab, &["history", "HEAD~2^..HEAD"]).refused("there is no command to measure");
    let toml = "[[benchmark]]\nname = 'm'\ncommand = 'sh run.sh'\n\
                measure = ['cost[s]=/^cost (.*)$/']\n";
    repository.write("brisk.toml", toml);
    let no_slower = ["--no-slower", "--at", "HEAD~1", "--baseline", "HEAD~2"];
    let check = ["check", "--project", "repo", "--counters", "none", "--quiet", "--runs", "5"];
    let ended = lab.brisk(&[&check[..], &no_slower].concat());
    assert!(!ended.stdout.contains("exactly 1"), "{ended}");
    let bisect = ["history", "HEAD~2^..HEAD", "--project", "repo", "--bisect", "cost"];
    let ended = lab.brisk(&[&bisect[..], &["--counters", "none", "--quiet"]].concat());
    ended.exited(1).says("slow");
}

/// A linked program that reads its cost from the file in its argument.
const READER: &str = "#include <stdio.h>\n#include <unistd.h>\n\
    int main(int n, char **v) {\n  char cost[9] = \"\"; FILE *f = fopen(v[n - 1], \"r\");\n\
      if (!f || fscanf(f, \"%8s\", cost) != 1) return 3;\n\
      printf(\"cost %s00%d\\n\", cost, (int)(getpid() % 10));\n}\n";

#[test]
fn a_linked_program_runs_with_the_files_of_its_commit_that_the_command_names() {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    repository.write("reader.c", READER);
    repository.write(".gitignore", "reader\nmade\n");
    repository.write("Makefile", "reader: reader.c\n\tcp in made; cc -o reader reader.c\n");
    for (subject, cost) in [("fast", SHORT), ("slow", LONG)] {
        repository.write("in", cost);
        repository.commit(subject);
    }
    let toml = "[project]\nbuild = 'make'\nartifact = 'reader'\n\
                [[benchmark]]\nname = 'm'\ncommand = './reader in'\n";
    repository.write("brisk.toml", toml);
    let at = ["compare", "--at", "HEAD^..HEAD"];
    brisk(&lab, &at).exited(1).says("slow");
    // The built file also lies in the user's checkout, which must not be used.
    repository.write("made", SHORT);
    brisk(&lab, &[&at[..], &["./reader made"]].concat()).exited(1).says("slow");
    // Neither file is named, and the program is the same.
    repository.write("elsewhere", SHORT);
    let ended = brisk(&lab, &[&at[..], &["./reader elsewhere"]].concat()).exited(0);
    ended.says("make the same program, byte for byte");
}

#[test]
fn an_interpreter_of_the_users_checkout_is_found_there() {
    let lab = Lab::new();
    let repository = project(&lab);
    std::fs::create_dir_all(repository.path().join(".venv/bin")).expect("ours");
    std::os::unix::fs::symlink("/bin/sh", repository.path().join(".venv/bin/sh")).expect("ours");
    let toml = "[project]\nartifact = '.'\n[[benchmark]]\nname = 'm'\n\
                command = '.venv/bin/sh run.sh'\n";
    repository.write("brisk.toml", toml);
    brisk(&lab, &["compare", "--at", "HEAD~2..HEAD~1"]).exited(1).says("slow");
}
