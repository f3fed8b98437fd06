//! The program to tune: the command, its runtime, and the runtime's settings.

use std::ffi::OsString;

use toolchains::runtime::adapter::Adapter;
use toolchains::runtime::tuning::{self, Change, Effect, Facts, Host, Menu, Setting, Start};

use configuration::SweepRequest;
use findings::Document;
use model::failure::Failure;
use model::spec::invocation;
use model::spec::parameters::{self, Parameter};
use model::spec::reading::RuntimeOption;
use model::spec::{Experiment, Invocation, Variant};
use run::instrument::recognise;
use tune::{Axis, Options, Order, Point, Search, Space};

/// A command with a runtime that has settings.
#[derive(Debug)]
pub(super) struct TunedProgram {
    pub(super) base: Experiment,
    pub(super) adapter: &'static Adapter,
    /// Set if the command's first word is the program itself.
    is_named: bool,
    pub(super) menu: Menu,
}

impl TunedProgram {
    pub(super) fn find(arguments: &SweepRequest) -> Result<Self, Failure> {
        let base = base(arguments, &arguments.sweep.command)?;
        let (adapter, is_named) = runtime(arguments, &base)?;
        let command = &arguments.sweep.command;
        let knobs = tuning::find(adapter.word)
            .ok_or_else(|| Failure::new(format!("brisk knows no settings of {}", adapter.name)))?;
        let menu = knobs.menu(host()?, facts(knobs, &base.variants[0].run));
        if menu.items.is_empty() {
            let reasons: Vec<String> = (menu.left_out.iter())
                .map(|left| format!("`{}`: {}", left.knob.name, left.reason()))
                .collect();
            return Err(Failure::new(format!("`{command}` has no settings to tune"))
                .because(reasons.join("\n")));
        }
        let program = Self { base, adapter, is_named, menu };
        program.check_reach()?;
        Ok(program)
    }

    /// Fails if a setting cannot be applied to the command.
    fn check_reach(&self) -> Result<(), Failure> {
        let default: Vec<usize> = self.menu.items.iter().map(|item| item.default_place).collect();
        for (item, place) in self.menu.items.iter().zip(&default) {
            let other = if *place == 0 { 1 } else { 0 };
            let places = (self.menu.items.iter().zip(&default))
                .map(|(each, place)| if each.knob == item.knob { other } else { *place });
            let setting = self.menu.setting(&places.collect::<Vec<_>>());
            self.change(&setting, &self.base.variants[0].run).map_err(|error| {
                Failure::new(format!("cannot vary `{}` of `{}`", item.knob.name, self.command()))
                    .because(error.to_string())
                    .hint(Some(error.hint()))
            })?;
        }
        Ok(())
    }

    fn command(&self) -> &str {
        &self.base.variants[0].command
    }

    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let texts = |item: &tuning::Item| item.levels.iter().map(|l| l.text.to_owned()).collect();
        let parameter = |item: &tuning::Item| Parameter {
            name: item.knob.name.to_owned(),
            values: texts(item),
        };
        self.menu.items.iter().map(parameter).collect()
    }

    pub(super) fn search(&self, options: Options) -> Result<Search, Failure> {
        let axis = |item: &tuning::Item| Axis {
            levels: item.places(),
            default: item.default_place,
            order: match item.knob.effect {
                Effect::CostsMemory => Order::CostsMemory,
                Effect::SavesMemory => Order::SavesMemory,
                Effect::Unknown => Order::Rising,
                Effect::Unordered => Order::None,
            },
        };
        let menu = self.menu.clone();
        let axes = self.menu.items.iter().map(axis).collect();
        let space = Space::new(axes, move |point| menu.permits(point.levels()))?;
        Search::new(space, options).map_err(Failure::from)
    }

    pub(super) fn label(&self, point: &Point) -> String {
        self.menu.setting(point.levels()).label()
    }

    /// The point of a variant in one of the tuning's experiments.
    pub(super) fn point_of(&self, document: &Document, variant: u32) -> Point {
        let labels = document.variants.get(variant as usize).map(|variant| &variant.labels);
        let place = |item: &tuning::Item| {
            let text = labels.and_then(|labels| labels.parameter(item.knob.name));
            let is_it =
                |place: &usize| item.level(*place).is_some_and(|level| Some(level.text) == text);
            (0..item.places()).find(is_it).unwrap_or(item.default_place)
        };
        Point::new(self.menu.items.iter().map(place).collect())
    }

    /// The text to paste for the setting at a point. None if it is empty.
    pub(super) fn line(&self, point: &Point) -> Option<String> {
        let setting = self.menu.setting(point.levels());
        let change = self.change(&setting, &self.base.variants[0].run).ok()?;
        Some(change.line()).filter(|line| !line.is_empty())
    }

    /// The command with the settings at these points, each a variant, the first one the baseline.
    pub(super) fn experiment(&self, points: &[Point]) -> Result<Experiment, Failure> {
        self.with_settings(&self.base, points)
    }

    /// Another command with the settings at these points.
    pub(super) fn other_experiment(
        &self,
        arguments: &SweepRequest,
        command: &str,
        points: &[Point],
    ) -> Result<Experiment, Failure> {
        self.with_settings(&base(arguments, command)?, points)
    }

    fn with_settings(&self, base: &Experiment, points: &[Point]) -> Result<Experiment, Failure> {
        let variant = |point: &Point| -> Result<Variant, Failure> {
            let setting = self.menu.setting(point.levels());
            let mut variant = base.variants[0].clone();
            let change = self
                .change(&setting, &variant.run)
                .map_err(|error| Failure::from_error(&error).hint(Some(error.hint())))?;
            variant.name = setting.label();
            let choices = setting.choices().iter();
            let parameters: Vec<(String, String)> = choices
                .map(|choice| (choice.knob.name.to_owned(), choice.level.text.to_owned()))
                .collect();
            variant.labels = parameters.into();
            apply(change, &mut variant.run);
            Ok(variant)
        };
        let variants = points.iter().map(variant).collect::<Result<_, _>>()?;
        Ok(Experiment { variants, outlives_failures: true, ..base.clone() })
    }

    fn change(&self, setting: &Setting, run: &Invocation) -> Result<Change, tuning::ApplyError> {
        let variable = |name: &str| {
            let set = run.env.iter().rev().find(|(set, _)| set == name);
            let value = match set {
                Some((_, value)) => value.clone(),
                None => std::env::var_os(name),
            };
            value.map(|value| value.to_string_lossy().into_owned())
        };
        let argv = self.is_named.then_some(&run.argv[..]);
        setting.apply(&Start { argv, variable: &variable })
    }
}

fn base(arguments: &SweepRequest, command: &str) -> Result<Experiment, Failure> {
    let point = [parameters::Point::new()];
    let run_settings = arguments.sweep.invocation.run_settings();
    let mut experiment = run_settings
        .and_then(|run_settings| invocation::experiment(&run_settings, &[command], &point))?;
    command.clone_into(&mut experiment.variants[0].name);
    Ok(experiment)
}

/// The runtime of the command, and whether its first word is the program itself.
fn runtime(
    arguments: &SweepRequest,
    base: &Experiment,
) -> Result<(&'static Adapter, bool), Failure> {
    let found = match arguments.reading.runtime() {
        RuntimeOption::Named(adapter) => recognise::possible(base, adapter),
        RuntimeOption::Auto => recognise::certain(base),
        RuntimeOption::None => Vec::new(),
    };
    let program = found.into_iter().flatten().next();
    let command = &arguments.sweep.command;
    program.map(|program| (program.adapter, program.is_named)).ok_or_else(|| {
        match arguments.reading.runtime() {
            RuntimeOption::Named(adapter) => Failure::new(format!(
                "brisk does not recognise `{command}` as a program of {}",
                adapter.name
            ))
            .hint(Some("a script with `#!` in its first line may start anything")),
            _ => Failure::new(format!("cannot tell which runtime system `{command}` has"))
                .hint(Some("name it, for example `--runtime ghc`")),
        }
    })
}

fn host() -> Result<Host, Failure> {
    let machine = measure::machine::Machine::read(std::path::Path::new("/"));
    let memory = machine.memory.map_err(|missing| {
        Failure::new("cannot tell how much memory there is").because(missing.to_string())
    })?;
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(Host { memory_bytes: memory.0, processors: u32::try_from(processors).unwrap_or(u32::MAX) })
}

/// The facts in the program's file. Empty if the file cannot be read.
fn facts(knobs: &tuning::Tuning, run: &Invocation) -> Facts {
    let file = run.resolve().ok().and_then(|command| std::fs::read(command.program).ok());
    file.map(|bytes| (knobs.facts)(&bytes)).unwrap_or_default()
}

fn apply(change: Change, run: &mut Invocation) {
    for (name, value) in change.variables {
        run.env.push((OsString::from(name), Some(OsString::from(value))));
    }
    if let Some(argv) = change.argv {
        run.argv = argv;
    }
}
