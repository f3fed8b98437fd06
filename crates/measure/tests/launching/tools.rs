//! Programs run for their output.

use std::time::Duration;

use measure::Outcome;
use measure::tool::{Tool, ToolError, output};

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
