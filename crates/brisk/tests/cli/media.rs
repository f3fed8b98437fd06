//! The same report in each medium: everything on the terminal is also in the Markdown and in the
//! HTML page.

use findings::Document;
use page::terminal::{self, Folds};
use report::{as_markdown, page};
use serde_json::{Value, json};

use crate::inconsistent::{of_commits, of_suites, swept, tuned};

/// The visible text of Markdown, in one line.
fn read(markdown: &str) -> String {
    let text = markdown.replace(['`', '\\', '*', '|', '\n'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The visible text of HTML, in one line.
fn read_html(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, behind)| behind));
        text.push(' ');
    }
    let names = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    let text = names.iter().fold(text, |text, (name, letter)| text.replace(name, letter));
    read(&text)
}

/// Asserts that everything on the terminal is also in the Markdown and in the HTML, and that the
/// texts `told` are shown. Bars exist only on a terminal.
#[track_caller]
fn other_media_have_all(document: &Value, told: &[&str]) {
    let document = Document::read(&document.to_string()).expect("it is sound");
    let markdown = as_markdown(&document);
    let shown = terminal::render(&page(&document), 10_000, Folds::Closed);
    let shown = anstream::adapter::strip_str(&shown).to_string();
    for sentence in told {
        assert!(shown.contains(sentence), "no `{sentence}` in {shown}");
    }
    let is_bar = |piece: &str| piece.chars().all(|c| ('▁'..='█').contains(&c) || c == '·');
    let seen = read(&markdown);
    let html = page::html::render(&page(&document), 2);
    let seen_in_html = read_html(&html);
    for piece in shown.lines().flat_map(|line| line.split("  ")).filter(|piece| !is_bar(piece)) {
        assert!(seen.contains(&read(piece)), "no `{piece}` in {markdown}");
        // Tags may separate adjacent words.
        let words = read(piece).replace(' ', "");
        assert!(seen_in_html.replace(' ', "").contains(&words), "no `{piece}` in {html}");
    }
}

#[test]
fn of_a_history() {
    let mut document = of_commits().document;
    let commits = document["commits"].as_array().expect("a list");
    let [first, slower, last] = [0, 2, 3].map(|place| commits[place]["hash"].clone());
    let change = json!({"from": first, "metric": "wall_time", "source": "run", "ratio": 1.1,
        "low": 1.05, "high": 1.15, "verdict": "regressed", "commit": slower, "to": last,
        "confirmed": "measured"});
    document["steps"] = json!([change]);
    document["drifts"] = json!([change]);
    document["notes"] = json!([{"kind": "contention", "wait_share": 0.25},
        {"kind": "failures", "variant": 0, "runs": 4, "how": "exited with status 3"},
        {"kind": "not-confirmed", "commit": last, "metric": "wall_time"}]);
    let note = format!("note: 4 runs of {} failed", &first.as_str().expect("a hash")[..7]);
    let told = [
        " regressed: wall time +10.00 % [",
        " drifted: wall time +10.00 % [",
        &note,
        "not build: ",
    ];
    other_media_have_all(&document, &told);
}

#[test]
fn of_the_history_of_a_suite() {
    let told = [" regressed: `x`, time per iteration +", " adds `y` and no longer has `x`"];
    other_media_have_all(&of_suites().document, &told);
}

#[test]
fn of_a_sweep() {
    let mut document = swept().document;
    document["equal_work"] = json!({
        "outputs": [{"variant": 0, "bytes": 2, "sha256": "", "exit_status": 0, "repeatable": null},
            {"variant": 1, "bytes": 3, "sha256": "", "exit_status": 0, "repeatable": false}],
        "differences": [{"baseline": 0, "candidate": 1, "prints_differ": true,
            "first": {"byte": 1, "line": 1}, "ends": null}],
        "suspicions": [{"baseline": 0, "candidate": 1, "metric": "peak_rss", "source": "run",
            "variant": 0, "value": 1e6, "other_value": 1e9}]});
    let told = [
        " in wall time",
        "warning: `t=0.02` does not print what `t=0.002` prints: 3 bytes and 2 bytes",
        "warning: `t=0.002` has 1.000 MB peak rss where `t=0.02` has 1.000 GB: ",
        "note: `t=0.02` does not print the same twice",
        "exited with status",
    ];
    other_media_have_all(&document, &told);
}

#[test]
fn of_a_tuning() {
    let document = tuned().document;
    let line = document["sweep"]["tuning"]["line"].as_str().unwrap_or("nothing is certainly");
    other_media_have_all(&document, &["the search tried ", line]);
}
