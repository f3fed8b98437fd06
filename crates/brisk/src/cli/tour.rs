//! `brisk tour`: the first minute with brisk. Two comparisons, how to read them, and the next
//! steps.

use clap::Args;
use model::failure::Failure;

use super::output::Output;
use super::{Done, ExitCode};

/// Arguments of `brisk tour`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk tour 'grep -c the book.txt' 'grep -Fc the book.txt'")]
pub(super) struct TourArguments {
    /// Two commands of your own, instead of two that are on every system
    #[arg(value_name = "COMMAND", num_args = 2)]
    commands: Vec<String>,
}

/// The default commands. With `-w`, numbers have leading zeros.
const USUAL: [&str; 2] = ["seq 200000", "seq -w 200000"];

const FIRST: &str = "How to read it
  The first sentence is the answer. `[low, high]` is its interval: the true
  ratio lies in it, with 95 % confidence. Only an interval without 1 in it is a
  change. The commands took turns in random order, so a slow moment of this
  machine slowed both. `smallest detectable change` says how small a difference
  could have been missed.
";

const SECOND: &str = "How to read it
  Both are the same command. Two averages always differ; the interval tells
  whether that means anything. `unchanged` is a finding: the difference, if
  any, is smaller than 1 %. `inconclusive` is none: this machine was too noisy
  to tell in this time.
";

const NEXT: &str = "Next
  brisk compare -h              all that is needed most, on one screen
  brisk list                    what is stored; `brisk show ID` shows a report again
  brisk report -o page.html     every run in pictures
  brisk doctor                  what disturbs measurements on this machine
  brisk init                    a first brisk.toml; then, in the repository:
    brisk history HEAD~5..HEAD    which commit made it faster or slower
    brisk ci                      whether a branch is slower than its base
";

/// Compares two commands, then one of them with itself.
pub(super) fn run(arguments: &TourArguments, output: &Output) -> Done {
    let commands: Vec<&str> = match arguments.commands.as_slice() {
        [] => USUAL.to_vec(),
        own => own.iter().map(String::as_str).collect(),
    };
    let (first, second) = (commands[0], commands[1]);
    compare("1. Is one faster than the other?", [first, second], FIRST, output)?;
    output.data("\n")?;
    compare("2. What if there is nothing to find?", [first, first], SECOND, output)?;
    output.data(&format!("\n{NEXT}")).map(|()| ExitCode::Fine)
}

fn compare(
    title: &str,
    commands: [&str; 2],
    reading: &str,
    output: &Output,
) -> Result<(), Failure> {
    let quoted = commands.map(|command| format!("'{}'", command.replace('\'', r"'\''")));
    let budget = ["--budget", "5s"];
    output.data(&format!(
        "{title}\n\n$ brisk compare {} {}\n\n",
        quoted.join(" "),
        budget.join(" ")
    ))?;
    let words = ["compare"].iter().chain(&budget).chain(["--"].iter()).chain(&commands);
    let words: Vec<String> = words.map(|word| (*word).to_owned()).collect();
    super::verb(&words)?.run(output)?;
    output.data(&format!("\n{reading}"))
}
