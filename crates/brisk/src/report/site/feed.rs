//! The steps as an Atom feed (RFC 4287).

use std::fmt::Write as _;

use page::html::escape;

use super::{Series, change, folder, lately};
use crate::history::merge::short;
use crate::report::document::Document;
use crate::report::words;

/// At most so many entries, the newest first.
const MOST_ENTRIES: usize = 100;

/// The feed.
pub(super) fn atom(all: &[Series]) -> String {
    let documents = || all.iter().map(|series| &series.document);
    let newest = documents().max_by_key(|document| document.experiment.started_unix_ns);
    let updated = newest.map_or_else(|| "1970-01-01T00:00:00Z".to_owned(), moment);
    let project = documents().find_map(|document| document.history.as_ref()).map_or("", folder);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>What changed in {0}</title>\n<id>urn:brisk:{0}</id>\n<updated>{updated}</updated>\n\
         <link rel=\"alternate\" href=\"index.html\"/>\n<author><name>brisk</name></author>\n",
        escape(project)
    );
    for (series, step) in lately(all).into_iter().take(MOST_ENTRIES) {
        let (change, verdict) = change(step);
        let (metric, commit) = (words::label(&step.metric), short(&step.commit));
        let title = format!("{}: {metric} {verdict} {change} at {commit}", series.name);
        let id = format!("urn:brisk:{project}:{}:{}:{}", step.commit, series.slug, step.metric);
        let _ = write!(
            text,
            "<entry>\n<title>{}</title>\n<id>{}</id>\n<updated>{}</updated>\n\
             <link rel=\"alternate\" href=\"{}.html\"/>\n<summary>{}</summary>\n</entry>\n",
            escape(&title),
            escape(&id),
            moment(&series.document),
            series.slug,
            escape(&series.subject(&step.commit)),
        );
    }
    text + "</feed>\n"
}

/// When the newest experiment of a history began: when its commits were made, the store does not know.
fn moment(document: &Document) -> String {
    let seconds = i64::try_from(document.experiment.started_unix_ns / 1_000_000_000).unwrap_or(0);
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}
