//! Pages for a browser: self-contained files, and sites. Tests in a real browser run if one is
//! installed.

use std::fs;
use std::path::Path;

use crate::lab::Lab;
use crate::repository::{LONG, Repository, SHORT};

/// Malicious text.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)> \"quoted\" \u{202e}gnp";

/// A comparison of commands, one of which has a hostile name.
fn compared() -> Lab {
    let lab = Lab::new();
    let arguments = ["compare", "-r", "7", "-w", "0", "-n", HOSTILE, "-n", "plain", "true", "true"];
    lab.brisk(&[&arguments[..], &["--export-html", "direct.html"]].concat()).judged();
    lab
}

/// The number of elements with this tag.
fn count(text: &str, tag: &str) -> usize {
    text.matches(&format!("<{tag}")).count()
}

#[test]
fn a_page_is_one_file_that_needs_nothing_and_lets_nothing_in() {
    let lab = compared();
    lab.brisk(&["report", "1", "-o", "later.html"]).succeeded();
    let text = lab.read("later.html");
    assert!(text == lab.read("direct.html"), "what is written later is what was written at once");
    // Only the page's script: the picture of runs has no figures to zoom into.
    assert_eq!((count(&text, "script"), count(&text, "img")), (1, 0));
    assert!(text.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; &quot;quoted&quot;"));
    assert!(!text.contains('\u{202e}'));
    assert!(text.contains("default-src 'none'") && !text.contains("unsafe-inline"));
    // Every run of both has a tooltip, as has each distribution; the ratios, too.
    assert_eq!(count(&text, "svg"), 2);
    assert_eq!(text.matches(", round 7\n").count(), 2);
    for address in ["http://", "https://"] {
        let addresses = text.matches(address).count();
        let spaces = text.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(addresses, if address == "http://" { spaces } else { 0 }, "{address}");
    }
}

#[test]
fn several_experiments_are_one_page_and_the_newest_is_the_default() {
    let lab = compared();
    lab.brisk(&["compare", "-r", "6", "true"]).judged();
    lab.brisk(&["report", "2", "1", "2", "-o", "both.html"]).succeeded();
    let both = lab.read("both.html");
    assert_eq!(both.matches("<h2>compare: ").count(), 2);
    // No two elements have the same id.
    let mut names: Vec<&str> =
        both.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    lab.brisk(&["report", "-o", "newest.html"]).succeeded();
    lab.brisk(&["report", "2", "-o", "second.html"]).succeeded();
    assert!(lab.read("newest.html") == lab.read("second.html"));
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_read() {
    let lab = Lab::new();
    let refused = |arguments: &[&str], words: &str| {
        lab.brisk(arguments).failed(words);
    };
    refused(&["report", "1", "-o", "no/such/folder.html"], "cannot write `no/such/folder.html`");
    refused(&["report", "1", "-o", "x.html"], "nothing is stored");
    lab.brisk(&["report", "1"]).exited(2);
    let lab = compared();
    // The folder may be gone, with its histories still stored.
    let ended = lab.brisk(&["report", "--site", "site", "--project", "/nowhere"]);
    ended.failed("no history of `/nowhere` is stored");
    lab.brisk(&["report", "9", "-o", "x.html"]).failed("there is no experiment 9");
    assert!(!lab.exists("x.html"));
    lab.brisk(&["report", "--site", "site"]).failed("no history of");
}

/// Every file below a folder with its text.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => {
                let text = fs::read_to_string(&path).expect("text");
                all.push((path.display().to_string(), text));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn a_site_says_what_changed_and_is_written_where_something_did() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, SHORT, LONG]);
    repository.commit_costing(HOSTILE, LONG);
    repository.history(&[]).judged();
    lab.brisk(&["report", "--site", "site", "--project", "repo"]).succeeded();
    let first = files(&lab.path("site"));
    let of = |name: &str| {
        let found = first.iter().find(|(path, _)| path.ends_with(name));
        &found.unwrap_or_else(|| panic!("no {name}")).1
    };
    let slower = repository.git(&["rev-parse", "main~1"]);
    let slower = slower.trim();
    let front = of("index.html");
    assert!(front.contains("1 regression</span> in the newest 4 commits"), "{front}");
    assert!(front.contains("regressed") && front.contains(&slower[..7]));
    assert_eq!(count(of("index.html"), "script"), 1);
    let feed = roxmltree::Document::parse(of("feed.xml")).expect("well-formed");
    let entries: Vec<_> = feed.descendants().filter(|node| node.has_tag_name("entry")).collect();
    assert!(entries.iter().any(|entry| {
        entry.descendants().any(|node| node.text().is_some_and(|text| text.contains(slower)))
    }));
    assert_eq!(first.iter().filter(|(path, _)| path.contains("badges/")).count(), 1);
    assert!(first.iter().all(|(_, text)| !text.contains("<img") && !text.contains('\u{202e}')));
    let again = lab.brisk(&["report", "--site", "site", "--project", "repo"]).succeeded();
    assert!(again.stdout.starts_with("0 of 4 files"), "{}", again.stdout);
    assert!(files(&lab.path("site")) == first);
}
