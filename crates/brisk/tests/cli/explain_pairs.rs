//! `brisk explain` on the pairs of programs in `fixtures/explain_pairs`: each cost is named, and gone
//! in the cured version.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::lab::{Lab, has, not_checked};

/// The pairs in every test run; `BRISK_PAIRS=all` runs all of them.
const EACH_TIME: [&str; 12] = [
    "03-stack-compiler",
    "11-free-shell",
    "13-shape-scene",
    "24-factor-tables",
    "29-while-language",
    "56-request-meter",
    "59-shelf-order",
    "75-title-index",
    "88-dice-game",
    "113-formula-parser",
    "145-coins",
    "158-suggest",
];

/// The number of findings visible without scrolling.
const FIRST: usize = 3;

#[derive(Debug)]
struct Pair {
    name: String,
    arguments: Vec<String>,
    r#where: Vec<String>,
    /// The cause that names the cost; otherwise there is a reason why no cause does.
    cause: Option<String>,
    /// Text in the finding, if the cured program has another one with the same cause.
    says: Option<String>,
    missed: Option<String>,
    /// The reason why the cured program rightly has it, too.
    still: Option<String>,
}

/// The file is TOML whose values are valid JSON, too.
fn pairs() -> Vec<Pair> {
    let one = |text: &str| {
        let of = |name: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(" = "));
            let value = lines.into_iter().find(|(key, _)| *key == name)?.1;
            Some(serde_json::from_str::<Value>(value).expect("a value"))
        };
        let text = |name: &str| Some(of(name)?.as_str()?.to_owned());
        let texts = |name: &str| {
            let all = of(name).and_then(|it| it.as_array().cloned()).expect("a list").into_iter();
            all.filter_map(|it| it.as_str().map(str::to_owned)).collect()
        };
        Pair {
            name: text("name").expect("a name"),
            arguments: texts("arguments"),
            r#where: texts("where"),
            cause: text("cause"),
            says: text("says"),
            missed: text("missed"),
            still: text("still"),
        }
    };
    include_str!("../../../../fixtures/explain_pairs/pairs.toml")
        .split("[[pair]]")
        .skip(1)
        .map(one)
        .collect()
}

/// A place: its names in the source, and the findings there, each a cause and its text.
type Place = (BTreeSet<String>, Vec<(String, String)>);

/// The places with findings, without minor ones.
fn places(pair: &Pair, side: &str) -> Vec<Place> {
    let lab = Lab::new();
    let folder = fixtures::folder("explain_pairs");
    let main = folder.join(&pair.name).join(side).join("Main.hs");
    let main = main.to_str().expect("UTF-8");
    let mut words = vec!["explain", main, "--quiet", "--export-json", "why.json", "--"];
    words.extend(pair.arguments.iter().map(String::as_str));
    lab.brisk(&words).succeeded();
    let why = lab.json("why.json")["explanation"].clone();
    let list = |it: &Value| it.as_array().cloned().unwrap_or_default();
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let place = |place: Value| {
        let binding = text(&place["binding"]).expect("a name");
        let module = binding.rsplit_once('.').map_or("", |(module, _)| module).to_owned();
        // Code from another module belongs to its file.
        let file = text(&place["location"]["file"]).unwrap_or_default();
        let of_file = file.trim_end_matches(".hs").replace('/', ".");
        let function = text(&place["location"]["function"]);
        let names = function
            .into_iter()
            .flat_map(|name| [format!("{module}.{name}"), format!("{of_file}.{name}")]);
        let names: BTreeSet<String> = names.chain([binding]).collect();
        let findings = list(&place["findings"]);
        let findings = findings.iter().filter_map(Value::as_u64).map(|it| it as usize);
        let findings = findings.map(|it| &why["findings"][it]).filter(|it| it["minor"] == false);
        (names, findings.filter_map(|it| text(&it["cause"]).zip(text(&it["what"]))).collect())
    };
    let all = list(&why["places"]).into_iter().map(place);
    all.filter(|(_, findings): &Place| !findings.is_empty()).collect()
}

fn is_named(pair: &Pair, cause: &str, places: &[Place]) -> bool {
    // Operators are in brackets: `Gen.(>>=)`.
    let plain = |name: &str| name.replace(".(", ".").trim_end_matches(')').to_owned();
    let says = pair.says.as_deref().unwrap_or_default();
    places.iter().any(|(names, findings)| {
        findings.iter().any(|(it, what)| it == cause && what.contains(says))
            && names.iter().any(|name| pair.r#where.contains(&plain(name)))
    })
}

#[test]
fn the_cost_of_a_program_is_named_and_gone_where_it_is_cured() {
    if !has("ghc") {
        return not_checked("pairs of programs that are explained: there is no ghc");
    }
    let all = std::env::var("BRISK_PAIRS").is_ok_and(|value| value == "all");
    let mut wrong = Vec::new();
    let pairs = pairs();
    for pair in pairs.iter().filter(|it| all || EACH_TIME.contains(&it.name.as_str())) {
        let Some(cause) = &pair.cause else {
            assert!(pair.missed.is_some(), "{}: neither a cause nor a reason", pair.name);
            continue;
        };
        let before = places(pair, "before");
        if !is_named(pair, cause, &before[..before.len().min(FIRST)]) {
            wrong.push(format!("{}, before: {cause} is not named in {before:?}", pair.name));
        }
        let after = places(pair, "after");
        match (is_named(pair, cause, &after), &pair.still) {
            (true, None) => wrong.push(format!("{}, after: {cause} is still there", pair.name)),
            (false, Some(_)) => wrong.push(format!("{}, after: {cause} is gone", pair.name)),
            (true, Some(_)) | (false, None) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
