//! Names beside points: each where it hides least, without overlaps.

use super::label::{Anchor, Label, Rect};
use super::plot::SIZE;
use super::shape::Segment;
use super::text::{Face, shorten};

/// The maximum length of names.
const LONGEST: f64 = 260.0;
/// The additional distance that counts for a name that hides a mark or a part of a line.
const HIDING: f64 = 12.0;
/// The distance from which a line leads from the name to its point.
const LEADER_FROM: f64 = 14.0;

/// A name that needs a position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    /// The position of the point.
    pub(crate) x: f64,
    /// See `x`.
    pub(crate) y: f64,
    /// The radius of its mark.
    pub(crate) reach: f64,
    /// The name.
    pub(crate) text: String,
}

/// A name in its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Name {
    /// The text.
    pub(crate) label: Label,
    /// The line from its point to the name, unless that is just beside it.
    pub(crate) leader: Option<Segment>,
}

/// The names within `area`, in order of priority; names that do not fit are left out.
pub(crate) fn place(wanted: &[Wanted], obstacles: &[Rect], area: Rect) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for one in wanted {
        let taken: Vec<Rect> = names.iter().map(|name| name.label.bounds()).collect();
        let cost = |(label, distance): &(Label, f64)| {
            let bounds = label.bounds();
            let is_possible =
                area.holds(&bounds) && !taken.iter().any(|other| other.overlaps(&bounds));
            let hidden = obstacles.iter().filter(|obstacle| obstacle.overlaps(&bounds)).count();
            is_possible.then_some(distance + HIDING * hidden as f64)
        };
        let costs = candidates(one).into_iter().filter_map(|it| cost(&it).map(|cost| (cost, it)));
        let best = costs.min_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((_, (label, distance))) = best {
            let leader = (distance >= LEADER_FROM).then(|| leader(one, &label));
            names.push(Name { label, leader });
        }
    }
    names
}

/// The positions around the point, the nearest and most readable first, each with its distance.
fn candidates(wanted: &Wanted) -> Vec<(Label, f64)> {
    let text = shorten(&wanted.text, Face::Sans, SIZE, LONGEST);
    let mut all = Vec::new();
    for (ring, distance) in [3.0, 8.0, 16.0, 28.0, 44.0, 64.0, 90.0, 120.0].into_iter().enumerate()
    {
        let reach = wanted.reach + distance;
        for (turn, (across, down, anchor)) in DIRECTIONS.into_iter().enumerate() {
            let (x, y) = (wanted.x + across * reach, wanted.y + down * (reach + 0.5 * SIZE));
            let label = Label::words(text.clone(), SIZE, x, y, "named").anchored(anchor).centred();
            let preference = 0.2 * (turn + ring) as f64;
            all.push((label, distance + preference));
        }
    }
    all
}

/// The directions of a name from its point, and the end that is there.
const DIRECTIONS: [(f64, f64, Anchor); 8] = [
    (1.0, 0.0, Anchor::Start),
    (0.7, -0.7, Anchor::Start),
    (0.0, -1.0, Anchor::Middle),
    (0.7, 0.7, Anchor::Start),
    (0.0, 1.0, Anchor::Middle),
    (-1.0, 0.0, Anchor::End),
    (-0.7, -0.7, Anchor::End),
    (-0.7, 0.7, Anchor::End),
];

/// The line from the edge of the mark to the nearest point of the name's edge.
fn leader(wanted: &Wanted, label: &Label) -> Segment {
    let bounds = label.bounds();
    let (to_x, to_y) =
        (wanted.x.clamp(bounds.left, bounds.right), wanted.y.clamp(bounds.top, bounds.bottom));
    let (across, down) = (to_x - wanted.x, to_y - wanted.y);
    let share = (wanted.reach / across.hypot(down).max(wanted.reach)).min(1.0);
    [wanted.x + share * across, wanted.y + share * down, to_x, to_y]
}

/// A line as small rectangles, as an obstacle for names.
pub(crate) fn along([from_x, from_y, to_x, to_y]: Segment) -> Vec<Rect> {
    let steps = ((to_x - from_x).hypot(to_y - from_y) / 8.0).ceil().clamp(1.0, 400.0);
    let part = |index: usize| {
        let share = (index as f64 + 0.5) / steps;
        let (x, y) = (from_x + share * (to_x - from_x), from_y + share * (to_y - from_y));
        Rect { left: x - 1.0, top: y - 1.0, right: x + 1.0, bottom: y + 1.0 }
    };
    (0..steps as usize).map(part).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AREA: Rect = Rect { left: 0.0, top: 0.0, right: 680.0, bottom: 240.0 };

    fn wanted(x: f64, y: f64, text: &str) -> Wanted {
        Wanted { x, y, reach: 5.0, text: text.to_owned() }
    }

    #[test]
    fn a_name_is_to_the_right_of_its_point_unless_something_is_there() {
        let free = place(&[wanted(100.0, 100.0, "best")], &[], AREA);
        assert_eq!((free[0].label.x, free[0].label.anchor), (108.0, Anchor::Start));
        assert_eq!(free[0].leader, None);
        let mark = Rect { left: 110.0, top: 90.0, right: 120.0, bottom: 110.0 };
        let beside = place(&[wanted(100.0, 100.0, "best")], &[mark], AREA);
        assert!(!mark.overlaps(&beside[0].label.bounds()));
        let at_the_edge = place(&[wanted(679.0, 100.0, "best")], &[], AREA);
        assert!(AREA.holds(&at_the_edge[0].label.bounds()));
    }

    #[test]
    fn a_name_in_a_crowd_is_led_to() {
        let crowd: Vec<Rect> = (0..100)
            .map(|n| {
                let (x, y) = (80.0 + f64::from(n % 10) * 5.0, 85.0 + f64::from(n / 10) * 5.0);
                Rect { left: x - 2.0, top: y - 2.0, right: x + 2.0, bottom: y + 2.0 }
            })
            .collect();
        let names = place(&[wanted(100.0, 100.0, "best")], &crowd, AREA);
        let leader = names[0].leader.expect("it is not near");
        let bounds = names[0].label.bounds();
        assert!(crowd.iter().all(|mark| !mark.overlaps(&bounds)));
        let distance = (leader[0] - 100.0).hypot(leader[1] - 100.0);
        assert!((distance - 5.0).abs() < 1e-9, "it begins at the edge of the mark");
    }

    proptest! {
        #[test]
        fn names_are_inside_and_apart(
            given in prop::collection::vec((0.0..680.0_f64, 0.0..240.0_f64, "\\PC{1,50}"), 1..8),
        ) {
            let wanted: Vec<Wanted> = given.iter().map(|(x, y, text)| wanted(*x, *y, text)).collect();
            let names = place(&wanted, &[], AREA);
            prop_assert!(!names.is_empty());
            for (index, name) in names.iter().enumerate() {
                prop_assert!(AREA.holds(&name.label.bounds()));
                for other in &names[index + 1..] {
                    prop_assert!(!name.label.bounds().overlaps(&other.label.bounds()));
                }
            }
        }
    }
}
