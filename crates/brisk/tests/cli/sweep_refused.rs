//! An invalid sweep is refused before anything runs.

use crate::lab::Lab;

#[test]
fn a_sweep_that_makes_no_sense_is_refused_before_anything_runs() {
    let cases: [(&[&str], &str); 18] = [
        (&["touch ran"], "there is no parameter to sweep"),
        (&["--param", "n=1,2", "touch ran"], "parameter `n` is used in no command"),
        (&["--param", "n=1,2", "touch ran {m} {n}"], "unknown parameter `{m}`"),
        (&["--param", "n=1,2", "--param", "n=3", "touch ran{n}"], "parameter `n` is given twice"),
        (&["--param", "n", "touch ran{n}"], "`n` is not a parameter"),
        (&["--param", "n=", "touch ran{n}"], "parameter `n` has no values"),
        (&["--param", "n=5..1", "touch ran{n}"], "has an empty range"),
        (&["--param", "n=1..9*1", "touch ran{n}"], "the factor must be above 1"),
        (&["--param", "n=1..9:0", "touch ran{n}"], "it must be positive"),
        (&["--param", "n=1", "touch ran{n}"], "the sweep has one point only"),
        (&["--param", "n=1,2", "--default", "m=1", "touch ran{n}"], "there is no parameter `m`"),
        (
            &["--param", "n=1,2", "--default", "1", "touch ran{n}"],
            "`--default 1` does not set a parameter",
        ),
        (
            &["--param", "n=1,2", "--param", "m=1,2", "--default", "m=1", "touch ran{n}{m}"],
            "`--default` does not set `n`",
        ),
        (
            &["--param", "n=1,2", "--limit", "peak_rss < 4", "touch ran{n}"],
            "needs a unit of memory",
        ),
        (&["--param", "n=1,2", "--limit", "memory < 4 GB", "touch ran{n}"], "names no metric"),
        (&["--param", "n=1,2", "--minimize", "speed", "touch ran{n}"], "unknown metric `speed`"),
        (&["--param", "n=1,2", "--minimize", "cpu_utilised", "touch ran{n}"], ""),
        (&["--param", "p=true,no-such-program", "{p}"], "cannot start `p=no-such-program`"),
    ];
    let lab = Lab::new();
    for (arguments, error) in cases {
        lab.brisk(&[&["sweep"], arguments].concat()).refused(error);
        let ran = ["ran", "ran1", "ran2"].iter().any(|name| lab.exists(name));
        assert!(!ran && !lab.store().exists(), "{arguments:?} ran something");
    }
    lab.brisk(&["sweep", "touch ran"]).hinting("--param size=1k..1M*4");
}
