//! Git notes: texts attached to commits and kept beside the history, in a tree below `refs/notes`,
//! where everybody may add lines.
//!
//! Notes of several writers are merged line by line, as a union: a line on either side is in the
//! result once, in the order of the side that has it first. git's own `cat_sort_uniq` would sort
//! the lines and end a note at a zero byte. No line is ever removed, and no push is forced.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};

use super::git::{GitError, OURSELVES, Repository, Said, line};

/// The number of attempts while other writers interfere.
const MOST_TRIES: usize = 20;

/// The most bytes read of one note, and at a time. Arbitrary: a history of a hundred thousand runs.
const MOST_BYTES: u64 = 128 << 20;

/// The file mode of a note in its tree.
const MODE: &str = "100644";

/// The notes of a repository below one reference.
#[derive(Debug, Clone)]
pub struct Notes<'r> {
    repository: &'r Repository,
    /// The full name of the reference.
    name: String,
}

/// A commit's note, as listed in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Leaf {
    path: String,
    blob: String,
    bytes: u64,
}

/// The notes of each commit; several if git has not combined them yet.
type Tree = BTreeMap<String, Vec<Leaf>>;

/// The notes of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// The commit, which need not be in the repository.
    pub commit: String,
    /// The text, or the reason that it was not read.
    pub text: Result<Vec<u8>, String>,
}

/// A line to be added to a commit's note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The commit.
    pub commit: String,
    /// The line, without its end.
    pub line: Vec<u8>,
}

/// True if a text (first) already states the content of a line (second).
type Says<'a> = &'a dyn Fn(&[u8], &[u8]) -> bool;

impl<'r> Notes<'r> {
    /// The notes below a reference: `perf` and `refs/notes/perf` are the same.
    pub fn new(repository: &'r Repository, name: &str) -> Result<Self, GitError> {
        let name = match name.starts_with("refs/notes/") {
            true => name.to_owned(),
            false => format!("refs/notes/{}", name.strip_prefix("notes/").unwrap_or(name)),
        };
        match repository.try_ask(["check-ref-format", &name])? {
            Ok(_) => Ok(Self { repository, name }),
            Err(_) => Err(failed("notes", format!("`{name}` is not the name of a reference"))),
        }
    }

    /// The full name of the reference.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Merges the notes of the remote, if one is named, into the local ones. True if any notes
    /// exist then.
    ///
    /// # Errors
    ///
    /// When git fails, or other writers win every attempt.
    pub fn fetch(&self, remote: Option<&str>) -> Result<bool, GitError> {
        if remote.is_some() {
            self.until_done(remote, false, &[], &|_, _| false)?;
        }
        Ok(self.tip(&self.name)?.is_some())
    }

    /// Adds the lines that the note of their commit does not state already, and pushes all local
    /// notes to the remote, if one is named. Returns for each line whether it is new.
    ///
    /// # Errors
    ///
    /// When git fails, or other writers win every attempt.
    pub fn publish(
        &self,
        remote: Option<&str>,
        additions: &[Addition],
        says: Says<'_>,
    ) -> Result<Vec<bool>, GitError> {
        self.until_done(remote, true, additions, says)
    }

    fn until_done(
        &self,
        remote: Option<&str>,
        pushes: bool,
        additions: &[Addition],
        says: Says<'_>,
    ) -> Result<Vec<bool>, GitError> {
        let mut last = None;
        // Lines that were new in the first attempt are present in the next one.
        let mut are_new = vec![false; additions.len()];
        for _ in 0..MOST_TRIES {
            let there = remote.map(|remote| self.fetched(remote)).transpose()?.flatten();
            if !self.merge_into_ours(there.as_deref())? {
                continue;
            }
            let ours = self.tip(&self.name)?;
            let (added, new) = self.with_lines(ours.as_deref(), additions, says)?;
            if !self.moved(ours.as_deref(), added.as_deref())? {
                continue;
            }
            are_new.iter_mut().zip(new).for_each(|(is_new, new)| *is_new |= new);
            let (Some(remote), Some(added)) = (remote.filter(|_| pushes), added) else {
                return Ok(are_new);
            };
            if there.as_ref() == Some(&added) {
                return Ok(are_new);
            }
            let refspec = format!("{added}:{}", self.name);
            let push = ["push", "--quiet", "--no-verify", "--", remote, &refspec];
            let Err(said) = self.repository.try_ask(push)? else { return Ok(are_new) };
            if last.is_some() && !is_race(&said) && self.fetched(remote)? == there {
                return Err(GitError::Failed { what: "push".to_owned(), source: said });
            }
            last = Some(said);
        }
        let why = last.map_or_else(String::new, |said| format!(": {said}"));
        Err(failed("push", format!("others were quicker {MOST_TRIES} times{why}")))
    }

    /// Fetches the remote's notes and returns their tip; `None` if the remote has no such
    /// reference.
    fn fetched(&self, remote: &str) -> Result<Option<String>, GitError> {
        if remote.starts_with('-') {
            return Err(failed("fetch", format!("`{remote}` is not a remote")));
        }
        let there = self.repository.ask(["ls-remote", "--", remote, &self.name])?;
        if there.is_empty() {
            return Ok(None);
        }
        // A separate reference, so that no other one is changed, and nobody changes this one.
        let ours = format!("refs/brisk/fetched/{}", std::process::id());
        let refspec = format!("+{}:{ours}", self.name);
        let quiet = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap="];
        let fetch = quiet.into_iter().chain(["--", remote, &refspec]);
        let fetched = self.repository.ask(fetch).and_then(|_| self.tip(&ours));
        let removed = self.repository.ask(["update-ref", "-d", &ours]);
        let tip = fetched?;
        removed?;
        tip.map(Some).ok_or_else(|| {
            failed("fetch", format!("`{}` of `{remote}` is not a commit", self.name))
        })
    }

    /// The commit that a reference points to.
    fn tip(&self, name: &str) -> Result<Option<String>, GitError> {
        let commit = format!("{name}^{{commit}}");
        let answer = self.repository.try_ask(["rev-parse", "--verify", "--quiet", &commit])?;
        Ok(answer.ok().map(text))
    }

    /// Moves the local reference; false if another process has moved it meanwhile.
    fn moved(&self, from: Option<&str>, to: Option<&str>) -> Result<bool, GitError> {
        let Some(to) = to.filter(|to| Some(*to) != from) else { return Ok(true) };
        let zeros = "0".repeat(to.len());
        let from = from.unwrap_or(&zeros);
        let moved = self.repository.try_ask(["update-ref", &self.name, to, from])?;
        match moved {
            Ok(_) => Ok(true),
            Err(said) if is_race(&said) => Ok(false),
            Err(source) => Err(GitError::Failed { what: "update-ref".to_owned(), source }),
        }
    }

    /// Merges this commit into the local reference; false if another process has moved that
    /// meanwhile.
    fn merge_into_ours(&self, theirs: Option<&str>) -> Result<bool, GitError> {
        let ours = self.tip(&self.name)?;
        let (Some(ours), Some(theirs)) = (&ours, theirs) else {
            return self.moved(ours.as_deref(), theirs.or(ours.as_deref()));
        };
        let contains = |newer: &str, older: &str| {
            let is_ancestor = ["merge-base", "--is-ancestor", older, newer];
            self.repository.try_ask(is_ancestor).map(|answer| answer.is_ok())
        };
        if contains(ours, theirs)? {
            return Ok(true);
        }
        if contains(theirs, ours)? {
            return self.moved(Some(ours), Some(theirs));
        }
        let (mut here, there) = (self.tree(ours)?, self.tree(theirs)?);
        let mut changed = BTreeMap::new();
        for (commit, leaves) in there {
            let known = here.remove(&commit).unwrap_or_default();
            let blobs = |leaves: &[Leaf]| -> HashSet<String> {
                leaves.iter().map(|leaf| leaf.blob.clone()).collect()
            };
            if blobs(&known) != blobs(&leaves) {
                let both: Vec<Leaf> = known.iter().chain(&leaves).cloned().collect();
                let union = union(&self.read(&both)?);
                changed.insert(commit, (union, known));
            }
        }
        let merged = self.commit(&[ours, theirs], &changed, "brisk: merge notes")?;
        self.moved(Some(ours), Some(&merged))
    }

    /// A commit of the local notes with the lines added, and for each line whether it is new. The
    /// same commit if no line is new.
    fn with_lines(
        &self,
        ours: Option<&str>,
        additions: &[Addition],
        says: Says<'_>,
    ) -> Result<(Option<String>, Vec<bool>), GitError> {
        let tree = ours.map(|ours| self.tree(ours)).transpose()?.unwrap_or_default();
        let mut changed: BTreeMap<String, (Vec<u8>, Vec<Leaf>)> = BTreeMap::new();
        let mut are_new = Vec::with_capacity(additions.len());
        for Addition { commit, line } in additions {
            if !changed.contains_key(commit) {
                let known = tree.get(commit).cloned().unwrap_or_default();
                let text = union(&self.read(&known)?);
                changed.insert(commit.clone(), (text, known));
            }
            let (text, _) = changed.get_mut(commit).expect("it was just put in");
            let is_new = !says(text, line);
            if is_new {
                text.extend(line);
                text.push(b'\n');
            }
            are_new.push(is_new);
        }
        let is_changed = |commit: &String| {
            additions.iter().zip(&are_new).any(|(a, new)| *new && a.commit == *commit)
        };
        changed.retain(|commit, _| is_changed(commit));
        if changed.is_empty() {
            return Ok((ours.map(str::to_owned), are_new));
        }
        let parents: Vec<&str> = ours.into_iter().collect();
        Ok((Some(self.commit(&parents, &changed, "brisk: add notes")?), are_new))
    }

    /// A commit of the first parent's notes with these changes: for each commit, the new text and
    /// the notes that it replaces.
    fn commit(
        &self,
        parents: &[&str],
        changed: &BTreeMap<String, (Vec<u8>, Vec<Leaf>)>,
        message: &str,
    ) -> Result<String, GitError> {
        let scratch = tempfile::Builder::new().prefix("brisk-notes-").tempdir();
        let scratch = scratch.map_err(|error| failed("notes", error.to_string()))?;
        let index = scratch.path().join("index");
        let author = self.author()?;
        let ask = |args: &[&str], stdin: &[u8]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            let variables = author.iter().map(|(name, value)| (*name, OsStr::new(*value)));
            let variables = variables.chain([("GIT_INDEX_FILE", index.as_os_str())]);
            self.repository.ask_with(args, variables, stdin).map(text)
        };
        match parents.first() {
            Some(first) => ask(&["read-tree", first], &[])?,
            None => ask(&["read-tree", "--empty"], &[])?,
        };
        let mut entries = String::new();
        for (commit, (text, replaced)) in changed {
            let blob = ask(&["hash-object", "-w", "--stdin"], text)?;
            let zeros = "0".repeat(blob.len());
            replaced.iter().for_each(|leaf| {
                entries += &format!("0 {zeros}\t{}\0", leaf.path);
            });
            let (folder, rest) = commit.split_at(2);
            entries += &format!("{MODE} {blob}\t{folder}/{rest}\0");
        }
        ask(&["update-index", "-z", "--index-info"], entries.as_bytes())?;
        let tree = ask(&["write-tree"], &[])?;
        let mut args = vec!["commit-tree", "--no-gpg-sign", "-m", message, &tree];
        parents.iter().for_each(|parent| args.extend(["-p", parent]));
        ask(&args, &[])
    }

    /// The author variables; brisk's own if git knows no identity.
    fn author(&self) -> Result<&'static [(&'static str, &'static str)], GitError> {
        let is_known = self.repository.try_ask(["var", "GIT_COMMITTER_IDENT"])?.is_ok()
            && self.repository.try_ask(["var", "GIT_AUTHOR_IDENT"])?.is_ok();
        Ok(if is_known { &[] } else { &OURSELVES })
    }

    /// The notes in a commit of the reference.
    fn tree(&self, tip: &str) -> Result<Tree, GitError> {
        let listed = self.repository.ask(["ls-tree", "-r", "-l", "-z", "--full-tree", tip])?;
        let mut tree = Tree::new();
        for entry in listed.split(|byte| *byte == 0) {
            if let Some((commit, leaf)) = std::str::from_utf8(entry).ok().and_then(leaf) {
                tree.entry(commit).or_default().push(leaf);
            }
        }
        Ok(tree)
    }

    /// The contents of these notes.
    fn read(&self, leaves: &[Leaf]) -> Result<Vec<Vec<u8>>, GitError> {
        let whole: u64 = leaves.iter().map(|leaf| leaf.bytes).sum();
        if let Some(leaf) = leaves.first().filter(|_| whole > MOST_BYTES) {
            let many = MOST_BYTES >> 20;
            return Err(failed("notes", format!("`{}` has more than {many} MiB", leaf.path)));
        }
        if leaves.is_empty() {
            return Ok(Vec::new());
        }
        let asked: String = leaves.iter().map(|leaf| format!("{}\n", leaf.blob)).collect();
        let batch = vec!["cat-file".into(), "--batch".into()];
        let answer = self.repository.ask_with(batch, std::iter::empty(), asked.as_bytes())?;
        contents(&answer).ok_or_else(|| failed("cat-file", "its answer is cut off".to_owned()))
    }

    /// Passes the notes of each commit to `each`; only some of them are in memory at a time.
    pub fn for_each<E: From<GitError>>(
        &self,
        each: &mut dyn FnMut(Noted) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(tip) = self.tip(&self.name)? else { return Ok(()) };
        let mut batch: Vec<(String, Vec<Leaf>)> = Vec::new();
        let mut bytes = 0;
        for (commit, leaves) in self.tree(&tip)? {
            let own: u64 = leaves.iter().map(|leaf| leaf.bytes).sum();
            if own > MOST_BYTES {
                let why = format!("it has more than {} MiB", MOST_BYTES >> 20);
                each(Noted { commit, text: Err(why) })?;
                continue;
            }
            if bytes + own > MOST_BYTES {
                self.tell(std::mem::take(&mut batch), each)?;
                bytes = 0;
            }
            bytes += own;
            batch.push((commit, leaves));
        }
        self.tell(batch, each)
    }

    fn tell<E: From<GitError>>(
        &self,
        batch: Vec<(String, Vec<Leaf>)>,
        each: &mut dyn FnMut(Noted) -> Result<(), E>,
    ) -> Result<(), E> {
        let all: Vec<Leaf> = batch.iter().flat_map(|(_, leaves)| leaves.clone()).collect();
        let mut texts = self.read(&all)?.into_iter();
        for (commit, leaves) in batch {
            let own: Vec<Vec<u8>> = texts.by_ref().take(leaves.len()).collect();
            each(Noted { commit, text: Ok(union(&own)) })?;
        }
        Ok(())
    }
}

impl Repository {
    /// Of these commits, those missing from the repository, and those that are present but not
    /// reachable from any branch, tag or other reference.
    pub fn gone<'c>(
        &self,
        commits: &'c [String],
    ) -> Result<(Vec<&'c str>, Vec<&'c str>), GitError> {
        let asked: String = commits.iter().map(|commit| format!("{commit}^{{commit}}\n")).collect();
        let check = vec!["cat-file".into(), "--batch-check=%(objectname)".into()];
        let known = self.ask_with(check, std::iter::empty(), asked.as_bytes())?;
        let known: HashSet<&str> = lines_of(&known).collect();
        let (here, missing): (Vec<&str>, Vec<&str>) =
            commits.iter().map(String::as_str).partition(|commit| known.contains(commit));
        if here.is_empty() {
            return Ok((missing, here));
        }
        let asked: String = here.iter().map(|commit| format!("{commit}\n")).collect();
        let unreachable = ["rev-list", "--stdin", "--not", "--all"].map(OsString::from);
        let found = self.ask_with(unreachable.into(), std::iter::empty(), asked.as_bytes())?;
        let found: HashSet<&str> = lines_of(&found).collect();
        Ok((missing, here.into_iter().filter(|commit| found.contains(commit)).collect()))
    }
}

fn lines_of(answer: &[u8]) -> impl Iterator<Item = &str> {
    std::str::from_utf8(answer).unwrap_or_default().lines()
}

fn failed(what: &str, why: String) -> GitError {
    GitError::Failed { what: what.to_owned(), source: Said::new(why) }
}

fn text(answer: Vec<u8>) -> String {
    line(answer).to_string_lossy().into_owned()
}

/// True if git refused because another process was quicker or is at work.
pub(super) fn is_race(said: &Said) -> bool {
    let said = said.to_string();
    ["fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref", "stale info"]
        .iter()
        .any(|word| said.contains(word))
}

/// Parses an entry of `ls-tree -l`: the commit and its note. `None` if it is something else.
fn leaf(entry: &str) -> Option<(String, Leaf)> {
    let (about, path) = entry.split_once('\t')?;
    let mut words = about.split_ascii_whitespace().skip(1);
    let (kind, blob, bytes) = (words.next()?, words.next()?, words.next()?);
    let commit = path.replace('/', "");
    let is_hash = matches!(commit.len(), 40 | 64)
        && commit.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let leaf = Leaf { path: path.to_owned(), blob: blob.to_owned(), bytes: bytes.parse().ok()? };
    (kind == "blob" && is_hash).then_some((commit, leaf))
}

/// The objects in the output of `cat-file --batch`; `None` if it is cut off or an object is
/// missing.
fn contents(mut answer: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut contents = Vec::new();
    while !answer.is_empty() {
        let end = answer.iter().position(|byte| *byte == b'\n')?;
        let head = std::str::from_utf8(&answer[..end]).ok()?;
        let bytes: usize = head.rsplit(' ').next()?.parse().ok()?;
        let body = answer.get(end + 1..)?;
        contents.push(body.get(..bytes)?.to_vec());
        answer = body.get(bytes + 1..)?;
    }
    Some(contents)
}

/// All lines of these texts, each once, in their order; empty lines are dropped.
fn union(texts: &[Vec<u8>]) -> Vec<u8> {
    let mut seen = HashSet::new();
    let lines = texts.iter().flat_map(|text| text.split(|byte| *byte == b'\n'));
    let lines = lines.filter(|line| !line.is_empty() && seen.insert(*line));
    lines.flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_every_line_once() {
        let texts = [b"b\na\nb\n".to_vec(), b"\xff\0\n\nc\na".to_vec(), Vec::new()];
        assert_eq!(union(&texts), b"b\na\n\xff\0\nc\n");
        assert_eq!(union(&[]), b"");
    }

    #[test]
    fn a_note_is_known_by_its_path_however_it_is_cut() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        let entry = |path: &str| format!("100644 blob {hash}      12\t{path}");
        let of = |path: &str| leaf(&entry(path)).map(|(commit, leaf)| (commit, leaf.bytes));
        for path in [hash.to_owned(), format!("01/{}", &hash[2..]), format!("01/23/{}", &hash[4..])]
        {
            assert_eq!(of(&path), Some((hash.to_owned(), 12)), "{path}");
        }
        for path in ["README", "01", &hash.to_uppercase(), &format!("{hash}0")] {
            assert_eq!(of(path), None, "{path}");
        }
        let link = format!("160000 commit {hash}       -\t{hash}");
        assert_eq!(leaf(&link), None);
    }

    #[test]
    fn objects_are_told_apart_by_their_lengths() {
        let answer = b"aa blob 3\nx\ny\nbb blob 0\n\n";
        assert_eq!(contents(answer), Some(vec![b"x\ny".to_vec(), Vec::new()]));
        for broken in [&b"aa missing\n"[..], b"aa blob 9\nx\n", b"aa blob 3"] {
            assert_eq!(contents(broken), None);
        }
    }
}
