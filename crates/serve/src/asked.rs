//! Requests, parsed from a path and its query.

use form_urlencoded::Serializer;
use laboratory::archive::With;
use model::commission::Kind;
use store::{ExperimentId, Filter, Labelled};

/// The field of the experiments that are ticked in a list.
pub(super) const TICKED: &str = "of";

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// A list of experiments.
    Experiments(Listing),
    /// One experiment.
    Experiment(ExperimentId),
    /// One experiment compared with a command of an earlier one.
    Compare(With, ExperimentId),
    /// The list, to choose two for a comparison: those that are chosen so far.
    Choose(Vec<ExperimentId>),
    /// The folders of the experiments.
    Projects,
    /// The machines of the experiments.
    Machines,
    /// The benchmarks or commits of the experiments.
    Labelled(Labelled),
    /// A notification when something has changed.
    Events(Watched),
}

/// The filter of a list of experiments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Listing {
    /// Only of this kind.
    pub kind: Option<Kind>,
    /// Only about projects in this folder.
    pub project: Option<String>,
    /// Only on machines of this name.
    pub machine: Option<String>,
    /// Only with this text.
    pub text: Option<String>,
    /// Only older than this one.
    pub before: Option<ExperimentId>,
}

/// The subject that a page watches, and its progress when the page was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Watched {
    /// One experiment; `None` for the list.
    pub experiment: Option<ExperimentId>,
    /// The progress, as the page has it.
    pub seen: String,
}

/// Reasons that a request cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The page does not exist.
    NotFound,
    /// The request makes no sense, for this reason.
    Bad(String),
}

pub(super) fn asked(path: &str, query: &str) -> Result<Asked, Refusal> {
    let fields = Fields::parse(query);
    Ok(match path {
        "/" => Asked::Experiments(listing(&fields)?),
        "/projects" => Asked::Projects,
        "/machines" => Asked::Machines,
        "/benchmarks" => Asked::Labelled(Labelled::Benchmarks),
        "/commits" => Asked::Labelled(Labelled::Commits),
        "/compare" => compared(&fields)?,
        "/events" => {
            let experiment = fields.get("experiment");
            let experiment = experiment.map(|text| number("experiment", &text)).transpose()?;
            Asked::Events(Watched { experiment, seen: fields.get("seen").unwrap_or_default() })
        }
        _ => match path.strip_prefix("/experiment/").map(str::parse) {
            Some(Ok(id)) => Asked::Experiment(ExperimentId(id)),
            _ => return Err(Refusal::NotFound),
        },
    })
}

fn listing(fields: &Fields<'_>) -> Result<Listing, Refusal> {
    let kind = |word: String| {
        Kind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
            let known = Kind::ALL.map(|kind| format!("`{kind}`")).join(", ");
            bad("verb", &word, &format!("expected one of {known}"))
        })
    };
    Ok(Listing {
        kind: fields.get("verb").map(kind).transpose()?,
        project: fields.get("project"),
        machine: fields.get("machine"),
        text: fields.get("text"),
        before: fields.get("before").map(|text| number("before", &text)).transpose()?,
    })
}

/// Two experiments by `a` and `b`; or the two that are ticked in the list, the newer with the older.
fn compared(fields: &Fields<'_>) -> Result<Asked, Refusal> {
    if fields.get("a").or_else(|| fields.get("b")).is_some() {
        let with = fields.needed("a")?;
        let with = with.parse().map_err(|wrong| bad("a", &with, wrong))?;
        let new = fields.needed("b")?;
        return Ok(Asked::Compare(with, number("b", &new)?));
    }
    let ticked = fields.all(TICKED).map(|text| number(TICKED, &text));
    let mut ticked = ticked.collect::<Result<Vec<ExperimentId>, Refusal>>()?;
    ticked.sort_unstable();
    ticked.dedup();
    Ok(match *ticked {
        [old, new] => Asked::Compare(With { experiment: old, name: None }, new),
        _ => Asked::Choose(ticked),
    })
}

fn number(name: &str, text: &str) -> Result<ExperimentId, Refusal> {
    let wrong = |_| bad(name, text, "expected the number of an experiment");
    text.trim().parse().map(ExperimentId).map_err(wrong)
}

fn bad(name: &str, value: &str, wrong: &str) -> Refusal {
    let value: String = value.chars().take(100).collect();
    Refusal::Bad(format!("`{name}` is `{value}`: {wrong}"))
}

struct Fields<'a>(form_urlencoded::Parse<'a>);

impl<'a> Fields<'a> {
    fn parse(query: &'a str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()))
    }

    /// The first value with this name; `None` if it is missing or empty.
    fn get(&self, name: &str) -> Option<String> {
        let found = self.0.clone().find(|(key, value)| key == name && !value.trim().is_empty());
        found.map(|(_, value)| value.into_owned())
    }

    /// All values with this name.
    fn all(&self, name: &str) -> impl Iterator<Item = String> {
        self.0.filter(move |(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    fn needed(&self, name: &str) -> Result<String, Refusal> {
        let missing =
            || Refusal::Bad(format!("`{name}` is missing: `/compare?a=7&b=12` compares 12 with 7"));
        self.get(name).ok_or_else(missing)
    }
}

/// Splits a query into its token and the rest.
pub(super) fn without_token(query: &str) -> (Option<String>, String) {
    let fields = || form_urlencoded::parse(query.as_bytes());
    let token = fields().find(|(key, _)| key == "token").map(|(_, value)| value.into_owned());
    let rest = Serializer::new(String::new())
        .extend_pairs(fields().filter(|(key, _)| key != "token"))
        .finish();
    (token, rest)
}

impl Listing {
    /// The filter for the store, with at most this number of experiments.
    pub(super) fn filter(&self, most: usize) -> Filter {
        let Self { kind, project, machine, text, before } = self.clone();
        Filter { most, kind, project, text, machine, before }
    }

    pub(super) fn address(&self) -> String {
        let before = self.before.map(|id| id.to_string());
        let fields = [
            ("verb", self.kind.map(Kind::word)),
            ("project", self.project.as_deref()),
            ("machine", self.machine.as_deref()),
            ("text", self.text.as_deref()),
            ("before", before.as_deref()),
        ];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        address("/", given)
    }
}

/// An address with these fields as its query.
pub(super) fn address<'a>(path: &str, fields: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let query = Serializer::new(String::new()).extend_pairs(fields).finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_pages_and_nowhere_else() {
        assert_eq!(asked("/experiment/12", ""), Ok(Asked::Experiment(ExperimentId(12))));
        assert_eq!(asked("/commits", "x=1"), Ok(Asked::Labelled(Labelled::Commits)));
        for path in [
            "",
            "//",
            "/experiment",
            "/experiment/",
            "/experiment/x",
            "/experiment/1/",
            "/experiment/99999999999999999999",
            "/../etc/passwd",
            "/experiment/../../etc/passwd",
            "/experiment/%2e%2e%2f1",
            "/PROJECTS",
            "/runs.db",
        ] {
            assert_eq!(asked(path, ""), Err(Refusal::NotFound), "{path}");
        }
    }

    #[test]
    fn a_list_is_asked_for_by_its_own_address() {
        let listing = Listing {
            kind: Some(Kind::History),
            project: Some("/home/a b/ü&c".to_owned()),
            machine: Some("lab+1".to_owned()),
            text: Some("100% <script>".to_owned()),
            before: Some(ExperimentId(7)),
        };
        let address = listing.address();
        let (path, query) = address.split_once('?').expect("it has fields");
        assert_eq!(asked(path, query), Ok(Asked::Experiments(listing)));
        assert_eq!(asked("/", "verb=&text=+&before="), Ok(Asked::Experiments(Listing::default())));
        assert_eq!(Listing::default().address(), "/");
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_reason() {
        for (path, query, told) in [
            ("/", "verb=nonsense", "expected one of `compare`"),
            ("/", "before=x", "`before` is `x`"),
            ("/compare", "a=1", "`b` is missing"),
            ("/compare", "b=1", "`a` is missing"),
            ("/compare", "a=one&b=2", "`a` is `one`"),
            ("/compare", "a=1&b=2:x", "`b` is `2:x`"),
        ] {
            let Err(Refusal::Bad(why)) = asked(path, query) else { panic!("{path}?{query}") };
            assert!(why.contains(told), "{why}");
        }
        let named = With { experiment: ExperimentId(1), name: Some("sort -n".to_owned()) };
        assert_eq!(
            asked("/compare", "a=1:sort+-n&b=2"),
            Ok(Asked::Compare(named, ExperimentId(2)))
        );
    }

    #[test]
    fn two_that_are_ticked_are_compared_and_otherwise_two_are_asked_for() {
        let with = |old| With { experiment: ExperimentId(old), name: None };
        let two = Ok(Asked::Compare(with(7), ExperimentId(12)));
        for query in ["of=7&of=12", "of=12&of=7", "of=12&of=7&of=12", "a=7&b=12", "a=7&b=12&of=3"] {
            assert_eq!(asked("/compare", query), two, "{query}");
        }
        let choose =
            |ids: &[i64]| Ok(Asked::Choose(ids.iter().copied().map(ExperimentId).collect()));
        assert_eq!(asked("/compare", ""), choose(&[]));
        assert_eq!(asked("/compare", "of=7"), choose(&[7]));
        assert_eq!(asked("/compare", "of=3&of=2&of=1"), choose(&[1, 2, 3]));
        assert!(matches!(asked("/compare", "of=x"), Err(Refusal::Bad(_))));
    }

    #[test]
    fn a_token_is_taken_out_of_an_address() {
        let (token, rest) = without_token("text=a+b&token=secret&verb=bench");
        assert_eq!((token.as_deref(), &*rest), (Some("secret"), "text=a+b&verb=bench"));
        assert_eq!(without_token("text=x"), (None, "text=x".to_owned()));
    }
}
