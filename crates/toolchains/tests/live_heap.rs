//! The live heap over time: real output of runtimes, and made-up output.

use proptest::prelude::*;
use toolchains::runtime::adapter::{LiveHeapError, LiveHeapQuery, LiveSample, Said};
use toolchains::runtime::ghc::LIVE_HEAP as GHC;
use toolchains::runtime::go::LIVE_HEAP as GO;

const GHC_SAMPLE: &str = include_str!("../../../fixtures/live_heap/ghc-9.0.2.txt");
const GO_SAMPLE: &str = include_str!("../../../fixtures/live_heap/go-1.26.8.txt");

fn read(asked: &LiveHeapQuery, stderr: &str) -> Result<Vec<LiveSample>, LiveHeapError> {
    (asked.read)(&Said { stderr, is_stderr_whole: true, ..Said::default() })
}

/// Columns, by position, of the lines whose ends match a pattern: independent of the parser, which
/// splits the line into words.
fn columns(
    sample: &str,
    is_line: impl Fn(&str) -> bool,
    cut: impl Fn(&str) -> (f64, f64),
) -> Vec<(f64, f64)> {
    sample.lines().filter(|line| is_line(line)).map(cut).collect()
}

#[test]
fn every_line_of_ghc_s_table_is_a_sample_but_the_last() {
    let is_line = |line: &str| line.ends_with("(Gen:  0)") || line.ends_with("(Gen:  1)");
    // Widths from `printf` in GHC's source: three of 9, then 7s and 9s.
    let cut = |line: &str| {
        let number = |range: std::ops::Range<usize>| line[range].trim().parse().expect("a number");
        (number(52..61), number(20..29))
    };
    let mut expected = columns(GHC_SAMPLE, is_line, cut);
    expected.pop();
    let found = read(&GHC, GHC_SAMPLE).expect("a whole sample");
    let found: Vec<(f64, f64)> = found.iter().map(|s| (s.seconds, s.bytes)).collect();
    assert_eq!(found, expected);
    assert!(found.len() > 30, "{}", found.len());
    // The figure in the summary that the runtime prints below.
    let (_, rest) = GHC_SAMPLE.split_once("copied during GC\n").expect("the summary");
    let most = rest.split_whitespace().next().expect("a figure").replace(',', "");
    let most: f64 = most.parse().expect("a figure");
    assert!(found.iter().any(|(_, bytes)| *bytes == most), "{most}");
}

#[test]
fn every_line_of_go_s_trace_is_a_sample() {
    let found = read(&GO, GO_SAMPLE).expect("a whole sample");
    let expected: Vec<(f64, f64)> = GO_SAMPLE
        .lines()
        .filter(|line| line.starts_with("gc "))
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let seconds = words[2].trim_matches(['@', 's']).parse().expect("seconds");
            let sizes = words.iter().find(|word| word.contains("->")).expect("sizes");
            let live: f64 = sizes.rsplit("->").next().expect("three").parse().expect("mebibytes");
            (seconds, live * 1048576.0)
        })
        .collect();
    let found: Vec<(f64, f64)> = found.iter().map(|s| (s.seconds, s.bytes)).collect();
    assert_eq!(found, expected);
    assert!(found.len() >= 4, "{}", found.len());
}

#[test]
fn lines_between_those_of_the_program_are_found() {
    let line =
        "  1043184    332160    389560  0.001  0.001    0.003    0.005    0    0  (Gen:  1)\n";
    let text = format!("started (today)\nno newline{line}gc 7 is mine\n{line}");
    let found = read(&GHC, &text).expect("two lines, of which the last one is left out");
    assert_eq!(found, [LiveSample { seconds: 0.005, bytes: 389_560.0 }]);
}

#[test]
fn what_is_not_one_whole_trace_is_refused() {
    for (asked, sample) in [(&GHC, GHC_SAMPLE), (&GO, GO_SAMPLE)] {
        assert_eq!(read(asked, ""), Err(LiveHeapError::Silent));
        assert_eq!(read(asked, "hello\nworld\n"), Err(LiveHeapError::Silent));
        let cut = Said { stderr: sample, is_stderr_whole: false, ..Said::default() };
        assert_eq!((asked.read)(&cut), Err(LiveHeapError::CutOff));
        assert_eq!(read(asked, &sample.repeat(2)), Err(LiveHeapError::Several));
    }
    assert_eq!(read(&GHC, "1 2 x 4 5 6 7 8 9 (Gen:  0)\n"), Err(LiveHeapError::Malformed));
    assert_eq!(read(&GO, "gc 1 @x%: 3->4->3 MB, 4\n"), Err(LiveHeapError::Malformed));
}

proptest! {
    #[test]
    fn damaged_traces_are_read_or_refused(
        is_ghc in any::<bool>(), place in any::<prop::sample::Index>(), sign in any::<char>(),
        length in 0..40_usize,
    ) {
        let (asked, sample) = if is_ghc { (&GHC, GHC_SAMPLE) } else { (&GO, GO_SAMPLE) };
        let mut signs: Vec<char> = sample.chars().collect();
        let place = place.index(signs.len());
        let end = (place + length).min(signs.len());
        signs.splice(place..end, [sign]);
        let text: String = signs.into_iter().collect();
        if let Ok(samples) = read(asked, &text) {
            prop_assert!(samples.windows(2).all(|pair| pair[0].seconds <= pair[1].seconds));
            prop_assert!(samples.iter().all(|s| s.bytes >= 0.0 && s.seconds >= 0.0));
        }
    }
}
