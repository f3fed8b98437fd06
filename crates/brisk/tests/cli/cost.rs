//! Commands that print their cost, which is measured as a custom metric: the verdict is the same
//! however busy the machine is.

use crate::lab::Lab;

/// The option that measures the cost.
pub(crate) const COST: [&str; 2] = ["--measure", "cost[s]=/^cost (.*)$/"];

/// A program that records its run in `ran` and prints a cost of `seconds` followed by a digit. The
/// digit changes with each run, by its number among the program's own runs, so that no order of
/// several programs makes one of them more expensive. Two programs that differ only in the comment
/// have different bytes but equal costs.
pub(crate) fn costing(seconds: &str, comment: &str) -> String {
    let digit = "$(($(grep -cxF \"$run\" ran) * 7 % 10))";
    format!("#!/bin/sh\nrun=\"{comment}: $*\"\necho \"$run\" >> ran\necho cost {seconds}{digit}\n")
}

/// A folder in which `sh cost.sh 0.01` has that cost.
pub(crate) fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("cost.sh", &costing("${1}00", "what the argument says"));
    lab
}
