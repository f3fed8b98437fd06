//! Metrics that rise from 0 or fall to 0: a ratio is meaningless, so differences are judged, stored
//! and shown.

use serde_json::{Value, json};

use crate::bench::script;
use crate::check::{check, expecting};
use crate::document::{comparison, list};
use crate::lab::Lab;
use crate::repository::{Repository, commit};

/// A metric that is printed by a program.
const ERRORS: [&str; 4] = ["--measure", r"errors=/errors: (\d+)/", "--metrics", "errors"];

/// A program that prints its number of errors: the number of its call modulo 3.
const VARYING: &str =
    "n=$(cat n 2> /dev/null || echo 0); echo $((n + 1)) > n; echo errors: $((n % 3))";

fn errors(count: u32) -> String {
    format!("echo errors: {count}")
}

/// The verdict, the basis and the difference with its ends.
fn told(document: &Value, metric: &str) -> (Value, Value, Value) {
    let part = comparison(document, 1, metric);
    // Older readers still find numbers.
    for key in ["ratio", "low"] {
        assert!(part[key].as_f64().is_some_and(f64::is_finite), "{part}");
    }
    (part["verdict"].clone(), part["basis"].clone(), part["difference"].clone())
}

fn exactly(value: f64) -> Value {
    json!({"value": value, "low": value, "high": value})
}

#[test]
fn a_count_from_zero_has_a_verdict_in_all_that_is_written() {
    let lab = Lab::new();
    let [none, some] = [0, 7].map(errors);
    let files = ["--export-json", "e.json", "--export-csv", "e.csv", "--export-html", "e.html"];
    let more = ["--export-markdown", "e.md", "--export-svg", "e.svg", "--export-hyperfine", "hf"];
    let arguments =
        [&["compare", "-r", "12"], &ERRORS[..], &files, &more, &[&none, &some]].concat();
    let sentence = "`echo errors: 7` (B) has 7 errors where `echo errors: 0` (A) has 0, in each of \
                    12 rounds: regressed";
    lab.brisk(&arguments).exited(1).says(sentence);
    let document = lab.json("e.json");
    assert_eq!(told(&document, "errors"), (json!("regressed"), json!("exact"), exactly(7.0)));
    lab.brisk(&["show", "1"]).exited(0).says(sentence);
    lab.brisk(&["list"]).exited(0).says("regressed from 0 to 7");
    lab.brisk(&["report", "1", "-o", "page.html"]).exited(0);
    lab.brisk(&["export", "1", "--export-json", "again.json"]).exited(0);
    assert_eq!(lab.json("again.json")["comparisons"], document["comparisons"]);
    let row = lab.lines("e.csv").into_iter().find(|line| line.contains(",0,,,,regressed,12"));
    assert!(row.is_some_and(|row| row.ends_with(",7,7,7")), "{}", lab.read("e.csv"));
    for file in ["e.csv", "e.html", "e.md", "e.svg", "page.html"] {
        let text = lab.read(file);
        let is_sound = |word: &str| !["inf", "NaN", "+inf"].contains(&word);
        let words = |text: &str| text.split([' ', ',', '"', '<', '>']).all(is_sound);
        assert!(words(&text), "{file}");
    }
    // Among the ratios it is drawn at the edge, with its words.
    assert!(lab.read("e.html").contains("from 0 to 7 regressed"), "{}", lab.read("e.html"));
}

#[test]
fn a_count_to_zero_and_counts_that_vary_are_judged_by_their_differences() {
    let lab = Lab::new();
    let [none, some] = [0, 7].map(errors);
    let compared = |commands: [&str; 2]| {
        lab.compared(&[&["-r", "16", "-w", "0"], &ERRORS[..], &commands].concat())
    };
    let (verdict, basis, difference) = told(&compared([&some, &none]), "errors");
    assert_eq!((verdict, basis, difference), (json!("improved"), json!("exact"), exactly(-7.0)));
    let varying = format!("sh -c '{VARYING}'");
    let (verdict, basis, difference) = told(&compared([&none, &varying]), "errors");
    assert_eq!((verdict, basis), (json!("regressed"), json!("differences")));
    assert_eq!(difference["value"], 1.0);
    assert!(difference["low"].as_f64() > Some(0.0) && difference["high"].as_f64() < Some(2.0));
    let (verdict, _, difference) = told(&compared([&none, &none]), "errors");
    assert_eq!((verdict, difference), (json!("unchanged"), Value::Null));
}

#[test]
fn a_step_from_zero_is_in_the_history_and_in_all_its_pages() {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    for (number, count) in [0, 7, 7, 0].into_iter().enumerate() {
        repository.write("source", &format!("#!/bin/sh\n# {number}\n{}\n", errors(count)));
        repository.commit(&format!("errors {number}"));
    }
    let files = ["--export-json", "h.json", "--export-html", "h.html", "--export-csv", "h.csv"];
    let more = ["--runs", "8", "--export-svg", "h.svg"];
    let ended = repository.start_with(&[&ERRORS[..], &files, &more].concat()).wait();
    ended.exited(1).says("regressed: errors from 0 to 7").says("improved: errors from 7 to 0");
    let document = lab.json("h.json");
    let steps: Vec<_> = list(&document, "steps")
        .iter()
        .map(|step| (&step["commit"], &step["verdict"], &step["difference"]["value"]))
        .collect();
    let hash = |number: u32| &commit(&document, &format!("errors {number}"))["hash"];
    assert_eq!(
        steps,
        [(hash(1), &json!("regressed"), &json!(7.0)), (hash(3), &json!("improved"), &json!(-7.0))]
    );
    lab.brisk(&["show", "1"]).exited(0).says("errors from 0 to 7");
    lab.brisk(&["report", "1", "-o", "page.html"]).exited(0);
    lab.brisk(&["report", "--site", "site", "--project", "repo"]).exited(0);
    for file in ["h.html", "h.svg", "page.html", "site/index.html"] {
        let text = lab.read(file);
        let size = if file == "site/index.html" { "from 0 to 7" } else { "+7" };
        assert!(text.contains(size), "{file}");
        assert!(!text.contains("inf %") && !text.contains("× inf"), "{file}");
    }
}

#[test]
fn expectations_about_a_ratio_over_zero_hold_or_fail() {
    let lab = Lab::new();
    script(&lab, "none", &errors(0));
    script(&lab, "some", &errors(7));
    let benchmark = |name: &str| {
        format!(
            "\n[[benchmark]]\nname = '{name}'\ncommand = './{name}'\nruns = 12\nmeasure = ['{}']\n",
            ERRORS[1]
        )
    };
    let expected = [
        "errors(some) / errors(none) < 2",
        "errors(some) / errors(none) > 2",
        "errors(none) / errors(some) < 0.5",
    ];
    lab.write("brisk.toml", &(benchmark("none") + &benchmark("some") + &expecting(&expected)));
    let ended = check(&lab, &["--export-json", "check.json"]).exited(1);
    ended.says("3 expectations: 1 fails, 2 hold").says("infinite, as it is over 0");
    let standings: Vec<_> = list(&lab.json("check.json")["check"], "expectations")
        .iter()
        .map(|one| one["standing"].clone())
        .collect();
    assert_eq!(standings, ["fails", "holds", "holds"]);
}

#[test]
fn allocations_of_a_suite_from_zero_end_it_as_a_regression() {
    let lab = Lab::new();
    for (name, bytes) in [("old", 0), ("new", 64_000)] {
        let body = format!(
            "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'a\\nb\\nc\\n' && exit\nshift\n\
             for name; do case $name in a) bytes={bytes};; *) bytes=16000;; esac\n\
             printf '%s\\t1000\\t0.1%s\\tallocated=%s\\n' \"$name\" $(($$ % 90 + 10)) $bytes; done\n"
        );
        script(&lab, name, &body);
    }
    let arguments = ["--runs", "16", "--export-json", "bench.json", "--order", "alone"];
    let named = ["--metrics", "allocated_per_iteration"];
    let ended =
        lab.brisk(&[&["bench", "./old", "./new"][..], &arguments, &named].concat()).exited(1);
    ended.says("from 0 B to 64 B").says("geometric mean, without 1 from or to 0");
    let document = lab.json("bench.json");
    let part = list(&document, "comparisons").iter().find(|part| part["difference"].is_object());
    let part = part.expect("one is from zero");
    assert_eq!(
        (&part["verdict"], &part["difference"]),
        (&json!("regressed"), &exactly(64.0)),
        "{part}"
    );
}
