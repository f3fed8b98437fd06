//! `--store postgres://...`: the same verbs, and their behaviour without a reachable server.

use std::thread;
use std::time::Duration;

use crate::lab::{Lab, eventually};
use crate::postgres::{Engine, beside};
use crate::serve::Server;

/// A lab that stores on a server. `None` without PostgreSQL.
pub(crate) fn lab() -> Option<Lab> {
    Some(Lab::new().storing_at(Engine::shared()?.database().into()))
}

/// A lab with a separate server, which the test may kill.
fn own_server() -> Option<(Engine, String, Lab)> {
    Engine::shared()?;
    let engine = Engine::start(|_| ())?;
    let address = engine.database();
    let lab = Lab::new().storing_at(address.clone().into());
    Some((engine, address, lab))
}

/// The number of runs in the largest experiment; 0 if the store is empty.
fn stored_runs(address: &str) -> i64 {
    let select = "SELECT coalesce(max(runs), 0) FROM brisk.experiment";
    let mut client = postgres::Client::connect(address, postgres::NoTls).expect("it is up");
    client.query_one(select, &[]).map_or(0, |row| row.get(0))
}

const COMPARE: [&str; 6] = ["compare", "--runs", "80", "--warmup=2", "sleep 0.02", "sleep 0.03"];

/// The same, but longer.
const LONGER: [&str; 6] = ["compare", "--runs", "300", "--warmup=2", "sleep 0.02", "sleep 0.03"];

#[test]
fn a_server_that_is_killed_in_the_middle_costs_no_run() {
    let Some((engine, address, lab)) = own_server() else { return };
    let running = lab.start(&[&LONGER[..], &["--export-json", "told.json"]].concat());
    eventually("runs are stored", || stored_runs(&address) > 10);
    engine.kill();
    thread::sleep(Duration::from_millis(1500));
    engine.start_again();
    let told = running.wait().judged();
    let runs = lab.json("told.json")["runs"].as_array().expect("runs").len();
    assert_eq!(runs, 604);
    let places = "SELECT count(*), count(DISTINCT (warmup, round, position)) FROM run";
    let row = beside(&address).query_one(places, &[]).expect("readable");
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (604, 604));
    assert_eq!(lab.brisk(&["show", "1"]).succeeded().stdout, told.stdout);
}

#[test]
fn what_was_measured_without_a_server_is_stored_by_the_next_brisk() {
    let Some((engine, address, lab)) = own_server() else { return };
    let running = lab.start(&COMPARE);
    eventually("runs are stored", || stored_runs(&address) > 10);
    let before = stored_runs(&address);
    engine.kill();
    thread::sleep(Duration::from_millis(1000));
    running.signal("KILL");
    drop(running);
    lab.brisk(&["list"]).refused("cannot reach the store at `postgres://brisk@127.0.0.1:");
    engine.start_again();
    eventually("its launcher has ended", || {
        lab.brisk(&["list"]).succeeded().stdout.contains("interrupted")
    });
    let after = stored_runs(&address);
    assert!(after > before, "{after} runs after {before}");
    lab.brisk(&["show", "1"]).succeeded();
    let places = "SELECT count(*), count(DISTINCT (warmup, round, position)) FROM run";
    let row = beside(&address).query_one(places, &[]).expect("readable");
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (after, after));
}

#[test]
fn a_server_that_is_away_when_measuring_ends_is_waited_for() {
    let Some((engine, address, lab)) = own_server() else { return };
    let running = lab.start(&COMPARE);
    eventually("runs are stored", || stored_runs(&address) > 10);
    engine.kill();
    // Longer than the measurement, and shorter than brisk's patience.
    thread::sleep(Duration::from_secs(8));
    engine.start_again();
    let told = running.wait().exited(1).says("regressed");
    assert!(told.stderr.contains("waiting for it; what was measured is kept here"), "{told}");
    assert_eq!(stored_runs(&address), 164);
}

#[test]
fn waiting_for_a_server_when_measuring_ends_can_be_called_off() {
    let Some((engine, address, lab)) = own_server() else { return };
    let mut running = lab.start(&COMPARE);
    eventually("runs are stored", || stored_runs(&address) > 10);
    engine.kill();
    running.says_before_its_end("waiting for it; what was measured is kept here");
    running.signal("INT");
    let ended = running.wait().failed("interrupted while waiting for the store");
    assert!(ended.stderr.contains("cannot reach the store"), "{ended}");
    engine.start_again();
    eventually("it is stored", || {
        lab.brisk(&["list"]).succeeded();
        stored_runs(&address) == 164
    });
}

/// Makes the server's disk seem full for runs, or gives it room again.
fn has_room(address: &str, room: bool) {
    let change = match room {
        true => "DROP TRIGGER full_disk ON run",
        false => {
            "CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN RAISE ''could not extend file: No space left on device''
              USING ERRCODE = ''53100''; END';
             CREATE TRIGGER full_disk BEFORE INSERT ON run
             FOR EACH STATEMENT EXECUTE FUNCTION full_disk()"
        }
    };
    beside(address).batch_execute(change).expect("it is ours");
}

#[test]
fn a_full_disk_of_the_server_costs_no_run() {
    for ends_first in [false, true] {
        let Some(engine) = Engine::shared() else { return };
        let address = engine.database();
        let lab = Lab::new().storing_at(address.clone().into());
        let mut running = lab.start(&COMPARE);
        eventually("runs are stored", || stored_runs(&address) > 10);
        has_room(&address, false);
        match ends_first {
            true => running.says_before_its_end("no space is left for the store"),
            false => thread::sleep(Duration::from_millis(1000)),
        }
        assert!(stored_runs(&address) < 164);
        has_room(&address, true);
        running.wait().exited(1).says("regressed");
        let places = "SELECT count(DISTINCT (warmup, round, position)) FROM run";
        let places: i64 = beside(&address).query_one(places, &[]).expect("readable").get(0);
        assert_eq!((places, stored_runs(&address)), (164, 164));
    }
}

#[test]
fn what_a_full_disk_of_the_server_refuses_is_stored_by_the_next_brisk() {
    let Some(lab) = lab() else { return };
    let address = lab.store().to_string_lossy().into_owned();
    let mut running = lab.start(&COMPARE);
    eventually("runs are stored", || stored_runs(&address) > 10);
    has_room(&address, false);
    running.says_before_its_end("no space is left for the store");
    running.signal("KILL");
    drop(running);
    lab.brisk(&["list"]).exited(0);
    assert!(stored_runs(&address) < 164);
    has_room(&address, true);
    eventually("the next brisk stores it", || {
        lab.brisk(&["list"]).exited(0);
        stored_runs(&address) == 164
    });
}

#[test]
fn a_password_is_in_nothing_that_is_told_or_kept() {
    let Some(engine) = Engine::shared() else { return };
    let address = engine.database().replace("brisk@", "guarded:open%20sesame@");
    let name = address.rsplit('/').next().expect("a name").to_owned();
    let own = engine.address(&name);
    let grant = format!("GRANT ALL ON DATABASE {name} TO guarded");
    postgres::Client::connect(&own, postgres::NoTls)
        .and_then(|mut client| client.batch_execute(&grant))
        .expect("it is ours");
    let lab = Lab::new().storing_at(address.into());
    let told = lab
        .brisk(&["compare", "--runs", "8", "true", "sleep 0.01", "--export-json", "told.json"])
        .judged();
    let listed = lab.brisk(&["list"]).succeeded();
    let shown = lab.brisk(&["show", "1"]).succeeded();
    lab.brisk(&["export", "1", "--export-record", "one.record"]).succeeded();
    let elsewhere = lab.brisk(&["list", "--store", "postgres://guarded:no-sesame@127.0.0.1:9/x"]);
    let refused = elsewhere.exited(2);
    let kept = "SELECT string_agg(own::text, ' ') FROM brisk.experiment_detail AS own";
    let kept: String = beside(&own).query_one(kept, &[]).expect("readable").get(0);
    for text in [
        &told.stdout,
        &told.stderr,
        &listed.stdout,
        &listed.stderr,
        &shown.stdout,
        &refused.stderr,
        &lab.read("told.json"),
        &lab.read("one.record"),
        &kept,
    ] {
        assert!(!text.contains("sesame"), "{text}");
    }
    assert!(kept.contains("postgres://guarded@127.0.0.1"), "{kept}");
}

#[test]
fn a_store_on_a_server_is_served() {
    let Some(lab) = lab() else { return };
    lab.brisk(&["compare", "--runs", "8", "true", "sleep 0.01"]).judged();
    let server = Server::new(&lab);
    assert!(server.page("/").contains("sleep 0.01"));
    assert!(server.page("/experiment/1").contains("<svg"), "runs are drawn");
    for page in ["/projects", "/machines", "/benchmarks", "/commits"] {
        server.page(page);
    }
    lab.brisk(&["compare", "--runs", "8", "true", "sleep 0.02"]).judged();
    assert!(server.page("/").contains("sleep 0.02"), "what is new is shown");
    assert!(server.page("/?text=0.02").contains("sleep 0.02"));
}
