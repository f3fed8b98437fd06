//! The interface for other programs: the tables, the view, and the document that explains them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use model::metric::Value;
use rusqlite::Connection;
use store::Store;

use crate::given::{Folder, filled, stored_runs};

/// `table.column` of every table and view.
fn columns_of_a_new_store() -> BTreeSet<String> {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    drop(Store::open(&path).expect("a new store"));
    let plain = Connection::open(&path).expect("opens");
    let mut select = plain
        .prepare(
            "SELECT thing.name || '.' || column.name
             FROM sqlite_schema AS thing, pragma_table_info(thing.name) AS column
             WHERE thing.type IN ('table', 'view') AND thing.name NOT LIKE 'sqlite!_%' ESCAPE '!'",
        )
        .expect("SQLite's own tables");
    let rows = select.query_map([], |row| row.get(0)).expect("readable");
    rows.collect::<Result<_, _>>().expect("texts")
}

fn the_document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema.md");
    fs::read_to_string(path).expect("docs/schema.md")
}

/// `table.column` of every table row below a heading with a name in backticks, optionally including
/// those that exist only on a server.
fn columns_of_the_document(on_a_server: bool) -> BTreeSet<String> {
    let text = the_document();
    let mut table = None;
    let mut columns = BTreeSet::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            let is_meant = on_a_server || !heading.contains("on a server only");
            table = heading.split('`').nth(1).filter(|_| is_meant);
        } else if let (Some(table), Some(row)) = (table, line.strip_prefix("| `")) {
            let column = row.split('`').next().expect("splitting gives at least one");
            columns.insert(format!("{table}.{column}"));
        }
    }
    columns
}

#[cfg(feature = "postgres")]
#[test]
fn the_document_names_every_column_on_a_server_and_no_other() {
    let Some(engine) = crate::engine::Engine::shared() else { return };
    let (folder, address) = (Folder::new(), engine.database());
    drop(Store::open(folder.at(&address)).expect("a new store"));
    let select = "SELECT table_name || '.' || column_name FROM information_schema.columns
                  WHERE table_schema = 'brisk'";
    let rows = crate::engine::beside(&address).query(select, &[]).expect("readable");
    let stored: BTreeSet<String> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(stored, columns_of_the_document(true));
}

#[test]
fn the_document_says_which_version_a_new_store_has() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    drop(Store::open(&path).expect("a new store"));
    let plain = Connection::open(&path).expect("opens");
    let version: i64 =
        plain.pragma_query_value(None, "user_version", |row| row.get(0)).expect("readable");
    let told = format!("its `user_version` the version of the schema: {version}.");
    assert!(the_document().contains(&told), "docs/schema.md does not say: {told}");
}

#[test]
fn the_document_names_every_column_and_no_other() {
    let (stored, documented) = (columns_of_a_new_store(), columns_of_the_document(false));
    let undocumented: Vec<_> = stored.difference(&documented).collect();
    let unknown: Vec<_> = documented.difference(&stored).collect();
    assert!(undocumented.is_empty() && unknown.is_empty(), "{undocumented:?} {unknown:?}");
    assert!(stored.len() > 40, "{stored:?}");
}

#[test]
fn the_view_says_what_the_runs_say() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    filled(&path, 4);
    let id = filled(&path, 6);
    let store = Store::open_existing(&path).expect("opens").expect("there");
    let plain = Connection::open(&path).expect("opens");
    let mut select = plain
        .prepare(
            "SELECT value, missing FROM reading
             WHERE experiment = ?1 AND source = 'run' AND NOT warmup
                 AND round = ?2 AND position = ?3 AND variant = ?4 AND metric = ?5",
        )
        .expect("the view");
    let mut seen = 0;
    for run in stored_runs(&store, id).expect("readable") {
        let place = run.place;
        for (metric, value) in run.readings.iter() {
            let key = (id.0, place.round, place.position, place.variant, metric.as_str());
            let row: (Option<f64>, Option<String>) = select
                .query_one(key, |row| Ok((row.get(0)?, row.get(1)?)))
                .expect("exactly one row");
            let expected: &Value = value;
            match (row, expected) {
                ((Some(read), None), Ok(value)) => assert!((read - value).abs() <= value * 1e-15),
                ((None, Some(reason)), Err(missing)) => assert_eq!(reason, missing.0),
                (row, value) => panic!("{row:?} for {value:?}"),
            }
            seen += 1;
        }
    }
    assert!(seen > 100);
}

/// With many experiments, the view must not read the runs of the others.
#[test]
fn the_view_looks_only_at_the_experiment_it_is_asked_for() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    filled(&path, 4);
    let plain = Connection::open(&path).expect("opens");
    let query = "EXPLAIN QUERY PLAN SELECT avg(value) FROM reading
                 WHERE experiment = 1 AND metric = 'wall_time' GROUP BY variant";
    let mut select = plain.prepare(query).expect("the view");
    let steps: Vec<String> = select
        .query_map([], |row| row.get::<_, String>("detail"))
        .expect("a plan")
        .collect::<Result<_, _>>()
        .expect("texts");
    let search = "SEARCH run USING PRIMARY KEY (experiment=?)";
    assert!(steps.iter().any(|step| step == search), "{steps:?}");
    let scans = |step: &String| step.starts_with("SCAN") && !step.contains("cell");
    assert!(!steps.iter().any(scans), "{steps:?}");
}
