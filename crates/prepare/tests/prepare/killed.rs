//! `kill -9` at any moment, Ctrl-C, and two processes on the same repository.
//!
//! The victim is this test program itself, restarted for its ignored test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use measure::interrupt;
use prepare::{BuildError, Cache, Recipe};

use crate::given::{Given, Lab, get, jobs, output_of, recipe};

/// Tells the started program where to work.
const REPOSITORY: &str = "BRISK_TEST_REPOSITORY";
const CACHE: &str = "BRISK_TEST_CACHE";
const TRACE: &str = "BRISK_TEST_TRACE";

/// The exit status of the started program after an interruption; the test harness uses 0, 1 and
/// 101.
const INTERRUPTED: i32 = 42;

/// A unique sleep duration, to be found in the process table.
const NAP: &str = "76543.2";

/// A recipe that hangs at the third commit while the file `gate` exists beside the trace.
fn gated(trace: &Path) -> Recipe {
    let build = format!(
        "test -z \"$GIT_DIR$GIT_INDEX_FILE\" || exit 9; \
         echo built >> \"$TRACE\"; mkdir -p out; cp source out/prog; chmod +x out/prog; \
         if grep -q 'echo 2' source && test -e \"$TRACE.gate\"; then \
         echo half > out/prog; sleep {NAP}; fi"
    );
    recipe(&build, trace)
}

#[test]
#[ignore = "started by other tests"]
fn builds_the_history_of_the_repository_that_it_is_told() {
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("run by another test"));
    interrupt::install().expect("signals can be caught");
    let given = Given { root: variable(REPOSITORY) };
    let cache = Cache::at(variable(CACHE));
    let mut builder = given.builder(&cache, &gated(&variable(TRACE)));
    match builder.build_range(&given.history(), jobs(2), &mut |_| {}) {
        Ok(built) => assert!(built.iter().all(|one| one.outcome.is_ok())),
        Err(BuildError::Interrupted) => {
            drop(builder);
            #[expect(clippy::exit, reason = "the code is the answer")]
            std::process::exit(INTERRUPTED);
        }
        Err(other) => panic!("{other}"),
    }
}

/// A process that is killed at the end of the test in any case.
struct Victim(Child);

impl Victim {
    fn start(lab: &Lab, given: &Given) -> Self {
        Self::start_with(lab, given, &[])
    }

    fn start_with(lab: &Lab, given: &Given, variables: &[(&str, PathBuf)]) -> Self {
        let this = std::env::current_exe().expect("a running program has a file");
        let test = "killed::builds_the_history_of_the_repository_that_it_is_told";
        #[expect(clippy::disallowed_methods, reason = "it is to be killed, not measured")]
        let child = Command::new(this)
            .args(["--exact", test, "--ignored", "--test-threads=1"])
            .env(REPOSITORY, &given.root)
            .env(CACHE, lab.path("cache"))
            .env(TRACE, lab.path("built"))
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::null())
            .spawn()
            .expect("this program starts");
        Self(child)
    }

    fn signal(&self, signal: &str) {
        let pid = self.0.id().to_string();
        #[expect(clippy::disallowed_methods, reason = "std sends no signal but SIGKILL")]
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    }

    fn wait(&mut self) -> ExitStatus {
        self.0.wait().expect("it is ours")
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for an imminent condition; the test fails instead of hanging.
fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..3000 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{what}: waited in vain");
}

/// True if the hanging build of this lab still runs: a sleeping process in one of its worktrees.
fn naps(lab: &Lab) -> bool {
    let cache = fs::canonicalize(lab.path("cache")).expect("it is there");
    fs::read_dir("/proc").expect("Linux").flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let cwd = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == NAP.as_bytes()) && cwd.starts_with(&cache)
    })
}

/// A lab with six commits, and a process that hangs at the third.
fn hanging() -> (Lab, Given, Victim) {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(6);
    fs::write(lab.path("built.gate"), "").expect("ours");
    let victim = Victim::start(&lab, &given);
    // The other of the two builders continues to the end.
    until("the hanging build", || lab.builds() == 6 && naps(&lab));
    let is_kept = |key: &Path| {
        ["clean", "incremental"].iter().any(|how| key.join(how).join("meta.json").exists())
    };
    let keys = || fs::read_dir(lab.path("cache/artifacts")).into_iter().flatten().flatten();
    until("the last entry", || keys().filter(|key| is_kept(&key.path())).count() == 5);
    (lab, given, victim)
}

/// Asserts that another run builds the commit that hung, and nothing is left.
fn goes_on(lab: &Lab, given: &Given) {
    fs::remove_file(lab.path("built.gate")).expect("ours");
    let built = given.build(&lab.cache(), &gated(&lab.path("built")), 1);
    let outputs: Vec<String> = built.iter().map(output_of).collect();
    assert_eq!(outputs, ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(lab.builds(), 7, "only the one that was killed is repeated");
    assert_eq!(given.worktrees(), 1);
    let worktrees = fs::read_dir(lab.path("cache/worktrees")).expect("it is there");
    let left: Vec<PathBuf> = worktrees
        .flat_map(|one| fs::read_dir(one.expect("ours").path()).expect("a folder"))
        .map(|one| one.expect("ours").path())
        // The common folder of all builds is always empty.
        .filter(|path| path.is_dir() && fs::remove_dir(path).is_err())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn kill_9_costs_only_the_build_in_flight() {
    let (lab, given, mut victim) = hanging();
    victim.signal("-KILL");
    victim.wait();
    until("the end of the orphaned build", || !naps(&lab));
    assert!(given.worktrees() > 1, "there is something to tidy up");
    goes_on(&lab, &given);
}

#[test]
fn an_interruption_ends_the_build_keeps_the_others_and_tidies_up() {
    let (lab, given, mut victim) = hanging();
    victim.signal("-INT");
    assert_eq!(victim.wait().code(), Some(INTERRUPTED));
    assert!(!naps(&lab), "nothing is built any more");
    assert_eq!(given.worktrees(), 1);
    goes_on(&lab, &given);
}

#[test]
fn whatever_state_a_worktree_is_left_in_is_tidied_up_and_the_users_own_are_not() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    // As on a disk that is currently absent.
    let own = lab.path("own worktree");
    given.git(&["worktree", "add", "--quiet", "--detach", &own.display().to_string()]);
    fs::rename(&own, lab.path("absent disk")).expect("ours");
    let listed = given.git(&["worktree", "list", "--porcelain"]);
    let mut recipe = lab.recipe();
    given.build(&lab.cache(), &recipe, 1);
    let folders = fs::read_dir(lab.path("cache/worktrees")).expect("it is there");
    let ours = folders.map(|one| one.expect("ours").path()).next().expect("one repository's");
    let damages: [fn(&Path); 4] = [
        |_| {},
        |tree| fs::remove_file(tree.join(".git")).expect("ours"),
        |tree| fs::write(tree.join(".git"), "gitdir: /nowhere").expect("ours"),
        |tree| fs::remove_dir_all(tree).expect("ours"),
    ];
    for (round, damage) in damages.iter().enumerate() {
        for number in ["0", "7"] {
            let tree = ours.join(number).join("brisk");
            let path = tree.display().to_string();
            given.git(&["worktree", "add", "--quiet", "--force", "--detach", &path]);
            // As left by git if killed while adding a worktree.
            given.git(&["worktree", "lock", &path]);
            damage(&tree);
        }
        recipe.env.push(("ROUND".into(), round.to_string().into()));
        given.build(&lab.cache(), &recipe, 1);
        assert_eq!(given.git(&["worktree", "list", "--porcelain"]), listed, "damage {round}");
        assert!(!ours.join("0").exists() && !ours.join("7").exists());
    }
    assert_eq!(lab.builds(), 1 + damages.len());
}

#[test]
fn two_at_once_on_one_repository_do_not_get_in_each_others_way() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(12);
    let mut victims = [Victim::start(&lab, &given), Victim::start(&lab, &given)];
    for victim in &mut victims {
        assert!(victim.wait().success());
    }
    assert_eq!(given.worktrees(), 1);
    let before = lab.builds();
    let built = given.build(&lab.cache(), &gated(&lab.path("built")), 2);
    assert_eq!(lab.builds(), before, "everything was kept");
    let outputs: Vec<String> = built.iter().map(output_of).collect();
    let expected: Vec<String> = (0..12).map(|number: u32| number.to_string()).collect();
    assert_eq!(outputs, expected);
}

#[test]
fn two_builders_in_one_process_use_different_worktrees() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    let recipe = lab.recipe();
    let history = given.history();
    let mut one = given.builder(&lab.cache(), &recipe);
    let mut other = given.builder(&Cache::at(lab.path("cache")), &recipe);
    get(&mut one, &history[0]);
    get(&mut other, &history[1]);
    assert_eq!(given.worktrees(), 3);
    drop((one, other));
    assert_eq!(given.worktrees(), 1);
}

#[test]
fn a_brisk_that_a_hook_of_another_repository_starts_keeps_to_its_own() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(3);
    let other = lab.repository("other");
    other.commit(&[("source", "x")], "other");
    let before = fs::read(other.root.join(".git/index")).expect("it has one");
    let variables = [
        ("GIT_DIR", other.root.join(".git")),
        ("GIT_WORK_TREE", other.root.clone()),
        ("GIT_INDEX_FILE", other.root.join(".git/index")),
    ];
    let mut victim = Victim::start_with(&lab, &given, &variables);
    assert!(victim.wait().success());
    assert_eq!(lab.builds(), 3);
    assert_eq!((given.worktrees(), other.worktrees()), (1, 1));
    assert_eq!(fs::read(other.root.join(".git/index")).expect("it has one"), before);
}
