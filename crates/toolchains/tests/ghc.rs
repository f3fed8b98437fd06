//! What GHC's runtime printed (`tests/ghc/make-samples` made it) is read as what it says.
//!
//! The expected values were read off the samples, and those of `line.txt` and `file.txt` agree with
//! what the runtime prints for people with `-s`, in `summary.txt`.

use toolchains::runtime::figures::{Figures, FiguresError};
use toolchains::runtime::ghc::{figures, refusal};

const CUT_OFF: FiguresError = FiguresError::CutOff { runtime: "GHC's runtime" };
const MALFORMED: FiguresError = FiguresError::Malformed { runtime: "GHC's runtime" };

const LINE: &str = include_str!("ghc/samples/line.txt");
const SMALL: &str = include_str!("ghc/samples/line-small.txt");
const FILE: &str = include_str!("ghc/samples/file.txt");
const THREADED: &str = include_str!("ghc/samples/file-threaded.txt");
const NONMOVING: &str = include_str!("ghc/samples/list-nonmoving.txt");
const SUMMARY: &str = include_str!("ghc/samples/summary.txt");
const REFUSED: &str = include_str!("ghc/samples/refused.txt");
const IGNORED: &str = include_str!("ghc/samples/ignored.txt");

fn only(text: &str) -> Figures {
    let found = figures(text).expect("sound");
    assert_eq!(found.len(), 1, "{text}");
    found[0]
}

#[test]
fn a_line_is_read() {
    let expected = Figures {
        allocated_bytes: Some(52_712_824),
        max_live_bytes: Some(3_699_648),
        max_in_use_bytes: Some(10 * 1024 * 1024),
        copied_bytes: None,
        collections: Some(51),
        gc_cpu_seconds: Some(0.042),
        mutator_cpu_seconds: Some(0.041),
        ..Figures::default()
    };
    assert_eq!(only(LINE), expected);
    let small = only(SMALL);
    assert_eq!((small.allocated_bytes, small.max_live_bytes), (Some(55_584), Some(44_376)));
    assert_eq!((small.collections, small.gc_cpu_seconds), (Some(1), Some(0.0)));
    // The program's own words before and after it change nothing.
    assert_eq!(only(&format!("done: <<ghc\n{LINE}\nbye")), expected);
}

#[test]
fn a_file_is_read() {
    let expected = Figures {
        allocated_bytes: Some(52_712_824),
        max_live_bytes: Some(3_699_648),
        max_in_use_bytes: Some(10_485_760),
        copied_bytes: Some(34_791_408),
        collections: Some(51),
        minor_collections: Some(44),
        major_collections: Some(7),
        gc_cpu_seconds: Some(0.031_098),
        mutator_cpu_seconds: Some(0.030_267),
        pause_seconds: Some(0.055_311),
        max_pause_seconds: Some(0.009_645),
        ..Figures::default()
    };
    assert_eq!(only(FILE), expected);
}

#[test]
fn what_the_summary_for_people_says_is_the_same() {
    let figures = only(FILE);
    let number_before = |words: &str| -> u64 {
        let line = SUMMARY.lines().find(|line| line.contains(words)).expect("it is there");
        let number: String = line.trim_start().chars().take_while(|c| *c != ' ').collect();
        number.replace(',', "").parse().expect("a number")
    };
    assert_eq!(figures.allocated_bytes, Some(number_before("bytes allocated in the heap")));
    assert_eq!(figures.copied_bytes, Some(number_before("bytes copied during GC")));
    assert_eq!(figures.max_live_bytes, Some(number_before("bytes maximum residency")));
    let mebibytes = number_before("MiB total memory in use");
    assert_eq!(figures.max_in_use_bytes, Some(mebibytes << 20));
    // Of two options the runtime obeys the last, and `-s` is no form that is read.
    assert_eq!(toolchains::runtime::ghc::figures(SUMMARY), Ok(Vec::new()));
}

#[test]
fn other_collectors_and_threads_add_keys_that_are_left_alone() {
    let threaded = only(THREADED);
    assert_eq!(threaded.allocated_bytes, Some(52_748_808));
    assert_eq!(threaded.max_live_bytes, Some(3_643_952));
    assert_eq!(threaded.max_in_use_bytes, Some(11_534_336));
    assert_eq!(threaded.gc_cpu_seconds, Some(0.041_408));
    let nonmoving = only(NONMOVING);
    assert_eq!(nonmoving.allocated_bytes, Some(52_712_520));
    assert_eq!(nonmoving.copied_bytes, Some(26_233_792));
    assert_eq!(nonmoving.mutator_cpu_seconds, Some(0.040_422));
}

#[test]
fn all_processes_of_a_run_are_found_in_their_order() {
    let all = figures(&[THREADED, "words\n", LINE, FILE].concat()).expect("sound");
    assert_eq!(all, [only(THREADED), only(LINE), only(FILE)]);
    let sum = all.into_iter().reduce(Figures::plus).expect("three");
    assert_eq!(sum.allocated_bytes, Some(52_748_808 + 2 * 52_712_824));
    assert_eq!(sum.max_live_bytes, Some(3_699_648), "a peak is no sum");
    assert_eq!(sum.collections, Some(3 * 51));
    assert_eq!(sum.copied_bytes, None, "one of them did not say it");
    assert_eq!(figures("nothing of that kind"), Ok(Vec::new()));
}

#[test]
fn a_sum_that_does_not_fit_is_lacking() {
    let most = Figures { allocated_bytes: Some(u64::MAX), ..only(FILE) };
    assert_eq!(most.plus(only(FILE)).allocated_bytes, None);
}

#[test]
fn figures_that_are_cut_off_are_refused_wherever_they_are_cut() {
    let begin = FILE.find('[').expect("a list");
    let last = FILE.rfind(']').expect("a list");
    for end in (begin + "[(\"bytes allocated\", ".len()..last).step_by(7) {
        assert_eq!(figures(&FILE[..end]), Err(CUT_OFF), "{}", &FILE[..end]);
    }
    // As at the beginning of the end of a long output.
    let tail = &FILE[FILE.find("bytes allocated").expect("the first key")..];
    assert_eq!(figures(tail), Err(CUT_OFF));
    assert_eq!(figures(&format!("{tail}{LINE}")), Err(CUT_OFF));
    assert_eq!(figures(&LINE[..LINE.len() - 8]), Err(CUT_OFF));
}

#[test]
fn what_is_no_number_is_refused() {
    for (from, to) in [
        ("52712824", "-1"),
        ("52712824", "5e3"),
        ("52712824", "99999999999999999999999"),
        ("51", "many"),
        ("10M", "99999999999999999M"),
        ("0.042 GC", "NaN GC"),
        ("0.042 GC", "inf GC"),
        ("0.041 MUT", "-0.041 MUT"),
    ] {
        let text = LINE.replacen(from, to, 1);
        assert_ne!(text, LINE, "{from}");
        assert_eq!(figures(&text), Err(MALFORMED), "{text}");
    }
    for text in [
        FILE.replacen("\"52712824\"", "52712824", 1),
        FILE.replace("0.031098", "NaN"),
        FILE.replacen(" ,(", " ;(", 1),
        "<<ghc:  :ghc>>".to_owned(),
        "<<ghc: 5 GCs :ghc>>".to_owned(),
    ] {
        assert_eq!(figures(&text), Err(MALFORMED), "{text}");
    }
}

#[test]
fn without_a_major_collection_nothing_is_known_to_have_been_live() {
    let line = LINE.replace("1714489/3699648", "0/0").replace("(7 samples)", "(0 samples)");
    assert_eq!(only(&line).max_live_bytes, None);
    let list =
        FILE.replace("\"num_byte_usage_samples\", \"7\"", "\"num_byte_usage_samples\", \"0\"");
    assert_eq!(only(&list).max_live_bytes, None);
}

/// As runtimes before GHC 8.2, which had only the first keys.
#[test]
fn the_older_keys_suffice() {
    let end = FILE.find(" ,(\"major_gcs\"").expect("the first of the newer keys");
    let old = only(&format!("{} ]\n", &FILE[..end]));
    let unsaid = Figures {
        copied_bytes: None,
        minor_collections: None,
        major_collections: None,
        max_pause_seconds: None,
        ..only(FILE)
    };
    assert_eq!(old, unsaid);
}

#[test]
fn a_refusal_is_told_without_the_name_of_the_program() {
    let words = "Most RTS options are disabled. Link with -rtsopts to enable them.";
    assert_eq!(refusal(REFUSED), Some(words));
    let words = "Warning: Ignoring GHCRTS variable as RTS options are disabled.";
    assert_eq!(refusal(&format!("before\n{IGNORED}")), Some(words));
    assert_eq!(refusal(LINE), None);
}
