//! Stores on a server: their owners, refused connections, and the cost of a lost connection.

use std::borrow::Cow;
use std::error::Error;
use std::fs;
use std::path::Path;

use model::metric::{REGISTRY, Value};
use model::note::Note;
use run::LookTaken;
use store::record::Event;
use store::{Address, ExperimentState, Filter, Place, Store, StoreError};

use crate::engine::{Engine, beside};
use crate::given::{
    Folder, circumstances, experiment, filled, finish, finished, place, runs, stored_runs,
};

/// The error of opening the store at an address, for writing and for reading.
fn refusal(address: &str) -> StoreError {
    let folder = Folder::new();
    let refused = Store::open_existing(folder.at(address)).expect_err("not to be read");
    let error = Store::open(folder.at(address)).expect_err("not to be written");
    assert_eq!(refused.to_string(), error.to_string());
    assert!(error.hint().is_some(), "no hint for: {error}");
    let told = format!("{error} {error:?} {}", causes(&error));
    assert!(!told.contains("sesame"), "a password: {told}");
    error
}

fn causes(error: &StoreError) -> String {
    let causes = std::iter::successors(error.source(), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[test]
fn who_is_not_let_in_is_told_why() {
    let Some(engine) = Engine::shared() else { return };
    let guarded =
        |word: &str| engine.address("brisk").replace("brisk@", &format!("guarded{word}@"));
    let wrong = refusal(&guarded(":not-sesame"));
    assert!(matches!(wrong, StoreError::NotLetIn { .. }), "{wrong}");
    assert!(causes(&wrong).contains("password authentication failed"), "{}", causes(&wrong));
    let missing = refusal(&guarded(""));
    assert!(matches!(missing, StoreError::NotLetIn { .. }), "{missing:?}");
    let none = refusal(&engine.address("no_such"));
    assert!(matches!(none, StoreError::NotLetIn { .. }), "{none}");
    assert!(causes(&none).contains("\"no_such\" does not exist"), "{}", causes(&none));

    let folder = Folder::new();
    let known = folder.at(&guarded(":open%20sesame"));
    assert!(Store::open_existing(&known).expect("it is the password").is_none());
    assert!(!format!("{known} {known:?}").contains("sesame"));
    let list = folder.file("pgpass");
    fs::write(&list, "*:*:brisk:guarded:open sesame\n").expect("writable");
    let listed = || {
        let variable = |name: &str| (name == "PGPASSFILE").then(|| list.display().to_string());
        let address = Address::read(&guarded(""), folder.file("servers"), variable);
        Store::open_existing(Place::Server(address.expect("an address").into()))
    };
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&list, fs::Permissions::from_mode(0o644)).expect("it is ours");
    listed().expect_err("others can read it");
    fs::set_permissions(&list, fs::Permissions::from_mode(0o600)).expect("it is ours");
    assert!(listed().expect("it is the password").is_none());
}

#[test]
fn a_server_that_is_away_or_none_is_told() {
    let Some(engine) = Engine::shared() else { return };
    let away = refusal("postgres://brisk@127.0.0.1:9/brisk");
    assert!(matches!(away, StoreError::Away { .. }), "{away:?}");
    assert_eq!(away.to_string(), "cannot reach the store at `postgres://brisk@127.0.0.1:9/brisk`");
    let nowhere = refusal("postgres://brisk@/brisk?host=/no/such/folder");
    assert!(matches!(nowhere, StoreError::Away { .. }), "{nowhere:?}");
    let plain = refusal(&format!("{}?sslmode=require", engine.address("brisk")));
    assert!(matches!(plain, StoreError::NotSecure { .. }), "{plain:?}");

    // A server of another kind.
    let other = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = other.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for stream in other.incoming() {
            use std::io::{Read as _, Write as _};
            let mut stream = stream.expect("it connects");
            let _ = stream.read(&mut [0; 64]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let web = refusal(&format!("postgres://brisk@127.0.0.1:{port}/brisk?sslmode=disable"));
    assert!(matches!(web, StoreError::Open { .. } | StoreError::Away { .. }), "{web:?}");
}

/// Creates a certificate authority, and a certificate for the address 127.0.0.1.
const CERTIFY: &str = "
    cd \"$0\" && exec 2> openssl.log
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ca &&
    openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=lab &&
    echo subjectAltName=IP:127.0.0.1 > names &&
    openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \\
        -extfile names -out server.crt";

#[test]
fn a_server_is_as_secure_as_is_wanted() {
    if Engine::shared().is_none() {
        return;
    }
    let (mut is_certified, mut authority) = (false, String::new());
    let engine = Engine::start(|folder| {
        #[expect(clippy::disallowed_methods, reason = "a server is not measured")]
        let made = std::process::Command::new("sh").args(["-c", CERTIFY]).arg(folder).status();
        is_certified = made.expect("there is a shell").success();
        authority = folder.join("ca.crt").display().to_string();
    });
    let Some(engine) = engine.filter(|_| is_certified) else {
        println!("not checked: encrypted connections: there is no openssl");
        return;
    };
    let folder = Folder::new();
    let at = |mode: &str| format!("{}?sslmode={mode}", engine.address("brisk"));
    let encrypted = |address: &str| -> bool {
        let mut store = Store::open(folder.at(address)).expect(address);
        store.begin(&experiment(), &circumstances()).expect("begins");
        let select = "SELECT bool_or(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                      WHERE application_name = 'brisk'";
        beside(&at("disable")).query_one(select, &[]).expect("readable").get(0)
    };
    assert!(!encrypted(&at("disable")));
    assert!(encrypted(&at("prefer")));
    assert!(encrypted(&at("require")));
    let known = format!("&sslrootcert={authority}");
    for mode in ["require", "verify-ca", "verify-full"] {
        assert!(encrypted(&(at(mode) + &known)), "{mode}");
    }
    // The system does not know the authority, and the certificate is not for this name.
    let unknown = refusal(&at("verify-full"));
    assert!(matches!(unknown, StoreError::NotSecure { .. }), "{unknown:?}");
    let by_name = |mode: &str| (at(mode) + &known).replace("127.0.0.1", "localhost");
    assert!(encrypted(&by_name("verify-ca")));
    let misnamed = refusal(&by_name("verify-full"));
    assert!(matches!(misnamed, StoreError::NotSecure { .. }), "{misnamed:?}");
}

#[test]
fn what_is_foreign_or_of_another_version_is_left_alone() {
    let Some(engine) = Engine::shared() else { return };
    let foreign = engine.database();
    let make = "CREATE SCHEMA brisk; CREATE TABLE brisk.run (theirs int)";
    postgres::Client::connect(&foreign, postgres::NoTls)
        .and_then(|mut client| client.batch_execute(make))
        .expect("writable");
    let told = refusal(&foreign).to_string();
    assert!(told.ends_with("is not a store: its schema `brisk` is another program's"), "{told}");

    let folder = Folder::new();
    let other = engine.database();
    filled(folder.at(&other), 3);
    let mut client = beside(&other);
    for version in [0, 2] {
        let change = format!("UPDATE store SET version = {version}");
        client.batch_execute(&change).expect("writable");
        let told = refusal(&other).to_string();
        let expected = format!("has schema version {version}; this brisk reads version 1");
        assert!(told.ends_with(&expected), "{told}");
    }
    client.batch_execute("UPDATE store SET version = 1").expect("writable");
    client.batch_execute("ALTER TABLE run DROP COLUMN left_behind CASCADE").expect("writable");
    let store = Store::open_existing(folder.at(&other)).expect("opens").expect("there");
    let id = store.list(&Filter::newest(1)).expect("readable")[0].id;
    let damaged = stored_runs(&store, id).expect_err("a column is gone");
    assert!(matches!(damaged, StoreError::Damaged { .. }), "{damaged:?}");
}

#[test]
fn who_may_only_read_reads() {
    let Some(engine) = Engine::shared() else { return };
    let folder = Folder::new();
    let address = engine.database();
    let id = filled(folder.at(&address), 3);
    beside(&address)
        .batch_execute(
            "DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN others THEN NULL; END $$;
             GRANT USAGE ON SCHEMA brisk TO reader;
             GRANT SELECT ON ALL TABLES IN SCHEMA brisk TO reader",
        )
        .expect("writable");
    let read = folder.at(&address.replace("brisk@", "reader@"));
    let mut store = Store::open_existing(&read).expect("opens").expect("there");
    assert_eq!(store.recover().expect("nothing to do"), []);
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..3));
    let refused = Store::open(&read).expect_err("it may not be written");
    assert!(matches!(refused, StoreError::ReadOnly { .. }), "{refused:?}");
}

#[test]
fn the_view_says_what_the_runs_say() {
    let Some(engine) = Engine::shared() else { return };
    let folder = Folder::new();
    let address = engine.database();
    filled(folder.at(&address), 4);
    let id = filled(folder.at(&address), 6);
    let store = Store::open_existing(folder.at(&address)).expect("opens").expect("there");
    let mut client = beside(&address);
    let select = "SELECT value, missing FROM reading
                  WHERE experiment = $1 AND source = 'run' AND warmup = 0
                      AND round = $2 AND position = $3 AND variant = $4 AND metric = $5";
    let mut seen = 0;
    for run in stored_runs(&store, id).expect("readable") {
        let [round, position, variant] =
            [run.place.round, run.place.position, run.place.variant].map(i64::from);
        for (metric, value) in run.readings.iter() {
            let metric = metric.as_str();
            let row = client.query_one(select, &[&id.0, &round, &position, &variant, &metric]);
            let row = row.expect("exactly one row");
            let read: (Option<f64>, Option<String>) = (row.get(0), row.get(1));
            let expected: &Value = value;
            let expected = match expected {
                Ok(value) => (Some(*value), None),
                Err(missing) => (None, Some(missing.0.to_string())),
            };
            assert_eq!(read, expected);
            seen += 1;
        }
    }
    assert_eq!(seen, 6 * REGISTRY.len());
}

#[test]
fn a_text_with_a_zero_byte_is_kept_without_it() {
    let Some(engine) = Engine::shared() else { return };
    let folder = Folder::new();
    let place = folder.at(&engine.database());
    let mut store = Store::open(&place).expect("a new store");
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    let mut slice = runs(0..1);
    slice[0].stderr_tail = Some("a\0b".to_owned());
    store.append(id, &finished(&slice)).expect("appends");
    let stored = stored_runs(&store, id).expect("readable");
    assert_eq!(stored[0].stderr_tail.as_deref(), Some("a\u{2400}b"));
}

#[test]
fn an_experiment_of_another_machine_lives_as_long_as_its_lease() {
    let Some(engine) = Engine::shared() else { return };
    let (here, there, address) = (Folder::new(), Folder::new(), engine.database());
    let mut theirs = Store::open(there.at(&address)).expect("a new store");
    let (id, journal) = theirs.begin(&experiment(), &circumstances()).expect("begins");
    theirs.append(id, &finished(&runs(0..4))).expect("appends");
    let mut ours = Store::open(here.at(&address)).expect("opens");
    assert_eq!(ours.recover().expect("readable"), [], "its lease holds");
    beside(&address).batch_execute("UPDATE lease SET until = now() - interval '1 s'").expect("is");
    assert_eq!(ours.recover().expect("writable"), [id], "it outlived its lease");
    let state = |store: &Store| {
        let stored = store.experiment(id).expect("readable").expect("there");
        (stored.state, stored.runs, stored.rounds)
    };
    assert_eq!(state(&ours), (ExperimentState::Interrupted, 4, 2));

    // It was only disconnected, and continues where it was.
    theirs.append(id, &finished(&runs(4..6))).expect("it is its own still");
    assert_eq!(state(&ours), (ExperimentState::Running, 6, 3));
    assert_eq!(ours.recover().expect("readable"), [], "its lease holds again");
    theirs.finish(id, finish()).expect("finishes");
    assert_eq!(stored_runs(&ours, id).expect("readable"), runs(0..6));
    drop(journal);
}

#[test]
fn who_was_away_while_another_went_on_stores_nothing_more() {
    let Some(engine) = Engine::shared() else { return };
    let (here, there, address) = (Folder::new(), Folder::new(), engine.database());
    let mut theirs = Store::open(there.at(&address)).expect("a new store");
    let (id, _journal) = theirs.begin(&experiment(), &circumstances()).expect("begins");
    theirs.append(id, &finished(&runs(0..4))).expect("appends");
    beside(&address).batch_execute("UPDATE lease SET until = now() - interval '1 s'").expect("is");
    let mut ours = Store::open(here.at(&address)).expect("opens");
    assert_eq!(ours.recover().expect("writable"), [id]);
    let resumed = ours.resume(id, &experiment().rule).expect("writable");
    let _journal = resumed.expect("nobody has it");
    ours.append(id, &finished(&runs(4..6))).expect("appends");
    let refused = theirs.append(id, &finished(&runs(4..8))).expect_err("it is another's");
    assert!(matches!(refused, StoreError::Taken { .. }), "{refused:?}");
    assert_eq!(stored_runs(&ours, id).expect("readable"), runs(0..6));
}

/// An event of an experiment other than runs.
fn look(rounds: u32) -> Event<'static> {
    Event::Look(LookTaken { rounds, clock: 0.5, elapsed_seconds: 1.0 })
}

/// A separate server, which the test may kill.
fn own_server() -> Option<Engine> {
    Engine::shared()?;
    Engine::start(|_| ())
}

#[test]
fn what_happens_while_the_server_is_away_is_stored_once_when_it_is_back() {
    let Some(engine) = own_server() else { return };
    let folder = Folder::new();
    let place = folder.at(&engine.database());
    let mut store = Store::open(&place).expect("a new store");
    let (id, journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..4))).expect("appends");
    engine.kill();
    store.append(id, &finished(&runs(4..6))).expect("into the spool");
    store.append(id, &look(3)).expect("into the spool");
    let note = Note::SequentialOrder;
    store.append(id, &Event::Noted { note: Cow::Borrowed(&note) }).expect("into the spool");
    store.append(id, &finished(&runs(6..8))).expect("into the spool");
    engine.start_again();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    store.append(id, &finished(&runs(8..10))).expect("all of it");
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..10));

    // Disconnected once more; its end is recorded through another connection.
    engine.kill();
    store.append(id, &finished(&runs(10..12))).expect("into the spool");
    drop((store, journal));
    engine.start_again();
    let mut store = Store::open(&place).expect("opens");
    store.finish(id, finish()).expect("finishes");
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..12));
    assert_eq!(store.looks(id).expect("readable").len(), 1);
    assert_eq!(store.noted(id).expect("readable"), [note]);
    let stored = store.experiment(id).expect("readable").expect("there");
    assert_eq!((stored.state, stored.runs), (ExperimentState::Complete, 12));
    assert_eq!(left(&folder), 0, "nothing is left on this machine");
}

/// The number of journals and spools.
fn left(folder: &Folder) -> usize {
    let folders = fs::read_dir(folder.file("servers")).expect("it is there").flatten();
    let inside = |path: &Path| fs::read_dir(path).into_iter().flatten().count();
    folders.filter(|one| one.path().is_dir()).map(|one| inside(&one.path())).sum()
}

#[test]
fn what_a_dead_brisk_could_not_deliver_is_taken_in_by_the_next() {
    let Some(engine) = own_server() else { return };
    let folder = Folder::new();
    let place_of_it = folder.at(&engine.database());
    let mut store = Store::open(&place_of_it).expect("a new store");
    let (id, journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..4))).expect("appends");
    engine.kill();
    store.append(id, &finished(&runs(4..6))).expect("into the spool");
    store.append(id, &look(3)).expect("into the spool");
    drop((store, journal));
    engine.start_again();
    let mut next = Store::open(&place_of_it).expect("opens");
    assert_eq!(next.recover().expect("writable"), [id]);
    assert_eq!(next.recover().expect("writable"), [], "once is enough");
    let places: Vec<_> =
        stored_runs(&next, id).expect("readable").iter().map(|run| run.place).collect();
    assert_eq!(places, (0..6).map(place).collect::<Vec<_>>());
    assert_eq!(next.looks(id).expect("readable").len(), 1);
    let stored = next.experiment(id).expect("readable").expect("there");
    assert_eq!((stored.state, stored.runs, stored.rounds), (ExperimentState::Interrupted, 6, 3));
    assert_eq!(left(&folder), 0);
}

#[test]
fn what_a_machine_delivers_late_is_added_to_what_others_believed_dead() {
    let Some(engine) = own_server() else { return };
    let (here, there, address) = (Folder::new(), Folder::new(), engine.database());
    let mut theirs = Store::open(there.at(&address)).expect("a new store");
    let (id, journal) = theirs.begin(&experiment(), &circumstances()).expect("begins");
    theirs.append(id, &finished(&runs(0..4))).expect("appends");
    engine.kill();
    theirs.append(id, &finished(&runs(4..8))).expect("into the spool");
    drop((theirs, journal));
    engine.start_again();
    beside(&address).batch_execute("UPDATE lease SET until = now() - interval '1 s'").expect("is");
    let mut ours = Store::open(here.at(&address)).expect("opens");
    assert_eq!(ours.recover().expect("writable"), [id]);
    let before = stored_runs(&ours, id).expect("readable");
    assert_eq!(before.len(), 4);
    let mut theirs = Store::open(there.at(&address)).expect("opens");
    assert_eq!(theirs.recover().expect("writable"), [id]);
    assert_eq!(stored_runs(&ours, id).expect("readable"), runs(0..8));
    let stored = ours.experiment(id).expect("readable").expect("there");
    assert_eq!((stored.state, stored.rounds), (ExperimentState::Interrupted, 4));
    assert_eq!((left(&here), left(&there)), (0, 0));
}
