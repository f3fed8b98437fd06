//! `--on workers`, with real workers and a real server.

use std::fs;

use crate::cost::COST;
use crate::lab::{Ended, Lab, eventually, run};
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
    ended.exited(1).says("B is slower than A").says("commit 1");
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
