//! One path for all builds of a repository, although several run at once in separate folders.
//!
//! Compilers write the folder of a build into its products (`__FILE__`, debug information, Go
//! without `-trimpath`), so equal sources give different programs in different folders. If the
//! kernel permits it, each build runs in its own mount namespace, in which its numbered folder also
//! appears at a path that is the same for all. Elsewhere, builds run in the numbered folders.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use measure::Outcome;
use measure::tool::{Tool, output};

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
