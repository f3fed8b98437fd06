//! Flame graphs: stacks as boxes, as wide as what was executed in them.
//!
//! Drawn by `inferno`. With two programs the widths are those of the new one, and the colours say
//! what changed (Gregg, "Differential Flame Graphs", 2014).

use std::collections::BTreeSet;
use std::io;

use inferno::flamegraph::{self, Options};

use super::stacks::{Kind, Stacks};

/// Draws one program, or what changed since `before`, as SVG.
///
/// # Errors
///
/// When there is nothing to draw.
pub fn svg(name: &str, before: Option<(&str, &Stacks)>, after: &Stacks) -> io::Result<String> {
    let folded = folded(before.map(|(_, stacks)| stacks), after);
    let mut options = Options::default();
    options.title = match before {
        Some((old, _)) => format!("{name}, compared with {old}"),
        None => name.to_owned(),
    };
    options.subtitle = Some(subtitle(before.map(|(_, stacks)| stacks), after));
    "instructions".clone_into(&mut options.count_name);
    "Function:".clone_into(&mut options.name_type);
    // The same numbers give the same picture.
    options.deterministic = true;
    let mut picture = Vec::new();
    flamegraph::from_lines(&mut options, folded.iter().map(String::as_str), &mut picture)
        .map_err(|error| io::Error::other(format!("cannot draw: {error}")))?;
    String::from_utf8(picture).map_err(io::Error::other)
}

/// What the picture is, and what it is not.
fn subtitle(before: Option<&Stacks>, after: &Stacks) -> String {
    let boxes = match kind(before, after) {
        Kind::Callers => "stacks as callgrind counted them",
        Kind::Objects => "no stacks: programs and libraries with their functions",
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
fn kind(before: Option<&Stacks>, after: &Stacks) -> Kind {
    match before {
        Some(before) if before.kind != after.kind => Kind::Objects,
        _ => after.kind,
    }
}

/// A line for each stack: frames with `;` between, and one count or two.
fn folded(before: Option<&Stacks>, after: &Stacks) -> Vec<String> {
    let mut stacks: BTreeSet<&Vec<String>> = after.counts.keys().collect();
    stacks.extend(before.iter().flat_map(|before| before.counts.keys()));
    let line = |stack: &Vec<String>| {
        let frames: Vec<String> = stack.iter().map(|frame| frame_name(frame)).collect();
        let new = after.counts.get(stack).copied().unwrap_or(0);
        let counts = match before {
            Some(before) => {
                format!("{} {new}", before.counts.get(stack).copied().unwrap_or(0))
            }
            None => new.to_string(),
        };
        format!("{} {counts}", frames.join(";"))
    };
    stacks.into_iter().map(line).collect()
}

/// The name without what the format of folded stacks gives a meaning.
fn frame_name(name: &str) -> String {
    name.replace(';', ":").replace(char::is_whitespace, "\u{a0}")
}
