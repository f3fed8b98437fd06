//! Pages about the store as a whole and about errors, and the document around each page: navigation
//! and forms.

use std::fmt::Write as _;

use laboratory::archive::{self, Machine};
use model::commission::Kind;
use model::failure::Failure;
use model::metric::Unit;
use page::html::escape;
use page::{Block, Choice, Column, Label, Line, Page, Row, Span, Table, line};
use report::html;
use store::{
    Damaged, ExperimentId, ExperimentState, Labelled, LabelledVariant, Listed, ListedProject,
};
use words::counted;
use words::quantity::quantity;
use words::reasons::together;

use super::asked::{Listing, TICKED, Watched, address};

/// The number of experiments on one page of the list.
pub(super) const MOST_LISTED: usize = 50;
/// The most rows of other tables.
pub(super) const MOST_ROWS: usize = 1000;
/// The most experiments read for their benchmarks or commits.
pub(super) const MOST_READ: usize = 100;
/// The most experiments named beside a benchmark or a commit.
const MOST_NAMED: usize = 5;
/// The length to which lists cut titles and names, in characters.
const LONGEST: usize = 200;

/// A link to the page of an experiment.
fn experiment(id: ExperimentId) -> Span {
    Span::beside(id.to_string(), format!("/experiment/{id}"))
}

/// The beginning of a text that is too long for a list.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A list of experiments. If older ones exist, `listed` has one more than is shown.
/// Those in `ticked` are ticked.
pub(super) fn experiments(
    listed: &[Result<Listed, Damaged>],
    listing: &Listing,
    ticked: &[ExperimentId],
) -> Page {
    let mut page = Page::default();
    if listed.is_empty() {
        let nothing = match *listing == Listing::default() {
            true => line![
                "Nothing is stored yet: ",
                Span::code("brisk compare"),
                " stores what it measures."
            ],
            false => line!["No stored experiment is like that."],
        };
        page.push(Block::Sentence(nothing));
        return page;
    }
    let mut table = Table::new([
        Column::right("id"),
        Column::left("when"),
        Column::left("verb"),
        Column::right("rounds"),
        Column::left("answer"),
        Column::left("what"),
        Column::left("compare"),
    ]);
    let shown = &listed[..listed.len().min(MOST_LISTED)];
    let row = |one| {
        let mut row = archive::row(one, experiment, |title| Span::code(short(title)));
        row.cells.push(choice(one, ticked));
        row
    };
    table.rows = shown.iter().map(row).collect();
    page.push(Block::Table(table));
    let mut further: Vec<Line> = Vec::new();
    if listing.before.is_some() {
        let newest = Listing { before: None, ..listing.clone() };
        further.push(Span::beside("the newest", newest.address()).into());
    }
    if let (true, Some(last)) = (listed.len() > shown.len(), shown.last()) {
        let last = last.as_ref().map_or_else(|damaged| damaged.id, |listed| listed.id);
        let older = Listing { before: Some(last), ..listing.clone() };
        further.push(Span::beside("older ones", older.address()).into());
    }
    if !further.is_empty() {
        page.push(Block::Sentence(Line::join(further, " · ")));
    }
    page
}

/// The check-box of an experiment that may be compared.
fn choice(listed: &Result<Listed, Damaged>, ticked: &[ExperimentId]) -> Line {
    let comparable = listed.as_ref().ok().filter(|listed| {
        let is_running = listed.state == ExperimentState::Running;
        !listed.kind.is_inspection() && !is_running && listed.rounds > 0
    });
    let choice = |id: ExperimentId| Choice {
        form: COMPARE,
        name: TICKED,
        value: id.to_string(),
        is_ticked: ticked.contains(&id),
    };
    comparable.map_or_else(Line::default, |Listed { id, .. }| {
        Span::choice(format!("compare experiment {id}"), choice(*id)).into()
    })
}

/// The question of a comparison for which not two experiments are ticked.
pub(super) fn which_two(ticked: &[ExperimentId]) -> Block {
    let so_far = match ticked.len() {
        0 => String::new(),
        1 => " 1 is ticked so far.".to_owned(),
        many => format!(" {many} are ticked."),
    };
    Block::Answer(
        format!("Which two experiments are to be compared? Tick two of them.{so_far}").into(),
    )
}

pub(super) fn projects(projects: &[ListedProject]) -> Page {
    let mut table = Table::new([
        Column::left("project"),
        Column::right("experiments"),
        Column::right("newest"),
        Column::left("when"),
        Column::left("folder"),
    ]);
    table.rows = projects
        .iter()
        .map(|one| {
            let listing = Listing { project: Some(one.project.clone()), ..Listing::default() };
            let when = one.started_unix_ns.map_or_else(|| "?".to_owned(), archive::when);
            let count = one.experiments.to_string();
            let name = one.project.rsplit('/').find(|part| !part.is_empty());
            let project = Span::beside(short(name.unwrap_or(&one.project)), listing.address());
            let folder = Span::code(short(&one.project));
            [project, Span::from(count), experiment(one.newest), Span::from(when), folder]
                .into_iter()
                .collect()
        })
        .collect();
    table_or_nothing(table, "No experiment is stored yet.")
}

pub(super) fn machines(machines: &[Machine]) -> Page {
    let names = machines.first().map(|one| one.facts.clone().map(|(name, _)| name));
    let facts = names.iter().flatten();
    let facts = facts.map(|name| Column::left(name.strip_suffix(IN_BYTES).unwrap_or(name)));
    let others = [Column::right("experiments"), Column::right("newest")];
    let mut table = Table::new(facts.chain(others));
    table.rows = machines.iter().take(MOST_ROWS).map(machine).collect();
    table_or_nothing(table, "No experiment is stored yet.")
}

/// The end of the name of a fact that is a number of bytes.
const IN_BYTES: &str = " in bytes";

fn machine(machine: &Machine) -> Row {
    let bytes = |name: &str, fact: &str| {
        let bytes: f64 = fact.parse().ok().filter(|_| name.ends_with(IN_BYTES))?;
        Some(Span::quantity(quantity(bytes, Unit::Bytes), bytes))
    };
    let facts = machine.facts.iter().enumerate().map(|(place, (name, fact))| match fact {
        None => Span::from("not known"),
        Some(host) if place == 0 => {
            let listing = Listing { machine: Some(host.clone()), ..Listing::default() };
            Span::beside(short(host), listing.address())
        }
        Some(fact) => bytes(name, fact).unwrap_or_else(|| Span::from(short(fact))),
    });
    let count = Span::from(machine.experiments.to_string());
    facts.chain([count, experiment(machine.newest)]).collect()
}

/// Benchmarks or commits, each with its newest experiments; commits with their subjects. The store
/// knows neither their dates nor their authors.
pub(super) fn labelled(what: Labelled, found: &[LabelledVariant]) -> Page {
    let rows = together(found.iter().map(|one| (&*one.value, one)));
    let mut table = match what {
        Labelled::Benchmarks => Table::new(["benchmark", "newest experiments"].map(Column::left)),
        Labelled::Commits => {
            Table::new(["commit", "newest experiments", "subject"].map(Column::left))
        }
    };
    for (text, found) in rows.iter().take(MOST_ROWS) {
        let named = found.iter().take(MOST_NAMED).map(|one| experiment(one.experiment).into());
        let mut named = Line::join(named, ", ");
        if found.len() > MOST_NAMED {
            named.push(format!(" and {} more", found.len() - MOST_NAMED));
        }
        match what {
            Labelled::Benchmarks => table.push([Span::code(short(text)).into(), named]),
            Labelled::Commits => {
                let hash = text.chars().take(10).collect::<String>();
                let subject = found.iter().find_map(|one| subject(text, &one.name));
                let subject = subject.map_or_else(Line::default, |text| short(text).into());
                table.push([Span::commit(hash, *text).into(), named, subject]);
            }
        }
    }
    if rows.len() > MOST_ROWS {
        table.foot.push(line![format!("The first {MOST_ROWS} of {}.", rows.len())]);
    }
    let mut read: Vec<ExperimentId> = found.iter().map(|one| one.experiment).collect();
    read.dedup();
    if read.len() >= MOST_READ {
        table.foot.push(line![format!("Of the newest {MOST_READ} experiments that have any.")]);
    }
    table_or_nothing(table, "No stored experiment has any.")
}

/// The subject of a commit, from the name of its variant: `1d9c84e Sort faster`, in a suite
/// `parse at 1d9c84e Sort faster`.
fn subject<'a>(hash: &str, name: &'a str) -> Option<&'a str> {
    let begin = format!("{} ", findings::short(hash));
    let rest = name.strip_prefix(&begin);
    rest.or_else(|| name.split_once(&format!(" at {begin}")).map(|(_, rest)| rest))
}

/// The title of the page of benchmarks or of commits.
pub(super) fn heading(what: Labelled) -> &'static str {
    match what {
        Labelled::Benchmarks => "Benchmarks",
        Labelled::Commits => "Commits",
    }
}

fn table_or_nothing(table: Table, nothing: &'static str) -> Page {
    let block = match table.rows.is_empty() {
        true => Block::Sentence(nothing.into()),
        false => Block::Table(table),
    };
    Page { blocks: vec![block] }
}

/// The line above a comparison of two experiments, with links to both.
pub(super) fn both(old: ExperimentId, new: ExperimentId) -> Block {
    let page =
        |id: ExperimentId| Span::beside(format!("experiment {id}"), format!("/experiment/{id}"));
    let turned = [("a", new.to_string()), ("b", old.to_string())];
    let turned = address("/compare", turned.iter().map(|(name, id)| (*name, &**id)));
    Block::Sentence(line![
        page(new),
        ", beside a command of ",
        page(old),
        " (",
        Span::beside("the other way round", turned),
        ")"
    ])
}

/// The note on a page with too many runs to be drawn.
pub(super) fn not_drawn(id: ExperimentId, most: u64) -> Block {
    let command = format!("brisk report {id} -o FILE.html");
    Block::Note(
        Label::NOTE,
        line![
            format!("its runs, more than {most}, are not drawn here: "),
            Span::code(command),
            " draws them"
        ],
    )
}

/// The progress of an experiment with too many runs to be judged for each page: it is being
/// measured, or its brisk process was killed.
pub(super) fn not_judged(listed: &Listed) -> Page {
    let Listed { id, rounds, runs, .. } = listed;
    let (state, then) = match listed.state {
        ExperimentState::Running => {
            ("It is being measured.", line!["Its report is here when it has ended."])
        }
        _ => {
            let show = Span::code(format!("brisk show {id}"));
            (
                "It was interrupted, and nobody has asked for its report yet.",
                line![show, " makes it."],
            )
        }
    };
    let mut page = Page::default();
    page.push(Block::Answer(state.into()));
    page.sentences([
        line![Span::code(short(&listed.title))],
        line![counted(*rounds, "round"), ", ", counted(*runs, "run")],
        then,
    ]);
    page
}

pub(super) fn failure(failure: &Failure) -> Page {
    let mut page = Page::default();
    page.push(Block::Answer(Line::of_message(failure.error())));
    page.notes(Label::quiet("cause"), failure.causes().iter().map(|why| Line::of_message(why)));
    page
}

/// The script that follows a running measurement.
const LIVE: &str = include_str!("live.js");

const NAVIGATION: &str = "<a href=\"/\">Experiments</a><a href=\"/projects\">Projects</a>\
                          <a href=\"/machines\">Machines</a><a href=\"/benchmarks\">Benchmarks</a>\
                          <a href=\"/commits\">Commits</a><a href=\"/compare\">Compare</a>";

/// The HTML around a page.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// The part above it.
    pub above: String,
    /// The part below it.
    pub below: String,
    /// The subject that the page watches, while it is being measured.
    pub watched: Option<Watched>,
}

pub(super) fn document(title: &str, page: &Page, around: &Around) -> String {
    let Around { above, below, watched } = around;
    let live = watched.as_ref().map(live).unwrap_or_default();
    let body = format!("{above}{live}{}{below}", page::html::render(page, 2));
    let title = short(title);
    let mut shell = html::shell(&title, &body);
    shell.navigation = NAVIGATION;
    // A page that has ended, too, remembers which parts were unfolded.
    shell.live = Some(LIVE);
    shell.html()
}

/// The element with the address of the events, for the script.
fn live(Watched { experiment, seen }: &Watched) -> String {
    let id = experiment.map(|id| id.to_string());
    let fields = [("experiment", id.as_deref()), ("seen", Some(seen))];
    let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let events = address("/events", given);
    format!(
        "<p id=\"live\" class=\"quiet\" data-events=\"{}\">\
         This page follows what is being measured.</p>\n",
        escape(&events)
    )
}

/// The form for finding experiments.
pub(super) fn search_form(listing: &Listing) -> String {
    let mut verbs = "<option value=\"\">any</option>".to_owned();
    for kind in Kind::ALL {
        let selected = if listing.kind == Some(kind) { " selected" } else { "" };
        let _ = write!(verbs, "<option{selected}>{kind}</option>");
    }
    let fields = [
        ("text", &listing.text, "with the text"),
        ("project", &listing.project, "in the project"),
        ("machine", &listing.machine, "on the machine"),
    ];
    let mut text = "<form class=\"controls\" action=\"/\">".to_owned();
    for (name, value, label) in fields {
        let value = escape(value.as_deref().unwrap_or_default());
        let _ = write!(
            text,
            "<label>{label} <input type=\"search\" name=\"{name}\" value=\"{value}\"></label>"
        );
    }
    let _ = writeln!(
        text,
        "<label>verb <select name=\"verb\">{verbs}</select></label><button>Find</button></form>"
    );
    text
}

/// The id of the form that compares the ticked experiments.
const COMPARE: &str = "compare";

/// The form for comparing the ticked experiments of a list.
pub(super) fn ticked_form() -> String {
    format!(
        "<form class=\"controls\" id=\"{COMPARE}\" action=\"/compare\">\
         <button>Compare the two that are ticked</button></form>\n"
    )
}

/// The form for comparing an experiment with another one.
pub(super) fn compare_form(id: ExperimentId) -> String {
    format!(
        "<form class=\"controls\" action=\"/compare\"><input type=\"hidden\" name=\"b\" \
         value=\"{id}\"><label>compare with experiment <input name=\"a\" required size=\"8\">\
         </label><button>Compare</button></form>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    use measure::Outcome;
    use store::FailedRun;

    fn listed(id: i64) -> Result<Listed, Damaged> {
        Ok(Listed {
            id: ExperimentId(id),
            started_unix_ns: 0,
            finished_unix_ns: None,
            state: ExperimentState::Running,
            kind: Kind::Compare,
            title: "<script>".to_owned(),
            variants: 1,
            rounds: 1,
            runs: 1,
            answer: None,
            failed_run: None,
        })
    }

    #[test]
    fn a_list_leads_to_older_ones_and_back() {
        let all: Vec<_> = (0..=MOST_LISTED as i64).rev().map(listed).collect();
        let html = |listed: &[Result<Listed, Damaged>], listing: &Listing| {
            page::html::render(&experiments(listed, listing, &[]), 2)
        };
        let first = html(&all, &Listing { kind: Some(Kind::Compare), ..Listing::default() });
        assert!(
            first.contains("href=\"/?verb=compare&amp;before=1\"")
                && !first.contains("/experiment/0\"")
        );
        let rest = html(
            &all[MOST_LISTED..],
            &Listing { before: Some(ExperimentId(1)), ..Listing::default() },
        );
        assert!(rest.contains("/experiment/0\"") && rest.contains("<a href=\"/\">the newest</a>"));
        assert!(!rest.contains("older ones") && !rest.contains("<script>"));
    }

    #[test]
    fn a_benchmark_names_its_newest_experiments() {
        let found = |name: &str, id| LabelledVariant {
            value: name.to_owned(),
            experiment: ExperimentId(id),
            name: String::new(),
        };
        let many = (1..=7).rev().map(|id| found("sort", id));
        let all: Vec<_> = [found("parse", 8)].into_iter().chain(many).collect();
        let text = labelled(Labelled::Benchmarks, &all).text();
        assert!(text.contains("parse  8\n"), "{text}");
        assert!(text.contains("sort  7, 6, 5, 4, 3 and 2 more"), "{text}");
    }

    #[test]
    fn a_row_says_how_its_experiment_ended_and_only_what_has_ended_can_be_ticked() {
        let row = |changed: &dyn Fn(&mut Listed)| {
            let mut one = listed(7).expect("it is not damaged");
            one.state = ExperimentState::Complete;
            changed(&mut one);
            page::html::render(&experiments(&[Ok(one)], &Listing::default(), &[ExperimentId(7)]), 2)
        };
        let ticked = "name=\"of\" value=\"7\" aria-label=\"compare experiment 7\" checked";
        let running = row(&|one| one.state = ExperimentState::Running);
        assert!(running.contains("being measured") && !running.contains(ticked), "{running}");
        let complete = row(&|one| one.answer = Some("2 of 2 slower".to_owned()));
        assert!(complete.contains("2 of 2 slower") && complete.contains(ticked), "{complete}");
        let interrupted = row(&|one| {
            one.state = ExperimentState::Interrupted;
            one.answer = Some("2 of 2 slower".to_owned());
        });
        assert!(interrupted.contains("interrupted; 2 of 2 slower"), "{interrupted}");
        let failed = |outcome, tail: Option<&str>| {
            row(&|one| {
                one.state = ExperimentState::Failed;
                one.answer = Some("2 of 2 faster".to_owned());
                one.failed_run = Some(FailedRun { outcome, stderr_tail: tail.map(str::to_owned) });
            })
        };
        let text = failed(Outcome::Exited(3), Some("first\ncannot open <x>\n\n"));
        assert!(
            text.contains("failed: cannot open &lt;x&gt;") && !text.contains("faster"),
            "{text}"
        );
        let text = failed(Outcome::Exited(3), None);
        assert!(text.contains("failed: exited with status 3"), "{text}");
        let inspected = row(&|one| one.kind = Kind::Doctor);
        assert!(!inspected.contains(ticked), "{inspected}");
    }

    #[test]
    fn a_commit_has_its_subject_from_the_names_of_its_variants() {
        let hash = "1d9c84e0aa00000000000000000000000000000";
        assert_eq!(subject(hash, "1d9c84e Sort faster"), Some("Sort faster"));
        assert_eq!(subject(hash, "parse at 1d9c84e Sort faster"), Some("Sort faster"));
        assert_eq!(subject(hash, "new"), None);
        let found = |name: &str, id| LabelledVariant {
            value: hash.to_owned(),
            experiment: ExperimentId(id),
            name: name.to_owned(),
        };
        let page = labelled(Labelled::Commits, &[found("new", 9), found("1d9c84e Sort", 8)]);
        assert!(page.text().contains("1d9c84e0aa  9, 8  Sort\n"), "{}", page.text());
    }

    #[test]
    fn the_memory_of_a_machine_has_a_unit() {
        let fact = |text: &str| Some(text.to_owned());
        let facts = [
            ("hostname", fact("lab")),
            ("processor", None),
            ("number of processors", fact("8")),
            ("memory in bytes", fact("24000000000")),
        ];
        let text = machines(&[Machine { facts, experiments: 1, newest: ExperimentId(3) }]).text();
        assert!(text.contains("24.00 GB") && !text.contains("bytes"), "{text}");
        assert!(text.contains("not known"), "{text}");
    }
}
