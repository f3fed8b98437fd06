//! Stores of former versions of the schema. Each file of `former` is what `sqlite3 FILE .dump` printed
//! of a store that a brisk of that version filled: with a sweep, a check and a history.

use std::path::{Path, PathBuf};

use brisk::commission::Kind;
use brisk::judge::stopping::StopReason;
use brisk::report::document::Document;
use brisk::store::{ExperimentId, Filter, Store};
use rusqlite::Connection;

use crate::given::{Folder, circumstances, experiment, stored_runs};
use crate::trouble::{Mount, mount};

/// A store as that version left it.
fn former(folder: &Path, version: i64) -> PathBuf {
    let dump = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store/former");
    let dump = std::fs::read_to_string(dump.join(format!("{version}.sql"))).expect("it is there");
    let path = folder.join("runs.db");
    let plain = Connection::open(&path).expect("a new file");
    plain.execute_batch(&dump).expect("as SQLite wrote it");
    plain.pragma_update(None, "application_id", 0x6272_6973).expect("writable");
    plain.pragma_update(None, "user_version", version).expect("writable");
    path
}

/// What kind each experiment is of, and whose project it is about, the newest first.
fn told(store: &Store) -> Vec<(i64, Kind, bool)> {
    let project = Some("/home/user/project".to_owned());
    let of_project = Filter { project, ..Filter::newest(9) };
    let of_project = store.list(&of_project).expect("readable");
    let all = store.list(&Filter::newest(9)).expect("readable");
    let told = all.iter().map(|one| (one.id.0, one.kind, of_project.contains(one)));
    told.collect()
}

const TOLD: [(i64, Kind, bool); 3] =
    [(3, Kind::History, false), (2, Kind::Check, true), (1, Kind::Sweep, false)];

/// The versions of which there is a store.
const VERSIONS: [i64; 2] = [5, 6];

/// How each of its experiments ended.
const ENDED: Option<(StopReason, Option<f64>)> = Some((StopReason::Rounds, None));

#[test]
fn a_store_of_a_former_version_is_brought_up_to_date() {
    for version in VERSIONS {
        is_brought_up_to_date(version);
    }
}

fn is_brought_up_to_date(version: i64) {
    let folder = Folder::new();
    let path = former(folder.path(), version);
    let mut store = Store::open(&path).expect("it is brought up to date");
    assert_eq!(told(&store), TOLD);
    for (id, kind, _) in TOLD {
        let id = ExperimentId(id);
        let stored = store.experiment(id).expect("readable").expect("it is there");
        assert_eq!(stored.commission.kind, kind);
        let runs = stored_runs(&store, id).expect("readable");
        assert_eq!((runs.len() as u64, stored.rounds), (stored.runs, 2));
        // How it was run, and how long it took, was not kept then.
        assert_eq!(stored.commission.execution, None);
        assert_eq!(stored.ended.map(|stop| (stop.reason, stop.elapsed_seconds)), ENDED);
        let json = stored.history.or(stored.summary).expect("it has ended");
        let document = Document::read(&json).expect("it is sound");
        assert_eq!(document.kind(), kind);
    }
    let history = store.experiment(ExperimentId(3)).expect("readable").expect("it is there");
    assert_eq!(history.commission.project, "/home/user/repo");
    let (id, _journal) =
        store.begin(&experiment(), &circumstances()).expect("it is written as any other");
    assert_eq!(id, ExperimentId(4));
    drop(store);
    let again = Store::open(&path).expect("there is nothing left to do");
    assert_eq!(told(&again)[1..], TOLD);
}

/// Each table and index with what SQLite knows of its columns, however it was made.
fn structure(path: &Path) -> Vec<String> {
    let plain = Connection::open(path).expect("opens");
    let mut asked = plain
        .prepare(
            "SELECT type || ' ' || name || ': ' || coalesce((
                 SELECT group_concat(info.name || ' ' || info.type || ' ' || info.\"notnull\" || ' '
                     || coalesce(info.dflt_value, '-') || ' ' || info.pk, ', ')
                 FROM pragma_table_info(schema.name) AS info
             ), '') || coalesce((
                 SELECT group_concat(\"table\" || ' ' || \"from\" || ' ' || coalesce(\"to\", '-'), ', ')
                 FROM pragma_foreign_key_list(schema.name)
             ), '') || CASE type WHEN 'table' THEN '' ELSE coalesce(sql, '') END
             FROM sqlite_schema AS schema ORDER BY type, name",
        )
        .expect("it is SQL");
    asked.query_map([], |row| row.get(0)).and_then(Iterator::collect).expect("readable")
}

#[test]
fn a_new_store_is_what_the_migrations_make_of_a_former_one() {
    let folder = Folder::new();
    let new = folder.file("new.db");
    drop(Store::open(&new).expect("a new store"));
    for version in VERSIONS {
        let folder = Folder::new();
        let path = former(folder.path(), version);
        drop(Store::open(&path).expect("it is brought up to date"));
        assert_eq!(structure(&path), structure(&new), "from version {version}");
    }
}

/// On a disk that cannot be written, the same is told without changing the file.
#[test]
fn a_store_of_a_former_version_that_cannot_be_written_is_read() {
    for version in VERSIONS {
        is_read(version);
    }
}

fn is_read(version: i64) {
    let folder = Folder::new();
    let Some(disk) = Mount::new(folder.file("disk"), "4m", "a former store on a read-only disk")
    else {
        return;
    };
    let path = former(&disk.0, version);
    let bytes = std::fs::read(&path).expect("readable");
    assert!(mount(&["-o", "remount,ro"], &disk.0), "the store was closed");
    let store = Store::open_existing(&path).expect("readable").expect("it is there");
    assert_eq!(told(&store), TOLD);
    let stored = store.experiment(ExperimentId(2)).expect("readable").expect("it is there");
    assert_eq!(stored.commission.project, "/home/user/project");
    assert_eq!(stored_runs(&store, ExperimentId(1)).expect("readable").len(), 4);
    assert_eq!(store.printed(ExperimentId(1)).expect("readable"), []);
    assert_eq!(store.noted(ExperimentId(1)).expect("readable"), []);
    assert!(std::fs::read(&path).expect("readable") == bytes, "the file has changed");
}
