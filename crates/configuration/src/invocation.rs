//! The options for running commands.

use std::path::{Path, PathBuf};

use clap::Args;
use measure::{AllowedExits, Stdin};
use serde::{Serialize, Serializer};

use model::metric::MetricId;
use model::spec::copies;
use model::spec::invocation::{CommandError, MOST_SETUP_RUNS, RunSettings, ShellChoice, readable};
use model::spec::own_metric::{self, Measure, MeasureError};
use model::spec::{duration, exactly};

/// The options that say how commands are run.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "How it is run")]
pub struct InvocationOptions {
    /// The shell to run the commands through: a command line, `default` (sh) or `none`
    #[arg(long, value_name = "SHELL", conflicts_with_all = ["default_shell", "no_shell"])]
    pub shell: Option<String>,

    /// Run the commands through `sh`: the same as `--shell=default`
    #[arg(short = 'S', conflicts_with = "no_shell")]
    pub default_shell: bool,

    /// Run the commands without a shell, and refuse one that needs it: the same as `--shell=none`
    #[arg(short = 'N')]
    pub no_shell: bool,

    /// Run CMD before the first run of each command, and measure it; give it once for all commands,
    /// or once for each ('' for none)
    #[arg(short, long, value_name = "CMD")]
    pub setup: Vec<String>,

    /// Run each setup command N times, to get an interval for its cost; it must be safe to repeat
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub setup_runs: u32,

    /// Run CMD before each run, untimed
    ///
    /// Give it once for all commands, or once for each.
    #[arg(short, long, value_name = "CMD")]
    pub prepare: Vec<String>,

    /// Run CMD after each run, untimed; give it once for all commands, or once for each
    #[arg(short = 'C', long, value_name = "CMD")]
    pub conclude: Vec<String>,

    /// Run CMD after the last run of each command, even if a run failed
    #[arg(short, long, value_name = "CMD")]
    pub cleanup: Option<String>,

    /// Read a metric of your own after each run, before `--conclude`: a number that COMMAND prints,
    /// or one that the program itself printed; may be given several times
    ///
    /// `size[kB]='du -k out'` runs a command, `errors=/errors: (\d+)/` looks for a pattern in the end
    /// of what the program prints, and `p99[ms]=json:/latency/p99` takes a number out of its JSON.
    /// The brackets hold the unit and, if more is better, `higher`; without brackets the metric is
    /// a count.
    #[arg(long, value_name = "NAME=COMMAND", help_heading = "What is read")]
    pub measure: Vec<String>,

    /// Set environment variables, such as `A=1 B="x y"`; give it once for all commands, or once for
    /// each
    #[arg(long, value_name = "ASSIGNMENTS")]
    pub env: Vec<String>,

    /// The folder to run everything in
    #[arg(long, value_name = "DIR")]
    #[serde(serialize_with = "exact_path")]
    pub cwd: Option<PathBuf>,

    /// Where commands read their input from: `null` or a file [default: null]
    #[arg(long, value_name = "WHERE")]
    pub input: Option<String>,

    /// Where commands write their output to: `null`, `pipe` (read and discarded), `inherit` or a
    /// file; give it once for all commands, or once for each
    #[arg(long, value_name = "WHERE")]
    pub output: Vec<String>,

    /// Show what the commands print: the same as `--output=inherit`
    #[arg(long, conflicts_with = "output")]
    pub show_output: bool,

    /// The time limit of a run; its whole process group is killed when it is over
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub timeout: Option<String>,

    /// Continue when a command fails
    ///
    /// With any status, or only with these exit codes.
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all-non-zero")]
    pub ignore_failure: Option<String>,
}

#[expect(clippy::ref_option, reason = "serde's signature")]
fn exact_path<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| exactly(path.as_os_str())).serialize(serializer)
}

impl InvocationOptions {
    /// The source of input: `null` or a file.
    pub fn input(&self) -> &str {
        self.input.as_deref().unwrap_or("null")
    }

    /// The settings for running commands.
    ///
    /// # Errors
    ///
    /// When an option is invalid, regardless of the commands.
    pub fn run_settings(&self) -> Result<RunSettings, CommandError> {
        self.run_settings_in_copies(Vec::new())
    }

    /// The same, for this many simultaneous copies of each run.
    ///
    /// # Errors
    ///
    /// When an option is invalid, regardless of the commands.
    pub fn run_settings_in_copies(&self, copies: Vec<u32>) -> Result<RunSettings, CommandError> {
        if !(1..=MOST_SETUP_RUNS).contains(&self.setup_runs) {
            return Err(CommandError::SetupRuns(self.setup_runs));
        }
        let stdin = self.stdin(copies.iter().copied().max())?;
        if let Some(folder) = self.cwd.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(CommandError::Folder(folder.clone()));
        }
        Ok(RunSettings {
            shell: self.shell(),
            setup: self.setup.clone(),
            setup_runs: self.setup_runs,
            prepare: self.prepare.clone(),
            conclude: self.conclude.clone(),
            cleanup: self.cleanup.clone(),
            measures: self.measures()?,
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            stdin,
            output: match (self.show_output, self.output.is_empty()) {
                (true, _) => vec!["inherit".to_owned()],
                (false, true) => vec!["null".to_owned()],
                (false, false) => self.output.clone(),
            },
            shows_hooks: self.show_output,
            timeout: self.timeout.as_deref().map(duration::parse).transpose()?,
            allowed: allowed(self.ignore_failure.as_deref())?,
            copies,
        })
    }

    fn shell(&self) -> ShellChoice {
        match self.shell.as_deref() {
            Some("none") => ShellChoice::Never,
            Some("default") => ShellChoice::Named("sh".to_owned()),
            Some(other) => ShellChoice::Named(other.to_owned()),
            None if self.default_shell => ShellChoice::Named("sh".to_owned()),
            None if self.no_shell => ShellChoice::Never,
            None => ShellChoice::WhereNeeded,
        }
    }

    fn stdin(&self, copies: Option<u32>) -> Result<Stdin, CommandError> {
        let path = match self.input() {
            "null" => return Ok(Stdin::Null),
            path => self.cwd.as_deref().unwrap_or(Path::new("")).join(path),
        };
        let check = |path: &Path| {
            readable(path).map_err(|source| CommandError::Input { path: path.to_owned(), source })
        };
        match copies {
            None => check(&path)?,
            Some(count) => {
                (0..count).try_for_each(|number| check(&copies::in_path(&path, number)))?;
            }
        }
        Ok(Stdin::File(path))
    }

    /// The user's own metrics.
    ///
    /// # Errors
    ///
    /// When one is malformed.
    fn measures(&self) -> Result<Vec<Measure<String>>, MeasureError> {
        own_metric::parse_all(&self.measure)
    }

    /// The identifiers of the user's own metrics.
    ///
    /// # Errors
    ///
    /// When one is malformed.
    pub fn own_metrics(&self) -> Result<Vec<MetricId>, MeasureError> {
        Ok(self.measures()?.into_iter().map(|one| one.metric).collect())
    }
}

fn allowed(ignored: Option<&str>) -> Result<AllowedExits, CommandError> {
    match ignored {
        None => Ok(AllowedExits::Zero),
        Some("all-non-zero") => Ok(AllowedExits::Any),
        Some(codes) => {
            let code = |text: &str| match text.trim().parse::<u8>() {
                Ok(code) => Ok(i32::from(code)),
                Err(_) => Err(CommandError::ExitCode(text.to_owned())),
            };
            // Status 0 is always allowed.
            let codes = std::iter::once(Ok(0)).chain(codes.split(',').map(code));
            Ok(AllowedExits::Codes(codes.collect::<Result<_, _>>()?))
        }
    }
}
