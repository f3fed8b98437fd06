//! No input makes a parser panic, and parsing returns the written values.

use proptest::prelude::*;
use toolchains::cachegrind;
use toolchains::dhat;
use toolchains::runtime::executable::Search;
use toolchains::runtime::ghc::{figures, refusal};

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = cachegrind::totals(&text);
        let _ = dhat::read(text.as_bytes());
        let _ = dhat::read(
            format!("{{\"dhatFileVersion\":2,\"mode\":\"heap\",\"pps\":[{text}],\"ftbl\":[{text:?}]}}").as_bytes(),
        );
        let _ = figures(&text);
        let _ = refusal(&text);
    }

    /// Similar to the output of GHC's runtime, so that most of the parser is reached.
    #[test]
    fn any_line_and_any_list_is_read_or_refused(
        parts in prop::collection::vec(
            "[0-9.a/-]{0,22}( bytes| GCs| avg/max bytes residency \\(| samples\\)|M in use| MUT \\(| GC \\(|)",
            0..9,
        ),
        pairs in prop::collection::vec(("[a-zGC_]{1,9}", "[0-9.x-]{0,22}", "[\\])(,\"]{0,2}"), 0..9),
    ) {
        let _ = figures(&format!("<<ghc: {} :ghc>>", parts.join(", ")));
        let pairs: String =
            pairs.iter().map(|(key, value, end)| format!(",(\"{key}\", \"{value}\"){end}")).collect();
        let _ = figures(&format!("'p' \n [(\"bytes allocated\", \"7\")\n {pairs}\n ]"));
    }

    /// The figures of a line and a list are read unchanged, however large.
    #[test]
    fn any_sound_figures_are_read_as_they_are(
        allocated in any::<u64>(), collections in any::<u64>(), live in any::<u64>(),
        mebibytes in 0_u64..1 << 44, milliseconds in 0_u32..,
    ) {
        let seconds = f64::from(milliseconds) / 1e3;
        let line = format!(
            "<<ghc: {allocated} bytes, {collections} GCs, 1/{live} avg/max bytes residency (3 samples), \
             {mebibytes}M in use, 0.000 INIT (0.000 elapsed), {seconds:.3} MUT (1.000 elapsed), \
             {seconds:.3} GC (1.000 elapsed) :ghc>>"
        );
        let list = format!(
            " [(\"bytes allocated\", \"{allocated}\")\n ,(\"num_GCs\", \"{collections}\")\n \
             ,(\"max_bytes_used\", \"{live}\")\n ,(\"peak_megabytes_allocated\", \"{mebibytes}\")\n \
             ,(\"mut_cpu_seconds\", \"{seconds:.6}\")\n ,(\"GC_cpu_seconds\", \"{seconds:.6}\")\n ]\n"
        );
        for text in [line, list] {
            let found = figures(&text).expect("sound");
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(found[0].allocated_bytes, Some(allocated));
            prop_assert_eq!(found[0].collections, Some(collections));
            prop_assert_eq!(found[0].max_live_bytes, Some(live));
            prop_assert_eq!(found[0].max_in_use_bytes, Some(mebibytes << 20));
            prop_assert_eq!(found[0].gc_cpu_seconds, Some(seconds));
            prop_assert_eq!(found[0].mutator_cpu_seconds, Some(seconds));
        }
    }

    #[test]
    fn any_file_is_searched(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..9)) {
        let mut search = Search::default();
        for piece in &pieces {
            search.take(piece);
        }
        prop_assert!(search.runtime().is_none() || search.is_elf());
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
