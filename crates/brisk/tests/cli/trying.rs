//! Proposals of a trial: kept or not, and what must not be kept.
//!
//! The cost of a program is a number that a command reads from a file which the program writes, so the
//! answers are the same however busy the machine is.

use serde_json::Value;

use crate::lab::{Ended, Lab, Running, eventually};
use crate::repository::Repository;

/// A project whose program prints the sum of its input, and costs what its source says.
struct Project<'a> {
    lab: &'a Lab,
    repository: Repository<'a>,
}

/// The program: `cost` is a factor, `rest` what it does after its output.
fn source(cost: &str, rest: &str) -> String {
    format!(
        "#!/bin/sh\nexpr $(cat \"$1\" | tr ' ' '+' | sed 's/+/ + /g')\necho {cost}$(($$ % 10)) > cost\n{rest}\n"
    )
}

const RULES: &str = r#"
[project]
build = "cp source/prog prog && chmod +x prog"
artifact = "prog"

[[benchmark]]
name = "sum"
command = "./prog in.txt"
measure = ["cost[s]=cat cost"]

[trial]
minimize = "cost"
edit = ["source/*"]
checks = ["test -s prog"]
budget = "20s"
"#;

const GENERATOR: &str =
    "input = \"in.txt\"\ngenerator = \"sh make.sh {seed}\"\nholdback = \"sh make.sh 1{seed}\"\n";

impl<'a> Project<'a> {
    fn new(lab: &'a Lab, more: &str) -> Self {
        let repository = Repository::new(lab);
        std::fs::create_dir_all(repository.path().join("source")).expect("writable");
        let project = Self { lab, repository };
        project.write("source/prog", &source("0.070", ""));
        project.write("in.txt", "1 2 3\n");
        project.write("make.sh", "echo $1 $(($1 % 7)) 5\n");
        project.write(".gitignore", "/cost\n/prog\n");
        project.write("brisk.toml", &format!("{RULES}{more}"));
        project.repository.commit("first");
        project
    }

    fn started(lab: &'a Lab) -> Self {
        let project = Self::new(lab, GENERATOR);
        project.tries(&["--start"]).exited(0).says("the trial has begun");
        project
    }

    fn write(&self, name: &str, text: &str) {
        self.repository.write(name, text);
    }

    fn tries(&self, options: &[&str]) -> Ended {
        self.begun(options).wait()
    }

    fn begun(&self, options: &[&str]) -> Running {
        let store = self.lab.store().to_string_lossy().into_owned();
        let own = ["try", "--project", "repo", "--store", &store, "--quiet"];
        self.lab.start(&[&own[..], options].concat())
    }

    /// A revision whose program is this.
    fn branch(&self, name: &str, text: &str) {
        let first = self.repository.head();
        self.repository.git(&["checkout", "--quiet", "--detach"]);
        self.write("source/prog", text);
        self.repository.commit(name);
        self.repository.git(&["tag", name]);
        self.repository.git(&["checkout", "--quiet", &first]);
    }

    fn status(&self) -> Value {
        let ended = self.tries(&["--status", "--json"]).exited(0);
        serde_json::from_str(&ended.stdout).expect("one line of JSON")
    }

    /// The answer on the worktree, which is put back afterwards.
    #[track_caller]
    fn proposed(&self, name: &str, text: &str, exit: i32) -> Value {
        self.write(name, text);
        let ended = self.tries(&["--json"]).exited(exit);
        self.repository.git(&["checkout", "--quiet", "."]);
        self.repository.git(&["clean", "--quiet", "-fd"]);
        serde_json::from_str(&ended.stdout).expect("one line of JSON")
    }
}

fn reasons(brief: &Value) -> String {
    brief["reasons"].to_string()
}

#[test]
fn a_gain_is_kept_and_becomes_the_incumbent_and_nothing_of_the_users_is_touched() {
    let lab = Lab::new();
    let project = Project::started(&lab);
    let repository = &project.repository;
    let faster = source("0.010", "");
    project.write("source/prog", &faster);
    let look = || {
        let status = repository.git(&["--no-optional-locks", "status", "--porcelain"]);
        (status, repository.head(), repository.git(&["branch", "--all"]), repository.index())
    };
    let before = look();
    let ended = project.tries(&["--json"]).exited(0);
    assert_eq!(before, look());
    let brief: Value = serde_json::from_str(&ended.stdout).expect("one line of JSON");
    assert_eq!(ended.stdout.lines().count(), 1);
    assert_eq!((&brief["answer"], &brief["exit"]), (&"keep".into(), &0.into()));
    assert_eq!(brief["figures"][0]["metric"], "cost[seconds]");
    let incumbent = repository.git(&["rev-parse", "refs/brisk/trials/1/incumbent"]);
    assert_eq!(brief["trial"]["incumbent"], incumbent.as_str());
    let message = repository.git(&["log", "-1", "--format=%B", &incumbent]);
    assert!(message.contains("**Improvement**: cost of `sum`: -"), "{message}");
    // The same state again, which is now the incumbent's.
    project.tries(&[]).exited(1).says("it changes nothing");
    // Another change on top of it, from the same worktree.
    let slower = project.proposed("source/prog", &source("0.070", "# slower"), 1);
    assert_eq!(slower["answer"], "discard");
    project.tries(&["--log"]).exited(0).says("keep").says("discard");
    project.tries(&["--status"]).exited(0).says("1 kept");
    let finished = project.tries(&["--finish", "--json"]).exited(0);
    let brief: Value = serde_json::from_str(&finished.stdout).expect("one line of JSON");
    assert_eq!(brief["answer"], "improved");
    assert_eq!(repository.git(&["rev-parse", "brisk/trial-1"]), incumbent);
    project.tries(&[]).failed("trial 1 is finished");
}

#[test]
fn what_a_proposal_must_not_change_makes_it_invalid() {
    let lab = Lab::new();
    let project = Project::started(&lab);
    for (file, text, why) in [
        ("make.sh", "echo 1\n", "which a command of the trial names"),
        ("brisk.toml", RULES, "which has the rules of the trial"),
        ("Makefile", "all:\n", "which decides how it is built"),
        (".gitattributes", "* text\n", "which git obeys"),
        ("other", "x\n", "only `source/*` may be changed"),
        ("source/prog", "", "the check `test -s prog`"),
    ] {
        let brief = project.proposed(file, text, 4);
        assert!(reasons(&brief).contains(why), "{file}: {brief}");
        assert_eq!(brief["trial"]["errors_left"], 1.0, "nothing was measured");
    }
    lab.write("bad.patch", "this is no patch\n");
    project.tries(&["bad.patch"]).exited(4).says("does not apply to the incumbent");
    project.tries(&["nowhere"]).failed("`nowhere` is not a revision");
}

#[test]
fn work_that_vanished_makes_it_invalid() {
    let lab = Lab::new();
    let project = Project::started(&lab);
    let memo = lab.path("memo").to_string_lossy().into_owned();
    for (cheat, why) in [
        ("#!/bin/sh\necho 6\necho 0.0101 > cost\n".to_owned(), "its output differs"),
        // Whichever side runs first.
        (source("0.010", "exit 3"), "exited with status 3"),
        (source("0.010", "exit 4"), "exited with status 4"),
        (source("0.010", "exit 5"), "exited with status 5"),
        (source("0.010", "kill -9 $$"), "signal 9"),
        (source("0.010", "(sleep 30; echo) >/dev/null 2>&1 &"), "running after its end"),
        (
            source(
                "0.010",
                ": > /dev/shm/brisk-test-$$-never; rm /dev/shm/brisk-test-*; cat \"$1\" >> 'MEMO'",
            )
            .replace("MEMO", &memo),
            "stays for the next",
        ),
    ] {
        if why == "stays for the next" && !has_strace() {
            println!("not checked: strace is not installed");
            continue;
        }
        let brief = project.proposed("source/prog", &cheat, 4);
        assert!(reasons(&brief).contains(why), "{cheat}: {brief}");
    }
}

fn has_strace() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("strace").is_file())
}

/// A kill in the middle of the rounds takes the level that the try was given, and nothing else.
#[test]
fn a_try_that_is_killed_leaves_the_incumbent_and_has_spent_its_level() {
    let lab = Lab::new();
    let slow = lab.path("slow").to_string_lossy().into_owned();
    let rest = format!("[ ! -e '{slow}' ] || sleep 0.4");
    let project = Project::started(&lab);
    let incumbent = project.status()["trial"]["incumbent"].clone();
    project.branch("gain", &source("0.010", &rest));
    lab.write("slow", "");
    let running = project.begun(&["gain"]);
    let errors_left = || project.status()["trial"]["errors_left"].as_f64().expect("a number");
    eventually("rounds", || errors_left() < 1.0);
    running.signal("KILL");
    assert_eq!(running.wait().code, None);
    lab.nothing_is_left();
    let after = project.status();
    assert_eq!((&after["trial"]["incumbent"], &after["trial"]["tries"]), (&incumbent, &0.into()));
    assert!(errors_left() < 1.0);
    std::fs::remove_file(slow).expect("it was written");
    project.tries(&["gain"]).exited(0).says("1 try, 1 kept");
}

/// Both are decided on, and whichever is first, the better one is the incumbent at the end.
#[test]
fn of_two_proposals_at_once_the_better_one_is_the_incumbent_at_the_end() {
    let lab = Lab::new();
    let project = Project::started(&lab);
    let best = source("0.010", "");
    project.branch("good", &source("0.030", ""));
    project.branch("best", &best);
    let both = ["good", "best"].map(|name| project.begun(&[name]));
    let [good, best_one] = both.map(Running::wait);
    best_one.exited(0);
    assert!([Some(0), Some(1)].contains(&good.code), "{good}");
    let status = project.status();
    assert_eq!(status["trial"]["tries"], 2);
    let incumbent = status["trial"]["incumbent"].as_str().expect("a hash").to_owned();
    let text = project.repository.git(&["show", &format!("{incumbent}:source/prog")]);
    assert_eq!(text.trim_end(), best.trim_end());
}

#[test]
fn a_check_that_fails_for_the_incumbent_too_is_trouble_and_no_answer() {
    let lab = Lab::new();
    let broken = lab.path("broken").to_string_lossy().into_owned();
    let checks = format!("checks = [\"test ! -e '{broken}'\"]");
    let rules = RULES.replace("checks = [\"test -s prog\"]", &checks);
    let project = Project::new(&lab, GENERATOR);
    project.write("brisk.toml", &format!("{rules}{GENERATOR}"));
    project.repository.commit("another check");
    project.tries(&["--start"]).exited(0);
    lab.write("broken", "");
    project.branch("gain", &source("0.010", ""));
    project.tries(&["gain"]).failed("fails for the incumbent, too");
    assert_eq!(project.status()["trial"]["tries"], 0);
}

#[test]
fn equal_bytes_and_earlier_proposals_cost_nothing() {
    let lab = Lab::new();
    let project = Project::started(&lab);
    let same = project.proposed("source/notes", "not built\n", 1);
    assert!(reasons(&same).contains("byte for byte"), "{same}");
    let worse = source("0.090", "");
    let first = project.proposed("source/prog", &worse, 1);
    let again = project.proposed("source/prog", &worse, 1);
    assert!(reasons(&again).contains("it was tried before"), "{again}");
    assert_eq!(first["experiment"], again["experiment"]);
    assert_eq!(first["trial"]["errors_left"], again["trial"]["errors_left"]);
}

#[test]
fn a_trial_that_cannot_be_judged_does_not_begin() {
    let lab = Lab::new();
    let project = Project::new(&lab, "");
    project.tries(&[]).failed("no trial has begun");
    let without = RULES.split("[trial]").next().expect("there is one");
    project.write("brisk.toml", without);
    project.repository.commit("without rules");
    project.tries(&["--start"]).failed("has no `[trial]`");
    for (from, to, why) in [
        ("edit = [\"source/*\"]", "", "lacks `edit`"),
        ("minimize = \"cost\"", "minimize = \"costs\"", "unknown metric `costs`"),
        ("budget", "generator = \"sh make.sh\"\nbudget", "lacks `input`"),
        ("test -s prog", "false", "does not pass at `HEAD`"),
    ] {
        project.write("brisk.toml", &RULES.replacen(from, to, 1));
        project.repository.commit(why);
        project.tries(&["--start"]).failed(why);
    }
    project.write("brisk.toml", RULES);
    project.write("source/prog", &source("0.070", "").replace("expr", "echo $$; expr"));
    project.repository.commit("never the same");
    project.tries(&["--start"]).failed("cannot be compared with itself");
    let checked = format!("{RULES}checker = \"grep -qx 6 {{output}}\"\n");
    project.write("brisk.toml", &checked);
    project.repository.commit("with a checker");
    project.tries(&["--start"]).exited(0);
    project.write("source/prog", "#!/bin/sh\necho 7\necho 0.0101 > cost\n");
    project.tries(&[]).exited(4).says("the checker refuses its output");
}

#[test]
fn the_instructions_for_agents_name_commands_that_work() {
    let lab = Lab::new();
    let skill = lab.brisk(&["skill"]).exited(0).stdout;
    assert!(skill.starts_with("---\nname: brisk\ndescription: "), "{skill}");
    let project = Project::new(&lab, GENERATOR);
    let mut ran = 0;
    for line in skill.lines().filter_map(|line| line.strip_prefix("$ brisk ")) {
        let words = line.replace('\'', "\"");
        let quoted: Vec<String> = words
            .split('"')
            .enumerate()
            .flat_map(|(at, text)| match at % 2 {
                0 => text.split_whitespace().map(str::to_owned).collect(),
                _ => vec![text.to_owned()],
            })
            .collect();
        let words: Vec<&str> = quoted.iter().map(String::as_str).collect();
        let ended = match words.split_first() {
            // It is quiet already.
            Some((&"try", rest)) => {
                let rest = rest.iter().copied().filter(|word| *word != "-q");
                project.tries(&rest.collect::<Vec<_>>())
            }
            _ => lab.brisk(&words),
        };
        let brief: Value = serde_json::from_str(&ended.stdout).expect("one line of JSON");
        assert_eq!(brief["schema"], "brisk-brief/1", "{line}");
        assert!(brief["answer"] != "trouble", "{line}: {brief}");
        ran += 1;
    }
    assert!(ran >= 4, "{ran}");
}

#[test]
fn an_answer_in_one_line_says_what_failed_and_verbs_without_one_refuse() {
    let lab = Lab::new();
    let ended = lab.brisk(&["compare", "--json", "nowhere-to-be-found"]).exited(2);
    let brief: Value = serde_json::from_str(&ended.stdout).expect("one line of JSON");
    assert_eq!((&brief["answer"], &brief["exit"]), (&"trouble".into(), &2.into()));
    assert_eq!(brief["verb"], "compare");
    lab.brisk(&["list", "--json"]).failed("has no answer for `--json`");
}
