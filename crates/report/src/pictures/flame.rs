//! Flame graphs: stacks as boxes, as wide as their share of instructions.

use draw::flame::{Flame, Stack};

use findings::instructions::InstructionCounts;
use findings::instructions::StackCounts;
use findings::instructions::StackKind;

/// The instructions of one program, or their change; `None` if no stacks were kept.
pub fn flame(part: &InstructionCounts) -> Option<Flame> {
    let kept = part.stacks.as_ref()?;
    let names: Vec<&str> = part.variants.iter().map(|one| one.name.as_str()).collect();
    let title = match names.as_slice() {
        [old, new] => format!("{new}, compared with {old}"),
        names => names.concat(),
    };
    let stack = |one: &StackCounts| Stack {
        frames: one.frames.clone(),
        count: one.counts.last().copied().unwrap_or(0),
        before: (one.counts.len() > 1).then(|| one.counts[0]),
    };
    Some(Flame {
        title,
        subtitle: subtitle(kept.kind, names.len() > 1),
        unit: "instructions".to_owned(),
        stacks: kept.stacks.iter().map(stack).collect(),
    })
}

/// The nature of the picture, and its limits.
fn subtitle(kind: StackKind, is_difference: bool) -> String {
    let boxes = match kind {
        StackKind::Callers => "stacks as callgrind counted them",
        StackKind::Objects => "no stacks: programs and libraries with their functions",
    };
    match is_difference {
        false => format!("{boxes}; widths: instructions"),
        true => format!(
            "{boxes}; widths: instructions after; red: executes more itself than before, blue: \
             less; what is gone is not in it"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::instructions::ProgramStacks;

    fn part(names: &[&str], stacks: &[(&str, &[u64])]) -> InstructionCounts {
        let variants: Vec<serde_json::Value> = names
            .iter()
            .map(
                |name| serde_json::json!({"name": name, "runs": 1, "total": {"low": 0, "high": 0}}),
            )
            .collect();
        let part = serde_json::json!(
            {"event": "Ir", "variants": variants, "functions": [], "notes": []}
        );
        let stack = |(frames, counts): &(&str, &[u64])| StackCounts {
            frames: frames.split(';').map(str::to_owned).collect(),
            counts: counts.to_vec(),
        };
        let stacks = stacks.iter().map(stack).collect();
        InstructionCounts {
            stacks: Some(ProgramStacks { kind: StackKind::Callers, stacks }),
            ..serde_json::from_value(part).expect("it is a part")
        }
    }

    #[test]
    fn pictures_name_functions_and_say_what_they_are() {
        let two = part(
            &["old", "new & old"],
            &[("main", &[5, 5]), ("main;f", &[0, 15]), ("main;f;g", &[0, 9])],
        );
        let picture =
            flame(&two).expect("there are stacks").scene().expect("it can be drawn").svg();
        let tree = roxmltree::Document::parse(&picture).expect("sound SVG");
        let texts: Vec<&str> = tree.descendants().filter_map(|node| node.text()).collect();
        let has = |words: &str| texts.iter().any(|text| text.contains(words));
        assert!(has("new & old, compared with old"));
        assert!(has("stacks as callgrind counted them"));
        assert!(has("g (9 instructions, 31.03%; +31.03%)"), "{texts:?}");
        let one = part(&["p"], &[("main", &[20]), ("main;g", &[9])]);
        let alone = flame(&one).expect("there are stacks").scene().expect("it can be drawn").svg();
        assert!(alone.contains("g (9 instructions, 31.03%)"));
        assert_eq!(flame(&InstructionCounts { stacks: None, ..one }), None);
    }
}
