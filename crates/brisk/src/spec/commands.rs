//! Commands given on the command line, turned into an experiment.

use clap::Args;

use super::invocation::{self, CommandError, InvocationOptions};
use super::parameters::{self, Parameter, ParameterError};
use super::{Experiment, Variant};

/// The options that say what is run, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is run")]
pub struct CommandOptions {
    /// The commands to compare; the first is the baseline
    ///
    /// A command is cut into words as a shell would cut it. When one of them needs a shell (a
    /// pipe, a redirection, a variable), all of them run through `sh -c`, so that none has an
    /// advantage; `-N` refuses that instead.
    #[arg(required = true, value_name = "COMMAND")]
    pub commands: Vec<String>,

    /// A command to use as the baseline, before all others
    #[arg(long, value_name = "COMMAND")]
    pub reference: Option<String>,

    /// Name the commands, in their order; may be given several times
    #[arg(short = 'n', long = "name", visible_alias = "command-name", value_name = "NAME")]
    pub names: Vec<String>,

    /// Run each command once for every value from LOW to HIGH in place of `{NAME}`
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

    /// Run each command once for each of the values in place of `{NAME}`
    #[arg(short = 'L', long, num_args = 2, value_names = ["NAME", "V1,V2,..."], action = clap::ArgAction::Append)]
    pub parameter_list: Vec<String>,

    /// How each of them is run
    #[command(flatten)]
    pub invocation: InvocationOptions,
}

/// Checks everything that can be checked without running anything.
pub fn experiment(options: &CommandOptions) -> Result<Experiment, CommandError> {
    let commands: Vec<&str> =
        options.reference.iter().chain(&options.commands).map(String::as_str).collect();
    let parameters = parameters(options)?;
    parameters::check(&texts_with_placeholders(options, &commands), &parameters)?;
    let points = parameters::points(&parameters)?;
    let mut experiment = invocation::experiment(&options.invocation, &commands, &points)?;
    name_variants(&mut experiment.variants, &options.names, commands.len())?;
    Ok(experiment)
}

fn parameters(options: &CommandOptions) -> Result<Vec<Parameter>, ParameterError> {
    let scans = options.parameter_scan.chunks(3).map(|scan| {
        Parameter::scan(&scan[0], &scan[1], &scan[2], options.parameter_step_size.as_deref())
    });
    let lists = options.parameter_list.chunks(2).map(|list| Parameter::list(&list[0], &list[1]));
    scans.chain(lists).collect()
}

fn texts_with_placeholders<'a>(options: &'a CommandOptions, commands: &[&'a str]) -> Vec<&'a str> {
    let rest = options.names.iter().map(String::as_str);
    commands.iter().copied().chain(options.invocation.texts()).chain(rest).collect()
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
    for (index, variant) in variants.iter_mut().enumerate() {
        let given = names.get(if per_command { index % commands } else { index });
        variant.name = match given {
            Some(name) if name.contains('{') || !per_command => {
                parameters::substitute(name, &variant.labels)
            }
            Some(name) => {
                let values: Vec<_> =
                    variant.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
                format!("{name} {}", values.join(" "))
            }
            None => variant.command.clone(),
        };
    }
    Ok(())
}
