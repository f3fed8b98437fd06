//! Reasons to doubt the results for a program: parts that do not belong together, or that could not
//! be read.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::costs::Coverage;
use super::program::{Module, Program};
use crate::core::Dump;
use crate::core::names::split_unique;
use crate::core::tree::Key;
use crate::ticky::Missing;

/// A reason to doubt an examination.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// Some bindings of a dump could not be read.
    Unread {
        /// The module.
        module: String,
        /// Their number.
        bindings: usize,
        /// The first of them: its line and the problem.
        first: String,
    },
    /// Two dumps are of the same module.
    Twice {
        /// The module.
        module: String,
    },
    /// Some dumps were written by an older GHC than others.
    Compilers {
        /// A module of the older one.
        old: String,
        /// A module of the newer one.
        new: String,
    },
    /// The two dumps of a module are from different compilations.
    Compilations {
        /// The module.
        module: String,
    },
    /// Much of the counted code has no binding in the dumps of its modules.
    OtherBuild {
        /// Its share of the rows with a unique in their names, or of all, from 0 to 1.
        share: f64,
    },
    /// The counters lack something.
    Counters(Missing),
}

impl fmt::Display for Doubt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread { module, bindings: 1, first } => {
                write!(formatter, "a part of `{module}`'s dump could not be read: {first}")
            }
            Self::Unread { module, bindings, first } => write!(
                formatter,
                "{bindings} parts of `{module}`'s dump could not be read, the first: {first}"
            ),
            Self::Twice { module } => write!(
                formatter,
                "there are several dumps of a module `{module}`; costs go to the last one"
            ),
            Self::Compilers { old, new } => write!(
                formatter,
                "the dumps are of different compilers: that of `{old}` writes strictness as GHC 9.0 \
                 does, that of `{new}` as GHC 9.6 does"
            ),
            Self::Compilations { module } => write!(
                formatter,
                "the dumps of `{module}`, before and after CorePrep, are of different compilations: \
                 their names do not agree"
            ),
            Self::OtherBuild { share } => write!(
                formatter,
                "{:.0} % of the counted closures are in no dump under their names: the counters are of \
                 another build",
                share * 100.0
            ),
            Self::Counters(missing) => write!(formatter, "{missing}"),
        }
    }
}

/// The largest share of rows without a binding. Above it, the counters are of another program, or
/// dumps are missing. Arbitrary: all rows of one build have a binding.
const MOST_UNPLACED: f64 = 0.2;

/// The same for rows with uniques. Across two builds some may agree by chance, or because little
/// changed.
const MOST_STRANGERS: f64 = 0.2;

/// All doubts about a program. `coverage` is that of its examination.
pub fn doubts(program: &Program, coverage: Option<&Coverage>) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    let mut names = HashSet::new();
    for module in &program.modules {
        doubts.extend(unread(module));
        if !names.insert(&module.name) {
            doubts.push(Doubt::Twice { module: module.name.clone() });
        }
        if module.prep.as_ref().is_some_and(|prep| are_strangers(module, prep)) {
            doubts.push(Doubt::Compilations { module: module.name.clone() });
        }
    }
    doubts.extend(compilers(program));
    doubts.extend(coverage.and_then(other_build));
    let missing = program.ticky.iter().flat_map(|profile| &profile.closures).find_map(|row| {
        // Causes need entries, but not the bytes of each closure.
        row.entries.err()
    });
    doubts.extend(missing.map(Doubt::Counters));
    doubts
}

fn other_build(coverage: &Coverage) -> Option<Doubt> {
    if let Some(share) = coverage.stranger_share.filter(|share| *share > MOST_STRANGERS) {
        return Some(Doubt::OtherBuild { share });
    }
    // For modules without a dump, the gap is already known.
    let unplaced = coverage.unplaced_rows.saturating_sub(coverage.undumped_rows);
    let share = unplaced as f64 / coverage.rows as f64;
    (share > MOST_UNPLACED).then_some(Doubt::OtherBuild { share })
}

fn unread(module: &Module) -> Option<Doubt> {
    let dumps = [Some(&module.dump), module.prep.as_ref()];
    let dumps = dumps.into_iter().flatten();
    let first = dumps.clone().find_map(|dump| dump.problems.first())?;
    Some(Doubt::Unread {
        module: module.name.clone(),
        bindings: dumps.map(|dump| dump.unread_parts).sum(),
        first: first.to_string(),
    })
}

/// True if the uniques of the top level's names differ: each compilation assigns new ones. Names in
/// one dump only say nothing, because CorePrep drops unused bindings.
fn are_strangers(module: &Module, prep: &Dump) -> bool {
    let Some(pass) = prep.passes.last() else { return false };
    let mut theirs: HashMap<&str, HashSet<&str>> = HashMap::new();
    for top in prep.tops(pass) {
        let name = prep.core.text(prep.core.bindings[top.binding].name);
        if let Some((stem, unique)) = split_unique(name) {
            theirs.entry(stem).or_default().insert(unique);
        }
    }
    let own = (0..module.len()).filter_map(|top| split_unique(module.top_name(top)));
    let of_both = own.filter_map(|(stem, unique)| Some(theirs.get(stem)?.contains(unique)));
    let (same, other): (Vec<bool>, Vec<bool>) = of_both.partition(|is_same| *is_same);
    other.len() > same.len()
}

/// Between 9.0 and 9.6 GHC began to write strictness in another way: `<S,1*U>` became `<1L>`.
fn compilers(program: &Program) -> Option<Doubt> {
    let is_old = |module: &Module| -> Option<bool> {
        let core = module.core();
        let strictness = |top| core.attribute(module.binding(top).info, Key::Strictness);
        let first = (0..module.len()).filter_map(strictness).find(|text| text.contains('<'))?;
        Some(has_outer_comma(first))
    };
    let of = |old: bool| program.modules.iter().find(|module| is_old(module) == Some(old));
    let (old, new) = (of(true)?, of(false)?);
    Some(Doubt::Compilers { old: old.name.clone(), new: new.name.clone() })
}

/// True if there is a comma outside round brackets, as in `<S(LL),1*U(U,U)>`, but not `<1!P(L,L)>`.
fn has_outer_comma(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().any(|letter| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        letter == ',' && depth == 0
    })
}
