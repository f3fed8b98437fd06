//! Experiments of several stores merged into one: nothing is lost or duplicated.

use crate::lab::Lab;
use crate::repository::{LONG, Repository, SHORT};

/// The contents of a store: the title and the runs of each experiment, in the order of their start.
pub(crate) fn contents(lab: &Lab) -> Vec<String> {
    let select = "SELECT kind || ' ' || title || ' ' || runs || ' ' || state FROM experiment
                  ORDER BY started_unix_ns";
    let store = rusqlite::Connection::open(lab.store()).expect("a store");
    let mut select = store.prepare(select).expect("brisk's tables");
    let rows = select.query_map([], |row| row.get(0)).expect("brisk's tables");
    rows.map(|row| row.expect("a text")).collect()
}

/// A store with two comparisons and an inspection of the machine.
fn measured() -> Lab {
    let lab = Lab::new();
    lab.brisk(&["compare", "--runs", "4", "true", "sleep 0.001"]).judged();
    lab.brisk(&["compare", "--runs", "4", "--with", "1:true", "true"]).judged();
    lab.brisk(&["doctor", "--quick"]).succeeded();
    lab
}

#[test]
fn a_whole_store_comes_into_another_once() {
    let lab = measured();
    lab.brisk(&["export", "--all", "--export-record", "all.record"]).succeeded();
    let record = lab.path("all.record").display().to_string();
    let store = lab.store().display().to_string();
    for way in [&record, &store] {
        let other = Lab::new();
        other.brisk(&["compare", "--runs", "2", "true"]).succeeded();
        let own = contents(&other);
        let taken = other.brisk(&["import", way]).succeeded().stdout;
        assert_eq!(taken.lines().count(), 3, "{taken}");
        let mut all = contents(&lab);
        all.extend(own);
        assert_eq!(contents(&other), all);
        let again = other.brisk(&["import", way]).succeeded().stdout;
        assert_eq!(again, taken.replace('\n', ", which was there already\n"));
        assert_eq!(contents(&other), all);
        let shown = |lab: &Lab, id: &str| lab.brisk(&["show", id]).succeeded().stdout;
        assert_eq!(shown(&other, "2"), shown(&lab, "1"));
        assert_eq!(shown(&other, "4"), shown(&lab, "3"));
    }
}

#[test]
fn a_folder_is_imported_whatever_its_files_are_called() {
    let (lab, here) = (measured(), Lab::new());
    std::fs::create_dir(here.path("inbox")).expect("writable");
    here.brisk(&["import", "inbox"]).refused("there is nothing to import in `inbox`");
    let inbox = here.path("inbox").display().to_string();
    lab.brisk(&["export", "1", "3", "--export-record", &format!("{inbox}/b.record")]).succeeded();
    std::fs::copy(lab.store(), here.path("inbox/a.db")).expect("writable");
    here.write("inbox/note.txt", "not a record\n");
    let told = here.brisk(&["import", "inbox"]).exited(0);
    assert_eq!(told.stderr, "note: left out: 1 other files of `inbox`\n");
    assert_eq!(told.stdout.lines().count(), 5, "{told}");
    assert_eq!(contents(&here), contents(&lab));
}

#[test]
fn a_store_is_not_imported_into_itself() {
    let lab = measured();
    let store = lab.store().display().to_string();
    let folder = lab.store().parent().expect("a folder").display().to_string();
    lab.brisk(&["import", &store]).refused("is the store to import into");
    lab.brisk(&["import", &folder]).refused("there is nothing to import in");
}

#[test]
fn a_report_is_of_one_experiment() {
    let lab = measured();
    lab.brisk(&["export", "1", "2", "--export-json", "x"]).refused("a report is of one experiment");
    lab.brisk(&["export", "--export-json", "x"]).exited(2);
    lab.brisk(&["export", "1", "9", "--export-record", "x"]).refused("there is no experiment 9");
    assert!(!lab.exists("x"));
}

/// Wherever an import was cut off, the next import of the whole record completes it.
#[test]
fn what_an_import_left_unfinished_is_completed() {
    let lab = Lab::new();
    let options = ["compare", "--runs", "60", "--setup", "true", "--equal-work", "--metrics"];
    lab.brisk(&[&options[..], &["wall_time", "true", "sleep 0.001"]].concat());
    lab.brisk(&["export", "1", "--export-record", "one.record"]).succeeded();
    let record = lab.read("one.record");
    let lines: Vec<&str> = record.lines().collect();
    assert!(lines.iter().filter(|line| line.contains(r#""event":"runs""#)).count() > 1);
    for cut in 2..lines.len() {
        let other = Lab::new();
        other.write("half.record", &(lines[..cut].join("\n") + "\n"));
        other.write("one.record", &record);
        other.brisk(&["import", "half.record"]).succeeded();
        let completed = other.brisk(&["import", "one.record"]).succeeded().stdout;
        let told = ", of which a part was there already\n";
        assert!(completed.ends_with(told), "after {cut} lines: {completed}");
        assert_eq!(contents(&other), contents(&lab), "after {cut} lines");
        let shown = other.brisk(&["show", "1"]).succeeded().stdout;
        assert_eq!(shown, lab.brisk(&["show", "1"]).succeeded().stdout, "after {cut} lines");
        other.brisk(&["import", "one.record"]).succeeded().says("which was there already");
        other.brisk(&["import", "half.record"]).succeeded().says("which was there already");
        assert_eq!(contents(&other), contents(&lab), "after {cut} lines");
    }
}

/// A continued history is imported again, with its new results.
#[test]
fn what_went_on_since_is_added() {
    let (lab, other) = (Lab::new(), Lab::new());
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    let record = other.path("one.record").display().to_string();
    repository.history(&["--runs", "8"]).judged();
    lab.brisk(&["export", "--all", "--export-record", &record]).succeeded();
    other.brisk(&["import", "one.record"]).succeeded();
    repository.commit_costing("more", SHORT);
    repository.history(&["--runs", "8"]).judged();
    lab.brisk(&["export", "--all", "--export-record", &record]).succeeded();
    other.brisk(&["import", "one.record"]).succeeded();
    assert_eq!(contents(&other), contents(&lab));
    let newest = contents(&lab).len().to_string();
    let shown = |lab: &Lab| lab.brisk(&["show", &newest]).succeeded().stdout;
    assert_eq!(shown(&other), shown(&lab));
}

#[test]
fn rounds_that_two_stores_measured_each_are_not_mixed() {
    let (lab, other) = (Lab::new(), Lab::new());
    lab.brisk(&["compare", "--runs", "4", "true", "sleep 0.001"]).judged();
    lab.brisk(&["export", "1", "--export-record", "one.record"]).succeeded();
    let record = lab.read("one.record");
    other.write("one.record", &record);
    other.brisk(&["import", "one.record"]).succeeded();
    let at = record.find(r#""started_unix_ns":"#).and_then(|first| {
        let rest = first + 20;
        record[rest..].find(r#""started_unix_ns":"#).map(|second| rest + second + 18)
    });
    let at = at.expect("a run says when it began");
    let mut changed = record.clone();
    changed.insert(at, '1');
    other.write("other.record", &changed);
    other
        .brisk(&["import", "other.record"])
        .refused("cannot take line")
        .because("experiment 1 went on here and elsewhere");
    assert_eq!(contents(&other), contents(&lab));
}
