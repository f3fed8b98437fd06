//! Checkouts in which commits are built, separate from the user's.
//!
//! They lie in the cache folder, in one folder for each repository, numbered, each used by one
//! builder at a time: the file `N.lock` beside the folder `N` is locked while that is in use, and
//! the kernel unlocks it however the process ends. The user's checkout, index, configuration and
//! `HEAD` are not touched; the repository lists our worktrees while they exist, as `git worktree
//! list` shows. A worktree begins anew: leftovers of a killed process are removed and never built
//! upon. Only git's folder for it is reused, if it contains nothing unusual: a build may run any
//! git command.
//!
//! Compilers write the folder of a build into its products (`__FILE__`, debug information, Go
//! without `-trimpath`), so equal sources give different programs in different folders. If the
//! kernel permits it, each build runs in its own mount namespace, in which its numbered folder also
//! appears at a path that is the same for all ([`SamePlace`]).
//!
//! Each edit of the user's checkout is a commit of its own, for which all dependencies would be
//! built again. Instead, the files of the last such build are kept ([`Leftover`]) with git's index,
//! so that the next checkout rewrites only changed files. One set is kept for a repository, that of
//! the recipe used last.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use measure::tool::{Tool, output};
use measure::{Outcome, interrupt};

use crate::artifact::{BuildFailure, FailureReason, When};
use crate::build::{Attempt, Overseer, attempt};
use crate::builder::{BuildError, Builder};
use crate::environment::Fingerprint;
use crate::git::{GitError, Patience, Repository, change};
use crate::range::Commit;

/// Reasons that a worktree could not be made or removed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum WorktreeError {
    #[error("cannot keep worktrees in `{}`", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot check `{commit}` out at `{}`", path.display())]
    Add { commit: String, path: PathBuf, source: GitError },
}

/// The worktrees of one repository.
#[derive(Debug, Clone)]
pub(super) struct Worktrees {
    repository: Repository,
    folder: PathBuf,
    same_place: SamePlace,
}

impl Worktrees {
    /// The worktrees of `repository` below the folder of the cache. Leftovers of killed processes
    /// are removed.
    pub(super) fn open(repository: &Repository, cache: &Path) -> Result<Self, WorktreeError> {
        let mut identity = Fingerprint::new("repository");
        identity.field("common dir", repository.common_dir().as_os_str().as_bytes());
        let name = &identity.finish()[..16];
        let folder = cache.join("worktrees").join(name);
        let same_place = SamePlace::in_folder(&folder);
        let worktrees = Self { repository: repository.clone(), folder, same_place };
        let failed = |source| worktrees.folder_error(source);
        for slot in Slot::left_behind(&worktrees.folder).map_err(failed)? {
            worktrees.remove(&slot)?;
        }
        Ok(worktrees)
    }

    /// A new worktree with this commit; with the preferred number if that is free, because programs
    /// may contain the path of their build.
    pub(super) fn add(
        &self,
        commit: &str,
        preferred: Option<u32>,
    ) -> Result<Worktree, WorktreeError> {
        let failed = |source| self.folder_error(source);
        let preferred = preferred.map(|number| Slot::take(&self.folder, number)).transpose();
        let slot = match preferred.map_err(failed)?.flatten() {
            Some(slot) => slot,
            None => Slot::first_free(&self.folder).map_err(failed)?,
        };
        let mut worktree = Worktree::absent(self, slot);
        worktree.renew(commit)?;
        Ok(worktree)
    }

    /// A new worktree with this commit and the leftovers of the last build by this name, if they
    /// were kept; they are kept again.
    pub(super) fn resume(&self, commit: &str, name: &str) -> Result<Worktree, WorktreeError> {
        let slot = Slot::first_free(&self.folder).map_err(|source| self.folder_error(source))?;
        let leftover = Leftover::new(&self.folder, name);
        let mut worktree = Worktree::absent(self, slot);
        worktree.begin_anew(commit)?;
        let is_resumed = leftover.put_into(&worktree.path(), &worktree.link);
        if is_resumed && worktree.walk_to(commit).is_ok() {
            worktree.state = WorktreeState::Used;
        } else {
            worktree.renew(commit)?;
        }
        worktree.leftover = Some(leftover);
        Ok(worktree)
    }

    fn tree(&self, slot: &Slot) -> PathBuf {
        // Git names its own folder for the worktree after the last path component, and numbers
        // namesakes.
        slot.folder.join("brisk")
    }

    /// Removes the folder of a slot, and git's records of the worktree in it.
    fn remove(&self, slot: &Slot) -> Result<(), WorktreeError> {
        // The folder first: git refuses to remove a damaged worktree, but not a missing one. `git
        // worktree prune` would also remove the user's worktrees on absent disks.
        remove_folder(&slot.folder).map_err(|source| self.folder_error(source))?;
        let _alone = self.alone()?;
        let tree = self.tree(slot);
        let args = ["worktree", "remove", "--force", "--force"].map(OsStr::new);
        let args = args.into_iter().chain([tree.as_os_str()]);
        // It fails if git does not know the worktree, which is the desired state.
        let _ = change(self.repository.root(), args, Patience::UntilDone);
        Ok(())
    }

    /// Keeps other brisk processes from adding or removing worktrees of this repository at the same
    /// moment, because git removes the folder of all its worktrees with the last of them.
    fn alone(&self) -> Result<File, WorktreeError> {
        let lock = || {
            fs::create_dir_all(&self.folder)?;
            let path = self.folder.join("all.lock");
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
            file.lock()?;
            Ok(file)
        };
        lock().map_err(|source| self.folder_error(source))
    }

    fn folder_error(&self, source: io::Error) -> WorktreeError {
        WorktreeError::Folder { path: self.folder.clone(), source }
    }
}

/// The contents of a worktree besides the files of its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorktreeState {
    /// The checkout is missing.
    Absent,
    /// No other files.
    Fresh,
    /// The results of earlier builds.
    Used,
}

/// A worktree of brisk. It is removed when dropped.
#[derive(Debug)]
pub(super) struct Worktree {
    worktrees: Worktrees,
    slot: Slot,
    link: Link,
    state: WorktreeState,
    /// The place to which its files are moved when it is removed; `None` if they are removed as
    /// well.
    pub(super) leftover: Option<Leftover>,
}

impl Worktree {
    fn absent(worktrees: &Worktrees, slot: Slot) -> Self {
        let (worktrees, link) = (worktrees.clone(), Link::default());
        Self { worktrees, slot, link, state: WorktreeState::Absent, leftover: None }
    }

    /// The path of its files.
    pub(super) fn path(&self) -> PathBuf {
        self.worktrees.tree(&self.slot)
    }

    /// The folder around it, which contains only this worktree.
    pub(super) fn folder(&self) -> &Path {
        &self.slot.folder
    }

    /// Its number, which is part of its path.
    pub(super) fn number(&self) -> u32 {
        self.slot.number
    }

    /// A shell with this script, in the folder `cwd` of this worktree, at a path that all worktrees
    /// of the repository have in common, if possible.
    pub(super) fn shell(&self, script: &str, cwd: &Path) -> Tool {
        self.worktrees.same_place.shell(script, self.folder(), cwd)
    }

    /// Its state.
    pub(super) fn state(&self) -> WorktreeState {
        self.state
    }

    /// Records that a build is about to leave files in it.
    pub(super) fn use_up(&mut self) {
        self.state = WorktreeState::Used;
    }

    /// An empty folder on the same file system, for a future entry of the cache.
    pub(super) fn staging(&self) -> Result<PathBuf, io::Error> {
        let staging = self.slot.folder.join("staging");
        remove_folder(&staging)?;
        fs::create_dir_all(&staging)?;
        Ok(staging)
    }

    /// Resets the worktree to the files of this commit only.
    pub(super) fn renew(&mut self, commit: &str) -> Result<(), WorktreeError> {
        if self.sweep() && self.walk_to(commit).is_ok() {
            self.state = WorktreeState::Fresh;
            return Ok(());
        }
        self.begin_anew(commit)?;
        let path = self.path();
        self.walk_to(commit).map_err(|source| WorktreeError::Add {
            commit: commit.to_owned(),
            path,
            source,
        })?;
        self.state = WorktreeState::Fresh;
        Ok(())
    }

    /// Removes all files, and git's records of them. True if the next checkout cannot differ from
    /// one in a new worktree.
    fn sweep(&self) -> bool {
        if self.state == WorktreeState::Absent {
            return false;
        }
        // The folder around it goes, too: builds may write beside their checkout.
        let swept = self.link.clear().and_then(|is_plain| {
            remove_folder(&self.slot.folder)?;
            fs::create_dir_all(self.path())?;
            self.link.write(&self.path())?;
            Ok(is_plain)
        });
        swept.unwrap_or(false)
    }

    /// Replaces any existing worktree by a new one without files.
    fn begin_anew(&mut self, commit: &str) -> Result<(), WorktreeError> {
        self.worktrees.remove(&self.slot)?;
        self.state = WorktreeState::Absent;
        let path = self.path();
        let folder_error = |source| self.worktrees.folder_error(source);
        fs::create_dir_all(&self.slot.folder).map_err(folder_error)?;
        // Writing the files may take long, and need not hold the lock.
        let args = ["worktree", "add", "--force", "--detach", "--no-checkout"].map(OsStr::new);
        let args = args.into_iter().chain([path.as_os_str(), commit.as_ref()]);
        let alone = self.worktrees.alone()?;
        let added = change(self.worktrees.repository.root(), args, Patience::UntilDone);
        drop(alone);
        added.map_err(|source| WorktreeError::Add {
            commit: commit.to_owned(),
            path: path.clone(),
            source,
        })?;
        self.link = Link::read(&path).map_err(folder_error)?;
        Ok(())
    }

    /// Moves on to another commit. Untracked results of builds stay, so that the next build has
    /// less to do.
    pub(super) fn walk_to(&self, commit: &str) -> Result<(), GitError> {
        let args = ["checkout", "--quiet", "--force", "--detach", commit];
        change(&self.path(), args, Patience::UntilDone)
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        if let Some(leftover) = &self.leftover {
            // Files that are not kept are built again.
            let _ = leftover.keep(&self.path(), &self.link);
        }
        // The next run tries again to remove the rest.
        let _ = self.worktrees.remove(&self.slot);
    }
}

/// Files of git's folder for a worktree that describe the checkout and are rewritten by the next
/// one, or that locate the worktree and the repository (gitrepository-layout(5)).
const ORDINARY: [&str; 6] = ["HEAD", "ORIG_HEAD", "commondir", "gitdir", "index", "logs"];

/// The link of one worktree, as git made it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Link {
    text: Vec<u8>,
}

impl Link {
    /// The link of the worktree at `tree`.
    pub(super) fn read(tree: &Path) -> io::Result<Self> {
        Ok(Self { text: fs::read(tree.join(".git"))? })
    }

    /// Links the folder `tree` to the repository, as before.
    pub(super) fn write(&self, tree: &Path) -> io::Result<()> {
        fs::write(tree.join(".git"), &self.text)
    }

    /// Makes git forget the state of the files, including any instruction to ignore their changes.
    /// True if git has no other data about the worktree.
    pub(super) fn clear(&self) -> io::Result<bool> {
        let Some(index) = self.index() else { return Ok(false) };
        match fs::remove_file(index) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(true),
        }
    }

    /// Git's index of the files, if git has no other data about the worktree.
    pub(super) fn index(&self) -> Option<PathBuf> {
        let folder = self.folder()?;
        let mut entries = fs::read_dir(&folder).ok()?;
        let is_ordinary = entries.all(|entry| {
            let name = entry.map(|entry| entry.file_name());
            name.is_ok_and(|name| ORDINARY.iter().any(|ordinary| name == *ordinary))
        });
        is_ordinary.then(|| folder.join("index"))
    }

    /// Git's own folder for the worktree.
    fn folder(&self) -> Option<PathBuf> {
        let path = self.text.strip_prefix(b"gitdir: ")?.strip_suffix(b"\n")?;
        let path = Path::new(OsStr::from_bytes(path));
        // Git may be configured to write it relative to the worktree; then the folder is not
        // reused.
        path.is_absolute().then(|| path.to_owned())
    }
}

/// The prefix of the folder's name.
const PREFIX: &str = "kept-";

/// The folder of the files between two calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leftover {
    folder: PathBuf,
}

impl Leftover {
    /// The leftover of builds by this name, in the folder `worktrees`.
    pub(super) fn new(worktrees: &Path, name: &str) -> Self {
        Self { folder: worktrees.join(format!("{PREFIX}{name}")) }
    }

    /// Moves the files of the worktree at `tree` here, in place of all kept files.
    pub(super) fn keep(&self, tree: &Path, link: &Link) -> io::Result<()> {
        let worktrees = self.folder.parent().unwrap_or(&self.folder);
        for entry in fs::read_dir(worktrees)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                remove_folder(&entry.path())?;
            }
        }
        // Submodules belong to the worktree's own folder, which is removed.
        let index = link.index().filter(|_| !tree.join(".gitmodules").exists());
        let Some(index) = index else { return Ok(()) };
        fs::create_dir(&self.folder)?;
        fs::copy(index, self.folder.join("index"))?;
        fs::remove_file(tree.join(".git"))?;
        fs::rename(tree, self.folder.join("tree"))
    }

    /// Moves the kept files into the worktree at `tree`, which has no files yet. True if there were
    /// any; if it fails halfway, they are lost.
    pub(super) fn put_into(&self, tree: &Path, link: &Link) -> bool {
        let put = || -> io::Result<()> {
            let index = link.index().ok_or(io::ErrorKind::NotFound)?;
            // Only one process can rename it.
            let beside = tree.with_extension("kept");
            fs::rename(&self.folder, &beside)?;
            remove_folder(tree)?;
            fs::rename(beside.join("tree"), tree)?;
            link.write(tree)?;
            fs::copy(beside.join("index"), index)?;
            remove_folder(&beside)
        };
        put().is_ok()
    }
}

/// A commit checked out in a worktree, which is removed on drop.
#[derive(Debug)]
pub struct Checkout {
    worktree: Worktree,
}

impl Checkout {
    /// The root of its files.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.worktree.path()
    }
}

impl Builder {
    /// Checks a commit out with its submodules, patch and overlay, and runs the build command
    /// there, if the recipe has one. It need not make the artefact. Nothing is kept.
    ///
    /// # Errors
    ///
    /// When building has to stop; a commit that cannot be prepared is a `BuildFailure` instead.
    pub fn check_out(&self, commit: &Commit) -> Result<Result<Checkout, BuildFailure>, BuildError> {
        let workshop = &self.workshop;
        let mut worktree = workshop.worktrees.add(&commit.hash, None)?;
        let overseer = Overseer { requests: interrupt::requests(), say: &|_| {}, links: &|_| {} };
        let (repository, ingredients) = (&workshop.repository, &workshop.ingredients);
        let done = attempt(repository, &mut worktree, commit, ingredients, &[], overseer, None);
        let Attempt { result, log, elapsed } = done?;
        use FailureReason::{NoArtifact, SeveralArtifacts};
        Ok(match result {
            Ok(_) | Err(NoArtifact { .. } | SeveralArtifacts { .. }) => Ok(Checkout { worktree }),
            Err(reason) => Err(BuildFailure {
                reason,
                log_tail: String::from_utf8_lossy(&log).into_owned(),
                when: When::Now,
                build_seconds: elapsed.as_secs_f64(),
            }),
        })
    }
}

/// A numbered folder owned by this process. The folder itself may exist, with any contents, or not.
#[derive(Debug)]
pub struct Slot {
    /// Its number, from 0.
    pub number: u32,
    /// Its folder.
    pub folder: PathBuf,
    lock: File,
}

/// More builders than any machine runs at once; if this many slots are taken, something is wrong.
const MOST: u32 = 10_000;

impl Slot {
    /// The slot with this number, unless another process uses it.
    pub fn take(parent: &Path, number: u32) -> io::Result<Option<Self>> {
        fs::create_dir_all(parent)?;
        let path = parent.join(format!("{number}.lock"));
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match lock.try_lock() {
            Ok(()) => {
                let folder = parent.join(number.to_string());
                Ok(Some(Self { number, folder, lock }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The first free slot.
    pub fn first_free(parent: &Path) -> io::Result<Self> {
        for number in 0..MOST {
            if let Some(slot) = Self::take(parent, number)? {
                return Ok(slot);
            }
        }
        Err(io::Error::other("all of them are in use"))
    }

    /// The slots whose folders were left behind.
    pub fn left_behind(parent: &Path) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(parent) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut slots = Vec::new();
        for entry in entries {
            let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
            if let Some(number) = number {
                slots.extend(Self::take(parent, number)?);
            }
        }
        Ok(slots)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Closing does not unlock while another thread is starting a program, which still has a
        // copy of the descriptor. On failure, the slot only stays taken for longer.
        let _ = self.lock.unlock();
    }
}

/// Removes a folder with all contents, even if builds made them read-only; succeeds if it does not
/// exist. Symbolic links are not followed.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    match gone(fs::remove_dir_all(folder)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            allow_removal(folder)?;
            gone(fs::remove_dir_all(folder))
        }
        other => other,
    }
}

fn allow_removal(folder: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(folder)?.permissions();
    permissions.set_mode(permissions.mode() | 0o700);
    fs::set_permissions(folder, permissions)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            allow_removal(&entry.path())?;
        }
    }
    Ok(())
}

/// The common path, and the way to get there.
#[derive(Debug, Clone)]
pub(super) struct SamePlace {
    /// The folder that stands in for that of each builder.
    path: PathBuf,
    /// Determined with the first build.
    way: OnceLock<Way>,
}

/// The way for a build to reach the common path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With its own rights.
    Directly,
    /// As the root of a user namespace, and from there as the original user.
    AsAnotherUser { user: u32, group: u32 },
    /// Impossible.
    None,
}

/// Mounts `$1` at `$2`, changes to the folder `$3`, and runs the words after it.
const THERE: &str = "mount --bind -- \"$1\" \"$2\" && cd -- \"$3\" && shift 3 && exec \"$@\"";

impl SamePlace {
    /// The common path of the repository whose worktrees lie in `folder`.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("build"), way: OnceLock::new() }
    }

    /// A shell with this script, in the folder `cwd` of the builder's `folder`.
    pub(super) fn shell(&self, script: &str, folder: &Path, cwd: &Path) -> Tool {
        let way = *self.way.get_or_init(|| self.find(folder));
        self.going(way, script, folder, cwd)
            .unwrap_or_else(|| Tool::new("sh").args(["-c", script]).cwd(cwd))
    }

    fn going(&self, way: Way, script: &str, folder: &Path, cwd: &Path) -> Option<Tool> {
        let within = cwd.strip_prefix(folder).ok()?;
        let there = self.path.join(within);
        let tool = Tool::new("unshare").cwd(folder);
        let tool = match way {
            Way::Directly => tool.args(["--mount"]),
            Way::AsAnotherUser { .. } => tool.args(["--user", "--map-root-user", "--mount"]),
            Way::None => return None,
        };
        let tool = tool.args(["--", "sh", "-c", THERE, "sh"]).args([
            folder,
            self.path.as_path(),
            there.as_path(),
        ]);
        let tool = match way {
            Way::AsAnotherUser { user, group } => tool.args([
                "unshare".to_owned(),
                "--user".to_owned(),
                format!("--map-user={user}"),
                format!("--map-group={group}"),
                "--".to_owned(),
            ]),
            Way::Directly | Way::None => tool,
        };
        Some(tool.args(["sh", "-c", script]))
    }

    /// The first way that leads to the common path and back to the same user.
    fn find(&self, folder: &Path) -> Way {
        let Ok(facts) = fs::create_dir_all(&self.path).and_then(|()| fs::metadata(&self.path))
        else {
            return Way::None;
        };
        let (user, group) = (facts.uid(), facts.gid());
        let is_there = |way: &Way| {
            let Some(tool) = self.going(*way, "pwd -P; id -u", folder, folder) else {
                return false;
            };
            let expected = format!("{}\n{user}\n", self.path.display());
            let answer = output(&tool.finishing_regardless());
            answer.is_ok_and(|answer| {
                answer.outcome == Outcome::Exited(0) && answer.stdout == expected.as_bytes()
            })
        };
        let ways = [Way::Directly, Way::AsAnotherUser { user, group }];
        ways.into_iter().find(is_there).unwrap_or(Way::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_absolute_path_after_gitdir_names_the_folder() {
        for (text, folder) in [
            ("gitdir: /a b/.git/worktrees/brisk-0\n", Some("/a b/.git/worktrees/brisk-0")),
            ("gitdir: ../r/.git/worktrees/brisk-0\n", None),
            ("gitdir: /cut", None),
            ("", None),
        ] {
            let link = Link { text: text.as_bytes().to_vec() };
            assert_eq!(link.folder(), folder.map(PathBuf::from), "{text:?}");
        }
    }
}
