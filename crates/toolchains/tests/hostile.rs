//! No input makes a parser panic, and what it reads is what was written.

use proptest::prelude::*;
use toolchains::cachegrind;

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = cachegrind::totals(&text);
    }

    /// Close to the real thing, so that most of the parser is reached.
    #[test]
    fn any_events_and_sums_are_read_or_refused(
        events in prop::collection::vec("[A-Z][a-z0-9]{0,4}", 0..15),
        sums in prop::collection::vec("[0-9,-]{0,25}", 0..15),
    ) {
        let text = format!("events: {}\nsummary: {}\n", events.join(" "), sums.join(" "));
        let _ = cachegrind::totals(&text);
    }

    #[test]
    fn sums_are_found_whatever_the_order_of_the_columns(
        shuffled in Just(vec!["Ir", "I1mr", "ILmr", "D1mr", "D1mw", "Bcm", "Bim"]).prop_shuffle(),
        sums in prop::collection::vec(0_u64..1 << 50, 7),
    ) {
        let words: Vec<String> = sums.iter().map(u64::to_string).collect();
        let text = format!("events: {}\nsummary: {}\n", shuffled.join(" "), words.join(" "));
        let of = |event| sums[shuffled.iter().position(|&name| name == event).expect("listed")];
        let totals = cachegrind::totals(&text).expect("a sound file");
        prop_assert_eq!(totals.instructions, Some(of("Ir")));
        prop_assert_eq!(totals.last_level_references, Some(of("I1mr") + of("D1mr") + of("D1mw")));
        prop_assert_eq!(totals.branch_misses, Some(of("Bcm") + of("Bim")));
        prop_assert_eq!(totals.last_level_misses, None);
    }
}
