//! How true the time left is that brisk tells while it measures.

use crate::Row;
use crate::peers::{self, Peers, comparisons};

/// How often each question is asked.
const REPETITIONS: usize = 10;

/// What is told when a quarter of the time has passed, against what was left then.
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
