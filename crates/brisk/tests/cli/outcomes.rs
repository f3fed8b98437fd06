//! The sentence of a report and the exit status agree: every verb with every outcome.
//!
//! The programs make up their figures, so the verdicts are the same however busy the machine is.

use crate::bench::script;
use crate::cost::{COST, costing};
use crate::explain_instructions::profile;
use crate::history_suite::suite;
use crate::import::{file_v1, result_v1, times};
use crate::lab::{Ended, Lab};
use crate::repository::Repository;

/// The fate of the newer of two programs; every outcome is about `B`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Regressed,
    Improved,
    Unchanged,
    /// Too few rounds for a verdict.
    Open,
    /// The same, with a verdict demanded.
    Demanded,
    /// Its process fails.
    Crashes,
    /// The harness reports a time of zero.
    TakesNoTime,
    /// The suite lacks it.
    Gone,
    /// The same, and another benchmark regresses.
    GoneAndRegressed,
    /// The program does not build.
    Unbuilt,
}

use Outcome::{
    Crashes, Demanded, Gone, GoneAndRegressed, Improved, Open, Regressed, TakesNoTime, Unbuilt,
    Unchanged,
};

const ALL: [Outcome; 10] = [
    Regressed,
    Improved,
    Unchanged,
    Open,
    Demanded,
    Crashes,
    TakesNoTime,
    Gone,
    GoneAndRegressed,
    Unbuilt,
];

impl Outcome {
    /// The exit status, the same for every verb.
    fn code(self) -> i32 {
        match self {
            Improved | Unchanged | Open => 0,
            Regressed => 1,
            Crashes | TakesNoTime | Gone | GoneAndRegressed | Unbuilt => 2,
            Demanded => 3,
        }
    }

    /// The options that decide how much can be concluded.
    fn options(self) -> &'static [&'static str] {
        match self {
            Open => &["--quiet", "--runs", "3"],
            Demanded => &["--quiet", "--runs", "3", "--require-verdict"],
            _ => &["--quiet", "--runs", "16"],
        }
    }

    /// The older and the newer suite; `None` for a newer one that does not build.
    fn suites(self) -> [Option<String>; 2] {
        let (old, new) = match self {
            Improved => (300, 100),
            Regressed => (100, 300),
            _ => (100, 100),
        };
        let a = if self == GoneAndRegressed { 300 } else { 100 };
        let more = match self {
            Crashes => "[ $name = B ] && exit 7",
            TakesNoTime => "[ $name = B ] && printf 'B\\t1000\\t0\\n' && continue",
            _ => "",
        };
        let all = [("A", a), ("B", new)];
        let some = if matches!(self, Gone | GoneAndRegressed) { &all[..1] } else { &all };
        let newer = (self != Unbuilt).then(|| suite("newer", some, more));
        [Some(suite("older", &[("A", 100), ("B", old)], "")), newer]
    }
}

/// A verb: its call, and its sentence for each outcome; `None` if the outcome is impossible.
struct Verb {
    call: fn(&Lab, Outcome) -> Ended,
    says: fn(Outcome) -> Option<&'static str>,
    /// The exit status of an outcome.
    code: fn(Outcome) -> i32,
}

#[track_caller]
fn check(verb: &Verb) {
    for outcome in ALL {
        let Some(sentence) = (verb.says)(outcome) else { continue };
        let lab = Lab::new();
        let ended = (verb.call)(&lab, outcome);
        let told = format!("{}{}", ended.stdout, ended.stderr);
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(sentence), "{outcome:?}: no `{sentence}`: {ended}");
        for other in ALL.into_iter().filter(|other| (verb.code)(*other) != (verb.code)(outcome)) {
            let said = (verb.says)(other).filter(|other| !sentence.contains(other));
            // Trouble does not hide a regression.
            let may_be = outcome == GoneAndRegressed && other == Regressed;
            let is_said = said.is_some_and(|other| told.contains(other)) && !may_be;
            let is_same = said == Some(sentence);
            assert!(!is_said || is_same, "{outcome:?}, and says {other:?}: {ended}");
        }
        ended.exited((verb.code)(outcome));
    }
}

#[test]
fn compare() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| {
            // The last of five digits differs from run to run.
            let (old, new) = match outcome {
                Improved => ("0.0700", "0.0100"),
                Regressed => ("0.0100", "0.0700"),
                _ => ("0.0100", "0.0100"),
            };
            let (old, new) = (costing(old, "older"), costing(new, "newer"));
            let crash = format!("{new}[ $(wc -l < ran) -gt 4 ] && exit 7\nexit 0\n");
            lab.write("old", &old);
            lab.write("new", if outcome == Crashes { &crash } else { &new });
            let commands = ["sh old", "sh new"];
            let metrics = ["--metrics", "cost", "--margin", "5"];
            let usual = [&["compare"][..], &COST, &metrics, outcome.options(), &commands];
            if outcome != Unbuilt {
                return lab.brisk(&usual.concat());
            }
            repository(lab, outcome, "");
            let commits = ["--project", "repo", "--at", "HEAD^..HEAD", "{artifact}"];
            let build = ["--build", BUILD, "--artifact", "prog"];
            lab.brisk(&[&["compare"][..], &build, &commits].concat())
        },
        says: |outcome| match outcome {
            Regressed => Some("regressed"),
            Improved => Some("improved"),
            Unchanged => Some("unchanged"),
            Open | Demanded => Some("inconclusive"),
            Crashes => Some("exited with status 7"),
            Unbuilt => Some("cannot build"),
            TakesNoTime | Gone | GoneAndRegressed => None,
        },
    });
}

#[test]
fn bench() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| {
            if outcome == Unbuilt {
                repository(lab, outcome, "");
                let commits = ["--project", "repo", "--at", "HEAD^..HEAD", "prog"];
                return lab.brisk(&[&["bench", "--build", BUILD][..], &commits].concat());
            }
            for (name, text) in ["old", "new"].into_iter().zip(outcome.suites()) {
                let text = text.expect("it is built");
                script(lab, name, text.strip_prefix("#!/bin/sh\n").expect("a script"));
            }
            let programs = ["--order", "alone", "./old", "./new"];
            lab.brisk(&[&["bench"], outcome.options(), &programs].concat())
        },
        says: |outcome| {
            Some(match outcome {
                Regressed | GoneAndRegressed => "1 regressed",
                Improved => "1 improved",
                Unchanged => "2 unchanged",
                Open | Demanded => "2 inconclusive",
                Crashes | TakesNoTime => "cannot measure `B`",
                Gone => "no longer has `B`",
                Unbuilt => "cannot build",
            })
        },
    });
}

#[test]
fn a_gate_of_a_suite() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| {
            repository(lab, outcome, "");
            ci(lab, outcome)
        },
        says: |outcome| {
            Some(match outcome {
                Regressed | GoneAndRegressed => "regressed: `",
                Improved => "improved: `B`",
                Unchanged => "no commit changed anything",
                Open | Demanded => "pairs of neighbouring commits are inconclusive",
                Crashes | TakesNoTime => "cannot measure `B`",
                Gone => "no longer has `B`",
                Unbuilt => "does not build",
            })
        },
    });
}

const EXPECTED: &str =
    "\n[[expect]]\nthat = 'time_per_iteration(s:B) <= 2 * time_per_iteration(s:B@baseline)'\n";

fn says_of_expectation(outcome: Outcome) -> Option<&'static str> {
    Some(match outcome {
        Regressed => "1 expectation: 1 fails",
        Improved | Unchanged => "1 expectation: 1 holds",
        Open | Demanded => "1 expectation: 1 is undecided",
        Crashes | TakesNoTime | Gone | GoneAndRegressed => "1 expectation: 1 could not be measured",
        Unbuilt => "cannot build",
    })
}

#[test]
fn a_gate_with_an_expectation() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| {
            repository(lab, outcome, EXPECTED);
            ci(lab, outcome)
        },
        says: says_of_expectation,
    });
}

#[test]
fn expectations() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| {
            repository(lab, outcome, EXPECTED);
            let junit = ["--export-junit", "e.xml"];
            let commits = ["--project", "repo", "--at", "HEAD", "--baseline", "HEAD^"];
            let ended = lab.brisk(&[&["check"], outcome.options(), &commits, &junit].concat());
            let error = "<error message=\"not known: ";
            let is_error = lab.exists("e.xml") && lab.read("e.xml").contains(error);
            let is_built = outcome != Unbuilt;
            assert_eq!(is_error, is_built && outcome.code() == 2, "{outcome:?}: {ended}");
            ended
        },
        says: says_of_expectation,
    });
}

#[test]
fn a_history() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| of_commits(lab, outcome, "--metrics"),
        says: |outcome| match outcome {
            Regressed => Some("regressed: cost"),
            Improved => Some("improved: cost"),
            Unchanged => Some("no commit changed anything"),
            Open | Demanded => Some("1 pair of neighbouring commits is"),
            Crashes => Some("exited with status 7"),
            TakesNoTime | Gone | GoneAndRegressed | Unbuilt => None,
        },
    });
}

#[test]
fn a_search() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| of_commits(lab, outcome, "--bisect"),
        says: |outcome| match outcome {
            Regressed => Some("regressed: cost"),
            Improved => Some("improved: cost"),
            Crashes => Some("exited with status 7"),
            Unbuilt => Some("an end of the range, does not build"),
            Unchanged | Open | Demanded | TakesNoTime | Gone | GoneAndRegressed => None,
        },
    });
}

/// Two points of a parameter; a sweep does not end with a regression.
#[test]
fn a_sweep() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| {
            lab.write("cost.sh", &costing("${1}00", "the parameter"));
            let crashing = "sh -c 'echo cost {t}; exit 7'";
            let command = if outcome == Crashes { crashing } else { "sh cost.sh {t}" };
            let points = ["--param", "t=0.07,0.01", "--minimize", "cost"];
            lab.brisk(&[&["sweep"], &COST[..], outcome.options(), &points, &[command]].concat())
        },
        says: |outcome| match outcome {
            Improved => Some("`t=0.01` is best"),
            Open | Demanded => Some("nothing is shown to be better than `t=0.07`"),
            Crashes => Some("every point failed"),
            Regressed | Unchanged | TakesNoTime | Gone | GoneAndRegressed | Unbuilt => None,
        },
    });
}

#[test]
fn an_import() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| {
            let (old, new) = match outcome {
                Improved => (0.2, 0.1),
                Regressed => (0.1, 0.2),
                _ => (0.1, 0.1),
            };
            let few = matches!(outcome, Open | Demanded);
            let runs = if few { 3 } else { usize::MAX };
            let result = |command, centre| {
                let times: Vec<f64> = times(centre).into_iter().take(runs).collect();
                result_v1(command, &times)
            };
            lab.write("runs.json", &file_v1(&[result("old", old), result("new", new)]));
            let demand: &[&str] = if outcome == Demanded { &["--require-verdict"] } else { &[] };
            lab.brisk(&[&["import", "runs.json"], demand].concat())
        },
        says: |outcome| match outcome {
            Regressed => Some("regressed"),
            Improved => Some("improved"),
            Unchanged => Some("unchanged"),
            Open | Demanded => Some("inconclusive"),
            Crashes | TakesNoTime | Gone | GoneAndRegressed | Unbuilt => None,
        },
    });
}

/// An explanation judges nothing: that a program executes more is no failure.
#[test]
fn an_explanation() {
    check(&Verb {
        code: |outcome| if outcome == Regressed { 0 } else { outcome.code() },
        call: |lab, outcome| {
            let new = match outcome {
                Improved => 50,
                Regressed => 550,
                _ => 300,
            };
            lab.write("old.out", &profile(300, 200));
            if outcome != Gone {
                lab.write("new.out", &profile(new, 200));
            }
            lab.brisk(&["explain", "--callgrind", "old.out", "new.out"])
        },
        says: |outcome| match outcome {
            Regressed => Some("`new.out` (B) executes 250 more instructions than `old.out` (A)"),
            Improved => Some("`new.out` (B) executes 250 fewer instructions than `old.out` (A)"),
            Unchanged => Some("No function changed."),
            Gone => Some("cannot read `new.out`"),
            _ => None,
        },
    });
}

/// A tuning compares settings of one program with the default.
#[test]
fn a_tuning() {
    check(&Verb {
        code: Outcome::code,
        call: |lab, outcome| {
            let helped = if outcome == Improved { "0.01" } else { "0.1" };
            let ends = if outcome == Crashes { "exit 7" } else { "exit 0" };
            let megabytes = format!("*,s=*M,*) sleep {helped} ;;\n*) sleep 0.1 ;;");
            let program = format!("case \",$OCAMLRUNPARAM,\" in\n{megabytes}\nesac\n{ends}\n");
            script(lab, "program", &program);
            let tune = ["sweep", "--tune", "--runtime", "ocaml", "--tune-runs", "24", "--quiet"];
            let demand: &[&str] = if outcome == Demanded { &["--require-verdict"] } else { &[] };
            lab.brisk(&[&tune, demand, &["--margin", "50%", "./program"]].concat())
        },
        says: |outcome| match outcome {
            Improved => Some("times the wall time of the default"),
            Open | Demanded => Some("nothing is certainly better than the default"),
            Crashes => Some("exited with status 7"),
            _ => None,
        },
    });
}

/// Two commits of a program that prints its cost, followed in that metric.
fn of_commits(lab: &Lab, outcome: Outcome, follow: &str) -> Ended {
    let (old, new) = match outcome {
        Improved => ("0.0700", "0.0100"),
        Regressed => ("0.0100", "0.0700"),
        _ => ("0.0100", "0.0100"),
    };
    let repository = Repository::new(lab);
    repository.write("source", &costing(old, "older"));
    repository.commit("older");
    let newer = costing(new, "newer");
    match outcome {
        Unbuilt => std::fs::remove_file(repository.path().join("source")).expect("it is there"),
        Crashes => repository.write("source", &format!("{newer}exit 7\n")),
        _ => repository.write("source", &newer),
    }
    repository.commit("newer");
    let range = repository.whole();
    let build = ["--project", "repo", "--build", BUILD, "--artifact", "prog"];
    let metric = [follow, "cost", "--margin", "5"];
    let range = ["history", range.as_str()];
    lab.brisk(&[&range[..], &build, &COST, &metric, outcome.options()].concat())
}

const BUILD: &str = "cp source prog && chmod +x prog";

fn ci(lab: &Lab, outcome: Outcome) -> Ended {
    let ended = lab.brisk(&[&["ci", "--project", "repo", "--"], outcome.options()].concat());
    let first = ended.stdout.lines().next().unwrap_or_default();
    assert!(first.contains("against its base") && first.contains("`main`"), "{ended}");
    ended
}

/// The older suite on `main`, the newer one on a branch, and a project file with these additional
/// lines.
fn repository<'a>(lab: &'a Lab, outcome: Outcome, more: &str) -> Repository<'a> {
    let repository = Repository::new(lab);
    let benchmark = "[[benchmark]]\nname = 's'\ncommand = './prog'\nharness = 'lines'\n";
    let project = format!("[project]\nbuild = '{BUILD}'\nartifact = 'prog'\n");
    repository.write("brisk.toml", &(project + benchmark + more));
    let [older, newer] = outcome.suites();
    repository.write("source", &older.expect("it is built"));
    repository.commit("older");
    repository.git(&["switch", "--quiet", "--create", "change"]);
    match newer {
        Some(newer) => repository.write("source", &newer),
        None => std::fs::remove_file(repository.path().join("source")).expect("it is there"),
    }
    repository.commit("newer");
    repository
}
