//! Sweeps of real commands: the points worth choosing, the dropped ones, and failures.

use serde_json::Value;

use crate::cost::{self, COST, costing};
use crate::lab::{Ended, Lab, eventually};

/// Sweeps and reads the exported JSON.
fn swept(lab: &Lab, arguments: &[&str]) -> (Ended, Value) {
    let export = ["sweep", "--export-json", "sweep.json"];
    let ended = lab.brisk(&[&export, arguments].concat()).succeeded();
    (ended, lab.json("sweep.json"))
}

/// The point whose variant has this name.
fn point<'a>(document: &'a Value, name: &str) -> &'a Value {
    let variants = document["variants"].as_array().expect("a list");
    let of = variants.iter().position(|variant| variant["name"] == name);
    &document["sweep"]["points"][of.unwrap_or_else(|| panic!("no {name} in {variants:?}"))]
}

/// The names of the points on the front, the fastest first.
fn front(document: &Value) -> Vec<&str> {
    let front = document["sweep"]["front"].as_array().expect("a list");
    let name = |number: &Value| {
        let number = usize::try_from(number.as_u64().expect("a number")).expect("small");
        document["variants"][number]["name"].as_str().expect("a name")
    };
    front.iter().map(name).collect()
}

/// The objective of a point: its printed cost, which does not depend on the load.
const CHEAPEST: [&str; 4] = [COST[0], COST[1], "--minimize", "cost"];

/// A program that holds this number of megabytes, and costs this number of seconds.
fn holder(lab: &Lab) {
    lab.write(
        "hold.sh",
        "#!/bin/sh\n# hold.sh MEGABYTES SECONDS: the text is held by the shell.\n\
         held=$(head -c \"${1}000000\" /dev/zero | tr '\\0' x)\necho cost \"$2\"\n",
    );
}

#[test]
fn the_fastest_point_is_named_and_a_hopeless_one_leaves() {
    let lab = cost::lab();
    let options = ["--param", "t=0.005,0.1,0.9", "--default", "t=0.1", "--runs", "14"];
    let arguments = [&options[..], &CHEAPEST, &["sh cost.sh {t}"]].concat();
    let (ended, document) = swept(&lab, &arguments);
    ended.says("`t=0.005` is best").says("runs were saved");
    assert_eq!(document["sweep"]["default"], 0);
    assert_eq!(document["variants"][0]["name"], "t=0.1");
    assert_eq!(front(&document), ["t=0.005"]);
    assert_eq!(point(&document, "t=0.9")["state"], "dropped");
    assert!(point(&document, "t=0.9")["rounds"].as_u64().is_some_and(|rounds| rounds < 14));
    // The baseline stays to the end.
    assert_eq!(point(&document, "t=0.1")["rounds"], 14);
    assert_eq!(
        document["sweep"]["parameters"][0]["values"],
        serde_json::json!(["0.005", "0.1", "0.9"])
    );
    lab.brisk(&["show", "1"]).succeeded().says("`t=0.005` is best");
    lab.brisk(&["list"]).succeeded().says("sh cost.sh {t}");
}

#[test]
fn time_that_costs_memory_is_a_front() {
    let lab = Lab::new();
    holder(&lab);
    let arguments = [
        "--param",
        "m=2,12",
        "--param",
        "t=0.05,0.5",
        "--runs",
        "14",
        "--exhaustive",
        // The memory of such a small shell varies by more than the default margin.
        "--margin",
        "10%",
        "sh hold.sh {m} {t}",
    ];
    let (_, document) = swept(&lab, &[&CHEAPEST[..], &arguments].concat());
    // More memory without a benefit is never worthwhile.
    assert_eq!(front(&document), ["m=2 t=0.05"]);
    assert_eq!(point(&document, "m=12 t=0.5")["state"], "dominated");
    lab.write("trade.sh", "if [ $1 = 12 ]; then t=0.02; else t=0.6; fi; exec sh hold.sh $1 $t\n");
    let arguments = ["--param", "m=2,12", "--runs", "14", "sh trade.sh {m}"];
    let (ended, document) = swept(&lab, &[&CHEAPEST[..], &arguments].concat());
    assert_eq!(front(&document), ["m=12", "m=2"]);
    ended.says("times its memory");
}

#[test]
fn what_is_not_shown_to_be_worse_is_on_the_front_and_every_sentence_agrees() {
    let lab = Lab::new();
    // In every other round the cheapest is the most expensive.
    lab.write(
        "cost.sh",
        "echo >> \"runs-$1\"; n=$(wc -l < \"runs-$1\"); c=1.0\n\
         [ $1 != a ] || c=0.8\n\
         [ $1 != b ] || c=0.7\n\
         [ $1 != b ] || [ $((n % 2)) != 0 ] || c=2.0\n\
         echo cost $c\n",
    );
    let options = ["--param", "t=base,a,b", "--default", "t=base", "--runs", "14"];
    let arguments = [&options[..], &CHEAPEST, &["--exhaustive", "sh cost.sh {t}"]].concat();
    let (ended, document) = swept(&lab, &arguments);
    // Its undecided ratio to the default does not hide the other ratio.
    let ended = ended
        .says("`t=a` is the best so far: 0.80")
        .says("not decided: whether `t=a`, `t=b` belong");
    assert!(!ended.stdout.contains("nothing is shown"), "{}", ended.stdout);
    assert_eq!(front(&document), ["t=b", "t=a"]);
    assert_eq!(point(&document, "t=base")["state"], "dominated");
    for (name, other) in [("t=a", "t=b"), ("t=b", "t=a")] {
        let with = point(&document, other)["variant"].clone();
        let open = point(&document, name);
        assert_eq!((&open["state"], &open["with"]), (&"undecided".into(), &with), "{open}");
    }
    let asked = [&arguments[..], &["--require-verdict"]].concat();
    assert_eq!(lab.brisk(&[&["sweep"], &asked[..]].concat()).code, Some(3));
}

#[test]
fn without_the_variable_runs_the_default() {
    let lab = Lab::new();
    lab.write("nap.sh", &costing("${NAP:-0.2}00", "of the variable"));
    let arguments =
        ["--param", "nap=0.01,0.3", "--env", "NAP={nap} OTHER=1", "--runs", "14", "sh nap.sh"];
    let (ended, document) = swept(&lab, &[&CHEAPEST[..], &arguments].concat());
    ended.says("times the cost of the default").says("default");
    assert_eq!(document["variants"][0]["name"], "default");
    assert_eq!(document["variants"][0]["labels"], serde_json::json!({}));
    assert_eq!(document["sweep"]["default"], 0);
    assert_eq!(front(&document), ["nap=0.01"]);
    assert_eq!(document["sweep"]["command"], "NAP={nap} OTHER=1 sh nap.sh");
}

#[test]
fn a_reference_is_what_all_points_are_compared_with() {
    let lab = cost::lab();
    let options = ["--reference", "sh cost.sh 0.1", "-L", "t", "0.01,0.3", "--runs", "14"];
    let (_, document) = swept(&lab, &[&options[..], &CHEAPEST, &["sh cost.sh {t}"]].concat());
    assert_eq!(document["variants"][0]["command"], "sh cost.sh 0.1");
    assert_eq!(front(&document), ["t=0.01"]);
}

#[test]
fn a_point_that_fails_is_recorded_and_the_others_go_on() {
    let lab = Lab::new();
    let bad = "[ $1 != bad ] || { echo no such nap >&2; exit 7; }\n";
    lab.write("nap.sh", &(bad.to_owned() + &costing("0.0${1}00", "of the argument")));
    let arguments = ["--param", "t=1,bad,5", "--runs", "13", "sh nap.sh {t}"];
    let (ended, document) = swept(&lab, &[&CHEAPEST[..], &arguments].concat());
    ended.says("exited with status 7");
    let bad = point(&document, "t=bad");
    assert_eq!((&bad["state"], &bad["rounds"]), (&"failed".into(), &0.into()));
    assert!(bad["stderr"].as_str().is_some_and(|text| text.contains("no such nap")), "{bad}");
    assert_eq!(front(&document), ["t=1"]);
    let of = |name: &str| point(&document, name)["variant"].clone();
    let runs = document["runs"].as_array().expect("a list");
    let count = |name: &str| runs.iter().filter(|run| run["variant"] == of(name)).count();
    assert_eq!((count("t=1"), count("t=bad")), (13, 1));
    // A failed point is kept, but not judged.
    let mut summaries = document["summaries"].as_array().expect("a list").iter();
    assert!(summaries.all(|part| part["variant"] != of("t=bad")));
    lab.brisk(&["show", "1"]).succeeded().says("exited with status 7");
}

#[test]
fn a_point_that_never_ends_or_is_killed_is_recorded_too() {
    let lab = Lab::new();
    lab.write("odd.sh", "case $1 in hang) sleep 60;; die) kill -9 $$;; *) sleep 0.01;; esac\n");
    let arguments = ["--param", "t=1,hang,die", "--timeout", "2s", "--runs", "5", "sh odd.sh {t}"];
    let (_, document) = swept(&lab, &arguments);
    assert_eq!(point(&document, "t=hang")["how"], "ran longer than its time limit");
    assert_eq!(point(&document, "t=die")["how"], "was ended by signal 9 (SIGKILL)");
    assert_eq!(point(&document, "t=1")["rounds"], 5);
    lab.nothing_is_left();
}

#[test]
fn where_all_points_fail_there_is_nothing_to_choose() {
    let lab = Lab::new();
    let arguments = ["sweep", "--param", "c=1,2", "sh -c 'exit {c}'"];
    lab.brisk(&arguments).failed("every point failed; the first exited with status");
}

#[test]
fn with_failures_allowed_nobody_leaves() {
    let lab = Lab::new();
    let arguments = ["-i", "--exhaustive", "--param", "c=1,2", "--runs", "4", "sh -c 'exit {c}'"];
    let (_, document) = swept(&lab, &arguments);
    assert_eq!(point(&document, "c=2")["rounds"], 4);
}

#[test]
fn a_limit_is_kept() {
    let lab = Lab::new();
    holder(&lab);
    lab.write("trade.sh", "if [ $1 = 20 ]; then t=0.01; else t=0.4; fi; exec sh hold.sh $1 $t\n");
    let arguments =
        ["--param", "m=2,20", "--runs", "12", "--limit", "peak_rss < 15 MB", "sh trade.sh {m}"];
    let (_, document) = swept(&lab, &[&CHEAPEST[..], &arguments].concat());
    assert_eq!(front(&document), ["m=2"]);
    let over = point(&document, "m=20");
    assert_eq!(
        (&over["state"], &over["limit"]),
        (&"over-limit".into(), &"peak_rss < 15 MB".into())
    );
    assert!(over["rounds"].as_u64().is_some_and(|rounds| rounds < 12));
}

#[test]
fn what_is_minimised_can_be_chosen() {
    let lab = Lab::new();
    holder(&lab);
    let arguments =
        ["--param", "m=2,40", "--runs", "14", "--minimize", "peak_rss", "sh hold.sh {m} 0.01"];
    let (ended, document) = swept(&lab, &arguments);
    assert_eq!(front(&document), ["m=2"]);
    assert_eq!(document["sweep"]["minimized"], "peak_rss");
    ended.says("`m=2` is best");
}

#[test]
fn a_sweep_that_was_interrupted_goes_on_where_it_was() {
    let lab = cost::lab();
    let arguments = [
        "sweep",
        "--export-json",
        "sweep.json",
        "--param",
        "t=0.01,0.011,0.2",
        "--runs",
        "40",
        "--conclude",
        "echo {t} >> runs; [ $(wc -l < runs) -lt $(cat enough) ] || sleep 1000",
        "sh cost.sh {t}",
    ];
    let arguments = [&arguments[..1], &CHEAPEST, &arguments[1..]].concat();
    for signal in ["INT", "KILL"] {
        // The hook after that run does not end.
        let enough = lab.lines("runs").len() + 12;
        lab.write("enough", &enough.to_string());
        let running = lab.start(&arguments);
        eventually("sweeping", || lab.lines("runs").len() == enough);
        running.signal(signal);
        let ended = running.wait();
        match signal {
            "KILL" => assert_eq!(ended.code, None),
            _ => drop(
                ended
                    .failed("interrupted after ")
                    .hinting("run the same command again to continue"),
            ),
        }
        lab.nothing_is_left();
    }
    lab.write("enough", "1000000");
    lab.brisk(&arguments).succeeded();
    let document = lab.json("sweep.json");
    assert_eq!(document["experiment"]["id"], 1, "all three were one experiment");
    assert!(document["experiment"]["rounds"].as_u64().is_some_and(|rounds| rounds >= 40));
    let slow = point(&document, "t=0.2");
    assert_eq!(slow["state"], "dropped");
    let slow_runs = lab.lines("runs").iter().filter(|line| *line == "0.2").count();
    // Each interruption may have cut off one of its runs.
    assert!(slow_runs as u64 <= slow["rounds"].as_u64().expect("a number") + 2, "{slow}");
    // Once it is complete, the same command measures afresh.
    lab.brisk(&arguments).succeeded();
    assert_eq!(lab.json("sweep.json")["experiment"]["id"], 2);
}

#[test]
fn a_sweep_goes_on_with_what_is_asked_and_with_nothing_else() {
    let lab = Lab::new();
    let options = ["--param", "t=0.01,0.011", "--runs", "20", "--conclude", "echo x >> runs"];
    let arguments = [&["sweep", "--export-json", "sweep.json"], &options[..], &["sleep {t}"]];
    let arguments = arguments.concat();
    let running = lab.start(&arguments);
    eventually("sweeping", || lab.lines("runs").len() > 6);
    running.signal("INT");
    running.wait().failed("interrupted after ");
    let id = |more: &[&str]| {
        lab.brisk(&[&arguments, more].concat()).succeeded();
        lab.json("sweep.json")["experiment"]["id"].clone()
    };
    assert_eq!(id(&["--margin", "5"]), 2, "other verdicts");
    assert_eq!(id(&["--env", "A=1"]), 3, "another environment");
    // The defaults, given explicitly; and an option for display only.
    assert_eq!(id(&["--margin", "1", "--runtime", "auto", "--quiet"]), 1);
}

#[test]
fn the_exports_tell_what_the_terminal_does() {
    let lab = cost::lab();
    let arguments = [
        "sweep",
        "--param",
        "t=0.005,0.05",
        "--runs",
        "14",
        "--export-markdown",
        "sweep.md",
        "--export-csv",
        "sweep.csv",
        "sh cost.sh {t}",
    ];
    lab.brisk(&[&arguments[..1], &CHEAPEST, &arguments[1..]].concat()).succeeded();
    let markdown = lab.read("sweep.md");
    assert!(markdown.contains("**`t=0.005` is best"), "{markdown}");
    assert!(markdown.contains("| 0.05 |"), "{markdown}");
    let csv = lab.read("sweep.csv");
    assert!(
        csv.lines().any(|line| line.contains("cost[seconds]") && line.contains(",t=0.05,")),
        "{csv}"
    );
}

#[test]
fn points_can_be_held_to_the_same_work() {
    let lab = Lab::new();
    // A dropped point's output is not checked, and whether a point is dropped depends on the
    // machine.
    let equal = ["--equal-work", "--exhaustive", "--runs", "3"];
    let same = ["--param", "t=0.01,0.02", "sh -c 'echo done; sleep {t}'"];
    let (ended, document) = swept(&lab, &[&equal[..], &same].concat());
    ended.says("every command prints the same");
    assert_eq!(document["equal_work"]["differences"], serde_json::json!([]));
    let other = ["sweep", "--param", "n=1,2,none", "sh -c 'echo {n}; test {n} -gt 0'"];
    let arguments = [&other[..1], &equal, &other[1..]].concat();
    let ended = lab.brisk(&arguments).failed("the commands do not do the same work: `n=2`");
    // A failed point has left the sweep, and its output is not checked.
    ended.says("`n=2` does not print what `n=1` prints").says("exited with status");
}
