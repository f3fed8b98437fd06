//! The stored experiment that commands are compared with, refused where it says nothing about them.

use std::path::Path;
use std::str::FromStr;

use crate::archive;
use crate::failure::Failure;
use crate::host;
use crate::judge::contrasts::{Earlier, Elsewhere};
use crate::store::{ExperimentId, ExperimentState, Store, StoredExperiment};

/// An experiment as it is typed: its number, and which of its commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct With {
    experiment: i64,
    name: Option<String>,
}

impl FromStr for With {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, name) = match text.split_once(':') {
            Some((number, name)) => (number, Some(name.to_owned())),
            None => (text, None),
        };
        let experiment = number.parse().map_err(
            |_| "expected the number of an experiment, as `brisk list` shows it, or NUMBER:NAME",
        )?;
        Ok(Self { experiment, name })
    }
}

/// Finds it in the store, with the other experiments of its command.
pub(super) fn find(path: &Path, with: &With) -> Result<Earlier, Failure> {
    let store = archive::open_for_reading(path)?;
    let id = ExperimentId(with.experiment);
    let stored = archive::stored(&store, id)?;
    check(&store, &stored)?;
    let variant = variant(&stored, with.name.as_deref())?;
    archive::find(&store, Elsewhere { experiment: with.experiment, variant })
}

fn check(store: &Store, stored: &StoredExperiment) -> Result<(), Failure> {
    let id = stored.id;
    let cannot = || Failure::new(format!("cannot compare with experiment {id}"));
    if stored.commission.variants.iter().any(|variant| variant.labels.benchmark.is_some()) {
        return Err(cannot().because("it measured the benchmarks inside a program, not commands"));
    }
    if stored.commission.rule.sweep.is_some() {
        return Err(cannot().because("it is a sweep, not a comparison of commands"));
    }
    if stored.state == ExperimentState::Running {
        return Err(cannot().because("it is still running"));
    }
    if stored.rounds == 0 || archive::own_document(store, id, stored)?.experiment.rounds == 0 {
        return Err(archive::without_a_round(stored));
    }
    match host::difference(&host::machine(), &stored.circumstances.machine) {
        Some(why) => Err(cannot().because(format!("it ran on another machine: {why}"))),
        None => Ok(()),
    }
}

/// Which of the experiment's variants is meant: the first, where none is named.
fn variant(stored: &StoredExperiment, name: Option<&str>) -> Result<u32, Failure> {
    let Some(name) = name else { return Ok(0) };
    let variants = &stored.commission.variants;
    if let Some((number, _)) = (0..).zip(variants).find(|(_, variant)| variant.name == name) {
        return Ok(number);
    }
    let names: Vec<String> = variants.iter().take(8).map(|v| format!("`{}`", v.name)).collect();
    Err(Failure::new(format!("experiment {} has no command `{name}`", stored.id))
        .because(format!("it has {}", names.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_is_a_number_and_perhaps_a_name() {
        let typed = |text: &str| text.parse::<With>().ok().map(|with| (with.experiment, with.name));
        assert_eq!(typed("12"), Some((12, None)));
        assert_eq!(typed("12:sort -k 1:2"), Some((12, Some("sort -k 1:2".to_owned()))));
        for text in ["", "x", ":name", "1.5"] {
            assert_eq!(typed(text), None, "{text}");
        }
    }
}
