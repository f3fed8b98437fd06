//! A store on a server: 64 writers at once, and the verbs that read, with ten million runs.

use std::path::Path;
use std::process::Command;

use crate::Row;
use crate::peers::{self, Peers};

/// The number of copies that the server makes of twenty experiments with a thousand runs each.
const COPIES: u32 = 500;

/// Copies those twenty and a history without runs, with all related rows. The copies are consistent
/// by construction, and are not checked again.
const COPY: &str = "
    SET search_path TO brisk;
    SET session_replication_role TO replica;
    INSERT INTO experiment OVERRIDING SYSTEM VALUE
        SELECT id + 21 * copy, started_unix_ns, finished_unix_ns, state, stop_reason, title,
            variants, rounds, runs, answer, kind, project
        FROM experiment, generate_series(1, {copies} - 1) AS copy;
    INSERT INTO experiment_detail
        SELECT experiment + 21 * copy, arguments, cwd, brisk_version, seed, commands, rule, metrics,
            machine, conditions, summary, contrasts, subject, history, execution, elapsed_seconds
        FROM experiment_detail, generate_series(1, {copies} - 1) AS copy;
    INSERT INTO variant SELECT experiment + 21 * copy, number, name, command
        FROM variant, generate_series(1, {copies} - 1) AS copy;
    INSERT INTO variant_label SELECT experiment + 21 * copy, variant, number, name, value
        FROM variant_label, generate_series(1, {copies} - 1) AS copy;
    INSERT INTO reading_list SELECT experiment + 21 * copy, source, number, metric
        FROM reading_list, generate_series(1, {copies} - 1) AS copy;
    INSERT INTO run SELECT experiment + 21 * copy, source, warmup, round, position, variant,
            started_unix_ns, exit_status, signal, left_behind, stderr_tail, readings
        FROM run, generate_series(1, {copies} - 1) AS copy;
    SELECT setval(pg_get_serial_sequence('experiment', 'id'), (SELECT max(id) FROM experiment))";

/// Starts a server in the work folder, and ends it.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let folder = peers.file("postgres").display().to_string();
    let script = |words: &[&str]| {
        let words = [&["scripts/engines/postgres"], words, &[&folder, "26432"]].concat();
        peers::output(&words.join(" "))
    };
    if script(&["up"]).is_none() {
        return tell(Row::new("a store on a PostgreSQL server", "", "not checked", ""));
    }
    if let Some(address) = script(&["env"]) {
        writing(peers, address.trim(), tell);
        reading(peers, address.trim(), tell);
    }
    script(&["down"]);
    // Some gigabytes.
    let _ = std::fs::remove_dir_all(&folder);
}

fn psql(address: &str) -> Command {
    let mut command = peers::command(Path::new("psql"));
    command.args([address, "-X", "-q"]);
    command
}

fn writing(peers: &Peers, address: &str, tell: &mut dyn FnMut(Row)) {
    let mut rates = Vec::new();
    for (runs, slice) in [("200", "1"), ("2000", "20")] {
        let arguments = [address, "1", runs, slice, "64"];
        let filled = peers::run(peers.example("fill_store").args(arguments));
        rates.push(filled.stdout.lines().last().unwrap_or("not checked").to_owned());
    }
    let what = "64 concurrent writers to PostgreSQL, beside them on this machine";
    tell(Row::new(what, ">= 2,000 runs a second", rates.join("; "), ""));
}

fn reading(peers: &Peers, address: &str, tell: &mut dyn FnMut(Row)) {
    let empty = "DROP SCHEMA brisk CASCADE";
    let copy = COPY.replace("{copies}", &COPIES.to_string());
    let ask = |statements: &str| peers::run(psql(address).args(["-c", statements])).ok;
    let made = ask(empty)
        && peers::run(peers.example("fill_store").args([address, "20", "1000", "100"])).ok
        && peers::run(peers.example("fill_history").args([address, "200", "3"])).ok
        && ask(&copy)
        && ask("VACUUM ANALYZE");
    if !made {
        return tell(Row::new("10,000,000 runs on a server", "", "not checked", ""));
    }
    let verbs: [(&str, &[&str]); 5] = [
        ("list", &["list", "--store", address]),
        ("list with a text", &["list", "nothing has this text", "--store", address]),
        ("show", &["show", "5001", "--store", address]),
        ("the table and steps of a history", &["show", "21", "--store", address]),
        (
            "its comparisons as CSV",
            &["export", "21", "--export-csv", "/dev/null", "--store", address],
        ),
    ];
    for (what, arguments) in verbs {
        let what = format!("{what} with 10,000,000 runs in PostgreSQL");
        tell(Row::new(what, "< 300 ms", format!("{:.0} ms", peers.answer_ms(arguments)), ""));
    }
}
