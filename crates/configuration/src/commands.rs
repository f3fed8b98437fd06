//! Commands with parameters, how each of them is run, and the experiment that they make.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use measure::{AllowedExits, Stdin};
use model::metric::{self, MetricId};
use model::spec::copies::{self, CopiesError};
use model::spec::invocation::{
    self, CommandError, MOST_SETUP_RUNS, RunSettings, ShellChoice, readable,
};
use model::spec::own_metric::{self, Measure, MeasureError};
use model::spec::parameters::{self, Parameter, ParameterError};
use model::spec::{Experiment, Variant, artifacts, duration, exactly};
use serde::{Serialize, Serializer};

/// The options that say what is run, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is run")]
pub struct CommandOptions {
    /// The commands to compare; the first is the baseline
    ///
    /// Commands are split into words as a shell would do it. If one of them needs a shell (for a
    /// pipe, a redirection or a variable), all of them run through `sh -c`, so that none has an
    /// advantage; with `-N` that is an error. With `--at`, give one command, in which `{artifact}`
    /// stands for what was built; the default is the artefact itself.
    #[arg(required_unless_present = "at", value_name = "COMMAND")]
    pub commands: Vec<String>,

    /// A command to use as the baseline, before all others
    #[arg(long, value_name = "COMMAND")]
    pub reference: Option<String>,

    /// Names for the commands
    ///
    /// Give the option once for each command, in their order.
    #[arg(short = 'n', long = "name", visible_alias = "command-name", value_name = "NAME")]
    pub names: Vec<String>,

    /// The values of their placeholders
    #[command(flatten)]
    pub parameters: ParameterOptions,

    /// Start N copies of a command at the same moment and wait for all, in each run: how many a second
    /// this machine can do (`copy_throughput`), and what one takes then (`copy_latency`)
    ///
    /// `auto` is the number of processors that brisk may use. Several numbers, such as `1,2,4`, are
    /// compared with the first of them. A copy finds its number, from 0, in the variable `BRISK_COPY`,
    /// and in place of `{copy}` in the command, in its variables, and in the names of its input and
    /// output. Hooks run once for all copies.
    #[arg(long, value_name = "N,...", help_heading = "How it is run")]
    pub copies: Option<String>,

    /// Check that the commands do the same work: run each again, untimed, and compare what they print
    ///
    /// If the outputs differ, brisk says so after the report and exits with status 2. It also warns
    /// when a command needed or allocated so little memory that it may not have done the work.
    #[arg(long)]
    pub equal_work: bool,

    /// The run of each of them
    #[command(flatten)]
    pub invocation: InvocationOptions,
}

impl CommandOptions {
    /// The settings for running the commands.
    pub fn run_settings(&self) -> Result<RunSettings, CommandError> {
        self.invocation.run_settings_in_copies(self.copies()?)
    }

    fn copies(&self) -> Result<Vec<u32>, CopiesError> {
        self.copies.as_deref().map_or(Ok(Vec::new()), copies::parse)
    }

    /// The metrics judged besides the usual ones: for several copies, their throughput, which is
    /// then the answer, and latency; and the user's own metrics.
    pub fn more_metrics(&self) -> Result<Vec<MetricId>, CommandError> {
        let of_copies = if self.copies()?.is_empty() { &[][..] } else { &metric::OF_COPIES };
        let own = self.invocation.own_metrics()?;
        Ok(of_copies.iter().cloned().chain(own).collect())
    }
}

/// Checks everything that can be checked without running anything.
pub fn experiment(options: &CommandOptions) -> Result<Experiment, CommandError> {
    let commands: Vec<&str> =
        options.reference.iter().chain(&options.commands).map(String::as_str).collect();
    let parameters = options.parameters.parameters()?;
    let run_settings = options.run_settings()?;
    let names = options.names.iter().map(String::as_str);
    let others = run_settings.texts().chain(names).chain(run_settings.measuring());
    let texts = commands.iter().copied().chain(others);
    // Placeholders that brisk fills itself are not parameters.
    let texts: Vec<String> = match run_settings.copies.is_empty() {
        true => texts.map(str::to_owned).collect(),
        false => texts.map(|text| text.replace(&copies::placeholder(), "")).collect(),
    };
    parameters::check(&texts.iter().map(String::as_str).collect::<Vec<_>>(), &parameters)?;
    let points = parameters::points(&parameters)?;
    let mut experiment = invocation::experiment(&run_settings, &commands, &points)?;
    name_variants(&mut experiment.variants, &options.names, commands.len())?;
    completed(options, experiment)
}

/// One command with the artefact of each of these commits.
pub fn of_commits(
    options: &CommandOptions,
    run_settings: &RunSettings,
    template: &str,
    built: &[artifacts::BuiltArtifact<'_>],
) -> Result<Experiment, CommandError> {
    let mut experiment = artifacts::experiment(run_settings, template, built)?;
    let variants = experiment.variants.len();
    if options.names.len() > variants {
        return Err(CommandError::Names { given: options.names.len(), variants });
    }
    for (variant, name) in experiment.variants.iter_mut().zip(&options.names) {
        variant.name.clone_from(name);
    }
    completed(options, experiment)
}

fn completed(
    options: &CommandOptions,
    mut experiment: Experiment,
) -> Result<Experiment, CommandError> {
    let runs = options.invocation.setup_runs;
    if runs > 1 && experiment.variants.iter().all(|variant| variant.setup.is_none()) {
        return Err(CommandError::NoSetup(runs));
    }
    if options.equal_work {
        if experiment.variants.len() < 2 {
            return Err(CommandError::NothingEqual);
        }
        experiment.claims_equal_work = true;
    }
    Ok(experiment)
}

/// Sets the given names: one for each variant, or one for each command, with the parameters
/// appended. Without a name, the command itself is the name.
fn name_variants(
    variants: &mut [Variant],
    names: &[String],
    commands: usize,
) -> Result<(), CommandError> {
    if names.len() > variants.len() {
        return Err(CommandError::Names { given: names.len(), variants: variants.len() });
    }
    let per_command = names.len() <= commands && variants.len() > commands;
    let sizes = |variant: &Variant| variant.labels.copies.map(|copies| copies.count);
    let has_sizes = variants.iter().any(|one| sizes(one) != sizes(&variants[0]));
    let given = |index: usize| names.get(if per_command { index % commands } else { index });
    for (index, variant) in variants.iter_mut().enumerate() {
        let given = given(index);
        variant.name = match given {
            Some(name) if name.contains('{') || !per_command => {
                parameters::substitute(name, &variant.labels.parameters)
            }
            Some(name) => {
                let values = variant.labels.parameters.iter().map(|(k, v)| format!("{k}={v}"));
                let words: Vec<String> = [name.clone()].into_iter().chain(values).collect();
                words.join(" ")
            }
            None => variant.command.clone(),
        };
        if let Some(copies) = variant.labels.copies.filter(|_| has_sizes)
            && (per_command || given.is_none())
        {
            variant.name += &format!(" ({})", copies.words());
        }
    }
    // Comparing a command with itself needs no names; but a typed name must be unique.
    let mut known: HashMap<&str, bool> = HashMap::new();
    for (index, variant) in variants.iter().enumerate() {
        let is_given = given(index).is_some();
        if let Some(was_given) = known.insert(&variant.name, is_given)
            && (is_given || was_given)
        {
            return Err(CommandError::SameName(variant.name.clone()));
        }
    }
    Ok(())
}

/// The options that say which parameters there are.
#[derive(Debug, Clone, Default, Args)]
pub struct ParameterOptions {
    /// Values of `{NAME}`: `a,b,c`, or `LOW..HIGH`
    ///
    /// Each command runs once for every value. Ranges are `LOW..HIGH`, `LOW..HIGH:STEP` and
    /// `LOW..HIGH*FACTOR`.
    #[arg(long = "param", value_name = "NAME=VALUES")]
    pub given: Vec<String>,

    /// Run each command once for every value of `{NAME}` from LOW to HIGH
    #[arg(short = 'P', long, num_args = 3, value_names = ["NAME", "LOW", "HIGH"], allow_hyphen_values = true)]
    pub parameter_scan: Vec<String>,

    /// The step of `--parameter-scan`
    #[arg(
        short = 'D',
        long,
        value_name = "STEP",
        requires = "parameter_scan",
        allow_hyphen_values = true
    )]
    pub parameter_step_size: Option<String>,

    /// Run each command once for each of these values of `{NAME}`
    #[arg(short = 'L', long, num_args = 2, value_names = ["NAME", "V1,V2,..."], action = clap::ArgAction::Append)]
    pub parameter_list: Vec<String>,
}

impl ParameterOptions {
    /// The parameters, in the order of the options.
    pub fn parameters(&self) -> Result<Vec<Parameter>, ParameterError> {
        let scans = self.parameter_scan.chunks(3).map(|scan| {
            Parameter::scan(&scan[0], &scan[1], &scan[2], self.parameter_step_size.as_deref())
        });
        let lists = self.parameter_list.chunks(2).map(|list| Parameter::list(&list[0], &list[1]));
        let given = self.given.iter().map(|text| Parameter::given(text));
        given.chain(scans).chain(lists).collect()
    }
}

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
    pub fn run_settings(&self) -> Result<RunSettings, CommandError> {
        self.run_settings_in_copies(Vec::new())
    }

    /// The same, for this many simultaneous copies of each run.
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

    fn measures(&self) -> Result<Vec<Measure<String>>, MeasureError> {
        own_metric::parse_all(&self.measure)
    }

    /// The identifiers of the user's own metrics.
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
