//! The page of a history of ten thousand commits: its size, the time until it is written and
//! displayed, and the smoothness of zooming in a browser. And the site of a suite: the time to add
//! one commit.

use std::path::Path;

use serde_json::Value;

use crate::Row;
use crate::peers::{self, Finished, Peers, command, median};

const COMMITS: &str = "10000";
const METRICS: &str = "5";

/// Fills a store through the store itself, and shows the resulting page.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let file = peers.file("pages.db");
    peers::remove_store(&file);
    let store = file.display().to_string();
    let what = |what: &str| format!("{what}, {COMMITS} commits × {METRICS} metrics with intervals");
    let filled = peers::run(peers.example("fill_history").args([&store, COMMITS, METRICS]));
    if !filled.ok {
        return tell(Row::new(what("a page"), "", "not checked: there is no history", ""));
    }
    let page = peers.file("page.html");
    let report = ["report", "1", "-o", &page.display().to_string(), "--store", &store];
    let walls = (0..7).map(|_| {
        let finished = peers::run(&mut peers.brisk_command(&report));
        assert!(finished.ok, "the page is written");
        finished.wall.as_secs_f64()
    });
    let written = format!("{:.2} s", median(walls.collect()));
    let (asv_written, asv_size) = asv(peers, &store).unwrap_or_else(|| {
        let not_checked = "not checked: asv cannot be installed".to_owned();
        (not_checked.clone(), not_checked)
    });
    tell(Row::new(what("a page is written in"), "< 1 s", written, asv_written));
    let size = std::fs::metadata(&page).map_or(0, |about| about.len());
    tell(Row::new(what("a page's size"), "< 3 MB", megabytes(size), asv_size));
    let seen = seen(&page);
    let figure = |name: &str, unit: &str| {
        let value = seen.as_ref().and_then(|seen| seen[name].as_f64());
        let not_checked = || "not checked: no Chromium, or no Node".to_owned();
        value.map_or_else(not_checked, |value| format!("{value:.0} {unit}"))
    };
    tell(Row::new(
        what("a page's first picture after"),
        "< 500 ms",
        figure("firstPicture", "ms"),
        "",
    ));
    let rate = figure("framesPerSecond", "frames per second");
    tell(Row::new(what("zoom in a page"), "≥ 50 frames per second", rate, ""));
    site(peers, tell);
}

/// Commits of a suite before the new one.
const SITE_COMMITS: u32 = 5000;
const SITE_BENCHMARKS: &str = "50";

/// Writes the site of a suite, and then that of the same suite with one more commit.
fn site(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    // The project path in the made-up history.
    let project = Path::new("/home/user/project");
    let what = format!("a site of {SITE_COMMITS} commits × {SITE_BENCHMARKS} benchmarks, one more");
    let folder = peers.file("site");
    // It may not exist yet.
    let _ = std::fs::remove_dir_all(&folder);
    let mut wall = None;
    for commits in [SITE_COMMITS, SITE_COMMITS + 1] {
        let file = peers.file("site.db");
        peers::remove_store(&file);
        let store = file.display().to_string();
        let fill = [&store, &commits.to_string(), "1", SITE_BENCHMARKS];
        if !peers::run(peers.example("fill_history").args(fill)).ok {
            return tell(Row::new(what, "< 1 s", "not checked: there is no history", ""));
        }
        let [folder, project] = [&folder, project].map(|path| path.display().to_string());
        let report = ["report", "--site", &folder, "--project", &project, "--store", &store];
        let finished = peers::run(&mut peers.brisk_command(&report));
        assert!(finished.ok, "the site is written");
        wall = Some(finished.wall);
    }
    let written = wall.map_or_else(String::new, |wall| format!("{:.2} s", wall.as_secs_f64()));
    tell(Row::new(what, "< 1 s", written, ""));
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

/// Chromium's measurements of a page.
fn seen(page: &Path) -> Option<Value> {
    let address = format!("file://{}", page.display());
    let Finished { ok, stdout, .. } =
        peers::run(command(Path::new("node")).args(["tests/pages/measure.js", &address]));
    ok.then(|| serde_json::from_str(&stdout).expect("the script prints JSON"))
}

/// The time asv needs to publish the same history, and the size of the result; `None` without asv.
fn asv(peers: &Peers, store: &str) -> Option<(String, String)> {
    let asv = peers.file("asv/bin/asv");
    if !asv.exists() {
        return None;
    }
    let (exported, folder) = (peers.file("pages.json"), peers.file("asv-project"));
    let path = exported.display().to_string();
    let export = ["export", "1", "--export-json", &path, "--store", store];
    assert!(peers::run(&mut peers.brisk_command(&export)).ok, "the history is exported");
    // It may not exist yet.
    let _ = std::fs::remove_dir_all(&folder);
    if !peers::run(peers.script("make_asv").args([&exported, &folder])).ok {
        return None;
    }
    let published = peers::run(command(&asv).arg("publish").current_dir(&folder));
    let wall = format!("asv 0.6.5 publish: {:.1} s", published.wall.as_secs_f64());
    published.ok.then(|| (wall, format!("asv: {}", megabytes(size_of(&folder.join("html"))))))
}

/// The total size of all files in a folder.
fn size_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => size_of(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}
