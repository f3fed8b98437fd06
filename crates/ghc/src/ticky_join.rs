//! The bindings of Core that the rows of a ticky profile belong to.
//!
//! Names that are visible outside their module are the same in both; for the others, name and
//! unique are. GHC names local bindings and the parts of expressions that it binds (`sat_...`) in
//! its pass CorePrep, so only the dump of that pass (`-ddump-prep`) of the very same compilation
//! knows them.

use std::collections::HashMap;

use super::core::Dump;
use super::core::arena::Id;
use super::core::occurrence::{module, occurrence};
use super::core::tree::Binding;
use super::ticky::{Closure, Profile};

/// A binding of one of several dumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the dump, from 0.
    pub dump: usize,
    /// The binding.
    pub binding: Id<Binding>,
}

/// The bindings of the rows of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    /// For each closure of the profile the binding, or `None` if no dump has it.
    pub places: Vec<Option<Place>>,
    /// The share of the rows that no dump has; `None` if there are no rows.
    pub rows_without: Option<f64>,
    /// The share of the entries in those rows; `None` if entries are missing or zero.
    pub entries_without: Option<f64>,
    /// The share of the bytes that the code of those rows allocated; `None` if nothing was
    /// allocated.
    pub allocations_without: Option<f64>,
}

/// Finds the rows of a profile in the dumps of the named modules.
#[must_use]
pub fn join(profile: &Profile, dumps: &[(&str, &Dump)]) -> Join {
    let mut bindings = HashMap::new();
    for (number, (in_module, dump)) in dumps.iter().enumerate() {
        let core = &dump.core;
        for binding in core.bindings.ids() {
            let name = core.text(core.bindings[binding].name);
            let place = Place { dump: number, binding };
            // A module's own names may come without it.
            let full = match module(name) {
                Some(_) => name.to_owned(),
                None => format!("{in_module}.{name}"),
            };
            bindings.insert(as_latin(&full), place);
        }
    }
    let find = |closure: &Closure| -> Option<Place> {
        let name = &closure.name;
        let in_module = closure.module.as_deref()?;
        let full = match module(name) {
            Some(_) => name.clone(),
            None if name.starts_with(':') => name.clone(),
            None => format!("{in_module}.{name}"),
        };
        let with_unique = || {
            let unique = closure.unique.as_deref()?;
            bindings.get(&format!("{in_module}.{}_{unique}", occurrence(name))).copied()
        };
        bindings.get(&full).copied().or_else(with_unique)
    };
    let places: Vec<Option<Place>> = profile.closures.iter().map(find).collect();
    let share = |figure: fn(&Closure) -> Option<u64>| -> Option<f64> {
        let mut all = 0_u64;
        let mut without = 0_u64;
        for (closure, place) in profile.closures.iter().zip(&places) {
            let figure = figure(closure)?;
            all = all.checked_add(figure)?;
            if place.is_none() {
                without += figure;
            }
        }
        (all > 0).then(|| without as f64 / all as f64)
    };
    Join {
        rows_without: share(|_| Some(1)),
        entries_without: share(|closure| closure.entries.ok()),
        allocations_without: share(|closure| Some(closure.allocates_bytes)),
        places,
    }
}

/// A name as in the profile: the lowest eight bits of each character.
fn as_latin(name: &str) -> String {
    name.chars().map(|letter| char::from(letter as u32 as u8)).collect()
}
