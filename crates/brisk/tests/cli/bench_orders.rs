//! The influence of benchmarks on their neighbours: found, followed up, reported, and not found
//! where it does not exist.

use serde_json::{Value, json};

use crate::bench::{script, suite};
use crate::document::list;
use crate::lab::{Lab, not_checked};

/// A suite of `a`, `b`, `c` and `d` with a thousand iterations each. All take 100 µs plus up to a
/// microsecond, which increases from call to call half of the time; `effect` adds the rest. It sees
/// the benchmark as `$name` and those before it as `$before`, and changes `$t`, in nanoseconds per
/// iteration, and `$faults`, for all iterations together.
fn dependent(lab: &Lab, name: &str, effect: &str) {
    script(
        lab,
        name,
        &format!(
            "echo 'brisk-bench 1'\n\
             [ \"$1\" = --list ] && printf 'a\\nb\\nc\\nd\\n' && exit\n\
             shift\necho \"$*\" >> calls\nn=$(wc -l < calls)\nbefore=\n\
             for name; do\n\
               n=$((n * 7 % 101)); t=$((100000 + n * 10)); faults=0\n\
               {effect}\n\
               printf '%s\\t1000\\t0.%09d\\tpage_faults=%d\\n' \"$name\" $((t * 1000)) $faults\n\
               before=\"$before $name\"\n\
             done\n"
        ),
    );
}

/// Runs the suite in all orders.
fn measured(lab: &Lab, arguments: &[&str]) -> (String, Value) {
    let bench = ["bench", "--seed", "4", "--export-json", "bench.json"];
    let ended = lab.brisk(&[&bench, arguments].concat()).judged();
    // Line breaks depend on the width.
    let words: Vec<&str> = ended.stdout.split_whitespace().collect();
    (words.join(" "), lab.json("bench.json"))
}

#[test]
fn all_orders_are_run_in_every_round_and_then_what_is_alone_goes_on() {
    let lab = Lab::new();
    dependent(&lab, "suite", "");
    let arguments = [
        "--min-runs",
        "12",
        "--max-runs",
        "14",
        "--margin",
        "0.0001",
        "--budget",
        "10m",
        "./suite",
    ];
    let (text, document) = measured(&lab, &arguments);
    assert!(text.contains("beside that together, reversed and shuffled"), "{text}");
    let calls = lab.lines("calls");
    let of = |words: &str| calls.iter().filter(|call| *call == words).count();
    let whole = calls.iter().filter(|call| call.len() == "a b c d".len()).count();
    assert_eq!((of("a"), of("d"), whole), (14, 14, 30), "{calls:?}");
    assert!(of("a b c d") >= 10 && of("d c b a") >= 10);
    assert_eq!(document["experiment"]["rounds"], 14);
    assert_eq!(list(&document["suite"], "company").len(), 12);
    let orders = |order: &str| {
        let company = list(&document["suite"], "company").iter();
        company.filter(|part| part["order"] == order).count()
    };
    assert_eq!(["together", "reversed", "shuffled"].map(orders), [4; 3]);
}

#[test]
fn half_of_a_suite_runs_at_a_time_where_it_is_divided() {
    let lab = Lab::new();
    suite(&lab, "suite", &["a", "b", "c", "d", "e"], 100);
    lab.brisk(&["bench", "--order", "divided", "--runs", "8", "--seed", "2", "./suite"])
        .succeeded()
        .says("half of them drawn for each");
    let calls = lab.lines("calls");
    assert_eq!(calls.len(), 16);
    let names = |call: &String| call.trim_end_matches('|').replace('|', "");
    for (number, pair) in calls.chunks(2).enumerate() {
        let both: Vec<String> = pair.iter().map(names).collect();
        assert!(both.iter().all(|part| part.chars().is_sorted()), "{number}: {both:?}");
        let mut all: Vec<char> = both.concat().chars().collect();
        all.sort_unstable();
        assert_eq!(all.iter().collect::<String>(), "abcde");
        assert!(both.iter().all(|part| [2, 3].contains(&part.len())), "{both:?}");
    }
    let mut different = calls.clone();
    different.sort();
    different.dedup();
    assert!(different.len() > 4, "the halves are drawn anew: {calls:?}");
}

#[test]
fn a_benchmark_that_is_slower_behind_others_is_found_with_what_goes_along() {
    let lab = Lab::new();
    let effect = "if [ $name = c ] && [ -n \"$before\" ]; then t=$((t * 2)); faults=32000; fi";
    dependent(&lab, "suite", effect);
    let (text, document) = measured(&lab, &["--runs", "10", "./suite"]);
    let found = list(&document["suite"], "dependences");
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((&only["benchmark"], &only["cause"]), (&json!(2), &json!("not-first")));
    let ratio = only["ratio"].as_f64().expect("a number");
    assert!((1.98..2.02).contains(&ratio), "{ratio}");
    let first = &only["companions"][0];
    assert_eq!(first["metric"], "page_faults_per_iteration");
    assert_eq!((&first["without"], &first["with"]), (&json!(0.0), &json!(32.0)));
    let sentence = "when it is not the first in its process";
    assert!(text.contains(sentence) && text.contains("128 KiB"), "{text}");
    // This explains the two regimes, so they are not reported again.
    assert!(!text.contains("two regimes"), "{text}");
    lab.brisk(&["show", "1"]).succeeded().says(sentence);
    lab.brisk(&["export", "1", "--export-markdown", "bench.md"]).succeeded();
    assert!(lab.read("bench.md").contains(sentence));
    assert_eq!(lab.exported("1")["suite"], document["suite"]);
    // It is followed up right after its neighbour, in separate processes that no verdict uses.
    let follow_ups = list(&document, "runs").iter().filter(|run| run["source"] == "followup");
    assert_eq!(follow_ups.count(), 10);
    assert_eq!(lab.lines("calls").iter().filter(|call| *call == "b c").count(), 5);
    assert_eq!(document["experiment"]["rounds"], 10);
}

#[test]
fn what_a_certain_benchmark_leaves_behind_is_its_fault() {
    let lab = Lab::new();
    let effect = "case $name$before in d*' a'*) t=$((t * 9 / 10));; esac";
    dependent(&lab, "suite", effect);
    let (text, document) = measured(&lab, &["--runs", "10", "./suite"]);
    let found = list(&document["suite"], "dependences");
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((&only["benchmark"], &only["cause"]), (&json!(3), &json!({"after": 0})));
    assert!(text.contains("when `a` ran before it in its process"), "{text}");
    // The report has the time of each benchmark after each other one.
    let after = list(&document["suite"], "after");
    assert_eq!(after.len(), 4 * 3);
    let of = |benchmark: usize, other: usize| {
        let mut all = after.iter();
        let one = all.find(|one| one["benchmark"] == benchmark && one["other"] == other);
        one.and_then(|one| one["ratio"].as_f64()).expect("a ratio")
    };
    assert!((0.89..0.91).contains(&of(3, 0)) && (0.99..1.01).contains(&of(0, 3)), "{after:?}");
    lab.brisk(&["show", "-v", "1"]).succeeded().says("d a 0.90 10");
    lab.brisk(&["report", "1", "-o", "page.html"]).succeeded();
    let page = lab.read("page.html");
    assert!(page.contains("`d` after `a`: 0.90 times as long (10 rounds)"), "{page}");
}

#[test]
fn the_same_benchmark_under_several_names_owes_nothing_to_anybody() {
    let lab = Lab::new();
    dependent(&lab, "suite", "");
    let (text, document) = measured(&lab, &["--runs", "10", "./suite"]);
    assert_eq!(document["suite"]["dependences"], Value::Null, "{text}");
    assert_eq!(lab.lines("calls").len(), 10 * 7, "nothing is followed up");
}

#[test]
fn two_regimes_of_a_benchmark_alone_are_named() {
    let lab = Lab::new();
    // By the number of the call, which is random since the order is.
    let effect = "if [ $name = b ] && [ $(($(wc -l < calls) % 2)) = 0 ]; then t=$((t * 3)); fi";
    dependent(&lab, "suite", effect);
    let (text, document) = measured(&lab, &["--order", "alone", "--runs", "24", "./suite"]);
    let found = list(&document["suite"], "regimes");
    let [only] = found.as_slice() else { panic!("{found:?}\n{text}") };
    assert_eq!(only["benchmark"], 1);
    assert!(text.contains("`b` has two regimes, 100."), "{text}");
    assert_eq!(document["suite"]["dependences"], Value::Null);
}

/// `a` is slow if the stack of its shell begins in the upper half of a line, and `b` every other
/// time. Forty places drawn by the system and the plan practically never lie in one half.
#[test]
fn where_the_stack_begins_is_named_where_it_is_why() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ \"$1\" = --list ] && printf 'a\\nb\\n' && exit\n\
         start=$(awk '{ sub(/.*[)] /, \"\"); print $26 }' /proc/$$/stat)\n\
         echo \"$2 $((start % 64))\" >> calls\n\
         n=$(grep -c b calls); slow=$((n % 2)); [ $2 = a ] && slow=$((start % 64 / 32))\n\
         sleep 0.05\n\
         printf '%s\\t1000\\t0.%d%02d\\n' \"$2\" $((100 + slow * 200)) $(($$ % 90 + 10))\n",
    );
    let (text, document) = measured(&lab, &["--order", "alone", "--runs", "40", "./suite"]);
    if lab.lines("calls").iter().all(|call| call.ends_with(" 0")) {
        return not_checked("this kernel does not say where a stack begins");
    }
    let regimes = |benchmark: u64| {
        let found = list(&document["suite"], "regimes").iter();
        found.filter(move |one| one["benchmark"] == benchmark)
    };
    let [of_a] = regimes(0).collect::<Vec<_>>()[..] else { panic!("no regimes of `a`\n{text}") };
    let alignment = &of_a["alignment"];
    let ends = ["period", "from", "until", "strength"].map(|key| alignment[key].as_f64());
    assert_eq!(ends, [64.0, 32.0, 48.0, 1.0].map(Some), "{text}");
    assert!(regimes(1).all(|one| one["alignment"].is_null()), "{text}");
    let sentence = "the stacks of the slow ones begin 32 to 48 bytes behind a multiple of 64";
    assert_eq!(text.matches(sentence).count(), 1, "{text}");
    // The place read from outside is the one the program sees; a very busy machine may miss some.
    let calls = lab.lines("calls");
    let of_place =
        |place: u32| calls.iter().filter(move |call| call.ends_with(&format!(" {place}")));
    for place in [0, 16, 32, 48] {
        let offsets = list(&document, "runs").iter().map(|run| &run["readings"]["stack_offset"]);
        let read = offsets.filter_map(Value::as_f64).filter(|at| at % 64.0 == f64::from(place));
        assert!(read.count() <= of_place(place).count(), "{place}: {calls:?}");
    }
}

#[test]
fn two_programs_are_asked_apart() {
    let lab = Lab::new();
    dependent(&lab, "old", "");
    dependent(&lab, "new", "if [ $name = b ] && [ -n \"$before\" ]; then t=$((t * 2)); fi");
    let (text, document) = measured(&lab, &["--runs", "12", "./old", "./new"]);
    let found = list(&document["suite"], "dependences");
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((&only["program"], &only["benchmark"]), (&json!(1), &json!(1)));
    assert!(text.contains("`b` (./new) takes"), "{text}");
    // Alone, as they are compared, both are equal.
    assert!(list(&document, "answers").iter().all(|answer| answer["verdict"] != "regressed"));
}

#[test]
fn parts_that_contradict_the_whole_are_told() {
    let lab = Lab::new();
    dependent(&lab, "suite", "case $name in a) t=$((t * 6));; c) t=$((t * 2));; esac");
    let claims = ["--made-of", "a = 6 * b", "--made-of", "a = 2 * c + b"];
    let arguments = [&["--order", "alone", "--runs", "8"], &claims[..], &["./suite"]].concat();
    let (text, document) = measured(&lab, &arguments);
    let outcomes: Vec<&Value> =
        list(&document["suite"], "made_of").iter().map(|one| &one["outcome"]).collect();
    assert_eq!(json!(outcomes), json!(["agreement", "contradiction"]), "{text}");
    assert!(text.contains("the parts contradict `a`: by `a = 2 * c + b` they would take 0.8"));
    assert!(text.contains("the parts agree with `a`: by `a = 6 * b`"), "{text}");
    lab.brisk(&["show", "1"]).succeeded().says("the parts contradict `a`");
}

#[test]
fn a_claim_that_cannot_be_understood_is_refused_before_anything_runs() {
    let lab = Lab::new();
    dependent(&lab, "suite", "");
    let refused = |claim: &str, error: &str, cause: &str| {
        lab.brisk(&["bench", "--made-of", claim, "./suite"]).refused(error).because(cause);
    };
    refused("a", "bad `--made-of`", "`a` is not a claim; write WHOLE = TIMES * PART + PART");
    refused("a = 2 * z", "bad `--made-of`", "`a = 2 * z` names `z`");
    refused("a = b + a", "bad `--made-of`", "says that `a` is made of itself");
    assert!(lab.lines("calls").is_empty());
}

#[test]
fn work_that_is_not_done_is_suspicious() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n\
         [ \"$1\" = --list ] && printf 'copy/100\\ncopy/10000\\nhonest/10\\nhonest/1000\\n' && exit\n\
         shift\necho \"$*\" >> calls\nn=$(($(wc -l < calls) * 7 % 101))\n\
         for name; do\n\
           case $name in honest/1000) t=900;; *) t=100;; esac\n\
           printf '%s\\t1000\\t0.000%03d%03d\\n' \"$name\" $t $n\n\
         done\n",
    );
    let (text, document) = measured(&lab, &["--order", "alone", "--runs", "8", "./suite"]);
    let found = list(&document["suite"], "idle");
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(only["benchmark"], 1);
    assert!(text.contains("`copy/10000` may not do its work: it takes no longer than `copy/100`"));
}
