//! Submodules of a commit, checked out in a worktree.
//!
//! If the user's repository has the submodule already, it is taken from there, so that no network
//! is needed. `git submodule update --init` is not used, because it writes into the configuration
//! that the worktree shares with the user's checkout.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::git::{GitError, Patience, ask_in, change};

/// A submodule, as `.gitmodules` describes it.
#[derive(Debug, PartialEq, Eq)]
struct Submodule {
    name: OsString,
    /// Relative to the checkout.
    path: PathBuf,
}

/// Checks out the submodules of the checkout at `tree`, and their submodules. `modules` is the
/// folder of the user's repository with its own copies of them.
pub(super) fn check_out(modules: &Path, tree: &Path, patience: Patience) -> Result<(), GitError> {
    for submodule in listed(tree)? {
        let copy = modules.join(&submodule.name);
        update(&copy, tree, &submodule, patience)?;
        check_out(&copy.join("modules"), &tree.join(&submodule.path), patience)?;
    }
    Ok(())
}

/// The submodules that are listed in `.gitmodules` and part of the commit.
fn listed(tree: &Path) -> Result<Vec<Submodule>, GitError> {
    if !tree.join(".gitmodules").is_file() {
        return Ok(Vec::new());
    }
    let question =
        ["config", "-z", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$"];
    // It fails if there is nothing to list.
    let named = ask_in(tree, question)?.unwrap_or_default();
    let files = ask_in(tree, ["ls-files", "-z", "--stage"])?.unwrap_or_default();
    let present: Vec<&[u8]> = files.split(|byte| *byte == 0).filter_map(submodule_path).collect();
    let named = named.split(|byte| *byte == 0).filter_map(parse);
    Ok(named.filter(|one| present.contains(&one.path.as_os_str().as_bytes())).collect())
}

/// The path in a line of `git ls-files --stage`, if it is a submodule, which has mode 160000.
fn submodule_path(entry: &[u8]) -> Option<&[u8]> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    entry.starts_with(b"160000 ").then(|| &entry[tab + 1..])
}

/// Parses `submodule.NAME.path`, a line break, and the path.
fn parse(entry: &[u8]) -> Option<Submodule> {
    let end = entry.iter().position(|byte| *byte == b'\n')?;
    let name = entry[..end].strip_prefix(b"submodule.")?.strip_suffix(b".path")?;
    let path = OsString::from_vec(entry[end + 1..].to_vec());
    Some(Submodule { name: OsString::from_vec(name.to_vec()), path: path.into() })
}

fn update(
    copy: &Path,
    tree: &Path,
    submodule: &Submodule,
    patience: Patience,
) -> Result<(), GitError> {
    let update = |settings: &[OsString]| {
        let mut args: Vec<OsString> = Vec::new();
        for setting in settings {
            args.extend(["-c".into(), setting.clone()]);
        }
        args.extend(["submodule", "update", "--force", "--"].map(OsString::from));
        args.push(submodule.path.clone().into());
        change(tree, args, patience)
    };
    let active = setting(&submodule.name, "active", "true".as_ref());
    if copy.is_dir() {
        let url = setting(&submodule.name, "url", copy.as_os_str());
        // The path of the user's own copy, not one chosen by `.gitmodules`.
        let taken = update(&[active.clone(), url, "protocol.file.allow=always".into()]);
        if !matches!(taken, Err(GitError::Failed { .. })) {
            return taken;
        }
    }
    update(&[active])
}

fn setting(name: &OsStr, key: &str, value: &OsStr) -> OsString {
    let mut setting = OsString::from("submodule.");
    setting.push(name);
    setting.push(format!(".{key}="));
    setting.push(value);
    setting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_dots_and_paths_with_spaces_are_read() {
        let submodule = parse(b"submodule.a.b c.path\nlib/a b");
        let expected = Submodule { name: "a.b c".into(), path: "lib/a b".into() };
        assert_eq!(submodule, Some(expected));
        assert_eq!(parse(b""), None);
        assert_eq!(submodule_path(b"160000 0123 0\tlib/a b"), Some(&b"lib/a b"[..]));
        assert_eq!(submodule_path(b"100644 0123 0\tmain.c"), None);
    }
}
