//! brisk against its peers, in the same run: ratios, never only absolute times.
//!
//! Everything is measured through the installed programs, run as by a user. A missing peer is "not
//! checked".

mod agreement;
mod bisect;
mod change_points;
mod estimate;
mod explaining;
mod false_steps;
mod history;
mod interpreters;
mod made_series;
mod overhead;
mod pages;
mod peers;
mod postgres;
mod power;
mod repository;
mod scale;
mod serve;
mod store;
mod subject;
mod suites;
mod tuning;

use std::process::ExitCode;

use peers::Peers;

/// A part of the benchmark by its name.
type NamedPart = (&'static str, fn(&Peers, &mut dyn FnMut(Row)));

const PARTS: [NamedPart; 25] = [
    ("overhead", overhead::run),
    ("memory", overhead::memory),
    ("store", store::run),
    ("postgres", postgres::run),
    ("serve", serve::run),
    ("aa", agreement::run),
    ("power", power::run),
    ("change-points", change_points::run),
    ("history", history::run),
    ("bisect-idle", bisect::idle),
    ("bisect-loaded", bisect::loaded),
    ("bisect-crowded", bisect::crowded),
    ("estimate", estimate::run),
    ("false-steps", false_steps::run),
    ("scale", scale::run),
    ("pages", pages::run),
    ("interpreters", interpreters::run),
    ("tuning-ocaml", tuning::against_all),
    ("tuning-ghc", tuning::against_folklore),
    ("tuning-aa", tuning::agreement),
    ("suite-orders", suites::orders),
    ("suite-time", suites::time),
    ("suite-again", suites::again),
    ("explain-core", explaining::core),
    ("explain-callgrind", explaining::callgrind),
];

/// One row: the question, the goal, and the result of each program.
struct Row {
    what: String,
    goal: &'static str,
    brisk: String,
    peer: String,
}

impl Row {
    fn new(
        what: impl Into<String>,
        goal: &'static str,
        brisk: impl Into<String>,
        peer: impl Into<String>,
    ) -> Self {
        Self { what: what.into(), goal, brisk: brisk.into(), peer: peer.into() }
    }

    fn shown(self) -> String {
        format!("| {} | {} | {} | {} |", self.what, self.goal, self.brisk, self.peer)
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(work) = arguments.next() else {
        eprintln!("error: no work folder given\n\nhint: run `benches/run`");
        return ExitCode::from(2);
    };
    let wanted: Vec<String> = arguments.collect();
    if let Some(unknown) = wanted.iter().find(|name| PARTS.iter().all(|(part, _)| part != name)) {
        let known = PARTS.map(|(part, _)| part).join(", ");
        eprintln!("error: unknown part `{unknown}`; known: {known}");
        return ExitCode::from(2);
    }
    // Some programs start in other folders.
    let work = match std::path::absolute(&work) {
        Ok(work) => work,
        Err(error) => {
            eprintln!("error: cannot use `{work}` as the work folder: {error}");
            return ExitCode::from(2);
        }
    };
    let peers = Peers::find(&work);
    println!("| what | goal | brisk | peer: hyperfine 2.0.0, or as said |\n|---|---|---|---|");
    for (name, part) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            part(&peers, &mut |row| println!("{}", row.shown()));
        }
    }
    if !peers.has_counters() {
        eprintln!("not checked: poop, which needs hardware counters; this machine has none");
    }
    ExitCode::SUCCESS
}
