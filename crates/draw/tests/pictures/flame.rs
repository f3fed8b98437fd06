//! Flame graphs.

use brisk_draw::flame::{Flame, Stack};
use brisk_draw::{DrawError, Element, Path};
use roxmltree::Document;

use super::*;

fn flame(stacks: &[(&[&str], u64, Option<u64>)]) -> Flame {
    let stack = |(frames, count, before): &(&[&str], u64, Option<u64>)| Stack {
        frames: frames.iter().map(|frame| (*frame).to_owned()).collect(),
        count: *count,
        before: *before,
    };
    Flame {
        title: "new & old".to_owned(),
        subtitle: "widths: instructions".to_owned(),
        unit: "instructions".to_owned(),
        stacks: stacks.iter().map(stack).collect(),
    }
}

#[test]
fn boxes_are_as_wide_as_their_counts_and_stand_on_their_callers() {
    let flame =
        flame(&[(&["main", "b<u8>"], 300, None), (&["main"], 100, None), (&["a"], 600, None)]);
    let scene = flame.scene().expect("something was counted");
    let text = scene.svg();
    let document = Document::parse(&text).expect("well-formed");
    let titles: Vec<&str> = with_class(&document, "stack").into_iter().map(title).collect();
    let expected = [
        "all (1000 instructions, 100.00%)",
        "main (400 instructions, 40.00%)",
        "b<u8> (300 instructions, 30.00%)",
        "a (600 instructions, 60.00%)",
    ];
    assert_eq!(titles, expected);
    let places: Vec<Rect> = scene
        .with_class("box")
        .into_iter()
        .filter_map(|element| Element::outlines(element).and_then(Path::bounds))
        .collect();
    let [all, main, b, a] = places[..] else { panic!("four boxes: {places:?}") };
    for (place, share) in [(main, 0.4), (b, 0.3), (a, 0.6)] {
        assert!((place.width() / all.width() - share).abs() < 1e-9, "{place:?}");
    }
    assert!(b.bottom < main.top && main.bottom < all.top && a.top == main.top);
    assert!(main.left <= b.left && b.right <= main.right && a.right <= main.left);
    assert_nothing_overlaps(&scene);
    assert!(text.contains("<script>") && text.contains("b&lt;u8&gt;"));
    picture(&scene);
}

#[test]
fn what_changed_is_in_colour_and_words() {
    let stacks: &[(&[&str], u64, Option<u64>)] = &[
        (&["f"], 60, Some(10)),
        (&["g"], 40, Some(90)),
        (&["h"], 100, Some(100)),
        (&["gone"], 0, Some(7)),
    ];
    let scene = flame(stacks).scene().expect("something was counted");
    let fill = |element: &&Element| match element {
        Element::Path { fill, .. } => fill.map(|colour| colour.hexadecimal()),
        _ => None,
    };
    let fills: Vec<String> = scene.with_class("box").iter().filter_map(fill).collect();
    let grey = "#f5f5f5".to_owned();
    // From the lowest up, right to left: all, h, g, f; then what is gone.
    let [less, more] = ["#6e6eff", "#ff6e6e"].map(str::to_owned);
    assert_eq!(fills, [grey.clone(), grey, less.clone(), more, less]);
    // The boxes have their colours, and nothing else is drawn on them.
    let picture = picture(&scene);
    let place = scene.with_class("box")[0].outlines().and_then(Path::bounds).expect("a box");
    for x in [place.left + 1.0, place.right - 40.0] {
        let [x, y] = [x, place.top + 1.0].map(|units| (units * 2.0).round() as u32);
        let pixel = picture.pixel(x, y).expect("inside");
        assert_eq!((pixel.red(), pixel.green(), pixel.blue()), (0xf5, 0xf5, 0xf5));
    }
    let text = scene.svg();
    assert!(text.contains("<title>f (60 instructions, 30.00%; +25.00%)</title>"));
    assert!(text.contains("<title>g (40 instructions, 20.00%; -25.00%)</title>"));
    assert!(text.contains("<title>gone (7 instructions before, 3.38%; gone)</title>"));
    assert_nothing_overlaps(&scene);
}

#[test]
fn thousands_of_deep_stacks_are_drawn_and_none_is_an_error() {
    let names: Vec<String> = (0..200).map(|depth| format!("f{depth}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stacks: Vec<(&[&str], u64, Option<u64>)> =
        (0..5000).map(|index| (&names[..1 + index % 200], 1 + index as u64 % 7, None)).collect();
    let scene = flame(&stacks).scene().expect("something was counted");
    assert_eq!(scene.with_class("stack").len(), 201);
    assert!(matches!(flame(&[]).scene(), Err(DrawError::NoStacks)));
    assert!(matches!(flame(&[(&["f"], 0, None)]).scene(), Err(DrawError::NoStacks)));
}
