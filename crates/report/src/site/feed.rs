//! The steps as an Atom feed (RFC 4287).

use std::fmt::Write as _;

use page::html::escape;

use super::{Series, change, lately};
use findings::short;

/// The largest number of entries, newest first.
const MOST_ENTRIES: usize = 100;

/// Renders the feed.
pub(super) fn atom(all: &[Series]) -> String {
    let updated = moment(all.iter().map(|series| series.started_unix_ns).max().unwrap_or(0));
    let project = all.first().map_or("", |series| series.folder.as_str());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>What changed in {0}</title>\n<id>urn:brisk:{0}</id>\n<updated>{updated}</updated>\n\
         <link rel=\"alternate\" href=\"index.html\"/>\n<author><name>brisk</name></author>\n",
        escape(project)
    );
    for (series, late) in lately(all).into_iter().take(MOST_ENTRIES) {
        let step = &late.step;
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
            moment(series.started_unix_ns),
            series.slug,
            escape(&late.subject),
        );
    }
    text + "</feed>\n"
}

/// The time the newest experiment of a history began; the store does not know the dates of its
/// commits.
fn moment(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or(0);
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}
