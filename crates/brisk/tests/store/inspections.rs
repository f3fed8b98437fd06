//! Inspections beside experiments, and filtered lists of both.

use findings::SCHEMA;
use findings::explanation::{LispExplanation, LispForm};
use findings::inspection::{Found, Inspection};
use laboratory::archive;
use model::commission::{Commission, Kind};
use store::record::Inspected;
use store::{ExperimentId, ExperimentState, Filter, Store};

use crate::given::{On, circumstances, experiment, filled, on_both};

on_both! {
    an_inspection_is_listed_and_is_no_experiment_with_runs,
    lists_are_of_a_kind_a_project_or_a_text,
}

fn inspected(store: &mut Store, title: &str, project: &str) -> ExperimentId {
    let form = LispForm {
        within: "sum".to_owned(),
        form: "(+ a b)".to_owned(),
        notes: 3,
        what: Vec::new(),
        why: Vec::new(),
        samples: None,
    };
    let found = LispExplanation {
        subject: title.to_owned(),
        compiler: "SBCL 2.2.9".to_owned(),
        samples: 0,
        functions: Vec::new(),
        forms: vec![form],
    };
    let inspection = Inspection {
        schema: SCHEMA.to_owned(),
        kind: Kind::Explain,
        machine: circumstances().machine,
        conditions: circumstances().conditions,
        all: false,
        found: Found::Lisp(Box::new(found)),
    };
    let new = Inspected {
        title: title.to_owned(),
        project: project.to_owned(),
        arguments: vec!["explain".to_owned()],
        cwd: project.to_owned(),
        circumstances: circumstances(),
        finished_unix_ns: 1_700_000_000_200_000_000,
        inspection,
    };
    archive::keep_inspection(store, &new).expect("it is kept")
}

fn an_inspection_is_listed_and_is_no_experiment_with_runs(on: On) {
    let folder = on.folder();
    let path = folder.store("runs.db");
    let first = filled(&path, 4);
    let mut store = Store::open(&path).expect("opens");
    let id = inspected(&mut store, "Main.hs", "/p");
    let listed = store.listed(id).expect("readable").expect("it is there");
    assert_eq!(
        (listed.kind, listed.state, listed.runs),
        (Kind::Explain, ExperimentState::Complete, 0)
    );
    assert_eq!(listed.answer.as_deref(), Some("3 efficiency notes"));
    let json = store.inspection(id).expect("readable").expect("it is there");
    let inspection = Inspection::read(&json).expect("it is sound");
    let stored = store.inspected(id, inspection).expect("readable");
    assert_eq!((stored.title.as_str(), stored.project.as_str()), ("Main.hs", "/p"));
    assert_eq!(stored.circumstances, circumstances());
    assert_eq!(stored.inspection.json(), json);
    assert_eq!(store.experiment(id).expect("readable"), None);
    assert!(store.experiment(first).expect("readable").is_some());
    // It was never running, so there is nothing to recover.
    assert_eq!(store.recover().expect("readable"), []);
}

fn lists_are_of_a_kind_a_project_or_a_text(on: On) {
    let folder = on.folder();
    let mut store = Store::open(folder.store("runs.db")).expect("a new store");
    let mut begin = |kind: Kind, title: &str, project: &str| {
        let (title, project) = (title.to_owned(), project.to_owned());
        let given = Commission { kind, title, project, ..experiment() };
        store.begin(&given, &circumstances()).expect("begins").0.0
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
    assert_eq!(with("EFFICIENCY"), [explained]);
    // In one of their commands.
    assert_eq!(with("./old 'gr"), [beside, swept, compared]);
    assert_eq!(with("100%"), [0_i64; 0]);
    let both =
        Filter { kind: Some(Kind::Compare), project: Some("/p".into()), ..Filter::default() };
    assert_eq!(ids(both), [compared]);
}
