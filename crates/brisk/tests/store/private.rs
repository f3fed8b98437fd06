//! Stored data belongs to its owner, and is not written where someone else laid a trap.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use store::{Filter, Store};

use crate::given::{Folder, circumstances, experiment, finished, runs};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).mode() & 0o777
}

#[test]
fn nobody_else_can_read_what_is_stored() {
    let folder = Folder::new();
    let path = folder.file("new/folder/runs.db");
    let mut store = Store::open(&path).expect("a new store");
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..3))).expect("appends");
    for name in ["runs.db", "runs.db-wal", "runs.db-shm", "runs.db.inflight/1.journal"] {
        let file = folder.file("new/folder").join(name);
        assert_eq!(mode(&file), 0o600, "{name}");
    }
    for name in ["new", "new/folder", "new/folder/runs.db.inflight"] {
        assert_eq!(mode(&folder.file(name)), 0o700, "{name}");
    }
}

/// A store that was made readable for others stays so; its journals do not follow.
#[test]
fn a_store_that_others_may_write_has_journals_that_they_may_write() {
    let folder = Folder::new();
    for (given, journal) in [(0o644, 0o600), (0o660, 0o660)] {
        let path = folder.file(&format!("{given:o}.db"));
        drop(Store::open(&path).expect("a new store"));
        fs::set_permissions(&path, fs::Permissions::from_mode(given)).expect("it is ours");
        let mut store = Store::open(&path).expect("opens");
        let begun = store.begin(&experiment(), &circumstances()).expect("begins");
        assert_eq!(mode(&path), given);
        // As far as the umask of this process permits.
        let found = mode(&folder.file(&format!("{given:o}.db.inflight/1.journal")));
        assert_eq!(found & !journal, 0, "{found:o}");
        drop(begun);
    }
}

/// A name, and the function that puts a trap in the journals' place.
type Trap<'a> = (&'a str, &'a dyn Fn(&Path));

#[test]
fn a_journal_that_is_a_link_is_not_followed() {
    let folder = Folder::new();
    let precious = folder.file("precious");
    fs::write(&precious, "kept").expect("writable");
    let traps: [Trap<'_>; 3] = [
        ("link", &|inflight| {
            fs::create_dir(inflight).expect("writable");
            symlink(&precious, inflight.join("1.journal")).expect("writable");
        }),
        ("name", &|inflight| {
            fs::create_dir(inflight).expect("writable");
            fs::hard_link(&precious, inflight.join("1.journal")).expect("writable");
        }),
        ("folder", &|inflight| {
            let elsewhere = folder.file("elsewhere");
            fs::create_dir(&elsewhere).expect("writable");
            symlink(&elsewhere, inflight).expect("writable");
        }),
    ];
    for (name, lay) in traps {
        let path = folder.file(&format!("{name}.db"));
        let mut store = Store::open(&path).expect("a new store");
        lay(&folder.file(&format!("{name}.db.inflight")));
        let error = store.begin(&experiment(), &circumstances()).expect_err(name);
        assert!(error.to_string().starts_with("cannot keep the journal"), "{error}");
        assert_eq!(fs::read_to_string(&precious).expect("it is there"), "kept", "{name}");
        assert_eq!(store.list(&Filter::newest(9)).expect("readable"), [], "{name}");
    }
    assert_eq!(fs::read_dir(folder.file("elsewhere")).expect("readable").count(), 0);
}
