//! Stored documents that contradict themselves: an error that names the fault, never a panic and
//! never an empty report.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use findings::Document;
use findings::inspection::Inspection;
use laboratory::archive;
use page::terminal::{self, Folds};
use report::export::{Exports, Format};
use rusqlite::Connection;
use serde_json::{Value, json};
use store::{ExperimentId, Store};

use crate::bench;
use crate::check::{check, project};
use crate::explain_instructions::profile;
use crate::history_suite;
use crate::lab::{Lab, run};
use crate::repository::{LONG, Repository, SHORT};
use crate::schema::follows_the_schema_but_for_runs;

/// The newest stored document of a lab, and its place in the store.
pub(crate) struct Stored {
    lab: Lab,
    id: i64,
    column: &'static str,
    pub(crate) document: Value,
}

impl Stored {
    fn newest(lab: Lab) -> Self {
        let select = "SELECT experiment, history IS NOT NULL, coalesce(history, summary) FROM \
                      experiment_detail ORDER BY experiment DESC LIMIT 1";
        let (id, is_history, text): (i64, bool, String) = Connection::open(lab.store())
            .and_then(|store| {
                store.query_row(select, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            })
            .expect("something is stored");
        let column = if is_history { "history" } else { "summary" };
        let text = match is_history {
            true => {
                let store =
                    Store::open_existing(lab.store()).expect("it opens").expect("it is there");
                archive::stored_document(&store, ExperimentId(id)).expect("it is sound").json()
            }
            false => text,
        };
        let document = serde_json::from_str(&text).expect("it is JSON");
        follows_the_schema_but_for_runs(&document);
        Self { lab, id, column, document }
    }

    /// True if it has no rounds.
    fn is_inspection(&self) -> bool {
        self.document["kind"] == "explain" || self.document["kind"] == "doctor"
    }

    /// Puts another document in its place.
    fn replace(&self, document: &Value) {
        let update =
            format!("UPDATE experiment_detail SET {} = ?1 WHERE experiment = ?2", self.column);
        let store = Connection::open(self.lab.store()).expect("it opens");
        store.execute(&update, (document.to_string(), self.id)).expect("it is writable");
        store.execute("DELETE FROM history_part", ()).expect("it is writable");
    }
}

pub(crate) fn compared() -> Stored {
    let lab = Lab::new();
    let options = ["--runs", "8", "--memory-over-time", "--setup", "true", "--equal-work"];
    lab.brisk(&[&["compare"], &options[..], &["true", "sleep 0.01"]].concat()).judged();
    Stored::newest(lab)
}

pub(crate) fn swept() -> Stored {
    let lab = Lab::new();
    let points = ["--param", "t=0.002,0.02,x", "--runs", "12", "--ignore-failure=9"];
    lab.brisk(&[&["sweep"], &points[..], &["sleep {t}"]].concat());
    Stored::newest(lab)
}

pub(crate) fn tuned() -> Stored {
    let lab = Lab::new();
    lab.write(
        "nap.sh",
        "#!/bin/sh\ncase \",$OCAMLRUNPARAM,\" in *,s=*M,*) sleep 0.01;; *) sleep 0.05;; esac\n",
    );
    assert!(run("chmod", &["+x", &lab.path("nap.sh").display().to_string()]));
    lab.brisk(&["sweep", "--tune", "--quiet", "--runtime", "ocaml", "./nap.sh"]);
    Stored::newest(lab)
}

pub(crate) fn benched() -> Stored {
    let lab = Lab::new();
    bench::suite(&lab, "old", &["a", "b", "c"], 100);
    bench::suite(&lab, "new", &["a", "b", "d"], 150);
    lab.brisk(&["bench", "--runs", "8", "--order", "shuffled", "./old", "./new"]).exited(2);
    Stored::newest(lab)
}

pub(crate) fn of_commits() -> Stored {
    let lab = Lab::new();
    let commits = [SHORT, "-", LONG, LONG];
    Repository::costing(&lab, &commits).start_with(&["--runs", "8"]).wait().judged();
    Stored::newest(lab)
}

pub(crate) fn of_suites() -> Stored {
    let lab = Lab::new();
    let suites = [("x", 100), ("x", 200), ("y", 200)]
        .map(|(name, units)| history_suite::suite("", &[("a", 100), (name, units)], ""));
    let repository = history_suite::commits(&lab, &suites);
    repository.start_with(&["--harness", "auto", "--runs", "8"]).wait().judged();
    Stored::newest(lab)
}

pub(crate) fn checked() -> Stored {
    let lab = project(&["cpu_time(few) < cpu_time(many)", "cpu_time(few) < 1 ns"]);
    check(&lab, &[]).exited(1);
    Stored::newest(lab)
}

fn explained(words: &[&str]) -> Stored {
    let lab = Lab::new();
    let dumps = fixtures::folder("explain_dumps");
    let words = words.iter().map(|word| match word.split_once(':') {
        Some(("dumps", file)) => dumps.join(file).display().to_string(),
        _ => (*word).to_owned(),
    });
    lab.write("old.out", &profile(300, 100));
    lab.write("new.out", &profile(0, 250));
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = ["explain"].into_iter().chain(words.iter().map(|w| &**w)).collect();
    lab.brisk(&words).succeeded();
    Stored::newest(lab)
}

fn examined() -> Stored {
    let lab = Lab::new();
    lab.brisk(&["doctor", "--quiet", "--budget", "2s"]).succeeded();
    Stored::newest(lab)
}

/// Every export of a document, except those that draw pixels or need a commit.
fn exports(folder: &Path) -> Vec<Exports> {
    let formats = Format::ALL.into_iter();
    let files = formats.filter(|format| !matches!(format, Format::Png | Format::Asv));
    let one = |(number, format): (usize, Format)| {
        let files = vec![(format, folder.join(number.to_string()))];
        Exports { files, asv_commit: None }
    };
    files.enumerate().map(one).collect()
}

/// Numbers that differ between mutations, but are the same in every run (Marsaglia's xorshift,
/// 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }
}

/// Makes one change at a random place, and describes it.
fn mutate(value: &mut Value, random: &mut Random, path: PathBuf) -> String {
    let is_here = random.below(6) == 0;
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let chosen = random.below(fields.len());
            let key = fields.keys().nth(chosen).cloned().expect("there are so many");
            if is_here {
                fields.remove(&key);
                return format!("without {}", path.join(key).display());
            }
            let field = fields.get_mut(&key).expect("it is there");
            mutate(field, random, path.join(key))
        }
        Value::Array(list) if !list.is_empty() => {
            let chosen = random.below(list.len());
            match random.below(8) {
                0 => drop(list.remove(chosen)),
                1 => list.push(list[chosen].clone()),
                2 => list.truncate(chosen),
                3 => list.reverse(),
                _ => return mutate(&mut list[chosen], random, path.join(chosen.to_string())),
            }
            format!("another length or order of {}", path.display())
        }
        other => {
            let (low, high) = (json!(0), json!(4_294_967_295_u32));
            let numbers = [low, json!(1), json!(2), json!(7), high, json!(-1), json!(1e308)];
            let others =
                [json!(0.5), json!(1e-308), Value::Null, json!(""), json!("ä\u{301}"), json!([])];
            let all: Vec<Value> = numbers.into_iter().chain(others).collect();
            let changed = match other {
                // Off by one is the most common mistake.
                Value::Number(number) if random.below(3) == 0 => {
                    json!(number.as_u64().map_or(0, |number| number + 1))
                }
                _ => all[random.below(all.len())].clone(),
            };
            let told = format!("{} is {changed} instead of {other}", path.display());
            *other = changed;
            told
        }
    }
}

/// True if a line that is not about rounds has a digit or `missing`.
fn has_figures(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.contains(" round"));
    lines.any(|line| line.contains(|c: char| c.is_ascii_digit()) || line.contains("missing"))
}

/// Changes the document in this number of ways, and shows and exports each one that can be read.
/// Returns their number.
fn survived(stored: &Stored, ways: u64) -> u64 {
    let store = Store::open_existing(stored.lab.store()).expect("it opens").expect("it is there");
    let exports = exports(&stored.lab.path(""));
    let mut read = 0;
    for way in 1..=ways {
        let mut random = Random(way.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut changed = stored.document.clone();
        let told: Vec<String> = (0..=random.below(2))
            .map(|_| mutate(&mut changed, &mut random, PathBuf::new()))
            .collect();
        let shown = catch_unwind(AssertUnwindSafe(|| {
            if stored.is_inspection() {
                let inspection = Inspection::read(&changed.to_string()).ok()?;
                return Some((
                    1,
                    terminal::render(&report::inspection::page(&inspection), 80, Folds::Open)
                        + &report::inspection::as_markdown(&inspection),
                ));
            }
            let Ok(document) = Document::read(&changed.to_string()) else { return None };
            let text = terminal::render(&report::page(&document), 80, Folds::Open);
            for export in &exports {
                // An error is fine, too.
                let _ = archive::export(export, &store, ExperimentId(stored.id), &document);
            }
            Some((document.experiment.rounds, text))
        }));
        let shown = shown.unwrap_or_else(|_| panic!("a panic where {told:?}"));
        if let Some((rounds, text)) = shown {
            assert!(rounds == 0 || has_figures(&text), "{told:?}:\n{text}");
            read += 1;
        }
    }
    read
}

/// Names the tried mutations and the document; fails if none of them could be read, or all.
#[track_caller]
fn withstands(stored: &Stored) {
    let json = stored.document.to_string();
    match stored.is_inspection() {
        true => drop(Inspection::read(&json).expect("what brisk stored is sound")),
        false => drop(Document::read(&json).expect("what brisk stored is sound")),
    }
    let read = survived(stored, 600);
    assert!((10..590).contains(&read), "{read} of 600 were read");
}

#[test]
fn a_changed_document_of_a_comparison_is_shown_or_refused() {
    withstands(&compared());
}

#[test]
fn a_changed_document_of_a_sweep_is_shown_or_refused() {
    withstands(&swept());
}

#[test]
fn a_changed_document_of_a_tuning_is_shown_or_refused() {
    withstands(&tuned());
}

#[test]
fn a_changed_document_of_a_suite_is_shown_or_refused() {
    withstands(&benched());
}

#[test]
fn a_changed_document_of_a_history_is_shown_or_refused() {
    withstands(&of_commits());
}

#[test]
fn a_changed_document_of_a_history_of_suites_is_shown_or_refused() {
    withstands(&of_suites());
}

#[test]
fn a_changed_document_of_a_check_is_shown_or_refused() {
    withstands(&checked());
}

#[test]
fn a_changed_explanation_is_shown_or_refused() {
    withstands(&explained(&["--core", "dumps:9.6.6", "--ticky", "dumps:9.6.6/program.ticky"]));
    withstands(&explained(&["--core", "dumps:9.6.6", "dumps:9.10.3"]));
    withstands(&explained(&["--callgrind", "old.out"]));
    withstands(&explained(&["--callgrind", "old.out", "new.out"]));
}

#[test]
fn a_changed_look_at_a_machine_is_shown_or_refused() {
    withstands(&examined());
}

#[test]
fn an_inspection_that_contradicts_itself_is_an_error_that_names_the_part() {
    let core = ["--all", "--core", "dumps:9.6.6", "--ticky", "dumps:9.6.6/program.ticky"];
    let stored = explained(&core);
    let changes: [(&str, Value, &str); 4] = [
        (
            "/explanation/places/0/findings/0",
            json!(99),
            "`explanation.places` names the finding 99",
        ),
        ("/kind", json!("doctor"), "the document says it is a `doctor`"),
        ("/schema", json!("brisk/2"), "it is a document of schema `brisk/2`"),
        ("/machine", Value::Null, ""),
    ];
    for (place, value, cause) in changes {
        let mut changed = stored.document.clone();
        *changed.pointer_mut(place).expect("it is there") = value;
        stored.replace(&changed);
        let shown = stored.lab.brisk(&["show", "1"]);
        match cause {
            // The machine's description is free text.
            "" => drop(shown.succeeded()),
            _ => drop(shown.refused("cannot read the stored report").because(cause)),
        }
    }
}

#[test]
fn a_document_that_contradicts_itself_is_an_error_that_names_the_part() {
    let stored = compared();
    // The answering metric depends on how busy the machine is.
    let answering = stored.document["answers"][0]["metric"].as_str().expect("an answer");
    let uncompared = format!("`answers` has no comparison of 0 and 1 in `{answering}`");
    let changes: [(&str, Value, &str); 8] = [
        ("/variants", json!([]), "`variants` is empty"),
        ("/summaries", json!([]), "`comparisons` compares 0 in"),
        ("/experiment/metrics", json!([]), "`summaries` is empty"),
        ("/summaries/0/variant", json!(7), "`summaries` names the variant 7, and there are 2"),
        ("/comparisons", json!([]), &uncompared),
        ("/answers/0/candidate", json!(2), "`answers` names the variant 2, and there are 2"),
        ("/schema", json!("brisk/2"), "it is a document of schema `brisk/2`"),
        ("/experiment/margin", Value::Null, "it is not a document of schema `brisk/1`"),
    ];
    for (place, value, cause) in changes {
        let mut changed = stored.document.clone();
        *changed.pointer_mut(place).expect("it is there") = value;
        stored.replace(&changed);
        for verb in [&["show", "1"][..], &["export", "1", "--export-csv", "out.csv"]] {
            let ended = stored.lab.brisk(verb).refused("cannot read the stored report");
            ended.because(cause);
        }
        assert!(!stored.lab.exists("out.csv"), "{cause}");
    }
}

#[test]
fn a_run_of_a_variant_that_is_not_there_is_damage() {
    let stored = compared();
    let store = Connection::open(stored.lab.store()).expect("it opens");
    let foreign = "PRAGMA foreign_keys = OFF; UPDATE run SET variant = 9 WHERE round = 3";
    store.execute_batch(foreign).expect("it is writable");
    stored.lab.write("out", "from better days");
    for option in ["--export-hyperfine", "--export-go", "--export-json"] {
        let ended = stored.lab.brisk(&["export", "1", option, "out"]).refused("");
        ended.because("a run is of the variant 9, and the experiment has 2");
        assert_eq!(stored.lab.read("out"), "from better days");
    }
    // Judged from its runs, as after a kill.
    store.execute_batch("UPDATE experiment_detail SET summary = NULL").expect("it is writable");
    stored.lab.brisk(&["show", "1"]).refused("is damaged").because("the variant 9");
    let foreign = "DELETE FROM variant WHERE number = 1";
    store.execute_batch(&format!("PRAGMA foreign_keys = OFF; {foreign}")).expect("it is writable");
    stored.lab.brisk(&["show", "1"]).refused("is damaged").because("1 of its 2 variants");
}
