//! Inspections beside experiments, and lists of some of both.

use brisk::commission::Kind;
use brisk::store::{ExperimentId, Filter, NewExperiment, NewInspection, State, Store};
use serde_json::json;

use crate::given::{Folder, experiment, filled};

fn inspected(store: &mut Store, title: &str, project: &str) -> ExperimentId {
    let (machine, conditions) = (json!({ "cpu": "made up" }), json!({}));
    let new = NewInspection {
        started_unix_ns: 1,
        finished_unix_ns: 2,
        kind: Kind::Explain,
        title: title.to_owned(),
        project: project.to_owned(),
        arguments: vec!["explain".to_owned()],
        cwd: project.to_owned(),
        brisk_version: "0.1.0".to_owned(),
        machine: &machine,
        conditions: &conditions,
        answer: "3 findings".to_owned(),
        document: "{}",
    };
    store.keep_inspection(&new).expect("it is kept")
}

#[test]
fn an_inspection_is_listed_and_is_no_experiment_with_runs() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    let first = filled(&path, 4);
    let mut store = Store::open(&path).expect("opens");
    let id = inspected(&mut store, "Main.hs", "/p");
    let listed = store.listed(id).expect("readable").expect("it is there");
    assert_eq!((listed.kind, listed.state, listed.runs), (Kind::Explain, State::Complete, 0));
    assert_eq!(listed.answer.as_deref(), Some("3 findings"));
    assert_eq!(store.inspection(id).expect("readable").as_deref(), Some("{}"));
    assert_eq!(store.experiment(id).expect("readable"), None);
    assert!(store.experiment(first).expect("readable").is_some());
    // It was never running, so there is nothing to recover.
    assert_eq!(store.recover().expect("readable"), []);
}

#[test]
fn lists_are_of_a_kind_a_project_or_a_text() {
    let folder = Folder::new();
    let mut store = Store::open(&folder.file("runs.db")).expect("a new store");
    let mut begin = |kind: Kind, title: &str, project: &str| {
        let (title, project) = (title.to_owned(), project.to_owned());
        let given = NewExperiment { kind, title, project, ..experiment() };
        store.begin(&given).expect("begins").0.0
    };
    let compared = begin(Kind::Compare, "one", "/p");
    let swept = begin(Kind::Sweep, "two", "/p/within");
    let beside = begin(Kind::Compare, "THREE", "/p-beside");
    let explained = inspected(&mut store, "three.hs", "/p").0;
    let ids = |filter: Filter| -> Vec<i64> {
        let listed = store.list(&Filter { most: 9, ..filter }).expect("readable");
        listed.iter().map(|one| one.id.0).collect()
    };
    let of = |kind: Kind| ids(Filter { kind: Some(kind), ..Filter::default() });
    assert_eq!(of(Kind::Compare), [beside, compared]);
    assert_eq!(of(Kind::Explain), [explained]);
    assert_eq!(of(Kind::Doctor), [0_i64; 0]);
    let about = |folder: &str| ids(Filter { project: Some(folder.into()), ..Filter::default() });
    assert_eq!(about("/p"), [explained, swept, compared]);
    assert_eq!(about("/p/"), [explained, swept, compared]);
    assert_eq!(about("/p/within"), [swept]);
    assert_eq!(about("/"), [explained, beside, swept, compared]);
    let with = |text: &str| ids(Filter { text: Some(text.into()), ..Filter::default() });
    assert_eq!(with("three"), [explained, beside]);
    assert_eq!(with("FINDINGS"), [explained]);
    // In a command of theirs.
    assert_eq!(with("./old 'gr"), [beside, swept, compared]);
    assert_eq!(with("100%"), [0_i64; 0]);
    let both =
        Filter { kind: Some(Kind::Compare), project: Some("/p".into()), ..Filter::default() };
    assert_eq!(ids(both), [compared]);
}
