//! The cost of explaining itself, from existing dumps of Core and profiles of callgrind.

use std::path::Path;

use crate::Row;
use crate::peers::{self, Peers};

/// Megabytes of simplified Core, to which every goal refers; the dumps before code generation come
/// on top.
const DUMPS: &str = "15";

/// Megabytes of a profile.
const PROFILE: &str = "100";

/// The cost of a command: the median of its wall times, and its peak memory.
struct Taken {
    seconds: f64,
    peak_bytes: f64,
}

/// Dumps of Core: reading, checking all causes, comparing.
pub fn core(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let made = |name: &str, megabytes: &str, changed: &[&str]| -> Option<String> {
        let folder = peers.file(name).display().to_string();
        let mut script = peers.script("make_dumps");
        peers::run(script.args([&folder, megabytes]).args(changed)).ok.then_some(folder)
    };
    let (Some(old), Some(new)) =
        (made("core-old", DUMPS, &[]), made("core-new", DUMPS, &["changed"]))
    else {
        return tell(Row::new("dumps of Core", "", "not checked: no dumps", ""));
    };
    reading(peers, &old, tell);
    let [text, prep] = ["dump-simpl", "dump-prep"].map(|end| size(&old, end));
    let whole = (text + prep) / 1e6;
    let brisk = peers.brisk_command(&["explain"]);
    let brisk = brisk.get_program().to_string_lossy().into_owned();
    let mut row = |what: &str, goal, command: String, bytes: f64| {
        // Half a gigabyte takes long, so once is enough.
        let times = if bytes > 200e6 { 1 } else { 5 };
        let shown = match taken(peers, times, &command) {
            Some(taken) => {
                let memory = taken.peak_bytes / bytes;
                format!("{:.2} s, {memory:.1} times the dumps", taken.seconds)
            }
            None => "not checked: brisk refused".to_owned(),
        };
        tell(Row::new(what, goal, shown, ""));
    };
    row(
        &format!("`explain --core` of {DUMPS} MB ({whole:.0} MB with CorePrep), all causes"),
        "< 2 s, <= 10 times",
        format!("'{brisk}' explain --core '{old}' --ticky '{old}/ticky'"),
        text + prep,
    );
    row(
        "the same of two, compared",
        "< 4 s, <= 10 times",
        format!("'{brisk}' explain --core '{old}' '{new}' --ticky '{old}/ticky' '{new}/ticky'"),
        2.0 * (text + prep),
    );
    let Some(huge) = made("core-huge", "500", &[]) else { return };
    // Without counters and without CorePrep: the minimal input.
    remove(&huge, &["dump-prep"]);
    row(
        "`explain --core` of 500 MB",
        "<= 10 times",
        format!("'{brisk}' explain --core '{huge}'"),
        size(&huge, "dump-simpl"),
    );
    remove(&huge, &["dump-simpl", "ticky"]);
}

/// The reader alone: its time for ten times more, so that starting and loading cancel out.
fn reading(peers: &Peers, folder: &str, tell: &mut dyn FnMut(Row)) {
    const MORE: usize = 10;
    let example = peers.example("read_core");
    let program = example.get_program().to_string_lossy().into_owned();
    let command = |times: usize| format!("sh -c \"'{program}' {times} '{folder}'/*.dump-simpl\"");
    let bytes = size(folder, "dump-simpl");
    let (Some(once), Some(more)) =
        (taken(peers, 5, &command(1)), taken(peers, 5, &command(1 + MORE)))
    else {
        return tell(Row::new("reading Core", ">= 100 MB/s", "not checked", ""));
    };
    let rate = bytes * MORE as f64 / (more.seconds - once.seconds) / 1e6;
    let words = taken(peers, 5, &format!("sh -c \"cat '{folder}'/*.dump-simpl | wc -w\""));
    let theirs = words.map(|words| bytes / words.seconds / 1e6);
    tell(Row::new(
        format!("reading {DUMPS} MB of Core, one processor"),
        ">= 100 MB/s",
        format!("{rate:.0} MB/s"),
        theirs.map_or_else(String::new, |theirs| {
            format!("`wc -w`: {theirs:.0} MB/s; brisk {:.2} of it", rate / theirs)
        }),
    ));
    // The text itself is included.
    let memory = once.peak_bytes / bytes;
    tell(Row::new("its peak memory over the text", "<= 10", format!("{memory:.1}"), ""));
}

/// Profiles of callgrind: one read, two compared.
pub fn callgrind(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let made = |name: &str, seed: &str| -> Option<String> {
        let file = peers.file(name).display().to_string();
        peers::run(peers.script("make_callgrind").args([&file, PROFILE, seed])).ok.then_some(file)
    };
    let (Some(old), Some(new)) = (made("old.callgrind", "1"), made("new.callgrind", "2")) else {
        return tell(Row::new("profiles of callgrind", "", "not checked: no profiles", ""));
    };
    let brisk = peers.brisk_command(&["explain"]);
    let brisk = brisk.get_program().to_string_lossy().into_owned();
    let one = taken(peers, 5, &format!("'{brisk}' explain --callgrind '{old}'"));
    let two = taken(peers, 5, &format!("'{brisk}' explain --callgrind '{old}' '{new}'"));
    let theirs = taken(peers, 1, &format!("callgrind_annotate '{old}'"));
    let shown = |taken: &Option<Taken>| match taken {
        Some(taken) => format!("{:.2} s, {:.0} MB", taken.seconds, taken.peak_bytes / 1e6),
        None => "not checked".to_owned(),
    };
    let ratio = theirs.as_ref().zip(one.as_ref()).map_or_else(String::new, |(theirs, ours)| {
        format!("; {:.0} times brisk's time", theirs.seconds / ours.seconds)
    });
    tell(Row::new(
        format!("`explain --callgrind` of a profile of {PROFILE} MB"),
        "< 2 s",
        shown(&one),
        format!("`callgrind_annotate`: {}{ratio}", shown(&theirs)),
    ));
    tell(Row::new("the same of two, compared", "< 2 s", shown(&two), ""));
}

/// Runs a command `times` times under brisk. Returns `None` if it fails.
fn taken(peers: &Peers, times: usize, command: &str) -> Option<Taken> {
    let (document, _) = peers.brisk(&["--runs", &times.to_string(), command])?;
    let runs = document["runs"].as_array()?;
    let of = |reading: &str| -> Option<Vec<f64>> {
        runs.iter().map(|run| run["readings"][reading].as_f64()).collect()
    };
    Some(Taken {
        seconds: peers::median(of("wall_time")?),
        peak_bytes: of("peak_rss")?.into_iter().fold(0.0, f64::max),
    })
}

/// The total size in bytes of the files of a kind in a folder.
fn size(folder: &str, end: &str) -> f64 {
    files(folder, end)
        .iter()
        .filter_map(|path| path.metadata().ok())
        .map(|it| it.len() as f64)
        .sum()
}

fn files(folder: &str, end: &str) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(Path::new(folder)).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(end));
    paths
}

fn remove(folder: &str, ends: &[&str]) {
    for path in ends.iter().flat_map(|end| files(folder, end)) {
        // It lies in the work folder, and is made again on demand.
        let _ = std::fs::remove_file(path);
    }
}
