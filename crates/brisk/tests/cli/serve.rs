//! The server over sockets, for browsers and other clients.

mod limits;
mod tokens;

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rusqlite::Connection;

use crate::bench::suite;
use crate::cost::{self, COST};
use crate::lab::{Lab, Running, eventually};
use crate::repository::{LONG, Repository, SHORT};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
pub(crate) struct Server {
    pub(crate) running: Running,
    /// The address that it printed.
    pub(crate) url: String,
}

impl Server {
    /// A server of the lab's store, on the local interface only.
    pub(crate) fn new(lab: &Lab) -> Self {
        Self::with(lab, &["--listen", "127.0.0.1:0"])
    }

    pub(crate) fn with(lab: &Lab, options: &[&str]) -> Self {
        let printed = lab.path("printed");
        let file = File::create(&printed).expect("the folder for tests is writable");
        let running = lab.start_into(file, &[&["serve"], options].concat());
        let read = || std::fs::read_to_string(&printed).unwrap_or_default();
        eventually("an address", || read().ends_with('\n'));
        Self { running, url: read().trim_end().to_owned() }
    }

    pub(crate) fn port(&self) -> u16 {
        let (_, rest) = self.url.rsplit_once(':').expect("a port");
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a port")
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port())).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        stream
    }

    /// Sends a request, and reads until the server closes the connection.
    pub(crate) fn ask(&self, request: &[u8]) -> Told {
        let mut stream = self.connect();
        // The server may refuse before the request is complete.
        let _ = stream.write_all(request);
        told(&mut stream)
    }

    /// Requests a page.
    pub(crate) fn get(&self, target: &str) -> Told {
        self.ask(get(target, "localhost").as_bytes())
    }

    /// Requests an existing page.
    #[track_caller]
    pub(crate) fn page(&self, target: &str) -> String {
        self.get(target).has(200).body
    }
}

pub(crate) fn get(target: &str, host: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n")
}

fn told(stream: &mut TcpStream) -> Told {
    let mut bytes = Vec::new();
    // A connection that was reset ends, too.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).expect("the server writes UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    Told { status, head: head.to_owned(), body: body.to_owned() }
}

/// A server's answer; the status is 0 if there was none.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Told {
    #[track_caller]
    pub(crate) fn has(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, words(&self.body));
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(words(&self.body).contains(text), "no `{text}` in {}", words(&self.body));
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// The text between the tags, without styles and scripts.
fn words(html: &str) -> String {
    let mut shown = String::new();
    let mut rest = html;
    while let Some((text, tag)) = rest.split_once('<') {
        shown.push_str(text);
        // Cells are separate words.
        shown.push_str(if tag.starts_with("/t") { " " } else { "" });
        let end = match tag.split_once(|c: char| !c.is_alphanumeric()).map(|(name, _)| name) {
            Some("script") => "</script>",
            Some("style") => "</style>",
            _ => ">",
        };
        rest = tag.split_once(end).map_or("", |(_, rest)| rest);
    }
    (shown + rest).split_whitespace().collect::<Vec<_>>().join(" ")
}

const USUAL: [&str; 7] = ["compare", "--counters", "none", "--metrics", "cost", "--runs", "8"];

fn store(lab: &Lab, commands: &[&str]) {
    lab.brisk(&[&USUAL[..], &COST, commands].concat()).judged();
}

fn sql(lab: &Lab, statements: &str) {
    let store = Connection::open(lab.store()).expect("it opens");
    store.execute_batch(statements).expect("it is writable");
}

#[test]
fn a_page_for_each_thing_that_is_stored() {
    let lab = cost::lab();
    store(&lab, &["sh cost.sh 0.3", "sh cost.sh 0.01"]);
    suite(&lab, "suite", &["parse", "sort"], 20);
    lab.brisk(&["bench", "--order", "alone", "--runs", "6", "./suite"]).judged();
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    repository.history(&["--runs", "12"]).exited(1);
    let server = Server::new(&lab);
    let list = server.page("/");
    let shown = words(&list);
    for text in ["compare", "bench", "history", "sh cost.sh 0.3"] {
        assert!(shown.contains(text), "no {text} in {shown}");
    }
    for id in ["1", "2", "3"] {
        assert!(list.contains(&format!("href=\"/experiment/{id}\"")), "{list}");
        // The page gives the same answer as `show`.
        let told = lab.brisk(&["show", id]).stdout;
        let answer = told.lines().next().expect("an answer").replace(['`', '\''], "");
        let page = words(&server.page(&format!("/experiment/{id}"))).replace("&#39;", "");
        let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        let first: String = answer.chars().take(40).collect();
        assert!(page.contains(&first), "no {first} in {page}");
    }
    assert!(server.page("/experiment/1").contains("<svg"), "runs are drawn");
    let folder = lab.path("").to_string_lossy().trim_end_matches('/').to_owned();
    assert!(words(&server.page("/projects")).contains(&folder));
    let benchmarks = words(&server.page("/benchmarks"));
    assert!(benchmarks.contains("parse 2") && benchmarks.contains("sort 2"), "{benchmarks}");
    let commits = words(&server.page("/commits"));
    let hash = repository.git(&["rev-parse", "HEAD"]);
    assert!(commits.contains(&format!("{} 3", &hash[..10])), "{commits}");
    let machines = words(&server.page("/machines"));
    assert!(machines.contains("hostname") && machines.contains(" 3 3"), "{machines}");
    assert!(!machines.contains("bytes") && machines.contains("B 3 3"), "{machines}");
}

#[test]
fn lists_are_searched_and_paged() {
    let lab = cost::lab();
    store(&lab, &["sh cost.sh 0.3"]);
    let copy = "INSERT INTO experiment (started_unix_ns, finished_unix_ns, state, stop_reason, title,
            variants, rounds, runs, answer, kind, project)
        SELECT started_unix_ns, finished_unix_ns, state, stop_reason, 'copy', 0, 0, 0, answer,
            CASE WHEN n % 2 THEN 'compare' ELSE 'doctor' END, '/other/place'
        FROM experiment, (WITH RECURSIVE counter (n) AS (
            SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 119) SELECT n FROM counter)
        WHERE id = 1;
        INSERT INTO experiment_detail (experiment, arguments, cwd, brisk_version, machine, conditions)
        SELECT id, '[]', '/', '0', CASE WHEN id = 7 THEN '{\"hostname\": \"far & away\"}'
            ELSE 'no JSON' END, '{}' FROM experiment WHERE id > 1;";
    sql(&lab, copy);
    let server = Server::new(&lab);
    let ids = |page: &str| -> Vec<u32> {
        let links = page.split("<td class=\"number\"><a href=\"/experiment/").skip(1);
        links
            .map(|rest| rest.split('"').next().and_then(|id| id.parse().ok()).expect("an id"))
            .collect()
    };
    // From page to page, every entry appears once, the newest first.
    let (mut found, mut next) = (Vec::new(), Some("/".to_owned()));
    while let Some(address) = next {
        let page = server.page(&address);
        found.extend(ids(&page));
        let before = page.split_once("\">older ones</a>").map(|(before, _)| before);
        next =
            before.and_then(|before| Some(before.rsplit_once("href=\"")?.1.replace("&amp;", "&")));
    }
    assert_eq!(found, (1..=120).rev().collect::<Vec<u32>>());
    let doctors = server.page("/?verb=doctor&before=20");
    assert_eq!(ids(&doctors), [19, 17, 15, 13, 11, 9, 7, 5, 3]);
    assert_eq!(ids(&server.page("/?text=cost.sh")), [1]);
    assert_eq!(ids(&server.page("/?project=%2Fother&before=4")), [3, 2]);
    assert_eq!(ids(&server.page("/?project=Place&before=4")), [3, 2], "by its name");
    assert!(ids(&server.page("/?project=plac")).is_empty());
    assert_eq!(ids(&server.page("/?machine=far+%26+away")), [7]);
    assert!(ids(&server.page("/?text=nobody+has+this")).is_empty());
    // The search text reappears in the form, and the machine links to its list.
    assert!(server.page("/?text=%22%3E%3Cb%3E").contains("value=\"&quot;&gt;&lt;b&gt;\""));
    assert!(server.page("/machines").contains("href=\"/?machine=far+%26+away\""));
    server.get("/?verb=nonsense").has(400).says("expected one of compare");
    server.get("/?before=x").has(400).says("before is x");
}

#[test]
fn nothing_of_others_becomes_markup() {
    let lab = Lab::new();
    let name = format!("<script>alert(1)</script>\u{1b}[2J\u{202e}'\"{}", "long ".repeat(2000));
    lab.brisk(&["compare", "-r", "2", "-n", &name, "-n", "b", "true", "true"]).judged();
    suite(&lab, "suite", &["<script>alert(1)</script>", "b"], 20);
    lab.brisk(&["bench", "--order", "alone", "--runs", "6", "./suite"]).judged();
    sql(
        &lab,
        "UPDATE experiment SET project = '/<script>alert(1)</script>\u{1b}[2J';
         UPDATE experiment_detail SET machine =
             json_set(machine, '$.hostname', '<script>alert(1)</script>')",
    );
    let server = Server::new(&lab);
    let pages = ["/", "/experiment/1", "/experiment/2", "/projects", "/machines", "/benchmarks"];
    let asked = "/?text=%3Cscript%3Ealert(1)%3C/script%3E%1B%E2%80%AE";
    for target in pages.into_iter().chain([asked]) {
        let page = server.page(target);
        assert!(!page.contains("<script>alert"), "{target}");
        assert!(page.contains("&lt;script&gt;alert"), "{target} shows it");
        let hidden =
            |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
        assert_eq!(page.find(hidden), None, "{target}");
    }
    assert!(server.page("/").len() < 300_000, "names are cut in lists");
    server.get("/?verb=%3Cscript%3Ealert(1)").has(400).says("&lt;script&gt;alert(1)");
    server.get("/%3Cscript%3E").has(404);
}

#[test]
fn a_store_that_is_not_there_yet_is_waited_for() {
    let lab = Lab::new();
    let server = Server::new(&lab);
    server.get("/").has(200).says("Nothing is stored yet");
    for target in ["/projects", "/machines", "/benchmarks", "/commits"] {
        server.get(target).has(200).says("stored");
    }
    server.get("/experiment/1").has(404).says("there is no experiment 1");
    assert!(!lab.store().exists(), "nobody made one");
    lab.brisk(&["compare", "-r", "2", "-n", "first one", "true"]).succeeded();
    server.get("/").has(200).says("first one");
    // Another file in its place is a different store.
    std::fs::rename(lab.store(), lab.path("moved")).expect("it is there");
    server.get("/experiment/1").has(404);
    lab.brisk(&["compare", "-r", "2", "-n", "second one", "true"]).succeeded();
    server.get("/experiment/1").has(200).says("second one");
}

/// Runs that wait for `go`, from the fifth one on.
const WAITING: &str =
    "echo x >> ran; [ $(wc -l < ran) -lt 5 ] || until [ -e go ]; do sleep 0.02; done";

#[test]
fn a_page_follows_what_is_being_measured() {
    let lab = Lab::new();
    lab.write("wait.sh", WAITING);
    let server = Server::new(&lab);
    server.get("/").has(200);
    let measuring = lab.start(&["compare", "--warmup", "0", "-r", "12", "sh wait.sh"]);
    eventually("four runs", || lab.lines("ran").len() == 5);
    let mut page = String::new();
    eventually("a page that is live", || {
        page = server.get("/experiment/1").body;
        page.contains("data-events=")
    });
    assert!(server.page("/").contains("data-events="), "so is the list");
    let said = words(&page);
    assert!(said.contains("being measured") || said.contains("is still running"), "{said}");
    assert!(!said.contains("until interrupted"), "{said}");
    server.get("/").has(200).says("being measured");
    let events = page.split_once("data-events=\"").and_then(|(_, rest)| rest.split_once('"'));
    let events = events.expect("an address").0.replace("&amp;", "&");
    let mut stream = server.connect();
    stream.write_all(get(&events, "localhost").as_bytes()).expect("it reads");
    let mut first = [0; 4096];
    let count = stream.read(&mut first).expect("it answers");
    let head = String::from_utf8_lossy(&first[..count]);
    assert!(head.contains("text/event-stream") && !head.contains("data:"), "{head}");
    lab.write("go", "");
    let rest = told(&mut stream);
    assert!((rest.head + &rest.body).contains("data: changed"), "it says that there is more");
    measuring.wait().succeeded();
    let ended = server.page("/experiment/1");
    assert!(!ended.contains("data-events=") && words(&ended).contains("12 rounds"), "{ended}");
    // A client that looked before the end gets the event at once.
    assert!(server.get(&events).has(200).body.contains("data: changed"));
}

#[test]
fn a_list_has_the_last_words_of_a_program_that_failed() {
    let lab = Lab::new();
    lab.write("die.sh", "echo first >&2; echo 'no <data>' >&2; exit 3\n");
    lab.brisk(&["compare", "-r", "2", "sh die.sh"]).exited(2);
    Server::new(&lab).get("/").has(200).says("failed: no &lt;data&gt;");
    let listed = lab.brisk(&["list"]).succeeded().says("failed: no <data>");
    assert!(listed.stdout.lines().all(|line| line.chars().count() <= 80), "{listed}");
}

#[test]
fn a_store_is_read_while_it_is_written() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    let server = Server::new(&lab);
    let measuring = lab.start(&["compare", "-r", "200", "true", "true"]);
    for _ in 0..20 {
        server.get("/").has(200);
        server.get("/experiment/1").has(200);
        let newest = server.get("/experiment/2");
        assert!(matches!(newest.status, 200 | 404), "{}", words(&newest.body));
    }
    measuring.wait().judged();
    server.get("/experiment/2").has(200).says("200 rounds");
}

#[test]
fn a_killed_experiment_is_seen_to_have_ended() {
    let lab = Lab::new();
    lab.write("wait.sh", WAITING);
    let server = Server::new(&lab);
    let measuring = lab.start(&["compare", "--warmup", "0", "-r", "12", "sh wait.sh"]);
    eventually("four runs", || lab.lines("ran").len() == 5);
    measuring.signal("KILL");
    measuring.wait();
    lab.write("go", "");
    eventually("the end", || words(&server.page("/")).contains("interrupted"));
    server.get("/experiment/1").has(200).says("4 rounds");
}

#[test]
fn what_takes_too_long_to_make_is_left_out_and_said() {
    let lab = Lab::new();
    for _ in 0..3 {
        lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    }
    sql(
        &lab,
        "UPDATE experiment SET runs = 1000000 WHERE id < 3;
         UPDATE experiment SET finished_unix_ns = NULL, state = 'interrupted' WHERE id = 2",
    );
    let server = Server::new(&lab);
    let told = server.get("/experiment/1").has(200).says("are not drawn here: brisk report 1");
    assert!(!told.body.contains("<svg"), "{}", words(&told.body));
    server.get("/experiment/2").has(200).says("brisk show 2 makes it");
    assert!(server.page("/experiment/3").contains("<svg"));
}

#[test]
fn a_damaged_experiment_costs_its_own_page() {
    let lab = Lab::new();
    for _ in 0..5 {
        lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    }
    sql(
        &lab,
        "UPDATE experiment_detail SET summary = substr(summary, 1, 200) WHERE experiment = 1;
         UPDATE experiment_detail SET machine = '{' WHERE experiment = 2;
         UPDATE experiment SET kind = '<b>' WHERE id = 4;
         UPDATE experiment SET started_unix_ns = -1 WHERE id = 5",
    );
    let server = Server::new(&lab);
    server.get("/experiment/1").has(500).says("cannot read the stored report of experiment 1");
    server.get("/experiment/2").has(500).says("is damaged");
    server.get("/compare?a=1&b=3").has(500).says("cannot read the stored report");
    for damaged in ["/experiment/4", "/experiment/5", "/compare?a=4&b=3", "/compare?a=3&b=5"] {
        server.get(damaged).has(500).says("is damaged");
    }
    let list = server
        .get("/")
        .has(200)
        .says("damaged")
        .says("4 damaged unknown variant `&lt;b&gt;`, expected");
    for id in 1..=5 {
        assert!(list.body.contains(&format!("/experiment/{id}\"")), "{}", list.body);
    }
    let listed = lab.brisk(&["list"]).succeeded();
    assert_eq!(listed.stdout.lines().count(), 1 + 5, "{listed}");
    listed.says("4 damaged").says("3 2").says("5 damaged");
    for target in ["/", "/?machine=x", "/machines", "/experiment/3", "/projects"] {
        server.get(target).has(200);
    }
    std::fs::write(lab.store(), "dear diary ".repeat(1000)).expect("writable");
    server.get("/").has(500).says("is damaged");
}

#[test]
fn experiments_stand_beside_each_other_where_they_may() {
    let lab = cost::lab();
    let (long, short) = ("sh cost.sh 0.3", "sh cost.sh 0.01");
    for commands in [&[long][..], &[short, long], &[long, short]] {
        store(&lab, commands);
    }
    lab.brisk(&["sweep", "--runs", "12", "--param", "n=0.1,0.2", "sh cost.sh {n}"]).exited(0);
    let server = Server::new(&lab);
    server
        .get("/compare?a=3&b=2")
        .has(200)
        .says("(A) is faster than stored experiment 3: sh cost.sh 0.3 (C): it takes 0.0")
        .says("the two were not interleaved")
        .says("stored experiment 3: sh cost.sh 0.3");
    server
        .get("/compare?a=3:sh+cost.sh+0.01&b=1")
        .has(200)
        .says("stored experiment 3: sh cost.sh 0.01");
    assert!(server.page("/compare?of=3&of=2") == server.page("/compare?a=2&b=3"));
    server.get("/compare").has(200).says("Which two experiments are to be compared? Tick two");
    let one = server.get("/compare?of=2").has(200).says("1 is ticked so far").body;
    assert_eq!(one.matches(" checked>").count(), 1);
    server.get("/compare?a=3:none&b=1").has(422).says("has no command none");
    server.get("/compare?a=2&b=2").has(422).says("they are the same");
    server.get("/compare?a=1&b=4").has(422).says("it is a sweep");
    server.get("/compare?a=1&b=9").has(404).says("there is no experiment 9");
    server.get("/compare?a=1").has(400).says("b is missing");
    sql(
        &lab,
        "UPDATE experiment_detail SET machine = json_set(machine, '$.hostname', 'elsewhere')
         WHERE experiment = 1",
    );
    let told = server.get("/compare?a=1&b=2").has(422).says("they ran on different machines");
    told.says("that of experiment 1 is elsewhere");
}

#[test]
fn it_ends_at_once_when_it_is_told_to() {
    let lab = Lab::new();
    lab.write("wait.sh", WAITING);
    let mut server = Some(Server::new(&lab));
    let measuring = lab.start(&["compare", "--warmup", "0", "-r", "12", "sh wait.sh"]);
    eventually("four runs", || lab.lines("ran").len() == 5);
    for signal in ["INT", "TERM"] {
        let own = server.take().unwrap_or_else(|| Server::new(&lab));
        let mut stream = own.connect();
        stream.write_all(get("/events?seen=", "localhost").as_bytes()).expect("it reads");
        let mut half = own.connect();
        half.write_all(b"GET / HT").expect("it reads");
        own.running.signal(signal);
        own.running.wait().exited(0);
        stream.shutdown(Shutdown::Both).ok();
    }
    lab.write("go", "");
    measuring.wait().succeeded();
}
