//! Commands given on the command line, turned into an experiment.

use std::collections::HashMap;

use clap::Args;

use super::invocation::InvocationOptions;
use super::parameters::ParameterOptions;
use crate::spec::invocation::{self, CommandError, RunSettings};
use crate::spec::{Experiment, Variant, artifacts, parameters};

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

    /// Names for the commands, in their order; may be given several times
    #[arg(short = 'n', long = "name", visible_alias = "command-name", value_name = "NAME")]
    pub names: Vec<String>,

    /// What takes the place of their placeholders
    #[command(flatten)]
    pub parameters: ParameterOptions,

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

/// Checks everything that can be checked without running anything.
pub fn experiment(options: &CommandOptions) -> Result<Experiment, CommandError> {
    let commands: Vec<&str> =
        options.reference.iter().chain(&options.commands).map(String::as_str).collect();
    let parameters = options.parameters.parameters()?;
    let run_settings = options.invocation.run_settings()?;
    let names = options.names.iter().map(String::as_str);
    let others = run_settings.texts().chain(names).chain(run_settings.measuring());
    let texts: Vec<&str> = commands.iter().copied().chain(others).collect();
    parameters::check(&texts, &parameters)?;
    let points = parameters::points(&parameters)?;
    let mut experiment = invocation::experiment(&run_settings, &commands, &points)?;
    name_variants(&mut experiment.variants, &options.names, commands.len())?;
    completed(options, experiment)
}

/// One command with what each of these commits makes.
pub fn of_commits(
    options: &CommandOptions,
    (run_settings, template): (&RunSettings, &str),
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

/// The experiment with what holds for all of its variants.
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

/// Names as given: one for each variant, or one for each command (then with the parameters
/// behind it); the command itself where none was given.
fn name_variants(
    variants: &mut [Variant],
    names: &[String],
    commands: usize,
) -> Result<(), CommandError> {
    if names.len() > variants.len() {
        return Err(CommandError::Names { given: names.len(), variants: variants.len() });
    }
    let per_command = names.len() <= commands && variants.len() > commands;
    let given = |index: usize| names.get(if per_command { index % commands } else { index });
    for (index, variant) in variants.iter_mut().enumerate() {
        let given = given(index);
        variant.name = match given {
            Some(name) if name.contains('{') || !per_command => {
                parameters::substitute(name, &variant.labels.parameters)
            }
            Some(name) => {
                let values: Vec<_> =
                    variant.labels.parameters.iter().map(|(k, v)| format!("{k}={v}")).collect();
                format!("{name} {}", values.join(" "))
            }
            None => variant.command.clone(),
        };
    }
    // Whoever compares a command with itself names nothing; a name that was typed tells one apart.
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
