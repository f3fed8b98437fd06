//! `--metrics energy`: a number, or the reason why it is missing.

use crate::document::{list, measured};
use crate::lab::Lab;

#[test]
fn energy_is_read_on_request_and_never_a_zero() {
    let lab = Lab::new();
    let runs = ["-r", "2", "sleep 0.005"];
    let usual = lab.compared(&runs);
    let reason = &measured(&usual)[0]["readings"]["energy"]["missing"];
    assert_eq!(reason, "not requested");
    let document = lab.compared(&[&["--metrics", "energy,wall_time"], &runs[..]].concat());
    let is_noted = list(&document, "notes").iter().any(|note| note["kind"] == "energy-of-all");
    for run in measured(&document) {
        let reading = &run["readings"]["energy"];
        match reading.as_f64() {
            Some(joules) => assert!(joules > 0.0 && is_noted, "{reading}"),
            None => {
                let reason = reading["missing"].as_str().expect("a reason");
                assert!(reason.contains("energy counters") && !is_noted, "{reason}");
            }
        }
    }
    let doctor = lab.brisk(&["doctor", "--quick", "-v"]);
    assert!(doctor.stdout.contains("energy"), "{doctor}");
}

#[test]
fn a_limit_of_energy_is_in_joules() {
    let lab = Lab::new();
    let sweep = |limit: &str| lab.brisk(&["sweep", "--limit", limit, "-L", "n", "1,2", "true {n}"]);
    sweep("energy < 3 s").refused("the limit `energy < 3 s` needs a unit of energy, such as `J`");
}
