//! A checkout kept as a whole, in which a commit's command runs.
//!
//! Paths in a command, as seen from a folder of the user's checkout, are found in the same folder
//! of this one: scripts, the modules that they load, data, input. Files that a commit does not
//! have, such as a virtual environment, are the user's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use measure::Stdin;

use super::own_metric::By;
use super::{Invocation, Variant};

/// A commit's checkout and its counterpart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCheckout {
    /// Its root.
    root: PathBuf,
    /// The root of the user's checkout, without links.
    of: PathBuf,
    /// The folder in it for commands that were typed outside the user's checkout; `None` if they
    /// run where they were typed.
    place: Option<PathBuf>,
}

impl KeptCheckout {
    /// The checkout at `root`, the counterpart of the user's at `of`; commands that were typed
    /// elsewhere run in the folder `place`, if any.
    pub fn new(root: &Path, of: &Path, place: Option<&Path>) -> Self {
        let of = of.canonicalize().unwrap_or_else(|_| of.to_owned());
        Self { root: root.to_owned(), of, place: place.map(Path::to_owned) }
    }

    /// Moves all commands of a variant to this checkout.
    pub(super) fn take_in(&self, variant: &mut Variant) {
        let setup = variant.setup.iter_mut().map(|setup| &mut setup.run);
        let hooks = [&mut variant.prepare, &mut variant.conclude, &mut variant.cleanup];
        let measures = variant.measures.iter_mut().filter_map(|measure| match &mut measure.by {
            By::Command(run) => Some(run),
            By::Pattern(_) | By::Json(_) => None,
        });
        let all = [&mut variant.run].into_iter().chain(setup);
        all.chain(hooks.into_iter().flatten()).chain(measures).for_each(|run| self.move_here(run));
    }

    /// Moves an invocation to this checkout.
    pub fn move_here(&self, run: &mut Invocation) {
        let before = run.cwd.take();
        let seen_from = before.as_deref().unwrap_or(Path::new("."));
        // A folder that the commit does not have is reported when the command runs.
        let cwd = match (self.place_of(seen_from), &before, &self.place) {
            (Some(here), _, _) => Some(here),
            // The user chose another folder.
            (None, Some(elsewhere), _) => Some(elsewhere.clone()),
            (None, None, place) => place.as_ref().map(|place| self.root.join(place)),
        };
        if let Stdin::File(path) = &mut run.stdin
            && let Some(here) = self.counterpart(path)
        {
            *path = here;
        }
        for word in run.argv.iter_mut().filter(|word| Path::new(word).is_absolute()) {
            if let Some(here) = self.counterpart(Path::new(word)) {
                *word = here.into();
            }
        }
        if let Some(program) = run.argv.first_mut() {
            stay_found(program, cwd.as_deref().unwrap_or(Path::new(".")), seen_from);
        }
        run.cwd = cwd;
    }

    /// The counterpart here of a path in the user's checkout; `None` if it does not exist.
    fn counterpart(&self, path: &Path) -> Option<PathBuf> {
        self.place_of(path).filter(|here| here.exists())
    }

    /// The place here of a path in the user's checkout; `None` for a path elsewhere.
    fn place_of(&self, path: &Path) -> Option<PathBuf> {
        let real = path.canonicalize().ok()?;
        let within = real.strip_prefix(&self.of).ok()?;
        // An empty path would add a slash.
        let is_root = within.as_os_str().is_empty();
        Some(if is_root { self.root.clone() } else { self.root.join(within) })
    }
}

/// Replaces a program that only the user's checkout has, such as `.venv/bin/python`, by its
/// absolute path there. Links are kept: an interpreter finds its modules by them.
fn stay_found(program: &mut OsString, cwd: &Path, seen_from: &Path) {
    let path = Path::new(program);
    let is_seen_from_cwd = path.is_relative() && path.components().count() > 1;
    if !is_seen_from_cwd || cwd.join(path).exists() {
        return;
    }
    let there = seen_from.join(path);
    if there.exists()
        && let Ok(there) = std::path::absolute(there)
    {
        *program = there.into();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use measure::Stdout;

    use super::*;

    #[test]
    fn a_command_finds_in_a_checkout_what_it_finds_in_the_users() {
        let folder = tempfile::tempdir().expect("a folder for tests");
        let folder = folder.path().canonicalize().expect("it is there");
        let (user, kept) = (folder.join("user"), folder.join("kept"));
        for file in
            ["user/sub/run.sh", "user/data", "user/venv/bin/python", "kept/sub/run.sh", "kept/data"]
        {
            fs::create_dir_all(folder.join(file).parent().expect("a file")).expect("ours");
            fs::write(folder.join(file), "").expect("ours");
        }
        let checkout = KeptCheckout::new(&kept, &user, Some(Path::new("sub")));
        let moved = |words: &[&str], cwd: Option<PathBuf>| {
            let mut run = Invocation {
                argv: words.iter().map(OsString::from).collect(),
                env: Vec::new(),
                cwd,
                stdin: Stdin::File(user.join("data")),
                stdout: Stdout::Null,
            };
            checkout.move_here(&mut run);
            assert_eq!(run.stdin, Stdin::File(kept.join("data")));
            (run.argv, run.cwd.expect("it runs somewhere"))
        };
        let here = |path: &str| kept.join(path).into_os_string();
        let data = user.join("data");
        let data = data.to_str().expect("UTF-8");
        // Tests run outside both of them.
        assert_eq!(
            moved(&["./run.sh", data], None),
            (vec!["./run.sh".into(), here("data")], kept.join("sub"))
        );
        assert_eq!(
            moved(&["sub/run.sh"], Some(user.clone())),
            (vec!["sub/run.sh".into()], kept.clone())
        );
        let python = user.join("venv/bin/python").into_os_string();
        assert_eq!(moved(&["venv/bin/python"], Some(user.clone())), (vec![python], kept.clone()));
        assert_eq!(moved(&["x"], Some(folder.clone())), (vec!["x".into()], folder.clone()));
    }
}
