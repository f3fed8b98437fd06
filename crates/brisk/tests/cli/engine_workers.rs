//! `--on workers`, with real workers and a real server.

use std::fs;
use std::path::Path;

use crate::cost::COST;
use crate::lab::{Ended, Lab, eventually, not_checked, run};
use postgres::{Client, NoTls};

use crate::postgres::{Engine, beside};
use crate::repository::{LONG, Repository, SHORT};

/// Laboratories on one store: the first asks, and the others work. None where there is no PostgreSQL.
fn labs<const N: usize>() -> Option<(String, [Lab; N])> {
    let address = Engine::shared()?.database();
    // A worker's store is its queue.
    let lab = || Lab::new().storing_at(address.clone().into());
    let labs = std::array::from_fn(|_| lab());
    Some((address, labs))
}

const COMPARE: [&str; 5] = ["compare", "--on", "workers", "--runs", "20"];

fn count(address: &str, select: &str) -> i64 {
    let mut client = beside(address);
    client.query_one(select, &[]).map_or(0, |row| row.get(0))
}

const ACCEPTED: &str = "SELECT count(*) FROM attempt WHERE is_accepted = 1";

#[test]
fn a_worker_measures_what_is_asked_for_elsewhere() {
    let Some((address, [lab, other])) = labs() else { return };
    let arguments = [&COMPARE[..], &["sleep 0.01", "sleep 0.03"]].concat();
    let told = lab.brisk(&[&arguments[..], &["--detach"]].concat()).exited(0);
    assert!(told.stderr.contains("handed over to `workers`"), "{told}");
    let told = other.brisk(&["worker", "--drain"]).exited(0);
    assert!(told.stderr.contains("its result is accepted"), "{told}");
    let shown = lab.brisk(&arguments).exited(1);
    let shown = shown.says("B is slower than A");
    assert_eq!(count(&address, ACCEPTED), 1);
    assert_eq!(lab.brisk(&["show", "1"]).succeeded().stdout, shown.stdout);
    let taken = fs::read_dir(lab.path(".cache/brisk/engine/on-workers/taken")).expect("readable");
    let taken = taken.flatten().next().expect("the task").path();
    let log = fs::read_to_string(taken.join("job.log")).expect("the worker's");
    assert!(log.contains(": begins") && log.contains(": finished first"), "{log}");
    // It is asked again: that is another experiment.
    lab.brisk(&[&arguments[..], &["--detach"]].concat()).exited(0);
    other.brisk(&["worker", "--drain", "--quiet"]).succeeded();
    lab.brisk(&arguments).exited(1);
    assert_eq!(count(&address, "SELECT count(*) FROM experiment"), 2);
}

#[test]
fn what_a_worker_dies_with_is_measured_by_another() {
    let Some((address, [lab, first, second])) = labs() else { return };
    let asking = lab.start(&[&COMPARE[..], &["sleep 0.05", "sleep 0.08"]].concat());
    let dying = first.start(&["worker", "--quiet"]);
    eventually("it is taken", || count(&address, "SELECT count(*) FROM attempt") == 1);
    dying.signal("KILL");
    drop(dying);
    // As a minute would.
    let end = "UPDATE task SET until = now() - interval '1 s'";
    beside(&address).batch_execute(end).expect("it is writable");
    let working = second.start(&["worker", "--quiet"]);
    asking.wait().exited(1).says("B is slower than A");
    working.signal("TERM");
    working.wait().exited(0);
    assert_eq!(count(&address, ACCEPTED), 1);
    assert_eq!(count(&address, "SELECT count(*) FROM experiment"), 1);
    eventually("nothing goes on measuring", || first.processes().is_empty());
}

#[test]
fn a_server_that_is_killed_costs_no_result() {
    if Engine::shared().is_none() {
        return;
    }
    let Some(engine) = Engine::start(|_| ()) else { return };
    let address = engine.database();
    let lab = Lab::new().storing_at(address.clone().into());
    let other = Lab::new().storing_at(address.clone().into());
    let asking = lab.start(&[&COMPARE[..], &["sleep 0.05", "sleep 0.08"]].concat());
    let working = other.start(&["worker", "--quiet"]);
    eventually("it is taken", || count(&address, "SELECT count(*) FROM attempt") == 1);
    engine.kill();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    engine.start_again();
    asking.wait().exited(1).says("B is slower than A");
    working.signal("TERM");
    working.wait().exited(0);
    assert_eq!(count(&address, ACCEPTED), 1);
    assert_eq!(count(&address, "SELECT count(*) FROM experiment"), 1);
}

#[test]
fn a_result_waits_for_its_store_and_can_be_called_off() {
    let Some(engine) = Engine::shared() else { return };
    let Some(stores) = Engine::start(|_| ()) else { return };
    let (queue, store) = (engine.database(), stores.database());
    let lab = Lab::new().storing_at(store.clone().into());
    let other = Lab::new().storing_at(queue.clone().into());
    lab.write("brisk.toml", &format!("[engine.w]\nkind = 'workers'\nstore = '{queue}'\n"));
    let arguments = ["compare", "--on", "w", "--runs", "12", "sleep 0.01", "sleep 0.03"];
    let mut asking = lab.start(&arguments);
    eventually("it is handed over", || {
        Client::connect(&queue, NoTls).is_ok_and(|mut client| {
            let waits = "SELECT count(*) FROM brisk.task";
            client.query_one(waits, &[]).is_ok_and(|row| row.get::<_, i64>(0) == 1)
        })
    });
    stores.kill();
    other.brisk(&["worker", "--drain"]).exited(0);
    asking.says_before_its_end("waiting for it; what was measured is kept here");
    asking.signal("INT");
    let ended = asking.wait().failed("interrupted while waiting for the store");
    assert!(ended.stderr.contains("the same command stores it"), "{ended}");
    let mut asking = lab.start(&arguments);
    asking.says_before_its_end("waiting for it");
    stores.start_again();
    let ended = asking.wait().exited(1).says("B is slower than A");
    assert!(ended.stderr.contains("the store can be written again"), "{ended}");
    assert_eq!(count(&queue, "SELECT count(*) FROM attempt"), 1, "it was measured once");
    assert_eq!(count(&store, "SELECT count(*) FROM experiment"), 1);
}

#[test]
fn a_worker_waits_only_for_a_server_that_is_away() {
    let Some((address, [lab, _])) = labs() else { return };
    let ended_by = |change: &str| {
        let working = lab.start(&["worker", "--quiet"]);
        let here = "SELECT count(*) FROM worker WHERE seen > now() - interval '10 s'";
        eventually("it asks", || {
            Client::connect(&address, NoTls).is_ok_and(|mut client| {
                client.batch_execute("SET search_path TO brisk").is_ok()
                    && client.query_one(here, &[]).is_ok_and(|row| row.get::<_, i64>(0) > 0)
            })
        });
        beside(&address).batch_execute(change).expect("it is writable");
        working.wait().exited(2)
    };
    let newer = "DELETE FROM worker; UPDATE store SET version = version + 1";
    ended_by(newer).complains("was written by a newer brisk");
    let other = "DELETE FROM worker; UPDATE store SET version = version - 1";
    beside(&address).batch_execute(other).expect("it is writable");
    ended_by("ALTER TABLE task RENAME TO another").complains("is damaged");
}

#[test]
fn who_calls_it_off_ends_the_measuring() {
    let Some((address, [lab, other])) = labs() else { return };
    let asking = lab.start(&["compare", "--on", "workers", "--runs", "500", "sleep 0.1"]);
    let working = other.start(&["worker", "--quiet"]);
    eventually("it is taken", || count(&address, "SELECT count(*) FROM attempt") == 1);
    asking.signal("INT");
    asking.wait().failed("interrupted");
    assert_eq!(count(&address, "SELECT count(*) FROM task"), 0);
    eventually("it is given back", || {
        count(&address, "SELECT count(*) FROM attempt WHERE ended IS NOT NULL") == 1
    });
    working.signal("TERM");
    working.wait().exited(0);
}

#[test]
fn workers_need_a_server_and_programs_that_are_there() {
    Lab::new().brisk(&["worker"]).refused("has no queue for workers").hinting("postgres://");
    Lab::new()
        .brisk(&["compare", "--on", "workers", "true"])
        .refused("cannot use `workers`")
        .because("has no queue for workers");
    let nowhere = Lab::new().storing_at("postgres://brisk@127.0.0.1:9/x".into());
    let refused = nowhere.brisk(&["compare", "--on", "workers", "touch ran"]);
    refused.refused("cannot use `workers`").because("cannot reach the store at");
    nowhere.brisk(&["worker"]).refused("cannot reach the store at");
    let Some((_, [lab, other])) = labs() else { return };
    lab.brisk(&["worker", "--drain"]).succeeded();
    let arguments = ["compare", "--on", "workers", "--runs", "2", "false"];
    lab.brisk(&[&arguments[..], &["--detach"]].concat()).exited(0);
    other.brisk(&["worker", "--drain"]).exited(0);
    let told = lab.brisk(&arguments).exited(2);
    assert!(told.stderr.contains("`false` exited with status 1"), "{told}");
}

/// Commits of which the second costs more, compared by a worker that has nothing of what was built
/// here: `before` is done when they are handed over, and the address is that of the store.
fn measured_elsewhere(before: impl FnOnce(&str)) -> Option<(Lab, String, Ended)> {
    let (address, [lab, other]) = labs()?;
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    let build = repository.build();
    let own = ["compare", "--on", "workers", "--project", "repo", "--build", &build];
    let usual = ["--artifact", "prog", "--metrics", "cost", "--runs", "12", "--at", "HEAD^..HEAD"];
    let arguments = [&own[..], &usual, &COST].concat();
    lab.brisk(&[&arguments[..], &["--detach"]].concat()).exited(0);
    let (cache, elsewhere) = (lab.path(".cache/brisk"), lab.path("elsewhere"));
    fs::rename(&cache, &elsewhere).expect("it is there");
    before(&address);
    other.brisk(&["worker", "--drain"]).exited(0);
    if cache.exists() {
        fs::rename(&cache, lab.path("sent")).expect("it is there");
    }
    fs::rename(&elsewhere, &cache).expect("it is there");
    let ended = lab.brisk(&arguments);
    Some((lab, address, ended))
}

#[test]
fn what_was_built_here_is_sent_to_workers() {
    let blobs = |address: &str| {
        assert_eq!(count(address, "SELECT count(*) FROM blob"), 2);
    };
    let Some((lab, _, ended)) = measured_elsewhere(blobs) else { return };
    ended.exited(1).says("commit 1` (B) is slower than `");
    let sent = run("test", &["-d", &lab.path("sent/artifacts").to_string_lossy()]);
    assert!(sent, "it was put where the commands name it");
}

#[test]
fn what_came_damaged_is_not_measured() {
    let mut digests = Vec::new();
    let damage = |address: &str| {
        let select = "SELECT digest FROM blob ORDER BY digest";
        let rows = beside(address).query(select, &[]).expect("readable");
        digests = rows.iter().map(|row| row.get::<_, String>(0)).collect();
        // The last bytes of a tar are nothing; a script begins after its header of 512.
        let damage = "UPDATE blob_part SET bytes = set_byte(bytes, 520, 33)";
        beside(address).batch_execute(damage).expect("it is writable");
    };
    let Some((_lab, address, ended)) = measured_elsewhere(damage) else { return };
    let told = ended.exited(2).stderr.clone();
    assert!(told.contains("came damaged") && told.contains("cannot measure on"), "{told}");
    assert!(digests.iter().any(|digest| told.contains(digest)), "{told}");
    assert_eq!(count(&address, "SELECT count(*) FROM experiment"), 0, "nothing was measured");
    assert_eq!(count(&address, "SELECT count(*) FROM blob"), 1, "asking again sends it again");
}

/// Shows programs another time, in a laboratory, where that can be had.
const OTHER_TIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

#[test]
fn the_clocks_of_machines_do_not_matter() {
    if !Path::new(OTHER_TIME).exists() {
        not_checked("machines whose clocks differ: there is no libfaketime");
        return;
    }
    let Some((address, [lab, early, late])) = labs() else { return };
    let [early, late] = [(early, "-1h"), (late, "+1h")]
        .map(|(lab, offset)| lab.with("LD_PRELOAD", OTHER_TIME).with("FAKETIME", offset));
    let command = "touch began; until [ -e go ]; do sleep 0.01; done";
    let asking = lab.start(&["compare", "--on", "workers", "--runs", "2", "-S", command]);
    let working = early.start(&["worker", "--quiet"]);
    eventually("it is measured", || lab.exists("began"));
    // To this one's clock, the lease has ended two hours ago.
    late.brisk(&["worker", "--drain", "--quiet"]).succeeded();
    assert_eq!(count(&address, "SELECT count(*) FROM attempt"), 1);
    lab.write("go", "");
    asking.wait().exited(0);
    working.signal("TERM");
    working.wait().exited(0);
    // The other way round: the lease of one that is ahead ends when the server says so.
    fs::remove_file(lab.path("go")).expect("it is there");
    let asking = lab.start(&["compare", "--on", "workers", "--runs", "3", "-S", command]);
    let working = late.start(&["worker", "--quiet"]);
    eventually("it is taken", || count(&address, "SELECT count(*) FROM attempt") == 2);
    working.signal("KILL");
    drop(working);
    let end = "UPDATE task SET until = now() - interval '1 s' WHERE is_done = 0";
    beside(&address).batch_execute(end).expect("it is writable");
    lab.write("go", "");
    early.brisk(&["worker", "--drain"]).exited(0);
    asking.wait().exited(0);
    assert_eq!(count(&address, "SELECT count(*) FROM experiment"), 2);
}
