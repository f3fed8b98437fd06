//! What a user asks for, in groups of options: as typed, or as `brisk.toml` has it, each converted
//! once into the checked values that the rest of brisk uses.
//!
//! The groups derive [`clap::Args`], so that a command line flattens them. Nothing here parses a
//! command line, prints or measures.
//!
//! * The programs: [`commands`], [`CommitOptions`], [`suite`], [`sweep`].
//! * The readings of them, and for how long: [`ReadingOptions`], [`StoppingOptions`].
//! * The place of the measurement, its results and reports: [`measuring`].
//! * The explanation of a program: [`SourceOptions`], [`NativeOptions`].
//! * [`settings`] reads `brisk.toml`, and fills in what was not typed.

mod check;
pub mod commands;
mod commits;
mod explaining;
mod history;
pub mod measuring;
mod reading;
pub mod settings;
mod stopping;
pub mod suite;
pub mod sweep;
mod trying;

pub use check::CheckRequest;
pub use commands::{CommandOptions, InvocationOptions};
pub use commits::{BuildOptions, CommitOptions};
pub use explaining::{GhcOptions, NativeOptions, NativeWay, PROFILE_RUNS, SourceOptions};
pub use history::HistoryRequest;
pub use measuring::{ExportOptions, HoldOptions, MeasuringOptions, StoreOptions};
pub use reading::{ReadingOptions, counters, one_of, runtimes};
pub use stopping::{StoppingError, StoppingOptions, Typed, estimators};
pub use suite::{BaselineOptions, CommitSuiteOptions, SuiteOptions};
pub use sweep::{LimitError, SweepError, SweepRequest};
pub use trying::TryRequest;

model::failures_from! {
    LimitError,
}

model::failures_with_hints_from! {
    StoppingError,
    SweepError,
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::{Value, json};

    use super::{InvocationOptions, ReadingOptions, StoppingOptions};
    use model::commission::{Kind, Subject};

    #[derive(Debug, Parser)]
    struct Options {
        #[command(flatten)]
        invocation: InvocationOptions,
        #[command(flatten)]
        reading: ReadingOptions,
        #[command(flatten)]
        stopping: StoppingOptions,
    }

    /// The canonical form of a question with these options.
    fn asked(kind: Kind, words: &[&str]) -> String {
        let options = Options::parse_from(std::iter::once(&"test").chain(words));
        let rule = options.stopping.rule(2).expect("good options");
        let own = options.invocation.own_metrics().expect("good metrics");
        let metrics = options.reading.chosen_metrics(&own).expect("good metrics");
        let subject = Subject {
            metrics: metrics.as_deref(),
            commands: vec!["./program {n}"],
            invocation: Some(json!(options.invocation)),
            sources: Some(options.reading.sources()),
            ..Subject::new(kind, &rule)
        };
        subject.canonical()
    }

    #[test]
    fn the_same_question_has_the_same_form() {
        let form = asked(Kind::Sweep, &["--prepare", "sync"]);
        assert_eq!(form, asked(Kind::Sweep, &["--prepare", "sync"]));
        // The defaults, given explicitly.
        let said = ["--prepare", "sync", "--margin", "1.0", "--runtime", "auto"];
        assert_eq!(form, asked(Kind::Sweep, &said));
        // The time limit does not affect what the experiment is about.
        assert_eq!(form, asked(Kind::Sweep, &["--prepare", "sync", "--budget", "1h"]));
        let value: Value = serde_json::from_str(&form).expect("JSON");
        assert_eq!(value.to_string(), form, "sorted");
        assert!(!form.contains("0x"), "no address: {form}");
    }

    #[test]
    fn whatever_decides_what_is_measured_is_in_it() {
        let ways: [&[&str]; 22] = [
            &[],
            &["--shell", "bash"],
            &["-S"],
            &["-N"],
            &["--setup", "make"],
            &["--setup", "make", "--setup-runs", "2"],
            &["--prepare", "sync"],
            &["--conclude", "sync"],
            &["--cleanup", "sync"],
            &["--measure", "size=du"],
            &["--env", "A=1"],
            &["--cwd", "/"],
            &["--input", "/dev/zero"],
            &["--output", "pipe"],
            &["--timeout", "5s"],
            &["--ignore-failure"],
            &["--metrics", "cpu_time"],
            &["--counters", "valgrind"],
            &["--runtime", "ghc"],
            &["--warmup", "3"],
            &["--margin", "2"],
            &["--estimator", "min"],
        ];
        let mut forms: Vec<String> = ways.iter().map(|words| asked(Kind::Sweep, words)).collect();
        forms.push(asked(Kind::Sweep, &["--confidence", "90"]));
        forms.push(asked(Kind::History, &[]));
        let count = forms.len();
        forms.sort();
        forms.dedup();
        assert_eq!(forms.len(), count);
    }
}
