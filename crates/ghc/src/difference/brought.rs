//! Detection of inlined code: the nodes of one binding within another.

use std::collections::HashMap;

use super::tokens::Token;
use super::view::View;
use crate::causes::Site;
use crate::core::tree::Expr;

/// Code with fewer nodes is found everywhere.
const TELLING_NODES: usize = 4;

/// The least part of a function's code that must be among the surplus nodes of another binding.
#[derive(Clone, Copy)]
pub(super) struct Least {
    /// The share of its code.
    pub(super) of_its: f64,
    /// Alternatively the share of the surplus, and its size: a function may have grown since it was
    /// inlined there.
    pub(super) of_more: Option<(f64, usize)>,
}

/// True if much of a function's code is in the surplus of another binding; it is then removed from
/// the surplus.
pub(super) fn brought(
    view: &View<'_>,
    candidate: Site,
    least: Least,
    more: &mut HashMap<u64, usize>,
) -> bool {
    let core = view.side.names.program.module_of(candidate).core();
    let binding = view.side.names.program.binding(candidate);
    if core.parameters(binding) == 0 {
        return false;
    }
    let telling = |token: &&Token| {
        // Its parameters are gone after inlining, and names alone say little.
        !matches!(core.exprs[token.expr], Expr::Lambda(..)) && token.exact == token.loose
    };
    let its: Vec<u64> = view.rows[&candidate].iter().filter(telling).map(|it| it.loose).collect();
    if its.len() < TELLING_NODES {
        return false;
    }
    let mut taken: HashMap<u64, usize> = HashMap::new();
    for node in &its {
        let there = more.get(node).copied().unwrap_or(0);
        let count = taken.entry(*node).or_default();
        if *count < there {
            *count += 1;
        }
    }
    let count: usize = taken.values().sum();
    let is_most = |share: f64, of: usize| count as f64 >= share * of as f64;
    let is_rest =
        least.of_more.is_some_and(|(share, of)| count >= TELLING_NODES && is_most(share, of));
    if !is_most(least.of_its, its.len()) && !is_rest {
        return false;
    }
    for (node, count) in taken {
        if let Some(there) = more.get_mut(&node) {
            *there -= count;
        }
    }
    true
}

/// The number by which each node is more frequent in one row than in another; local names are
/// ignored.
pub(super) fn surplus(row: &[Token], other: &[Token]) -> HashMap<u64, usize> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for token in row.iter().filter(|token| token.exact == token.loose) {
        *counts.entry(token.loose).or_default() += 1;
    }
    for token in other {
        if let Some(count) = counts.get_mut(&token.loose) {
            *count = count.saturating_sub(1);
        }
    }
    counts
}
