//! Flame graphs: stacks as boxes, as wide as what was executed in them.

use std::collections::BTreeSet;
use std::io;

use draw::flame::{Flame, Stack};

use super::stacks::{StackKind, Stacks};

/// Draws one program, or what changed since `before`, as SVG.
///
/// # Errors
///
/// When there is nothing to draw.
pub fn svg(name: &str, before: Option<(&str, &Stacks)>, after: &Stacks) -> io::Result<String> {
    let title = match before {
        Some((old, _)) => format!("{name}, compared with {old}"),
        None => name.to_owned(),
    };
    let before = before.map(|(_, stacks)| stacks);
    let mut all: BTreeSet<&Vec<String>> = after.counts.keys().collect();
    all.extend(before.iter().flat_map(|before| before.counts.keys()));
    let count = |stacks: &Stacks, stack| stacks.counts.get(stack).copied().unwrap_or(0);
    let stacks = all.into_iter().map(|stack| Stack {
        frames: stack.clone(),
        count: count(after, stack),
        before: before.map(|before| count(before, stack)),
    });
    let (subtitle, unit) = (subtitle(before, after), "instructions".to_owned());
    let flame = Flame { title, subtitle, unit, stacks: stacks.collect() };
    flame.scene().map(|scene| scene.svg()).map_err(io::Error::other)
}

/// What the picture is, and what it is not.
fn subtitle(before: Option<&Stacks>, after: &Stacks) -> String {
    let boxes = match kind(before, after) {
        StackKind::Callers => "stacks as callgrind counted them",
        StackKind::Objects => "no stacks: programs and libraries with their functions",
    };
    match before {
        None => format!("{boxes}; widths: instructions"),
        Some(_) => format!(
            "{boxes}; widths: instructions after; red: executes more itself than before, blue: \
             less; what is gone is not in it"
        ),
    }
}

/// Pictures show what both sides have.
fn kind(before: Option<&Stacks>, after: &Stacks) -> StackKind {
    match before {
        Some(before) if before.kind != after.kind => StackKind::Objects,
        _ => after.kind,
    }
}
