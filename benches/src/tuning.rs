//! `brisk sweep --tune` on real programs: against an exhaustive sweep of the same settings, against
//! common recommendations, and without anything to find.

use serde_json::Value;

use crate::Row;
use crate::peers::{Peers, comparisons, run as finish};

/// Rounds of the exhaustive sweep, and of the final comparison.
const GRID_ROUNDS: &str = "3";
const ROUNDS: &str = "12";

/// A common recommendation among GHC users: a nursery of 64 MB.
const FOLKLORE: &str = "-A64m";

/// The number of tunings of a program that no setting changes, unless `BENCH_COMPARISONS` is set.
const TUNINGS: usize = 50;

/// OCaml programs, against an exhaustive sweep of `s` and `o`.
pub fn against_all(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    for version in ["4", "5"] {
        let program = peers.file("tuning").join(format!("trees-ocaml-{version}"));
        let what = format!("tuned in 60 runs, OCaml {version}: time over the exhaustive best's");
        if !program.exists() {
            tell(Row::new(what, "<= 1.05", "not checked: no such compiler", ""));
            continue;
        }
        match exhaustive(peers, &format!("{} 20", program.display())) {
            Some((found, thrifty)) => {
                tell(Row::new(what, "<= 1.05", found.0, found.1));
                let what = format!("the thrifty one, OCaml {version}: gain kept, memory taken");
                tell(Row::new(what, ">= 90 % for <= 50 %", thrifty.0, thrifty.1));
            }
            None => tell(Row::new(what, "<= 1.05", "not checked: brisk failed", "")),
        }
    }
}

/// A Haskell program, against the folklore.
pub fn against_folklore(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    tell(folklore(peers));
}

/// A program that no setting changes.
pub fn agreement(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    tell(nothing_to_find(peers));
}

/// Runs `brisk sweep`. Returns the exported document.
fn sweep(peers: &Peers, arguments: &[&str]) -> Option<Value> {
    let (json, store) = (peers.file("sweep.json"), peers.file("sweep.db"));
    // No interrupted sweep may be resumed.
    let _ = std::fs::remove_file(&store);
    let mut command = peers.brisk_command(&["sweep", "--quiet", "--export-json"]);
    command.arg(&json).arg("--store").arg(&store).args(arguments);
    if !finish(&mut command).ok {
        return None;
    }
    let text = std::fs::read_to_string(json).ok()?;
    serde_json::from_str(&text).ok()
}

/// The setting of a variant, in the format of `OCAMLRUNPARAM`.
fn setting(document: &Value, variant: &Value) -> Option<String> {
    let variant = usize::try_from(variant.as_u64()?).ok()?;
    let labels = document["variants"][variant]["labels"].as_object()?;
    let choices = labels.iter().filter_map(|(name, text)| Some((name, text.as_str()?)));
    let choices = choices.map(|(name, text)| format!("{name}={text}"));
    Some(choices.collect::<Vec<_>>().join(","))
}

/// The levels of one of the tuned knobs, as a parameter.
fn levels(document: &Value, name: &str) -> Option<String> {
    let knobs = document["sweep"]["tuning"]["knobs"].as_array()?;
    let knob = knobs.iter().find(|knob| knob["name"] == name)?;
    let levels = knob["levels"].as_array()?.iter().filter_map(Value::as_str);
    Some(format!("{name}={}", levels.collect::<Vec<_>>().join(",")))
}

type Cells = (String, String);

/// A tuning, an exhaustive sweep of `s` and `o`, and then the best of both in the same rounds.
fn exhaustive(peers: &Peers, program: &str) -> Option<(Cells, Cells)> {
    let tuned = sweep(peers, &["--tune", program])?;
    let (s, o) = (levels(&tuned, "s")?, levels(&tuned, "o")?);
    let arguments = ["--exhaustive", "--runs", GRID_ROUNDS, "--param", &s, "--param", &o];
    let told = ["--env", "OCAMLRUNPARAM=s={s},o={o}", program];
    let grid = sweep(peers, &[&arguments[..], &told[..]].concat())?;
    let best = setting(&grid, &grid["sweep"]["front"][0])?;
    let found = setting(&tuned, &tuned["sweep"]["tuning"]["recommended"]).unwrap_or_default();
    let thrifty = setting(&tuned, &tuned["sweep"]["thrifty"]);
    let grid_thrifty = setting(&grid, &grid["sweep"]["thrifty"]);
    let command = |told: &str| format!("env OCAMLRUNPARAM={told} {program}");
    let mut commands = vec![command(&best), command(&found), command("")];
    commands.extend(thrifty.iter().map(|told| command(told)));
    let mut arguments = vec!["--runs", ROUNDS, "--runtime", "none"];
    arguments.extend(commands.iter().map(String::as_str));
    let (document, _) = peers.brisk(&arguments)?;
    let points = grid["variants"].as_array()?.len();
    let fastest =
        (format!("`{found}`: {}", ratio(&document, 1)), format!("`{best}`, of {points} points"));
    let frugal = match &thrifty {
        Some(told) => format!("`{told}`: {}", shares(&document)?),
        None => "none is named".to_owned(),
    };
    let theirs = grid_thrifty.map_or("none in the grid".to_owned(), |told| format!("`{told}`"));
    Some((fastest, (frugal, theirs)))
}

fn ratio(document: &Value, candidate: u64) -> String {
    let comparisons = document["comparisons"].as_array().expect("brisk/1 has comparisons");
    let is_it = |c: &&Value| c["candidate"] == candidate && c["metric"] == "wall_time";
    let one = comparisons.iter().find(is_it).expect("each candidate is compared");
    let bound = |name: &str| one[name].as_f64().map_or("?".to_owned(), |v| format!("{v:.3}"));
    format!("{} [{}, {}]", bound("ratio"), bound("low"), bound("high"))
}

/// The part of the found setting's gain that the thrifty one keeps, and the part of its memory that
/// it takes: variants 1 (found), 2 (the default) and 3 (thrifty).
fn shares(document: &Value) -> Option<String> {
    let summaries = document["summaries"].as_array()?;
    let median = |variant: u64, metric: &str| {
        let of = summaries.iter().find(|s| s["variant"] == variant && s["metric"] == metric)?;
        of["median"].as_f64()
    };
    let share = |metric| {
        let (found, default, thrifty) =
            (median(1, metric)?, median(2, metric)?, median(3, metric)?);
        Some(100.0 * (thrifty - default) / (found - default))
    };
    Some(format!("{:.0} % for {:.0} %", share("wall_time")?, share("peak_rss")?))
}

/// The setting found for a Haskell program against the folklore and the default, in the same
/// rounds.
fn folklore(peers: &Peers) -> Row {
    let what = format!("tuned in 60 runs, GHC: time over that with `{FOLKLORE}`");
    let goal = "< 1, or says that it cannot";
    let program = peers.file("tuning").join("trees-ghc");
    if !program.exists() {
        return Row::new(what, goal, "not checked: no GHC", "");
    }
    let program = format!("{} 20", program.display());
    let Some(tuned) = sweep(peers, &["--tune", &program]) else {
        return Row::new(what, goal, "not checked: brisk failed", "");
    };
    let Some(line) = tuned["sweep"]["tuning"]["line"].as_str() else {
        return Row::new(what, goal, "says that nothing is better than the default", "");
    };
    let options = line.trim_start_matches("export GHCRTS=").trim_matches('\'');
    let told = |options: &str| format!("{program} +RTS {options} -RTS");
    let arguments = ["--runs", ROUNDS, "--runtime", "none", &told(FOLKLORE), &told(options)];
    match peers.brisk(&[&arguments[..], &[program.as_str()]].concat()) {
        Some((document, _)) => Row::new(
            what,
            goal,
            format!("`{options}`: {}", ratio(&document, 1)),
            format!("the default: {}", ratio(&document, 2)),
        ),
        None => Row::new(what, goal, "not checked: brisk failed", ""),
    }
}

/// A script of 20 ms that no variable changes, tuned again and again in few runs.
fn nothing_to_find(peers: &Peers) -> Row {
    let script = peers.file("tuning").join("unchanged").display().to_string();
    let count = comparisons(TUNINGS);
    let (mut done, mut recommended) = (0, 0);
    for _ in 0..count {
        let arguments = ["--tune", "--tune-runs", "24", "--runtime", "ocaml", &script];
        let Some(tuned) = sweep(peers, &arguments) else { continue };
        done += 1;
        recommended += usize::from(tuned["sweep"]["tuning"]["recommended"].is_u64());
    }
    let what = format!("{done} tunings of a script of 20 ms that no setting changes: recommend");
    Row::new(what, "<= 2 of 50", format!("{recommended}/{done}"), "")
}
