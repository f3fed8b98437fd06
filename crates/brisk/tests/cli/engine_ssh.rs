//! Measuring on a machine over ssh: a real server on this machine, with separate keys and settings.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::document::list;
use crate::lab::{Ended, Lab, eventually, not_checked, run};

/// A separate server for one test, which ends with it.
pub(crate) struct Host {
    pub(crate) lab: Lab,
    server: Option<Child>,
    port: u16,
}

const SERVER: &str = "/usr/sbin/sshd";

impl Host {
    /// Returns `None`, with a message, if there is no ssh server.
    pub(crate) fn start() -> Option<Self> {
        let has_client =
            ["/usr/bin/ssh", "/usr/bin/ssh-keygen"].map(|path| Path::new(path).exists());
        if !Path::new(SERVER).exists() || has_client != [true, true] {
            not_checked("measuring by ssh: there is no ssh server (scripts/engines/install)");
            return None;
        }
        let lab = Lab::new();
        for key in ["server", "user", "stranger"] {
            let path = lab.path(key).to_string_lossy().into_owned();
            assert!(run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &path]), "{key}");
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it has one").port();
        drop(listener);
        let here = lab.path("").to_string_lossy().trim_end_matches('/').to_owned();
        let settings = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {here}/server\nPidFile none\nUsePAM no\n\
             AuthorizedKeysFile {here}/user.pub\nStrictModes no\n\
             SetEnv BRISK_LOCK=off BRISK_TEST_LAB={here} PATH={here}/bin:/usr/bin:/bin\n"
        );
        lab.write("sshd_config", &settings);
        for folder in ["there", "bin", "tools"] {
            fs::create_dir(lab.path(folder)).expect("writable");
        }
        let brisk = lab.path("bin/brisk");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_brisk"), brisk).expect("writable");
        // OpenSSH ignores HOME in the environment.
        lab.write(
            "tools/ssh",
            &format!("#!/bin/sh\nexec /usr/bin/ssh -F {here}/ssh_config \"$@\"\n"),
        );
        run("chmod", &["+x", &format!("{here}/tools/ssh")]);
        let path = format!("{here}/tools:{}", std::env::var("PATH").expect("there is one"));
        let mut host = Self { lab: lab.with("PATH", path), server: None, port };
        host.settings("user", true);
        host.table("");
        host.serve();
        Some(host)
    }

    /// The user's settings: the key, and a known or unknown server.
    fn settings(&self, key: &str, is_known: bool) {
        let lab = &self.lab;
        let public = lab.read("server.pub");
        let known = format!("[127.0.0.1]:{} {public}", self.port);
        lab.write("known", if is_known { &known } else { "" });
        let path = |name: &str| lab.path(name).to_string_lossy().into_owned();
        lab.write(
            "ssh_config",
            &format!(
                "Host box box1 box2\nHostName 127.0.0.1\nPort {}\nIdentityFile {}\nIdentitiesOnly yes\n\
                 UserKnownHostsFile {}\nGlobalKnownHostsFile /dev/null\n",
                self.port,
                path(key),
                path("known"),
            ),
        );
    }

    fn serve(&mut self) {
        // As root, sshd needs this folder, which the package's service creates.
        let _ = fs::create_dir("/run/sshd");
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let mut server = Command::new(SERVER);
        server.arg("-D").arg("-f").arg(self.lab.path("sshd_config")).arg("-E");
        server.arg(self.lab.path("sshd.log")).stdin(Stdio::null());
        self.server = Some(server.spawn().expect("it is there"));
        let port = self.port;
        eventually("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    }

    /// Ends the server and all its connections, like a lost network.
    fn is_lost(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        run("pkill", &["-9", "-P", &server.id().to_string()]);
        server.kill().expect("it is ours");
        server.wait().expect("it is ours");
    }

    /// The engine, with its tasks in a folder of the lab.
    fn table(&self, more: &str) {
        let folder = self.lab.path("there").to_string_lossy().into_owned();
        let table = format!("[engine.box]\nkind = 'ssh'\nhost = 'box'\nfolder = '{folder}'\n");
        self.lab.write("brisk.toml", &(table + more));
    }

    fn on_box(&self, words: &[&str]) -> Ended {
        self.lab.brisk(&[&["compare", "--on", "box", "--runs", "2"], words].concat())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.is_lost();
    }
}

/// The number of tasks on the server.
fn there(lab: &Lab) -> usize {
    fs::read_dir(lab.path("there/tasks")).map_or(0, Iterator::count)
}

#[test]
fn a_machine_by_ssh_measures_and_nothing_of_it_stays_there() {
    let Some(host) = Host::start() else { return };
    let lab = &host.lab;
    let command = "printenv SSH_CONNECTION > connection; echo >> ran";
    let ended = host.on_box(&["-S", command, "true"]);
    assert!(matches!(ended.code, Some(0 | 1)) && ended.stderr.is_empty(), "{ended}");
    assert_eq!(lab.lines("ran").len(), 2, "it ran in the folder where it was typed");
    assert!(lab.read("connection").contains("127.0.0.1"));
    assert_eq!(list(&lab.exported("1"), "runs").len(), 4);
    assert_eq!(there(lab), 0);
    host.on_box(&["no-such-program"]).failed("cannot measure on").because("no-such-program");
}

#[test]
fn a_machine_that_cannot_be_reached_is_refused_before_anything_runs() {
    let Some(host) = Host::start() else { return };
    host.settings("user", false);
    let ended = host.lab.brisk(&["compare", "--on", "ssh:box", "touch ran"]);
    let ended = ended.refused("cannot use `ssh:box`");
    ended.because("Host key verification failed").hinting("`ssh box` shows its key");
    host.settings("stranger", true);
    let ended = host.on_box(&["touch ran"]).refused("cannot use `box`");
    ended.because("Permission denied").hinting("no password is asked for");
    let unknown = host.lab.brisk(&["compare", "--on", "ssh:no.such.host.invalid", "touch ran"]);
    unknown.refused("cannot use").because("Could not resolve hostname").hinting("~/.ssh/config");
    assert!(!host.lab.exists("ran"));
}

#[test]
fn another_brisk_is_refused_and_this_one_is_sent_where_asked_for() {
    let Some(host) = Host::start() else { return };
    let lab = &host.lab;
    fs::remove_file(lab.path("bin/brisk")).expect("it is there");
    let refused = host.on_box(&["true"]).refused("cannot use").because("`box` has no brisk");
    refused.hinting("`copy = true`");
    lab.write("bin/brisk", "#!/bin/sh\necho brisk 0.0.1\n");
    run("chmod", &["+x", &lab.path("bin/brisk").to_string_lossy()]);
    host.on_box(&["true"]).refused("cannot use").because("`box` has brisk 0.0.1, and this is");
    host.table("copy = true\n");
    let on = |command: &str| host.on_box(&[command]);
    on("true").succeeded();
    let copies = || fs::read_dir(lab.path("there/bin")).expect("sent").count();
    assert_eq!(copies(), 1);
    on("false || true").succeeded();
    assert_eq!(copies(), 1);
}

#[test]
fn a_lost_connection_loses_no_job() {
    let Some(mut host) = Host::start() else { return };
    let command = ["-S", "touch began; until [ -e go ]; do sleep 0.01; done; echo >> ran"];
    let on = ["compare", "--on", "box", "--runs", "2"];
    let mut waiting = host.lab.start(&[&on[..], &command].concat());
    eventually("the job runs", || host.lab.exists("began"));
    host.is_lost();
    let told = waiting.next_line();
    assert!(told.contains("does not answer, and is waited for"), "{told}");
    host.lab.write("go", "");
    host.serve();
    let ended = waiting.wait().exited(0);
    assert!(ended.stderr.contains("the engine answers again"), "{ended}");
    assert_eq!(host.lab.lines("ran").len(), 2, "nothing was measured again");
    assert_eq!(there(&host.lab), 0);
}

#[test]
fn ctrl_c_ends_the_job_there() {
    let Some(host) = Host::start() else { return };
    let on = ["compare", "--on", "box", "--runs", "2", "-S", "touch began; sleep 1000"];
    let waiting = host.lab.start(&on);
    eventually("the job runs", || host.lab.exists("began"));
    waiting.signal("INT");
    waiting.wait().failed("interrupted; the job is ended");
    let is_left = |words: &String| words.contains("sleep 1000") || words.contains(" task ");
    eventually("no job is left", || !host.lab.processes().iter().any(is_left));
    assert_eq!(there(&host.lab), 0);
}
