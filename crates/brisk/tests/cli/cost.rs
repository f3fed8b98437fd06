//! Commands that print what they cost, which is measured as a metric of its own: it is judged alike
//! however busy the machine is.

use crate::lab::Lab;

/// How the cost is measured.
pub(crate) const COST: [&str; 2] = ["--measure", "cost[s]=/^cost (.*)$/"];

/// A program that notes its run in `ran` and says that it cost so many seconds and a digit behind them,
/// another one than in its run before, by its number among the program's own runs: so that no order
/// of several programs makes one of them dearer. Of two that differ in the comment only, the bytes
/// differ and the costs do not.
pub(crate) fn costing(seconds: &str, comment: &str) -> String {
    let digit = "$(($(grep -cxF \"$run\" ran) * 7 % 10))";
    format!("#!/bin/sh\nrun=\"{comment}: $*\"\necho \"$run\" >> ran\necho cost {seconds}{digit}\n")
}

/// A folder in which `sh cost.sh 0.01` costs so much.
pub(crate) fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("cost.sh", &costing("${1}00", "what the argument says"));
    lab
}
