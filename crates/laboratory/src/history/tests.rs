//! Whole histories from hand-written documents: merging, steps, drifts, and the reports.

use std::collections::BTreeMap;

use page::terminal::{self, Folds};
use serde_json::json;

use super::agenda::remaining;
use super::lineage::Lineage;
use super::lineage::tests::line;
use super::merge;
use findings::{Build, Confirmation, Document, HistorySubject, Step};
use model::metric::{PEAK_RSS, Source, WALL_TIME};
use model::note::Note;
use model::spec::labels::ArtifactId;
use model::verdict::Verdict;
use report::as_markdown;
use report::csv;
use report::page as page_of;

/// The results of an experiment: the artefacts' times and memory, and the ratios of pairs.
pub(super) struct Told<'a> {
    pub(super) artifacts: &'a str,
    /// Seconds and bytes of each artefact.
    pub(super) values: &'a [(f64, f64)],
    /// Pairs of artefacts, the metric, ratio, low, high and verdict.
    pub(super) pairs: &'a [(&'a str, &'a str, f64, f64, f64, &'a str)],
    pub(super) stop: &'a str,
}

pub(super) fn document(told: &Told<'_>) -> Document {
    let number = |letter: char| told.artifacts.find(letter).expect("an artefact of this one");
    let variants: Vec<_> = told
        .artifacts
        .chars()
        .map(|letter| {
            json!({"name": letter, "command": "{artifact} x",
                "labels": {"commit": letter, "artifact": letter}})
        })
        .collect();
    let summaries: Vec<_> = (0..)
        .zip(told.values)
        .flat_map(|(variant, &(seconds, bytes)): (u32, _)| {
            [("wall_time", seconds), ("peak_rss", bytes)].map(|(metric, value)| {
                json!({"variant": variant, "metric": metric, "source": "run", "n": 20,
                    "mean": value, "sd": 0.0, "median": value, "min": value, "max": value,
                    "low": value, "high": value, "outliers": 0, "severe_outliers": 0})
            })
        })
        .collect();
    let mut comparisons = Vec::new();
    let mut answers = Vec::new();
    for (pair, metric, ratio, low, high, verdict) in told.pairs {
        let sides: Vec<usize> = pair.chars().map(number).collect();
        comparisons.push(json!({"metric": metric, "source": "run", "baseline": sides[0],
            "candidate": sides[1], "ratio": ratio, "low": low, "high": high, "verdict": verdict,
            "within_margin": false, "basis": "ratios", "rounds": 20, "more_rounds": null,
            "detectable": 0.01}));
        if *metric == "wall_time" {
            answers.push(json!({"baseline": sides[0], "candidate": sides[1], "verdict": verdict,
                "metric": metric, "source": "run", "wait_share": null}));
        }
    }
    comparisons.sort_by_key(|part| part["candidate"].as_u64());
    let whole = json!({"schema": "brisk/1", "kind": "compare", "machine": null, "conditions": null,
        "experiment": {"id": 1, "started_unix_ns": 0, "brisk_version": "0", "seed": 1,
            "rounds": 20, "elapsed_seconds": 4.0, "stop": told.stop, "confidence": 0.95,
            "margin": 0.01, "estimator": "median", "order": "rounds", "commands": 1,
            "metrics": null},
        "variants": variants, "summaries": summaries, "missing": [], "comparisons": comparisons,
        "answers": answers, "detectable": {}, "notes": []});
    serde_json::from_value(whole).expect("a document")
}

pub(super) fn part() -> HistorySubject {
    HistorySubject {
        repository: "/repo".to_owned(),
        range: "a..b".to_owned(),
        command: "{artifact} x".to_owned(),
        compare_url: Some("https://example.org/compare/{from}...{to}".to_owned()),
        experiments: vec![1],
        behind_merges: 0,
    }
}

fn history(lineage: &Lineage, told: &[Told<'_>]) -> Document {
    let documents: Vec<Document> = told.iter().map(document).collect();
    let documents: Vec<&Document> = documents.iter().collect();
    merge::of_strand(lineage, None, &documents, part()).expect("something was measured")
}

const FIRST: Told<'_> = Told {
    artifacts: "abc",
    values: &[(0.100, 5e6), (0.050, 5e6), (0.050, 9e6)],
    pairs: &[
        ("ab", "wall_time", 0.5, 0.49, 0.51, "improved"),
        ("ab", "peak_rss", 1.0, 0.999, 1.001, "unchanged"),
        ("bc", "wall_time", 1.0, 0.995, 1.005, "unchanged"),
        ("bc", "peak_rss", 1.8, 1.7, 1.9, "regressed"),
        ("ac", "wall_time", 0.5, 0.48, 0.52, "improved"),
    ],
    stop: "settled",
};

const SECOND: Told<'_> = Told {
    artifacts: "cd",
    values: &[(0.051, 9e6), (0.060, 9e6)],
    pairs: &[("cd", "wall_time", 1.2, 1.1, 1.3, "regressed")],
    stop: "settled",
};

#[test]
fn each_commit_gets_its_variant_and_each_change_its_step() {
    let history = history(&line("ab-bc"), &[FIRST]);
    let commits = history.commits();
    let builds: Vec<&Build> = commits.iter().map(|commit| &commit.build).collect();
    assert_eq!(builds[2..4], [&Build::Failed, &Build::SameAs("h1".to_owned())]);
    let variants: Vec<Option<u32>> = commits.iter().map(|commit| commit.variant).collect();
    assert_eq!(variants, [Some(0), Some(1), None, Some(1), Some(2)]);
    let steps: Vec<_> = history
        .steps()
        .iter()
        .map(|step| (step.commit.as_str(), step.from.as_str(), step.metric.as_str(), step.verdict))
        .collect();
    let expected = [
        ("h1", "h0", "wall_time", Verdict::Improved),
        ("h4", "h3", "peak_rss", Verdict::Regressed),
    ];
    assert_eq!(steps, expected);
    assert!(history.steps().iter().all(|s| s.confirmed == Confirmation::Unchecked));
    // The whole line got faster, too, which the step already shows.
    assert_eq!(history.drifts(), []);
}

#[test]
fn what_changed_about_the_machine_is_told_where_the_figures_begin_to_be_later_ones() {
    let lineage = line("ab-bcd");
    let on = |told: &Told<'_>, microcode: &str| {
        let machine =
            json!({"kernel": "6.1", "microcode": microcode, "boost": {"missing": "no file"}});
        Document { machine, ..document(told) }
    };
    let (old, new) = (on(&FIRST, "0x1"), on(&SECOND, "0x2"));
    let merged = |documents: &[&Document]| {
        merge::of_strand(&lineage, None, documents, part()).expect("something was measured").notes
    };
    // `c` and `d` come from the later experiment, `a` and `b` from the earlier one.
    let expected = Note::MachineChanged {
        variant: 2,
        fact: "the microcode".to_owned(),
        from: "0x1".to_owned(),
        to: "0x2".to_owned(),
    };
    let notes = merged(&[&new, &old]);
    assert_eq!(notes[0], expected);
    // `c` was measured before, too: 51 ms after 50 ms.
    let bridge = |note: &Note| match note {
        Note::Bridge { variant: 2, metric, ratio } => {
            (metric.as_str() == "wall_time").then_some(*ratio)
        }
        _ => None,
    };
    let ratio = bridge(&notes[1]).expect("the series connects");
    assert!((ratio - 1.02).abs() < 1e-9 && notes.len() == 2, "{notes:?}");
    assert_eq!(merged(&[&on(&SECOND, "0x1"), &old]), []);
    // A fact that was not read does not count as changed.
    let unread = Document { machine: json!({"kernel": "6.1"}), ..document(&FIRST) };
    assert_eq!(merged(&[&new, &unread]), []);
}

#[test]
fn experiments_of_one_machine_that_contradict_each_other_are_told() {
    let told = |ratio: f64, verdict: &'static str| {
        let pairs: &'static _ =
            Box::leak(Box::new([("ab", "wall_time", ratio, ratio - 0.02, ratio + 0.02, verdict)]));
        Told { artifacts: "ab", values: &[(0.1, 9e6), (0.1, 9e6)], pairs, stop: "settled" }
    };
    let on = |told: &Told<'_>, cpu: &str| Document {
        machine: json!({"cpu_model": cpu}),
        ..document(told)
    };
    let notes = |newer: &Document, older: &Document| {
        merge::of_strand(&line("ab"), None, &[newer, older], part()).expect("measured").notes
    };
    let (faster, slower) = (told(0.9, "improved"), told(1.1, "regressed"));
    let found = notes(&on(&faster, "x"), &on(&slower, "x"));
    let [Note::Disagreement { variant: 1, metric, shown, earlier }] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(metric.as_str(), "wall_time");
    assert_eq!((shown[0], earlier[0]), (0.9, 1.1));
    // Intervals that overlap agree, and other machines may differ.
    assert_eq!(notes(&on(&faster, "x"), &on(&told(0.92, "improved"), "x")), []);
    let elsewhere = notes(&on(&faster, "x"), &on(&slower, "y"));
    assert!(!elsewhere.iter().any(|note| matches!(note, Note::Disagreement { .. })));
}

#[test]
fn a_new_commit_needs_no_more_than_its_neighbour() {
    let lineage = line("ab-bcd");
    let known = merge::known(&[&document(&FIRST)], None);
    let measured = ["a", "b", "c"].map(ArtifactId::read).into();
    assert_eq!(remaining(&lineage, &known, &measured).expect("d").revisions, [4, 5]);
    let history = history(&lineage, &[SECOND, FIRST]);
    let of = |variant| {
        let parts = history.summaries_of(variant);
        parts.map(|part| (part.metric.to_string(), part.median)).collect::<BTreeMap<_, _>>()
    };
    assert!((of(2)["wall_time"] - 0.051).abs() < 1e-12, "the newest value counts");
    assert!((of(3)["wall_time"] - 0.060).abs() < 1e-12);
    let steps: Vec<&str> = history.steps().iter().map(|s| s.commit.as_str()).collect();
    assert_eq!(steps, ["h1", "h4", "h5"]);
    assert_eq!(history.answers.len(), 3);
}

#[test]
fn a_pair_that_was_forgotten_is_measured_again_and_the_values_stay() {
    let mut first = document(&FIRST);
    merge::forget(&mut first, &[(ArtifactId::read("b"), ArtifactId::read("c"))].into());
    let known = |pair: [&str; 2]| pair.map(ArtifactId::read).into();
    assert_eq!(merge::known(&[&first], None), [known(["a", "b"]), known(["a", "c"])].into());
    assert_eq!(first.comparisons.len(), 3);
    assert_eq!(first.summaries.len(), 6);
}

#[test]
fn what_an_interrupted_experiment_left_open_is_not_known() {
    let cut = Told {
        pairs: &[
            ("ab", "wall_time", 0.5, 0.4, 0.6, "improved"),
            ("bc", "wall_time", 1.0, 0.5, 2.0, "inconclusive"),
        ],
        stop: "interrupted",
        ..FIRST
    };
    let known = merge::known(&[&document(&cut)], None);
    assert_eq!(known, [(ArtifactId::read("a"), ArtifactId::read("b"))].into());
}

#[test]
fn a_certain_change_below_the_margin_is_no_step_but_many_drift() {
    let names = "abcdefghi";
    let pairs: Vec<String> =
        names.as_bytes().windows(2).map(|two| String::from_utf8_lossy(two).into()).collect();
    let mut told: Vec<(&str, &str, f64, f64, f64, &str)> = pairs
        .iter()
        .map(|pair| (pair.as_str(), "wall_time", 1.004, 1.001, 1.007, "regressed"))
        .collect();
    told.push(("ai", "wall_time", 1.033, 1.02, 1.04, "regressed"));
    let values = vec![(0.1, 1e6); 9];
    let told = Told { artifacts: names, values: &values, pairs: &told, stop: "settled" };
    let history = history(&line(names), &[told]);
    assert_eq!(history.steps(), []);
    let drifts = history.drifts();
    assert_eq!(drifts.len(), 1);
    assert_eq!((drifts[0].from.as_str(), drifts[0].to.as_str()), ("h0", "h8"));
}

#[test]
fn the_series_of_measurements_has_its_four_columns() {
    let mut out = Vec::new();
    csv::write(&history(&line("ab-bc"), &[FIRST]), &mut out).expect("writable");
    let text = String::from_utf8(out).expect("text");
    let expected = "commit;allocations;memory;time\n\
                    h0;;5000000;0.1\nh1;;5000000;0.05\nh2;;;\nh3;;5000000;0.05\nh4;;9000000;0.05\n";
    assert_eq!(text, expected);
}

/// The report on a terminal of this width, without styles.
fn shown(history: &Document, columns: usize) -> String {
    let text = terminal::render(&page_of(history), columns, Folds::Closed);
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn the_markdown_has_a_line_for_a_changelog_for_each_commit_with_a_step() {
    let text = as_markdown(&history(&line("ab-bc"), &[FIRST]));
    let expected = "<summary>Changelog</summary>\n\n\
         **Improvement**: Memory: +0.00% [-0.10%, +0.10%]  Time: -50.00% [-51.00%, -49.00%] \
         (Commit [h0...h1](https://example.org/compare/h0...h1))\n\n\
         **Regression**: Memory: +80.00% [+70.00%, +90.00%]  Time: +0.00% [-0.50%, +0.50%] \
         (Commit [h3...h4](https://example.org/compare/h3...h4))\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn what_got_better_and_worse_is_called_both() {
    let both = Told {
        artifacts: "ab",
        values: &[(0.1, 5e6), (0.05, 9e6)],
        pairs: &[
            ("ab", "wall_time", 0.5, 0.49, 0.51, "improved"),
            ("ab", "peak_rss", 1.8, 1.7, 1.9, "regressed"),
        ],
        stop: "settled",
    };
    let text = as_markdown(&history(&line("ab"), &[both]));
    assert!(text.contains("\n**Improvement and regression**: Memory: +80.00%"), "{text}");
}

#[test]
fn what_changed_comes_first_and_then_a_row_for_each_commit_with_a_mark_at_each_step() {
    let history = history(&line("ab-bc"), &[FIRST]);
    let text = shown(&history, 80);
    let lines: Vec<&str> = text.lines().collect();
    // The regression first, although half the time is more than 1.8 times the memory.
    let unchecked = "not confirmed by builds from scratch";
    assert_eq!(
        lines[..4].join(" "),
        format!(
            "h4 regressed: peak rss +80.00 % [+70.00 %, +90.00 %], {unchecked} (commit 4) \
             h1 improved: wall time -50.00 % [-51.00 %, -49.00 %], {unchecked} (commit 1)"
        )
    );
    assert_eq!(
        lines[4..13],
        [
            "",
            "commit  subject     memory                  time",
            "h0      commit 0  5.000 MB              100.0 ms",
            "h1      commit 1  5.000 MB              50.00 ms  ▼ -50.00 %",
            "h2      commit 2  no build              no build",
            "h3      commit 3      = h1                  = h1",
            "h4      commit 4  9.000 MB  ▲ +80.00 %  50.00 ms",
            // Low, gap and high: the commit that does not build has no mark.
            "memory  ▁▁·▁█",
            "time    █▁·▁▁",
        ]
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn what_a_commit_did_in_several_metrics_is_one_sentence() {
    let several = Told {
        artifacts: "abc",
        values: &[(0.1, 5e6), (0.05, 3e6), (0.08, 3e6)],
        pairs: &[
            ("ab", "wall_time", 0.8, 0.79, 0.81, "improved"),
            ("ab", "peak_rss", 0.6, 0.5, 0.7, "improved"),
            ("bc", "wall_time", 1.6, 1.5, 1.7, "regressed"),
            ("ab", "minor_faults", 9.0, 8.0, 10.0, "regressed"),
        ],
        stop: "settled",
    };
    let mut history = history(&line("abc"), &[several]);
    for step in &mut history.history_mut().expect("it is one").steps {
        step.confirmed = Confirmation::CleanBuilds;
    }
    let text = shown(&history, 10_000);
    let expected = [
        "h2 regressed: wall time +60.00 % [+50.00 %, +70.00 %] (commit 2)",
        "h1 improved: wall time -20.00 % [-21.00 %, -19.00 %], \
         peak rss -40.00 % [-50.00 %, -30.00 %], \
         but regressed: minor faults +800.00 % [+700.00 %, +900.00 %] (commit 1)",
        "",
    ];
    assert_eq!(text.lines().take(3).collect::<Vec<_>>(), expected);
}

#[test]
fn a_commit_that_changed_many_benchmarks_has_a_sentence_for_each_standing() {
    let slower = Told {
        artifacts: "ab",
        values: &[(0.1, 5e6), (0.15, 5e6)],
        pairs: &[("ab", "wall_time", 1.5, 1.4, 1.6, "regressed")],
        stop: "settled",
    };
    let history = history(&line("ab"), &[slower]);
    let step = &history.steps()[0];
    let of_benchmark = |number: u32, confirmed| Step {
        benchmark: Some(format!("b{number}")),
        ratio: 1.5 + f64::from(number) / 10.0,
        confirmed,
        ..step.clone()
    };
    let clean = (0..5).map(|number| of_benchmark(number, Confirmation::CleanBuilds));
    let unchecked = (5..9).map(|number| of_benchmark(number, Confirmation::Unchecked));
    let text = shown(&history.clone().with_steps(clean.chain(unchecked).collect()), 10_000);
    let size = |percent: u32| format!("wall time +{percent}.00 % [+40.00 %, +60.00 %]");
    let expected = [
        format!(
            "h1 regressed 4 benchmarks, most: b8, {}; b7, {}; b6, {}; and 1 more, not confirmed by \
             builds from scratch (commit 1)",
            size(130),
            size(120),
            size(110)
        ),
        format!(
            "h1 regressed 5 benchmarks, most: b4, {}; b3, {}; b2, {}; and 2 more (commit 1)",
            size(90),
            size(80),
            size(70)
        ),
    ];
    let lines: Vec<String> = text.lines().take(2).map(|line| line.replace('`', "")).collect();
    assert_eq!(lines, expected);
}

/// Regressions and improvements of several commits.
const MANY: Told<'_> = Told {
    artifacts: "abcde",
    values: &[(0.1, 5e6), (0.12, 5e6), (0.06, 5e6), (0.12, 5e6), (0.1, 5e6)],
    pairs: &[
        ("ab", "wall_time", 1.2, 1.1, 1.3, "regressed"),
        ("bc", "wall_time", 0.5, 0.4, 0.6, "improved"),
        // Better in time and worse in memory: the sentence begins with what is worse.
        ("cd", "wall_time", 0.9, 0.8, 0.95, "improved"),
        ("cd", "peak_rss", 2.0, 1.9, 2.1, "regressed"),
        ("de", "wall_time", 0.8, 0.7, 0.9, "improved"),
    ],
    stop: "settled",
};

#[test]
fn regressions_come_first_and_more_than_three_changes_are_counted() {
    let text = shown(&history(&line("abcde"), &[MANY]), 10_000);
    let lines: Vec<&str> = text.lines().take(6).collect();
    assert_eq!((lines[0], lines[5]), ("2 regressions and 2 improvements", ""));
    let begins = [
        "h3 regressed: peak rss +100.00 % [+90.00 %, +110.00 %], but improved: wall time -10.00 %",
        "h1 regressed: wall time +20.00 %",
        "h2 improved: wall time -50.00 %",
        "h4 improved: wall time -20.00 %",
    ];
    for (line, begin) in lines[1..5].iter().zip(begins) {
        assert!(line.starts_with(begin), "{line}");
    }
}

#[test]
fn a_list_says_what_was_found_the_worst_first_with_its_amount() {
    let told = |told: &Told<'_>| report::answer(&document(told));
    let two = Told {
        artifacts: "abc",
        values: &[(0.1, 5e6), (0.13, 5e6), (0.146, 5e6)],
        pairs: &[
            ("ab", "wall_time", 1.3, 1.2, 1.4, "regressed"),
            ("ac", "wall_time", 1.46, 1.4, 1.5, "regressed"),
        ],
        stop: "settled",
    };
    assert_eq!(told(&two), "2 of 2 slower, worst 1.46 [1.40, 1.50] times (c)");
    assert_eq!(
        told(&MANY),
        "1 of 4 slower, worst 1.20 [1.10, 1.30] times (b), 3 faster, best 0.50 [0.40, 0.60] times (c)"
    );
    assert!(told(&SECOND).starts_with("regressed 1.2"), "{}", told(&SECOND));
    let alone = Told { artifacts: "a", values: &[(0.1, 5e6)], pairs: &[], stop: "interrupted" };
    assert_eq!(told(&alone), "wall time 100.0 ms");
}

/// The text of a page between the tags.
fn words(html: &str) -> String {
    let page = html.split_once("<main").map_or(html, |(_, page)| page);
    let page = page.split_once("</main>").map_or(page, |(page, _)| page);
    let parts = page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_site_begins_with_regressions_and_has_no_change_that_was_not_judged() {
    // It was measured as 37 % faster, but nothing was decided.
    let open = Told {
        artifacts: "ab",
        values: &[(0.1, 5e6), (0.063, 5e6)],
        pairs: &[("ab", "wall_time", 0.63, 0.3, 1.2, "inconclusive")],
        stop: "budget",
    };
    let histories = [
        ("busy".to_owned(), history(&line("abcde"), &[MANY])),
        ("a [steady] one".to_owned(), history(&line("ab"), &[open])),
    ];
    let read = |(): &mut (), document: &Document| Ok(document.clone());
    let files = report::site::files(&histories, || (), read).expect("it is drawn");
    let of = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        words(&file.unwrap_or_else(|| panic!("no {path}")).text)
    };
    let front = of("index.html");
    for said in [
        "2 regressions and 2 improvements in the newest 5 commits",
        "h3 busy peak rss +100.00 % [+90.00 %, +110.00 %] , wall time -10.00 % [-20.00 %, -5.00 %] \
         regressed commit 3 h1 busy wall time +20.00 % [+10.00 %, +30.00 %] regressed commit 1 h4 \
         busy wall time -20.00 % [-30.00 %, -10.00 %] improved commit 4 h2 busy",
        // The first metric, with the change over its steps.
        "busy time 100.0 ms -56.80 % over 4 steps 5",
        "a [steady] one time 63.00 ms no change found 2",
    ] {
        assert!(front.contains(said), "no `{said}` in {front}");
    }
    assert!(!front.contains("37.00 %"), "{front}");
    assert!(of("badges/busy.svg").contains("wall time -20.00 % at h4"));
    assert!(of("badges/a-steady-one.svg").contains("time: no change found"));
    let page = of("a-steady-one.html");
    let badge = "[![a steady one](ADDRESS/badges/a-steady-one.svg)](ADDRESS/a-steady-one.html)";
    assert!(page.contains("A badge for a README"), "{page}");
    let joined = |text: &str| text.split_whitespace().collect::<String>();
    assert!(joined(&page).contains(&joined(badge)), "no `{badge}` in {page}");
    let feed = of("feed.xml");
    assert!(
        feed.contains(
            "busy: regressed: peak rss +100.00 % [+90.00 %, +110.00 %], wall time -10.00 % \
             [-20.00 %, -5.00 %] at h3"
        ),
        "{feed}"
    );
}

#[test]
fn counts_and_times_that_disagree_are_one_sentence() {
    let told = |time: (f64, f64, f64, &'static str)| {
        let (ratio, low, high, verdict) = time;
        let several = Told {
            artifacts: "ab",
            values: &[(0.1, 5e6), (0.1, 5e6)],
            pairs: &[
                ("ab", "wall_time", ratio, low, high, verdict),
                ("ab", "instructions", 1.03, 1.02, 1.04, "regressed"),
            ],
            stop: "settled",
        };
        let mut history = history(&line("ab"), &[several]);
        for step in &mut history.history_mut().expect("it is one").steps {
            step.confirmed = Confirmation::CleanBuilds;
        }
        shown(&history, 10_000).lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        told((0.8, 0.79, 0.81, "improved")),
        "h1 improved: wall time -20.00 % [-21.00 %, -19.00 %], \
         but regressed: instructions +3.00 % [+2.00 %, +4.00 %] (commit 1)"
    );
    assert_eq!(
        told((1.001, 0.95, 1.05, "inconclusive")),
        "h1 regressed: instructions +3.00 % [+2.00 %, +4.00 %]; \
         wall time does not certainly change: +0.10 % [-5.00 %, +5.00 %] (commit 1)"
    );
    assert_eq!(
        told((1.001, 0.999, 1.003, "unchanged")),
        "h1 regressed: instructions +3.00 % [+2.00 %, +4.00 %]; \
         wall time does not change: +0.10 % [-0.10 %, +0.30 %] (commit 1)"
    );
}

#[test]
fn a_line_is_level_where_nothing_changed() {
    let noise = Told {
        artifacts: "abc",
        values: &[(0.1, 12.22e6), (0.1001, 12.2203e6), (0.05, 12.21e6)],
        pairs: &[
            ("ab", "wall_time", 1.001, 0.995, 1.007, "unchanged"),
            ("bc", "wall_time", 0.5, 0.49, 0.51, "improved"),
            ("ab", "peak_rss", 1.0, 0.999, 1.001, "unchanged"),
        ],
        stop: "settled",
    };
    let text = shown(&history(&line("ab-c"), &[noise]), 80);
    assert!(text.contains("memory  ▄▄·▄\n"), "{text}");
    assert!(text.contains("time    ██·▁\n"), "{text}");
}

#[test]
fn a_table_has_all_metrics_that_fit_and_keeps_the_one_that_answers() {
    let mut history = history(&line("ab-bc"), &[FIRST]);
    for commit in &mut history.history_mut().expect("it is one").commits {
        commit.subject = "a subject that is longer than there is room for".to_owned();
    }
    let heading = |history: &Document, columns: usize| {
        let text = shown(history, columns);
        let heading = text.lines().find(|line| line.starts_with("commit ")).expect("it is there");
        heading.split_whitespace().skip(2).map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    // Subjects are cut before a metric gives way.
    assert_eq!(
        [80, 70, 50].map(|room| heading(&history, room)),
        ["memory time", "memory time", "time"]
    );
    history.experiment.metrics = Some(vec![PEAK_RSS, WALL_TIME]);
    assert_eq!([80, 50].map(|room| heading(&history, room)), ["peak rss wall time", "peak rss"]);
    // A requested metric without room is shown below.
    let narrow = shown(&history, 50);
    let mut headings = narrow.lines().filter(|line| line.starts_with("commit "));
    assert!(headings.next_back().is_some_and(|line| line.ends_with("wall time")), "{narrow}");
}

#[test]
fn commits_behind_merges_are_counted_with_the_option_that_measures_them() {
    let mut history = history(&line("ab-bc"), &[FIRST]);
    assert!(!shown(&history, 80).contains("came by merges"));
    history.history_mut().expect("it is one").subject.behind_merges = 28;
    let text = shown(&history, 200);
    assert!(text.contains("28 more commits came by merges") && text.contains("--all-parents"));
}

#[test]
fn of_many_commits_a_terminal_shows_those_that_something_is_to_be_said_of() {
    let names: String = (0..80).map(|number| char::from(b'!' + number)).collect();
    let values = vec![(0.1, 1e6); 80];
    let step: String = names.chars().skip(30).take(2).collect();
    let told = Told {
        artifacts: &names,
        values: &values,
        pairs: &[(step.as_str(), "wall_time", 1.5, 1.4, 1.6, "regressed")],
        stop: "settled",
    };
    let history = history(&line(&names.replace('-', "~")), &[told]);
    let text = shown(&history, 80);
    let rows = text.lines().skip_while(|line| !line.starts_with("commit ")).skip(1).take(6);
    let first = |row: &str| row.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let expected = ["h0 commit", "… 29", "h30 commit", "h31 commit", "… 47", "h79 commit"];
    assert_eq!(rows.map(first).collect::<Vec<_>>(), expected, "{text}");
    let markdown = as_markdown(&history);
    assert_eq!(markdown.lines().filter(|line| line.starts_with("| `h")).count(), 80);
}

#[test]
fn a_step_stands_at_the_figures_of_its_source() {
    let mut history = history(&line("ab-bc"), &[FIRST]);
    for step in &mut history.history_mut().expect("it is one").steps {
        step.source = Source::Valgrind;
    }
    let markdown = as_markdown(&history);
    assert!(markdown.contains("improved: wall time (valgrind) -50.00 %"), "{markdown}");
    assert!(!markdown.contains('▼') && !markdown.contains('▲'), "{markdown}");
}
