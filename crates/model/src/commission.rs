//! The commission of an experiment, complete enough to be carried out elsewhere, and the canonical
//! form of its question: measurements for the same question on the same machine need not be
//! repeated, and interrupted ones are resumed.

use super::design::contrasts::Contrasts;
use super::design::stopping::StoppingRule;
use super::host;
use super::metric::{MetricId, Source};
use super::spec::labels::Labels;
use super::spec::reading::Sources;
use super::spec::suite::Suite;
use super::spec::{Experiment, Invocation, Variant, exactly};
use measure::Reads;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::{fmt, io};

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

/// Everything that determines the measurements, and nothing else: not their duration, nor how they
/// are shown.
#[derive(Debug, Clone, Serialize)]
pub struct Subject<'a> {
    /// The kind of experiment.
    pub kind: Kind,
    /// The facts of the machine.
    pub machine: Value,
    /// The folder that brisk was started in.
    pub folder: String,
    /// The settings that verdicts depend on.
    pub rule: VerdictSettings,
    /// The judged metrics; `None` for the usual ones.
    pub metrics: Option<&'a [MetricId]>,
    /// The commands as typed, with their placeholders.
    pub commands: Vec<&'a str>,
    /// The way they are run, as typed.
    pub invocation: Option<Value>,
    /// The source of counts, and the runtime to query.
    pub sources: Option<Sources>,
    /// The variants, as far as they are known before anything is built.
    pub variants: Vec<Compared<'a>>,
    /// The programs that already exist.
    pub programs: Vec<ProgramIdentity>,
    /// Other determining facts, which only this kind has.
    pub more: BTreeMap<&'static str, Value>,
}

/// The settings that verdicts depend on; without the duration, because an experiment may be
/// extended.
#[derive(Debug, Clone, Serialize)]
pub struct VerdictSettings {
    warmup: u32,
    margin: f64,
    confidence: f64,
    estimator: crate::design::stopping::EstimatorOption,
}

/// A compared variant.
#[derive(Debug, Clone, Serialize)]
pub struct Compared<'a> {
    name: &'a str,
    command: &'a str,
    labels: Vec<(String, String)>,
}

/// A program: its invocation and its digest. A rebuilt program is a different one, even under the
/// same name.
#[derive(Debug, Clone, Serialize)]
pub struct ProgramIdentity {
    #[serde(flatten)]
    run: Invocation,
    digests: Vec<String>,
}

impl<'a> Subject<'a> {
    /// A question asked in the current folder, of this machine.
    pub fn new(kind: Kind, rule: &StoppingRule) -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        Self {
            kind,
            machine: host::identity(),
            folder: exactly(folder.as_os_str()),
            rule: VerdictSettings {
                warmup: rule.warmup,
                margin: rule.margin.fraction(),
                confidence: rule.confidence,
                estimator: rule.estimator,
            },
            metrics: None,
            commands: Vec::new(),
            invocation: None,
            sources: None,
            variants: Vec::new(),
            programs: Vec::new(),
            more: BTreeMap::new(),
        }
    }

    /// The canonical form of a question: JSON with sorted keys.
    pub fn canonical(&self) -> String {
        // A JSON value keeps its fields sorted, which a struct does not.
        serde_json::to_value(self).expect("it has texts and finite numbers only").to_string()
    }
}

impl<'a> Compared<'a> {
    /// The part of a variant that is compared.
    pub fn new(variant: &'a Variant) -> Self {
        let Variant { name, command, labels, .. } = variant;
        Self { name, command, labels: labels.pairs() }
    }
}

impl ProgramIdentity {
    /// Reads the program that `run` would start, and other files that it names, such as a script.
    ///
    /// # Errors
    ///
    /// When one does not exist or cannot be read; then it cannot be compared with another.
    pub fn read(run: &Invocation) -> io::Result<Self> {
        let program = digest_of_program(run);
        let named = run.named_files();
        let digests = std::iter::once(program).chain(named.iter().map(|path| digest(path)));
        Ok(Self { run: run.clone(), digests: digests.collect::<io::Result<_>>()? })
    }
}

/// The digest of the program that `run` would start, in hexadecimal digits.
///
/// # Errors
///
/// When it does not exist or cannot be read.
pub fn digest_of_program(run: &Invocation) -> io::Result<String> {
    let resolved = run.resolve().map_err(io::Error::other)?;
    digest(Path::new(&resolved.program))
}

/// The SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
///
/// When it cannot be read.
pub fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            break;
        }
        hasher.update(&piece[..length]);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::artifacts::{Layout, Layouts};
    use crate::spec::own_metric;
    use crate::spec::reading::{CounterOption, RuntimeOption};
    use crate::spec::suite::{Arrangement, Member, SuiteProgram};
    use crate::spec::{Invocation, Setup, Shell, Variant};
    use measure::{AllowedExits, Stdin, Stdout};
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    use std::time::Duration;

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
        let suites = toolchains::harness::all().iter().map(|harness| Suite {
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

    #[test]
    fn a_program_that_was_built_anew_is_another_one() {
        let path = std::env::temp_dir().join(format!("brisk-subject-{}", std::process::id()));
        let run = Invocation {
            argv: vec![path.clone().into_os_string()],
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        };
        let mut read = |text: &str| {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::write(&path, text).expect("writable");
            let runs = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, runs).expect("ours");
            let program = ProgramIdentity::read(&run).expect("it is there");
            serde_json::to_string(&program).expect("texts")
        };
        let [one, two, again] =
            ["#!/bin/sh\n: 1\n", "#!/bin/sh\n: 2\n", "#!/bin/sh\n: 1\n"].map(&mut read);
        std::fs::remove_file(&path).expect("it is there");
        assert_ne!(one, two);
        assert_eq!(one, again);
        assert!(ProgramIdentity::read(&run).is_err(), "nothing is known of what is not there");
    }
}
