//! What is asked, in one form: what was measured for the same question on the same machine need not
//! be measured again, and what was interrupted goes on.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Kind;
use crate::host;
use crate::judge::stopping::StoppingRule;
use crate::metric::MetricId;
use crate::spec::invocation::InvocationOptions;
use crate::spec::reading::ReadingOptions;
use crate::spec::{Invocation, Variant, exactly};

/// Everything that decides what is measured, and nothing else: not how long it may take, nor how it
/// is shown.
#[derive(Debug, Clone, Serialize)]
pub struct Subject<'a> {
    /// What asks.
    pub kind: Kind,
    /// What the machine is.
    pub machine: Value,
    /// Where it is asked.
    pub folder: String,
    /// What verdicts depend on.
    pub rule: Rule,
    /// The metrics that are judged; none where these are the usual ones.
    pub metrics: Option<&'a [MetricId]>,
    /// The commands as typed, with their placeholders.
    pub commands: Vec<&'a str>,
    /// How they are run, as typed.
    pub invocation: Option<&'a InvocationOptions>,
    /// Who counts, and whose runtime is asked.
    pub sources: Option<Sources>,
    /// What is compared, as far as that is known before anything is built.
    pub variants: Vec<Compared<'a>>,
    /// The programs that are there already.
    pub programs: Vec<Program>,
    /// What else decides, which only this kind has.
    pub more: BTreeMap<&'static str, Value>,
}

/// What verdicts depend on; not how long it takes, for it may go on for longer.
#[derive(Debug, Clone, Serialize)]
pub struct Rule {
    warmup: u32,
    margin: f64,
    confidence: f64,
    estimator: crate::judge::stopping::EstimatorOption,
}

/// Where readings come from besides the run itself.
#[derive(Debug, Clone, Serialize)]
pub struct Sources {
    counters: &'static str,
    runtime: &'static str,
}

/// One of the things compared.
#[derive(Debug, Clone, Serialize)]
pub struct Compared<'a> {
    name: &'a str,
    command: &'a str,
    labels: Vec<(String, String)>,
}

/// A program: how it is started, and what it is. One that was built anew is another one, whatever
/// its name.
#[derive(Debug, Clone, Serialize)]
pub struct Program {
    #[serde(flatten)]
    run: Invocation,
    digest: String,
}

impl<'a> Subject<'a> {
    /// A question that is asked here, of this machine.
    pub fn new(kind: Kind, rule: &StoppingRule) -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        Self {
            kind,
            machine: host::identity(),
            folder: exactly(folder.as_os_str()),
            rule: Rule {
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

    /// The one form that the same question always has: JSON in which the keys are sorted.
    pub fn canonical(&self) -> String {
        // A value of JSON keeps its fields sorted, which a struct does not.
        serde_json::to_value(self).expect("it has texts and finite numbers only").to_string()
    }
}

impl Sources {
    /// What the options say.
    pub fn new(options: &ReadingOptions) -> Self {
        Self { counters: options.counters.word(), runtime: options.runtime().word() }
    }
}

impl<'a> Compared<'a> {
    /// What is known of a variant.
    pub fn new(variant: &'a Variant) -> Self {
        let Variant { name, command, labels, .. } = variant;
        Self { name, command, labels: labels.pairs() }
    }
}

impl Program {
    /// Reads the program that this would start.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read; then nothing can be said to be the same.
    pub fn read(run: &Invocation) -> io::Result<Self> {
        let resolved = run.resolve().map_err(io::Error::other)?;
        Ok(Self { run: run.clone(), digest: digest(Path::new(&resolved.program))? })
    }
}

fn digest(path: &Path) -> io::Result<String> {
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
    use measure::{Stdin, Stdout};

    use super::*;
    use crate::judge::stopping::StoppingOptions;
    use clap::Parser;

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
            invocation: Some(&options.invocation),
            sources: Some(Sources::new(&options.reading)),
            ..Subject::new(kind, &rule)
        };
        subject.canonical()
    }

    #[test]
    fn the_same_question_has_the_same_form() {
        let form = asked(Kind::Sweep, &["--prepare", "sync"]);
        assert_eq!(form, asked(Kind::Sweep, &["--prepare", "sync"]));
        // The defaults, said.
        let said = ["--prepare", "sync", "--margin", "1.0", "--runtime", "auto"];
        assert_eq!(form, asked(Kind::Sweep, &said));
        // How long it may take decides nothing of what it is about.
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
            let program = Program::read(&run).expect("it is there");
            serde_json::to_string(&program).expect("texts")
        };
        let [one, two, again] =
            ["#!/bin/sh\n: 1\n", "#!/bin/sh\n: 2\n", "#!/bin/sh\n: 1\n"].map(&mut read);
        std::fs::remove_file(&path).expect("it is there");
        assert_ne!(one, two);
        assert_eq!(one, again);
        assert!(Program::read(&run).is_err(), "nothing is known of what is not there");
    }
}
