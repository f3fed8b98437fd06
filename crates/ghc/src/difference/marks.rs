//! The differing expressions of two versions of a binding.

use std::collections::HashSet;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::align::{Side, rows};
use super::tokens::Token;
use crate::causes::Site;
use crate::core::Core;
use crate::core::tree::{Expr, Id};

/// Comparing takes time in proportion to the product of the lengths, at worst.
const MOST_TOKENS: usize = 6000;

/// The outermost expressions of a binding that the other version does not have, before and after.
/// Empty if the two are too large to be compared, or have nothing in common.
#[must_use]
pub(super) fn differing(
    before: &Side<'_>,
    ours: Site,
    after: &Side<'_>,
    theirs: Site,
) -> [Vec<Id<Expr>>; 2] {
    let row = |side: &Side<'_>, site: Site| {
        rows(&side.names, site, &|name| side.names.label(site.module, name))
    };
    let (left, right) = (row(before, ours), row(after, theirs));
    if left.len().max(right.len()) > MOST_TOKENS {
        return [Vec::new(), Vec::new()];
    }
    let loose = |row: &[Token]| row.iter().map(|token| token.loose).collect::<Vec<_>>();
    let operations = capture_diff_slices(Algorithm::Myers, &loose(&left), &loose(&right));
    let mut marked = [HashSet::new(), HashSet::new()];
    for operation in operations {
        if let DiffOp::Equal { .. } = operation {
            continue;
        }
        marked[0].extend(left[operation.old_range()].iter().map(|token| token.expr));
        marked[1].extend(right[operation.new_range()].iter().map(|token| token.expr));
    }
    [
        outermost(before.names.program.module_of(ours).core(), before, ours, &marked[0]),
        outermost(after.names.program.module_of(theirs).core(), after, theirs, &marked[1]),
    ]
}

/// The marked expressions that are not within another marked one. A whole lambda, case or let is
/// not marked for its first node: the new parts in it are marked separately.
fn outermost(
    core: &Core,
    side: &Side<'_>,
    site: Site,
    marked: &HashSet<Id<Expr>>,
) -> Vec<Id<Expr>> {
    let mut found = Vec::new();
    let mut inside: HashSet<Id<Expr>> = HashSet::new();
    for it in core.walk(side.names.program.binding(site).right) {
        let is_inside = inside.contains(&it);
        let is_block = matches!(core.exprs[it], Expr::Lambda(..) | Expr::Let(..) | Expr::Case(..));
        let is_marked = marked.contains(&it) && !is_block;
        if is_marked && !is_inside {
            found.push(it);
        }
        if is_inside || is_marked {
            core.children(it, |child| {
                inside.insert(child);
            });
        }
    }
    found
}
