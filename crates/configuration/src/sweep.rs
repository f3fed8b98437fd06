//! A command with parameters, turned into the experiment of a sweep, with limits on its points.
//!
//! The first variant is the baseline of the others. Ideally it is the command with no parameter
//! set: if parameters occur only in variables (`--env 'OCAMLRUNPARAM=s={s}'`), that is the command
//! without these variables. Otherwise it is the point or the command given as default, or else the
//! first point.

use std::ffi::{OsStr, OsString};

use clap::Args;
use model::expectation::UnitSymbol;
use model::failure::Failure;
use model::metric::{self, Direction, MetricError, MetricId, PEAK_RSS, Unit};
use model::spec::invocation::{self, CommandError, RunSettings};
use model::spec::own_metric::By;
use model::spec::parameters::{self, Parameter, ParameterError, Point};
use model::spec::{Experiment, Variant, words};
use model::sweep::{Limit, SweepRule};

use crate::commands::{InvocationOptions, ParameterOptions};
use crate::{ExportOptions, MeasuringOptions, ReadingOptions, StoppingOptions};

/// A sweep, or a search for the settings of a runtime.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: brisk sweep --param s=32k..32M*4 --env OCAMLRUNPARAM=s={s} ./program"
)]
pub struct SweepRequest {
    /// The command and its parameters
    #[command(flatten)]
    pub sweep: SweepOptions,
    /// The search for settings of a runtime
    #[command(flatten)]
    pub tune: TuneOptions,
    /// Start again from the beginning, instead of continuing an experiment that was interrupted or
    /// inconclusive
    #[arg(long)]
    pub remeasure: bool,
    /// The duration and certainty of the measurement
    #[command(flatten)]
    pub stopping: StoppingOptions,
    /// The readings
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// The place of the measurement and its results
    #[command(flatten)]
    pub measuring: MeasuringOptions,
    /// The files of the report
    #[command(flatten)]
    pub export: ExportOptions,
}

impl SweepRequest {
    /// The metrics to read and judge: the objectives, those with limits, and those that the user named
    /// or defined.
    pub fn metrics(&self, rule: &SweepRule) -> Result<Vec<MetricId>, Failure> {
        let own = self.sweep.invocation.own_metrics()?;
        let named = self.reading.chosen_metrics(&own)?;
        let mut metrics = rule.objectives();
        let limits = rule.limits.iter().map(|limit| limit.metric.clone());
        for metric in limits.chain(named.into_iter().flatten()).chain(own) {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
        Ok(metrics)
    }
}

/// The options of a search for the settings of a runtime.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is tuned")]
pub struct TuneOptions {
    /// Search for the best runtime settings
    ///
    /// The runtime system is that of the command (GHC, OCaml, SBCL, the JVM, ...). The settings are
    /// printed ready to paste.
    #[arg(long, conflicts_with_all = ["given", "parameter_scan", "parameter_list", "default_values",
        "reference", "measure", "exhaustive", "runs", "min_runs", "max_runs", "budget"])]
    pub tune: bool,

    /// The largest number of runs for the search and its confirmation
    #[arg(long, value_name = "N", default_value_t = 60, requires = "tune")]
    pub tune_runs: usize,

    /// Check whether the settings also help this command, for example with another input
    #[arg(long, value_name = "COMMAND", requires = "tune")]
    pub check_with: Option<String>,
}

/// The options that say what a sweep is about.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is swept")]
pub struct SweepOptions {
    /// The command; `{NAME}` in it, or in `--env`, stands for a parameter's value
    #[arg(value_name = "COMMAND")]
    pub command: String,

    /// The parameters
    #[command(flatten)]
    pub parameters: ParameterOptions,

    /// A parameter's value at the default point
    ///
    /// The other points are compared with that one. Give it once for each parameter.
    #[arg(long = "default", value_name = "NAME=VALUE", conflicts_with = "reference")]
    pub default_values: Vec<String>,

    /// A command to compare all points with
    #[arg(long, value_name = "COMMAND")]
    pub reference: Option<String>,

    /// Keep a limit, such as `peak_rss < 4 GB`
    ///
    /// May be given several times.
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<String>,

    /// The metric to minimise; wall_time by default
    ///
    /// After a comma stands a second one to weigh it against; peak memory if only one is given.
    #[arg(
        long,
        value_name = "METRIC[,METRIC]",
        default_value = "wall_time",
        hide_default_value = true
    )]
    pub minimize: String,

    /// Run every point in every round, even if it is clearly worse than others
    #[arg(long)]
    pub exhaustive: bool,

    /// Check that every remaining point prints the same as the default, and warn if one needed
    /// suspiciously little memory
    #[arg(long)]
    pub equal_work: bool,

    /// The run of the command
    #[command(flatten)]
    pub invocation: InvocationOptions,
}

/// The reason that the options do not define a sweep.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SweepError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error("there is no parameter to sweep")]
    NoParameter,
    #[error("the sweep has one point only")]
    OnePoint,
    #[error("`--default {0}` does not set a parameter; write NAME=VALUE")]
    Default(String),
    #[error("`--default {name}=...`: there is no parameter `{name}`; known: {known}")]
    UnknownDefault { name: String, known: String },
    #[error("`--default` does not set `{0}`")]
    PartialDefault(String),
    #[error(transparent)]
    Limit(#[from] LimitError),
    #[error(transparent)]
    Metric(#[from] MetricError),
    #[error("`--minimize` names {0} metrics; a front has one, or two")]
    ManyMinimized(usize),
    #[error("`--minimize {0}`: neither less nor more of it is better")]
    NotMinimized(MetricId),
}

impl SweepError {
    /// A hint for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Command(error) => error.hint(),
            Self::Parameter(ParameterError::Unknown { .. } | ParameterError::Unused(_))
            | Self::NoParameter
            | Self::OnePoint => {
                Some("for example `--param size=1k..1M*4 'program --buffer {size}'`")
            }
            Self::Limit(_) => Some("for example `--limit 'peak_rss < 4 GB'`"),
            Self::PartialDefault(_) => Some("give `--default NAME=VALUE` once for each parameter"),
            _ => None,
        }
    }
}

/// The experiment of a sweep, and the rule of the sweep.
pub fn experiment(options: &SweepOptions) -> Result<(Experiment, SweepRule), SweepError> {
    let parameters = options.parameters.parameters()?;
    if parameters.is_empty() {
        return Err(SweepError::NoParameter);
    }
    let run_settings = options.invocation.run_settings()?;
    let own: Vec<MetricId> = run_settings.measures.iter().map(|one| one.metric.clone()).collect();
    let texts: Vec<&str> = std::iter::once(options.command.as_str())
        .chain(run_settings.texts())
        .chain(run_settings.measuring())
        .collect();
    parameters::check(&texts, &parameters)?;
    let mut points = parameters::points(&parameters)?;
    let default = default_point(&options.default_values, &parameters)?;
    if let Some(default) = &default {
        points.retain(|point| point != default);
        points.insert(0, default.clone());
    }
    let commands = [options.command.as_str()];
    let mut experiment = invocation::experiment(&run_settings, &commands, &points)?;
    experiment.outlives_failures = true;
    experiment.claims_equal_work = options.equal_work;
    for variant in &mut experiment.variants {
        variant.name = name_of(&variant.labels.parameters);
    }
    let is_set_by_variables = || is_in_variables_only(&options.command, &run_settings, &parameters);
    let unset = match &options.reference {
        Some(command) => Some((command.as_str(), command)),
        None if default.is_none() && is_set_by_variables() => {
            Some((DEFAULT_NAME, &options.command))
        }
        None => None,
    };
    let has_default = unset.is_some() || default.is_some();
    if let Some((name, command)) = unset {
        let variant = reference(&run_settings, command, &parameters)?;
        experiment.variants.insert(0, Variant { name: name.to_owned(), ..variant });
    }
    if experiment.variants.len() < 2 {
        return Err(SweepError::OnePoint);
    }
    let (minimized, beside) = minimized(&options.minimize, &own)?;
    let rule = SweepRule {
        command: template(options),
        parameters,
        has_default,
        minimized,
        beside,
        limits: (options.limits.iter().map(|text| parse_limit(text, &own)))
            .collect::<Result<_, _>>()?,
        is_exhaustive: options.exhaustive,
        allowed_codes: experiment.allowed_codes(),
    };
    Ok((experiment, rule))
}

fn template(options: &SweepOptions) -> String {
    let env = options.invocation.env.iter().filter(|text| !text.is_empty());
    env.map(String::as_str).chain([options.command.as_str()]).collect::<Vec<_>>().join(" ")
}

/// The name of a point: `s=32k o=80`.
fn name_of(point: &Point) -> String {
    let values = point.iter().map(|(name, value)| format!("{name}={}", words::quote(value)));
    values.collect::<Vec<_>>().join(" ")
}

const DEFAULT_NAME: &str = "default";

/// The command without parameters: assignments with placeholders are left out.
fn reference(
    run_settings: &RunSettings,
    command: &str,
    parameters: &[Parameter],
) -> Result<Variant, SweepError> {
    let points = [Point::new()];
    let experiment = invocation::experiment(run_settings, &[command], &points)?;
    let mut variant = experiment.variants.into_iter().next().expect("one command at one point");
    let is_set = |(_, value): &(OsString, Option<OsString>)| {
        !value.as_deref().is_some_and(|value| has_placeholder(value, parameters))
    };
    if let Some(setup) = &mut variant.setup {
        setup.run.env.retain(is_set);
    }
    let hooks = [&mut variant.prepare, &mut variant.conclude, &mut variant.cleanup];
    let measuring = variant.measures.iter_mut().filter_map(|one| match &mut one.by {
        By::Command(invocation) => Some(invocation),
        By::Pattern(_) | By::Json(_) => None,
    });
    for invocation in hooks.into_iter().flatten().chain(measuring).chain([&mut variant.run]) {
        invocation.env.retain(is_set);
    }
    Ok(variant)
}

fn has_placeholder(text: &OsStr, parameters: &[Parameter]) -> bool {
    let text = text.to_string_lossy();
    parameters::placeholders(&text).any(|name| parameters.iter().any(|one| one.name == name))
}

/// True if only variables have placeholders, not the command or its hooks.
fn is_in_variables_only(
    command: &str,
    run_settings: &RunSettings,
    parameters: &[Parameter],
) -> bool {
    let RunSettings { setup, cleanup, prepare, conclude, output, .. } = run_settings;
    let others = setup.iter().chain(cleanup).chain(prepare).chain(conclude).chain(output);
    let texts = others.map(String::as_str).chain(run_settings.measuring());
    !std::iter::once(command).chain(texts).any(|text| has_placeholder(OsStr::new(text), parameters))
}

/// The point of `--default`. None if the option is missing.
fn default_point(given: &[String], parameters: &[Parameter]) -> Result<Option<Point>, SweepError> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut values = Vec::new();
    for text in given {
        let (name, value) =
            text.split_once('=').ok_or_else(|| SweepError::Default(text.clone()))?;
        if !parameters.iter().any(|parameter| parameter.name == name) {
            let known = parameters.iter().map(|parameter| format!("`{}`", parameter.name));
            let known = known.collect::<Vec<_>>().join(", ");
            return Err(SweepError::UnknownDefault { name: name.to_owned(), known });
        }
        values.push((name, value));
    }
    let point = parameters.iter().map(|parameter| {
        let value = values.iter().rfind(|(name, _)| *name == parameter.name);
        let (_, value) = value.ok_or_else(|| SweepError::PartialDefault(parameter.name.clone()))?;
        Ok((parameter.name.clone(), (*value).to_owned()))
    });
    point.collect::<Result<Point, SweepError>>().map(Some)
}

/// The metric to minimise, and the one to weigh it against: peak memory unless another is named.
fn minimized(text: &str, own: &[MetricId]) -> Result<(MetricId, MetricId), SweepError> {
    let named = metric::parse_list(text, own)?;
    for id in &named {
        if metric::find(id).map(|metric| metric.direction) != Some(Direction::Lower) {
            return Err(SweepError::NotMinimized(id.clone()));
        }
    }
    match named.as_slice() {
        [one] => Ok((one.clone(), PEAK_RSS)),
        [one, other] => Ok((one.clone(), other.clone())),
        several => Err(SweepError::ManyMinimized(several.len())),
    }
}

/// The reason that a limit is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum LimitError {
    #[error("the limit `{text}` has no `<`")]
    NoComparison { text: String },
    #[error("the limit `{text}` names no metric")]
    Metric { text: String, source: MetricError },
    #[error("the limit `{text}` has `{bound}` where a number was expected")]
    NotANumber { text: String, bound: String },
    #[error("the limit `{text}` has the unknown unit `{unit}`")]
    UnknownUnit { text: String, unit: String },
    #[error("the limit `{text}` needs {needs}")]
    Unit { text: String, needs: &'static str },
}

/// Parses a limit on a metric of the registry or one of the user's `own`; `<=` means the same as
/// `<`.
pub fn parse_limit(text: &str, own: &[MetricId]) -> Result<Limit, LimitError> {
    let owned = || text.to_owned();
    let (name, bound) =
        text.split_once('<').ok_or_else(|| LimitError::NoComparison { text: owned() })?;
    let metric = metric::parse_list(name.trim(), own)
        .map_err(|source| LimitError::Metric { text: owned(), source })?
        .swap_remove(0);
    let bound = bound.strip_prefix('=').unwrap_or(bound).trim();
    let digits = bound.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(bound.len());
    let (number, symbol) = (&bound[..digits], bound[digits..].trim());
    let number: f64 = number
        .parse()
        .map_err(|_| LimitError::NotANumber { text: owned(), bound: bound.to_owned() })?;
    let unit =
        match symbol {
            "" => None,
            _ => Some(UnitSymbol::find(symbol).ok_or_else(|| LimitError::UnknownUnit {
                text: owned(),
                unit: symbol.to_owned(),
            })?),
        };
    let wanted = metric.unit();
    let has = unit.map_or(Some(Unit::Ratio), |unit| unit.dimension.unit());
    let plain = |unit: Unit| if unit == Unit::Count { Unit::Ratio } else { unit };
    if has != Some(plain(wanted)) {
        return Err(LimitError::Unit { text: owned(), needs: needs(wanted) });
    }
    let (times, over) = unit.map_or((1.0, 1.0), |unit| unit.factor());
    Ok(Limit { metric, below: number * times / over, text: text.trim().to_owned() })
}

fn needs(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "a unit of time, such as `ms`",
        Unit::Bytes => "a unit of memory, such as `MB` or `GiB`",
        Unit::Hertz => "a frequency, such as `MHz`",
        Unit::Joules => "a unit of energy, such as `J`",
        Unit::PerSecond => "a frequency, such as `Hz`",
        Unit::Count => "a plain number",
        Unit::Ratio => "a plain number, or `%`",
    }
}

#[cfg(test)]
mod tests {
    use model::metric::WALL_TIME;

    use super::*;

    #[test]
    fn a_limit_is_in_the_units_of_its_metric() {
        let own = [MetricId::known("size[bytes]")];
        let limit = |text: &str| parse_limit(text, &own).map(|limit| (limit.metric, limit.below));
        assert_eq!(limit("peak_rss < 4 GB"), Ok((PEAK_RSS, 4e9)));
        assert_eq!(limit("peak_rss<=1MiB"), Ok((PEAK_RSS, 1_048_576.0)));
        assert_eq!(limit(" wall_time < 1.5 s"), Ok((WALL_TIME, 1.5)));
        assert_eq!(limit("minor_faults < 1000").map(|(_, below)| below), Ok(1000.0));
        assert_eq!(limit("size < 4 MB"), Ok((own[0].clone(), 4e6)));
        assert!(matches!(limit("size < 4"), Err(LimitError::Unit { .. })));
        assert!(matches!(limit("peak_rss < 4"), Err(LimitError::Unit { .. })));
        assert!(matches!(limit("peak_rss < 4 s"), Err(LimitError::Unit { .. })));
        assert!(matches!(limit("minor_faults < 4 kB"), Err(LimitError::Unit { .. })));
        assert!(matches!(limit("peak_rss < 4 parsecs"), Err(LimitError::UnknownUnit { .. })));
        assert!(matches!(limit("peak_rss < many"), Err(LimitError::NotANumber { .. })));
        assert!(matches!(limit("peak_rss > 4 GB"), Err(LimitError::NoComparison { .. })));
        assert!(matches!(limit("memory < 4 GB"), Err(LimitError::Metric { .. })));
    }
}
