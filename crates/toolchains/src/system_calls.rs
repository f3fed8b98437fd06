//! The files that a program wrote and the connections that it made, by the output of `strace -f -y`.
//!
//! With `-y` a descriptor is followed by its path in angle brackets, so the path of an opened file is
//! that of the descriptor it returned. Lines of calls that failed, and of those that strace splits
//! because another process came between, are told apart by their results.

use std::collections::BTreeSet;

/// The calls to trace, for `-e trace=`.
pub const CALLS: &str = "open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,symlink,\
                         symlinkat,mkdir,mkdirat,connect";

/// The effects of a program beyond its memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// The files that it opened for writing, made, or gave a new name, as it named or got them.
    pub written: BTreeSet<String>,
    /// The addresses that it connected to.
    pub connected: BTreeSet<String>,
}

/// The flags of an open that may change a file.
const WRITING: [&str; 5] = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"];

/// Reads the output of strace.
pub fn effects(trace: &str) -> Effects {
    let mut effects = Effects::default();
    for line in trace.lines() {
        // The first word is the process, with `-f`.
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let (call, rest) = match line.split_once('(') {
            Some((call, rest)) => (call, rest),
            // `<... openat resumed>) = 3</tmp/x>`: the flags were on the line before, so it counts.
            None => continue,
        };
        let result = rest.rsplit_once(" = ").map_or("", |(_, result)| result.trim());
        let is_done = !result.starts_with('-');
        match call {
            "connect" => {
                effects.connected.extend(is_done.then(|| address(rest)).flatten());
            }
            "open" | "openat" | "openat2" | "creat" if is_done => {
                let writes = call == "creat" || WRITING.iter().any(|flag| rest.contains(flag));
                let path = in_brackets(result).or_else(|| quoted(rest).next_back());
                effects.written.extend(path.filter(|_| writes));
            }
            "rename" | "renameat" | "renameat2" | "link" | "linkat" | "symlink" | "symlinkat"
            | "mkdir" | "mkdirat"
                if is_done =>
            {
                effects.written.extend(quoted(rest).next_back());
            }
            _ => {}
        }
    }
    effects
}

/// The path of a returned descriptor: `3</tmp/x>`.
fn in_brackets(result: &str) -> Option<String> {
    let (_, path) = result.split_once('<')?;
    Some(path.strip_suffix('>').unwrap_or(path).to_owned())
}

/// The texts in quotes.
fn quoted(arguments: &str) -> impl DoubleEndedIterator<Item = String> {
    let texts: Vec<String> = arguments.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    texts.into_iter()
}

/// The address of a connection: the path of a socket, or the family and what follows.
fn address(arguments: &str) -> Option<String> {
    let (_, inside) = arguments.split_once('{')?;
    let (inside, _) = inside.split_once('}')?;
    Some(inside.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_were_opened_for_writing_are_known_by_their_descriptors() {
        let trace = "\
12 openat(AT_FDCWD</w>, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC) = 3</etc/ld.so.cache>
12 openat(AT_FDCWD</w>, \"memo\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/memo>
12 openat(AT_FDCWD</w>, \"/no/way\", O_WRONLY|O_CREAT, 0666) = -1 ENOENT (No such file or directory)
13 openat(AT_FDCWD</w>, \"/tmp/late\", O_RDWR|O_CREAT, 0600 <unfinished ...>
13 rename(\"/tmp/a\", \"/tmp/b\") = 0
13 mkdir(\"/tmp/d\", 0777) = -1 EEXIST (File exists)
13 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path=\"/run/s\"}, 110) = 0
13 +++ exited with 0 +++
";
        let effects = effects(trace);
        let written: Vec<&str> = effects.written.iter().map(String::as_str).collect();
        assert_eq!(written, ["/tmp/b", "/tmp/late", "/w/memo"]);
        assert_eq!(effects.connected.len(), 1);
    }
}
