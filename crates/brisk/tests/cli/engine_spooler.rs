//! Several machines by task-spooler and ssh, as in the guide: its script and its table, with a real
//! queue and a real ssh server.

use std::fs;

use crate::engine_ssh::Host;
use crate::lab::{eventually, has, not_checked, run};

/// The section's code blocks in the guide, with this folder in place of the shared one.
fn blocks(folder: &str) -> Vec<String> {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/12-engines.md");
    let guide = fs::read_to_string(guide).expect("the guide is there");
    let (_, section) = guide.split_once("### Two to ten machines").expect("it is in the guide");
    let blocks = section.split("```").skip(1).step_by(2);
    blocks.map(|it| it.trim_start_matches("text\n").replace("/shared/brisk", folder)).collect()
}

/// Ends the queue with the test.
struct Queue(String);

impl Drop for Queue {
    fn drop(&mut self) {
        run("env", &[&format!("TS_SOCKET={}", self.0), "tsp", "-K"]);
    }
}

#[test]
fn the_guides_queue_for_some_machines_measures_on_each_of_them() {
    if !has("tsp") || !has("flock") {
        not_checked("machines by task-spooler: there is no tsp (scripts/engines/install)");
        return;
    }
    let Some(host) = Host::start() else { return };
    let lab = &host.lab;
    let shared = lab.path("shared").to_string_lossy().into_owned();
    // Socket names must be short.
    let socket = std::env::temp_dir().join(format!("brisk-tsp-{}", std::process::id()));
    let socket = socket.to_string_lossy().into_owned();
    let tsp = format!("#!/bin/sh\nTS_SOCKET={socket} exec /usr/bin/tsp \"$@\"\n");
    lab.write("tools/tsp", &tsp);
    run("chmod", &["+x", &lab.path("tools/tsp").to_string_lossy()]);
    let _queue = Queue(socket);
    let blocks = blocks(&shared);
    fs::create_dir(&shared).expect("writable");
    // A machine that is down is skipped.
    lab.write("shared/on-a-machine", &blocks[0].replace("box1 box2", "down.invalid box1 box2"));
    lab.write("brisk.toml", &blocks[1]);
    let start = |name: &str| {
        let command = format!("touch began.{name}; until [ -e go ]; do sleep 0.01; done");
        lab.start(&["compare", "--on", "machines", "--runs", "2", "-S", &command])
    };
    let (first, second) = (start("first"), start("second"));
    let began = |name: &str| lab.exists(&format!("began.{name}"));
    eventually("both run", || began("first") && began("second"));
    for machine in ["box1", "box2"] {
        let lock = format!("{shared}/{machine}.lock");
        assert!(!run("flock", &["-n", &lock, "true"]), "{machine} has no job");
    }
    let third = start("third");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(!began("third"), "each machine has a job");
    lab.write("go", "");
    for asking in [first, second, third] {
        asking.wait().exited(0);
    }

    fs::remove_file(lab.path("go")).expect("it is there");
    let asking = start("fourth");
    eventually("it runs", || began("fourth"));
    asking.signal("INT");
    asking.wait().failed("interrupted; the job is ended");
    let is_measuring = |words: &String| words.contains("began.") || words.contains(" task ");
    eventually("no job is left", || !lab.processes().iter().any(is_measuring));
}
