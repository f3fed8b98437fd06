//! A PostgreSQL server for the tests of one process: started for the first test that needs it, and
//! ended with the process, however that ends.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls};

/// A server in a separate folder.
pub(crate) struct Engine {
    folder: PathBuf,
    port: u16,
    /// Ends the server when its standard input ends.
    _keeper: Child,
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/engines/postgres");

/// Keeps a server up until its parent process is gone.
const KEEP: &str = r#"
    trap '' INT TERM HUP
    if "$0" up "$1" "$2" >&2; then echo up; cat > /dev/null; else echo "failed $?"; fi
    "$0" down "$1"; rm -rf "$1""#;

impl Engine {
    /// The server shared by all tests of this process. `None`, with a message, without PostgreSQL.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Engine>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| Self::start(|_| ()));
        if shared.is_none() {
            not_checked();
        }
        shared.as_ref()
    }

    /// Starts a server after preparing its folder.
    pub(crate) fn start(prepare: impl FnOnce(&Path)) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Socket names must be short, and the server runs as another user with limited access.
        let folder = std::env::temp_dir().join(format!("brisk-pg-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        prepare(&folder);
        let port = free_port();
        #[expect(clippy::disallowed_methods, reason = "a server is not measured")]
        let mut keeper = Command::new("sh")
            .args(["-c", KEEP, SCRIPT])
            .arg(&folder)
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let mut answer = String::new();
        let output = keeper.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut answer).expect("it answers");
        match answer.trim() {
            "up" => Some(Self { folder, port, _keeper: keeper }),
            "failed 3" => None,
            other => panic!("PostgreSQL did not start: {other}"),
        }
    }

    /// Creates a new, empty database and returns its address.
    pub(crate) fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("store_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut client = self.client("postgres");
        client.batch_execute(&format!("CREATE DATABASE {name}")).expect("it is new");
        self.address(&name)
    }

    pub(crate) fn address(&self, database: &str) -> String {
        format!("postgres://brisk@127.0.0.1:{}/{database}", self.port)
    }

    fn client(&self, database: &str) -> Client {
        Client::connect(&self.address(database), NoTls).expect("it is up")
    }

    /// Kills the server and all its processes.
    pub(crate) fn kill(&self) {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid"));
        let pid = file.expect("it is up").lines().next().expect("a number").to_owned();
        // Backends that serve a client notice the server's end only when they are next idle.
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let children = children.expect("it is up");
        // Some may be gone before the signal.
        let kill =
            ["-c", "kill -9 \"$@\" 2> /dev/null; kill -9 $0 2> /dev/null; :", &children, &pid];
        self.run("sh", &kill);
    }

    /// Restarts it.
    pub(crate) fn start_again(&self) {
        let (folder, port) = (self.folder.display().to_string(), self.port.to_string());
        self.run(SCRIPT, &["up", &folder, &port]);
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        #[expect(clippy::disallowed_methods, reason = "a server is not measured")]
        let status = Command::new(program).args(arguments).stdin(Stdio::null()).status();
        assert!(status.expect("it starts").success(), "{program} {arguments:?}");
    }
}

#[expect(clippy::print_stdout, reason = "whoever tests is told")]
fn not_checked() {
    println!("not checked: stores on a server: there is no PostgreSQL");
}

/// A client that inspects a database independently of brisk.
pub(crate) fn beside(address: &str) -> Client {
    let mut client = Client::connect(address, NoTls).expect("it is up");
    client.batch_execute("SET search_path TO brisk").expect("there is a store");
    client
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}
