//! Memory over time: programs with a known course of memory.

use serde_json::Value;

use crate::document::list;
use crate::lab::{Lab, has, not_checked, run};

/// A Python program that allocates memory on a schedule by its own clock. Blocks of a mebibyte come
/// directly from the system and are written to.
fn python(lab: &Lab, name: &str, body: &str) -> Option<String> {
    if !has("python3") {
        not_checked(
            "memory over time of a program whose memory is known: python3 is not installed",
        );
        return None;
    }
    let head = "import time\nbegin = time.monotonic()\ndef now(): return time.monotonic() - begin\n\
                def block(n): return bytearray(b'x') * (n << 20)\nkept = []\n";
    lab.write(name, &format!("{head}{body}"));
    Some(format!("python3 {name}"))
}

fn sampled(lab: &Lab, command: &str) -> Value {
    lab.compared(&["-r", "1", "--runtime", "none", "--memory-over-time", command])
}

/// The verdict on a variant's curve.
fn verdict<'a>(document: &'a Value, source: &str) -> &'a Value {
    &judged(document, source)["verdict"]
}

fn judged<'a>(document: &'a Value, source: &str) -> &'a Value {
    let verdicts = list(document, "memory_verdicts");
    let found = verdicts.iter().find(|part| part["source"] == source);
    found.unwrap_or_else(|| panic!("no verdict on {source}: {verdicts:?}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn a_leak_is_found_with_its_rate() {
    let lab = Lab::new();
    // Twenty mebibytes a second, regardless of the load.
    let body = "while now() < 2:\n    while len(kept) < 20 * now(): kept.append(block(1))\n    \
                time.sleep(0.002)\n";
    let Some(command) = python(&lab, "leak.py", body) else { return };
    let document = sampled(&lab, &command);
    let found = verdict(&document, "resident");
    assert_eq!(found["kind"], "proportional", "{found}");
    let slope = &found["slope"];
    let rate = 20.0 * 1048576.0;
    // Longer sleeps make the program late, not slow.
    assert!((number(&slope["bytes_per_second"]) / rate - 1.0).abs() < 0.1, "{found}");
    assert!(number(&slope["low"]) > 0.0, "{found}");
    lab.brisk(&["show", "1"]).succeeded().says("resident memory grows by").says("like a leak");
}

#[test]
fn memory_that_is_given_back_is_constant() {
    let lab = Lab::new();
    // Fifteen mebibytes in each tenth of a second, regardless of the load.
    let body = "base = block(20)\ngarbage = []\nwhile now() < 2:\n    \
                wanted = int(15 * (now() % 0.1) / 0.1)\n    \
                if len(garbage) > wanted: garbage = []\n    \
                while len(garbage) < wanted: garbage.append(block(1))\n    time.sleep(0.002)\n";
    let Some(command) = python(&lab, "steady.py", body) else { return };
    let document = sampled(&lab, &command);
    let found = verdict(&document, "resident");
    assert!(found["kind"] != "proportional" && found["kind"] != "steps", "{found}");
    assert!(number(&found["level"]) > 20e6 && number(&found["peak"]) > number(&found["level"]));
}

#[test]
fn a_step_is_found_when_it_happens() {
    let lab = Lab::new();
    let body = "kept.append(block(20))\ntime.sleep(1.6)\nkept.append(block(40))\ntime.sleep(1.6)\n";
    let Some(command) = python(&lab, "step.py", body) else { return };
    let document = sampled(&lab, &command);
    let found = verdict(&document, "resident");
    assert_eq!(found["kind"], "steps", "{found}");
    let steps = list(found, "steps");
    let round = &judged(&document, "resident")["round"];
    let mut curves = list(&document, "memory_over_time").iter();
    let curve = curves.find(|curve| curve["round"] == *round && curve["source"] == "resident");
    let seconds = curve.expect("it was judged")["seconds"].as_array().expect("samples");
    let end = number(seconds.last().expect("a sample"));
    // A busy machine may make steps of the start-up, and may halt the program while it allocates, so
    // that the forty mebibytes come in two steps; what they come to, and when, is the same.
    let last = number(&steps.last().expect("there is a step")["after"]);
    let is_ours = |step: &&Value| {
        let rise = (last - number(&step["before"])) / (40.0 * 1_048_576.0);
        (rise - 1.0).abs() < 0.1
    };
    let step = steps.iter().find(is_ours).unwrap_or_else(|| panic!("{found}"));
    let share = number(&step["begin_seconds"]) / end;
    assert!((0.2..0.8).contains(&share), "{share} {found}");
}

#[test]
fn the_samples_are_stored_exported_and_shown_again() {
    let lab = Lab::new().with("COLUMNS", "80");
    let arguments =
        ["-r", "2", "--memory-over-time", "--export-svg", "memory.svg", "sleep 0.5", "true"];
    let document = lab.compared(&arguments);
    let curves = list(&document, "memory_over_time");
    assert_eq!(curves.len(), 6);
    for curve in curves {
        assert_eq!(
            (curve["source"].as_str(), curve["unit"].as_str()),
            (Some("resident"), Some("bytes"))
        );
        let (seconds, bytes) = (list(curve, "seconds"), list(curve, "bytes"));
        assert_eq!(seconds.len(), bytes.len());
        let is_missing = curve["missing"].is_string();
        assert_eq!(is_missing, seconds.is_empty(), "{curve}");
        assert_eq!(is_missing, curve["verdict"].is_null(), "{curve}");
    }
    let sleeps = || curves.iter().filter(|curve| curve["variant"] == 0);
    assert!(sleeps().all(|curve| list(curve, "seconds").len() > 20), "{:?}", sleeps().next());
    // `true` may end before the first sample, and the report says so.
    let first = lab.brisk(&["show", "1"]).succeeded();
    let first = first.says("A memory over time of sleep 0.5").says("B memory over time of true");
    let first = first.says("memory over time comes from 3 separate rounds");
    assert!(first.stdout.lines().all(|line| line.chars().count() <= 80), "{first}");
    assert_eq!(lab.exported("1")["memory_over_time"], document["memory_over_time"]);
    assert!(lab.read("memory.svg").contains("Memory over time"));
    lab.brisk(&["export", "1", "--export-png", "memory.png"]).succeeded();
    let picture = std::fs::read(lab.path("memory.png")).expect("it was written");
    assert!(picture.starts_with(b"\x89PNG"));
    // Without the option, the document has no such part.
    let plain = lab.compared(&["-r", "2", "true"]);
    assert!(plain.get("memory_over_time").is_none());
    lab.brisk(&["export", "2", "--export-svg", "runs.svg"]).succeeded();
    assert!(!lab.read("runs.svg").contains("Memory over time"));
}

#[test]
fn a_space_leak_of_haskell_is_seen_without_a_profile() {
    if !has("ghc") {
        return not_checked("the space leak of a Haskell program: ghc is not installed");
    }
    let lab = Lab::new();
    // The mean of a list that is built lazily and used twice: all of it stays live.
    lab.write(
        "Mean.hs",
        "main :: IO ()\nmain = do\n  let xs = [1 .. 4000000] :: [Integer]\n  \
         print (sum xs `div` fromIntegral (length xs))\n",
    );
    let folder = lab.path(".").display().to_string();
    let build = format!("cd '{folder}' && ghc -O0 Mean.hs -o mean");
    assert!(run("sh", &["-c", &build]), "{build}");
    let document = lab.compared(&["-r", "1", "--memory-over-time", "./mean"]);
    let found = verdict(&document, "live-heap");
    // On a busy machine the rounds may differ too much for a slope, but memory is never constant.
    assert!(found["kind"] != "constant", "{found}");
    assert!(number(&found["peak"]) > 50e6, "{found}");
    let curves = list(&document, "memory_over_time");
    assert_eq!(curves.len(), 6);
    // A busy machine may sample late, but not in every round.
    let live = curves.iter().filter(|curve| curve["source"] == "live-heap");
    let mut live = live.map(|curve| list(curve, "bytes").iter().map(number).collect::<Vec<f64>>());
    let grows = |bytes: Vec<f64>| {
        let most = bytes.iter().copied().fold(0.0, f64::max);
        bytes.first().is_some_and(|first| most > 1.5 * first)
    };
    assert!(live.any(grows), "{curves:?}");
}

#[test]
fn a_program_that_may_not_be_asked_is_sampled_all_the_same() {
    if !has("ghc") {
        return not_checked(
            "the live heap of a program that may not be asked: ghc is not installed",
        );
    }
    let lab = Lab::new();
    lab.write("Wait.hs", "import Control.Concurrent\nmain :: IO ()\nmain = threadDelay 100000\n");
    let folder = lab.path(".").display().to_string();
    let build = format!("cd '{folder}' && ghc -O0 -rtsopts=none Wait.hs -o wait");
    assert!(run("sh", &["-c", &build]), "{build}");
    let document = lab.compared(&["-r", "1", "--memory-over-time", "./wait"]);
    let curves = list(&document, "memory_over_time");
    let live = curves.iter().find(|curve| curve["source"] == "live-heap").expect("it was asked");
    assert!(live["missing"].is_string(), "{live}");
    let resident = curves.iter().find(|curve| curve["source"] == "resident").expect("sampled");
    assert!(resident["missing"].is_null(), "{resident}");
    lab.brisk(&["show", "1"]).succeeded().says("live heap: missing (");
}
