//! The queue of tasks for workers, on a real server.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use brisk::store::Address;
use brisk::store::Place;
use brisk::store::blobs::Needed;
use brisk::store::queue::{Lease, MOST_ATTEMPTS, Queue, Queued, State, TaskName, Worker};

use crate::engine::{Engine, beside};

struct Server {
    address: String,
    place: Place,
}

/// A new store; none where there is no PostgreSQL.
fn server() -> Option<Server> {
    let address = Engine::shared()?.database();
    let journals = std::env::temp_dir().join(format!("brisk-queue-{}", std::process::id()));
    let read = Address::read(&address, journals, |_| None).expect("an address");
    Some(Server { address, place: Place::Server(read.into()) })
}

impl Server {
    fn queue(&self) -> Queue {
        Queue::open(&self.place).expect("it is up")
    }

    /// Ends all leases, as time would.
    fn end_leases(&self) {
        let end = "UPDATE task SET until = now() - interval '1 s' WHERE until IS NOT NULL";
        beside(&self.address).batch_execute(end).expect("it is writable");
    }

    fn state(&self, key: &str) -> Option<State> {
        let mut states = self.queue().states(&[key.to_owned()]).expect("readable");
        states.pop().map(|(_, state)| state)
    }
}

/// When the task was handed over that is there now.
fn hand_over(queue: &Queue, key: &str, stamp: u64, class: &str) -> u64 {
    let name = TaskName { key: key.to_owned(), stamp };
    let queued = Queued { name, class, brisk: "1", task: "{}", needs: &[] };
    queue.hand_over(&queued).expect("it is writable").expect("nothing is lacking")
}

fn worker(name: &str, class: &str, brisk: &str) -> Worker {
    Worker { name: name.to_owned(), class: class.to_owned(), brisk: brisk.to_owned() }
}

fn lease(queue: &Queue, worker: &Worker) -> Option<Lease> {
    queue.lease(worker).expect("it is up")
}

#[test]
fn a_task_is_taken_by_one_and_its_result_comes_back() {
    let Some(server) = server() else { return };
    let queue = server.queue();
    hand_over(&queue, "a", 1, "");
    assert_eq!(server.state("a"), Some(State::Waits { workers: 0 }));
    assert_eq!(server.state("b"), None);
    let (one, two) = (worker("one", "", "1"), worker("two", "", "1"));
    let taken = lease(&queue, &one).expect("it waits");
    assert_eq!((taken.name.key.as_str(), taken.attempt, taken.task.as_str()), ("a", 1, "{}"));
    assert_eq!(lease(&queue, &two), None);
    assert!(queue.renew(&one, &taken, "half").expect("it is up"));
    let runs = State::Runs { worker: "one".to_owned(), progress: "half".to_owned() };
    assert_eq!(server.state("a"), Some(runs));
    assert!(queue.finish(&taken, "found").expect("it is up"));
    let done = State::Done { worker: "one".to_owned(), result: "found".to_owned() };
    assert_eq!(server.state("a"), Some(done));
    assert!(!queue.renew(&one, &taken, "").expect("it is up"), "nobody wants it any more");
    assert_eq!(lease(&queue, &two), None);
}

#[test]
fn a_task_is_left_to_workers_of_its_class_and_its_brisk() {
    let Some(server) = server() else { return };
    let queue = server.queue();
    hand_over(&queue, "a", 1, "zen3");
    assert_eq!(lease(&queue, &worker("one", "", "1")), None);
    assert_eq!(lease(&queue, &worker("two", "zen4", "1")), None);
    assert_eq!(lease(&queue, &worker("three", "zen3", "2")), None);
    assert_eq!(server.state("a"), Some(State::Waits { workers: 0 }), "nobody may take it");
    hand_over(&queue, "b", 1, "");
    assert_eq!(server.state("b"), Some(State::Waits { workers: 2 }));
    assert!(lease(&queue, &worker("four", "zen3", "1")).is_some_and(|one| one.name.key == "a"));
}

#[test]
fn of_two_attempts_the_first_that_finishes_is_accepted() {
    let Some(server) = server() else { return };
    let queue = server.queue();
    let (one, two) = (worker("one", "", "1"), worker("two", "", "1"));
    for (key, first_wins) in [("a", true), ("b", false)] {
        hand_over(&queue, key, 1, "");
        let first = lease(&queue, &one).expect("it waits");
        server.end_leases();
        let second = lease(&queue, &two).expect("the other one is away");
        assert_eq!(second.attempt, 2);
        let order = if first_wins { [&first, &second] } else { [&second, &first] };
        let accepted = order.map(|lease| queue.finish(lease, "found").expect("it is up"));
        assert_eq!(accepted, [true, false]);
    }
    let select = "SELECT count(*) FILTER (WHERE is_accepted = 1), count(result), count(ended),
                      count(*) FROM attempt";
    let row = beside(&server.address).query_one(select, &[]).expect("readable");
    assert_eq!([0, 1, 2, 3].map(|column| row.get::<_, i64>(column)), [2, 2, 4, 4]);
}

#[test]
fn a_task_that_workers_vanish_with_again_and_again_is_given_up() {
    let Some(server) = server() else { return };
    let queue = server.queue();
    hand_over(&queue, "a", 1, "");
    for attempt in 1..=MOST_ATTEMPTS {
        let taken = lease(&queue, &worker("one", "", "1")).expect("it waits");
        assert_eq!(taken.attempt, attempt);
        if attempt == MOST_ATTEMPTS {
            server.end_leases();
        } else {
            queue.give_back(&taken, &format!("trouble {attempt}")).expect("it is up");
        }
    }
    assert_eq!(lease(&queue, &worker("two", "", "1")), None);
    let trouble = format!("trouble {}", MOST_ATTEMPTS - 1);
    assert_eq!(server.state("a"), Some(State::GivenUp { trouble }));
    // Whoever asked calls it off, and asks again.
    queue.cancel("a").expect("it is up");
    assert_eq!(server.state("a"), None);
    hand_over(&queue, "a", 1, "");
    assert!(matches!(server.state("a"), Some(State::Waits { .. })));
    let taken = lease(&queue, &worker("two", "", "1")).expect("it waits again");
    assert_eq!(taken.attempt, 1);
    assert!(queue.finish(&taken, "found").expect("it is up"));
}

#[test]
fn the_same_task_is_handed_over_once_and_anew_when_it_is_done() {
    let Some(server) = server() else { return };
    let queue = server.queue();
    assert_eq!(hand_over(&queue, "a", 1, ""), 1);
    assert_eq!(hand_over(&queue, "a", 2, ""), 1);
    let one = worker("one", "", "1");
    let taken = lease(&queue, &one).expect("it waits");
    assert_eq!(taken.name.stamp, 1, "somebody else was first");
    assert_eq!(lease(&queue, &one), None);
    queue.finish(&taken, "found").expect("it is up");
    // What hands it over again after kill -9 finds it done.
    hand_over(&queue, "a", 1, "");
    assert!(matches!(server.state("a"), Some(State::Done { .. })));
    assert_eq!(hand_over(&queue, "a", 3, ""), 3);
    assert!(matches!(server.state("a"), Some(State::Waits { .. })));
    assert!(!queue.finish(&taken, "late").expect("it is up"), "it is of another task");
    // A task that is called off has no result, however it ends.
    let taken = lease(&queue, &one).expect("it waits");
    queue.cancel("a").expect("it is up");
    assert!(!queue.renew(&one, &taken, "").expect("it is up"));
    assert!(!queue.finish(&taken, "found").expect("it is up"));
}

#[test]
fn of_many_workers_at_once_no_two_take_the_same_task() {
    let Some(server) = server() else { return };
    let queue = server.queue();
    let keys: Vec<String> = (0..60).map(|number| format!("task {number}")).collect();
    for key in &keys {
        hand_over(&queue, key, 1, "");
    }
    let taken: Mutex<BTreeMap<String, u32>> = Mutex::default();
    thread::scope(|scope| {
        for number in 0..8 {
            let (server, taken) = (&server, &taken);
            scope.spawn(move || {
                let (queue, own) = (server.queue(), worker(&number.to_string(), "", "1"));
                while let Some(lease) = lease(&queue, &own) {
                    *taken
                        .lock()
                        .expect("nobody died")
                        .entry(lease.name.key.clone())
                        .or_default() += 1;
                    assert!(queue.finish(&lease, "found").expect("it is up"));
                }
            });
        }
    });
    let taken = taken.into_inner().expect("nobody died");
    assert_eq!(taken.len(), keys.len());
    assert!(taken.values().all(|times| *times == 1), "{taken:?}");
}

/// Hands over a task that needs these.
fn hand_over_with(queue: &Queue, key: &str, needs: &[Needed]) -> Option<u64> {
    let name = TaskName { key: key.to_owned(), stamp: 1 };
    let queued = Queued { name, class: "", brisk: "1", task: "{}", needs };
    queue.hand_over(&queued).expect("it is writable")
}

#[test]
fn what_tasks_need_is_stored_once_and_as_long_as_one_needs_it() {
    let Some(server) = server() else { return };
    let queue = server.queue();
    let need = |path: &str, digest: &str| Needed { path: path.into(), digest: digest.into() };
    let needs = [need("/a", "one"), need("/b", "one"), need("/c", "two")];
    assert_eq!(hand_over_with(&queue, "early", &needs), None, "nothing of it is stored");
    assert_eq!(server.state("early"), None);
    let lacking = |needs: &[Needed]| -> Vec<String> {
        let lacking = queue.lacking(needs).expect("it is up");
        lacking.into_iter().map(|need| need.digest.clone()).collect()
    };
    assert_eq!(lacking(&needs), ["one", "two"]);
    // More than goes at once, and no text.
    let large: Vec<u8> = (0..9_000_000u32).map(|number| number.to_le_bytes()[1]).collect();
    queue.store_blob("one", &large).expect("it is writable");
    queue.store_blob("one", b"another").expect("it is there already");
    queue.store_blob("two", b"").expect("it is writable");
    assert!(lacking(&needs).is_empty());
    for key in ["first", "second"] {
        assert_eq!(hand_over_with(&queue, key, &needs), Some(1));
    }
    let me = worker("me", "", "1");
    let leases = [(); 2].map(|()| lease(&queue, &me).expect("one waits"));
    assert_eq!(queue.needs(&leases[0]).expect("it is up"), needs);
    assert_eq!(queue.blob("one").expect("it is up"), Some(large));
    assert_eq!(queue.blob("two").expect("it is up"), Some(Vec::new()));
    assert_eq!(queue.blob("three").expect("it is up"), None);

    let count = |table: &str| -> i64 {
        let select = format!("SELECT count(*) FROM {table}");
        beside(&server.address).query_one(&select, &[]).expect("readable").get(0)
    };
    let after_an_hour = || {
        let age = "UPDATE blob SET needed = now() - interval '61 min'";
        beside(&server.address).batch_execute(age).expect("it is writable");
        assert_eq!(lease(&queue, &me), None);
        count("blob")
    };
    assert!(queue.finish(&leases[0], "done").expect("it is up"));
    assert_eq!(after_an_hour(), 2, "the other task needs them");
    queue.cancel("second").expect("it is up");
    assert_eq!(lease(&queue, &me), None);
    assert_eq!(count("blob"), 0, "nobody has needed them for an hour");
    assert_eq!(count("blob_part"), 0);
}
