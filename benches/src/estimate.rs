//! The accuracy of the remaining time that brisk shows while it measures.

use crate::Row;
use crate::peers::{self, Peers, comparisons};

/// The number of repetitions of each question.
const REPETITIONS: usize = 10;

/// The estimate after a quarter of the time, against the actual remaining time.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let repetitions = comparisons(REPETITIONS).to_string();
    let mut script = peers.script("estimate");
    script.arg(peers.brisk_path()).arg(peers.file("estimate.db")).arg(repetitions);
    for line in peers::run(&mut script).stdout.lines() {
        let &[question, right, asked, silent, seconds] = &line.split('\t').collect::<Vec<_>>()[..]
        else {
            continue;
        };
        tell(Row::new(
            format!("the time left at a quarter within 30 %: {question}"),
            ">= 9 of 10",
            format!("{right} of {asked}; nothing was said yet in {silent}; {seconds} s each"),
            "hyperfine says how long a given number of runs takes, and stops by no verdict",
        ));
    }
}
