//! `brisk history --work`: commits that are too slow for all of the work do a part of it.

use serde_json::{Value, json};

use crate::document::list;
use crate::lab::Lab;
use crate::repository::{Repository, steps};

/// Three commits; the first two hang if given more than a tenth of the work. The live data that
/// each prints does not grow with the work.
fn repository(lab: &Lab) -> Repository<'_> {
    let repository = Repository::new(lab);
    for (subject, most, live) in [("slow", 100, 4), ("leaner", 100, 2), ("fast", 1000, 50)] {
        let text = format!("#!/bin/sh\n[ $1 -le {most} ] || exec sleep 60\necho live {live}\n");
        repository.write("source", &text);
        repository.commit(subject);
    }
    repository
}

const OPTIONS: [&str; 10] = [
    "--work",
    "1000",
    "--work-time",
    "2s",
    "--runs",
    "12",
    "--measure",
    "live[bytes]=/^live (.*)$/",
    "--metrics",
    "live,wall_time",
];
const COMMAND: [&str; 2] = ["--", "{artifact} {work}"];

fn compared(document: &Value, metric: &str) -> Vec<(Value, Value)> {
    let parts = list(document, "comparisons").iter().filter(|part| part["metric"] == metric);
    parts.map(|part| (part["baseline"].clone(), part["candidate"].clone())).collect()
}

#[test]
fn what_does_not_grow_with_the_work_is_not_compared_between_different_amounts() {
    let lab = Lab::new();
    let repository = repository(&lab);
    let files = ["--export-json", "h.json", "--export-csv", "h.csv", "--export-svg", "h.svg"];
    let ended = repository.start_with(&[&OPTIONS[..], &files, &COMMAND].concat()).wait();
    let ended = ended.judged().says("other work").says("1000 of the work, and ");
    let document = lab.json("h.json");
    let found = steps(&document);
    assert!(found.contains(&("leaner".to_owned(), "improved".to_owned())), "{ended}");
    let of_live = list(&document, "steps").iter().filter(|step| step["metric"] == "live[bytes]");
    assert_eq!(of_live.count(), 1, "{ended}");
    assert_eq!(compared(&document, "live[bytes]"), [(json!(0), json!(1))]);
    assert!(compared(&document, "wall_time").contains(&(json!(1), json!(2))));
    let mut notes = list(&document, "notes").iter();
    let told = notes.find(|note| note["kind"] == "other-work").expect("the reason");
    assert_eq!((&told["baseline"], &told["candidate"]), (&json!(1), &json!(2)));
    assert_eq!((&told["done"], &told["metrics"]), (&json!([100, 1000]), &json!(["live[bytes]"])));
    let works: Vec<_> =
        list(&document, "variants").iter().map(|one| one["labels"]["work"].clone()).collect();
    assert_eq!(works, ["100", "100", "1000"]);
    // The need for a part of the work does not predict that for the whole.
    let cells = |line: &String| line.split(';').nth(1).map(str::to_owned).expect("a cell");
    assert_eq!(lab.lines("h.csv").iter().skip(1).map(cells).collect::<Vec<_>>(), ["", "", "50"]);
    let picture = lab.lines("h.svg").join("\n");
    assert!(picture.contains("the amount of work changed here"));
    assert!(picture.contains("with 100 of 1000 of its work"));
}

#[test]
fn neighbours_that_cannot_be_compared_are_not_measured_again_and_have_no_verdict() {
    let lab = Lab::new();
    let repository = repository(&lab);
    let alone = [&OPTIONS[..9], &["live", "--export-json", "h.json"], &COMMAND].concat();
    repository.start_with(&alone).wait().judged();
    let rounds = |document: &Value| document["history"]["experiments"].clone();
    let first = rounds(&lab.json("h.json"));
    repository.start_with(&alone).wait().judged().says("other work");
    assert_eq!(rounds(&lab.json("h.json")), first);
    let demanded = [&OPTIONS[..9], &["live", "--require-verdict"], &COMMAND].concat();
    repository.start_with(&demanded).wait().exited(3);
}

#[test]
fn a_search_in_what_does_not_grow_with_the_work_is_refused() {
    let lab = Lab::new();
    let repository = repository(&lab);
    let asked = [&["--bisect", "peak_rss"], &OPTIONS[..6], &COMMAND].concat();
    repository.start_with(&asked).wait().refused("`--bisect peak_rss`").hinting("`--work`");
}
