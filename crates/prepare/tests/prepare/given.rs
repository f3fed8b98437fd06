//! Repositories for the tests, and recipes that leave traces of their builds.

use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use prepare::{
    Artifact, BuildFailure, Builder, BuiltCommit, Cache, Commit, Confirmation, Follow, Recipe,
    Repository, Retry, Trees, commits,
};

/// An empty folder, removed with the test. Its name has spaces and non-ASCII letters, like the
/// folders of many users.
pub(crate) struct Lab(PathBuf);

impl Lab {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("prepare größe '{}' {number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("the folder for tests is writable");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn cache(&self) -> Cache {
        Cache::at(self.path("cache"))
    }

    /// Runs `git` in a folder, and returns its output.
    pub(crate) fn git(&self, folder: &Path, args: &[&str]) -> String {
        run_git(folder, args)
    }

    /// An empty repository in a folder of this name.
    pub(crate) fn repository(&self, name: &str) -> Given {
        let root = self.path(name);
        fs::create_dir_all(&root).expect("the folder for tests is writable");
        run_git(&root, &["init", "--quiet", "--initial-branch=main"]);
        Given { root }
    }

    /// A recipe whose builds append a line to the file `built`, and copy `source` to `out/prog`.
    pub(crate) fn recipe(&self) -> Recipe {
        let build = "echo built >> \"$TRACE\"; mkdir -p out && cp source out/prog && \
                     chmod +x out/prog";
        recipe(build, &self.path("built"))
    }

    /// The number of builds that ran.
    pub(crate) fn builds(&self) -> usize {
        fs::read_to_string(self.path("built")).unwrap_or_default().lines().count()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // Leftovers are below the build folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A recipe with this build command and a file for its traces.
pub(crate) fn recipe(build: &str, trace: &Path) -> Recipe {
    Recipe {
        build: Some(build.to_owned()),
        artifact: "out/prog".into(),
        patch: None,
        overlay: None,
        env: vec![("TRACE".into(), trace.into())],
        compilers: toolchains::project::compilers(Some(build), &[]),
        cwd: PathBuf::new(),
        timeout: None,
        trees: Trees::Incremental,
        layouts: 0,
        counter: None,
        named: Default::default(),
        inputs: Default::default(),
    }
}

pub(crate) fn jobs(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("positive")
}

#[expect(clippy::disallowed_methods, reason = "the tests make the repositories they need")]
fn run_git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=A. U. Thor", "-c", "user.email=a@example.com"])
        .args(["-c", "commit.gpgSign=false", "-c", "protocol.file.allow=always"])
        .args(args)
        .current_dir(folder)
        // Set by tests of their effect on brisk.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "1700000000 +0100")
        .env("LC_ALL", "C")
        .output()
        .expect("the tests need git");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {error}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// A repository like a user's.
pub(crate) struct Given {
    pub(crate) root: PathBuf,
}

impl Given {
    pub(crate) fn git(&self, args: &[&str]) -> String {
        run_git(&self.root, args)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.root.join(name), text);
    }

    /// Writes files, commits everything, and returns the commit's hash.
    pub(crate) fn commit(&self, files: &[(&str, &str)], subject: &str) -> String {
        files.iter().for_each(|(name, text)| self.write(name, text));
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", subject]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Commits that each change `source`: their programs print 0, 1, 2, ...
    pub(crate) fn programs(&self, number: usize) -> Vec<String> {
        let source = |number| format!("#!/bin/sh\necho {number}\n");
        (0..number)
            .map(|one| self.commit(&[("source", &source(one))], &format!("commit {one}")))
            .collect()
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::open(&self.root).expect("it is a repository")
    }

    /// All commits of the first-parent history of `HEAD`, oldest first.
    pub(crate) fn history(&self) -> Vec<Commit> {
        let root = self.git(&["rev-list", "--max-parents=0", "--first-parent", "HEAD"]);
        let range = format!("{root}^..HEAD");
        commits(&self.open(), &range, Follow::FirstParents).expect("there are commits")
    }

    pub(crate) fn builder(&self, cache: &Cache, recipe: &Recipe) -> Builder {
        Builder::new(&self.open(), cache, recipe, Retry::WhereItMayHelp).expect("it can be built")
    }

    /// The whole history, built.
    pub(crate) fn build(&self, cache: &Cache, recipe: &Recipe, number: usize) -> Vec<BuiltCommit> {
        let built =
            self.builder(cache, recipe).build_range(&self.history(), jobs(number), &mut |_| {});
        built.expect("nothing stops it")
    }

    /// The number of worktrees that the repository knows: the user's, and those left behind.
    pub(crate) fn worktrees(&self) -> usize {
        self.git(&["worktree", "list"]).lines().count()
    }
}

/// Builds a single commit.
pub(crate) fn get(builder: &mut Builder, commit: &Commit) -> BuiltCommit {
    let built = builder.build_range(std::slice::from_ref(commit), jobs(1), &mut |_| {});
    built.expect("nothing stops it").remove(0)
}

pub(crate) fn confirm(builder: &mut Builder, commit: &Commit) -> Confirmation {
    let all = builder.confirm_all(std::slice::from_ref(commit), jobs(1), &mut |_| {});
    all.expect("it builds").pop().expect("one for one")
}

pub(crate) fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("the path of a file");
    fs::create_dir_all(folder).expect("the folder for tests is writable");
    fs::write(path, text).expect("the folder for tests is writable");
}

pub(crate) fn make_executable(path: &Path) {
    let all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, all).expect("the file is ours");
}

pub(crate) fn artifact(built: &BuiltCommit) -> &Artifact {
    built
        .outcome
        .as_ref()
        .unwrap_or_else(|failure| panic!("{}: {}", failure.reason, failure.log_tail))
}

pub(crate) fn failure(built: &BuiltCommit) -> &BuildFailure {
    built.outcome.as_ref().expect_err("the build fails")
}

/// The output of the artefact, a shell script.
pub(crate) fn output_of(built: &BuiltCommit) -> String {
    #[expect(clippy::disallowed_methods, reason = "it is looked at, not measured")]
    let output = Command::new(&artifact(built).path).output().expect("the artefact runs");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
