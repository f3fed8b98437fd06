//! The document around a page of the server: navigation and forms.

use std::fmt::Write as _;

use page::Page;
use page::html::escape;

use super::asked::{Listing, Watched, address};
use super::pages::short;
use model::commission::Kind;
use report::html;
use store::ExperimentId;

/// The script that follows a running measurement.
const LIVE: &str = include_str!("live.js");

const NAVIGATION: &str = "<a href=\"/\">Experiments</a><a href=\"/projects\">Projects</a>\
                          <a href=\"/machines\">Machines</a><a href=\"/benchmarks\">Benchmarks</a>\
                          <a href=\"/commits\">Commits</a>";

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

/// A document.
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
pub(super) fn search(listing: &Listing) -> String {
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

/// The form for comparing an experiment with another one.
pub(super) fn compare(id: ExperimentId) -> String {
    format!(
        "<form class=\"controls\" action=\"/compare\"><input type=\"hidden\" name=\"b\" \
         value=\"{id}\"><label>compare with experiment <input name=\"a\" required size=\"8\">\
         </label><button>Compare</button></form>\n"
    )
}
