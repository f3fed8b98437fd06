//! Commands with parameters, turned into an experiment.

use super::invocation::InvocationOptions;
use clap::Args;
use model::metric;
use model::metric::MetricId;
use model::spec::copies::CopiesError;
use model::spec::invocation::{CommandError, RunSettings};
use model::spec::parameters::{Parameter, ParameterError};
use model::spec::{Experiment, Variant, artifacts, copies, invocation, parameters};
use std::collections::HashMap;

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

    /// What takes the place of their placeholders
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

    /// How each of them is run
    #[command(flatten)]
    pub invocation: InvocationOptions,
}

impl CommandOptions {
    /// The settings for running the commands.
    ///
    /// # Errors
    ///
    /// When an option is invalid, regardless of the commands.
    pub fn run_settings(&self) -> Result<RunSettings, CommandError> {
        self.invocation.run_settings_in_copies(self.copies()?)
    }

    fn copies(&self) -> Result<Vec<u32>, CopiesError> {
        self.copies.as_deref().map_or(Ok(Vec::new()), copies::parse)
    }

    /// The metrics judged besides the usual ones: for several copies, their throughput, which is
    /// then the answer, and latency; and the user's own metrics.
    ///
    /// # Errors
    ///
    /// When an option cannot be used.
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

/// The experiment with the settings common to all variants.
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
    ///
    /// # Errors
    ///
    /// When one of them is invalid.
    pub fn parameters(&self) -> Result<Vec<Parameter>, ParameterError> {
        let scans = self.parameter_scan.chunks(3).map(|scan| {
            Parameter::scan(&scan[0], &scan[1], &scan[2], self.parameter_step_size.as_deref())
        });
        let lists = self.parameter_list.chunks(2).map(|list| Parameter::list(&list[0], &list[1]));
        let given = self.given.iter().map(|text| Parameter::given(text));
        given.chain(scans).chain(lists).collect()
    }
}
