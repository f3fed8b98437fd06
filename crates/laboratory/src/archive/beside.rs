//! A stored experiment as the other side of a comparison: with another stored one, or with commands
//! that are about to run. Refuses sides that are not comparable.

use std::str::FromStr;

use findings::Document;
use model::commission::Commission;
use model::design::contrasts::{Earlier, Elsewhere};
use model::failure::Failure;
use model::host::{Difference, MachineClass};
use model::spec::copies::Copies;
use store::{ExperimentId, ExperimentState, Store, StoredExperiment};
use words::counted;

use super::exporting::{Drawn, drawn};
use super::{own_document, stored, without_a_round};
use crate::assemble::old_side::{Side, with_side};

/// An experiment as typed: its number, and one of its commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct With {
    /// The experiment.
    pub experiment: ExperimentId,
    /// The name of the command; `None` for the first one.
    pub name: Option<String>,
}

impl FromStr for With {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, name) = match text.split_once(':') {
            Some((number, name)) => (number, Some(name.to_owned())),
            None => (text, None),
        };
        let experiment = number.parse().map(ExperimentId).map_err(
            |_| "expected the number of an experiment, as `brisk list` shows it, or NUMBER:NAME",
        )?;
        Ok(Self { experiment, name })
    }
}

/// Finds the side of a stored experiment for a comparison with commands on this machine, each in
/// this number of copies, and the other experiments of the same command.
///
/// # Errors
///
/// When the store cannot be read, or the experiment is not comparable with commands that run here.
pub fn find(store: &Store, with: &With, copies: &[Option<Copies>]) -> Result<Earlier, Failure> {
    let id = with.experiment;
    let old = stored(store, id)?;
    let because =
        |why: String| Failure::new(format!("cannot compare with experiment {id}")).because(why);
    if let Some(failure) = refusal(store, &old, &because)? {
        return Err(failure);
    }
    let here = MachineClass::here();
    let different = here.differences(&(&old.circumstances).into());
    if !different.is_empty() {
        return Err(because(words(
            &different,
            "it ran on another machine",
            &Difference::from_here,
        ))
        .hint(Some("name both commands: then they are measured together, here")));
    }
    let variant = variant(&old, with.name.as_deref())?;
    if let Some(why) = other_copies(&old, variant, copies) {
        return Err(because(why).hint(Some("run as many copies as it did: `--copies N`")));
    }
    with_further(store, Elsewhere { experiment: id.0, variant }, &here)
}

/// The reason that another number of copies at once makes a stored variant incomparable, if it
/// does.
fn other_copies(old: &StoredExperiment, variant: u32, new: &[Option<Copies>]) -> Option<String> {
    let own = old.commission.variants.get(variant as usize)?.labels.copies;
    let other = new.iter().find(|copies| **copies != own)?;
    let words = |copies: Option<Copies>| match copies {
        None => "a command alone".to_owned(),
        Some(copies) => {
            format!("{} at once on {}", copies.words(), counted(copies.processors, "processor"))
        }
    };
    Some(format!("it measured {}, and this would be {}", words(own), words(*other)))
}

/// The outcome of comparing two experiments.
#[derive(Debug)]
pub enum Beside {
    /// The page.
    Compared(Drawn),
    /// They are not comparable, for this reason.
    Refused(Failure),
}

/// The page of an experiment with its commands compared with one of another experiment.
pub fn beside(
    store: &Store,
    with: &With,
    new: ExperimentId,
    most_runs: u64,
) -> Result<Beside, Failure> {
    let old = with.experiment;
    let cannot = || Failure::new(format!("cannot compare experiment {new} with experiment {old}"));
    if old == new {
        let why = "they are the same; its own page compares its commands";
        return Ok(Beside::Refused(cannot().because(why)));
    }
    let (before, after) = (stored(store, old)?, stored(store, new)?);
    for one in [&before, &after] {
        let because = |why: String| cannot().because(format!("{}: {why}", one.id));
        if let Some(failure) = refusal(store, one, &because)? {
            return Ok(Beside::Refused(failure));
        }
    }
    let [here, there] = [&after, &before].map(|one| MachineClass::from(&one.circumstances));
    let different = here.differences(&there);
    if !different.is_empty() {
        let [new, old] = [new, old].map(|id| format!("experiment {id}"));
        let told = |one: &Difference| one.between(&new, &old);
        let why = words(&different, "they ran on different machines", &told);
        return Ok(Beside::Refused(cannot().because(why)));
    }
    if after.commission.contrasts.earlier.is_some() {
        let why = format!("{new} is compared with a stored experiment already: see its own page");
        return Ok(Beside::Refused(cannot().because(why)));
    }
    let variant = match variant(&before, with.name.as_deref()) {
        Ok(variant) => variant,
        Err(failure) => return Ok(Beside::Refused(failure)),
    };
    let copies: Vec<Option<Copies>> =
        after.commission.variants.iter().map(|one| one.labels.copies).collect();
    if let Some(why) = other_copies(&before, variant, &copies) {
        return Ok(Beside::Refused(cannot().because(why)));
    }
    let earlier = with_further(store, Elsewhere { experiment: old.0, variant }, &here)?;
    let document = own_document(store, new, &after)?;
    let mut commission = after.commission;
    let count = u32::try_from(commission.variants.len()).expect("at most 2^20");
    commission.contrasts = commission.contrasts.with_earlier(count, Some(earlier.clone()));
    let document = compared(document, store, &commission, &earlier)?;
    let title = format!("experiment {new} compared with experiment {old}");
    let drawn = drawn(store, new, &document, most_runs)?;
    Ok(Beside::Compared(Drawn { title, ..drawn }))
}

/// All differences, one a line; if only the machine's state differs, the text says so.
fn words(
    different: &[Difference],
    of_another: &str,
    told: &dyn Fn(&Difference) -> String,
) -> String {
    let of_another = match different.iter().any(|one| one.is_of_the_machine) {
        true => of_another,
        false => "the machine was in another state",
    };
    let all: Vec<String> = different.iter().map(told).collect();
    format!("{of_another}: {}", all.join("\n"))
}

/// The reason that an experiment cannot be a side, whatever the machine; `None` if it can.
fn refusal(
    store: &Store,
    stored: &StoredExperiment,
    because: &dyn Fn(String) -> Failure,
) -> Result<Option<Failure>, Failure> {
    let commission = &stored.commission;
    let why = if commission.variants.iter().any(|variant| variant.labels.benchmark.is_some()) {
        "it measured the benchmarks inside a program, not commands"
    } else if commission.rule.sweep.is_some() {
        "it is a sweep, not a comparison of commands"
    } else if stored.state == ExperimentState::Running {
        "it is still running"
    } else if stored.rounds == 0 || own_document(store, stored.id, stored)?.experiment.rounds == 0 {
        return Ok(Some(without_a_round(stored)));
    } else {
        return Ok(None);
    };
    Ok(Some(because(why.to_owned())))
}

/// The experiment's variant of this name; the first one without a name.
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

/// More experiments of one command hardly improve the estimate of their spread.
const MOST_FURTHER: usize = 20;

/// A stored variant, with the other experiments of its command on the same machine.
fn with_further(store: &Store, with: Elsewhere, here: &MachineClass) -> Result<Earlier, Failure> {
    let id = ExperimentId(with.experiment);
    let same = store.of_command(id, with.variant, MOST_FURTHER)?;
    let mut further = Vec::new();
    for (id, variant) in same {
        if here.is_same(&(&stored(store, id)?.circumstances).into()) {
            further.push(Elsewhere { experiment: id.0, variant });
        }
    }
    Ok(Earlier { with, further })
}

/// The document with the stored experiment as the other side, as if it had been requested with it.
pub(super) fn compared(
    document: Document,
    store: &Store,
    given: &Commission,
    Earlier { with, further }: &Earlier,
) -> Result<Document, Failure> {
    let members = given.contrasts.members(given.metrics.as_deref(), &given.rule);
    let own = side(store, *with)?;
    let further: Result<Vec<Side>, Failure> = further.iter().map(|one| side(store, *one)).collect();
    Ok(with_side(document, &own, &further?, &members))
}

fn side(store: &Store, place: Elsewhere) -> Result<Side, Failure> {
    let id = ExperimentId(place.experiment);
    let experiment = stored(store, id)?;
    let document = own_document(store, id, &experiment)?;
    let Some(variant) = experiment.commission.variants.get(place.variant as usize) else {
        return Err(Failure::new(format!("experiment {id} has no variant {}", place.variant)));
    };
    Ok(Side {
        experiment: place.experiment,
        date: words::date(&document),
        part: variant.clone(),
        summaries: document.summaries_of(place.variant).cloned().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_is_a_number_and_perhaps_a_name() {
        let typed =
            |text: &str| text.parse::<With>().ok().map(|with| (with.experiment.0, with.name));
        assert_eq!(typed("12"), Some((12, None)));
        assert_eq!(typed("12:sort -k 1:2"), Some((12, Some("sort -k 1:2".to_owned()))));
        for text in ["", "x", ":name", "1.5"] {
            assert_eq!(typed(text), None, "{text}");
        }
    }
}
