//! Modules compiled without optimisation.
//!
//! All other findings about them can wait. It shows in the Core: an optimising GHC records the
//! strictness of every function, and without `-O` of none.

use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Change, Evidence, Finding, Remedy};
use super::program::{Module, Site};
use crate::core::tree::Key;

/// Modules compiled without optimisation.
pub(super) static CAUSE: Cause = Cause {
    id: "missing-optimisation",
    title: "compiled without optimisation",
    about: "The module was compiled with `-O0`, GHC's default when it is called by hand. Nothing is \
            inlined across functions, every number is boxed, and every overloaded function is passed \
            its dictionaries.",
    seed: "GHC User's Guide, `-O`: the default is `-O0`",
    needs: &[Need::IdInfo],
    // Between factors of 2 and 20 on the programs of the test pairs.
    explains: 0.9,
    paid: Paid::Allocations,
    find,
};

/// Fewer functions prove nothing.
const LEAST_FUNCTIONS: usize = 2;

fn find(look: &Look<'_>) -> Vec<Finding> {
    look.modules().filter_map(|(number, module)| in_module(number, module)).collect()
}

fn in_module(number: usize, module: &Module) -> Option<Finding> {
    let core = module.core();
    let functions: Vec<usize> = (0..module.len())
        .filter(|top| {
            let binding = module.binding(*top);
            // Code that GHC generates for data types has no strictness at any level.
            core.arity(binding).is_some_and(|arity| arity > 0)
                && core.attribute(binding.info, Key::Details).is_none()
        })
        .collect();
    let is_analysed =
        |top: &usize| core.attribute(module.binding(*top).info, Key::Strictness).is_some();
    if functions.len() < LEAST_FUNCTIONS || functions.iter().any(is_analysed) {
        return None;
    }
    let site = Site { module: number, top: *functions.first()? };
    let every = (0..module.len()).map(|top| Site { module: number, top });
    Some(Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: format!(
            "module `{}` was compiled without optimisation: GHC analysed none of its {} functions",
            module.name,
            functions.len()
        ),
        evidence: vec![Evidence { site, within: None, focus: Vec::new() }],
        remedy: Remedy {
            text: "compile with `-O1` or `-O2` (in a cabal file `ghc-options: -O2`; look for \
                   `optimization: False` in `cabal.project` and `{-# OPTIONS_GHC -O0 #-}` in the module)"
                .to_owned(),
            change: Some(Change::CompilerOption("-O1".to_owned())),
        },
        why: "GHC optimises only when it is told to; cabal tells it by default, unless the project \
              says otherwise."
            .to_owned(),
        basis: Basis::sites(every),
    })
}
