//! One path for all builds of a repository, although several build at once in folders of their own.
//!
//! Compilers write the folder of a build into what they make (`__FILE__`, debug information, Go without
//! `-trimpath`), so equal sources built in two places are two programs. Where the kernel permits it, a
//! build runs in a mount namespace of its own, in which its numbered folder also lies at a path that is
//! the same for all. Elsewhere builds run in the numbered folders.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use measure::Outcome;
use measure::tool::{Tool, output};

/// The place, and how to get there.
#[derive(Debug, Clone)]
pub(super) struct SamePlace {
    /// The folder that stands for that of each builder.
    path: PathBuf,
    /// Found out with the first build.
    way: OnceLock<Way>,
}

/// How a build gets to the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With the rights that it has.
    Directly,
    /// As the root of a user namespace, and from there as who it was before.
    AsAnotherUser { user: u32, group: u32 },
    /// Not at all.
    None,
}

/// Mounts `$1` at `$2`, and runs the words behind `$3` in the folder `$3`.
const THERE: &str = "mount --bind -- \"$1\" \"$2\" && cd -- \"$3\" && shift 3 && exec \"$@\"";

impl SamePlace {
    /// The place of the repository whose worktrees lie in `folder`.
    pub(super) fn of(folder: &Path) -> Self {
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

    /// The first way that leads to the place and back to the same user.
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
