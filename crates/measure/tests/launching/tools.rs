//! Programs that run for their output.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use measure::tool::{Log, LogEnd, Tool, ToolError, logged, output};
use measure::{Outcome, interrupt};

pub(crate) fn a_tool_is_run_for_its_output() {
    let text = "x".repeat(1_000_000);
    let tool = Tool::new("sh").args(["-c", "echo $A >&2; cat; exit 3"]);
    let printed = output(&tool.env("A", Some("b".as_ref())).stdin(text.as_str()).cwd("/"));
    let printed = printed.expect("sh runs");
    assert_eq!(printed.outcome, Outcome::Exited(3));
    assert_eq!(printed.stdout, text.as_bytes());
    assert_eq!(printed.stderr, b"b\n");
    let error = output(&Tool::new("no-such-program")).expect_err("there is none");
    assert_eq!(error.to_string(), "cannot start `no-such-program`");
}

pub(crate) fn a_tool_that_takes_too_long_is_ended() {
    let tool = Tool::new("sh").args(["-c", "sleep 1000 & sleep 1000"]);
    let error = output(&tool.timeout(Duration::from_millis(100)));
    assert!(matches!(error, Err(ToolError::TimedOut { .. })));
}

fn log_of(script: &str) -> Log {
    logged(&Tool::new("sh").args(["-c", script]), 100, interrupt::requests()).expect("sh runs")
}

pub(crate) fn of_a_flood_the_end_is_kept_in_the_order_of_printing() {
    let script = "yes abcdefg | head -c 50000000; echo last; echo but one >&2; echo end; exit 3";
    let log = log_of(script);
    assert_eq!(log.end, LogEnd::ByItself(Outcome::Exited(3)));
    assert_eq!(log.printed_bytes, 50_000_000 + "last\nbut one\nend\n".len() as u64);
    assert_eq!(log.tail.len(), 100);
    assert!(log.tail.ends_with(b"abcdefg\nlast\nbut one\nend\n"));
    assert_eq!(log_of("echo short").tail, b"short\n");
    assert_eq!(log_of("cat; kill -9 $$").end, LogEnd::ByItself(Outcome::Signalled(9)));
}

/// True if a process with this argument still exists, after giving it time to end.
fn lives(argument: &str) -> bool {
    let is_there = || {
        let entries = fs::read_dir("/proc").expect("Linux").flatten();
        entries.into_iter().any(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|word| word == argument.as_bytes())
        })
    };
    // Generous: killed processes disappear within milliseconds.
    (0..100).all(|_| {
        sleep(Duration::from_millis(20));
        is_there()
    })
}

pub(crate) fn a_logged_tool_that_hangs_is_ended_with_all_its_children() {
    let tool = Tool::new("sh").args(["-c", "yes & sleep 12345.1 & echo began; sleep 12345.1"]);
    let tool = tool.timeout(Duration::from_millis(300));
    let log = logged(&tool, 100, interrupt::requests()).expect("sh runs");
    assert_eq!(log.end, LogEnd::TimedOut);
    assert!(!lives("12345.1"), "the children went on");
}

pub(crate) fn what_a_logged_tool_leaves_in_the_background_ends_with_it() {
    let log = log_of("sleep 12345.2 & exit 0");
    assert_eq!(log.end, LogEnd::ByItself(Outcome::Exited(0)));
    assert!(!lives("12345.2"), "the background went on");
}
