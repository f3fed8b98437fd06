//! Compares two commands, shows the rounds, says what was found, and writes the page.
//!
//! `compare_two OLD NEW FOLDER`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is an example")]

use std::path::Path;

use laboratory::comparison::Comparison;
use laboratory::watcher::Event;
use model::failure::Failure;
use store::Place;

fn show(event: Event<'_>) {
    if let Event::Measuring(state) = event {
        eprint!("\r{} rounds", state.progress.rounds);
    }
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [old, new, folder] = &words[..] else { panic!("compare_two OLD NEW FOLDER") };
    let folder = Path::new(folder);
    let compared =
        Comparison::new(&[old, new])?.measure(&Place::File(folder.join("runs.db")), &mut show)?;
    for answer in &compared.document.answers {
        println!("{}: {}", answer.metric, answer.verdict.word());
    }
    compared.write_page(folder.join("page.html"))
}
