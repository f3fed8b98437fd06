//! The history of a suite: each benchmark of every commit.
//!
//! The suites print made-up figures, so every machine measures the same.

use serde_json::{Value, json};

use crate::document::{list, measured};
use crate::lab::{Ended, Lab, eventually};
use crate::repository::{Repository, commit, has_no_worktrees, steps};

/// Enough rounds to be certain of a factor of two, however the permitted error is shared.
const ROUNDS: [&str; 2] = ["--runs", "16"];

/// A program of the line protocol. Each benchmark takes this time, in units of a tenth of a
/// millisecond, plus a little that depends on the run's number among the program's own. It records
/// each run of a benchmark, and runs `more` before it.
pub(crate) fn suite(comment: &str, benchmarks: &[(&str, u32)], more: &str) -> String {
    let names: String = benchmarks.iter().map(|(name, _)| format!("{name}\\n")).collect();
    let cases: String =
        benchmarks.iter().map(|(name, units)| format!("{name}) t={units};; ")).collect();
    format!(
        "#!/bin/sh\n# {comment}\necho 'brisk-bench 1'\n\
         [ \"$1\" = --list ] && printf '{names}' && exit\nshift\n\
         for name; do\n{more}\ncase $name in {cases} esac\necho \"$name\" >> \"${{CALLS:-calls}}\"\n\
         echo \"{comment}: $name\" >> \"${{CALLS:-calls}}.numbers\"\n\
         k=$(grep -cxF \"{comment}: $name\" \"${{CALLS:-calls}}.numbers\")\n\
         printf '%s\\t1000\\t0.%s%s\\n' \"$name\" $t $((k * k * k % 89 + 10))\ndone\n"
    )
}

/// Commits suites in this order.
pub(crate) fn commits<'a>(lab: &'a Lab, suites: &[String]) -> Repository<'a> {
    let repository = Repository::new(lab);
    for (number, suite) in suites.iter().enumerate() {
        repository.write("source", suite);
        repository.commit(&format!("commit {number}"));
    }
    repository
}

/// Of five commits, `slower` takes twice as long from the third on, `late` appears in the fourth,
/// and `steady` never changes.
fn usual(lab: &Lab) -> Repository<'_> {
    let benchmarks = |number: u32| {
        let slower = ("slower", if number < 2 { 100 } else { 200 });
        let late = (number > 2).then_some(("late", 300));
        [("steady", 100), slower].into_iter().chain(late).collect::<Vec<_>>()
    };
    let suites: Vec<String> =
        (0..5).map(|number| suite(&number.to_string(), &benchmarks(number), "")).collect();
    commits(lab, &suites)
}

fn history(repository: &Repository<'_>, options: &[&str]) -> Ended {
    repository.start_with(&[&["--harness", "auto"][..], options].concat()).wait()
}

#[track_caller]
fn document(repository: &Repository<'_>, options: &[&str]) -> Value {
    history(repository, &[options, &["--export-json", "h.json"]].concat()).judged();
    repository.json("h.json")
}

/// The part for a benchmark.
#[track_caller]
fn of<'a>(document: &'a Value, benchmark: &str) -> &'a Value {
    let found = list(document, "histories").iter().find(|part| part["benchmark"] == benchmark);
    found.unwrap_or_else(|| panic!("no benchmark `{benchmark}` in {}", document["histories"]))
}

/// The reason why a commit lacks a benchmark.
fn why<'a>(document: &'a Value, benchmark: &str, subject: &str) -> &'a Value {
    let hash = &commit(document, subject)["hash"];
    let mut absences = list(of(document, benchmark), "absences").iter();
    absences.find(|one| one["commit"] == *hash).expect("it is not there")
}

/// A lab whose suites record their runs in its folder, even if they run in a checkout, like a
/// project's script.
fn noting() -> Lab {
    let lab = Lab::new();
    let calls = lab.path("calls").to_string_lossy().into_owned();
    lab.with("CALLS", calls)
}

fn calls(lab: &Lab) -> usize {
    lab.lines("calls").len()
}

#[test]
fn each_benchmark_has_a_history_of_its_own() {
    let lab = Lab::new();
    let repository = usual(&lab);
    let ended = history(&repository, &[&ROUNDS[..], &["--export-json", "h.json"]].concat());
    let ended = ended.exited(1).says("5 commits, 5 different artefacts, 3 benchmarks");
    let brings = format!("{} adds `late`", &repository.git(&["rev-parse", "HEAD^"])[..7]);
    let ended = ended.says("regressed: `slower`, time per iteration +").says(&brings);
    ended.says("no change was found in 2 of 3 benchmarks");
    let document = lab.json("h.json");
    assert_eq!(steps(&document), [("commit 2".to_owned(), "regressed".to_owned())]);
    let step = &list(&document, "steps")[0];
    assert_eq!(
        (&step["benchmark"], &step["metric"]),
        (&json!("slower"), &json!("time_per_iteration"))
    );
    assert_eq!(step["confirmed"], "clean-builds");
    let names: Vec<_> = list(&document, "histories").iter().map(|one| &one["benchmark"]).collect();
    assert_eq!(names, ["steady", "slower", "late"]);
    let late = list(of(&document, "late"), "variants");
    assert_eq!(late.iter().filter(|variant| variant.is_null()).count(), 3);
    assert_eq!(why(&document, "late", "commit 0")["why"], "lacking");
    for part in list(&document, "commits") {
        assert_eq!((&part["build"], &part["variant"]), (&json!("ok"), &Value::Null));
    }
    // Every variant is a benchmark of a commit, with its runs.
    assert_eq!(list(&document, "variants").len(), 5 + 5 + 2);
    assert_eq!((measured(&document).len(), calls(&lab)), (12 * 16, 12 * 16));
    let labels = &list(&document, "variants")[11]["labels"];
    assert_eq!(labels["benchmark"], "late");
    assert_eq!(labels["commit"], commit(&document, "commit 4")["hash"]);
}

#[test]
fn what_was_done_is_not_done_again_and_a_new_commit_is_measured_with_its_neighbour() {
    let lab = Lab::new();
    let repository = usual(&lab);
    let first = document(&repository, &ROUNDS);
    let done = calls(&lab);
    assert_eq!(document(&repository, &ROUNDS), first);
    assert_eq!(calls(&lab), done);
    repository.write("source", &suite("new", &[("steady", 100), ("slower", 200)], ""));
    repository.commit("without late");
    let second = document(&repository, &ROUNDS);
    // Two benchmarks in two commits: the removed one has nothing to be compared with.
    assert_eq!(calls(&lab), done + 4 * 16);
    assert_eq!(second["history"]["experiments"], json!([1, 2]));
    assert_eq!(why(&second, "late", "without late")["why"], "lacking");
    assert_eq!(steps(&second), steps(&first));
    history(&repository, &ROUNDS).exited(1).says("no longer has `late`");
}

#[test]
fn a_commit_that_cannot_be_asked_or_measured_is_told_and_the_rest_goes_on() {
    let lab = Lab::new();
    let both = |a| [("a", a), ("b", 100)];
    let fails = "if [ $name = a ]; then echo x >> tries; \
                 if [ $(wc -l < tries) -gt 3 ]; then echo out of luck >&2; exit 4; fi; fi";
    let repository = commits(
        &lab,
        &[
            suite("0", &both(100), ""),
            "#!/bin/sh\n# brisk-bench 1\necho no such option >&2\nexit 3\n".to_owned(),
            suite("2", &both(100), fails),
            suite("3", &both(200), ""),
        ],
    );
    let document = document(&repository, &ROUNDS);
    let reason = commit(&document, "commit 1")["reason"].as_str().expect("it is told");
    assert!(reason.contains("exited with status 3") && reason.ends_with("no such option"));
    assert_eq!(commit(&document, "commit 1")["build"], "ok");
    assert_eq!(why(&document, "b", "commit 1")["why"], "unlisted");
    let failed = why(&document, "a", "commit 2");
    assert_eq!(failed["reason"], "its process exited with status 4 in round 6\nout of luck");
    // The remaining commits are compared across the gap.
    assert_eq!(steps(&document), [("commit 3".to_owned(), "regressed".to_owned())]);
    let step = &list(&document, "steps")[0];
    assert_eq!(step["from"], commit(&document, "commit 0")["hash"]);
    assert_eq!(step["benchmark"], "a");
    assert_eq!(list(of(&document, "b"), "variants").iter().filter(|v| v.is_null()).count(), 1);
    // A failed benchmark is not tried again.
    let done = calls(&lab);
    let ended = history(&repository, &ROUNDS).exited(1);
    let ended =
        ended.says("cannot measure `a`: its process exited with status 4 in round 6: out of luck");
    ended.says("does not say which benchmarks it has: `prog`, asked for its benchmarks, exited");
    assert_eq!((calls(&lab), lab.lines("tries").len()), (done, 6));
}

#[test]
fn ctrl_c_while_measuring_keeps_the_runs() {
    let lab = Lab::new();
    // The benchmark after the twentieth waits for the file `go`.
    let wait = "[ $(cat calls | wc -l) -lt 20 ] || while [ ! -e go ]; do sleep 0.01; done";
    let slow = |number: &str| suite(number, &[("a", 100), ("b", 100)], wait);
    let repository = commits(&lab, &[slow("0"), slow("1")]);
    lab.write("calls", "");
    let options = ["--harness", "auto", "--runs", "16"];
    let running = repository.start_with(&options);
    eventually("measuring", || calls(&lab) == 20);
    running.signal("INT");
    running.wait().failed("interrupted after ").hinting("run the same command again to continue");
    lab.nothing_is_left();
    assert_eq!(calls(&lab), 20);
    lab.write("go", "");
    let document = document(&repository, &["--runs", "16"]);
    assert_eq!(document["history"]["experiments"], json!([1]));
    // One run was in flight, and one round may have been cut short.
    assert!(calls(&lab) <= 4 * 17 + 1, "{} runs", calls(&lab));
    assert!(measured(&document).len() >= 4 * 16);
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
}

#[test]
fn the_exports_have_a_row_for_each_benchmark_and_commit() {
    let lab = Lab::new();
    let repository = usual(&lab);
    let files = ["--export-csv", "h.csv", "--export-markdown", "h.md", "--export-svg", "h.svg"];
    let told = history(&repository, &[&ROUNDS[..], &files, &["--export-asv", "asv"]].concat());
    let table = lab.lines("h.csv");
    assert_eq!((table[0].as_str(), table.len()), ("commit;benchmark;time_per_iteration", 16));
    let cells: Vec<&str> = table[6].split(';').collect();
    assert_eq!(cells[1], "slower");
    assert!(cells[2].parse::<f64>().is_ok_and(|seconds| seconds > 0.0), "{cells:?}");
    assert!(table[11].ends_with(";late;"), "nothing is there: {}", table[11]);
    let text = lab.read("h.md");
    for wanted in [
        "\n**Regression**: `slower`: Time per iteration: +",
        "## `slower`",
        "<summary><code>late</code></summary>",
        "| `commit 0` | not there |",
        " adds `late`",
    ] {
        assert!(text.contains(wanted), "no `{wanted}` in {text}");
    }
    let picture = lab.read("h.svg");
    for name in ["steady", "slower", "late"] {
        assert!(picture.contains(&format!("{name}: time per iteration")), "{name}");
    }
    // asv has a file for each commit, with the benchmarks of that commit.
    let benchmarks = lab.json("asv/benchmarks.json");
    for name in ["steady", "slower", "late"] {
        assert_eq!(benchmarks[name]["unit"], "seconds");
    }
    let machine = lab.exported("1")["machine"]["hostname"].as_str().unwrap_or("brisk").to_owned();
    let results = |revision: &str| {
        let hash = repository.git(&["rev-parse", revision]);
        let file = format!("asv/{}/{}-brisk.json", machine.replace('/', "_"), &hash[..8]);
        let names = lab.json(&file)["results"].as_object().expect("an object").clone();
        names.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(results("HEAD"), ["late", "slower", "steady"]);
    assert_eq!(results("HEAD~4"), ["slower", "steady"]);
    // The stored report is shown as it was printed.
    assert_eq!(lab.brisk(&["show", "1"]).succeeded().stdout, told.exited(1).stdout);
    lab.brisk(&["list"]).succeeded().says("history of repo, ");
}

#[test]
fn the_project_file_may_say_that_it_is_a_suite() {
    let lab = noting();
    let repository = usual(&lab);
    let project = "[project]\nbuild = \"cp source suite && chmod +x suite\"\nartifact = \"suite\"\n\
                   [[benchmark]]\nname = \"all\"\ncommand = \"./suite\"\nharness = \"lines\"\n\
                   filter = [\"s\"]\norder = \"together\"\nruns = 3\ntime_per_run = \"50ms\"\n";
    repository.write("brisk.toml", project);
    let range = repository.whole();
    let arguments = ["history", &range, "--project", "repo", "--export-json", "h.json"];
    lab.brisk(&arguments).judged();
    let document = lab.json("h.json");
    let names: Vec<_> = list(&document, "histories").iter().map(|one| &one["benchmark"]).collect();
    assert_eq!(names, ["steady", "slower"]);
    assert!(list(&document, "variants").iter().all(|one| one["labels"]["order"] == "together"));
    assert_eq!(document["experiment"]["rounds"], 3);
    // Benchmarks that share a process run in the program's order.
    assert_eq!(lab.lines("calls")[..2], ["steady", "slower"]);
    // The command line takes precedence.
    let typed = [&arguments[..], &["--filter", "slower", "--exact", "--order", "alone"]].concat();
    lab.brisk(&typed).judged().says("1 benchmark");
}

/// A project file for suites, with more lines in the table of the benchmark.
fn project_file(more: &str) -> String {
    format!(
        "[project]\nbuild = \"cp source suite && chmod +x suite\"\nartifact = \"suite\"\n\
         [[benchmark]]\nname = \"all\"\ncommand = \"./suite\"\nharness = \"lines\"\n\
         runs = 16\n{more}"
    )
}

#[test]
fn a_renamed_benchmark_goes_on_under_its_new_name() {
    let lab = noting();
    // Twice as slow under its second name, and then renamed once more.
    let names = [("old", 100), ("old", 100), ("middle", 200), ("new", 200)];
    let suites: Vec<String> = (names.iter().enumerate())
        .map(|(number, one)| suite(&number.to_string(), &[*one, ("steady", 100)], ""))
        .collect();
    let repository = commits(&lab, &suites);
    let range = repository.whole();
    let arguments = ["history", &range, "--project", "repo", "--export-json", "h.json"];
    repository.write("brisk.toml", &project_file(""));
    lab.brisk(&arguments).exited(0).says("a renamed benchmark is compared where brisk.toml says");
    let calls = || lab.lines("calls");
    let before = calls().len();
    assert_eq!(before, 8 * 16);

    let renamed = "[benchmark.renamed]\nold = \"middle\"\nmiddle = \"new\"\n";
    repository.write("brisk.toml", &project_file(renamed));
    let picture = [&arguments[..], &["--export-svg", "h.svg"]].concat();
    let ended = lab.brisk(&picture).exited(1);
    let short = |revision: &str| repository.git(&["rev-parse", revision])[..7].to_owned();
    let (second, third) = (short("HEAD~1"), short("HEAD"));
    let ended = ended.says(&format!("{second} regressed: `new`, time per iteration +"));
    let ended = ended.says(&format!("{second} renames `old` to `middle`"));
    ended.says(&format!("{third} renames `middle` to `new`"));
    assert!(lab.read("h.svg").contains("old is middle from here on"));
    // Only missing comparisons were measured, each under the name that its commit knows.
    let new = calls()[before..].to_vec();
    let count = |name: &str| new.iter().filter(|call| *call == name).count();
    assert_eq!(["old", "middle", "new", "steady"].map(count), [16, 16, 16, 0]);
    let document = lab.json("h.json");
    let benchmarks: Vec<_> =
        list(&document, "histories").iter().map(|one| &one["benchmark"]).collect();
    assert_eq!(benchmarks, ["new", "steady"]);
    assert!(list(of(&document, "new"), "variants").iter().all(Value::is_u64));
    let names: Vec<_> = (list(of(&document, "new"), "names").iter())
        .map(|part| (part["name"].clone(), part["before"].clone()))
        .collect();
    let expected = [
        (json!("old"), Value::Null),
        (json!("middle"), json!("old")),
        (json!("new"), json!("middle")),
    ];
    assert_eq!(names, expected);
    assert_eq!(list(&document, "variants")[0]["labels"]["benchmark"], "new");
    // The runs of both experiments are there, regardless of the benchmark's name at the time.
    assert_eq!(measured(&document).len(), (8 + 3) * 16);
    // It is selected by its new name.
    let one = [&arguments[..], &["--filter", "new", "--exact"]].concat();
    lab.brisk(&one).exited(1).says("1 benchmark");
    assert!(!of(&lab.json("h.json"), "new").is_null());
}

#[test]
fn one_benchmark_can_be_bisected() {
    let lab = Lab::new();
    let suites: Vec<String> = (0..12_u32)
        .map(|number| {
            let quick = ("quick", if number < 7 { 200 } else { 100 });
            // One commit lacks it, and is skipped.
            let all = if number == 5 { vec![("other", 100)] } else { vec![quick, ("other", 100)] };
            suite(&number.to_string(), &all, "")
        })
        .collect();
    let repository = commits(&lab, &suites);
    let search = ["--harness", "auto", "--bisect", "time_per_iteration"];
    let several = repository.bisecting(&search).failed("`--bisect` follows one benchmark");
    several.hinting("`quick`, `other`");
    assert_eq!(calls(&lab), 0);
    let one = ["--quiet", "--filter", "quick", "--exact", "-j", "2", "--export-json", "b.json"];
    repository.bisecting(&[&search[..], &one].concat()).exited(0);
    let document = lab.json("b.json");
    assert_eq!(steps(&document), [("commit 7".to_owned(), "improved".to_owned())]);
    assert_eq!(list(&document, "steps")[0]["benchmark"], "quick");
    let built = list(&document, "commits").iter().filter(|one| one["build"] == "ok").count();
    assert!(built < 12, "{built} of 12 were built");
}
