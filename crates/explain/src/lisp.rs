//! Analysis of a Lisp file with SBCL: its compiler for efficiency notes, its statistical profiler
//! for hot spots.
//!
//! Both work from outside: the file stays as it is, and compiled files go to a temporary folder.
//! The notes come from a compilation with `speed` at 3, regardless of the file's own settings; the
//! profile is of the file as loaded.

use std::fs;
use std::path::Path;
use std::time::Duration;

use findings::explanation::{LispExplanation, LispForm, LispFunction, SampledShare};
use measure::Outcome;
use measure::tool::{LogEnd, Tool, ToolError, logged};
use stats::binomial::proportion_interval;
use toolchains::sbcl::{FormNotes, Samples, notes, samples};

use run::finished::last_lines;
use run::instrument::{InstrumentError, scratch_folder};

/// The number of bytes kept of SBCL's output: notes are some hundred bytes each.
const KEPT_BYTES: usize = 16 << 20;

/// SBCL's findings about a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The version, as SBCL prints it.
    pub compiler: String,
    /// The notes, by form.
    pub forms: Vec<FormNotes>,
    /// The profiler's samples.
    pub samples: Samples,
}

/// The reason for missing findings.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum LispError {
    #[error("cannot find SBCL")]
    NoSbcl(#[source] measure::StartError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Folder(#[from] InstrumentError),
    #[error("SBCL {how} while it {doing} `{file}`")]
    Ended { how: String, doing: &'static str, file: String, printed: String },
    #[error("`{file}` ended without a report of the profiler")]
    NoReport { file: String, printed: String },
    #[error("interrupted")]
    Interrupted,
}

/// Compiles the file, and runs it.
pub fn ask(
    file: &Path,
    input: Option<&Path>,
    timeout: Option<Duration>,
) -> Result<Said, LispError> {
    let path = std::env::var_os("PATH");
    let sbcl = measure::resolve_program("sbcl".as_ref(), None, path.as_deref())
        .map_err(LispError::NoSbcl)?;
    let version = measure::tool::output(&Tool::new(&sbcl).args(["--version"]))?;
    let folder = scratch_folder()?;
    let source = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let compile = format!(
        "(progn (sb-ext:restrict-compiler-policy 'speed 3) (compile-file {} :output-file {}))",
        text(&source),
        text(&folder.path().join("compiled.fasl"))
    );
    let asking = Asking { sbcl: &sbcl, file, timeout };
    let printed = asking.run("compiles", &["--eval", &compile], None)?;
    let report = folder.path().join("report");
    // Programs may exit by themselves, so the steps at exit are registered before.
    let at_end = format!(
        "(push (lambda () (sb-sprof:stop-profiling) (with-open-file (to {} :direction :output \
         :if-exists :supersede) (let ((*print-pretty* nil)) (sb-sprof:report :type :flat :stream \
         to)))) sb-ext:*exit-hooks*)",
        text(&report)
    );
    let start = "(sb-sprof:start-profiling :mode :cpu :max-samples 200000 :sample-interval 0.001)";
    let load = format!("(load {})", text(&source));
    let evals = ["(require :sb-sprof)", at_end.as_str(), start, load.as_str()];
    let arguments: Vec<&str> = evals.iter().flat_map(|eval| ["--eval", eval]).collect();
    let ran = asking.run("runs", &arguments, input)?;
    let seen = fs::read_to_string(&report).ok().and_then(|text| samples(&text));
    let samples = seen.ok_or_else(|| LispError::NoReport {
        file: file.display().to_string(),
        printed: last_lines(ran.as_bytes()),
    })?;
    let compiler = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    Ok(Said { compiler, forms: notes(&printed), samples })
}

/// The parameters of an SBCL run.
struct Asking<'a> {
    sbcl: &'a Path,
    file: &'a Path,
    timeout: Option<Duration>,
}

impl Asking<'_> {
    /// The output.
    fn run(
        &self,
        doing: &'static str,
        arguments: &[&str],
        input: Option<&Path>,
    ) -> Result<String, LispError> {
        let alone = ["--noinform", "--non-interactive", "--no-sysinit", "--no-userinit"];
        let all = alone.iter().chain(arguments);
        let mut tool = match input {
            None => Tool::new(self.sbcl).args(all),
            // A logged tool has no input, so a shell redirects it.
            Some(input) => {
                let from = ["-c", "input=$1; shift; exec \"$@\" <\"$input\"", "sh"];
                let tool = Tool::new("sh").args(from).args([input]).args([self.sbcl]);
                tool.args(all)
            }
        };
        if let Some(timeout) = self.timeout {
            tool = tool.timeout(timeout);
        }
        let log = logged(&tool, KEPT_BYTES, measure::interrupt::requests())?;
        let printed = String::from_utf8_lossy(&log.tail).into_owned();
        let how = match log.end {
            LogEnd::ByItself(Outcome::Exited(0)) => return Ok(printed),
            LogEnd::ByItself(outcome) => outcome.to_string(),
            LogEnd::TimedOut => Outcome::TimedOut.to_string(),
            LogEnd::Interrupted => return Err(LispError::Interrupted),
        };
        let file = self.file.display().to_string();
        Err(LispError::Ended { how, doing, file, printed: last_lines(printed.as_bytes()) })
    }
}

/// A path as a Lisp string.
fn text(path: &Path) -> String {
    let escaped = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// Joins the notes with the samples.
pub fn explanation(subject: &str, said: Said) -> LispExplanation {
    let count = said.samples.count;
    let mut functions: Vec<LispFunction> = said
        .samples
        .functions
        .into_iter()
        .map(|function| LispFunction {
            share: share(function.itself, count),
            name: function.name,
            itself: function.itself,
            total: function.total,
        })
        .collect();
    functions.sort_by_key(|function| std::cmp::Reverse((function.itself, function.total)));
    let samples_of = |name: &str| {
        functions.iter().find(|function| function.name == name).map(|function| function.total)
    };
    let mut forms: Vec<LispForm> = said
        .forms
        .into_iter()
        .map(|form| LispForm {
            samples: form.function().and_then(samples_of),
            within: form.within,
            form: form.form,
            notes: form.count,
            what: form.what,
            why: form.why,
        })
        .collect();
    forms.sort_by_key(|form| std::cmp::Reverse((form.samples, form.notes)));
    LispExplanation {
        subject: subject.to_owned(),
        compiler: said.compiler,
        samples: count,
        functions,
        forms,
    }
}

fn share(found: u64, of: u64) -> SampledShare {
    const ALPHA: f64 = 0.05;
    let (low, high) = proportion_interval(found, of, ALPHA).unwrap_or((0.0, 1.0));
    SampledShare { share: found as f64 / of.max(1) as f64, low, high }
}
