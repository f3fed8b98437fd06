//! The canonical form of a question: measurements for the same question on the same machine need
//! not be repeated, and interrupted ones are resumed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Kind;
use crate::design::stopping::StoppingRule;
use crate::host;
use crate::metric::MetricId;
use crate::spec::reading::Sources;
use crate::spec::{Invocation, Variant, exactly};

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
    pub rule: Rule,
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
pub struct Rule {
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
    digest: String,
}

impl<'a> Subject<'a> {
    /// A question asked in the current folder, of this machine.
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
    /// Reads the program that `run` would start.
    ///
    /// # Errors
    ///
    /// When it does not exist or cannot be read; then it cannot be compared with another.
    pub fn read(run: &Invocation) -> io::Result<Self> {
        Ok(Self { run: run.clone(), digest: digest_of_program(run)? })
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
    use measure::{Stdin, Stdout};

    use super::*;

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
