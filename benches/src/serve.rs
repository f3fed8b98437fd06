//! The server with a million stored runs: the time of pages, the cost of many clients, and the
//! start.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use measure::clock::Stopwatch;

use crate::Row;
use crate::peers::{self, Peers, median};

/// The number of experiments and of runs in each: one large one among a thousand.
const STORED: [[&str; 2]; 2] = [["1", "500000"], ["1000", "500"]];

/// Every kind of page, with the most expensive one of each kind.
const PAGES: [&str; 10] = [
    "/",
    "/?text=nobody+has+this",
    "/?machine=nobody",
    "/experiment/1",
    "/experiment/500",
    "/projects",
    "/machines",
    "/benchmarks",
    "/commits",
    "/compare?a=400&b=500",
];

const CLIENTS: usize = 200;

/// A server, ended when it is dropped.
struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is ours, and has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(peers: &Peers, store: &str) -> Option<Self> {
        let mut command =
            peers.brisk_command(&["serve", "--listen", "127.0.0.1:0", "--store", store]);
        let mut child = command.stdout(Stdio::piped()).spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let address = line.trim().strip_prefix("http://")?.trim_end_matches('/').to_owned();
        Some(Self { child, address })
    }

    fn connect(&self, target: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        stream
    }

    /// The time of a page in milliseconds, and its size in bytes.
    fn page(&self, target: &str) -> (f64, usize) {
        let watch = Stopwatch::start();
        let mut text = String::new();
        self.connect(target).read_to_string(&mut text).expect("it answers");
        assert!(text.starts_with("HTTP/1.1 200"), "{target}: {:.200}", text);
        (watch.elapsed().as_secs_f64() * 1e3, text.len())
    }

    /// Its peak memory, in MB.
    fn peak(&self) -> f64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = peak.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
        number.map_or(f64::NAN, |kibibytes| kibibytes * 1024.0 / 1e6)
    }
}

/// Fills a store, serves it, and requests every page.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let file = peers.file("serve.db");
    peers::remove_store(&file);
    let path = file.display().to_string();
    for [experiments, runs] in STORED {
        let fill = &mut peers.example("fill_store");
        if !peers::run(fill.args([&path, experiments, runs, "500"])).ok {
            return tell(Row::new("serving 1,000,000 stored runs", "", "not checked", ""));
        }
    }
    start(peers, &path, tell);
    let Some(server) = Server::start(peers, &path) else {
        return tell(Row::new("serving 1,000,000 stored runs", "", "not checked", ""));
    };
    for target in PAGES {
        let (times, sizes): (Vec<f64>, Vec<usize>) = (0..11).map(|_| server.page(target)).unzip();
        let worst = times.iter().copied().fold(0.0, f64::max);
        let what = format!("`{target}` of 1,000,000 stored runs, median and worst");
        let found = format!("{:.0} ms, {worst:.0} ms; {} kB", median(times), sizes[0] / 1000);
        tell(Row::new(what, "< 200 ms", found, ""));
    }
    crowd(&server, tell);
}

/// From the start to the first page.
fn start(peers: &Peers, path: &str, tell: &mut dyn FnMut(Row)) {
    let times = (0..11).map(|_| {
        let watch = Stopwatch::start();
        let server = Server::start(peers, path).expect("it starts");
        server.page("/");
        watch.elapsed().as_secs_f64() * 1e3
    });
    let found = format!("{:.0} ms", median(times.collect()));
    tell(Row::new("`serve`, from its start to its first page", "< 300 ms", found, ""));
}

/// Two hundred clients at once: a quarter never reads, and a quarter vanishes at once.
fn crowd(server: &Server, tell: &mut dyn FnMut(Row)) {
    let target = |number: usize| PAGES[number % PAGES.len()];
    let slow: Vec<TcpStream> =
        (0..CLIENTS / 4).map(|number| server.connect(target(number))).collect();
    for number in 0..CLIENTS / 4 {
        drop(server.connect(target(number)));
    }
    let watch = Stopwatch::start();
    let times: Vec<f64> = thread::scope(|scope| {
        let ask = |number| scope.spawn(move || server.page(target(number)).0);
        let asking: Vec<_> = (0..CLIENTS / 2).map(ask).collect();
        asking.into_iter().map(|asked| asked.join().expect("it is answered")).collect()
    });
    let all = watch.elapsed().as_secs_f64() * 1e3;
    drop(slow);
    let worst = times.iter().copied().fold(0.0, f64::max);
    let each = all / times.len() as f64;
    let found = format!("{each:.0} ms a page, the last after {worst:.0} ms");
    tell(Row::new("200 clients at once, 50 of them slow and 50 gone", "all answered", found, ""));
    let found = format!("{:.0} MB", server.peak());
    tell(Row::new("memory of `serve` after all this, at its peak", "< 100 MB", found, ""));
}
