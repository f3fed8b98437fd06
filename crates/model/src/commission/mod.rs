//! The commission of an experiment: its kind, and what distinguishes two of one kind.

mod subject;

use std::fmt;

use measure::Reads;
use serde::{Deserialize, Serialize};

use crate::design::contrasts::Contrasts;
use crate::design::stopping::StoppingRule;
use crate::metric::{MetricId, Source};
use crate::spec::Experiment;
use crate::spec::labels::Labels;
use crate::spec::reading::Sources;
use crate::spec::suite::Suite;
pub use subject::{Compared, ProgramIdentity, Subject, digest, digest_of_program};

/// The subject and method of an experiment: its report follows from this and the events alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Commission {
    /// The kind of experiment.
    pub kind: Kind,
    /// The title shown in lists.
    pub title: String,
    /// The folder of the project.
    pub project: String,
    /// The command line after `brisk`.
    pub arguments: Vec<String>,
    /// The folder that brisk was started in.
    pub cwd: String,
    /// The seed of the order of the runs.
    pub seed: u64,
    /// The number of commands at each point of the parameters: the first of them is the baseline of
    /// the others.
    pub commands: u32,
    /// The pairs of variants that are compared.
    pub contrasts: Contrasts,
    /// The canonical form of the question: earlier measurements for the same one need not be
    /// repeated. `None` if every experiment stands for itself.
    pub subject: Option<String>,
    /// The rule for stopping.
    pub rule: StoppingRule,
    /// The metrics named by the user.
    pub metrics: Option<Vec<MetricId>>,
    /// The variants; the first is the baseline.
    pub variants: Vec<Contender>,
    /// The execution; `None` if brisk did not run the experiment.
    pub execution: Option<Execution>,
}

/// A variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "VariantPart"))]
pub struct Contender {
    /// Its name.
    pub name: String,
    /// Its command, parameters filled in.
    pub command: String,
    /// Its parameters, by name, and brisk's own labels: `commit` and `artifact` in a history,
    /// `benchmark`, `executable`, `harness` and `order` in a suite.
    #[cfg_attr(feature = "testing", schemars(with = "std::collections::BTreeMap<String, String>"))]
    pub labels: Labels,
}

/// The execution of an experiment: all that an executor needs, on any machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// The commands.
    pub experiment: Experiment,
    /// The benchmarks within programs; `None` if commands are timed as a whole.
    pub suite: Option<Suite>,
    /// The readings taken from a timed run.
    pub reads: Reads,
    /// The sources of the other readings.
    pub sources: Sources,
    /// The instruments with separate rounds.
    pub instruments: Vec<Source>,
}

/// The kind of an experiment: the verb that started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Commands, of which the first is the baseline.
    Compare,
    /// The benchmarks within programs.
    Bench,
    /// The commits of a range.
    History,
    /// The points of one command's parameters.
    Sweep,
    /// The settings of a runtime system: `brisk sweep --tune`.
    Tune,
    /// The expectations of `brisk.toml`.
    Check,
    /// The reasons for the cost of programs.
    Explain,
    /// The machine itself.
    Doctor,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Compare,
        Self::Bench,
        Self::History,
        Self::Sweep,
        Self::Tune,
        Self::Check,
        Self::Explain,
        Self::Doctor,
    ];

    /// Its word in the store, in JSON and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Bench => "bench",
            Self::History => "history",
            Self::Sweep => "sweep",
            Self::Tune => "tune",
            Self::Check => "check",
            Self::Explain => "explain",
            Self::Doctor => "doctor",
        }
    }

    /// True if it is an inspection: stored with its results, without rounds.
    pub fn is_inspection(self) -> bool {
        matches!(self, Self::Explain | Self::Doctor)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    use std::time::Duration;

    use measure::{AllowedExits, Stdin, Stdout};

    use super::*;
    use crate::spec::layouts::{Layout, Layouts};
    use crate::spec::own_metric;
    use crate::spec::reading::{CounterOption, RuntimeOption};
    use crate::spec::suite::{Arrangement, Member, SuiteProgram};
    use crate::spec::{Invocation, Setup, Shell, Variant};

    /// An invocation in which one word is not UTF-8.
    fn invocation() -> Invocation {
        let latin = OsString::from_vec(b"gr\xf6\xdfe".to_vec());
        Invocation {
            argv: vec!["./program".into(), latin.clone()],
            env: vec![("LANG".into(), Some(latin)), ("HOME".into(), None)],
            cwd: Some("/tmp".into()),
            stdin: Stdin::File("input".into()),
            stdout: Stdout::Discard,
        }
    }

    fn experiment() -> Experiment {
        let texts = ["size=du -k out", "errors=/errors: (\\d+)/", "n=json:/a/b"];
        let measures = own_metric::parse_all(&texts.map(str::to_owned)).expect("good metrics");
        let variant = Variant {
            name: "größe".to_owned(),
            command: "./program größe".to_owned(),
            labels: vec![("n".to_owned(), "1".to_owned())].into(),
            run: invocation(),
            setup: Some(Setup { typed: "make {n}".to_owned(), run: invocation() }),
            prepare: Some(invocation()),
            conclude: None,
            cleanup: Some(invocation()),
            measures: measures.iter().map(|one| one.with(|_| invocation())).collect(),
            layouts: Layouts {
                artifact: "/cache/prog".into(),
                all: vec![Layout { seed: 7, path: "/cache/7/prog".into() }],
            },
        };
        let words = vec!["sh".to_owned()];
        Experiment {
            variants: vec![variant],
            commands: 1,
            shell: Some(Shell { words, asked_by: Some(('|', "a | b".to_owned())) }),
            timeout: Some(Duration::from_millis(1500)),
            allowed: AllowedExits::Codes(vec![0, 3]),
            outlives_failures: true,
            setup_runs: 2,
            claims_equal_work: true,
        }
    }

    #[test]
    fn how_it_is_run_is_read_as_it_was_written() {
        let suites = toolchains::harness::ALL.map(|harness| Suite {
            programs: vec![SuiteProgram {
                name: "./bench".to_owned(),
                harness,
                run: invocation(),
                listed: vec!["sort".to_owned()],
            }],
            members: vec![Member {
                program: 0,
                benchmark: "sort".to_owned(),
                namesakes_before: 1,
                arrangement: Arrangement::Divided,
            }],
            is_whole: false,
            seconds_per_run: 0.1 + 0.2,
        });
        for suite in suites.into_iter().map(Some).chain([None]) {
            let execution = Execution {
                experiment: experiment(),
                suite,
                reads: Reads { counters: true, ..Reads::default() },
                sources: Sources {
                    counters: CounterOption::Valgrind,
                    runtime: RuntimeOption::Auto,
                },
                instruments: vec![Source::Valgrind, Source::Sampled],
            };
            let json = serde_json::to_string(&execution).expect("it can be written");
            let read: Execution = serde_json::from_str(&json).expect("it can be read");
            assert_eq!(read, execution);
        }
    }

    #[test]
    fn how_it_is_run_is_not_guessed() {
        let json = serde_json::to_value(invocation()).expect("it can be written");
        assert_eq!(json["argv"], serde_json::json!(["./program", [103, 114, 246, 223, 101]]));
        assert_eq!(json["stdin"], serde_json::json!({ "file": "input" }));
        let mut other = json.clone();
        other["stdout"] = "nowhere".into();
        assert!(serde_json::from_value::<Invocation>(other).is_err());
    }

    #[test]
    fn the_word_of_a_kind_is_the_same_everywhere() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.word());
        }
    }
}
